/* Shared-memory buffers of a function and the values that may point into them. A buffer is a
 * ttg.local_alloc (each of the parts of a partitioned_shared one), or the scratch of one operation. */
#ifndef TRI_PASSES_ANALYSIS_BUFFERS_H
#define TRI_PASSES_ANALYSIS_BUFFERS_H

#include "base/map.h"
#include "ir/op.h"
#include "layout/plan.h"

typedef struct {
    MlirOperation op; /* the local_alloc, or the op that needs scratch */
    bool is_scratch;
    int part, parts; /* parts > 1: of a partitioned_shared buffer, number `part` from 0 */
    int64_t size, alignment;
    int64_t begin, end; /* live at the ids [begin, end) */
    int64_t offset;
} tri_buffer;

typedef TRI_VEC(tri_buffer) tri_buffer_list;
typedef TRI_VEC(int) tri_buffer_set; /* ascending indices */

typedef struct {
    tri_arena *arena;
    tri_plan_machine machine;
    tri_buffer_list list;   /* in program order */
    tri_map points_to;      /* MlirValue.ptr -> tri_buffer_set */
    tri_map scratch_of;     /* MlirOperation.ptr -> 1 + index */
    bool is_stale;
} tri_buffers;

/* Finds the buffers of `func` and what points into them. Sizes are set, offsets too where ops
 * carry allocation.offset; liveness is not. */
void tri_buffers_init(tri_buffers *buffers, tri_arena *arena, MlirOperation func, MlirOperation module);
/* Buffers that a memory descriptor may point into; empty for other values. */
const tri_buffer_set *tri_buffers_of(const tri_buffers *buffers, MlirValue value);
/* The scratch buffer of an op, or null. */
const tri_buffer *tri_buffers_scratch(const tri_buffers *buffers, MlirOperation op);

/* On ttng.arrive_barrier: each warp of the group arrives, not one thread for all; the count is that of a warp. */
#define TRI_BUFFERS_PER_WARP "tritcc.per-warp"
/* On the ttng.wait_barrier that begins a group's turn, and the ttng.arrive_barrier of the block that ends it: others
 * come there one after the other. */
#define TRI_BUFFERS_TURN "tritcc.turn"
/* On a ttg.convert_layout inside of each warp: what its lanes read of the scratch before, they have read. */
#define TRI_BUFFERS_AGAIN "tritcc.again"

/* A memory descriptor in shared memory. */
bool tri_buffers_is_shared(MlirType type);
/* A ttg.local_load of a buffer that is filled once, when it is made. */
bool tri_buffers_reads_constant(MlirOperation op);
/* Ops that only compute another view of a descriptor. */
bool tri_buffers_is_view(MlirOperation op);

#endif
