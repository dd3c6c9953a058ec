/* When there can be two buffers: one group of warps makes sums in the second while the other still reads the first.
 * What it finds there is not what it left in the first: it must begin anew whenever it takes one. */
#include "passes/ttgir/insert_tmem_aref/path.h"

#include "passes/analysis/loops.h"

typedef struct {
    tri_ranges *ranges;
    tmem_owner last;      /* who has the buffer */
    int changes;
    bool fits;            /* so far: who has it first only fills it, the other one only reads it */
    bool is_fresh;        /* it has just been taken by who fills it */
    MlirValue condition;  /* only where this is true; null: always */
    MlirOperation around; /* in this loop, whose next trip has begun since; null: in none */
} turn_taking;

static bool is_always(MlirValue value, int64_t wanted)
{
    int64_t n;
    return tri_op_const_int(value, &n) && (n & 1) == wanted;
}

/* ---- beginning anew ---- */

/* Is a value false where another one is true: its opposite? */
static bool is_opposite(MlirValue value, MlirValue condition)
{
    static const int64_t opposites[] = {1, 0, 5, 4, 3, 2, 9, 8, 7, 6}; /* eq ne slt sle sgt sge ult ule ugt uge */
    MlirOperation a = tri_op_def(value), b = tri_op_def(condition);
    if (mlirOperationIsNull(a))
        return false;
    if (tri_op_is(a, "arith.select"))
        return mlirValueEqual(tri_op_operand(a, 0), condition) && is_always(tri_op_operand(a, 1), 0);
    if (tri_op_is(a, "arith.xori"))
        return mlirValueEqual(tri_op_operand(a, 0), condition) && is_always(tri_op_operand(a, 1), 1);
    if (mlirOperationIsNull(b) || !tri_op_is(a, "arith.cmpi") || !tri_op_is(b, "arith.cmpi"))
        return false;
    return mlirValueEqual(tri_op_operand(a, 0), tri_op_operand(b, 0)) &&
           mlirValueEqual(tri_op_operand(a, 1), tri_op_operand(b, 1)) &&
           tri_op_int(a, "predicate", -1) == opposites[tri_op_int(b, "predicate", 0)];
}

/* Whether a product adds to what is there: no. */
static bool is_false(const turn_taking *t, MlirValue adds)
{
    MlirBlock block;
    intptr_t i;
    bool is_next = false, is_later = !mlirOperationIsNull(t->around);
    if (tri_op_is_block_argument(adds, &block, &i)) {
        MlirOperation loop = mlirBlockGetParentOperation(block);
        if (!tri_op_is(loop, "scf.for") || !i)
            return false;
        is_next = is_later && mlirOperationEqual(loop, t->around);
        adds = is_next ? tri_op_operand(tri_loops_yield(loop, 0), i - 1) : tri_op_operand(loop, i + 2);
    }
    bool is_of_trip = is_next == is_later; /* in which the condition held */
    return is_always(adds, 0) || (is_of_trip && !mlirValueIsNull(t->condition) && is_opposite(adds, t->condition));
}

static bool overwrites(const turn_taking *t, MlirOperation op)
{
    if (tri_op_is(op, "ttng.tc_gen5_mma_scaled"))
        return is_false(t, tri_op_segment_value(op, 6));
    if (tri_op_is(op, "ttng.tc_gen5_mma"))
        return is_false(t, tri_op_segment_value(op, 4));
    MlirValue stores = tri_op_operand(op, mlirOperationGetNumOperands(op) - 1);
    return is_always(stores, 1) || (mlirOperationIsNull(t->around) && !mlirValueIsNull(t->condition) &&
                                      mlirValueEqual(stores, t->condition));
}

/* ---- along the path ---- */

static void watch(turn_taking *t, const tmem_path *path);

static void watch_access(turn_taking *t, MlirOperation op)
{
    bool reads = tri_op_is(op, "ttng.tmem_load");
    t->fits = t->fits && reads == (t->changes % 2 != 0) && (!t->is_fresh || reads || overwrites(t, op));
    t->is_fresh = t->is_fresh && reads;
}

/* What a branch takes is taken where the condition holds. */
static void watch_if(turn_taking *t, const tmem_step *step)
{
    turn_taking other = *t;
    bool was_fresh = t->is_fresh;
    watch(t, &step->inner[0]);
    watch(&other, &step->inner[1]);
    t->fits = t->fits && other.fits && !other.is_fresh && !was_fresh && !(other.changes % 2);
    t->condition = tri_op_operand(step->op, 0);
}

/* The next trip of a loop finds what the one before has left. One that may have no trip begins nothing. */
static void watch_loop(turn_taking *t, const tmem_step *step)
{
    t->fits = t->fits && (!t->is_fresh || (tri_op_is(step->op, "scf.for") && tri_ranges_runs(t->ranges, step->op)));
    watch(t, &step->inner[0]);
    if (!t->is_fresh)
        return;
    turn_taking next = *t;
    next.around = step->op;
    watch(&next, &step->inner[0]);
    t->fits = t->fits && next.fits;
}

static void watch(turn_taking *t, const tmem_path *path)
{
    for (size_t i = 0; t->fits && i < path->len; i++) {
        const tmem_step *step = &path->at[i];
        if (step->owner.partition && t->last.partition && !tmem_owner_equal(t->last, step->owner)) {
            t->is_fresh = ++t->changes % 2 == 0;
            t->condition = (MlirValue){NULL};
            t->around = (MlirOperation){NULL};
        }
        t->last = step->owner.partition ? step->owner : t->last;
        if (tri_op_is(step->op, "scf.if"))
            watch_if(t, step);
        else if (step->result >= 0)
            watch_loop(t, step);
        else if (!tri_op_is(step->op, "scf.yield") && step->owner.partition)
            watch_access(t, step->op);
        else if (!tri_op_is(step->op, "scf.yield"))
            t->fits = !t->is_fresh; /* all warps read what the groups have left */
    }
}

bool tri_two_fit(tri_ranges *ranges, MlirOperation alloc, const tmem_path *path)
{
    turn_taking t = {.ranges = ranges, .fits = true};
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(alloc, 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation shared = tri_path_shared_loop(mlirOpOperandGetOwner(use));
        if (!mlirOperationIsNull(shared) && tri_op_flag(shared, "tt.disallow_acc_multi_buffer"))
            return false;
    }
    watch(&t, path);
    return t.fits && t.changes == 2;
}
