/* Functions of the vector library, and remainders, against those of libm with more digits. */
#define _GNU_SOURCE /* exp10 */
#include "veclib.h"

#include "check.h"

enum { n = 1 << 14 };

/* Distance from `want` in units of the last place of a float of `digits` digits there; -1: as different as can be. */
static double distance(long double got, long double want, long double nearest, int digits, int least)
{
    int exponent;
    if (isnan(nearest) || isnan(got))
        return isnan(nearest) && isnan(got) ? 0 : -1;
    if (got == nearest)
        return 0;
    if (!isfinite(got) || !isfinite(nearest))
        return -1;
    frexpl(want, &exponent);
    return (double)(fabsl(got - want) / ldexpl(1, (exponent < least ? least : exponent) - digits));
}

static void check(const char *what, long double x, long double y, double ulps, double limit, double *io_most)
{
    if ((ulps < 0 || ulps > limit) && failures++ < 20)
        fprintf(stderr, "%s of %La (and %La): %g ulp\n", what, x, y, ulps);
    *io_most = ulps > *io_most ? ulps : *io_most;
}

#define UNARY(X) \
    X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(cosh) X(erf) X(erfc) \
    X(exp10) X(expm1) X(log10) X(log1p) X(log2) X(sinh) X(tan) X(tanh) X(sin) X(cos)
#define BINARY(X) \
    X(atan2) X(hypot) X(pow) X(fmod) X(remainder) X(fdim)
#define NAME(name) #name,
static const double fixed[] = {0,      -0.0,  1,     -1,     INFINITY, -INFINITY, NAN,  0.5,  -0.5,  2,    -2,
                               3,      1e-40, 1e-30, -1e-30, 1e30,     -1e30,     88.7, -103, 709.7, -745, 4.5e-5,
                               1.5708, 27,    -27,   0.25,   1e-5,     -1e-5,     100,  1e5,  1.1e5, 3.5};
enum { fixed_count = sizeof fixed / sizeof *fixed };


static const char *const names[] = {UNARY(NAME) BINARY(NAME)};

static void floats(void)
{
    static float x[n], y[n], out[20 * n], two[7 * n];
    tri_grid grid = {n / 64, 1, 1};
    double most[26] = {0};
    for (int i = 0; i < n; i++) {
        uint32_t a = random_bits(), b = random_bits();
        if (i & 1) {
            a = (a & 0x807fffffu) | (117u + (a >> 7) % 20u) << 23;
            b = (b & 0x807fffffu) | (117u + (b >> 7) % 20u) << 23;
        }
        x[i] = i < fixed_count * fixed_count ? (float)fixed[i / fixed_count] : tri_float_f32_from_bits(a);
        y[i] = i < fixed_count * fixed_count ? (float)fixed[i % fixed_count] : tri_float_f32_from_bits(b);
    }
    LAUNCH(unary(NULL, grid, x, out));
    LAUNCH(binary(NULL, grid, x, y, two));
    for (int i = 0; i < n; i++) {
        int f = 0;
#define CHECK1(name) \
    { \
        double want = name(x[i]); \
        check(#name, x[i], 0, distance(out[f * n + i], want, (float)want, 24, -125), 4, &most[f]); \
        f++; \
    }
        UNARY(CHECK1)
#define CHECK2(name) \
    { \
        double want = name(x[i], y[i]); \
        int k = f - 20; \
        check(#name, x[i], y[i], distance(two[k * n + i], want, (float)want, 24, -125), 4, &most[f]); \
        f++; \
    }
        BINARY(CHECK2)
#undef CHECK1
#undef CHECK2
        if (!isnan(two[3 * n + i]) && memcmp(&two[6 * n + i], &two[3 * n + i], sizeof *two))
            fail_at(__LINE__, "%", i, (double)two[6 * n + i], (double)two[3 * n + i]);
    }
    if (getenv("SHOW"))
        for (int f = 0; f < 26; f++)
            printf("float %-10s %.2f ulp\n", names[f], most[f]);
}

static void doubles(void)
{
    static double x[n], y[n], out[20 * n], two[7 * n];
    tri_grid grid = {n / 64, 1, 1};
    double most[26] = {0};
    for (int i = 0; i < n; i++) {
        uint64_t a = random_bits(), b = random_bits();
        a = a << 32 | random_bits();
        b = b << 32 | random_bits();
        if (i & 1) {
            a = (a & 0x800fffffffffffffu) | (1013u + (a >> 9) % 20u) << 52;
            b = (b & 0x800fffffffffffffu) | (1013u + (b >> 9) % 20u) << 52;
        }
        x[i] = i < fixed_count * fixed_count ? fixed[i / fixed_count] : tri_float_f64_from_bits(a);
        y[i] = i < fixed_count * fixed_count ? fixed[i % fixed_count] : tri_float_f64_from_bits(b);
    }
    LAUNCH(unary_f64(NULL, grid, x, out));
    LAUNCH(binary_f64(NULL, grid, x, y, two));
    for (int i = 0; i < n; i++) {
        int f = 0;
#define CHECK1(name) \
    { \
        long double want = name##l(x[i]); \
        check(#name, x[i], 0, distance(out[f * n + i], want, (double)want, 53, -1021), 4, &most[f]); \
        f++; \
    }
        UNARY(CHECK1)
#define CHECK2(name) \
    { \
        long double want = name##l(x[i], y[i]); \
        int k = f - 20; \
        check(#name, x[i], y[i], distance(two[k * n + i], want, (double)want, 53, -1021), 4, &most[f]); \
        f++; \
    }
        BINARY(CHECK2)
#undef CHECK1
#undef CHECK2
        if (!isnan(two[3 * n + i]) && memcmp(&two[6 * n + i], &two[3 * n + i], sizeof *two))
            fail_at(__LINE__, "%", i, (double)two[6 * n + i], (double)two[3 * n + i]);
    }
    if (getenv("SHOW"))
        for (int f = 0; f < 26; f++)
            printf("double %-10s %.2f ulp\n", names[f], most[f]);
}

int main(void)
{
    float x[2] = {1, 2};
    double y[2] = {0.5, -3};
    LAUNCH(narrow(NULL, one, x, y));
    NEAR("narrow", 0, y[0], tan(0.5) + tan(1), 1e-6);
    NEAR("narrow", 1, y[1], tan(-3) + tan(2), 1e-6);
    floats();
    doubles();
    return finish("veclib");
}
