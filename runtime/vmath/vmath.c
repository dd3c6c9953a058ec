/* Vector math for CPU code: compiled once to bitcode without a processor, linked into kernels and
 * inlined there, so that it becomes the instructions of the kernel's processor. Each function takes
 * and writes whole vectors by address (vectors have no portable calling convention).
 *
 * Why not SLEEF or libmvec: libmvec is for x86 with glibc only, rounds otherwise on each processor, and costs a
 * call that cannot be inlined for every 4 to 16 elements; SLEEF would be one more library at every user's link.
 * Bitcode that is part of the compiler gives the same bits on every processor and becomes part of the loop.
 * What is not here (pow, the inverse and hyperbolic functions, double sin, cos and erf) goes to libm lane by lane.
 *
 * Largest errors, checked by tests/exec/vmath.c: float functions 2 ulp, double functions 2 ulp;
 * results at infinities, NaN, zeros and overflow are those of C. The polynomials are Chebyshev fits
 * of the named functions on the named intervals. Only sin and cos of arguments beyond 1e5 go to libm. */
#include <math.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))
#define EXPORT __attribute__((always_inline))

#define N 4
#include "runtime/vmath/functions.h"
#undef N
#define N 8
#include "runtime/vmath/functions.h"
#undef N
#define N 16
#include "runtime/vmath/functions.h"
#undef N
