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

static void odd(void)
{
    enum { m = 16, n = 32 };
    static float x[m * n], out[2 * m + 2 * n];
    static const float kinds[] = {NAN, -INFINITY, INFINITY, 1, -2};
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < m * n; i++) /* rows and columns of one kind, or of two */
            x[i] = kinds[round < 100 ? (round + (i / n) * (round & 1) + (i % 7 == 0) * (round % 3)) % 5
                                     : (round + (i % n) * (round & 1) + (i % 5 == 0) * (round % 3)) % 5];
        LAUNCH(odd_bounds(NULL, one, x, out));
        for (int i = 0; i < m; i++) {
            float top = NAN, low = NAN;
            for (int j = 0; j < n; j++) {
                top = fmaxf(top, x[i * n + j]);
                low = fminf(low, x[i * n + j]);
            }
            NEAR("top of a row", i, out[i], top, 0);
            NEAR("low of a row", i, out[m + i], low, 0);
        }
        for (int j = 0; j < n; j++) {
            float top = NAN, low = NAN;
            for (int i = 0; i < m; i++) {
                top = fmaxf(top, x[i * n + j]);
                low = fminf(low, x[i * n + j]);
            }
            NEAR("top of a column", j, out[2 * m + j], top, 0);
            NEAR("low of a column", j, out[2 * m + n + j], low, 0);
        }
        LAUNCH(odd_line(NULL, one, x, out));
        float top = NAN, low = NAN;
        for (int j = 0; j < n; j++) {
            top = fmaxf(top, x[j]);
            low = fminf(low, x[j]);
        }
        NEAR("top", round, out[0], top, 0);
        NEAR("low", round, out[1], low, 0);
    }
}

static void wide(void)
{
    enum { m = 32, n = 100 };
    static float x[m * n], sums[n], tops[n];
    for (int i = 0; i < m * n; i++)
        x[i] = random_float();
    LAUNCH(wide_columns(NULL, one, x, sums, tops, n));
    for (int j = 0; j < n; j++) {
        double sum = 0, top = 1;
        for (int i = 0; i < 30; i++) {
            sum += x[i * n + j];
            top = fmax(top, exp(x[i * n + j]));
        }
        NEAR("sum of a column", j, sums[j], sum, 1e-5);
        NEAR("top of a column", j, tops[j], top, 1e-6);
    }
}

static void chunked(void)
{
    enum { m = 4, n = 64, count = 128 };
    static float x[m * n], sums[m * n], tops[m * n], back[m * n];
    for (int i = 0; i < m * n; i++)
        x[i] = random_float();
    LAUNCH(running_rows(NULL, one, x, sums, tops, back));
    for (int i = 0; i < m; i++) {
        double sum = 0, top = -INFINITY, rest = 0;
        for (int j = 0; j < n; j++) {
            sum += x[i * n + j];
            top = fmax(top, x[i * n + j]);
            NEAR("running sum", i * n + j, sums[i * n + j], sum, 1e-5);
            NEAR("running top", i * n + j, tops[i * n + j], top, 0);
        }
        for (int j = n; j-- > 0;) {
            rest += x[i * n + j];
            NEAR("sum from behind", i * n + j, back[i * n + j], rest, 1e-5);
        }
    }
    static int32_t v[count], flags[count], out[count], seen[count];
    for (int i = 0; i < count; i++) {
        v[i] = (int32_t)(random_bits() % 100);
        flags[i] = random_bits() % 9 == 0;
    }
    LAUNCH(segments(NULL, one, v, flags, out, seen));
    for (int i = 0, sum = 0, any = 0; i < count; i++) {
        sum = flags[i] ? v[i] : sum + v[i];
        any |= flags[i];
        SAME("segment", i, out[i], sum);
        SAME("seen", i, seen[i], any);
    }
}

/* Quotients by one number are the rounded ones, and lanes that a mask leaves out are none. */
static void quotients(void)
{
    enum { n = 256 };
    static float x[n], out[n];
    for (int count = 1; count <= n; count += 51) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            x[i] = i < 3 ? -3e38f : i % 7 == 0 ? -95 + random_float() : i % 5 == 0 ? -INFINITY : 4 * random_float();
        LAUNCH(normalised(NULL, one, x, out, count));
        float top = -INFINITY;
        for (int i = 0; i < count; i++)
            top = fmaxf(top, x[i]);
        for (int i = 0; i < count; i++)
            sum += exp((double)x[i] - top);
        for (int i = 0; i < count; i++)
            if (!(fabs(out[i] - exp((double)x[i] - top) / sum) <= 1e-6 * out[i] + 2e-45))
                fail_at(__LINE__, "quotient", i, out[i], exp((double)x[i] - top) / sum);
    }
}

static void masked_sums(void)
{
    enum { n = 512 };
    static const float others[] = {0.0f, -0.0f, 1.5f, -INFINITY, -400.0f, NAN}, scales[] = {1.0f, -1.0f};
    float x[n], out[2];
    for (int i = 0; i < n; i++)
        x[i] = random_float();
    for (int count = 0; count <= n; count += 37) {
        for (int k = 0; k < 12; k++) {
            float other = others[k / 2], scale = scales[k % 2];
            double sum = 0, powers = 0;
            LAUNCH(masked_sum(NULL, one, x, out, other, scale, count));
            for (int i = 0; i < n; i++) {
                sum += (double)(i < count ? x[i] : other) * scale;
                powers += exp2(i < count ? x[i] : other);
            }
            NEAR("masked sum", count, out[0], sum, 1e-5);
            NEAR("masked powers", count, out[1], powers, 1e-5);
            if (!count && other == 0)
                SAME("its sign", k, signbit(out[0]) != 0, (signbit(other) != 0) != (scale < 0));
        }
    }
}

static void masked_parts_of_sums(void)
{
    enum { n = 512 };
    float x[n], out[n];
    for (int i = 0; i < n; i++)
        x[i] = random_float();
    for (int count = 1; count <= n; count += 73) {
        double sum = 0;
        for (int i = 0; i < count; i++)
            sum += exp2(x[i]);
        LAUNCH(masked_parts(NULL, one, x, out, count));
        for (int i = 0; i < count; i++)
            NEAR("two masks", i, out[i], i < count / 2 ? exp2(x[i]) / sum : exp2(x[i]) - sum, 1e-5 * sum);
    }
}

static void kept_beside(void)
{
    enum { n = 203 };
    static float x[n], y[n], out[n], v[n], w[n];
    double scale = 0;
    for (int i = 0; i < n; i++) {
        v[i] = x[i] = random_float();
        w[i] = y[i] = random_float();
        scale += x[i] * (double)y[i] + x[i];
    }
    scale += y[0];
    LAUNCH(beside(NULL, one, x, y, out, n));
    for (int i = 0; i < n; i++) {
        NEAR("first", i, x[i], v[i] * scale, 1e-5);
        NEAR("second", i, y[i], w[i] * scale, 1e-5);
        NEAR("both", i, out[i], v[i] * w[i] * scale, 1e-5);
    }
    for (int i = 0; i < n; i++)
        x[i] = v[i] = random_float();
    scale = v[0];
    for (int i = 0; i < n; i++)
        scale += v[i] * (double)v[i] + v[i];
    LAUNCH(beside(NULL, one, x, x, out, n)); /* one place for both */
    for (int i = 0; i < n; i++)
        NEAR("in one place", i, out[i], v[i] * v[i] * scale, 1e-5);
}

static void all_dimensions(void)
{
    enum { m = 8, n = 101, padded = 128 };
    static float x[m * n], out[5];
    for (int i = 0; i < m * n; i++)
        x[i] = 2 + random_float();
    LAUNCH(whole(NULL, one, x, out, n));
    double sum = 0, squares = 0, most = 1, exps = m * (padded - n);
    for (int i = 0; i < m * n; i++) {
        sum += x[i];
        exps += exp(x[i]);
        most = fmax(most, exp(x[i]));
    }
    for (int i = 0; i < m * n; i++)
        squares += (x[i] - sum / (m * n)) * (x[i] - sum / (m * n));
    const double want[] = {sum / (m * n), squares, most, exps, 0};
    for (int i = 0; i < 5; i++)
        NEAR("whole", i, out[i], want[i], 2e-6);
}

/* No lane multiplies what happens to be in a register: with ordinary numbers nothing is subnormal, which would take
 * processors 50 times as long. */
static void ordinary_products(void)
{
    enum { n = 200, all = 256 };
    static float x[n], out[all];
    for (int i = 0; i < n; i++)
        x[i] = 1 + random_float() / 64;
#if defined(__x86_64__)
    enum { is_subnormal = 2 };
    unsigned state = __builtin_ia32_stmxcsr() & ~0x3fu;
    __builtin_ia32_ldmxcsr(state);
#endif
    LAUNCH(products(NULL, one, x, out, n));
#if defined(__x86_64__)
    SAME("subnormal", 0, __builtin_ia32_stmxcsr() & is_subnormal, 0);
#endif
    double product = 1;
    for (int i = 0; i < all; i++)
        NEAR("products", i, out[i], product *= i < n ? x[i] : 1, 1e-5);
}

int main(void)
{
    sums();
    bounds();
    ints();
    moments();
    scans();
    halves();
    odd();
    wide();
    chunked();
    quotients();
    masked_sums();
    masked_parts_of_sums();
    ordinary_products();
    all_dimensions();
    kept_beside();
    return finish("reduce");
}
