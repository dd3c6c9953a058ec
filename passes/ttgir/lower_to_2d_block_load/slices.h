/* Private to lower-to-2d-block-load: products in slices along K. */
#ifndef TRI_PASSES_TTGIR_LOWER_TO_2D_BLOCK_LOAD_SLICES_H
#define TRI_PASSES_TTGIR_LOWER_TO_2D_BLOCK_LOAD_SLICES_H

#include "ir/op.h"

typedef enum {
    TRI_SLICES_WHERE_FULL,  /* where operands and sums take more registers than a thread has */
    TRI_SLICES_OF_TWO_WAYS, /* the same of a loop with another form beside it, in whose sums both end */
    TRI_SLICES_ALWAYS,
} tri_slices;

/* Cuts the products inside of `root` whose operands are both loaded as blocks. */
void tri_slices_cut(tri_arena *arena, MlirOperation root, tri_slices how);

#endif
