/* Launches through HIP, the runtime of AMD's GPUs, which is opened at the first use. */
#include "runtime/launch/launch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum {
    longest_arch = 32,
    /* hipDeviceProp_t as the symbol hipGetDevicePropertiesR0600 has it, since ROCm 6.0: its size, and the place of
     * gcnArchName, "gfx942:sramecc+:xnack-". */
    properties_size = 1472,
    properties_arch = 1160,
};

typedef struct {
    int is_usable;
    int (*init)(unsigned);
    tri_rt_device_calls calls;
    int (*properties)(void *, int);
    int (*module_load)(void **, const void *);
    int (*module_function)(void **, void *, const char *);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    int (*launch_cooperative)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                              void **);
    int (*memory_new)(void **, size_t, void *);
    int (*memory_free)(void *, void *);
    int (*address_range)(void **, size_t *, void *);
    const char *(*error_string)(int);
} driver_api;

/* Not static: one of each per program, however many objects hold them. */
driver_api tri_rt_hip_api;
pthread_once_t tri_rt_hip_once = PTHREAD_ONCE_INIT;
#define api tri_rt_hip_api

char tri_rt_hip_places[TRI_RT_MAX_DEVICES];

/* A device's architecture, "gfx942", asked for once; empty: not yet. Guarded by the lock. */
char tri_rt_hip_archs[TRI_RT_MAX_DEVICES][longest_arch];

static void open_driver(void)
{
    static const tri_rt_symbol rows[] = { /* optional is what only some kernels need */
        {"hipInit", offsetof(driver_api, init), 0},
        {"hipGetDeviceCount", offsetof(driver_api, calls.device_count), 0},
        {"hipGetDevice", offsetof(driver_api, calls.get_device), 0},
        {"hipSetDevice", offsetof(driver_api, calls.set_device), 0},
        {"hipGetDevicePropertiesR0600", offsetof(driver_api, properties), 0},
        {"hipModuleLoadData", offsetof(driver_api, module_load), 0},
        {"hipModuleUnload", offsetof(driver_api, calls.unload), 0},
        {"hipModuleGetFunction", offsetof(driver_api, module_function), 0},
        {"hipModuleLaunchKernel", offsetof(driver_api, launch), 0},
        {"hipModuleLaunchCooperativeKernel", offsetof(driver_api, launch_cooperative), 1},
        {"hipMallocAsync", offsetof(driver_api, memory_new), 1},
        {"hipFreeAsync", offsetof(driver_api, memory_free), 1},
        {"hipMemGetAddressRange", offsetof(driver_api, address_range), 1},
        {"hipEventCreate", offsetof(driver_api, calls.event_create), 0},
        {"hipEventRecord", offsetof(driver_api, calls.event_record), 0},
        {"hipEventSynchronize", offsetof(driver_api, calls.event_wait), 0},
        {"hipEventElapsedTime", offsetof(driver_api, calls.event_elapsed), 0},
        {"hipEventDestroy", offsetof(driver_api, calls.event_destroy), 0},
        {"hipGetErrorString", offsetof(driver_api, error_string), 0},
    };
    static const char *const names[] = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++) /* the first comes for developers only */
        library = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
    if (!library || !tri_rt_find_symbols(library, rows, sizeof rows / sizeof *rows, &api))
        return;
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

/* ---- what the driver does ---- */


/* Null: the driver does not say. The lock is held. */
static const char *arch_of(int device)
{
    _Alignas(16) char properties[properties_size + 1024]; /* later releases may append */
    char *arch = tri_rt_hip_archs[device];
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

int tri_rt_hip_open(int device, const char **out_arch)
{
    int count = 0;
    if (!is_open())
        return TRI_ERROR_NO_DRIVER;
    int r = driver_error(api.calls.device_count(&count));
    if (r || device < 0 || device >= count || device >= TRI_RT_MAX_DEVICES)
        return r ? r : TRI_ERROR_NO_DEVICE;
    tri_rt_lock();
    *out_arch = arch_of(device);
    tri_rt_unlock();
    r = *out_arch ? driver_error(api.calls.set_device(device)) : TRI_ERROR_NO_DEVICE;
    return r;
}

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

static int load_image(const tri_rt_kernel *kernel, const tri_rt_part *part, int device, void **out_module)
{
    (void)kernel, (void)device;
    return api.module_load(out_module, part->images->data);
}


static int find_function(tri_rt_kernel *kernel, const tri_rt_context *entry, const tri_rt_module *module, int variant,
                         void **out)
{
    uint64_t row = (uint64_t)(entry - kernel->contexts) * kernel->variant_count;
    void **place = &kernel->functions[row + (uint32_t)variant];
    *out = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (*out)
        return TRI_OK;
    int r = api.module_function(out, module->module, kernel->variants[variant].symbol);
    if (!r)
        __atomic_store_n(place, *out, __ATOMIC_RELEASE);
    return driver_error(r);
}

static uint64_t bytes_behind(uint64_t address)
{
    void *base = NULL;
    size_t size = 0;
    if (!api.address_range || api.address_range(&base, &size, (void *)(uintptr_t)address))
        return 0;
    uint64_t begin = (uint64_t)(uintptr_t)base;
    return address >= begin && address - begin < size ? begin + size - address : 0;
}

/* ---- the launch ---- */

/* Code objects say themselves how much local memory they take. */
static int launch(const tri_rt_variant *variant, unsigned threads, void *function, void *stream, const tri_grid *grid,
                  const void **args)
{
    if (!variant->launch_cooperative)
        return driver_error(api.launch(function, grid->x, grid->y, grid->z, threads, 1, 1, 0, stream, (void **)args,
                                       NULL));
    return api.launch_cooperative ? driver_error(api.launch_cooperative(function, grid->x, grid->y, grid->z, threads, 1,
                                                                        1, 0, stream, (void **)args))
                                  : TRI_ERROR_NO_DRIVER;
}

static int launch_with_scratch(const tri_rt_variant *variant, unsigned threads, void *function, void *stream,
                               const tri_grid *grid, const void **args, uint32_t count)
{
    void *scratch = NULL;
    uint64_t bytes = variant->scratch_bytes, sizes[3] = {grid->x, grid->y, grid->z};
    for (int i = 0; i < 3; i++)
        if (__builtin_mul_overflow(bytes, sizes[i], &bytes))
            return TRI_ERROR_MEMORY;
    if (!api.memory_new || !api.memory_free || api.memory_new(&scratch, bytes, stream))
        return TRI_ERROR_MEMORY;
    args[count] = &scratch;
    int r = launch(variant, threads, function, stream, grid, args);
    int freed = api.memory_free(scratch, stream);
    return r ? r : driver_error(freed);
}

static int launch_function(tri_rt_kernel *kernel, const tri_rt_part *part, int number, void *function, int device,
                           const tri_rt_call *call, const tri_grid *grid)
{
    const void *args[TRI_RT_MAX_SLOTS + 1];
    const tri_rt_variant *variant = &kernel->variants[number];
    unsigned threads = variant->num_warps * part->lanes;
    (void)device;
    if (grid->x > 0xffffffffu / threads || grid->y > 65535 || grid->z > 65535) /* HIP counts threads in 32 bits */
        return TRI_ERROR_GRID;
    uint32_t count = tri_rt_pack(kernel, variant, call->args, args);
    if (variant->scratch_bytes)
        return launch_with_scratch(variant, threads, function, call->stream, grid, args, count);
    return launch(variant, threads, function, call->stream, grid, args);
}

static const tri_rt_driver driver = {.kind = TRI_HIP,
                                     .places = tri_rt_hip_places,
                                     .error = driver_error,
                                     .is_open = is_open,
                                     .calls = &tri_rt_hip_api.calls,
                                     .find_part = find_part,
                                     .load = load_image,
                                     .find_function = find_function,
                                     .launch = launch_function,
                                     .bytes_behind = bytes_behind};

TRI_RT_DRIVER_BACKEND(tri_rt_hip_backend, TRI_HIP);
