/* Programming model, creation, casts. */
#include "frontend/builtins/builtins.h"

static tri_ev grid_query(tri_eval *e, const tri_ev *args, const char *op)
{
    int64_t axis;
    if (!tri_arg_int(e, args, 0, 0, &axis))
        return (tri_ev){0};
    if (axis < 0 || axis > 2)
        return tri_arg_error(e, 0, 3022, "the axis of a grid is 0, 1 or 2, not %lld", (long long)axis);
    tri_attr attr = {"axis", tri_attr_i32(e->mlir, (int32_t)axis)};
    return tri_emit_op(e, op, tri_types_scalar(TRI_DTYPE_INT32), 0, NULL, 1, &attr);
}

tri_ev tri_builtin_program_id(tri_eval *e, const tri_ev *args) { return grid_query(e, args, "tt.get_program_id"); }
tri_ev tri_builtin_num_programs(tri_eval *e, const tri_ev *args) { return grid_query(e, args, "tt.get_num_programs"); }

tri_ev tri_builtin_to_tensor(tri_eval *e, const tri_ev *args) { return tri_semantic_to_tensor(e, args[0]); }
tri_ev tri_builtin_constexpr(tri_eval *e, const tri_ev *args)
{
    if (args[0].kind == TRI_EV_CE || args[0].kind == TRI_EV_TUPLE)
        return args[0];
    return tri_arg_error(e, 0, 3013, "tl.constexpr takes a compile-time value, but this is %s",
                         tri_eval_describe(e, args[0]));
}

/* Constants of the language are values here: there is nothing to unwrap. Libraries of kernels call it for Triton's. */
tri_ev tri_builtin_unwrap_if_constexpr(tri_eval *e, const tri_ev *args)
{
    (void)e;
    return args[0];
}

tri_ev tri_builtin_arange(tri_eval *e, const tri_ev *args)
{
    int64_t start, end;
    if (tri_ev_is_none(args[0]) || tri_ev_is_none(args[1]))
        return tri_eval_error(e, 3013, "tl.arange needs a start and an end");
    if (!tri_arg_int(e, args, 0, 0, &start) || !tri_arg_int(e, args, 1, 0, &end))
        return (tri_ev){0};
    if (start < 0 || start > UINT32_MAX || end > UINT32_MAX)
        return tri_arg_error(e, start < 0 || start > UINT32_MAX ? 0 : 1, 3007,
                             "the bounds of tl.arange must fit in 32 bits and not be negative");
    if (end <= start)
        return tri_arg_error(e, 1, 3007,
                             "the end of tl.arange must be greater than its start, but they are %lld and %lld",
                             (long long)end, (long long)start);
    int64_t n = end - start;
    if (n & (n - 1)) {
        int64_t up = 1;
        while (up < n)
            up *= 2;
        tri_ev r = tri_eval_error(e, 3010, "the length of tl.arange must be a power of two, but %lld - %lld is %lld",
                                  (long long)end, (long long)start, (long long)n);
        tri_eval_note(e, "use tl.arange(%lld, %lld) and mask the elements past %lld", (long long)start,
                      (long long)(start + up), (long long)end);
        return r;
    }
    if (!tri_semantic_check_shape(e, 1, &n))
        return (tri_ev){0};
    tri_attr attrs[] = {{"start", tri_attr_i32(e->mlir, (int32_t)start)}, {"end", tri_attr_i32(e->mlir, (int32_t)end)}};
    return tri_emit_op(e, "tt.make_range", tri_types_block(e->arena, tri_types_scalar(TRI_DTYPE_INT32), 1, &n), 0, NULL,
                       2, attrs);
}

static tri_ev make_full(tri_eval *e, int rank, const int64_t *shape, tri_ev value, const tri_type *type)
{
    tri_num n;
    if (type->kind == TRI_TYPE_BLOCK)
        type = type->element;
    if (!tri_semantic_check_shape(e, rank, shape))
        return (tri_ev){0};
    if (tri_ev_get_num(value, &n) && type->kind == TRI_TYPE_SCALAR)
        return tri_semantic_splat(e, tri_semantic_constant(e, &n, type->dtype), rank, shape);
    if (tri_ev_is_block(value) && tri_types_numel(value.type) == 1)
        value = tri_shape_unsplat(e, value);
    if (tri_ev_is_block(value))
        return tri_eval_error(e, 3012, "the value of tl.full must be a scalar, but this is '%s'",
                              tri_eval_type_name(e, value.type));
    return tri_semantic_splat(e, tri_semantic_cast(e, tri_semantic_to_tensor(e, value), type, TRI_ROUND_DEFAULT), rank,
                              shape);
}

tri_ev tri_builtin_full(tri_eval *e, const tri_ev *args)
{
    int rank;
    int64_t shape[TRI_MAX_TENSOR_RANK];
    const tri_type *type;
    if (!tri_arg_shape(e, args, 0, &rank, shape) || !(type = tri_arg_dtype(e, args, 2)))
        return (tri_ev){0};
    return make_full(e, rank, shape, args[1], type);
}

tri_ev tri_builtin_zeros(tri_eval *e, const tri_ev *args)
{
    int rank;
    int64_t shape[TRI_MAX_TENSOR_RANK];
    const tri_type *type;
    if (!tri_arg_shape(e, args, 0, &rank, shape) || !(type = tri_arg_dtype(e, args, 1)))
        return (tri_ev){0};
    return make_full(e, rank, shape, tri_ev_int(e, 0), type);
}

tri_ev tri_builtin_zeros_like(tri_eval *e, const tri_ev *args)
{
    tri_ev x;
    if (!tri_arg_tensor(e, args, 0, &x))
        return (tri_ev){0};
    bool block = tri_ev_is_block(x);
    return make_full(e, block ? x.type->rank : 0, x.type->shape, tri_ev_int(e, 0), tri_types_element(x.type));
}

tri_ev tri_builtin_cast(tri_eval *e, const tri_ev *args)
{
    static const char *const roundings[] = {"", "rtne", "rtz", NULL};
    tri_ev x;
    int rounding;
    bool bitcast;
    const tri_type *type;
    if (!tri_arg_tensor(e, args, 0, &x) || !(type = tri_arg_dtype(e, args, 1)) ||
        !tri_arg_word(e, args, 2, "rounding mode", roundings, 0, &rounding) ||
        !tri_arg_bool(e, args, 3, false, &bitcast))
        return (tri_ev){0};
    type = tri_types_element(type);
    return bitcast ? tri_semantic_bitcast(e, x, type) : tri_semantic_cast(e, x, type, (tri_rounding)rounding);
}
