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
#include "passes/ttgir/pipeline/pipeline.h"

#include "ir/machines.h"
#include "ir/op_classes.h"

#include "base/map.h"

enum { UNPLACED = -1 };

typedef struct {
    MlirOperation op;
    int latency;
    int distance; /* summed latency to the end of the chain; -1: not below a latency */
    int stage;
    int cluster;  /* an id: its place is position[id] */
} node;

typedef struct {
    tri_arena *arena;
    MlirOperation loop;
    MlirBlock body;
    TRI_VEC(node) nodes;  /* in program order, without the terminator */
    tri_map index;        /* MlirOperation.ptr -> 1 + node */
    TRI_VEC(int) position; /* of each cluster id */
    int max_stage;
    bool is_forward; /* loads of the next iteration come first in the body */
} schedule;

static node *node_of(schedule *s, MlirOperation op)
{
    size_t i = (size_t)(uintptr_t)tri_map_find_ptr(&s->index, op.ptr);
    return i ? &s->nodes.at[i - 1] : NULL;
}

/* The node that makes a value; null for arguments, values from outside, the terminator. */
static node *producer(schedule *s, MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    return mlirOperationIsNull(def) ? NULL : node_of(s, def);
}

static int new_cluster(schedule *s, int position)
{
    for (size_t i = 0; i < s->position.len; i++)
        s->position.at[i] += s->position.at[i] >= position;
    tri_vec_push(s->arena, &s->position, position);
    return (int)s->position.len - 1;
}

static int place_of(const schedule *s, int cluster) { return s->position.at[cluster]; }

/* ---- 1. latencies decide the stages ---- */

static void measure_distances(schedule *s)
{
    for (size_t i = s->nodes.len; i-- > 0;) {
        node *n = &s->nodes.at[i];
        int below = 0;
        for (intptr_t r = 0; r < mlirOperationGetNumResults(n->op); r++) {
            MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(n->op, r));
            for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
                node *user = node_of(s, tri_op_ancestor_in(s->body, mlirOpOperandGetOwner(use)));
                if (user && user->distance > below)
                    below = user->distance;
            }
        }
        n->distance = n->latency + below;
    }
}

/* Marks what depends on an op with a latency. */
static void place_key_ops(schedule *s)
{
    int deepest = 0;
    bool *is_key = TRI_NEW_ARRAY(s->arena, bool, s->nodes.len + 1);
    for (size_t i = 0; i < s->nodes.len; i++) {
        node *n = &s->nodes.at[i];
        tri_value_list used = {0};
        tri_pipeline_uses_of(s->arena, n->op, &used);
        is_key[i] = n->latency > 0;
        for (size_t k = 0; k < used.len; k++) {
            node *def = producer(s, used.at[k]);
            is_key[i] |= def && is_key[def - s->nodes.at];
        }
        if (is_key[i] && n->distance > deepest)
            deepest = n->distance;
    }
    s->max_stage = deepest;
    for (int i = 0; i <= deepest; i++)
        new_cluster(s, i);
    for (size_t i = 0; i < s->nodes.len; i++) {
        if (!is_key[i])
            continue;
        s->nodes.at[i].stage = deepest - s->nodes.at[i].distance;
        s->nodes.at[i].cluster = s->is_forward ? s->nodes.at[i].stage : deepest - s->nodes.at[i].stage;
    }
}

/* ---- 2. branches ---- */

static bool is_branch(const node *n) { return tri_op_is(n->op, "scf.if"); }

/* Branches that lead to `reader` run in front of everything else of its stage. */
static void pull_branches(schedule *s, const node *reader, int stage, int *cluster, bool *seen)
{
    tri_value_list used = {0};
    tri_pipeline_uses_of(s->arena, reader->op, &used);
    for (size_t i = 0; i < used.len; i++) {
        node *def = producer(s, used.at[i]);
        if (!def || seen[def - s->nodes.at])
            continue;
        seen[def - s->nodes.at] = true;
        if (is_branch(def) && def->stage == UNPLACED) {
            if (*cluster < 0)
                *cluster = new_cluster(s, 0);
            def->stage = stage;
            def->cluster = *cluster;
        }
        pull_branches(s, def, stage, cluster, seen);
    }
}

static bool has_users_inside(schedule *s, const node *n)
{
    for (intptr_t r = 0; r < mlirOperationGetNumResults(n->op); r++) {
        MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(n->op, r));
        for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
            if (node_of(s, tri_op_ancestor_in(s->body, mlirOpOperandGetOwner(use))))
                return true;
    }
    return false;
}

/* Branches in front, or behind everything: what lies between then need not wait for them. */
static void place_branches(schedule *s)
{
    int front = -1, back = new_cluster(s, (int)s->position.len), last = new_cluster(s, (int)s->position.len);
    bool *seen = TRI_NEW_ARRAY(s->arena, bool, s->nodes.len + 1);
    for (size_t i = 0; i < s->nodes.len; i++) {
        node *n = &s->nodes.at[i];
        if (!is_branch(n) || n->stage == UNPLACED || n->latency || has_users_inside(s, n))
            continue;
        n->cluster = back;
    }
    for (int stage = 0; stage <= s->max_stage; stage++)
        for (size_t i = 0; i < s->nodes.len; i++)
            if (s->nodes.at[i].stage == stage && s->nodes.at[i].cluster != front)
                pull_branches(s, &s->nodes.at[i], stage, &front, seen);
    for (size_t i = 0; i < s->nodes.len; i++) {
        node *n = &s->nodes.at[i];
        if (!is_branch(n) || n->stage != UNPLACED)
            continue;
        n->stage = s->max_stage;
        n->cluster = last;
    }
}

/* ---- 3. dependencies ---- */

/* Moves n to (stage, cluster) when that is earlier than where it is. */
static bool put_no_later(schedule *s, node *n, int stage, int cluster)
{
    if (n->stage != UNPLACED &&
        (n->stage < stage || (n->stage == stage && place_of(s, n->cluster) <= place_of(s, cluster))))
        return false;
    n->stage = stage;
    n->cluster = cluster;
    return true;
}

static void pull_producers(schedule *s, const node *reader)
{
    int stage = reader->stage, cluster = reader->cluster;
    tri_value_list used = {0};
    tri_pipeline_uses_of(s->arena, reader->op, &used);
    for (size_t i = 0; i < used.len; i++) {
        node *def = producer(s, used.at[i]);
        if (def && put_no_later(s, def, stage, cluster))
            pull_producers(s, def);
    }
}

static void pull_all(schedule *s)
{
    for (int stage = 0; stage <= s->max_stage; stage++)
        for (size_t i = 0; i < s->nodes.len; i++)
            if (s->nodes.at[i].stage == stage)
                pull_producers(s, &s->nodes.at[i]);
}

/* The yielded value that a body argument will be in the next iteration, or null. */
static MlirValue next_value(schedule *s, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (!tri_op_is_block_argument(value, &block, &index) || !mlirBlockEqual(block, s->body) || index == 0)
        return (MlirValue){NULL};
    return tri_op_operand(mlirBlockGetTerminator(s->body), index - 1);
}

/* The cluster in front of another one for what the next iteration needs; made once for each. */
static int cluster_in_front(schedule *s, tri_map *known, int cluster)
{
    void *key = (void *)(uintptr_t)(cluster + 1);
    int before = (int)(intptr_t)tri_map_find_ptr(known, key) - 1;
    if (before < 0) {
        before = new_cluster(s, place_of(s, cluster));
        tri_map_set_ptr(known, key, (void *)(uintptr_t)(before + 1));
    }
    return before;
}

/* What an early op reads from the iteration before must not run later than one stage after it. A load goes with
 * its reader, and so does what that load reads. */
static void pull_next(schedule *s, tri_map *known, node *reader)
{
    tri_value_list used = {0};
    tri_pipeline_uses_of(s->arena, reader->op, &used);
    for (size_t k = 0; k < used.len; k++) {
        MlirValue next = next_value(s, used.at[k]);
        node *def = mlirValueIsNull(next) ? NULL : producer(s, next);
        if (!def || def->stage != UNPLACED)
            continue;
        bool is_load = tri_op_is(def->op, "tt.load");
        if (is_load)
            put_no_later(s, def, reader->stage, reader->cluster);
        else
            put_no_later(s, def, reader->stage + 1, cluster_in_front(s, known, reader->cluster));
        pull_producers(s, def);
        if (is_load && def->stage < s->max_stage)
            pull_next(s, known, def);
    }
}

static void pull_next_iteration(schedule *s)
{
    tri_map known;
    tri_map_init(&known, s->arena);
    for (size_t i = 0; i < s->nodes.len; i++)
        if (s->nodes.at[i].stage != UNPLACED && s->nodes.at[i].stage < s->max_stage)
            pull_next(s, &known, &s->nodes.at[i]);
}

/* ---- 4. the rest ---- */

static void place_rest(schedule *s)
{
    int front = 0; /* the first cluster of the key ops */
    for (size_t i = 0; i < s->nodes.len; i++) {
        node *n = &s->nodes.at[i];
        tri_value_list used = {0};
        if (n->stage != UNPLACED)
            continue;
        n->stage = s->max_stage;
        n->cluster = front;
        tri_pipeline_uses_of(s->arena, n->op, &used);
        for (size_t k = 0; k < used.len; k++) {
            node *def = producer(s, used.at[k]);
            if (def && def->stage == s->max_stage && place_of(s, def->cluster) > place_of(s, n->cluster))
                n->cluster = def->cluster;
        }
    }
}

/* Whether each use comes after its definition when iterations overlap. */
static bool is_legal(schedule *s)
{
    for (size_t i = 0; i < s->nodes.len; i++) {
        node *n = &s->nodes.at[i];
        tri_value_list used = {0};
        tri_pipeline_uses_of(s->arena, n->op, &used);
        for (size_t k = 0; k < used.len; k++) {
            MlirValue next = next_value(s, used.at[k]);
            node *def = producer(s, mlirValueIsNull(next) ? used.at[k] : next);
            if (!def)
                continue;
            int slack = n->stage - def->stage + (mlirValueIsNull(next) ? 0 : 1);
            bool is_before = place_of(s, def->cluster) < place_of(s, n->cluster) ||
                             (def->cluster == n->cluster && def < n);
            if (slack < 0 || (slack == 0 && !is_before))
                return false;
        }
    }
    return true;
}

/* ---- the pass ---- */

static bool can_be_scheduled(tri_arena *arena, MlirOperation loop, bool *out_has_latency)
{
    tri_op_list inside = {0};
    tri_op_collect(loop, arena, &inside);
    *out_has_latency = false;
    for (size_t i = 0; i < inside.len; i++) {
        *out_has_latency |= !mlirAttributeIsNull(tri_op_attr(inside.at[i], "tt.latency"));
        if (tri_op_in(inside.at[i], TRI_OPS_BARRIER | TRI_OPS_MESSAGE | TRI_OPS_CALL))
            return false;
    }
    return *out_has_latency && tri_pipeline_is_simple(arena, loop);
}

/* Whether the loop has stages now. */
static bool schedule_loop(tri_arena *arena, MlirOperation loop, bool is_forward)
{
    schedule s = {.arena = arena, .loop = loop, .body = tri_op_body(loop, 0), .is_forward = is_forward};
    MlirOperation yield = mlirBlockGetTerminator(s.body);
    tri_map_init(&s.index, arena);
    for (MlirOperation op = mlirBlockGetFirstOperation(s.body); !mlirOperationEqual(op, yield);
         op = mlirOperationGetNextInBlock(op)) {
        tri_vec_push(arena, &s.nodes,
                     (node){.op = op, .latency = (int)tri_op_int(op, "tt.latency", 0), .stage = UNPLACED});
        tri_map_set_ptr(&s.index, op.ptr, (void *)(uintptr_t)s.nodes.len);
    }
    measure_distances(&s);
    place_key_ops(&s);
    if (s.max_stage == 0)
        return false;
    place_branches(&s);
    pull_all(&s);
    pull_next_iteration(&s);
    place_rest(&s);
    if (!is_legal(&s))
        return false;
    for (size_t i = 0; i < s.nodes.len; i++) {
        tri_pipeline_set_place(s.nodes.at[i].op, s.nodes.at[i].stage, place_of(&s, s.nodes.at[i].cluster));
        mlirOperationRemoveAttributeByName(s.nodes.at[i].op, mlirStringRefCreateFromCString("tt.latency"));
    }
    tri_builder_set_attr(loop, "tt.scheduled_max_stage", tri_attr_i32(mlirOperationGetContext(loop), s.max_stage));
    return true;
}

/* AMD's pass chooses what loads wait for, too; num_stages is its option. */
static bool assign_first(tri_pass_run *run)
{
    int64_t stages = tri_passes_option_int(run, "num_stages", 0);
    if (stages <= 0)
        return true;
    run->options = tri_str_format(run->arena, "num-stages=%lld", (long long)stages);
    return tri_pass_assign_latencies.run(run);
}

static bool run_schedule_loops(tri_pass_run *run)
{
    if (!assign_first(run))
        return false;
    tri_op_list loops = {0};
    const tri_machine_facts *facts = tri_machines_of(mlirModuleGetOperation(run->module));
    bool is_forward = facts->loads_ahead_in_registers && !facts->async_copies;
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.for", run->arena, &loops);
    for (size_t i = 0; i < loops.len; i++) {
        bool has_latency;
        int64_t stages = tri_pipeline_num_stages(run, loops.at[i]);
        int ahead = tri_pipeline_count_ahead(loops.at[i]);
        const char *why_not = NULL;
        if (stages <= 1)
            continue;
        if (!can_be_scheduled(run->arena, loops.at[i], &has_latency))
            why_not = "it prints, asserts, calls a function or has a barrier; that belongs before or behind the loop";
        else if (!schedule_loop(run->arena, loops.at[i], is_forward))
            why_not = "its operations cannot be ordered in stages: loads depend on each other across turns";
        stages = tri_op_int(loops.at[i], "tt.scheduled_max_stage", 0) + 1;
        tri_pipeline_remark_scheduled(run, loops.at[i], stages, ahead, why_not);
    }
    return true;
}

static const char *const options[] = {"num-stages: stages of loops that do not say themselves (3)",
                                      "num_stages: the same, and latencies are assigned first, as AMD's pass does",
                                      NULL};

const tri_pass tri_pass_schedule_loops = {
    .name = "schedule-loops",
    .help = "give the ops of loops with latencies their stages",
    .alias = "tritongpu-schedule-loops,tritonamdgpu-schedule-loops",
    .options = options,
    .run = run_schedule_loops,
};
