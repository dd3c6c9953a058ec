/* Small words for programs that check kernels. */
#ifndef TRI_TESTS_EXEC_CHECK_H
#define TRI_TESTS_EXEC_CHECK_H

#include "runtime/float.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define LAUNCH(call) \
    do { \
        int error_ = (call); \
        if (error_) { \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, tri_strerror(error_)); \
            failures++; \
        } \
    } while (0)

static inline void fail_at(int line, const char *what, long i, double got, double want)
{
    if (failures++ < 10)
        fprintf(stderr, "line %d: %s[%ld] is %.9g, not %.9g\n", line, what, i, got, want);
}

/* |got - want| <= tolerance * (1 + |want|), or both NaN, or the same infinity */
static inline void near_(int line, const char *what, long i, double got, double want, double tolerance)
{
    if (isnan(want) ? isnan(got) : got == want || fabs(got - want) <= tolerance * (1 + fabs(want)))
        return;
    fail_at(line, what, i, got, want);
}
#define NEAR(what, i, got, want, tolerance) near_(__LINE__, what, (long)(i), (double)(got), (double)(want), tolerance)

static inline void same_(int line, const char *what, long i, int64_t got, int64_t want)
{
    if (got != want)
        fail_at(line, what, i, (double)got, (double)want);
}
#define SAME(what, i, got, want) same_(__LINE__, what, (long)(i), (int64_t)(got), (int64_t)(want))

static uint64_t random_state = 88172645463325252u;
static inline uint32_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}
/* in [-1, 1) */
static inline float random_float(void) { return (float)(int32_t)random_bits() / 2147483648.0f; }

/* bfloat16: the upper half of a float, cut. */
static inline uint16_t to_bf16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return (uint16_t)(bits >> 16);
}

static inline float from_bf16(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static const tri_grid one = {1, 1, 1};

static inline int finish(const char *name)
{
    if (!failures)
        printf("%s: ok\n", name);
    return failures != 0;
}

#endif
