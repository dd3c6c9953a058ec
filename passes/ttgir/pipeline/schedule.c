/* Stages and clusters of the ops of a loop: what follows from those that are given. */
#include "passes/ttgir/pipeline/schedule.h"

#include "ir/op_classes.h"

tri_schedule_node *tri_schedule_node_of(tri_schedule *s, MlirOperation op)
{
    size_t i = (size_t)(uintptr_t)tri_map_find_ptr(&s->index, op.ptr);
    return i ? &s->nodes.at[i - 1] : NULL;
}

tri_schedule_node *tri_schedule_producer(tri_schedule *s, MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    return mlirOperationIsNull(def) ? NULL : tri_schedule_node_of(s, def);
}

int tri_schedule_new_cluster(tri_schedule *s, int position)
{
    for (size_t i = 0; i < s->position.len; i++)
        s->position.at[i] += s->position.at[i] >= position;
    tri_vec_push(s->arena, &s->position, position);
    return (int)s->position.len - 1;
}

static int place_of(const tri_schedule *s, int cluster) { return s->position.at[cluster]; }

static bool put_no_later(tri_schedule *s, tri_schedule_node *n, int stage, int cluster)
{
    if (n->stage != TRI_UNPLACED &&
        (n->stage < stage || (n->stage == stage && place_of(s, n->cluster) <= place_of(s, cluster))))
        return false;
    n->stage = stage;
    n->cluster = cluster;
    return true;
}

static void pull_producers(tri_schedule *s, const tri_schedule_node *reader)
{
    int stage = reader->stage, cluster = reader->cluster;
    tri_value_list used = {0};
    tri_pipeline_uses_of(s->arena, reader->op, &used);
    for (size_t i = 0; i < used.len; i++) {
        tri_schedule_node *def = tri_schedule_producer(s, used.at[i]);
        if (def && put_no_later(s, def, stage, cluster))
            pull_producers(s, def);
    }
}

void tri_schedule_pull_all(tri_schedule *s)
{
    for (int stage = 0; stage <= s->max_stage; stage++)
        for (size_t i = 0; i < s->nodes.len; i++)
            if (s->nodes.at[i].stage == stage)
                pull_producers(s, &s->nodes.at[i]);
}

/* The yielded value that a body argument will be in the next iteration, or null. */
static MlirValue next_value(tri_schedule *s, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (!tri_op_is_block_argument(value, &block, &index) || !mlirBlockEqual(block, s->body) || index == 0)
        return (MlirValue){NULL};
    return tri_op_operand(mlirBlockGetTerminator(s->body), index - 1);
}

/* The cluster in front of another one for what the next iteration needs; made once for each. */
static int cluster_in_front(tri_schedule *s, tri_map *known, int cluster)
{
    void *key = (void *)(uintptr_t)(cluster + 1);
    int before = (int)(intptr_t)tri_map_find_ptr(known, key) - 1;
    if (before < 0) {
        before = tri_schedule_new_cluster(s, place_of(s, cluster));
        tri_map_set_ptr(known, key, (void *)(uintptr_t)(before + 1));
    }
    return before;
}

/* What an early op reads from the iteration before must not run later than one stage after it. A load goes with
 * its reader, and so does what that load reads. */
static void pull_next(tri_schedule *s, tri_map *known, tri_schedule_node *reader)
{
    tri_value_list used = {0};
    tri_pipeline_uses_of(s->arena, reader->op, &used);
    for (size_t k = 0; k < used.len; k++) {
        MlirValue next = next_value(s, used.at[k]);
        tri_schedule_node *def = mlirValueIsNull(next) ? NULL : tri_schedule_producer(s, next);
        if (!def || def->stage != TRI_UNPLACED)
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

void tri_schedule_pull_next(tri_schedule *s)
{
    tri_map known;
    tri_map_init(&known, s->arena);
    for (size_t i = 0; i < s->nodes.len; i++)
        if (s->nodes.at[i].stage != TRI_UNPLACED && s->nodes.at[i].stage < s->max_stage)
            pull_next(s, &known, &s->nodes.at[i]);
}

void tri_schedule_place_rest(tri_schedule *s, int front)
{
    for (size_t i = 0; i < s->nodes.len; i++) {
        tri_schedule_node *n = &s->nodes.at[i];
        tri_value_list used = {0};
        if (n->stage != TRI_UNPLACED)
            continue;
        n->stage = s->max_stage;
        n->cluster = front;
        tri_pipeline_uses_of(s->arena, n->op, &used);
        for (size_t k = 0; k < used.len; k++) {
            tri_schedule_node *def = tri_schedule_producer(s, used.at[k]);
            if (def && def->stage == s->max_stage && place_of(s, def->cluster) > place_of(s, n->cluster))
                n->cluster = def->cluster;
        }
    }
}

bool tri_schedule_is_legal(tri_schedule *s)
{
    for (size_t i = 0; i < s->nodes.len; i++) {
        tri_schedule_node *n = &s->nodes.at[i];
        tri_value_list used = {0};
        tri_pipeline_uses_of(s->arena, n->op, &used);
        for (size_t k = 0; k < used.len; k++) {
            MlirValue next = next_value(s, used.at[k]);
            tri_schedule_node *def = tri_schedule_producer(s, mlirValueIsNull(next) ? used.at[k] : next);
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

void tri_schedule_init(tri_schedule *s, tri_arena *arena, MlirOperation loop)
{
    *s = (tri_schedule){.arena = arena, .loop = loop, .body = tri_op_body(loop, 0)};
    MlirOperation yield = mlirBlockGetTerminator(s->body);
    tri_map_init(&s->index, arena);
    for (MlirOperation op = mlirBlockGetFirstOperation(s->body); !mlirOperationEqual(op, yield);
         op = mlirOperationGetNextInBlock(op)) {
        int latency = (int)tri_op_int(op, "tt.latency", 0);
        tri_vec_push(arena, &s->nodes, (tri_schedule_node){.op = op, .latency = latency, .stage = TRI_UNPLACED});
        tri_map_set_ptr(&s->index, op.ptr, (void *)(uintptr_t)s->nodes.len);
    }
}

void tri_schedule_write(tri_schedule *s)
{
    for (size_t i = 0; i < s->nodes.len; i++) {
        const tri_schedule_node *n = &s->nodes.at[i];
        if (n->stage == TRI_UNPLACED)
            continue;
        tri_pipeline_set_place(n->op, n->stage, place_of(s, n->cluster));
        mlirOperationRemoveAttributeByName(n->op, mlirStringRefCreateFromCString("tt.latency"));
    }
    tri_builder_set_attr(s->loop, "tt.scheduled_max_stage",
                         tri_attr_i32(mlirOperationGetContext(s->loop), s->max_stage));
}

bool tri_schedule_can_be(tri_arena *arena, MlirOperation loop)
{
    tri_op_list inside = {0};
    tri_op_collect(loop, arena, &inside);
    for (size_t i = 0; i < inside.len; i++)
        if (tri_op_in(inside.at[i], TRI_OPS_BARRIER | TRI_OPS_MESSAGE | TRI_OPS_CALL))
            return false;
    return tri_pipeline_is_simple(arena, loop);
}
