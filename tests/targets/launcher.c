/* The CUDA launcher against the stand-in driver: packing, loading once per device, errors, threads.
 * PDL and COOPERATIVE are 1 when the kernel was compiled with -launch-pdl and -launch-cooperative. */
#include "vadd.h"

#include "tests/targets/stub_cuda.h"
#include "tests/targets/want.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#ifndef PDL
#define PDL 0
#endif
#ifndef COOPERATIVE
#define COOPERATIVE 0
#endif
#define LAUNCH (PDL || COOPERATIVE ? "cuLaunchKernelEx" : "cuLaunchKernel")

static _Alignas(16) float x[64], y[64], out[64];

static int launch(tri_grid grid) { return add_kernel((tri_stream)0x77, grid, x, y, out, 61); }

static void *many(void *unused)
{
    tri_grid grid = {1, 1, 1};
    (void)unused;
    for (int i = 0; i < 200; i++)
        if (launch(grid))
            return (void *)1;
    return NULL;
}

static void test_packing(void)
{
    stub_log *log = stub_get_log();
    static const int sizes[4] = {8, 8, 8, 4};
    log->want_args = 4;
    memcpy(log->want_bytes, sizes, sizeof sizes);
    tri_grid grid = {3, 5, 7};
    WANT(launch(grid) == 0);
    WANT(log->inits == 1 && log->loads == 1 && log->launches == 1);
    WANT(log->grid[0] == 3 && log->grid[1] == 5 && log->grid[2] == 7);
    WANT(log->threads == 128 && log->stream == (void *)0x77);
    WANT(log->args[0] == (uint64_t)(uintptr_t)x && log->args[2] == (uint64_t)(uintptr_t)out && log->args[3] == 61);
    WANT(!strcmp(log->function, "add_kernel"));
    WANT(launch(grid) == 0 && log->loads == 1 && log->launches == 2);
    WANT(log->ex_launches == (PDL || COOPERATIVE ? 2 : 0));
    WANT(log->programmatic == PDL && log->cooperative == COOPERATIVE);
    tri_grid none = {3, 0, 7};
    WANT(launch(none) == 0 && log->launches == 2);
}

static void test_errors(void)
{
    stub_log *log = stub_get_log();
    tri_grid grid = {1, 1, 1}, wide = {1, 70000, 1};
    int before = log->launches;
    WANT(launch(wide) == TRI_ERROR_GRID);
    int error = add_kernel(NULL, grid, x + 1, y, out, 61);
    WANT(error == TRI_ERROR_ALIGNMENT + 0);
    WANT(strstr(tri_strerror(error), "argument 0"));
    WANT(log->launches == before);
    stub_fail(LAUNCH, 700);
    error = launch(grid);
    WANT(error == TRI_ERROR_DRIVER + 700);
    WANT(strstr(tri_strerror(error), "700: an illegal memory access"));
    stub_fail(NULL, 0);
    WANT(launch(grid) == 0);
    WANT(!strcmp(tri_strerror(0), "success"));
}

static void test_devices(void)
{
    stub_log *log = stub_get_log();
    int count, loads = log->loads;
    const tri_variant *variants = add_kernel_variants(&count);
    WANT(count >= 1 && !strcmp(variants[0].kernel, "add_kernel") && !strcmp(variants[0].arch, "sm_90"));
    WANT(variants[0].num_warps == 4 && strstr(variants[0].key, "n_elements=i32"));
    WANT(add_kernel_selected(0) >= 0);
    WANT(add_kernel_selected(1) == -1); /* sm_80 */
    WANT(add_kernel_selected(9) == -1);
    WANT(add_kernel_load(1) == TRI_ERROR_ARCH);
    WANT(add_kernel_load(9) == TRI_ERROR_NO_DEVICE);
    stub_set_capability(1, 90);
    WANT(add_kernel_load(1) == 0 && log->loads == loads + 1);
    WANT(add_kernel_load(1) == 0 && log->loads == loads + 1);
    WANT(add_kernel_unload(1) == 0 && log->unloads == 1);
    WANT(add_kernel_load(1) == 0 && log->loads == loads + 2);
    stub_fail("cuModuleLoadDataEx", 209);
    WANT(add_kernel_unload(1) == 0 && add_kernel_load(1) == TRI_ERROR_DRIVER + 209);
    stub_fail(NULL, 0);
    stub_set_capability(1, 120);
    WANT(add_kernel_load(1) == 0 && log->image_is_ptx); /* forward path */
}

static void test_threads(void)
{
    enum { count = 16 };
    pthread_t threads[count];
    stub_log *log = stub_get_log();
    WANT(add_kernel_unload(0) == 0);
    int loads = log->loads, launches = log->launches;
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, many, NULL);
    for (int i = 0; i < count; i++) {
        void *bad;
        pthread_join(threads[i], &bad);
        WANT(!bad);
    }
    WANT(log->loads == loads + 1 && log->launches == launches + count * 200);
}

int main(void)
{
    test_packing();
    test_errors();
    test_devices();
    test_threads();
    return failures != 0;
}
