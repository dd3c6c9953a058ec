/* Branches between blocks as conditionals and loops, which is all that structured code has.
 *
 *     cf.cond_br %c, ^1, ^2             scf.if %c {
 *   ^1:                                 } else {
 *     tt.return                           tt.store %p, %v
 *   ^2:                                 }
 *     tt.store %p, %v                   tt.return
 *     tt.return
 *
 * Needs: ttir. Other compilers write a return within a conditional so; our front end writes conditionals. Several
 * returns become one. Answers to lift-cf-to-scf (MLIR), which has func.func only.
 * Test: tests/passes/lift-cf-to-scf.mlir */
#include "passes/passes.h"

#include "ir/op.h"
#include "ir/structure.h"

static bool run_lift_cf_to_scf(tri_pass_run *run)
{
    tri_op_list functions = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &functions);
    for (size_t i = 0; i < functions.len; i++) {
        size_t errors = tri_diag_error_count(run->unit->diag);
        if (tri_structure_function(functions.at[i]))
            continue;
        if (tri_diag_error_count(run->unit->diag) == errors)
            tri_op_error(run->unit->diag, functions.at[i], 6002, "the branches of '%.*s' have no structured form",
                         TRI_STR_ARG(tri_op_symbol(functions.at[i])));
        return false;
    }
    return true;
}

const tri_pass tri_pass_lift_cf_to_scf = {
    .name = "lift-cf-to-scf",
    .help = "make conditionals and loops of branches between blocks",
    .run = run_lift_cf_to_scf,
};
