/* Python's and Triton's own functions that host code may call. A row that returns null without noting a
 * failure means: these arguments are not understood. */
#include "frontend/host/host_eval.h"

#include "frontend/kernel/type_query.h"
#include "frontend/kernel/types.h"

#include <math.h>
#include <stdlib.h>

#define PARAMS tri_host *h, size_t n, const tri_value *const *v, const tri_host_args *args, tri_span at
#define UNUSED (void)h, (void)n, (void)v, (void)args, (void)at

static tri_value *new_sequence(tri_host *h, tri_value_kind kind, const tri_value_list *items)
{
    return (tri_value *)(uintptr_t)tri_value_sequence(h->arena, kind, items->len, items->at);
}

/* Calls `callee` with one or two values. */
static const tri_value *apply(tri_host *h, const tri_value *callee, const tri_value *a, const tri_value *b, tri_span at)
{
    tri_host_args args = {0};
    tri_vec_push(h->arena, &args.at, (tri_host_arg){{0}, a});
    if (b)
        tri_vec_push(h->arena, &args.at, (tri_host_arg){{0}, b});
    return tri_host_call_value(h, callee, &args, at);
}

/* ---- conversions ---- */

static const tri_value *run_float(PARAMS)
{
    UNUSED;
    double d = 0;
    if (n == 0 || tri_value_get_float(v[0], &d))
        return tri_value_float(h->arena, d);
    const tri_value *x = tri_value_unwrap(v[0]);
    if (x->kind != TRI_VALUE_STR)
        return NULL;
    tri_str text = tri_str_trim(x->string);
    char *end;
    d = strtod(tri_str_copy(h->arena, text).data, &end);
    return text.len && *end == 0 && tri_str_find(text, 'x') == text.len ? tri_value_float(h->arena, d) : NULL;
}

static const tri_value *run_bool(PARAMS)
{
    UNUSED;
    return tri_value_bool(n > 0 && tri_value_truth(v[0]));
}

static const tri_value *run_str(PARAMS)
{
    UNUSED;
    tri_buf out = {0};
    if (n > 0 && !tri_host_has_room_for_text(h, at, v[0]))
        return NULL;
    if (n > 0)
        tri_value_print(v[0], &out);
    tri_str s = tri_str_copy(h->arena, tri_buf_str(&out));
    tri_buf_fini(&out);
    return tri_value_str(h->arena, s);
}

/* bytes(), bytes(b), bytes(s, encoding) */
static const tri_value *run_bytes(PARAMS)
{
    UNUSED;
    if (n == 0)
        return tri_value_bytes(h->arena, TRI_STR(""));
    bool is_right = v[0]->kind == (n == 1 ? TRI_VALUE_BYTES : TRI_VALUE_STR);
    return is_right ? tri_value_bytes(h->arena, v[0]->string) : NULL;
}

static const tri_value *run_repr(PARAMS)
{
    UNUSED;
    return n == 1 && tri_host_has_room_for_text(h, at, v[0])
               ? tri_value_str(h->arena, tri_value_repr_str(h->arena, v[0]))
               : NULL;
}

static const tri_value *make_sequence(tri_host *h, size_t n, const tri_value *const *v, tri_span at,
                                      tri_value_kind kind)
{
    tri_value_list items = {0};
    if (n > 1 || (n == 1 && !tri_host_items(h, v[0], at, &items)))
        return NULL;
    return new_sequence(h, kind, &items);
}

static const tri_value *run_list(PARAMS)
{
    UNUSED;
    return make_sequence(h, n, v, at, TRI_VALUE_LIST);
}

static const tri_value *run_tuple(PARAMS)
{
    UNUSED;
    return make_sequence(h, n, v, at, TRI_VALUE_TUPLE);
}

static const tri_value *run_set(PARAMS)
{
    UNUSED;
    tri_value_list items = {0};
    tri_value *set = new_sequence(h, TRI_VALUE_SET, &items);
    if (n > 1 || (n == 1 && !tri_host_items(h, v[0], at, &items)))
        return NULL;
    for (uint32_t i = 0; i < items.len; i++) {
        tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
        const tri_value *is_in = tri_host_check(h, &ops, tri_value_compare(&ops, TRI_AST_IN_OP, items.at[i], set), at);
        if (!is_in)
            return NULL;
        if (!tri_value_truth(is_in))
            tri_value_push(h->arena, &set->sequence.items, items.at[i]);
    }
    return set;
}

static const tri_value *run_dict(PARAMS)
{
    tri_value *dict = tri_value_dict_create(h->arena);
    if (n > 1)
        return NULL;
    if (n == 1 && v[0]->kind == TRI_VALUE_DICT) {
        for (uint32_t i = 0; i < v[0]->dict->keys.len; i++)
            if (!tri_host_set_item(h, dict->dict, v[0]->dict->keys.at[i], v[0]->dict->values.at[i], at))
                return NULL;
    } else if (n == 1) {
        tri_value_list pairs = {0};
        if (!tri_host_items(h, v[0], at, &pairs))
            return NULL;
        for (uint32_t i = 0; i < pairs.len; i++) {
            tri_value_list pair = {0};
            if (!tri_host_items(h, pairs.at[i], at, &pair) || pair.len != 2 ||
                !tri_host_set_item(h, dict->dict, pair.at[0], pair.at[1], at))
                return NULL;
        }
    }
    for (size_t i = 0; i < args->at.len; i++)
        if (args->at.at[i].name.len)
            tri_value_dict_set(h->arena, dict->dict, tri_value_str(h->arena, args->at.at[i].name),
                               args->at.at[i].value);
    return dict;
}

static const tri_value *run_range(PARAMS)
{
    UNUSED;
    tri_int x[3] = {0, 0, 1};
    if (n < 1 || n > 3)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (!tri_value_get_int(v[i], &x[n == 1 ? 1 : i]))
            return NULL;
    if (x[2] == 0)
        return tri_host_fail(h, at, "the step of range() cannot be zero");
    tri_value *r = TRI_NEW(h->arena, tri_value);
    r->kind = TRI_VALUE_RANGE;
    r->range.start = x[0];
    r->range.stop = x[1];
    r->range.step = x[2];
    return r;
}

static const tri_value *run_slice(PARAMS)
{
    UNUSED;
    if (n < 1 || n > 3)
        return NULL;
    tri_value *s = TRI_NEW(h->arena, tri_value);
    s->kind = TRI_VALUE_SLICE;
    s->slice.start = n == 1 ? &tri_value_none : v[0];
    s->slice.stop = n == 1 ? v[0] : v[1];
    s->slice.step = n == 3 ? v[2] : &tri_value_none;
    return s;
}

/* ---- iteration ---- */

static const tri_value *run_len(PARAMS)
{
    UNUSED;
    tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
    return n == 1 ? tri_host_check(h, &ops, tri_value_len(&ops, v[0]), at) : NULL;
}

static const tri_value *run_enumerate(PARAMS)
{
    UNUSED;
    tri_value_list items = {0}, pairs = {0};
    tri_int start = 0;
    const tri_value *from = n > 1 ? v[1] : tri_host_keyword(args, "start");
    if (n < 1 || !tri_host_items(h, v[0], at, &items) || (from && !tri_value_get_int(from, &start)))
        return NULL;
    for (uint32_t i = 0; i < items.len; i++) {
        const tri_value *pair[] = {tri_value_int(h->arena, start + i), items.at[i]};
        tri_value_push(h->arena, &pairs, tri_value_sequence(h->arena, TRI_VALUE_TUPLE, 2, pair));
    }
    return new_sequence(h, TRI_VALUE_LIST, &pairs);
}

static const tri_value *run_zip(PARAMS)
{
    UNUSED;
    tri_value_list *lists = TRI_NEW_ARRAY(h->arena, tri_value_list, n + 1);
    tri_value_list rows = {0};
    uint32_t shortest = n ? UINT32_MAX : 0;
    for (size_t i = 0; i < n; i++) {
        if (!tri_host_items(h, v[i], at, &lists[i]))
            return NULL;
        shortest = lists[i].len < shortest ? lists[i].len : shortest;
    }
    for (uint32_t k = 0; k < shortest; k++) {
        tri_value_list row = {0};
        for (size_t i = 0; i < n; i++)
            tri_value_push(h->arena, &row, lists[i].at[k]);
        tri_value_push(h->arena, &rows, new_sequence(h, TRI_VALUE_TUPLE, &row));
    }
    return new_sequence(h, TRI_VALUE_LIST, &rows);
}

static const tri_value *map_or_filter(tri_host *h, size_t n, const tri_value *const *v, tri_span at, bool is_filter)
{
    tri_value_list items = {0}, result = {0};
    if (n != 2 || !tri_host_items(h, v[1], at, &items))
        return NULL;
    for (uint32_t i = 0; i < items.len; i++) {
        const tri_value *x = v[0]->kind == TRI_VALUE_NONE ? items.at[i] : apply(h, v[0], items.at[i], NULL, at);
        if (!x)
            return NULL;
        if (!is_filter || tri_value_truth(x))
            tri_value_push(h->arena, &result, is_filter ? items.at[i] : x);
    }
    return new_sequence(h, TRI_VALUE_LIST, &result);
}

static const tri_value *run_map(PARAMS)
{
    UNUSED;
    return map_or_filter(h, n, v, at, false);
}

static const tri_value *run_filter(PARAMS)
{
    UNUSED;
    return map_or_filter(h, n, v, at, true);
}

/* Stable insertion sort; the lists of configs are short. */
static const tri_value *run_sorted(PARAMS)
{
    tri_value_list items = {0}, keys = {0};
    const tri_value *key = tri_host_keyword(args, "key"), *reverse = tri_host_keyword(args, "reverse");
    if (n != 1 || !tri_host_items(h, v[0], at, &items))
        return NULL;
    if (items.len > 4096)
        return tri_host_fail(h, at, "too many items to sort while compiling");
    tri_ast_op before = reverse && tri_value_truth(reverse) ? TRI_AST_GT_OP : TRI_AST_LT_OP;
    for (uint32_t i = 0; i < items.len; i++) {
        const tri_value *k = key && key->kind != TRI_VALUE_NONE ? apply(h, key, items.at[i], NULL, at) : items.at[i];
        if (!k)
            return NULL;
        tri_value_push(h->arena, &keys, k);
        const tri_value *item = items.at[i];
        uint32_t j = i;
        for (; j > 0; j--) {
            tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
            const tri_value *is_before =
                tri_host_check(h, &ops, tri_value_compare(&ops, before, k, keys.at[j - 1]), at);
            if (!is_before)
                return NULL;
            if (!tri_value_truth(is_before))
                break;
            keys.at[j] = keys.at[j - 1];
            items.at[j] = items.at[j - 1];
        }
        if (!tri_host_step(h, at, (i - j) / 4))
            return NULL;
        keys.at[j] = k;
        items.at[j] = item;
    }
    return new_sequence(h, TRI_VALUE_LIST, &items);
}

static const tri_value *run_reversed(PARAMS)
{
    UNUSED;
    tri_value_list items = {0}, result = {0};
    if (n != 1 || !tri_host_items(h, v[0], at, &items))
        return NULL;
    for (uint32_t i = items.len; i-- > 0;)
        tri_value_push(h->arena, &result, items.at[i]);
    return new_sequence(h, TRI_VALUE_LIST, &result);
}

static const tri_value *run_sum(PARAMS)
{
    UNUSED;
    tri_value_list items = {0};
    const tri_value *total = n > 1 ? v[1] : tri_value_int(h->arena, 0);
    if (n < 1 || !tri_host_items(h, v[0], at, &items))
        return NULL;
    for (uint32_t i = 0; i < items.len && total; i++) {
        tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
        total = tri_host_check(h, &ops, tri_value_binary(&ops, TRI_AST_ADD_OP, total, items.at[i]), at);
    }
    return total;
}

static const tri_value *extreme(tri_host *h, size_t n, const tri_value *const *v, const tri_host_args *args,
                                tri_span at, tri_ast_op op)
{
    tri_value_list items = {0};
    const tri_value *key = tri_host_keyword(args, "key"), *best = NULL, *best_key = NULL;
    if (n == 1 && !tri_host_items(h, v[0], at, &items))
        return NULL;
    for (size_t i = 0; n > 1 && i < n; i++)
        tri_value_push(h->arena, &items, v[i]);
    for (uint32_t i = 0; i < items.len; i++) {
        const tri_value *k = key && key->kind != TRI_VALUE_NONE ? apply(h, key, items.at[i], NULL, at) : items.at[i];
        if (!k)
            return NULL;
        tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
        const tri_value *is_better =
            best ? tri_host_check(h, &ops, tri_value_compare(&ops, op, k, best_key), at) : &tri_value_true;
        if (!is_better)
            return NULL;
        if (tri_value_truth(is_better)) {
            best = items.at[i];
            best_key = k;
        }
    }
    return best ? best : tri_host_keyword(args, "default");
}

static const tri_value *run_min(PARAMS)
{
    return extreme(h, n, v, args, at, TRI_AST_LT_OP);
}

static const tri_value *run_max(PARAMS)
{
    return extreme(h, n, v, args, at, TRI_AST_GT_OP);
}

static const tri_value *any_or_all(tri_host *h, size_t n, const tri_value *const *v, tri_span at, bool wanted)
{
    tri_value_list items = {0};
    if (n != 1 || !tri_host_items(h, v[0], at, &items))
        return NULL;
    for (uint32_t i = 0; i < items.len; i++)
        if (tri_value_truth(items.at[i]) == wanted)
            return tri_value_bool(wanted);
    return tri_value_bool(!wanted);
}

static const tri_value *run_any(PARAMS)
{
    UNUSED;
    return any_or_all(h, n, v, at, true);
}

static const tri_value *run_all(PARAMS)
{
    UNUSED;
    return any_or_all(h, n, v, at, false);
}

static const tri_value *run_product(PARAMS)
{
    UNUSED;
    tri_value_list rows = {0}, empty = {0};
    tri_value_push(h->arena, &rows, new_sequence(h, TRI_VALUE_TUPLE, &empty));
    for (size_t i = 0; i < n; i++) {
        tri_value_list items = {0}, next = {0};
        if (!tri_host_items(h, v[i], at, &items))
            return NULL;
        if (!tri_host_step(h, at, (uint64_t)rows.len * items.len) ||
            !tri_host_has_room(h, at, (uint64_t)rows.len * items.len * (sizeof(tri_value) + 48 + 16 * i)))
            return NULL;
        for (uint32_t r = 0; r < rows.len; r++) {
            for (uint32_t k = 0; k < items.len; k++) {
                tri_value *row = new_sequence(h, TRI_VALUE_TUPLE, &rows.at[r]->sequence.items);
                tri_value_push(h->arena, &row->sequence.items, items.at[k]);
                tri_value_push(h->arena, &next, row);
            }
        }
        rows = next;
    }
    return new_sequence(h, TRI_VALUE_LIST, &rows);
}

static const tri_value *run_chain(PARAMS)
{
    UNUSED;
    tri_value_list items = {0};
    for (size_t i = 0; i < n; i++)
        if (!tri_host_items(h, v[i], at, &items))
            return NULL;
    return new_sequence(h, TRI_VALUE_LIST, &items);
}

/* ---- introspection ---- */

static bool derives(const tri_class *cls, const tri_class *base)
{
    bool is_base = cls && cls == base;
    for (size_t i = 0; cls && i < cls->bases.len && !is_base; i++)
        is_base = derives(cls->bases.at[i], base);
    return is_base;
}

static bool is_instance(tri_host *h, const tri_value *x, const tri_value *cls)
{
    static const struct {
        const char *name;
        tri_value_kind kind;
    } kinds[] = {
        {"int", TRI_VALUE_INT}, {"float", TRI_VALUE_FLOAT}, {"bool", TRI_VALUE_BOOL}, {"str", TRI_VALUE_STR},
        {"list", TRI_VALUE_LIST}, {"tuple", TRI_VALUE_TUPLE}, {"dict", TRI_VALUE_DICT}, {"set", TRI_VALUE_SET},
        {"range", TRI_VALUE_RANGE}, {"bytes", TRI_VALUE_BYTES}, {"triton.language.dtype", TRI_VALUE_DTYPE},
        {"NoneType", TRI_VALUE_NONE},
    };
    if (cls->kind == TRI_VALUE_TUPLE) {
        for (uint32_t i = 0; i < cls->sequence.items.len; i++)
            if (is_instance(h, x, cls->sequence.items.at[i]))
                return true;
        return false;
    }
    if (x->kind == TRI_VALUE_OBJECT && tri_host_exception_is_class(x->object.path))
        return tri_host_exception_derives(tri_value_builtin(h->arena, x->object.path), cls);
    if (cls->kind == TRI_VALUE_CLASS)
        return derives(x->kind == TRI_VALUE_OBJECT  ? x->object.cls
                       : x->kind == TRI_VALUE_TUPLE ? x->sequence.cls
                                                    : NULL,
                       cls->cls);
    if (cls->kind != TRI_VALUE_BUILTIN)
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (tri_str_is(cls->string, kinds[i].name) &&
            (x->kind == kinds[i].kind || (x->kind == TRI_VALUE_BOOL && i == 0)))
            return true;
    return x->kind == TRI_VALUE_OBJECT && x->object.path.len && tri_str_equal(x->object.path, cls->string);
}

static const tri_value *class_value(tri_host *h, const struct tri_class *cls)
{
    tri_value *value = TRI_NEW(h->arena, tri_value);
    value->kind = TRI_VALUE_CLASS;
    value->cls = cls;
    return value;
}

static const tri_value *run_type(PARAMS)
{
    UNUSED;
    static const char *const names[] = {
        [TRI_VALUE_NONE] = "NoneType",
        [TRI_VALUE_BOOL] = "bool",
        [TRI_VALUE_INT] = "int",
        [TRI_VALUE_FLOAT] = "float",
        [TRI_VALUE_STR] = "str",
        [TRI_VALUE_BYTES] = "bytes",
        [TRI_VALUE_TUPLE] = "tuple",
        [TRI_VALUE_LIST] = "list",
        [TRI_VALUE_SET] = "set",
        [TRI_VALUE_DICT] = "dict",
        [TRI_VALUE_RANGE] = "range",
        [TRI_VALUE_SLICE] = "slice",
        [TRI_VALUE_CONSTEXPR] = "triton.language.constexpr",
        [TRI_VALUE_DTYPE] = "triton.language.dtype",
    };
    const tri_value *x = n == 1 && args->at.len == 1 ? v[0] : NULL;
    const struct tri_class *cls = !x                              ? NULL
                                  : x->kind == TRI_VALUE_OBJECT ? x->object.cls
                                  : x->kind == TRI_VALUE_TUPLE  ? x->sequence.cls
                                                                : NULL;
    if (cls)
        return class_value(h, cls);
    if (x && x->kind == TRI_VALUE_OBJECT && x->object.path.len)
        return tri_value_builtin(h->arena, x->object.path);
    const char *name = x && x->kind < sizeof names / sizeof *names ? names[x->kind] : NULL;
    return name ? tri_value_builtin(h->arena, tri_str_from(name)) : NULL;
}

static const tri_value *run_isinstance(PARAMS)
{
    UNUSED;
    return n == 2 ? tri_value_bool(is_instance(h, tri_value_unwrap(v[0]), v[1])) : NULL;
}

static const tri_value *get_attribute(tri_host *h, const tri_value *x, const tri_value *name, tri_span at)
{
    tri_failure *outer = h->failure, inner = {0};
    h->failure = &inner;
    const tri_value *v = name->kind == TRI_VALUE_STR ? tri_host_call_attribute(h, x, name->string, at) : NULL;
    h->failure = outer;
    h->is_exception = false;
    return v;
}

static const tri_value *run_hasattr(PARAMS)
{
    UNUSED;
    if (n == 2 && v[0]->kind == TRI_VALUE_EXTERNAL)
        return tri_host_fail(h, at, "'%.*s' has no value while compiling", TRI_STR_ARG(v[0]->string));
    return n == 2 ? tri_value_bool(get_attribute(h, v[0], v[1], at) != NULL) : NULL;
}

static const tri_value *run_getattr(PARAMS)
{
    UNUSED;
    const tri_value *x = n >= 2 ? get_attribute(h, v[0], v[1], at) : NULL;
    return x ? x : n == 3 ? v[2] : NULL;
}

static const tri_value *run_callable(PARAMS)
{
    UNUSED;
    return n == 1 ? tri_value_bool(v[0]->kind == TRI_VALUE_FUNCTION || v[0]->kind == TRI_VALUE_METHOD ||
                                   v[0]->kind == TRI_VALUE_CLASS || v[0]->kind == TRI_VALUE_BUILTIN)
                  : NULL;
}

static const tri_value *run_print(PARAMS)
{
    UNUSED; /* output of host code is not the compiler's */
    return &tri_value_none;
}

/* ---- triton ---- */

static const tri_value *run_constexpr(PARAMS)
{
    UNUSED;
    return n == 1 ? tri_value_constexpr(h->arena, v[0]) : NULL;
}

static const tri_value *run_jit(PARAMS)
{
    UNUSED;
    return n == 1 && v[0]->kind == TRI_VALUE_FUNCTION ? tri_scope_define_as(h->all, v[0], TRI_FUNCTION_JIT) : NULL;
}

static const tri_value *run_constexpr_function(PARAMS)
{
    UNUSED;
    return n == 1 && v[0]->kind == TRI_VALUE_FUNCTION ? tri_scope_define_as(h->all, v[0], TRI_FUNCTION_CONSTEXPR)
                                                      : NULL;
}

static const tri_value *run_pointer_type(PARAMS)
{
    UNUSED;
    if (n < 1 || v[0]->kind != TRI_VALUE_DTYPE)
        return NULL;
    return tri_value_dtype(h->arena, tri_types_pointer(h->arena, v[0]->type, 1, false));
}

static const tri_value *run_get_int_dtype(PARAMS)
{
    UNUSED;
    const tri_value *is_signed = n > 1 ? v[1] : tri_host_keyword(args, "signed");
    const tri_value *width = n > 0 ? v[0] : tri_host_keyword(args, "bitwidth");
    int64_t bits;
    if (!width || !tri_value_get_i64(tri_value_unwrap(width), &bits))
        return NULL;
    const tri_type *t = tri_type_query_int(bits, !is_signed || tri_value_truth(tri_value_unwrap(is_signed)));
    return t ? tri_value_dtype(h->arena, t) : NULL;
}

static const tri_value *run_config(PARAMS)
{
    static const struct {
        const char *name;
        int value; /* -1: None */
    } params[] = {{"kwargs", -1},  {"num_warps", 4}, {"num_stages", 3},  {"num_ctas", 1},
                  {"maxnreg", -1}, {"pre_hook", -1}, {"ir_override", -1}};
    tri_value *config = tri_value_object_create(h->arena, "triton.Config");
    (void)at;
    for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
        const tri_value *given = i < n ? v[i] : tri_host_keyword(args, params[i].name);
        if (!given)
            given = params[i].value < 0 ? &tri_value_none : tri_value_int(h->arena, params[i].value);
        tri_value_set_field(h->arena, config, params[i].name, given);
    }
    const tri_value *kwargs = tri_value_dict_find_str(config->object.fields, TRI_STR("kwargs"));
    return kwargs->kind == TRI_VALUE_DICT ? config : NULL;
}

/* ---- other libraries ---- */

static const tri_value *run_partial(PARAMS)
{
    (void)at;
    if (n < 1)
        return NULL;
    tri_value *partial = tri_value_object_create(h->arena, "functools.partial"),
              *keywords = tri_value_dict_create(h->arena);
    for (size_t i = 0; i < args->at.len; i++)
        if (args->at.at[i].name.len)
            tri_value_dict_set(h->arena, keywords->dict, tri_value_str(h->arena, args->at.at[i].name),
                               args->at.at[i].value);
    tri_value_set_field(h->arena, partial, "func", v[0]);
    tri_value_set_field(h->arena, partial, "args",
                        tri_value_sequence(h->arena, TRI_VALUE_TUPLE, (uint32_t)n - 1, v + 1));
    tri_value_set_field(h->arena, partial, "keywords", keywords);
    return partial;
}

static const tri_value *run_reduce(PARAMS)
{
    UNUSED;
    tri_value_list items = {0};
    if (n < 2 || !tri_host_items(h, v[1], at, &items))
        return NULL;
    const tri_value *total = n > 2 ? v[2] : NULL;
    for (uint32_t i = 0; i < items.len; i++) {
        total = total ? apply(h, v[0], total, items.at[i], at) : items.at[i];
        if (!total)
            return NULL;
    }
    return total;
}

/* What is in the environment is not looked at: the default counts. */
static const tri_value *run_getenv(PARAMS)
{
    UNUSED;
    const tri_value *given = n > 1 ? v[1] : tri_host_keyword(args, "default");
    return given ? given : &tri_value_none;
}

static const tri_value *run_named_tuple(PARAMS)
{
    UNUSED;
    tri_value_list fields = {0};
    if (n < 2 || v[0]->kind != TRI_VALUE_STR)
        return NULL;
    const tri_value *names = v[1];
    tri_host_args none = {0};
    if (names->kind == TRI_VALUE_STR) {
        tri_str text = names->string;
        char *blanks = tri_arena_copy(h->arena, text.data, text.len);
        for (size_t i = 0; i < text.len; i++)
            blanks[i] = blanks[i] == ',' ? ' ' : blanks[i];
        names =
            tri_host_method_call(h, tri_value_str(h->arena, (tri_str){blanks, text.len}), TRI_STR("split"), &none, at);
    }
    if (!names || !tri_host_items(h, names, at, &fields))
        return NULL;
    tri_class *cls = TRI_NEW(h->arena, tri_class);
    cls->name = cls->qualified_name = v[0]->string;
    cls->is_named_tuple = true;
    for (uint32_t i = 0; i < fields.len; i++) {
        if (fields.at[i]->kind != TRI_VALUE_STR)
            return NULL;
        tri_vec_push(h->arena, &cls->fields, fields.at[i]->string);
        tri_vec_push(h->arena, &cls->defaults, NULL);
    }
    const tri_value *defaults = tri_host_keyword(args, "defaults");
    tri_value_list values = {0};
    if (defaults && (!tri_host_items(h, defaults, at, &values) || values.len > fields.len))
        return NULL;
    for (uint32_t i = 0; i < values.len; i++)
        cls->defaults.at[fields.len - values.len + i] = values.at[i];
    tri_value *value = TRI_NEW(h->arena, tri_value);
    value->kind = TRI_VALUE_CLASS;
    value->cls = cls;
    return value;
}

/* A version is the tuple of its leading numbers: enough to compare. */
static const tri_value *run_version(PARAMS)
{
    UNUSED;
    if (n != 1 || v[0]->kind != TRI_VALUE_STR)
        return NULL;
    tri_value_list parts = {0};
    tri_str text = v[0]->string;
    for (size_t i = 0; i < text.len && text.data[i] >= '0' && text.data[i] <= '9';) {
        tri_int number = 0;
        while (i < text.len && text.data[i] >= '0' && text.data[i] <= '9' && number < 1000000000)
            number = number * 10 + (text.data[i++] - '0');
        tri_value_push(h->arena, &parts, tri_value_int(h->arena, number));
        if (i < text.len && text.data[i] == '.')
            i++;
    }
    while (parts.len && parts.at[parts.len - 1]->integer == 0)
        parts.len--; /* 3.0 == 3.0.0 */
    return parts.len ? new_sequence(h, TRI_VALUE_TUPLE, &parts) : NULL;
}

static const tri_value *run_import_module(PARAMS)
{
    UNUSED;
    if (n < 1 || v[0]->kind != TRI_VALUE_STR || !h->all->main)
        return NULL;
    bool exists = true;
    const tri_value *module = tri_module_import(h->all->main, 0, v[0]->string, &exists, h->failure);
    return exists ? module : NULL;
}

static const tri_value *run_package_version(PARAMS)
{
    UNUSED;
    if (n == 1 && v[0]->kind == TRI_VALUE_STR && tri_str_is(v[0]->string, "triton"))
        return tri_library_find(h->arena, TRI_STR("triton"), TRI_STR("__version__"));
    return NULL;
}

static const tri_value *run_identity(PARAMS)
{
    UNUSED;
    return n == 1 ? v[0] : NULL;
}

tri_host_builtin *tri_host_builtin_find(tri_str path)
{
    static const struct {
        const char *path;
        tri_host_builtin *run;
    } rows[] = {
#define BUILTIN(path, function) {path, function},
#include "frontend/host/host_builtins.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tri_str_is(path, rows[i].path))
            return rows[i].run;
    tri_host_builtin *run = tri_host_regex_find(path);
    return run ? run : tri_host_math_find(path);
}
