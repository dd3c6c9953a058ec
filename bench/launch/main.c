/* What a call of an object's launcher costs beside a bare cuLaunchKernel of the same kernel: ns a call, the median of
 * batches that the device's queue takes without waiting. The driver is libcuda.so.1, or a stand-in in its place. */
#include "vadd.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { batch = 200, batches = 501 };

static int (*launch_kernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                            void **, void **);
static int (*synchronize)(void);
static void *function;
static float *data[3];
static int32_t elements;

static void *find(void *library, const char *name)
{
    void *entry = dlsym(library, name);
    if (entry)
        return entry;
    fprintf(stderr, "no %s\n", name);
    exit(1);
}

static void check(int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "%s: %s (%d)\n", what, tri_strerror(error), error);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void bare(void)
{
    void *args[] = {&data[0], &data[1], &data[2], &elements};
    check(launch_kernel(function, 1, 1, 1, 128, 1, 1, 0, NULL, args, NULL) ? TRI_ERROR_DRIVER : 0, "cuLaunchKernel");
}

static void through_object(void)
{
    check(add_kernel(NULL, (tri_grid){1, 1, 1}, data[0], data[1], data[2], elements), "add_kernel");
}

static void with_grid(void) { check(add_kernel_run(NULL, data[0], data[1], data[2], elements), "add_kernel_run"); }

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double measure(void (*call)(void))
{
    static double times[batches];
    for (int i = 0; i < batches; i++) {
        double start = now();
        for (int n = 0; n < batch; n++)
            call();
        times[i] = (now() - start) / batch;
        synchronize();
    }
    qsort(times, batches, sizeof *times, compare);
    return times[batches / 2];
}

int main(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *context, *module;
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int (*init)(unsigned) = find(library, "cuInit"), (*set)(void *) = find(library, "cuCtxSetCurrent");
    int (*retain)(void **, int) = find(library, "cuDevicePrimaryCtxRetain");
    int (*allocate)(float **, size_t) = find(library, "cuMemAlloc_v2");
    int (*load)(void **, const char *) = find(library, "cuModuleLoadData");
    int (*get)(void **, void *, const char *) = find(library, "cuModuleGetFunction");
    launch_kernel = find(library, "cuLaunchKernel");
    synchronize = find(library, "cuCtxSynchronize");
    static char image[1 << 20];
    FILE *file = fopen("vadd.ptx", "rb");
    if (!file || !fread(image, 1, sizeof image - 1, file) || init(0) || retain(&context, 0) || set(context) ||
        load(&module, image) || get(&function, module, "add_kernel"))
        return 1;
    elements = 64;
    for (int i = 0; i < 3; i++)
        if (allocate(&data[i], 4096))
            return 1;
    check(add_kernel_load(0), "add_kernel_load");
    double first = measure(bare), object = measure(through_object), grid = measure(with_grid), again = measure(bare);
    double least = first < again ? first : again;
    printf("cuLaunchKernel %.0f ns, launcher %.0f ns (%.2fx), computing the grid %.0f ns (%.2fx)\n", least, object,
           object / least, grid, grid / least);
    return 0;
}
