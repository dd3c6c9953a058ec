/* libdevice's Bessel functions, of doubles, of floats by doubles, and of floats alone. */
#define REAL double
#define S(name) name
#define F(name) name
#define FAR 25
#define BEYOND 38
#define SEED 1e-250
#define TINY 1e-8
#define LARGE 1e200
#include "runtime/vmath/bessel_of.h"
#undef REAL
#undef S
#undef F
#undef FAR
#undef BEYOND
#undef SEED
#undef TINY
#undef LARGE
#define REAL float
#define S(name) single_##name
#define F(name) name##f
#define FAR 12
#define BEYOND 18
#define SEED 1e-20f
#define TINY 1e-3f
#define LARGE 1e15f
#include "runtime/vmath/bessel_of.h"

#define BESSEL(name, params, function, ...) \
    EXPORT1(double, name, (params double a), function(__VA_ARGS__, a)) \
    EXPORT1(float, name##f, (params float a), (float)function(__VA_ARGS__, (double)a)) \
    SINGLE(name##f, (params float a), single_##function(__VA_ARGS__, a))
#define NONE
#define ORDER int32_t n,
BESSEL(j0, NONE, first_kind, 0)
BESSEL(j1, NONE, first_kind, 1)
BESSEL(jn, ORDER, first_kind_n, n)
BESSEL(y0, NONE, second_kind, 0)
BESSEL(y1, NONE, second_kind, 1)
BESSEL(yn, ORDER, second_kind_n, n)
