/* Products for whole warp groups: mma version 3 (capability 90). Part of accelerate-matmul. */
#ifndef TRI_PASSES_TTGIR_WGMMA_H
#define TRI_PASSES_TTGIR_WGMMA_H

#include "ir/op.h"

/* Why a tt.dot with blocked layouts, of types that tensor cores take, cannot be a ttng.warp_group_dot, in words; null:
 * it can. */
const char *tri_wgmma_why_not(tri_arena *arena, MlirOperation dot, int warps);
/* Replaces it, where it can be one. */
void tri_wgmma_rewrite(tri_arena *arena, MlirOperation dot, int warps);

#endif
