/* What launchers promise, against the stand-in driver: each driver function fails in turn, threads' contexts are left
 * as they were, what was retained is released, many threads launch first, a child of fork gets errors and no deadlock.
 */
#include "vadd.h"

#include "tests/targets/stub_cuda.h"
#include "tests/targets/want.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern int cuCtxGetCurrent(void **context), cuCtxSetCurrent(void *context),
    cuDevicePrimaryCtxRetain(void **context, int device);

static _Alignas(16) float x[64], y[64], out[64];
static pthread_barrier_t barrier;

static int launch_once(void)
{
    tri_grid grid = {1, 1, 1};
    return add_kernel(NULL, grid, x, y, out, 61);
}

static void *current(void)
{
    void *context;
    stub_fail(NULL, 0);
    cuCtxGetCurrent(&context);
    return context;
}

static void *first(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&barrier);
    return (void *)(intptr_t)launch_once();
}

static void test_first_call(void)
{
    enum { count = 64 };
    pthread_t threads[count];
    pthread_barrier_init(&barrier, NULL, count);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, first, NULL);
    for (int i = 0; i < count; i++) {
        void *error;
        pthread_join(threads[i], &error);
        WANT(!error);
    }
    WANT(stub_get_log()->inits == 1 && stub_get_log()->loads == 1 && stub_get_log()->launches == count);
}

/* Without a context of its own, and with one. */
static void fail_in_turn(void *context)
{
    static const char *const names[] = {
        "cuDeviceGetAttribute", "cuCtxGetCurrent", "cuModuleLoadDataEx", "cuModuleGetFunction", "cuLaunchKernel"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        WANT(add_kernel_unload(0) == 0);
        cuCtxSetCurrent(context);
        stub_fail(names[i], 700 + (int)i);
        int error = launch_once();
        WANT(error != 0 && tri_strerror(error)[0]);
        WANT(current() == context);
        WANT(launch_once() == 0);
        WANT(current() == context);
        stub_fail(names[i], 700 + (int)i);
        add_kernel_load(1);
        WANT(current() == context);
        stub_fail(names[i], 700 + (int)i);
        add_kernel_unload(1);
        WANT(current() == context);
    }
    cuCtxSetCurrent(NULL);
}

static void test_releases(void)
{
    WANT(add_kernel_unload(0) == 0 && add_kernel_unload(1) == 0);
    int retains = stub_get_log()->retains, releases = stub_get_log()->releases;
    WANT(retains == releases);
    for (int i = 0; i < 3; i++)
        WANT(launch_once() == 0);
    WANT(stub_get_log()->retains == retains + 1);
    WANT(add_kernel_unload(0) == 0 && stub_get_log()->releases == releases + 1);
    stub_fail("cuModuleLoadDataEx", 209);
    WANT(launch_once() == TRI_ERROR_DRIVER + 209);
    stub_fail("cuCtxSetCurrent", 3);
    WANT(launch_once() == TRI_ERROR_DRIVER + 3);
    stub_fail(NULL, 0);
    cuCtxSetCurrent(NULL);
    WANT(stub_get_log()->retains == stub_get_log()->releases);
}

static void test_fork(void)
{
    WANT(launch_once() == 0);
    pid_t child = fork();
    if (!child) {
        stub_fail("cuCtxGetCurrent", 3); /* as the driver has it in a child */
        _exit(launch_once() != TRI_ERROR_DRIVER + 3);
    }
    int status = 1;
    waitpid(child, &status, 0);
    WANT(status == 0);
}

int main(void)
{
    void *own;
    test_first_call();
    fail_in_turn(NULL);
    cuDevicePrimaryCtxRetain(&own, 0);
    stub_get_log()->releases++; /* the program's own */
    fail_in_turn(own);
    test_releases();
    test_fork();
    return failures != 0;
}
