/* The floating-point formats of PTX, and arithmetic that is rounded once. */
#ifndef TRI_RUNTIME_PTX_NUMBER_H
#define TRI_RUNTIME_PTX_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    FORMAT_NONE,
    FORMAT_F16,
    FORMAT_BF16,
    FORMAT_F32,
    FORMAT_F64,
    FORMAT_TF32, /* where f32 has it, the low 13 bits zero */
    FORMAT_E4M3,
    FORMAT_E5M2,
    FORMAT_E2M1,
    FORMAT_E2M3,
    FORMAT_E3M2,
    FORMAT_UE8M0,
} ptx_format;

typedef enum { ROUND_EVEN, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY } ptx_rounding;

/* The number that bits stand for. */
double tri_ptx_decode(ptx_format format, uint64_t bits);
/* Rounds. NaN becomes the format's only one, or, where it has none, its largest number; what is too large becomes
 * infinity as the rounding says, or the largest number with `saturates` and where there is no infinity. */
uint64_t tri_ptx_encode(ptx_format format, long double value, ptx_rounding rounding, bool saturates);
/* A whole number towards the given side, ties to even. */
long double tri_ptx_integral(long double value, ptx_rounding rounding);
/* Whether the number is nonzero and below the format's smallest normal one. */
bool tri_ptx_is_subnormal(ptx_format format, double value);

/* The exact result, rounded to odd in its last bit where a double is too short: rounding it on to at most 50 bits in
 * any direction is rounding once. The product of a and b must be exact in a double. */
double tri_ptx_fma_odd(double a, double b, double c, ptx_rounding zero);
double tri_ptx_div_odd(double a, double b);
double tri_ptx_sqrt_odd(double a);

/* Doubles, rounded by the machine: '+' '*' '/' 's' (square root of a) 'f' (a * b + c). */
double tri_ptx_f64(char operation, double a, double b, double c, ptx_rounding rounding);

#endif
