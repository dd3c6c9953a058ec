/* Launches through the CUDA driver, which is opened at the first use. */
#include "runtime/launch/launch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

/* The driver's interface, as far as it is used; see the CUDA driver API reference. */
enum {
    attribute_processors = 16,
    attribute_major = 75,
    attribute_minor = 76,
    function_max_dynamic_shared = 8,
    function_large_cluster = 14,
    launch_cooperative = 2,
    launch_cluster_dimension = 4,
    launch_programmatic = 6, /* stream serialization */
    default_shared_limit = 48 * 1024,
    portable_cluster = 8, /* blocks that each device takes */
};

typedef struct {
    uint32_t id;
    char pad[4];
    union {
        char bytes[64];
        struct {
            uint32_t x, y, z;
        } cluster;
        int flag;
    } value;
} launch_attribute;

typedef struct {
    uint32_t grid[3], block[3], shared;
    void *stream;
    launch_attribute *attributes;
    uint32_t attribute_count;
} launch_config;

typedef struct {
    int is_usable;
    int (*init)(unsigned);
    int (*device_count)(int *);
    int (*device_get)(int *, int);
    int (*device_attribute)(int *, int, int);
    int (*ctx_current)(void **);
    int (*ctx_set)(void *);
    int (*ctx_device)(int *);
    int (*ctx_retain)(void **, int);
    int (*ctx_release)(int);
    int (*module_load)(void **, const void *, unsigned, void *, void *);
    int (*module_unload)(void *);
    int (*module_function)(void **, void *, const char *);
    int (*function_set)(void *, int, int);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    int (*occupancy)(int *, void *, int, size_t);
    int (*launch_ex)(const launch_config *, void *, void **, void **);
    int (*mem_alloc)(uint64_t *, size_t, void *);
    int (*mem_free)(uint64_t, void *);
    tri_rt_encode *encode_map;
    int (*event_create)(void **, unsigned);
    int (*event_record)(void *, void *);
    int (*event_wait)(void *);
    int (*event_elapsed)(float *, void *, void *);
    int (*event_destroy)(void *);
    int (*error_string)(int, const char **);
} driver_api;

/* Not static: one of each per program, however many objects hold them. */
driver_api tri_rt_cuda_api;
pthread_once_t tri_rt_cuda_once = PTHREAD_ONCE_INIT;
#define api tri_rt_cuda_api

/* A fork while another thread loads leaves the child a lock that it can take; its driver calls fail, as CUDA has it. */
static void open_driver(void)
{
    static const tri_rt_symbol rows[] = { /* newer entries only matter to kernels that need them */
        {"cuInit", offsetof(driver_api, init), 0},
        {"cuDeviceGetCount", offsetof(driver_api, device_count), 0},
        {"cuDeviceGet", offsetof(driver_api, device_get), 0},
        {"cuDeviceGetAttribute", offsetof(driver_api, device_attribute), 0},
        {"cuCtxGetCurrent", offsetof(driver_api, ctx_current), 0},
        {"cuCtxSetCurrent", offsetof(driver_api, ctx_set), 0},
        {"cuCtxGetDevice", offsetof(driver_api, ctx_device), 0},
        {"cuDevicePrimaryCtxRetain", offsetof(driver_api, ctx_retain), 0},
        {"cuDevicePrimaryCtxRelease_v2", offsetof(driver_api, ctx_release), 0},
        {"cuModuleLoadDataEx", offsetof(driver_api, module_load), 0},
        {"cuModuleUnload", offsetof(driver_api, module_unload), 0},
        {"cuModuleGetFunction", offsetof(driver_api, module_function), 0},
        {"cuFuncSetAttribute", offsetof(driver_api, function_set), 0},
        {"cuLaunchKernel", offsetof(driver_api, launch), 0},
        {"cuOccupancyMaxActiveBlocksPerMultiprocessor", offsetof(driver_api, occupancy), 1},
        {"cuLaunchKernelEx", offsetof(driver_api, launch_ex), 1},
        {"cuMemAllocAsync", offsetof(driver_api, mem_alloc), 1},
        {"cuMemFreeAsync", offsetof(driver_api, mem_free), 1},
        {"cuTensorMapEncodeTiled", offsetof(driver_api, encode_map), 1},
        {"cuEventCreate", offsetof(driver_api, event_create), 1},
        {"cuEventRecord", offsetof(driver_api, event_record), 1},
        {"cuEventSynchronize", offsetof(driver_api, event_wait), 1},
        {"cuEventElapsedTime", offsetof(driver_api, event_elapsed), 1},
        {"cuEventDestroy_v2", offsetof(driver_api, event_destroy), 1},
        {"cuGetErrorString", offsetof(driver_api, error_string), 0},
    };
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library || !tri_rt_find_symbols(library, rows, sizeof rows / sizeof *rows, &api))
        return;
    tri_rt_guard_forks();
    api.is_usable = api.init(0) == 0;
}

static const char *text_of(int number)
{
    const char *text = NULL;
    return api.error_string(number, &text) ? NULL : text;
}

static int driver_error(int number) { return tri_rt_driver_error(number, text_of); }

static int is_open(void)
{
    pthread_once(&tri_rt_cuda_once, open_driver);
    return api.is_usable;
}

/* ---- contexts ---- */

/* A context that is the thread's while a call lasts. */
typedef struct {
    void *context, *before;
    int device;
    int is_borrowed; /* the thread had another one, or none */
} current;

/* What the runtime itself retained: each device's primary context once, for as long as kernels are loaded in it through
 * the runtime. Guarded by the lock. */
enum { max_devices = 64 };
struct {
    void *context;
    uint32_t users;
} tri_rt_cuda_primary[max_devices];
#define primary tri_rt_cuda_primary

/* Takes part in the device's primary context. */
static int hold(int device, void **out_context)
{
    int r = 0;
    if (device >= max_devices)
        return TRI_ERROR_NO_DEVICE;
    tri_rt_lock();
    if (!primary[device].users)
        r = api.ctx_retain(&primary[device].context, device);
    primary[device].users += !r;
    *out_context = primary[device].context;
    tri_rt_unlock();
    return driver_error(r);
}

/* The lock is held. */
static int let_go_locked(int device)
{
    return --primary[device].users ? 0 : api.ctx_release(device);
}

static int let_go(int device)
{
    tri_rt_lock();
    int r = let_go_locked(device);
    tri_rt_unlock();
    return driver_error(r);
}

/* Makes the primary context of a device the thread's. */
static int enter_primary(int device, current *out)
{
    int r = hold(device, &out->context);
    if (r)
        return r;
    if ((r = api.ctx_set(out->context))) {
        let_go(device);
        return driver_error(r);
    }
    out->device = device;
    out->is_borrowed = 1;
    return TRI_OK;
}

/* The calling thread's context; device 0's primary one for the time of the call when it has none. */
static int enter(current *out)
{
    *out = (current){.device = 0};
    if (!is_open())
        return TRI_ERROR_NO_DRIVER;
    int r = api.ctx_current(&out->context), device;
    if (r)
        return driver_error(r);
    if (out->context)
        return driver_error(api.ctx_device(&out->device));
    return api.device_get(&device, 0) ? TRI_ERROR_NO_DEVICE : enter_primary(device, out);
}

static int enter_device(int number, current *out)
{
    *out = (current){.device = 0};
    if (!is_open())
        return TRI_ERROR_NO_DRIVER;
    int device, count = 0;
    if (api.device_count(&count) || number < 0 || number >= count || api.device_get(&device, number))
        return TRI_ERROR_NO_DEVICE;
    int r = api.ctx_current(&out->before);
    return r ? driver_error(r) : enter_primary(device, out);
}

/* The thread has its own context again; of the error so far and one in here, the first. */
static int leave(const current *c, int error)
{
    if (!c->is_borrowed)
        return error;
    int r = driver_error(api.ctx_set(c->before)), e = let_go(c->device);
    return error ? error : r ? r : e;
}

/* ---- choosing and loading code ---- */

static int arch_number(const char *arch, int *out_is_exact)
{
    int n = 0;
    const char *p = arch + 3; /* after "sm_" */
    while (*p >= '0' && *p <= '9')
        n = n * 10 + (*p++ - '0');
    *out_is_exact = *p == 'a' || *p == 'f';
    return n;
}

int tri_rt_cuda_rank(const char *arch, int is_ptx, int capability)
{
    int is_exact, number = arch_number(arch, &is_exact);
    int fits = is_exact ? number == capability
               : is_ptx ? number <= capability
                        : number / 10 == capability / 10 && number <= capability;
    return fits ? number * 4 + is_exact * 2 + !is_ptx : -1;
}

/* The best image of a part; -1: none suits. */
static int best_image(const tri_rt_part *part, int capability, int *out_rank)
{
    int best = -1;
    *out_rank = -1;
    for (uint32_t i = 0; i < part->image_count; i++) {
        int rank = tri_rt_cuda_rank(part->images[i].arch, (int)part->images[i].is_ptx, capability);
        if (rank > *out_rank) {
            best = (int)i;
            *out_rank = rank;
        }
    }
    return best;
}

static int choose_image(const tri_rt_kernel *kernel, uint32_t config, int device, tri_rt_module *out)
{
    int major, minor, best = -1, rank;
    if (api.device_attribute(&major, attribute_major, device) || api.device_attribute(&minor, attribute_minor, device))
        return 0;
    for (uint32_t i = 0; i < kernel->part_count; i++) {
        const tri_rt_part *part = &kernel->parts[i];
        int image = part->kind == TRI_CUDA && part->config == config ? best_image(part, major * 10 + minor, &rank) : -1;
        if (image >= 0 && rank > best) {
            best = rank;
            out->part = i;
            out->image = (uint32_t)image;
        }
    }
    return best >= 0;
}

static int load_module(const tri_rt_kernel *kernel, uint32_t config, int device, tri_rt_module *out)
{
    void *module = NULL;
    if (!choose_image(kernel, config, device, out))
        return TRI_ERROR_ARCH;
    int r = api.module_load(&module, kernel->parts[out->part].images[out->image].data, 0, NULL, NULL);
    if (!r)
        __atomic_store_n(&out->module, module, __ATOMIC_RELEASE);
    return driver_error(r);
}

/* The entry of a context, or a free one for it. The lock is held. */
static tri_rt_context *take_entry(tri_rt_kernel *kernel, const current *c)
{
    int is_new;
    tri_rt_context *entry = tri_rt_take_context(kernel, c->context, TRI_CUDA, c->device, &is_new);
    if (entry && is_new && c->is_borrowed) {
        entry->is_held = 1;
        primary[c->device].users++;
    }
    return entry;
}

/* After a failure: an entry without any module is free again. The lock is held. */
static void drop_unused(const tri_rt_kernel *kernel, tri_rt_context *entry)
{
    if (tri_rt_has_modules(kernel, entry))
        return;
    __atomic_store_n(&entry->context, NULL, __ATOMIC_RELEASE);
    if (entry->is_held)
        let_go_locked(entry->device);
}

/* The configuration's module in the context, loaded at the first call. */
static int find_module(tri_rt_kernel *kernel, const current *c, uint32_t config, tri_rt_context **out_entry,
                       tri_rt_module **out_module)
{
    *out_entry = tri_rt_find_context(kernel, c->context);
    if (*out_entry) {
        *out_module = tri_rt_module_of(kernel, *out_entry, config);
        if (__atomic_load_n(&(*out_module)->module, __ATOMIC_ACQUIRE))
            return TRI_OK;
    }
    tri_rt_lock();
    *out_entry = take_entry(kernel, c);
    int r = *out_entry ? TRI_OK : TRI_ERROR_MEMORY;
    if (!r) {
        *out_module = tri_rt_module_of(kernel, *out_entry, config);
        r = (*out_module)->module ? TRI_OK : load_module(kernel, config, c->device, *out_module);
        if (r)
            drop_unused(kernel, *out_entry);
    }
    tri_rt_unlock();
    return r;
}

static int get_function(const tri_rt_variant *variant, void *module, void **out_function)
{
    int r = api.module_function(out_function, module, variant->symbol);
    if (!r && variant->shared_bytes > default_shared_limit)
        r = api.function_set(*out_function, function_max_dynamic_shared, (int)variant->shared_bytes);
    if (!r && variant->num_ctas > portable_cluster)
        r = api.function_set(*out_function, function_large_cluster, 1);
    return driver_error(r);
}

static int find_function(tri_rt_kernel *kernel, const tri_rt_context *entry, const tri_rt_module *module, int variant,
                         void **out_function)
{
    void **place = &kernel->functions[(entry - kernel->contexts) * kernel->variant_count + variant];
    *out_function = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (*out_function)
        return TRI_OK;
    int r = get_function(&kernel->variants[variant], module->module, out_function);
    if (!r)
        __atomic_store_n(place, *out_function, __ATOMIC_RELEASE);
    return r;
}

/* ---- the launch ---- */

static int launch(const tri_rt_variant *variant, void *function, void *stream, const tri_grid *grid, const void **args)
{
    unsigned threads = variant->num_warps * 32;
    launch_attribute attributes[3];
    launch_config config = {{grid->x, grid->y, grid->z}, {threads, 1, 1}, variant->shared_bytes, stream, attributes, 0};
    if (variant->num_ctas > 1) {
        launch_attribute *cluster = &attributes[config.attribute_count++];
        *cluster = (launch_attribute){.id = launch_cluster_dimension};
        cluster->value.cluster.x = variant->num_ctas;
        cluster->value.cluster.y = cluster->value.cluster.z = 1;
        config.grid[0] *= variant->num_ctas;
    }
    if (variant->launch_pdl)
        attributes[config.attribute_count++] = (launch_attribute){.id = launch_programmatic, .value.flag = 1};
    if (variant->launch_cooperative)
        attributes[config.attribute_count++] = (launch_attribute){.id = launch_cooperative, .value.flag = 1};
    if (!config.attribute_count)
        return driver_error(api.launch(function, grid->x, grid->y, grid->z, threads, 1, 1, variant->shared_bytes,
                                       stream, (void **)args, NULL));
    return api.launch_ex ? driver_error(api.launch_ex(&config, function, (void **)args, NULL)) : TRI_ERROR_NO_DRIVER;
}

/* How many programs of a persistent kernel the device runs at a time; 0: the driver does not say. */
static uint32_t find_room(const tri_rt_variant *variant, void *function, int device, uint32_t *place)
{
    uint32_t room = __atomic_load_n(place, __ATOMIC_RELAXED);
    int processors, blocks;
    if (room)
        return room;
    if (!api.occupancy || api.device_attribute(&processors, attribute_processors, device) ||
        api.occupancy(&blocks, function, (int)variant->num_warps * 32, variant->shared_bytes) || processors < 1)
        return 0;
    room = (uint32_t)processors * (uint32_t)(blocks > 0 ? blocks : 1);
    __atomic_store_n(place, room, __ATOMIC_RELAXED);
    return room;
}

/* The grid of one dimension for a persistent kernel that goes through the caller's. */
static int shrink_grid(const tri_rt_variant *variant, void *function, int device, uint32_t *place, tri_grid *grid)
{
    enum { most = 0x7fff0000 }; /* the last program's number and a step more are numbers of 32 bits */
    uint64_t programs;
    uint32_t room = find_room(variant, function, device, place);
    if (__builtin_mul_overflow((uint64_t)grid->x * grid->y, grid->z, &programs) || programs > most)
        return TRI_ERROR_GRID;
    *grid = (tri_grid){room && room < programs ? room : (uint32_t)programs, 1, 1};
    return TRI_OK;
}

/* Bytes of scratch for the whole grid; 0 when there are too many to count. */
static uint64_t scratch_of(const tri_rt_variant *variant, const tri_grid *grid)
{
    uint64_t bytes = variant->scratch_bytes;
    uint64_t factors[4] = {variant->num_ctas, grid->x, grid->y, grid->z};
    for (int i = 0; i < 4; i++)
        if (__builtin_mul_overflow(bytes, factors[i], &bytes))
            return 0;
    return bytes;
}

/* One of the arguments is the address that is put into *scratch. */
static int launch_with_scratch(const tri_rt_variant *variant, void *function, const tri_grid *grid,
                               const tri_rt_call *call, const void **args, uint64_t *scratch)
{
    uint64_t bytes = scratch_of(variant, grid);
    if (!bytes || !api.mem_alloc || !api.mem_free || api.mem_alloc(scratch, bytes, call->stream))
        return TRI_ERROR_MEMORY;
    int r = launch(variant, function, call->stream, grid, args);
    int freed = api.mem_free(*scratch, call->stream);
    return r ? r : driver_error(freed);
}

/* With what the code takes behind the source's arguments. */
static int launch_with_more(const tri_rt_kernel *kernel, const tri_rt_variant *variant, void *function,
                            const tri_grid *grid, const tri_rt_call *call, const tri_rt_context *entry)
{
    tri_grid own = *grid;
    const void *args[TRI_RT_MAX_ARGS];
    _Alignas(64) char maps[TRI_RT_MAX_MAPS * TRI_RT_MAP_BYTES];
    uint32_t count = tri_rt_pack(kernel, variant, call->args, args), has_maps = 0;
    uint64_t scratch = 0;
    if (variant->is_persistent) {
        uint64_t row = (uint64_t)(entry - kernel->contexts) * kernel->variant_count;
        int r = shrink_grid(variant, function, entry->device, &kernel->rooms[row + (variant - kernel->variants)], &own);
        if (r)
            return r;
        args[count++] = &grid->x;
        args[count++] = &grid->y;
        args[count++] = &grid->z;
    }
    if (variant->map_count) {
        has_maps = api.encode_map && tri_rt_make_maps(variant, args, api.encode_map, maps);
        args[count++] = maps;
        args[count++] = &has_maps;
    }
    args[count] = &scratch;
    if (!variant->scratch_bytes || (has_maps && variant->maps_for_scratch))
        return launch(variant, function, call->stream, &own, args);
    return launch_with_scratch(variant, function, &own, call, args, &scratch);
}

/* The configuration for the arguments, on the device of the context. */
static uint32_t find_config(const tri_rt_kernel *kernel, const tri_rt_call *call, const current *c)
{
    tri_rt_context *entry = kernel->tuning ? tri_rt_find_context(kernel, c->context) : NULL;
    uint32_t part = entry ? __atomic_load_n(&entry->part, __ATOMIC_RELAXED) : 0;
    tri_rt_module module;
    if (!kernel->tuning)
        return 0;
    if (!part) {
        if (!choose_image(kernel, 0, c->device, &module))
            return 0;
        part = module.part + 1;
        if (entry)
            __atomic_store_n(&entry->part, part, __ATOMIC_RELAXED);
    }
    return tri_rt_choose_config(kernel, kernel->parts[part - 1].arch, call->args);
}

static int launch_in(tri_rt_kernel *kernel, const tri_rt_call *call, const current *c)
{
    tri_rt_context *entry;
    tri_rt_module *module;
    void *function;
    uint32_t config = call->config ? call->config - 1 : find_config(kernel, call, c);
    int r = find_module(kernel, c, config, &entry, &module);
    if (r)
        return r;
    const tri_rt_part *part = &kernel->parts[module->part];
    int number = tri_rt_choose(kernel, part, call->args, NULL, &r);
    if (number < 0)
        return r;
    const tri_rt_variant *variant = &kernel->variants[number];
    tri_grid own;
    const tri_grid *grid = call->grid ? call->grid : &own;
    if (!call->grid && (r = tri_rt_find_grid(part, call->args, &own)))
        return r;
    if (grid->x == 0 || grid->y == 0 || grid->z == 0)
        return TRI_OK;
    if (grid->x > 0x7fffffffu / variant->num_ctas || grid->y > 65535 || grid->z > 65535)
        return TRI_ERROR_GRID;
    if ((r = find_function(kernel, entry, module, number, &function)))
        return r;
    __atomic_store_n(&entry->last, (uint32_t)number + 1, __ATOMIC_RELAXED);
    if (variant->slots || variant->scratch_bytes || variant->map_count || variant->is_persistent)
        return launch_with_more(kernel, variant, function, grid, call, entry);
    return launch(variant, function, call->stream, grid, (const void **)call->args);
}

static int launch_cuda(tri_rt_kernel *kernel, const tri_rt_call *call)
{
    current c;
    if (call->grid && (call->grid->x == 0 || call->grid->y == 0 || call->grid->z == 0))
        return TRI_OK;
    int r = enter(&c);
    return r ? r : leave(&c, launch_in(kernel, call, &c));
}

/* ---- the other functions ---- */

static int has_cuda(void)
{
    int count = 0;
    return is_open() && !api.device_count(&count) && count > 0;
}

/* One configuration's module with its functions, so that no launch has to wait for the driver's lazy loading. */
static int load_config(tri_rt_kernel *kernel, const current *c, uint32_t config)
{
    tri_rt_context *entry;
    tri_rt_module *module;
    void *function;
    int r = find_module(kernel, c, config, &entry, &module);
    if (r)
        return r;
    const tri_rt_part *part = &kernel->parts[module->part];
    for (uint32_t i = 0; i < part->variant_count && !r; i++)
        r = find_function(kernel, entry, module, (int)(part->first_variant + i), &function);
    return r;
}

/* All configurations that have code for the device; the first must. */
static int load_cuda(tri_rt_kernel *kernel, int device)
{
    current c;
    int r = enter_device(device, &c);
    if (r)
        return r;
    r = load_config(kernel, &c, 0);
    for (uint32_t i = 1; i < kernel->config_count && !r; i++) {
        r = load_config(kernel, &c, i);
        r = r == TRI_ERROR_ARCH ? TRI_OK : r;
    }
    return leave(&c, r);
}

/* The lock is held. */
static int unload_entry(tri_rt_kernel *kernel, uint32_t at)
{
    tri_rt_context *entry = &kernel->contexts[at];
    void *before = NULL;
    int r = api.ctx_current(&before), e;
    if (!r)
        r = api.ctx_set(entry->context);
    for (uint32_t i = 0; i < kernel->variant_count; i++)
        __atomic_store_n(&kernel->functions[at * kernel->variant_count + i], NULL, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < kernel->config_count; i++) {
        tri_rt_module *module = &kernel->modules[at * kernel->config_count + i];
        if (module->module && (e = api.module_unload(module->module)) && !r)
            r = e;
        __atomic_store_n(&module->module, NULL, __ATOMIC_RELEASE);
    }
    if ((e = api.ctx_set(before)) && !r)
        r = e;
    __atomic_store_n(&entry->context, NULL, __ATOMIC_RELEASE);
    if (entry->is_held && (e = let_go_locked(entry->device)) && !r)
        r = e;
    return r;
}

static int unload_cuda(tri_rt_kernel *kernel, int device)
{
    int r = 0;
    tri_rt_lock();
    for (uint32_t i = 0; i < kernel->context_count; i++) {
        const tri_rt_context *entry = &kernel->contexts[i];
        if (!entry->context || entry->kind != TRI_CUDA || entry->device != device)
            continue;
        int e = unload_entry(kernel, i);
        r = r ? r : e;
    }
    tri_rt_unlock();
    return driver_error(r);
}

/* What was launched last on the device, before that what is tried last. */
static int selected_cuda(tri_rt_kernel *kernel, int device)
{
    tri_rt_module module;
    int handle, count = 0;
    if (!is_open() || api.device_count(&count) || device < 0 || device >= count || api.device_get(&handle, device) ||
        !choose_image(kernel, 0, handle, &module))
        return -1;
    const tri_rt_part *part = &kernel->parts[module.part];
    uint32_t variant = part->first_variant + part->variant_count - 1;
    for (uint32_t i = 0; i < __atomic_load_n(&kernel->context_count, __ATOMIC_ACQUIRE); i++) {
        uint32_t last = __atomic_load_n(&kernel->contexts[i].last, __ATOMIC_RELAXED);
        if (last && kernel->contexts[i].kind == TRI_CUDA && kernel->contexts[i].device == device &&
            last - 1 - part->first_variant < part->variant_count)
            variant = last - 1;
    }
    return tri_rt_row(kernel, module.part, variant, module.image);
}

/* ---- measuring ---- */

static int time_between(tri_rt_kernel *kernel, const tri_rt_call *call, const current *c, uint32_t count,
                        void *const *events, double *out_seconds)
{
    float milliseconds = 0;
    int r = driver_error(api.event_record(events[0], call->stream));
    for (uint32_t i = 0; i < count && !r; i++)
        r = launch_in(kernel, call, c);
    if (r || (r = driver_error(api.event_record(events[1], call->stream))) ||
        (r = driver_error(api.event_wait(events[1]))) ||
        (r = driver_error(api.event_elapsed(&milliseconds, events[0], events[1]))))
        return r;
    *out_seconds = (double)milliseconds * 1e-3;
    return TRI_OK;
}

static int time_cuda(tri_rt_kernel *kernel, const tri_rt_call *call, uint32_t count, double *out_seconds)
{
    current c;
    void *events[2] = {NULL, NULL};
    int r = enter(&c);
    if (r)
        return r;
    if (!api.event_create || !api.event_record || !api.event_wait || !api.event_elapsed || !api.event_destroy)
        return leave(&c, TRI_ERROR_NO_DRIVER);
    for (int i = 0; i < 2 && !r; i++)
        r = driver_error(api.event_create(&events[i], 0));
    if (!r)
        r = time_between(kernel, call, &c, count, events, out_seconds);
    for (int i = 0; i < 2; i++)
        if (events[i])
            api.event_destroy(events[i]);
    return leave(&c, r);
}

static const char *arch_of_device(const tri_rt_kernel *kernel)
{
    current c;
    tri_rt_module module;
    if (enter(&c))
        return NULL;
    int is_there = choose_image(kernel, 0, c.device, &module);
    return leave(&c, TRI_OK) || !is_there ? NULL : kernel->parts[module.part].arch;
}

const tri_rt_backend tri_rt_cuda_backend = {TRI_CUDA,    has_cuda,      launch_cuda, load_cuda,
                                            unload_cuda, selected_cuda, time_cuda,   arch_of_device};
