/* Private to lower-to-2d-block-load: products in slices along K. */
#ifndef TRI_PASSES_TTGIR_LOWER_TO_2D_BLOCK_LOAD_SLICES_H
#define TRI_PASSES_TTGIR_LOWER_TO_2D_BLOCK_LOAD_SLICES_H

#include "ir/op.h"

/* Cuts the products inside of `root` whose operands are both loaded as blocks: `always`, or where they and their sums
 * take more registers than a thread has. */
void tri_slices_cut(tri_arena *arena, MlirOperation root, bool always);

#endif
