/* Reductions: every library function and tl.reduce with functions of the kernel's own, by axis and rank. */
#include "tests/matrix/matrix.h"

#include <math.h>
#include <string.h>

typedef enum { SUM, MAX, MIN, ARGMAX, ARGMIN, XOR, OR, PRODUCT, SUM_F32, LAST } kind;

typedef struct {
    const char *name, *expression, *types;
    kind kind;
} row;

typedef struct {
    const char *name;
    int rank;
    int64_t dims[3];
    int axis; /* -1: all */
} shape;

static const shape shapes[] = {
    {"64 by 0", 1, {64}, 0},          {"2048 by 0", 1, {2048}, 0},    {"2 by 0", 1, {2}, 0},
    {"16x32 by 0", 2, {16, 32}, 0},   {"16x32 by 1", 2, {16, 32}, 1}, {"128x4 by 0", 2, {128, 4}, 0},
    {"4x256 by 1", 2, {4, 256}, 1},   {"64x64 by all", 2, {64, 64}, -1}, {"1x8 by 1", 2, {1, 8}, 1},
    {"4x8x16 by 0", 3, {4, 8, 16}, 0}, {"4x8x16 by 1", 3, {4, 8, 16}, 1}, {"4x8x16 by 2", 3, {4, 8, 16}, 2},
};

static const char functions[] =
    "@triton.jit\ndef add(x, y):\n    return x + y\n\n\n"
    "@triton.jit\ndef times(x, y):\n    return x * y\n\n\n"
    "@triton.jit\ndef larger(x, y):\n    if x > y:\n        return x\n    else:\n        return y\n\n\n"
    "@triton.jit\ndef pair(v, i, w, j):\n    is_left = (v > w) | ((v == w) & (i < j))\n"
    "    return tl.where(is_left, v, w), tl.where(is_left, i, j)\n\n\n"
    "@triton.jit\ndef welford(m, s, n, m2, s2, n2):\n    d = m2 - m\n    c = n + n2\n    w = tl.where(c == 0, 0.0, n2 "
    "/ c)\n"
    "    return m + d * w, s + s2 + d * d * n * w, c\n\n\n";

#define NARROW "i8 i16 u8 u16 i1"
#define INTS "i32 i64 u32 u64"
#define FLOATS "f16 bf16 f32 f64"

static const row rows[] = {
    {"sum", "tl.sum(x%s)", NARROW " " INTS " " FLOATS, SUM},
    {"sum method", "x.sum(axis=%d)", "f32 i8", SUM},
    {"sum keep", "tl.sum(x%s, keep_dims=True)", "f32 i32", SUM},
    {"sum as f32", "tl.sum(x%s, dtype=tl.float32)", "f16 bf16 i8 f32", SUM_F32},
    {"max", "tl.max(x%s)", NARROW " " INTS " " FLOATS, MAX},
    {"min", "tl.min(x%s)", NARROW " " INTS " " FLOATS, MIN},
    {"max keep", "tl.max(x%s, keep_dims=True)", "f16 u32", MAX},
    {"argmax", "tl.argmax(x, %d)", "i8 i16 i32 i64 u8 u32 f16 bf16 f32 f64", ARGMAX},
    {"argmin", "tl.argmin(x, %d)", "i8 i32 i64 u32 f16 f32 f64", ARGMIN},
    {"argmax keep", "tl.argmax(x, %d, keep_dims=True)", "f32", ARGMAX},
    {"max with indices", "tl.max(x, %d, return_indices=True)[1]", "f32 i32", ARGMAX},
    {"min with indices", "tl.min(x, %d, return_indices=True)[1]", "f32 i64", ARGMIN},
    {"max of the pair", "tl.max(x, %d, return_indices=True)[0].to(tl.float32)", "f32 f16", MAX},
    {"max, ties anywhere", "tl.max(x, %d, return_indices=True, return_indices_tie_break_left=False)[0]", "f32 i32",
     MAX},
    {"xor_sum", "tl.xor_sum(x%s)", "i8 i16 u8 u16 " INTS, XOR},
    {"reduce_or", "tl.reduce_or(x, %d)", "i8 u16 i1 " INTS, OR},
    {"reduce add", "tl.reduce(x, %d, add)", "f32 f64 i32 i64 u64", SUM},
    {"reduce times", "tl.reduce(x, %d, times)", "f32 i32 f64", PRODUCT},
    {"reduce larger", "tl.reduce(x, %d, larger)", "f32 i32 f64 u32", MAX},
    {"reduce keep", "tl.reduce(x, %d, add, keep_dims=True)", "f32 i32", SUM},
    {"reduce a pair", "tl.reduce((x, index), %d, pair)[1]", "f32 i32 f64 i64", ARGMAX},
};

/* --- reference --------------------------------------------------------------------------- */

static m_dtype result_type(const row *r, m_dtype t)
{
    bool is_float = m_dtype_is_float(t),
         is_library = !strncmp(r->expression, "tl.sum", 6) || !strncmp(r->expression, "x.sum", 5);
    bool widens = !strncmp(r->expression, "tl.max(x%", 9) || !strncmp(r->expression, "tl.min(x%", 9);
    if (r->kind == ARGMAX || r->kind == ARGMIN)
        return M_I32;
    if (r->kind == SUM_F32 || !strcmp(r->name, "max of the pair"))
        return M_F32;
    if (is_library && !is_float && m_dtype_bits(t) < 32)
        return m_dtype_is_signed(t) ? M_I32 : M_U32;
    if (widens && m_dtype_bits(t) < 32)
        return is_float ? M_F32 : M_I32;
    return t;
}

static bool is_better(const row *r, const m_array *x, int64_t i, int64_t best)
{
    if (m_dtype_is_float(x->dtype))
        return r->kind == MAX || r->kind == ARGMAX ? m_get(x, i) > m_get(x, best) : m_get(x, i) < m_get(x, best);
    return r->kind == MAX || r->kind == ARGMAX ? m_get_int(x, i) > m_get_int(x, best)
                                               : m_get_int(x, i) < m_get_int(x, best);
}

static void reduce_line(const row *r, const m_array *x, int64_t first, int64_t step, int64_t n, m_array *want,
                        int64_t at)
{
    m_real total = r->kind == PRODUCT ? 1 : 0;
    m_wide whole = r->kind == PRODUCT ? 1 : 0;
    int64_t best = first;
    bool is_float = m_dtype_is_float(x->dtype);
    for (int64_t i = 0; i < n; i++) {
        int64_t e = first + i * step;
        m_wide v = is_float ? 0 : m_get_int(x, e);
        total = r->kind == PRODUCT ? total * m_get(x, e) : total + m_get(x, e);
        whole = r->kind == PRODUCT ? whole * v : r->kind == XOR ? whole ^ v : r->kind == OR ? whole | v : whole + v;
        whole = (int64_t)whole; /* mod 2^64 */
        if (i && is_better(r, x, e, best))
            best = e;
    }
    switch (r->kind) {
    case ARGMAX:
    case ARGMIN: m_set_int(want, at, (best - first) / step); break;
    case MAX:
    case MIN: is_float ? m_set(want, at, m_get(x, best)) : m_set_int(want, at, m_get_int(x, best)); break;
    default: m_dtype_is_float(want->dtype) ? m_set(want, at, total) : m_set_int(want, at, whole);
    }
}

static int64_t reduce_all(const row *r, const shape *s, const m_array *x, m_array *want)
{
    int64_t inner = 1, outer = 1, n = s->axis < 0 ? x->count : s->dims[s->axis];
    for (int d = 0; d < s->rank && s->axis >= 0; d++) {
        inner *= d > s->axis ? s->dims[d] : 1;
        outer *= d < s->axis ? s->dims[d] : 1;
    }
    for (int64_t o = 0; o < outer && want; o++)
        for (int64_t i = 0; i < inner; i++)
            reduce_line(r, x, o * n * inner + i, inner, n, want, o * inner + i);
    return inner * outer;
}

/* --- kernels ----------------------------------------------------------------------------- */

/* The index of each element along `axis`, for pairs. */
static void write_kernel(m_case *c, const row *r, const shape *s, int64_t results)
{
    static const char *const ranks[4][3] = {
        {""}, {""}, {"[:, None]", "[None, :]"}, {"[:, None, None]", "[None, :, None]", "[None, None, :]"}};
    char expression[160], axis[32] = "";
    if (s->axis >= 0)
        snprintf(axis, sizeof axis, ", axis=%d", s->axis);
    if (strstr(r->expression, "%s"))
        snprintf(expression, sizeof expression, r->expression, axis);
    else
        snprintf(expression, sizeof expression, r->expression, s->axis);
    m_text(c, "%s@triton.jit\ndef k(x_ptr, r_ptr):\n    at = ", functions);
    int64_t stride = 1;
    for (int d = 0; d < s->rank; d++)
        stride *= s->dims[d];
    for (int d = 0; d < s->rank; d++) {
        stride /= s->dims[d];
        m_text(c, "%stl.arange(0, %d)%s * %d", d ? " + " : "", (int)s->dims[d], ranks[s->rank][d], (int)stride);
    }
    m_text(c, "\n    x = tl.load(x_ptr + at)\n");
    if (strstr(r->expression, "index"))
        m_text(c, "    index = tl.arange(0, %d)%s + at * 0\n", (int)s->dims[s->axis], ranks[s->rank][s->axis]);
    m_text(c, "    r = %s\n", expression);
    if (strstr(r->expression, "keep_dims"))
        m_text(c, "    r = tl.reshape(r, %d)\n", (int)results);
    if ((s->rank == 1 || s->axis < 0) && !strstr(r->expression, "keep_dims"))
        m_text(c, "    tl.store(r_ptr, r)\n");
    else
        m_text(c, "    tl.store(r_ptr + tl.reshape(tl.arange(0, %d), r.shape), r)\n", (int)results);
}

static void one(m_context *ctx, const row *r, const shape *s, m_dtype type)
{
    bool needs_axis = strstr(r->expression, "%d") != NULL;
    if (s->axis < 0 && needs_axis)
        return;
    m_case *c = m_begin(ctx, "%s %s, %s", r->name, m_dtype_name(type), s->name);
    if (!c)
        return;
    int64_t count = 1;
    for (int d = 0; d < s->rank; d++)
        count *= s->dims[d];
    m_array *x = m_in(c, "x_ptr", type, count);
    if (r->kind == PRODUCT)
        for (int64_t i = 0; i < count; i++)
            m_set(x, i, m_below(c, 8) ? 1 : m_below(c, 2) ? 2 : -1);
    else if (r->kind == SUM && m_dtype_is_float(type))
        m_fill_ints(c, x, -2, 3); /* exact in any order, in fp16 and bf16 too */
    else if (r->kind == SUM_F32)
        m_fill_quarters(c, x);
    else if (m_dtype_is_float(type))
        m_fill_uniform(c, x, -100, 100);
    else
        m_fill_special(c, x);
    int64_t results = reduce_all(r, s, x, NULL);
    m_array *want = m_out(c, "r_ptr", result_type(r, type), results);
    reduce_all(r, s, x, want);
    write_kernel(c, r, s, results);
    m_end(ctx, c);
}

/* Sums of reals by any order: within the error of a pairwise sum. */
static void inexact_sum(m_context *ctx, const char *type_name, int64_t rows_count, int64_t columns)
{
    m_dtype type = m_dtype_find(type_name);
    m_case *c = m_begin(ctx, "sum of reals %s, %dx%d", type_name, (int)rows_count, (int)columns);
    if (!c)
        return;
    m_text(c, "@triton.jit\ndef k(x, o, R: tl.constexpr, C: tl.constexpr):\n    i = tl.arange(0, R)[:, None] * C + "
              "tl.arange(0, C)[None, :]\n"
              "    tl.store(o + tl.arange(0, R), tl.sum(tl.load(x + i), 1))\n");
    m_array *x = m_in(c, "x", type, rows_count * columns), *want = m_out(c, "o", type, rows_count);
    m_fill_uniform(c, x, -1, 1);
    for (int64_t i = 0; i < rows_count; i++) {
        m_real total = 0;
        for (int64_t j = 0; j < columns; j++)
            total += m_get(x, i * columns + j);
        m_set(want, i, total);
    }
    m_constexpr(c, "R", rows_count);
    m_constexpr(c, "C", columns);
    double eps = type == M_F64 ? 0x1p-52 : type == M_F32 ? 0x1p-23 : type == M_F16 ? 0x1p-10 : 0x1p-7;
    c->tolerance.atol = eps * sqrt((double)columns) * 4;
    m_end(ctx, c);
}

/* Mean and variance in one pass: a tuple of three with a combine function that is not commutative in form. */
static void welford(m_context *ctx, int64_t n)
{
    m_case *c = m_begin(ctx, "welford f32, %d", (int)n);
    if (!c)
        return;
    m_text(c, "%s@triton.jit\ndef k(x, o, N: tl.constexpr):\n    v = tl.load(x + tl.arange(0, N))\n"
              "    m, s, n = tl.reduce((v, v * 0, v * 0 + 1.0), 0, welford)\n"
              "    tl.store(o, m)\n    tl.store(o + 1, s / n)\n    tl.store(o + 2, n)\n", functions);
    m_array *x = m_in(c, "x", M_F32, n), *want = m_out(c, "o", M_F32, 3);
    m_fill_uniform(c, x, 0, 10);
    m_real mean = 0, square = 0;
    for (int64_t i = 0; i < n; i++)
        mean += m_get(x, i) / n;
    for (int64_t i = 0; i < n; i++)
        square += (m_get(x, i) - mean) * (m_get(x, i) - mean) / n;
    m_set(want, 0, mean);
    m_set(want, 1, square);
    m_set(want, 2, n);
    m_constexpr(c, "N", n);
    c->tolerance.rtol = 1e-5;
    m_end(ctx, c);
}

/* max and min pass over NaN, unless all are. */
static void skips_nan(m_context *ctx, const char *function, m_dtype type)
{
    m_case *c = m_begin(ctx, "%s skips nan %s", function, m_dtype_name(type));
    if (!c)
        return;
    enum { rows_count = 16, columns = 64 };
    m_text(c, "@triton.jit\ndef k(x, o):\n    i = tl.arange(0, 16)[:, None] * 64 + tl.arange(0, 64)[None, :]\n"
              "    tl.store(o + tl.arange(0, 16), tl.%s(tl.load(x + i), 1))\n", function);
    m_array *x = m_in(c, "x", type, rows_count * columns);
    m_array *want = m_out(c, "o", m_dtype_bits(type) < 32 ? M_F32 : type, rows_count);
    m_fill_uniform(c, x, -9, 9);
    for (int64_t i = 0; i < rows_count; i++) {
        m_real best = NAN;
        for (int64_t j = 0; j < columns; j++) {
            int64_t e = i * columns + j;
            if (i == 3 || j % (i + 1) == 0)
                m_set(x, e, NAN);
            best = function[1] == 'a' ? fmaxl(best, m_get(x, e)) : fminl(best, m_get(x, e));
        }
        m_set(want, i, best);
    }
    m_end(ctx, c);
}

void m_group_reductions(m_context *ctx)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const char *t = rows[i].types; t; t = strchr(t, ' ') ? strchr(t, ' ') + 1 : NULL)
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
                one(ctx, &rows[i], &shapes[s], m_dtype_find(t));
    static const char *const types[] = {"f16", "bf16", "f32", "f64"};
    for (int t = 0; t < 4; t++) {
        inexact_sum(ctx, types[t], 8, 128);
        inexact_sum(ctx, types[t], 1, 1024);
        inexact_sum(ctx, types[t], 64, 16);
        skips_nan(ctx, "max", m_dtype_find(types[t]));
        skips_nan(ctx, "min", m_dtype_find(types[t]));
    }
    for (int64_t n = 2; n <= 2048; n *= 4)
        welford(ctx, n);
}
