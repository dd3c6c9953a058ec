/* The promotion table: every pair of types under +, where and a comparison; numbers with tensors; and what
 * must be rejected. Written from the language's rules, not from the compiler. */
#include "tests/matrix/matrix.h"

#include <string.h>

/* T op T for + - *, where and comparisons; M_DTYPES: an error. */
static m_dtype promoted(m_dtype a, m_dtype b)
{
    bool fa = m_dtype_is_float(a), fb = m_dtype_is_float(b), small_a = fa && m_dtype_bits(a) == 8,
         small_b = fb && m_dtype_bits(b) == 8;
    if (a == M_F64 || b == M_F64)
        return M_F64;
    if (a == M_F32 || b == M_F32)
        return M_F32;
    if (a == M_F16 || b == M_F16)
        return M_F16;
    if (a == M_BF16 || b == M_BF16)
        return a == b ? M_BF16 : M_F32;
    if (small_a && small_b)
        return a == b ? a : M_F16;
    if (small_a || small_b)
        return M_DTYPES;
    bool sa = m_dtype_is_signed(a), sb = m_dtype_is_signed(b);
    if (sa == sb)
        return m_dtype_bits(a) >= m_dtype_bits(b) ? a : b;
    m_dtype s = sa ? a : b, u = sa ? b : a;
    return m_dtype_bits(u) >= m_dtype_bits(s) ? u : s;
}

/* An operand as the result's type holds it. */
static void convert_to(m_array *out, const m_array *in, int64_t i)
{
    if (m_dtype_is_float(out->dtype))
        m_set(out, 0, m_get(in, i));
    else
        m_set_int(out, 0, m_get_int(in, i));
}

static void fill(m_case *c, m_array *a, int64_t high)
{
    if (a->dtype == M_I1)
        m_fill_special(c, a);
    else
        m_fill_ints(c, a, 0, high);
}

typedef enum { ADD, WHERE, LESS } operation;

static void pair(m_context *ctx, m_dtype a, m_dtype b, operation op)
{
    static const char *const expressions[] = {"a + b", "tl.where(a == a, b, a)", "a < b"};
    m_dtype types[2] = {a, b}, common = promoted(a, b), result = op == LESS ? M_I1 : common;
    bool is_error = common == M_DTYPES;
    m_elementwise e = m_begin_elementwise(ctx, expressions[op], (a * 3 + b) % M_SHAPES, 2, types,
                                          is_error ? M_F32 : result, "", expressions[op]);
    if (!e.c)
        return;
    fill(e.c, e.in[0], 8);
    fill(e.c, e.in[1], 8);
    m_array x = m_new_array(e.c, is_error ? M_F32 : common, 1), y = m_new_array(e.c, is_error ? M_F32 : common, 1);
    for (int64_t i = 0; i < e.n && !is_error; i++) {
        convert_to(&x, e.in[0], i);
        convert_to(&y, e.in[1], i);
        if (op == LESS)
            m_set_int(e.want, i, m_get(&x, 0) < m_get(&y, 0));
        else if (op == WHERE)
            m_set_bits(e.want, i, m_bits(&y, 0));
        else if (m_dtype_is_float(common))
            m_set(e.want, i, m_get(&x, 0) + m_get(&y, 0));
        else
            m_set_int(e.want, i, m_get_int(&x, 0) + m_get_int(&y, 0));
    }
    if (is_error)
        e.c->error = "TRI-3005";
    e.c->least_arch = a == M_F8E4 || b == M_F8E4 ? 90 : 80;
    m_end(ctx, e.c);
}

/* --- numbers, and operators with rules of their own -------------------------------------------- */

static const struct {
    const char *expression, *types, *result; /* result "": the operand's */
    double offset, factor;
} numbers[] = {
    {"a + 1", "i8 u8 i16 i32 u32 i64 u64 f16 bf16 f32 f64", "", 1, 1},
    {"1 + a", "i8 u64 f16 f64", "", 1, 1},
    {"a + 1.0", "i1 i8 u8 i16 i32 u32 i64 u64", "f32", 1, 1},
    {"a + 1.0", "f16 bf16 f32 f64", "", 1, 1},
    {"a + True", "i8 i64 f16 f32", "", 1, 1},
    {"a + 5", "i1", "i32", 5, 1},
    {"a / 2", "f16 bf16 f32 i8 i32 i64 u8", "f32", 0, 0.5},
    {"a / 2", "f64", "", 0, 0.5},
    {"a * 0.5", "i32 i64 u8", "f32", 0, 0.5},
    {"a * 0.5", "f16 bf16 f64", "", 0, 0.5},
    {"a + 1e-40", "f32", "", 1e-40, 1},
    {"tl.where(a == a, a, 0)", "i8 u64 f16 bf16 f64", "", 0, 1},
    {"a + 0x80000000", "u32 i64 u64", "", 2147483648.0, 1},
};

static void number(m_context *ctx, size_t r, m_dtype type)
{
    m_dtype result = *numbers[r].result ? m_dtype_find(numbers[r].result) : type;
    m_elementwise e =
        m_begin_elementwise(ctx, numbers[r].expression, (int)r % M_SHAPES, 1, &type, result, "", numbers[r].expression);
    if (!e.c)
        return;
    fill(e.c, e.in[0], 60);
    for (int64_t i = 0; i < e.n; i++)
        m_set(e.want, i, m_get(e.in[0], i) * (m_real)numbers[r].factor + (m_real)numbers[r].offset);
    m_end(ctx, e.c);
}

static const struct {
    const char *before, *expression, *types, *error;
} rejects[] = {
    {"", "a // b", "i32 u32", "TRI-3006"}, {"", "a % b", "i64 u64", "TRI-3006"}, {"", "a / b", "i8 u16", "TRI-3006"},
    {"", "a // b", "f32 f32", "TRI-3005"}, {"", "a & b", "f32 i32", "TRI-3005"}, {"", "a << b", "f16 i32", "TRI-3005"},
    {"", "a + 300", "i8 i8", "TRI-3007"}, {"", "a - (-1)", "u32 u32", "TRI-3007"}, {"", "~a", "f32 f32", "TRI-3005"},
    {"", "tl.exp(a)", "f16 f16", "TRI-3012"}, {"", "tl.sqrt(a)", "i32 i32", "TRI-3012"},
    {"", "tl.umulhi(a, b)", "i8 i8", "TRI-3012"}, {"", "tl.fdiv(a, b)", "i32 i32", "TRI-3012"},
    {"", "tl.clamp(a, 0, 1)", "i32 i32", "TRI-3012"}, {"", "a and b", "i32 i32", "TRI-3016"},
    {"", "a ** b", "f32 f32", "TRI-3005"}, {"", "nowhere", "f32 f32", "TRI-3001"},
    {"", "tl.nothing(a)", "f32 f32", "TRI-3003"}, {"", "a[0]", "f32 f32", "TRI-4001"},
    {"", "tl.reshape(a, 7)", "f32 f32", "TRI-3009"},
    {"", "a.to(tl.float32, fp_downcast_rounding=\"up\")", "f64 f64", "TRI-3021"},
    {"", "a.to(tl.int16, bitcast=True)", "f32 f32", "TRI-3015"},
};

static void rejected(m_context *ctx, size_t r)
{
    m_dtype types[2] = {m_dtype_find(rejects[r].types), m_dtype_find(strchr(rejects[r].types, ' ') + 1)};
    m_elementwise e =
        m_begin_elementwise(ctx, rejects[r].expression, 0, 2, types, M_F32, rejects[r].before, rejects[r].expression);
    if (!e.c)
        return;
    e.c->error = rejects[r].error;
    m_end(ctx, e.c);
}

void m_group_promotion(m_context *ctx)
{
    for (int a = 0; a < M_DTYPES; a++)
        for (int b = 0; b < M_DTYPES; b++)
            for (int op = ADD; op <= LESS; op++)
                pair(ctx, (m_dtype)a, (m_dtype)b, (operation)op);
    for (size_t r = 0; r < sizeof numbers / sizeof *numbers; r++)
        for (const char *t = numbers[r].types; t; t = strchr(t, ' ') ? strchr(t, ' ') + 1 : NULL)
            number(ctx, r, m_dtype_find(t));
    for (size_t r = 0; r < sizeof rejects / sizeof *rejects; r++)
        rejected(ctx, r);
}
