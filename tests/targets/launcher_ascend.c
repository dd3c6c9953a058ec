/* The launcher for Ascend against the stand-in runtime. LOCKS, SPACE: what the kernel's library asks for; FFTS: the
 * kernel takes the address of the cores' signals. */
#include "v.h"

#include "tests/targets/stub_ascend.h"
#include "tests/targets/want.h"

#include <stdio.h>
#include <string.h>

static _Alignas(16) float x[64], y[64], out[64];

static int launch_vectors(tri_grid grid) { return add_kernel((tri_stream)0x77, grid, x, y, out, 61); }

static void test_packing(void)
{
    stub_log *log = stub_get_log();
    tri_grid grid = {3, 5, 7}, none = {3, 0, 7};
    WANT(launch_vectors(grid) == 0);
    WANT(log->inits == 1 && log->loads == 1 && log->registered == 1 && log->launches == 1);
    WANT(log->magic == 0x41415246 && !strcmp(log->code, "machine code") && !strcmp(log->function, "add_kernel"));
    WANT(log->blocks == 105 && log->stream == (void *)0x77 && log->launched == log->stub);
    const uint64_t *a = log->args;
    if (FFTS)
        WANT(*a++ == 0xffee);
    WANT(a[2] == (uint64_t)(uintptr_t)x && a[3] == (uint64_t)(uintptr_t)y && a[4] == (uint64_t)(uintptr_t)out);
    WANT((uint32_t)a[5] == 61 && a[5] >> 32 == 3 && (uint32_t)a[6] == 5 && a[6] >> 32 == 7);
    WANT(log->bytes == (FFTS ? 64 : 56));
    WANT(launch_vectors(grid) == 0 && log->loads == 1 && log->registered == 1 && log->launches == 2);
    WANT(launch_vectors(none) == 0 && log->launches == 2);
}

static void test_space(void)
{
    stub_log *log = stub_get_log();
    const uint64_t *a = log->args + FFTS;
    if (!SPACE) {
        WANT(!a[0] && !a[1] && !log->allocations);
        return;
    }
    WANT(log->allocations == 1 && log->allocated == 512 + 105 * (uint64_t)SPACE);
    WANT(a[0] == (uint64_t)(uintptr_t)log->memory && a[1] == a[0] + 512);
    for (int i = 0; i < LOCKS; i++)
        WANT(((int64_t *)log->memory)[i] == START);
    WANT(((unsigned char *)log->memory)[8 * LOCKS] == 0x55);
    tri_grid small = {2, 1, 1}, large = {200, 1, 1};
    WANT(launch_vectors(small) == 0 && log->allocations == 1); /* the stream's own */
    WANT(add_kernel((tri_stream)0x88, small, x, y, out, 61) == 0 && log->allocations == 2 && log->frees == 0);
    int waits = log->waits;
    WANT(launch_vectors(large) == 0 && log->allocations == 3 && log->frees == 1 && log->waits > waits);
    stub_fail("aclrtMalloc", 207001);
    tri_grid huge = {60000, 1, 1};
    WANT(launch_vectors(huge) == TRI_ERROR_MEMORY);
    stub_fail(NULL, 0);
    WANT(launch_vectors(huge) == 0);
}

static void test_errors(void)
{
    stub_log *log = stub_get_log();
    tri_grid grid = {1, 1, 1}, wide = {256, 256, 1};
    int before = log->launches;
    WANT(launch_vectors(wide) == TRI_ERROR_GRID);
    int error = add_kernel(NULL, grid, x + 1, y, out, 61);
    WANT(error == TRI_ERROR_ALIGNMENT + 0 && log->launches == before);
    stub_fail("rtKernelLaunch", 507015);
    error = launch_vectors(grid);
    WANT(error == TRI_ERROR_DRIVER + 507015);
    WANT(strstr(tri_strerror(error), "507015: EZ9999: the aicore execution"));
    stub_fail("rtGetC2cCtrlAddr", 107000);
    WANT(launch_vectors(grid) == (FFTS ? TRI_ERROR_DRIVER + 107000 : 0));
    stub_fail(NULL, 0);
    WANT(launch_vectors(grid) == 0);
}

static void test_devices(void)
{
    stub_log *log = stub_get_log();
    int count, loads = log->loads;
    const tri_variant *variants = add_kernel_variants(&count);
    WANT(count == 1 && !strcmp(variants[0].kernel, "add_kernel") && !strncmp(variants[0].arch, "ascend910", 9));
    WANT(add_kernel_selected(0) == 0 && add_kernel_selected(9) == -1);
    WANT(add_kernel_load(9) == TRI_ERROR_NO_DEVICE);
    stub_fail("rtDevBinaryRegister", 107000);
    WANT(add_kernel_load(1) == TRI_ERROR_DRIVER + 107000);
    stub_fail(NULL, 0);
    WANT(add_kernel_load(1) == 0 && log->loads == loads + 2 && log->registered == 2);
    WANT(add_kernel_load(1) == 0 && log->loads == loads + 2);
    WANT(add_kernel_unload(1) == 0 && log->unloads == 1);
    WANT(add_kernel_unload(0) == 0 && log->unloads == 2);
    log->soc = "Ascend310B4";
    WANT(add_kernel_selected(0) == -1 && launch_vectors((tri_grid){1, 1, 1}) == TRI_ERROR_ARCH);
}

int main(void)
{
    stub_get_log()->soc = SOC;
    test_packing();
    test_space();
    test_errors();
    test_devices();
    return failures != 0;
}
