/* Comparisons of integers whose ranges decide them become constants.
 *
 *     llvm.intr.assume %n > 0                       // %n : i32
 *     %c = arith.cmpi sge, %n, %c0 : i32      ->    %c = arith.constant true
 *
 * Masks and guards of loops go away behind it (canonicalize). Assumptions themselves stay. Answers to
 * tritonamdgpu-fold-true-cmpi. Test: tests/passes/fold-true-cmpi.mlir */
#include "passes/passes.h"

#include "ir/analysis/ranges.h"
#include "ir/op.h"

static bool is_assumption(MlirOperation compare)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(compare, 0)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (!tri_op_is(user, "llvm.intr.assume") && !tri_op_is(user, "tt.assume"))
            return false;
    }
    return true;
}

static bool run_fold_true_cmpi(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_ranges *ranges = tri_ranges_create(run->arena, module);
    tri_op_list compares = {0}, decided = {0};
    TRI_VEC(int) values = {0};
    tri_op_collect_named(module, "arith.cmpi", run->arena, &compares);
    for (size_t i = 0; i < compares.len; i++) {
        int value = is_assumption(compares.at[i]) ? -1 : tri_ranges_compare(ranges, compares.at[i]);
        if (value < 0)
            continue;
        tri_vec_push(run->arena, &decided, compares.at[i]);
        tri_vec_push(run->arena, &values, value);
    }
    for (size_t i = 0; i < decided.len; i++) {
        tri_builder b = tri_builder_before(decided.at[i]);
        MlirValue known = tri_builder_int(&b, mlirValueGetType(tri_op_result(decided.at[i], 0)), values.at[i]);
        tri_op_replace(decided.at[i], 1, &known);
    }
    return true;
}

const tri_pass tri_pass_fold_true_cmpi = {
    .name = "fold-true-cmpi",
    .help = "make constants of comparisons that the ranges of integers decide",
    .alias = "tritonamdgpu-fold-true-cmpi",
    .run = run_fold_true_cmpi,
};
