/* Elements of matrix operands out of register words: `part` counts elements from the low bits. */
#ifndef TRI_RUNTIME_SIM_DECODE_H
#define TRI_RUNTIME_SIM_DECODE_H

#include "runtime/float.h"

typedef double (*decode)(uint64_t word, int part);

static inline double decode_f16(uint64_t word, int part)
{
    return tri_float_f16_from_bits((uint16_t)(word >> (16 * part)));
}
static inline double decode_bf16(uint64_t word, int part)
{
    return tri_float_bf16_from_bits((uint16_t)(word >> (16 * part)));
}
static inline double decode_f64(uint64_t word, int part) { return part ? 0 : tri_float_f64_from_bits(word); }
static inline double decode_s8(uint64_t word, int part) { return (int8_t)(word >> (8 * part)); }
static inline double decode_e4m3(uint64_t word, int part)
{
    return tri_float_fp8_from_bits((uint8_t)(word >> (8 * part)), 0);
}
static inline double decode_e5m2(uint64_t word, int part)
{
    return tri_float_fp8_from_bits((uint8_t)(word >> (8 * part)), 1);
}

/* tf32 hardware ignores the low 13 bits. */
static inline double decode_tf32(uint64_t word, int part)
{
    return part ? 0 : tri_float_f32_from_bits(word & 0xffffe000u);
}

#endif
