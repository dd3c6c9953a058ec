/* Whole numbers and bits. Elements come without the bits above their width; results may have any there. */
#include "runtime/sim/nvptx/ptx/instructions.h"

static int bits_of(const ptx_instruction *i) { return ptx_type_of(i, 0)->bits / ptx_type_of(i, 0)->lanes; }
static bool is_signed(const ptx_instruction *i, int type) { return ptx_type_of(i, type)->kind == PTX_SIGNED; }

static int64_t value_of(const ptx_instruction *i, uint64_t x)
{
    return is_signed(i, 0) ? ptx_signed(x, bits_of(i)) : (int64_t)x;
}

/* ---- arithmetic ---- */

/* Only .s32 saturates. */
static uint64_t saturate(const ptx_instruction *i, int64_t exact)
{
    if (!ptx_has(i, PTX_sat_flag))
        return (uint64_t)exact;
    return (uint64_t)(exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact);
}

uint64_t tri_ptx_int_add(const ptx_instruction *i, const uint64_t *x)
{
    return ptx_has(i, PTX_sat_flag) ? saturate(i, value_of(i, x[0]) + value_of(i, x[1])) : x[0] + x[1];
}

uint64_t tri_ptx_int_sub(const ptx_instruction *i, const uint64_t *x)
{
    return ptx_has(i, PTX_sat_flag) ? saturate(i, value_of(i, x[0]) - value_of(i, x[1])) : x[0] - x[1];
}

/* The product, all of it: .lo is its lower half, .hi its upper one. */
static unsigned __int128 product(const ptx_instruction *i, uint64_t a, uint64_t b)
{
    if (is_signed(i, 0))
        return (unsigned __int128)((__int128)value_of(i, a) * value_of(i, b));
    return (unsigned __int128)a * b;
}

uint64_t tri_ptx_int_mul(const ptx_instruction *i, const uint64_t *x)
{
    unsigned __int128 all = product(i, x[0], x[1]);
    return (uint64_t)(ptx_has(i, PTX_hi_flag) ? all >> bits_of(i) : all);
}

uint64_t tri_ptx_int_mad(const ptx_instruction *i, const uint64_t *x)
{
    uint64_t part = tri_ptx_int_mul(i, x);
    if (ptx_has(i, PTX_sat_flag))
        return saturate(i, ptx_signed(part, 32) + value_of(i, x[2]));
    return part + x[2];
}

/* .lo: bits 0 to 31 of the 48-bit product, .hi: 16 to 47. */
uint64_t tri_ptx_int_mul24(const ptx_instruction *i, const uint64_t *x)
{
    int64_t a = (int64_t)(x[0] & 0xffffff), b = (int64_t)(x[1] & 0xffffff);
    if (is_signed(i, 0))
        a = ptx_signed((uint64_t)a, 24), b = ptx_signed((uint64_t)b, 24);
    int64_t all = a * b;
    return (uint64_t)(ptx_has(i, PTX_hi_flag) ? all >> 16 : all);
}

uint64_t tri_ptx_int_mad24(const ptx_instruction *i, const uint64_t *x)
{
    uint64_t part = tri_ptx_int_mul24(i, x);
    return ptx_has(i, PTX_sat_flag) ? saturate(i, ptx_signed(part, 32) + value_of(i, x[2])) : part + x[2];
}

/* What divides by zero is left open: all ones, as the hardware gives. */
uint64_t tri_ptx_int_div(const ptx_instruction *i, const uint64_t *x)
{
    if (!x[1])
        return UINT64_MAX;
    if (!is_signed(i, 0))
        return x[0] / x[1];
    int64_t b = value_of(i, x[1]);
    return b == -1 ? 0 - x[0] : (uint64_t)(value_of(i, x[0]) / b);
}

uint64_t tri_ptx_int_rem(const ptx_instruction *i, const uint64_t *x)
{
    if (!x[1])
        return is_signed(i, 0) ? x[0] : UINT64_MAX;
    if (!is_signed(i, 0))
        return x[0] % x[1];
    int64_t b = value_of(i, x[1]);
    return b == -1 ? 0 : (uint64_t)(value_of(i, x[0]) % b);
}

uint64_t tri_ptx_int_abs(const ptx_instruction *i, const uint64_t *x)
{
    return value_of(i, x[0]) < 0 ? 0 - x[0] : x[0];
}
uint64_t tri_ptx_int_neg(const ptx_instruction *i, const uint64_t *x) { return (void)i, 0 - x[0]; }

static bool is_less(const ptx_instruction *i, uint64_t a, uint64_t b)
{
    return is_signed(i, 0) ? value_of(i, a) < value_of(i, b) : a < b;
}

static uint64_t at_least_zero(const ptx_instruction *i, uint64_t x)
{
    return ptx_has(i, PTX_relu_flag) && value_of(i, x) < 0 ? 0 : x;
}

uint64_t tri_ptx_int_min(const ptx_instruction *i, const uint64_t *x)
{
    return at_least_zero(i, is_less(i, x[0], x[1]) ? x[0] : x[1]);
}
uint64_t tri_ptx_int_max(const ptx_instruction *i, const uint64_t *x)
{
    return at_least_zero(i, is_less(i, x[0], x[1]) ? x[1] : x[0]);
}

uint64_t tri_ptx_int_sad(const ptx_instruction *i, const uint64_t *x)
{
    return x[2] + (is_less(i, x[0], x[1]) ? x[1] - x[0] : x[0] - x[1]);
}

/* ---- bits ---- */

uint64_t tri_ptx_bit_and(const ptx_instruction *i, const uint64_t *x) { return (void)i, x[0] & x[1]; }
uint64_t tri_ptx_bit_or(const ptx_instruction *i, const uint64_t *x) { return (void)i, x[0] | x[1]; }
uint64_t tri_ptx_bit_xor(const ptx_instruction *i, const uint64_t *x) { return (void)i, x[0] ^ x[1]; }
uint64_t tri_ptx_bit_not(const ptx_instruction *i, const uint64_t *x) { return (void)i, ~x[0]; }
uint64_t tri_ptx_bit_cnot(const ptx_instruction *i, const uint64_t *x) { return (void)i, !x[0]; }

/* A shift by the width or more leaves zeros, or signs. */
uint64_t tri_ptx_shl(const ptx_instruction *i, const uint64_t *x)
{
    return x[1] >= (uint64_t)bits_of(i) ? 0 : x[0] << x[1];
}

uint64_t tri_ptx_shr(const ptx_instruction *i, const uint64_t *x)
{
    int bits = bits_of(i);
    if (is_signed(i, 0))
        return (uint64_t)(value_of(i, x[0]) >> (x[1] >= (uint64_t)bits ? bits - 1 : (int)x[1]));
    return x[1] >= (uint64_t)bits ? 0 : x[0] >> x[1];
}

static int amount_of(const ptx_instruction *i, uint64_t c)
{
    return (int)(ptx_has(i, PTX_wrap_flag) ? c & 31 : c > 32 ? 32 : c);
}

/* The 64 bits b:a shifted; left gives the upper half. */
uint64_t tri_ptx_shf_l(const ptx_instruction *i, const uint64_t *x)
{
    int n = amount_of(i, x[2]);
    return n ? x[1] << n | x[0] >> (32 - n) : x[1];
}

uint64_t tri_ptx_shf_r(const ptx_instruction *i, const uint64_t *x)
{
    int n = amount_of(i, x[2]);
    return n ? x[1] << (32 - n) | x[0] >> n : x[0];
}

uint64_t tri_ptx_popc(const ptx_instruction *i, const uint64_t *x)
{
    return (void)i, (uint64_t)__builtin_popcountll(x[0]);
}

uint64_t tri_ptx_clz(const ptx_instruction *i, const uint64_t *x)
{
    return x[0] ? (uint64_t)(__builtin_clzll(x[0]) - (64 - bits_of(i))) : (uint64_t)bits_of(i);
}

uint64_t tri_ptx_brev(const ptx_instruction *i, const uint64_t *x)
{
    uint64_t out = 0;
    for (int k = 0; k < bits_of(i); k++)
        out |= (x[0] >> k & 1) << (bits_of(i) - 1 - k);
    return out;
}

/* The highest bit that differs from the sign. */
uint64_t tri_ptx_bfind(const ptx_instruction *i, const uint64_t *x)
{
    int bits = bits_of(i);
    uint64_t a = is_signed(i, 0) && value_of(i, x[0]) < 0 ? ~x[0] & ptx_mask(bits) : x[0];
    if (!a)
        return UINT32_MAX;
    int at = 63 - __builtin_clzll(a);
    return (uint64_t)(ptx_has(i, PTX_shiftamt_flag) ? bits - 1 - at : at);
}

/* Position and length are bytes. */
uint64_t tri_ptx_bfe(const ptx_instruction *i, const uint64_t *x)
{
    int bits = bits_of(i), position = (int)(x[1] & 255), length = (int)(x[2] & 255);
    int last = position + length - 1 < bits - 1 ? position + length - 1 : bits - 1;
    bool sign = is_signed(i, 0) && length && x[0] >> last & 1;
    uint64_t out = 0;
    for (int k = 0; k < bits; k++) {
        bool bit = k < length && position + k < bits ? x[0] >> (position + k) & 1 : sign;
        out |= (uint64_t)bit << k;
    }
    return out;
}

uint64_t tri_ptx_bfi(const ptx_instruction *i, const uint64_t *x)
{
    int bits = bits_of(i), position = (int)(x[2] & 255), length = (int)(x[3] & 255);
    uint64_t out = x[1];
    for (int k = 0; k < length && position + k < bits; k++) {
        uint64_t bit = (uint64_t)1 << (position + k);
        out = x[0] >> k & 1 ? out | bit : out & ~bit;
    }
    return out;
}

uint64_t tri_ptx_bmsk(const ptx_instruction *i, const uint64_t *x)
{
    uint64_t from = ptx_has(i, PTX_wrap_flag) ? x[0] & 31 : x[0], length = ptx_has(i, PTX_wrap_flag) ? x[1] & 31 : x[1];
    return from > 31 ? 0 : (length > 31 ? UINT64_MAX : ptx_mask((int)length)) << from;
}

/* Sign or zero extension of the low b bits. */
uint64_t tri_ptx_szext(const ptx_instruction *i, const uint64_t *x)
{
    uint64_t n = ptx_has(i, PTX_wrap_flag) ? x[1] & 31 : x[1];
    if (n > 31)
        return x[0];
    if (!n)
        return 0;
    return is_signed(i, 0) ? (uint64_t)ptx_signed(x[0], (int)n) : x[0] & ptx_mask((int)n);
}

/* Bit k of the table is the answer for a, b, c = the bits of k from the top. */
uint64_t tri_ptx_lop3(const ptx_instruction *i, const uint64_t *x)
{
    (void)i;
    uint64_t out = 0;
    for (int k = 0; k < 8; k++)
        if (x[3] >> k & 1)
            out |= (k & 4 ? x[0] : ~x[0]) & (k & 2 ? x[1] : ~x[1]) & (k & 1 ? x[2] : ~x[2]);
    return out;
}

/* The special modes of prmt: which bytes of b:a, by the low two bits of c. */
static int special_byte(const ptx_instruction *i, int k, int c)
{
    if (ptx_has(i, PTX_f4e_flag))
        return c + k;
    if (ptx_has(i, PTX_b4e_flag))
        return (c - k) & 7;
    if (ptx_has(i, PTX_rc8_flag))
        return c;
    if (ptx_has(i, PTX_ecl_flag))
        return k > c ? k : c;
    if (ptx_has(i, PTX_ecr_flag))
        return k < c ? k : c;
    return (c & 1) * 2 + (k & 1);
}

uint64_t tri_ptx_prmt(const ptx_instruction *i, const uint64_t *x)
{
    bool is_special = ptx_has(i, PTX_f4e_flag) || ptx_has(i, PTX_b4e_flag) || ptx_has(i, PTX_rc8_flag) ||
                      ptx_has(i, PTX_ecl_flag) || ptx_has(i, PTX_ecr_flag) || ptx_has(i, PTX_rc16_flag);
    uint64_t bytes = x[1] << 32 | x[0], out = 0;
    for (int k = 0; k < 4; k++) {
        int select = is_special ? special_byte(i, k, (int)(x[2] & 3)) : (int)(x[2] >> (4 * k) & 15);
        uint64_t byte = bytes >> (8 * (select & 7)) & 255;
        if (select & 8)
            byte = byte & 0x80 ? 255 : 0;
        out |= byte << (8 * k);
    }
    return out;
}

/* Four bytes times four bytes, or two halfwords times two of the bytes, and c. */
static int64_t part_of(const ptx_instruction *i, int type, uint64_t x, int bits, int k)
{
    uint64_t part = x >> (bits * k) & ptx_mask(bits);
    return is_signed(i, type) ? ptx_signed(part, bits) : (int64_t)part;
}

uint64_t tri_ptx_dp4a(const ptx_instruction *i, const uint64_t *x)
{
    int64_t sum = (int64_t)x[2];
    for (int k = 0; k < 4; k++)
        sum += part_of(i, 0, x[0], 8, k) * part_of(i, 1, x[1], 8, k);
    return (uint64_t)sum;
}

uint64_t tri_ptx_dp2a(const ptx_instruction *i, const uint64_t *x)
{
    int64_t sum = (int64_t)x[2];
    for (int k = 0; k < 2; k++)
        sum += part_of(i, 0, x[0], 16, k) * part_of(i, 1, x[1], 8, ptx_has(i, PTX_hi_flag) ? k + 2 : k);
    return (uint64_t)sum;
}

/* ---- with the carry flag ---- */

static void carry(ptx_state *s, const ptx_instruction *i, bool subtracts, bool takes)
{
    int bits = bits_of(i);
    uint64_t a = tri_ptx_get(s, i, &i->operands[1]), b = tri_ptx_get(s, i, &i->operands[2]);
    if (subtracts)
        b = ~b & ptx_mask(bits);
    /* the flag of a subtraction is its borrow */
    bool in = takes ? s->carry != subtracts : subtracts;
    unsigned __int128 sum = (unsigned __int128)a + b + in;
    tri_ptx_put(s, &i->operands[0], (uint64_t)sum & ptx_mask(bits));
    if (ptx_has(i, PTX_cc_flag))
        s->carry = (sum >> bits & 1) != subtracts;
}

void tri_ptx_add_cc(ptx_state *s, const ptx_instruction *i) { carry(s, i, false, false); }
void tri_ptx_addc(ptx_state *s, const ptx_instruction *i) { carry(s, i, false, true); }
void tri_ptx_sub_cc(ptx_state *s, const ptx_instruction *i) { carry(s, i, true, false); }
void tri_ptx_subc(ptx_state *s, const ptx_instruction *i) { carry(s, i, true, true); }

static void carry_mad(ptx_state *s, const ptx_instruction *i, bool takes)
{
    int bits = bits_of(i);
    uint64_t x[2] = {tri_ptx_get(s, i, &i->operands[1]), tri_ptx_get(s, i, &i->operands[2])};
    uint64_t part = tri_ptx_int_mul(i, x) & ptx_mask(bits);
    unsigned __int128 sum = (unsigned __int128)part + tri_ptx_get(s, i, &i->operands[3]) + (takes && s->carry);
    tri_ptx_put(s, &i->operands[0], (uint64_t)sum & ptx_mask(bits));
    if (ptx_has(i, PTX_cc_flag))
        s->carry = sum >> bits & 1;
}

void tri_ptx_mad_cc(ptx_state *s, const ptx_instruction *i) { carry_mad(s, i, false); }
void tri_ptx_madc(ptx_state *s, const ptx_instruction *i) { carry_mad(s, i, true); }
