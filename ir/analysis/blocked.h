/* Making blocked layouts: which thread gets which part of a tensor before anything better is known. */
#ifndef TRI_IR_ANALYSIS_BLOCKED_H
#define TRI_IR_ANALYSIS_BLOCKED_H

#include "layout/encoding.h"

#include "mlir-c/IR.h"

/* How many threads a tensor is spread over. */
typedef struct {
    int warps, lanes, ctas;
} tri_launch;

/* From the module attributes that the conversion to ttgir sets. */
tri_launch tri_blocked_launch(MlirOperation module);

/* A blocked layout that gives each thread `size_per_thread` consecutive elements and hands the
 * dimensions out in `order`, lanes before warps; what a small tensor cannot use is given to the
 * slowest dimension (duplicates). */
tri_encoding tri_blocked_make(int rank, const int64_t *shape, const int32_t *size_per_thread, const int32_t *order,
                              tri_launch launch);
/* One element per thread, last dimension fastest. */
tri_encoding tri_blocked_default(int rank, const int64_t *shape, tri_launch launch);
/* The same as an attribute for a tensor type. */
MlirAttribute tri_blocked_default_attr(MlirType tensor, tri_launch launch);

/* Elements of a tensor that one CTA holds along each dimension. */
void tri_blocked_shape_per_cta(const tri_encoding *encoding, const int64_t *shape, int64_t *out_shape);

#endif
