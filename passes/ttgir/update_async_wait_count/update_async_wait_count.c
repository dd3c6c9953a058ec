/* Makes waits for groups of asynchronous copies waits for instructions, which is what AMD's GPUs count.
 *
 *     %a = ttg.async_copy_global_to_local ...       // two instructions
 *     %t = ttg.async_commit_group tokens %a
 *     %b = ttg.async_copy_global_to_local ...       // one instruction
 *     %u = ttg.async_commit_group tokens %b
 *     ttg.async_wait %t {num = 0}             ->    amdg.async_wait %t {num_inst = 1, ttg.num_commit_groups = 0}
 *
 * likewise amdg.async_tdm_wait, for boxes of tensor descriptors. A wait with tokens waits for what they stand for,
 * another one for all but the last `num` groups; of several paths the one with the fewest instructions counts. A wait
 * that has been counted is counted again. Of machines with copies that a warp gives one place for the instructions are
 * those of tritcc's lowering (ir/analysis/wave_copy.h), or with the option gfx-arch those of Triton's. Answers to
 * tritonamdgpu-update-async-wait-count.
 * Test: tests/passes/update-async-wait-count.mlir */
#include "passes/ttgir/update_async_wait_count/async.h"

#include "ir/machines.h"
#include "ir/type.h"

static const char *groups_name(const async_counts *c)
{
    return c->counts_boxes ? "ttg.num_tdm_ops" : "ttg.num_commit_groups";
}

/* How many groups may be pending; 0 where nothing says so. */
static int64_t groups_of(const async_counts *c, MlirOperation wait)
{
    return tri_op_int(wait, "num", tri_op_int(wait, groups_name(c), 0));
}

static int instructions_behind(async_counts *c, MlirOperation wait)
{
    intptr_t tokens = mlirOperationGetNumOperands(wait);
    int fewest = INT32_MAX;
    for (intptr_t i = 0; i < tokens; i++) {
        int count = tri_async_since_token(c, tri_op_operand(wait, i), wait);
        fewest = count < fewest ? count : fewest;
    }
    if (tokens == 0)
        fewest = tri_async_of_last(c, wait, (int)groups_of(c, wait));
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
        {groups_name(c), tri_attr_i32(b.context, (int32_t)groups_of(c, wait))},
    };
    MlirValue made = tri_builder_value(&b, &(tri_op){
        .name = c->counts_boxes ? "amdg.async_tdm_intrinsic_wait" : "amdg.async_wait",
        .num_operands = n, .operands = tokens, .num_results = 1, .results = &type, .num_attrs = 2, .attrs = attrs});
    tri_op_replace(wait, 1, &made);
}

static void replace_waits(async_counts c, const char *name)
{
    tri_op_list waits = {0};
    tri_map_init(&c.counts, c.run->arena);
    tri_op_collect_named(mlirModuleGetOperation(c.run->module), name, c.run->arena, &waits);
    if (waits.len)
        c.axis = tri_axis_info_create(c.run->arena, mlirModuleGetOperation(c.run->module));
    for (size_t i = 0; i < waits.len; i++)
        replace_wait(&c, waits.at[i]);
}

static bool run_update_async_wait_count(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_str arch = tri_passes_option_str(run, "gfx-arch", "");
    const tri_machine_facts *facts = arch.len ? tri_machines_for_gfx(arch) : tri_machines_of(module);
    if (!facts || !facts->has_buffers || !(facts->async_copies | facts->direct_to_shared))
        return true;
    async_counts copies = {.run = run}, boxes = {.run = run, .counts_boxes = true};
    copies.by_waves = !arch.len && !facts->async_copies;
    if (copies.by_waves)
        replace_waits(copies, "amdg.async_wait");
    replace_waits(copies, "ttg.async_wait");
    replace_waits(boxes, "amdg.async_tdm_wait");
    return true;
}

const tri_pass tri_pass_update_async_wait_count = {
    .name = "update-async-wait-count",
    .help = "wait for instructions of asynchronous copies instead of groups",
    .alias = "tritonamdgpu-update-async-wait-count",
    .options = (const char *const[]){"gfx-arch: an AMD GPU instead of the module's, such as gfx1250", NULL},
    .run = run_update_async_wait_count,
};
