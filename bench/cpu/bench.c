/* Times each kernel beside plain C, with one thread and with two: medians of interleaved runs, and their ratio.
 * One thread is measured in processor time, which other programs disturb less; two in time that passes.
 * With -DHAVE_OPENBLAS the products are also compared with its sgemm. */
#include "kernels.h"
#include "plain.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef HAVE_OPENBLAS
#include <cblas.h>
#endif

enum { big = 1 << 22, rows = 1024, columns = 1000, context = 1024, depth = 64, side = 1000, runs = 15 };

static float *x, *y, *z, *w, *b, *ref;
static int threads, order; /* order: of the matrices */

static double now(void)
{
    struct timespec t;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tri_grid grid(int gx, int gy) { return (tri_grid){(uint32_t)gx, (uint32_t)gy, 1}; }

/* Each thread's share of `count` pieces of work. */
#define SHARED(count, call) \
    _Pragma("omp parallel num_threads(threads)") \
    { \
        long from = (long)(count) * omp_get_thread_num() / threads; \
        long n = (long)(count) * (omp_get_thread_num() + 1) / threads - from; \
        call; \
    }

static void k_vecadd(void) { vecadd(NULL, grid(big / 4096, 1), x, y, z, big); }
static void c_vecadd(void) { SHARED(big, plain_vecadd(x + from, y + from, ref + from, (int)n)) }
static void k_small(void) { vecadd(NULL, grid(2, 1), x, y, z, 8000); }
static void c_small(void) { SHARED(8000, plain_vecadd(x + from, y + from, ref + from, (int)n)) }
static void k_axpy(void) { axpy(NULL, grid(big / 4096, 1), x, z, 0.5f, big); }
static void c_axpy(void) { SHARED(big, plain_axpy(x + from, ref + from, 0.5f, (int)n)) }
static void k_gelu(void) { gelu(NULL, grid(big / 4096, 1), x, z, big); }
static void c_gelu(void) { SHARED(big, plain_gelu(x + from, ref + from, (int)n)) }
static void k_softmax(void) { softmax(NULL, grid(rows, 1), x, z, columns); }
static void c_softmax(void) { SHARED(rows, plain_softmax(x + from * columns, ref + from * columns, (int)n, columns)) }
static void k_layernorm(void) { layernorm(NULL, grid(rows, 1), x, z, w, b, columns, 1e-5f); }
static void c_layernorm(void)
{
    SHARED(rows, plain_layernorm(x + from * columns, ref + from * columns, w, b, (int)n, columns, 1e-5f))
}
static void k_rowsum(void) { rowsum(NULL, grid(rows, 1), x, z, 4000); }
static void c_rowsum(void) { SHARED(rows, plain_rowsum(x + from * 4000, ref + from, (int)n, 4000)) }
static void k_transpose(void) { transpose(NULL, grid(side / 64 + 1, side / 64 + 1), x, z, side, side); }
static void c_transpose(void) { SHARED(side, plain_transpose(x + from * side, ref + from, (int)n, side, side)) }
static void k_attention(void) { attention(NULL, grid(context / 32, 1), x, y, w, z, context, 0.125f); }
static void c_attention(void)
{
    SHARED(context / 4,
           plain_attention(x + from * 4 * depth, y, w, ref + from * 4 * depth, (int)n * 4, context, 0.125f))
}
static void k_matmul(void) { matmul(NULL, grid(order / 64, order / 64), x, y, z, order, order, order); }
static void c_matmul(void)
{
    SHARED(order, plain_matmul(x + from * order, y, ref + from * order, (int)n, order, order))
}
#ifdef HAVE_OPENBLAS
static void b_matmul(void)
{
    openblas_set_num_threads(threads);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, order, order, order, 1, x, order, y, order, 0, ref, order);
}
#else
#define b_matmul NULL
#endif

static int ascending(const void *p, const void *q)
{
    double d = *(const double *)p - *(const double *)q;
    return (d > 0) - (d < 0);
}

static double once(void (*run)(void))
{
    double start = now(), spent;
    int count = 0;
    do {
        run();
        count++;
    } while ((spent = now() - start) < 0.002);
    return spent / count;
}

/* Medians of the functions that are not null. */
static void measure(void (*const *run)(void), int count, double *out)
{
    double t[3][runs];
    omp_set_num_threads(threads);
    for (int r = 0; r < runs; r++)
        for (int k = 0; k < count; k++)
            t[k][r] = run[k] ? once(run[k]) : 0;
    for (int k = 0; k < count; k++) {
        qsort(t[k], runs, sizeof **t, ascending);
        out[k] = t[k][runs / 2];
    }
}

/* The rows asked for on the command line, by how they begin; all when there are none. */
static char **wanted;

static int is_wanted(const char *name)
{
    for (char **w = wanted; *w; w++)
        if (!strncmp(name, *w, strlen(*w)))
            return 1;
    return !*wanted;
}

static void report(const char *name, void (*kernel)(void), void (*plain)(void), void (*blas)(void), long outputs,
                   double flops)
{
    void (*const all[3])(void) = {kernel, plain, blas};
    double worst = 0, t[3];
    if (!is_wanted(name))
        return;
    printf("%-12s", name);
    for (threads = 1; threads <= 2; threads++) {
        omp_set_num_threads(threads);
        tri_threads(threads);
        kernel();
        plain();
        for (long i = 0; i < outputs; i++)
            worst = fmax(worst, fabs((double)z[i] - (double)ref[i]) / (1 + fabs((double)ref[i])));
        measure(all, 3, t);
        printf(" %10.1f %10.1f %6.2fx", t[0] * 1e6, t[1] * 1e6, t[1] / t[0]);
        if (flops > 0)
            printf(" %6.1f", flops / t[0] * 1e-9);
        else
            printf("       ");
        if (blas)
            printf(" %4.0f %%", 100 * t[2] / t[0]);
        else
            printf("       ");
    }
    printf("%s\n", worst > 1e-4 ? "   WRONG" : "");
}

int main(int argc, char **argv)
{
    (void)argc;
    wanted = argv + 1;
    float **all[] = {&x, &y, &z, &w, &b, &ref};
    for (int i = 0; i < 6; i++) {
        *all[i] = aligned_alloc(64, sizeof(float) * big);
        if (!*all[i])
            return 1;
        for (long k = 0; k < big; k++)
            (*all[i])[k] = i == 2 || i == 5 ? 0 : (float)rand() / (float)RAND_MAX - 0.5f;
    }
    printf("%-12s %-43s%s\n", "", " 1 thread", "  2 threads");
    printf("%-12s", "");
    for (int k = 0; k < 2; k++)
        printf(" %10s %10s %7s %6s %6s", "tritcc us", "plain us", "speed", "GFLOPs", "BLAS");
    printf("\n");
    report("vecadd", k_vecadd, c_vecadd, NULL, big, 0);
    report("vecadd 8000", k_small, c_small, NULL, 8000, 0);
    memset(z, 0, sizeof(float) * big);
    memset(ref, 0, sizeof(float) * big);
    report("axpy", k_axpy, c_axpy, NULL, 0, 0);
    report("gelu", k_gelu, c_gelu, NULL, big, 0);
    report("softmax", k_softmax, c_softmax, NULL, rows * columns, 0);
    report("layernorm", k_layernorm, c_layernorm, NULL, rows * columns, 0);
    report("rowsum", k_rowsum, c_rowsum, NULL, rows, 0);
    report("transpose", k_transpose, c_transpose, NULL, side * side, 0);
    report("attention", k_attention, c_attention, NULL, context * depth, 4.0 * context * context * depth);
    for (order = 512; order <= 2048; order *= 2) {
        char name[32];
        snprintf(name, sizeof name, "matmul %d", order);
        report(name, k_matmul, c_matmul, b_matmul, (long)order * order, 2.0 * order * order * order);
    }
    return 0;
}
