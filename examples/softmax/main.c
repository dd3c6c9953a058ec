/* Runs softmax_kernel on the host and checks every element against a double softmax. */
#include "softmax.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 1823, columns = 781, programs = 64 };

static float normal(void)
{
    double u = (rand() + 1.0) / (RAND_MAX + 2.0), v = (rand() + 1.0) / (RAND_MAX + 2.0);
    return (float)(sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
}

int main(void)
{
    float *x = aligned_alloc(64, (size_t)rows * columns * sizeof *x / 64 * 64 + 64);
    float *y = aligned_alloc(64, (size_t)rows * columns * sizeof *y / 64 * 64 + 64);
    if (!x || !y)
        return 1;
    srand(0);
    for (int i = 0; i < rows * columns; i++) {
        x[i] = normal();
        y[i] = NAN;
    }
    tri_grid grid = {programs, 1, 1};
    int error = softmax_kernel(NULL, grid, y, x, columns, columns, rows, columns);
    if (error) {
        fprintf(stderr, "softmax_kernel: %s\n", tri_strerror(error));
        return 1;
    }
    double worst = 0, total = 0;
    for (int r = 0; r < rows; r++) {
        const float *in = x + (size_t)r * columns, *out = y + (size_t)r * columns;
        double top = in[0], sum = 0;
        for (int c = 1; c < columns; c++)
            top = in[c] > top ? in[c] : top;
        for (int c = 0; c < columns; c++)
            sum += exp(in[c] - top);
        for (int c = 0; c < columns; c++) {
            double want = exp(in[c] - top) / sum;
            double difference = fabs(out[c] - want) / want;
            if (!(difference <= 1e-5)) {
                fprintf(stderr, "row %d column %d is %g, not %g\n", r, c, (double)out[c], want);
                return 1;
            }
            worst = difference > worst ? difference : worst;
            total += out[c];
        }
    }
    printf("softmax: %d x %d, rows sum to %.6f on average, largest relative error %.3g\n", rows, columns,
           total / rows, worst);
    free(x);
    free(y);
    return 0;
}
