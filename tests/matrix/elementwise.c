#include "tests/matrix/matrix.h"

static const struct {
    const char *name, *index;
    int64_t n;
    uint32_t programs;
    bool is_masked, is_scalar;
} shapes[M_SHAPES] = {
    {"1000 of 1024", "tl.arange(0, 1024)", 1000, 1, true, false},
    {"300 in 3x128", "tl.program_id(0) * 128 + tl.arange(0, 128)", 300, 3, true, false},
    {"2x8x32", "tl.program_id(0) * 256 + tl.arange(0, 8)[:, None] * 32 + tl.arange(0, 32)[None, :]", 512, 2, false,
     false},
    {"scalars", "tl.program_id(0)", 40, 40, false, true},
};

static const char *const names[] = {"a", "b", "d", "e"};

m_elementwise m_begin_elementwise(m_context *ctx, const char *name, int shape, int count, const m_dtype *types,
                                  m_dtype result, const char *before, const char *expression)
{
    m_elementwise e = {.n = shapes[shape].n};
    char list[64] = "";
    for (int i = 0, at = 0; i < count; i++)
        at += snprintf(list + at, sizeof list - (size_t)at, "%s%s", i ? "," : "", m_dtype_name(types[i]));
    m_case *c = e.c = m_begin(ctx, "%s %s, %s", name, list, shapes[shape].name);
    if (!c)
        return e;
    m_text(c, "@triton.jit\ndef k(");
    for (int i = 0; i < count; i++)
        m_text(c, "%s_ptr, ", names[i]);
    m_text(c, "r_ptr, n):\n    i = %s\n", shapes[shape].index);
    const char *mask = shapes[shape].is_masked ? ", mask=i < n" : "";
    for (int i = 0; i < count; i++)
        m_text(c, "    %s = tl.load(%s_ptr + i%s)\n", names[i], names[i], mask);
    m_text(c, "%s    r = %s\n    tl.static_assert(r.dtype == tl.%s)\n    tl.store(r_ptr + i, r%s)\n", before,
           expression, m_dtype_tl(result), mask);
    for (int i = 0; i < count; i++)
        e.in[i] = m_in(c, m_format(c, "%s_ptr", names[i]), types[i], e.n);
    e.want = m_out(c, "r_ptr", result, e.n);
    m_scalar(c, "n", M_I32, "%lld", (long long)e.n);
    c->grid[0] = shapes[shape].programs;
    return e;
}
