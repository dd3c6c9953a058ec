/* Places of what surrounds the loads: in which stage, and in which order in the loop's body. */
#include "passes/ttgir/stream_pipeline/stream.h"

enum { none = -1 };

static tri_place at_stage(int stage, int cluster) { return (tri_place){stage, cluster}; }

/* Two products in turn: the operands of one are loaded, stored and read beside the other one. */
static void place_chained(tri_stream *stream, const tri_place *load)
{
    bool is_first = load->stage == 0;
    stream->start = *load;
    stream->store = is_first ? at_stage(1, TRI_CHAIN_STORE_1) : at_stage(2, TRI_CHAIN_STORE_2);
    stream->wait = is_first ? at_stage(1, TRI_CHAIN_WAIT_1) : at_stage(3, TRI_CHAIN_WAIT_2);
    stream->read = is_first ? at_stage(1, TRI_CHAIN_READ_1) : at_stage(3, TRI_CHAIN_READ_2);
}

void tri_stream_pipeline_set_places(const tri_stream_plan *plan, tri_stream *stream)
{
    tri_place load = tri_pipeline_place_of(stream->load);
    if (plan->is_chained) {
        place_chained(stream, &load);
        return;
    }
    bool is_apart = load.stage != plan->read.stage, is_ahead = plan->read.stage != plan->product.stage;
    stream->start = at_stage(load.stage, plan->load.cluster);
    stream->store = plan->store;
    stream->wait = is_apart ? plan->wait : at_stage(none, 0);
    stream->read = is_ahead ? plan->read : at_stage(none, 0);
}

/* The body waits first, and stores last, with the products between where loads and stores are of one stage. With one
 * buffer it is read before it is stored to. Where operands are read a stage ahead of the product, that comes first. */
static void order_clusters(tri_stream_plan *plan, bool at_tail, bool reads_ahead)
{
    bool is_paired = plan->store.stage == 0;
    plan->wait.cluster = at_tail ? 4 : 0;
    plan->load.cluster = is_paired ? 1 : 3;
    plan->store.cluster = is_paired ? 3 : 2;
    plan->read.cluster = plan->load.cluster;
    if (plan->read.stage == plan->store.stage)
        plan->read.cluster = plan->store.cluster + 1 > 3 ? plan->store.cluster + 1 : 3;
    else if (plan->buffers == 1 && plan->read.cluster >= plan->store.cluster)
        plan->read.cluster = plan->store.cluster - 1;
    plan->product.cluster = plan->read.stage == plan->product.stage ? plan->read.cluster : 2;
    if (reads_ahead) {
        plan->product.cluster = 0;
        plan->wait.cluster = 1;
        plan->load.cluster = 2;
        plan->read.cluster = 3;
        plan->store.cluster = 4;
    }
    plan->rest = plan->product.cluster;
}

bool tri_stream_pipeline_make_plan(const tri_streams *streams, bool copies, bool at_tail, bool has_scales,
                                   tri_stream_plan *plan)
{
    int deepest = 0, last = plan->stages - 1;
    bool has_boxes = false;
    for (size_t i = 0; i < streams->len; i++) {
        deepest = streams->at[i].level > deepest ? streams->at[i].level : deepest;
        has_boxes |= !tri_op_is(streams->at[i].load, "tt.load");
    }
    if (plan->is_chained) {
        plan->buffers = copies ? 2 : 1;
        plan->rest = TRI_CHAIN_CLUSTERS - 1;
        return true;
    }
    bool reads_ahead = has_boxes && !has_scales && plan->stages >= 3 && !at_tail;
    plan->product.stage = last;
    plan->read.stage = reads_ahead ? last - 1 : last;
    plan->wait.stage = at_tail && plan->read.stage ? plan->read.stage - 1 : plan->read.stage;
    plan->store.stage = deepest;
    if (plan->store.stage > plan->read.stage)
        return false;
    int distance = plan->read.stage - plan->store.stage;
    plan->buffers = (distance ? distance : 1) + (copies || has_boxes);
    order_clusters(plan, at_tail, reads_ahead);
    return true;
}
