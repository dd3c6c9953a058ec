/* What the parts of the lowering of a scheduled loop share: places in the schedule, and the loads whose data
 * goes through rings of buffers.
 *
 * A place is (loop.stage, loop.cluster) of an op. New ops get the place of the op they serve. */
#ifndef TRI_PASSES_TTGIR_PIPELINE_LOWER_H
#define TRI_PASSES_TTGIR_PIPELINE_LOWER_H

#include "ir/encoding.h"
#include "passes/ttgir/pipeline/pipeline.h"

typedef struct {
    int stage, cluster;
} tri_place;

typedef enum { TRI_LOAD_COPY, TRI_LOAD_TMA, TRI_LOAD_TMA_GATHER } tri_load_route;

typedef struct {
    MlirOperation load;
    tri_load_route route;
    tri_place start, use;  /* of the load, and of what needs its data first */
    MlirType buffer;       /* one slot, a memdesc */
    MlirValue ring;
    int buffers;           /* slots: iterations that a copy is in flight */
    int contiguity;        /* of its pointers (TRI_LOAD_COPY) */
    bool is_row_copy;      /* whose layout is `rows` */
    tri_encoding rows;
    MlirValue in, out;     /* slot to fill, slot to read, in this iteration */
    MlirValue phase;       /* parity of the slot to read (TMA) */
    int barrier;           /* index among the barriers, -1 before it has one (TMA) */
    MlirValue insert_view; /* of its barrier (TMA) */
} tri_async_load;

typedef TRI_VEC(tri_async_load) tri_async_load_list;

/* How far a load is from the product that needs it: with 0 it gives an operand, with 1 addresses of such a load. */
typedef struct {
    MlirOperation load, use; /* use: the product, or the load between */
    int level;
} tri_pipeline_level;

typedef TRI_VEC(tri_pipeline_level) tri_pipeline_levels;

typedef struct {
    const tri_pipeline *p;
    MlirOperation loop;
    MlirBlock body;
    tri_async_load_list loads; /* in program order */
    TRI_VEC(MlirValue) barriers; /* rings of mbarriers */
    MlirValue zero, one, minus_one; /* constants in front of the loop */
} tri_lowering;

/* Places. */
tri_place tri_pipeline_place_of(MlirOperation op);
bool tri_pipeline_has_place(MlirOperation op);
bool tri_pipeline_is_before(tri_place a, tri_place b); /* an earlier stage, or cluster of the same stage */
/* Gives an op a place; a negative stage: none. */
MlirValue tri_pipeline_placed(MlirValue value, tri_place place);
MlirOperation tri_pipeline_placed_op(MlirOperation op, tri_place place);
/* Shifts clusters so that the first is 0. */
void tri_pipeline_normalize(MlirOperation loop);
/* Ops without a place, views for example, run where their first user runs. */
void tri_pipeline_place_rest(MlirOperation loop);

/* next = i + 1 >= limit ? 0 : i + 1; *out_wraps is its condition (may be null). */
MlirValue tri_pipeline_next_index(tri_lowering *l, tri_builder *b, tri_place place, MlirValue index, MlirValue limit,
                               MlirValue *out_wraps);
MlirValue tri_pipeline_limit(tri_builder *b, tri_place place, int n); /* the constant n at a place */
/* A predicate that is always true, at a place. */
MlirValue tri_pipeline_true(tri_builder *b, tri_place place);
/* A constant in front of the loop. */
MlirValue tri_pipeline_constant(tri_lowering *l, int64_t value);
/* A mutable memdesc type like `buffer` with `copies` slots; 0: a single slot. */
MlirType tri_pipeline_ring_type(MlirType buffer, int copies);
/* Of one of its slots. */
MlirType tri_pipeline_slot_type(MlirType ring);
MlirValue tri_pipeline_slot(tri_builder *b, MlirValue ring, MlirValue index);

/* A ring of n mbarriers, each initialised to `count` arrivals, in front of the loop; and its end after it. */
MlirValue tri_pipeline_barriers(tri_lowering *l, int n, int count);
void tri_pipeline_end_barriers(tri_lowering *l, tri_builder *b, MlirValue barriers);

/* Is `user` an allocation whose layout and space are those of a slot of this type, which stands for it then? */
bool tri_pipeline_is_alloc_as(MlirOperation user, MlirType slot);
/* Allocations of a load's value become `slot`; whether other uses remain. */
bool tri_pipeline_replace_allocs(MlirValue value, MlirValue slot);
/* The user of a value that reads it (through allocations and views) latest as a wait_barrier's dependency: its
 * stage, or -1. */
int tri_pipeline_latest_wait(MlirBlock body, MlirValue value);

/* The loads of a loop that `takes` takes and products need, at one distance; in a loop that asks for stages the others,
 * too (assign_latencies.c). */
void tri_pipeline_find_levels(const tri_pipeline *p, MlirOperation loop,
                              bool (*takes)(const tri_pipeline *p, MlirOperation load), tri_pipeline_levels *out);
/* Whether masked elements of a load become other values than zero, which no copy can do. */
bool tri_pipeline_needs_fill(MlirOperation load);
/* Stores through descriptors that a loop holds, and descriptors that it makes; each gives the loop that replaces it.
 * `copies`: how many descriptors made by one op may be in use at a time, beside one more for asynchronous products. */
MlirOperation tri_pipeline_stores_run(tri_arena *arena, MlirOperation loop);
MlirOperation tri_pipeline_descriptors_run(tri_arena *arena, MlirOperation loop, int copies);
/* A copy to a slot with the load's modifiers, and its group's commit, both at the place; the group's token. `mask` and
 * `other` may be null. */
MlirValue tri_pipeline_commit_copy(tri_builder *b, MlirOperation load, MlirValue pointer, MlirValue slot,
                                   MlirValue mask, MlirValue other, int contiguity, tri_place place);
/* cp.async: the copy, the wait, the read. */
void tri_pipeline_copy(tri_lowering *l, tri_async_load *load);
/* The layout in which fewer threads copy a vector in fewer pieces than in its own; null: its own is as good. */
MlirAttribute tri_pipeline_spread_encoding(const tri_pipeline *p, const tri_async_load *load);
/* Whether a load's operands are computed from scalars, ranges and constants alone, by operations that `takes` takes. */
bool tri_pipeline_is_computed(tri_arena *arena, MlirOperation load, bool (*takes)(MlirOperation op));
/* Whether a load becomes a copy of rows (rows.c): into this buffer, with pointers in this layout. */
bool tri_pipeline_is_row_copy(const tri_pipeline *p, MlirOperation load, MlirType *out_buffer, tri_encoding *out_rows);
/* TMA: barriers for all loads that need one, then each load. */
bool tri_pipeline_is_tma(const tri_pipeline *p, MlirOperation load, MlirType *out_buffer);
void tri_pipeline_make_tma_barriers(tri_lowering *l);
void tri_pipeline_tma(tri_lowering *l, size_t index);

#endif
