/* What the example programs share: arrays at aligned addresses, numbers for them, and a check against a reference. */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* At an address that is divisible by 64, filled with bytes that no float should keep. Ends the program when out of
 * memory. */
static void *array(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memset(p, 0xff, bytes);
}

/* Floats from -1 to 1, the same in each run. */
static float *random_floats(size_t n)
{
    static uint32_t state = 1;
    float *p = array(n * sizeof *p);
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        p[i] = (float)(int32_t)state / 2147483648.0f;
    }
    return p;
}

/* A launcher's answer: anything but 0 ends the program. */
#define MUST(call) must(#call, call)
static void must(const char *what, int error)
{
    if (!error)
        return;
    fprintf(stderr, "%s: %s\n", what, tri_strerror(error));
    exit(1);
}

/* Ends the program at an element that is off by more than `tolerance`; keeps the largest error. */
static double worst;
static void near(size_t at, double got, double want, double tolerance)
{
    double error = fabs(got - want);
    if (!(error <= tolerance)) {
        fprintf(stderr, "element %zu is %g, not %g\n", at, got, want);
        exit(1);
    }
    worst = error > worst ? error : worst;
}

#endif
