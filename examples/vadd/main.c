/* Runs add_kernel on the host and checks every element against a double sum. */
#include "vadd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { size = 98432, block = 1024 };

int main(void)
{
    static float x[size + 16], y[size + 16], out[size + 16];
    float *xs = x, *ys = y, *os = out;
    /* the signature promises 16-byte alignment */
    while ((size_t)xs % 64)
        xs++;
    while ((size_t)ys % 64)
        ys++;
    while ((size_t)os % 64)
        os++;
    srand(0);
    for (int i = 0; i < size; i++) {
        xs[i] = (float)rand() / (float)RAND_MAX;
        ys[i] = (float)rand() / (float)RAND_MAX;
        os[i] = NAN;
    }
    tri_grid grid = {(size + block - 1) / block, 1, 1};
    int error = add_kernel(NULL, grid, xs, ys, os, size);
    if (error) {
        fprintf(stderr, "add_kernel: %s\n", tri_strerror(error));
        return 1;
    }
    double worst = 0, sum = 0;
    for (int i = 0; i < size; i++) {
        double want = (double)(float)((double)xs[i] + (double)ys[i]);
        double difference = fabs(want - (double)os[i]);
        if (!(difference <= 0)) {
            fprintf(stderr, "element %d is %g, not %g\n", i, (double)os[i], want);
            return 1;
        }
        worst = difference > worst ? difference : worst;
        sum += (double)os[i];
    }
    printf("vadd: %d elements, sum %.6f, largest error %g\n", size, sum, worst);
    return 0;
}
