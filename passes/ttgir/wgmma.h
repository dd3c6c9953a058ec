/* Products for whole warp groups: mma version 3 (capability 90). Part of accelerate-matmul. */
#ifndef TRI_PASSES_TTGIR_WGMMA_H
#define TRI_PASSES_TTGIR_WGMMA_H

#include "ir/op.h"

/* Whether a tt.dot with blocked layouts, of types that tensor cores take, can be a ttng.warp_group_dot. */
bool tri_wgmma_fits(tri_arena *arena, MlirOperation dot, int warps);
/* Replaces it; needs fits. */
void tri_wgmma_rewrite(tri_arena *arena, MlirOperation dot, int warps);

#endif
