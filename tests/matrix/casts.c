/* Every pair of types, both roundings, bit casts. */
#include "tests/matrix/matrix.h"

#include <math.h>

/* Values that the cast defines: floats that fit an integer target. */
static void keep_defined(m_array *a, m_dtype to)
{
    int bits = m_dtype_bits(to);
    m_real top = ldexpl(1, m_dtype_is_signed(to) ? bits - 1 : bits), low = m_dtype_is_signed(to) ? -top : -1;
    for (int64_t i = 0; i < a->count; i++) {
        m_real v = m_get(a, i);
        if (!(v < top && v > low) || (m_round(a->dtype, v) >= top))
            m_set(a, i, (m_real)(i % 100) + 0.75L);
    }
}

/* Half-way cases of a narrower format and its limits, on top of the special values. */
static void add_halfway(m_case *c, m_array *a, m_dtype to)
{
    if (!m_dtype_is_float(to) || !m_dtype_is_float(a->dtype))
        return;
    uint64_t all = ((uint64_t)1 << (m_dtype_bits(to) - 1)) * 2 - 1;
    for (int64_t i = 100; i + 2 < a->count; i += 3) {
        uint64_t code = m_random(c) & all;
        m_real v = m_decode(to, code), next = m_decode(to, (code + 1) & all);
        m_set(a, i, (v + next) / 2);
        m_set(a, i + 1, nextafterl((v + next) / 2, next));
        m_set(a, i + 2, v * (1 + 0x1p-13L));
    }
}

static m_real bool_of(m_real v)
{
    return isnan(v) || v != 0;
}

static void convert(m_array *want, const m_array *a, m_rounding rounding)
{
    bool to_float = m_dtype_is_float(want->dtype), from_float = m_dtype_is_float(a->dtype);
    for (int64_t i = 0; i < want->count; i++) {
        if (want->dtype == M_I1)
            m_set_int(want, i, bool_of(m_get(a, i)) != 0);
        else if (to_float)
            m_set_bits(want, i, m_encode(want->dtype, m_get(a, i), rounding));
        else if (from_float)
            m_set_int(want, i, (m_wide)m_get(a, i));
        else
            m_set_int(want, i, m_get_int(a, i));
    }
}

static bool is_fp8(m_dtype t) { return t == M_F8E4 || t == M_F8E5; }

static void one(m_context *ctx, m_dtype from, m_dtype to, m_rounding rounding, int shape, const char *expression)
{
    m_elementwise e = m_begin_elementwise(ctx, expression, shape, 1, &from, to, "", expression);
    if (!e.c)
        return;
    m_fill_special(e.c, e.in[0]);
    add_halfway(e.c, e.in[0], to);
    if (m_dtype_is_float(from) && !m_dtype_is_float(to) && to != M_I1)
        keep_defined(e.in[0], to);
    convert(e.want, e.in[0], rounding);
    e.c->tolerance.is_strict = true;
    if (from == M_F8E4 || to == M_F8E4)
        e.c->least_arch = 89;
    /* wide integers take two steps on GPUs, as Triton does it: to fp32, then to bf16 */
    if (to == M_BF16 && !m_dtype_is_float(from) && m_dtype_bits(from) >= 32)
        e.c->gpu_tolerance.ulps = 1;
    m_end(ctx, e.c);
}

static void rejected(m_context *ctx, m_dtype from, m_dtype to)
{
    char expression[64];
    snprintf(expression, sizeof expression, "a.to(tl.%s)", m_dtype_tl(to));
    m_elementwise e = m_begin_elementwise(ctx, expression, 0, 1, &from, to, "", expression);
    if (!e.c)
        return;
    e.c->error = "TRI-3015";
    e.c->least_arch = from == M_F8E4 || to == M_F8E4 ? 89 : 80;
    m_end(ctx, e.c);
}

static void pair(m_context *ctx, m_dtype from, m_dtype to)
{
    char expression[96];
    bool both_float = m_dtype_is_float(from) && m_dtype_is_float(to);
    if ((is_fp8(from) && !m_dtype_is_float(to)) || (is_fp8(to) && !m_dtype_is_float(from))) {
        rejected(ctx, from, to);
        return;
    }
    snprintf(expression, sizeof expression, "a.to(tl.%s)", m_dtype_tl(to));
    for (int shape = 0; shape < M_SHAPES; shape += from == to ? 4 : both_float ? 1 : 2)
        one(ctx, from, to, M_NEAREST, shape, expression);
    snprintf(expression, sizeof expression, "tl.cast(a, tl.%s)", m_dtype_tl(to));
    one(ctx, from, to, M_NEAREST, 2, expression);
    if (!both_float || m_dtype_bits(from) <= m_dtype_bits(to))
        return;
    snprintf(expression, sizeof expression, "a.to(tl.%s, fp_downcast_rounding=\"rtne\")", m_dtype_tl(to));
    one(ctx, from, to, M_NEAREST, 0, expression);
    snprintf(expression, sizeof expression, "a.to(tl.%s, fp_downcast_rounding=\"rtz\")", m_dtype_tl(to));
    for (int shape = 0; shape < M_SHAPES; shape += 2)
        one(ctx, from, to, M_TOWARD_ZERO, shape, expression);
}

static void bit_cast(m_context *ctx, m_dtype from, m_dtype to)
{
    char expression[96];
    snprintf(expression, sizeof expression, "a.to(tl.%s, bitcast=True)", m_dtype_tl(to));
    for (int shape = 0; shape < M_SHAPES; shape++) {
        m_elementwise e = m_begin_elementwise(ctx, expression, shape, 1, &from, to, "", expression);
        if (!e.c)
            continue;
        m_fill_special(e.c, e.in[0]);
        for (int64_t i = 0; i < e.n; i++)
            m_set_bits(e.want, i, m_bits(e.in[0], i));
        e.c->tolerance.is_strict = true;
        if (from == M_F8E4 || to == M_F8E4)
            e.c->least_arch = 89;
        m_end(ctx, e.c);
    }
}

/* All codes of the small floats, both ways. */
static void every_code(m_context *ctx, m_dtype from, m_dtype to, const char *rounding)
{
    int64_t n = (int64_t)1 << m_dtype_bits(from);
    m_case *c = m_begin(ctx, "all %s to %s%s", m_dtype_name(from), m_dtype_name(to), rounding);
    if (!c)
        return;
    m_text(c, "@triton.jit\ndef k(x, o, B: tl.constexpr):\n    i = tl.program_id(0) * B + tl.arange(0, B)\n"
              "    tl.store(o + i, tl.load(x + i).to(tl.%s%s))\n", m_dtype_tl(to), rounding);
    m_array *x = m_in(c, "x", from, n), *want = m_out(c, "o", to, n);
    for (int64_t i = 0; i < n; i++) {
        m_set_bits(x, i, (uint64_t)i);
        m_set_bits(want, i, m_encode(to, m_get(x, i), *rounding ? M_TOWARD_ZERO : M_NEAREST));
    }
    int64_t block = n > 2048 ? 2048 : n;
    m_constexpr(c, "B", block);
    c->grid[0] = (uint32_t)(n / block);
    c->tolerance.is_strict = true;
    if (from == M_F8E4 || to == M_F8E4)
        c->least_arch = 89;
    m_end(ctx, c);
}

void m_group_casts(m_context *ctx)
{
    for (int from = 0; from < M_DTYPES; from++)
        for (int to = 0; to < M_DTYPES; to++)
            if (from != to || from == M_F32)
                pair(ctx, (m_dtype)from, (m_dtype)to);
    for (int from = 0; from < M_DTYPES; from++)
        for (int to = 0; to < M_DTYPES; to++)
            if (from != to && m_dtype_bits((m_dtype)from) == m_dtype_bits((m_dtype)to) && from != M_I1)
                bit_cast(ctx, (m_dtype)from, (m_dtype)to);
    static const m_dtype small[] = {M_F8E5, M_F8E4, M_F16, M_BF16};
    for (int from = 0; from < 4; from++)
        for (int to = M_F8E5; to <= M_F64; to++) {
            if (to != (int)small[from])
                every_code(ctx, small[from], (m_dtype)to, "");
            if (m_dtype_bits((m_dtype)to) < m_dtype_bits(small[from]))
                every_code(ctx, small[from], (m_dtype)to, ", fp_downcast_rounding=\"rtz\"");
        }
}
