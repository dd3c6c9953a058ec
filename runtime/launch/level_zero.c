/* Launches through Level Zero, whose loader is opened at the first use. A stream is an immediate command list; pointers
 * are of unified shared memory in its context. */
#include "runtime/launch/launch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

/* As ze_api.h of Level Zero 1.x has them. */
enum {
    of_device_properties = 3,
    of_compute_properties = 4,
    of_context = 0xd,
    of_queue = 0xe,
    of_memory = 0x15,
    of_module = 0x1b,
    of_kernel = 0x1d,
    of_ip_version = 0x1000f,
    type_of_gpus = 1,
    queue_is_synchronous = 1,
    format_spirv = 0,
    format_native = 1,
    indirect_access = 7, /* to memory of the host, of the device, shared */
    error_base = 0x70000000,
    invalid_global_width = 0x78000014,
    max_drivers = 16,
};

typedef struct {
    int stype;
    void *next;
    int type;
    uint32_t numbers[5];
    uint64_t max_size;
    uint32_t more[7];
    uint64_t timer;
    uint32_t bits[2];
    uint8_t uuid[16];
    char name[256];
} device_properties;

typedef struct {
    int stype;
    void *next;
    uint32_t ip_version;
} ip_version_properties;

typedef struct {
    int stype;
    void *next;
    uint32_t limits[8], size_count, sizes[8];
} compute_properties;

typedef struct {
    int stype;
    const void *next;
    uint32_t flags;
} context_desc;

typedef struct {
    int stype;
    const void *next;
    uint32_t ordinal, index, flags;
    int mode, priority;
} queue_desc;

typedef struct {
    int stype;
    const void *next;
    uint32_t flags, ordinal;
} memory_desc;

typedef struct {
    int stype;
    const void *next;
    int format;
    size_t size;
    const void *data;
    const char *flags;
    const void *constants;
} module_desc;

typedef struct {
    int stype;
    const void *next;
    uint32_t flags;
    const char *name;
} kernel_desc;

typedef struct {
    int is_usable;
    int (*init)(uint32_t);
    tri_rt_device_calls calls;
    int (*drivers)(uint32_t *, void **);
    int (*devices)(void *, uint32_t *, void **);
    int (*properties)(void *, device_properties *);
    int (*compute)(void *, compute_properties *);
    int (*create_context)(void *, const context_desc *, void **);
    int (*create_list)(void *, void *, const queue_desc *, void **);
    int (*list_context)(void *, void **);
    int (*list_device)(void *, void **);
    int (*list_wait)(void *, uint64_t);
    int (*create_module)(void *, void *, const module_desc *, void **, void *);
    int (*create_kernel)(void *, const kernel_desc *, void **);
    int (*destroy_kernel)(void *);
    int (*set_group)(void *, uint32_t, uint32_t, uint32_t);
    int (*set_arg)(void *, uint32_t, size_t, const void *);
    int (*set_indirect)(void *, uint32_t);
    int (*launch)(void *, void *, const tri_grid *, void *, uint32_t, void *);
    int (*memory_new)(void *, const memory_desc *, size_t, size_t, void *, void **);
    int (*memory_free)(void *, void *);
} driver_api;

/* A device in a context: first all devices, each in a context of ours, then those in contexts of others' lists. */
typedef struct {
    void *driver, *device, *context, *list; /* list: ours; context and list are made when they are needed */
    int base;
    tri_rt_spirv_device takes;
} place;

/* Not static: one of each per program, however many objects hold them. */
driver_api tri_rt_level_zero_api;
pthread_once_t tri_rt_level_zero_once = PTHREAD_ONCE_INIT;
char tri_rt_level_zero_places[TRI_RT_MAX_DEVICES];
place tri_rt_level_zero_devices[TRI_RT_MAX_DEVICES];
int tri_rt_level_zero_device_count, tri_rt_level_zero_place_count; /* the second is guarded by the lock */
#define api tri_rt_level_zero_api
#define known tri_rt_level_zero_devices
#define known_count tri_rt_level_zero_device_count
#define place_count tri_rt_level_zero_place_count

/* ---- devices ---- */

static void add_device(void *driver, void *device)
{
    ip_version_properties ip = {.stype = of_ip_version};
    device_properties properties = {.stype = of_device_properties, .next = &ip};
    compute_properties compute = {.stype = of_compute_properties};
    place *p = &known[known_count];
    if (known_count == TRI_RT_MAX_DEVICES || api.properties(device, &properties) || properties.type != type_of_gpus)
        return;
    p->driver = driver;
    p->device = device;
    p->base = known_count++;
    p->takes.arch = tri_rt_intel_arch(ip.ip_version); /* 0 where the driver does not tell */
    p->takes.takes_spirv = 1;
    if (api.compute(device, &compute))
        return;
    for (uint32_t i = 0; i < compute.size_count && i < 8; i++)
        p->takes.has_lanes_32 = p->takes.has_lanes_32 || compute.sizes[i] == 32;
}

static void list_devices(void)
{
    void *drivers[max_drivers], *found[TRI_RT_MAX_DEVICES];
    uint32_t driver_count = max_drivers;
    if (api.drivers(&driver_count, drivers))
        return;
    for (uint32_t d = 0; d < driver_count && d < max_drivers; d++) {
        uint32_t count = TRI_RT_MAX_DEVICES;
        if (api.devices(drivers[d], &count, found))
            continue;
        for (uint32_t i = 0; i < count && i < TRI_RT_MAX_DEVICES; i++)
            add_device(drivers[d], found[i]);
    }
    place_count = known_count;
}

static int count_devices(int *out) { return *out = known_count, 0; }

/* Threads have no device: a list does. */
static int get_device(int *out) { return *out = 0, 1; }
static int set_device(int device) { return (void)device, 0; }

static void start_driver(void)
{
    static const tri_rt_symbol rows[] = { /* optional: since Level Zero 1.9 */
        {"zeInit", offsetof(driver_api, init), 0},
        {"zeDriverGet", offsetof(driver_api, drivers), 0},
        {"zeDeviceGet", offsetof(driver_api, devices), 0},
        {"zeDeviceGetProperties", offsetof(driver_api, properties), 0},
        {"zeDeviceGetComputeProperties", offsetof(driver_api, compute), 0},
        {"zeContextCreate", offsetof(driver_api, create_context), 0},
        {"zeCommandListCreateImmediate", offsetof(driver_api, create_list), 0},
        {"zeCommandListGetContextHandle", offsetof(driver_api, list_context), 1},
        {"zeCommandListGetDeviceHandle", offsetof(driver_api, list_device), 1},
        {"zeCommandListHostSynchronize", offsetof(driver_api, list_wait), 0},
        {"zeModuleCreate", offsetof(driver_api, create_module), 0},
        {"zeModuleDestroy", offsetof(driver_api, calls.unload), 0},
        {"zeKernelCreate", offsetof(driver_api, create_kernel), 0},
        {"zeKernelDestroy", offsetof(driver_api, destroy_kernel), 0},
        {"zeKernelSetGroupSize", offsetof(driver_api, set_group), 0},
        {"zeKernelSetArgumentValue", offsetof(driver_api, set_arg), 0},
        {"zeKernelSetIndirectAccess", offsetof(driver_api, set_indirect), 0},
        {"zeCommandListAppendLaunchKernel", offsetof(driver_api, launch), 0},
        {"zeMemAllocDevice", offsetof(driver_api, memory_new), 0},
        {"zeMemFree", offsetof(driver_api, memory_free), 0},
    };
    void *library = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library || !tri_rt_find_symbols(library, rows, sizeof rows / sizeof *rows, &api))
        return;
    tri_rt_guard_forks();
    api.calls.device_count = count_devices;
    api.calls.get_device = get_device;
    api.calls.set_device = set_device;
    if (api.init(0))
        return;
    list_devices();
    api.is_usable = 1;
}

static int is_started(void)
{
    pthread_once(&tri_rt_level_zero_once, start_driver);
    return api.is_usable;
}

static int base_of(int device) { return known[device].base; }

/* ---- errors ---- */

static const char *ze_text(int number)
{
    static const struct {
        int number;
        const char *text;
    } rows[] = {{1, "the device was lost"},
                {2, "out of memory of the host"},
                {3, "out of memory of the device"},
                {4, "the module does not build"},
                {0x8000001, "the driver is not initialized"},
                {0x8000003, "the driver does not support it"},
                {0x8000004, "invalid argument"},
                {0x800000f, "machine code that the driver does not take"},
                {0x8000011, "no kernel of this name"},
                {0x8000013, "invalid size of groups"},
                {0x8000016, "an argument of another size"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number == number)
            return rows[i].text;
    return "an error of Level Zero";
}

/* Its errors start at 0x70000001, to which TRI_ERROR_DRIVER could not be added. */
static int ze_error(int result)
{
    if (result == invalid_global_width)
        return TRI_ERROR_GRID;
    return tri_rt_driver_error(result >= error_base ? result - error_base : result, ze_text);
}

/* ---- places ---- */

/* A context and a list of ours. The lock is held. */
static int open_place(place *p)
{
    context_desc context = {.stype = of_context};
    queue_desc queue = {.stype = of_queue, .mode = queue_is_synchronous};
    void *made = NULL;
    int r = 0;
    if (!p->context) {
        if ((r = api.create_context(p->driver, &context, &made)))
            return r;
        p->context = made;
    }
    if (!p->list && !(r = api.create_list(p->context, p->device, &queue, &made)))
        p->list = made;
    return r;
}

int tri_rt_level_zero_open(int device, tri_rt_level_zero_place *out)
{
    if (!is_started())
        return TRI_ERROR_NO_DRIVER;
    if (device < 0 || device >= known_count)
        return TRI_ERROR_NO_DEVICE;
    place *p = &known[device];
    tri_rt_lock();
    int r = ze_error(p->list ? 0 : open_place(p));
    tri_rt_unlock();
    *out = (tri_rt_level_zero_place){p->device, p->context, p->list, p->takes};
    return r;
}

/* The lock is held. */
static int place_in(void *context, void *device, int *out)
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
    known[place_count] = known[base];
    known[place_count].context = context;
    known[place_count].list = NULL;
    *out = place_count++;
    return TRI_OK;
}

static int find_device(void *stream, int *out)
{
    void *context = NULL, *device = NULL;
    if (!known_count)
        return TRI_ERROR_NO_DEVICE;
    if (!stream)
        return *out = 0, TRI_OK;
    if (!api.list_context || !api.list_device)
        return TRI_ERROR_NO_DRIVER;
    int r = api.list_context(stream, &context);
    if (!r)
        r = api.list_device(stream, &device);
    if (r)
        return ze_error(r);
    tri_rt_lock();
    r = place_in(context, device, out);
    tri_rt_unlock();
    return r;
}

/* ---- code ---- */

static int part_of(const tri_rt_kernel *kernel, uint32_t config, int device, uint32_t *out_part)
{
    return tri_rt_find_spirv_part(kernel, config, &known[device].takes, out_part);
}

/* Machine code of another release than the driver's may be refused: SPIR-V is compiled by it. */
static int load_part(const tri_rt_kernel *kernel, const tri_rt_part *part, int device, void **out_module)
{
    place *p = &known[device];
    const tri_rt_image *binary = tri_rt_image_of(part, 0), *spirv = tri_rt_image_of(part, 1);
    int is_machine_code = p->takes.arch && !strcmp(part->arch, p->takes.arch);
    int r = p->context ? 0 : open_place(p);
    (void)kernel;
    if (r)
        return r;
    if (binary && is_machine_code) {
        module_desc native = {of_module, NULL, format_native, binary->size, binary->data, "", NULL};
        r = api.create_module(p->context, p->device, &native, out_module, NULL);
        if (!r || !spirv)
            return r;
    }
    module_desc desc = {of_module, NULL, format_spirv, spirv->size, spirv->data, "", NULL};
    return api.create_module(p->context, p->device, &desc, out_module, NULL);
}

/* Groups of its size, and pointers that may lead to others, in memory of every kind. */
static int make_function(const tri_rt_kernel *kernel, const tri_rt_module *module, int variant, void **out)
{
    kernel_desc desc = {of_kernel, NULL, 0, kernel->variants[variant].symbol};
    const tri_rt_part *part = &kernel->parts[module->part];
    int r = api.create_kernel(module->module, &desc, out);
    if (r)
        return r;
    r = api.set_group(*out, kernel->variants[variant].num_warps * part->lanes, 1, 1);
    if (!r)
        r = api.set_indirect(*out, indirect_access);
    if (r)
        api.destroy_kernel(*out);
    return r;
}

static int function_of(tri_rt_kernel *kernel, const tri_rt_context *entry, const tri_rt_module *module, int variant,
                         void **out)
{
    uint64_t row = (uint64_t)(entry - kernel->contexts) * kernel->variant_count;
    void **at = &kernel->functions[row + (uint32_t)variant];
    int r = 0;
    *out = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    if (*out)
        return TRI_OK;
    tri_rt_lock();
    *out = *at;
    if (!*out && !(r = make_function(kernel, module, variant, out)))
        __atomic_store_n(at, *out, __ATOMIC_RELEASE);
    tri_rt_unlock();
    return ze_error(r);
}

static void drop_function(void *function) { api.destroy_kernel(function); }

/* ---- the launch ---- */

static int append_launch(const tri_rt_variant *variant, void *list, void *function, const tri_grid *grid,
                         const void **args)
{
    int r = 0;
    for (uint32_t i = 0; i < variant->size_count && !r; i++)
        r = api.set_arg(function, i, variant->sizes[i] & ~TRI_RT_IS_POINTER, args[i]);
    return r ? r : api.launch(list, function, grid, NULL, 0, NULL);
}

/* Scratch is freed when the kernel has ended, which is waited for. */
static int append_with_scratch(const place *p, const tri_rt_variant *variant, void *list, void *function,
                               const tri_grid *grid, const void **args, uint32_t count)
{
    memory_desc desc = {.stype = of_memory};
    uint64_t bytes = variant->scratch_bytes, sizes[3] = {grid->x, grid->y, grid->z};
    void *scratch = NULL;
    for (int i = 0; i < 3; i++)
        if (__builtin_mul_overflow(bytes, sizes[i], &bytes))
            return TRI_ERROR_MEMORY;
    if (api.memory_new(p->context, &desc, bytes, variant->scratch_alignment, p->device, &scratch))
        return TRI_ERROR_MEMORY;
    args[count] = &scratch;
    int r = append_launch(variant, list, function, grid, args);
    if (!r)
        r = api.list_wait(list, UINT64_MAX);
    int freed = api.memory_free(p->context, scratch);
    return ze_error(r ? r : freed);
}

/* A kernel's arguments belong to its next launch, so that the lock is held. Our own list waits by itself. */
static int launch_on_list(tri_rt_kernel *kernel, const tri_rt_part *part, int number, void *function, int device,
                           const tri_rt_call *call, const tri_grid *grid)
{
    static const void *const none = NULL;
    const void *args[TRI_RT_MAX_SLOTS + 1];
    const tri_rt_variant *variant = &kernel->variants[number];
    place *p = &known[device];
    uint32_t count = tri_rt_pack(kernel, variant, call->args, args);
    (void)part;
    tri_rt_lock();
    int r = call->stream || p->list ? 0 : ze_error(open_place(p));
    void *list = call->stream ? call->stream : p->list;
    args[count] = &none;
    if (!r && variant->scratch_bytes)
        r = append_with_scratch(p, variant, list, function, grid, args, count);
    else if (!r)
        r = ze_error(append_launch(variant, list, function, grid, args));
    tri_rt_unlock();
    return r;
}

static int finish_list(void *stream, int device)
{
    void *list = stream ? stream : known[device].list;
    return list ? api.list_wait(list, UINT64_MAX) : 0;
}

static const tri_rt_driver driver = {.kind = TRI_LEVEL_ZERO,
                                     .places = tri_rt_level_zero_places,
                                     .error = ze_error,
                                     .is_open = is_started,
                                     .calls = &tri_rt_level_zero_api.calls,
                                     .find_part = part_of,
                                     .load = load_part,
                                     .find_function = function_of,
                                     .launch = launch_on_list,
                                     .find_device = find_device,
                                     .base_of = base_of,
                                     .drop_function = drop_function,
                                     .finish = finish_list};

TRI_RT_DRIVER_BACKEND(tri_rt_level_zero_backend, TRI_LEVEL_ZERO);
