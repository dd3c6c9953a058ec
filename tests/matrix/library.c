/* libdevice: every function of frontend/builtins/libdevice.def that tests/matrix/language.c does not have, in every
 * form, against long doubles or, where each bit counts, numbers of 113 bits. */
#include "tests/matrix/matrix.h"

#include <math.h>
#include <string.h>

#if __LDBL_MANT_DIG__ >= 113
typedef long double wide;
#else
typedef __float128 wide;
#endif

/* --- real functions within a few steps of the type ------------------------------------------ */

typedef struct {
    const char *name;
    int inputs;
    m_real (*reference)(const m_real *x);
    double low, high; /* of the inputs */
    double ulps, gpu_ulps, atol;
    const char *types; /* "f32 f64" unless it says otherwise */
} real_row;

static const m_real pi = 3.14159265358979323846264338327950288L;

#define REAL(name, expression) static m_real name(const m_real *x) { return (expression); }
REAL(l_atan2, atan2l(x[0], x[1]))
REAL(l_copysign, copysignl(x[0], x[1]))
REAL(l_cospi, cosl(pi * fmodl(x[0], 2)))
REAL(l_sinpi, sinl(pi * fmodl(x[0], 2)))
REAL(l_erfcx, expl(x[0] * x[0]) * erfcl(x[0]))
REAL(l_cos, cosl(x[0]))
REAL(l_sin, sinl(x[0]))
REAL(l_tan, tanl(x[0]))
REAL(l_tanh, tanhl(x[0]))
REAL(l_exp, expl(x[0]))
REAL(l_exp10, powl(10, x[0]))
REAL(l_log, logl(x[0]))
REAL(l_log2, log2l(x[0]))
REAL(l_log10, log10l(x[0]))
REAL(l_pow, powl(x[0], x[1]))
REAL(l_divide, x[0] / x[1])
REAL(l_fdim, fdiml(x[0], x[1]))
REAL(l_fmod, fmodl(x[0], x[1]))
REAL(l_remainder, remainderl(x[0], x[1]))
REAL(l_hypot, hypotl(x[0], x[1]))
REAL(l_rhypot, 1 / hypotl(x[0], x[1]))
REAL(l_norm3d, sqrtl(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]))
REAL(l_rnorm3d, 1 / l_norm3d(x))
REAL(l_norm4d, sqrtl(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]))
REAL(l_rnorm4d, 1 / l_norm4d(x))
REAL(l_j0, j0l(x[0]))
REAL(l_j1, j1l(x[0]))
REAL(l_y0, y0l(x[0]))
REAL(l_y1, y1l(x[0]))
REAL(l_lgamma, lgammal(x[0]))
REAL(l_tgamma, tgammal(x[0]))
REAL(l_logb, logbl(x[0]))
REAL(l_normcdf, erfcl(-x[0] / sqrtl(2)) / 2)
REAL(l_rcbrt, 1 / cbrtl(x[0]))
REAL(l_rsqrt, 1 / sqrtl(x[0]))
REAL(l_rcp, 1 / x[0])
REAL(l_saturate, x[0] < 0 ? 0 : x[0] > 1 ? 1 : x[0])
REAL(l_abs, fabsl(x[0]))
REAL(l_fma, x[0] * x[1] + x[2])

/* I_n(x) by its series. */
static m_real bessel(int n, m_real x)
{
    m_real term = n ? x / 2 : 1, total = 0;
    for (int k = 1; k < 200; k++) {
        total += term;
        term *= x * x / 4 / ((m_real)k * (k + n));
    }
    return total;
}
REAL(l_i0, bessel(0, x[0]))
REAL(l_i1, bessel(1, x[0]))

/* The x with erf(x) = y, by Newton's steps. */
static m_real inverse_erf(m_real y)
{
    m_real x = y;
    for (int i = 0; i < 60; i++)
        x -= (erfl(x) - y) * sqrtl(pi) / 2 * expl(x * x);
    return x;
}
REAL(l_erfinv, inverse_erf(x[0]))
REAL(l_erfcinv, inverse_erf(1 - x[0]))
REAL(l_normcdfinv, sqrtl(2) * inverse_erf(2 * x[0] - 1))

static const real_row reals[] = {
    {"abs", 1, l_abs, -9, 9, 0, 0, 0, NULL},
    {"atan2", 2, l_atan2, -9, 9, 4, 4, 0, NULL},
    {"copysign", 2, l_copysign, -9, 9, 0, 0, 0, NULL},
    {"cospi", 1, l_cospi, -9, 9, 4, 4, 1e-15, NULL},
    {"sinpi", 1, l_sinpi, -9, 9, 4, 4, 1e-15, NULL},
    {"cyl_bessel_i0", 1, l_i0, -9, 9, 8, 8, 0, NULL},
    {"cyl_bessel_i1", 1, l_i1, -9, 9, 8, 8, 0, NULL},
    {"erfcx", 1, l_erfcx, -2, 9, 4, 4, 0, NULL},
    {"erfinv", 1, l_erfinv, -0.95, 0.95, 8, 8, 0, NULL},
    {"erfcinv", 1, l_erfcinv, 0.05, 1.95, 8, 8, 1e-7, NULL},
    {"normcdf", 1, l_normcdf, -4, 4, 4, 5, 0, NULL},
    {"normcdfinv", 1, l_normcdfinv, 0.05, 0.95, 8, 8, 1e-7, NULL},
    {"fast_cosf", 1, l_cos, -3, 3, 4, 1e9, 1e-6, "f32"},
    {"fast_sinf", 1, l_sin, -3, 3, 4, 1e9, 1e-6, "f32"},
    {"fast_tanf", 1, l_tan, -1, 1, 6, 64, 1e-6, "f32"},
    {"fast_tanhf", 1, l_tanh, -9, 9, 4, 64, 1e-6, "f32"},
    {"fast_expf", 1, l_exp, -5, 5, 4, 32, 0, "f32"},
    {"fast_exp10f", 1, l_exp10, -3, 3, 6, 32, 0, "f32"},
    {"fast_logf", 1, l_log, 2, 50, 4, 32, 0, "f32"},
    {"fast_log2f", 1, l_log2, 2, 50, 4, 32, 0, "f32"},
    {"fast_log10f", 1, l_log10, 2, 50, 4, 32, 0, "f32"},
    {"fast_powf", 2, l_pow, 1, 4, 6, 64, 0, "f32"},
    {"fast_dividef", 2, l_divide, 1, 50, 2, 4, 0, "f32"},
    {"fdim", 2, l_fdim, -9, 9, 1, 1, 0, NULL},
    {"fmod", 2, l_fmod, 1, 50, 0, 0, 0, NULL},
    {"remainder", 2, l_remainder, 1, 50, 0, 0, 0, NULL},
    {"hypot", 2, l_hypot, -9, 9, 2, 4, 0, NULL},
    {"rhypot", 2, l_rhypot, 1, 9, 4, 4, 0, NULL},
    {"pow", 2, l_pow, 0.1, 5, 4, 10, 0, NULL},
    {"norm3d", 3, l_norm3d, -9, 9, 4, 4, 0, NULL},
    {"rnorm3d", 3, l_rnorm3d, 1, 9, 4, 4, 0, NULL},
    {"norm4d", 4, l_norm4d, -9, 9, 4, 4, 0, NULL},
    {"rnorm4d", 4, l_rnorm4d, 1, 9, 4, 4, 0, NULL},
    {"fma", 3, l_fma, -9, 9, 1, 1, 0, NULL},
    {"j0", 1, l_j0, 0.1, 2, 16, 16, 1e-7, NULL},
    {"j1", 1, l_j1, 0.1, 3, 16, 16, 1e-7, NULL},
    {"y0", 1, l_y0, 1, 3, 16, 16, 1e-6, NULL},
    {"y1", 1, l_y1, 0.1, 2, 16, 16, 1e-6, NULL},
    {"lgamma", 1, l_lgamma, 3, 30, 8, 8, 0, NULL},
    {"tgamma", 1, l_tgamma, 0.5, 9, 12, 12, 0, NULL},
    {"logb", 1, l_logb, 0.01, 900, 0, 0, 0, NULL},
    {"rcbrt", 1, l_rcbrt, 0.1, 50, 4, 4, 0, NULL},
    {"rsqrt", 1, l_rsqrt, 0.1, 50, 2, 4, 0, NULL},
    {"rcp64h", 1, l_rcp, 0.1, 50, 1, 0x1p33, 0, "f64"}, /* on a GPU 20 bits */
    {"rsqrt_rn", 1, l_rsqrt, 0.1, 50, 1, 1, 0, "f32"},
    {"saturatef", 1, l_saturate, -1, 2, 0, 0, 0, "f32"},
};

/* "libdevice.name(a, b)" */
static const char *call_of(char *text, size_t size, const char *name, int inputs)
{
    static const char *const args[] = {"", "a", "a, b", "a, b, d", "a, b, d, e"};
    snprintf(text, size, "libdevice.%s(%s)", name, args[inputs]);
    return text;
}

static void real_case(m_context *ctx, const real_row *r, m_dtype type, int shape)
{
    m_dtype types[4] = {type, type, type, type};
    char text[64];
    call_of(text, sizeof text, r->name, r->inputs);
    m_elementwise e = m_begin_elementwise(ctx, text, shape, r->inputs, types, type, "", text);
    if (!e.c)
        return;
    for (int k = 0; k < r->inputs; k++)
        m_fill_uniform(e.c, e.in[k], r->low, r->high);
    for (int64_t i = 0; i < e.n; i++) {
        m_real x[4];
        for (int k = 0; k < r->inputs; k++)
            x[k] = m_get(e.in[k], i);
        m_set(e.want, i, r->reference(x));
    }
    double atol = type == M_F64 && r->atol > 1e-15 ? r->atol * 1e-8 : r->atol;
    e.c->tolerance = (m_tolerance){.ulps = r->ulps, .atol = atol};
    e.c->gpu_tolerance = (m_tolerance){.ulps = r->gpu_ulps + 1, .atol = atol};
    m_end(ctx, e.c);
}

/* --- directed rounding ------------------------------------------------------------------------ */

typedef enum { TO_NEAREST, TOWARD_ZERO, UP, DOWN } direction;

static const struct {
    const char *suffix;
    direction direction;
} directions[] = {{"rn", TO_NEAREST}, {"rz", TOWARD_ZERO}, {"ru", UP}, {"rd", DOWN}};

static double step(m_dtype type, double x, double towards)
{
    return type == M_F32 ? (double)nextafterf((float)x, (float)towards) : nextafter(x, towards);
}

/* The number of the type next to an exact value in a direction: the nearest one, corrected by a step. */
static double rounded(m_dtype type, wide exact, direction d)
{
    double near = type == M_F32 ? (double)(float)exact : (double)exact;
    if (type == M_F32) { /* through the double it may have been rounded twice: the other neighbour may be nearer */
        double other = (wide)near < exact ? step(type, near, INFINITY) : step(type, near, -INFINITY);
        wide a = exact - (wide)near, b = exact - (wide)other;
        near = (b < 0 ? -b : b) < (a < 0 ? -a : a) ? other : near;
    }
    bool wants_up = d == UP || (d == TOWARD_ZERO && exact < 0),
         wants_down = d == DOWN || (d == TOWARD_ZERO && exact > 0);
    if (wants_up && (wide)near < exact)
        return step(type, near, INFINITY);
    if (wants_down && (wide)near > exact)
        return step(type, near, -INFINITY);
    return near;
}

static wide root(wide a)
{
    wide s = sqrtl((long double)a);
    return s - (s * s - a) / (2 * s);
}

static wide apply(char operation, const wide *x)
{
    switch (operation) {
    case '+': return x[0] + x[1];
    case '-': return x[0] - x[1];
    case '*': return x[0] * x[1];
    case '/': return x[0] / x[1];
    case 'r': return 1 / x[0];
    case 's': return root(x[0]);
    case 'f': return x[0] * x[1] + x[2];
    default: return x[0];
    }
}

static void rounded_case(m_context *ctx, const char *name, char operation, int inputs, m_dtype from, m_dtype to, int d,
                         double low, double high)
{
    m_dtype types[3] = {from, from, from};
    char full[40], text[80];
    snprintf(full, sizeof full, "%s_%s", name, directions[d].suffix);
    call_of(text, sizeof text, full, inputs);
    m_elementwise e = m_begin_elementwise(ctx, text, d % 3, inputs, types, to, "", text);
    if (!e.c)
        return;
    for (int k = 0; k < inputs; k++)
        m_fill_uniform(e.c, e.in[k], low, high);
    for (int64_t i = 0; i < e.n; i++) {
        wide x[3];
        for (int k = 0; k < inputs; k++)
            x[k] = m_dtype_is_float(from) ? (wide)m_get(e.in[k], i) : (wide)m_get_int(e.in[k], i);
        m_set(e.want, i, (m_real)rounded(to, apply(operation, x), directions[d].direction));
    }
    m_end(ctx, e.c);
}

static void arithmetic(m_context *ctx)
{
    static const struct {
        const char *name;
        char operation;
        int inputs;
        double low, high;
    } rows[] = {{"add", '+', 2, -9, 9}, {"sub", '-', 2, -9, 9}, {"mul", '*', 2, -9, 9}, {"div", '/', 2, 1, 9},
                {"rcp", 'r', 1, 1, 9},  {"sqrt", 's', 1, 1, 9}, {"fma", 'f', 3, -9, 9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int d = 0; d < 4; d++) {
            rounded_case(ctx, rows[i].name, rows[i].operation, rows[i].inputs, M_F32, M_F32, d, rows[i].low,
                         rows[i].high);
            rounded_case(ctx, rows[i].name, rows[i].operation, rows[i].inputs, M_F64, M_F64, d, rows[i].low,
                         rows[i].high);
        }
    for (int d = 0; d < 4; d++) {
        rounded_case(ctx, "double2float", '=', 1, M_F64, M_F32, d, -9, 9);
        rounded_case(ctx, "int2float", '=', 1, M_I32, M_F32, d, -2e9, 2e9);
        rounded_case(ctx, "uint2float", '=', 1, M_U32, M_F32, d, 0, 4e9);
        rounded_case(ctx, "ll2float", '=', 1, M_I64, M_F32, d, -9e18, 9e18);
        rounded_case(ctx, "ll2double", '=', 1, M_I64, M_F64, d, -9e18, 9e18);
        rounded_case(ctx, "ull2float", '=', 1, M_U64, M_F32, d, 0, 1.8e19);
        rounded_case(ctx, "ull2double", '=', 1, M_U64, M_F64, d, 0, 1.8e19);
    }
    rounded_case(ctx, "int2double", '=', 1, M_I32, M_F64, 0, -2e9, 2e9);
    rounded_case(ctx, "uint2double", '=', 1, M_U32, M_F64, 0, 0, 4e9);
}

/* --- to whole numbers -------------------------------------------------------------------------- */

static m_real whole(m_real x, direction d)
{
    return d == UP ? ceill(x) : d == DOWN ? floorl(x) : d == TOWARD_ZERO ? truncl(x) : rintl(x);
}

static void to_int_case(m_context *ctx, const char *name, m_dtype from, m_dtype to, direction d, double low,
                        double high)
{
    char text[64];
    call_of(text, sizeof text, name, 1);
    m_elementwise e = m_begin_elementwise(ctx, text, (int)d % 3, 1, &from, to, "", text);
    if (!e.c)
        return;
    m_fill_uniform(e.c, e.in[0], low, high);
    for (int64_t i = 0; i < e.n; i++)
        m_set_int(e.want, i, (m_wide)whole(m_get(e.in[0], i), d));
    m_end(ctx, e.c);
}

static void to_ints(m_context *ctx)
{
    static const char *const froms[] = {"float", "double"}, *const tos[] = {"int", "uint", "ll", "ull"};
    for (int f = 0; f < 2; f++)
        for (int t = 0; t < 4; t++)
            for (int d = 0; d < 4; d++) {
                char name[40];
                snprintf(name, sizeof name, "%s2%s_%s", froms[f], tos[t], directions[d].suffix);
                to_int_case(ctx, name, f ? M_F64 : M_F32, t < 2 ? M_I32 : M_I64, directions[d].direction,
                            t % 2 ? 0 : -1e5, 1e5);
            }
    to_int_case(ctx, "llrint", M_F32, M_I64, TO_NEAREST, -99, 99);
    to_int_case(ctx, "llrint", M_F64, M_I64, TO_NEAREST, -99, 99);
}

/* --- bits and whole numbers ---------------------------------------------------------------------- */

typedef struct {
    const char *name;
    const char *types, *result; /* of the inputs, "i32 i32" */
    uint64_t (*reference)(const uint64_t *x);
} bits_row;

#define BITS(name, expression) static uint64_t name(const uint64_t *x) { return (uint64_t)(expression); }
static double f64_of(uint64_t bits) { return (double)m_decode(M_F64, bits); }
static float f32_of(uint64_t bits) { return (float)m_decode(M_F32, bits); }
static uint64_t reversed(uint64_t x, int bits)
{
    uint64_t out = 0;
    for (int i = 0; i < bits; i++)
        out |= (x >> i & 1) << (bits - 1 - i);
    return out;
}
static uint64_t count_ones(uint64_t x)
{
    uint64_t n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}
static uint64_t zeros_above(uint64_t x, int bits)
{
    int n = 0;
    while (n < bits && !(x >> (bits - 1 - n) & 1))
        n++;
    return (uint64_t)n;
}
static uint64_t first_one(uint64_t x) { return x ? count_ones((x & (0 - x)) - 1) + 1 : 0; }
static uint64_t permuted(uint64_t low, uint64_t high, uint64_t select)
{
    uint64_t out = 0;
    for (int i = 0; i < 4; i++)
        out |= ((high << 32 | low) >> (8 * (select >> (4 * i) & 7)) & 255) << (8 * i);
    return out;
}
static int64_t low24(uint64_t x) { return (int64_t)(x << 40) >> 40; }
BITS(b_abs32, (int32_t)x[0] < 0 ? 0 - (uint32_t)x[0] : x[0])
BITS(b_abs64, (int64_t)x[0] < 0 ? 0 - x[0] : x[0])
BITS(b_brev32, reversed(x[0], 32))
BITS(b_brev64, reversed(x[0], 64))
BITS(b_perm, permuted(x[0], x[1], x[2]))
BITS(b_clz32, zeros_above(x[0], 32))
BITS(b_clz64, zeros_above(x[0], 64))
BITS(b_popc, count_ones(x[0]))
BITS(b_ffs, first_one(x[0]))
BITS(b_same, x[0])
BITS(b_hi, x[0] >> 32)
BITS(b_join, x[0] << 32 | x[1])
BITS(b_hadd, ((int64_t)(int32_t)x[0] + (int32_t)x[1]) >> 1)
BITS(b_uhadd, (x[0] + x[1]) >> 1)
BITS(b_rhadd, ((int64_t)(int32_t)x[0] + (int32_t)x[1] + 1) >> 1)
BITS(b_urhadd, (x[0] + x[1] + 1) >> 1)
BITS(b_mul24, low24(x[0]) * low24(x[1]))
BITS(b_umul24, (x[0] & 0xffffff) * (x[1] & 0xffffff))
BITS(b_mulhi32, ((int64_t)(int32_t)x[0] * (int32_t)x[1]) >> 32)
BITS(b_umulhi32, (x[0] * x[1]) >> 32)
BITS(b_mulhi64, ((m_wide)(int64_t)x[0] * (int64_t)x[1]) >> 64)
BITS(b_umulhi64, ((unsigned __int128)x[0] * x[1]) >> 64)
BITS(b_sad, ((int32_t)x[0] > (int32_t)x[1] ? x[0] - x[1] : x[1] - x[0]) + x[2])
BITS(b_usad, (x[0] > x[1] ? x[0] - x[1] : x[1] - x[0]) + x[2])
BITS(b_finite32, isfinite(f32_of(x[0])) != 0)
BITS(b_finite64, isfinite(f64_of(x[0])) != 0)
BITS(b_inf32, isinf(f32_of(x[0])) != 0)
BITS(b_inf64, isinf(f64_of(x[0])) != 0)
BITS(b_nan32, isnan(f32_of(x[0])) != 0)
BITS(b_nan64, isnan(f64_of(x[0])) != 0)
BITS(b_sign32, x[0] >> 31)
BITS(b_sign64, x[0] >> 63)
BITS(b_next32, m_encode(M_F32, nextafterf(f32_of(x[0]), f32_of(x[1])), M_NEAREST))
BITS(b_next64, m_encode(M_F64, nextafter(f64_of(x[0]), f64_of(x[1])), M_NEAREST))

static const bits_row bits_rows[] = {
    {"abs", "i32", "i32", b_abs32},           {"abs", "i64", "i64", b_abs64},
    {"brev", "i32", "i32", b_brev32},         {"brev", "i64", "i64", b_brev64},
    {"byte_perm", "i32 i32 i32", "i32", b_perm},
    {"clz", "i32", "i32", b_clz32},           {"clz", "i64", "i32", b_clz64},
    {"popc", "i32", "i32", b_popc},           {"popc", "i64", "i32", b_popc},
    {"ffs", "i32", "i32", b_ffs},             {"ffs", "i64", "i32", b_ffs},
    {"double_as_longlong", "f64", "i64", b_same}, {"longlong_as_double", "i64", "f64", b_same},
    {"float_as_int", "f32", "i32", b_same},   {"float_as_uint", "f32", "i32", b_same},
    {"int_as_float", "i32", "f32", b_same},   {"uint_as_float", "u32", "f32", b_same},
    {"double2hiint", "f64", "i32", b_hi},     {"double2loint", "f64", "i32", b_same},
    {"hiloint2double", "i32 i32", "f64", b_join},
    {"hadd", "i32 i32", "i32", b_hadd},       {"hadd", "u32 u32", "u32", b_uhadd},
    {"rhadd", "i32 i32", "i32", b_rhadd},     {"rhadd", "u32 u32", "u32", b_urhadd},
    {"mul24", "i32 i32", "i32", b_mul24},     {"mul24", "u32 u32", "u32", b_umul24},
    {"mulhi", "i32 i32", "i32", b_mulhi32},   {"mulhi", "u32 u32", "u32", b_umulhi32},
    {"mulhi", "i64 i64", "i64", b_mulhi64},   {"mulhi", "u64 u64", "u64", b_umulhi64},
    {"sad", "i32 i32 u32", "i32", b_sad},     {"sad", "u32 u32 u32", "u32", b_usad},
    {"finitef", "f32", "i1", b_finite32},     {"isfinited", "f64", "i1", b_finite64},
    {"isinf", "f32", "i1", b_inf32},          {"isinf", "f64", "i1", b_inf64},
    {"isnan", "f32", "i1", b_nan32},          {"isnan", "f64", "i1", b_nan64},
    {"signbit", "f32", "i32", b_sign32},      {"signbit", "f64", "i32", b_sign64},
    {"nextafter", "f32 f32", "f32", b_next32}, {"nextafter", "f64 f64", "f64", b_next64},
};

static void bits_case(m_context *ctx, const bits_row *r, int shape)
{
    m_dtype types[3];
    int inputs = 0;
    for (const char *t = r->types; t; t = strchr(t, ' ') ? strchr(t, ' ') + 1 : NULL)
        types[inputs++] = m_dtype_find(t);
    char text[64];
    call_of(text, sizeof text, r->name, inputs);
    m_elementwise e = m_begin_elementwise(ctx, text, shape, inputs, types, m_dtype_find(r->result), "", text);
    if (!e.c)
        return;
    for (int k = 0; k < inputs; k++)
        m_fill_special(e.c, e.in[k]);
    if (inputs == 2)
        m_fill_special_pair(e.c, e.in[0], e.in[1]);
    for (int64_t i = 0; i < e.n; i++) {
        uint64_t x[3];
        for (int k = 0; k < inputs; k++)
            x[k] = m_bits(e.in[k], i);
        m_set_bits(e.want, i, r->reference(x));
    }
    m_end(ctx, e.c);
}

/* --- a whole number beside a real one ------------------------------------------------------------- */

REAL(m_ldexp, ldexpl(x[0], (int)x[1]))
REAL(m_power, powl(x[0], x[1]))
REAL(m_jn, jnl((int)x[0], x[1]))
REAL(m_yn, ynl((int)x[0], x[1]))
REAL(m_ilogb, ilogbl(x[0]))
REAL(m_llround, roundl(x[0]))

static void mixed_case(m_context *ctx, const char *name, const char *types, m_real (*reference)(const m_real *x),
                       m_dtype type, double ulps)
{
    m_dtype in[2];
    int inputs = (int)strlen(types) - 1;
    for (int k = 0; k < inputs; k++)
        in[k] = types[k] == 'i' ? M_I32 : type;
    char text[64];
    call_of(text, sizeof text, name, inputs);
    m_dtype result = types[inputs] == 'i' ? M_I32 : types[inputs] == 'l' ? M_I64 : type;
    m_elementwise e = m_begin_elementwise(ctx, text, type == M_F64 ? 1 : 0, inputs, in, result, "", text);
    if (!e.c)
        return;
    for (int k = 0; k < inputs; k++)
        m_fill_uniform(e.c, e.in[k], in[k] == M_I32 ? 0 : 1, in[k] == M_I32 ? 5 : 6);
    for (int64_t i = 0; i < e.n; i++) {
        m_real x[2] = {0};
        for (int k = 0; k < inputs; k++)
            x[k] = m_get(e.in[k], i);
        m_set(e.want, i, reference(x));
    }
    e.c->tolerance = e.c->gpu_tolerance =
        (m_tolerance){.ulps = ulps, .atol = ulps > 9 ? (type == M_F32 ? 2e-6 : 1e-14) : 0};
    m_end(ctx, e.c);
}

void m_group_library(m_context *ctx)
{
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        for (const char *t = reals[i].types ? reals[i].types : "f32 f64"; t;
             t = strchr(t, ' ') ? strchr(t, ' ') + 1 : NULL)
            real_case(ctx, &reals[i], m_dtype_find(t), (int)i % M_SHAPES);
    arithmetic(ctx);
    to_ints(ctx);
    for (size_t i = 0; i < sizeof bits_rows / sizeof *bits_rows; i++)
        bits_case(ctx, &bits_rows[i], (int)i % 3);
    for (m_dtype type = M_F32; type <= M_F64; type++) {
        mixed_case(ctx, "ldexp", "fif", m_ldexp, type, 0);
        mixed_case(ctx, "scalbn", "fif", m_ldexp, type, 0);
        mixed_case(ctx, "pow", "fif", m_power, type, 8);
        mixed_case(ctx, "jn", "iff", m_jn, type, 64);
        mixed_case(ctx, "yn", "iff", m_yn, type, 64);
        mixed_case(ctx, "ilogb", "fi", m_ilogb, type, 0);
        mixed_case(ctx, "llround", "fl", m_llround, type, 0);
    }
}
