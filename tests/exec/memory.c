#include "memory.h"

#include "check.h"

static void overlapping(void)
{
    enum { n = 200 };
    static float x[260], y[260], want[260];
    for (int i = 0; i < n + 1; i++)
        x[i] = want[i] = random_float();
    memmove(want + 1, want, n * sizeof *want);
    LAUNCH(shift(NULL, one, x, n));
    for (int i = 0; i < n + 1; i++)
        NEAR("shift", i, x[i], want[i], 0);
    for (int i = 0; i < n; i++) {
        x[i] = random_float();
        y[i] = random_float();
        want[i] = x[i];
    }
    static float z[260];
    memcpy(z, y, sizeof z);
    LAUNCH(in_place(NULL, one, x, y, n));
    for (int i = 0; i < n; i++) {
        NEAR("sum", i, x[i], want[i] + z[i], 0);
        NEAR("difference", i, y[i], want[i] - z[i], 0);
    }
    /* both names for one vector */
    memcpy(x, want, sizeof x);
    LAUNCH(in_place(NULL, one, x, x, n));
    for (int i = 0; i < n; i++)
        NEAR("aliased", i, x[i], 0, 0);
}

static void ordered(void)
{
    enum { n = 64 };
    static int32_t x[n], y[n + 2], want[n];
    for (int i = 0; i < n; i++)
        x[i] = want[i] = i * 3;
    LAUNCH(ordering(NULL, one, x, y));
    for (int i = 0; i < n; i++)
        SAME("old and new", i, y[i], want[i] + 7);
    SAME("first", 0, y[n], 7);
    SAME("second", 0, y[n + 1], 8);
}

static void updated(void)
{
    enum { n = 150 };
    static int32_t counts[8], limits[7], olds[n];
    static float sums[4];
    int32_t bits = 0, fold = 0;
    limits[0] = -5;
    limits[1] = 5;
    limits[3] = -1;
    for (int j = 0; j < n; j++) {
        bits |= 1 << j % 31;
        fold ^= j;
    }
    tri_grid grid = {3, 1, 1};
    LAUNCH(atomics(NULL, grid, counts, sums, limits, olds, n));
    for (int i = 0; i < 8; i++)
        SAME("count", i, counts[i], n / 8 + (i < n % 8));
    for (int i = 0; i < 4; i++)
        NEAR("sum", i, sums[i], 0.5 * (n / 4 + (i < n % 4)), 0);
    for (int j = 0; j < n; j++)
        SAME("old", j, olds[j], j / 8);
    int32_t want[7] = {n - 1, -(n - 1), bits, -32, fold, 9, 9};
    for (int i = 0; i < 7; i++)
        SAME("limit", i, limits[i], want[i]);
    int64_t a = 0;
    double d = 0;
    uint32_t u = 0;
    uint16_t h[2] = {0, 0};
    LAUNCH(more_atomics(NULL, one, &a, &d, &u, h));
    SAME("i64", 0, a, (int64_t)496 << 33);
    NEAR("fp64", 0, d, 124, 0);
    SAME("u32", 0, u, 0x8000001fu);
    NEAR("fp16", 0, tri_float_f16_from_bits(h[0]), 16, 0);
    NEAR("fp16", 1, tri_float_f16_from_bits(h[1]), 16, 0);
}

static void swapped(void)
{
    int32_t lock = 0, x[16], out[18];
    for (int i = 0; i < 16; i++)
        x[i] = i % 3 ? 3 : 4;
    LAUNCH(swap(NULL, one, &lock, x, out));
    SAME("lock", 0, lock, 5);
    SAME("first", 0, out[0], 0);
    SAME("second", 0, out[1], 5);
    for (int i = 0; i < 16; i++) {
        SAME("old", i, out[2 + i], i % 3 ? 3 : 4);
        SAME("new", i, x[i], i % 3 ? i + 100 : 4);
    }
}

static void addressed(void)
{
    enum { n = 100, m = 32 };
    static float x[m * 200], out[2 * m * m], got[n];
    static int32_t index[n];
    for (int i = 0; i < m * 200; i++)
        x[i] = random_float();
    for (int i = 0; i < n; i++)
        index[i] = (i * 37) % n;
    LAUNCH(scattered(NULL, one, x, index, got, n));
    for (int i = 0; i < n; i++)
        NEAR("scatter", i, got[i], x[i] * 2, 0);
    LAUNCH(strided(NULL, one, x, out, 150, 2));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            NEAR("strided", i * m + j, out[i * m + j], x[i * 150 + j * 2] + x[3 * j + i], 0);
            NEAR("reversed", i * m + j, out[m * m + m * m - 1 - (i * m + j)], x[i * 150 + j * 2], 0);
        }
}

static void bounded(void)
{
    enum { n = 128 };
    static float x[n], out[3 * n];
    static const int32_t bounds[][2] = {{0, 128}, {5, 100}, {17, 18}, {50, 50}, {90, 20}, {-7, 300}, {16, 32}};
    for (int i = 0; i < n; i++)
        x[i] = random_float();
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        int32_t lo = bounds[b][0], hi = bounds[b][1];
        for (int i = 0; i < 3 * n; i++)
            out[i] = 9;
        LAUNCH(windows(NULL, one, x, out, lo, hi));
        for (int i = 0; i < n; i++) {
            int inside = i >= lo && i < hi;
            NEAR("load", i, out[i], inside ? x[i] : -1, 0);
            NEAR("store", i, out[n + i], inside ? x[i] * 2 : 9, 0);
            NEAR("backwards", i, out[2 * n + i], n - 1 - i < hi ? x[n - 1 - i] : -2, 0);
        }
    }
}

static void tables(void)
{
    static float rows[4][64], out[64];
    int64_t table[4];
    for (int r = 0; r < 4; r++) {
        table[r] = (int64_t)(uintptr_t)rows[r];
        for (int i = 0; i < 64; i++)
            rows[r][i] = random_float();
    }
    LAUNCH(pointers(NULL, one, table, out));
    for (int i = 0; i < 64; i++)
        NEAR("pointers", i, out[i], ((rows[0][i] + rows[1][i]) + rows[2][i]) + rows[3][i], 1e-6);
}

static void chosen(void)
{
    enum { n = 50, block = 64 };
    static float x[block], out[2 * block + 1];
    static int32_t keep[n];
    double sum = 0;
    for (int i = 0; i < block; i++) {
        x[i] = random_float();
        out[i] = 9;
        if (i < n) {
            keep[i] = (int32_t)(random_bits() % 3);
            sum += keep[i] > 1 ? x[i] : 0;
        }
    }
    LAUNCH(filtered(NULL, one, x, keep, out, n));
    for (int i = 0; i < block; i++) {
        int is_kept = i < n && keep[i] > 0;
        NEAR("masked", i, out[i], is_kept ? x[i] : 9, 0);
        NEAR("other", i, out[block + i], is_kept ? x[i] : -1, 0);
    }
    NEAR("sum", 0, out[2 * block], sum, 1e-5);
}

int main(void)
{
    chosen();
    overlapping();
    ordered();
    updated();
    swapped();
    addressed();
    bounded();
    tables();
    return finish("memory");
}
