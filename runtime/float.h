/* Small floats as the machines convert them. */
#ifndef TRI_RUNTIME_FLOAT_H
#define TRI_RUNTIME_FLOAT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float tri_float_f32_from_bits(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline uint64_t tri_float_f32_bits(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static inline double tri_float_f64_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t tri_float_f64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float tri_float_f16_from_bits(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits >> 15) << 31, exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
    if (exponent == 31)
        return tri_float_f32_from_bits(sign | 0x7f800000 | mantissa << 13);
    if (exponent) /* the same number with an exponent of another bias */
        return tri_float_f32_from_bits(sign | (exponent + 112) << 23 | mantissa << 13);
    float magnitude = (float)mantissa * 0x1p-24f;
    return sign ? -magnitude : magnitude;
}

static inline float tri_float_bf16_from_bits(uint16_t bits)
{
    return tri_float_f32_from_bits((uint32_t)bits << 16);
}

/* Rounds to nearest even into a format with `mantissa` bits, smallest normal exponent `low` and
 * largest finite magnitude `top`; the caller has dealt with NaN. Beyond top: infinity. */
static inline double tri_float_round_to(double value, int mantissa, int low, double top)
{
    if (value == 0 || isinf(value))
        return value;
    int exponent;
    frexp(value, &exponent);
    int step = (exponent - 1 < low ? low : exponent - 1) - mantissa;
    double rounded = ldexp(nearbyint(ldexp(value, -step)), step);
    return fabs(rounded) > top ? copysign(INFINITY, value) : rounded;
}

static inline uint16_t tri_float_f16_bits(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value))
        return 0x7fff;
    double magnitude = fabs(tri_float_round_to(value, 10, -14, 65504));
    if (isinf(magnitude))
        return sign | 0x7c00;
    int exponent;
    if (magnitude < ldexp(1, -14))
        return sign | (uint16_t)ldexp(magnitude, 24);
    double fraction = frexp(magnitude, &exponent);
    return sign | (uint16_t)((exponent + 14) << 10 | ((int)ldexp(fraction, 11) & 0x3ff));
}

/* OCP e4m3 (no infinity, S.1111.111 is NaN) and e5m2 (IEEE-like). */
static inline float tri_float_fp8_from_bits(uint8_t bits, int is_e5m2)
{
    if (is_e5m2)
        return tri_float_f16_from_bits((uint16_t)(bits << 8));
    int exponent = bits >> 3 & 15, mantissa = bits & 7;
    if (exponent == 15 && mantissa == 7)
        return NAN;
    float magnitude = exponent ? ldexpf((float)(mantissa | 8), exponent - 10) : ldexpf((float)mantissa, -9);
    return bits & 0x80 ? -magnitude : magnitude;
}

/* cvt.rn.satfinite: what is too large becomes the largest finite value. */
static inline uint8_t tri_float_fp8_bits(float value, int is_e5m2)
{
    uint8_t sign = signbit(value) ? 0x80 : 0;
    if (isnan(value))
        return 0x7f;
    int mantissa = is_e5m2 ? 2 : 3, low = is_e5m2 ? -14 : -6;
    double top = is_e5m2 ? 57344 : 448;
    double magnitude = fabs(tri_float_round_to(value, mantissa, low, top));
    if (magnitude > top)
        magnitude = top;
    if (magnitude < ldexp(1, low))
        return sign | (uint8_t)ldexp(magnitude, mantissa - low);
    int exponent;
    double fraction = frexp(magnitude, &exponent);
    int biased = exponent - 1 - low + 1;
    return sign | (uint8_t)(biased << mantissa | ((int)ldexp(fraction, mantissa + 1) & ((1 << mantissa) - 1)));
}

#endif
