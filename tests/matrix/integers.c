/* Integer operators and functions. Division by zero, INT_MIN / -1 and shifts by the width or more have no
 * defined result and are kept out. */
#include "tests/matrix/matrix.h"

#include <string.h>

typedef enum { ANY, DIVISOR, SHIFT } second;

typedef struct {
    const char *name, *expression;
    int inputs;
    const char *types, *result;
    m_wide (*reference)(m_wide a, m_wide b, m_wide d, m_dtype type);
    second second;
} row;

#define REFERENCE(name, expression) \
    static m_wide name(m_wide a, m_wide b, m_wide d, m_dtype type) \
    { \
        (void)a, (void)b, (void)d, (void)type; \
        return expression; \
    }

static m_wide high_half(m_wide a, m_wide b, m_dtype type)
{
    int bits = m_dtype_bits(type);
    unsigned __int128 mask = ((unsigned __int128)1 << bits) - 1;
    return (m_wide)((((unsigned __int128)a & mask) * ((unsigned __int128)b & mask)) >> bits);
}

REFERENCE(r_add, a + b)
REFERENCE(r_sub, a - b)
REFERENCE(r_mul, (m_wide)((unsigned __int128)a * (unsigned __int128)b))
REFERENCE(r_div, a / b)
REFERENCE(r_mod, a % b)
REFERENCE(r_and, a & b)
REFERENCE(r_or, a | b)
REFERENCE(r_xor, a ^ b)
REFERENCE(r_not, ~a)
REFERENCE(r_neg, -a)
REFERENCE(r_shl, (m_wide)((unsigned __int128)a << b))
REFERENCE(r_shr, a >> b)
REFERENCE(r_min, a < b ? a : b)
REFERENCE(r_max, a > b ? a : b)
REFERENCE(r_abs, a < 0 ? -a : a)
REFERENCE(r_eq, a == b)
REFERENCE(r_ne, a != b)
REFERENCE(r_lt, a < b)
REFERENCE(r_le, a <= b)
REFERENCE(r_gt, a > b)
REFERENCE(r_ge, a >= b)
REFERENCE(r_where, a < b ? a : d)
REFERENCE(r_high, high_half(a, b, type))
REFERENCE(r_cdiv, (m_wide)(a + b - 1) / b)
REFERENCE(r_bool_not, !a)
REFERENCE(r_plus_3, a + 3)
REFERENCE(r_3_minus, 3 - a)
REFERENCE(r_inline, a * 2 + (a > 5 ? b : d))

#define SIGNED "i8 i16 i32 i64"
#define UNSIGNED "u8 u16 u32 u64"
#define INTS SIGNED " " UNSIGNED

static const row rows[] = {
    {"+", "a + b", 2, INTS, "", r_add, ANY},
    {"-", "a - b", 2, INTS, "", r_sub, ANY},
    {"*", "a * b", 2, INTS, "", r_mul, ANY},
    {"+ of bits", "a + b", 2, "i1", "", r_xor, ANY},
    {"* of bits", "a * b", 2, "i1", "", r_and, ANY},
    {"tl.add", "tl.add(a, b, sanitize_overflow=False)", 2, "i32 u64", "", r_add, ANY},
    {"tl.sub", "tl.sub(a, b)", 2, "i32 u8", "", r_sub, ANY},
    {"tl.mul", "tl.mul(a, b)", 2, "i32 i64", "", r_mul, ANY},
    {"//", "a // b", 2, INTS, "", r_div, DIVISOR},
    {"%", "a % b", 2, INTS, "", r_mod, DIVISOR},
    {"&", "a & b", 2, INTS " i1", "", r_and, ANY},
    {"|", "a | b", 2, INTS " i1", "", r_or, ANY},
    {"^", "a ^ b", 2, INTS " i1", "", r_xor, ANY},
    {"~", "~a", 1, INTS, "", r_not, ANY},
    {"~ of bits", "~a", 1, "i1", "", r_bool_not, ANY},
    {"not", "not a", 1, "i1", "", r_bool_not, ANY},
    {"and", "a and b", 2, "i1", "", r_and, ANY},
    {"or", "a or b", 2, "i1", "", r_or, ANY},
    {"logical_and", "a.logical_and(b)", 2, "i1", "", r_and, ANY},
    {"logical_or", "a.logical_or(b)", 2, "i1", "", r_or, ANY},
    {"negate", "-a", 1, INTS, "", r_neg, ANY},
    {"<<", "a << b", 2, INTS, "", r_shl, SHIFT},
    {">>", "a >> b", 2, INTS, "", r_shr, SHIFT},
    {"minimum", "tl.minimum(a, b)", 2, INTS, "", r_min, ANY},
    {"maximum", "tl.maximum(a, b)", 2, INTS, "", r_max, ANY},
    {"abs", "tl.abs(a)", 1, INTS, "", r_abs, ANY},
    {"==", "a == b", 2, INTS " i1", "i1", r_eq, ANY},
    {"!=", "a != b", 2, INTS " i1", "i1", r_ne, ANY},
    {"<", "a < b", 2, INTS " i1", "i1", r_lt, ANY},
    {"<=", "a <= b", 2, INTS " i1", "i1", r_le, ANY},
    {">", "a > b", 2, INTS " i1", "i1", r_gt, ANY},
    {">=", "a >= b", 2, INTS " i1", "i1", r_ge, ANY},
    {"where", "tl.where(a < b, a, d)", 3, INTS, "", r_where, ANY},
    {"umulhi", "tl.umulhi(a, b)", 2, "i32 u32 i64 u64", "", r_high, ANY},
    {"math.umulhi", "tl.math.umulhi(a, b)", 2, "u32", "", r_high, ANY},
    {"plus a number", "a + 3", 1, INTS, "", r_plus_3, ANY},
    {"number minus", "3 - a", 1, INTS, "", r_3_minus, ANY},
    {"chain", "a * 2 + tl.where(a > 5, b, d)", 3, INTS, "", r_inline, ANY},
};

static const row positive[] = {
    {"cdiv", "tl.cdiv(a, b)", 2, "i32 u32 i64", "", r_cdiv, DIVISOR},
};

static void keep_defined(m_elementwise *e, second second, m_dtype type)
{
    m_wide least = m_dtype_is_signed(type) ? -((m_wide)1 << (m_dtype_bits(type) - 1)) : 0;
    for (int64_t i = 0; i < e->n; i++) {
        m_wide a = m_get_int(e->in[0], i), b = m_get_int(e->in[1], i);
        if (second == SHIFT)
            m_set_int(e->in[1], i, (m_wide)((unsigned __int128)b % (unsigned)m_dtype_bits(type)));
        else if (b == 0 || (m_dtype_is_signed(type) && b == -1 && a == least))
            m_set_int(e->in[1], i, 3);
    }
}

static void one(m_context *ctx, const row *r, m_dtype type, int shape, bool is_positive)
{
    m_dtype types[3] = {type, type, type}, result = *r->result ? m_dtype_find(r->result) : type;
    m_elementwise e = m_begin_elementwise(ctx, r->name, shape, r->inputs, types, result, "", r->expression);
    if (!e.c)
        return;
    for (int i = 0; i < r->inputs; i++)
        m_fill_special(e.c, e.in[i]);
    if (r->inputs > 1)
        m_fill_special_pair(e.c, e.in[0], e.in[1]);
    if (is_positive) {
        m_fill_ints(e.c, e.in[0], 0, 100000);
        m_fill_ints(e.c, e.in[1], 1, 1000);
    }
    if (r->second != ANY)
        keep_defined(&e, r->second, type);
    for (int64_t i = 0; i < e.n; i++) {
        m_wide v[3] = {0};
        for (int k = 0; k < r->inputs; k++)
            v[k] = m_get_int(e.in[k], i);
        m_set_int(e.want, i, r->reference(v[0], v[1], v[2], type));
    }
    m_end(ctx, e.c);
}

static void all(m_context *ctx, const row *at, size_t count, bool is_positive)
{
    for (size_t i = 0; i < count; i++)
        for (const char *t = at[i].types; t; t = strchr(t, ' ') ? strchr(t, ' ') + 1 : NULL)
            for (int shape = 0; shape < M_SHAPES; shape++)
                one(ctx, &at[i], m_dtype_find(t), shape, is_positive);
}

void m_group_integers(m_context *ctx)
{
    all(ctx, rows, sizeof rows / sizeof *rows, false);
    all(ctx, positive, sizeof positive / sizeof *positive, true);
}
