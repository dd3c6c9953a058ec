/* ttg.local_gather, local_scatter and local_atomic_scatter_rmw: elements of a buffer that a tensor of indices chooses
 * along one axis.
 *
 * Where an element lies is linear over its coordinates' bits: the thread's part and the register's are known as for
 * other accesses, and the index adds its own. Of an index only the bits that the axis has count. */
#include "ir/type.h"
#include "targets/gpu/atomic.h"
#include "targets/gpu/local.h"

typedef struct {
    tri_gpu_layout *layout; /* of the indices, and of the values */
    tri_gpu_buffer buffer;
    tri_gpu_value indices;
    tri_linear inverse;     /* dims -> offset */
    int axis, rank;
    LLVMValueRef thread_part; /* of the offset */
} indexed;

static uint64_t offset_of(const indexed *x, int dim, uint64_t coordinate)
{
    tri_dim in = (tri_dim)(TRI_DIM_0 + dim);
    return (uint64_t)tri_linear_coord(&x->inverse, tri_linear_apply_one(&x->inverse, in, coordinate), TRI_DIM_OFFSET);
}

/* What a coordinate adds to the offset. */
static LLVMValueRef apply_coordinate(tri_gpu *g, const indexed *x, int dim, LLVMValueRef coordinate)
{
    uint64_t basis[TRI_MAX_BASES];
    int bits = tri_linear_in_bits(&x->inverse, (tri_dim)(TRI_DIM_0 + dim));
    for (int bit = 0; bit < bits; bit++)
        basis[bit] = offset_of(x, dim, UINT64_C(1) << bit);
    return tri_gpu_apply_value(g, coordinate, basis, bits);
}

static bool begin(tri_gpu *g, MlirOperation op, MlirValue buffer, MlirValue indices, indexed *out)
{
    tri_gpu_buffer_type type;
    MlirType tensor = mlirValueGetType(indices);
    *out = (indexed){.layout = tri_gpu_layout_of(g, op, tensor), .axis = (int)tri_op_int(op, "axis", 0)};
    if (!out->layout || !tri_local_find(g, op, buffer, &type, &out->buffer))
        return false;
    out->rank = type.desc.rank;
    out->indices = tri_gpu_get(g, indices);
    for (int d = 0; d < out->rank; d++)
        if (d != out->axis && tri_type_dim(tensor, d) > type.desc.shape[d])
            return tri_gpu_unsupported(g, op, "dimension %d of the indices has %lld elements, the buffer %lld", d,
                                       (long long)tri_type_dim(tensor, d), (long long)type.desc.shape[d]);
    out->inverse = tri_linear_pseudo_invert(&type.layout);
    out->thread_part = tri_gpu_i32(g, 0);
    for (int d = 0; d < out->rank; d++)
        if (d != out->axis)
            out->thread_part = LLVMBuildXor(g->b, out->thread_part,
                                            apply_coordinate(g, out, d, tri_gpu_coordinate(g, out->layout, 0, d)), "");
    return true;
}

static LLVMValueRef place_of(tri_gpu *g, const indexed *x, int reg)
{
    const tri_linear *l = &x->layout->linear;
    uint64_t constant = x->buffer.corner, packed = tri_linear_apply_one(l, TRI_DIM_REGISTER, (uint64_t)reg);
    for (int d = 0; d < x->rank; d++) {
        tri_dim out = (tri_dim)(TRI_DIM_0 + d);
        if (d != x->axis && tri_linear_find_out(l, out) >= 0)
            constant ^= offset_of(x, d, (uint64_t)tri_linear_coord(l, packed, out));
    }
    LLVMValueRef along = LLVMBuildIntCast2(g->b, x->indices.at[reg], g->i32, false, "");
    LLVMValueRef offset = LLVMBuildXor(g->b, x->thread_part, apply_coordinate(g, x, x->axis, along), "");
    offset = LLVMBuildXor(g->b, offset, tri_gpu_i32(g, (int64_t)constant), "");
    return tri_gpu_offset(g, x->buffer.base, tri_gpu_exchange_bytes(g, &x->buffer, offset));
}

static bool run_gather(tri_gpu *g, MlirOperation op)
{
    indexed x;
    if (!begin(g, op, mlirOperationGetOperand(op, 0), mlirOperationGetOperand(op, 1), &x))
        return false;
    MlirValue result = mlirOperationGetResult(op, 0);
    LLVMTypeRef type = tri_gpu_part_type(g, mlirValueGetType(result), 0);
    tri_gpu_value out = tri_gpu_new(g, x.layout->registers);
    for (int r = 0; r < out.count; r++)
        if ((uint64_t)r & x.layout->replicas.reg)
            out.at[r] = out.at[(uint64_t)r & ~x.layout->replicas.reg];
        else
            tri_gpu_shared_load(g, place_of(g, &x, r), type, 1, &out.at[r]);
    tri_gpu_set(g, result, out);
    return true;
}

static bool run_scatter(tri_gpu *g, MlirOperation op)
{
    indexed x;
    if (!begin(g, op, mlirOperationGetOperand(op, 0), mlirOperationGetOperand(op, 2), &x))
        return false;
    tri_gpu_value values = tri_gpu_operand(g, op, 1);
    LLVMValueRef owner = tri_gpu_owner(g, &x.layout->replicas);
    for (int r = 0; r < values.count; r++)
        if (!((uint64_t)r & x.layout->replicas.reg))
            tri_gpu_shared_store(g, place_of(g, &x, r), &values.at[r], 1, owner);
    tri_local_fence(g, op, &x.buffer);
    return true;
}

static bool run_atomic(tri_gpu *g, MlirOperation op)
{
    indexed x;
    MlirValue result = mlirOperationGetResult(op, 0);
    if (!begin(g, op, mlirOperationGetOperand(op, 0), mlirOperationGetOperand(op, 1), &x))
        return false;
    tri_gpu_value values = tri_gpu_operand(g, op, 2), masks = {0}, out = tri_gpu_new(g, values.count);
    if (mlirOperationGetNumOperands(op) > 3)
        masks = tri_gpu_operand(g, op, 3);
    if (tri_gpu_bits(g, LLVMTypeOf(values.at[0])) < 16)
        return tri_gpu_unsupported(g, op, "atomics on 8-bit values do not exist");
    LLVMValueRef owner = tri_gpu_owner(g, &x.layout->replicas);
    bool has_users = !mlirOpOperandIsNull(mlirValueGetFirstUse(result));
    if (owner && has_users)
        return tri_gpu_unsupported(
            g, op,
            "its result is used, but the layout gives an element to several threads, of which one "
            "does the update; a layout without repetition can be lowered");
    int kind = (int)tri_op_int(op, "atomic_rmw_op", 0);
    for (int r = 0; r < values.count; r++) {
        if ((uint64_t)r & x.layout->replicas.reg) {
            out.at[r] = out.at[(uint64_t)r & ~x.layout->replicas.reg];
            continue;
        }
        LLVMValueRef pred = tri_gpu_and(g, owner, masks.count ? masks.at[r] : NULL), place = place_of(g, &x, r);
        out.at[r] = tri_gpu_atomic_shared(g, kind, place, values.at[r], pred, has_users);
    }
    tri_local_fence(g, op, &x.buffer);
    tri_gpu_set(g, result, out);
    return true;
}

const tri_gpu_op tri_gpu_ops_indexed[] = {
    {"ttg.local_gather", run_gather, NULL},
    {"ttg.local_scatter", run_scatter, NULL},
    {"ttg.local_atomic_scatter_rmw", run_atomic, NULL},
    {0},
};
