#include "reduce.h"

#include "check.h"

static void sums(void)
{
    enum { m = 32, n = 50 };
    static float x[m * n], rows[m], columns[n];
    for (int i = 0; i < m * n; i++)
        x[i] = random_float();
    LAUNCH(sum_rows(NULL, one, x, rows, n));
    LAUNCH(sum_columns(NULL, one, x, columns, n));
    for (int i = 0; i < m; i++) {
        double want = 0;
        for (int j = 0; j < n; j++)
            want += x[i * n + j];
        NEAR("rows", i, rows[i], want, 1e-5);
    }
    for (int j = 0; j < n; j++) {
        double want = 0;
        for (int i = 0; i < m; i++)
            want += x[i * n + j];
        NEAR("columns", j, columns[j], want, 1e-5);
    }
}

static void bounds(void)
{
    enum { n = 200 };
    static float x[n], top, low;
    int32_t where_top, where_low;
    for (int i = 0; i < n; i++)
        x[i] = random_float();
    x[17] = x[93] = 2;
    x[40] = x[39] = -2;
    LAUNCH(extremes(NULL, one, x, &top, &where_top, &low, &where_low, n));
    NEAR("top", 0, top, 2, 0);
    NEAR("low", 0, low, -2, 0);
    SAME("where_top", 0, where_top, 17);
    SAME("where_low", 0, where_low, 39);
}

static void ints(void)
{
    enum { n = 100 };
    static int32_t x[n], out[4];
    uint32_t sum = 0, fold = 0;
    int32_t top = 0, low = 0;
    for (int i = 0; i < n; i++) {
        x[i] = (int32_t)random_bits();
        sum += (uint32_t)x[i];
        fold ^= (uint32_t)x[i];
        top = x[i] > top ? x[i] : top;
        low = x[i] < low ? x[i] : low;
    }
    LAUNCH(int_folds(NULL, one, x, out, n));
    SAME("sum", 0, out[0], (int32_t)sum);
    SAME("xor", 0, out[1], (int32_t)fold);
    SAME("max", 0, out[2], top);
    SAME("min", 0, out[3], low);
}

static void moments(void)
{
    enum { m = 16, n = 64 };
    static float x[m * n], out[2 * m];
    for (int i = 0; i < m * n; i++)
        x[i] = random_float() + 3;
    LAUNCH(welford(NULL, one, x, out));
    for (int i = 0; i < m; i++) {
        double mean = 0, squares = 0;
        for (int j = 0; j < n; j++)
            mean += x[i * n + j] / (double)n;
        for (int j = 0; j < n; j++)
            squares += (x[i * n + j] - mean) * (x[i * n + j] - mean) / n;
        NEAR("mean", i, out[i], mean, 1e-6);
        NEAR("variance", i, out[m + i], squares, 1e-5);
    }
}

static void scans(void)
{
    enum { m = 8, n = 128 };
    static float x[m * n], out[3 * m * n];
    static int32_t y[n], seen[n];
    for (int i = 0; i < m * n; i++)
        x[i] = random_float();
    for (int j = 0; j < n; j++)
        y[j] = random_bits() % 3 ? 0 : j + 1;
    LAUNCH(running(NULL, one, x, out, y, seen));
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            NEAR("cumsum", i * n + j, out[i * n + j], sum += x[i * n + j], 1e-5);
        sum = 0;
        for (int j = n - 1; j >= 0; j--)
            NEAR("reverse", i * n + j, out[2 * m * n + i * n + j], sum += x[i * n + j], 1e-5);
    }
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < m; i++)
            NEAR("columns", i * n + j, out[m * n + i * n + j], sum += x[i * n + j], 1e-5);
    }
    int32_t last = 0;
    for (int j = 0; j < n; j++) {
        last = y[j] ? y[j] : last;
        SAME("seen", j, seen[j], last);
    }
}

static void halves(void)
{
    enum { n = 512 };
    static uint16_t h[n], b[n];
    static float out[4];
    double sums[2] = {0, 0}, tops[2] = {-9, -9};
    for (int i = 0; i < n; i++) {
        h[i] = tri_float_f16_bits(random_float());
        uint32_t word;
        float f = random_float();
        memcpy(&word, &f, 4);
        b[i] = (uint16_t)(word >> 16);
        word = (uint32_t)b[i] << 16;
        memcpy(&f, &word, 4);
        double values[2] = {tri_float_f16_from_bits(h[i]), f};
        for (int k = 0; k < 2; k++) {
            sums[k] += values[k];
            tops[k] = values[k] > tops[k] ? values[k] : tops[k];
        }
    }
    LAUNCH(half_sum(NULL, one, h, b, out));
    for (int k = 0; k < 2; k++) {
        NEAR("sum", k, out[k], sums[k], 1e-5);
        NEAR("max", k, out[2 + k], tops[k], 0);
    }
}

int main(void)
{
    sums();
    bounds();
    ints();
    moments();
    scans();
    halves();
    return finish("reduce");
}
