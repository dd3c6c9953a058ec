/* Floating-point arithmetic, comparison and selection. */
#include "runtime/sim/nvptx/ptx/instructions.h"

#include <math.h>

static ptx_format format_of(const ptx_instruction *i) { return ptx_type_of(i, 0)->format; }

ptx_rounding tri_ptx_rounding(const ptx_instruction *i)
{
    if (ptx_has(i, PTX_rz_flag) || ptx_has(i, PTX_rzi_flag))
        return ROUND_ZERO;
    if (ptx_has(i, PTX_rm_flag) || ptx_has(i, PTX_rmi_flag))
        return ROUND_DOWN;
    if (ptx_has(i, PTX_rp_flag) || ptx_has(i, PTX_rpi_flag))
        return ROUND_UP;
    return ptx_has(i, PTX_rna_flag) ? ROUND_AWAY : ROUND_EVEN;
}

static double operand(const ptx_instruction *i, uint64_t bits)
{
    double value = tri_ptx_decode(format_of(i), bits);
    return ptx_has(i, PTX_ftz_flag) && tri_ptx_is_subnormal(format_of(i), value) ? copysign(0, value) : value;
}

static uint64_t result(const ptx_instruction *i, double value)
{
    ptx_format format = format_of(i);
    if (ptx_has(i, PTX_relu_flag) && value <= 0)
        value = 0;
    uint64_t bits = tri_ptx_encode(format, value, tri_ptx_rounding(i), false);
    double rounded = tri_ptx_decode(format, bits);
    if (ptx_has(i, PTX_sat_flag)) /* NaN becomes 0 */
        return tri_ptx_encode(format, rounded > 0 ? fmin(rounded, 1) : 0, ROUND_EVEN, false);
    if (ptx_has(i, PTX_ftz_flag) && tri_ptx_is_subnormal(format, rounded))
        return tri_ptx_encode(format, copysign(0, rounded), ROUND_EVEN, false);
    return bits;
}

static bool is_f64(const ptx_instruction *i) { return format_of(i) == FORMAT_F64; }

uint64_t tri_ptx_float_add(const ptx_instruction *i, const uint64_t *x)
{
    double a = operand(i, x[0]), b = operand(i, x[1]);
    ptx_rounding rounding = tri_ptx_rounding(i);
    return result(i, is_f64(i) ? tri_ptx_f64('+', a, b, 0, rounding) : tri_ptx_fma_odd(a, 1, b, rounding));
}

uint64_t tri_ptx_float_sub(const ptx_instruction *i, const uint64_t *x)
{
    double a = operand(i, x[0]), b = -operand(i, x[1]);
    ptx_rounding rounding = tri_ptx_rounding(i);
    return result(i, is_f64(i) ? tri_ptx_f64('+', a, b, 0, rounding) : tri_ptx_fma_odd(a, 1, b, rounding));
}

uint64_t tri_ptx_float_mul(const ptx_instruction *i, const uint64_t *x)
{
    double a = operand(i, x[0]), b = operand(i, x[1]);
    return result(i, is_f64(i) ? tri_ptx_f64('*', a, b, 0, tri_ptx_rounding(i)) : a * b);
}

uint64_t tri_ptx_float_fma(const ptx_instruction *i, const uint64_t *x)
{
    double a = operand(i, x[0]), b = operand(i, x[1]), c = operand(i, x[2]);
    ptx_rounding rounding = tri_ptx_rounding(i);
    return result(i, is_f64(i) ? tri_ptx_f64('f', a, b, c, rounding) : tri_ptx_fma_odd(a, b, c, rounding));
}

uint64_t tri_ptx_float_div(const ptx_instruction *i, const uint64_t *x)
{
    double a = operand(i, x[0]), b = operand(i, x[1]);
    return result(i, is_f64(i) ? tri_ptx_f64('/', a, b, 0, tri_ptx_rounding(i)) : tri_ptx_div_odd(a, b));
}

uint64_t tri_ptx_float_rcp(const ptx_instruction *i, const uint64_t *x)
{
    double a = operand(i, x[0]);
    return result(i, is_f64(i) ? tri_ptx_f64('/', 1, a, 0, tri_ptx_rounding(i)) : tri_ptx_div_odd(1, a));
}

uint64_t tri_ptx_float_sqrt(const ptx_instruction *i, const uint64_t *x)
{
    double a = operand(i, x[0]);
    return result(i, is_f64(i) ? tri_ptx_f64('s', a, 0, 0, tri_ptx_rounding(i)) : tri_ptx_sqrt_odd(a));
}

uint64_t tri_ptx_float_rsqrt(const ptx_instruction *i, const uint64_t *x)
{
    long double a = operand(i, x[0]);
    return result(i, (double)(1 / sqrtl(a)));
}

uint64_t tri_ptx_float_sin(const ptx_instruction *i, const uint64_t *x) { return result(i, sin(operand(i, x[0]))); }
uint64_t tri_ptx_float_cos(const ptx_instruction *i, const uint64_t *x) { return result(i, cos(operand(i, x[0]))); }
uint64_t tri_ptx_float_ex2(const ptx_instruction *i, const uint64_t *x) { return result(i, exp2(operand(i, x[0]))); }
uint64_t tri_ptx_float_lg2(const ptx_instruction *i, const uint64_t *x) { return result(i, log2(operand(i, x[0]))); }
uint64_t tri_ptx_float_tanh(const ptx_instruction *i, const uint64_t *x) { return result(i, tanh(operand(i, x[0]))); }

static uint64_t sign_bit(const ptx_instruction *i)
{
    return (uint64_t)1 << (ptx_type_of(i, 0)->bits / ptx_type_of(i, 0)->lanes - 1);
}

/* The sign is a bit, of NaN too. */
uint64_t tri_ptx_float_abs(const ptx_instruction *i, const uint64_t *x)
{
    bool is_zero = ptx_has(i, PTX_ftz_flag) && operand(i, x[0]) == 0;
    return is_zero ? 0 : x[0] & ~sign_bit(i);
}

uint64_t tri_ptx_float_neg(const ptx_instruction *i, const uint64_t *x)
{
    bool is_zero = ptx_has(i, PTX_ftz_flag) && operand(i, x[0]) == 0;
    return (is_zero ? x[0] & sign_bit(i) : x[0]) ^ sign_bit(i);
}

uint64_t tri_ptx_float_copysign(const ptx_instruction *i, const uint64_t *x)
{
    return (x[1] & ~sign_bit(i)) | (x[0] & sign_bit(i));
}

/* -0 is below +0. One NaN gives the other operand, with .NaN itself. */
static double pick(const ptx_instruction *i, double a, double b, bool wants_less)
{
    if (isnan(a) || isnan(b)) {
        if (ptx_has(i, PTX_NaN_flag) || (isnan(a) && isnan(b)))
            return NAN;
        return isnan(a) ? b : a;
    }
    if (a == b)
        return signbit(a) == wants_less ? a : b;
    return (a < b) == wants_less ? a : b;
}

static uint64_t extreme(const ptx_instruction *i, const uint64_t *x, int count, bool wants_less)
{
    bool has_sign = ptx_has(i, PTX_xorsign_flag), sign = false;
    double best = 0;
    for (int k = 0; k < count; k++) {
        double a = operand(i, x[k]);
        sign ^= signbit(a) != 0;
        a = ptx_has(i, PTX_abs_flag) ? fabs(a) : a;
        best = k ? pick(i, best, a, wants_less) : a;
    }
    return result(i, has_sign && !isnan(best) ? copysign(best, sign ? -1 : 1) : best);
}

uint64_t tri_ptx_float_min(const ptx_instruction *i, const uint64_t *x) { return extreme(i, x, 2, true); }
uint64_t tri_ptx_float_max(const ptx_instruction *i, const uint64_t *x) { return extreme(i, x, 2, false); }
uint64_t tri_ptx_float_min3(const ptx_instruction *i, const uint64_t *x) { return extreme(i, x, 3, true); }
uint64_t tri_ptx_float_max3(const ptx_instruction *i, const uint64_t *x) { return extreme(i, x, 3, false); }

void tri_ptx_testp(ptx_state *s, const ptx_instruction *i)
{
    double a = tri_ptx_decode(format_of(i), tri_ptx_get(s, i, &i->operands[1]));
    bool is_subnormal = tri_ptx_is_subnormal(format_of(i), a);
    bool answer = ptx_has(i, PTX_finite_flag)       ? isfinite(a)
                  : ptx_has(i, PTX_infinite_flag)   ? isinf(a) != 0
                  : ptx_has(i, PTX_number_flag)     ? !isnan(a)
                  : ptx_has(i, PTX_notanumber_flag) ? isnan(a)
                  : ptx_has(i, PTX_normal_flag)     ? isfinite(a) && a != 0 && !is_subnormal
                                                    : is_subnormal;
    tri_ptx_put(s, &i->operands[0], answer);
}

/* ---- comparison ---- */

/* How two elements lie. */
typedef enum { LESS, EQUAL, GREATER, UNORDERED } order;

static order compare(const ptx_instruction *i, int type, uint64_t a, uint64_t b)
{
    const ptx_type_info *t = ptx_type_of(i, type);
    int bits = t->bits / t->lanes;
    if (t->kind == PTX_FLOAT) {
        double x = tri_ptx_decode(t->format, a), y = tri_ptx_decode(t->format, b);
        if (ptx_has(i, PTX_ftz_flag)) {
            x = tri_ptx_is_subnormal(t->format, x) ? 0 : x;
            y = tri_ptx_is_subnormal(t->format, y) ? 0 : y;
        }
        return isnan(x) || isnan(y) ? UNORDERED : x < y ? LESS : x > y ? GREATER : EQUAL;
    }
    if (t->kind == PTX_SIGNED) {
        int64_t x = ptx_signed(a, bits), y = ptx_signed(b, bits);
        return x < y ? LESS : x > y ? GREATER : EQUAL;
    }
    return a < b ? LESS : a > b ? GREATER : EQUAL;
}

static const struct {
    ptx_flag flag;
    unsigned char holds[4]; /* by order */
} comparisons[] = {
    {PTX_eq_flag, {0, 1, 0, 0}},  {PTX_ne_flag, {1, 0, 1, 0}},  {PTX_lt_flag, {1, 0, 0, 0}},
    {PTX_le_flag, {1, 1, 0, 0}},  {PTX_gt_flag, {0, 0, 1, 0}},  {PTX_ge_flag, {0, 1, 1, 0}},
    {PTX_lo_flag, {1, 0, 0, 0}},  {PTX_ls_flag, {1, 1, 0, 0}},  {PTX_hi_flag, {0, 0, 1, 0}},
    {PTX_hs_flag, {0, 1, 1, 0}},  {PTX_equ_flag, {0, 1, 0, 1}}, {PTX_neu_flag, {1, 0, 1, 1}},
    {PTX_ltu_flag, {1, 0, 0, 1}}, {PTX_leu_flag, {1, 1, 0, 1}}, {PTX_gtu_flag, {0, 0, 1, 1}},
    {PTX_geu_flag, {0, 1, 1, 1}}, {PTX_num_flag, {1, 1, 1, 0}}, {PTX_nan_flag, {0, 0, 0, 1}},
};

static bool holds(const ptx_instruction *i, int type, uint64_t a, uint64_t b)
{
    order o = compare(i, type, a, b);
    for (size_t k = 0; k < sizeof comparisons / sizeof *comparisons; k++)
        if (ptx_has(i, comparisons[k].flag))
            return comparisons[k].holds[o];
    return false;
}

/* Combines an answer with the predicate of the last operand, when there is one. */
static bool combine(ptx_state *s, const ptx_instruction *i, int last, bool answer)
{
    if (i->num_operands <= last)
        return answer;
    bool other = tri_ptx_get(s, i, &i->operands[last]);
    return ptx_has(i, PTX_and_flag) ? answer && other : ptx_has(i, PTX_or_flag) ? answer || other : answer != other;
}

/* p|q: the answer and its opposite; of packed pairs, the answers for the low and the high element. */
void tri_ptx_setp(ptx_state *s, const ptx_instruction *i)
{
    const ptx_type_info *t = ptx_type_of(i, 0);
    uint64_t a = tri_ptx_get(s, i, &i->operands[1]), b = tri_ptx_get(s, i, &i->operands[2]);
    int bits = t->bits / t->lanes;
    bool first = holds(i, 0, a & ptx_mask(bits), b & ptx_mask(bits)), second = !first;
    if (t->lanes == 2)
        second = holds(i, 0, a >> bits, b >> bits);
    ptx_operand pair = i->operands[0];
    tri_ptx_put(s, &pair, combine(s, i, 3, first));
    if (pair.second >= 0) {
        pair.kind = OPERAND_REGISTER;
        pair.reg = pair.second;
        tri_ptx_put(s, &pair, combine(s, i, 3, second));
    }
}

/* All ones or 1.0 where it holds. */
void tri_ptx_set(ptx_state *s, const ptx_instruction *i)
{
    const ptx_type_info *to = ptx_type_of(i, 0), *from = ptx_type_of(i, 1);
    uint64_t a = tri_ptx_get(s, i, &i->operands[1]), b = tri_ptx_get(s, i, &i->operands[2]), out = 0;
    int bits = from->bits / from->lanes, to_bits = to->bits / from->lanes;
    uint64_t yes = to->kind == PTX_FLOAT ? tri_ptx_encode(to->format, 1, ROUND_EVEN, false) : ptx_mask(to_bits);
    for (int k = 0; k < from->lanes; k++)
        if (combine(s, i, 3, holds(i, 1, a >> (k * bits) & ptx_mask(bits), b >> (k * bits) & ptx_mask(bits))))
            out |= yes << (k * to_bits);
    tri_ptx_put(s, &i->operands[0], out);
}

void tri_ptx_selp(ptx_state *s, const ptx_instruction *i)
{
    uint64_t a = tri_ptx_get(s, i, &i->operands[1]), b = tri_ptx_get(s, i, &i->operands[2]);
    tri_ptx_put(s, &i->operands[0], tri_ptx_get(s, i, &i->operands[3]) ? a : b);
}

/* a where c >= 0 (-0 too), else b; NaN chooses b. */
void tri_ptx_slct(ptx_state *s, const ptx_instruction *i)
{
    uint64_t c = tri_ptx_get(s, i, &i->operands[3]);
    order o = compare(i, 1, c, 0);
    tri_ptx_put(s, &i->operands[0], tri_ptx_get(s, i, &i->operands[o == EQUAL || o == GREATER ? 1 : 2]));
}
