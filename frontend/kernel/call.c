/* Calls: what a callee is, and what its arguments are. */
#include "frontend/builtins/builtins.h"
#include "frontend/kernel/fixes.h"
#include "frontend/kernel/frame.h"
#include "frontend/host/host.h"

#include <stdio.h>

/* ---- arguments ---- */

bool tri_call_evaluate_args(tri_eval *e, const tri_ast_node *call, tri_call_args *out)
{
    enum { most = 65536 };
    bool ok = true;
    if (call->call.args.len > most || call->call.keywords.len > most) { /* before each is looked at */
        tri_eval_error_at(e, call->call.func->span, 4010, "a call with more than %d arguments", most);
        return false;
    }
    for (uint32_t i = 0; i < call->call.args.len; i++) {
        const tri_ast_node *a = call->call.args.at[i];
        if (a->kind != TRI_AST_STARRED) {
            tri_vec_push(e->arena, out, (tri_call_arg){.value = tri_expr_eval(e, a), .at = a->span});
            continue;
        }
        tri_ev v = tri_expr_eval(e, a->value);
        if (v.kind == TRI_EV_TUPLE)
            for (int k = 0; k < v.tuple->count; k++)
                tri_vec_push(e->arena, out, (tri_call_arg){.value = v.tuple->at[k], .at = a->span});
        else {
            if (!tri_ev_is_error(v))
                tri_eval_error_at(e, a->span, 4001, "only a tuple can be spliced with '*', not %s",
                                  tri_eval_describe(e, v));
            ok = false;
        }
    }
    for (uint32_t i = 0; i < call->call.keywords.len; i++) {
        const tri_ast_node *k = call->call.keywords.at[i];
        if (tri_str_is_empty(k->keyword.name)) {
            tri_eval_error_at(e, k->span, 4001, "'**' in a call is not supported in a kernel");
            ok = false;
            continue;
        }
        tri_vec_push(e->arena, out, (tri_call_arg){k->keyword.name, tri_expr_eval(e, k->keyword.value), k->span});
    }
    return ok;
}

static const tri_value **host_values(tri_eval *e, const tri_call_args *args, tri_ev callee, tri_span at)
{
    const tri_value **values = TRI_NEW_ARRAY(e->arena, const tri_value *, args->len + 1);
    for (size_t i = 0; i < args->len; i++) {
        if (tri_ev_is_error(args->at[i].value))
            return NULL;
        values[i] = tri_ev_to_value(e, args->at[i].value);
        if (!values[i]) {
            tri_eval_error_at(e, args->at[i].at, 3013,
                              "%s runs at compile time and takes only compile-time values, but "
                              "this is %s",
                              tri_eval_describe(e, callee), tri_eval_describe(e, args->at[i].value));
            tri_fixes_library_call(e, at);
            return NULL;
        }
    }
    return values;
}

static tri_ev call_host(tri_eval *e, tri_ev callee, const tri_call_args *args, tri_span at)
{
    const tri_value **values = host_values(e, args, callee, at);
    if (!values)
        return (tri_ev){0};
    tri_host_arg *host = TRI_NEW_ARRAY(e->arena, tri_host_arg, args->len + 1);
    e->is_seen |= callee.ce->kind != TRI_VALUE_BUILTIN;
    for (size_t i = 0; i < args->len; i++)
        host[i] = (tri_host_arg){args->at[i].name, values[i]};
    const tri_value *v = tri_host_call(e->modules, callee.ce, args->len, host, at);
    return v ? tri_ev_from_value(e, v) : (tri_ev){0};
}

/* ---- callees ---- */

static tri_ev call_function(tri_eval *e, tri_ev callee, tri_call_args *args, tri_span at)
{
    const tri_function *f = callee.ce->function;
    switch (f->kind) {
    case TRI_FUNCTION_JIT:
        return tri_call_jit(e, f, args, at);
    case TRI_FUNCTION_CONSTEXPR:
        return call_host(e, callee, args, at);
    case TRI_FUNCTION_HOST:
        break;
    }
    tri_ev r = tri_eval_error_at(e, at, 4001, "'%.*s' is a Python function and can not be called in a kernel",
                                 TRI_STR_ARG(f->name));
    tri_diag_note(e->diag, tri_ast_name_span(f->node), "decorate it with @triton.jit, or with "
                  "@triton.constexpr_function when it computes constants");
    return r;
}

static tri_ev call_builtin(tri_eval *e, tri_ev callee, tri_call_args *args, tri_span at)
{
    const tri_builtin *row = tri_builtins_find(e, callee.ce->string);
    if (row)
        return tri_builtins_call(e, row, args, at);
    if (tri_str_is(callee.ce->string, "triton.language.aggregate_replace"))
        return tri_object_replace(e, args, at);
    if (tri_module_is_namespace(callee.ce))
        return tri_eval_error_at(e, at, 3003, "'%.*s' is a module and can not be called",
                                 TRI_STR_ARG(callee.ce->string));
    if (tri_host_can_call(callee.ce))
        return call_host(e, callee, args, at);
    tri_ev r = tri_eval_error_at(e, at, 3003, "'%.*s' is no function of the library", TRI_STR_ARG(callee.ce->string));
    const char *near = tri_builtins_nearest(e, callee.ce->string);
    if (near)
        tri_eval_note(e, "did you mean '%s'?", near);
    return r;
}

void tri_call_suggest(tri_eval *e, const tri_call_arg *arg, const tri_str *names, size_t count)
{
    const char **words = TRI_NEW_ARRAY(e->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        words[i] = tri_str_copy(e->arena, names[i]).data;
    const char *near = tri_str_nearest(arg->name, words, count);
    tri_span keyword = arg->at;
    keyword.end = keyword.begin + (uint32_t)arg->name.len;
    if (near && keyword.source &&
        tri_str_equal(tri_str_sub(keyword.source->text, keyword.begin, keyword.end), arg->name))
        tri_diag_fix(e->diag, keyword, "%s", near);
}

static tri_ev call_value(tri_eval *e, tri_ev callee, tri_call_args *args, tri_span at);

static tri_ev call_method(tri_eval *e, tri_ev callee, tri_call_args *args, tri_span at)
{
    const tri_ev_method *m = callee.method;
    if (!m->function) {
        const tri_type *t = tri_ev_get_dtype(m->self);
        tri_ev values[4];
        size_t n = args->len < 4 ? args->len : 4;
        for (size_t i = 0; i < n; i++)
            values[i] = args->at[i].value;
        return tri_attr_call_type_method(e, t, m->name, (int)args->len, values);
    }
    tri_call_args all = {0};
    tri_vec_push(e->arena, &all, (tri_call_arg){.value = m->self, .at = at});
    for (size_t i = 0; i < args->len; i++)
        tri_vec_push(e->arena, &all, args->at[i]);
    return call_value(e, (tri_ev){.kind = TRI_EV_CE, .ce = m->function}, &all, at);
}

static tri_ev call_value(tri_eval *e, tri_ev callee, tri_call_args *args, tri_span at)
{
    tri_ev method;
    if (tri_ev_is_error(callee))
        return callee;
    if (callee.kind == TRI_EV_METHOD)
        return call_method(e, callee, args, at);
    if (callee.kind == TRI_EV_OBJECT && tri_object_find_method(e, callee, TRI_STR("__call__"), &method))
        return call_method(e, method, args, at);
    if (callee.kind == TRI_EV_CE)
        switch (callee.ce->kind) {
        case TRI_VALUE_FUNCTION:
            return call_function(e, callee, args, at);
        case TRI_VALUE_BUILTIN:
            return call_builtin(e, callee, args, at);
        case TRI_VALUE_CLASS:
            return tri_object_construct(e, callee.ce->cls, args, at);
        case TRI_VALUE_METHOD:
            return call_host(e, callee, args, at);
        case TRI_VALUE_DTYPE: {
            tri_ev r = tri_eval_error_at(e, at, 4001, "a type can not be called");
            tri_eval_note(e, "convert a tensor with .to(%s), make one with tl.full((), value, %s)",
                          tri_eval_type_name(e, callee.ce->type), tri_eval_type_name(e, callee.ce->type));
            return r;
        }
        default:
            break;
        }
    tri_ev r = tri_eval_error_at(e, at, 4001, "%s can not be called", tri_eval_describe(e, callee));
    tri_fixes_library_call(e, at);
    return r;
}

tri_ev tri_call_simple(tri_eval *e, tri_ev callee, int count, const tri_ev *values)
{
    tri_call_args args = {0};
    for (int i = 0; i < count; i++)
        tri_vec_push(e->arena, &args, (tri_call_arg){.value = values[i], .at = e->at});
    return call_value(e, callee, &args, e->at);
}

/* ---- special forms ---- */

static tri_ev static_assert_form(tri_eval *e, const tri_ast_node *node)
{
    uint32_t n = node->call.args.len;
    bool ok;
    if (n < 1 || n > 2 || node->call.keywords.len)
        return tri_eval_error(e, 3004, "tl.static_assert takes a condition and a message, by position");
    const tri_ast_node *test = node->call.args.at[0];
    tri_ev condition = tri_expr_eval(e, test);
    if (tri_ev_is_error(condition))
        return condition;
    e->frame->is_abandoned = !e->frame->is_kernel && !(tri_ev_get_bool(condition, &ok) && ok);
    if (!tri_ev_get_bool(condition, &ok)) {
        tri_ev r = tri_eval_error_at(e, test->span, 4002,
                                     "the condition of tl.static_assert must be a compile-time bool, "
                                     "but this is %s",
                                     tri_eval_describe(e, condition));
        if (tri_ev_is_tensor(condition))
            tri_eval_note(e, "it depends on a runtime value; use tl.device_assert");
        return r;
    }
    if (ok)
        return tri_ev_none(e);
    tri_str message = TRI_STR("");
    tri_ev text = n == 2 ? tri_expr_eval(e, node->call.args.at[1]) : tri_ev_none(e);
    if (!tri_ev_get_str(text, &message) && tri_ev_to_value(e, text) && !tri_ev_is_none(text))
        message = tri_value_repr_str(e->arena, tri_ev_to_value(e, text));
    return tri_eval_error(e, 4002, "static assertion failed%s%.*s", message.len ? ": " : "", TRI_STR_ARG(message));
}

static tri_ev static_print_form(tri_eval *e, const tri_ast_node *node)
{
    tri_call_args args = {0};
    tri_buf buf = {0};
    tri_str sep = TRI_STR(" "), end = TRI_STR("\n");
    if (!tri_call_evaluate_args(e, node, &args))
        return (tri_ev){0};
    for (size_t i = 0; i < args.len; i++) {
        if (tri_str_is(args.at[i].name, "sep"))
            tri_ev_get_str(args.at[i].value, &sep);
        if (tri_str_is(args.at[i].name, "end"))
            tri_ev_get_str(args.at[i].value, &end);
        if (tri_ev_holds_error(args.at[i].value))
            return (tri_ev){0};
    }
    for (size_t i = 0; i < args.len; i++) {
        tri_ev v = args.at[i].value;
        if (args.at[i].name.len)
            continue;
        if (buf.len)
            tri_buf_add_str(&buf, sep);
        const tri_value *c = tri_ev_to_value(e, v);
        if (c)
            tri_value_print(c, &buf);
        else
            tri_buf_add_z(&buf, tri_eval_describe(e, v));
    }
    tri_buf_add_str(&buf, end);
    if (!e->frame->dry && !e->is_trial) /* the body of a loop is visited again */
        tri_diag_write(e->diag, tri_buf_str(&buf));
    tri_buf_fini(&buf);
    return tri_ev_none(e);
}

static bool check_used(tri_eval *e, tri_ev callee, const tri_ast_node *node)
{
    if (callee.kind == TRI_EV_METHOD && callee.method->function)
        callee = (tri_ev){.kind = TRI_EV_CE, .ce = callee.method->function};
    if (callee.kind != TRI_EV_CE)
        return true;
    if (callee.ce->kind == TRI_VALUE_FUNCTION && callee.ce->function->must_use_result) {
        tri_eval_error(e, 4006, "the result of '%.*s' is not used. %.*s", TRI_STR_ARG(tri_ast_text(node->call.func)),
                       TRI_STR_ARG(callee.ce->function->must_use_message));
        return false;
    }
    if (callee.ce->kind == TRI_VALUE_BUILTIN && tri_str_is(callee.ce->string, "triton.language.advance")) {
        tri_eval_error(e, 4006, "the result of '%.*s' is not used: it does not change the block pointer in place",
                       TRI_STR_ARG(tri_ast_text(node->call.func)));
        tri_eval_note(e, "assign it: ptr = tl.advance(ptr, offsets)");
        return false;
    }
    return true;
}

tri_ev tri_call_node(tri_eval *e, const tri_ast_node *node, bool is_unused)
{
    tri_place saved = tri_expr_enter(e, node);
    tri_ev callee = tri_expr_eval(e, node->call.func), result;
    tri_call_args args = {0};
    bool is_builtin = callee.kind == TRI_EV_CE && callee.ce->kind == TRI_VALUE_BUILTIN;
    if (is_builtin && tri_str_is(callee.ce->string, "triton.language.static_assert"))
        result = static_assert_form(e, node);
    else if (is_builtin && tri_str_is(callee.ce->string, "triton.language.static_print"))
        result = static_print_form(e, node);
    else if (is_unused && !check_used(e, callee, node))
        result = (tri_ev){0};
    else if (!tri_call_evaluate_args(e, node, &args))
        result = (tri_ev){0};
    else
        result = call_value(e, callee, &args, node->span);
    tri_expr_leave(e, saved);
    return result;
}
