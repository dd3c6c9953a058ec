/* AMD's pipeliner of loops with products: loads go through registers and shared memory, or to it directly, as many
 * iterations ahead as the loop has stages. schedule-streams says when loads and products run, stream-pipeline puts the
 * rest around them and expands the loop. The schedules are those of Triton's AMD back end. */
#ifndef TRI_PASSES_TTGIR_STREAM_PIPELINE_STREAM_H
#define TRI_PASSES_TTGIR_STREAM_PIPELINE_STREAM_H

#include "passes/ttgir/pipeline/lower.h"
#include "passes/ttgir/pipeline/schedule.h"

typedef enum {
    TRI_STREAM_REGISTERS, /* its value is carried as it is */
    TRI_STREAM_STORE,     /* loaded, stored to a buffer, read */
    TRI_STREAM_COPY,      /* copied to a buffer */
    TRI_STREAM_BOX,       /* copied by the hardware through a descriptor */
} tri_stream_route;

typedef struct {
    MlirOperation load, use;
    int level;
    MlirType buffer; /* one slot; null: none fits all users */
    MlirValue ring;
    tri_stream_route route;
    tri_place start, store, wait, read; /* without a stage: where what needs it is */
} tri_stream;

typedef TRI_VEC(tri_stream) tri_streams;

/* What depends on how a loop is scheduled. */
typedef struct {
    bool is_chained;                            /* two products, one of the other's result, over four stages */
    int stages, buffers, rest;                  /* rest: cluster of what nothing else places */
    tri_place load, store, wait, read, product; /* of a loop that is not chained; load has no stage */
} tri_stream_plan;

extern const tri_pass tri_pass_schedule_streams;

/* The loads of a loop that go ahead. */
void tri_stream_pipeline_find(const tri_pipeline *p, MlirOperation loop, tri_streams *out);
/* The loop's two products, of which the second needs the first; false: it is not of this kind. */
bool tri_stream_pipeline_chain(tri_arena *arena, MlirOperation loop, int stages, const tri_streams *streams,
                               MlirOperation out_dots[2]);
/* Clusters of chained products, which each are in, and stages of all. */
enum {
    TRI_CHAIN_DOT_1,
    TRI_CHAIN_AFTER_1,
    TRI_CHAIN_WAIT_2,
    TRI_CHAIN_STORE_1,
    TRI_CHAIN_READ_2,
    TRI_CHAIN_LOAD_1,
    TRI_CHAIN_DOT_2,
    TRI_CHAIN_AFTER_2,
    TRI_CHAIN_WAIT_1,
    TRI_CHAIN_STORE_2,
    TRI_CHAIN_READ_1,
    TRI_CHAIN_LOAD_2,
    TRI_CHAIN_CLUSTERS,
};
/* Places of everything but loads, by their stages; false: there are too few stages. */
bool tri_stream_pipeline_make_plan(const tri_streams *streams, bool copies, bool at_tail, bool has_scales,
                                   tri_stream_plan *plan);
void tri_stream_pipeline_set_places(const tri_stream_plan *plan, tri_stream *stream);

/* One slot that serves all users of a load; null: none does. */
MlirType tri_stream_pipeline_buffer(const tri_pipeline *p, MlirOperation load);
/* Whether a load can be a copy into that buffer. */
bool tri_stream_pipeline_can_copy(const tri_pipeline *p, MlirOperation load, MlirType buffer);
/* Makes stores, copies, waits and reads of the loads; gives the loop that replaces it. */
MlirOperation tri_stream_pipeline_lower(const tri_pipeline *p, MlirOperation loop, tri_streams *streams,
                                        const tri_stream_plan *plan);

#endif
