/* The device math library's functions that are neither in vmath.c nor one call of libm, for one
 * element each: tri_nv_<name> stands for __nv_<name>. Directed rounding switches the rounding mode. */
#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- directed rounding ---- */

/* As the builtins count, which LLVM knows for every processor; fenv.h's numbers are those of one. */
enum { TOWARD_ZERO = 0, TO_NEAREST = 1, UPWARD = 2, DOWNWARD = 3 };

#define ROUNDED(suffix, mode, result, name, params, expression) \
    result tri_nv_##name##suffix params; \
    result tri_nv_##name##suffix params \
    { \
        int old = __builtin_flt_rounds(); \
        __builtin_set_flt_rounds(mode); \
        volatile result r_ = (expression); \
        __builtin_set_flt_rounds(old); \
        return r_; \
    }
/* Operands are read through volatile copies, so that the operation stays between the switches. */
#define V(type, x) (*(const volatile type *)&(x))
#define FOUR(result, name, params, expression) \
    ROUNDED(_rn, TO_NEAREST, result, name, params, expression) \
    ROUNDED(_rz, TOWARD_ZERO, result, name, params, expression) \
    ROUNDED(_ru, UPWARD, result, name, params, expression) \
    ROUNDED(_rd, DOWNWARD, result, name, params, expression)

#define ARITHMETIC(type, p, fma_name) \
    FOUR(type, p##add, (type a, type b), V(type, a) + V(type, b)) \
    FOUR(type, p##sub, (type a, type b), V(type, a) - V(type, b)) \
    FOUR(type, p##mul, (type a, type b), V(type, a) * V(type, b)) \
    FOUR(type, p##div, (type a, type b), V(type, a) / V(type, b)) \
    FOUR(type, p##rcp, (type a), (type)1 / V(type, a))
ARITHMETIC(float, f, fmaf)
ARITHMETIC(double, d, fma)
FOUR(float, fsqrt, (float a), sqrtf(V(float, a)))
FOUR(double, dsqrt, (double a), sqrt(V(double, a)))
FOUR(float, fmaf, (float a, float b, float c), fmaf(V(float, a), V(float, b), V(float, c)))
FOUR(double, fma, (double a, double b, double c), fma(V(double, a), V(double, b), V(double, c)))
FOUR(float, double2float, (double a), (float)V(double, a))
FOUR(float, int2float, (int32_t a), (float)V(int32_t, a))
FOUR(float, uint2float, (uint32_t a), (float)V(uint32_t, a))
FOUR(float, ll2float, (int64_t a), (float)V(int64_t, a))
FOUR(double, ll2double, (int64_t a), (double)V(int64_t, a))

/* Unsigned 64-bit numbers have no conversion that heeds the mode: as a sum of exact halves, which
 * rounds once to double; rounding on to float in the same direction changes nothing. */
#define HALVES(a) ((double)(uint32_t)(V(uint64_t, a) >> 32) * 4294967296.0 + (double)(uint32_t)V(uint64_t, a))
FOUR(double, ull2double, (uint64_t a), HALVES(a))
ROUNDED(_rn, TO_NEAREST, float, ull2float, (uint64_t a), (float)V(uint64_t, a))
ROUNDED(_rz, TOWARD_ZERO, float, ull2float, (uint64_t a), (float)HALVES(a))
ROUNDED(_ru, UPWARD, float, ull2float, (uint64_t a), (float)HALVES(a))
ROUNDED(_rd, DOWNWARD, float, ull2float, (uint64_t a), (float)HALVES(a))

#define EXPORT1(result, name, params, expression) \
    result tri_nv_##name params; \
    result tri_nv_##name params { return (expression); }

EXPORT1(double, int2double_rn, (int32_t a), (double)a)
EXPORT1(double, uint2double_rn, (uint32_t a), (double)a)

/* ---- to integers: saturating, NaN is 0 (the top bit alone for 64 bits) ---- */

#define TO_INT(result, low, high, from, name, suffix, round) \
    result tri_nv_##name##suffix(from a); \
    result tri_nv_##name##suffix(from a) \
    { \
        from r = round(a); \
        return r != r ? 0 : r <= (from)(low) ? (low) : r >= (from)(high) ? (high) : (result)r; \
    }
#define TO_INTS(result, low, high, from, name, f) \
    TO_INT(result, low, high, from, name, _rn, rint##f) \
    TO_INT(result, low, high, from, name, _rz, trunc##f) \
    TO_INT(result, low, high, from, name, _ru, ceil##f) \
    TO_INT(result, low, high, from, name, _rd, floor##f)
TO_INTS(int32_t, INT32_MIN, INT32_MAX, float, float2int, f)
TO_INTS(uint32_t, 0, UINT32_MAX, float, float2uint, f)
TO_INTS(int64_t, INT64_MIN, INT64_MAX, float, float2ll, f)
TO_INTS(uint64_t, 0, UINT64_MAX, float, float2ull, f)
TO_INTS(int32_t, INT32_MIN, INT32_MAX, double, double2int, )
TO_INTS(uint32_t, 0, UINT32_MAX, double, double2uint, )
TO_INTS(int64_t, INT64_MIN, INT64_MAX, double, double2ll, )
TO_INTS(uint64_t, 0, UINT64_MAX, double, double2ull, )
EXPORT1(int64_t, llrintf, (float a), llrintf(a))
EXPORT1(int64_t, llrint, (double a), llrint(a))
EXPORT1(int64_t, llroundf, (float a), llroundf(a))
EXPORT1(int64_t, llround, (double a), llround(a))

/* ---- bits ---- */

#define BITS(to, from, name) \
    to tri_nv_##name(from a); \
    to tri_nv_##name(from a) \
    { \
        to r; \
        memcpy(&r, &a, sizeof r); \
        return r; \
    }
BITS(int32_t, float, float_as_int)
BITS(uint32_t, float, float_as_uint)
BITS(float, int32_t, int_as_float)
BITS(float, uint32_t, uint_as_float)
BITS(int64_t, double, double_as_longlong)
BITS(double, int64_t, longlong_as_double)
EXPORT1(int32_t, double2hiint, (double a), (int32_t)(tri_nv_double_as_longlong(a) >> 32))
EXPORT1(int32_t, double2loint, (double a), (int32_t)tri_nv_double_as_longlong(a))
EXPORT1(double, hiloint2double, (int32_t h, int32_t l),
        tri_nv_longlong_as_double((int64_t)((uint64_t)(uint32_t)h << 32 | (uint32_t)l)))
EXPORT1(int32_t, signbitf, (float a), signbit(a) != 0)
EXPORT1(int32_t, signbitd, (double a), signbit(a) != 0)
EXPORT1(int32_t, isfinited, (double a), isfinite(a) != 0)
EXPORT1(int32_t, ilogbf, (float a), ilogbf(a))
EXPORT1(int32_t, ilogb, (double a), ilogb(a))
EXPORT1(int32_t, ffs, (int32_t a), __builtin_ffs(a))
EXPORT1(int32_t, ffsll, (int64_t a), __builtin_ffsll(a))
EXPORT1(int32_t, hadd, (int32_t a, int32_t b), (int32_t)(((int64_t)a + b) >> 1))
EXPORT1(int32_t, rhadd, (int32_t a, int32_t b), (int32_t)(((int64_t)a + b + 1) >> 1))
EXPORT1(uint32_t, uhadd, (uint32_t a, uint32_t b), (uint32_t)(((uint64_t)a + b) >> 1))
EXPORT1(uint32_t, urhadd, (uint32_t a, uint32_t b), (uint32_t)(((uint64_t)a + b + 1) >> 1))
EXPORT1(int32_t, mul24, (int32_t a, int32_t b),
        (int32_t)((uint32_t)((int32_t)((uint32_t)a << 8) >> 8) * (uint32_t)((int32_t)((uint32_t)b << 8) >> 8)))
EXPORT1(uint32_t, umul24, (uint32_t a, uint32_t b), (a & 0xffffff) * (b & 0xffffff))
EXPORT1(int32_t, mulhi, (int32_t a, int32_t b), (int32_t)((int64_t)a * b >> 32))
EXPORT1(uint32_t, umulhi, (uint32_t a, uint32_t b), (uint32_t)((uint64_t)a * b >> 32))
EXPORT1(int64_t, mul64hi, (int64_t a, int64_t b), (int64_t)((__int128)a * b >> 64))
EXPORT1(uint64_t, umul64hi, (uint64_t a, uint64_t b), (uint64_t)((unsigned __int128)a * b >> 64))
EXPORT1(uint32_t, sad, (int32_t a, int32_t b, uint32_t c),
        (a > b ? (uint32_t)a - (uint32_t)b : (uint32_t)b - (uint32_t)a) + c)
EXPORT1(uint32_t, usad, (uint32_t a, uint32_t b, uint32_t c), (a > b ? a - b : b - a) + c)

EXPORT1(int32_t, popc, (uint32_t a), __builtin_popcount(a))
EXPORT1(int32_t, popcll, (uint64_t a), __builtin_popcountll(a))
EXPORT1(int32_t, clz, (uint32_t a), a ? __builtin_clz(a) : 32)
EXPORT1(int32_t, clzll, (uint64_t a), a ? __builtin_clzll(a) : 64)
EXPORT1(uint32_t, brev, (uint32_t a), __builtin_bitreverse32(a))
EXPORT1(uint64_t, brevll, (uint64_t a), __builtin_bitreverse64(a))
EXPORT1(int32_t, abs, (int32_t a), a < 0 ? (int32_t)-(uint32_t)a : a)
EXPORT1(int64_t, llabs, (int64_t a), a < 0 ? (int64_t)-(uint64_t)a : a)
EXPORT1(int32_t, min, (int32_t a, int32_t b), a < b ? a : b)
EXPORT1(int32_t, max, (int32_t a, int32_t b), a > b ? a : b)
EXPORT1(uint32_t, umin, (uint32_t a, uint32_t b), a < b ? a : b)
EXPORT1(uint32_t, umax, (uint32_t a, uint32_t b), a > b ? a : b)
EXPORT1(int64_t, llmin, (int64_t a, int64_t b), a < b ? a : b)
EXPORT1(int64_t, llmax, (int64_t a, int64_t b), a > b ? a : b)
EXPORT1(uint64_t, ullmin, (uint64_t a, uint64_t b), a < b ? a : b)
EXPORT1(uint64_t, ullmax, (uint64_t a, uint64_t b), a > b ? a : b)

/* ---- classes, and what the device has fast forms of: here the exact ones ---- */

EXPORT1(int32_t, isnanf, (float a), isnan(a) != 0)
EXPORT1(int32_t, isnand, (double a), isnan(a) != 0)
EXPORT1(int32_t, isinff, (float a), isinf(a) != 0)
EXPORT1(int32_t, isinfd, (double a), isinf(a) != 0)
EXPORT1(int32_t, finitef, (float a), isfinite(a) != 0)
EXPORT1(float, saturatef, (float a), a > 0 ? (a < 1 ? a : 1) : 0)
EXPORT1(float, frsqrt_rn, (float a), (float)(1 / sqrt((double)a)))
EXPORT1(float, rsqrtf, (float a), (float)(1 / sqrt((double)a)))
EXPORT1(double, rsqrt, (double a), 1 / sqrt(a))
EXPORT1(float, rcbrtf, (float a), (float)(1 / cbrt((double)a)))
EXPORT1(double, rcbrt, (double a), 1 / cbrt(a))
EXPORT1(float, fast_fdividef, (float a, float b), a / b)
EXPORT1(float, fast_sinf, (float a), sinf(a))
EXPORT1(float, fast_cosf, (float a), cosf(a))
EXPORT1(float, fast_tanf, (float a), tanf(a))
EXPORT1(float, fast_tanhf, (float a), copysignf(1 - 2 / (exp2f(2.88539008177792681f * fabsf(a)) + 1), a))
EXPORT1(float, fast_expf, (float a), expf(a))
EXPORT1(float, fast_exp10f, (float a), exp2f(a * 3.32192809488736235f))
EXPORT1(float, fast_logf, (float a), logf(a))
EXPORT1(float, fast_log2f, (float a), log2f(a))
EXPORT1(float, fast_log10f, (float a), log10f(a))
EXPORT1(float, fast_powf, (float a, float b), powf(a, b))

int32_t tri_nv_byte_perm(int32_t a, int32_t b, int32_t s);
int32_t tri_nv_byte_perm(int32_t a, int32_t b, int32_t s)
{
    uint64_t bytes = (uint64_t)(uint32_t)b << 32 | (uint32_t)a;
    uint32_t r = 0;
    for (int i = 0; i < 4; i++)
        r |= (uint32_t)(bytes >> ((uint32_t)s >> (4 * i) & 7) * 8 & 255) << 8 * i;
    return (int32_t)r;
}

/* ---- functions of one or more reals; float ones are rounded doubles ---- */

#define BOTH1(name, expression) \
    static double do_##name(double a) { return (expression); } \
    EXPORT1(double, name, (double a), do_##name(a)) \
    EXPORT1(float, name##f, (float a), (float)do_##name(a))

static double sin_pi(double a)
{
    double r = a - 2 * nearbyint(a / 2); /* exact, in [-1, 1] */
    return fabs(r) <= 0.25   ? sin(M_PI * r)
           : fabs(r) <= 0.75 ? copysign(cos(M_PI * (fabs(r) - 0.5)), r)
                             : copysign(sin(M_PI * (1 - fabs(r))), r);
}

static double cos_pi(double a)
{
    double r = fabs(a - 2 * nearbyint(a / 2));
    return r <= 0.25 ? cos(M_PI * r) : r < 0.75 ? sin(M_PI * (0.5 - r)) : -cos(M_PI * (1 - r));
}

/* Power series of the modified Bessel functions: all terms have one sign. */
static double bessel_i(int order, double a)
{
    double x = fabs(a) / 2, term = order ? x : 1, sum = term;
    for (int k = 1; k < 2000 && term > sum * 1e-17; k++) {
        term *= x * x / ((double)k * (k + order));
        sum += term;
    }
    return order && a < 0 ? -sum : sum;
}

/* The y with erfc(y) = a: a first guess, then Newton's method on the logarithm, on the side where y is not negative.
 * Not recursive, as code of OpenCL must not be. */
static double erfc_inverse(double a)
{
    if (!(a > 0 && a < 2))
        return a == 0 ? INFINITY : a == 2 ? -INFINITY : NAN;
    double side = a > 1 ? 2 - a : a, l = -log(side);
    double y = side > 0.5 ? (1 - side) * 0.886226925452758 : sqrt(l > 0.3 ? l - 0.5 * log(3.2 * l) * 0.6 : 0.1);
    for (int i = 0; i < 60; i++) {
        double e = erfc(y), slope = -1.1283791670955126 * exp(-y * y);
        double step = e > 0 ? (log(e) + l) * e / slope : 0.5;
        y -= step;
        if (fabs(step) <= 1e-16 * (fabs(y) + 1e-300))
            break;
    }
    return a > 1 ? -y : y;
}

static double erf_inverse(double a)
{
    if (!(fabs(a) < 1))
        return a == 1 ? INFINITY : a == -1 ? -INFINITY : NAN;
    if (fabs(a) > 0.5)
        return a > 0 ? erfc_inverse(1 - a) : -erfc_inverse(1 + a);
    double y = a * 0.886226925452758;
    for (int i = 0; i < 20; i++)
        y -= (erf(y) - a) / (1.1283791670955126 * exp(-y * y));
    return y;
}

static double erfc_scaled(double a)
{
    double square = a * a;
    if (a < 20) /* what a * a was rounded by counts as much as its size */
        return exp(square) * (isinf(square) ? 1 : 1 + fma(a, a, -square)) * erfc(a);
    double z = 1 / (2 * a * a);
    return 0.5641895835477563 / a * (1 - z * (1 - 3 * z * (1 - 5 * z * (1 - 7 * z))));
}

/* erfc(-a / sqrt(2)) / 2, with one step of its series for what the quotient was rounded by. */
static double normal_distribution(double a)
{
    static const double root = 0.70710678118654752440, rest = -4.8336466567264567e-17; /* of 1/2 */
    double x = -a * root, rounded_by = fma(-a, root, -x) - a * rest;
    double slope = fabs(x) < 27 ? 1.1283791670955126 * exp(-x * x) : 0;
    return 0.5 * (erfc(x) - (slope > 0 ? slope * rounded_by : 0));
}

BOTH1(sinpi, sin_pi(a))
BOTH1(cospi, cos_pi(a))
BOTH1(cyl_bessel_i0, bessel_i(0, a))
BOTH1(cyl_bessel_i1, bessel_i(1, a))
BOTH1(erfinv, erf_inverse(a))
BOTH1(erfcinv, erfc_inverse(a))
BOTH1(erfcx, erfc_scaled(a))
BOTH1(normcdf, normal_distribution(a))
BOTH1(normcdfinv, -1.41421356237309504880 * erfc_inverse(2 * a))
EXPORT1(double, rcp64h, (double a), 1 / a)
EXPORT1(double, rhypot, (double a, double b), 1 / hypot(a, b))
EXPORT1(float, rhypotf, (float a, float b), (float)(1 / hypot(a, b)))
EXPORT1(double, norm3d, (double a, double b, double c), hypot(hypot(a, b), c))
EXPORT1(float, norm3df, (float a, float b, float c), (float)hypot(hypot(a, b), c))
EXPORT1(double, rnorm3d, (double a, double b, double c), 1 / hypot(hypot(a, b), c))
EXPORT1(float, rnorm3df, (float a, float b, float c), (float)(1 / hypot(hypot(a, b), c)))
EXPORT1(double, norm4d, (double a, double b, double c, double d), hypot(hypot(a, b), hypot(c, d)))
EXPORT1(float, norm4df, (float a, float b, float c, float d), (float)hypot(hypot(a, b), hypot(c, d)))
EXPORT1(double, rnorm4d, (double a, double b, double c, double d), 1 / hypot(hypot(a, b), hypot(c, d)))
EXPORT1(float, rnorm4df, (float a, float b, float c, float d), (float)(1 / hypot(hypot(a, b), hypot(c, d))))
EXPORT1(double, ldexp, (double a, int32_t n), ldexp(a, n))
EXPORT1(float, ldexpf, (float a, int32_t n), ldexpf(a, n))
EXPORT1(double, scalbn, (double a, int32_t n), scalbn(a, n))
EXPORT1(float, scalbnf, (float a, int32_t n), scalbnf(a, n))
EXPORT1(double, powi, (double a, int32_t n), pow(a, n))
EXPORT1(float, powif, (float a, int32_t n), (float)pow(a, n))

/* ---- what is above by way of doubles, for devices that may have none: a few units in the last place ---- */

#define SINGLE(name, params, expression) EXPORT1(float, name##_single, params, expression)

static float single_sin_pi(float a)
{
    float r = a - 2 * rintf(a / 2); /* exact, in [-1, 1] */
    return fabsf(r) <= 0.25f   ? sinf((float)M_PI * r)
           : fabsf(r) <= 0.75f ? copysignf(cosf((float)M_PI * (fabsf(r) - 0.5f)), r)
                               : copysignf(sinf((float)M_PI * (1 - fabsf(r))), r);
}

static float single_cos_pi(float a)
{
    float r = fabsf(a - 2 * rintf(a / 2));
    return r <= 0.25f  ? cosf((float)M_PI * r)
           : r < 0.75f ? sinf((float)M_PI * (0.5f - r))
                       : -cosf((float)M_PI * (1 - r));
}

static float single_bessel_i(int order, float a)
{
    float x = fabsf(a) / 2, term = order ? x : 1, sum = term;
    for (int k = 1; k < 400 && term > sum * 1e-8f; k++) {
        term *= x / (float)k * (x / (float)(k + order));
        sum += term;
    }
    return order && a < 0 ? -sum : sum;
}

/* The y with erf(y) = a, for a of at most a half. */
static float single_small_erf_inverse(float a)
{
    float y = a * 0.886226925f;
    for (int i = 0; i < 6; i++)
        y -= (erff(y) - a) / (1.128379167f * expf(-y * y));
    return y;
}

/* As erfc_inverse; where a is near 1, its logarithm says little of the distance, which 1 - a does. */
static float single_erfc_inverse(float a)
{
    if (!(a > 0 && a < 2))
        return a == 0 ? INFINITY : a == 2 ? -INFINITY : NAN;
    if (fabsf(1 - a) <= 0.5f)
        return single_small_erf_inverse(1 - a);
    float side = a > 1 ? 2 - a : a, l = -logf(side), y = sqrtf(l - 0.3f * logf(3.2f * l));
    for (int i = 0; i < 12; i++) {
        float e = erfcf(y), slope = -1.128379167f * expf(-y * y);
        float step = e > 0 && slope < 0 ? (logf(e) + l) * (e / slope) : 0.25f;
        y -= step;
        if (fabsf(step) <= 6e-8f * y)
            break;
    }
    return a > 1 ? -y : y;
}

static float single_erf_inverse(float a)
{
    if (!(fabsf(a) < 1))
        return a == 1 ? INFINITY : a == -1 ? -INFINITY : NAN;
    return fabsf(a) <= 0.5f ? single_small_erf_inverse(a)
           : a > 0          ? single_erfc_inverse(1 - a)
                            : -single_erfc_inverse(1 + a);
}

static float single_erfc_scaled(float a)
{
    float square = a * a;
    if (a < 8)
        return expf(square) * (isinf(square) ? 1 : 1 + fmaf(a, a, -square)) * erfcf(a);
    float z = 0.5f / a / a;
    return 0.5641895835f / a * (1 - z * (1 - 3 * z * (1 - 5 * z * (1 - 7 * z))));
}

static float single_normal_distribution(float a)
{
    static const float root = 0.70710678f, rest = 1.21016171e-8f; /* of 1/2 */
    float x = -a * root, rounded_by = fmaf(-a, root, -x) - a * rest;
    float slope = fabsf(x) < 9.3f ? 1.128379167f * expf(-x * x) : 0;
    return 0.5f * (erfcf(x) - (slope > 0 ? slope * rounded_by : 0));
}

/* The sign goes by n itself, which a float may round. */
static float single_power(float a, int32_t n)
{
    float size = powf(fabsf(a), (float)n);
    return n & 1 ? copysignf(size, a) : size;
}

SINGLE(rsqrtf, (float a), 1 / sqrtf(a))
SINGLE(frsqrt_rn, (float a), 1 / sqrtf(a))
SINGLE(rcbrtf, (float a), 1 / cbrtf(a))
SINGLE(sinpif, (float a), single_sin_pi(a))
SINGLE(cospif, (float a), single_cos_pi(a))
SINGLE(cyl_bessel_i0f, (float a), single_bessel_i(0, a))
SINGLE(cyl_bessel_i1f, (float a), single_bessel_i(1, a))
SINGLE(erfinvf, (float a), single_erf_inverse(a))
SINGLE(erfcinvf, (float a), single_erfc_inverse(a))
SINGLE(erfcxf, (float a), single_erfc_scaled(a))
SINGLE(normcdff, (float a), single_normal_distribution(a))
SINGLE(normcdfinvf, (float a), -1.41421356f * single_erfc_inverse(2 * a))
SINGLE(rhypotf, (float a, float b), 1 / hypotf(a, b))
SINGLE(norm3df, (float a, float b, float c), hypotf(hypotf(a, b), c))
SINGLE(rnorm3df, (float a, float b, float c), 1 / hypotf(hypotf(a, b), c))
SINGLE(norm4df, (float a, float b, float c, float d), hypotf(hypotf(a, b), hypotf(c, d)))
SINGLE(rnorm4df, (float a, float b, float c, float d), 1 / hypotf(hypotf(a, b), hypotf(c, d)))
SINGLE(powif, (float a, int32_t n), single_power(a, n))

#include "runtime/vmath/bessel.h"
