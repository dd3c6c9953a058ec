/* sort, topk, bitonic_merge, histogram. */
#include "tests/matrix/matrix.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    m_real x = *(const m_real *)a, y = *(const m_real *)b;
    return (x > y) - (x < y);
}

/* The line in order, as reals (exact for every type). */
static m_real *sorted_line(m_case *c, const m_array *x, int64_t first, int64_t n, bool descending)
{
    m_real *line = m_alloc(c, sizeof *line * (size_t)n), *result = m_alloc(c, sizeof *line * (size_t)n);
    for (int64_t i = 0; i < n; i++)
        line[i] = m_get(x, first + i);
    qsort(line, (size_t)n, sizeof *line, ascending);
    for (int64_t i = 0; i < n; i++)
        result[i] = line[descending ? n - 1 - i : i];
    return result;
}

typedef enum { SORT, TOPK, MERGE } kind;

static const struct {
    const char *name, *expression;
    kind kind;
    bool descending;
    int64_t k;
} rows[] = {
    {"sort", "tl.sort(x)", SORT, false, 0},
    {"sort descending", "tl.sort(x, descending=True)", SORT, true, 0},
    {"sort dim 1", "tl.sort(x, dim=1)", SORT, false, 0},
    {"topk 4", "tl.topk(x, 4)", TOPK, true, 4},
    {"topk 1", "tl.topk(x, 1)", TOPK, true, 1},
    {"topk 8 ascending", "tl.topk(x, 8, descending=False)", TOPK, false, 8},
    {"bitonic_merge", "tl.bitonic_merge(x)", MERGE, false, 0},
    {"bitonic_merge descending", "tl.bitonic_merge(x, descending=True)", MERGE, true, 0},
};

/* topk with k < n goes through max and min, which widen. */
static m_dtype result_type(size_t r, m_dtype type, int64_t n)
{
    if (rows[r].kind != TOPK || rows[r].k == n || m_dtype_bits(type) >= 32)
        return type;
    return m_dtype_is_float(type) ? M_F32 : M_I32;
}

static void sort_case(m_context *ctx, size_t r, m_dtype type, int64_t lines, int64_t n)
{
    m_case *c = m_begin(ctx, "%s %s, %dx%d", rows[r].name, m_dtype_name(type), (int)lines, (int)n);
    if (!c)
        return;
    int64_t k = rows[r].k ? rows[r].k : n;
    m_text(c,
           "@triton.jit\ndef k(x_ptr, r_ptr, L: tl.constexpr, N: tl.constexpr, K: tl.constexpr):\n    l = tl.arange(0, "
           "L)[:, None]\n"
           "    x = tl.load(x_ptr + l * N + tl.arange(0, N)[None, :])\n    r = %s\n    tl.static_assert(r.dtype == "
           "tl.%s)\n"
           "    tl.store(r_ptr + l * K + tl.arange(0, K)[None, :], r)\n",
           rows[r].expression, m_dtype_tl(result_type(r, type, n)));
    m_array *x = m_in(c, "x_ptr", type, lines * n), *want = m_out(c, "r_ptr", result_type(r, type, n), lines * k);
    if (m_dtype_is_float(type))
        m_fill_uniform(c, x, -100, 100);
    else
        m_fill_special(c, x);
    for (int64_t l = 0; l < lines; l++) {
        m_real *line = sorted_line(c, x, l * n, n, rows[r].descending);
        for (int64_t i = 0; i < k; i++)
            m_set(want, l * k + i, line[i]);
        /* one half up, the other down */
        m_real *up = sorted_line(c, x, l * n, n / 2, false), *down = sorted_line(c, x, l * n + n / 2, n - n / 2, true);
        for (int64_t i = 0; i < n && rows[r].kind == MERGE; i++)
            m_set(x, l * n + i, i < n / 2 ? up[i] : down[i - n / 2]);
    }
    m_constexpr(c, "L", lines);
    m_constexpr(c, "N", n);
    m_constexpr(c, "K", k);
    m_end(ctx, c);
}

static void histogram(m_context *ctx, m_dtype type, int64_t n, int64_t bins, bool is_masked)
{
    m_case *c =
        m_begin(ctx, "histogram %s, %d to %d%s", m_dtype_name(type), (int)n, (int)bins, is_masked ? ", masked" : "");
    if (!c)
        return;
    m_text(c,
           "@triton.jit\ndef k(x, o, N: tl.constexpr, B: tl.constexpr):\n    i = tl.arange(0, N)\n"
           "    tl.store(o + tl.arange(0, B), tl.histogram(tl.load(x + i), B%s))\n",
           is_masked ? ", mask=i % 3 != 0" : "");
    m_array *x = m_in(c, "x", type, n), *want = m_out(c, "o", M_I32, bins);
    m_fill_ints(c, x, 0, bins + (is_masked ? bins : 0)); /* masked: some lie beyond the bins too */
    int64_t *count = m_alloc(c, sizeof *count * (size_t)bins);
    for (int64_t i = 0; i < n; i++) {
        m_wide v = m_get_int(x, i);
        if (v >= 0 && v < bins && (!is_masked || i % 3))
            count[v]++;
    }
    for (int64_t i = 0; i < bins; i++)
        m_set_int(want, i, count[i]);
    m_constexpr(c, "N", n);
    m_constexpr(c, "B", bins);
    m_end(ctx, c);
}

void m_group_sorting(m_context *ctx)
{
    static const m_dtype types[] = {M_I8, M_I16, M_I32, M_I64, M_U8, M_U32, M_U64, M_F16, M_BF16, M_F32, M_F64};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            sort_case(ctx, r, types[t], 4, 16);
            if (t % 4 == r % 4)
                sort_case(ctx, r, types[t], 1, 128);
            if (t % 3 == 1)
                sort_case(ctx, r, types[t], 16, 8);
            if (t % 5 == r % 5) /* a hypercube would have more dimensions than layouts can */
                sort_case(ctx, r, types[t], 2, 256);
        }
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        sort_case(ctx, r, r % 2 ? M_F32 : M_I16, 1, 1024);
    for (int64_t n = 32; n <= 1024; n *= 4)
        for (int64_t bins = 2; bins <= 256; bins *= 8) {
            histogram(ctx, M_I32, n, bins, false);
            histogram(ctx, M_U32, n, bins, false);
            histogram(ctx, M_I32, n, bins, true);
        }
}
