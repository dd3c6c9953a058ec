/* Private to lower-to-2d-block-load: an access through pointers as a block of a matrix in memory. */
#ifndef TRI_PASSES_TTGIR_LOWER_TO_2D_BLOCK_LOAD_SURFACE_H
#define TRI_PASSES_TTGIR_LOWER_TO_2D_BLOCK_LOAD_SURFACE_H

#include "ir/analysis/pointers.h"
#include "ir/op.h"

/* Sums in elements. The matrix begins `offset` elements behind the access' base; its rows are `bound[1]` long, `stride`
 * apart and `bound[0]` in number; the block begins at row start[0], column start[1]. */
typedef struct {
    tri_arena *arena;
    tri_pointers *pointers;
    tri_sums *sums;
    MlirOperation op, outer; /* the access; the op of the function's own block that it is, or stands in */
    tri_access access;
    int bytes;  /* of an element */
    int dim[2]; /* of the block: along the matrix' columns (that is, from row to row), and along its rows */
    const tri_sum *offset, *stride, *start[2], *bound[2];
    bool is_promised; /* the source is a descriptor, whose rows are multiples of 16 bytes apart */
} tri_surface;

/* Fills the surface of a tt.load or tt.store of rank 2, or says why it is none. */
const char *tri_surface_find(tri_arena *arena, tri_pointers *pointers, MlirOperation op, tri_surface *out);

/* What the hardware wants and only a launch knows: bytes of a row and between rows, and the number of rows, in limits
 * (ir/block_io.h). False: it is known to hold. `out_never`: it is known not to. */
bool tri_surface_needs_check(const tri_surface *s, bool *out_never);
/* Can that be known in front of the loops around it? */
bool tri_surface_is_outside(const tri_surface *s);
/* i1: all of it holds. */
MlirValue tri_surface_check(const tri_surface *s, tri_builder *b);

/* Base, width and pitch in bytes, height, and the block's column and row: operands of ttig.2d_block_load. */
enum { TRI_SURFACE_OPERANDS = 6 };
void tri_surface_emit(const tri_surface *s, tri_builder *b, MlirValue out[TRI_SURFACE_OPERANDS]);

#endif
