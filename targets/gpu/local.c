/* Buffers in shared memory: allocation, views, loads, stores, asynchronous copies. A descriptor is its
 * base pointer and one element offset per dimension; the offsets are those of a slice and constant. */
#include "targets/gpu/local.h"

#include "layout/convert.h"
#include "targets/gpu/access.h"

/* ---- descriptors ---- */

bool tri_local_get_type(tri_gpu *g, MlirOperation op, MlirType type, tri_gpu_buffer_type *out)
{
    if (!tri_type_get_memdesc(type, &out->desc))
        return tri_gpu_unsupported(g, op, "not a buffer");
    tri_memdesc *d = &out->desc;
    out->encoding = tri_encoding_get(g->arena, d->encoding);
    const char *why = NULL;
    int skip = d->alloc_rank - d->rank;
    for (int i = 0; i < d->rank; i++)
        out->alloc_shape[i] = d->alloc_shape[skip + i];
    if (!out->encoding || !tri_convert_is_shared(out->encoding))
        return tri_gpu_unsupported(g, op, "its buffer is not in shared memory, the only one that is lowered");
    if (out->encoding->rank > 0 && out->encoding->rank < d->rank) /* an array of buffers: no layout of its own */
        out->layout = tri_linear_empty();
    else if (!tri_convert_to_linear(out->encoding, d->rank, out->alloc_shape, &out->layout, &why))
        return tri_gpu_unsupported(g, op, "the buffer's layout cannot be lowered%s%s", why ? ": " : "", why ? why : "");
    unsigned bits = tri_type_bits(d->element);
    out->bits = bits < 8 ? 8 : (int)bits;
    return true;
}

static tri_gpu_value make_descriptor(tri_gpu *g, LLVMValueRef base, int rank)
{
    tri_gpu_value v = tri_gpu_new(g, 1 + rank);
    v.at[0] = base;
    for (int d = 0; d < rank; d++)
        v.at[1 + d] = tri_gpu_i32(g, 0);
    return v;
}

/* Element offset of the first element of a slice inside its allocation. */
static bool slice_corner(tri_gpu *g, MlirOperation op, const tri_gpu_buffer_type *type, tri_gpu_value value,
                         uint64_t *out_corner)
{
    uint64_t packed = 0;
    bool is_zero = true;
    for (int d = 0; d < type->desc.rank; d++) {
        if (!LLVMIsAConstantInt(value.at[1 + d]))
            return tri_gpu_unsupported(g, op, "the slice's place is not a constant");
        uint64_t at = LLVMConstIntGetZExtValue(value.at[1 + d]);
        is_zero = is_zero && at == 0;
        tri_dim dim = (tri_dim)(TRI_DIM_0 + d);
        if (at && tri_linear_find_out(&type->layout, dim) >= 0)
            packed |= at << tri_linear_out_shift(&type->layout, dim);
    }
    *out_corner = 0;
    if (is_zero)
        return true;
    tri_linear inverse = tri_linear_pseudo_invert(&type->layout);
    uint64_t place = tri_linear_apply_packed(&inverse, packed);
    *out_corner = (uint64_t)tri_linear_coord(&inverse, place, TRI_DIM_OFFSET);
    return true;
}

/* ---- allocation and views ---- */

static bool is_read_by_products(const tri_gpu *g, const tri_encoding *encoding)
{
    return encoding && encoding->kind == g->machine->shared_reader_layout && g->has_shared_readers;
}

bool tri_local_find(tri_gpu *g, MlirOperation op, MlirValue buffer, tri_gpu_buffer_type *out_type,
                    tri_gpu_buffer *out_buffer)
{
    if (!tri_local_get_type(g, op, mlirValueGetType(buffer), out_type))
        return false;
    tri_gpu_value descriptor = tri_gpu_get(g, buffer);
    *out_buffer = (tri_gpu_buffer){.base = descriptor.at[0], .element_bits = out_type->bits};
    out_buffer->is_read_by_products = is_read_by_products(g, out_type->encoding);
    if (out_type->encoding->kind == TRI_ENC_PADDED_SHARED)
        out_buffer->padding = out_type->encoding;
    return slice_corner(g, op, out_type, descriptor, &out_buffer->corner);
}

/* In front of any barrier another store follows, whose fence does for both. */
static bool is_fenced_later(tri_gpu *g, MlirOperation op)
{
    while (!mlirOperationIsNull(op = mlirOperationGetNextInBlock(op))) {
        tri_memdesc desc;
        MlirValue buffer = {NULL};
        if (tri_op_is(op, "ttg.local_store"))
            buffer = tri_op_operand(op, 1);
        else if (tri_op_is(op, "ttg.local_alloc"))
            buffer = tri_op_result(op, 0);
        else if (!tri_op_is(op, "tt.load") && (!tri_op_is_pure(op) || tri_gpu_scratch_offset(op) >= 0))
            return false;
        bool is_store = !mlirValueIsNull(buffer) && mlirOperationGetNumOperands(op) > 0;
        if (is_store && tri_type_get_memdesc(mlirValueGetType(buffer), &desc) &&
            is_read_by_products(g, tri_encoding_get(g->arena, desc.encoding)))
            return true;
    }
    return false;
}

void tri_local_fence(tri_gpu *g, MlirOperation op, const tri_gpu_buffer *buffer)
{
    /* the writer fences, before the barrier that lets others read */
    if (buffer->is_read_by_products && tri_machine_has(g, TRI_MACHINE_fence_async) && !is_fenced_later(g, op))
        tri_machine_call(g, TRI_MACHINE_fence_async, NULL, 0);
}

static bool access_buffer(tri_gpu *g, MlirOperation op, MlirValue buffer, MlirType tensor, bool is_load,
                          tri_plan_access *out_plan, tri_gpu_buffer *out_buffer, tri_gpu_layout **out_layout)
{
    tri_gpu_buffer_type type;
    tri_gpu_layout *layout = tri_gpu_layout_of(g, op, tensor);
    if (!layout || !tri_local_find(g, op, buffer, &type, out_buffer))
        return false;
    tri_linear registers = layout->linear;
    for (int d = 0; d < type.desc.rank; d++) { /* a slice is addressed as a part of its allocation */
        tri_dim dim = (tri_dim)(TRI_DIM_0 + d);
        if (tri_linear_out_bits(&registers, dim) < tri_linear_out_bits(&type.layout, dim))
            registers = tri_linear_resize_out(&registers, dim, tri_linear_out_bits(&type.layout, dim));
    }
    tri_plan_machine machine = g->plan;
    if (out_buffer->padding) { /* rows of a matrix must stay whole; padding may cut vectors too */
        machine.has_ldmatrix = machine.has_stmatrix = false;
        for (int i = 0; i < type.encoding->padded.count; i++) {
            int64_t run = (int64_t)type.encoding->padded.interval[i] * type.bits;
            int64_t pad = (int64_t)type.encoding->padded.padding[i] * type.bits;
            while (machine.max_vector_bits > type.bits &&
                   (machine.max_vector_bits > run || pad % machine.max_vector_bits))
                machine.max_vector_bits /= 2;
        }
    }
    *out_layout = layout;
    if (!tri_plan_access_shared(&registers, &type.layout, type.bits, is_load, &machine, out_plan))
        return tri_gpu_unsupported(g, op, "the buffer lacks elements of the tensor");
    return true;
}

static bool store_tensor(tri_gpu *g, MlirOperation op, MlirValue tensor, MlirValue buffer)
{
    tri_plan_access *plan = TRI_NEW(g->arena, tri_plan_access);
    tri_gpu_buffer place;
    tri_gpu_layout *layout;
    if (!access_buffer(g, op, buffer, mlirValueGetType(tensor), false, plan, &place, &layout))
        return false;
    tri_gpu_access_store(g, plan, &place, 0, layout->replicas.reg, tri_gpu_get(g, tensor));
    tri_local_fence(g, op, &place);
    return true;
}

static bool run_alloc(tri_gpu *g, MlirOperation op)
{
    MlirValue result = mlirOperationGetResult(op, 0);
    tri_memdesc desc;
    int64_t offset = tri_gpu_scratch_offset(op);
    if (!tri_type_get_memdesc(mlirValueGetType(result), &desc))
        return tri_gpu_unsupported(g, op, "not a buffer");
    if (tri_encoding_get(g->arena, desc.encoding)->kind == TRI_ENC_PARTITIONED_SHARED)
        return tri_gpu_unsupported(g, op, "this target's shared memory has no partitions to spread a buffer over");
    if (offset < 0)
        return tri_gpu_unsupported(g, op, "no shared memory was allocated for it; run allocate-shared-memory first");
    tri_gpu_set(g, result, make_descriptor(g, tri_gpu_shared_at(g, offset), desc.rank));
    return mlirOperationGetNumOperands(op) == 0 || store_tensor(g, op, mlirOperationGetOperand(op, 0), result);
}

static bool run_nothing(tri_gpu *g, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        tri_gpu_set_result(g, op, i, tri_gpu_new(g, 0)); /* tokens */
    return true;
}

static bool run_index(tri_gpu *g, MlirOperation op)
{
    tri_gpu_buffer_type type;
    MlirValue result = mlirOperationGetResult(op, 0);
    if (!tri_local_get_type(g, op, mlirValueGetType(result), &type))
        return false;
    tri_gpu_value in = tri_gpu_operand(g, op, 0);
    int64_t bytes = tri_convert_buffer_elements(type.encoding, type.desc.rank, type.alloc_shape) * type.bits / 8;
    LLVMValueRef offset = LLVMBuildMul(g->b, tri_gpu_operand(g, op, 1).at[0], tri_gpu_i32(g, bytes), "");
    tri_gpu_set(g, result, make_descriptor(g, tri_gpu_offset(g, in.at[0], offset), type.desc.rank));
    return true;
}

static bool run_subslice(tri_gpu *g, MlirOperation op)
{
    int32_t offsets[TRI_MAX_RANK];
    int rank = tri_op_i32s(op, "offsets", offsets, TRI_MAX_RANK);
    tri_memdesc from, to;
    if (!tri_type_get_memdesc(mlirValueGetType(mlirOperationGetOperand(op, 0)), &from) ||
        !tri_type_get_memdesc(mlirValueGetType(mlirOperationGetResult(op, 0)), &to) ||
        from.alloc_rank != to.alloc_rank ||
        memcmp(from.alloc_shape, to.alloc_shape, sizeof *to.alloc_shape * (size_t)to.alloc_rank) != 0)
        return tri_gpu_unsupported(g, op, "the slice's type does not give the shape of its buffer");
    tri_gpu_value in = tri_gpu_operand(g, op, 0), out = tri_gpu_new(g, in.count);
    out.at[0] = in.at[0];
    for (int d = 0; d < rank; d++)
        out.at[1 + d] = LLVMBuildAdd(g->b, in.at[1 + d], tri_gpu_i32(g, offsets[d]), "");
    tri_gpu_set_result(g, op, 0, out);
    return true;
}

static bool run_view_trans(tri_gpu *g, MlirOperation op)
{
    int32_t order[TRI_MAX_RANK];
    int rank = tri_op_i32s(op, "order", order, TRI_MAX_RANK);
    tri_gpu_value in = tri_gpu_operand(g, op, 0), out = tri_gpu_new(g, in.count);
    out.at[0] = in.at[0];
    for (int d = 0; d < rank; d++)
        out.at[1 + d] = in.at[1 + order[d]];
    tri_gpu_set_result(g, op, 0, out);
    return true;
}

/* Another shape or element type over the same bytes; the operand is no slice. */
static bool run_view(tri_gpu *g, MlirOperation op)
{
    tri_memdesc desc;
    MlirValue result = mlirOperationGetResult(op, 0);
    if (!tri_type_get_memdesc(mlirValueGetType(result), &desc))
        return tri_gpu_unsupported(g, op, "not a buffer");
    tri_gpu_set(g, result, make_descriptor(g, tri_gpu_operand(g, op, 0).at[0], desc.rank));
    return true;
}

/* ---- loads and stores ---- */

static bool run_local_load(tri_gpu *g, MlirOperation op)
{
    MlirValue result = mlirOperationGetResult(op, 0);
    MlirType tensor = mlirValueGetType(result);
    tri_plan_access *plan = TRI_NEW(g->arena, tri_plan_access);
    tri_gpu_buffer place;
    tri_gpu_layout *layout;
    if (!access_buffer(g, op, mlirOperationGetOperand(op, 0), tensor, true, plan, &place, &layout))
        return false;
    tri_gpu_value out = tri_gpu_new(g, layout->registers);
    tri_gpu_access_load(g, plan, &place, 0, layout->replicas.reg, tri_gpu_part_type(g, tensor, 0), &out);
    for (int r = 0; r < out.count; r++)
        out.at[r] = out.at[(uint64_t)r & ~layout->replicas.reg];
    tri_gpu_set(g, result, out);
    return true;
}

static bool run_local_store(tri_gpu *g, MlirOperation op)
{
    return store_tensor(g, op, mlirOperationGetOperand(op, 0), mlirOperationGetOperand(op, 1));
}

/* ---- asynchronous copies ---- */

static tri_machine_id copy_id(int bytes, bool is_predicated)
{
    if (is_predicated)
        return bytes == 16  ? TRI_MACHINE_copy_async_if_16
               : bytes == 8 ? TRI_MACHINE_copy_async_if_8
                            : TRI_MACHINE_copy_async_if_4;
    return bytes == 16 ? TRI_MACHINE_copy_async_16 : bytes == 8 ? TRI_MACHINE_copy_async_8 : TRI_MACHINE_copy_async_4;
}

static bool is_zero(MlirValue value)
{
    int64_t i;
    double f;
    return mlirValueIsNull(value) || (tri_op_const_int(value, &i) && i == 0) ||
           (tri_op_const_float(value, &f) && f == 0);
}

/* Whether registers have consecutive places in the buffer, the first one aligned. */
static bool is_run(const tri_linear *map, const int *reg, int count)
{
    uint64_t first = tri_linear_apply_one(map, TRI_DIM_REGISTER, (uint64_t)reg[0]);
    int64_t start = tri_linear_coord(map, first, TRI_DIM_OFFSET);
    for (int i = 1; i < count; i++) {
        uint64_t packed = tri_linear_apply_one(map, TRI_DIM_REGISTER, (uint64_t)reg[i]);
        if (tri_linear_coord(map, packed, TRI_DIM_OFFSET) != start + i)
            return false;
    }
    return start % count == 0;
}

static void remark_copies(tri_gpu *g, MlirOperation op, const tri_gpu_groups *groups, int vec, int bytes)
{
    int count = groups->count * groups->vec / vec;
    tri_span span = tri_op_span(g->unit->diag, op);
    tri_diag_remark(g->unit->diag, span, "memory", "%d asynchronous cop%s of %d bytes per thread", count,
                    count == 1 ? "y" : "ies", bytes);
    if (bytes < 16)
        tri_diag_missed(g->unit->diag, span, "memory", "asynchronous copies of %d bytes, not 16: %s", bytes,
                        vec < groups->vec ? "its place in shared memory is not in longer pieces"
                                          : tri_gpu_limit_text(g, groups, bytes));
}

static bool run_async_copy(tri_gpu *g, MlirOperation op)
{
    MlirValue pointer = tri_op_segment_value(op, 0), buffer = tri_op_segment_value(op, 1);
    MlirValue mask = tri_op_segment_value(op, 2), other = tri_op_segment_value(op, 3);
    if (!tri_machine_has(g, TRI_MACHINE_copy_async_16))
        return tri_gpu_unsupported(g, op, "the machine has no asynchronous copies");
    if (!is_zero(other))
        return tri_gpu_unsupported(
            g, op, "masked elements of an asynchronous copy can only become zero; choose the others after the load");
    tri_plan_access *plan = TRI_NEW(g->arena, tri_plan_access);
    tri_gpu_buffer place;
    tri_gpu_layout *layout;
    tri_gpu_groups groups;
    if (!access_buffer(g, op, buffer, mlirValueGetType(pointer), false, plan, &place, &layout) ||
        !tri_gpu_group_pointers(g, op, pointer, mask, place.element_bits, 128, &groups))
        return false;
    tri_plan_access run = tri_plan_access_plain(&plan->map, place.element_bits, 128, groups.vec);
    int vec = groups.vec < run.vec ? groups.vec : run.vec, bytes = vec * place.element_bits / 8;
    if (place.padding || (bytes != 4 && bytes != 8 && bytes != 16))
        return tri_gpu_unsupported(g, op, "pieces of %d bytes cannot be copied asynchronously; 4, 8 or 16 can", bytes);
    tri_gpu_value pointers = tri_gpu_get(g, pointer), masks = {0};
    if (!mlirValueIsNull(mask))
        masks = tri_gpu_get(g, mask);
    remark_copies(g, op, &groups, vec, bytes);
    LLVMValueRef owner = tri_gpu_owner(g, &layout->replicas); /* who has what others have, too, copies for them */
    for (int a = 0; a < groups.count * groups.vec / vec; a++) {
        int first = groups.reg[a * vec];
        if (!is_run(&plan->map, groups.reg + a * vec, vec))
            return tri_gpu_unsupported(g, op, "the buffer is not laid out along the dimension that memory runs in");
        LLVMValueRef size = tri_gpu_i32(g, bytes);
        if (masks.count)
            size = LLVMBuildSelect(g->b, masks.at[first], size, tri_gpu_i32(g, 0), "");
        LLVMValueRef args[] = {tri_gpu_exchange_place(g, &plan->map, &place, (uint64_t)first), pointers.at[first],
                               size, owner};
        tri_machine_call(g, copy_id(bytes, owner), args, owner ? 4 : 3);
    }
    tri_gpu_set_result(g, op, 0, tri_gpu_new(g, 0));
    return true;
}

static bool run_commit(tri_gpu *g, MlirOperation op)
{
    tri_machine_call(g, TRI_MACHINE_copy_commit, NULL, 0);
    return run_nothing(g, op);
}

static bool run_wait(tri_gpu *g, MlirOperation op)
{
    LLVMValueRef pending = tri_gpu_i32(g, tri_op_int(op, "num", 0));
    tri_machine_call(g, TRI_MACHINE_copy_wait, &pending, 1);
    if (g->has_shared_readers) /* what has arrived may be one's operand */
        tri_machine_call(g, TRI_MACHINE_fence_async, NULL, 0);
    return run_nothing(g, op);
}

const tri_gpu_op tri_gpu_ops_local[] = {
    {"ttg.local_alloc", run_alloc, NULL},
    {"ttg.local_dealloc", run_nothing, NULL},
    {"ttg.local_load", run_local_load, NULL},
    {"ttg.local_store", run_local_store, NULL},
    {"ttg.memdesc_index", run_index, NULL},
    {"ttg.memdesc_subslice", run_subslice, NULL},
    {"ttg.memdesc_trans", run_view_trans, NULL},
    {"ttg.memdesc_reshape", run_view, NULL},
    {"ttg.memdesc_reinterpret", run_view, NULL},
    {"ttg.async_copy_global_to_local", run_async_copy, NULL},
    {"ttg.async_commit_group", run_commit, NULL},
    {"ttg.async_wait", run_wait, NULL},
    {0},
};
