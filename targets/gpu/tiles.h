/* Private to GPU families: what lowering tt.dot to matrix instructions is on each of them. The layouts say which
 * registers make up an instruction's operands and sums; a family says how large it is, where its sums lie, and what
 * it is. */
#ifndef TRI_TARGETS_GPU_TILES_H
#define TRI_TARGETS_GPU_TILES_H

#include "targets/gpu/gpu.h"

enum { TRI_GPU_TILE_MAX = 16, TRI_GPU_TILE_WORDS = 4 };

/* A tile of the result at a place: the registers of one instruction's sums. */
typedef struct {
    int64_t batch, row, col;
    int reg[TRI_GPU_TILE_MAX];
    LLVMValueRef sums[TRI_GPU_TILE_WORDS]; /* as the instruction takes them: one vector, or words */
} tri_gpu_tile;

/* A row and a column, from a tile's first. */
typedef struct {
    int row, col;
} tri_gpu_place;

/* The dot being lowered: operands 0 and 1, and the sums, 2. */
typedef struct {
    tri_gpu *g;
    MlirOperation op;
    int rank;
    tri_gpu_layout *layout[3];
    tri_gpu_value value[3];
    int64_t rows, cols, depth; /* of the tensors; rows or columns short of the instruction's are as if they repeated */
    tri_map registers[3];      /* packed coordinates of thread 0 -> register */
    tri_map words[2];          /* first register of an operand -> packed LLVM value, for the family */
    int64_t *k;                /* K coordinates that thread 0 holds of row 0 of A, ascending */
    int num_k;
    tri_gpu_tile *tiles; /* in register order */
    int count, held;     /* tiles; registers of each */
} tri_gpu_tiles;

/* Reads operands and layouts. False after a report. */
bool tri_gpu_tiles_start(tri_gpu_tiles *t, tri_gpu *g, MlirOperation op);
/* The register in which thread 0 holds an element of an operand; -1: it does not hold it. */
int tri_gpu_tiles_find(const tri_gpu_tiles *t, int operand, int64_t batch, int64_t row, int64_t col);
/* Cuts the result into tiles of m x n, of which thread 0 holds `held` sums at these places. False when it is not made
 * of them. */
bool tri_gpu_tiles_cut(tri_gpu_tiles *t, int m, int n, int held, const tri_gpu_place *places);
/* Elements at these K of one row of A (column of B). Gives the first one's register, -1 when the thread does not hold
 * them all. */
int tri_gpu_tiles_gather(const tri_gpu_tiles *t, int operand, int64_t batch, int64_t line, const int64_t *k, int count,
                         LLVMValueRef *out);
/* For instructions whose sums are one vector: fills sums[0] of each tile, and takes the result out of them. */
void tri_gpu_tiles_load(tri_gpu_tiles *t);
void tri_gpu_tiles_store(const tri_gpu_tiles *t, tri_gpu_value out);
/* Sets the result of the dot from its tiles' registers, and those that repeat them. */
void tri_gpu_tiles_finish(const tri_gpu_tiles *t, tri_gpu_value out);

#endif
