/* Which layout one side of an operation must have, given the other side's, so that the operation
 * moves no data between threads. */
#ifndef TRI_IR_ANALYSIS_INFER_H
#define TRI_IR_ANALYSIS_INFER_H

#include "base/arena.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

/* Layout of the tensor results of `op` when its (first) tensor operand is laid out as `operand`;
 * null when there is none or the op has no such rule. Elementwise ops keep it. */
MlirAttribute tri_infer_result(tri_arena *arena, MlirOperation op, MlirAttribute operand);
/* Layout of a block of bytes, each of which became two elements along `axis`; null when there is none. */
MlirAttribute tri_infer_unpacked(tri_arena *arena, MlirValue bytes, int axis);
/* Layout of the tensor operands from the results'. */
MlirAttribute tri_infer_operand(tri_arena *arena, MlirOperation op, MlirAttribute result);

/* Can the two functions above know: is the op elementwise, or one that they have a rule for? */
bool tri_infer_has_rule(MlirOperation op);

/* The slice of `parent` without dimension `dim`. */
MlirAttribute tri_infer_slice(tri_arena *arena, MlirAttribute parent, int dim);
/* The parent of a slice without dimension `dim`; null for any other layout. */
MlirAttribute tri_infer_unslice(tri_arena *arena, MlirAttribute attr, int dim);
/* The layout `attr` of a tensor of this shape, seen in dimension order: d of the answer is order[d]. */
MlirAttribute tri_infer_trans(tri_arena *arena, MlirAttribute attr, int rank, const int64_t *shape,
                              const int32_t *order);
/* A new last dimension of size 2 that lies within a thread, fastest; and without the last
 * dimension, whose two elements must lie within a thread. */
MlirAttribute tri_infer_join(tri_arena *arena, MlirAttribute attr, int rank, const int64_t *shape);
MlirAttribute tri_infer_split(tri_arena *arena, MlirAttribute attr, int rank, const int64_t *shape);

#endif
