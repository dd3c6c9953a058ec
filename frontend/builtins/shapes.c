/* Shape manipulation. */
#include "frontend/builtins/builtins.h"

#include <stdlib.h>

tri_ev tri_builtin_broadcast(tri_eval *e, const tri_ev *args)
{
    tri_ev pair[2];
    if (!tri_arg_tensor(e, args, 0, &pair[0]) || !tri_arg_tensor(e, args, 1, &pair[1]) ||
        !tri_semantic_broadcast(e, &pair[0], &pair[1]))
        return (tri_ev){0};
    return tri_ev_make_tuple(e, 2, pair);
}

static bool tensor_and_shape(tri_eval *e, const tri_ev *args, tri_ev *x, int *rank, int64_t *shape)
{
    return tri_arg_tensor(e, args, 0, x) && tri_arg_shape(e, args, 1, rank, shape);
}

tri_ev tri_builtin_broadcast_to(tri_eval *e, const tri_ev *args)
{
    tri_ev x;
    int rank;
    int64_t shape[TRI_MAX_TENSOR_RANK];
    if (!tensor_and_shape(e, args, &x, &rank, shape) || !tri_semantic_check_shape(e, rank, shape))
        return (tri_ev){0};
    return tri_semantic_broadcast_to(e, x, rank, shape);
}

static int compare_ints(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

tri_ev tri_builtin_expand_dims(tri_eval *e, const tri_ev *args)
{
    tri_ev x, single = args[1];
    if (!tri_arg_tensor(e, args, 0, &x))
        return (tri_ev){0};
    int n = args[1].kind == TRI_EV_TUPLE ? args[1].tuple->count : 1;
    const tri_ev *at = args[1].kind == TRI_EV_TUPLE ? args[1].tuple->at : &single;
    int rank = (tri_ev_is_block(x) ? x.type->rank : 0) + n;
    int axes[TRI_MAX_TENSOR_RANK];
    if (rank > TRI_MAX_TENSOR_RANK)
        return tri_arg_error(e, 1, 3010, "a block of rank %d: at most %d is supported", rank, TRI_MAX_TENSOR_RANK);
    for (int i = 0; i < n; i++) {
        int64_t axis;
        if (!tri_ev_get_int(at[i], &axis) || axis < -rank || axis >= rank)
            return tri_arg_error(e, 1, 3022,
                                 "an axis of the result must be a compile-time integer in [%d, %d), but this is %s",
                                 -rank, rank, tri_eval_describe(e, at[i]));
        axes[i] = (int)(axis < 0 ? axis + rank : axis);
        for (int k = 0; k < i; k++)
            if (axes[k] == axes[i])
                return tri_arg_error(e, 1, 3022, "axis %d is given twice", axes[i]);
    }
    qsort(axes, (size_t)n, sizeof *axes, compare_ints);
    for (int i = 0; i < n; i++)
        x = tri_shape_expand_dims(e, x, axes[i]);
    return x;
}

/* data: 1 for the deprecated view, which may reorder */
tri_ev tri_builtin_reshape(tri_eval *e, const tri_ev *args)
{
    tri_ev x;
    int rank;
    bool reorder = tri_builtins_current(e)->data;
    int64_t shape[TRI_MAX_TENSOR_RANK];
    if (!tensor_and_shape(e, args, &x, &rank, shape) || (!reorder && !tri_arg_bool(e, args, 2, false, &reorder)))
        return (tri_ev){0};
    if (tri_builtins_current(e)->data)
        tri_eval_warning(e, "deprecated", "tl.view may reorder elements; use tl.reshape, or trans for a transposition");
    return tri_shape_reshape(e, x, rank, shape, reorder);
}

tri_ev tri_builtin_ravel(tri_eval *e, const tri_ev *args)
{
    tri_ev x;
    bool reorder;
    if (!tri_arg_tensor(e, args, 0, &x) || !tri_arg_bool(e, args, 1, false, &reorder))
        return (tri_ev){0};
    int64_t n = tri_types_numel(x.type);
    return tri_shape_reshape(e, x, 1, &n, reorder);
}

/* data: 1 when the axes may be left out (trans) */
tri_ev tri_builtin_permute(tri_eval *e, const tri_ev *args)
{
    tri_ev x;
    int n;
    int64_t dims[TRI_MAX_TENSOR_RANK];
    if (!tensor_and_shape(e, args, &x, &n, dims))
        return (tri_ev){0};
    int rank = tri_ev_is_block(x) ? x.type->rank : 0;
    if (n == 0 && tri_builtins_current(e)->data) {
        if (rank < 2)
            return tri_arg_error(e, 0, 3022, "tl.trans without axes needs at least two axes, but this is '%s'",
                                 tri_eval_type_name(e, x.type));
        for (n = 0; n < rank; n++)
            dims[n] = n;
        dims[rank - 2] = rank - 1;
        dims[rank - 1] = rank - 2;
    }
    return tri_shape_permute(e, x, n, dims);
}

tri_ev tri_builtin_join(tri_eval *e, const tri_ev *args)
{
    tri_ev x, y;
    if (!tri_arg_tensor(e, args, 0, &x) || !tri_arg_tensor(e, args, 1, &y))
        return (tri_ev){0};
    return tri_shape_join(e, x, y);
}

tri_ev tri_builtin_split(tri_eval *e, const tri_ev *args)
{
    tri_ev x, pair[2];
    if (!tri_arg_block(e, args, 0, &x))
        return (tri_ev){0};
    if (x.type->shape[x.type->rank - 1] != 2)
        return tri_arg_error(e, 0, 3009, "tl.split needs a last dimension of 2, but the shape is %s",
                             tri_eval_shape_name(e, x.type->rank, x.type->shape));
    bool scalars = x.type->rank == 1;
    if (scalars)
        x = tri_shape_expand_dims(e, x, 0);
    const tri_type *half = tri_types_block(e->arena, x.type->element, x.type->rank - 1, x.type->shape);
    MlirType types[2] = {tri_emit_type(e, half), tri_emit_type(e, half)};
    MlirOperation op = tri_builder_create(
        &e->b,
        &(tri_op){.name = "tt.split", .num_operands = 1, .operands = &x.value, .num_results = 2, .results = types});
    for (int i = 0; i < 2; i++) {
        pair[i] = tri_ev_tensor(mlirOperationGetResult(op, i), half);
        if (scalars)
            pair[i] = tri_shape_unsplat(e, pair[i]);
    }
    return tri_ev_make_tuple(e, 2, pair);
}

tri_ev tri_builtin_cat(tri_eval *e, const tri_ev *args)
{
    tri_ev x, y;
    int dim;
    int64_t order[TRI_MAX_TENSOR_RANK], shape[TRI_MAX_TENSOR_RANK];
    if (!tri_arg_block(e, args, 0, &x) || !tri_arg_block(e, args, 1, &y) ||
        !tri_arg_axis(e, args, 3, x.type->rank, &dim))
        return (tri_ev){0};
    int rank = x.type->rank;
    if (!tri_types_equal(x.type, y.type))
        return tri_arg_error(e, 1, 3009, "tl.cat needs two blocks of one type, but these are '%s' and '%s'",
                             tri_eval_type_name(e, x.type), tri_eval_type_name(e, y.type));
    tri_ev joined = tri_shape_join(e, x, y);
    for (int i = 0, k = 0; i <= rank; i++)
        order[i] = i == dim ? rank : k++;
    memcpy(shape, x.type->shape, sizeof *shape * (size_t)rank);
    shape[dim] *= 2;
    return tri_shape_reshape(e, tri_shape_permute(e, joined, rank + 1, order), rank, shape, false);
}

tri_ev tri_builtin_item(tri_eval *e, const tri_ev *args)
{
    tri_ev x;
    if (!tri_arg_tensor(e, args, 0, &x))
        return (tri_ev){0};
    if (tri_types_numel(x.type) != 1)
        return tri_arg_error(e, 0, 3009, "'.item()' needs one element, but this is '%s'",
                             tri_eval_type_name(e, x.type));
    return tri_ev_is_block(x) ? tri_shape_unsplat(e, x) : x;
}

tri_ev tri_builtin_gather(tri_eval *e, const tri_ev *args)
{
    tri_ev src, index;
    int axis;
    if (!tri_arg_block(e, args, 0, &src) || !tri_arg_block(e, args, 1, &index) ||
        !tri_arg_axis(e, args, 2, src.type->rank, &axis))
        return (tri_ev){0};
    if (!tri_types_is_int(index.type))
        return tri_arg_error(e, 1, 3012, "the index of tl.gather must be of integers, but this is '%s'",
                             tri_eval_type_name(e, index.type));
    bool ok = src.type->rank == index.type->rank;
    for (int i = 0; ok && i < src.type->rank; i++)
        ok = i == axis || src.type->shape[i] == index.type->shape[i];
    if (!ok)
        return tri_arg_error(e, 1, 3009, "the source %s and the index %s of tl.gather may differ only along axis %d",
                             tri_eval_shape_name(e, src.type->rank, src.type->shape),
                             tri_eval_shape_name(e, index.type->rank, index.type->shape), axis);
    tri_attr attr = {"axis", tri_attr_i32(e->mlir, axis)};
    const tri_type *result = tri_types_with_element(e->arena, index.type, src.type->element);
    return tri_emit_op(e, "tt.gather", result, 2, (tri_ev[]){src, index}, 1, &attr);
}

tri_ev tri_builtin_histogram(tri_eval *e, const tri_ev *args)
{
    tri_ev operands[2];
    int64_t bins;
    bool masked = !tri_ev_is_none(args[2]);
    if (!tri_arg_block(e, args, 0, &operands[0]) || !tri_arg_int(e, args, 1, 0, &bins) ||
        (masked && !tri_arg_tensor(e, args, 2, &operands[1])))
        return (tri_ev){0};
    tri_ev x = operands[0];
    if (x.type->rank != 1 || !tri_types_is_int(x.type) || tri_types_dtype_bits(x.type->dtype) != 32)
        return tri_arg_error(e, 0, 3012, "tl.histogram needs a rank-1 block of 32-bit integers, but this is '%s'",
                             tri_eval_type_name(e, x.type));
    if (!tri_semantic_check_shape(e, 1, &bins))
        return (tri_ev){0};
    if (masked) {
        operands[1] = tri_semantic_broadcast_to(e, operands[1], 1, x.type->shape);
        if (tri_ev_is_error(operands[1]))
            return (tri_ev){0};
        if (operands[1].type->dtype != TRI_DTYPE_INT1)
            return tri_arg_error(e, 2, 3012, "a mask must be of type int1, but this is '%s'",
                                 tri_eval_type_name(e, operands[1].type));
    }
    return tri_emit_op(e, "tt.histogram", tri_types_block(e->arena, tri_types_scalar(TRI_DTYPE_INT32), 1, &bins),
                       masked ? 2 : 1, operands, 0, NULL);
}
