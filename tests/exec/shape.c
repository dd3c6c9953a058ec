#include "shape.h"

#include "check.h"

static void transposed(void)
{
    enum { m = 50, n = 37 };
    static float x[m * n], out[m * n];
    for (int i = 0; i < m * n; i++)
        x[i] = random_float();
    tri_grid grid = {2, 3, 1};
    LAUNCH(transpose(NULL, grid, x, out, m, n));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            NEAR("transpose", i * n + j, out[j * m + i], x[i * n + j], 0);
}

static void paired(void)
{
    enum { n = 64 };
    static float x[2 * n], out[4 * n];
    for (int i = 0; i < 2 * n; i++)
        x[i] = random_float();
    LAUNCH(pairs(NULL, one, x, out));
    for (int j = 0; j < n; j++) {
        NEAR("split", j, out[j], x[j] - x[n + j], 0);
        NEAR("interleave", 2 * j, out[n + 2 * j], x[j], 0);
        NEAR("interleave", 2 * j + 1, out[n + 2 * j + 1], x[n + j], 0);
        NEAR("even and odd", j, out[3 * n + j], x[2 * j] * 2 + x[2 * j + 1], 1e-6);
    }
}

static void folded(void)
{
    static int32_t x[64], out[96], y[128];
    for (int i = 0; i < 64; i++)
        x[i] = (int32_t)(random_bits() >> 8);
    LAUNCH(folds(NULL, one, x, out, y));
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 2; b++)
            for (int c = 0; c < 8; c++)
                SAME("permute", a, out[(c * 4 + a) * 2 + b], x[(a * 2 + b) * 8 + c]);
    for (int a = 0; a < 4; a++)
        for (int c = 0; c < 8; c++)
            SAME("sum", a * 8 + c, out[64 + a * 8 + c], x[a * 16 + c] + x[a * 16 + 8 + c]);
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++) {
            SAME("flip", a * 8 + b, y[a * 8 + b], x[a * 8 + 7 - b]);
            SAME("broadcast", a * 8 + b, y[64 + a * 8 + b], a * 10 + b);
        }
}

static void looked_up(void)
{
    enum { n = 64, m = 32 };
    static float table[n], out[2 * m];
    static int32_t index[m], values[n], bins[16], want[16];
    for (int i = 0; i < n; i++) {
        table[i] = random_float();
        values[i] = (int32_t)(random_bits() % 16);
        want[values[i]]++;
    }
    for (int i = 0; i < m; i++)
        index[i] = (int32_t)(random_bits() % n);
    LAUNCH(lookups(NULL, one, table, index, out, values, bins));
    for (int i = 0; i < m; i++) {
        NEAR("gather", i, out[i], table[index[i]], 0);
        NEAR("indirect", i, out[m + i], table[index[i]], 0);
    }
    for (int i = 0; i < 16; i++)
        SAME("histogram", i, bins[i], want[i]);
}

static int up(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int down(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

static int up_64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int down_16(const void *a, const void *b) { return *(const int16_t *)b - *(const int16_t *)a; }

static void sorted_rows(void)
{
    enum { n = 1024 };
    static float x[n], out[n], top[24];
    static int64_t y[n], out_y[n];
    static int16_t z[n], out_z[n];
    for (int i = 0; i < n; i++) {
        x[i] = random_float();
        y[i] = (int64_t)((uint64_t)random_bits() << 32 | random_bits());
        z[i] = (int16_t)random_bits();
    }
    LAUNCH(longer(NULL, one, x, y, z, out, top, out_y, out_z));
    qsort(x, n, sizeof *x, down);
    qsort(y, n, sizeof *y, up_64);
    qsort(z, n, sizeof *z, down_16);
    for (int i = 0; i < n; i++) {
        NEAR("row", i, out[i], x[n - 1 - i], 0);
        SAME("row of 64 bits", i, out_y[i], y[i]);
        SAME("row of 16 bits", i, out_z[i], z[i]);
    }
    for (int i = 0; i < 8; i++)
        NEAR("the largest", i, top[i], x[i], 0);
    for (int i = 0; i < 16; i++)
        NEAR("the least", i, top[8 + i], x[n - 1 - i], 0);
}

static void sorted(void)
{
    static int32_t x[64], out[64], top[8];
    static float y[64], out_y[64];
    for (int i = 0; i < 64; i++) {
        x[i] = (int32_t)random_bits();
        y[i] = random_float();
    }
    LAUNCH(ordered(NULL, one, x, y, out, out_y, top));
    qsort(x, 64, sizeof *x, up);
    for (int i = 0; i < 64; i++)
        SAME("sort", i, out[i], x[i]);
    for (int i = 0; i < 8; i++)
        SAME("topk", i, top[i], x[63 - i]);
    for (int r = 0; r < 4; r++)
        qsort(y + 16 * r, 16, sizeof *y, down);
    for (int i = 0; i < 64; i++)
        NEAR("descending", i, out_y[i], y[i], 0);
}

static void joined(void)
{
    static int32_t x[64], out[64];
    for (int i = 0; i < 64; i++)
        x[i] = i * 7;
    LAUNCH(catenate(NULL, one, x, out));
    int64_t sum = 0, want = 0;
    for (int i = 0; i < 64; i++) {
        sum += out[i];
        want += i < 32 ? x[i] : x[i] * 3;
    }
    SAME("cat", 0, sum, want);
}

int main(void)
{
    transposed();
    paired();
    folded();
    looked_up();
    sorted();
    sorted_rows();
    joined();
    return finish("shape");
}
