#include "frontend/kernel/computed.h"

#include "frontend/kernel/types.h"

enum { max_words = 4000, max_calls = 8 };

typedef tri_computed operand;
typedef tri_computed_name binding;
typedef tri_computed_reader reader;

static bool refuse_node(reader *r, const tri_ast_node *node, const char *why)
{
    if (!r->why.len) {
        r->why = tri_str_format(r->arena, "a launcher cannot compute this: %s", why);
        r->at = node->span;
    }
    return false;
}

/* --- what an expression can be ------------------------------------------------------------ */

static void include_value(operand *o, int64_t value)
{
    int at = 0;
    while (at < o->count && o->values[at] < value)
        at++;
    if (at < o->count && o->values[at] == value)
        return;
    if (o->count == TRI_COMPUTED_VALUES)
        o->range = TRI_COMPUTED_ANY;
    if (o->range != TRI_COMPUTED_LIST)
        return;
    memmove(&o->values[at + 1], &o->values[at], (size_t)(o->count - at) * sizeof *o->values);
    o->values[at] = value;
    o->count++;
}

static void set_truth(operand *o)
{
    o->range = TRI_COMPUTED_LIST;
    o->is_bool = true;
    include_value(o, 0);
    include_value(o, 1);
}

static operand *make_constant(reader *r, int64_t value, bool is_bool)
{
    operand *o = TRI_NEW(r->arena, operand);
    *o = (operand){.words = tri_str_format(r->arena, "%lld", (long long)value),
                   .range = TRI_COMPUTED_LIST,
                   .values = {value},
                   .count = 1,
                   .depth = 1,
                   .is_bool = is_bool};
    return o;
}

static bool is_one_value(const operand *o, int64_t *out)
{
    bool is_one = o->range == TRI_COMPUTED_LIST && o->count == 1;
    if (is_one)
        *out = o->values[0];
    return is_one;
}

/* Either of two. */
static void join_ranges(operand *out, const operand *a, const operand *b)
{
    out->range = a->range == TRI_COMPUTED_LIST && b->range == TRI_COMPUTED_LIST ? TRI_COMPUTED_LIST : TRI_COMPUTED_ANY;
    out->is_bool = a->is_bool && b->is_bool;
    for (int i = 0; out->range == TRI_COMPUTED_LIST && i < a->count; i++)
        include_value(out, a->values[i]);
    for (int i = 0; out->range == TRI_COMPUTED_LIST && i < b->count; i++)
        include_value(out, b->values[i]);
}

static bool divide_floor(int64_t a, int64_t b, int64_t *out)
{
    if (!b || (a == INT64_MIN && b == -1))
        return false;
    *out = a / b - (a % b && (a < 0) != (b < 0));
    return true;
}

/* The operators that lists of values are often made by; false for others. */
static bool apply_operator(const char *word, int64_t a, int64_t b, int64_t *out)
{
    *out = a < b ? a : b;
    switch (*word) {
    case '+':
        return !__builtin_add_overflow(a, b, out);
    case '-':
        return !__builtin_sub_overflow(a, b, out);
    case '*':
        return !__builtin_mul_overflow(a, b, out);
    case '/':
        return divide_floor(a, b, out);
    case 'm': /* min, max */
        *out = (a < b) == (word[1] == 'i') ? a : b;
        return true;
    default:
        return false;
    }
}

/* min(next_power_of_2(n), 1024) is one of 1, 2, 4 ... 1024. */
static void bound_powers(operand *out, const operand *powers, int64_t bound, bool is_min)
{
    out->range = is_min ? TRI_COMPUTED_LIST : TRI_COMPUTED_POWERS;
    if (!is_min) {
        for (out->low = powers->low; out->low < bound; out->low *= 2)
            continue;
        out->range = bound > 0 && !(bound & (bound - 1)) ? TRI_COMPUTED_POWERS : TRI_COMPUTED_ANY;
        return;
    }
    for (int64_t p = powers->low; p < bound && p < INT64_MAX / 2; p *= 2)
        include_value(out, p);
    include_value(out, bound);
}

static void find_range(operand *out, const char *word, const operand *a, const operand *b)
{
    int64_t bound, value;
    bool is_min = !strcmp(word, "min"), is_max = !strcmp(word, "max");
    out->range = TRI_COMPUTED_ANY;
    if (strchr("<=!", *word) && strcmp(word, "<<")) {
        set_truth(out);
    } else if ((is_min || is_max) && a->range == TRI_COMPUTED_POWERS && is_one_value(b, &bound)) {
        bound_powers(out, a, bound, is_min);
    } else if ((is_min || is_max) && b->range == TRI_COMPUTED_POWERS && is_one_value(a, &bound)) {
        bound_powers(out, b, bound, is_min);
    } else if (a->range == TRI_COMPUTED_LIST && b->range == TRI_COMPUTED_LIST) {
        out->range = TRI_COMPUTED_LIST;
        for (int i = 0; i < a->count; i++)
            for (int n = 0; n < b->count && out->range == TRI_COMPUTED_LIST; n++) {
                if (apply_operator(word, a->values[i], b->values[n], &value))
                    include_value(out, value);
                else
                    out->range = TRI_COMPUTED_ANY;
            }
    }
}

/* --- expressions --------------------------------------------------------------------------- */

static const operand *checked_size(reader *r, const tri_ast_node *node, operand *o)
{
    if (o->words.len > max_words || o->depth > TRI_COMPUTED_DEPTH)
        refuse_node(r, node, "it is too long");
    return r->why.len ? NULL : o;
}

/* What is no tuple, within one that may be. */
static const operand *read_scalar(reader *r, const binding *names, const tri_ast_node *node)
{
    int part = r->part;
    r->part = -1;
    const operand *result = tri_computed_read(r, names, node);
    r->part = part;
    return result;
}

static const operand *make_binary(reader *r, const tri_ast_node *node, const char *word, const operand *a,
                                  const operand *b)
{
    int64_t divisor;
    bool divides = *word == '/' || *word == '%' || *word == 'c'; /* cdiv */
    if (!a || !b)
        return NULL;
    if (divides && r->keeps_names && is_one_value(b, &divisor) && !divisor) {
        refuse_node(r, node, "it divides by zero");
        return NULL;
    }
    operand *o = TRI_NEW(r->arena, operand);
    *o = (operand){.depth = a->depth > b->depth + 1 ? a->depth : b->depth + 1};
    o->words = tri_str_format(r->arena, "%.*s %.*s %s", TRI_STR_ARG(a->words), TRI_STR_ARG(b->words), word);
    find_range(o, word, a, b);
    return checked_size(r, node, o);
}

static const operand *make_choice(reader *r, const tri_ast_node *node, const operand *test, const operand *then,
                                  const operand *otherwise)
{
    if (!test || !then || !otherwise)
        return NULL;
    int64_t known;
    if (is_one_value(test, &known))
        return known ? then : otherwise;
    operand *o = TRI_NEW(r->arena, operand);
    int depth = test->depth > then->depth + 1 ? test->depth : then->depth + 1;
    *o = (operand){.depth = depth > otherwise->depth + 2 ? depth : otherwise->depth + 2};
    o->words = tri_str_format(r->arena, "%.*s %.*s %.*s select", TRI_STR_ARG(test->words), TRI_STR_ARG(then->words),
                              TRI_STR_ARG(otherwise->words));
    join_ranges(o, then, otherwise);
    return checked_size(r, node, o);
}

static const binding *find_binding(const binding *names, tri_str name)
{
    while (names && !tri_str_equal(names->name, name))
        names = names->next;
    return names;
}

typedef struct {
    const reader *r;
    const binding *names;
    bool found;
} mention;

static const tri_ast_node *find_value(const reader *r, const tri_ast_node *node)
{
    return r->find_value && node->kind == TRI_AST_NAME ? r->find_value(r, node) : NULL;
}

/* Is it, or does it hold, something of the launch? */
static bool find_mention(const tri_ast_node *node, void *data)
{
    mention *m = data;
    m->found = m->found || (node->kind == TRI_AST_NAME && find_binding(m->names, tri_ast_text(node))) ||
               (m->r->find_param && m->r->find_param(m->r, node) >= 0) || find_value(m->r, node);
    return !m->found;
}

static const operand *from_value(reader *r, const tri_ast_node *node, const tri_value *value)
{
    int64_t number;
    value = value ? tri_value_unwrap(value) : NULL;
    if (value && value->kind == TRI_VALUE_BOOL)
        return make_constant(r, value->boolean, true);
    if (value && tri_value_get_i64(value, &number))
        return make_constant(r, number, false);
    refuse_node(r, node, value && value->kind == TRI_VALUE_NONE ? "it is None" : "it is no integer");
    return NULL;
}

/* What mentions nothing of the launch. */
static const operand *read_constant(reader *r, const tri_ast_node *node)
{
    tri_str why = {0};
    tri_span at = node->span;
    const tri_value *value = tri_host_try(r->scope, node, &why, &at);
    if (value)
        return from_value(r, node, value);
    refuse_node(r, node, why.len ? tri_str_copy(r->arena, why).data : "it has no value");
    return NULL;
}

/* args["NAME"], or what else the reader takes for one: the parameter's number, -1 when it is none. */
static int param_of(const reader *r, const binding *names, const tri_ast_node *node)
{
    bool is_bound = node->kind == TRI_AST_NAME && find_binding(names, tri_ast_text(node));
    int found = r->find_param && !is_bound ? r->find_param(r, node) : -1;
    if (found >= 0)
        return found;
    if (node->kind != TRI_AST_SUBSCRIPT || node->subscript.value->kind != TRI_AST_NAME ||
        node->subscript.index->kind != TRI_AST_STRING)
        return -1;
    const binding *dict = find_binding(names, tri_ast_text(node->subscript.value));
    for (size_t i = 0; dict && !dict->value && i < r->signature->params.len; i++)
        if (tri_str_equal(r->signature->params.at[i].name, node->subscript.index->string))
            return (int)i;
    return -1;
}

static const tri_heuristic *find_earlier(const reader *r, tri_str name)
{
    for (size_t i = 0; i < r->signature->heuristics.len; i++)
        if (tri_str_equal(r->signature->heuristics.at[i].name, name))
            return &r->signature->heuristics.at[i];
    return NULL;
}

static const operand *read_param(reader *r, const tri_ast_node *node, int i)
{
    const tri_signature_param *p = &r->signature->params.at[i];
    const tri_heuristic *before = find_earlier(r, p->name);
    bool is_constant = p->arg.kind == TRI_ARG_CONSTANT;
    if (r->is_known && !r->is_known[i]) {
        refuse_node(r, node, "this parameter has no type or value yet");
        return NULL;
    }
    if (!before && is_constant && !r->keeps_names)
        return from_value(r, node, p->arg.value);
    if (!before && !is_constant && (p->arg.kind != TRI_ARG_VALUE || !tri_types_is_int(p->arg.type))) {
        refuse_node(r, node, "it is no integer");
        return NULL;
    }
    operand *o = TRI_NEW(r->arena, operand);
    *o = (operand){.words = p->name, .depth = before ? TRI_COMPUTED_DEPTH / 2 : 1};
    if (before) {
        o->range = TRI_COMPUTED_LIST;
        o->is_bool = before->is_bool;
        for (size_t n = 0; n < before->values.len; n++)
            include_value(o, before->values.at[n]);
    } else if (!is_constant && p->arg.type->dtype == TRI_DTYPE_INT1) {
        set_truth(o);
    }
    return o;
}

static const operand *read_binary(reader *r, const binding *names, const tri_ast_node *node)
{
    static const char *const words[TRI_AST_OP_COUNT] = {
        [TRI_AST_ADD_OP] = "+",    [TRI_AST_SUB_OP] = "-",    [TRI_AST_MUL_OP] = "*",  [TRI_AST_FLOOR_DIV_OP] = "//",
        [TRI_AST_MOD_OP] = "%",    [TRI_AST_SHL_OP] = "<<",   [TRI_AST_SHR_OP] = ">>", [TRI_AST_BIT_AND_OP] = "&",
        [TRI_AST_BIT_OR_OP] = "|", [TRI_AST_BIT_XOR_OP] = "^"};
    const char *word = words[node->binary.op];
    if (!word) {
        refuse_node(r, node, "the operator is none of + - * // % << >> & | ^");
        return NULL;
    }
    const operand *left = read_scalar(r, names, node->binary.left), *right = read_scalar(r, names, node->binary.right);
    return make_binary(r, node, word, left, right);
}

/* `x is None` of a parameter is known; other objects have no place in a launch. */
static const operand *read_is(reader *r, const binding *names, const tri_ast_node *left, bool is_not)
{
    int i = param_of(r, names, left);
    if (i < 0 || (r->is_known && !r->is_known[i])) {
        refuse_node(r, left, "this is no parameter that could be None");
        return NULL;
    }
    const tri_arg *arg = &r->signature->params.at[i].arg;
    bool is_none = arg->kind == TRI_ARG_CONSTANT && tri_value_unwrap(arg->value)->kind == TRI_VALUE_NONE;
    return make_constant(r, is_none != is_not, true);
}

/* x in (1, 2, 4) */
static const operand *read_in(reader *r, const binding *names, const tri_ast_node *node, const operand *left,
                              const tri_ast_node *right, bool is_not)
{
    const operand *any = make_constant(r, is_not, true);
    if (right->kind != TRI_AST_TUPLE && right->kind != TRI_AST_LIST && right->kind != TRI_AST_SET) {
        refuse_node(r, right, "this is no list of numbers");
        return NULL;
    }
    for (uint32_t i = right->list.len; left && any && i-- > 0;) {
        const operand *item = make_binary(r, node, "==", left, read_scalar(r, names, right->list.at[i]));
        any = make_choice(r, node, item, make_constant(r, !is_not, true), any);
    }
    return left ? any : NULL;
}

static const operand *compare_two(reader *r, const binding *names, const tri_ast_node *node, const tri_ast_node *left,
                                  tri_ast_op op, const tri_ast_node *right)
{
    if (op == TRI_AST_IS_OP || op == TRI_AST_IS_NOT_OP || right->kind == TRI_AST_NONE)
        return read_is(r, names, left, op == TRI_AST_IS_NOT_OP || op == TRI_AST_NE_OP);
    const operand *a = read_scalar(r, names, left);
    if (op == TRI_AST_IN_OP || op == TRI_AST_NOT_IN_OP)
        return read_in(r, names, node, a, right, op == TRI_AST_NOT_IN_OP);
    const operand *b = a ? read_scalar(r, names, right) : NULL;
    bool is_turned = op == TRI_AST_GT_OP || op == TRI_AST_GE_OP;
    const char *word = op == TRI_AST_EQ_OP                          ? "=="
                       : op == TRI_AST_NE_OP                        ? "!="
                       : op == TRI_AST_LT_OP || op == TRI_AST_GT_OP ? "<"
                                                                    : "<=";
    return make_binary(r, node, word, is_turned ? b : a, is_turned ? a : b);
}

/* a < b < c: both. */
static const operand *read_compare(reader *r, const binding *names, const tri_ast_node *node)
{
    const operand *all = NULL;
    const tri_ast_node *left = node->compare.left;
    for (uint32_t i = 0; i < node->compare.rights.len; i++) {
        const tri_ast_node *right = node->compare.rights.at[i];
        const operand *two = compare_two(r, names, node, left, node->compare.ops[i], right);
        all = i ? make_choice(r, node, all, two, make_constant(r, 0, true)) : two;
        if (!all)
            return NULL;
        left = right;
    }
    return all;
}

/* `and` and `or` give one of their operands, as in Python. */
static const operand *read_bool(reader *r, const binding *names, const tri_ast_node *node)
{
    const operand *last = NULL;
    for (uint32_t i = node->boolean.values.len; i-- > 0;) {
        const operand *one = read_scalar(r, names, node->boolean.values.at[i]);
        bool is_and = node->boolean.op == TRI_AST_AND_OP;
        last = last ? make_choice(r, node, one, is_and ? last : one, is_and ? one : last) : one;
        if (!last)
            return NULL;
    }
    return last;
}

static const operand *read_unary(reader *r, const binding *names, const tri_ast_node *node)
{
    const operand *of = read_scalar(r, names, node->unary.operand);
    if (node->unary.op == TRI_AST_NOT_OP)
        return make_binary(r, node, "==", of, make_constant(r, 0, false));
    if (node->unary.op == TRI_AST_NEG_OP)
        return make_binary(r, node, "*", of, make_constant(r, -1, false));
    if (node->unary.op == TRI_AST_INVERT_OP)
        return make_binary(r, node, "-", make_constant(r, -1, false), of);
    return of;
}

/* --- calls --------------------------------------------------------------------------------- */

static const operand *next_power(reader *r, const tri_ast_node *node, const operand *of)
{
    if (!of)
        return NULL;
    operand *o = TRI_NEW(r->arena, operand);
    *o = (operand){.words = tri_str_format(r->arena, "%.*s next_power_of_2", TRI_STR_ARG(of->words)),
                   .depth = of->depth,
                   .range = of->range == TRI_COMPUTED_LIST ? TRI_COMPUTED_LIST : TRI_COMPUTED_POWERS,
                   .low = 1};
    for (int i = 0; i < of->count && o->range == TRI_COMPUTED_LIST; i++) {
        int64_t power = 1;
        while (power < of->values[i])
            power *= 2;
        include_value(o, power);
    }
    return checked_size(r, node, o);
}

/* A function of the file: with what it is called with. */
static const operand *read_own(reader *r, const binding *names, const tri_ast_node *node, const tri_function *f)
{
    tri_ast_list params = f->node->kind == TRI_AST_LAMBDA ? f->node->lambda.params : f->node->function.params;
    const tri_ast_list *args = &node->call.args;
    const binding *own = NULL;
    if (args->len != params.len || node->call.keywords.len) {
        refuse_node(r, node, "the call does not give each parameter by its position");
        return NULL;
    }
    for (uint32_t i = 0; i < args->len; i++) {
        const tri_ast_node *arg = args->at[i];
        const binding *dict = arg->kind == TRI_AST_NAME ? find_binding(names, tri_ast_text(arg)) : NULL;
        bool is_dict = dict && !dict->value;
        binding *b = TRI_NEW(r->arena, binding);
        *b = (binding){own, params.at[i]->param.name, is_dict ? NULL : read_scalar(r, names, arg)};
        if (!is_dict && !b->value)
            return NULL;
        own = b;
    }
    return tri_computed_function(r, f, own, node);
}

static const operand *read_builtin(reader *r, const binding *names, const tri_ast_node *node, tri_str name)
{
    const tri_ast_list *args = &node->call.args;
    bool is_fold = tri_str_is(name, "min") || tri_str_is(name, "max");
    if (!args->len || node->call.keywords.len || (args->len > 2 && !is_fold))
        return NULL;
    const tri_ast_node *of = args->at[0];
    if (tri_str_is(name, "ceil") && of->kind == TRI_AST_BINARY && of->binary.op == TRI_AST_DIV_OP) /* ceil(a / b) */
        return make_binary(r, node, "cdiv", read_scalar(r, names, of->binary.left),
                           read_scalar(r, names, of->binary.right));
    const operand *first = read_scalar(r, names, of);
    if (tri_str_is(name, "next_power_of_2") && args->len == 1)
        return next_power(r, node, first);
    if (tri_str_is(name, "bool") && args->len == 1)
        return make_binary(r, node, "!=", first, make_constant(r, 0, false));
    if (tri_str_is(name, "int") && args->len == 1)
        return first;
    if (tri_str_is(name, "abs") && args->len == 1)
        return make_binary(r, node, "max", first, make_binary(r, node, "*", first, make_constant(r, -1, false)));
    if (args->len < 2 || !(is_fold || tri_str_is(name, "cdiv")))
        return NULL;
    for (uint32_t i = 1; first && i < args->len; i++)
        first = make_binary(r, node, is_fold ? (name.data[1] == 'i' ? "min" : "max") : "cdiv", first,
                            read_scalar(r, names, args->at[i]));
    return first;
}

static const operand *read_call(reader *r, const binding *names, const tri_ast_node *node)
{
    tri_str why = {0};
    tri_span at = node->span;
    const tri_value *callee = tri_host_try(r->scope, node->call.func, &why, &at);
    callee = callee ? tri_value_unwrap(callee) : NULL;
    if (callee && callee->kind == TRI_VALUE_FUNCTION)
        return read_own(r, names, node, callee->function);
    const operand *result = NULL;
    if (callee && callee->kind == TRI_VALUE_BUILTIN) {
        size_t dot = tri_str_find_last(callee->string, '.');
        tri_str name = tri_str_sub(callee->string, dot < callee->string.len ? dot + 1 : 0, callee->string.len);
        result = read_builtin(r, names, node, name);
    }
    const tri_ast_node *f = node->call.func;
    tri_str word = f->kind == TRI_AST_NAME        ? tri_ast_text(f)
                   : f->kind == TRI_AST_ATTRIBUTE ? f->attribute.name
                                                  : TRI_STR("");
    if (!callee && r->find_param) /* cdiv(...) of a module that is not read */
        result = read_builtin(r, names, node, word);
    if (!result)
        refuse_node(r, node,
                    "the call is none of cdiv, next_power_of_2, min, max, abs, int, bool and functions of the file");
    return result;
}

static const operand *read_choice(reader *r, const binding *names, const tri_ast_node *node)
{
    const operand *test = read_scalar(r, names, node->conditional.test),
                  *then = tri_computed_read(r, names, node->conditional.then),
                  *otherwise = tri_computed_read(r, names, node->conditional.orelse);
    return make_choice(r, node, test, then, otherwise);
}

static const operand *read_part(reader *r, const binding *names, const tri_ast_node *node)
{
    uint32_t length = node->list.len;
    r->parts = length > r->parts ? length : r->parts;
    if ((uint32_t)r->part >= length)
        return make_constant(r, 1, false);
    return read_scalar(r, names, node->list.at[r->part]);
}

static const operand *read_name(reader *r, const binding *names, const tri_ast_node *node)
{
    const binding *b = find_binding(names, tri_ast_text(node));
    if (b && !b->value)
        refuse_node(r, node, "these are all arguments");
    if (b)
        return b->value;
    if (r->calls++ >= max_calls) {
        refuse_node(r, node, "too many names stand for others");
        return NULL;
    }
    const operand *result = tri_computed_read(r, NULL, find_value(r, node));
    r->calls--;
    return result;
}

const operand *tri_computed_read(reader *r, const binding *names, const tri_ast_node *node)
{
    mention m = {r, names, false};
    if (r->part >= 0 && (node->kind == TRI_AST_TUPLE || node->kind == TRI_AST_LIST))
        return read_part(r, names, node);
    tri_ast_walk(node, find_mention, &m);
    bool may_be_tuple = r->part >= 0 && node->kind == TRI_AST_CALL;
    if (!m.found && !may_be_tuple)
        return read_constant(r, node);
    int param = param_of(r, names, node);
    if (param >= 0)
        return read_param(r, node, param);
    switch (node->kind) {
    case TRI_AST_NAME:
        return read_name(r, names, node);
    case TRI_AST_BINARY:
        return read_binary(r, names, node);
    case TRI_AST_UNARY:
        return read_unary(r, names, node);
    case TRI_AST_BOOL:
        return read_bool(r, names, node);
    case TRI_AST_COMPARE:
        return read_compare(r, names, node);
    case TRI_AST_CONDITIONAL:
        return read_choice(r, names, node);
    case TRI_AST_CALL:
        return read_call(r, names, node);
    case TRI_AST_SUBSCRIPT:
        refuse_node(r, node, "the kernel has no such parameter");
        return NULL;
    default:
        refuse_node(r, node, "it is no expression of integers");
        return NULL;
    }
}

/* --- statements ---------------------------------------------------------------------------- */

/* Statements and what follows the block that they are in. */
typedef struct block {
    const tri_ast_list *list;
    uint32_t from;
    const struct block *next;
} block;

static const operand *run_block(reader *r, const binding *names, block rest);

static const operand *bind_name(reader *r, const binding *names, block rest, const tri_ast_node *target,
                                const operand *value)
{
    if (!value || target->kind != TRI_AST_NAME) {
        refuse_node(r, target, "only names are assigned to");
        return NULL;
    }
    binding b = {names, tri_ast_text(target), value};
    return run_block(r, &b, rest);
}

static const operand *run_choice(reader *r, const binding *names, const block *rest, const tri_ast_node *node)
{
    const operand *test = read_scalar(r, names, node->conditional_stmt.test);
    int64_t known = -1;
    bool is_known = test && is_one_value(test, &known);
    if (!test)
        return NULL;
    const operand *then =
        is_known && !known ? test : run_block(r, names, (block){&node->conditional_stmt.body, 0, rest});
    const operand *otherwise =
        !then || (is_known && known) ? then : run_block(r, names, (block){&node->conditional_stmt.orelse, 0, rest});
    return make_choice(r, node, test, then, otherwise);
}

static const operand *run_assignment(reader *r, const binding *names, block rest, const tri_ast_node *s)
{
    if (s->kind == TRI_AST_AUG_ASSIGN) {
        tri_ast_node whole = {.span = s->span, .kind = TRI_AST_BINARY};
        whole.binary.op = s->aug_assign.op;
        whole.binary.left = s->aug_assign.target;
        whole.binary.right = s->aug_assign.value;
        return bind_name(r, names, rest, s->aug_assign.target, tri_computed_read(r, names, &whole));
    }
    bool is_plain = s->kind == TRI_AST_ASSIGN && s->assign.targets.len == 1;
    const tri_ast_node *target = is_plain                        ? s->assign.targets.at[0]
                                 : s->kind == TRI_AST_ANN_ASSIGN ? s->ann_assign.target
                                                                 : s;
    const tri_ast_node *value = is_plain ? s->assign.value : s->kind == TRI_AST_ANN_ASSIGN ? s->ann_assign.value : NULL;
    if (value)
        return bind_name(r, names, rest, target, tri_computed_read(r, names, value));
    refuse_node(r, s, "a heuristic that asks for arguments may assign to names, choose by if, and return");
    return NULL;
}

/* What the statements return. */
static const operand *run_block(reader *r, const binding *names, block rest)
{
    while (rest.from == rest.list->len && rest.next)
        rest = *rest.next;
    if (rest.from == rest.list->len) {
        r->why = r->why.len ? r->why : TRI_STR("a launcher cannot compute this: it may end without a value");
        return NULL;
    }
    const tri_ast_node *s = rest.list->at[rest.from++];
    bool is_text = s->kind == TRI_AST_EXPR && s->value->kind == TRI_AST_STRING;
    if (s->kind == TRI_AST_PASS || is_text)
        return run_block(r, names, rest);
    if (s->kind == TRI_AST_RETURN && s->value)
        return tri_computed_read(r, names, s->value);
    if (s->kind == TRI_AST_IF)
        return run_choice(r, names, &rest, s);
    return run_assignment(r, names, rest, s);
}

const operand *tri_computed_body(reader *r, const binding *names, const tri_ast_node *function)
{
    return function->kind == TRI_AST_LAMBDA ? tri_computed_read(r, names, function->lambda.body)
                                            : run_block(r, names, (block){&function->function.body, 0, NULL});
}

const operand *tri_computed_function(reader *r, const tri_function *f, const binding *names, const tri_ast_node *call)
{
    tri_scope *outer = r->scope;
    if (r->calls++ >= max_calls) {
        refuse_node(r, call, "too many calls");
        return NULL;
    }
    r->scope = f->scope;
    const operand *result = tri_computed_body(r, names, f->node);
    r->scope = outer;
    r->calls--;
    return result;
}
