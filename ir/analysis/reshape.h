/* The layout on the other side of a reshape that moves no data: element i in row-major order stays
 * in its thread and register. */
#ifndef TRI_IR_ANALYSIS_RESHAPE_H
#define TRI_IR_ANALYSIS_RESHAPE_H

#include "layout/encoding.h"

#include <stdbool.h>

/* Blocked to blocked where that is possible, else `linear`. False when `from` is no layout of
 * registers. */
bool tri_reshape_infer(const tri_encoding *from, int from_rank, const int64_t *from_shape, int to_rank,
                       const int64_t *to_shape, tri_encoding *out_to);

#endif
