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
#include "ir/options.h"
#include "ir/upstream.h"

/* How many turns a loop takes; INT64_MAX when that is not known. */
static int64_t count_turns(MlirOperation loop)
{
    int64_t low, high, step, span;
    if (!tri_op_const_int(tri_op_operand(loop, 0), &low) || !tri_op_const_int(tri_op_operand(loop, 1), &high) ||
        !tri_op_const_int(tri_op_operand(loop, 2), &step) || step <= 0 || __builtin_sub_overflow(high, low, &span))
        return INT64_MAX;
    return span <= 0 ? 0 : (span - 1) / step + 1;
}

/* Would the unrolled loop and those before it have more operations than a kernel may have? Told before the work. */
static bool is_too_large(tri_pass_run *run, MlirOperation loop, int64_t factor, int64_t *io_made)
{
    tri_op_list body = {0};
    tri_op_collect(loop, run->arena, &body);
    int64_t most = tri_options_max_ops(run->unit->options), made;
    if (!__builtin_mul_overflow((int64_t)body.len, factor, &made) && made <= most - *io_made) {
        *io_made += made;
        return false;
    }
    tri_op_error(run->unit->diag, loop, 4010, "loop_unroll_factor=%lld makes more than %lld operations of this loop",
                 (long long)factor, (long long)most);
    tri_diag_note(run->unit->diag, TRI_NO_SPAN, "-fmax-ops=N allows more");
    return true;
}

static bool run_loop_unroll(tri_pass_run *run)
{
    static const char name[] = "tt.loop_unroll_factor";
    tri_op_list loops = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.for", run->arena, &loops);
    int64_t made = 0;
    for (size_t i = loops.len; i-- > 0;) {
        MlirOperation loop = loops.at[i], rest = {NULL};
        int64_t factor = tri_op_int(loop, name, 1);
        if (mlirAttributeIsNull(tri_op_attr(loop, name)))
            continue;
        mlirOperationRemoveAttributeByName(loop, mlirStringRefCreateFromCString(name));
        int64_t turns = count_turns(loop);
        factor = factor < turns ? factor : turns;
        if (factor > 1 && is_too_large(run, loop, factor, &made))
            return false;
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
