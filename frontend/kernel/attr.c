/* Attributes and subscripts. */
#include "frontend/kernel/frame.h"
#include "frontend/builtins/builtins.h"
#include "frontend/kernel/type_query.h"

static tri_ev no_attribute(tri_eval *e, tri_ev base, tri_str name, const tri_ast_node *node)
{
    tri_span at = node->kind == TRI_AST_ATTRIBUTE ? tri_ast_name_span(node) : node->span;
    if (base.kind == TRI_EV_CE && tri_module_is_namespace(base.ce)) {
        tri_ev r =
            tri_eval_error_at(e, at, 3003, "'%.*s' has no '%.*s'", TRI_STR_ARG(base.ce->string), TRI_STR_ARG(name));
        const char *near = tri_builtins_nearest(
            e, tri_str_format(e->arena, "%.*s.%.*s", TRI_STR_ARG(base.ce->string), TRI_STR_ARG(name)));
        if (near && tri_str_has_prefix(tri_str_from(near), base.ce->string.data))
            tri_diag_fix(e->diag, at, "%s", strrchr(near, '.') + 1);
        return r;
    }
    tri_ev r =
        tri_eval_error_at(e, at, 3003, "%s has no attribute '%.*s'", tri_eval_describe(e, base), TRI_STR_ARG(name));
    if (tri_ev_is_tensor(base) && tri_str_is(name, "astype")) /* as NumPy spells it */
        tri_diag_fix(e->diag, at, "to");
    bool is_pointer = tri_ev_is_tensor(base) && base.type->kind == TRI_TYPE_PTR;
    if (is_pointer && tri_builtins_desc_method(e, name).len)
        tri_eval_note(e, "tensor descriptors have it: tensordesc<fp32[64, 64]> in -sig, desc:64x64:ARRAY for tritrun");
    return r;
}

static tri_ev bind(tri_eval *e, tri_ev self, const tri_value *function, tri_str name)
{
    tri_ev_method *m = TRI_NEW(e->arena, tri_ev_method);
    *m = (tri_ev_method){self, function, name};
    return (tri_ev){.kind = TRI_EV_METHOD, .method = m};
}

/* ---- types ---- */

static tri_ev type_attribute(tri_eval *e, tri_ev base, const tri_type *t, tri_str name, const tri_ast_node *node)
{
    const tri_value *v = tri_type_query_attribute(e->arena, t, name);
    if (v)
        return tri_ev_from_value(e, v);
    return tri_type_query_is_method(t, name) ? bind(e, tri_ev_dtype(e, t), NULL, name)
                                             : no_attribute(e, base, name, node);
}

tri_ev tri_attr_call_type_method(tri_eval *e, const tri_type *t, tri_str name, int count, const tri_ev *args)
{
    const tri_value *values[4];
    for (int i = 0; i < count && i < 4; i++) {
        if (tri_ev_is_error(args[i]))
            return args[i];
        values[i] = tri_ev_to_value(e, args[i]);
        if (!values[i])
            return tri_eval_error(e, 3013, "'%.*s' of a type takes compile-time values, but this is %s",
                                  TRI_STR_ARG(name), tri_eval_describe(e, args[i]));
    }
    const tri_value *v = count <= 4 ? tri_type_query_call(e->arena, t, name, (size_t)count, values) : NULL;
    return v ? tri_ev_from_value(e, v)
             : tri_eval_error(e, 3004, "'%.*s' of a type does not take these arguments", TRI_STR_ARG(name));
}

/* ---- tensors and the rest ---- */

static tri_ev tensor_attribute(tri_eval *e, tri_ev x, tri_str name, const tri_ast_node *node)
{
    if (tri_str_is(name, "shape"))
        return tri_ev_is_block(x) ? tri_ev_shape(e, x.type->rank, x.type->shape) : tri_ev_make_tuple(e, 0, NULL);
    if (tri_str_is(name, "dtype"))
        return tri_ev_dtype(e, tri_types_element(x.type));
    if (tri_str_is(name, "type"))
        return tri_ev_dtype(e, x.type);
    if (tri_str_is(name, "numel"))
        return tri_ev_int(e, tri_types_numel(x.type));
    if (tri_str_is(name, "T")) {
        if (!tri_ev_is_block(x) || x.type->rank != 2)
            return tri_eval_error(e, 3022, "'.T' needs a block of rank 2, but this is '%s'; use tl.trans",
                                  tri_eval_type_name(e, x.type));
        return tri_shape_permute(e, x, 2, (int64_t[]){1, 0});
    }
    tri_str path = tri_builtins_method(e, name);
    if (path.len)
        return bind(e, x, tri_value_builtin(e->arena, path), name);
    return no_attribute(e, x, name, node);
}

static tri_ev desc_attribute(tri_eval *e, tri_ev x, tri_str name, const tri_ast_node *node)
{
    const tri_ev_desc *d = x.desc;
    if (tri_str_is(name, "shape"))
        return tri_ev_make_tuple(e, d->rank, d->shape);
    if (tri_str_is(name, "strides"))
        return tri_ev_make_tuple(e, d->rank, d->strides);
    if (tri_str_is(name, "block_shape"))
        return tri_ev_shape(e, d->block->rank, d->block->shape);
    if (tri_str_is(name, "dtype"))
        return tri_ev_dtype(e, tri_types_element(d->block));
    if (tri_str_is(name, "block_type") || tri_str_is(name, "type"))
        return tri_ev_dtype(e, d->block);
    tri_str path = tri_builtins_desc_method(e, name);
    if (path.len)
        return bind(e, x, tri_value_builtin(e->arena, path), name);
    return no_attribute(e, x, name, node);
}

static tri_ev block_ptr_attribute(tri_eval *e, tri_ev x, tri_str name, const tri_ast_node *node)
{
    const tri_ev_block_ptr *p = x.block_ptr;
    if (tri_str_is(name, "dtype"))
        return tri_ev_dtype(e, p->base.type);
    if (tri_str_is(name, "type"))
        return tri_ev_dtype(e, tri_types_pointer(e->arena, tri_types_block(e->arena, p->base.type->element, p->rank,
                                                                         p->block_shape), 1, false));
    if (tri_str_is(name, "shape") || tri_str_is(name, "block_shape"))
        return tri_ev_shape(e, p->rank, p->block_shape);
    if (tri_str_is(name, "advance") || tri_str_is(name, "store"))
        return bind(e, x,
                    tri_value_builtin(e->arena, tri_str_format(e->arena, "triton.language.%.*s", TRI_STR_ARG(name))),
                    name);
    return no_attribute(e, x, name, node);
}

/* The type of a constant, which only compares: equal for equal constants. */
static tri_ev constant_type(tri_eval *e, const tri_value *v)
{
    tri_value *t = tri_value_object_create(e->arena, "triton.language.constexpr_type");
    tri_value_set_field(e->arena, t, "value", v);
    return tri_ev_from_value(e, t);
}

static tri_ev ce_attribute(tri_eval *e, tri_ev base, tri_str name, const tri_ast_node *node)
{
    const tri_value *v = base.ce;
    if (tri_str_is(name, "value") && v->kind != TRI_VALUE_OBJECT && v->kind != TRI_VALUE_MODULE &&
        v->kind != TRI_VALUE_CLASS)
        return base; /* old code unwraps constexprs by hand */
    if (v->kind == TRI_VALUE_DTYPE)
        return type_attribute(e, base, v->type, name, node);
    tri_global g = {0};
    switch (v->kind) {
    case TRI_VALUE_MODULE:
    case TRI_VALUE_BUILTIN:
    case TRI_VALUE_CLASS:
    case TRI_VALUE_FUNCTION:
    case TRI_VALUE_OBJECT:
    case TRI_VALUE_EXTERNAL:
        switch (tri_module_attribute(e->modules, v, name, tri_ast_name_span(node), &g)) {
        case TRI_LOOKUP_FAILED:
            return (tri_ev){0};
        case TRI_LOOKUP_FOUND:
            if (v->kind == TRI_VALUE_MODULE && !tri_module_can_kernel_read(g.value)) {
                tri_module_report_unreadable(e->modules, name, &g, node->span);
                return (tri_ev){0};
            }
            return tri_ev_from_value(e, g.value);
        case TRI_LOOKUP_ABSENT:
            return no_attribute(e, base, name, node);
        }
        return (tri_ev){0};
    case TRI_VALUE_STR: {
        tri_value *m = TRI_NEW(e->arena, tri_value);
        m->kind = TRI_VALUE_METHOD;
        m->method.self = v;
        m->method.name = name;
        return tri_ev_from_value(e, m);
    }
    default:
        return tri_str_is(name, "type") ? constant_type(e, v) : no_attribute(e, base, name, node);
    }
}

static tri_ev tuple_attribute(tri_eval *e, tri_ev base, tri_str name, const tri_ast_node *node)
{
    const tri_class *cls = base.tuple->cls;
    for (size_t i = 0; cls && i < cls->fields.len; i++)
        if (tri_str_equal(cls->fields.at[i], name))
            return base.tuple->at[i];
    if (cls)
        return tri_object_attribute(e, base, name, node);
    const tri_value *v = tri_str_is(name, "type") ? tri_ev_to_value(e, base) : NULL;
    return v ? constant_type(e, v) : no_attribute(e, base, name, node);
}

tri_ev tri_attr_get(tri_eval *e, tri_ev base, tri_str name, const tri_ast_node *node)
{
    switch (base.kind) {
    case TRI_EV_ERROR:
        return base;
    case TRI_EV_CE:
        return ce_attribute(e, base, name, node);
    case TRI_EV_TENSOR:
        return tensor_attribute(e, base, name, node);
    case TRI_EV_DESC:
        return desc_attribute(e, base, name, node);
    case TRI_EV_BLOCK_PTR:
        return block_ptr_attribute(e, base, name, node);
    case TRI_EV_OBJECT:
        return tri_object_attribute(e, base, name, node);
    case TRI_EV_TUPLE:
        return tuple_attribute(e, base, name, node);
    default:
        return no_attribute(e, base, name, node);
    }
}

/* ---- subscripts ---- */

static bool is_full_slice(tri_ev v)
{
    return v.kind == TRI_EV_SLICE && tri_ev_is_none(v.slice->start) && tri_ev_is_none(v.slice->stop) &&
           tri_ev_is_none(v.slice->step);
}

static tri_ev tensor_subscript(tri_eval *e, tri_ev x, tri_ev index)
{
    tri_ev single = index;
    int n = index.kind == TRI_EV_TUPLE ? index.tuple->count : 1, axes = 0;
    const tri_ev *at = index.kind == TRI_EV_TUPLE ? index.tuple->at : &single;
    int rank = tri_ev_is_block(x) ? x.type->rank : 0;
    for (int i = 0; i < n; i++)
        axes += is_full_slice(at[i]);
    if (axes > rank && rank > 0) /* the ':' of a scalar's [None, :] says nothing, as upstream */
        return tri_eval_error(e, 3022, "%d axes are indexed, but the value has %d", axes, rank);
    for (int i = 0; i < n; i++) {
        if (tri_ev_is_error(at[i]))
            return (tri_ev){0};
        if (tri_ev_is_none(at[i])) {
            int now = tri_ev_is_block(x) ? x.type->rank : 0;
            x = tri_shape_expand_dims(e, x, i < now ? i : now);
        } else if (!is_full_slice(at[i])) {
            tri_ev r = tri_eval_error(e, 4001, "a tensor can be indexed only with ':' and None, not with %s",
                                      tri_eval_describe(e, at[i]));
            tri_eval_note(
                e, "select with tl.where and a reduction, or with tl.gather; or load what is needed from memory");
            return r;
        }
    }
    return x;
}

static tri_ev tuple_subscript(tri_eval *e, tri_ev x, tri_ev index)
{
    int64_t i;
    int n = x.tuple->count;
    if (index.kind == TRI_EV_SLICE) {
        int64_t step = 1, start, stop;
        const tri_ev_slice *s = index.slice;
        if ((!tri_ev_is_none(s->step) && !tri_ev_get_int(s->step, &step)) || step == 0)
            return tri_eval_error(e, 3013, "the step of a slice must be a compile-time integer other than zero");
        start = step > 0 ? 0 : n - 1;
        stop = step > 0 ? n : -1;
        if ((!tri_ev_is_none(s->start) && !tri_ev_get_int(s->start, &start)) ||
            (!tri_ev_is_none(s->stop) && !tri_ev_get_int(s->stop, &stop)))
            return tri_eval_error(e, 3013, "the bounds of a slice must be compile-time integers");
        if (!tri_ev_is_none(s->start) && start < 0)
            start = start + n < 0 ? (step > 0 ? 0 : -1) : start + n;
        if (!tri_ev_is_none(s->stop) && stop < 0)
            stop = stop + n < 0 ? (step > 0 ? 0 : -1) : stop + n;
        if (start >= n)
            start = step > 0 ? n : n - 1;
        if (stop > n)
            stop = n;
        TRI_VEC(tri_ev) out = {0};
        for (int64_t k = start; step > 0 ? k < stop : k > stop; k += step)
            tri_vec_push(e->arena, &out, x.tuple->at[k]);
        return tri_ev_make_tuple(e, (int)out.len, out.at);
    }
    if (!tri_ev_get_int(index, &i))
        return tri_eval_error(e, 3013, "the index of a tuple must be a compile-time integer, but this is %s",
                              tri_eval_describe(e, index));
    if (i < -n || i >= n)
        return tri_eval_error(e, 3022, "index %lld of a tuple of %d elements", (long long)i, n);
    return x.tuple->at[i < 0 ? i + n : i];
}

tri_ev tri_attr_subscript(tri_eval *e, tri_ev base, const tri_ast_node *node)
{
    tri_ev index = tri_expr_eval(e, node), method;
    if (tri_ev_is_error(base) || tri_ev_is_error(index))
        return (tri_ev){0};
    switch (base.kind) {
    case TRI_EV_TENSOR:
        return tensor_subscript(e, base, index);
    case TRI_EV_TUPLE:
        return tuple_subscript(e, base, index);
    case TRI_EV_OBJECT:
        if (tri_object_find_method(e, base, TRI_STR("__getitem__"), &method))
            return tri_call_simple(e, method, 1, &index);
        break;
    case TRI_EV_CE: {
        const tri_value *i = tri_ev_to_value(e, index);
        tri_value_ops ops = {.arena = e->arena, .budget = tri_module_budget(e->modules)};
        if (!i)
            return tri_eval_error(e, 3013, "the index of %s must be known at compile time", tri_eval_describe(e, base));
        const tri_value *v = tri_value_subscript(&ops, base.ce, i);
        return v ? tri_ev_from_value(e, v) : tri_eval_error(e, 3022, "%.*s", TRI_STR_ARG(ops.error));
    }
    default:
        break;
    }
    return tri_eval_error(e, 4001, "%s can not be indexed", tri_eval_describe(e, base));
}
