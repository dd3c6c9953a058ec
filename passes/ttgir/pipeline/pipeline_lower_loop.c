/* The first half of `pipeline` alone: what a scheduled loop waits for becomes asynchronous, the schedule stays.
 *
 *     %a = tt.load %p {loop.stage = 0, loop.cluster = 2}     %g = ttg.async_copy_global_to_local ... {loop.stage = 0,
 * ...} use(%a)         {loop.stage = 2, loop.cluster = 0}     %w = ttg.async_wait %g {loop.stage = 2, loop.cluster = 0}
 *                                                            use(ttg.local_load ...)
 *
 * For people who look at the pipeliner. Answers to tritongpu-test-pipeline-lower-loop.
 * Test: tests/passes/pipeline-lower-loop.mlir */
#include "passes/ttgir/pipeline/pipeline.h"

static bool run_pipeline_lower_loop(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_list loops = {0};
    tri_op_collect_named(module, "scf.for", run->arena, &loops);
    tri_pipeline p = {run, run->arena, tri_axis_info_create(run->arena, module)};
    for (size_t i = 0; i < loops.len; i++)
        if (!mlirAttributeIsNull(tri_op_attr(loops.at[i], "tt.scheduled_max_stage")))
            tri_pipeline_lower(&p, loops.at[i]);
    return true;
}

const tri_pass tri_pass_pipeline_lower_loop = {
    .name = "pipeline-lower-loop",
    .help = "make the loads of scheduled loops asynchronous, without overlapping iterations",
    .alias = "tritongpu-test-pipeline-lower-loop",
    .run = run_pipeline_lower_loop,
};
