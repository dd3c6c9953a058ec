/* A schedule in the making: stage and cluster of each op of a loop's body. Clusters are ids, in an order of their
 * own. */
#ifndef TRI_PASSES_TTGIR_PIPELINE_SCHEDULE_H
#define TRI_PASSES_TTGIR_PIPELINE_SCHEDULE_H

#include "passes/ttgir/pipeline/pipeline.h"

#include "base/map.h"

enum { TRI_UNPLACED = -1 };

typedef struct {
    MlirOperation op;
    int latency;
    int distance; /* summed latency to the end of the chain; -1: not below a latency */
    int stage;
    int cluster;  /* an id: its place is position[id] */
} tri_schedule_node;

typedef struct {
    tri_arena *arena;
    MlirOperation loop;
    MlirBlock body;
    TRI_VEC(tri_schedule_node) nodes; /* in program order, without the terminator */
    tri_map index;         /* MlirOperation.ptr -> 1 + node */
    TRI_VEC(int) position; /* of each cluster id */
    int max_stage;
    bool is_forward; /* loads of the next iteration come first in the body */
} tri_schedule;

/* Whether a loop's iterations may overlap: no loops inside, nothing that prints, asserts, calls or waits for others. */
bool tri_schedule_can_be(tri_arena *arena, MlirOperation loop);
/* Every op without a place, with what tt.latency says. */
void tri_schedule_init(tri_schedule *s, tri_arena *arena, MlirOperation loop);
/* Null for what is not in the body. */
tri_schedule_node *tri_schedule_node_of(tri_schedule *s, MlirOperation op);
/* The node that makes a value; null for arguments, values from outside, the terminator. */
tri_schedule_node *tri_schedule_producer(tri_schedule *s, MlirValue value);
/* A cluster in front of what is at `position` now. */
int tri_schedule_new_cluster(tri_schedule *s, int position);
/* What placed ops need runs no later than they. */
void tri_schedule_pull_all(tri_schedule *s);
/* What they need of the iteration before runs no later than one stage after them, loads with them. */
void tri_schedule_pull_next(tri_schedule *s);
/* Ops without a place go to the last stage, into `front` or where their operands are. */
void tri_schedule_place_rest(tri_schedule *s, int front);
/* Whether each use comes after its definition when iterations overlap. */
bool tri_schedule_is_legal(tri_schedule *s);
/* As attributes. */
void tri_schedule_write(tri_schedule *s);

#endif
