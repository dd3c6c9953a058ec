/* Private to targets/amdgcn: a product as matrix instructions. */
#ifndef TRI_TARGETS_AMDGCN_MATRIX_H
#define TRI_TARGETS_AMDGCN_MATRIX_H

#include "ir/amd_matrix.h"
#include "targets/amdgcn/amdgcn.h"
#include "targets/gpu/tiles.h"

enum { TRI_AMDGCN_MAX_WIDTH = 32, TRI_AMDGCN_MAX_SUMS = 16 };

/* Four scales of a lane, and which of them counts. No word: they are all 1. */
typedef struct {
    LLVMValueRef word;
    int byte;
} tri_amdgcn_scale;

/* The dot being lowered. */
typedef struct {
    tri_gpu_tiles t;
    const tri_amd_matrix *row;
    bool is_transposed;
    int version, width, sums; /* of one instruction: elements of A or B in a lane, of the sums */
    tri_amdgcn_scale scale[2]; /* of the next instruction's A and B */
    MlirOperation late[2];     /* that makes A and B of what lanes hold; null: they hold A and B */
} tri_amdgcn_dot;

void tri_amdgcn_take_row(tri_amdgcn_dot *d, const tri_amd_matrix *row);
/* Cuts the result into the instruction's tiles; false when it is not made of them. */
bool tri_amdgcn_cut(tri_amdgcn_dot *d);
void tri_amdgcn_load_sums(tri_amdgcn_dot *d);
/* Elements at these places along K of one row of A (column of B), as the instruction takes them. Null when the thread
 * does not hold them. */
LLVMValueRef tri_amdgcn_gather(tri_amdgcn_dot *d, int operand, int64_t batch, int64_t line, const int64_t *k,
                               int count);
/* One instruction, or the simulator's call for it: the new sums. */
LLVMValueRef tri_amdgcn_multiply(const tri_amdgcn_dot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sums);

/* tt.dot_scaled (scaled.c). */
bool tri_amdgcn_run_scaled(tri_gpu *g, MlirOperation op);

#endif
