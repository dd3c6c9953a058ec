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
/* Layout of the tensor operands from the results'. */
MlirAttribute tri_infer_operand(tri_arena *arena, MlirOperation op, MlirAttribute result);

/* Element i of the results depends on element i of the operands alone, and all have one layout. */
bool tri_infer_is_elementwise(MlirOperation op);

/* The slice of `parent` without dimension `dim`. */
MlirAttribute tri_infer_slice(tri_arena *arena, MlirAttribute parent, int dim);

#endif
