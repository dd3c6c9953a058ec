/* Launches through HIP, the runtime of AMD's GPUs, which is opened at the first use. */
#include "runtime/launch/launch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum {
    max_devices = 64,
    longest_arch = 32,
    /* hipDeviceProp_t as the symbol hipGetDevicePropertiesR0600 has it, since ROCm 6.0: its size, and the place of
     * gcnArchName, "gfx942:sramecc+:xnack-". */
    properties_size = 1472,
    properties_arch = 1160,
};

typedef struct {
    int is_usable;
    int (*init)(unsigned);
    int (*device_count)(int *);
    int (*get_device)(int *);
    int (*set_device)(int);
    int (*properties)(void *, int);
    int (*module_load)(void **, const void *);
    int (*module_unload)(void *);
    int (*module_function)(void **, void *, const char *);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    int (*launch_cooperative)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                              void **);
    int (*memory_new)(void **, size_t, void *);
    int (*memory_free)(void *, void *);
    int (*event_create)(void **);
    int (*event_record)(void *, void *);
    int (*event_wait)(void *);
    int (*event_elapsed)(float *, void *, void *);
    int (*event_destroy)(void *);
    const char *(*error_string)(int);
} driver_api;

/* Not static: one of each per program, however many objects hold them. */
driver_api tri_rt_hip_api;
pthread_once_t tri_rt_hip_once = PTHREAD_ONCE_INIT;
#define api tri_rt_hip_api

/* A device: its place stands for it among a kernel's contexts. The architecture, "gfx942", is asked for once; empty:
 * not yet. Guarded by the lock. */
struct {
    char arch[longest_arch];
} tri_rt_hip_devices[max_devices];
#define devices tri_rt_hip_devices

static void open_driver(void)
{
    static const struct {
        const char *name;
        size_t at;
        int is_optional; /* only matters to kernels that need it, and to measuring */
    } rows[] = {
        {"hipInit", offsetof(driver_api, init), 0},
        {"hipGetDeviceCount", offsetof(driver_api, device_count), 0},
        {"hipGetDevice", offsetof(driver_api, get_device), 0},
        {"hipSetDevice", offsetof(driver_api, set_device), 0},
        {"hipGetDevicePropertiesR0600", offsetof(driver_api, properties), 0},
        {"hipModuleLoadData", offsetof(driver_api, module_load), 0},
        {"hipModuleUnload", offsetof(driver_api, module_unload), 0},
        {"hipModuleGetFunction", offsetof(driver_api, module_function), 0},
        {"hipModuleLaunchKernel", offsetof(driver_api, launch), 0},
        {"hipModuleLaunchCooperativeKernel", offsetof(driver_api, launch_cooperative), 1},
        {"hipMallocAsync", offsetof(driver_api, memory_new), 1},
        {"hipFreeAsync", offsetof(driver_api, memory_free), 1},
        {"hipEventCreate", offsetof(driver_api, event_create), 1},
        {"hipEventRecord", offsetof(driver_api, event_record), 1},
        {"hipEventSynchronize", offsetof(driver_api, event_wait), 1},
        {"hipEventElapsedTime", offsetof(driver_api, event_elapsed), 1},
        {"hipEventDestroy", offsetof(driver_api, event_destroy), 1},
        {"hipGetErrorString", offsetof(driver_api, error_string), 0},
    };
    void *library = dlopen("libamdhip64.so", RTLD_NOW | RTLD_GLOBAL);
    for (int version = 7; version >= 6 && !library; version--) /* without the files for developers */
        library = dlopen(version == 7 ? "libamdhip64.so.7" : "libamdhip64.so.6", RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *symbol = dlsym(library, rows[i].name);
        *(void **)((char *)&api + rows[i].at) = symbol;
        if (!symbol && !rows[i].is_optional)
            return;
    }
    tri_rt_guard_forks();
    api.is_usable = api.init(0) == 0;
}

static int is_open(void)
{
    pthread_once(&tri_rt_hip_once, open_driver);
    return api.is_usable;
}

static const char *error_text(int number) { return api.error_string(number); }
static int driver_error(int number) { return tri_rt_driver_error(number, error_text); }

/* ---- devices ---- */

/* The calling thread's device: HIP gives each thread the first one. */
static int enter_thread(int *out_device)
{
    if (!is_open())
        return TRI_ERROR_NO_DRIVER;
    int r = api.get_device(out_device);
    return r ? driver_error(r) : *out_device < max_devices ? TRI_OK : TRI_ERROR_NO_DEVICE;
}

/* Makes a device the thread's; *out_before is what it had. */
static int enter_device(int device, int *out_before)
{
    int count = 0, r;
    if (!is_open())
        return TRI_ERROR_NO_DRIVER;
    if (api.device_count(&count) || device < 0 || device >= count || device >= max_devices)
        return TRI_ERROR_NO_DEVICE;
    if ((r = api.get_device(out_before)))
        return driver_error(r);
    return *out_before == device ? TRI_OK : driver_error(api.set_device(device));
}

/* The thread has its own device again; of the error so far and one in here, the first. */
static int leave_device(int device, int before, int error)
{
    int r = before != device ? driver_error(api.set_device(before)) : TRI_OK;
    return error ? error : r;
}

/* Null: the driver does not say. The lock is held. */
static const char *arch_of(int device)
{
    _Alignas(16) char properties[properties_size + 1024]; /* later releases may append */
    char *arch = devices[device].arch;
    const char *name = properties + properties_arch;
    size_t length = 0;
    if (!*arch) {
        memset(properties, 0, sizeof properties);
        if (api.properties(properties, device))
            return NULL;
        while (length < longest_arch - 1 && name[length] && name[length] != ':')
            length++;
        memcpy(arch, name, length);
    }
    return arch;
}

/* The lock is held. */
static int find_part(const tri_rt_kernel *kernel, uint32_t config, int device, uint32_t *out_part)
{
    const char *arch = arch_of(device);
    for (uint32_t i = 0; arch && i < kernel->part_count; i++) {
        const tri_rt_part *part = &kernel->parts[i];
        if (part->kind == TRI_HIP && part->config == config && part->image_count && !strcmp(part->images->arch, arch)) {
            *out_part = i;
            return 1;
        }
    }
    return 0;
}

static int choose_part(const tri_rt_kernel *kernel, int device, uint32_t *out_part)
{
    tri_rt_lock();
    int is_there = find_part(kernel, 0, device, out_part);
    tri_rt_unlock();
    return is_there;
}

/* ---- loading code ---- */

/* The lock is held, the device the thread's. */
static int load_module(const tri_rt_kernel *kernel, uint32_t config, int device, tri_rt_module *out)
{
    void *module = NULL;
    if (!find_part(kernel, config, device, &out->part))
        return TRI_ERROR_ARCH;
    out->image = 0;
    int r = api.module_load(&module, kernel->parts[out->part].images->data);
    if (!r)
        __atomic_store_n(&out->module, module, __ATOMIC_RELEASE);
    return driver_error(r);
}

/* The configuration's module on the device, loaded at the first call. */
static int find_module(tri_rt_kernel *kernel, int device, uint32_t config, tri_rt_context **out_entry,
                       tri_rt_module **out_module)
{
    int is_new, r;
    *out_entry = tri_rt_find_context(kernel, &devices[device]);
    if (*out_entry) {
        *out_module = tri_rt_module_of(kernel, *out_entry, config);
        if (__atomic_load_n(&(*out_module)->module, __ATOMIC_ACQUIRE))
            return TRI_OK;
    }
    tri_rt_lock();
    *out_entry = tri_rt_take_context(kernel, &devices[device], TRI_HIP, device, &is_new);
    r = *out_entry ? TRI_OK : TRI_ERROR_MEMORY;
    if (!r) {
        *out_module = tri_rt_module_of(kernel, *out_entry, config);
        r = (*out_module)->module ? TRI_OK : load_module(kernel, config, device, *out_module);
        if (r && !tri_rt_has_modules(kernel, *out_entry))
            __atomic_store_n(&(*out_entry)->context, NULL, __ATOMIC_RELEASE);
    }
    tri_rt_unlock();
    return r;
}

static int find_function(tri_rt_kernel *kernel, const tri_rt_context *entry, const tri_rt_module *module, int variant,
                         void **out_function)
{
    void **place = &kernel->functions[(uint64_t)(entry - kernel->contexts) * kernel->variant_count + (uint32_t)variant];
    *out_function = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (*out_function)
        return TRI_OK;
    int r = api.module_function(out_function, module->module, kernel->variants[variant].symbol);
    if (!r)
        __atomic_store_n(place, *out_function, __ATOMIC_RELEASE);
    return driver_error(r);
}

/* ---- the launch ---- */

/* Code objects say themselves how much local memory they take. */
static int launch(const tri_rt_part *part, const tri_rt_variant *variant, void *function, void *stream,
                  const tri_grid *grid, const void **args)
{
    unsigned threads = variant->num_warps * part->lanes;
    if (!variant->launch_cooperative)
        return driver_error(api.launch(function, grid->x, grid->y, grid->z, threads, 1, 1, 0, stream, (void **)args,
                                       NULL));
    return api.launch_cooperative ? driver_error(api.launch_cooperative(function, grid->x, grid->y, grid->z, threads, 1,
                                                                        1, 0, stream, (void **)args))
                                  : TRI_ERROR_NO_DRIVER;
}

static int launch_with_scratch(const tri_rt_part *part, const tri_rt_variant *variant, void *function,
                               const tri_grid *grid, void *stream, const void **args, uint32_t count)
{
    void *scratch = NULL;
    uint64_t bytes = variant->scratch_bytes, sizes[3] = {grid->x, grid->y, grid->z};
    for (int i = 0; i < 3; i++)
        if (__builtin_mul_overflow(bytes, sizes[i], &bytes))
            return TRI_ERROR_MEMORY;
    if (!api.memory_new || !api.memory_free || api.memory_new(&scratch, bytes, stream))
        return TRI_ERROR_MEMORY;
    args[count] = &scratch;
    int r = launch(part, variant, function, stream, grid, args);
    int freed = api.memory_free(scratch, stream);
    return r ? r : driver_error(freed);
}

static int launch_packed(const tri_rt_kernel *kernel, const tri_rt_part *part, const tri_rt_variant *variant,
                         void *function, const tri_grid *grid, const tri_rt_call *call)
{
    const void *args[TRI_RT_MAX_SLOTS + 1];
    uint32_t count = tri_rt_pack(kernel, variant, call->args, args);
    if (variant->scratch_bytes)
        return launch_with_scratch(part, variant, function, grid, call->stream, args, count);
    return launch(part, variant, function, call->stream, grid, args);
}

static uint32_t find_config(const tri_rt_kernel *kernel, const tri_rt_call *call, int device)
{
    uint32_t part;
    if (!kernel->tuning || !choose_part(kernel, device, &part))
        return 0;
    return tri_rt_choose_config(kernel, kernel->parts[part].arch, call->args);
}

static int launch_on(tri_rt_kernel *kernel, const tri_rt_call *call, int device)
{
    tri_rt_context *entry;
    tri_rt_module *module;
    void *function;
    tri_grid own;
    const tri_grid *grid = call->grid ? call->grid : &own;
    uint32_t config = call->config ? call->config - 1 : find_config(kernel, call, device);
    int r = find_module(kernel, device, config, &entry, &module);
    if (r)
        return r;
    const tri_rt_part *part = &kernel->parts[module->part];
    int number = tri_rt_choose(kernel, part, call->args, &r);
    if (number < 0)
        return r;
    if (!call->grid && (r = tri_rt_find_grid(part, call->args, &own)))
        return r;
    if (grid->x == 0 || grid->y == 0 || grid->z == 0)
        return TRI_OK;
    const tri_rt_variant *variant = &kernel->variants[number];
    unsigned threads = variant->num_warps * part->lanes;
    if (grid->x > 0xffffffffu / threads || grid->y > 65535 || grid->z > 65535) /* HIP counts threads in 32 bits */
        return TRI_ERROR_GRID;
    if ((r = find_function(kernel, entry, module, number, &function)))
        return r;
    __atomic_store_n(&entry->last, (uint32_t)number + 1, __ATOMIC_RELAXED);
    return launch_packed(kernel, part, variant, function, grid, call);
}

static int launch_hip(tri_rt_kernel *kernel, const tri_rt_call *call)
{
    int device;
    if (call->grid && (call->grid->x == 0 || call->grid->y == 0 || call->grid->z == 0))
        return TRI_OK;
    int r = enter_thread(&device);
    return r ? r : launch_on(kernel, call, device);
}

/* ---- the other functions ---- */

static int has_hip(void)
{
    int count = 0;
    return is_open() && !api.device_count(&count) && count > 0;
}

static int load_config(tri_rt_kernel *kernel, int device, uint32_t config)
{
    tri_rt_context *entry;
    tri_rt_module *module;
    void *function;
    int r = find_module(kernel, device, config, &entry, &module);
    if (r)
        return r;
    const tri_rt_part *part = &kernel->parts[module->part];
    for (uint32_t i = 0; i < part->variant_count && !r; i++)
        r = find_function(kernel, entry, module, (int)(part->first_variant + i), &function);
    return r;
}

/* All configurations that have code for the device; the first must. */
static int load_hip(tri_rt_kernel *kernel, int device)
{
    int before, r = enter_device(device, &before);
    if (r)
        return r;
    r = load_config(kernel, device, 0);
    for (uint32_t i = 1; i < kernel->config_count && !r; i++) {
        r = load_config(kernel, device, i);
        r = r == TRI_ERROR_ARCH ? TRI_OK : r;
    }
    return leave_device(device, before, r);
}

/* The lock is held, the device the thread's. */
static int unload_entry(tri_rt_kernel *kernel, uint32_t at)
{
    int r = 0, e;
    for (uint32_t i = 0; i < kernel->variant_count; i++)
        __atomic_store_n(&kernel->functions[(uint64_t)at * kernel->variant_count + i], NULL, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < kernel->config_count; i++) {
        tri_rt_module *module = tri_rt_module_of(kernel, &kernel->contexts[at], i);
        if (module->module && (e = api.module_unload(module->module)) && !r)
            r = e;
        __atomic_store_n(&module->module, NULL, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&kernel->contexts[at].context, NULL, __ATOMIC_RELEASE);
    return r;
}

static int unload_hip(tri_rt_kernel *kernel, int device)
{
    int before, error = enter_device(device, &before), r = 0;
    if (error)
        return error;
    tri_rt_lock();
    for (uint32_t i = 0; i < kernel->context_count; i++)
        if (kernel->contexts[i].context == &devices[device])
            r = unload_entry(kernel, i);
    tri_rt_unlock();
    return leave_device(device, before, driver_error(r));
}

/* What was launched last on the device, before that what is tried last. */
static int selected_hip(tri_rt_kernel *kernel, int device)
{
    int count = 0;
    uint32_t number;
    if (!is_open() || api.device_count(&count) || device < 0 || device >= count || device >= max_devices ||
        !choose_part(kernel, device, &number))
        return -1;
    const tri_rt_part *part = &kernel->parts[number];
    const tri_rt_context *entry = tri_rt_find_context(kernel, &devices[device]);
    uint32_t last = entry ? __atomic_load_n(&entry->last, __ATOMIC_RELAXED) : 0;
    int is_own = last && last - 1 - part->first_variant < part->variant_count;
    return tri_rt_row(kernel, number, is_own ? last - 1 : part->first_variant + part->variant_count - 1, 0);
}

/* ---- measuring ---- */

static int time_between(tri_rt_kernel *kernel, const tri_rt_call *call, int device, uint32_t count, void *const *events,
                        double *out_seconds)
{
    float milliseconds = 0;
    int r = driver_error(api.event_record(events[0], call->stream));
    for (uint32_t i = 0; i < count && !r; i++)
        r = launch_on(kernel, call, device);
    if (r || (r = driver_error(api.event_record(events[1], call->stream))) ||
        (r = driver_error(api.event_wait(events[1]))) ||
        (r = driver_error(api.event_elapsed(&milliseconds, events[0], events[1]))))
        return r;
    *out_seconds = (double)milliseconds * 1e-3;
    return TRI_OK;
}

static int time_hip(tri_rt_kernel *kernel, const tri_rt_call *call, uint32_t count, double *out_seconds)
{
    void *events[2] = {NULL, NULL};
    int device, r = enter_thread(&device);
    if (r)
        return r;
    if (!api.event_create || !api.event_record || !api.event_wait || !api.event_elapsed || !api.event_destroy)
        return TRI_ERROR_NO_DRIVER;
    for (int i = 0; i < 2 && !r; i++)
        r = driver_error(api.event_create(&events[i]));
    if (!r)
        r = time_between(kernel, call, device, count, events, out_seconds);
    for (int i = 0; i < 2; i++)
        if (events[i])
            api.event_destroy(events[i]);
    return r;
}

static const char *arch_of_device(const tri_rt_kernel *kernel)
{
    int device;
    uint32_t part;
    return enter_thread(&device) || !choose_part(kernel, device, &part) ? NULL : kernel->parts[part].arch;
}

const tri_rt_backend tri_rt_hip_backend = {TRI_HIP,    has_hip,      launch_hip, load_hip,
                                           unload_hip, selected_hip, time_hip,   arch_of_device};
