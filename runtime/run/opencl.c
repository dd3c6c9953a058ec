#include "runtime/run/opencl.h"

#include "base/vec.h"

#include <dlfcn.h>
#include <stddef.h>

/* Numbers of the OpenCL 2.1 interface; see the Khronos specification. */
enum {
    device_type_all = -1,
    platform_version = 0x0901, /* which has PoCL's short name */
    platform_name = 0x0902,
    device_name = 0x102B,
    device_extensions = 0x1030,
    device_svm = 0x1053,
    device_il_version = 0x105B,
    device_sub_group_sizes = 0x4108, /* cl_intel_required_subgroup_size */
    svm_coarse = 1,
    memory_read_write = 1,
    queue_profiling = 2,
    program_build_log = 0x1183,
    exec_svm_pointers = 0x11B6,
    profiling_start = 0x1282,
    profiling_end = 0x1283,
    max_platforms = 16,
    max_devices = 64,
};

typedef struct {
    int (*platforms)(uint32_t, void **, uint32_t *);
    int (*platform_info)(void *, uint32_t, size_t, void *, size_t *);
    int (*devices)(void *, uint64_t, uint32_t, void **, uint32_t *);
    int (*device_info)(void *, uint32_t, size_t, void *, size_t *);
    void *(*create_context)(const void *, uint32_t, void *const *, void *, void *, int *);
    void *(*create_queue)(void *, void *, uint64_t, int *);
    void *(*program_il)(void *, const void *, size_t, int *);
    void *(*program_binary)(void *, uint32_t, void *const *, const size_t *, const unsigned char *const *, int *,
                            int *);
    int (*build)(void *, uint32_t, void *const *, const char *, void *, void *);
    int (*build_info)(void *, void *, uint32_t, size_t, void *, size_t *);
    void *(*create_kernel)(void *, const char *, int *);
    int (*set_arg)(void *, uint32_t, size_t, const void *);
    int (*set_svm)(void *, uint32_t, const void *);
    int (*set_exec_info)(void *, uint32_t, size_t, const void *);
    void *(*svm_alloc)(void *, uint64_t, size_t, uint32_t);
    void (*svm_free)(void *, void *);
    int (*svm_copy)(void *, uint32_t, void *, const void *, size_t, uint32_t, void *, void *);
    int (*enqueue)(void *, void *, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t, void *, void **);
    int (*finish)(void *);
    int (*profiling)(void *, uint32_t, size_t, void *, size_t *);
    int (*release_event)(void *);
    int (*release_kernel)(void *);
    int (*release_program)(void *);
    int (*release_queue)(void *);
    int (*release_context)(void *);
} loader_api;

struct tri_opencl {
    tri_arena *arena;
    tri_diag *diag;
    loader_api api;
    void *device, *context, *queue, *program, *kernel;
    tri_str name, extensions, il;
    TRI_VEC(void *) memory;
};

static const struct {
    const char *name;
    size_t at;
    bool is_optional; /* came with OpenCL 2.1 */
} entries[] = {
    {"clGetPlatformIDs", offsetof(loader_api, platforms), false},
    {"clGetPlatformInfo", offsetof(loader_api, platform_info), false},
    {"clGetDeviceIDs", offsetof(loader_api, devices), false},
    {"clGetDeviceInfo", offsetof(loader_api, device_info), false},
    {"clCreateContext", offsetof(loader_api, create_context), false},
    {"clCreateCommandQueue", offsetof(loader_api, create_queue), false},
    {"clCreateProgramWithIL", offsetof(loader_api, program_il), true},
    {"clCreateProgramWithBinary", offsetof(loader_api, program_binary), false},
    {"clBuildProgram", offsetof(loader_api, build), false},
    {"clGetProgramBuildInfo", offsetof(loader_api, build_info), false},
    {"clCreateKernel", offsetof(loader_api, create_kernel), false},
    {"clSetKernelArg", offsetof(loader_api, set_arg), false},
    {"clSetKernelArgSVMPointer", offsetof(loader_api, set_svm), false},
    {"clSetKernelExecInfo", offsetof(loader_api, set_exec_info), false},
    {"clSVMAlloc", offsetof(loader_api, svm_alloc), false},
    {"clSVMFree", offsetof(loader_api, svm_free), false},
    {"clEnqueueSVMMemcpy", offsetof(loader_api, svm_copy), false},
    {"clEnqueueNDRangeKernel", offsetof(loader_api, enqueue), false},
    {"clFinish", offsetof(loader_api, finish), false},
    {"clGetEventProfilingInfo", offsetof(loader_api, profiling), false},
    {"clReleaseEvent", offsetof(loader_api, release_event), false},
    {"clReleaseKernel", offsetof(loader_api, release_kernel), false},
    {"clReleaseProgram", offsetof(loader_api, release_program), false},
    {"clReleaseCommandQueue", offsetof(loader_api, release_queue), false},
    {"clReleaseContext", offsetof(loader_api, release_context), false},
};

static bool check(tri_opencl *cl, int status, const char *what)
{
    if (status)
        tri_diag_error(cl->diag, TRI_NO_SPAN, 9001, "OpenCL: cannot %s (error %d)", what, status);
    return !status;
}

/* --- the device -------------------------------------------------------------------------- */

static bool open_library(tri_opencl *cl)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        tri_diag_error(cl->diag, TRI_NO_SPAN, 9001, "no OpenCL on this machine: %s", dlerror());
        return false;
    }
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *entry = dlsym(library, entries[i].name);
        if (!entry && !entries[i].is_optional) {
            tri_diag_error(cl->diag, TRI_NO_SPAN, 9001, "the OpenCL library has no '%s': it is too old",
                           entries[i].name);
            return false;
        }
        memcpy((char *)&cl->api + entries[i].at, &entry, sizeof entry);
    }
    return true;
}

/* Counts over all platforms. */
static bool find_device(tri_opencl *cl, int number)
{
    void *platforms[max_platforms], *devices[max_devices];
    uint32_t num_platforms = 0, count = 0, before = 0;
    if (cl->api.platforms(max_platforms, platforms, &num_platforms))
        num_platforms = 0; /* what loaders answer when no driver is installed */
    for (uint32_t p = 0; p < num_platforms && p < max_platforms; p++) {
        if (cl->api.devices(platforms[p], (uint64_t)device_type_all & 0xffffffff, max_devices, devices, &count))
            continue;
        if ((uint32_t)number < before + count && (uint32_t)number - before < max_devices) {
            cl->device = devices[(uint32_t)number - before];
            return true;
        }
        before += count;
    }
    tri_diag_error(cl->diag, TRI_NO_SPAN, 9001, "no OpenCL device %d: this machine has %u", number, before);
    return false;
}

typedef int asker(void *, uint32_t, size_t, void *, size_t *);

static bool has_name(asker *ask_about, void *thing, uint32_t question, tri_str name, tri_buf *names)
{
    char text[256] = "";
    if (ask_about(thing, question, sizeof text - 1, text, NULL))
        return false;
    tri_buf_format(names, "%s'%s'", names->len ? ", " : "", text);
    return strcasestr(text, name.data) != NULL;
}

static bool find_named(tri_opencl *cl, tri_str name)
{
    void *platforms[max_platforms], *devices[max_devices];
    uint32_t num_platforms = 0, count = 0;
    tri_buf names = {0};
    name = tri_str_copy(cl->arena, name);
    if (cl->api.platforms(max_platforms, platforms, &num_platforms))
        num_platforms = 0;
    for (uint32_t p = 0; p < num_platforms && p < max_platforms && !cl->device; p++) {
        if (cl->api.devices(platforms[p], (uint64_t)device_type_all & 0xffffffff, max_devices, devices, &count))
            continue;
        bool is_all = has_name(cl->api.platform_info, platforms[p], platform_name, name, &names) ||
                      has_name(cl->api.platform_info, platforms[p], platform_version, name, &names);
        for (uint32_t i = 0; i < count && i < max_devices && !cl->device; i++)
            if (has_name(cl->api.device_info, devices[i], device_name, name, &names) || is_all)
                cl->device = devices[i];
    }
    if (!cl->device)
        tri_diag_error(cl->diag, TRI_NO_SPAN, 9001,
                       "no OpenCL platform or device has '%.*s' in its name; there are: %.*s",
                       TRI_STR_ARG(name), TRI_STR_ARG(tri_buf_str(&names)));
    tri_buf_fini(&names);
    return cl->device != NULL;
}

/* A text that the device tells; empty when it does not know the question. */
static tri_str ask(tri_opencl *cl, uint32_t question)
{
    size_t size = 0;
    if (cl->api.device_info(cl->device, question, 0, NULL, &size) || !size)
        return TRI_STR("");
    char *text = tri_arena_alloc(cl->arena, size + 1);
    text[0] = 0;
    if (cl->api.device_info(cl->device, question, size, text, NULL))
        return TRI_STR("");
    text[size] = 0;
    return tri_str_from(text);
}

static bool open_device(tri_opencl *cl)
{
    uint64_t svm = 0;
    int status = 0;
    cl->name = ask(cl, device_name);
    cl->extensions = ask(cl, device_extensions);
    cl->il = ask(cl, device_il_version);
    cl->api.device_info(cl->device, device_svm, sizeof svm, &svm, NULL);
    if (!(svm & svm_coarse)) {
        tri_diag_error(cl->diag, TRI_NO_SPAN, 9001, "OpenCL device '%.*s' has no shared virtual memory",
                       TRI_STR_ARG(cl->name));
        return false;
    }
    cl->context = cl->api.create_context(NULL, 1, &cl->device, NULL, NULL, &status);
    if (!check(cl, status, "make a context"))
        return false;
    cl->queue = cl->api.create_queue(cl->context, cl->device, queue_profiling, &status);
    return check(cl, status, "make a queue");
}

tri_opencl *tri_opencl_create(tri_diag *diag, int number, tri_str name)
{
    tri_arena *arena = tri_arena_create();
    tri_opencl *cl = TRI_NEW(arena, tri_opencl);
    cl->arena = arena;
    cl->diag = diag;
    if (open_library(cl) && (name.len ? find_named(cl, name) : find_device(cl, number)) && open_device(cl))
        return cl;
    tri_opencl_destroy(cl);
    return NULL;
}

/* The library stays loaded: drivers do not like to be unloaded. */
void tri_opencl_destroy(tri_opencl *cl)
{
    if (!cl)
        return;
    for (size_t i = 0; i < cl->memory.len; i++)
        cl->api.svm_free(cl->context, cl->memory.at[i]);
    if (cl->kernel)
        cl->api.release_kernel(cl->kernel);
    if (cl->program)
        cl->api.release_program(cl->program);
    if (cl->queue)
        cl->api.release_queue(cl->queue);
    if (cl->context)
        cl->api.release_context(cl->context);
    tri_arena_destroy(cl->arena);
}

static bool contains(tri_str text, const char *word)
{
    return memmem(text.data, text.len, word, strlen(word)) != NULL;
}

bool tri_opencl_takes_spirv(const tri_opencl *cl)
{
    return cl->api.program_il && contains(cl->il, "SPIR-V");
}

bool tri_opencl_takes_spir(const tri_opencl *cl)
{
    return contains(cl->extensions, "cl_khr_spir");
}

bool tri_opencl_has_sub_groups(const tri_opencl *cl, size_t lanes)
{
    size_t sizes[16], bytes = 0;
    if (cl->api.device_info(cl->device, device_sub_group_sizes, 0, NULL, &bytes) || bytes > sizeof sizes ||
        cl->api.device_info(cl->device, device_sub_group_sizes, bytes, sizes, NULL))
        return false;
    for (size_t i = 0; i < bytes / sizeof *sizes; i++)
        if (sizes[i] == lanes)
            return true;
    return false;
}

const char *tri_opencl_name(const tri_opencl *cl)
{
    return cl->name.data;
}

/* --- code -------------------------------------------------------------------------------- */

static bool report_log(tri_opencl *cl, int status)
{
    size_t size = 0;
    cl->api.build_info(cl->program, cl->device, program_build_log, 0, NULL, &size);
    char *log = tri_arena_alloc(cl->arena, size + 1);
    log[0] = 0;
    cl->api.build_info(cl->program, cl->device, program_build_log, size, log, NULL);
    log[size] = 0;
    tri_diag_error(cl->diag, TRI_NO_SPAN, 9001, "OpenCL device '%s' does not build the kernel (error %d): %s",
                   cl->name.data, status, log);
    return false;
}

bool tri_opencl_build(tri_opencl *cl, tri_str code, bool is_spirv, const char *kernel)
{
    int status = 0, binary_status = 0;
    const unsigned char *bytes = (const unsigned char *)code.data;
    if (is_spirv)
        cl->program = cl->api.program_il(cl->context, bytes, code.len, &status);
    else
        cl->program = cl->api.program_binary(cl->context, 1, &cl->device, &code.len, &bytes, &binary_status, &status);
    if (!check(cl, status ? status : binary_status, "load the kernel"))
        return false;
    status = cl->api.build(cl->program, 1, &cl->device, is_spirv ? "" : "-x spir -spir-std=1.2", NULL, NULL);
    if (status)
        return report_log(cl, status);
    cl->kernel = cl->api.create_kernel(cl->program, kernel, &status);
    return check(cl, status, "find the kernel");
}

/* --- memory and arguments ---------------------------------------------------------------- */

bool tri_opencl_allocate(tri_opencl *cl, size_t size, uint64_t *out_address)
{
    void *memory = cl->api.svm_alloc(cl->context, memory_read_write, size ? size : 1, 0);
    if (!memory) {
        tri_diag_error(cl->diag, TRI_NO_SPAN, 9001, "OpenCL: no memory for %zu bytes", size);
        return false;
    }
    tri_vec_push(cl->arena, &cl->memory, memory);
    *out_address = (uint64_t)(uintptr_t)memory;
    return true;
}

static bool copy(tri_opencl *cl, void *to, const void *from, size_t size)
{
    return !size || check(cl, cl->api.svm_copy(cl->queue, 1, to, from, size, 0, NULL, NULL), "copy memory");
}

bool tri_opencl_write(tri_opencl *cl, uint64_t address, const void *data, size_t size)
{
    return copy(cl, (void *)(uintptr_t)address, data, size);
}

bool tri_opencl_read(tri_opencl *cl, void *data, uint64_t address, size_t size)
{
    return copy(cl, data, (const void *)(uintptr_t)address, size);
}

bool tri_opencl_set_address(tri_opencl *cl, uint32_t i, uint64_t address)
{
    return check(cl, cl->api.set_svm(cl->kernel, i, (const void *)(uintptr_t)address), "pass an array");
}

bool tri_opencl_set_bytes(tri_opencl *cl, uint32_t i, const void *bytes, size_t size)
{
    return check(cl, cl->api.set_arg(cl->kernel, i, size, bytes), "pass a number");
}

bool tri_opencl_launch(tri_opencl *cl, const uint32_t *groups, size_t threads, double *out_seconds)
{
    size_t local[3] = {threads, 1, 1}, global[3] = {groups[0] * threads, groups[1], groups[2]};
    uint64_t start = 0, end = 0;
    void *event = NULL;
    if (!global[0] || !global[1] || !global[2])
        return true;
    /* arrays that are reached through others only */
    if (cl->memory.len &&
        !check(cl, cl->api.set_exec_info(cl->kernel, exec_svm_pointers, cl->memory.len * sizeof(void *), cl->memory.at),
               "name the arrays"))
        return false;
    if (!check(cl, cl->api.enqueue(cl->queue, cl->kernel, 3, NULL, global, local, 0, NULL, &event),
               "start the kernel") ||
        !check(cl, cl->api.finish(cl->queue), "run the kernel"))
        return false;
    if (!cl->api.profiling(event, profiling_start, sizeof start, &start, NULL) &&
        !cl->api.profiling(event, profiling_end, sizeof end, &end, NULL))
        *out_seconds = (double)(end - start) * 1e-9;
    cl->api.release_event(event);
    return true;
}
