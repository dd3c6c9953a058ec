/* Of <math.h> what runtime/vmath uses, where the device has no C library: declarations that the linker of libraries
 * (targets/library_device.c) gives bodies, and the few that are one or two instructions. */
#ifndef TRI_RUNTIME_VMATH_DEVICE_MATH_H
#define TRI_RUNTIME_VMATH_DEVICE_MATH_H

#include <stdint.h>

#define M_PI 3.14159265358979323846
#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf_sign(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)
#define ldexp(x, n) __builtin_ldexp(x, n)
#define ldexpf(x, n) __builtin_ldexpf(x, n)
#define llrint(x) ((int64_t)__builtin_rint(x))
#define llrintf(x) ((int64_t)__builtin_rintf(x))
#define llround(x) ((int64_t)__builtin_round(x))
#define llroundf(x) ((int64_t)__builtin_roundf(x))
#define fma(x, y, z) __builtin_fma(x, y, z)
#define fmaf(x, y, z) __builtin_fmaf(x, y, z)
#define fabs(x) __builtin_fabs(x)
#define fabsf(x) __builtin_fabsf(x)
#define rint(x) __builtin_rint(x)
#define rintf(x) __builtin_rintf(x)
#define floor(x) __builtin_floor(x)
#define floorf(x) __builtin_floorf(x)
#define ceil(x) __builtin_ceil(x)
#define ceilf(x) __builtin_ceilf(x)
#define nearbyint(x) __builtin_rint(x)
#define nearbyintf(x) __builtin_rintf(x)
#define scalbn(x, n) __builtin_ldexp(x, n)
#define scalbnf(x, n) __builtin_ldexpf(x, n)
#define trunc(x) __builtin_trunc(x)
#define truncf(x) __builtin_truncf(x)
#define sqrt(x) __builtin_sqrt(x)
#define sqrtf(x) __builtin_sqrtf(x)
#define copysign(x, y) __builtin_copysign(x, y)
#define copysignf(x, y) __builtin_copysignf(x, y)

#define TRI_UNARY(name) \
    double name(double); \
    float name##f(float);
TRI_UNARY(cbrt)
TRI_UNARY(cos)
TRI_UNARY(erf)
TRI_UNARY(erfc)
TRI_UNARY(exp)
TRI_UNARY(exp10)
TRI_UNARY(exp2)
TRI_UNARY(j0)
TRI_UNARY(j1)
TRI_UNARY(log)
TRI_UNARY(log10)
TRI_UNARY(log1p)
TRI_UNARY(log2)
TRI_UNARY(sin)
TRI_UNARY(tan)
TRI_UNARY(y0)
TRI_UNARY(y1)
#undef TRI_UNARY

double fmod(double, double);
float fmodf(float, float);
double hypot(double, double);
float hypotf(float, float);
double jn(int, double);
float jnf(int, float);
double yn(int, double);
float ynf(int, float);
double pow(double, double);
float powf(float, float);
double remainder(double, double);
float remainderf(float, float);

/* C's answers for 0, infinities and NaN */
static inline int ilogb(double x)
{
    if (!(x == x) || x == 0)
        return -2147483647 - 1;
    if (__builtin_isinf_sign(x))
        return 2147483647;
    union {
        double d;
        uint64_t u;
    } v = {x};
    int e = (int)(v.u >> 52 & 2047);
    if (e)
        return e - 1023;
    v.d *= 18014398509481984.0;
    return (int)(v.u >> 52 & 2047) - 1077;
}
static inline int ilogbf(float x) { return ilogb(x); }

#endif
