/* Makes waits for groups of asynchronous copies waits for instructions, which is what gfx1250 counts.
 *
 *     %a = ttg.async_copy_global_to_local ...       // two instructions
 *     %t = ttg.async_commit_group tokens %a
 *     %b = ttg.async_copy_global_to_local ...       // one instruction
 *     %u = ttg.async_commit_group tokens %b
 *     ttg.async_wait %t {num = 0}             ->    amdg.async_wait %t {num_inst = 1, ttg.num_commit_groups = 0}
 *
 * likewise amdg.async_tdm_wait, for boxes of tensor descriptors. A wait with tokens waits for what they stand for,
 * another one for all but the last `num` groups; of several paths the one with the fewest instructions counts. Machines
 * whose lowering counts by itself are left alone. Answers to tritonamdgpu-update-async-wait-count.
 * Test: tests/passes/update-async-wait-count.mlir */
#include "passes/ttgir/update_async_wait_count/async.h"

#include "ir/machines.h"
#include "ir/type.h"

static int instructions_behind(async_counts *c, MlirOperation wait)
{
    intptr_t tokens = mlirOperationGetNumOperands(wait);
    int fewest = INT32_MAX;
    for (intptr_t i = 0; i < tokens; i++) {
        int count = tri_async_since_token(c, tri_op_operand(wait, i), wait);
        fewest = count < fewest ? count : fewest;
    }
    if (tokens == 0)
        fewest = tri_async_of_last(c, wait, (int)tri_op_int(wait, "num", 0));
    return fewest == INT32_MAX ? 0 : fewest;
}

static void replace_wait(async_counts *c, MlirOperation wait)
{
    tri_builder b = tri_builder_before(wait);
    intptr_t n = mlirOperationGetNumOperands(wait);
    MlirValue *tokens = TRI_NEW_ARRAY(c->run->arena, MlirValue, n + 1);
    MlirType type = tri_type_async_token(b.context);
    for (intptr_t i = 0; i < n; i++)
        tokens[i] = tri_op_operand(wait, i);
    tri_attr attrs[] = {
        {c->counts_boxes ? "count" : "num_inst", tri_attr_i32(b.context, instructions_behind(c, wait))},
        {c->counts_boxes ? "ttg.num_tdm_ops" : "ttg.num_commit_groups", tri_op_attr(wait, "num")},
    };
    MlirValue made = tri_builder_value(&b, &(tri_op){
        .name = c->counts_boxes ? "amdg.async_tdm_intrinsic_wait" : "amdg.async_wait",
        .num_operands = n, .operands = tokens, .num_results = 1, .results = &type, .num_attrs = 2, .attrs = attrs});
    tri_op_replace(wait, 1, &made);
}

static void replace_waits(tri_pass_run *run, const tri_axis_info *axis, bool counts_boxes, const char *name)
{
    async_counts c = {.run = run, .axis = axis, .counts_boxes = counts_boxes};
    tri_op_list waits = {0};
    tri_map_init(&c.counts, run->arena);
    tri_op_collect_named(mlirModuleGetOperation(run->module), name, run->arena, &waits);
    for (size_t i = 0; i < waits.len; i++)
        replace_wait(&c, waits.at[i]);
}

static bool run_update_async_wait_count(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_str arch = tri_passes_option_str(run, "gfx-arch", "");
    const tri_machine_facts *facts = arch.len ? tri_machines_for_gfx(arch) : tri_machines_of(module);
    if (!facts || !facts->has_buffers || !facts->async_copies) /* no AMD GPU with a counter of such copies */
        return true;
    const tri_axis_info *axis = tri_axis_info_create(run->arena, module);
    replace_waits(run, axis, false, "ttg.async_wait");
    replace_waits(run, axis, true, "amdg.async_tdm_wait");
    return true;
}

const tri_pass tri_pass_update_async_wait_count = {
    .name = "update-async-wait-count",
    .help = "wait for instructions of asynchronous copies instead of groups",
    .alias = "tritonamdgpu-update-async-wait-count",
    .options = (const char *const[]){"gfx-arch: an AMD GPU instead of the module's, such as gfx1250", NULL},
    .run = run_update_async_wait_count,
};
