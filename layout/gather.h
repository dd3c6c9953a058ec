/* Gathers inside a warp: where every element along the axis lies, seen from the thread that asks for one. */
#ifndef TRI_LAYOUT_GATHER_H
#define TRI_LAYOUT_GATHER_H

#include "layout/linear.h"

/* The element that register r of a thread wants, at coordinate v along the axis, is in the thread's own warp: in
 * lane lane(r, lane, warp) ^ XOR of lane_of[b], register apply_one(source, register, r) ^ XOR of register_of[b],
 * over the bits b that v has. */
typedef struct {
    tri_linear lane;   /* register, lane, warp of the index -> lane */
    tri_linear source; /* register of the index -> register of the source */
    int axis_bits;
    uint64_t lane_of[TRI_MAX_BASES], register_of[TRI_MAX_BASES];
    int num_searched;  /* registers of the source among which v decides */
} tri_gather;

/* Layouts of source and index (register, lane, warp, block -> dims); `axis` is an output dimension of both. False
 * when some element may lie in another warp, or when its register depends on the thread that asks. */
bool tri_gather_plan(const tri_linear *source, const tri_linear *index, tri_dim axis, tri_gather *out_plan);
/* Whether exchanges between lanes, one for each searched register, cost less than a table in shared memory. */
bool tri_gather_is_worth(const tri_gather *plan, const tri_linear *source, const tri_linear *index);

#endif
