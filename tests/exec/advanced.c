#include "advanced.h"

#include "check.h"

static void descriptors(void)
{
    enum { m = 40, n = 70 };
    static float x[m * n], out[m * n];
    for (int i = 0; i < m * n; i++) {
        x[i] = random_float();
        out[i] = -9;
    }
    tri_grid grid = {2, 3, 1};
    LAUNCH(copy(NULL, grid, x, out, m, n));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            NEAR("copy", i * n + j, out[i * n + j], i < 29 ? x[i * n + j] * 2 + 1 : -9, 1e-6);
    static uint16_t h[5 * 9], padded[8 * 16];
    for (int i = 0; i < 5 * 9; i++)
        h[i] = tri_float_f16_bits(random_float());
    LAUNCH(narrow_copy(NULL, one, h, padded, 5, 9));
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 16; j++)
            NEAR("padding", i * 16 + j, tri_float_f16_from_bits(padded[i * 16 + j]),
                 i < 5 && j < 9 ? tri_float_f16_from_bits(h[i * 9 + j]) : NAN, 0);
    static float table[24 * 32], moved[24 * 32];
    static int32_t rows[16];
    for (int i = 0; i < 24 * 32; i++)
        table[i] = random_float();
    for (int i = 0; i < 16; i++)
        rows[i] = (i * 5) % 24;
    rows[15] = 30; /* outside */
    LAUNCH(gathered(NULL, one, table, rows, moved, 24));
    for (int i = 0; i < 15; i++)
        for (int j = 0; j < 16; j++)
            NEAR("gather and scatter", i, moved[rows[i] * 32 + 16 + j], table[rows[i] * 32 + 8 + j] + 1, 1e-6);
    static float sums[7 * 16];
    static int32_t tops[7 * 16];
    for (int i = 0; i < 7 * 16; i++) {
        sums[i] = 1;
        tops[i] = 50;
    }
    LAUNCH(reduced(NULL, one, sums, tops, 6));
    for (int i = 0; i < 7 * 16; i++) {
        NEAR("add", i, sums[i], i < 6 * 16 ? i + 1 : 1, 0);
        SAME("max", i, tops[i], i < 6 * 16 && i > 50 ? i : 50);
    }
}

static void maps(void)
{
    static int32_t x[64], out[64];
    for (int i = 0; i < 64; i++)
        x[i] = (int32_t)(random_bits() % 20);
    LAUNCH(mapped(NULL, one, x, out));
    for (int i = 0; i < 64; i++)
        SAME("map", i, out[i], x[i] > 10 ? x[i] * (x[i] + 1) : -1);
}

static float fp4(uint8_t nibble)
{
    static const float values[8] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    return nibble & 8 ? -values[nibble & 7] : values[nibble & 7];
}

static void products(void)
{
    enum { m = 32, n = 32, k = 64 };
    static uint8_t a[m * k], b[k * n], sa[m * k / 32], sb[n * k / 32];
    static float out[m * n];
    for (int i = 0; i < m * k; i++) {
        a[i] = (uint8_t)(random_bits() & 0xbf);
        b[i] = (uint8_t)(random_bits() & 0xbf);
    }
    for (int i = 0; i < m * k / 32; i++) {
        sa[i] = (uint8_t)(120 + random_bits() % 12);
        sb[i] = (uint8_t)(120 + random_bits() % 12);
    }
    LAUNCH(scaled(NULL, one, a, sa, b, sb, out));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double want = 0, size = 0;
            for (int p = 0; p < k; p++) {
                double x = ldexp(tri_float_fp8_from_bits(a[i * k + p], 0), sa[i * 2 + p / 32] - 127);
                double y = ldexp(tri_float_fp8_from_bits(b[p * n + j], 1), sb[j * 2 + p / 32] - 127);
                want += x * y;
                size += fabs(x * y);
            }
            NEAR("scaled", i * n + j, (out[i * n + j] - want) / (size + 1), 0, 1e-5);
        }
    LAUNCH(scaled_fp4(NULL, one, a, sa, b, sb, out));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double want = 0, size = 0;
            for (int p = 0; p < k; p++) {
                double x = ldexp(fp4(a[i * k / 2 + p / 2] >> p % 2 * 4), sa[i * 2 + p / 32] - 127);
                double y = ldexp(fp4(b[p / 2 * n + j] >> p % 2 * 4), sb[j * 2 + p / 32] - 127);
                want += x * y;
                size += fabs(x * y);
            }
            NEAR("fp4", i * n + j, (out[i * n + j] - want) / (size + 1), 0, 1e-5);
        }
}

static void functions(void)
{
    static float x[32], out[7 * 32];
    for (int i = 0; i < 32; i++)
        x[i] = random_float() * 2;
    LAUNCH(library(NULL, one, x, out));
    for (int i = 0; i < 32; i++) {
        double v = x[i];
        NEAR("tanh", i, out[i], tanh(v), 3e-7);
        NEAR("atan2", i, out[32 + i], atan2(v, 2), 3e-7);
        NEAR("pow", i, out[64 + i], pow((double)(x[i] * x[i]), v), 1e-6);
        NEAR("rint", i, out[96 + i], rint((double)(x[i] * 10)), 0);
        NEAR("log1p", i, out[128 + i], log1p((double)(x[i] * x[i])), 3e-7);
        NEAR("erfc", i, out[160 + i], erfc(v), 3e-7);
        NEAR("isnan", i, out[192 + i], 0, 0);
    }
}

static void roundings(void)
{
    enum { n = 32 };
    static float x[n], out[10 * n];
    static double d[n];
    static int32_t bits[n];
    for (int i = 0; i < n; i++) {
        x[i] = random_float() * 0.99f;
        d[i] = random_float() + random_float() * 1e-10;
        bits[i] = (int32_t)(random_bits() << i % 20);
    }
    LAUNCH(rounded(NULL, one, x, d, bits, out));
    for (int i = 0; i < n; i++) {
        double v = x[i], sum = v + (double)1e-9f, square = v * v;
        float below = (float)sum > sum ? nextafterf((float)sum, -9) : (float)sum;
        float above = (float)square < square ? nextafterf((float)square, 9) : (float)square;
        float inner = fabs((float)d[i]) > fabs(d[i]) ? nextafterf((float)d[i], 0) : (float)d[i];
        NEAR("add_rd", i, out[i], below, 0);
        NEAR("mul_ru", i, out[n + i], above, 0);
        NEAR("double2float_rz", i, out[2 * n + i], inner, 0);
        NEAR("float2int_ru", i, out[3 * n + i], ceilf(x[i] * 100), 0);
        NEAR("erfinv", i, erf(out[4 * n + i]), v, 1e-6);
        NEAR("sinpi", i, out[5 * n + i], sin(3.14159265358979323846 * v), 1e-6);
        NEAR("normcdf", i, out[6 * n + i], 0.5 * (1 + erf(v / sqrt(2))), 1e-6);
        NEAR("i0", i, out[7 * n + i], 1 + v * v / 4 + pow(v, 4) / 64 + pow(v, 6) / 2304 + pow(v, 8) / 147456, 1e-6);
        NEAR("ffs", i, out[8 * n + i], __builtin_ffs(bits[i]), 0);
        NEAR("float_as_int", i, out[9 * n + i], x[i], 0);
    }
}

int main(void)
{
    roundings();
    descriptors();
    maps();
    products();
    functions();
    return finish("advanced");
}
