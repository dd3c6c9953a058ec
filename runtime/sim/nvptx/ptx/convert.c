/* cvt. */
#include "runtime/sim/nvptx/ptx/instructions.h"

#include <math.h>

static bool is_float(const ptx_type_info *t) { return t->format != FORMAT_NONE; }

/* ftz is about fp32 alone. */
static double flush(const ptx_instruction *i, ptx_format format, double value)
{
    bool is_flushed = ptx_has(i, PTX_ftz_flag) && format == FORMAT_F32 && tri_ptx_is_subnormal(format, value);
    return is_flushed ? copysign(0, value) : value;
}

static uint64_t float_to_float(const ptx_instruction *i, ptx_format from, ptx_format to, uint64_t bits)
{
    long double value = flush(i, from, tri_ptx_decode(from, bits));
    if (ptx_has(i, PTX_relu_flag) && value <= 0)
        value = 0;
    ptx_rounding rounding = tri_ptx_rounding(i);
    bool is_integral =
        ptx_has(i, PTX_rni_flag) || ptx_has(i, PTX_rzi_flag) || ptx_has(i, PTX_rmi_flag) || ptx_has(i, PTX_rpi_flag);
    if (is_integral && isfinite(value))
        value = tri_ptx_integral(value, rounding);
    uint64_t out = tri_ptx_encode(to, value, rounding, ptx_has(i, PTX_satfinite_flag));
    double rounded = tri_ptx_decode(to, out);
    if (ptx_has(i, PTX_sat_flag))
        return tri_ptx_encode(to, rounded > 0 ? fmin(rounded, 1) : 0, ROUND_EVEN, false);
    double flushed = flush(i, to, rounded);
    return flushed != rounded ? tri_ptx_encode(to, flushed, ROUND_EVEN, false) : out;
}

/* Too large numbers become the nearest integer; NaN as the ISA's table says. */
static uint64_t float_to_int(const ptx_instruction *i, const ptx_type_info *from, const ptx_type_info *to,
                             uint64_t bits)
{
    double value = flush(i, from->format, tri_ptx_decode(from->format, bits));
    bool is_signed = to->kind == PTX_SIGNED;
    if (isnan(value))
        return from->format == FORMAT_F64 || to->bits == 64 ? (uint64_t)1 << (to->bits - 1) : 0;
    long double whole = tri_ptx_integral(value, tri_ptx_rounding(i));
    long double low = is_signed ? -ldexpl(1, to->bits - 1) : 0, high = ldexpl(1, to->bits - is_signed) - 1;
    whole = whole < low ? low : whole > high ? high : whole;
    return is_signed ? (uint64_t)(int64_t)whole : (uint64_t)whole;
}

static long double int_value(const ptx_type_info *from, uint64_t bits)
{
    return from->kind == PTX_SIGNED ? (long double)ptx_signed(bits, from->bits) : (long double)bits;
}

static uint64_t int_to_float(const ptx_instruction *i, const ptx_type_info *from, const ptx_type_info *to,
                             uint64_t bits)
{
    uint64_t out = tri_ptx_encode(to->format, int_value(from, bits), tri_ptx_rounding(i), false);
    if (!ptx_has(i, PTX_sat_flag))
        return out;
    double value = tri_ptx_decode(to->format, out);
    return tri_ptx_encode(to->format, value > 0 ? fmin(value, 1) : 0, ROUND_EVEN, false);
}

/* Saturation to a range of `bits`. */
static uint64_t clamp_int(long double value, int bits, bool is_signed)
{
    long double low = is_signed ? -ldexpl(1, bits - 1) : 0, high = ldexpl(1, bits - is_signed) - 1;
    value = value < low ? low : value > high ? high : value;
    return is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static uint64_t int_to_int(const ptx_instruction *i, const ptx_type_info *from, const ptx_type_info *to, uint64_t bits)
{
    if (ptx_has(i, PTX_sat_flag))
        return clamp_int(int_value(from, bits), to->bits, to->kind == PTX_SIGNED);
    return from->kind == PTX_SIGNED ? (uint64_t)ptx_signed(bits, from->bits) : bits;
}

/* A register that is wider than the type gets zeros, or the sign. */
static uint64_t extend(const ptx_type_info *to, uint64_t value)
{
    return to->kind == PTX_SIGNED ? (uint64_t)ptx_signed(value, to->bits) : value & ptx_mask(to->bits);
}

void tri_ptx_cvt(ptx_state *s, const ptx_instruction *i)
{
    const ptx_type_info *to = ptx_type_of(i, 0), *from = ptx_type_of(i, 1);
    uint64_t bits = tri_ptx_get(s, i, &i->operands[1]) & ptx_mask(from->bits), out;
    if (is_float(from) && is_float(to))
        out = float_to_float(i, from->format, to->format, bits);
    else if (is_float(from))
        out = float_to_int(i, from, to, bits);
    else if (is_float(to))
        out = int_to_float(i, from, to, bits);
    else
        out = int_to_int(i, from, to, bits);
    tri_ptx_put(s, &i->operands[0], extend(to, out));
}

/* Pairs: of two operands the first goes to the upper half. */
void tri_ptx_cvt_pair(ptx_state *s, const ptx_instruction *i)
{
    const ptx_type_info *to = ptx_type_of(i, 0), *from = ptx_type_of(i, 1);
    uint64_t out = 0;
    int bits = from->bits / from->lanes, to_bits = to->bits / 2;
    for (int k = 0; k < 2; k++) {
        uint64_t source = from->lanes == 2 ? tri_ptx_get(s, i, &i->operands[1]) >> (k * bits)
                                           : tri_ptx_get(s, i, &i->operands[2 - k]);
        out |= float_to_float(i, from->format, to->format, source & ptx_mask(bits)) << (k * to_bits);
    }
    tri_ptx_put(s, &i->operands[0], out);
}

/* cvt.pack.sat: a and b, saturated, behind what c has in its low bits. */
void tri_ptx_cvt_pack(ptx_state *s, const ptx_instruction *i)
{
    const ptx_type_info *to = ptx_type_of(i, 0);
    int64_t a = ptx_signed(tri_ptx_get(s, i, &i->operands[1]), 32),
            b = ptx_signed(tri_ptx_get(s, i, &i->operands[2]), 32);
    uint64_t c = i->num_operands > 3 ? tri_ptx_get(s, i, &i->operands[3]) : 0, mask = ptx_mask(to->bits);
    uint64_t high = clamp_int(a, to->bits, to->kind == PTX_SIGNED) & mask,
             low = clamp_int(b, to->bits, to->kind == PTX_SIGNED) & mask;
    tri_ptx_put(s, &i->operands[0], c << (2 * to->bits) | high << to->bits | low);
}
