/* Gives every op of a loop body a stage (how many iterations behind the first one it runs) and a
 * cluster (its place in the body), from the latencies of its loads.
 *
 *     %a = tt.load %p {tt.latency = 2 : i32}          %a = tt.load %p {loop.stage = 0, loop.cluster = 3}
 *     %d = tt.dot %a, %b, %c                          %d = tt.dot ... {loop.stage = 2, loop.cluster = 0}
 *     %q = tt.addptr %p, %s                           %q = tt.addptr ... {loop.stage = 1, loop.cluster = 2}
 *
 * Later stages come first in the body, so that a slot of a ring is read before it is filled again; where what is
 * loaded ahead is carried in registers, the loads come first, so that they are under way during the rest. What an
 * op needs runs no later than it; what a value of the next iteration needs runs no later than its reader
 * there; branches go in front of what needs them, or to the end; the rest goes to the last stage. A loop whose schedule
 * breaks a dependency, or that holds barriers, asserts or prints, is left alone. Answers to tritongpu-schedule-loops.
 * Test: tests/passes/schedule-loops.mlir */
#include "passes/ttgir/pipeline/schedule.h"

#include "ir/machines.h"

/* ---- 1. latencies decide the stages ---- */

static void measure_distances(tri_schedule *s)
{
    for (size_t i = s->nodes.len; i-- > 0;) {
        tri_schedule_node *n = &s->nodes.at[i];
        int below = 0;
        for (intptr_t r = 0; r < mlirOperationGetNumResults(n->op); r++) {
            MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(n->op, r));
            for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
                MlirOperation top = tri_op_ancestor_in(s->body, mlirOpOperandGetOwner(use));
                tri_schedule_node *user = tri_schedule_node_of(s, top);
                if (user && user->distance > below)
                    below = user->distance;
            }
        }
        n->distance = n->latency + below;
    }
}

/* Marks what depends on an op with a latency. */
static void place_key_ops(tri_schedule *s)
{
    int deepest = 0;
    bool *is_key = TRI_NEW_ARRAY(s->arena, bool, s->nodes.len + 1);
    for (size_t i = 0; i < s->nodes.len; i++) {
        tri_schedule_node *n = &s->nodes.at[i];
        tri_value_list used = {0};
        tri_pipeline_uses_of(s->arena, n->op, &used);
        is_key[i] = n->latency > 0;
        for (size_t k = 0; k < used.len; k++) {
            tri_schedule_node *def = tri_schedule_producer(s, used.at[k]);
            is_key[i] |= def && is_key[def - s->nodes.at];
        }
        if (is_key[i] && n->distance > deepest)
            deepest = n->distance;
    }
    s->max_stage = deepest;
    for (int i = 0; i <= deepest; i++)
        tri_schedule_new_cluster(s, i);
    for (size_t i = 0; i < s->nodes.len; i++) {
        if (!is_key[i])
            continue;
        s->nodes.at[i].stage = deepest - s->nodes.at[i].distance;
        s->nodes.at[i].cluster = s->is_forward ? s->nodes.at[i].stage : deepest - s->nodes.at[i].stage;
    }
}

/* ---- 2. branches ---- */

static bool is_branch(const tri_schedule_node *n) { return tri_op_is(n->op, "scf.if"); }

/* Branches that lead to `reader` run in front of everything else of its stage. */
static void pull_branches(tri_schedule *s, const tri_schedule_node *reader, int stage, int *cluster, bool *seen)
{
    tri_value_list used = {0};
    tri_pipeline_uses_of(s->arena, reader->op, &used);
    for (size_t i = 0; i < used.len; i++) {
        tri_schedule_node *def = tri_schedule_producer(s, used.at[i]);
        if (!def || seen[def - s->nodes.at])
            continue;
        seen[def - s->nodes.at] = true;
        if (is_branch(def) && def->stage == TRI_UNPLACED) {
            if (*cluster < 0)
                *cluster = tri_schedule_new_cluster(s, 0);
            def->stage = stage;
            def->cluster = *cluster;
        }
        pull_branches(s, def, stage, cluster, seen);
    }
}

static bool has_users_inside(tri_schedule *s, const tri_schedule_node *n)
{
    for (intptr_t r = 0; r < mlirOperationGetNumResults(n->op); r++) {
        MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(n->op, r));
        for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
            if (tri_schedule_node_of(s, tri_op_ancestor_in(s->body, mlirOpOperandGetOwner(use))))
                return true;
    }
    return false;
}

/* Branches in front, or behind everything: what lies between then need not wait for them. */
static void place_branches(tri_schedule *s)
{
    int front = -1, back = tri_schedule_new_cluster(s, (int)s->position.len),
        last = tri_schedule_new_cluster(s, (int)s->position.len);
    bool *seen = TRI_NEW_ARRAY(s->arena, bool, s->nodes.len + 1);
    for (size_t i = 0; i < s->nodes.len; i++) {
        tri_schedule_node *n = &s->nodes.at[i];
        if (!is_branch(n) || n->stage == TRI_UNPLACED || n->latency || has_users_inside(s, n))
            continue;
        n->cluster = back;
    }
    for (int stage = 0; stage <= s->max_stage; stage++)
        for (size_t i = 0; i < s->nodes.len; i++)
            if (s->nodes.at[i].stage == stage && s->nodes.at[i].cluster != front)
                pull_branches(s, &s->nodes.at[i], stage, &front, seen);
    for (size_t i = 0; i < s->nodes.len; i++) {
        tri_schedule_node *n = &s->nodes.at[i];
        if (!is_branch(n) || n->stage != TRI_UNPLACED)
            continue;
        n->stage = s->max_stage;
        n->cluster = last;
    }
}

/* ---- the pass ---- */

static bool can_be_scheduled(tri_arena *arena, MlirOperation loop)
{
    tri_op_list inside = {0};
    bool has_latency = false;
    tri_op_collect(loop, arena, &inside);
    for (size_t i = 0; i < inside.len; i++)
        has_latency |= !mlirAttributeIsNull(tri_op_attr(inside.at[i], "tt.latency"));
    return has_latency && tri_schedule_can_be(arena, loop);
}

/* Whether the loop has stages now. */
static bool schedule_loop(tri_arena *arena, MlirOperation loop, bool is_forward)
{
    tri_schedule s;
    tri_schedule_init(&s, arena, loop);
    s.is_forward = is_forward;
    measure_distances(&s);
    place_key_ops(&s);
    if (s.max_stage == 0)
        return false;
    place_branches(&s);
    tri_schedule_pull_all(&s);
    tri_schedule_pull_next(&s);
    tri_schedule_place_rest(&s, 0); /* the first cluster of the key ops */
    if (!tri_schedule_is_legal(&s))
        return false;
    tri_schedule_write(&s);
    return true;
}

static bool run_schedule_loops(tri_pass_run *run)
{
    tri_op_list loops = {0};
    const tri_machine_facts *facts = tri_machines_of(mlirModuleGetOperation(run->module));
    bool is_forward = facts->loads_ahead_in_registers && !facts->async_copies;
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.for", run->arena, &loops);
    for (size_t i = 0; i < loops.len; i++) {
        int64_t stages = tri_pipeline_num_stages(run, loops.at[i]);
        int ahead = tri_pipeline_count_ahead(loops.at[i]);
        const char *why_not = NULL;
        if (stages <= 1)
            continue;
        if (!can_be_scheduled(run->arena, loops.at[i]))
            why_not = "it prints, asserts, calls a function or has a barrier; that belongs before or behind the loop";
        else if (!schedule_loop(run->arena, loops.at[i], is_forward))
            why_not = "its operations cannot be ordered in stages: loads depend on each other across turns";
        stages = tri_op_int(loops.at[i], "tt.scheduled_max_stage", 0) + 1;
        tri_pipeline_remark_scheduled(run, loops.at[i], stages, ahead, why_not);
    }
    return true;
}

static const char *const options[] = {"num-stages: stages of loops that do not say themselves (3)", NULL};

const tri_pass tri_pass_schedule_loops = {
    .name = "schedule-loops",
    .help = "give the ops of loops with latencies their stages",
    .alias = "tritongpu-schedule-loops",
    .options = options,
    .run = run_schedule_loops,
};
