/* Vector math for CPU code: compiled once to bitcode without a processor, linked into kernels and
 * inlined there, so that it becomes the instructions of the kernel's processor. Each function takes
 * and writes whole vectors by address (vectors have no portable calling convention).
 *
 * These are the functions that kernels spend their time in. As bitcode they give the same bits on every processor with
 * FMA and become part of the loop; libmvec costs a call for every 4 to 16 elements and is for x86 with glibc only, and
 * SLEEF, which distributions have as a shared library alone, would be one more at every user's link. The other
 * elementary functions do come from libmvec (targets/cpu/veclib.c), which -lm brings.
 *
 * Largest errors, checked by tests/exec/vmath.c: float functions 2 ulp, double functions 2 ulp, remainders exact;
 * results at infinities, NaN, zeros and overflow are those of C. The polynomials are Chebyshev fits
 * of the named functions on the named intervals. Only sin and cos of arguments beyond 1e5, and remainders of divisors
 * below 2^-960, go to libm. */
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
