/* Remarks about products without a matrix instruction: why, and what to change in the source. */
#ifndef TRI_PASSES_TTGIR_ACCELERATE_MATMUL_MISSED_H
#define TRI_PASSES_TTGIR_ACCELERATE_MATMUL_MISSED_H

#include "passes/passes.h"

/* K of the block has to be `least_depth` for an instruction; 0: the types are why there is none. `tf32` says which
 * precisions of float32 have one; null: none of them. */
void tri_missed_product(tri_pass_run *run, MlirOperation dot, int64_t least_depth, const char *tf32);

#endif
