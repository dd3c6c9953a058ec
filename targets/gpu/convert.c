/* ttg.convert_layout: by renaming registers, by shuffles, or through shared memory, as the plan says. */
#include "ir/type.h"
#include "targets/gpu/access.h"
#include "targets/gpu/exchange.h"

int64_t tri_gpu_scratch_offset(MlirOperation op) { return tri_op_int(op, "allocation.offset", -1); }

static int source_register(const tri_linear *map, int r)
{
    uint64_t packed = tri_linear_apply_one(map, TRI_DIM_REGISTER, (uint64_t)r);
    return (int)tri_linear_coord(map, packed, TRI_DIM_REGISTER);
}

static tri_gpu_value rename_registers(tri_gpu *g, const tri_linear *map, tri_gpu_value values)
{
    tri_gpu_value out = tri_gpu_new(g, (int)tri_linear_in_size(map, TRI_DIM_REGISTER));
    for (int r = 0; r < out.count; r++)
        out.at[r] = values.at[source_register(map, r)];
    return out;
}

/* ---- through shared memory ---- */

static tri_gpu_value through_shared(tri_gpu *g, const tri_plan_convert *plan, const tri_linear *src,
                                    const tri_linear *dst, tri_gpu_value values, LLVMTypeRef type, int64_t offset)
{
    tri_gpu_buffer to = {.base = tri_gpu_shared_at(g, offset), .element_bits = plan->element_bits}, from = to;
    uint64_t src_copies = tri_plan_find_replicas(src).reg, dst_copies = tri_plan_find_replicas(dst).reg;
    tri_gpu_value out = tri_gpu_new(g, (int)tri_linear_in_size(dst, TRI_DIM_REGISTER));
    for (int round = 0; round < plan->rounds; round++) {
        if (round)
            tri_gpu_barrier(g, plan->sync);
        tri_gpu_access_store(g, &plan->store, &to, round, src_copies, values);
        tri_gpu_barrier(g, plan->sync);
        tri_gpu_access_load(g, &plan->load, &from, round, dst_copies, type, &out);
    }
    for (int r = 0; r < out.count; r++)
        if ((uint64_t)r & dst_copies)
            out.at[r] = out.at[(uint64_t)r & ~dst_copies];
    return out;
}

/* ---- by shuffles ---- */

/* i1: parity of the thread's lane and warp bits under the masks. */
static LLVMValueRef parity(tri_gpu *g, const tri_plan_select *s)
{
    uint32_t mask = s->lane_mask | s->warp_mask << tri_linear_log2(g->warp_size);
    LLVMValueRef bits = LLVMBuildAnd(g->b, tri_gpu_thread(g), tri_gpu_i32(g, mask), "");
    if (!(mask & (mask - 1)))
        return LLVMBuildICmp(g->b, LLVMIntNE, bits, tri_gpu_i32(g, 0), "");
    LLVMValueRef ones = tri_gpu_intrinsic_same(g, "llvm.ctpop", &bits, 1);
    return LLVMBuildTrunc(g->b, ones, g->i1, "");
}

/* Registers change places in the threads that a select names. */
static void exchange(tri_gpu *g, const tri_plan_select *selects, int count, tri_gpu_value *values)
{
    for (int i = 0; i < count; i++) {
        LLVMValueRef is_on = parity(g, &selects[i]);
        tri_gpu_value out = tri_gpu_new(g, values->count);
        for (int r = 0; r < values->count; r++)
            out.at[r] = LLVMBuildSelect(g->b, is_on, values->at[(uint64_t)r ^ selects[i].register_xor], values->at[r], "");
        *values = out;
    }
}

static LLVMValueRef from_lane(tri_gpu *g, const tri_plan_shuffle *s, int k, LLVMValueRef lane, LLVMValueRef value)
{
    uint64_t constant = tri_linear_apply_one(&s->source, TRI_DIM_REGISTER, (uint64_t)k);
    if (s->is_xor)
        return constant ? tri_gpu_shuffle_xor(g, value, (uint32_t)constant) : value;
    LLVMValueRef from = constant ? LLVMBuildXor(g->b, lane, tri_gpu_i32(g, (int64_t)constant), "") : lane;
    return tri_gpu_shuffle_index(g, value, from);
}

static tri_gpu_value by_shuffles(tri_gpu *g, const tri_plan_convert *plan, tri_gpu_value values)
{
    const tri_plan_shuffle *s = &plan->shuffle;
    exchange(g, s->send, s->num_send, &values);
    LLVMValueRef lane = s->is_xor ? NULL : tri_gpu_apply_thread(g, &s->source, 0, tri_linear_total_out_bits(&s->source));
    tri_gpu_value out = tri_gpu_new(g, (int)tri_linear_in_size(&s->renumber, TRI_DIM_REGISTER));
    for (int k = 0; k < out.count; k++)
        if (!((uint64_t)k & s->copies))
            out.at[k] = from_lane(g, s, k, lane, values.at[tri_linear_apply_one(&s->renumber, TRI_DIM_REGISTER, (uint64_t)k)]);
    for (int k = 0; k < out.count; k++)
        out.at[k] = out.at[(uint64_t)k & ~s->copies];
    exchange(g, s->receive, s->num_receive, &out);
    for (int k = 0; k < out.count; k++)
        out.at[k] = out.at[(uint64_t)k & ~s->copies];
    return out;
}

bool tri_gpu_convert(tri_gpu *g, MlirOperation op, const tri_linear *src, const tri_linear *dst, tri_gpu_value values,
                     LLVMTypeRef type, int64_t offset, tri_gpu_value *out_values)
{
    tri_gpu_packing packing = tri_gpu_plan_packing(g, type, 1);
    tri_plan_convert *plan = TRI_NEW(g->arena, tri_plan_convert);
    if (!tri_plan_convert_make(src, dst, packing.element_bits, &g->plan, 0, plan))
        return tri_gpu_unsupported(g, op, "there is no conversion between these layouts");
    switch (plan->kind) {
    case TRI_CVT_NONE:
    case TRI_CVT_REGISTERS: *out_values = rename_registers(g, &plan->map, values); return true;
    case TRI_CVT_SHUFFLE:
        tri_diag_remark(g->unit->diag, tri_op_span(g->unit->diag, op), "layout", "through %d shuffles",
                        plan->shuffle.num_shuffles);
        *out_values = by_shuffles(g, plan, values);
        return true;
    case TRI_CVT_SHARED:
        if (offset < 0)
            return tri_gpu_unsupported(g, op, "no shared memory was allocated for it; run allocate-shared-memory first");
        tri_diag_remark(g->unit->diag, tri_op_span(g->unit->diag, op), "layout",
                        "through %lld bytes of shared memory in %d rounds",
                        (long long)(plan->scratch_elements * plan->element_bits / 8), plan->rounds);
        *out_values = through_shared(g, plan, src, dst, values, type, offset);
        return true;
    case TRI_CVT_CLUSTER: break;
    }
    return tri_gpu_unsupported(g, op, "it moves data between the blocks of a cluster");
}

static bool run_convert(tri_gpu *g, MlirOperation op)
{
    MlirValue operand = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
    tri_gpu_layout *src = tri_gpu_layout_of(g, op, mlirValueGetType(operand));
    tri_gpu_layout *dst = tri_gpu_layout_of(g, op, mlirValueGetType(result));
    if (!src || !dst)
        return false;
    LLVMTypeRef type = tri_gpu_part_type(g, mlirValueGetType(result), 0);
    tri_gpu_value out;
    if (!tri_gpu_convert(g, op, &src->linear, &dst->linear, tri_gpu_get(g, operand), type, tri_gpu_scratch_offset(op),
                         &out))
        return false;
    tri_gpu_set(g, result, out);
    return true;
}

static bool run_barrier(tri_gpu *g, MlirOperation op)
{
    (void)op;
    tri_machine_call(g, TRI_MACHINE_barrier_global, NULL, 0);
    return true;
}

const tri_gpu_op tri_gpu_ops_convert[] = {
    {"ttg.convert_layout", run_convert, NULL},
    {"ttg.barrier", run_barrier, NULL},
    {"gpu.barrier", run_barrier, NULL},
    {0},
};
