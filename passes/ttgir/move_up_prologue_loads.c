/* Starts the loads that pipelining has put before a loop as early as they can.
 *
 *     %b = ttg.local_alloc                                 tt.load %p, %m {amd.pipeliner_part = "prologue"}
 *     %m = ...                                       ->    %b = ttg.local_alloc
 *     tt.load %p, %m {amd.pipeliner_part = "prologue"}
 *
 * With what they need of their block, up to where their address is made, an atomic update, a barrier or a loop. They
 * stay in order among each other. Answers to tritonamdgpu-move-up-prologue-loads.
 * Test: tests/passes/move-up-prologue-loads.mlir */
#include "passes/passes.h"

#include "ir/op.h"

/* What no load passes. */
static bool is_fence(MlirOperation op)
{
    static const char *const names[] = {"tt.atomic_rmw", "tt.atomic_cas", "gpu.barrier", "ttg.barrier",
                                        "scf.for",       "scf.while",     "scf.if",      "tt.store",
                                        "tt.call"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_op_is(op, names[i]))
            return true;
    return false;
}

/* The last operation that stays before the load; null: none. */
static MlirOperation place_behind(MlirOperation load)
{
    MlirOperation behind = {0}, address = tri_op_def(tri_op_operand(load, 0));
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirOperationGetBlock(load)); !mlirOperationEqual(op, load);
         op = mlirOperationGetNextInBlock(op))
        if (is_fence(op) || mlirOperationEqual(op, address))
            behind = op;
    return behind;
}

/* Moves what the operation uses of the block, from behind `*behind` on, and then itself, to there. */
static void move_with_operands(MlirBlock block, MlirOperation *behind, MlirOperation op)
{
    if (!mlirOperationIsNull(*behind) && !mlirOperationIsBeforeInBlock(*behind, op))
        return;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirOperation def = tri_op_def(tri_op_operand(op, i));
        if (!mlirOperationIsNull(def) && mlirBlockEqual(mlirOperationGetBlock(def), block))
            move_with_operands(block, behind, def);
    }
    MlirOperation first = mlirBlockGetFirstOperation(block);
    if (!mlirOperationIsNull(*behind))
        mlirOperationMoveAfter(op, *behind);
    else if (!mlirOperationEqual(first, op))
        mlirOperationMoveBefore(op, first);
    *behind = op;
}

/* Whether all that would move may: what it computes depends on no memory. */
static bool can_move(MlirBlock block, MlirOperation behind, MlirOperation op, bool is_load)
{
    if (!mlirOperationIsNull(behind) && !mlirOperationIsBeforeInBlock(behind, op))
        return true;
    if (!is_load && (!tri_op_is_pure(op) || mlirOperationGetNumRegions(op) > 0))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirOperation def = tri_op_def(tri_op_operand(op, i));
        if (!mlirOperationIsNull(def) && mlirBlockEqual(mlirOperationGetBlock(def), block) &&
            !can_move(block, behind, def, false))
            return false;
    }
    return true;
}

static bool run_move_up_prologue_loads(tri_pass_run *run)
{
    tri_op_list loads = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.load", run->arena, &loads);
    for (size_t i = loads.len; i-- > 0;) { /* each goes before those that were moved */
        MlirOperation load = loads.at[i], behind = place_behind(load);
        MlirBlock block = mlirOperationGetBlock(load);
        bool is_marked = !mlirAttributeIsNull(tri_op_attr(load, "amd.pipeliner_part"));
        if (is_marked && !tri_op_flag(load, "isVolatile") && can_move(block, behind, load, true))
            move_with_operands(block, &behind, load);
    }
    return true;
}

const tri_pass tri_pass_move_up_prologue_loads = {
    .name = "move-up-prologue-loads",
    .help = "start the loads that pipelining has put before a loop as early as possible",
    .alias = "tritonamdgpu-move-up-prologue-loads",
    .run = run_move_up_prologue_loads,
};
