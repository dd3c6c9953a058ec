/* The tile that one CTA covers once under each encoding, before it is fitted to a tensor
 * (internal to layout/). Output dimensions are listed in the order in which repetitions follow. */
#ifndef TRI_LAYOUT_TILES_H
#define TRI_LAYOUT_TILES_H

#include "layout/linear.h"

/* Registers, lanes, warps of blocked, nvidia_mma, amd_mfma, amd_wmma, dpas, subgroup_2d_block and of dot_op over each
 * of them. False with *out_why when the encoding's numbers fit no layout. */
bool tri_tiles_registers(const tri_encoding *encoding, int rank, const int64_t *shape, tri_linear *out_tile,
                         const char **out_why);
/* Rows and columns that one tile of a dpas layout has of operand 0 or 1 or of the result (2), for each dimension. */
void tri_tiles_dpas_shape(const tri_encoding *encoding, int operand, int32_t *out);
/* Offsets of the shared kinds; shape is per CTA. */
bool tri_tiles_buffer(const tri_encoding *encoding, int rank, const int64_t *shape, tri_linear *out_tile,
                      const char **out_why);

/* Grows by identities, dimension by dimension in the layout's own order, in `in`; then clips what
 * steps outside to zero (or drops it, for `drop_in`; pass -1 for none). shape is indexed by dimN. */
tri_linear tri_tiles_grow(const tri_linear *l, tri_dim in, const int64_t *shape);
tri_linear tri_tiles_clip(const tri_linear *l, const int64_t *shape, int drop_in);

#endif
