/* tt.reduce: in the thread, between lanes, then rounds through shared memory. */
#include "ir/type.h"
#include "targets/gpu/access.h"

enum { max_tuple = 8 };

/* The values under reduction: one array of registers per operand, all in `layout`. */
typedef struct {
    tri_gpu *g;
    MlirOperation op;
    int tuple;
    tri_linear layout;
    tri_gpu_value at[max_tuple];
} state;

/* out = combine(a, b) by the region; a comes first. */
static bool combine(state *s, LLVMValueRef *a, LLVMValueRef *b, LLVMValueRef *out)
{
    LLVMValueRef args[2 * max_tuple];
    for (int i = 0; i < s->tuple; i++) {
        args[i] = a[i];
        args[s->tuple + i] = b[i];
    }
    return tri_gpu_run_region(s->g, s->op, 2 * s->tuple, args, s->tuple, out);
}

/* Combines list[0..n) pairwise into list[0], keeping their order: a tree is shorter than a chain. */
static bool combine_tree(state *s, int n, LLVMValueRef (*list)[max_tuple])
{
    for (; n > 1; n = (n + 1) / 2) {
        for (int i = 0; i + 1 < n; i += 2) {
            LLVMValueRef out[max_tuple];
            if (!combine(s, list[i], list[i + 1], out))
                return false;
            memcpy(list[i / 2], out, sizeof out);
        }
        if (n & 1)
            memcpy(list[n / 2], list[n - 1], sizeof list[0]);
    }
    return true;
}

/* The region's operation where it is the only one, of one block; else null. */
static MlirOperation only_operation(const state *s)
{
    MlirBlock block = tri_op_body(s->op, 0);
    MlirOperation first = mlirBlockGetFirstOperation(block), next = mlirOperationGetNextInBlock(first);
    return s->tuple == 1 && mlirOperationEqual(next, mlirBlockGetTerminator(block)) ? first : (MlirOperation){NULL};
}

/* Products that are added up and may be rounded together with what they are added to. */
static bool are_products(const state *s, int n, LLVMValueRef (*list)[max_tuple])
{
    MlirOperation only = only_operation(s);
    bool are = s->g->may_fuse && !mlirOperationIsNull(only) && tri_op_is(only, "arith.addf");
    for (int i = 0; are && i < n; i++)
        are = LLVMIsABinaryOperator(list[i][0]) && LLVMGetInstructionOpcode(list[i][0]) == LLVMFMul;
    return are;
}

/* Combines so many neighbours in a chain, all of whose products but the first are part of an addition then: of pairs in
 * a tree every other one is. How many are left. */
static int combine_chains(state *s, int n, LLVMValueRef (*list)[max_tuple])
{
    enum { length = 4 };
    int count = 0;
    for (int from = 0; from < n; from += length, count++) {
        LLVMValueRef out[max_tuple];
        memcpy(out, list[from], sizeof out);
        for (int i = from + 1; i < from + length && i < n; i++)
            if (!combine(s, out, list[i], out))
                return 0;
        memcpy(list[count], out, sizeof out);
    }
    return count;
}

/* Registers that differ along the axis only become one. */
static bool reduce_registers(state *s, const tri_plan_reduce *plan)
{
    tri_gpu *g = s->g;
    int from = s->at[0].count, to = (int)tri_linear_in_size(&plan->reduced, TRI_DIM_REGISTER);
    uint64_t copies = tri_plan_find_replicas(&s->layout).reg;
    tri_gpu_value out[max_tuple];
    for (int i = 0; i < s->tuple; i++)
        out[i] = tri_gpu_new(g, to);
    LLVMValueRef(*list)[max_tuple] = (LLVMValueRef(*)[max_tuple])tri_arena_alloc(g->arena, sizeof *list * (size_t)from);
    for (int t = 0; t < to; t++) {
        int n = 0;
        for (int r = 0; r < from; r++) {
            if (((uint64_t)r & copies) || tri_plan_reduce_target(plan, &s->layout, (uint64_t)r) != (uint64_t)t)
                continue;
            for (int i = 0; i < s->tuple; i++)
                list[n][i] = s->at[i].at[r];
            n++;
        }
        if (n == 0)
            continue; /* a copy: filled below */
        if (are_products(s, n, list) && !(n = combine_chains(s, n, list)))
            return false;
        if (!combine_tree(s, n, list))
            return false;
        for (int i = 0; i < s->tuple; i++)
            out[i].at[t] = list[0][i];
    }
    uint64_t left = tri_plan_find_replicas(&plan->reduced).reg;
    for (int i = 0; i < s->tuple; i++) {
        for (int t = 0; t < to; t++)
            if (!out[i].at[t])
                out[i].at[t] = out[i].at[(uint64_t)t & ~left];
        s->at[i] = out[i];
    }
    return true;
}

/* Of booleans alone. */
static bool is_vote(tri_machine_id id) { return id == TRI_MACHINE_any_true || id == TRI_MACHINE_all_true; }

/* One integer operation over the whole warp that the machine has as an instruction. */
static bool find_redux(state *s, tri_machine_id *out_id, bool *out_signed)
{
    static const struct {
        const char *name;
        tri_machine_id id;
        bool is_signed;
    } rows[] = {
        {"arith.ori", TRI_MACHINE_any_true, false},      {"arith.andi", TRI_MACHINE_all_true, false},
        {"arith.addi", TRI_MACHINE_redux_add, false},    {"arith.andi", TRI_MACHINE_redux_and, false},
        {"arith.ori", TRI_MACHINE_redux_or, false},      {"arith.xori", TRI_MACHINE_redux_xor, false},
        {"arith.minsi", TRI_MACHINE_redux_smin, true},   {"arith.maxsi", TRI_MACHINE_redux_smax, true},
        {"arith.minui", TRI_MACHINE_redux_umin, false},  {"arith.maxui", TRI_MACHINE_redux_umax, false},
    };
    MlirBlock block = tri_op_body(s->op, 0);
    MlirOperation first = mlirBlockGetFirstOperation(block), end = mlirBlockGetTerminator(block);
    if (s->tuple != 1 || !mlirOperationEqual(mlirOperationGetNextInBlock(first), end) ||
        mlirOperationGetNumResults(first) != 1 ||
        !mlirValueEqual(mlirOperationGetOperand(end, 0), mlirOperationGetResult(first, 0)) ||
        mlirOperationGetNumOperands(first) != 2 ||
        mlirValueEqual(mlirOperationGetOperand(first, 0), mlirOperationGetOperand(first, 1)) ||
        !mlirValueIsABlockArgument(mlirOperationGetOperand(first, 0)) ||
        !mlirValueIsABlockArgument(mlirOperationGetOperand(first, 1)))
        return false;
    unsigned bits = tri_gpu_bits(s->g, LLVMTypeOf(s->at[0].at[0]));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!tri_op_is(first, rows[i].name) || !tri_machine_has(s->g, rows[i].id) || (is_vote(rows[i].id) && bits > 1))
            continue;
        *out_id = rows[i].id;
        *out_signed = rows[i].is_signed;
        return bits <= 32;
    }
    return false;
}

/* Whether the region is one operation that does not care for the order of its operands. */
static bool is_symmetric(state *s)
{
    static const char *const rows[] = {"arith.addi",    "arith.addf",     "arith.muli",    "arith.mulf",
                                       "arith.andi",    "arith.ori",      "arith.xori",    "arith.minsi",
                                       "arith.maxsi",   "arith.minui",    "arith.maxui",   "arith.minnumf",
                                       "arith.maxnumf", "arith.minimumf", "arith.maximumf"};
    MlirOperation only = only_operation(s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!mlirOperationIsNull(only) && tri_op_is(only, rows[i]))
            return true;
    return false;
}

/* The value of the partner's lane stands second in the lower lane and first in the upper one: both then
 * combine the same operands in the same order, and hold copies of one result. */
static void order_operands(state *s, int shuffle_xor, LLVMValueRef *own, LLVMValueRef *other)
{
    tri_gpu *g = s->g;
    LLVMValueRef bit = LLVMBuildAnd(g->b, tri_gpu_lane(g), tri_gpu_i32(g, shuffle_xor & -shuffle_xor), "");
    LLVMValueRef is_upper = LLVMBuildICmp(g->b, LLVMIntNE, bit, tri_gpu_i32(g, 0), "");
    for (int i = 0; i < s->tuple; i++) {
        LLVMValueRef first = LLVMBuildSelect(g->b, is_upper, other[i], own[i], "");
        other[i] = LLVMBuildSelect(g->b, is_upper, own[i], other[i], "");
        own[i] = first;
    }
}

static void redux(state *s, tri_machine_id id, bool is_signed)
{
    tri_gpu *g = s->g;
    for (int r = 0; r < s->at[0].count; r++) {
        LLVMValueRef x = s->at[0].at[r];
        LLVMTypeRef type = LLVMTypeOf(x);
        LLVMValueRef wide = LLVMBuildIntCast2(g->b, x, g->i32, is_signed, ""), all = tri_machine_call(g, id, &wide, 1);
        s->at[0].at[r] = is_vote(id) ? LLVMBuildICmp(g->b, LLVMIntNE, all, tri_gpu_i32(g, 0), "")
                                     : LLVMBuildIntCast2(g->b, all, type, is_signed, "");
    }
}

/* Whether a whole warp is reduced row by row, by steps that exchange lanes one bit apart, to the value of each row. */
static bool reduces_rows(state *s, const tri_plan_reduce *plan)
{
    uint64_t bits = 0;
    for (int step = 0; step < plan->num_shuffles; step++)
        bits |= plan->shuffle_xor[step];
    return s->g->machine->lane_row && !s->g->unit->arch->lane_swaps && bits + 1 == (uint64_t)s->g->warp_size &&
           1 << plan->num_shuffles == s->g->warp_size && is_symmetric(s);
}

/* The values of all rows, which all lanes of a row have, as of one lane of each: pairs, and pairs of those. */
static bool reduce_rows(state *s)
{
    enum { most_rows = 4 };
    int row = s->g->machine->lane_row, rows = s->g->warp_size / row;
    TRI_ASSERT(rows <= most_rows);
    for (int r = 0; r < s->at[0].count; r++) {
        LLVMValueRef of[most_rows][max_tuple];
        for (int k = 0; k < rows; k++)
            for (int i = 0; i < s->tuple; i++)
                of[k][i] = tri_gpu_shuffle_index(s->g, s->at[i].at[r], tri_gpu_i32(s->g, (int64_t)k * row));
        for (int step = 1; step < rows; step *= 2)
            for (int k = 0; k < rows; k += 2 * step)
                if (!combine(s, of[k], of[k + step], of[k]))
                    return false;
        for (int i = 0; i < s->tuple; i++)
            s->at[i].at[r] = of[0][i];
    }
    return true;
}

/* Of a lane with none of these bits, where each step had the lower lane's values first. */
static void broadcast_lowest(state *s, uint32_t bits)
{
    tri_gpu *g = s->g;
    LLVMValueRef lowest = tri_gpu_i32(g, 0);
    if (bits + 1 != (uint32_t)g->warp_size)
        lowest = LLVMBuildAnd(g->b, tri_gpu_lane(g), tri_gpu_i32(g, ~(int64_t)bits), "");
    for (int i = 0; i < s->tuple; i++)
        for (int r = 0; r < s->at[i].count; r++)
            s->at[i].at[r] = tri_gpu_shuffle_index(g, s->at[i].at[r], lowest);
}

/* Combines each thread's values with those of the lane that `shuffle_xor` names. */
static bool combine_lanes(state *s, uint32_t shuffle_xor, bool is_ordered)
{
    for (int r = 0; r < s->at[0].count; r++) {
        LLVMValueRef own[max_tuple], other[max_tuple], out[max_tuple];
        for (int i = 0; i < s->tuple; i++) {
            own[i] = s->at[i].at[r];
            other[i] = tri_gpu_shuffle_xor(s->g, own[i], shuffle_xor);
        }
        if (is_ordered)
            order_operands(s, (int)shuffle_xor, own, other);
        if (!combine(s, own, other, out))
            return false;
        for (int i = 0; i < s->tuple; i++)
            s->at[i].at[r] = out[i];
    }
    return true;
}

static bool reduce_lanes(state *s, const tri_plan_reduce *plan)
{
    tri_machine_id id;
    bool is_signed;
    if (1 << plan->num_shuffles == s->g->warp_size && find_redux(s, &id, &is_signed)) {
        redux(s, id, is_signed);
        return true;
    }
    bool any_order = is_symmetric(s), by_rows = reduces_rows(s, plan);
    uint32_t bits = 0;
    for (int step = 0; step < plan->num_shuffles; step++)
        bits |= plan->shuffle_xor[step];
    /* one exchange at the end is less than choices at each step (lanes one bit apart) */
    bool by_lowest = !any_order && plan->num_shuffles > 1 && __builtin_popcount(bits) == plan->num_shuffles &&
                     tri_machine_has(s->g, TRI_MACHINE_shuffle_index);
    for (int step = 0; step < plan->num_shuffles; step++) {
        if (by_rows && (int)plan->shuffle_xor[step] >= s->g->machine->lane_row)
            continue;
        if (!combine_lanes(s, plan->shuffle_xor[step], !any_order && !by_lowest))
            return false;
    }
    if (by_lowest)
        broadcast_lowest(s, bits);
    return !by_rows || reduce_rows(s);
}

/* All operands move to `to` in one round: stored and loaded side by side in the op's scratch. */
static bool move(state *s, const tri_linear *from, const tri_linear *to, bool is_first_round)
{
    tri_gpu *g = s->g;
    int bits = tri_gpu_plan_packing(g, LLVMTypeOf(s->at[0].at[0]), 1).element_bits;
    if (!is_first_round && tri_plan_convert_scratch_bytes(from, to, bits, &g->plan) > 0)
        tri_gpu_barrier(g, TRI_SYNC_CTA); /* the last round may still be read */
    if (!tri_gpu_convert(g, s->op, from, to, s->tuple, s->at))
        return false;
    s->layout = *to;
    return true;
}

/* The result as its type wants it: a scalar, or its own layout. */
static bool finish(state *s, tri_dim axis, bool is_first_round)
{
    tri_gpu *g = s->g;
    MlirType type = mlirValueGetType(mlirOperationGetResult(s->op, 0));
    if (tri_type_is_tensor(type)) {
        tri_gpu_layout *layout = tri_gpu_layout_of(g, s->op, type);
        tri_linear last = tri_plan_reduce_result(&s->layout, axis);
        uint64_t copies = tri_plan_find_replicas(&s->layout).reg;
        for (int i = 0; i < s->tuple && copies; i++) { /* the result has no copies among registers */
            tri_gpu_value packed = tri_gpu_new(g, s->at[i].count);
            packed.count = 0;
            for (int r = 0; r < s->at[i].count; r++)
                if (!((uint64_t)r & copies))
                    packed.at[packed.count++] = s->at[i].at[r];
            s->at[i] = packed;
        }
        if (!layout || !move(s, &last, &layout->linear, is_first_round))
            return false;
    }
    for (int i = 0; i < s->tuple; i++)
        tri_gpu_set_result(g, s->op, i, tri_type_is_tensor(type) ? s->at[i] : tri_gpu_single(g, s->at[i].at[0]));
    return true;
}

static bool run_reduce(tri_gpu *g, MlirOperation op)
{
    state s = {.g = g, .op = op, .tuple = (int)mlirOperationGetNumOperands(op)};
    if (s.tuple > max_tuple)
        return tri_gpu_unsupported(g, op, "more than %d tensors are reduced together; several reductions can be",
                                   max_tuple);
    tri_gpu_layout *layout = tri_gpu_layout_of(g, op, mlirValueGetType(mlirOperationGetOperand(op, 0)));
    if (!layout)
        return false;
    s.layout = layout->linear;
    for (int i = 0; i < s.tuple; i++)
        s.at[i] = tri_gpu_operand(g, op, i);
    tri_dim axis = (tri_dim)(TRI_DIM_0 + tri_op_int(op, "axis", 0));
    tri_plan_reduce *plan = TRI_NEW(g->arena, tri_plan_reduce);
    for (bool is_first = true;; is_first = false) {
        if (!tri_plan_reduce_make(&s.layout, axis, &g->plan, plan))
            return tri_gpu_unsupported(
                g, op, "the axis is mixed with another dimension in this layout; convert it to a blocked one first");
        if (!reduce_registers(&s, plan) || !reduce_lanes(&s, plan))
            return false;
        s.layout = plan->reduced;
        if (plan->is_complete)
            return finish(&s, axis, is_first);
        if (!move(&s, &plan->reduced, &plan->next, is_first))
            return false;
    }
}

const tri_gpu_op tri_gpu_ops_reduce[] = {
    {"tt.reduce", run_reduce, NULL},
    {0},
};
