/* tt.scan. Inside a warp: for each bit of the axis, from the lowest up, every element with that bit set
 * takes in the running value of the last element of the block below it. Where several bits of the lane come one after
 * the other, blocks of registers do so by their last one alone, and the others once, behind these steps. Across warps:
 * the totals of the runs that one warp scans go through shared memory, and every thread takes in those before it.
 * `reverse` is the same with the axis counted from its end. */
#include "ir/analysis/scratch.h"
#include "ir/type.h"
#include "targets/gpu/access.h"

enum { max_tuple = 8 };

typedef struct {
    tri_gpu *g;
    MlirOperation op;
    int tuple;
    bool reverse;
    tri_dim axis;
    tri_gpu_layout *layout;
    const tri_plan_scan *plan;
    tri_gpu_value at[max_tuple];
} state;

/* out = combine(before, value) */
static bool combine(state *s, LLVMValueRef *before, LLVMValueRef *value, LLVMValueRef *out)
{
    LLVMValueRef args[2 * max_tuple];
    for (int i = 0; i < s->tuple; i++) {
        args[i] = before[i];
        args[s->tuple + i] = value[i];
    }
    return tri_gpu_run_region(s->g, s->op, 2 * s->tuple, args, s->tuple, out);
}

/* combine(before, value) into register r, in the threads where it applies (null: all). */
static bool take_in(state *s, int r, LLVMValueRef *before, LLVMValueRef applies)
{
    LLVMValueRef value[max_tuple], out[max_tuple];
    for (int i = 0; i < s->tuple; i++)
        value[i] = s->at[i].at[r];
    if (!combine(s, before, value, out))
        return false;
    for (int i = 0; i < s->tuple; i++)
        s->at[i].at[r] = applies ? LLVMBuildSelect(s->g->b, applies, out[i], value[i], "") : out[i];
    return true;
}

/* Register and lane bits along the axis below a step: what "the last element" has set. */
typedef struct {
    uint64_t registers;
    uint32_t lanes;
} bits_below;

static uint64_t last_of(const state *s, uint64_t index, uint64_t bit, uint64_t below)
{
    /* counted from the end, "set" and "clear" change places */
    return s->reverse ? (index | bit) & ~below : (index & ~bit) | below;
}

static LLVMValueRef last_lane(state *s, uint32_t bit, uint32_t below)
{
    tri_gpu *g = s->g;
    uint32_t set = s->reverse ? bit : below, clear = s->reverse ? below : bit;
    LLVMValueRef lane = tri_gpu_lane(g);
    if (set)
        lane = LLVMBuildOr(g->b, lane, tri_gpu_i32(g, set), "");
    return clear ? LLVMBuildAnd(g->b, lane, tri_gpu_i32(g, (int32_t)~clear), "") : lane;
}

/* The value of another lane of the warp: by a shuffle, or through shared memory. */
static LLVMValueRef from_lane(state *s, LLVMValueRef value, LLVMValueRef lane)
{
    tri_gpu *g = s->g;
    if (tri_machine_has(g, TRI_MACHINE_shuffle_index))
        return tri_gpu_shuffle_index(g, value, lane);
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef base = tri_gpu_shared_at(g, tri_gpu_scratch_offset(s->op)), at[2], result;
    LLVMValueRef bytes = tri_gpu_i32(g, tri_gpu_plan_packing(g, type, 1).element_bits / 8);
    LLVMValueRef warp = LLVMBuildMul(g->b, tri_gpu_warp(g), tri_gpu_i32(g, g->warp_size), "");
    for (int i = 0; i < 2; i++) {
        LLVMValueRef thread = LLVMBuildAdd(g->b, warp, i ? lane : tri_gpu_lane(g), "");
        at[i] = tri_gpu_offset(g, base, LLVMBuildMul(g->b, thread, bytes, ""));
    }
    tri_gpu_shared_store(g, at[0], &value, 1, NULL);
    tri_gpu_barrier(g, TRI_SYNC_CTA);
    tri_gpu_shared_load(g, at[1], type, 1, &result);
    tri_gpu_barrier(g, TRI_SYNC_CTA); /* the next value goes to the same places */
    return result;
}

/* What a step takes in from register `from` of another lane (null: of its own). Registers of one block take the same
 * values, and a shuffle is never merged with its like: `known` (by register, zeroed) keeps them for the step. */
static LLVMValueRef *value_before(state *s, LLVMValueRef **known, const tri_gpu_value *values, int from,
                                  LLVMValueRef lane)
{
    if (!known[from]) {
        known[from] = TRI_NEW_ARRAY(s->g->arena, LLVMValueRef, s->tuple);
        for (int i = 0; i < s->tuple; i++)
            known[from][i] = lane ? from_lane(s, values[i].at[from], lane) : values[i].at[from];
    }
    return known[from];
}

static bool step_registers(state *s, int bit, bits_below below)
{
    uint64_t mask = UINT64_C(1) << bit;
    LLVMValueRef lane = below.lanes ? last_lane(s, 0, below.lanes) : NULL;
    LLVMValueRef **known = TRI_NEW_ARRAY(s->g->arena, LLVMValueRef *, s->at[0].count);
    for (int r = 0; r < s->at[0].count; r++) {
        bool is_upper = ((uint64_t)r & mask) != 0;
        if (is_upper == s->reverse || ((uint64_t)r & s->plan->copies))
            continue;
        int from = (int)last_of(s, (uint64_t)r, mask, below.registers);
        if (!take_in(s, r, value_before(s, known, s->at, from, lane), NULL))
            return false;
    }
    return true;
}

static bool is_last_register(const state *s, int r, bits_below below)
{
    return (uint64_t)r == last_of(s, (uint64_t)r, 0, below.registers);
}

/* `last_only`: just the last registers of blocks. */
static bool step_lanes(state *s, int bit, bits_below below, bool last_only)
{
    tri_gpu *g = s->g;
    uint32_t mask = UINT32_C(1) << bit;
    LLVMValueRef lane = last_lane(s, mask, below.lanes);
    LLVMValueRef own = LLVMBuildAnd(g->b, tri_gpu_lane(g), tri_gpu_i32(g, mask), "");
    LLVMValueRef applies = LLVMBuildICmp(g->b, s->reverse ? LLVMIntEQ : LLVMIntNE, own, tri_gpu_i32(g, 0), "");
    tri_gpu_value old[max_tuple];
    for (int i = 0; i < s->tuple; i++) {
        old[i] = tri_gpu_new(g, s->at[i].count);
        memcpy(old[i].at, s->at[i].at, sizeof *old[i].at * (size_t)old[i].count);
    }
    LLVMValueRef **known = TRI_NEW_ARRAY(g->arena, LLVMValueRef *, s->at[0].count);
    for (int r = 0; r < s->at[0].count; r++) {
        if ((uint64_t)r & s->plan->copies || (last_only && !is_last_register(s, r, below)))
            continue;
        int from = (int)last_of(s, (uint64_t)r, 0, below.registers);
        if (!take_in(s, r, value_before(s, known, old, from, lane), applies))
            return false;
    }
    return true;
}

/* The lane with the last of what lies before this one's block, in an axis with `bits` of the lane above those below. A
 * number whose digits are a mask's bits counts down by what borrows through the gaps, and up by what carries. */
static LLVMValueRef lane_before(state *s, uint32_t bits, uint32_t below)
{
    tri_gpu *g = s->g;
    LLVMValueRef lane = tri_gpu_lane(g), low = tri_gpu_i32(g, bits & -bits);
    LLVMValueRef same = LLVMBuildAnd(g->b, lane, tri_gpu_i32(g, (int32_t)~(bits | below)), "");
    LLVMValueRef field = s->reverse ? LLVMBuildOr(g->b, lane, tri_gpu_i32(g, (int32_t)~bits), "")
                                    : LLVMBuildAnd(g->b, lane, tri_gpu_i32(g, (int32_t)bits), "");
    field = s->reverse ? LLVMBuildAdd(g->b, field, low, "") : LLVMBuildSub(g->b, field, low, "");
    field = LLVMBuildAnd(g->b, field, tri_gpu_i32(g, (int32_t)bits), "");
    lane = LLVMBuildOr(g->b, same, field, "");
    return s->reverse || !below ? lane : LLVMBuildOr(g->b, lane, tri_gpu_i32(g, (int32_t)below), "");
}

/* After steps over `bits` of the lane by the last registers of blocks: the others take in what these have in front. */
static bool add_blocks_before(state *s, uint32_t bits, bits_below below)
{
    tri_gpu *g = s->g;
    LLVMValueRef lane = lane_before(s, bits, below.lanes);
    LLVMValueRef own = LLVMBuildAnd(g->b, tri_gpu_lane(g), tri_gpu_i32(g, (int32_t)bits), "");
    LLVMValueRef applies = LLVMBuildICmp(g->b, LLVMIntNE, own, tri_gpu_i32(g, s->reverse ? (int32_t)bits : 0), "");
    LLVMValueRef **known = TRI_NEW_ARRAY(g->arena, LLVMValueRef *, s->at[0].count);
    for (int r = 0; r < s->at[0].count; r++) {
        if ((uint64_t)r & s->plan->copies || is_last_register(s, r, below))
            continue;
        int from = (int)last_of(s, (uint64_t)r, 0, below.registers);
        if (!take_in(s, r, value_before(s, known, s->at, from, lane), applies))
            return false;
    }
    return true;
}

/* Steps over bits of the lane, from step `first` on, as many as follow one another in rising order. */
static int count_lane_steps(const state *s, int first, int64_t run)
{
    const tri_linear *l = &s->layout->linear;
    int end = first;
    while (end < s->plan->num_steps && s->plan->step[end].in == TRI_DIM_LANE &&
           tri_linear_basis_at(l, TRI_DIM_LANE, s->plan->step[end].bit, s->axis) < run &&
           (end == first || s->plan->step[end].bit > s->plan->step[end - 1].bit))
        end++;
    return end - first;
}

static bool run_lane_steps(state *s, int first, int count, bits_below *below)
{
    bool last_only = count > 1 && below->registers;
    bits_below before = *below;
    uint32_t bits = 0;
    for (int i = first; i < first + count; i++) {
        if (!step_lanes(s, s->plan->step[i].bit, *below, last_only))
            return false;
        bits |= UINT32_C(1) << s->plan->step[i].bit;
        below->lanes = before.lanes | bits;
    }
    return !last_only || add_blocks_before(s, bits, before);
}

/* ---- across warps ---- */

/* Where a run's total lies: [run index][element of the other dimensions]. */
typedef struct {
    int64_t run, runs, others; /* elements per run, runs, elements of the other dimensions */
    int64_t offset[max_tuple];
    int bytes[max_tuple];
} totals;

/* Index of the element among the other dimensions, row-major. */
static LLVMValueRef other_index(state *s, int r)
{
    tri_gpu *g = s->g;
    MlirType type = mlirValueGetType(mlirOperationGetOperand(s->op, 0));
    LLVMValueRef index = tri_gpu_i32(g, 0);
    for (int d = 0; d < tri_type_rank(type); d++) {
        if ((tri_dim)(TRI_DIM_0 + d) == s->axis)
            continue;
        index = LLVMBuildMul(g->b, index, tri_gpu_i32(g, tri_type_dim(type, d)), "");
        index = LLVMBuildAdd(g->b, index, tri_gpu_coordinate(g, s->layout, r, d), "");
    }
    return index;
}

static LLVMValueRef total_pointer(state *s, const totals *t, int i, LLVMValueRef run, LLVMValueRef other)
{
    tri_gpu *g = s->g;
    LLVMValueRef index = LLVMBuildAdd(g->b, LLVMBuildMul(g->b, run, tri_gpu_i32(g, t->others), ""), other, "");
    LLVMValueRef bytes = LLVMBuildMul(g->b, index, tri_gpu_i32(g, t->bytes[i]), "");
    return tri_gpu_offset(g, tri_gpu_shared_at(g, t->offset[i]), bytes);
}

/* Position of register r along the axis, counted from where the scan begins. */
static LLVMValueRef position(state *s, int r)
{
    tri_gpu *g = s->g;
    LLVMValueRef at = tri_gpu_coordinate(g, s->layout, r, (int)(s->axis - TRI_DIM_0));
    int64_t last = tri_linear_out_size(&s->layout->linear, s->axis) - 1;
    return s->reverse ? LLVMBuildSub(g->b, tri_gpu_i32(g, last), at, "") : at;
}

static void store_totals(state *s, const totals *t)
{
    tri_gpu *g = s->g;
    LLVMValueRef owner = tri_gpu_owner(g, &s->layout->replicas);
    for (int r = 0; r < s->at[0].count; r++) {
        if ((uint64_t)r & s->plan->copies)
            continue;
        LLVMValueRef at = position(s, r);
        LLVMValueRef inside = LLVMBuildAnd(g->b, at, tri_gpu_i32(g, t->run - 1), "");
        LLVMValueRef is_last = LLVMBuildICmp(g->b, LLVMIntEQ, inside, tri_gpu_i32(g, t->run - 1), "");
        LLVMValueRef run = LLVMBuildLShr(g->b, at, tri_gpu_i32(g, tri_linear_log2(t->run)), "");
        LLVMValueRef other = other_index(s, r), pred = tri_gpu_and(g, owner, is_last);
        for (int i = 0; i < s->tuple; i++)
            tri_gpu_shared_store(g, total_pointer(s, t, i, run, other), &s->at[i].at[r], 1, pred);
    }
}

/* Register bits that change the other dimensions, and the run. */
typedef struct {
    uint64_t elsewhere, runs;
} register_bits;

static register_bits find_register_bits(const state *s, const totals *t)
{
    const tri_linear *l = &s->layout->linear;
    register_bits found = {0};
    for (int bit = 0; bit < tri_linear_in_bits(l, TRI_DIM_REGISTER); bit++) {
        uint64_t packed = tri_linear_apply_one(l, TRI_DIM_REGISTER, UINT64_C(1) << bit);
        uint64_t along = (uint64_t)tri_linear_coord(l, packed, s->axis) << tri_linear_out_shift(l, s->axis);
        found.elsewhere |= (uint64_t)(packed != along) << bit;
        found.runs |= (uint64_t)(tri_linear_coord(l, packed, s->axis) >= t->run) << bit;
    }
    return found;
}

/* The registers of one run in one place of the other dimensions, by their lowest: which runs they can be in, and what
 * comes before theirs, chosen of the totals so far. */
typedef struct {
    int lowest;
    int64_t first, last;
    LLVMValueRef run, value[max_tuple];
} group;

static group make_group(state *s, const totals *t, int r)
{
    static const tri_dim dims[] = {TRI_DIM_LANE, TRI_DIM_WARP, TRI_DIM_BLOCK};
    const tri_linear *l = &s->layout->linear;
    int64_t at = tri_linear_coord(l, tri_linear_apply_one(l, TRI_DIM_REGISTER, (uint64_t)r), s->axis), threads = 0;
    for (size_t d = 0; d < sizeof dims / sizeof *dims; d++)
        for (int bit = 0; bit < tri_linear_in_bits(l, dims[d]); bit++)
            threads |= tri_linear_basis_at(l, dims[d], bit, s->axis);
    at = (s->reverse ? t->run * t->runs - 1 - at : at) / t->run;
    threads /= t->run;
    LLVMValueRef run = LLVMBuildLShr(s->g->b, position(s, r), tri_gpu_i32(s->g, tri_linear_log2(t->run)), "");
    return (group){.lowest = r, .first = at & ~threads, .last = at | threads, .run = run};
}

/* Once what all of the group's threads can need is summed, its registers take it in. */
static bool take_total(state *s, group *of, register_bits bits, int64_t k, const LLVMValueRef *sum)
{
    tri_gpu *g = s->g;
    if (k + 1 < of->first || k >= of->last)
        return true;
    bool is_first = k + 1 == of->first || !k;
    LLVMValueRef is_before = is_first ? NULL : LLVMBuildICmp(g->b, LLVMIntUGT, of->run, tri_gpu_i32(g, k), "");
    for (int i = 0; i < s->tuple; i++)
        of->value[i] = is_first ? sum[i] : LLVMBuildSelect(g->b, is_before, sum[i], of->value[i], "");
    if (k + 1 < of->last)
        return true;
    LLVMValueRef applies = of->first ? NULL : LLVMBuildICmp(g->b, LLVMIntNE, of->run, tri_gpu_i32(g, 0), "");
    for (int r = of->lowest; r < s->at[0].count; r++)
        if (((uint64_t)r & (bits.elsewhere | bits.runs)) == (uint64_t)of->lowest && !((uint64_t)r & s->plan->copies) &&
            !take_in(s, r, of->value, applies))
            return false;
    return true;
}

/* Sums the totals of all runs in the other dimensions' place of a register, one after the other. Each is taken in where
 * it is needed before the next is read, as they together would fill registers. */
static bool add_totals_at(state *s, const totals *t, int place, register_bits bits)
{
    tri_gpu *g = s->g;
    group *groups = TRI_NEW_ARRAY(g->arena, group, s->at[0].count);
    int count = 0;
    for (int r = place; r < s->at[0].count; r++)
        if (((uint64_t)r & bits.elsewhere) == (uint64_t)place && !((uint64_t)r & ~(bits.elsewhere | bits.runs)))
            groups[count++] = make_group(s, t, r);
    LLVMValueRef other = other_index(s, place), sum[max_tuple], total[max_tuple];
    for (int64_t k = 0; k + 1 < t->runs; k++) {
        for (int i = 0; i < s->tuple; i++)
            tri_gpu_shared_load(g, total_pointer(s, t, i, tri_gpu_i32(g, k), other),
                                LLVMTypeOf(s->at[i].at[place]), 1, k ? &total[i] : &sum[i]);
        if (k && !combine(s, sum, total, sum))
            return false;
        for (int i = 0; i < count; i++)
            if (!take_total(s, &groups[i], bits, k, sum))
                return false;
    }
    return true;
}

/* Takes the totals of all runs before its own into each register. */
static bool add_totals(state *s, const totals *t)
{
    register_bits bits = find_register_bits(s, t);
    for (int r = 0; r < s->at[0].count; r++)
        if (!((uint64_t)r & ~bits.elsewhere) && !add_totals_at(s, t, r, bits))
            return false;
    return true;
}

static bool scan_warps(state *s)
{
    tri_gpu *g = s->g;
    MlirType type = mlirValueGetType(mlirOperationGetOperand(s->op, 0));
    int64_t size = tri_linear_out_size(&s->layout->linear, s->axis), offset = tri_gpu_scratch_offset(s->op);
    if (offset < 0)
        return tri_gpu_unsupported(g, s->op, "no shared memory was allocated for it; run allocate-shared-memory first");
    totals *t = TRI_NEW(g->arena, totals);
    t->run = tri_scratch_scan_run(&s->layout->linear, s->axis);
    t->runs = size / t->run;
    t->others = tri_type_num_elements(type) / size;
    for (int i = 0; i < s->tuple; i++) {
        int bits = tri_gpu_plan_packing(g, LLVMTypeOf(s->at[i].at[0]), 1).element_bits;
        t->offset[i] = offset;
        t->bytes[i] = bits / 8;
        offset += (tri_type_num_elements(type) / t->run * bits / 8 + 15) / 16 * 16;
    }
    store_totals(s, t);
    tri_gpu_barrier(g, TRI_SYNC_CTA);
    return add_totals(s, t);
}

static bool scan_inside_warps(state *s, bool *out_crosses)
{
    int64_t run = tri_scratch_scan_run(&s->layout->linear, s->axis);
    bits_below below = {0};
    *out_crosses = run < tri_linear_out_size(&s->layout->linear, s->axis);
    for (int i = 0, count = 1; i < s->plan->num_steps; i += count) {
        tri_dim in = s->plan->step[i].in;
        int bit = s->plan->step[i].bit;
        if (tri_linear_basis_at(&s->layout->linear, in, bit, s->axis) >= run)
            return true; /* from the first warp bit on, through shared memory */
        count = in == TRI_DIM_REGISTER ? 1 : count_lane_steps(s, i, run);
        if (in == TRI_DIM_REGISTER) {
            if (!step_registers(s, bit, below))
                return false;
            below.registers |= UINT64_C(1) << bit;
        } else {
            if (!tri_machine_has(s->g, TRI_MACHINE_shuffle_index) && tri_gpu_scratch_offset(s->op) < 0)
                return tri_gpu_unsupported(s->g, s->op,
                                           "no shared memory was allocated for it; run allocate-shared-memory first");
            if (!run_lane_steps(s, i, count, &below))
                return false;
        }
    }
    return true;
}

static bool run_scan(tri_gpu *g, MlirOperation op)
{
    state s = {.g = g, .op = op, .tuple = (int)mlirOperationGetNumOperands(op), .reverse = tri_op_flag(op, "reverse")};
    if (s.tuple > max_tuple)
        return tri_gpu_unsupported(g, op, "more than %d tensors are scanned together; several scans can be", max_tuple);
    s.axis = (tri_dim)(TRI_DIM_0 + tri_op_int(op, "axis", 0));
    s.layout = tri_gpu_layout_of(g, op, mlirValueGetType(mlirOperationGetOperand(op, 0)));
    tri_plan_scan *plan = TRI_NEW(g->arena, tri_plan_scan);
    if (!s.layout)
        return false;
    if (!tri_plan_scan_make(&s.layout->linear, s.axis, plan))
        return tri_gpu_unsupported(
            g, op, "the axis is mixed with another dimension in this layout; convert it to a blocked one first");
    s.plan = plan;
    for (int i = 0; i < s.tuple; i++) {
        tri_gpu_value in = tri_gpu_operand(g, op, i);
        s.at[i] = tri_gpu_new(g, in.count);
        memcpy(s.at[i].at, in.at, sizeof *in.at * (size_t)in.count);
    }
    bool crosses_warps;
    if (!scan_inside_warps(&s, &crosses_warps) || (crosses_warps && !scan_warps(&s)))
        return false;
    for (int i = 0; i < s.tuple; i++) {
        for (int r = 0; r < s.at[i].count; r++)
            s.at[i].at[r] = s.at[i].at[(uint64_t)r & ~plan->copies];
        tri_gpu_set_result(g, op, i, s.at[i]);
    }
    return true;
}

const tri_gpu_op tri_gpu_ops_scan[] = {
    {"tt.scan", run_scan, NULL},
    {0},
};
