/* Private to targets/nvptx: primitives of warp groups (wgmma), whose operands are too many for a signature. */
#ifndef TRI_TARGETS_NVPTX_GROUP_H
#define TRI_TARGETS_NVPTX_GROUP_H

#include "targets/gpu/gpu.h"

enum { TRI_NVPTX_MAX_STEPS = 16 };

/* Matrix products that a warp group starts and does not wait for, one step of K behind the other:
 * acc (+)= a[0] * b[0] + a[1] * b[1] + ... */
typedef struct {
    int n;                 /* columns of the result; it has 64 rows */
    int num_acc, steps;
    LLVMValueRef acc[128]; /* words: in and out */
    bool has_a_words;      /* A in four registers, or: */
    LLVMValueRef a[TRI_NVPTX_MAX_STEPS][4], b[TRI_NVPTX_MAX_STEPS]; /* descriptors of shared memory, i64; a[][0] */
    LLVMValueRef scale;    /* i1: false drops the old accumulators */
    bool trans_a, trans_b; /* the operand's K is not its fastest dimension */
} tri_nvptx_product;

void tri_nvptx_multiply(tri_gpu *g, int id, tri_nvptx_product *product);

/* A primitive with a constant {n} that the machine orders registers by: wgmma_wait is over before anything reads
 * `values`, wgmma_fence follows everything that writes them. They are replaced by what is ordered. */
void tri_nvptx_tie(tri_gpu *g, int id, int constant, int count, LLVMValueRef *values);

#endif
