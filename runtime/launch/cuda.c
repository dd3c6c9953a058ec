/* Launches through the CUDA driver, which is opened at the first use. */
#include "runtime/launch/launch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

/* The driver's interface, as far as it is used; see the CUDA driver API reference. */
enum {
    attribute_major = 75,
    attribute_minor = 76,
    function_max_dynamic_shared = 8,
    launch_cooperative = 2,
    launch_cluster_dimension = 4,
    launch_programmatic = 6, /* stream serialization */
    default_shared_limit = 48 * 1024,
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
    int (*module_load)(void **, const void *, unsigned, void *, void *);
    int (*module_unload)(void *);
    int (*module_function)(void **, void *, const char *);
    int (*function_set)(void *, int, int);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    int (*launch_ex)(const launch_config *, void *, void **, void **);
    int (*mem_alloc)(uint64_t *, size_t, void *);
    int (*mem_free)(uint64_t, void *);
    int (*error_string)(int, const char **);
} driver_api;

/* Not static: one of each per program, however many objects hold them. */
driver_api tri_rt_cuda_api;
pthread_once_t tri_rt_cuda_once = PTHREAD_ONCE_INIT;
pthread_mutex_t tri_rt_cuda_lock = PTHREAD_MUTEX_INITIALIZER;
#define api tri_rt_cuda_api

static void open_driver(void)
{
    static const struct {
        const char *name;
        size_t at;
    } rows[] = {
        {"cuInit", offsetof(driver_api, init)},
        {"cuDeviceGetCount", offsetof(driver_api, device_count)},
        {"cuDeviceGet", offsetof(driver_api, device_get)},
        {"cuDeviceGetAttribute", offsetof(driver_api, device_attribute)},
        {"cuCtxGetCurrent", offsetof(driver_api, ctx_current)},
        {"cuCtxSetCurrent", offsetof(driver_api, ctx_set)},
        {"cuCtxGetDevice", offsetof(driver_api, ctx_device)},
        {"cuDevicePrimaryCtxRetain", offsetof(driver_api, ctx_retain)},
        {"cuModuleLoadDataEx", offsetof(driver_api, module_load)},
        {"cuModuleUnload", offsetof(driver_api, module_unload)},
        {"cuModuleGetFunction", offsetof(driver_api, module_function)},
        {"cuFuncSetAttribute", offsetof(driver_api, function_set)},
        {"cuLaunchKernel", offsetof(driver_api, launch)},
        {"cuLaunchKernelEx", offsetof(driver_api, launch_ex)},
        {"cuMemAllocAsync", offsetof(driver_api, mem_alloc)},
        {"cuMemFreeAsync", offsetof(driver_api, mem_free)},
        {"cuGetErrorString", offsetof(driver_api, error_string)},
    };
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *symbol = dlsym(library, rows[i].name);
        *(void **)((char *)&api + rows[i].at) = symbol;
        /* newer entries only matter to kernels that need them */
        int is_optional = i == 13 || i == 14 || i == 15;
        if (!symbol && !is_optional)
            return;
    }
    api.is_usable = api.init(0) == 0;
}

static int driver_error(int number) { return number ? TRI_ERROR_DRIVER + number : TRI_OK; }

const char *tri_rt_cuda_text(int number)
{
    const char *text = NULL;
    if (!api.is_usable || api.error_string(number, &text))
        return NULL;
    return text;
}

/* The calling thread's context; device 0's primary one when it has none. */
static int current_context(void **out_context, int *out_device)
{
    pthread_once(&tri_rt_cuda_once, open_driver);
    if (!api.is_usable)
        return TRI_ERROR_NO_DRIVER;
    int r = api.ctx_current(out_context);
    if (r)
        return driver_error(r);
    if (!*out_context) {
        int device;
        if (api.device_get(&device, 0))
            return TRI_ERROR_NO_DEVICE;
        if ((r = api.ctx_retain(out_context, device)) || (r = api.ctx_set(*out_context)))
            return driver_error(r);
    }
    return driver_error(api.ctx_device(out_device));
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

static int choose_image(const tri_rt_kernel *kernel, int device)
{
    int major, minor, best = -1, best_rank = -1;
    if (api.device_attribute(&major, attribute_major, device) || api.device_attribute(&minor, attribute_minor, device))
        return -1;
    for (uint32_t i = 0; i < kernel->image_count; i++) {
        int rank = tri_rt_cuda_rank(kernel->images[i].arch, (int)kernel->images[i].is_ptx, major * 10 + minor);
        if (rank > best_rank) {
            best = (int)i;
            best_rank = rank;
        }
    }
    return best;
}

static int load_image(tri_rt_kernel *kernel, int device, uint32_t slot)
{
    int image = choose_image(kernel, device);
    if (image < 0)
        return TRI_ERROR_ARCH;
    void *module = NULL, *function = NULL;
    int r = api.module_load(&module, kernel->images[image].data, 0, NULL, NULL);
    if (r)
        return driver_error(r);
    r = api.module_function(&function, module, kernel->symbol);
    if (!r && kernel->shared_bytes > default_shared_limit)
        r = api.function_set(function, function_max_dynamic_shared, (int)kernel->shared_bytes);
    if (r) {
        api.module_unload(module);
        return driver_error(r);
    }
    kernel->loaded[slot].module = module;
    kernel->loaded[slot].function = function;
    kernel->loaded[slot].device = device;
    kernel->loaded[slot].image = image;
    return TRI_OK;
}

/* The entry of a context, loading it at the first call. Entries never move, so a launch that finds
 * its entry does not take the lock. */
static int find_loaded(tri_rt_kernel *kernel, void *context, int device, uint32_t *out_slot)
{
    uint32_t count = __atomic_load_n(&kernel->loaded_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        if (kernel->loaded[i].context == context && __atomic_load_n(&kernel->loaded[i].function, __ATOMIC_ACQUIRE)) {
            *out_slot = i;
            return TRI_OK;
        }
    }
    pthread_mutex_lock(&tri_rt_cuda_lock);
    uint32_t slot = 0;
    count = kernel->loaded_count;
    while (slot < count && kernel->loaded[slot].context != context)
        slot++;
    int r = TRI_OK;
    if (slot == TRI_RT_MAX_CONTEXTS)
        r = TRI_ERROR_MEMORY;
    else if (slot == count || !kernel->loaded[slot].function)
        r = load_image(kernel, device, slot);
    if (!r && slot == count) {
        kernel->loaded[slot].context = context;
        __atomic_store_n(&kernel->loaded_count, count + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&tri_rt_cuda_lock);
    *out_slot = slot;
    return r;
}

/* ---- the launch ---- */

static int launch(const tri_rt_kernel *kernel, void *function, void *stream, const tri_grid *grid, void **args)
{
    unsigned threads = kernel->num_warps * 32;
    launch_attribute attributes[3];
    launch_config config = {{grid->x, grid->y, grid->z}, {threads, 1, 1}, kernel->shared_bytes, stream, attributes, 0};
    if (kernel->num_ctas > 1) {
        launch_attribute *cluster = &attributes[config.attribute_count++];
        *cluster = (launch_attribute){.id = launch_cluster_dimension};
        cluster->value.cluster.x = kernel->num_ctas;
        cluster->value.cluster.y = cluster->value.cluster.z = 1;
        config.grid[0] *= kernel->num_ctas;
    }
    if (kernel->launch_pdl)
        attributes[config.attribute_count++] = (launch_attribute){.id = launch_programmatic, .value.flag = 1};
    if (kernel->launch_cooperative)
        attributes[config.attribute_count++] = (launch_attribute){.id = launch_cooperative, .value.flag = 1};
    if (!config.attribute_count)
        return driver_error(api.launch(function, grid->x, grid->y, grid->z, threads, 1, 1, kernel->shared_bytes,
                                       stream, args, NULL));
    return api.launch_ex ? driver_error(api.launch_ex(&config, function, args, NULL)) : TRI_ERROR_NO_DRIVER;
}

int tri_rt_cuda_launch(tri_rt_kernel *kernel, void *stream, const tri_grid *grid, void **args, uint32_t arg_count)
{
    void *context;
    int device;
    uint32_t slot;
    if (grid->x == 0 || grid->y == 0 || grid->z == 0)
        return TRI_OK;
    uint32_t ctas = kernel->num_ctas ? kernel->num_ctas : 1;
    if (grid->x > 0x7fffffffu / ctas || grid->y > 65535 || grid->z > 65535)
        return TRI_ERROR_GRID;
    int r = current_context(&context, &device);
    if (r)
        return r;
    if ((r = find_loaded(kernel, context, device, &slot)))
        return r;
    void *function = kernel->loaded[slot].function;
    if (!kernel->scratch_bytes)
        return launch(kernel, function, stream, grid, args);
    if (!api.mem_alloc || !api.mem_free)
        return TRI_ERROR_MEMORY;
    uint64_t scratch = 0;
    uint64_t bytes = kernel->scratch_bytes * ctas * grid->x * grid->y * grid->z;
    if (api.mem_alloc(&scratch, bytes, stream))
        return TRI_ERROR_MEMORY;
    args[arg_count] = &scratch;
    r = launch(kernel, function, stream, grid, args);
    int freed = api.mem_free(scratch, stream);
    return r ? r : driver_error(freed);
}

static int device_context(int device, void **out_context)
{
    pthread_once(&tri_rt_cuda_once, open_driver);
    if (!api.is_usable)
        return TRI_ERROR_NO_DRIVER;
    int handle, count = 0;
    if (api.device_count(&count) || device < 0 || device >= count || api.device_get(&handle, device))
        return TRI_ERROR_NO_DEVICE;
    return driver_error(api.ctx_retain(out_context, handle));
}

int tri_rt_cuda_load(tri_rt_kernel *kernel, int device)
{
    void *context, *before = NULL;
    uint32_t slot;
    int r = device_context(device, &context);
    if (r)
        return r;
    api.ctx_current(&before);
    if ((r = api.ctx_set(context)))
        return driver_error(r);
    r = find_loaded(kernel, context, device, &slot);
    api.ctx_set(before);
    return r;
}

int tri_rt_cuda_unload(tri_rt_kernel *kernel, int device)
{
    int r = TRI_OK;
    pthread_mutex_lock(&tri_rt_cuda_lock);
    for (uint32_t i = 0; i < kernel->loaded_count; i++) {
        if (kernel->loaded[i].device != device || !kernel->loaded[i].function)
            continue;
        void *before = NULL;
        api.ctx_current(&before);
        api.ctx_set(kernel->loaded[i].context);
        int e = api.module_unload(kernel->loaded[i].module);
        api.ctx_set(before);
        __atomic_store_n(&kernel->loaded[i].function, NULL, __ATOMIC_RELEASE);
        r = r ? r : driver_error(e);
    }
    pthread_mutex_unlock(&tri_rt_cuda_lock);
    return r;
}

int tri_rt_cuda_selected(tri_rt_kernel *kernel, int device)
{
    int handle, count = 0;
    pthread_once(&tri_rt_cuda_once, open_driver);
    if (!api.is_usable || api.device_count(&count) || device < 0 || device >= count ||
        api.device_get(&handle, device))
        return -1;
    return choose_image(kernel, handle);
}
