/* What the parts of auto-tma share: an access through pointers that a tensor map can stand for. */
#ifndef TRI_PASSES_TTIR_AUTO_TMA_AUTO_TMA_H
#define TRI_PASSES_TTIR_AUTO_TMA_AUTO_TMA_H

#include "ir/analysis/pointers.h"
#include "ir/op.h"
#include "passes/passes.h"

typedef struct {
    tri_pass_run *run;
    tri_pointers *pointers;
    tri_sums *sums;
    tri_op_list ops; /* of the function, in source order */
} tri_auto_tma;

/* The map's dimension i is the block's dimension order[i]; everything else is by dimension of the block. */
typedef struct {
    tri_auto_tma *t;
    MlirOperation op, outer; /* the access; what the map is made in front of: an op of the function's own block */
    tri_access access;
    int order[TRI_MAX_RANK];
    const tri_sum *offset;                                    /* of the map's base, in elements */
    const tri_sum *start[TRI_MAX_RANK], *shape[TRI_MAX_RANK]; /* a shape of null: nothing bounds it */
} tri_auto_tma_plan;

/* Fills the plan of a tt.load or tt.store, or says why no map stands for it. */
const char *tri_auto_tma_find(tri_auto_tma *t, MlirOperation op, tri_auto_tma_plan *out_plan);
/* Rewrites the access. */
void tri_auto_tma_rewrite(const tri_auto_tma_plan *plan);

#endif
