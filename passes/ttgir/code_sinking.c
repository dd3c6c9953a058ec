/* Moves what is made in front of a loop or a conditional, and needed only behind it, to where it is needed.
 *
 *     %b = tt.load %p                              %r = scf.for ... { ... }
 *     %r = scf.for ... { ... }                     %b = tt.load %p
 *     %s = arith.addf %r, %b                       %s = arith.addf %r, %b
 *
 * so that registers do not hold it in between. Nothing that reads memory moves across what may write it. An operation
 * moves only when its tensors come along or live on anyhow: else registers would hold its operands instead. One sweep
 * from the last operation of a block to the first, as users move before what they use. Needs: ttir or ttgir. Answers to
 * tritonintelgpu-code-sinking. Test: tests/passes/code-sinking.mlir */
#include "passes/passes.h"

#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/loads.h"

enum { MOST_STEPS = 16 }; /* of a chain that moves together */

typedef struct {
    tri_arena *arena;
    MlirBlock block;
} sinker;

/* The first and the last operation of the block that use the value, themselves or inside; false when there is none, or
 * one is elsewhere. */
static bool find_uses(const sinker *s, MlirOperation op, MlirOperation *out_first, MlirOperation *out_last)
{
    *out_first = *out_last = (MlirOperation){NULL};
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(op, i));
        for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
            MlirOperation user = tri_op_ancestor_in(s->block, mlirOpOperandGetOwner(use));
            if (mlirOperationIsNull(user))
                return false;
            if (mlirOperationIsNull(*out_first) || tri_op_dominates(user, *out_first))
                *out_first = user;
            if (mlirOperationIsNull(*out_last) || tri_op_dominates(*out_last, user))
                *out_last = user;
        }
    }
    return !mlirOperationIsNull(*out_first);
}

/* Whether what stands between the two is a loop or a conditional, among others, and writes nothing that `op` reads. */
static bool is_worth_crossing(const sinker *s, MlirOperation op, MlirOperation to)
{
    bool has_region = false, reads = !tri_op_is_pure(op);
    for (op = mlirOperationGetNextInBlock(op); !mlirOperationEqual(op, to); op = mlirOperationGetNextInBlock(op)) {
        has_region |= tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while") || tri_op_is(op, "scf.if");
        if (reads && tri_loads_any_may_write(s->arena, op))
            return false;
    }
    return has_region;
}

static bool may_move(MlirOperation op)
{
    return mlirOperationGetNumResults(op) && (tri_op_is_pure(op) || tri_op_is(op, "tt.load") ||
                                              tri_op_is(op, "tt.descriptor_load") || tri_op_is(op, "ttg.local_load")) &&
           !tri_loads_may_write(op) && !tri_op_is(op, "arith.constant");
}

static bool comes_along(const sinker *s, MlirOperation op, MlirOperation to, int steps);

/* A tensor that lives as long, or that moves with its user. */
static bool costs_nothing(const sinker *s, MlirOperation op, intptr_t i, MlirOperation to, int steps)
{
    MlirValue value = tri_op_operand(op, i);
    MlirOperation def = tri_op_def(value), first, last;
    if (!tri_type_is_tensor(mlirValueGetType(value)) || mlirOperationIsNull(def) || tri_op_is(def, "arith.constant") ||
        !mlirBlockEqual(mlirOperationGetBlock(def), s->block))
        return true;
    if (!find_uses(s, def, &first, &last))
        return true;
    return !tri_op_dominates(last, to) ||
           (may_move(def) && !tri_op_dominates(first, op) && comes_along(s, def, to, steps + 1));
}

static bool comes_along(const sinker *s, MlirOperation op, MlirOperation to, int steps)
{
    if (steps > MOST_STEPS || !is_worth_crossing(s, op, to))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (!costs_nothing(s, op, i, to, steps))
            return false;
    return true;
}

static void sink_in(tri_arena *arena, MlirBlock block)
{
    const sinker s = {arena, block};
    tri_op_list in_block = {0};
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        tri_vec_push(arena, &in_block, op);
    for (size_t i = in_block.len; i-- > 0;) {
        MlirOperation op = in_block.at[i], first, last;
        if (may_move(op) && find_uses(&s, op, &first, &last) && comes_along(&s, op, first, 0))
            mlirOperationMoveBefore(op, first);
    }
}

static bool run_code_sinking(tri_pass_run *run)
{
    tri_op_list ops = {0};
    tri_op_collect(mlirModuleGetOperation(run->module), run->arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        for (intptr_t r = 0; r < mlirOperationGetNumRegions(ops.at[i]); r++) {
            MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(ops.at[i], r));
            for (; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
                sink_in(run->arena, block);
        }
    return true;
}

const tri_pass tri_pass_code_sinking = {
    .name = "code-sinking",
    .help = "move what is needed only behind a loop or a conditional to where it is needed",
    .alias = "tritonintelgpu-code-sinking",
    .run = run_code_sinking,
};
