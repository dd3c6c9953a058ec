/* The launcher's sources under ThreadSanitizer: 64 threads make the first call of a kernel with two configurations,
 * each in one of two contexts, while others load and tune. Linked with the stand-in driver. */
#include "runtime/launch/launch.h"
#include "tests/targets/stub_cuda.h"

#include <pthread.h>
#include <stdio.h>

enum { thread_count = 64, rounds = 20 };

int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);

static const char code[] = "text";
static const tri_rt_image image = {.arch = "sm_80", .data = code, .size = sizeof code, .is_ptx = 1};
static const tri_rt_condition aligned = {.arg = 0, .bits = 32, .op = TRI_RT_DIVISIBLE, .value = 16};
static const tri_rt_variant variants[] = {
    {.symbol = "a", .conditions = &aligned, .condition_count = 1, .num_warps = 4, .num_ctas = 1},
    {.symbol = "b", .num_warps = 4, .num_ctas = 1},
    {.symbol = "c", .num_warps = 4, .num_ctas = 1},
};
static const tri_rt_part parts[] = {
    {.arch = "sm_80", .images = &image, .image_count = 1, .kind = TRI_CUDA, .variant_count = 2},
    {.arch = "sm_80", .images = &image, .image_count = 1, .kind = TRI_CUDA, .config = 1, .first_variant = 2,
     .variant_count = 1},
};
static int64_t learned[1 + TRI_RT_MAX_LEARNED * 3];
static const tri_rt_condition key = {.arg = 0, .bits = 32};
static const tri_rt_tuning tuning = {.key = &key, .learned = learned, .key_count = 1};
static const tri_rt_backend *const backends[] = {&tri_rt_cuda_backend, NULL};
static tri_rt_context contexts[TRI_RT_MAX_CONTEXTS];
static tri_rt_module modules[TRI_RT_MAX_CONTEXTS * 2];
static void *functions[TRI_RT_MAX_CONTEXTS * 3];
static tri_rt_kernel kernel = {.name = "k",
                               .backends = backends,
                               .parts = parts,
                               .variants = variants,
                               .tuning = &tuning,
                               .contexts = contexts,
                               .modules = modules,
                               .functions = functions,
                               .abi = TRI_RT_ABI,
                               .slot_count = 1,
                               .part_count = 2,
                               .config_count = 2,
                               .variant_count = 3};
static pthread_barrier_t gate;
static void *current[2];

static void *run(void *data)
{
    int number = (int)(intptr_t)data;
    const tri_grid grid = {1, 1, 1};
    int error = cuCtxSetCurrent(current[number % 2]);
    pthread_barrier_wait(&gate);
    for (int i = 0; i < rounds && !error; i++) {
        int32_t n = number * i;
        const void *args[] = {&n};
        error = tri_rt_launch(&kernel, NULL, &grid, args, NULL);
        if (!error && number % 8 == 1 && i == 3)
            error = tri_rt_tune(&kernel, NULL, &grid, args);
        if (!error && number % 8 == 2)
            error = tri_rt_load(&kernel, number % 2);
        if (!error && number % 8 == 3 && tri_rt_selected(&kernel, number % 2) < 0)
            error = -1;
    }
    return (void *)(intptr_t)error;
}

int main(void)
{
    pthread_t threads[thread_count];
    for (int i = 0; i < 2; i++)
        if (cuDevicePrimaryCtxRetain(&current[i], i))
            return 1;
    pthread_barrier_init(&gate, NULL, thread_count);
    for (intptr_t i = 0; i < thread_count; i++)
        if (pthread_create(&threads[i], NULL, run, (void *)i))
            return 2;
    for (int i = 0; i < thread_count; i++) {
        void *error;
        pthread_join(threads[i], &error);
        if (error) {
            fprintf(stderr, "thread %d: %s\n", i, tri_strerror((int)(intptr_t)error));
            return 3;
        }
    }
    for (int i = 0; i < 2; i++)
        if (tri_rt_unload(&kernel, i))
            return 4;
    return stub_get_log()->loads != 4 || stub_get_log()->unloads != 4;
}
