/* Where elements are in the memory of tensor cores: rows (lanes of the memory) and columns of 32 bits. */
#ifndef TRI_LAYOUT_TENSOR_MEMORY_H
#define TRI_LAYOUT_TENSOR_MEMORY_H

#include "layout/linear.h"

/* row, col, block -> dim0, dim1 of a whole buffer of `shape`, where a column counts elements. A zero basis of a row or
 * column is memory that the buffer owns and no element is in. False when the encoding is none of tensor memory, or the
 * shape is not whole blocks of powers of two. */
bool tri_tensor_memory_layout(const tri_encoding *encoding, const int64_t *shape, tri_linear *out_layout);

#endif
