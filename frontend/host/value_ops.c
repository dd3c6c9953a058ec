/* Operators on values, with Python's semantics. */
#include "frontend/kernel/types.h"
#include "frontend/host/budget.h"
#include "frontend/host/value.h"

#include <math.h>

/* `raises`: see tri_value_ops. */
__attribute__((format(printf, 3, 4))) static const tri_value *fail_as(tri_value_ops *ops, const char *raises,
                                                                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ops->error = tri_str_vformat(ops->arena, format, args);
    ops->raises = raises;
    va_end(args);
    return NULL;
}
#define fail_value(ops, ...) fail_as(ops, "TypeError", __VA_ARGS__)

static const tri_value *fail_operands(tri_value_ops *ops, tri_ast_op op, const tri_value *a, const tri_value *b)
{
    return fail_value(ops, "unsupported operand types for %s: '%s' and '%s'", tri_ast_op_text(op),
                      tri_value_type_name(a), tri_value_type_name(b));
}

static const tri_value *fail_range(tri_value_ops *ops)
{
    return fail_as(ops, NULL, "the integer result needs more than 128 bits");
}

/* ---- what operations may cost ---- */

static bool may_take(tri_value_ops *ops, uint64_t bytes)
{
    if (tri_budget_has_room(ops->budget, bytes))
        return true;
    fail_as(ops, NULL, TRI_BUDGET_NO_ROOM);
    return false;
}

/* Looks at so many things, of which some are done in the time of a step. */
static bool may_look(tri_value_ops *ops, uint64_t things)
{
    enum { things_per_step = 16 };
    if (tri_budget_step(ops->budget, things / things_per_step))
        return true;
    fail_as(ops, NULL, "%s", tri_budget_why(ops->budget));
    return false;
}

bool tri_value_is_spent(const tri_value_ops *ops) { return ops->budget && ops->budget->is_spent; }

/* ---- integers ---- */

static tri_int floor_div(tri_int a, tri_int b)
{
    tri_int q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static tri_int floor_mod(tri_int a, tri_int b)
{
    tri_int r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static const tri_value *power_int(tri_value_ops *ops, tri_int base, tri_int exponent)
{
    if (exponent < 0) {
        if (base == 0)
            return fail_as(ops, "ZeroDivisionError", "0 cannot be raised to a negative power");
        return tri_value_float(ops->arena, pow((double)base, (double)exponent));
    }
    if (base == 0 || base == 1 || base == -1)
        return tri_value_int(ops->arena, exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base);
    tri_int result = 1;
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(result, base, &result))
            return fail_range(ops);
    return tri_value_int(ops->arena, result);
}

static const tri_value *shift_int(tri_value_ops *ops, bool is_left, tri_int value, tri_int count)
{
    if (count < 0)
        return fail_as(ops, "ValueError", "negative shift count");
    if (!is_left)
        return tri_value_int(ops->arena, count > 126 ? (value < 0 ? -1 : 0) : value >> count);
    if (value == 0)
        return tri_value_int(ops->arena, 0);
    tri_int result;
    if (count > 126 || __builtin_mul_overflow(value, (tri_int)1 << count, &result))
        return fail_range(ops);
    return tri_value_int(ops->arena, result);
}

static const tri_value *divide_int(tri_value_ops *ops, tri_ast_op op, tri_int a, tri_int b)
{
    if (b == 0)
        return fail_as(ops, "ZeroDivisionError",
                       op == TRI_AST_DIV_OP ? "division by zero" : "integer division or modulo by zero");
    if (op == TRI_AST_DIV_OP)
        return tri_value_float(ops->arena, (double)((long double)a / (long double)b));
    if (b == -1) { /* the one quotient that can overflow */
        tri_int negated;
        if (op == TRI_AST_MOD_OP)
            return tri_value_int(ops->arena, 0);
        return __builtin_sub_overflow((tri_int)0, a, &negated) ? fail_range(ops) : tri_value_int(ops->arena, negated);
    }
    return tri_value_int(ops->arena, op == TRI_AST_MOD_OP ? floor_mod(a, b) : floor_div(a, b));
}

static const tri_value *binary_int(tri_value_ops *ops, tri_ast_op op, tri_int a, tri_int b, bool are_bools)
{
    tri_int result;
    switch (op) {
    case TRI_AST_ADD_OP:
        return __builtin_add_overflow(a, b, &result) ? fail_range(ops) : tri_value_int(ops->arena, result);
    case TRI_AST_SUB_OP:
        return __builtin_sub_overflow(a, b, &result) ? fail_range(ops) : tri_value_int(ops->arena, result);
    case TRI_AST_MUL_OP:
        return __builtin_mul_overflow(a, b, &result) ? fail_range(ops) : tri_value_int(ops->arena, result);
    case TRI_AST_DIV_OP: case TRI_AST_FLOOR_DIV_OP: case TRI_AST_MOD_OP: return divide_int(ops, op, a, b);
    case TRI_AST_POW_OP: return power_int(ops, a, b);
    case TRI_AST_SHL_OP: case TRI_AST_SHR_OP: return shift_int(ops, op == TRI_AST_SHL_OP, a, b);
    case TRI_AST_BIT_AND_OP: result = a & b; break;
    case TRI_AST_BIT_OR_OP: result = a | b; break;
    case TRI_AST_BIT_XOR_OP: result = a ^ b; break;
    default: return NULL;
    }
    return are_bools ? tri_value_bool(result != 0) : tri_value_int(ops->arena, result);
}

/* ---- floats ---- */

static double float_mod(double a, double b)
{
    double r = fmod(a, b);
    if (r != 0)
        return (r < 0) != (b < 0) ? r + b : r;
    return copysign(0, b);
}

static double float_floor_div(double a, double b)
{
    double quotient = (a - float_mod(a, b)) / b;
    if (quotient == 0)
        return copysign(0, a / b);
    double whole = floor(quotient);
    return quotient - whole > 0.5 ? whole + 1 : whole;
}

static const tri_value *binary_float(tri_value_ops *ops, tri_ast_op op, double a, double b)
{
    double result;
    switch (op) {
    case TRI_AST_ADD_OP: result = a + b; break;
    case TRI_AST_SUB_OP: result = a - b; break;
    case TRI_AST_MUL_OP: result = a * b; break;
    case TRI_AST_DIV_OP: case TRI_AST_FLOOR_DIV_OP: case TRI_AST_MOD_OP:
        if (b == 0)
            return fail_as(ops, "ZeroDivisionError",
                           op == TRI_AST_DIV_OP ? "float division by zero" : "float floor division or modulo by zero");
        result = op == TRI_AST_DIV_OP ? a / b : op == TRI_AST_MOD_OP ? float_mod(a, b) : float_floor_div(a, b);
        break;
    case TRI_AST_POW_OP:
        if (a == 0 && b < 0)
            return fail_as(ops, "ZeroDivisionError", "0.0 cannot be raised to a negative power");
        if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b))
            return fail_as(ops, NULL, "a negative number raised to a fractional power is complex");
        result = pow(a, b);
        if (isinf(result) && isfinite(a) && isfinite(b))
            return fail_as(ops, "OverflowError", "the result of ** is too large for a float");
        break;
    default: return NULL;
    }
    return tri_value_float(ops->arena, result);
}

/* ---- sequences ---- */

static const tri_value *concat(tri_value_ops *ops, const tri_value *a, const tri_value *b)
{
    bool is_text = a->kind == TRI_VALUE_STR || a->kind == TRI_VALUE_BYTES;
    if (!may_take(ops, is_text ? a->string.len + b->string.len
                               : sizeof(void *) * 2 * ((uint64_t)a->sequence.items.len + b->sequence.items.len)))
        return NULL;
    if (is_text) {
        char *text = tri_arena_alloc(ops->arena, a->string.len + b->string.len + 1);
        memcpy(text, a->string.data, a->string.len);
        memcpy(text + a->string.len, b->string.data, b->string.len);
        tri_str joined = {text, a->string.len + b->string.len};
        return a->kind == TRI_VALUE_STR ? tri_value_str(ops->arena, joined) : tri_value_bytes(ops->arena, joined);
    }
    tri_value *v =
        (tri_value *)(uintptr_t)tri_value_sequence(ops->arena, a->kind, a->sequence.items.len, a->sequence.items.at);
    for (uint32_t i = 0; i < b->sequence.items.len; i++)
        tri_value_push(ops->arena, &v->sequence.items, b->sequence.items.at[i]);
    return v;
}

static const tri_value *repeat(tri_value_ops *ops, const tri_value *v, tri_int count)
{
    bool is_text = v->kind == TRI_VALUE_STR || v->kind == TRI_VALUE_BYTES;
    tri_int len = is_text ? (tri_int)v->string.len : (tri_int)v->sequence.items.len;
    if (count < 0)
        count = 0;
    if (len == 0)
        count = 0;
    if (count > TRI_BUDGET_BYTES || !may_take(ops, (uint64_t)(len * count) * (is_text ? 1 : 2 * sizeof(void *))))
        return fail_as(ops, NULL, TRI_BUDGET_NO_ROOM);
    if (is_text) {
        char *text = tri_arena_alloc(ops->arena, (size_t)(len * count) + 1);
        for (tri_int i = 0; i < count; i++)
            memcpy(text + i * len, v->string.data, (size_t)len);
        tri_str whole = {text, (size_t)(len * count)};
        return v->kind == TRI_VALUE_STR ? tri_value_str(ops->arena, whole) : tri_value_bytes(ops->arena, whole);
    }
    tri_value *result = (tri_value *)(uintptr_t)tri_value_sequence(ops->arena, v->kind, 0, NULL);
    for (tri_int i = 0; i < count; i++)
        for (uint32_t k = 0; k < v->sequence.items.len; k++)
            tri_value_push(ops->arena, &result->sequence.items, v->sequence.items.at[k]);
    return result;
}

static bool is_sequence(const tri_value *v)
{
    return v->kind == TRI_VALUE_STR || v->kind == TRI_VALUE_BYTES || v->kind == TRI_VALUE_TUPLE ||
           v->kind == TRI_VALUE_LIST;
}

static bool has_item(const tri_value *set, const tri_value *v)
{
    for (uint32_t i = 0; i < set->sequence.items.len; i++)
        if (tri_value_equal(set->sequence.items.at[i], v))
            return true;
    return false;
}

static const tri_value *binary_set(tri_value_ops *ops, tri_ast_op op, const tri_value *a, const tri_value *b)
{
    tri_value *v = (tri_value *)(uintptr_t)tri_value_sequence(ops->arena, TRI_VALUE_SET, 0, NULL);
    const tri_value_list *x = &a->sequence.items, *y = &b->sequence.items;
    if (!may_look(ops, (uint64_t)x->len * y->len))
        return NULL;
    for (uint32_t i = 0; i < x->len; i++) {
        bool in_b = has_item(b, x->at[i]);
        if (op == TRI_AST_BIT_OR_OP || (op == TRI_AST_BIT_AND_OP ? in_b : !in_b))
            tri_value_push(ops->arena, &v->sequence.items, x->at[i]);
    }
    for (uint32_t i = 0; i < y->len && (op == TRI_AST_BIT_OR_OP || op == TRI_AST_BIT_XOR_OP); i++)
        if (!has_item(a, y->at[i]))
            tri_value_push(ops->arena, &v->sequence.items, y->at[i]);
    return v;
}

static const tri_value *merge_dicts(tri_value_ops *ops, const tri_value *a, const tri_value *b)
{
    tri_value *v = tri_value_dict_create(ops->arena);
    const tri_value *both[] = {a, b};
    uint64_t len = (uint64_t)a->dict->keys.len + b->dict->keys.len;
    if (!may_look(ops, len * len / 2))
        return NULL;
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < both[k]->dict->keys.len; i++)
            tri_value_dict_set(ops->arena, v->dict, both[k]->dict->keys.at[i], both[k]->dict->values.at[i]);
    return v;
}

static const tri_value *binary_other(tri_value_ops *ops, tri_ast_op op, const tri_value *a, const tri_value *b)
{
    tri_int count;
    if (op == TRI_AST_ADD_OP && is_sequence(a) && a->kind == b->kind)
        return concat(ops, a, b);
    if (op == TRI_AST_MUL_OP && is_sequence(a) && tri_value_get_int(b, &count))
        return repeat(ops, a, count);
    if (op == TRI_AST_MUL_OP && is_sequence(b) && tri_value_get_int(a, &count))
        return repeat(ops, b, count);
    bool is_set_op =
        op == TRI_AST_BIT_AND_OP || op == TRI_AST_BIT_OR_OP || op == TRI_AST_BIT_XOR_OP || op == TRI_AST_SUB_OP;
    if (is_set_op && a->kind == TRI_VALUE_SET && b->kind == TRI_VALUE_SET)
        return binary_set(ops, op, a, b);
    if (op == TRI_AST_BIT_OR_OP && a->kind == TRI_VALUE_DICT && b->kind == TRI_VALUE_DICT)
        return merge_dicts(ops, a, b);
    return fail_operands(ops, op, a, b);
}

/* ---- entry points ---- */

static const tri_value *rewrap(tri_value_ops *ops, const tri_value *result, bool was_wrapped)
{
    return result && was_wrapped ? tri_value_constexpr(ops->arena, result) : result;
}

const tri_value *tri_value_binary(tri_value_ops *ops, tri_ast_op op, const tri_value *a, const tri_value *b)
{
    bool was_wrapped = a->kind == TRI_VALUE_CONSTEXPR || b->kind == TRI_VALUE_CONSTEXPR;
    a = tri_value_unwrap(a);
    b = tri_value_unwrap(b);
    const tri_value *result = NULL;
    ops->error = (tri_str){0};
    if (tri_value_is_number(a) && tri_value_is_number(b)) {
        tri_int x, y;
        double u = 0, v = 0;
        if (tri_value_get_int(a, &x) && tri_value_get_int(b, &y)) {
            result = binary_int(ops, op, x, y, a->kind == TRI_VALUE_BOOL && b->kind == TRI_VALUE_BOOL);
        } else {
            tri_value_get_float(a, &u);
            tri_value_get_float(b, &v);
            result = binary_float(ops, op, u, v);
        }
        if (!result && !ops->error.len)
            fail_operands(ops, op, a, b);
    } else {
        bool is_fill = op == TRI_AST_MOD_OP && a->kind == TRI_VALUE_STR;
        result = is_fill ? tri_value_percent(ops, a->string, b) : binary_other(ops, op, a, b);
    }
    return rewrap(ops, result, was_wrapped);
}

const tri_value *tri_value_unary(tri_value_ops *ops, tri_ast_op op, const tri_value *x)
{
    bool was_wrapped = x->kind == TRI_VALUE_CONSTEXPR;
    x = tri_value_unwrap(x);
    ops->error = (tri_str){0};
    tri_int i, negated;
    const tri_value *result = NULL;
    if (op == TRI_AST_NOT_OP) {
        result = tri_value_bool(!tri_value_truth(x));
    } else if (x->kind == TRI_VALUE_FLOAT && op != TRI_AST_INVERT_OP) {
        result = op == TRI_AST_NEG_OP ? tri_value_float(ops->arena, -x->real) : x;
    } else if (tri_value_get_int(x, &i)) {
        if (op == TRI_AST_NEG_OP)
            result =
                __builtin_sub_overflow((tri_int)0, i, &negated) ? fail_range(ops) : tri_value_int(ops->arena, negated);
        else
            result = tri_value_int(ops->arena, op == TRI_AST_INVERT_OP ? ~i : i);
    } else {
        fail_value(ops, "bad operand type for unary %s: '%s'", tri_ast_op_text(op), tri_value_type_name(x));
    }
    return rewrap(ops, result, was_wrapped);
}

/* ---- comparison ---- */

static int sign_of(double a, double b)
{
    return a < b ? -1 : a > b;
}

/* An int with a float that holds no such int exactly: by the whole part, then the fraction. */
static int compare_mixed(tri_int i, double d)
{
    if (d >= 1e38 || d <= -1e38)
        return d > 0 ? -1 : 1;
    tri_int whole = (tri_int)floor(d);
    if (i != whole)
        return i < whole ? -1 : 1;
    return d > floor(d) ? -1 : 0;
}

/* -1, 0, 1; 2 when one is nan. */
static int compare_numbers(const tri_value *a, const tri_value *b)
{
    tri_int x, y;
    bool is_a_int = tri_value_get_int(a, &x), is_b_int = tri_value_get_int(b, &y);
    if (is_a_int && is_b_int)
        return x < y ? -1 : x > y;
    if ((!is_a_int && isnan(a->real)) || (!is_b_int && isnan(b->real)))
        return 2;
    if (is_a_int)
        return compare_mixed(x, b->real);
    return is_b_int ? -compare_mixed(y, a->real) : sign_of(a->real, b->real);
}

static bool is_ordered(tri_ast_op op, int sign)
{
    switch (op) {
    case TRI_AST_LT_OP: return sign == -1;
    case TRI_AST_LE_OP: return sign == -1 || sign == 0;
    case TRI_AST_GT_OP: return sign == 1;
    default: return sign == 1 || sign == 0;
    }
}

static const tri_value *order(tri_value_ops *ops, tri_ast_op op, const tri_value *a, const tri_value *b)
{
    a = tri_value_unwrap(a);
    b = tri_value_unwrap(b);
    if (tri_value_is_number(a) && tri_value_is_number(b))
        return tri_value_bool(is_ordered(op, compare_numbers(a, b)));
    if (a->kind != b->kind || !is_sequence(a))
        return fail_value(ops, "'%s' is not supported between '%s' and '%s'", tri_ast_op_text(op),
                          tri_value_type_name(a), tri_value_type_name(b));
    if (a->kind == TRI_VALUE_STR || a->kind == TRI_VALUE_BYTES) {
        int sign = tri_str_compare(a->string, b->string);
        return tri_value_bool(is_ordered(op, sign < 0 ? -1 : sign > 0));
    }
    const tri_value_list *x = &a->sequence.items, *y = &b->sequence.items;
    for (uint32_t i = 0; i < x->len && i < y->len; i++)
        if (!tri_value_equal(x->at[i], y->at[i]))
            return order(ops, op, x->at[i], y->at[i]);
    return tri_value_bool(is_ordered(op, x->len < y->len ? -1 : x->len > y->len));
}

static bool is_substring(tri_str part, tri_str whole)
{
    for (size_t i = 0; i + part.len <= whole.len; i++)
        if (memcmp(whole.data + i, part.data, part.len) == 0)
            return true;
    return false;
}

static const tri_value *is_in(tri_value_ops *ops, const tri_value *a, const tri_value *b)
{
    b = tri_value_unwrap(b);
    tri_int i;
    switch (b->kind) {
    case TRI_VALUE_TUPLE: case TRI_VALUE_LIST: case TRI_VALUE_SET: return tri_value_bool(has_item(b, a));
    case TRI_VALUE_DICT: return tri_value_bool(tri_value_dict_find(b->dict, a) != NULL);
    case TRI_VALUE_STR:
        a = tri_value_unwrap(a);
        if (a->kind == TRI_VALUE_STR)
            return tri_value_bool(is_substring(a->string, b->string));
        break;
    case TRI_VALUE_RANGE:
        if (!tri_value_get_int(a, &i))
            return &tri_value_false;
        return tri_value_bool((b->range.step > 0 ? i >= b->range.start && i < b->range.stop
                                                 : i <= b->range.start && i > b->range.stop) &&
                              (i - b->range.start) % b->range.step == 0);
    default: break;
    }
    return fail_value(ops, "'in' is not supported between '%s' and '%s'", tri_value_type_name(a),
                      tri_value_type_name(b));
}

/* Equality goes through all of both values; `in` through all of one of them. */
static uint64_t cost_of_compare(tri_ast_op op, const tri_value *a, const tri_value *b)
{
    enum { most = 1 << 26 };
    if (op == TRI_AST_IS_OP || op == TRI_AST_IS_NOT_OP || tri_value_is_number(a) || a == b)
        return op == TRI_AST_IN_OP || op == TRI_AST_NOT_IN_OP ? tri_value_weigh(b, most) / 8 : 0;
    uint64_t of_a = tri_value_weigh(a, most) / 8, of_b = tri_value_weigh(b, most) / 8;
    if (of_a >= most / 8 && of_b >= most / 8)
        return UINT64_MAX; /* there is no telling */
    if (op != TRI_AST_IN_OP && op != TRI_AST_NOT_IN_OP)
        return of_a < of_b ? of_a : of_b;
    return b->kind == TRI_VALUE_STR ? of_b * 8 * (a->kind == TRI_VALUE_STR ? 1 + a->string.len / 16 : 1) : of_b;
}

const tri_value *tri_value_compare(tri_value_ops *ops, tri_ast_op op, const tri_value *a, const tri_value *b)
{
    bool was_wrapped = a->kind == TRI_VALUE_CONSTEXPR || b->kind == TRI_VALUE_CONSTEXPR;
    const tri_value *result;
    ops->error = (tri_str){0};
    if (!may_look(ops, cost_of_compare(op, tri_value_unwrap(a), tri_value_unwrap(b))))
        return NULL;
    switch (op) {
    case TRI_AST_EQ_OP: result = tri_value_bool(tri_value_equal(a, b)); break;
    case TRI_AST_NE_OP: result = tri_value_bool(!tri_value_equal(a, b)); break;
    case TRI_AST_IS_OP: result = tri_value_bool(tri_value_is(a, b)); break;
    case TRI_AST_IS_NOT_OP: result = tri_value_bool(!tri_value_is(a, b)); break;
    case TRI_AST_IN_OP: result = is_in(ops, a, b); break;
    case TRI_AST_NOT_IN_OP:
        result = is_in(ops, a, b);
        if (result)
            result = tri_value_bool(!result->boolean);
        break;
    default: result = order(ops, op, a, b); break;
    }
    return rewrap(ops, result, was_wrapped);
}

/* ---- subscripts and iteration ---- */

static tri_int range_len(const tri_value *v)
{
    tri_int span = v->range.step > 0 ? v->range.stop - v->range.start : v->range.start - v->range.stop;
    tri_int step = v->range.step > 0 ? v->range.step : -v->range.step;
    return span <= 0 ? 0 : (span + step - 1) / step;
}

static bool length_of(const tri_value *v, tri_int *out_len)
{
    switch (v->kind) {
    case TRI_VALUE_TUPLE: case TRI_VALUE_LIST: case TRI_VALUE_SET: *out_len = v->sequence.items.len; return true;
    case TRI_VALUE_DICT: *out_len = v->dict->keys.len; return true;
    case TRI_VALUE_BYTES: *out_len = (tri_int)v->string.len; return true;
    case TRI_VALUE_STR:
        *out_len = 0;
        for (size_t i = 0; i < v->string.len; i++)
            *out_len += ((unsigned char)v->string.data[i] & 0xc0) != 0x80;
        return true;
    case TRI_VALUE_RANGE: *out_len = range_len(v); return true;
    default: return false;
    }
}

const tri_value *tri_value_len(tri_value_ops *ops, const tri_value *x)
{
    tri_int len;
    x = tri_value_unwrap(x);
    ops->error = (tri_str){0};
    if (!length_of(x, &len))
        return fail_value(ops, "an object of type '%s' has no length", tri_value_type_name(x));
    return tri_value_int(ops->arena, len);
}

/* Item `i`, which is in range. */
static const tri_value *item_at(tri_value_ops *ops, const tri_value *x, tri_int i)
{
    switch (x->kind) {
    case TRI_VALUE_RANGE: return tri_value_int(ops->arena, x->range.start + i * x->range.step);
    case TRI_VALUE_BYTES: return tri_value_int(ops->arena, (unsigned char)x->string.data[i]);
    case TRI_VALUE_STR: {
        size_t from = 0;
        for (; i > 0; i--)
            for (from++; from < x->string.len && ((unsigned char)x->string.data[from] & 0xc0) == 0x80;)
                from++;
        size_t to = from + 1;
        while (to < x->string.len && ((unsigned char)x->string.data[to] & 0xc0) == 0x80)
            to++;
        return tri_value_str(ops->arena, tri_str_sub(x->string, from, to));
    }
    case TRI_VALUE_DICT: return x->dict->keys.at[i];
    default: return x->sequence.items.at[i];
    }
}

static bool slice_bound(const tri_value *v, tri_int len, tri_int low, tri_int high, tri_int *io_bound)
{
    if (tri_value_unwrap(v)->kind == TRI_VALUE_NONE)
        return true;
    tri_int i;
    if (!tri_value_get_int(v, &i))
        return false;
    if (i < 0)
        i = i < -len ? low : i + len;
    *io_bound = i < low ? low : i > high ? high : i;
    return true;
}

static const tri_value *slice_items(tri_value_ops *ops, const tri_value *x, const tri_value *slice, tri_int len)
{
    tri_int step = 1;
    if (tri_value_unwrap(slice->slice.step)->kind != TRI_VALUE_NONE && !tri_value_get_int(slice->slice.step, &step))
        return fail_value(ops, "slice bounds must be integers or None");
    if (step == 0)
        return fail_as(ops, "ValueError", "the step of a slice cannot be zero");
    tri_int low = step > 0 ? 0 : -1, high = step > 0 ? len : len - 1;
    tri_int start = step > 0 ? low : high, stop = step > 0 ? high : low;
    if (!slice_bound(slice->slice.start, len, low, high, &start) ||
        !slice_bound(slice->slice.stop, len, low, high, &stop))
        return fail_value(ops, "slice bounds must be integers or None");
    bool is_text = x->kind == TRI_VALUE_STR || x->kind == TRI_VALUE_BYTES;
    tri_int count = (step > 0 ? stop - start + step - 1 : start - stop - step - 1) / (step > 0 ? step : -step);
    uint64_t looked = count <= 0 ? 0 : (uint64_t)count * (x->kind == TRI_VALUE_STR ? 1 + x->string.len / 16 : 1);
    if (!may_look(ops, looked) || (count > 0 && !may_take(ops, (uint64_t)count * 4 * sizeof(tri_value))))
        return NULL;
    tri_value *result = (tri_value *)(uintptr_t)tri_value_sequence(
        ops->arena, is_text || x->kind == TRI_VALUE_RANGE ? TRI_VALUE_LIST : x->kind, 0, NULL);
    for (tri_int i = start; step > 0 ? i < stop : i > stop; i += step)
        tri_value_push(ops->arena, &result->sequence.items, item_at(ops, x, i));
    if (!is_text)
        return result;
    tri_buf text = {0};
    for (uint32_t i = 0; i < result->sequence.items.len; i++) {
        const tri_value *item = result->sequence.items.at[i];
        if (x->kind == TRI_VALUE_BYTES)
            tri_buf_add_char(&text, (char)item->integer);
        else
            tri_buf_add_str(&text, item->string);
    }
    tri_str copy = tri_str_copy(ops->arena, tri_buf_str(&text));
    tri_buf_fini(&text);
    return x->kind == TRI_VALUE_STR ? tri_value_str(ops->arena, copy) : tri_value_bytes(ops->arena, copy);
}

static const tri_value *subscript(tri_value_ops *ops, const tri_value *x, const tri_value *index)
{
    tri_int len, i;
    uint64_t looked = x->kind == TRI_VALUE_DICT ? x->dict->keys.len : x->kind == TRI_VALUE_STR ? x->string.len / 8 : 0;
    if (!may_look(ops, looked))
        return NULL;
    if (x->kind == TRI_VALUE_DICT) {
        const tri_value *found = tri_value_dict_find(x->dict, index);
        return found ? found
                     : fail_as(ops, "KeyError", "the dictionary has no key %.*s",
                                  TRI_STR_ARG(tri_value_repr_str(ops->arena, index)));
    }
    if (x->kind == TRI_VALUE_SET || !length_of(x, &len))
        return fail_value(ops, "an object of type '%s' cannot be indexed", tri_value_type_name(x));
    if (index->kind == TRI_VALUE_SLICE)
        return slice_items(ops, x, index, len);
    if (!tri_value_get_int(index, &i))
        return fail_value(ops, "indices must be integers or slices, not '%s'", tri_value_type_name(index));
    if (i < -len || i >= len)
        return fail_as(ops, "IndexError", "index %lld is out of range for %lld items", (long long)i, (long long)len);
    return item_at(ops, x, i < 0 ? i + len : i);
}

const tri_value *tri_value_subscript(tri_value_ops *ops, const tri_value *x, const tri_value *index)
{
    bool was_wrapped = x->kind == TRI_VALUE_CONSTEXPR;
    ops->error = (tri_str){0};
    return rewrap(ops, subscript(ops, tri_value_unwrap(x), tri_value_unwrap(index)), was_wrapped);
}

bool tri_value_items(tri_value_ops *ops, const tri_value *x, tri_value_list *out_items)
{
    tri_int len;
    x = tri_value_unwrap(x);
    ops->error = (tri_str){0};
    if (!length_of(x, &len)) {
        fail_value(ops, "an object of type '%s' is not iterable", tri_value_type_name(x));
        return false;
    }
    /* what is made of an item, a pair of it and so on, comes with it */
    if (!may_look(ops, (uint64_t)len * 4) || len > TRI_BUDGET_BYTES || !may_take(ops, (uint64_t)len * 32))
        return fail_as(ops, NULL, "%s", tri_value_is_spent(ops) ? tri_budget_why(ops->budget) : TRI_BUDGET_NO_ROOM);
    for (tri_int i = 0; i < len; i++) {
        if (i % 1024 == 0 && !may_take(ops, 0)) /* items of a range are made here */
            return false;
        tri_value_push(ops->arena, out_items, item_at(ops, x, i));
    }
    return true;
}
