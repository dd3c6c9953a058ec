/* tl.dot and tl.dot_scaled. Small multiples of 1/4 make every product exact whatever the order; real
 * numbers check the precision of each mode. */
#include "tests/matrix/matrix.h"

#include <math.h>
#include <string.h>

typedef enum { PLAIN, LOADED_TRANSPOSED, TRANS, ACCUMULATE, LOOP, TRANS_B } form;

typedef struct {
    const char *name, *options;
    const char *a, *b, *result;
    bool real;       /* uniform reals instead of quarters */
    double rtol, atol;
    int least_k, least_arch;
} row;

static const row rows[] = {
    {"f16", "", "f16", "f16", "f32", false, 0, 0, 16, 80},
    {"f16 to f16", ", out_dtype=tl.float16", "f16", "f16", "f16", false, 2e-3, 0, 16, 80},
    {"bf16", "", "bf16", "bf16", "f32", false, 0, 0, 16, 80},
    {"f32", "", "f32", "f32", "f32", false, 0, 0, 8, 80},
    {"f32 ieee", ", input_precision=\"ieee\"", "f32", "f32", "f32", true, 1e-5, 1e-5, 8, 80},
    {"f32 tf32", ", input_precision=\"tf32\"", "f32", "f32", "f32", true, 2e-3, 1.5e-2, 8, 80},
    {"f32 tf32x3", ", input_precision=\"tf32x3\"", "f32", "f32", "f32", true, 1e-5, 2e-5, 8, 80},
    {"f32 bf16x3", ", input_precision=\"bf16x3\"", "f32", "f32", "f32", true, 1e-4, 3e-4, 16, 80},
    {"f32 bf16x6", ", input_precision=\"bf16x6\"", "f32", "f32", "f32", true, 1e-5, 2e-5, 16, 80},
    {"f32 allow_tf32=False", ", allow_tf32=False", "f32", "f32", "f32", true, 1e-5, 1e-5, 8, 80},
    {"f32 allow_tf32=True", ", allow_tf32=True", "f32", "f32", "f32", true, 2e-3, 1.5e-2, 8, 80},
    {"f64", "", "f64", "f64", "f64", true, 1e-13, 1e-13, 4, 80},
    {"i8", ", out_dtype=tl.int32", "i8", "i8", "i32", false, 0, 0, 32, 80},
    {"fp8e5", "", "f8e5", "f8e5", "f32", false, 0, 0, 32, 80},
    {"fp8e4nv", "", "f8e4", "f8e4", "f32", false, 0, 0, 32, 89},
    {"fp8 mixed", "", "f8e5", "f8e4", "f32", false, 0, 0, 32, 89},
    {"fp8 mixed the other way", "", "f8e4", "f8e5", "f32", false, 0, 0, 32, 89},
    {"fp8e5 both", "", "f8e5", "f8e5", "f32", false, 0, 0, 32, 89},
    {"fp8 imprecise", ", max_num_imprecise_acc=32", "f8e4", "f8e4", "f32", false, 0, 0, 32, 89},
    {"f16 reals", "", "f16", "f16", "f32", true, 1e-4, 1e-4, 16, 80},
    {"bf16 reals", "", "bf16", "bf16", "f32", true, 1e-4, 1e-4, 16, 80},
};

static const struct {
    int m, n, k;
} sizes[] = {{16, 16, 16},   {32, 64, 32}, {64, 32, 64}, {128, 16, 32},
             {16, 128, 128}, {1, 32, 32},  {64, 8, 64},  {64, 64, 16}};

static const char *const forms[] = {"",       ", transposed loads", ", tl.trans", ", accumulator",
                                    ", loop", ", tl.trans of b"};

/* a is MxK and b is KxN, row by row. */
static void product(const m_array *a, const m_array *b, m_array *want, int m, int n, int k, m_real start)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            m_real total = start;
            for (int l = 0; l < k; l++)
                total += m_get(a, (int64_t)i * k + l) * m_get(b, (int64_t)l * n + j);
            m_set(want, (int64_t)i * n + j, total);
        }
}

static void write_kernel(m_case *c, const row *r, form f)
{
    m_text(c, "@triton.jit\ndef k(a_ptr, b_ptr, o_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):\n"
              "    i = tl.arange(0, M)\n    j = tl.arange(0, N)\n    l = tl.arange(0, K)\n");
    const char *a = "tl.load(a_ptr + i[:, None] * K + l[None, :])", *b = "tl.load(b_ptr + l[:, None] * N + j[None, :])";
    if (f == LOADED_TRANSPOSED || f == TRANS) { /* the arrays hold KxM and NxK */
        a = f == TRANS ? "tl.trans(tl.load(a_ptr + l[:, None] * M + i[None, :]))"
                       : "tl.load(a_ptr + l[None, :] * M + i[:, None])";
        b = f == TRANS ? "tl.trans(tl.load(b_ptr + j[:, None] * K + l[None, :]))"
                       : "tl.load(b_ptr + j[None, :] * K + l[:, None])";
    }
    if (f == TRANS_B)
        b = "tl.trans(tl.load(b_ptr + j[:, None] * K + l[None, :]))";
    if (f == ACCUMULATE)
        m_text(c, "    acc = tl.full((M, N), 3, tl.%s)\n", m_dtype_tl(m_dtype_find(r->result)));
    if (f == LOOP)
        m_text(c, "    acc = tl.zeros((M, N), tl.%s)\n    for _ in range(0, 2):\n        acc = tl.dot(%s, %s, acc%s)\n",
               m_dtype_tl(m_dtype_find(r->result)), a, b, r->options);
    else
        m_text(c, "    acc = tl.dot(%s, %s%s%s)\n", a, b, f == ACCUMULATE ? ", acc" : "", r->options);
    m_text(c, "    tl.store(o_ptr + i[:, None] * N + j[None, :], acc)\n");
}

static void transpose(m_case *c, m_array *a, int rows_count, int columns)
{
    m_array copy = m_new_array(c, a->dtype, a->count);
    for (int i = 0; i < rows_count; i++)
        for (int j = 0; j < columns; j++)
            m_set_bits(&copy, (int64_t)j * rows_count + i, m_bits(a, (int64_t)i * columns + j));
    memcpy(a->data, copy.data, (size_t)a->count * (size_t)m_dtype_size(a->dtype));
}

static void one(m_context *ctx, const row *r, int m, int n, int k, form f)
{
    if (k < r->least_k)
        return;
    m_case *c = m_begin(ctx, "dot %s, %dx%dx%d%s", r->name, m, n, k, forms[f]);
    if (!c)
        return;
    write_kernel(c, r, f);
    m_array *a = m_in(c, "a_ptr", m_dtype_find(r->a), (int64_t)m * k),
            *b = m_in(c, "b_ptr", m_dtype_find(r->b), (int64_t)k * n);
    m_array *want = m_out(c, "o_ptr", m_dtype_find(r->result), (int64_t)m * n);
    if (r->real) {
        m_fill_uniform(c, a, -1, 1);
        m_fill_uniform(c, b, -1, 1);
    } else {
        m_fill_quarters(c, a);
        m_fill_quarters(c, b);
    }
    product(a, b, want, m, n, k, f == ACCUMULATE ? 3 : 0);
    for (int64_t i = 0; f == LOOP && i < want->count; i++)
        m_set(want, i, m_get(want, i) * 2);
    if (f == LOADED_TRANSPOSED || f == TRANS)
        transpose(c, a, m, k);
    if (f == LOADED_TRANSPOSED || f == TRANS || f == TRANS_B)
        transpose(c, b, k, n);
    m_constexpr(c, "M", m);
    m_constexpr(c, "N", n);
    m_constexpr(c, "K", k);
    c->tolerance = (m_tolerance){.rtol = r->rtol, .atol = r->atol};
    c->least_arch = r->least_arch;
    if (!strcmp(r->name, "f32 tf32") && f == TRANS_B) { /* a warp group takes such a B only */
        c->least_arch = 90;
        c->warps = 4;
    }
    m_end(ctx, c);
}

static void batched(m_context *ctx, const row *r, int batch, int m, int n, int k)
{
    m_case *c = m_begin(ctx, "dot %s, %d of %dx%dx%d", r->name, batch, m, n, k);
    if (!c)
        return;
    m_text(
        c,
        "@triton.jit\ndef k(a_ptr, b_ptr, o_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):\n"
        "    p = tl.arange(0, B)[:, None, None]\n    i = tl.arange(0, M)\n    j = tl.arange(0, N)\n    l = "
        "tl.arange(0, K)\n"
        "    a = tl.load(a_ptr + p * (M * K) + i[None, :, None] * K + l[None, None, :])\n"
        "    b = tl.load(b_ptr + p * (K * N) + l[None, :, None] * N + j[None, None, :])\n"
        "    tl.store(o_ptr + p * (M * N) + i[None, :, None] * N + j[None, None, :], tl.dot(a, b%s))\n",
        r->options);
    m_array *a = m_in(c, "a_ptr", m_dtype_find(r->a), (int64_t)batch * m * k);
    m_array *b = m_in(c, "b_ptr", m_dtype_find(r->b), (int64_t)batch * k * n);
    m_array *want = m_out(c, "o_ptr", m_dtype_find(r->result), (int64_t)batch * m * n);
    m_fill_quarters(c, a);
    m_fill_quarters(c, b);
    for (int p = 0; p < batch; p++) {
        size_t sa = (size_t)m_dtype_size(a->dtype), sb = (size_t)m_dtype_size(b->dtype),
               so = (size_t)m_dtype_size(want->dtype);
        m_array pa = {a->dtype, (int64_t)m * k, (char *)a->data + (size_t)p * (size_t)m * (size_t)k * sa};
        m_array pb = {b->dtype, (int64_t)k * n, (char *)b->data + (size_t)p * (size_t)k * (size_t)n * sb};
        m_array po = {want->dtype, (int64_t)m * n, (char *)want->data + (size_t)p * (size_t)m * (size_t)n * so};
        product(&pa, &pb, &po, m, n, k, 0);
    }
    m_constexpr(c, "B", batch);
    m_constexpr(c, "M", m);
    m_constexpr(c, "N", n);
    m_constexpr(c, "K", k);
    c->tolerance = (m_tolerance){.rtol = 2e-3, .atol = 1e-6};
    c->least_arch = r->least_arch;
    m_end(ctx, c);
}

/* --- scaled ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    const char *type;  /* of the stored elements */
    int per_element;   /* values in each */
} formats[] = {{"e2m1", "u8", 2}, {"e4m3", "f8e4", 1}, {"e5m2", "f8e5", 1}, {"bf16", "bf16", 1}, {"fp16", "f16", 1}};

static m_real fp4(unsigned code)
{
    static const double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    return code & 8 ? -values[code & 7] : values[code & 7];
}

enum { LHS_BY_LINES = 1, RHS_BY_LINES = 2, FAST = 4 }; /* pairs of e2m1 along M or N instead of K; fast_math */

/* The value at (line, l) of an operand with lines of k values. */
static m_real scaled_value(const m_array *x, int format, bool by_lines, const m_array *scale, int64_t line, int64_t l,
                           int64_t k)
{
    int64_t at = line * k + l, byte = by_lines ? line / 2 * k + l : at / 2;
    m_real v = format ? m_get(x, at) : fp4((unsigned)m_bits(x, byte) >> ((by_lines ? line : at) % 2 * 4) & 15);
    return scale ? v * ldexpl(1, (int)m_bits(scale, line * (k / 32) + l / 32) - 127) : v;
}

static void fill_scaled(m_case *c, m_array *x, int format)
{
    for (int64_t i = 0; i < x->count && !format; i++)
        m_set_bits(x, i, m_random(c) & 255);
    if (format)
        m_fill_quarters(c, x);
}

static void scaled(m_context *ctx, int fa, int fb, bool scales_a, bool scales_b, int m, int n, int k, int how)
{
    m_case *c =
        m_begin(ctx, "dot_scaled %s%s by %s%s, %dx%dx%d%s%s%s", formats[fa].name, scales_a ? " scaled" : "",
                formats[fb].name, scales_b ? " scaled" : "", m, n, k, how & LHS_BY_LINES ? ", lhs_k_pack=False" : "",
                how & RHS_BY_LINES ? ", rhs_k_pack=False" : "", how & FAST ? ", fast_math=True" : "");
    if (!c)
        return;
    int ka = how & LHS_BY_LINES ? 1 : formats[fa].per_element, kb = how & RHS_BY_LINES ? 1 : formats[fb].per_element;
    m_text(
        c,
        "@triton.jit\ndef k(a_ptr, sa_ptr, b_ptr, sb_ptr, o_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):\n"
        "    i = tl.arange(0, M)[:, None]\n    j = tl.arange(0, N)\n    s = tl.arange(0, K // 32)[None, :]\n"
        "    KA: tl.constexpr = K // %d\n    KB: tl.constexpr = K // %d\n"
        "    a = tl.load(a_ptr + tl.arange(0, M // %d)[:, None] * KA + tl.arange(0, KA)[None, :])\n"
        "    b = tl.load(b_ptr + tl.arange(0, N // %d)[None, :] * KB + tl.arange(0, KB)[:, None])\n"
        "    sa = tl.load(sa_ptr + i * (K // 32) + s)\n    sb = tl.load(sb_ptr + j[:, None] * (K // 32) + s)\n"
        "    r = tl.dot_scaled(a, %s, \"%s\", b, %s, \"%s\"%s%s%s)\n    tl.store(o_ptr + i * N + j[None, :], r)\n",
        ka, kb, formats[fa].per_element / ka, formats[fb].per_element / kb, scales_a ? "sa" : "None", formats[fa].name,
        scales_b ? "sb" : "None", formats[fb].name, how & LHS_BY_LINES ? ", lhs_k_pack=False" : "",
        how & RHS_BY_LINES ? ", rhs_k_pack=False" : "", how & FAST ? ", fast_math=True" : "");
    m_array *a = m_in(c, "a_ptr", m_dtype_find(formats[fa].type), (int64_t)m * k / formats[fa].per_element);
    m_array *sa = m_in(c, "sa_ptr", M_U8, (int64_t)m * k / 32);
    m_array *b = m_in(c, "b_ptr", m_dtype_find(formats[fb].type), (int64_t)n * k / formats[fb].per_element);
    m_array *sb = m_in(c, "sb_ptr", M_U8, (int64_t)n * k / 32), *want = m_out(c, "o_ptr", M_F32, (int64_t)m * n);
    fill_scaled(c, a, fa);
    fill_scaled(c, b, fb);
    m_fill_ints(c, sa, 125, 130);
    m_fill_ints(c, sb, 125, 130);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            m_real total = 0;
            for (int l = 0; l < k; l++)
                total += scaled_value(a, fa, how & LHS_BY_LINES, scales_a ? sa : NULL, i, l, k) *
                         scaled_value(b, fb, how & RHS_BY_LINES, scales_b ? sb : NULL, j, l, k);
            m_set(want, (int64_t)i * n + j, total);
        }
    m_constexpr(c, "M", m);
    m_constexpr(c, "N", n);
    m_constexpr(c, "K", k);
    c->least_arch = fa == 1 || fb == 1 ? 90 : 80;
    m_end(ctx, c);
}

void m_group_products(m_context *ctx)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            one(ctx, &rows[i], sizes[s].m, sizes[s].n, sizes[s].k, PLAIN);
        for (int f = LOADED_TRANSPOSED; f <= LOOP; f++) {
            one(ctx, &rows[i], 32, 64, 32, (form)f);
            one(ctx, &rows[i], 64, 16, 64, (form)f);
        }
        one(ctx, &rows[i], 64, 64, 32, TRANS_B);
        batched(ctx, &rows[i], 2, 16, 32, 32);
        batched(ctx, &rows[i], 4, 32, 16, 32);
    }
    for (int fa = 0; fa < 5; fa++)
        for (int fb = 0; fb < 5; fb++) {
            scaled(ctx, fa, fb, fa < 3, fb < 3, 32, 32, 64, 0);
            if (fa == fb)
                scaled(ctx, fa, fb, fa < 3, fb < 3, 64, 16, 128, 0);
        }
    scaled(ctx, 2, 2, false, true, 32, 32, 64, 0);
    scaled(ctx, 2, 2, true, false, 32, 32, 64, FAST);
    for (int how = LHS_BY_LINES; how < 8; how++)
        scaled(ctx, 0, how & RHS_BY_LINES ? 0 : how & LHS_BY_LINES ? 2 : 0, true, true, 32, 64, 64, how);
    scaled(ctx, 4, 0, false, true, 64, 32, 64, RHS_BY_LINES);
}
