/* Moves what a loop computes anew each time, but always the same, in front of it; loads too.
 *
 *     scf.for %i = %lb to %ub step %s {            %g = arith.cmpi slt, %lb, %ub
 *       %v = tt.load %p, %m                        %n = arith.andi %m, splat(%g)
 *       use(%v)                                    %v = tt.load %p, %n
 *     }                                            scf.for %i = %lb to %ub step %s { use(%v) }
 *
 * Needs: ttir or ttgir. Innermost loops first. A load moves only when nothing in the loop writes; its
 * mask gets the loop's own condition, so that a loop without trips loads nothing. Loops that carry
 * tt.no_licm stay as they are, as do operations that say so; while-loops keep their loads. Answers to triton-licm.
 * Test: tests/passes/triton-licm.mlir */
#include "passes/passes.h"

#include "ir/compare.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/loads.h"
#include "passes/analysis/loops.h"

typedef struct {
    tri_pass_run *run;
    MlirOperation loop;
} hoister;

static bool is_loop(MlirOperation op) { return tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while"); }

static bool is_invariant(const hoister *h, MlirValue value) { return !tri_loops_is_inside(h->loop, value); }

/* Operands, and what nested regions use from outside of the op. */
static bool has_invariant_operands(const hoister *h, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (!is_invariant(h, tri_op_operand(op, i)))
            return false;
    if (!mlirOperationGetNumRegions(op))
        return true;
    tri_op_list inner = {0};
    tri_op_collect(op, h->run->arena, &inner);
    hoister nested = {h->run, op};
    for (size_t k = 0; k < inner.len; k++)
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(inner.at[k]); i++) {
            MlirValue value = tri_op_operand(inner.at[k], i);
            if (is_invariant(&nested, value) && !is_invariant(h, value))
                return false;
        }
    return true;
}

static void move_in_front(const hoister *h, MlirOperation op)
{
    mlirOperationMoveBefore(op, h->loop);
}

/* The load in front of the loop, done only when the loop runs at all. */
static void hoist_load(const hoister *h, MlirOperation load)
{
    tri_builder b = tri_builder_before(h->loop);
    MlirContext context = h->run->unit->mlir;
    MlirValue mask = tri_op_segment_value(load, 1), other = tri_op_segment_value(load, 2);
    MlirType i1 = mlirIntegerTypeGet(context, 1), type = mlirValueGetType(tri_op_operand(load, 0));
    MlirValue runs = tri_compare_has_trips(&b, h->loop);
    if (tri_type_is_tensor(type)) {
        i1 = tri_type_with_element(type, i1);
        runs = tri_builder_unary(&b, "tt.splat", i1, runs);
    }
    if (!mlirValueIsNull(mask))
        runs = tri_builder_binary(&b, "arith.andi", i1, runs, mask);
    MlirValue made = tri_loads_make(h->run->arena, &b, load, tri_op_operand(load, 0), runs, other);
    tri_op_replace(load, 1, &made);
}

static void hoist_from(hoister *h)
{
    bool can_move_loads = tri_op_is(h->loop, "scf.for") && !tri_loads_any_may_write(h->run->arena, h->loop);
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(h->loop); r++) {
        MlirBlock body = tri_op_body(h->loop, (int)r);
        for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !mlirOperationIsNull(op); op = next) {
            next = mlirOperationGetNextInBlock(op);
            if (mlirOperationIsNull(next) || !has_invariant_operands(h, op) || tri_op_flag(op, "tt.no_licm"))
                continue;
            if (tri_op_is_pure(op))
                move_in_front(h, op);
            else if (can_move_loads && tri_op_is(op, "tt.load") && !tri_op_flag(op, "isVolatile"))
                hoist_load(h, op);
        }
    }
}

static bool run_triton_licm(tri_pass_run *run)
{
    tri_op_list ops = {0};
    tri_op_collect(mlirModuleGetOperation(run->module), run->arena, &ops);
    for (size_t i = ops.len; i-- > 0;) {
        hoister h = {run, ops.at[i]};
        if (is_loop(h.loop) && !tri_op_flag(h.loop, "tt.no_licm"))
            hoist_from(&h);
    }
    return true;
}

const tri_pass tri_pass_triton_licm = {
    .name = "triton-licm",
    .help = "move loop-invariant operations, loads too, out of loops",
    .run = run_triton_licm,
};
