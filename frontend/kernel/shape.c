#include "frontend/kernel/eval.h"

#include "ir/type.h"

tri_ev tri_shape_expand_dims(tri_eval *e, tri_ev x, int axis)
{
    if (tri_ev_is_error(x))
        return x;
    int rank = tri_ev_is_block(x) ? x.type->rank : 0;
    int64_t shape[TRI_MAX_TENSOR_RANK + 1];
    if (rank >= TRI_MAX_TENSOR_RANK)
        return tri_eval_error(e, 3010, "a block of rank %d: at most %d is supported", rank + 1, TRI_MAX_TENSOR_RANK);
    for (int i = 0; i <= rank; i++)
        shape[i] = i < axis ? x.type->shape[i] : i == axis ? 1 : x.type->shape[i - 1];
    if (rank == 0)
        return tri_semantic_splat(e, x, 1, shape);
    tri_attr attr = {"axis", tri_attr_i32(e->mlir, axis)};
    return tri_emit_op(e, "tt.expand_dims", tri_types_block(e->arena, x.type->element, rank + 1, shape), 1, &x, 1,
                       &attr);
}

tri_ev tri_shape_unsplat(tri_eval *e, tri_ev x)
{
    if (tri_ev_is_error(x))
        return x;
    return tri_emit_unary(e, "tt.unsplat", tri_types_element(x.type), x);
}

tri_ev tri_shape_reshape(tri_eval *e, tri_ev x, int rank, const int64_t *shape, bool can_reorder)
{
    if (tri_ev_is_error(x))
        return x;
    int64_t numel = 1;
    for (int i = 0; i < rank; i++)
        numel *= shape[i];
    if (numel != tri_types_numel(x.type))
        return tri_eval_error(
            e, 3009, "a block of shape %s has %lld elements and can not be reshaped to %s, which has %lld",
            tri_eval_shape_name(e, tri_ev_is_block(x) ? x.type->rank : 0, x.type->shape),
            (long long)tri_types_numel(x.type), tri_eval_shape_name(e, rank, shape), (long long)numel);
    if (!tri_semantic_check_shape(e, rank, shape))
        return (tri_ev){0};
    if (!tri_ev_is_block(x))
        return tri_semantic_splat(e, x, rank, shape);
    if (rank == 0)
        return tri_shape_unsplat(e, x);
    tri_attr attr = {"allow_reorder", tri_attr_unit(e->mlir)};
    return tri_emit_op(e, "tt.reshape", tri_types_block(e->arena, x.type->element, rank, shape), 1, &x,
                       can_reorder ? 1 : 0, &attr);
}

tri_ev tri_shape_permute(tri_eval *e, tri_ev x, int count, const int64_t *dims)
{
    if (tri_ev_is_error(x))
        return x;
    int rank = tri_ev_is_block(x) ? x.type->rank : 0;
    int32_t order[TRI_MAX_TENSOR_RANK];
    int64_t shape[TRI_MAX_TENSOR_RANK];
    bool seen[TRI_MAX_TENSOR_RANK] = {0};
    bool ok = count == rank && rank > 0;
    for (int i = 0; i < count && ok; i++) {
        int64_t d = dims[i];
        ok = d >= 0 && d < rank && !seen[d];
        if (!ok)
            break;
        seen[d] = true;
        order[i] = (int32_t)d;
        shape[i] = x.type->shape[d];
    }
    if (!ok)
        return tri_eval_error(e, 3022, "%s is no permutation of the %d axes of '%s'",
                              tri_eval_shape_name(e, count, dims), rank, tri_eval_type_name(e, x.type));
    tri_attr attr = {"order", tri_attr_i32s(e->mlir, rank, order)};
    return tri_emit_op(e, "tt.trans", tri_types_block(e->arena, x.type->element, rank, shape), 1, &x, 1, &attr);
}

tri_ev tri_shape_join(tri_eval *e, tri_ev x, tri_ev y)
{
    if (!tri_semantic_broadcast(e, &x, &y))
        return (tri_ev){0};
    if (!tri_types_equal(x.type, y.type))
        return tri_eval_error(e, 3005, "tl.join needs operands of one type, but these are '%s' and '%s'",
                              tri_eval_type_name(e, x.type), tri_eval_type_name(e, y.type));
    bool scalar = !tri_ev_is_block(x);
    if (scalar) {
        x = tri_shape_expand_dims(e, x, 0);
        y = tri_shape_expand_dims(e, y, 0);
    }
    int64_t shape[TRI_MAX_TENSOR_RANK + 1];
    int rank = x.type->rank;
    memcpy(shape, x.type->shape, sizeof *shape * (size_t)rank);
    shape[rank] = 2;
    if (!tri_semantic_check_shape(e, rank + 1, shape))
        return (tri_ev){0};
    tri_ev r = tri_emit_binary(e, "tt.join", tri_types_block(e->arena, x.type->element, rank + 1, shape), x, y);
    return scalar ? tri_shape_reshape(e, r, 1, (int64_t[]){2}, false) : r;
}
