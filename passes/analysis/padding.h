/* Buffers with gaps between their rows, for chips whose hardware copies boxes into them (gfx1250). */
#ifndef TRI_PASSES_ANALYSIS_PADDING_H
#define TRI_PASSES_ANALYSIS_PADDING_H

#include "ir/op.h"
#include "layout/encoding.h"

/* For a tensor from which operand `op_idx` of a product by wmma is read, `width` elements at a time; order: of its
 * dimensions in memory. Null: rows are too short for a gap, or elements are no numbers. */
MlirAttribute tri_padding_of_operand(int op_idx, int64_t width, MlirType tensor, const int32_t *order);
/* For blocks that no product reads: a gap of 16 bytes behind each row; no gaps where rows are longer than 1 KiB. */
MlirAttribute tri_padding_of_rows(MlirType block);

#endif
