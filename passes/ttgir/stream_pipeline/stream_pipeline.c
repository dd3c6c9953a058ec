/* Overlaps the iterations of loops that schedule-streams has scheduled: what their products need is loaded ahead,
 * through registers and shared memory or, with use_async_copy, to it directly.
 *
 *     scf.for %i ... {                      %v = tt.load ; ttg.local_store %v, %b              // the first iteration
 *       %a = tt.load                        scf.for %i ... up to one iteration less {
 *       tt.dot %a, ...                        %v = tt.load                                     // of the next iteration
 *     }                                       tt.dot (ttg.local_load %b)
 *                                             ttg.local_store %v, %b
 *                                           }
 *                                           tt.dot (ttg.local_load %b)                         // the last one
 *
 * Operands that all users can read from one buffer are staged in it; others are carried in registers. The last
 * iterations lie behind the loop. Copies through descriptors are waited for by their tokens. Needs the attributes of
 * schedule-streams; removes them. Answers to tritonamdgpu-pipeline, and to the name
 * tritonamdgpu-stream-pipeline that it had with num_stages.
 * Test: tests/passes/stream-pipeline.mlir */
#include "passes/ttgir/stream_pipeline/stream.h"

#include "ir/type.h"

static bool has_scaled_product(MlirOperation loop)
{
    MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(loop, 0));
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        if (tri_op_is(op, "tt.dot_scaled"))
            return true;
    return false;
}

/* With one slot a copy would need a barrier more: it goes through registers then. */
static void choose_routes(const tri_pipeline *p, tri_streams *streams, bool copies, int buffers)
{
    for (size_t i = 0; i < streams->len; i++) {
        tri_stream *s = &streams->at[i];
        s->buffer = tri_stream_pipeline_buffer(p, s->load);
        if (mlirTypeIsNull(s->buffer))
            s->route = TRI_STREAM_REGISTERS;
        else if (!tri_op_is(s->load, "tt.load"))
            s->route = TRI_STREAM_BOX;
        else
            s->route = copies && buffers > 1 && tri_stream_pipeline_can_copy(p, s->load, s->buffer) ? TRI_STREAM_COPY
                                                                                                    : TRI_STREAM_STORE;
    }
}

/* Ops that are placed keep their stages; in loops that are not chained they are the loads or they compute. */
static void take_places(tri_schedule *s, const tri_stream_plan *plan, const tri_map *own)
{
    for (int i = 0; i < TRI_CHAIN_CLUSTERS; i++)
        tri_schedule_new_cluster(s, i);
    for (size_t i = 0; i < s->nodes.len; i++) {
        tri_schedule_node *n = &s->nodes.at[i];
        if (!tri_pipeline_has_place(n->op))
            continue;
        tri_place place = tri_pipeline_place_of(n->op);
        n->stage = place.stage;
        n->cluster = !plan->is_chained && tri_map_find_ptr(own, n->op.ptr) ? plan->product.cluster : place.cluster;
    }
}

/* Ops with a place that are no load of the list. */
static void find_own(const tri_pipeline *p, MlirOperation loop, const tri_streams *streams, tri_map *out)
{
    tri_map_init(out, p->arena);
    MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(loop, 0));
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        bool is_load = false;
        for (size_t i = 0; i < streams->len; i++)
            is_load |= mlirOperationEqual(streams->at[i].load, op);
        if (tri_pipeline_has_place(op) && !is_load)
            tri_map_set_ptr(out, op.ptr, op.ptr);
    }
}

static void pipeline_loop(const tri_pipeline *p, MlirOperation loop, bool copies, bool pingpong)
{
    tri_streams all = {0}, streams = {0};
    tri_stream_plan plan = {.stages = (int)tri_op_int(loop, "tt.scheduled_max_stage", 0) + 1};
    MlirOperation dots[2];
    tri_map own;
    tri_schedule s;
    tri_stream_pipeline_find(p, loop, &all);
    for (size_t i = 0; i < all.len; i++)
        if (tri_pipeline_has_place(all.at[i].load))
            tri_vec_push(p->arena, &streams, all.at[i]);
    plan.is_chained = tri_stream_pipeline_chain(p->arena, loop, plan.stages, &streams, dots);
    if (!tri_stream_pipeline_make_plan(&streams, copies, copies && pingpong && plan.stages == 3,
                                       has_scaled_product(loop), &plan))
        return;
    choose_routes(p, &streams, copies, plan.buffers);
    find_own(p, loop, &streams, &own);
    loop = tri_stream_pipeline_lower(p, loop, &streams, &plan);
    tri_schedule_init(&s, p->arena, loop);
    s.max_stage = plan.stages - 1;
    take_places(&s, &plan, &own);
    tri_schedule_pull_all(&s);
    tri_schedule_pull_next(&s);
    tri_schedule_place_rest(&s, plan.rest);
    if (!tri_schedule_is_legal(&s))
        return;
    tri_schedule_write(&s);
    tri_pipeline_expand_peeled(p->arena, loop);
}

/* num_stages: loops are scheduled here. */
static bool schedule_first(tri_pass_run *run)
{
    return !tri_passes_option_int(run, "num_stages", 0) || tri_pass_schedule_streams.run(run);
}

static bool run_stream_pipeline(tri_pass_run *run)
{
    if (!schedule_first(run))
        return false;
    MlirOperation module = mlirModuleGetOperation(run->module);
    bool copies = tri_passes_option_int(run, "use_async_copy", 0),
         pingpong = tri_passes_option_int(run, "use_pingpong", 0);
    tri_op_list loops = {0}, funcs = {0};
    tri_op_collect_named(module, "scf.for", run->arena, &loops);
    tri_pipeline p = {run, run->arena, tri_axis_info_create(run->arena, module)};
    for (size_t i = loops.len; i-- > 0;)
        if (!mlirAttributeIsNull(tri_op_attr(loops.at[i], "tt.scheduled_max_stage")))
            pipeline_loop(&p, loops.at[i], copies, pingpong);
    loops.len = 0;
    tri_op_collect_named(module, "scf.for", run->arena, &loops);
    for (size_t i = 0; i < loops.len; i++)
        tri_pipeline_clear(run->arena, loops.at[i]);
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        if (copies)
            tri_pipeline_waits_run(run->arena, funcs.at[i], false);
        tri_pipeline_merge_box_waits(run->arena, funcs.at[i]);
    }
    return true;
}

static const char *const options[] = {
    "use_async_copy=N: 1 copies to shared memory past registers where that can be (0)",
    "use_pingpong=N: 1 waits at the end of the body, with three stages of copies (0)",
    "num_stages=N: schedule-streams with as many stages runs first (0: it has run)", NULL};

const tri_pass tri_pass_stream_pipeline = {
    .name = "stream-pipeline",
    .help = "overlap iterations of loops with products, through shared memory, as Triton's AMD back end does",
    .alias = "tritonamdgpu-pipeline,tritonamdgpu-stream-pipeline",
    .options = options,
    .run = run_stream_pipeline,
};
