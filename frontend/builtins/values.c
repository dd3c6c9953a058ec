/* Type objects and small compile-time helpers of the library. */
#include "frontend/builtins/builtins.h"
#include "frontend/kernel/type_query.h"

tri_ev tri_builtin_pointer_type(tri_eval *e, const tri_ev *args)
{
    const tri_type *t = tri_arg_dtype(e, args, 0);
    int64_t space;
    bool is_const;
    if (!t || !tri_arg_int(e, args, 1, 1, &space) || !tri_arg_bool(e, args, 2, false, &is_const))
        return (tri_ev){0};
    if (t->kind != TRI_TYPE_SCALAR)
        return tri_arg_error(e, 0, 3012,
                             "a pointer points to a scalar type, not to '%s'; load an int64 and cast it with "
                             ".to(tl.pointer_type(...))",
                             tri_eval_type_name(e, t));
    return tri_ev_dtype(e, tri_types_pointer(e->arena, t, (unsigned)space, is_const));
}

tri_ev tri_builtin_block_type(tri_eval *e, const tri_ev *args)
{
    const tri_type *t = tri_arg_dtype(e, args, 0);
    int rank;
    int64_t shape[TRI_MAX_TENSOR_RANK];
    if (!t || !tri_arg_shape(e, args, 1, &rank, shape) || !tri_semantic_check_shape(e, rank, shape))
        return (tri_ev){0};
    return tri_ev_dtype(e, tri_types_block(e->arena, t, rank, shape));
}

tri_ev tri_builtin_dtype(tri_eval *e, const tri_ev *args)
{
    const tri_type *t = tri_arg_dtype(e, args, 0);
    return t ? tri_ev_dtype(e, t) : (tri_ev){0};
}

tri_ev tri_builtin_tuple(tri_eval *e, const tri_ev *args)
{
    if (tri_ev_is_none(args[0]))
        return tri_ev_make_tuple(e, 0, NULL);
    return args[0].kind == TRI_EV_TUPLE
               ? args[0]
               : tri_arg_error(e, 0, 3012, "%s can not be a tuple", tri_eval_describe(e, args[0]));
}

tri_ev tri_builtin_log2(tri_eval *e, const tri_ev *args)
{
    int64_t n, log = 0;
    if (!tri_arg_int(e, args, 0, 0, &n))
        return (tri_ev){0};
    while (n > 1) {
        n >>= 1;
        log++;
    }
    return tri_ev_int(e, log);
}

tri_ev tri_builtin_is_power_of_two(tri_eval *e, const tri_ev *args)
{
    int64_t n;
    if (!tri_arg_int(e, args, 0, 0, &n))
        return (tri_ev){0};
    return tri_ev_bool(e, n > 0 && (n & (n - 1)) == 0);
}

tri_ev tri_builtin_get_int_dtype(tri_eval *e, const tri_ev *args)
{
    int64_t bits;
    bool is_signed;
    if (!tri_arg_int(e, args, 0, 0, &bits) || !tri_arg_bool(e, args, 1, true, &is_signed))
        return (tri_ev){0};
    const tri_type *t = tri_type_query_int(bits, is_signed);
    if (t)
        return tri_ev_dtype(e, t);
    return tri_arg_error(e, 0, 3012, "there is no integer type of %lld bits", (long long)bits);
}

/* tl.constexpr_type(v): what `.type` of the constant v is. */
tri_ev tri_builtin_constexpr_type(tri_eval *e, const tri_ev *args)
{
    tri_ast_node *node = tri_ast_new(e->arena, TRI_AST_NONE, e->at);
    if (args[0].kind != TRI_EV_CE && !tri_ev_to_value(e, args[0]))
        return tri_arg_error(e, 0, 3013, "only compile-time constants have such a type, but this is %s",
                             tri_eval_describe(e, args[0]));
    return tri_attr_get(e, args[0], TRI_STR("type"), node);
}

tri_ev tri_builtin_slice(tri_eval *e, const tri_ev *args)
{
    (void)e;
    tri_ev_slice *slice = TRI_NEW(e->arena, tri_ev_slice);
    *slice = (tri_ev_slice){args[0], args[1], args[2]};
    return (tri_ev){.kind = TRI_EV_SLICE, .slice = slice};
}

/* _wrap_axis(axis, ndim) */
tri_ev tri_builtin_wrap_axis(tri_eval *e, const tri_ev *args)
{
    int64_t rank;
    int axis;
    if (tri_ev_is_none(args[0]))
        return args[0];
    if (!tri_arg_int(e, args, 1, 0, &rank) || !tri_arg_axis(e, args, 0, (int)rank, &axis))
        return (tri_ev){0};
    return tri_ev_int(e, axis);
}

/* _get_flip_dim(dim, shape): the last dimension when there is none. */
tri_ev tri_builtin_flip_dim(tri_eval *e, const tri_ev *args)
{
    if (args[1].kind != TRI_EV_TUPLE)
        return tri_arg_error(e, 1, 3012, "this must be a shape, but it is %s", tri_eval_describe(e, args[1]));
    int rank = args[1].tuple->count, axis = rank - 1;
    if (!tri_ev_is_none(args[0]) && !tri_arg_axis(e, args, 0, rank, &axis))
        return (tri_ev){0};
    return tri_ev_int(e, axis);
}

/* _pick_sum_dtype(in_dtype, dtype): sums of narrow integers are done in 32 bits. */
tri_ev tri_builtin_sum_dtype(tri_eval *e, const tri_ev *args)
{
    const tri_type *in = tri_arg_dtype(e, args, 0);
    if (!in || !tri_ev_is_none(args[1]))
        return in ? args[1] : (tri_ev){0};
    if (!tri_types_is_int(in) || tri_types_dtype_bits(in->dtype) >= 32)
        return tri_ev_none(e);
    return tri_ev_dtype(e, tri_types_scalar(tri_types_dtype_is_signed(in->dtype) ? TRI_DTYPE_INT32 : TRI_DTYPE_UINT32));
}
