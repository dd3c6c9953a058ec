/* Scans: cumsum, cumprod and tl.associative_scan, forward and reverse. */
#include "tests/matrix/matrix.h"

#include <string.h>

typedef enum { SUM, PRODUCT, MAX, LAST, LINEAR } kind;

typedef struct {
    const char *name, *expression, *types; /* %d: the axis */
    kind kind;
    bool is_reverse, widens;
} row;

static const char functions[] =
    "@triton.jit\ndef add(x, y):\n    return x + y\n\n\n"
    "@triton.jit\ndef larger(x, y):\n    return tl.maximum(x, y)\n\n\n"
    "@triton.jit\ndef last(x, y):\n    return tl.where(y == 0, x, y)\n\n\n"
    "@triton.jit\ndef linear(a, b, a2, b2):\n    return a * a2, b * a2 + b2\n\n\n";

#define ALL "i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64"

static const row rows[] = {
    {"cumsum", "tl.cumsum(x, %d)", ALL, SUM, false, true},
    {"cumsum reverse", "tl.cumsum(x, %d, reverse=True)", ALL, SUM, true, true},
    {"cumsum method", "x.cumsum(axis=%d)", "f32 i16", SUM, false, true},
    {"cumprod", "tl.cumprod(x, %d)", "i32 u8 f32 f64 bf16", PRODUCT, false, false},
    {"cumprod reverse", "tl.cumprod(x, %d, reverse=True)", "i64 f32 f16", PRODUCT, true, false},
    {"scan add", "tl.associative_scan(x, %d, add)", "i32 i64 f32 f64 f16 u64", SUM, false, false},
    {"scan add reverse", "tl.associative_scan(x, %d, add, reverse=True)", "i32 f32 f64", SUM, true, false},
    {"scan larger", "tl.associative_scan(x, %d, larger)", "i32 u32 f32 f64", MAX, false, false},
    {"scan larger reverse", "tl.associative_scan(x, %d, larger, reverse=True)", "i32 f32", MAX, true, false},
    {"scan last", "tl.associative_scan(x, %d, last)", "i32 i64 f32", LAST, false, false},
    {"scan last reverse", "tl.associative_scan(x, %d, last, reverse=True)", "i32 f32", LAST, true, false},
    {"scan a pair", "tl.associative_scan((y, x), %d, linear)[1]", "f32 i32 f64", LINEAR, false, false},
    {"scan a pair reverse", "tl.associative_scan((y, x), %d, linear, reverse=True)[1]", "f32 i32", LINEAR, true, false},
};

static const struct {
    const char *name;
    int rank, axis;
    int64_t dims[3];
} shapes[] = {
    {"32 by 0", 1, 0, {32}},           {"1024 by 0", 1, 0, {1024}},    {"16x64 by 1", 2, 1, {16, 64}},
    {"64x16 by 0", 2, 0, {64, 16}},    {"4x256 by 1", 2, 1, {4, 256}}, {"2x8x32 by 1", 3, 1, {2, 8, 32}},
    {"2x8x32 by 2", 3, 2, {2, 8, 32}},
};

static m_dtype result_type(const row *r, m_dtype t)
{
    if (!r->widens && r->kind != PRODUCT)
        return t;
    if (t == M_BF16)
        return M_F32;
    if (r->widens && !m_dtype_is_float(t) && m_dtype_bits(t) < 32)
        return m_dtype_is_signed(t) ? M_I32 : M_U32;
    return t;
}

/* The line in the order of the scan; all numbers are small integers, so that reals are exact. */
static void scan_line(const row *r, const m_array *x, const m_array *y, int64_t first, int64_t step, int64_t n,
                      m_array *want)
{
    m_wide run = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t e = first + (r->is_reverse ? n - 1 - i : i) * step;
        m_wide v = m_dtype_is_float(x->dtype) ? (m_wide)m_get(x, e) : m_get_int(x, e);
        m_wide w = (m_wide)m_get(y, e);
        switch (r->kind) {
        case SUM: run += v; break;
        case PRODUCT: run = (int64_t)(i ? run * v : v); break;
        case MAX: run = i && run > v ? run : v; break;
        case LAST: run = v ? v : run; break;
        case LINEAR: run = (int64_t)(i ? run * w + v : v); break;
        }
        m_dtype_is_float(want->dtype) ? m_set(want, e, (m_real)run) : m_set_int(want, e, run);
    }
}

static void fill(m_case *c, const row *r, m_array *x, m_array *y)
{
    bool is_float = m_dtype_is_float(x->dtype);
    for (int64_t i = 0; i < x->count; i++)
        m_set(y, i, m_below(c, 10) ? 1 : is_float ? 0 : 3);
    if (r->kind == PRODUCT)
        for (int64_t i = 0; i < x->count; i++)
            m_set(x, i, m_below(c, 64) ? 1 : m_dtype_is_signed(x->dtype) || is_float ? -1 : 3);
    else if (r->kind == LAST)
        for (int64_t i = 0; i < x->count; i++)
            m_set(x, i, m_below(c, 6) ? 0 : (m_real)m_below(c, 100));
    else if (is_float)
        m_fill_ints(c, x, 0, 2);
    else if (r->kind == LINEAR)
        m_fill_ints(c, x, 0, 5);
    else
        m_fill_special(c, x);
}

static void one(m_context *ctx, const row *r, size_t s, m_dtype type)
{
    m_case *c = m_begin(ctx, "%s %s, %s", r->name, m_dtype_name(type), shapes[s].name);
    if (!c)
        return;
    static const char *const index[4][3] = {
        {""}, {""}, {"[:, None]", "[None, :]"}, {"[:, None, None]", "[None, :, None]", "[None, None, :]"}};
    int64_t count = 1, n = shapes[s].dims[shapes[s].axis], inner = 1, outer = 1;
    for (int d = 0; d < shapes[s].rank; d++) {
        count *= shapes[s].dims[d];
        inner *= d > shapes[s].axis ? shapes[s].dims[d] : 1;
        outer *= d < shapes[s].axis ? shapes[s].dims[d] : 1;
    }
    m_text(c, "%s@triton.jit\ndef k(x_ptr, y_ptr, r_ptr):\n    at = ", functions);
    int64_t stride = count;
    for (int d = 0; d < shapes[s].rank; d++) {
        stride /= shapes[s].dims[d];
        m_text(c, "%stl.arange(0, %d)%s * %d", d ? " + " : "", (int)shapes[s].dims[d], index[shapes[s].rank][d],
               (int)stride);
    }
    m_text(c, "\n    x = tl.load(x_ptr + at)\n    y = tl.load(y_ptr + at)\n    r = ");
    m_text(c, r->expression, shapes[s].axis);
    m_text(c, "\n    tl.static_assert(r.dtype == tl.%s)\n    tl.store(r_ptr + at, r)\n",
           m_dtype_tl(result_type(r, type)));
    m_array *x = m_in(c, "x_ptr", type, count), *y = m_in(c, "y_ptr", type, count);
    m_array *want = m_out(c, "r_ptr", result_type(r, type), count);
    fill(c, r, x, y);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++)
            scan_line(r, x, y, o * n * inner + i, inner, n, want);
    m_end(ctx, c);
}

void m_group_scans(m_context *ctx)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const char *t = rows[i].types; t; t = strchr(t, ' ') ? strchr(t, ' ') + 1 : NULL)
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
                one(ctx, &rows[i], s, m_dtype_find(t));
}
