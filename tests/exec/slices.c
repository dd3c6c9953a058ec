/* Loops over blocks that stay in registers slice by slice: the bits of plain loops, for any number of iterations. */
#include "slices.h"
#include "tests/exec/check.h"

enum { most = 1 << 15 };
static float x[2 * most], out[64], each[2048], want[1024];

/* As reduce.c promises: lane i mod 64 (16, where there are few), from a zero below zero, then by halves. */
static float sum_of(const float *v, int n)
{
    int lanes = n >= 256 ? 64 : n < 16 ? n : 16;
    float s[64];
    for (int i = 0; i < lanes; i++)
        s[i] = -0.0f;
    for (int i = 0; i < n; i++)
        s[i % lanes] += v[i];
    for (int half = lanes / 2; half; half /= 2)
        for (int i = 0; i < half; i++)
            s[i] += s[i + half];
    return s[0];
}

static void same_bits(const char *what, int i, float got, float expected)
{
    uint32_t a, b;
    memcpy(&a, &got, 4);
    memcpy(&b, &expected, 4);
    SAME(what, i, isnan(got) && isnan(expected) ? 0 : a, isnan(got) && isnan(expected) ? 0 : b);
}

static void check_sums(int block, int n)
{
    int (*kernels[])(void *, tri_grid, const float *, float *, float *, int32_t) = {sums_1024, sums_64, sums_16};
    for (int row = 0; row < 2; row++) {
        memset(want, 0, sizeof want);
        for (int k = 0; k < n; k += block)
            for (int i = 0; i < block; i++)
                want[i] += k + i < n ? x[row * n + k + i] : 0;
        out[row] = 7;
        LAUNCH(kernels[block == 1024 ? 0 : block == 64 ? 1 : 2](0, (tri_grid){2, 1, 1}, x, out, each, n));
        same_bits("sum", n, out[row], sum_of(want, block));
        for (int i = 0; row == 0 && i < block; i++)
            same_bits("lane", i, each[i], want[i]);
    }
}

static void check_moments(int start, int n)
{
    static uint16_t half[most + 512];
    static float a[512], b[512];
    float big = -INFINITY;
    int seen = 0;
    for (int i = 0; i < n; i++)
        half[i] = (uint16_t)(random_bits() % 0x7000);
    for (int i = 0; i < 512; i++)
        a[i] = 0.25f, b[i] = 0;
    for (int k = 0; k < n; k += 512, seen++) {
        for (int i = 0; i < 512; i++) {
            float v = k + i >= start && k + i < n ? (float)*(_Float16 *)&half[k + i] : 1;
            a[i] += v;
            b[i] = fmaf(v, 0.5f, b[i]); /* exact either way: half of a number */
        }
    }
    LAUNCH(moments(0, (tri_grid){1, 1, 1}, half, out, each, start, n));
    same_bits("first", n, out[0], sum_of(a, 512));
    NEAR("second", n, out[1], sum_of(b, 512), 1e-6);
    for (int i = 0; i < 512; i++) {
        big = b[i] > big ? b[i] : big;
        NEAR("moment", i, each[i], b[i] + (float)*(_Float16 *)&half[seen * 512 + i], 1e-6);
    }
    NEAR("largest", n, out[2], big, 1e-6);
    SAME("seen", n, out[3], seen);
}

static void check_steps(int64_t lo, int64_t hi, int64_t step)
{
    static int32_t from[most], start[512], y[4][512];
    static int8_t from8[most], y8[512];
    int32_t expected[512];
    for (int i = 0; i < most; i++)
        from8[i] = (int8_t)(from[i] = (int32_t)random_bits());
    for (int i = 0; i < 512; i++)
        y8[i] = (int8_t)(start[i] = expected[i] = (int32_t)random_bits());
    for (int n = 0; n < 3; n++)
        memcpy(y[n], start, sizeof start);
    for (int64_t k = lo; k < hi; k += step) /* the counter may not pass the largest number: hi + step are less */
        for (int i = 0; i < 512; i++)
            expected[i] = (int32_t)((uint32_t)expected[i] * 3 + (uint32_t)from[i + k] + (uint32_t)k);
    LAUNCH(steps(0, (tri_grid){1, 1, 1}, from, y[0], (int32_t)lo, (int32_t)hi, (int32_t)step));
    LAUNCH(steps_long(0, (tri_grid){1, 1, 1}, from, y[1], lo, hi, step));
    LAUNCH(steps_unsigned(0, (tri_grid){1, 1, 1}, from, y[2], (uint32_t)lo, (uint32_t)hi, (uint32_t)step));
    LAUNCH(steps_narrow(0, (tri_grid){1, 1, 1}, from8, y8, (int32_t)lo, (int32_t)hi, (int32_t)step));
    for (int i = 0; i < 512; i++) {
        for (int n = 0; n < 3; n++)
            SAME("step", hi, y[n][i], expected[i]);
        SAME("narrow", hi, y8[i], (int8_t)expected[i]);
    }
}

static void check_largest(int n)
{
    float m[512], big = -INFINITY;
    int c[512] = {0}, total = 0;
    for (int i = 0; i < 512; i++)
        m[i] = -INFINITY;
    for (int k = 0; k < n; k += 512)
        for (int i = 0; i < 512 && k + i < n; i++)
            if (x[k + i] > m[i])
                m[i] = x[k + i], c[i] = k + i;
    for (int i = 0; i < 512; i++)
        total += c[i], big = m[i] > big ? m[i] : big;
    LAUNCH(largest(0, (tri_grid){1, 1, 1}, x, out, each, n));
    same_bits("maximum", n, out[0], big);
    NEAR("places", n, out[1], total, 0);
    for (int i = 0; i < 512; i++)
        same_bits("of a lane", i, each[i], m[i]);
}

static void check_several(int n)
{
    float a[512] = {0}, b[512] = {0}, c[512] = {0}, d[512] = {0};
    const float *y = x + most;
    for (int k = 0; k < n; k += 512) {
        for (int i = 0; i < 512; i++) {
            float v = k + i < n ? x[k + i] : 0, u = k + i < n ? y[k + i] : 2;
            a[i] += v;
            b[i] += u;
            c[i] = (v < c[i] ? v : c[i]) + u;
            d[i] = u - v > d[i] ? u - v : d[i];
        }
    }
    LAUNCH(several(0, (tri_grid){1, 1, 1}, x, y, out, each, n));
    same_bits("a", n, out[0], sum_of(a, 512));
    same_bits("b", n, out[1], sum_of(b, 512));
    same_bits("c", n, out[2], sum_of(c, 512));
    for (int i = 0; i < 512; i++)
        same_bits("d", i, each[i], d[i]);
}

static void check_swapped(int n)
{
    static int16_t from[512 * 20], y[512], z[512], a[512], b[512];
    for (int i = 0; i < 512 * 20; i++)
        from[i] = (int16_t)random_bits();
    for (int i = 0; i < 512; i++) {
        y[i] = a[i] = (int16_t)random_bits();
        z[i] = b[i] = (int16_t)random_bits();
        for (int k = 0; k < n; k++) {
            int16_t old = a[i];
            a[i] = b[i];
            b[i] = (int16_t)(old + from[k * 512 + i]);
        }
    }
    LAUNCH(swapped(0, (tri_grid){1, 1, 1}, from, y, z, n));
    for (int i = 0; i < 512; i++) {
        SAME("one", n, y[i], a[i]);
        SAME("other", n, z[i], b[i]);
    }
}

static void check_nothing(int n, int m)
{
    float memory[512], own[512], acc[256] = {0};
    memcpy(memory, x, sizeof memory);
    memcpy(own, x, sizeof own);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 256; i++)
            acc[i] += memory[i];
        memcpy(memory + m, acc, sizeof acc);
    }
    LAUNCH(nothing(0, (tri_grid){1, 1, 1}, own, each, n, m));
    for (int i = 0; i < 256; i++)
        same_bits("written", i, each[i], acc[i]);
}

int main(void)
{
    static const int sizes[] = {0,    1,    15,   63,       64,           65,           512,  1000,
                                1024, 1025, 4096, 7 * 1024, 8 * 1024 + 1, 9 * 1024 - 1, 16384};
    for (int i = 0; i < 2 * most; i++)
        x[i] = random_float() * 100;
    x[5] = -0.0f;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_sums(1024, sizes[i]);
        check_sums(64, sizes[i]);
        check_sums(16, sizes[i]);
        check_moments(sizes[i] / 3, sizes[i]);
        check_largest(sizes[i]);
        check_several(sizes[i]);
    }
    x[3] = x[700] = NAN, x[513] = 1e-40f, x[514] = INFINITY;
    check_largest(4000);
    check_sums(1024, 4000);
    check_steps(0, 0, 1);
    check_steps(5, 3, 1);
    check_steps(3, 4, 9);
    check_steps(0, 30000, 1000);
    check_steps(0, 9, 0x40000000); /* eight of these steps are more than there are numbers */
    check_steps(7, 80, 3);
    for (int n = 0; n < 20; n++)
        check_swapped(n);
    check_nothing(11, 100);
    if (failures)
        fprintf(stderr, "%d failures\n", failures);
    return failures != 0;
}
