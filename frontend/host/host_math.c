/* Arithmetic functions of Python, math, operator and triton. */
#include "frontend/host/host_eval.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PARAMS tri_host *h, size_t n, const tri_value *const *v, const tri_host_args *args, tri_span at
#define UNUSED (void)h, (void)n, (void)v, (void)args, (void)at

static const tri_value *like(tri_host *h, const tri_value *model, const tri_value *result)
{
    return result && model->kind == TRI_VALUE_CONSTEXPR ? tri_value_constexpr(h->arena, result) : result;
}

static const tri_value *binary(tri_host *h, tri_ast_op op, const tri_value *a, const tri_value *b, tri_span at)
{
    tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
    return tri_host_check(h, &ops, tri_value_binary(&ops, op, a, b), at);
}

/* ---- Python ---- */

static const tri_value *run_abs(PARAMS)
{
    UNUSED;
    tri_int i;
    if (n != 1)
        return NULL;
    const tri_value *x = tri_value_unwrap(v[0]);
    if (x->kind == TRI_VALUE_FLOAT)
        return like(h, v[0], tri_value_float(h->arena, fabs(x->real)));
    if (!tri_value_get_int(x, &i))
        return NULL;
    tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
    return i < 0 ? tri_host_check(h, &ops, tri_value_unary(&ops, TRI_AST_NEG_OP, v[0]), at) : v[0];
}

static const tri_value *run_round(PARAMS)
{
    UNUSED;
    tri_int i;
    int64_t digits = 0;
    if (n < 1 || n > 2 || (n == 2 && (!tri_value_get_i64(v[1], &digits) || digits > 15 || digits < 0)))
        return NULL;
    if (tri_value_get_int(v[0], &i))
        return tri_value_int(h->arena, i);
    const tri_value *x = tri_value_unwrap(v[0]);
    if (x->kind != TRI_VALUE_FLOAT || !(fabs(x->real) < 1e37))
        return NULL;
    if (n == 1)
        return tri_value_int(h->arena, (tri_int)rint(x->real));
    char text[400]; /* printf rounds the number's exact value, as Python does */
    snprintf(text, sizeof text, "%.*f", (int)digits, x->real);
    return tri_value_float(h->arena, strtod(text, NULL));
}

static int digit_of(char c)
{
    int small = c | 0x20;
    return c >= '0' && c <= '9' ? c - '0' : small >= 'a' && small <= 'z' ? small - 'a' + 10 : 99;
}

/* Digits of a base from 2 to 36, or of 0 for the one that a prefix says; underscores stand between digits. */
static bool parse_int(tri_str s, int64_t base, tri_int *out)
{
    size_t i = s.len && strchr("+-", s.data[0]);
    bool is_negative = i && s.data[0] == '-', is_digit = false;
    int kind = i + 1 < s.len && s.data[i] == '0' ? s.data[i + 1] | 0x20 : 0;
    int prefix = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 0;
    if (prefix && (base == 0 || base == prefix)) {
        base = prefix;
        i += 2;
    }
    base = base ? base : 10;
    *out = 0;
    for (; i < s.len && base >= 2 && base <= 36; i++) {
        if (s.data[i] == '_' && is_digit) {
            is_digit = false;
            continue;
        }
        int digit = digit_of(s.data[i]);
        if (digit >= base || __builtin_mul_overflow(*out, (tri_int)base, out) ||
            __builtin_add_overflow(*out, (tri_int)digit, out))
            return false;
        is_digit = true;
    }
    *out = is_negative ? -*out : *out;
    return is_digit;
}

static const tri_value *run_int(PARAMS)
{
    UNUSED;
    tri_int i;
    int64_t base = 10;
    if (n == 0)
        return tri_value_int(h->arena, 0);
    const tri_value *x = tri_value_unwrap(v[0]);
    if (tri_value_get_int(x, &i))
        return tri_value_int(h->arena, i);
    if (x->kind == TRI_VALUE_FLOAT && fabs(x->real) < 1e38)
        return tri_value_int(h->arena, (tri_int)x->real);
    bool ok = x->kind == TRI_VALUE_STR && (n == 1 || (n == 2 && tri_value_get_i64(v[1], &base))) &&
              parse_int(tri_str_trim(x->string), base, &i);
    return ok ? tri_value_int(h->arena, i) : NULL;
}

/* hex(), oct() and bin(): the type of format() */
static const tri_value *in_base(tri_host *h, size_t n, const tri_value *const *v, const char *type)
{
    tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
    return n == 1 && v[0]->kind <= TRI_VALUE_INT ? tri_value_format(&ops, v[0], tri_str_from(type)) : NULL;
}

static const tri_value *run_hex(PARAMS)
{
    UNUSED;
    return in_base(h, n, v, "#x");
}

static const tri_value *run_oct(PARAMS)
{
    UNUSED;
    return in_base(h, n, v, "#o");
}

static const tri_value *run_bin(PARAMS)
{
    UNUSED;
    return in_base(h, n, v, "#b");
}

/* chr() and ord(), of ASCII */
static const tri_value *run_chr(PARAMS)
{
    UNUSED;
    int64_t code;
    if (n != 1 || !tri_value_get_i64(v[0], &code) || code < 0 || code >= 128)
        return NULL;
    return tri_value_str(h->arena, tri_str_format(h->arena, "%c", (int)code));
}

static const tri_value *run_ord(PARAMS)
{
    UNUSED;
    bool ok = n == 1 && v[0]->kind == TRI_VALUE_STR && v[0]->string.len == 1 && v[0]->string.data[0] >= 0;
    return ok ? tri_value_int(h->arena, v[0]->string.data[0]) : NULL;
}

static const tri_value *run_pow(PARAMS)
{
    UNUSED;
    return n == 2 ? binary(h, TRI_AST_POW_OP, v[0], v[1], at) : NULL;
}

static const tri_value *run_divmod(PARAMS)
{
    UNUSED;
    if (n != 2)
        return NULL;
    const tri_value *pair[] = {binary(h, TRI_AST_FLOOR_DIV_OP, v[0], v[1], at), NULL};
    pair[1] = pair[0] ? binary(h, TRI_AST_MOD_OP, v[0], v[1], at) : NULL;
    return pair[1] ? tri_value_sequence(h->arena, TRI_VALUE_TUPLE, 2, pair) : NULL;
}

/* ---- triton ---- */

static const tri_value *run_cdiv(PARAMS)
{
    UNUSED;
    tri_int a, b;
    const tri_value *x = n > 0 ? v[0] : tri_host_keyword(args, "x"),
                    *y = n > 1 ? v[1] : tri_host_keyword(args, n > 0 ? "y" : "div");
    if (!x || !y || !tri_value_get_int(x, &a) || !tri_value_get_int(y, &b))
        return NULL;
    if (b == 0)
        return tri_host_fail(h, at, "integer division or modulo by zero");
    const tri_value *one = tri_value_int(h->arena, 1);
    const tri_value *sum = binary(h, TRI_AST_ADD_OP, x, y, at);
    sum = sum ? binary(h, TRI_AST_SUB_OP, sum, one, at) : NULL;
    return sum ? binary(h, TRI_AST_FLOOR_DIV_OP, sum, y, at) : NULL;
}

static const tri_value *run_next_power_of_2(PARAMS)
{
    UNUSED;
    tri_int i;
    if (n != 1 || !tri_value_get_int(v[0], &i) || i > (tri_int)1 << 100)
        return NULL;
    if (i <= 0)
        return like(h, v[0], tri_value_int(h->arena, 0)); /* what the bit trick of the library gives for 0 */
    tri_int power = 1;
    while (power < i)
        power *= 2;
    return like(h, v[0], tri_value_int(h->arena, power));
}

/* ---- math ---- */

static const tri_value *finish(tri_host *h, const tri_value *model, double result, tri_span at, bool is_domain_ok)
{
    if (!is_domain_ok)
        return tri_host_fail(h, at, "math domain error");
    return like(h, model, tri_value_float(h->arena, result));
}

#define UNARY(name, call, domain) \
    static const tri_value *run_##name(PARAMS) \
    { \
        UNUSED; \
        double x; \
        return n == 1 && tri_value_get_float(v[0], &x) ? finish(h, v[0], call, at, domain) : NULL; \
    }
UNARY(sqrt, sqrt(x), !(x < 0))
UNARY(exp, exp(x), true)
UNARY(exp2, exp2(x), true)
UNARY(expm1, expm1(x), true)
UNARY(log2, log2(x), !(x <= 0))
UNARY(log10, log10(x), !(x <= 0))
UNARY(log1p, log1p(x), !(x <= -1))
UNARY(sin, sin(x), !isinf(x))
UNARY(cos, cos(x), !isinf(x))
UNARY(tan, tan(x), !isinf(x))
UNARY(asin, asin(x), !(fabs(x) > 1))
UNARY(acos, acos(x), !(fabs(x) > 1))
UNARY(atan, atan(x), true)
UNARY(sinh, sinh(x), true)
UNARY(cosh, cosh(x), true)
UNARY(tanh, tanh(x), true)
UNARY(erf, erf(x), true)
UNARY(erfc, erfc(x), true)
UNARY(gamma, tgamma(x), true)
UNARY(lgamma, lgamma(x), true)
UNARY(fabs, fabs(x), true)
UNARY(degrees, x * (180 / 3.141592653589793), true)
UNARY(radians, x * (3.141592653589793 / 180), true)

static const tri_value *run_log(PARAMS)
{
    UNUSED;
    double x, base;
    if (n < 1 || n > 2 || !tri_value_get_float(v[0], &x) || (n == 2 && !tri_value_get_float(v[1], &base)))
        return NULL;
    return finish(h, v[0], n == 2 ? log(x) / log(base) : log(x), at, !(x <= 0) && (n < 2 || base > 0));
}

#define BINARY(name, call, domain) \
    static const tri_value *run_##name(PARAMS) \
    { \
        UNUSED; \
        double x, y; \
        if (n != 2 || !tri_value_get_float(v[0], &x) || !tri_value_get_float(v[1], &y)) \
            return NULL; \
        return finish(h, v[0], call, at, domain); \
    }
BINARY(math_pow, pow(x, y), !(x < 0 && y != floor(y)))
BINARY(fmod, fmod(x, y), y != 0)
BINARY(copysign, copysign(x, y), true)
BINARY(atan2, atan2(x, y), true)
BINARY(hypot, hypot(x, y), true)

static const tri_value *to_int(tri_host *h, const tri_value *model, double d, tri_span at)
{
    if (!(fabs(d) < 1e37))
        return tri_host_fail(h, at, "the float does not convert to an integer");
    return like(h, model, tri_value_int(h->arena, (tri_int)d));
}

#define ROUNDING(name, call) \
    static const tri_value *run_##name(PARAMS) \
    { \
        UNUSED; \
        double x; \
        tri_int i; \
        if (n == 1 && tri_value_get_int(v[0], &i)) \
            return v[0]; \
        return n == 1 && tri_value_get_float(v[0], &x) ? to_int(h, v[0], call, at) : NULL; \
    }
ROUNDING(floor, floor(x))
ROUNDING(ceil, ceil(x))
ROUNDING(trunc, trunc(x))

#define PREDICATE(name, call) \
    static const tri_value *run_##name(PARAMS) \
    { \
        UNUSED; \
        double x; \
        return n == 1 && tri_value_get_float(v[0], &x) ? tri_value_bool(call) : NULL; \
    }
PREDICATE(isnan, isnan(x))
PREDICATE(isinf, isinf(x))
PREDICATE(isfinite, isfinite(x))

static const tri_value *run_gcd(PARAMS)
{
    UNUSED;
    tri_int result = 0;
    for (size_t i = 0; i < n; i++) {
        tri_int x;
        if (!tri_value_get_int(v[i], &x))
            return NULL;
        x = x < 0 ? -x : x;
        while (x) {
            tri_int rest = result % x;
            result = x;
            x = rest;
        }
    }
    return tri_value_int(h->arena, result);
}

static const tri_value *run_lcm(PARAMS)
{
    tri_int a, b, g;
    if (n != 2 || !tri_value_get_int(v[0], &a) || !tri_value_get_int(v[1], &b))
        return NULL;
    const tri_value *divisor = run_gcd(h, n, v, args, at);
    g = divisor->integer;
    if (g == 0)
        return divisor;
    const tri_value *product = binary(h, TRI_AST_MUL_OP, tri_value_int(h->arena, (a < 0 ? -a : a) / g),
                                      tri_value_int(h->arena, b < 0 ? -b : b), at);
    return product;
}

static const tri_value *run_isqrt(PARAMS)
{
    UNUSED;
    int64_t x;
    if (n != 1 || !tri_value_get_i64(v[0], &x) || x < 0)
        return NULL;
    int64_t root = (int64_t)sqrt((double)x);
    while (root * (tri_int)root > x)
        root--;
    while ((root + 1) * (tri_int)(root + 1) <= x)
        root++;
    return tri_value_int(h->arena, root);
}

static const tri_value *run_comb(PARAMS)
{
    UNUSED;
    int64_t all, some;
    tri_int result = 1;
    if (n != 2 || !tri_value_get_i64(v[0], &all) || !tri_value_get_i64(v[1], &some) || all < 0 || some < 0)
        return NULL;
    if (some > all)
        return tri_value_int(h->arena, 0);
    some = some > all - some ? all - some : some;
    for (int64_t i = 1; i <= some; i++) {
        if (__builtin_mul_overflow(result, (tri_int)(all - some + i), &result))
            return tri_host_fail(h, at, "the integer result needs more than 128 bits");
        result /= i;
    }
    return tri_value_int(h->arena, result);
}

static const tri_value *run_prod(PARAMS)
{
    UNUSED;
    tri_value_list items = {0};
    const tri_value *total = tri_value_int(h->arena, 1);
    if (n != 1 || !tri_host_items(h, v[0], at, &items))
        return NULL;
    for (uint32_t i = 0; i < items.len && total; i++)
        total = binary(h, TRI_AST_MUL_OP, total, items.at[i], at);
    return total;
}

/* ---- operator ---- */

#define OPERATOR(name, op) \
    static const tri_value *run_##name(PARAMS) \
    { \
        UNUSED; \
        return n == 2 ? binary(h, op, v[0], v[1], at) : NULL; \
    }
OPERATOR(add, TRI_AST_ADD_OP)
OPERATOR(sub, TRI_AST_SUB_OP)
OPERATOR(mul, TRI_AST_MUL_OP)
OPERATOR(truediv, TRI_AST_DIV_OP)
OPERATOR(floordiv, TRI_AST_FLOOR_DIV_OP)
OPERATOR(mod, TRI_AST_MOD_OP)

#define COMPARISON(name, op) \
    static const tri_value *run_##name(PARAMS) \
    { \
        UNUSED; \
        tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget}; \
        return n == 2 ? tri_host_check(h, &ops, tri_value_compare(&ops, op, v[0], v[1]), at) : NULL; \
    }
COMPARISON(eq, TRI_AST_EQ_OP)
COMPARISON(ne, TRI_AST_NE_OP)
COMPARISON(lt, TRI_AST_LT_OP)
COMPARISON(le, TRI_AST_LE_OP)
COMPARISON(gt, TRI_AST_GT_OP)
COMPARISON(ge, TRI_AST_GE_OP)

tri_host_builtin *tri_host_math_find(tri_str path)
{
    static const struct {
        const char *path;
        tri_host_builtin *run;
    } rows[] = {
#define MATH(path, function) {path, function},
#include "frontend/host/host_builtins.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tri_str_is(path, rows[i].path))
            return rows[i].run;
    return NULL;
}
