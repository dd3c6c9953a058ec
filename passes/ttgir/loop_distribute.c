/* Makes two loops of one with two products whose sums do not meet.
 *
 *     %r:2 = scf.for %k ... {                      %s:2 = scf.for %k ... { %d = tt.dot %a, %b, %x }
 *       %d = tt.dot %a, %b, %x                     %t:2 = scf.for %k ... { %e = tt.dot %a, %c, %y }
 *       %e = tt.dot %a, %c, %y
 *       scf.yield %d, %e                           (%r#0 is %s#0, %r#1 is %t#1)
 *     }
 *
 * so that registers hold one sum at a time; what both products read is loaded twice. Only where a loop has exactly
 * two products, each of which adds to a value that the loop carries for it, writes nothing, and neither product, nor
 * another value that the loop carries, needs the other's sum. Both loops carry the same values; what is no more
 * needed in them is taken out. With `least` only where the sums together take so many registers of each thread or
 * more, which needs layouts. Answers to tritonintelgpu-loop-distribute. Test: tests/passes/loop-distribute.mlir */
#include "passes/passes.h"

#include "ir/op.h"
#include "ir/op_classes.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loads.h"
#include "passes/analysis/loops.h"

/* The place among what the loop carries that a product adds to, or -1. */
static intptr_t find_sum(MlirOperation loop, MlirOperation dot)
{
    MlirBlock owner;
    intptr_t index;
    if (!tri_op_is_block_argument(tri_op_operand(dot, 2), &owner, &index) || index == 0 ||
        !mlirBlockEqual(owner, tri_op_body(loop, 0)))
        return -1;
    MlirValue yielded = tri_op_operand(tri_loops_yield(loop, 0), index - 1);
    return mlirValueEqual(yielded, tri_op_result(dot, 0)) && tri_dots_has_one_use(yielded) ? index - 1 : -1;
}

/* The products of a loop itself: their number, and the first two. */
static int find_products(MlirOperation loop, MlirOperation out_dots[2])
{
    int n = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(loop, 0)); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (tri_op_in(op, TRI_OPS_PRODUCT) && n++ < 2)
            out_dots[n - 1] = op;
    return n;
}

/* Takes one of the two products out of a copy of the loop: what the product added to is carried unchanged. False where
 * something else needs it. */
static bool drop_product(MlirOperation loop, int which)
{
    MlirOperation dots[2], yield = tri_loops_yield(loop, 0);
    find_products(loop, dots);
    intptr_t at = find_sum(loop, dots[which]);
    MlirValue sum = mlirBlockGetArgument(tri_op_body(loop, 0), at + 1);
    mlirOperationSetOperand(yield, at, sum);
    mlirOperationDestroy(dots[which]);
    tri_op_erase_dead(loop);
    return tri_dots_has_one_use(sum);
}

static MlirOperation copy_without(MlirOperation loop, int which, bool *out_ok)
{
    tri_builder b = tri_builder_before(loop);
    MlirOperation copy = tri_op_clone(&b, loop, 0, NULL, NULL);
    *out_ok = drop_product(copy, which);
    return copy;
}

static bool has_dead_ops(tri_arena *arena, MlirOperation loop)
{
    tri_op_list ops = {0};
    tri_op_collect(loop, arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        if (tri_op_is_trivially_dead(ops.at[i]))
            return true;
    return false;
}

static void distribute(tri_pass_run *run, MlirOperation loop)
{
    MlirOperation dots[2];
    if (find_products(loop, dots) != 2 || tri_loads_any_may_write(run->arena, loop) || has_dead_ops(run->arena, loop))
        return;
    intptr_t first = find_sum(loop, dots[0]), second = find_sum(loop, dots[1]);
    int64_t least = tri_passes_option_int(run, "least", 0);
    if (first < 0 || second < 0 || first == second)
        return;
    if (least && tri_dots_registers(run->arena, mlirValueGetType(tri_op_result(dots[0], 0))) +
                         tri_dots_registers(run->arena, mlirValueGetType(tri_op_result(dots[1], 0))) < least)
        return;
    bool ok[2];
    MlirOperation loops[2] = {copy_without(loop, 1, &ok[0]), copy_without(loop, 0, &ok[1])};
    if (!ok[0] || !ok[1]) {
        mlirOperationDestroy(loops[1]);
        mlirOperationDestroy(loops[0]);
        return;
    }
    MlirValue *results = TRI_NEW_ARRAY(run->arena, MlirValue, mlirOperationGetNumResults(loop));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++)
        results[i] = tri_op_result(loops[i == second], i);
    tri_op_replace(loop, mlirOperationGetNumResults(loop), results);
}

static bool run_loop_distribute(tri_pass_run *run)
{
    tri_op_list loops = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.for", run->arena, &loops);
    for (size_t i = loops.len; i-- > 0;)
        distribute(run, loops.at[i]);
    return true;
}

const tri_pass tri_pass_loop_distribute = {
    .name = "loop-distribute",
    .help = "make two loops of one with two products, so that registers hold one sum at a time",
    .alias = "tritonintelgpu-loop-distribute",
    .options = (const char *const[]){"least=N: only sums that take so many registers of a thread (0)", NULL},
    .run = run_loop_distribute,
};
