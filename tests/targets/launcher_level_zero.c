/* The launcher for Level Zero against the stand-in. The object has code for intel-pvc (machine code where ocloc makes
 * it), with sub-groups of 32 for any device, and for any device. */
#include "v.h"

#include "tests/targets/stub_level_zero.h"
#include "tests/targets/want.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static _Alignas(16) float x[64], y[64], out[64];

static int add(void *list, tri_grid grid) { return add_kernel(list, grid, x, y, out, 61); }
static const char *arch_of(int device)
{
    int count, row = add_kernel_selected(device);
    return row < 0 ? "none" : add_kernel_variants(&count)[row].arch;
}

static void test_packing(void)
{
    stub_log *log = stub_get_log();
    tri_grid grid = {3, 5, 7}, none = {3, 0, 7};
    void *list = stub_list(0, 2);
    WANT(add(list, grid) == 0);
    WANT(log->launches == 1 && log->list == list && log->modules == 1 && log->kernels == 1 && log->contexts == 0);
    WANT(!strcmp(log->kernel, "add_kernel") && log->group == 128 && log->indirect == 7);
    WANT(log->grid[0] == 3 && log->grid[1] == 5 && log->grid[2] == 7);
    WANT(log->args[0] == (uint64_t)(uintptr_t)x && log->args[1] == (uint64_t)(uintptr_t)y);
    WANT(log->args[2] == (uint64_t)(uintptr_t)out && log->args[3] == 61);
    WANT(log->sizes[0] == 8 && log->sizes[2] == 8 && log->sizes[3] == 4);
    WANT(add(list, grid) == 0 && log->modules == 1 && log->kernels == 1 && log->launches == 2);
    WANT(add(list, none) == 0 && log->launches == 2);
    WANT(add_kernel(list, grid, x + 1, y, out, 61) == TRI_ERROR_ALIGNMENT + 0 && log->launches == 2);
}

/* Another context has a module of its own; without a list the launcher's is taken, which waits. */
static void test_contexts(void)
{
    stub_log *log = stub_get_log();
    tri_grid grid = {1, 1, 1};
    WANT(add(stub_list(0, 3), grid) == 0 && log->modules == 2 && log->kernels == 2);
    WANT(add(NULL, grid) == 0 && log->modules == 3 && log->contexts == 1 && log->lists == 1 && log->synchronous);
    WANT(add_kernel_unload(0) == 0 && log->modules == 0 && log->kernels == 0);
    WANT(add_kernel_load(0) == 0 && log->modules == 1 && log->contexts == 1);
    WANT(add_kernel_load(9) == TRI_ERROR_NO_DEVICE && add_kernel_selected(9) == -1);
    WANT(add_kernel_unload(0) == 0 && log->modules == 0);
}

/* The second device is none that code was made for. */
static void test_devices(int has_native)
{
    stub_log *log = stub_get_log();
    WANT(!strcmp(arch_of(0), "intel-pvc") && !strcmp(arch_of(1), "spirv64-sg32"));
    WANT(add_kernel_load(0) == 0 && log->format == has_native);
    WANT(add_kernel_unload(0) == 0);
    log->refuses_native = 1;
    WANT(add_kernel_load(0) == 0 && log->format == 0 && add_kernel_unload(0) == 0);
    log->refuses_native = 0;
    WANT(add_kernel_load(1) == 0 && log->format == 0 && add_kernel_unload(1) == 0);
}

/* In a process of its own the call after `calls` others fails: 2 when none did, 1 when something is wrong then. */
static int fail_one(int calls)
{
    stub_log *log = stub_get_log();
    tri_grid grid = {1, 1, 1};
    void *list = stub_list(0, 2);
    stub_fail_after(calls);
    int first = add(list, grid), second = add(NULL, grid), third = add_kernel_unload(0);
    const char *name = stub_failed();
    stub_fail_after(-1);
    if (!name)
        return first || second || third ? 1 : 2;
    int is_device = !strcmp(name, "zeDeviceGetProperties") || !strcmp(name, "zeDeviceGetComputeProperties");
    int is_open = !strcmp(name, "zeInit") || !strcmp(name, "zeDriverGet") || !strcmp(name, "zeDeviceGet");
    int is_native = !strcmp(name, "zeModuleCreate"); /* SPIR-V may follow */
    if (is_open)
        return !(first == TRI_ERROR_NO_DRIVER || first == TRI_ERROR_NO_DEVICE) || log->modules || log->kernels;
    if (!is_device && !is_native && !first && !second && !third)
        return fprintf(stderr, "nobody heard of %s\n", name), 1;
    if (!strlen(tri_strerror(first)))
        return 1;
    int again = is_device ? 0 : add(list, grid);
    int end = add_kernel_unload(0);
    int modules = !strcmp(name, "zeModuleDestroy") ? log->modules - 1 : log->modules;
    if (!is_device && (again || end || modules || log->kernels || log->memories))
        return fprintf(stderr, "after %s: %d %d, %d modules\n", name, again, end, log->modules), 1;
    return 0;
}

static void test_failures(void)
{
    int tried = 0, status = 0;
    for (; tried < 100; tried++) {
        pid_t child = fork();
        if (!child)
            _exit(fail_one(tried));
        WANT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) != 1);
        if (!WIFEXITED(status) || WEXITSTATUS(status) == 2)
            break;
    }
    WANT(tried > 20 && tried < 100);
}

int main(int argc, char **argv)
{
    tri_select(TRI_LEVEL_ZERO);
    test_failures();
    test_packing();
    test_contexts();
    test_devices(argc > 1 && !strcmp(argv[1], "native"));
    return failures != 0;
}
