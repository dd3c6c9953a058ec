/* Python's own functions, as far as a kernel may use them. */
#include "frontend/builtins/builtins.h"
#include "frontend/host/host.h"

tri_ev tri_builtin_len(tri_eval *e, const tri_ev *args)
{
    if (args[0].kind == TRI_EV_TUPLE)
        return tri_ev_int(e, args[0].tuple->count);
    if (tri_ev_is_block(args[0]))
        return tri_ev_int(e, args[0].type->shape[0]);
    tri_value_ops ops = {.arena = e->arena, .budget = tri_module_budget(e->modules)};
    const tri_value *v = tri_ev_to_value(e, args[0]), *n = v ? tri_value_len(&ops, v) : NULL;
    return n ? tri_ev_from_value(e, n) : tri_arg_error(e, 0, 3012, "%s has no len()", tri_eval_describe(e, args[0]));
}

tri_ev tri_builtin_list(tri_eval *e, const tri_ev *args)
{
    if (tri_ev_is_none(args[0]))
        return tri_ev_make_tuple(e, 0, NULL);
    return args[0].kind == TRI_EV_TUPLE
               ? args[0]
               : tri_arg_error(e, 0, 3012, "%s can not be a list", tri_eval_describe(e, args[0]));
}

/* int(x), float(x): data is the kind. */
tri_ev tri_builtin_number(tri_eval *e, const tri_ev *args)
{
    const tri_builtin *row = tri_builtins_current(e);
    if (tri_ev_is_tensor(args[0])) {
        tri_ev r = tri_arg_error(e, 0, 3013, "%s() works on compile-time values, but this is %s", row->path,
                                 tri_eval_describe(e, args[0]));
        tri_eval_note(e, "convert a tensor with .to(tl.%s)", row->data == TRI_VALUE_INT ? "int32" : "float32");
        return r;
    }
    const tri_value *v = tri_ev_to_value(e, args[0]);
    tri_host_arg arg = {TRI_STR(""), v};
    const tri_value *callee = tri_value_builtin(e->arena, tri_str_from(row->path));
    const tri_value *r = v ? tri_host_call(e->modules, callee, 1, &arg, e->at) : NULL;
    return r ? tri_ev_from_value(e, r) : (tri_ev){0};
}

static bool instance_of(tri_eval *e, tri_ev x, tri_ev cls, bool *out)
{
    if (cls.kind == TRI_EV_TUPLE) {
        *out = false;
        for (int i = 0; i < cls.tuple->count && !*out; i++)
            if (!instance_of(e, x, cls.tuple->at[i], out))
                return false;
        return true;
    }
    if (cls.kind != TRI_EV_CE)
        return false;
    *out = false;
    if (cls.ce->kind == TRI_VALUE_CLASS) {
        *out = (x.kind == TRI_EV_OBJECT && x.object->cls == cls.ce->cls) ||
               (x.kind == TRI_EV_TUPLE && x.tuple->cls == cls.ce->cls);
        return true;
    }
    if (cls.ce->kind != TRI_VALUE_BUILTIN)
        return false;
    tri_str name = cls.ce->string;
    tri_value_kind kind = x.kind == TRI_EV_CE ? x.ce->kind : TRI_VALUE_EXTERNAL;
    if (tri_str_is(name, "triton.language.tensor"))
        *out = tri_ev_is_tensor(x);
    else if (tri_str_is(name, "triton.language.tuple") || tri_str_is(name, "tuple") || tri_str_is(name, "list"))
        *out = x.kind == TRI_EV_TUPLE;
    else if (tri_str_is(name, "triton.language.dtype"))
        *out = kind == TRI_VALUE_DTYPE;
    else if (tri_str_is(name, "triton.language.pointer_type"))
        *out = kind == TRI_VALUE_DTYPE && x.ce->type->kind == TRI_TYPE_PTR;
    else if (tri_str_is(name, "triton.language.block_type"))
        *out = kind == TRI_VALUE_DTYPE && x.ce->type->kind == TRI_TYPE_BLOCK;
    else if (tri_str_is(name, "triton.language.constexpr_type"))
        *out = kind == TRI_VALUE_OBJECT && tri_str_equal(x.ce->object.path, name);
    else if (tri_str_is(name, "triton.language.tensor_descriptor") ||
             tri_str_is(name, "triton.language.tensor_descriptor_base"))
        *out = x.kind == TRI_EV_DESC;
    else if (tri_str_is(name, "int"))
        *out = kind == TRI_VALUE_INT || kind == TRI_VALUE_BOOL;
    else if (tri_str_is(name, "bool"))
        *out = kind == TRI_VALUE_BOOL;
    else if (tri_str_is(name, "float"))
        *out = kind == TRI_VALUE_FLOAT;
    else if (tri_str_is(name, "str"))
        *out = kind == TRI_VALUE_STR;
    /* constexpr wrappers are gone before anybody asks, so the rest is never the class of a value */
    return true;
}

tri_ev tri_builtin_isinstance(tri_eval *e, const tri_ev *args)
{
    bool is;
    if (!instance_of(e, args[0], args[1], &is))
        return tri_arg_error(e, 1, 3012, "isinstance() needs a class, but this is %s", tri_eval_describe(e, args[1]));
    return tri_ev_bool(e, is);
}

/* data: 1 for hasattr */
tri_ev tri_builtin_getattr(tri_eval *e, const tri_ev *args)
{
    tri_str name;
    bool has = tri_builtins_current(e)->data;
    if (!tri_arg_str(e, args, 1, "", &name))
        return (tri_ev){0};
    tri_ast_node *node = tri_ast_new(e->arena, TRI_AST_NONE, e->at);
    bool has_default = !has && !tri_ev_is_none(args[2]);
    if (!has && !has_default)
        return tri_attr_get(e, args[0], name, node);
    tri_diag_hold(e->diag);
    tri_ev v = tri_attr_get(e, args[0], name, node);
    tri_diag_drop(e->diag);
    if (has)
        return tri_ev_bool(e, !tri_ev_is_error(v));
    return tri_ev_is_error(v) ? args[2] : v;
}

/* min, max: data is 1 for max. */
tri_ev tri_builtin_python_minmax(tri_eval *e, const tri_ev *args)
{
    bool is_max = tri_builtins_current(e)->data;
    tri_ev list = args[0];
    if (list.tuple->count == 1 && list.tuple->at[0].kind == TRI_EV_TUPLE)
        list = list.tuple->at[0];
    int n = list.tuple->count;
    bool constant = true;
    if (n < 1)
        return tri_eval_error(e, 3004, "%s() needs at least one argument", is_max ? "max" : "min");
    for (int i = 0; i < n; i++) {
        tri_num num;
        bool is_num = tri_ev_get_num(list.tuple->at[i], &num);
        if (!is_num && !tri_ev_is_tensor(list.tuple->at[i]))
            return tri_arg_error(e, 0, 3012, "%s() compares numbers and tensors, but this is %s",
                                 is_max ? "max" : "min", tri_eval_describe(e, list.tuple->at[i]));
        if (is_num && num.kind == TRI_NUM_FLOAT && (num.f != num.f || (num.f == 0 && __builtin_signbit(num.f))))
            return tri_arg_error(e, 0, 3007, "%s() of NaN or -0.0 is ambiguous", is_max ? "max" : "min");
        constant = constant && is_num;
    }
    tri_ev best = list.tuple->at[0];
    for (int i = 1; i < n; i++) {
        tri_ev v = list.tuple->at[i];
        if (!constant) {
            if (tri_ev_is_block(v) || tri_ev_is_block(best))
                tri_eval_warning(e, "deprecated", "%s() of blocks; use tl.%s", is_max ? "max" : "min",
                                 is_max ? "maximum" : "minimum");
            best = tri_arith_minmax(e, is_max, best, v, false);
            continue;
        }
        bool better = false;
        if (!tri_ev_get_bool(tri_expr_compare(e, is_max ? TRI_AST_GT_OP : TRI_AST_LT_OP, v, best), &better))
            return (tri_ev){0};
        if (better)
            best = v;
    }
    return best;
}
