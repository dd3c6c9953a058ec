/* The launcher for AMD's GPUs against the stand-in runtime. The object has code for gfx942, whose warps have 64 lanes,
 * and for gfx1100. */
#include "v.h"

#include "tests/targets/stub_hip.h"
#include "tests/targets/want.h"

#include <stdio.h>
#include <string.h>

int hipSetDevice(int number);
int hipGetDevice(int *number);

static _Alignas(16) float x[64], y[64], out[64];

static int add(tri_grid grid) { return add_kernel((tri_stream)0x77, grid, x, y, out, 61); }

static void test_packing(void)
{
    static const int sizes[] = {8, 8, 8, 4};
    stub_log *log = stub_get_log();
    tri_grid grid = {3, 5, 7}, none = {3, 0, 7};
    stub_expect(4, sizes);
    WANT(add(grid) == 0);
    WANT(log->inits == 1 && log->loads == 1 && log->functions == 1 && log->launches == 1);
    WANT(!strcmp(log->function, "add_kernel") && log->stream == (void *)0x77 && log->shared == 0);
    WANT(log->grid[0] == 3 && log->grid[1] == 5 && log->grid[2] == 7);
    WANT(log->block[0] == 256 && log->block[1] == 1 && log->block[2] == 1);
    WANT(log->args[0] == (uint64_t)(uintptr_t)x && log->args[1] == (uint64_t)(uintptr_t)y);
    WANT(log->args[2] == (uint64_t)(uintptr_t)out && log->args[3] == 61);
    WANT(add(grid) == 0 && log->loads == 1 && log->functions == 1 && log->launches == 2 && log->asked == 1);
    WANT(add(none) == 0 && log->launches == 2);
}

static void test_errors(void)
{
    stub_log *log = stub_get_log();
    tri_grid grid = {1, 1, 1}, wide = {1u << 24, 1, 1}, high = {1, 65536, 1};
    int before = log->launches, error = add_kernel(NULL, grid, x + 1, y, out, 61);
    WANT(error == TRI_ERROR_ALIGNMENT + 0 && log->launches == before);
    WANT(add(wide) == TRI_ERROR_GRID && add(high) == TRI_ERROR_GRID);
    stub_fail("hipModuleLaunchKernel", 719);
    error = add(grid);
    WANT(error == TRI_ERROR_DRIVER + 719 && strstr(tri_strerror(error), "719: unspecified launch failure"));
    stub_fail(NULL, 0);
    WANT(add(grid) == 0);
}

/* The second device has warps of 32 lanes, and code of its own. */
static void test_devices(void)
{
    stub_log *log = stub_get_log();
    int count, device, loads = log->loads;
    const tri_variant *variants = add_kernel_variants(&count);
    tri_grid grid = {1, 1, 1};
    const void *first = log->image;
    WANT(count == 4 && !strcmp(variants[add_kernel_selected(0)].arch, "gfx942"));
    WANT(!strcmp(variants[add_kernel_selected(1)].arch, "gfx1100") && add_kernel_selected(9) == -1);
    WANT(add_kernel_load(9) == TRI_ERROR_NO_DEVICE);
    stub_fail("hipModuleLoadData", 2);
    WANT(add_kernel_load(1) == TRI_ERROR_DRIVER + 2 && !hipGetDevice(&device) && device == 0);
    stub_fail(NULL, 0);
    WANT(add_kernel_load(1) == 0 && log->loads == loads + 2 && log->image != first);
    WANT(!hipGetDevice(&device) && device == 0);
    WANT(!hipSetDevice(1) && add(grid) == 0 && log->block[0] == 128 && log->loads == loads + 2 && !hipSetDevice(0));
    WANT(add_kernel_unload(1) == 0 && log->unloads == 1 && log->unloaded == &log->loads + 1);
    WANT(add_kernel_unload(0) == 0 && log->unloads == 2 && add_kernel_unload(0) == 0 && log->unloads == 2);
    WANT(add(grid) == 0 && log->loads == loads + 3);
}

int main(void)
{
    test_packing();
    test_errors();
    test_devices();
    return failures != 0;
}
