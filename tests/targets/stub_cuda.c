/* A stand-in for libcuda.so.1 that records what launchers ask of it. Two devices; failures are chosen
 * through stub_fail(). Its memory is the host's, and once some was allocated, launches of add_kernel
 * and fill_tensor really do so. STUB_CUDA_LOG names a file that gets a line for each launch with
 * attributes. Built as libcuda.so.1 and found through LD_LIBRARY_PATH. */
#include "tests/targets/stub_cuda.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static stub_log the_log;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static __thread void *current;
static char contexts[2], modules[64], functions[64];
static int module_count, capability[2] = {90, 80};
static const char *failing;
static int failure;

stub_log *stub_get_log(void) { return &the_log; }

void stub_fail(const char *function, int error)
{
    failing = function;
    failure = error;
}

/* What launches cost, and what those since the last start of the clock did. */
static struct {
    char name[64];
    double milliseconds;
} costs[16];
static char names[64][64]; /* by function */
static double spent, last;

void stub_set_cost(const char *function, double milliseconds)
{
    int i = 0;
    while (*costs[i].name && strcmp(costs[i].name, function))
        i++;
    strncpy(costs[i].name, function, sizeof costs[i].name - 1);
    costs[i].milliseconds = milliseconds;
}

static double cost_by_name(const void *function)
{
    const char *name = names[(const char *)function - functions];
    for (int i = 0; *costs[i].name; i++)
        if (!strncmp(name, costs[i].name, strlen(costs[i].name)))
            return costs[i].milliseconds;
    return 2.5;
}

void stub_set_capability(int device, int value) { capability[device] = value; }

static int outcome(const char *function) { return failing && !strcmp(failing, function) ? failure : 0; }

int cuInit(unsigned flags)
{
    (void)flags;
    __atomic_fetch_add(&the_log.inits, 1, __ATOMIC_RELAXED);
    return outcome("cuInit");
}

int cuDeviceGetCount(int *count)
{
    *count = 2;
    return outcome("cuDeviceGetCount");
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return ordinal < 0 || ordinal > 1 ? 101 : outcome("cuDeviceGet");
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = attribute == 16   ? 132
             : attribute == 75 ? capability[device] / 10
             : attribute == 76 ? capability[device] % 10
                               : 0;
    return outcome("cuDeviceGetAttribute");
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared)
{
    (void)function, (void)threads, (void)shared;
    the_log.occupancies++;
    *blocks = 2;
    return outcome("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}

int cuCtxGetCurrent(void **context)
{
    *context = current;
    return outcome("cuCtxGetCurrent");
}

int cuCtxSetCurrent(void *context)
{
    current = context;
    return outcome("cuCtxSetCurrent");
}

int cuCtxGetDevice(int *device)
{
    *device = (int)((char *)current - contexts);
    return outcome("cuCtxGetDevice");
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    int error = outcome("cuDevicePrimaryCtxRetain");
    *context = &contexts[device];
    if (!error)
        __atomic_fetch_add(&the_log.retains, 1, __ATOMIC_RELAXED);
    return error;
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned options, void *keys, void *values)
{
    (void)options, (void)keys, (void)values;
    int error = outcome("cuModuleLoadDataEx");
    if (error)
        return error;
    pthread_mutex_lock(&guard);
    the_log.loads++;
    /* a fat binary's first image, or text */
    the_log.image_is_ptx = memcmp(image, "\x50\xed\x55\xba", 4) ? 1 : ((const unsigned char *)image)[16] == 1;
    *module = &modules[module_count++ % 64];
    pthread_mutex_unlock(&guard);
    return 0;
}

int cuModuleLoadData(void **module, const void *image)
{
    int error = outcome("cuModuleLoadData");
    return error ? error : cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

int cuModuleUnload(void *module)
{
    (void)module;
    the_log.unloads++;
    return outcome("cuModuleUnload");
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    pthread_mutex_lock(&guard);
    the_log.gets++;
    strncpy(the_log.function, name, sizeof the_log.function - 1);
    *function = &functions[(char *)module - modules];
    strncpy(names[(char *)module - modules], name, sizeof *names - 1);
    pthread_mutex_unlock(&guard);
    return outcome("cuModuleGetFunction");
}

int cuFuncSetAttribute(void *function, int attribute, int value)
{
    (void)function;
    if (attribute == 8)
        the_log.dynamic_shared = value;
    return outcome("cuFuncSetAttribute");
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    __atomic_fetch_add(&the_log.releases, 1, __ATOMIC_RELAXED);
    return outcome("cuDevicePrimaryCtxRelease_v2");
}

int cuCtxSynchronize(void) { return outcome("cuCtxSynchronize"); }

int cuMemAlloc_v2(uint64_t *address, size_t size)
{
    the_log.allocations++;
    *address = (uint64_t)(uintptr_t)malloc(size);
    return outcome("cuMemAlloc_v2");
}

int cuMemAllocAsync(uint64_t *address, size_t size, void *stream)
{
    (void)stream;
    the_log.stream_allocations++;
    *address = (uint64_t)(uintptr_t)malloc(size);
    return outcome("cuMemAllocAsync");
}

int cuMemFreeAsync(uint64_t address, void *stream)
{
    (void)stream;
    free((void *)(uintptr_t)address);
    return outcome("cuMemFreeAsync");
}

int cuMemFree_v2(uint64_t address)
{
    free((void *)(uintptr_t)address);
    return 0;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size)
{
    memcpy((void *)(uintptr_t)to, from, size);
    return outcome("cuMemcpyHtoD_v2");
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size)
{
    memcpy(to, (const void *)(uintptr_t)from, size);
    return outcome("cuMemcpyDtoH_v2");
}

int cuEventCreate(void **event, unsigned flags)
{
    (void)flags;
    *event = &the_log;
    return outcome("cuEventCreate");
}

int cuEventRecord(void *event, void *stream)
{
    (void)event, (void)stream;
    pthread_mutex_lock(&guard);
    spent = last;
    last = 0;
    pthread_mutex_unlock(&guard);
    return 0;
}

int cuEventSynchronize(void *event)
{
    (void)event;
    return outcome("cuEventSynchronize");
}

int cuEventElapsedTime(float *milliseconds, void *start, void *end)
{
    (void)start, (void)end;
    pthread_mutex_lock(&guard);
    *milliseconds = spent > 0 ? (float)spent : 2.5f;
    pthread_mutex_unlock(&guard);
    return 0;
}

int cuEventDestroy_v2(void *event)
{
    (void)event;
    return 0;
}

/* add_kernel(x, y, out, n): programs of 64 elements. */
static void add_vectors(void **args, unsigned programs)
{
    const float *x = *(float **)args[0], *y = *(float **)args[1];
    float *out = *(float **)args[2];
    unsigned count = *(unsigned *)args[3] < programs * 64 ? *(unsigned *)args[3] : programs * 64;
    for (unsigned i = 0; i < count; i++)
        out[i] = x[i] + y[i];
}

/* fill_tensor(d), of a tensor descriptor of two dimensions in its parts: base, shape of 64 bits, strides, two flags,
 * shape of 32 bits, strides. */
static void fill_tensor(void **args)
{
    int64_t rows = *(int64_t *)args[1], columns = *(int64_t *)args[2], stride = *(int64_t *)args[3];
    if (rows != *(int *)args[7] || columns != *(int *)args[8] || stride != *(int64_t *)args[9] ||
        *(int64_t *)args[4] != 1 || *(char *)args[6])
        return;
    for (int64_t i = 0; i < rows * columns; i++)
        (*(float **)args[0])[i / columns * stride + i % columns] = (float)i + 100 * *(char *)args[5];
}

static int launch_grid(const char *entry, const unsigned *grid, unsigned threads, unsigned shared, void *stream,
                       void **args)
{
    int error = outcome(entry);
    if (error)
        return error;
    if (the_log.allocations && !strcmp(the_log.function, "add_kernel"))
        add_vectors(args, grid[0]);
    if (the_log.allocations && !strcmp(the_log.function, "fill_tensor"))
        fill_tensor(args);
    pthread_mutex_lock(&guard);
    the_log.launches++;
    memcpy(the_log.grid, grid, sizeof the_log.grid);
    the_log.threads = threads;
    the_log.shared = shared;
    the_log.stream = stream;
    for (int i = 0; i < the_log.want_args; i++)
        memcpy(&the_log.args[i], args[i], (size_t)the_log.want_bytes[i]);
    pthread_mutex_unlock(&guard);
    return 0;
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **args, void **extra)
{
    (void)extra, (void)by, (void)bz;
    pthread_mutex_lock(&guard);
    double cost = cost_by_name(function);
    last += cost > 0 ? cost : 0;
    pthread_mutex_unlock(&guard);
    if (cost < 0)
        return 701;
    unsigned grid[3] = {gx, gy, gz};
    return launch_grid("cuLaunchKernel", grid, bx, shared, stream, args);
}

int cuTensorMapEncodeTiled(void *map, int element, unsigned rank, void *address, const uint64_t *sizes,
                           const uint64_t *strides, const unsigned *box, const unsigned *steps, int interleave,
                           int swizzle, int promotion, int fill)
{
    struct stub_map *m = &the_log.maps[the_log.map_count];
    static const unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4}; /* by CUtensorMapDataType */
    if (element < 0 || element > 12 || (swizzle && box[0] * bytes[element] > 16u << swizzle))
        return 1;
    if (outcome("cuTensorMapEncodeTiled") || (uintptr_t)map % 64 || (uintptr_t)address % 16 || rank < 1 || rank > 5)
        return 1;
    *m = (struct stub_map){.element = element, .interleave = interleave, .swizzle = swizzle, .promotion = promotion,
                           .fill = fill, .rank = rank, .address = address};
    for (unsigned d = 0; d < rank; d++) {
        m->sizes[d] = sizes[d];
        m->box[d] = box[d];
        m->steps[d] = steps[d];
        if (!sizes[d] || sizes[d] > (uint64_t)1 << 32 || (d + 1 < rank && strides[d] % 16))
            return 1;
        if (d + 1 < rank)
            m->strides[d] = strides[d];
    }
    memset(map, 0x40 + the_log.map_count++, 128);
    return 0;
}

/* CUlaunchConfig and CUlaunchAttribute, as the driver's interface has them. */
typedef struct {
    int id;
    char pad[4];
    union {
        char bytes[64];
        int flag;
    } value;
} attribute;

typedef struct {
    unsigned grid[3], block[3], shared;
    void *stream;
    const attribute *attributes;
    unsigned count;
} launch_config;

int cuLaunchKernelEx(const launch_config *config, void *function, void **args, void **extra)
{
    (void)function, (void)extra;
    the_log.ex_launches++;
    the_log.cooperative = the_log.programmatic = 0;
    for (unsigned i = 0; i < config->count; i++) {
        if (config->attributes[i].id == 2)
            the_log.cooperative = config->attributes[i].value.flag;
        else if (config->attributes[i].id == 4)
            memcpy(the_log.cluster, config->attributes[i].value.bytes, sizeof the_log.cluster);
        else if (config->attributes[i].id == 6)
            the_log.programmatic = config->attributes[i].value.flag;
        else
            return 1;
    }
    const char *path = getenv("STUB_CUDA_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "cooperative %d, programmatic %d\n", the_log.cooperative, the_log.programmatic);
        fclose(file);
    }
    return launch_grid("cuLaunchKernelEx", config->grid, config->block[0], config->shared, config->stream, args);
}

int cuGetErrorString(int error, const char **text)
{
    *text = error == 700 ? "an illegal memory access was encountered" : "some error";
    return 0;
}
