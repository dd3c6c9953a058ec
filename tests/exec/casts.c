#include "casts.h"

#include "check.h"

/* Reference: nearest of all values of a format, by search; ties to the even code. */

static double value_of(int bits, int mantissa, int bias, int has_inf, uint32_t code)
{
    uint32_t sign = code >> (bits - 1), rest = code & ((1u << (bits - 1)) - 1);
    int exponent = (int)(rest >> mantissa), top = (1 << (bits - 1 - mantissa)) - 1;
    uint32_t fraction = rest & ((1u << mantissa) - 1);
    double v = exponent ? ldexp(1 + ldexp(fraction, -mantissa), exponent - bias) : ldexp(fraction, 1 - bias - mantissa);
    if (has_inf && exponent == top)
        v = fraction ? NAN : INFINITY;
    if (!has_inf && exponent == top && fraction == (1u << mantissa) - 1)
        v = NAN;
    return sign ? -v : v;
}

static uint32_t nearest(double x, int bits, int mantissa, int bias, int has_inf, int saturates, int toward_zero)
{
    uint32_t half = 1u << (bits - 1), sign = signbit(x) ? half : 0, low = 0, high = half - 1;
    if (isnan(x))
        return ~0u;
    x = fabs(x);
    while (isnan(value_of(bits, mantissa, bias, has_inf, high)) || isinf(value_of(bits, mantissa, bias, has_inf, high)))
        high--;
    uint32_t max = high;
    double top = value_of(bits, mantissa, bias, has_inf, max);
    double step = top - value_of(bits, mantissa, bias, has_inf, max - 1);
    if (toward_zero ? isinf(x) : x >= top + step / 2)
        return sign | (saturates ? max : max + 1);
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (value_of(bits, mantissa, bias, has_inf, middle) <= x)
            low = middle;
        else
            high = middle;
    }
    double below = value_of(bits, mantissa, bias, has_inf, low), above = value_of(bits, mantissa, bias, has_inf, high);
    if (x >= above)
        return sign | high;
    if (toward_zero || x - below < above - x || (x - below == above - x && !(low & 1)))
        return sign | low;
    return sign | high;
}

static int is_nan_code(uint32_t code, int bits, int mantissa, int bias, int has_inf)
{
    return isnan(value_of(bits, mantissa, bias, has_inf, code));
}

static void check_code(const char *what, float x, uint32_t got, int bits, int mantissa, int bias, int has_inf,
                       int saturates, int toward_zero)
{
    uint32_t want = nearest(x, bits, mantissa, bias, has_inf, saturates, toward_zero);
    if (want == ~0u ? !is_nan_code(got, bits, mantissa, bias, has_inf) : got != want) {
        if (failures++ < 10)
            fprintf(stderr, "%s of %a is 0x%x, not 0x%x\n", what, (double)x, got, want);
    }
}

static float interesting(int i)
{
    static const float fixed[] = {0.0f,   -0.0f,   INFINITY, -INFINITY, NAN,     448.0f,   464.0f,    464.1f,
                                  480.0f, 57344.f, 61440.f,  65504.f,   65519.f, 65520.f,  1e30f,     6e-8f,
                                  3e-8f,  1e-40f,  2.98e-8f, 0x1p-9f,   0x1p-10f, 0x1.8p-10f, 0x1p-16f, 0x1p-17f};
    if (i < (int)(sizeof fixed / sizeof *fixed))
        return fixed[i];
    uint32_t word = random_bits();
    if (i & 1)
        word = (word & 0x807fffffu) | (100u + word % 50u) << 23;
    if (i % 7 == 0)
        word &= 0xfff00000u;
    return tri_float_f32_from_bits(word);
}

static void narrowed(void)
{
    enum { n = 65536 };
    static float x[n];
    static uint16_t h[n], b[n];
    static uint8_t e4[n], e5[n];
    for (int i = 0; i < n; i++)
        x[i] = interesting(i);
    tri_grid grid = {n / 1024, 1, 1};
    LAUNCH(narrow(NULL, grid, x, h, b, e4, e5));
    for (int i = 0; i < n; i++) {
        check_code("fp16", x[i], h[i], 16, 10, 15, 1, 0, 0);
        check_code("bf16", x[i], b[i], 16, 7, 127, 1, 0, 0);
        check_code("fp8e4nv", x[i], e4[i], 8, 3, 7, 0, 1, 0);
        check_code("fp8e5", x[i], e5[i], 8, 2, 15, 1, 1, 0);
    }
    LAUNCH(narrow_rtz(NULL, grid, x, h, b));
    for (int i = 0; i < n; i++) {
        if (isinf(x[i]))
            continue;
        check_code("fp16 rtz", x[i], h[i], 16, 10, 15, 1, 1, 1);
        check_code("bf16 rtz", x[i], b[i], 16, 7, 127, 1, 1, 1);
    }
}

static void widened(void)
{
    enum { n = 65536 };
    static uint16_t bits[n];
    static float h[n], b[n], e4[n], e5[n];
    for (int i = 0; i < n; i++)
        bits[i] = (uint16_t)i;
    tri_grid grid = {n / 1024, 1, 1};
    LAUNCH(widen(NULL, grid, bits, h, b, e4, e5));
    for (int i = 0; i < n; i++) {
        NEAR("fp16", i, h[i], value_of(16, 10, 15, 1, (uint32_t)i), 0);
        NEAR("bf16", i, b[i], value_of(16, 7, 127, 1, (uint32_t)i), 0);
        NEAR("fp8e4nv", i, e4[i], value_of(8, 3, 7, 0, (uint32_t)i & 255), 0);
        NEAR("fp8e5", i, e5[i], value_of(8, 2, 15, 1, (uint32_t)i & 255), 0);
    }
}

static void integers(void)
{
    enum { n = 256 };
    static float x[n], f[n];
    static int32_t a[n], ix[n];
    static uint8_t u[n];
    static int64_t c[n], iy[n];
    static uint16_t h[n], b[n];
    static double d[n];
    for (int i = 0; i < n; i++) {
        x[i] = random_float() * (i % 4 ? 250.0f : 250.0f);
        ix[i] = (int32_t)random_bits() >> i % 20;
        iy[i] = (int64_t)((uint64_t)random_bits() << 32 | random_bits()) >> i % 40;
    }
    LAUNCH(to_ints(NULL, one, x, a, u, c));
    for (int i = 0; i < n; i++) {
        SAME("int32", i, a[i], (int32_t)x[i]);
        SAME("uint8", i, u[i], (uint8_t)fabsf(x[i]));
        SAME("int64", i, c[i], (int64_t)x[i]);
    }
    LAUNCH(from_ints(NULL, one, ix, iy, f, h, b, d));
    for (int i = 0; i < n; i++) {
        NEAR("float", i, f[i], (float)ix[i], 0);
        NEAR("double", i, d[i], (double)iy[i], 0);
        SAME("half", i, h[i], nearest(ix[i] % 5000, 16, 10, 15, 1, 0, 0));
        SAME("bfloat", i, b[i], nearest(ix[i], 16, 7, 127, 1, 0, 0));
    }
}

static void arithmetic(void)
{
    enum { n = 256 };
    static uint16_t h[n], b[n], out_h[n], out_b[n];
    for (int i = 0; i < n; i++) {
        h[i] = tri_float_f16_bits(random_float() * 8);
        b[i] = (uint16_t)(tri_float_f32_bits(random_float() * 8) >> 16);
    }
    LAUNCH(half_math(NULL, one, h, b, out_h, out_b));
    for (int i = 0; i < n; i++) {
        /* every operation rounds */
        double x = value_of(16, 10, 15, 1, h[i]), y = value_of(16, 7, 127, 1, b[i]);
        double xx = value_of(16, 10, 15, 1, nearest(x * x, 16, 10, 15, 1, 0, 0));
        double yy = value_of(16, 7, 127, 1, nearest(y * y, 16, 7, 127, 1, 0, 0));
        SAME("half", i, out_h[i], nearest(xx + x, 16, 10, 15, 1, 0, 0));
        SAME("bfloat", i, out_b[i], nearest(yy - y, 16, 7, 127, 1, 0, 0));
    }
}

static void from_doubles(void)
{
    enum { n = 256 };
    static double d[n];
    static uint16_t h[n], b[n];
    static float f[n];
    for (int i = 0; i < n; i++) {
        /* near ties of the small formats, off by less than a float's last place */
        double base = 1 + (random_bits() % 1024 + 0.5) / (i & 1 ? 1024.0 : 128.0);
        d[i] = base + (i % 3 - 1) * 0x1p-40;
    }
    LAUNCH(doubles(NULL, one, d, h, b, f));
    for (int i = 0; i < n; i++) {
        SAME("half", i, h[i], nearest(d[i], 16, 10, 15, 1, 0, 0));
        SAME("bfloat", i, b[i], nearest(d[i], 16, 7, 127, 1, 0, 0));
        NEAR("float", i, f[i], (float)d[i], 0);
    }
}

int main(void)
{
    narrowed();
    widened();
    integers();
    arithmetic();
    from_doubles();
    return finish("casts");
}
