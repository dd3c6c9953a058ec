/* tt.gather: between the lanes of a warp where its layouts allow it, else through a table in shared memory, like
 * tt.histogram. */
#include "ir/analysis/scratch.h"
#include "ir/type.h"
#include "targets/gpu/access.h"
#include "targets/gpu/atomic.h"

static bool need_scratch(tri_gpu *g, MlirOperation op, int64_t *out_offset)
{
    *out_offset = tri_gpu_scratch_offset(op);
    return *out_offset >= 0 ||
           tri_gpu_unsupported(g, op, "no shared memory was allocated for it; run allocate-shared-memory first");
}

/* Row-major element number; `replaced` stands for the coordinate along `axis` when not null. */
static LLVMValueRef element_number(tri_gpu *g, tri_gpu_layout *layout, MlirType shape, int r, int axis,
                                   LLVMValueRef replaced)
{
    LLVMValueRef index = tri_gpu_i32(g, 0);
    for (int d = 0; d < tri_type_rank(shape); d++) {
        LLVMValueRef at = d == axis && replaced ? replaced : tri_gpu_coordinate(g, layout, r, d);
        index = LLVMBuildAdd(g->b, LLVMBuildMul(g->b, index, tri_gpu_i32(g, tri_type_dim(shape, d)), ""), at, "");
    }
    return index;
}

/* The register of `in` that bits from `bit` up of the coordinate choose, as `lane` has it. */
static LLVMValueRef search(tri_gpu *g, const tri_gather *plan, const tri_gpu_value *in, LLVMValueRef lane,
                           LLVMValueRef along, int bit, uint64_t at)
{
    while (bit < plan->axis_bits && !plan->register_of[bit])
        bit++;
    if (bit == plan->axis_bits)
        return tri_gpu_shuffle_index(g, in->at[at], lane);
    LLVMValueRef off = search(g, plan, in, lane, along, bit + 1, at);
    LLVMValueRef on = search(g, plan, in, lane, along, bit + 1, at ^ plan->register_of[bit]);
    LLVMValueRef has = LLVMBuildAnd(g->b, along, tri_gpu_i32(g, (int64_t)1 << bit), "");
    return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntNE, has, tri_gpu_i32(g, 0), ""), on, off, "");
}

static void gather_in_warp(tri_gpu *g, MlirOperation op, const tri_gather *plan, int count)
{
    tri_gpu_value in = tri_gpu_get(g, mlirOperationGetOperand(op, 0)),
                  index = tri_gpu_get(g, mlirOperationGetOperand(op, 1));
    tri_gpu_value out = tri_gpu_new(g, count);
    LLVMValueRef first = tri_gpu_apply_thread(g, &plan->lane, 0, tri_linear_total_out_bits(&plan->lane));
    for (int r = 0; r < count; r++) {
        LLVMValueRef along = LLVMBuildIntCast2(g->b, index.at[r], g->i32, true, "");
        uint64_t own = tri_linear_apply_one(&plan->lane, TRI_DIM_REGISTER, (uint64_t)r);
        LLVMValueRef lane = LLVMBuildXor(g->b, first, tri_gpu_i32(g, (int64_t)own), "");
        lane = LLVMBuildXor(g->b, lane, tri_gpu_apply_value(g, along, plan->lane_of, plan->axis_bits), "");
        out.at[r] =
            search(g, plan, &in, lane, along, 0, tri_linear_apply_one(&plan->source, TRI_DIM_REGISTER, (uint64_t)r));
    }
    tri_gpu_set_result(g, op, 0, out);
}

static bool run_gather(tri_gpu *g, MlirOperation op)
{
    MlirValue source = mlirOperationGetOperand(op, 0), indices = mlirOperationGetOperand(op, 1);
    MlirType type = mlirValueGetType(source);
    tri_gpu_layout *from = tri_gpu_layout_of(g, op, type), *to = tri_gpu_layout_of(g, op, mlirValueGetType(indices));
    int64_t offset;
    tri_gather plan;
    if (!from || !to)
        return false;
    if (tri_scratch_gather(g->arena, op, &g->plan, &plan)) {
        gather_in_warp(g, op, &plan, to->registers);
        return true;
    }
    if (!need_scratch(g, op, &offset))
        return false;
    int axis = (int)tri_op_int(op, "axis", 0);
    LLVMTypeRef element = tri_gpu_part_type(g, type, 0);
    int bytes = tri_gpu_plan_packing(g, element, 1).element_bits / 8;
    LLVMValueRef base = tri_gpu_shared_at(g, offset), owner = tri_gpu_owner(g, &from->replicas);
    tri_gpu_value in = tri_gpu_get(g, source), index = tri_gpu_get(g, indices), out = tri_gpu_new(g, to->registers);
    for (int r = 0; r < from->registers; r++) {
        if ((uint64_t)r & from->replicas.reg)
            continue;
        LLVMValueRef at = LLVMBuildMul(g->b, element_number(g, from, type, r, -1, NULL), tri_gpu_i32(g, bytes), "");
        tri_gpu_shared_store(g, tri_gpu_offset(g, base, at), &in.at[r], 1, owner);
    }
    tri_gpu_barrier(g, TRI_SYNC_CTA);
    for (int r = 0; r < out.count; r++) {
        LLVMValueRef along = LLVMBuildIntCast2(g->b, index.at[r], g->i32, true, "");
        LLVMValueRef number = element_number(g, to, type, r, axis, along);
        LLVMValueRef at = LLVMBuildMul(g->b, number, tri_gpu_i32(g, bytes), "");
        tri_gpu_shared_load(g, tri_gpu_offset(g, base, at), element, 1, &out.at[r]);
    }
    tri_gpu_set_result(g, op, 0, out);
    return true;
}

/* ---- histogram ---- */

/* All threads clear the counters, each its share. */
static void clear_counters(tri_gpu *g, LLVMValueRef base, LLVMTypeRef type, int64_t bins)
{
    int64_t threads = (int64_t)g->group->num_warps * g->warp_size;
    LLVMValueRef zero = LLVMConstNull(type);
    int bytes = (int)tri_gpu_bits(g, type) / 8;
    for (int64_t first = 0; first < bins; first += threads) {
        LLVMValueRef bin = LLVMBuildAdd(g->b, tri_gpu_thread(g), tri_gpu_i32(g, first), "");
        LLVMValueRef is_inside = NULL;
        if (first + threads > bins)
            is_inside = LLVMBuildICmp(g->b, LLVMIntULT, bin, tri_gpu_i32(g, bins), "");
        LLVMValueRef at = LLVMBuildMul(g->b, bin, tri_gpu_i32(g, bytes), "");
        tri_gpu_shared_store(g, tri_gpu_offset(g, base, at), &zero, 1, is_inside);
    }
}

static void count(tri_gpu *g, LLVMValueRef pointer, LLVMTypeRef type, LLVMValueRef pred)
{
    LLVMValueRef one = LLVMConstInt(type, 1, false), old;
    tri_machine_update u = {
        .pointer = pointer, .pred = pred, .kind = TRI_RMW_ADD, .scope = TRI_SCOPE_CTA, .vec = 1, .value = &one};
    tri_gpu_update(g, &u, &old);
}

static bool run_histogram(tri_gpu *g, MlirOperation op)
{
    MlirValue source = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
    tri_gpu_layout *from = tri_gpu_layout_of(g, op, mlirValueGetType(source));
    tri_gpu_layout *to = tri_gpu_layout_of(g, op, mlirValueGetType(result));
    int64_t offset, bins = tri_type_num_elements(mlirValueGetType(result));
    if (!from || !to || !need_scratch(g, op, &offset))
        return false;
    LLVMTypeRef type = tri_gpu_part_type(g, mlirValueGetType(result), 0);
    if (tri_gpu_bits(g, type) < 32)
        return tri_gpu_unsupported(g, op, "counters of less than 32 bits cannot be counted up atomically");
    int bytes = (int)tri_gpu_bits(g, type) / 8;
    LLVMValueRef base = tri_gpu_shared_at(g, offset), owner = tri_gpu_owner(g, &from->replicas);
    tri_gpu_value values = tri_gpu_get(g, source), masks = {0};
    if (mlirOperationGetNumOperands(op) > 1)
        masks = tri_gpu_operand(g, op, 1);
    clear_counters(g, base, type, bins);
    tri_gpu_barrier(g, TRI_SYNC_CTA);
    for (int r = 0; r < values.count; r++) {
        if ((uint64_t)r & from->replicas.reg)
            continue;
        LLVMTypeRef value_type = LLVMTypeOf(values.at[r]);
        bool always_fits = tri_gpu_bits(g, value_type) < 63 && bins >= INT64_C(1) << tri_gpu_bits(g, value_type);
        LLVMValueRef pred = tri_gpu_and(g, owner, masks.count ? masks.at[r] : NULL);
        if (!always_fits)
            pred = tri_gpu_and(g, pred, LLVMBuildICmp(g->b, LLVMIntULT, values.at[r],
                                                      LLVMConstInt(value_type, (uint64_t)bins, false), ""));
        if (!pred)
            pred = LLVMConstInt(g->i1, 1, false);
        LLVMValueRef bin = LLVMBuildIntCast2(g->b, values.at[r], g->i32, false, "");
        LLVMValueRef at = LLVMBuildMul(g->b, bin, tri_gpu_i32(g, bytes), "");
        count(g, tri_gpu_offset(g, base, at), type, pred);
    }
    tri_gpu_barrier(g, TRI_SYNC_CTA);
    tri_gpu_value out = tri_gpu_new(g, to->registers);
    for (int r = 0; r < out.count; r++) {
        LLVMValueRef at = LLVMBuildMul(g->b, tri_gpu_coordinate(g, to, r, 0), tri_gpu_i32(g, bytes), "");
        tri_gpu_shared_load(g, tri_gpu_offset(g, base, at), type, 1, &out.at[r]);
    }
    tri_gpu_set(g, result, out);
    return true;
}

const tri_gpu_op tri_gpu_ops_gather[] = {
    {"tt.gather", run_gather, NULL},
    {"tt.histogram", run_histogram, NULL},
    {0},
};
