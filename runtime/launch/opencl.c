/* Launches through OpenCL, whose loader is opened at the first use. A stream is a command queue; pointers are of
 * unified shared memory (cl_intel_unified_shared_memory) or of shared virtual memory, in the queue's context. */
#include "runtime/launch/launch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

/* Numbers of the OpenCL 3 interface and of Intel's extensions (Khronos' specification). */
enum {
    device_type = 0x1000,
    type_of_cpus = 2,
    device_extensions = 0x1030,
    device_il_version = 0x105B,
    device_sub_group_sizes = 0x4108, /* cl_intel_required_subgroup_size */
    device_ip_version = 0x4250,      /* cl_intel_device_attribute_query */
    queue_context = 0x1090,
    queue_device = 0x1091,
    exec_indirect = 0x4200, /* and the next two: memory of the host, of the device, shared */
    memory_read_write = 1,
    invalid_work_group_size = -54,
    invalid_global_work_size = -63,
    max_platforms = 16,
    longest_text = 8192,
};

typedef int set_pointer(void *kernel, uint32_t index, const void *address);

typedef struct {
    int is_usable;
    tri_rt_device_calls calls;
    int (*platforms)(uint32_t, void **, uint32_t *);
    int (*devices)(void *, uint64_t, uint32_t, void **, uint32_t *);
    int (*device_info)(void *, uint32_t, size_t, void *, size_t *);
    void *(*extension)(void *, const char *);
    void *(*create_context)(const void *, uint32_t, void *const *, void *, void *, int *);
    void *(*create_queue)(void *, void *, uint64_t, int *);
    int (*retain_context)(void *);
    int (*release_context)(void *);
    int (*queue_info)(void *, uint32_t, size_t, void *, size_t *);
    void *(*program_il)(void *, const void *, size_t, int *);
    void *(*program_binary)(void *, uint32_t, void *const *, const size_t *, const unsigned char *const *, int *,
                            int *);
    int (*build)(void *, uint32_t, void *const *, const char *, void *, void *);
    int (*release_program)(void *);
    void *(*create_kernel)(void *, const char *, int *);
    int (*release_kernel)(void *);
    int (*set_arg)(void *, uint32_t, size_t, const void *);
    set_pointer *set_svm;
    int (*set_exec_info)(void *, uint32_t, size_t, const void *);
    void *(*svm_alloc)(void *, uint64_t, size_t, uint32_t);
    void (*svm_free)(void *, void *);
    int (*enqueue_free)(void *, uint32_t, void **, void *, void *, uint32_t, void *const *, void **);
    int (*enqueue)(void *, void *, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t, void *, void **);
    int (*finish)(void *);
    int (*release_event)(void *);
} driver_api;

/* A device in a context: first all devices, each in a context of ours, then those in contexts of others' queues. */
typedef struct {
    void *device, *context, *queue; /* queue: ours; context and queue are made when they are needed */
    set_pointer *set_pointer;
    int base, is_cpu, has_usm;
    tri_rt_spirv_device takes;
} place;

/* Not static: one of each per program, however many objects hold them. */
driver_api tri_rt_opencl_api;
pthread_once_t tri_rt_opencl_once = PTHREAD_ONCE_INIT;
char tri_rt_opencl_places[TRI_RT_MAX_DEVICES];
place tri_rt_opencl_devices[TRI_RT_MAX_DEVICES];
int tri_rt_opencl_device_count, tri_rt_opencl_place_count; /* the second is guarded by the lock */
#define api tri_rt_opencl_api
#define known tri_rt_opencl_devices
#define known_count tri_rt_opencl_device_count
#define place_count tri_rt_opencl_place_count

/* ---- devices ---- */

static int tells_word(void *device, uint32_t question, const char *word)
{
    char text[longest_text];
    size_t size = 0;
    if (api.device_info(device, question, sizeof text - 1, text, &size) || size >= sizeof text)
        return 0;
    text[size] = 0;
    return strstr(text, word) != NULL;
}

static int has_lanes(void *device, size_t lanes)
{
    size_t sizes[16], bytes = 0;
    if (api.device_info(device, device_sub_group_sizes, sizeof sizes, sizes, &bytes) || bytes > sizeof sizes)
        return 0;
    for (size_t i = 0; i < bytes / sizeof *sizes; i++)
        if (sizes[i] == lanes)
            return 1;
    return 0;
}

static void add_device(void *platform, void *device)
{
    place *p = &known[known_count];
    uint64_t type = 0;
    uint32_t ip_version = 0;
    if (known_count == TRI_RT_MAX_DEVICES)
        return;
    api.device_info(device, device_type, sizeof type, &type, NULL);
    *(void **)&p->set_pointer = api.extension(platform, "clSetKernelArgMemPointerINTEL");
    p->has_usm = p->set_pointer != NULL;
    if (!p->has_usm)
        p->set_pointer = api.set_svm;
    p->device = device;
    p->base = known_count++;
    p->is_cpu = (type & type_of_cpus) != 0;
    if (!api.device_info(device, device_ip_version, sizeof ip_version, &ip_version, NULL))
        p->takes.arch = tri_rt_intel_arch(ip_version);
    p->takes.takes_spirv = api.program_il && tells_word(device, device_il_version, "SPIR-V");
    p->takes.takes_spir = tells_word(device, device_extensions, "cl_khr_spir");
    p->takes.has_lanes_32 = has_lanes(device, 32);
}

static void list_devices(void)
{
    void *platforms[max_platforms], *found[TRI_RT_MAX_DEVICES];
    uint32_t platform_count = 0, count = 0;
    if (api.platforms(max_platforms, platforms, &platform_count))
        return; /* what loaders answer when no driver is installed */
    for (uint32_t p = 0; p < platform_count && p < max_platforms; p++) {
        if (api.devices(platforms[p], 0xffffffff, TRI_RT_MAX_DEVICES, found, &count))
            continue;
        for (uint32_t i = 0; i < count && i < TRI_RT_MAX_DEVICES; i++)
            add_device(platforms[p], found[i]);
    }
    place_count = known_count;
}

static int count_devices(int *out) { return *out = known_count, 0; }

/* Threads have no device: a queue does. */
static int get_device(int *out) { return *out = 0, 1; }
static int set_device(int device) { return (void)device, 0; }

static void open_loader(void)
{
    static const tri_rt_symbol rows[] = { /* optional: since OpenCL 2.1 */
        {"clGetPlatformIDs", offsetof(driver_api, platforms), 0},
        {"clGetDeviceIDs", offsetof(driver_api, devices), 0},
        {"clGetDeviceInfo", offsetof(driver_api, device_info), 0},
        {"clGetExtensionFunctionAddressForPlatform", offsetof(driver_api, extension), 0},
        {"clCreateContext", offsetof(driver_api, create_context), 0},
        {"clCreateCommandQueue", offsetof(driver_api, create_queue), 0},
        {"clRetainContext", offsetof(driver_api, retain_context), 0},
        {"clReleaseContext", offsetof(driver_api, release_context), 0},
        {"clGetCommandQueueInfo", offsetof(driver_api, queue_info), 0},
        {"clCreateProgramWithIL", offsetof(driver_api, program_il), 1},
        {"clCreateProgramWithBinary", offsetof(driver_api, program_binary), 0},
        {"clBuildProgram", offsetof(driver_api, build), 0},
        {"clReleaseProgram", offsetof(driver_api, release_program), 0},
        {"clReleaseProgram", offsetof(driver_api, calls.unload), 0},
        {"clCreateKernel", offsetof(driver_api, create_kernel), 0},
        {"clReleaseKernel", offsetof(driver_api, release_kernel), 0},
        {"clSetKernelArg", offsetof(driver_api, set_arg), 0},
        {"clSetKernelArgSVMPointer", offsetof(driver_api, set_svm), 0},
        {"clSetKernelExecInfo", offsetof(driver_api, set_exec_info), 0},
        {"clSVMAlloc", offsetof(driver_api, svm_alloc), 0},
        {"clSVMFree", offsetof(driver_api, svm_free), 0},
        {"clEnqueueSVMFree", offsetof(driver_api, enqueue_free), 0},
        {"clEnqueueNDRangeKernel", offsetof(driver_api, enqueue), 0},
        {"clFinish", offsetof(driver_api, finish), 0},
        {"clReleaseEvent", offsetof(driver_api, release_event), 0},
    };
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library || !tri_rt_find_symbols(library, rows, sizeof rows / sizeof *rows, &api))
        return;
    tri_rt_guard_forks();
    api.calls.device_count = count_devices;
    api.calls.get_device = get_device;
    api.calls.set_device = set_device;
    list_devices();
    api.is_usable = 1;
}

static int is_loaded(void)
{
    pthread_once(&tri_rt_opencl_once, open_loader);
    return api.is_usable;
}

/* A processor is a device only for those who ask for OpenCL: the host's own code is better for it. */
static int is_wanted(void)
{
    for (int i = 0; i < known_count; i++)
        if (!known[i].is_cpu)
            return 1;
    return 0;
}

static int base_of(int device) { return known[device].base; }

/* ---- errors ---- */

static const char *error_text(int number)
{
    static const struct {
        int number;
        const char *text;
    } rows[] = {{1, "CL_DEVICE_NOT_FOUND"},          {2, "CL_DEVICE_NOT_AVAILABLE"},
                {4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"}, {5, "CL_OUT_OF_RESOURCES"},
                {6, "CL_OUT_OF_HOST_MEMORY"},        {11, "CL_BUILD_PROGRAM_FAILURE"},
                {30, "CL_INVALID_VALUE"},            {34, "CL_INVALID_CONTEXT"},
                {36, "CL_INVALID_COMMAND_QUEUE"},    {42, "CL_INVALID_BINARY"},
                {46, "CL_INVALID_KERNEL_NAME"},      {50, "CL_INVALID_ARG_VALUE"},
                {51, "CL_INVALID_ARG_SIZE"},         {52, "CL_INVALID_KERNEL_ARGS"},
                {54, "CL_INVALID_WORK_GROUP_SIZE"},  {59, "CL_INVALID_OPERATION"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number == number)
            return rows[i].text;
    return "an error of OpenCL";
}

/* OpenCL counts errors downwards. */
static int driver_error(int status)
{
    return status == invalid_global_work_size ? TRI_ERROR_GRID
                                              : tri_rt_driver_error(status < 0 ? -status : status, error_text);
}

/* ---- places ---- */

/* The first GPU or accelerator, else the first device. */
static int find_default(void)
{
    for (int i = 0; i < known_count; i++)
        if (!known[i].is_cpu)
            return i;
    return 0;
}

/* A context and a queue of ours. The lock is held. */
static int open_place(place *p)
{
    int status = 0;
    if (!p->context) {
        void *context = api.create_context(NULL, 1, &p->device, NULL, NULL, &status);
        if (status)
            return status;
        p->context = context;
    }
    if (!p->queue) {
        void *queue = api.create_queue(p->context, p->device, 0, &status);
        if (!status)
            p->queue = queue;
    }
    return status;
}

/* The lock is held. The context of somebody's queue is kept: its address stands for it. */
static int find_place_in(void *context, void *device, int *out)
{
    int base = -1;
    for (int i = 0; i < place_count; i++) {
        if (known[i].device != device)
            continue;
        if (known[i].context == context)
            return *out = i, TRI_OK;
        if (base < 0)
            base = i;
    }
    if (base < 0)
        return TRI_ERROR_NO_DEVICE;
    if (place_count == TRI_RT_MAX_DEVICES)
        return TRI_ERROR_MEMORY;
    int status = api.retain_context(context);
    if (status)
        return driver_error(status);
    known[place_count] = known[base];
    known[place_count].context = context;
    known[place_count].queue = NULL;
    *out = place_count++;
    return TRI_OK;
}

static int find_device(void *stream, int *out)
{
    void *context, *device;
    if (!known_count)
        return TRI_ERROR_NO_DEVICE;
    if (!stream)
        return *out = find_default(), TRI_OK;
    int status = api.queue_info(stream, queue_context, sizeof context, &context, NULL);
    if (!status)
        status = api.queue_info(stream, queue_device, sizeof device, &device, NULL);
    if (status)
        return driver_error(status);
    tri_rt_lock();
    int r = find_place_in(context, device, out);
    tri_rt_unlock();
    return r;
}

/* ---- code ---- */

static int find_part(const tri_rt_kernel *kernel, uint32_t config, int device, uint32_t *out_part)
{
    return tri_rt_find_spirv_part(kernel, config, &known[device].takes, out_part);
}

static int build_image(const place *p, const tri_rt_image *image, void **out_program)
{
    const unsigned char *data = image->data;
    size_t size = image->size;
    int status = 0, of_binary = 0;
    int is_spir = size > 4 && !memcmp(data, "BC\xC0\xDE", 4);
    void *program = image->is_ptx ? api.program_il(p->context, data, size, &status)
                                  : api.program_binary(p->context, 1, &p->device, &size, &data, &of_binary, &status);
    if (status)
        return status;
    status = of_binary ? of_binary : api.build(program, 1, &p->device, is_spir ? "-x spir -spir-std=1.2" : "", 0, 0);
    if (status)
        api.release_program(program);
    else
        *out_program = program;
    return status;
}

/* Machine code of another release than the driver's may be refused: SPIR-V is compiled by it. */
static int load_image(const tri_rt_kernel *kernel, const tri_rt_part *part, int device, void **out_module)
{
    place *p = &known[device];
    const tri_rt_image *binary = tri_rt_image_of(part, 0), *spirv = tri_rt_image_of(part, 1);
    int is_machine_code = p->takes.arch && !strcmp(part->arch, p->takes.arch);
    int status = p->context ? 0 : open_place(p);
    (void)kernel;
    if (status)
        return status;
    if (binary && (is_machine_code || !p->takes.takes_spirv)) {
        status = build_image(p, binary, out_module);
        if (!status || !spirv || !p->takes.takes_spirv)
            return status;
    }
    return build_image(p, spirv, out_module);
}

/* Pointers may lead to others, in memory of every kind. */
static void allow_indirect(void *function)
{
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t yes = 1;
        api.set_exec_info(function, exec_indirect + i, sizeof yes, &yes);
    }
}

static int find_function(tri_rt_kernel *kernel, const tri_rt_context *entry, const tri_rt_module *module, int variant,
                         void **out)
{
    uint64_t row = (uint64_t)(entry - kernel->contexts) * kernel->variant_count;
    void **at = &kernel->functions[row + (uint32_t)variant];
    int status = 0;
    *out = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    if (*out)
        return TRI_OK;
    tri_rt_lock();
    *out = *at;
    if (!*out) {
        *out = api.create_kernel(module->module, kernel->variants[variant].symbol, &status);
        if (!status && known[entry->device].has_usm)
            allow_indirect(*out);
        if (!status)
            __atomic_store_n(at, *out, __ATOMIC_RELEASE);
    }
    tri_rt_unlock();
    return driver_error(status);
}

static void drop_function(void *function) { api.release_kernel(function); }

/* ---- the launch ---- */

static int set_arguments(const place *p, const tri_rt_variant *variant, void *function, const void **args)
{
    int status = 0;
    for (uint32_t i = 0; i < variant->size_count && !status; i++) {
        uint32_t size = variant->sizes[i];
        status = size & TRI_RT_IS_POINTER ? p->set_pointer(function, i, *(void *const *)args[i])
                                          : api.set_arg(function, i, size, args[i]);
    }
    return status;
}

/* Scratch is freed behind the kernel, and by the caller where this fails. */
static int enqueue(void *queue, void *function, size_t threads, const tri_grid *grid, void *scratch)
{
    size_t local[3] = {threads, 1, 1}, global[3] = {grid->x * threads, grid->y, grid->z};
    void *event = NULL;
    int status = api.enqueue(queue, function, 3, NULL, global, local, 0, NULL, scratch ? &event : NULL);
    if (status || !scratch)
        return status;
    status = api.enqueue_free(queue, 1, &scratch, NULL, NULL, 1, &event, NULL);
    api.release_event(event);
    if (status)
        api.finish(queue);
    return status;
}

/* The lock is held: a kernel's arguments belong to its next launch. */
static int launch(place *p, const tri_rt_variant *variant, void *function, size_t threads, const tri_rt_call *call,
                  const tri_grid *grid, const void **args, uint32_t count)
{
    uint64_t bytes = variant->scratch_bytes, sizes[3] = {grid->x, grid->y, grid->z};
    void *scratch = NULL;
    int status = call->stream || p->queue ? 0 : open_place(p);
    for (int i = 0; i < 3; i++)
        if (__builtin_mul_overflow(bytes, sizes[i], &bytes))
            return TRI_ERROR_MEMORY;
    if (status)
        return driver_error(status);
    if (bytes && !(scratch = api.svm_alloc(p->context, memory_read_write, bytes, 0)))
        return TRI_ERROR_MEMORY;
    args[count] = &scratch;
    status = set_arguments(p, variant, function, args);
    if (!status)
        status = enqueue(call->stream ? call->stream : p->queue, function, threads, grid, scratch);
    if (status && scratch)
        api.svm_free(p->context, scratch);
    return driver_error(status);
}

/* Without a queue of their own callers could not wait. */
static int launch_function(tri_rt_kernel *kernel, const tri_rt_part *part, int number, void *function, int device,
                           const tri_rt_call *call, const tri_grid *grid)
{
    const void *args[TRI_RT_MAX_SLOTS + 1];
    const tri_rt_variant *variant = &kernel->variants[number];
    uint32_t count = tri_rt_pack(kernel, variant, call->args, args);
    tri_rt_lock();
    int r = launch(&known[device], variant, function, (size_t)variant->num_warps * part->lanes, call, grid, args,
                   count);
    tri_rt_unlock();
    return r || call->stream ? r : driver_error(api.finish(known[device].queue));
}

static int finish_queue(void *stream, int device)
{
    void *queue = stream ? stream : known[device].queue;
    return queue ? api.finish(queue) : 0;
}

static const tri_rt_driver driver = {.kind = TRI_OPENCL,
                                     .places = tri_rt_opencl_places,
                                     .error = driver_error,
                                     .is_open = is_loaded,
                                     .calls = &tri_rt_opencl_api.calls,
                                     .find_part = find_part,
                                     .load = load_image,
                                     .find_function = find_function,
                                     .launch = launch_function,
                                     .find_device = find_device,
                                     .base_of = base_of,
                                     .is_wanted = is_wanted,
                                     .drop_function = drop_function,
                                     .finish = finish_queue};

TRI_RT_DRIVER_BACKEND(tri_rt_opencl_backend, TRI_OPENCL);
