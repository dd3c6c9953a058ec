/* Floating-point functions and operators. */
#include "tests/matrix/matrix.h"

#include <math.h>

typedef enum { SPECIAL, UNIFORM } fill;

typedef struct {
    const char *name, *expression;
    int inputs;
    const char *types, *result; /* result "": that of the operands */
    m_real (*reference)(m_real a, m_real b, m_real d, m_dtype type);
    fill fill;
    double low, high; /* UNIFORM */
    double ulps;      /* on host and simulator */
    double gpu_ulps, gpu_rtol, gpu_atol;
    unsigned targets;
} row;

/* In fp64 the operation itself is done in fp64, so that nothing is rounded twice. */
#define REFERENCE(name, in_double, in_real) \
    static m_real name(m_real a, m_real b, m_real d, m_dtype type) \
    { \
        (void)b, (void)d; \
        if (type == M_F64) { \
            double x = (double)a, y = (double)b, z = (double)d; \
            (void)x, (void)y, (void)z; \
            return in_double; \
        } \
        return in_real; \
    }

REFERENCE(r_add, x + y, a + b)
REFERENCE(r_sub, x - y, a - b)
REFERENCE(r_mul, x * y, a * b)
REFERENCE(r_div, x / y, a / b)
REFERENCE(r_mod, fmod(x, y), fmodl(a, b))
REFERENCE(r_neg, -x, -a)
REFERENCE(r_abs, fabs(x), fabsl(a))
REFERENCE(r_sqrt, sqrt(x), sqrtl(a))
REFERENCE(r_rsqrt, 1 / sqrtl(a), 1 / sqrtl(a))
REFERENCE(r_exp, expl(a), expl(a))
REFERENCE(r_exp2, exp2l(a), exp2l(a))
REFERENCE(r_log, logl(a), logl(a))
REFERENCE(r_log2, log2l(a), log2l(a))
REFERENCE(r_sin, sinl(a), sinl(a))
REFERENCE(r_cos, cosl(a), cosl(a))
REFERENCE(r_erf, erfl(a), erfl(a))
REFERENCE(r_floor, floor(x), floorl(a))
REFERENCE(r_ceil, ceil(x), ceill(a))
REFERENCE(r_sigmoid, 1 / (1 + expl(-a)), 1 / (1 + expl(-a)))
REFERENCE(r_fma, fma(x, y, z), fmaf((float)a, (float)b, (float)d))
REFERENCE(r_min, fmin(x, y), fminl(a, b))
REFERENCE(r_max, fmax(x, y), fmaxl(a, b))
REFERENCE(r_min_nan, isnan(x) || isnan(y) ? NAN : fmin(x, y), isnan(a) || isnan(b) ? NAN : fminl(a, b))
REFERENCE(r_max_nan, isnan(x) || isnan(y) ? NAN : fmax(x, y), isnan(a) || isnan(b) ? NAN : fmaxl(a, b))
REFERENCE(r_clamp, fmin(fmax(x, fmin(y, z)), fmax(y, z)), fminl(fmaxl(a, fminl(b, d)), fmaxl(b, d)))
REFERENCE(r_where, x < y ? y : z, a < b ? b : d)
REFERENCE(r_eq, x == y, a == b)
REFERENCE(r_ne, x != y, a != b)
REFERENCE(r_lt, x < y, a < b)
REFERENCE(r_le, x <= y, a <= b)
REFERENCE(r_gt, x > y, a > b)
REFERENCE(r_ge, x >= y, a >= b)
REFERENCE(r_fourfold, x * 4, a * 4)

#define ALL_FLOATS "f16 bf16 f32 f64"
#define WIDE "f32 f64"

static const row rows[] = {
    {"+", "a + b", 2, ALL_FLOATS, "", r_add, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"-", "a - b", 2, ALL_FLOATS, "", r_sub, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"*", "a * b", 2, ALL_FLOATS, "", r_mul, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"tl.add", "tl.add(a, b)", 2, "f32 bf16", "", r_add, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"tl.sub", "tl.sub(a, b)", 2, "f32 f16", "", r_sub, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"tl.mul", "tl.mul(a, b)", 2, "f32 f64", "", r_mul, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"times a number", "a * 4", 1, ALL_FLOATS, "", r_fourfold, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"/", "a / b", 2, "f16 bf16 f32", "f32", r_div, SPECIAL, 0, 0, 0, 0, 0, 0, M_ON_HOST | M_ON_SIM},
    {"/ moderate", "a / b", 2, "f16 bf16 f32", "f32", r_div, UNIFORM, -8, 8, 0, 2, 0, 0, M_EVERYWHERE},
    {"/", "a / b", 2, "f64", "", r_div, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"%", "a % b", 2, "f16 bf16 f32", "f32", r_mod, SPECIAL, 0, 0, 0, 0, 0, 0, M_ON_HOST | M_ON_SIM},
    {"% moderate", "a % b", 2, "f16 bf16 f32", "f32", r_mod, UNIFORM, 1, 20, 0, 8, 0, 1e-5, M_EVERYWHERE},
    {"%", "a % b", 2, "f64", "", r_mod, SPECIAL, 0, 0, 0, 0, 0, 0, M_ON_HOST | M_ON_SIM},
    {"fdiv", "tl.fdiv(a, b)", 2, WIDE, "", r_div, UNIFORM, -8, 8, 0, 2, 0, 0, M_EVERYWHERE},
    {"fdiv ieee", "tl.fdiv(a, b, ieee_rounding=True)", 2, "f32", "", r_div, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"div_rn", "tl.div_rn(a, b)", 2, "f32", "", r_div, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"sqrt_rn", "tl.sqrt_rn(a)", 1, "f32", "", r_sqrt, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"negate", "-a", 1, ALL_FLOATS, "", r_neg, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"abs", "tl.abs(a)", 1, ALL_FLOATS, "", r_abs, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"sqrt", "tl.sqrt(a)", 1, WIDE, "", r_sqrt, SPECIAL, 0, 0, 0, 0, 0, 0, M_ON_HOST | M_ON_SIM},
    {"sqrt moderate", "tl.sqrt(a)", 1, WIDE, "", r_sqrt, UNIFORM, 0, 100, 0, 2, 0, 0, M_EVERYWHERE},
    {"rsqrt", "tl.rsqrt(a)", 1, WIDE, "", r_rsqrt, SPECIAL, 0, 0, 2, 0, 0, 0, M_ON_HOST | M_ON_SIM},
    {"rsqrt moderate", "tl.rsqrt(a)", 1, WIDE, "", r_rsqrt, UNIFORM, 0.01, 100, 2, 2, 0, 0, M_EVERYWHERE},
    {"exp", "tl.exp(a)", 1, WIDE, "", r_exp, SPECIAL, 0, 0, 2, 2, 1e-5, 0, M_ON_HOST | M_ON_SIM},
    {"exp moderate", "tl.exp(a)", 1, WIDE, "", r_exp, UNIFORM, -20, 20, 2, 4, 3e-6, 0, M_EVERYWHERE},
    {"exp2", "tl.exp2(a)", 1, WIDE, "", r_exp2, SPECIAL, 0, 0, 2, 0, 0, 0, M_ON_HOST | M_ON_SIM},
    {"exp2 moderate", "tl.exp2(a)", 1, WIDE, "", r_exp2, UNIFORM, -20, 20, 2, 4, 0, 0, M_EVERYWHERE},
    {"log", "tl.log(a)", 1, WIDE, "", r_log, SPECIAL, 0, 0, 2, 0, 0, 0, M_ON_HOST | M_ON_SIM},
    {"log moderate", "tl.log(a)", 1, WIDE, "", r_log, UNIFORM, 0.001, 100, 2, 4, 0, 1e-6, M_EVERYWHERE},
    /* On hosts log2, sin and cos of doubles are libmvec's, which promises 4 ulp. */
    {"log2", "tl.log2(a)", 1, "f32", "", r_log2, SPECIAL, 0, 0, 2, 0, 0, 0, M_ON_HOST | M_ON_SIM},
    {"log2", "tl.log2(a)", 1, "f64", "", r_log2, SPECIAL, 0, 0, 4, 0, 0, 0, M_ON_HOST | M_ON_SIM},
    {"log2 moderate", "tl.log2(a)", 1, "f32", "", r_log2, UNIFORM, 0.001, 100, 2, 4, 0, 1e-6, M_EVERYWHERE},
    {"log2 moderate", "tl.log2(a)", 1, "f64", "", r_log2, UNIFORM, 0.001, 100, 4, 4, 0, 1e-6, M_EVERYWHERE},
    {"sin", "tl.sin(a)", 1, "f32", "", r_sin, UNIFORM, -20, 20, 2, 4, 0, 1e-6, M_EVERYWHERE},
    {"sin", "tl.sin(a)", 1, "f64", "", r_sin, UNIFORM, -20, 20, 4, 4, 0, 1e-6, M_EVERYWHERE},
    {"cos", "tl.cos(a)", 1, "f32", "", r_cos, UNIFORM, -20, 20, 2, 4, 0, 1e-6, M_EVERYWHERE},
    {"cos", "tl.cos(a)", 1, "f64", "", r_cos, UNIFORM, -20, 20, 4, 4, 0, 1e-6, M_EVERYWHERE},
    {"sin large", "tl.sin(a)", 1, "f32", "", r_sin, UNIFORM, -1e5, 1e5, 2, 4, 0, 1e-6, M_EVERYWHERE},
    {"sin large", "tl.sin(a)", 1, "f64", "", r_sin, UNIFORM, -1e5, 1e5, 4, 4, 0, 1e-6, M_EVERYWHERE},
    {"cos large", "tl.cos(a)", 1, "f32", "", r_cos, UNIFORM, -1e5, 1e5, 2, 4, 0, 1e-6, M_EVERYWHERE},
    {"cos large", "tl.cos(a)", 1, "f64", "", r_cos, UNIFORM, -1e5, 1e5, 4, 4, 0, 1e-6, M_EVERYWHERE},
    {"sin special", "tl.sin(a)", 1, "f32", "", r_sin, SPECIAL, 0, 0, 2, 0, 0, 0, M_ON_HOST | M_ON_SIM},
    {"sin special", "tl.sin(a)", 1, "f64", "", r_sin, SPECIAL, 0, 0, 4, 0, 0, 0, M_ON_HOST | M_ON_SIM},
    {"cos special", "tl.cos(a)", 1, "f32", "", r_cos, SPECIAL, 0, 0, 2, 0, 0, 0, M_ON_HOST | M_ON_SIM},
    {"cos special", "tl.cos(a)", 1, "f64", "", r_cos, SPECIAL, 0, 0, 4, 0, 0, 0, M_ON_HOST | M_ON_SIM},
    {"erf", "tl.erf(a)", 1, WIDE, "", r_erf, SPECIAL, 0, 0, 2, 4, 0, 1.4e-38, M_EVERYWHERE},
    {"floor", "tl.floor(a)", 1, WIDE, "", r_floor, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"floor halves", "tl.floor(a)", 1, WIDE, "", r_floor, UNIFORM, -5, 5, 0, 0, 0, 0, M_EVERYWHERE},
    {"ceil", "tl.ceil(a)", 1, WIDE, "", r_ceil, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"sigmoid", "tl.sigmoid(a)", 1, WIDE, "", r_sigmoid, UNIFORM, -20, 20, 4, 8, 4e-6, 0, M_EVERYWHERE},
    {"fma", "tl.fma(a, b, d)", 3, WIDE, "", r_fma, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"math.fma", "tl.math.fma(a, b, d)", 3, "f32", "", r_fma, UNIFORM, -4, 4, 0, 0, 0, 0, M_EVERYWHERE},
    {"minimum", "tl.minimum(a, b)", 2, "f16 f32 f64", "", r_min, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"maximum", "tl.maximum(a, b)", 2, "f16 f32 f64", "", r_max, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"minimum", "tl.minimum(a, b)", 2, "bf16", "f32", r_min, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"maximum", "tl.maximum(a, b)", 2, "bf16", "f32", r_max, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"minimum nan", "tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)", 2, "f16 f32 f64", "", r_min_nan, SPECIAL, 0,
     0, 0, 0, 0, 0, M_EVERYWHERE},
    {"maximum nan", "tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)", 2, "f16 f32 f64", "", r_max_nan, SPECIAL, 0,
     0, 0, 0, 0, 0, M_EVERYWHERE},
    {"clamp", "tl.clamp(a, -1.5, 2.0)", 1, "f32 f64", "", NULL, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"clamp nan", "tl.clamp(a, -1.5, 2.0, propagate_nan=tl.PropagateNan.ALL)", 1, "f32 f64", "", NULL, SPECIAL, 0, 0, 0,
     0, 0, 0, M_EVERYWHERE},
    {"clamp", "tl.clamp(a, -1.5, 2.0)", 1, "f16 bf16", "f32", NULL, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"clamp tensors", "tl.clamp(a, tl.minimum(b, d), tl.maximum(b, d))", 3, WIDE, "", r_clamp, UNIFORM, -5, 5, 0, 0, 0,
     0, M_EVERYWHERE},
    {"where", "tl.where(a < b, b, d)", 3, ALL_FLOATS, "", r_where, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"==", "a == b", 2, ALL_FLOATS, "i1", r_eq, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"!=", "a != b", 2, ALL_FLOATS, "i1", r_ne, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"<", "a < b", 2, ALL_FLOATS, "i1", r_lt, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {"<=", "a <= b", 2, ALL_FLOATS, "i1", r_le, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {">", "a > b", 2, ALL_FLOATS, "i1", r_gt, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
    {">=", "a >= b", 2, ALL_FLOATS, "i1", r_ge, SPECIAL, 0, 0, 0, 0, 0, 0, M_EVERYWHERE},
};

static m_real reference(const row *r, m_real a, m_real b, m_real d, m_dtype type)
{
    if (r->reference)
        return r->reference(a, b, d, type);
    bool propagates = r->name[5] && r->name[6] == 'n'; /* "clamp nan" */
    return isnan(a) ? (propagates ? (m_real)NAN : -1.5L) : fminl(fmaxl(a, -1.5L), 2);
}

static void fill_inputs(const row *r, m_elementwise *e)
{
    for (int i = 0; i < r->inputs; i++) {
        if (r->fill == UNIFORM)
            m_fill_uniform(e->c, e->in[i], r->low, r->high);
        else
            m_fill_special(e->c, e->in[i]);
    }
    if (r->fill == SPECIAL && r->inputs > 1)
        m_fill_special_pair(e->c, e->in[0], e->in[1]);
}

static void one(m_context *ctx, const row *r, m_dtype type, int shape)
{
    m_dtype types[3] = {type, type, type}, result = *r->result ? m_dtype_find(r->result) : type;
    m_elementwise e = m_begin_elementwise(ctx, r->name, shape, r->inputs, types, result, "", r->expression);
    if (!e.c)
        return;
    fill_inputs(r, &e);
    for (int64_t i = 0; i < e.n; i++) {
        m_real v[3] = {0};
        for (int k = 0; k < r->inputs; k++)
            v[k] = m_get(e.in[k], i);
        m_set(e.want, i, reference(r, v[0], v[1], v[2], type));
    }
    e.c->targets = r->targets;
    e.c->tolerance.ulps = r->ulps;
    e.c->gpu_tolerance = (m_tolerance){.ulps = r->gpu_ulps, .rtol = r->gpu_rtol, .atol = r->gpu_atol};
    m_end(ctx, e.c);
}

void m_group_math(m_context *ctx)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const char *t = rows[i].types; t; t = strchr(t, ' ') ? strchr(t, ' ') + 1 : NULL)
            for (int shape = 0; shape < M_SHAPES; shape++)
                one(ctx, &rows[i], m_dtype_find(t), shape);
}
