/* Makes a branch of a loop that runs at most once.
 *
 *     %e = arith.addi %b, 1                            %e = arith.addi %b, 1
 *     %m = arith.minsi %e, %n                          %m = arith.minsi %e, %n
 *     %r = scf.for %i = %b to %m step 1                %r = scf.if %b < %m { body(%b, %x) } else { %x }
 *          iter_args(%a = %x) { body(%i, %a) }
 *
 * Needs: ttir; bounds that compare as signed numbers. Loops with products stay: their loads are made ahead, by tensor
 * maps and with those of the loops around them (causal attention, whose blocks on the diagonal are such a loop, is 1.4
 * times as fast so on an H200). A kernel that gives each program so many rows has this form
 * when it is compiled for one; nothing then lives from one turn to the next, and no number of turns is computed. Triton
 * leaves it to LLVM's passes on loops, which are not run here. Test: tests/passes/loop-once.mlir */
#include "passes/passes.h"

#include "ir/compare.h"
#include "ir/op.h"

#include "mlir-c/BuiltinTypes.h"

enum { most_minima = 8 };

static bool is_one_value(MlirValue x, MlirValue y)
{
    int64_t a, b;
    return mlirValueEqual(x, y) || (tri_op_const_int(x, &a) && tri_op_const_int(y, &b) && a == b);
}

/* Is `end` at most `begin` plus `step`? It may wrap around: then it is less than `begin`, and the loop doesn't run. */
static bool is_within(MlirValue begin, MlirValue end, int64_t step, int depth)
{
    MlirOperation def = tri_op_def(end);
    int64_t low, high, more;
    if (tri_op_const_int(begin, &low) && tri_op_const_int(end, &high))
        return !__builtin_sub_overflow(high, low, &more) && more <= step;
    if (mlirOperationIsNull(def))
        return false;
    if (tri_op_is(def, "arith.minsi"))
        return depth < most_minima && (is_within(begin, tri_op_operand(def, 0), step, depth + 1) ||
                                       is_within(begin, tri_op_operand(def, 1), step, depth + 1));
    return tri_op_is(def, "arith.addi") && is_one_value(tri_op_operand(def, 0), begin) &&
           tri_op_const_int(tri_op_operand(def, 1), &more) && more <= step;
}

static bool runs_at_most_once(MlirOperation loop)
{
    int64_t step;
    return !tri_op_flag(loop, "unsignedCmp") && tri_op_const_int(tri_op_operand(loop, 2), &step) && step > 0 &&
           is_within(tri_op_operand(loop, 0), tri_op_operand(loop, 1), step, 0);
}

static bool has_products(tri_arena *arena, MlirOperation loop)
{
    tri_op_list dots = {0};
    tri_op_collect_named(loop, "tt.dot", arena, &dots);
    tri_op_collect_named(loop, "tt.dot_scaled", arena, &dots);
    return dots.len > 0;
}

/* The body's operations go to `to`; what they took from the loop is what it begins with. */
static void take_body(MlirOperation loop, MlirBlock to)
{
    MlirBlock body = tri_op_body(loop, 0);
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, 0), tri_op_operand(loop, 0));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++)
        mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, 1 + i), tri_op_operand(loop, 3 + i));
    for (MlirOperation op; op = mlirBlockGetFirstOperation(body), !mlirOperationIsNull(op);) {
        mlirOperationRemoveFromParent(op);
        mlirBlockAppendOwnedOperation(to, op);
    }
}

static void make_branch(tri_arena *arena, MlirOperation loop)
{
    intptr_t count = mlirOperationGetNumResults(loop);
    tri_builder b = tri_builder_before(loop);
    MlirType *types = TRI_NEW_ARRAY(arena, MlirType, count + 1);
    MlirValue *initial = TRI_NEW_ARRAY(arena, MlirValue, count + 1);
    MlirValue runs = tri_compare_make(&b, TRI_CMP_SLT, tri_op_operand(loop, 0), tri_op_operand(loop, 1));
    MlirRegion regions[2] = {mlirRegionCreate(), mlirRegionCreate()};
    MlirBlock then = mlirBlockCreate(0, NULL, NULL);
    for (intptr_t i = 0; i < count; i++) {
        types[i] = mlirValueGetType(tri_op_result(loop, i));
        initial[i] = tri_op_operand(loop, 3 + i);
    }
    take_body(loop, then);
    mlirRegionAppendOwnedBlock(regions[0], then);
    if (count) {
        MlirBlock otherwise = mlirBlockCreate(0, NULL, NULL);
        tri_builder in = tri_builder_at_end(otherwise, b.loc);
        tri_builder_create(&in, &(tri_op){.name = "scf.yield", .num_operands = count, .operands = initial});
        mlirRegionAppendOwnedBlock(regions[1], otherwise);
    }
    MlirOperation branch = tri_builder_create(&b, &(tri_op){.name = "scf.if",
                                                            .num_operands = 1,
                                                            .operands = &runs,
                                                            .num_results = count,
                                                            .results = types,
                                                            .num_regions = 2,
                                                            .regions = regions});
    for (intptr_t i = 0; i < count; i++)
        mlirValueReplaceAllUsesOfWith(tri_op_result(loop, i), tri_op_result(branch, i));
    mlirOperationDestroy(loop);
}

static bool run_loop_once(tri_pass_run *run)
{
    tri_op_list loops = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.for", run->arena, &loops);
    for (size_t i = loops.len; i-- > 0;)
        if (runs_at_most_once(loops.at[i]) && !has_products(run->arena, loops.at[i]))
            make_branch(run->arena, loops.at[i]);
    return true;
}

const tri_pass tri_pass_loop_once = {
    .name = "loop-once",
    .help = "make branches of loops that run at most once",
    .run = run_loop_once,
};
