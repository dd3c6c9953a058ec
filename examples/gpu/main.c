/* Allocates, launches, checks and times a kernel on a CUDA device, through the driver's library alone. Without a device
 * the same object runs its code for the host. */
#include "vadd.h"

#include "check.h"

#include <dlfcn.h>
#include <time.h>

enum { n = 1 << 24, block = 1024, runs = 100 };

typedef uint64_t device_pointer;
static struct {
    int (*Init)(unsigned), (*DeviceGet)(int *, int), (*DevicePrimaryCtxRetain)(void **, int), (*CtxSetCurrent)(void *);
    int (*MemAlloc)(device_pointer *, size_t), (*MemcpyHtoD)(device_pointer, const void *, size_t);
    int (*MemcpyDtoH)(void *, device_pointer, size_t), (*CtxSynchronize)(void);
} cu;

static int find(void *library, const char *name, void *out)
{
    void *symbol = dlsym(library, name);
    memcpy(out, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* Is there a device? Its primary context is current then. */
static int open_device(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *context;
    int device;
    return library && find(library, "cuInit", &cu.Init) && find(library, "cuDeviceGet", &cu.DeviceGet) &&
           find(library, "cuDevicePrimaryCtxRetain", &cu.DevicePrimaryCtxRetain) &&
           find(library, "cuCtxSetCurrent", &cu.CtxSetCurrent) && find(library, "cuMemAlloc_v2", &cu.MemAlloc) &&
           find(library, "cuMemcpyHtoD_v2", &cu.MemcpyHtoD) && find(library, "cuMemcpyDtoH_v2", &cu.MemcpyDtoH) &&
           find(library, "cuCtxSynchronize", &cu.CtxSynchronize) && !cu.Init(0) && !cu.DeviceGet(&device, 0) &&
           !cu.DevicePrimaryCtxRetain(&context, device) && !cu.CtxSetCurrent(context);
}

static void *to_device(const float *x)
{
    device_pointer p;
    if (cu.MemAlloc(&p, n * sizeof *x) || cu.MemcpyHtoD(p, x, n * sizeof *x)) {
        fprintf(stderr, "no memory on the device\n");
        exit(1);
    }
    return (void *)(uintptr_t)p;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(void)
{
    int has_device = open_device();
    float *x = random_floats(n), *y = random_floats(n), *out = array(n * sizeof *out);
    void *xs = has_device ? to_device(x) : x, *ys = has_device ? to_device(y) : y,
         *outs = has_device ? to_device(out) : out;
    tri_grid grid = {n / block, 1, 1};
    MUST(tri_select(has_device ? TRI_CUDA : TRI_HOST));
    MUST(add_kernel(NULL, grid, xs, ys, outs, n));
    if (has_device && cu.MemcpyDtoH(out, (device_pointer)(uintptr_t)outs, n * sizeof *out))
        return 1;
    for (size_t i = 0; i < n; i++)
        near(i, out[i], (double)(x[i] + y[i]), 0);
    double begin = now();
    for (int r = 0; r < runs; r++)
        MUST(add_kernel(NULL, grid, xs, ys, outs, n));
    if (has_device)
        cu.CtxSynchronize();
    double seconds = (now() - begin) / runs;
    printf("%s: %d elements, %.1f GB/s\n", has_device ? "CUDA device" : "host", n, 12.0 * n / seconds * 1e-9);
    return 0;
}
