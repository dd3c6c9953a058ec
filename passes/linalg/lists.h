/* Blocks of numbers made of lists of one dimension, in ttir: for the passes that spell pointers and masks anew. */
#ifndef TRI_PASSES_LINALG_LISTS_H
#define TRI_PASSES_LINALG_LISTS_H

#include "ir/analysis/pointers.h"

/* tensor<SIZExi64> of 0, 1, ... */
MlirValue tri_lists_range(tri_builder *b, int64_t size);
/* tensor<SIZExi64> of a number. */
MlirValue tri_lists_splat(tri_builder *b, int64_t size, MlirValue number);
MlirValue tri_lists_splat_to(tri_builder *b, MlirType block, MlirValue scalar);
/* `list`, tensor<SIZExT>, along dimension d of a block of `block`'s shape, of elements T. */
MlirValue tri_lists_spread(tri_builder *b, MlirValue list, int d, MlirType block);
/* A sum as an i64. */
MlirValue tri_lists_emit(tri_builder *b, tri_pointers *pointers, const tri_sum *sum);

/* Calls `rewrite` for every access of blocks of plain pointers, without layouts, in every function. */
typedef void (*tri_lists_fn)(tri_pointers *pointers, MlirOperation op, const tri_access *access);
void tri_lists_each_access(tri_arena *arena, MlirModule module, tri_lists_fn rewrite);

#endif
