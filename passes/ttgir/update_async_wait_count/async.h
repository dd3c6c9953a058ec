/* Instructions of asynchronous copies, and how many of them are under way: what update-async-wait-count is made of. */
#ifndef TRI_PASSES_UPDATE_ASYNC_WAIT_COUNT_ASYNC_H
#define TRI_PASSES_UPDATE_ASYNC_WAIT_COUNT_ASYNC_H

#include "base/map.h"
#include "ir/analysis/axis_info.h"
#include "ir/op.h"
#include "passes/passes.h"

typedef struct {
    tri_pass_run *run;
    const tri_axis_info *axis;
    bool counts_boxes; /* copies through tensor descriptors, which have a counter of their own, instead of the others */
    bool by_waves; /* copies are those of ir/analysis/wave_copy.h */
    tri_map counts;    /* of operations: 1 + the instructions they are made of */
} async_counts;

/* Instructions that the operation itself issues; 0 for what is no asynchronous copy. */
int tri_async_instructions(async_counts *c, MlirOperation op);
/* Instructions issued since the token was made, on the path with the fewest. */
int tri_async_since_token(async_counts *c, MlirValue token, MlirOperation wait);
/* Those of the last `groups` groups (of copies through descriptors: of the last `groups` copies), likewise. */
int tri_async_of_last(async_counts *c, MlirOperation wait, int groups);

#endif
