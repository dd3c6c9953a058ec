/* Launches on a GPU what no simulator shows: kernels that start before the one in front of them has ended, programs
 * that wait for each other, a linked object, functions of NVIDIA's bitcode library. Each check says what it saw. Status
 * 1 when one failed. Objects of kernels.tri and examples/vadd are linked in; ../hardware.sh builds and runs it. */
#include "consumer.h"
#include "consumer_early.h"
#include "meet.h"
#include "producer.h"
#include "special.h"
#include "vadd.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    lanes = 128,
    programs = 32,
    rounds = 100000,
    too_large_for_cooperation = 720,
    multiprocessors_attribute = 16,
    max_programs = 4096
};

typedef uint64_t address;
static struct {
    int (*cuInit)(unsigned);
    int (*cuDeviceGet)(int *, int);
    int (*cuDeviceGetAttribute)(int *, int, int);
    int (*cuDevicePrimaryCtxRetain)(void **, int);
    int (*cuCtxSetCurrent)(void *);
    int (*cuMemAlloc_v2)(address *, size_t);
    int (*cuMemcpyHtoD_v2)(address, const void *, size_t);
    int (*cuMemcpyDtoH_v2)(void *, address, size_t);
    int (*cuCtxSynchronize)(void);
    int (*cuStreamCreate)(void **, unsigned);
} cu;

static int failed;

static void check(int ok, const char *text)
{
    printf("%s %s\n", ok ? "ok" : "not ok", text);
    failed |= !ok;
}

static void need(int error, const char *what)
{
    if (!error)
        return;
    printf("not ok %s: error %d (%s)\n", what, error, tri_strerror(error));
    exit(1);
}

static int open_device(void)
{
    int device, count = 0;
    void *context, *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        printf("not ok no driver: %s\n", dlerror());
        exit(1);
    }
#define FIND(name) \
    if (!(*(void **)&cu.name = dlsym(library, #name))) \
        exit(1);
    FIND(cuInit)
    FIND(cuDeviceGet)
    FIND(cuDeviceGetAttribute)
    FIND(cuDevicePrimaryCtxRetain)
    FIND(cuCtxSetCurrent)
    FIND(cuMemAlloc_v2)
    FIND(cuMemcpyHtoD_v2)
    FIND(cuMemcpyDtoH_v2)
    FIND(cuCtxSynchronize)
    FIND(cuStreamCreate)
#undef FIND
    need(cu.cuInit(0), "cuInit");
    need(cu.cuDeviceGet(&device, 0), "cuDeviceGet");
    need(cu.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    need(cu.cuCtxSetCurrent(context), "cuCtxSetCurrent");
    need(cu.cuDeviceGetAttribute(&count, multiprocessors_attribute, device), "cuDeviceGetAttribute");
    return count;
}

static void *on_device(const void *data, size_t size)
{
    address at = 0;
    need(cu.cuMemAlloc_v2(&at, size), "cuMemAlloc");
    need(cu.cuMemcpyHtoD_v2(at, data, size), "cuMemcpyHtoD");
    return (void *)(uintptr_t)at;
}

static void fetch(void *to, const void *from, size_t size)
{
    need(cu.cuCtxSynchronize(), "the kernel");
    need(cu.cuMemcpyDtoH_v2(to, (address)(uintptr_t)from, size), "cuMemcpyDtoH");
}

/* A kernel of some tenths of a millisecond, then one that waits for its results: when the second one began, in
 * nanoseconds after the last program of the first one ended, and whether it saw all of its results. */
static int64_t follow(int is_early, int *out_is_right)
{
    static int32_t x[programs * lanes], out[programs * lanes];
    static int64_t ends[programs], starts[programs];
    tri_grid grid = {programs, 1, 1};
    void *stream;
    for (int i = 0; i < programs * lanes; i++)
        x[i] = i;
    int32_t *dx = on_device(x, sizeof x), *dout = on_device(out, sizeof out);
    int64_t *dends = on_device(ends, sizeof ends), *dstarts = on_device(starts, sizeof starts), last = 0,
            first = INT64_MAX;
    need(cu.cuStreamCreate(&stream, 1), "cuStreamCreate");
    need(producer_load(0) || consumer_load(0) || consumer_early_load(0), "loading");
    need(producer(stream, grid, dx, dends, rounds), "producer");
    need(is_early ? consumer_early(stream, grid, dx, dout, dstarts) : consumer(stream, grid, dx, dout, dstarts),
         "consumer");
    fetch(out, dout, sizeof out);
    fetch(ends, dends, sizeof ends);
    fetch(starts, dstarts, sizeof starts);
    *out_is_right = 1;
    for (int i = 0; i < programs * lanes; i++) {
        uint32_t want = (uint32_t)i;
        for (int r = 0; r < rounds; r++)
            want = want * 1664525u + 1013904223u;
        *out_is_right &= (uint32_t)out[i] == want + 1;
    }
    for (int i = 0; i < programs; i++) {
        last = ends[i] > last ? ends[i] : last;
        first = starts[i] < first ? starts[i] : first;
    }
    return first - last;
}

static void check_dependent_launch(void)
{
    char text[200];
    int is_right;
    follow(0, &is_right); /* warm */
    int64_t plain = follow(0, &is_right);
    snprintf(text, sizeof text, "an ordinary launch starts %lld ns after the end of the one in front",
             (long long)plain);
    check(is_right && plain >= 0, text);
    int64_t early = follow(1, &is_right);
    snprintf(text, sizeof text, "a dependent launch starts %lld ns before it, and waits for its results",
             (long long)-early);
    check(is_right && early < 0, text);
}

static void check_cooperative_launch(int multiprocessors)
{
    char text[200];
    int n = multiprocessors < max_programs ? multiprocessors : max_programs, is_right = 1;
    size_t size = sizeof(int32_t) * (size_t)n * lanes;
    int32_t zero = 0, *out = calloc(1, size);
    if (!out)
        exit(1);
    int32_t *dcount = on_device(&zero, sizeof zero), *dx = on_device(out, size), *dout = on_device(out, size);
    need(meet(NULL, (tri_grid){(uint32_t)n, 1, 1}, dcount, dx, dout, n), "meet");
    fetch(out, dout, size);
    for (int i = 0; i < n * lanes; i++)
        is_right &= out[i] == (i / lanes + 1) % n * 1000 + i % lanes;
    snprintf(text, sizeof text, "%d programs of a cooperative launch meet at a barrier of the grid", n);
    check(is_right, text);
    int error = meet(NULL, (tri_grid){1u << 20, 1, 1}, dcount, dx, dout, 1 << 20);
    snprintf(text, sizeof text, "one that does not fit is refused: %s", tri_strerror(error));
    check(error == TRI_ERROR_DRIVER + too_large_for_cooperation, text);
    free(out);
}

static void check_library(void)
{
    enum { count = 1000 };
    float x[count], out[count];
    double worst = 0;
    for (int i = 0; i < count; i++) {
        x[i] = (float)i * 0.004f;
        out[i] = NAN;
    }
    float *dx = on_device(x, sizeof x), *dout = on_device(out, sizeof out);
    need(special(NULL, (tri_grid){4, 1, 1}, dx, dout, count), "special");
    fetch(out, dout, sizeof out);
    for (int i = 0; i < count; i++) {
        double want = j0((double)x[i]) + erfc((double)x[i]) * lgamma((double)x[i] + 2),
               off = fabs(want - (double)out[i]);
        worst = off <= worst ? worst : off;
    }
    char text[100];
    snprintf(text, sizeof text, "functions of a bitcode library: off by %.2g at most", worst);
    check(worst < 2e-6, text);
}

static void check_object(void)
{
    enum { count = 98432 - 7 };
    static float x[count], y[count], out[count];
    int is_right = 1;
    for (int i = 0; i < count; i++) {
        x[i] = (float)(i % 1000) / 7;
        y[i] = (float)(i % 77) / 3;
        out[i] = NAN;
    }
    float *dx = on_device(x, sizeof x), *dy = on_device(y, sizeof y), *dout = on_device(out, sizeof out);
    int variants, chosen = add_kernel_selected(0);
    const tri_variant *v = add_kernel_variants(&variants);
    need(add_kernel(NULL, (tri_grid){(count + 1023) / 1024, 1, 1}, dx, dy, dout, count), "add_kernel");
    fetch(out, dout, sizeof out);
    for (int i = 0; i < count; i++)
        is_right &= out[i] == x[i] + y[i];
    char text[100];
    snprintf(text, sizeof text, "an object's launcher, code for %s", chosen >= 0 ? v[chosen].arch : "no such device");
    check(is_right && chosen >= 0 && chosen < variants, text);
}

int main(void)
{
    int multiprocessors = open_device();
    printf("%d multiprocessors\n", multiprocessors);
    check_object();
    check_library();
    check_dependent_launch();
    check_cooperative_launch(multiprocessors);
    return failed;
}
