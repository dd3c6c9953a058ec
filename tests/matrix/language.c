/* What has a form of its own: map_elementwise, libdevice. */
#include "tests/matrix/matrix.h"

#include <math.h>
#include <string.h>

/* --- map_elementwise ---------------------------------------------------------------------- */

static void mapped(m_context *ctx, const char *name, const char *function, const char *call,
                   m_real (*reference)(m_real a, m_real b))
{
    m_case *c = m_begin(ctx, "map_elementwise %s", name);
    if (!c)
        return;
    m_text(c,
           "%s\n\n@triton.jit\ndef k(x, y, o):\n    i = tl.arange(0, 256)\n    a = tl.load(x + i)\n    b = tl.load(y + "
           "i)\n"
           "    tl.store(o + i, %s)\n",
           function, call);
    m_array *x = m_in(c, "x", M_I32, 256), *y = m_in(c, "y", M_I32, 256), *want = m_out(c, "o", M_I32, 256);
    m_fill_ints(c, x, -50, 50);
    m_fill_ints(c, y, 1, 50);
    for (int64_t i = 0; i < 256; i++)
        m_set(want, i, reference(m_get(x, i), m_get(y, i)));
    m_end(ctx, c);
}

static m_real compare(m_real a, m_real b) { return a < b ? -1 : a == b ? 0 : 1; }
static m_real remainder_of(m_real a, m_real b) { return fmodl(a, b); }

/* --- libdevice ------------------------------------------------------------------------------ */

typedef struct {
    const char *name;
    m_real (*reference)(m_real x);
    double low, high, ulps;
} function;

static const function functions[] = {
    {"acos", acosl, -1, 1, 4},     {"asin", asinl, -1, 1, 4},      {"atan", atanl, -9, 9, 4},
    {"acosh", acoshl, 1, 50, 6},   {"asinh", asinhl, -20, 20, 6},  {"atanh", atanhl, -0.9, 0.9, 6},
    {"cbrt", cbrtl, -50, 50, 4},   {"ceil", ceill, -9, 9, 0},      {"cos", cosl, -9, 9, 4},
    {"cosh", coshl, -9, 9, 6},     {"erf", erfl, -3, 3, 6},        {"erfc", erfcl, -2, 3, 10},
    {"exp", expl, -9, 9, 4},       {"exp10", NULL, -5, 5, 6},      {"exp2", exp2l, -9, 9, 4},
    {"expm1", expm1l, -3, 3, 4},   {"floor", floorl, -9, 9, 0},    {"log", logl, 0.1, 50, 4},
    {"log10", log10l, 0.1, 50, 4}, {"log1p", log1pl, -0.5, 20, 4}, {"log2", log2l, 0.1, 50, 4},
    {"rint", rintl, -9, 9, 0},     {"round", roundl, -9, 9, 0},    {"sin", sinl, -9, 9, 4},
    {"sinh", sinhl, -9, 9, 6},     {"sqrt", sqrtl, 0, 50, 2},      {"tan", tanl, -1.2, 1.2, 6},
    {"tanh", tanhl, -3, 3, 6},     {"trunc", truncl, -9, 9, 0},    {"nearbyint", nearbyintl, -9, 9, 0},
};

static void library(m_context *ctx, const function *f, m_dtype type, int shape)
{
    char expression[64];
    snprintf(expression, sizeof expression, "libdevice.%s(a)", f->name);
    m_elementwise e = m_begin_elementwise(ctx, expression, shape, 1, &type, type, "", expression);
    if (!e.c)
        return;
    m_fill_uniform(e.c, e.in[0], f->low, f->high);
    for (int64_t i = 0; i < e.n; i++)
        m_set(e.want, i, f->reference ? f->reference(m_get(e.in[0], i)) : powl(10, m_get(e.in[0], i)));
    e.c->tolerance.ulps = f->ulps;
    e.c->gpu_tolerance = (m_tolerance){.ulps = f->ulps + 2, .atol = 1e-6};
    m_end(ctx, e.c);
}

void m_group_language(m_context *ctx)
{
    mapped(ctx, "with branches",
           "@triton.jit\ndef f(a, b):\n    if a < b:\n        return -1\n    elif a == b:\n        return 0\n    "
           "else:\n        return 1\n",
           "tl.map_elementwise(f, a, b)", compare);
    mapped(ctx, "remainder", "@triton.jit\ndef f(a, b):\n    return a % b\n", "tl.map_elementwise(f, a, b)",
           remainder_of);
    mapped(ctx, "packed", "@triton.jit\ndef f(a0, a1, b0, b1):\n    return a0 % b0, a1 % b1\n",
           "tl.map_elementwise(f, a, b, pack=2)", remainder_of);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        library(ctx, &functions[i], M_F32, (int)i % M_SHAPES);
        library(ctx, &functions[i], M_F64, (int)(i + 1) % M_SHAPES);
    }
}
