/* Indices that are taken modulo a size, and whether it matters what stands for those past the end. */
#ifndef TRI_PASSES_ANALYSIS_WRAPPED_H
#define TRI_PASSES_ANALYSIS_WRAPPED_H

#include "ir/analysis/pointers.h"
#include "ir/op.h"

/* Whether what a tt.load of rank 2 holds past the end of a dimension of kind WRAP never reaches memory. */
bool tri_wrapped_is_unseen(tri_arena *arena, tri_pointers *pointers, MlirOperation load, const tri_access *access,
                           int dim);

#endif
