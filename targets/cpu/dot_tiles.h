/* Private to dot_tiles.c and dot_step.c: products with AMX. */
#ifndef TRI_TARGETS_CPU_DOT_TILES_H
#define TRI_TARGETS_CPU_DOT_TILES_H

#include "targets/cpu/dot.h"

enum { rows_of_tile = 16, bytes_of_row = 64, tile_count = 8, left_tile = 4, right_tile = 6 };

/* Tiles of the result that are at work together. */
typedef struct {
    int down, across;
} tri_cpu_tile_shape;

/* Where the tiles of the operands are that are multiplied next. */
typedef struct {
    const tri_cpu_each *each;
    const tri_cpu_tile_shape *shape;
    LLVMValueRef m, n, k;
    LLVMValueRef gathered; /* rows of a as gather_step leaves them; null: they are read where they lie */
    bool fetches;          /* rows of the tiles below, for these */
    bool writes;           /* lines of the result are fetched to be written */
    bool passes;           /* tiles that the result's next ones have others for do not go through the first cache */
} tri_cpu_tile_place;

/* Loads or stores a tile: `name` of LLVM's intrinsic. */
void tri_cpu_tile_move(tri_cpu_gen *g, const char *name, int tile, LLVMValueRef address, LLVMValueRef stride);
LLVMValueRef tri_cpu_tile_number(tri_cpu_gen *g, int tile);
LLVMValueRef tri_cpu_plus(tri_cpu_gen *g, LLVMValueRef x, int64_t by);
LLVMValueRef tri_cpu_times(tri_cpu_gen *g, LLVMValueRef x, int64_t by);
/* base + row * stride + bytes */
LLVMValueRef tri_cpu_tile_address(tri_cpu_gen *g, LLVMValueRef base, LLVMValueRef row, LLVMValueRef stride,
                                  LLVMValueRef bytes);

/* Steps of the loop over k. Of numbers in two parts: all products, those of high parts, the others. */
typedef void tri_cpu_tile_step(const tri_cpu_tile_place *p);
tri_cpu_tile_step tri_cpu_tile_step_all, tri_cpu_tile_step_high, tri_cpu_tile_step_small, tri_cpu_tile_step_gather;
/* That loop over all products, for the sums that are in tiles; `at`: all but the product and k. */
void tri_cpu_tile_steps(tri_cpu_product *x, LLVMValueRef *base, tri_cpu_tile_place at, tri_cpu_tile_step *step);

#endif
