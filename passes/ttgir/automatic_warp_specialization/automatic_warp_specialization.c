/* Gives the loads of a loop to a warp of its own, and the rest to the warps that were there.
 *
 *     %r = scf.for ... {                                 ttg.warp_specialize(...)
 *       %a = tt.descriptor_load %d[%i, %j]               default {
 *       use(%a)                                            %r = scf.for ... {
 *     } {tt.warp_specialize}                                 wait full[s] ; use(ring[s]) ; arrive empty[s]
 *                                                          }
 *                                                        }
 *                                                        partition0(...) num_warps(1) {
 *                                                          scf.for ... {
 *                                                            wait empty[s] ; expect full[s], bytes
 *                                                            copy %d[%i, %j] -> ring[s], full[s]
 *                                                          }
 *                                                        }
 *
 * Loads that are needed first by the same operation share a pair of mbarriers. The only product of a loop runs on while
 * the next one starts, and its slot is given back after that; of two, the first one of the next iteration starts before
 * the second (rotate.c); others are waited for at once, which other groups of warps overlap with. Each group of four
 * consumer warps multiplies rows of its own, as the layouts say, and only mbarriers tie them. Scalars that the producer
 * needs are computed there again, descriptors written again. Loops that ask for it (tl.range(...,
 * warp_specialize=True)), or all with the option. A remark says why a loop stays as it is. Needs: ttgir in front of
 * assign-latencies, which leaves the split loops alone. Answers to tritongpu-automatic-warp-specialization and, on
 * Hopper, nvgpu-warp-specialization. Test: tests/passes/automatic-warp-specialization.mlir */
#include "passes/ttgir/automatic_warp_specialization/split.h"

static void visit_partitions(tri_pass_run *run, MlirOperation loop)
{
    tri_diag *diag = run->unit->diag;
    tri_span at = tri_op_span(diag, loop);
    tri_split_plan plan;
    const char *why_not = tri_candidate_find(run, loop, &plan);
    if (why_not) {
        tri_diag_missed(diag, at, "warp-specialize", "not specialised: %s", why_not);
        return;
    }
    tri_diag_remark(diag, at, "warp-specialize",
                    "a warp of its own starts %d loads of %lld bytes an iteration, %d stages ahead",
                    (int)plan.loads.len, (long long)(plan.loads.at[0].bytes * (int64_t)plan.loads.len), plan.stages);
    tri_split_loop(&plan);
}

static int64_t count_products(MlirOperation loop)
{
    int64_t count = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(loop, 0)); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        count += tri_op_is(op, "ttng.warp_group_dot");
    return count;
}

static bool run_automatic_warp_specialization(tri_pass_run *run)
{
    tri_op_list loops = {0};
    int64_t least = tri_passes_option_int(run, "least-products", 0);
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.for", run->arena, &loops);
    for (size_t i = 0; i < loops.len; i++)
        if ((least && count_products(loops.at[i]) >= least) || tri_op_flag(loops.at[i], "tt.warp_specialize"))
            visit_partitions(run, loops.at[i]);
    return true;
}

static const char *const options[] = {
    "num-stages: stages of loops that do not say themselves (3)",
    "least-products: of loops that do not ask for it, those with so many products, too; 0: none (0)",
    NULL,
};

const tri_pass tri_pass_automatic_warp_specialization = {
    .name = "automatic-warp-specialization",
    .help = "give a loop's loads to a warp of its own",
    .alias = "tritongpu-automatic-warp-specialization,nvgpu-warp-specialization",
    .options = options,
    .run = run_automatic_warp_specialization,
};
