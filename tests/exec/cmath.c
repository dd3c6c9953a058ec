/* runtime/vmath/cmath.c against the host's library in long double: errors in units of the last place. */
#define _GNU_SOURCE
#include "runtime/vmath/cmath.c"

#include <stdio.h>

enum { samples = 20000 };

static int failures;
static uint64_t state = 88172645463325252u;

static double uniform(double from, double to)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return from + (to - from) * (double)(state >> 11) * 0x1p-53;
}

static void check(const char *name, double x, double y, double got, long double want, double limit)
{
    double nearest = (double)want;
    if (isnan(nearest) ? isnan(got) : got == nearest && signbit(got) == signbit(nearest))
        return;
    double unit = nextafter(fabs(nearest), INFINITY) - fabs(nearest);
    if (!isfinite(got) || !isfinite(nearest) || !(fabsl(got - want) <= limit * unit))
        if (failures++ < 20)
            fprintf(stderr, "%s(%a, %a) is %.17g, not %.17g\n", name, x, y, got, nearest);
}

static const double fixed[] = {0.0,
                               -0.0,
                               1,
                               -1,
                               2,
                               -2,
                               3,
                               -3,
                               0.5,
                               1e-8,
                               -1e-20,
                               1e22,
                               1e300,
                               -1e300,
                               1e-310,
                               5e-324,
                               __builtin_inf(),
                               -__builtin_inf(),
                               __builtin_nan("")};
enum { num_fixed = sizeof fixed / sizeof *fixed };

static void one(const char *name, double (*f)(double), long double (*want)(long double), double from, double to,
                double limit)
{
    for (int i = 0; i < samples; i++) {
        double x = uniform(from, to);
        check(name, x, 0, f(x), want(x), limit);
    }
    for (int i = 0; i < num_fixed; i++)
        check(name, fixed[i], 0, f(fixed[i]), want(fixed[i]), limit < 10 ? 10 : limit);
}

static void two(const char *name, double (*f)(double, double), long double (*want)(long double, long double),
                double from, double to, double low, double high, double limit)
{
    for (int i = 0; i < samples; i++) {
        double x = uniform(from, to), y = uniform(low, high);
        check(name, x, y, f(x, y), want(x, y), limit);
    }
    for (int i = 0; i < num_fixed; i++)
        for (int k = 0; k < num_fixed; k++)
            check(name, fixed[i], fixed[k], f(fixed[i], fixed[k]), want(fixed[i], fixed[k]), limit);
}

#define ONE(name, from, to, limit) one(#name, tri_c_##name, name##l, from, to, limit)
#define TWO(name, from, to, low, high, limit) two(#name, tri_c_##name, name##l, from, to, low, high, limit)

static void exponentials(void)
{
    ONE(exp, -745, 709, 2);
    ONE(exp2, -1075, 1023, 2);
    ONE(exp10, -320, 308, 3);
    ONE(expm1, -3, 3, 3);
    ONE(expm1, -50, 709, 2);
    ONE(log, 0, 10, 2);
    ONE(log2, 0, 4, 2);
    ONE(log10, 0, 100, 2);
    ONE(log1p, -0.99, 5, 2);
    ONE(log1p, -1e-3, 1e-3, 2);
    TWO(pow, 0, 100, -150, 150, 3);
}

static void angles(void)
{
    ONE(sin, -10, 10, 2);
    ONE(sin, -1e6, 1e6, 2);
    ONE(sin, 1e8, 1e15, 2);
    ONE(sin, 1e200, 1e300, 2);
    ONE(cos, -10, 10, 2);
    ONE(cos, -1e10, 1e10, 2);
    ONE(tan, -10, 10, 3);
    ONE(asin, -1, 1, 3);
    ONE(acos, -1, 1, 3);
    ONE(atan, -10, 10, 2);
    TWO(atan2, -5, 5, -5, 5, 2);
}

static void others(void)
{
    ONE(sinh, -700, 700, 4);
    ONE(cosh, -700, 700, 4);
    ONE(tanh, -3, 3, 4);
    ONE(asinh, -5, 5, 3);
    ONE(acosh, 1, 10, 4);
    ONE(atanh, -1, 1, 4);
    ONE(cbrt, -1e3, 1e3, 4);
    ONE(erf, -3, 3, 4);
    ONE(erfc, -3, 26, 8);
    ONE(tgamma, 0.1, 170, 50);
    ONE(lgamma, 0, 100, 20);
    ONE(logb, 0, 1e9, 0);
    TWO(hypot, -5, 5, -1e3, 1e3, 2);
    TWO(fmod, -1e9, 1e9, -5, 5, 0);
    TWO(remainder, -1e9, 1e9, -5, 5, 0);
    TWO(fdim, -5, 5, -5, 5, 0);
}

int main(void)
{
    exponentials();
    angles();
    others();
    return failures != 0;
}
