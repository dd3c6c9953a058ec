/* Loads of products' operands become task 0, products and stores the tasks behind it.
 *
 *     scf.for ... {
 *       %a = tt.descriptor_load ...                 {async_task_id = array<i32: 0>}
 *       %b = ttg.local_alloc %a               ->
 *       %d = ttng.warp_group_dot %b, ...            {async_task_id = array<i32: 1, 2>}
 *     }
 *     tt.descriptor_store ...                       {async_task_id = array<i32: 1, 2>}
 *
 * Of functions with loops that load what they multiply. In no pipeline: automatic-warp-specialization decides by itself
 * what its producer does. Answers to nvgpu-test-ws-task-partition.
 * Test: tests/passes/partition-tasks.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/op_classes.h"
#include "passes/analysis/tasks.h"

enum { MAX_GROUPS = 32 };

typedef struct {
    tri_arena *arena;
    tri_map seen;
    tri_op_list loads;
} search;

static bool loads_block(MlirOperation op) { return tri_op_is(op, "tt.descriptor_load") || tri_op_is(op, "tt.load"); }

/* The loads of blocks that a value is made of, in its own block. */
static void find_operand_loads(search *s, MlirValue value, MlirBlock block)
{
    MlirOperation def = tri_op_def(value);
    if (mlirOperationIsNull(def) || !mlirBlockEqual(mlirOperationGetBlock(def), block) ||
        tri_map_find_ptr(&s->seen, def.ptr))
        return;
    tri_map_set_ptr(&s->seen, def.ptr, def.ptr);
    if (loads_block(def)) {
        tri_vec_push(s->arena, &s->loads, def);
        return;
    }
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
        find_operand_loads(s, tri_op_operand(def, i), block);
}

static void partition_function(tri_pass_run *run, MlirOperation func, uint64_t consumers)
{
    search s = {.arena = run->arena};
    tri_op_list ops = {0}, done = {0};
    tri_map_init(&s.seen, run->arena);
    tri_op_collect(func, run->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        if (tri_op_is(ops.at[i], "tt.descriptor_store") || tri_op_is(ops.at[i], "tt.store"))
            tri_vec_push(run->arena, &done, ops.at[i]);
        if (!tri_op_in(ops.at[i], TRI_OPS_PRODUCT) || !tri_op_is(mlirOperationGetParentOperation(ops.at[i]), "scf.for"))
            continue;
        for (int operand = 0; operand < 2; operand++)
            find_operand_loads(&s, tri_op_operand(ops.at[i], operand), mlirOperationGetBlock(ops.at[i]));
        tri_vec_push(run->arena, &done, ops.at[i]);
    }
    for (size_t i = 0; i < s.loads.len; i++)
        tri_tasks_set(s.loads.at[i], 1);
    for (size_t i = 0; i < done.len && s.loads.len; i++)
        tri_tasks_set(done.at[i], consumers);
}

static bool run_partition_tasks(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    int64_t groups = tri_passes_option_int(run, "num-warp-groups", 0);
    if (groups < 2 || groups > MAX_GROUPS)
        return true;
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        partition_function(run, funcs.at[i], (UINT64_C(1) << groups) - 2);
    return true;
}

const tri_pass tri_pass_partition_tasks = {
    .name = "partition-tasks",
    .help = "make loads of products' operands a task, and products others",
    .alias = "nvgpu-test-ws-task-partition",
    .options = (const char *const[]){"num-warp-groups=N: tasks, of which the first loads; below 2 none (0)", NULL},
    .run = run_partition_tasks,
};
