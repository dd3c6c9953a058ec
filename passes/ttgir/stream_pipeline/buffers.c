/* Which buffer the users of a load can read their operands from. */
#include "passes/ttgir/stream_pipeline/stream.h"

#include "ir/analysis/blocked.h"
#include "ir/machines.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/padding.h"

/* Order of dimensions in memory, the batch last. */
static void order_in_memory(const tri_pipeline *p, MlirOperation load, int32_t *out)
{
    MlirValue result = tri_op_result(load, 0);
    int64_t shape[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK];
    int rank = tri_dots_shape(mlirValueGetType(result), shape), n = 0;
    tri_convert_order_for_memory(tri_dots_encoding(p->arena, result), rank, shape, order);
    for (int i = 0; i < rank; i++)
        if (rank != 3 || order[i] != 0)
            out[n++] = order[i];
    if (rank == 3)
        out[n] = 0;
}

/* A slot for a tensor. */
static MlirType slot_of_tensor(MlirType tensor, MlirAttribute layout)
{
    tri_memdesc desc = {.rank = tri_type_rank(tensor),
                        .element = tri_type_element(tensor),
                        .encoding = layout,
                        .space = tri_encoding_shared_space(mlirTypeGetContext(tensor))};
    desc.alloc_rank = desc.rank;
    for (int d = 0; d < desc.rank; d++)
        desc.shape[d] = desc.alloc_shape[d] = tri_type_dim(tensor, d);
    return tri_type_memdesc(&desc);
}

/* What one user wants; null: it is no operand. */
static MlirType wanted_by_user(const tri_pipeline *p, MlirOperation load, MlirOperation user)
{
    MlirType type = mlirValueGetType(tri_op_result(load, 0));
    if (tri_op_is(user, "ttg.local_alloc"))
        return mlirValueGetType(tri_op_result(user, 0));
    if (!tri_op_is(user, "ttg.convert_layout"))
        return (MlirType){NULL};
    const tri_encoding *e = tri_dots_operand_below(p->arena, user);
    int64_t shape[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK];
    if (!e || tri_dots_shape(type, shape) != e->rank)
        return (MlirType){NULL};
    order_in_memory(p, load, order);
    if (tri_machines_of(mlirModuleGetOperation(p->run->module))->mma_version == 3 &&
        e->parent->kind == TRI_ENC_AMD_WMMA && e->rank == 2) {
        MlirAttribute padding = tri_padding_of_operand(e->dot_op.op_idx, e->dot_op.k_width, type, order);
        if (!mlirAttributeIsNull(padding))
            return slot_of_tensor(type, padding);
    }
    return tri_dots_buffer_type(p->arena, tri_type_with_encoding(type, tri_encoding_make(mlirTypeGetContext(type), e)),
                                shape, order, false);
}

/* One buffer of two that differ in the length of their vectors alone: that of the longer ones. Null: they differ. */
static MlirType common_buffer(tri_arena *arena, MlirType a, MlirType b)
{
    tri_memdesc x, y;
    if (mlirTypeEqual(a, b))
        return a;
    if (!tri_type_get_memdesc(a, &x) || !tri_type_get_memdesc(b, &y))
        return (MlirType){NULL};
    tri_encoding p = *tri_encoding_get(arena, x.encoding), q = *tri_encoding_get(arena, y.encoding);
    bool is_longer = q.swizzled.vec > p.swizzled.vec;
    if (p.kind != TRI_ENC_SWIZZLED_SHARED || q.kind != p.kind)
        return (MlirType){NULL};
    p.swizzled.vec = q.swizzled.vec = is_longer ? q.swizzled.vec : p.swizzled.vec;
    MlirContext context = mlirTypeGetContext(a);
    bool is_same = mlirAttributeEqual(tri_encoding_make(context, &p), tri_encoding_make(context, &q));
    return !is_same ? (MlirType){NULL} : is_longer ? b : a;
}

/* The layout of boxes is their descriptor's. */
static MlirType buffer_of_box(tri_arena *arena, MlirOperation load)
{
    MlirType type = mlirValueGetType(tri_op_result(load, 0));
    MlirAttribute layout = tri_type_encoding(tri_type_desc_block(mlirValueGetType(tri_op_operand(load, 0))));
    if (mlirAttributeIsNull(layout))
        return (MlirType){NULL};
    tri_encoding e = *tri_encoding_get(arena, layout);
    if (e.rank != tri_type_rank(type))
        return (MlirType){NULL};
    for (int d = 0; e.kind == TRI_ENC_PADDED_SHARED && !e.padded.has_bases && d < e.rank; d++)
        e.padded.shape[d] = (int32_t)tri_type_dim(type, d); /* of gathered rows, not of the one that a box has */
    return slot_of_tensor(type, tri_encoding_make(mlirTypeGetContext(type), &e));
}

MlirType tri_stream_pipeline_buffer(const tri_pipeline *p, MlirOperation load)
{
    MlirType buffer = {NULL};
    if (!tri_op_is(load, "tt.load"))
        return buffer_of_box(p->arena, load);
    if (!tri_type_is_tensor(mlirValueGetType(tri_op_result(load, 0))))
        return buffer;
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(load, 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirType wanted = wanted_by_user(p, load, mlirOpOperandGetOwner(use));
        if (mlirTypeIsNull(wanted))
            return wanted;
        buffer = mlirTypeIsNull(buffer) ? wanted : common_buffer(p->arena, buffer, wanted);
        if (mlirTypeIsNull(buffer))
            return buffer;
    }
    return buffer;
}

/* A lane's piece is as long as the chip has an instruction for, or shorter: at least a register. */
bool tri_stream_pipeline_can_copy(const tri_pipeline *p, MlirOperation load, MlirType buffer)
{
    MlirOperation module = mlirModuleGetOperation(p->run->module);
    const tri_machine_facts *facts = tri_machines_of(module);
    MlirType type = mlirValueGetType(tri_op_result(load, 0));
    tri_launch launch = tri_blocked_launch(module);
    int64_t bits = tri_type_bits(tri_type_element(type));
    int pieces = facts->async_copies ? facts->async_copies : facts->direct_to_shared;
    if (tri_pipeline_needs_fill(load) || tri_pipeline_contiguity(p, load) * bits < 32 || bits > 32 * pieces)
        return false;
    int bytes = tri_pipeline_copy_bytes(p, load, buffer);
    if (!facts->async_copies && tri_type_num_elements(type) * bits < 32 * (int64_t)launch.lanes)
        return false;
    if (bytes >= 4 && (pieces & 4) && bits <= 32)
        return true;
    return bytes >= 16 && (pieces & 16);
}
