/* Loops over blocks of one dimension of which each element depends on itself alone:
 *
 *     for k in range(0, n, B):  acc += load(x + k + arange(0, B))
 *
 * A block in memory is loaded and stored by each iteration, which takes as long as the work does. So a slice of the
 * block stays in registers over several iterations:
 *
 *     for each few iterations:  for each slice:
 *         s = acc[slice];  for those iterations:  s += load(...);  acc[slice] = s
 *
 * Few, since what an iteration reads lies far from what the next one does, and memory is read in runs: no more than
 * `most_runs` at a time. The first time
 * s is what the block starts as, which needs no memory. A reduction that alone reads the block gets each slice as it is
 * finished. Elements are computed in the same order, with the same result. */
#include "targets/cpu/dot.h"
#include "targets/cpu/slices.h"

#include "ir/op_classes.h"
#include "ir/options.h"
#include "targets/loops.h"

enum { most_runs = 8, least_trips = 2, max_blocks = 4, max_ops = 32, most_bits = 32, least_bits = 8 };

typedef struct {
    tri_cpu_gen *g;
    tri_cpu_loop_values *v;
    int lanes, trips; /* of a slice; iterations at a time */
    int64_t extent;
    MlirType type[TRI_CPU_MAX_VALUES];
    LLVMValueRef slices[TRI_CPU_MAX_VALUES]; /* of blocks, where they are changed */
    MlirOperation reductions[TRI_CPU_MAX_VALUES]; /* of blocks that nothing else reads; null: none */
    tri_cpu_slice at;                             /* the slice at hand */
} slicing;

/* ---- which loops ---- */

static int argument_of(const tri_cpu_loop_values *v, MlirValue value)
{
    for (int i = 0; i < v->n; i++)
        if (v->args[i].ptr == value.ptr)
            return i;
    return -1;
}

/* What is known of the values that blocks are made of. */
typedef struct {
    tri_cpu_gen *g;
    const tri_cpu_loop_values *v;
    tri_map seen;
    int ops, loads;
} look;

static bool is_simple(look *k, MlirValue value);

static bool is_simple_op(look *k, MlirOperation op)
{
    int64_t coefs[TRI_MAX_RANK];
    bool is_load = tri_op_is(op, "tt.load");
    if (tri_op_is(op, "tt.make_range") || tri_op_is(op, "tt.splat") || tri_op_is(op, "arith.constant"))
        return true;
    if (is_load) {
        tri_cpu_static_coefs(k->g, tri_op_operand(op, 0), coefs);
        k->loads++;
        if (coefs[0] != 1 || tri_op_flag(op, "isVolatile"))
            return false;
    }
    bool is_known = is_load || (tri_cpu_arith_knows(op) && !tri_cpu_math_knows(op) && !tri_cpu_is_view(op) &&
                                !tri_op_in(op, TRI_OPS_DIVISION) && mlirOperationGetNumRegions(op) == 0);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && is_known; i++)
        is_known = is_simple(k, tri_op_operand(op, i));
    return is_known;
}

/* Neighbours in memory and simple operations on them, or what is the same for all. */
static bool is_simple(look *k, MlirValue value)
{
    if (!tri_type_is_tensor(mlirValueGetType(value)) || tri_map_find_ptr(&k->seen, value.ptr))
        return true;
    tri_map_set_ptr(&k->seen, value.ptr, k);
    int arg = argument_of(k->v, value);
    if (arg >= 0)
        return k->v->is_block[arg] || is_simple(k, k->v->inits[arg]);
    tri_cpu_bind *bind = tri_cpu_find(k->g, value);
    if (bind && bind->kind != TRI_CPU_LAZY)
        return bind->kind == TRI_CPU_BUFFER || (bind->kind == TRI_CPU_CARRIED && is_simple(k, bind->init));
    MlirOperation op = tri_op_def(value);
    return !mlirOperationIsNull(op) && ++k->ops <= max_ops && is_simple_op(k, op);
}

/* Nothing but what may be done again for each slice, and what is evaluated in the slices' own nests. */
static bool is_pure(tri_cpu_gen *g, MlirOperation op)
{
    if (mlirOperationGetNumRegions(op) > 0)
        return false;
    if (tri_op_is(op, "scf.yield") || tri_op_is(op, "llvm.intr.assume"))
        return true;
    if (tri_op_is(op, "tt.load") && tri_op_flag(op, "isVolatile"))
        return false;
    if (!tri_op_is(op, "tt.load") && !tri_op_is(op, "arith.constant") && !tri_cpu_arith_knows(op) &&
        !tri_cpu_can_be_lazy(op))
        return false;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++) {
        MlirValue result = tri_op_result(op, r);
        if (tri_type_is_tensor(mlirValueGetType(result)) && !tri_cpu_is_lazy(g, result))
            return false;
    }
    return true;
}

static bool body_is_pure(tri_cpu_gen *g, MlirOperation loop)
{
    MlirBlock body = tri_op_body(loop, 0);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (!is_pure(g, op))
            return false;
    return true;
}

/* Of blocks of one shape, of numbers that registers hold several of. */
static bool suits_type(tri_cpu_gen *g, MlirType type, MlirType first)
{
    tri_cpu_type t = tri_cpu_type_of(g, type);
    return tri_type_rank(type) == 1 && tri_type_dim(type, 0) == tri_type_dim(first, 0) && t.kind != TRI_CPU_PTR &&
           t.bits >= least_bits && t.bits <= most_bits;
}

static bool suits_block(look *k, int i)
{
    bool is_other = false;
    for (int j = 0; j < k->v->n && !is_other; j++)
        if (k->v->is_block[j])
            tri_cpu_reads(k->g, k->v->next[i], k->v->args[j], &is_other);
    return !is_other && is_simple(k, k->v->next[i]) && is_simple(k, k->v->inits[i]);
}

/* The longer, the less do the loops around cost; but the numbers of all blocks shall fill half of the registers. */
static int choose_lanes(const tri_host *host, int blocks, int64_t extent)
{
    bool is_wide = host->is_aarch64 || tri_host_has(host, "avx");
    int lanes = tri_host_has(host, "avx512f") ? 256 : is_wide ? 64 : 32;
    while (lanes > TRI_CPU_LANES && (lanes > extent || extent % lanes))
        lanes /= 2;
    for (int n = 1; n < blocks && lanes > TRI_CPU_LANES; n *= 2)
        lanes /= 2;
    return lanes;
}

static bool suits(tri_cpu_gen *g, const tri_cpu_loop_values *v, slicing *out)
{
    int count = 0;
    look k = {.g = g, .v = v};
    tri_map_init(&k.seen, g->arena);
    *out = (slicing){.g = g};
    if (g->steps || g->unit->options->sanitize)
        return false;
    for (int i = 0; i < v->n; i++) {
        if (!v->is_block[i])
            continue;
        out->type[i] = mlirValueGetType(v->args[i]);
        out->extent = tri_type_rank(out->type[i]) == 1 ? tri_type_dim(out->type[i], 0) : 0;
        int first = 0;
        while (!v->is_block[first])
            first++;
        if (!suits_type(g, out->type[i], out->type[first]) || !suits_block(&k, i) || ++count > max_blocks)
            return false;
    }
    out->lanes = choose_lanes(&g->host, count, out->extent);
    out->trips = most_runs;
    while (out->trips > least_trips && out->trips * k.loads > most_runs)
        out->trips /= 2;
    return count > 0 && out->extent % out->lanes == 0 && body_is_pure(g, v->op);
}

/* ---- a slice ---- */

/* Evaluates a value of each block and stores it to the slices, or to memory. */
typedef struct {
    slicing *s;
    const MlirValue *values;
    bool is_to_memory;
    tri_cpu_val now[TRI_CPU_MAX_VALUES];
} moving;

static void move_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    moving *m = sink->data;
    for (int i = 0; i < m->s->v->n; i++)
        if (m->s->v->is_block[i])
            m->now[i] = tri_cpu_eval(g, m->values[i], g->nest->index);
}

static void move_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    moving *m = sink->data;
    for (int i = 0; i < m->s->v->n; i++) {
        if (!m->s->v->is_block[i])
            continue;
        m->now[i].level = g->nest->loop_count;
        tri_cpu_at(g, g->nest->loop_count);
        if (m->is_to_memory)
            tri_cpu_buffer_store(g, m->s->type[i], m->s->v->slots[i], g->nest->index, m->now[i]);
        else
            LLVMBuildStore(g->b, tri_cpu_as_vector(g, m->now[i]), m->s->slices[i]);
    }
}

static void move_slice(slicing *s, const MlirValue *values, bool is_to_memory)
{
    moving data = {.s = s, .values = values, .is_to_memory = is_to_memory};
    MlirValue evaluated[max_blocks];
    int count = 0;
    for (int i = 0; i < s->v->n; i++)
        if (s->v->is_block[i])
            evaluated[count++] = values[i];
    tri_cpu_sink sink = {.op = s->v->op, .data = &data, .eval = move_eval, .write = move_write};
    sink.values = evaluated;
    sink.value_count = count;
    tri_cpu_domain domain = {.rank = 1, .shape = {s->extent}, .axis = -1, .count = 1, .sinks = &sink};
    domain.lanes = s->lanes;
    domain.slice = &s->at;
    tri_cpu_nest_run(s->g, &domain);
}

static void bind_blocks(slicing *s, bool is_in_memory)
{
    for (int i = 0; i < s->v->n; i++) {
        if (!s->v->is_block[i])
            continue;
        tri_cpu_bind_buffer(s->g, s->v->args[i], s->v->slots[i]);
        if (is_in_memory)
            continue;
        tri_cpu_bind_kind_of(s->g, s->v->args[i], TRI_CPU_SLICE);
        tri_cpu_find(s->g, s->v->args[i])->v = s->slices[i];
    }
}

/* ---- the loops ---- */

typedef struct {
    LLVMBasicBlockRef header, latch;
    LLVMValueRef first, end, is_first, is_last; /* counter of the first iteration, and behind; of the whole loop's? */
    LLVMValueRef phis[TRI_CPU_MAX_VALUES];
} group;

/* From where the loop begins, or from memory. */
static void fill_slice(slicing *s, const group *outer)
{
    tri_cpu_gen *g = s->g;
    LLVMBasicBlockRef fresh = tri_cpu_new_block(g, "fresh"), again = tri_cpu_new_block(g, "again");
    LLVMBasicBlockRef filled = tri_cpu_new_block(g, "filled");
    tri_cpu_at(g, 0);
    LLVMBuildCondBr(g->b, outer->is_first, fresh, again);
    tri_cpu_move(g, 0, fresh);
    move_slice(s, s->v->inits, false);
    tri_cpu_at(g, 0);
    LLVMBuildBr(g->b, filled);
    tri_cpu_move(g, 0, again);
    bind_blocks(s, true);
    move_slice(s, s->v->args, false);
    tri_cpu_at(g, 0);
    LLVMBuildBr(g->b, filled);
    tri_cpu_move(g, 0, filled);
}

/* One of the two loops over iterations. */
typedef struct {
    LLVMBasicBlockRef header, inside;
    LLVMValueRef iv, phis[TRI_CPU_MAX_VALUES];
} iterations;

/* From a jump in `before` on, until `end`; then on to `exit`. */
static void open_iterations(slicing *s, iterations *it, LLVMBasicBlockRef before, LLVMValueRef first,
                            const LLVMValueRef *phis, LLVMValueRef end, LLVMBasicBlockRef exit)
{
    tri_cpu_gen *g = s->g;
    tri_cpu_move(g, 0, it->header);
    it->inside = tri_cpu_new_block(g, "for_body");
    it->iv = LLVMBuildPhi(g->b, LLVMTypeOf(first), "i");
    LLVMAddIncoming(it->iv, &first, &before, 1);
    tri_cpu_loop_phis(g, s->v, phis, before, it->phis);
    LLVMIntPredicate less = tri_op_flag(s->v->op, "unsignedCmp") ? LLVMIntULT : LLVMIntSLT;
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, less, it->iv, end, ""), it->inside, exit);
    tri_cpu_bind_scalar(g, mlirBlockGetArgument(tri_op_body(s->v->op, 0), 0), it->iv);
    tri_cpu_loop_bind(g, s->v, it->phis);
    tri_cpu_move(g, 0, it->inside);
    tri_cpu_block(g, tri_op_body(s->v->op, 0));
    move_slice(s, s->v->next, false);
}

static void close_iterations(slicing *s, iterations *it)
{
    tri_cpu_gen *g = s->g;
    LLVMValueRef values[TRI_CPU_MAX_VALUES];
    tri_cpu_loop_next(g, s->v, it->phis, values);
    tri_cpu_at(g, 0);
    LLVMValueRef next = LLVMBuildAdd(g->b, it->iv, tri_cpu_scalar(g, tri_op_operand(s->v->op, 2)), "");
    LLVMBasicBlockRef latch = g->at;
    tri_loops_annotate(s->v->op, LLVMBuildBr(g->b, it->header));
    LLVMAddIncoming(it->iv, &next, &latch, 1);
    tri_cpu_loop_back(s->v, it->phis, values, latch);
}

/* As long as masks hold in all of the slice; then the iterations that are left, if there are any. Gives the counter. */
static LLVMValueRef emit_iterations(slicing *s, const group *outer, LLVMValueRef *phis)
{
    tri_cpu_gen *g = s->g;
    iterations whole = {.header = tri_cpu_new_block(g, "whole")}, rest = {.header = tri_cpu_new_block(g, "rest")};
    LLVMBasicBlockRef exit = tri_cpu_new_block(g, "for_end"), before = g->at;
    LLVMBuildBr(g->b, whole.header);
    s->at.other = rest.header;
    bind_blocks(s, false);
    open_iterations(s, &whole, before, outer->first, outer->phis, outer->end, exit);
    before = s->at.from;
    close_iterations(s, &whole);
    s->at.other = NULL;
    if (!before) {
        LLVMDeleteBasicBlock(rest.header);
        memcpy(phis, whole.phis, sizeof whole.phis);
        tri_cpu_move(g, 0, exit);
        return whole.iv;
    }
    s->at.is_rest = true;
    open_iterations(s, &rest, before, whole.iv, whole.phis, outer->end, exit);
    close_iterations(s, &rest);
    s->at.is_rest = false;
    tri_cpu_move(g, 0, exit);
    LLVMValueRef iv = LLVMBuildPhi(g->b, LLVMTypeOf(whole.iv), "");
    LLVMAddIncoming(iv, &whole.iv, &whole.header, 1);
    LLVMAddIncoming(iv, &rest.iv, &rest.header, 1);
    tri_cpu_loop_phis(g, s->v, whole.phis, whole.header, phis);
    tri_cpu_loop_back(s->v, phis, rest.phis, rest.header);
    return iv;
}

/* To the reductions when the loop has ended, else to memory. */
static void keep_slice(slicing *s, const group *outer)
{
    tri_cpu_gen *g = s->g;
    LLVMBasicBlockRef last = tri_cpu_new_block(g, "last"), more = tri_cpu_new_block(g, "more");
    LLVMBasicBlockRef kept = tri_cpu_new_block(g, "kept");
    bind_blocks(s, false);
    tri_cpu_at(g, 0);
    LLVMBuildCondBr(g->b, outer->is_last, last, more);
    tri_cpu_move(g, 0, last);
    bool is_read = false;
    for (int i = 0; i < s->v->n; i++) {
        if (!s->v->is_block[i])
            continue;
        LLVMTypeRef type = LLVMGetAllocatedType(s->slices[i]);
        is_read |= mlirOperationIsNull(s->reductions[i]);
        if (!mlirOperationIsNull(s->reductions[i]))
            tri_cpu_reduce_slice(g, s->reductions[i], LLVMBuildLoad2(g->b, type, s->slices[i], ""));
    }
    LLVMBuildBr(g->b, is_read ? more : kept);
    tri_cpu_move(g, 0, more);
    move_slice(s, s->v->args, true);
    tri_cpu_at(g, 0);
    LLVMBuildBr(g->b, kept);
    tri_cpu_move(g, 0, kept);
}

static void find_reductions(slicing *s)
{
    for (int i = 0; i < s->v->n; i++) {
        intptr_t unused;
        MlirOperation user = tri_cpu_only_user(tri_op_result(s->v->op, i), &unused);
        bool fits = s->v->is_block[i] && !mlirOperationIsNull(user) && tri_op_is(user, "tt.reduce") &&
                    mlirOperationGetBlock(user).ptr == mlirOperationGetBlock(s->v->op).ptr &&
                    tri_cpu_reduce_begin(s->g, user, s->lanes);
        s->reductions[i] = fits ? user : (MlirOperation){NULL};
    }
}

/* All slices, for some iterations; gives the counter behind them. */
static LLVMValueRef emit_slices(slicing *s, const group *outer, LLVMValueRef *phis)
{
    tri_cpu_gen *g = s->g;
    LLVMBasicBlockRef before = g->at, header = tri_cpu_new_block(g, "slice"), exit = tri_cpu_new_block(g, "sliced");
    LLVMValueRef zero = tri_cpu_i64(g, 0);
    LLVMBuildBr(g->b, header);
    tri_cpu_move(g, 0, header);
    LLVMValueRef start = s->at.start = LLVMBuildPhi(g->b, g->i64, "");
    LLVMAddIncoming(start, &zero, &before, 1);
    fill_slice(s, outer);
    LLVMValueRef iv = emit_iterations(s, outer, phis);
    keep_slice(s, outer);
    tri_cpu_at(g, 0);
    LLVMValueRef next = LLVMBuildNUWAdd(g->b, start, tri_cpu_i64(g, s->lanes), "");
    LLVMBasicBlockRef latch = g->at;
    LLVMAddIncoming(start, &next, &latch, 1);
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntULT, next, tri_cpu_i64(g, s->extent), ""), header, exit);
    tri_cpu_move(g, 0, exit);
    return iv;
}

/* The counter behind the group's iterations. */
static LLVMValueRef end_of_group(const slicing *s, LLVMValueRef first)
{
    tri_cpu_gen *g = s->g;
    MlirOperation op = s->v->op;
    bool is_unsigned = tri_op_flag(op, "unsignedCmp");
    LLVMTypeRef type = LLVMTypeOf(first);
    LLVMValueRef by = tri_cpu_scalar(g, tri_op_operand(op, 2)), ub = tri_cpu_scalar(g, tri_op_operand(op, 1));
    const char *plus = is_unsigned ? "llvm.uadd.sat" : "llvm.sadd.sat";
    const char *least = is_unsigned ? "llvm.umin" : "llvm.smin";
    for (int n = 1; n < s->trips; n *= 2)
        by = tri_cpu_intrinsic(g, plus, &type, 1, (LLVMValueRef[]){by, by}, 2);
    LLVMValueRef end = tri_cpu_intrinsic(g, plus, &type, 1, (LLVMValueRef[]){first, by}, 2);
    return tri_cpu_intrinsic(g, least, &type, 1, (LLVMValueRef[]){end, ub}, 2);
}

bool tri_cpu_slices_op(tri_cpu_gen *g, tri_cpu_loop_values *v)
{
    slicing s;
    group outer;
    LLVMValueRef first[TRI_CPU_MAX_VALUES], phis[TRI_CPU_MAX_VALUES];
    if (!suits(g, v, &s))
        return false;
    s.v = v;
    for (int i = 0; i < v->n; i++) {
        if (!v->is_block[i])
            continue;
        LLVMTypeRef element = tri_cpu_llvm_type(g, tri_cpu_type_of(g, s.type[i]));
        v->slots[i] = tri_cpu_alloc(g, s.type[i]);
        s.slices[i] = tri_cpu_temp(g, tri_cpu_vector(element, s.lanes), "slice");
    }
    LLVMValueRef lb = tri_cpu_scalar(g, tri_op_operand(v->op, 0)), ub = tri_cpu_scalar(g, tri_op_operand(v->op, 1));
    LLVMValueRef yes = LLVMConstInt(g->i1, 1, false), no = LLVMConstInt(g->i1, 0, false);
    tri_cpu_loop_first(g, v, first);
    find_reductions(&s);
    tri_cpu_at(g, 0);
    LLVMBasicBlockRef before = g->at, header = tri_cpu_new_block(g, "group"), exit = tri_cpu_new_block(g, "grouped");
    LLVMBuildBr(g->b, header);
    tri_cpu_move(g, 0, header);
    outer.first = LLVMBuildPhi(g->b, LLVMTypeOf(lb), "");
    outer.is_first = LLVMBuildPhi(g->b, g->i1, "");
    LLVMAddIncoming(outer.first, &lb, &before, 1);
    LLVMAddIncoming(outer.is_first, &yes, &before, 1);
    tri_cpu_loop_phis(g, v, first, before, outer.phis);
    outer.end = end_of_group(&s, outer.first);
    LLVMIntPredicate not_less = tri_op_flag(v->op, "unsignedCmp") ? LLVMIntUGE : LLVMIntSGE;
    outer.is_last = LLVMBuildICmp(g->b, not_less, outer.end, ub, "");
    LLVMValueRef iv = emit_slices(&s, &outer, phis);
    LLVMBasicBlockRef latch = g->at;
    LLVMBuildCondBr(g->b, outer.is_last, exit, header);
    LLVMAddIncoming(outer.first, &iv, &latch, 1);
    LLVMAddIncoming(outer.is_first, &no, &latch, 1);
    tri_cpu_loop_back(v, outer.phis, phis, latch);
    tri_cpu_move(g, 0, exit);
    tri_cpu_loop_results(g, v, phis);
    return true;
}
