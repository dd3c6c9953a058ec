/* Times each kernel beside plain C: the best of interleaved runs, and the ratio. */
#include "kernels.h"
#include "plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { big = 1 << 22, rows = 1024, columns = 1000, side = 768, context = 1024, depth = 64, repeats = 15 };

static float *x, *y, *z, *w, *b, *ref;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tri_grid grid(int gx, int gy) { return (tri_grid){(uint32_t)gx, (uint32_t)gy, 1}; }

static void k_vecadd(void) { vecadd(NULL, grid(big / 4096, 1), x, y, z, big); }
static void c_vecadd(void) { plain_vecadd(x, y, ref, big); }
static void k_small_vecadd(void) { vecadd(NULL, grid(2, 1), x, y, z, 8000); }
static void c_small_vecadd(void) { plain_vecadd(x, y, ref, 8000); }
static void k_axpy(void) { axpy(NULL, grid(big / 4096, 1), x, z, 0.5f, big); }
static void c_axpy(void) { plain_axpy(x, ref, 0.5f, big); }
static void k_gelu(void) { gelu(NULL, grid(big / 4096, 1), x, z, big); }
static void c_gelu(void) { plain_gelu(x, ref, big); }
static void k_softmax(void) { softmax(NULL, grid(rows, 1), x, z, columns); }
static void c_softmax(void) { plain_softmax(x, ref, rows, columns); }
static void k_layernorm(void) { layernorm(NULL, grid(rows, 1), x, z, w, b, columns, 1e-5f); }
static void c_layernorm(void) { plain_layernorm(x, ref, w, b, rows, columns, 1e-5f); }
static void k_rowsum(void) { rowsum(NULL, grid(rows, 1), x, z, 4000); }
static void c_rowsum(void) { plain_rowsum(x, ref, rows, 4000); }
static void k_transpose(void) { transpose(NULL, grid(1000 / 32 + 1, 1000 / 32 + 1), x, z, 1000, 1000); }
static void c_transpose(void) { plain_transpose(x, ref, 1000, 1000); }
static void k_matmul(void) { matmul(NULL, grid(side / 64, side / 64), x, y, z, side, side, side); }
static void c_matmul(void) { plain_matmul(x, y, ref, side, side, side); }
static void k_attention(void) { attention(NULL, grid(context / 32, 1), x, y, w, z, context, 0.125f); }
static void c_attention(void) { plain_attention(x, y, w, ref, context, 0.125f); }

static void report(const char *name, void (*kernel)(void), void (*plain)(void), long outputs, double flops)
{
    double best[2] = {1e9, 1e9};
    kernel();
    plain();
    double worst = 0;
    for (long i = 0; i < outputs; i++)
        worst = fmax(worst, fabs((double)z[i] - (double)ref[i]) / (1 + fabs((double)ref[i])));
    for (int r = 0; r < repeats; r++)
        for (int side_ = 0; side_ < 2; side_++) {
            double start = now(), spent;
            int count = 0;
            do {
                side_ ? plain() : kernel();
                count++;
            } while ((spent = now() - start) < 0.002);
            best[side_] = fmin(best[side_], spent / count);
        }
    double k = best[0], c = best[1];
    printf("%-12s %10.1f us %10.1f us   %5.2fx", name, k * 1e6, c * 1e6, c / k);
    if (flops > 0)
        printf("   %6.1f GFLOP/s", flops / k * 1e-9);
    printf("%s\n", worst > 1e-4 ? "   WRONG" : "");
}

int main(void)
{
    float **all[] = {&x, &y, &z, &w, &b, &ref};
    for (int i = 0; i < 6; i++) {
        *all[i] = aligned_alloc(64, sizeof(float) * big);
        if (!*all[i])
            return 1;
        for (long k = 0; k < big; k++)
            (*all[i])[k] = i == 2 || i == 5 ? 0 : (float)rand() / (float)RAND_MAX - 0.5f;
    }
    printf("%-12s %13s %13s   %s\n", "", "tritcc", "plain C", "speed");
    report("vecadd", k_vecadd, c_vecadd, big, 0);
    report("vecadd 8000", k_small_vecadd, c_small_vecadd, 8000, 0);
    memset(z, 0, sizeof(float) * big);
    memset(ref, 0, sizeof(float) * big);
    report("axpy", k_axpy, c_axpy, 0, 0);
    report("gelu", k_gelu, c_gelu, big, 0);
    report("softmax", k_softmax, c_softmax, rows * columns, 0);
    report("layernorm", k_layernorm, c_layernorm, rows * columns, 0);
    report("rowsum", k_rowsum, c_rowsum, rows, 0);
    report("transpose", k_transpose, c_transpose, 1000000, 0);
    report("matmul", k_matmul, c_matmul, side * side, 2.0 * side * side * side);
    report("attention", k_attention, c_attention, context * depth, 4.0 * context * context * depth);
    return 0;
}
