/* Each operation is of the tasks that need what it makes.
 *
 *     %c = arith.constant 64 : i32                         {async_task_id = array<i32: 0>}
 *     scf.for ... iter_args(%k = %zero) {                  {async_task_id = array<i32: 0, 1>}
 *       %a = tt.descriptor_load %d[%k]  {... 0}
 *       %b = ttg.local_alloc %a                      ->    {async_task_id = array<i32: 1>}
 *       ttng.warp_group_dot %b, ...     {... 1}
 *       %n = arith.addi %k, %c                             {async_task_id = array<i32: 0>}
 *     }
 *
 * What has tasks keeps them. Loops and branches are of all tasks in them, with their bounds; what they carry is of
 * those that use it, in the next iteration or behind the loop. In no pipeline: automatic-warp-specialization finds what
 * its producer needs by itself. Answers to nvgpu-test-taskid-propagate, whose number of groups it does not need.
 * Test: tests/passes/propagate-task-ids.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/op.h"
#include "passes/analysis/tasks.h"

typedef struct {
    tri_arena *arena;
    tri_op_list ops;
    tri_map of_value, of_op; /* -> uint64_t, a bit for each task */
    bool has_changed;
} tasks;

static uint64_t *task_entry(tasks *t, tri_map *map, const void *key)
{
    uint64_t *found = tri_map_find_ptr(map, key);
    if (found)
        return found;
    found = TRI_NEW(t->arena, uint64_t);
    *found = 0;
    tri_map_set_ptr(map, key, found);
    return found;
}

static void add_tasks(tasks *t, uint64_t *to, uint64_t ids)
{
    t->has_changed = t->has_changed || (ids & ~*to);
    *to |= ids;
}

static void add_value_tasks(tasks *t, MlirValue value, uint64_t ids)
{
    add_tasks(t, task_entry(t, &t->of_value, value.ptr), ids);
}

static uint64_t tasks_of_value(tasks *t, MlirValue value) { return *task_entry(t, &t->of_value, value.ptr); }

/* Of what a loop or a branch carries in one place. */
static uint64_t tasks_of_carried(tasks *t, MlirOperation op, intptr_t i)
{
    uint64_t ids = tasks_of_value(t, tri_op_result(op, i));
    if (tri_op_is(op, "scf.for"))
        ids |= tasks_of_value(t, mlirBlockGetArgument(tri_op_body(op, 0), 1 + i));
    return ids;
}

static void hand_tasks_on(tasks *t, MlirOperation op)
{
    uint64_t *own = task_entry(t, &t->of_op, op.ptr), given = tri_tasks_of(op);
    MlirOperation around = mlirOperationGetParentOperation(op);
    bool is_yield = tri_op_is(op, "scf.yield"), is_loop = tri_op_is(op, "scf.for");
    bool is_given = given && !mlirOperationGetNumRegions(op) && !is_yield;
    if (is_given)
        add_tasks(t, own, given);
    for (intptr_t i = 0; !is_given && i < mlirOperationGetNumResults(op); i++)
        add_tasks(t, own, tasks_of_value(t, tri_op_result(op, i)));
    if (is_yield)
        add_tasks(t, own, *task_entry(t, &t->of_op, around.ptr));
    if (!tri_op_is(around, "tt.func")) /* what stands in a loop is of its tasks, too */
        add_tasks(t, task_entry(t, &t->of_op, around.ptr), *own);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        bool is_carried = (is_yield && mlirOperationGetNumResults(around)) || (is_loop && i >= 3);
        uint64_t ids = is_carried ? tasks_of_carried(t, is_yield ? around : op, is_yield ? i : i - 3) : *own;
        add_value_tasks(t, tri_op_operand(op, i), ids);
    }
}

static void propagate_tasks(tri_pass_run *run, MlirOperation func)
{
    tasks t = {.arena = run->arena, .has_changed = true};
    tri_map_init(&t.of_value, run->arena);
    tri_map_init(&t.of_op, run->arena);
    tri_op_collect(func, run->arena, &t.ops);
    while (t.has_changed) {
        t.has_changed = false;
        for (size_t i = t.ops.len; i-- > 0;)
            hand_tasks_on(&t, t.ops.at[i]);
    }
    for (size_t i = 0; i < t.ops.len; i++)
        if (!tri_op_is(t.ops.at[i], "tt.return") && *task_entry(&t, &t.of_op, t.ops.at[i].ptr))
            tri_tasks_set(t.ops.at[i], *task_entry(&t, &t.of_op, t.ops.at[i].ptr));
}

static bool run_propagate_task_ids(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        propagate_tasks(run, funcs.at[i]);
    return true;
}

const tri_pass tri_pass_propagate_task_ids = {
    .name = "propagate-task-ids",
    .help = "give each operation the tasks that need it",
    .alias = "nvgpu-test-taskid-propagate",
    .options = (const char *const[]){"num-warp-groups: no effect", NULL},
    .run = run_propagate_task_ids,
};
