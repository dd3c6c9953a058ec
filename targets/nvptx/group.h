/* Private to targets/nvptx: primitives of warp groups (wgmma), whose operands are too many for a signature. */
#ifndef TRI_TARGETS_NVPTX_GROUP_H
#define TRI_TARGETS_NVPTX_GROUP_H

#include "targets/gpu/gpu.h"

/* A matrix product that a warp group starts and does not wait for: acc (+)= a * b. */
typedef struct {
    int n;                       /* columns of the result; it has 64 rows */
    int num_acc;
    LLVMValueRef acc[128];       /* words: in and out */
    const LLVMValueRef *a_words; /* A in four registers, or null: */
    LLVMValueRef a, b;           /* descriptors of shared memory, i64 */
    LLVMValueRef scale;          /* i1: false drops the old accumulators */
    bool trans_a, trans_b;       /* the operand's K is not its fastest dimension */
} tri_nvptx_product;

void tri_nvptx_multiply(tri_gpu *g, int id, tri_nvptx_product *product);

/* A primitive with a constant {n} that the machine orders registers by: wgmma_wait is over before anything reads
 * `values`, wgmma_fence follows everything that writes them. They are replaced by what is ordered. */
void tri_nvptx_tie(tri_gpu *g, int id, int constant, int count, LLVMValueRef *values);

#endif
