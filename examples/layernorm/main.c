/* Runs _layer_norm_fwd_fused on the host and checks outputs, means and 1/std against double. */
#include "layernorm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 151, columns = 3000 };

static float *alloc(size_t count)
{
    float *p = aligned_alloc(64, (count * sizeof *p + 63) / 64 * 64);
    if (!p)
        exit(1);
    for (size_t i = 0; i < count; i++)
        p[i] = NAN;
    return p;
}

static double uniform(void) { return rand() / (double)RAND_MAX; }

static int is_near(const char *what, int row, int column, double got, double want, double tolerance, double *worst)
{
    double difference = fabs(got - want);
    if (!(difference <= tolerance * (1 + fabs(want)))) {
        fprintf(stderr, "%s of row %d, column %d is %g, not %g\n", what, row, column, got, want);
        return 0;
    }
    *worst = difference > *worst ? difference : *worst;
    return 1;
}

static int check(int r, const float *in, const float *out, const float *w, const float *b, double mean, double rstd,
                 double eps, double *worst)
{
    double sum = 0, squares = 0;
    for (int c = 0; c < columns; c++)
        sum += in[c];
    sum /= columns;
    for (int c = 0; c < columns; c++)
        squares += (in[c] - sum) * (in[c] - sum);
    double scale = 1 / sqrt(squares / columns + eps);
    if (!is_near("mean", r, 0, mean, sum, 1e-5, worst) || !is_near("1/std", r, 0, rstd, scale, 1e-5, worst))
        return 0;
    for (int c = 0; c < columns; c++)
        if (!is_near("output", r, c, out[c], (in[c] - sum) * scale * w[c] + b[c], 1e-5, worst))
            return 0;
    return 1;
}

int main(void)
{
    size_t count = (size_t)rows * columns;
    float *x = alloc(count), *y = alloc(count), *w = alloc(columns), *b = alloc(columns);
    float *mean = alloc(rows), *rstd = alloc(rows), eps = 1e-5f;
    srand(0);
    for (size_t i = 0; i < count; i++)
        x[i] = (float)(-2.3 + 0.5 * (uniform() + uniform() + uniform() - 1.5));
    for (int c = 0; c < columns; c++) {
        w[c] = (float)uniform();
        b[c] = (float)uniform();
    }
    tri_grid grid = {rows, 1, 1};
    int error = _layer_norm_fwd_fused(NULL, grid, x, y, w, b, mean, rstd, columns, columns, eps);
    if (error) {
        fprintf(stderr, "_layer_norm_fwd_fused: %s\n", tri_strerror(error));
        return 1;
    }
    double worst = 0;
    for (int r = 0; r < rows; r++)
        if (!check(r, x + (size_t)r * columns, y + (size_t)r * columns, w, b, mean[r], rstd[r], eps, &worst))
            return 1;
    printf("layernorm: %d x %d, mean[0] %.6f, largest error %.3g\n", rows, columns, (double)mean[0], worst);
    return 0;
}
