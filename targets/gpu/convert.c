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

/* Several tensors of one pair of layouts at once: their stores share a barrier. */
typedef struct {
    const tri_plan_convert *plan;
    tri_gpu_buffer to, from;
    tri_gpu_value in, out;
    LLVMTypeRef type;
} transfer;

static void through_shared(tri_gpu *g, transfer *t, int count, const tri_linear *src, const tri_linear *dst)
{
    uint64_t src_copies = tri_plan_find_replicas(src).reg, dst_copies = tri_plan_find_replicas(dst).reg;
    int rounds = 1;
    for (int i = 0; i < count; i++)
        rounds = t[i].plan->rounds > rounds ? t[i].plan->rounds : rounds;
    for (int round = 0; round < rounds; round++) {
        if (round)
            tri_gpu_barrier(g, t->plan->sync);
        for (int i = 0; i < count; i++)
            tri_gpu_access_store(g, &t[i].plan->store, &t[i].to, round, src_copies, t[i].in);
        tri_gpu_barrier(g, t->plan->sync);
        for (int i = 0; i < count; i++)
            tri_gpu_access_load(g, &t[i].plan->load, &t[i].from, round, dst_copies, t[i].type, &t[i].out);
    }
    for (int i = 0; i < count; i++)
        for (int r = 0; r < t[i].out.count; r++)
            t[i].out.at[r] = t[i].out.at[(uint64_t)r & ~dst_copies];
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
            out.at[r] =
                LLVMBuildSelect(g->b, is_on, values->at[(uint64_t)r ^ selects[i].register_xor], values->at[r], "");
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
    LLVMValueRef lane =
        s->is_xor ? NULL : tri_gpu_apply_thread(g, &s->source, 0, tri_linear_total_out_bits(&s->source));
    tri_gpu_value out = tri_gpu_new(g, (int)tri_linear_in_size(&s->renumber, TRI_DIM_REGISTER));
    for (int k = 0; k < out.count; k++)
        if (!((uint64_t)k & s->copies))
            out.at[k] =
                from_lane(g, s, k, lane, values.at[tri_linear_apply_one(&s->renumber, TRI_DIM_REGISTER, (uint64_t)k)]);
    for (int k = 0; k < out.count; k++)
        out.at[k] = out.at[(uint64_t)k & ~s->copies];
    exchange(g, s->receive, s->num_receive, &out);
    for (int k = 0; k < out.count; k++)
        out.at[k] = out.at[(uint64_t)k & ~s->copies];
    return out;
}

/* ---- by exchanges of two registers ---- */

/* Whether the layouts are the same but for a bit of registers and one of lanes, which changed places. */
static bool find_swap(const tri_linear *src, const tri_linear *dst, int *out_register, int *out_lane)
{
    int registers = tri_linear_in_bits(src, TRI_DIM_REGISTER), lanes = tri_linear_in_bits(src, TRI_DIM_LANE), found = 0;
    if (tri_linear_in_bits(dst, TRI_DIM_REGISTER) != registers || !tri_linear_is_injective(src))
        return false;
    for (int bit = 0; bit < registers; bit++)
        if (tri_linear_basis(src, TRI_DIM_REGISTER, bit) != tri_linear_basis(dst, TRI_DIM_REGISTER, bit))
            *out_register = bit, found++;
    for (int bit = 0; bit < lanes; bit++)
        if (tri_linear_basis(src, TRI_DIM_LANE, bit) != tri_linear_basis(dst, TRI_DIM_LANE, bit))
            *out_lane = bit, found += 100;
    for (int bit = 0; bit < tri_linear_in_bits(src, TRI_DIM_WARP); bit++)
        if (tri_linear_basis(src, TRI_DIM_WARP, bit) != tri_linear_basis(dst, TRI_DIM_WARP, bit))
            return false;
    return found == 101 &&
           tri_linear_basis(src, TRI_DIM_REGISTER, *out_register) == tri_linear_basis(dst, TRI_DIM_LANE, *out_lane);
}

/* Registers r and r + bit, as many side by side as fill a word. False: the machine does not exchange them. */
static bool by_swaps(tri_gpu *g, const tri_linear *src, const tri_linear *dst, transfer *t)
{
    enum { word = 32 };
    int reg = 0, lane = 0, bits = tri_gpu_plan_packing(g, t->type, 1).element_bits;
    if (!g->machine->swap_lanes || bits > word || !find_swap(src, dst, &reg, &lane))
        return false;
    int step = word / bits < 1 << reg ? word / bits : 1 << reg;
    tri_gpu_packing p = tri_gpu_plan_packing(g, t->type, step);
    t->out = tri_gpu_new(g, t->in.count);
    for (int first = 0; first < t->in.count; first += step) {
        LLVMValueRef pair[2];
        int other = first | 1 << reg;
        if (first == other)
            continue;
        tri_gpu_pack(g, &p, t->in.at + first, &pair[0]);
        tri_gpu_pack(g, &p, t->in.at + other, &pair[1]);
        LLVMTypeRef type = LLVMTypeOf(pair[0]);
        LLVMTypeRef narrow = LLVMIntTypeInContext(g->llvm, (unsigned)(step * bits));
        for (int i = 0; i < 2; i++)
            pair[i] = LLVMBuildZExt(g->b, LLVMBuildBitCast(g->b, pair[i], narrow, ""), g->i32, "");
        if (!g->machine->swap_lanes(g, 1u << lane, pair))
            return false;
        for (int i = 0; i < 2; i++)
            pair[i] = LLVMBuildBitCast(g->b, LLVMBuildTrunc(g->b, pair[i], narrow, ""), type, "");
        tri_gpu_unpack(g, &p, &pair[0], t->out.at + first);
        tri_gpu_unpack(g, &p, &pair[1], t->out.at + other);
    }
    return true;
}

static tri_plan_convert *make_plan(tri_gpu *g, MlirOperation op, const tri_linear *src, const tri_linear *dst,
                                   LLVMTypeRef type)
{
    tri_plan_convert *plan = TRI_NEW(g->arena, tri_plan_convert);
    int bits = tri_gpu_plan_packing(g, type, 1).element_bits;
    if (tri_plan_convert_make(src, dst, bits, &g->plan, 0, plan))
        return plan;
    tri_gpu_unsupported(g, op, "there is no conversion between these layouts");
    return NULL;
}

static bool convert_in_registers(tri_gpu *g, MlirOperation op, const tri_linear *src, const tri_linear *dst,
                                 transfer *t)
{
    if (t->plan->kind == TRI_CVT_SHUFFLE && by_swaps(g, src, dst, t))
        return true;
    switch (t->plan->kind) {
    case TRI_CVT_NONE:
    case TRI_CVT_REGISTERS:
        t->out = rename_registers(g, &t->plan->map, t->in);
        return true;
    case TRI_CVT_SHUFFLE:
        tri_diag_remark(g->unit->diag, tri_op_span(g->unit->diag, op), "layout", "through %d shuffles",
                        t->plan->shuffle.num_shuffles);
        t->out = by_shuffles(g, t->plan, t->in);
        return true;
    case TRI_CVT_SHARED:
    case TRI_CVT_CLUSTER:
        break;
    }
    return tri_gpu_unsupported(g, op, "it moves data between the blocks of a cluster");
}

bool tri_gpu_convert(tri_gpu *g, MlirOperation op, const tri_linear *src, const tri_linear *dst, int count,
                     tri_gpu_value *values)
{
    enum { max_tensors = 8 };
    transfer list[max_tensors];
    int64_t offset = tri_gpu_scratch_offset(op), bytes = 0;
    int num_shared = 0, rounds = 0;
    TRI_ASSERT(count <= max_tensors);
    for (int i = 0; i < count; i++) {
        transfer *t = &list[i];
        *t = (transfer){.in = values[i], .type = LLVMTypeOf(values[i].at[0])};
        t->plan = make_plan(g, op, src, dst, t->type);
        if (!t->plan)
            return false;
        if (t->plan->kind != TRI_CVT_SHARED) {
            if (!convert_in_registers(g, op, src, dst, t))
                return false;
            continue;
        }
        if (offset < 0)
            return tri_gpu_unsupported(g, op,
                                       "no shared memory was allocated for it; run allocate-shared-memory first");
        t->to = (tri_gpu_buffer){.base = tri_gpu_shared_at(g, offset + bytes), .element_bits = t->plan->element_bits};
        t->from = t->to;
        t->out = tri_gpu_new(g, (int)tri_linear_in_size(dst, TRI_DIM_REGISTER));
        bytes += (t->plan->scratch_elements * t->plan->element_bits / 8 + 15) / 16 * 16;
        rounds = t->plan->rounds > rounds ? t->plan->rounds : rounds;
        num_shared++;
    }
    if (num_shared) {
        TRI_ASSERT(num_shared == count); /* the layouts alone decide */
        tri_diag_remark(g->unit->diag, tri_op_span(g->unit->diag, op), "layout",
                        "through %lld bytes of shared memory in %d rounds", (long long)bytes, rounds);
        through_shared(g, list, count, src, dst);
    }
    for (int i = 0; i < count; i++)
        values[i] = list[i].out;
    return true;
}

bool tri_gpu_run_convert(tri_gpu *g, MlirOperation op)
{
    MlirValue operand = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
    tri_gpu_layout *src = tri_gpu_layout_of(g, op, mlirValueGetType(operand));
    tri_gpu_layout *dst = tri_gpu_layout_of(g, op, mlirValueGetType(result));
    if (!src || !dst)
        return false;
    tri_gpu_value values = tri_gpu_get(g, operand);
    if (tri_op_flag(op, "tritcc.again"))
        tri_gpu_barrier(g, TRI_SYNC_WARP);
    if (!tri_gpu_convert(g, op, &src->linear, &dst->linear, 1, &values))
        return false;
    tri_gpu_set(g, result, values);
    return true;
}

static bool run_barrier(tri_gpu *g, MlirOperation op)
{
    (void)op;
    tri_gpu_barrier_global(g);
    return true;
}

const tri_gpu_op tri_gpu_ops_convert[] = {
    {"ttg.convert_layout", tri_gpu_run_convert, NULL},
    {"ttg.barrier", run_barrier, NULL},
    {"gpu.barrier", run_barrier, NULL},
    {0},
};
