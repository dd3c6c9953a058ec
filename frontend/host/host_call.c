/* Attributes and calls in host code. */
#include "frontend/host/host_eval.h"

#include "frontend/kernel/type_query.h"
#include "frontend/syntax/bind.h"

/* ---- attributes ---- */

static const tri_value *bind_method(tri_host *h, const tri_value *self, const tri_function *function, tri_str name)
{
    tri_value *v = TRI_NEW(h->arena, tri_value);
    v->kind = TRI_VALUE_METHOD;
    v->method.self = self;
    v->method.function = function;
    v->method.name = name;
    return v;
}

/* "b" of "a.b". */
static tri_str last_name(tri_str path)
{
    size_t dot = tri_str_find_last(path, '.');
    return dot == path.len ? path : tri_str_sub(path, dot + 1, path.len);
}

const tri_value *tri_host_call_attribute(tri_host *h, const tri_value *v, tri_str name, tri_span at)
{
    tri_global g = {0};
    const tri_value *inner = tri_value_unwrap(v);
    if (v->kind == TRI_VALUE_CONSTEXPR && tri_str_is(name, "value"))
        return inner;
    v = inner;
    switch (tri_module_get(h->all, v, name, &g, h->failure)) {
    case TRI_LOOKUP_FAILED: return tri_host_fail(h, at, "'%.*s' cannot be evaluated", TRI_STR_ARG(name));
    case TRI_LOOKUP_FOUND:
        if (v->kind == TRI_VALUE_OBJECT && g.value->kind == TRI_VALUE_FUNCTION &&
            !tri_value_dict_find_str(v->object.fields, name))
            return bind_method(h, v, g.value->function, name);
        return g.value;
    default: break;
    }
    if (v->kind == TRI_VALUE_DTYPE) {
        const tri_value *result = tri_type_query_attribute(h->arena, v->type, name);
        if (result)
            return result;
        if (tri_type_query_is_method(v->type, name))
            return bind_method(h, v, NULL, name);
    }
    if (tri_host_method_exists(v, name))
        return bind_method(h, v, NULL, name);
    if (tri_str_is(name, "__name__") && (v->kind == TRI_VALUE_BUILTIN || v->kind == TRI_VALUE_CLASS))
        return tri_value_str(h->arena, v->kind == TRI_VALUE_CLASS ? v->cls->name : last_name(v->string));
    tri_host_raise(h, "AttributeError");
    if (v->kind == TRI_VALUE_BUILTIN || v->kind == TRI_VALUE_MODULE) {
        tri_str path = tri_value_repr_str(h->arena, v);
        return tri_host_fail(h, at, "'%.*s' has no name '%.*s'", TRI_STR_ARG(path), TRI_STR_ARG(name));
    }
    return tri_host_fail(h, at, "an object of type '%s' has no attribute '%.*s'", tri_value_type_name(v),
                         TRI_STR_ARG(name));
}

/* ---- functions of files ---- */

/* What a call that does not fit fails with is an exception, as in Python (TypeError): `try` may catch it. */
static const tri_value *raise(tri_host *h, const tri_value *failed)
{
    tri_host_raise(h, "TypeError");
    return failed;
}

static tri_bind_result bind(tri_host *h, const tri_bind_param *params, size_t n, const tri_host_args *args,
                            size_t *slots, bool *given)
{
    tri_str *names = TRI_NEW_ARRAY(h->arena, tri_str, args->at.len + 1);
    for (size_t i = 0; i < args->at.len; i++)
        names[i] = args->at.at[i].name;
    return tri_bind_arguments(params, n, names, args->at.len, slots, given);
}

/* What parameter p of a function is where arguments are given for it: one of them, a tuple or a dictionary of all. */
static const tri_value *given_value(tri_host *h, tri_ast_param_kind kind, size_t p, const tri_host_args *args,
                                    const size_t *slots)
{
    tri_value_list rest = {0};
    tri_value *extra = tri_value_dict_create(h->arena);
    for (size_t i = 0; i < args->at.len; i++) {
        tri_host_arg arg = args->at.at[i];
        if (slots[i] != p)
            continue;
        if (kind <= TRI_AST_PARAM_KEYWORD)
            return arg.value;
        if (arg.name.len)
            tri_value_dict_set(h->arena, extra->dict, tri_value_str(h->arena, arg.name), arg.value);
        else
            tri_value_push(h->arena, &rest, arg.value);
    }
    return kind == TRI_AST_PARAM_KWARGS ? extra : tri_value_sequence(h->arena, TRI_VALUE_TUPLE, rest.len, rest.at);
}

static const tri_value *report_binding(tri_host *h, const tri_bind_param *params, const tri_host_args *args,
                                       tri_bind_result bound, tri_span at)
{
    tri_str name = bound.status == TRI_BIND_MISSING ? params[bound.at].name : args->at.at[bound.at].name;
    if (bound.status == TRI_BIND_SURPLUS)
        return tri_host_fail(h, at, "too many arguments");
    if (bound.status == TRI_BIND_UNKNOWN)
        return tri_host_fail(h, at, "there is no parameter '%.*s'", TRI_STR_ARG(name));
    return tri_host_fail(
        h, at, bound.status == TRI_BIND_TWICE ? "the argument '%.*s' is given twice" : "the argument '%.*s' is missing",
        TRI_STR_ARG(name));
}

static bool bind_function(tri_host *h, tri_host_frame *f, const tri_function *fn, const tri_ast_list *list,
                          const tri_host_args *args, tri_span at)
{
    tri_bind_param *params = tri_bind_params(h->arena, list, 0);
    size_t *slots = TRI_NEW_ARRAY(h->arena, size_t, args->at.len + 1);
    bool *given = TRI_NEW_ARRAY(h->arena, bool, list->len + 1);
    tri_bind_result bound = bind(h, params, list->len, args, slots, given);
    if (bound.status != TRI_BIND_OK)
        return raise(h, report_binding(h, params, args, bound, at)) != NULL;
    for (uint32_t p = 0; p < list->len; p++) {
        const tri_value *value;
        if (given[p] || params[p].kind > TRI_AST_PARAM_KEYWORD) {
            value = given_value(h, params[p].kind, p, args, slots);
        } else {
            tri_host_frame *outer = tri_map_find_ptr(&h->all->closures, fn);
            tri_host_frame *where = outer ? outer : tri_host_frame_create(h, fn->scope, NULL, UINT32_MAX);
            value = tri_host_expr(h, where, list->at[p]->param.default_value);
        }
        if (!value)
            return false;
        tri_map_set(&f->locals, params[p].name, (void *)(uintptr_t)value);
    }
    return true;
}

static bool is_generator(const tri_ast_node *node, void *data)
{
    bool *found = data;
    *found |= node->kind == TRI_AST_YIELD || node->kind == TRI_AST_YIELD_FROM;
    return node->kind != TRI_AST_LAMBDA && !*found;
}

static const tri_value *call_function(tri_host *h, const tri_function *fn, const tri_host_args *args, tri_span at)
{
    bool is_lambda = fn->node->kind == TRI_AST_LAMBDA, has_yield = false;
    if (fn->kind == TRI_FUNCTION_JIT)
        return tri_host_fail(h, at, "'%.*s' is a jit function; host code cannot call it", TRI_STR_ARG(fn->name));
    for (uint32_t i = 0; !is_lambda && i < fn->node->function.body.len; i++)
        tri_ast_walk(fn->node->function.body.at[i], is_generator, &has_yield);
    if (has_yield || (!is_lambda && fn->node->function.is_async))
        return tri_host_fail(h, at, "'%.*s' is a generator or async function", TRI_STR_ARG(fn->name));
    if (h->depth >= TRI_HOST_MAX_DEPTH)
        return tri_host_fail(h, at, "calls are nested too deep (at most %d)", TRI_HOST_MAX_DEPTH);
    tri_ast_list params = is_lambda ? fn->node->lambda.params : fn->node->function.params;
    tri_host_frame *f = tri_host_frame_create(h, fn->scope, tri_map_find_ptr(&h->all->closures, fn), UINT32_MAX);
    if (!bind_function(h, f, fn, &params, args, at))
        return NULL;
    h->depth++;
    const tri_value *result;
    if (is_lambda) {
        result = tri_host_expr(h, f, fn->node->lambda.body);
    } else {
        tri_host_flow flow = tri_host_stmt_run(h, f, fn->node->function.body);
        result = flow == TRI_HOST_FAILED ? NULL : flow == TRI_HOST_RETURN ? f->result : &tri_value_none;
    }
    h->depth--;
    return result;
}

/* ---- classes ---- */

static const tri_value *report_fields(tri_host *h, const tri_class *cls, const tri_host_args *args,
                                      tri_bind_result bound, tri_span at)
{
    tri_str field = bound.status == TRI_BIND_MISSING ? cls->fields.at[bound.at] : args->at.at[bound.at].name;
    if (bound.status == TRI_BIND_SURPLUS)
        return tri_host_fail(h, at, "there are too many values for '%.*s'", TRI_STR_ARG(cls->name));
    if (bound.status == TRI_BIND_UNKNOWN)
        return tri_host_fail(h, at, "'%.*s' has no field '%.*s'", TRI_STR_ARG(cls->name), TRI_STR_ARG(field));
    return tri_host_fail(h, at, bound.status == TRI_BIND_TWICE ? "the field '%.*s' of '%.*s' is given twice"
                                                               : "the field '%.*s' of '%.*s' is missing",
                         TRI_STR_ARG(field), TRI_STR_ARG(cls->name));
}

/* Fields by position and name, then defaults: a named tuple, and what a dataclass is made of. */
static const tri_value *make_named_tuple(tri_host *h, const tri_class *cls, const tri_host_args *args, tri_span at)
{
    tri_value *v = (tri_value *)(uintptr_t)tri_value_sequence(h->arena, TRI_VALUE_TUPLE, 0, NULL);
    size_t n = cls->fields.len, *slots = TRI_NEW_ARRAY(h->arena, size_t, args->at.len + 1);
    tri_bind_param *params = TRI_NEW_ARRAY(h->arena, tri_bind_param, n + 1);
    bool *given = TRI_NEW_ARRAY(h->arena, bool, n + 1);
    v->sequence.cls = cls;
    for (size_t i = 0; i < n; i++)
        params[i] = (tri_bind_param){.name = cls->fields.at[i], .is_optional = cls->defaults.at[i] != NULL};
    tri_bind_result bound = bind(h, params, n, args, slots, given);
    if (bound.status != TRI_BIND_OK)
        return raise(h, report_fields(h, cls, args, bound, at));
    for (size_t i = 0; i < n; i++)
        tri_value_push(h->arena, &v->sequence.items,
                       given[i] ? given_value(h, TRI_AST_PARAM_NORMAL, i, args, slots) : cls->defaults.at[i]);
    return v;
}

static const tri_value *make_object(tri_host *h, const tri_class *cls, const tri_host_args *args, tri_span at)
{
    tri_value *v = TRI_NEW(h->arena, tri_value);
    v->kind = TRI_VALUE_OBJECT;
    v->object.cls = cls;
    v->object.fields = tri_value_dict_create(h->arena)->dict;
    tri_global init = {0};
    tri_value cls_value = {.kind = TRI_VALUE_CLASS, .cls = cls};
    tri_failure ignored = {0};
    if (tri_module_get(h->all, &cls_value, TRI_STR("__init__"), &init, &ignored) == TRI_LOOKUP_FOUND &&
        init.value->kind == TRI_VALUE_FUNCTION) {
        tri_host_args all = {0};
        tri_vec_push(h->arena, &all.at, (tri_host_arg){{0}, v});
        for (size_t i = 0; i < args->at.len; i++)
            tri_vec_push(h->arena, &all.at, args->at.at[i]);
        return call_function(h, init.value->function, &all, at) ? v : NULL;
    }
    if (tri_host_exception_is_derived(cls)) {
        tri_host_exception_fill(h, v, args);
        return v;
    }
    const tri_value *fields = make_named_tuple(h, cls, args, at); /* a dataclass */
    for (size_t i = 0; fields && i < cls->fields.len; i++)
        tri_value_dict_set(h->arena, v->object.fields, tri_value_str(h->arena, cls->fields.at[i]),
                           fields->sequence.items.at[i]);
    return fields ? v : NULL;
}

/* ---- dispatch ---- */

const tri_value *tri_host_keyword(const tri_host_args *args, const char *name)
{
    for (size_t i = 0; i < args->at.len; i++)
        if (tri_str_is(args->at.at[i].name, name))
            return args->at.at[i].value;
    return NULL;
}

/* What a function raises for arguments that it does not take. Patterns that this evaluator does not know are none of
 * Python's failures. */
static void raise_of_builtin(tri_host *h, tri_str path, size_t count, const tri_value *const *values)
{
    bool is_text = count && values[0]->kind == TRI_VALUE_STR;
    if (tri_str_has_prefix(path, "re."))
        h->is_exception = false;
    else if (tri_str_is(path, "int") || tri_str_is(path, "float"))
        tri_host_raise(h, is_text ? "ValueError" : "TypeError");
    else
        tri_host_raise(h, tri_str_is(path, "getattr") ? "AttributeError"
                          : tri_str_is(path, "len")   ? "TypeError"
                                                      : NULL);
}

static const tri_value *call_builtin(tri_host *h, tri_str path, const tri_host_args *args, tri_span at)
{
    const tri_value **values = TRI_NEW_ARRAY(h->arena, const tri_value *, args->at.len + 1);
    size_t count = 0;
    for (size_t i = 0; i < args->at.len; i++)
        if (!args->at.at[i].name.len)
            values[count++] = args->at.at[i].value;
    const tri_value *info = count == args->at.len ? tri_host_target_info(h, path, count, values) : NULL;
    if (info)
        return info;
    if (tri_host_exception_is_class(path))
        return tri_host_exception_create(h, path, args);
    tri_host_builtin *run = tri_host_builtin_find(path);
    if (!run)
        return tri_host_fail(h, at, "'%.*s' is not evaluated while compiling", TRI_STR_ARG(path));
    for (size_t i = 0; i < args->at.len; i++)
        if (tri_host_exception_is_wordless(args->at.at[i].value) &&
            (tri_str_is(path, "str") || tri_str_is(path, "repr")))
            return tri_host_fail(h, at, "what this exception says is not known while compiling");
    for (size_t i = 0; i < args->at.len; i++)
        if (args->at.at[i].value->kind == TRI_VALUE_EXTERNAL && !tri_str_is(path, "hasattr") &&
            !tri_str_is(path, "getattr") && !tri_str_is(path, "isinstance") && !tri_str_is(path, "callable"))
            return tri_host_fail(h, at, "'%.*s' has no value while compiling",
                                 TRI_STR_ARG(args->at.at[i].value->string));
    const tri_value *v = tri_str_has_prefix(path, "re.") ? tri_host_regex_run(h, path, args, at)
                                                         : run(h, count, values, args, at);
    if (v || h->failure->why.len)
        return v;
    raise_of_builtin(h, path, count, values);
    return tri_host_fail(h, at, "these arguments of '%.*s' are not understood", TRI_STR_ARG(path));
}

const tri_value *tri_host_call_value(tri_host *h, const tri_value *callee, const tri_host_args *args, tri_span at)
{
    callee = tri_value_unwrap(callee);
    switch (callee->kind) {
    case TRI_VALUE_FUNCTION: return call_function(h, callee->function, args, at);
    case TRI_VALUE_BUILTIN: return call_builtin(h, callee->string, args, at);
    case TRI_VALUE_CLASS:
        return callee->cls->is_named_tuple ? make_named_tuple(h, callee->cls, args, at)
                                           : make_object(h, callee->cls, args, at);
    case TRI_VALUE_METHOD: {
        if (!callee->method.function)
            return tri_host_method_call(h, callee->method.self, callee->method.name, args, at);
        tri_host_args all = {0};
        tri_vec_push(h->arena, &all.at, (tri_host_arg){{0}, callee->method.self});
        for (size_t i = 0; i < args->at.len; i++)
            tri_vec_push(h->arena, &all.at, args->at.at[i]);
        return call_function(h, callee->method.function, &all, at);
    }
    case TRI_VALUE_OBJECT: {
        const tri_value *inner =
            tri_value_dict_find_str(callee->object.fields, TRI_STR("func")); /* functools.partial */
        const tri_value *first = tri_value_dict_find_str(callee->object.fields, TRI_STR("args"));
        const tri_value *keywords = tri_value_dict_find_str(callee->object.fields, TRI_STR("keywords"));
        if (!tri_str_is(callee->object.path, "functools.partial"))
            break;
        tri_host_args all = {0};
        for (uint32_t i = 0; i < first->sequence.items.len; i++)
            tri_vec_push(h->arena, &all.at, (tri_host_arg){{0}, first->sequence.items.at[i]});
        for (size_t i = 0; i < args->at.len; i++)
            tri_vec_push(h->arena, &all.at, args->at.at[i]);
        for (uint32_t i = 0; i < keywords->dict->keys.len; i++)
            tri_vec_push(h->arena, &all.at,
                         (tri_host_arg){keywords->dict->keys.at[i]->string, keywords->dict->values.at[i]});
        return tri_host_call_value(h, inner, &all, at);
    }
    case TRI_VALUE_EXTERNAL:
        return tri_host_fail(h, at, "'%.*s' is not evaluated while compiling", TRI_STR_ARG(callee->string));
    default: break;
    }
    tri_host_raise(h, "TypeError");
    return tri_host_fail(h, at, "an object of type '%s' cannot be called", tri_value_type_name(callee));
}

static bool add_keyword_args(tri_host *h, const tri_ast_node *keyword, const tri_value *v, tri_host_args *out_args)
{
    if (keyword->keyword.name.len) {
        tri_vec_push(h->arena, &out_args->at, (tri_host_arg){keyword->keyword.name, v});
        return true;
    }
    if (v->kind != TRI_VALUE_DICT) {
        tri_host_fail(h, keyword->span, "'**' needs a dictionary, not a '%s'", tri_value_type_name(v));
        return false;
    }
    for (uint32_t i = 0; i < v->dict->keys.len; i++)
        if (v->dict->keys.at[i]->kind == TRI_VALUE_STR)
            tri_vec_push(h->arena, &out_args->at, (tri_host_arg){v->dict->keys.at[i]->string, v->dict->values.at[i]});
    return true;
}

const tri_value *tri_host_call_node(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    const tri_value *callee = tri_host_expr(h, f, node->call.func);
    if (!callee)
        return NULL;
    if (callee->kind == TRI_VALUE_EXTERNAL && node->call.args.len == 1 && tri_str_has_suffix(callee->string, "info")) {
        const tri_value *type = tri_host_expr(h, f, node->call.args.at[0]);
        const tri_value *limits = type ? tri_host_torch_limits(h, callee->string, type) : NULL;
        if (limits)
            return limits;
    }
    if (callee->kind == TRI_VALUE_EXTERNAL) {
        const tri_value *v = tri_host_target_call(h, callee->string);
        return v ? v
                 : tri_host_fail(h, node->span, "'%.*s' is not evaluated while compiling", TRI_STR_ARG(callee->string));
    }
    tri_host_args args = {0};
    for (uint32_t i = 0; i < node->call.args.len; i++) {
        const tri_ast_node *arg = node->call.args.at[i];
        const tri_value *v = tri_host_expr(h, f, arg->kind == TRI_AST_STARRED ? arg->value : arg);
        tri_value_list items = {0};
        if (!v)
            return NULL;
        if (arg->kind != TRI_AST_STARRED)
            tri_value_push(h->arena, &items, v);
        else if (!tri_host_items(h, v, arg->span, &items))
            return NULL;
        for (uint32_t k = 0; k < items.len; k++)
            tri_vec_push(h->arena, &args.at, (tri_host_arg){{0}, items.at[k]});
    }
    for (uint32_t i = 0; i < node->call.keywords.len; i++) {
        const tri_value *v = tri_host_expr(h, f, node->call.keywords.at[i]->keyword.value);
        if (!v || !add_keyword_args(h, node->call.keywords.at[i], v, &args))
            return NULL;
    }
    return tri_host_call_value(h, callee, &args, node->span);
}
