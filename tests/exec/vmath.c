#include "vmath.h"

#include "check.h"

/* Distance from the exact result in units of the last place of the float next to it. */
static void check_float(const char *what, float x, float got, double want, double limit)
{
    float nearest = (float)want;
    int exponent;
    if (isnan(want) ? isnan(got) : got == nearest)
        return;
    frexp(want, &exponent);
    exponent = exponent < -125 ? -125 : exponent;
    if (!isfinite(got) || !isfinite(nearest) || !(fabs(got - want) <= limit * ldexp(1, exponent - 24)))
        if (failures++ < 10)
            fprintf(stderr, "%s of %a is %a, not %a\n", what, (double)x, (double)got, want);
}

static void check_double(const char *what, double x, double got, long double want, double limit)
{
    double nearest = (double)want;
    int exponent;
    if (isnan(nearest) ? isnan(got) : got == nearest)
        return;
    frexpl(want, &exponent);
    exponent = exponent < -1021 ? -1021 : exponent;
    if (!isfinite(got) || !isfinite(nearest) || !(fabsl(got - want) <= limit * ldexpl(1, exponent - 53)))
        if (failures++ < 10)
            fprintf(stderr, "%s of %a is %a, not %La\n", what, x, got, want);
}

static void all_floats(void)
{
    enum { n = 1 << 16 };
    static float x[n], out[14 * n];
    static const float fixed[] = {
        0,       -0.0f,  1,      -1,     INFINITY, -INFINITY, NAN,  88.72f, 88.73f, 0x1.62e42ep6f, 0x1.62e43p6f,
        -103.9f, -104.f, 128.0f, -149.f, -150.5f,  1e-40f,    1e5f, 1.1e5f, 3e7f,   1e38f,         0.87f};
    for (int i = 0; i < n; i++) {
        uint32_t bits = random_bits();
        if (i & 1)
            bits = (bits & 0x807fffffu) | (117u + (bits >> 7) % 20u) << 23;
        x[i] = i < (int)(sizeof fixed / sizeof *fixed) ? fixed[i] : tri_float_f32_from_bits(bits);
    }
    tri_grid grid = {n / 64, 1, 1};
    LAUNCH(floats(NULL, grid, x, out));
    for (int i = 0; i < n; i++) {
        double v = x[i];
        check_float("exp", x[i], out[i], exp(v), 2);
        check_float("exp2", x[i], out[n + i], exp2(v), 2);
        check_float("log", x[i], out[2 * n + i], log(v), 2);
        check_float("log2", x[i], out[3 * n + i], log2(v), 2);
        check_float("sin", x[i], out[4 * n + i], sin(v), 2);
        check_float("cos", x[i], out[5 * n + i], cos(v), 2);
        check_float("erf", x[i], out[6 * n + i], erf(v), 2);
        check_float("sqrt", x[i], out[7 * n + i], sqrt(fabs(v)), 0.5001);
        check_float("rsqrt", x[i], out[8 * n + i], 1 / sqrt(fabs(v)), 1.5);
        check_float("floor", x[i], out[9 * n + i], floor(v), 0);
        check_float("ceil", x[i], out[10 * n + i], ceil(v), 0);
        if (fabs(v) < 1e15)
            check_float("fma", x[i], out[11 * n + i], fma(v, v, v), 0.5001);
        if (v > -80)
            check_float("sigmoid", x[i], out[12 * n + i], 1 / (1 + exp(-v)), 3);
        if (!isnan(v))
            check_float("clamp", x[i], out[13 * n + i], v < -2 ? -2 : v > 3 ? 3 : v, 0);
    }
}

static void all_doubles(void)
{
    enum { n = 1 << 14 };
    static double x[n], out[5 * n];
    static const double fixed[] = {0,     -0.0,   1,      INFINITY, -INFINITY, NAN,  709.7,
                                   709.8, -745.1, -745.2, 1e-310,   1024,      -1074};
    for (int i = 0; i < n; i++) {
        uint64_t bits = (uint64_t)random_bits() << 32 | random_bits();
        if (i & 1)
            bits = (bits & 0x800fffffffffffffu) | (1013u + (bits >> 9) % 20u) << 52;
        x[i] = i < (int)(sizeof fixed / sizeof *fixed) ? fixed[i] : tri_float_f64_from_bits(bits);
    }
    tri_grid grid = {n / 64, 1, 1};
    LAUNCH(doubles(NULL, grid, x, out));
    for (int i = 0; i < n; i++) {
        check_double("exp", x[i], out[i], expl(x[i]), 2);
        check_double("exp2", x[i], out[n + i], exp2l(x[i]), 2);
        check_double("log", x[i], out[2 * n + i], logl(x[i]), 2);
        check_double("sin", x[i], out[3 * n + i], sinl(x[i]), 4);
        check_double("sqrt", x[i], out[4 * n + i], sqrtl(fabsl(x[i])), 0.5001);
    }
}

int main(void)
{
    static float x[8], out[11];
    all_floats();
    all_doubles();
    for (int i = 0; i < 8; i++)
        x[i] = random_float() * 9;
    LAUNCH(narrow_blocks(NULL, one, x, out));
    for (int i = 0; i < 11; i++)
        check_float("narrow exp", x[i < 8 ? i : (i - 8) % 2], out[i], exp(x[i < 8 ? i : (i - 8) % 2]), 2);
    return finish("vmath");
}
