/* Unrolls loops that ask for it.
 *
 *     scf.for %i = %lb to %ub step %s { body(%i) }        scf.for %i = %lb to %mid step (2 * %s) {
 *       {tt.loop_unroll_factor = 2 : i32}                   body(%i)  body(%i + %s)
 *                                                         }
 *                                                         scf.for %i = %mid to %ub step %s { body(%i) }
 *                                                           {tt.num_stages = 1 : i32}
 *
 * Needs: ttir. Innermost loops first; the attribute goes. The rest loop, which is not worth
 * pipelining, is left out when the number of trips is known to be a multiple. Answers to
 * triton-loop-unroll. Test: tests/passes/loop-unroll.mlir */
#include "passes/passes.h"

#include "ir/op.h"
#include "ir/upstream.h"

static bool run_loop_unroll(tri_pass_run *run)
{
    static const char name[] = "tt.loop_unroll_factor";
    tri_op_list loops = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.for", run->arena, &loops);
    for (size_t i = loops.len; i-- > 0;) {
        MlirOperation loop = loops.at[i], rest = {NULL};
        int64_t factor = tri_op_int(loop, name, 1);
        if (mlirAttributeIsNull(tri_op_attr(loop, name)))
            continue;
        mlirOperationRemoveAttributeByName(loop, mlirStringRefCreateFromCString(name));
        if (factor > 1 && tri_upstream_unroll(loop, (uint64_t)factor, &loop, &rest) && !mlirOperationIsNull(rest))
            tri_builder_set_attr(rest, "tt.num_stages", tri_attr_i32(run->unit->mlir, 1));
    }
    return true;
}

const tri_pass tri_pass_loop_unroll = {
    .name = "loop-unroll",
    .help = "unroll loops that carry tt.loop_unroll_factor",
    .alias = "triton-loop-unroll",
    .run = run_loop_unroll,
};
