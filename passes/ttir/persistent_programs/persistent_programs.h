/* What the parts of persistent-programs share. */
#ifndef TRI_PASSES_TTIR_PERSISTENT_PROGRAMS_H
#define TRI_PASSES_TTIR_PERSISTENT_PROGRAMS_H

#include "base/map.h"
#include "ir/analysis/sum.h"
#include "ir/op.h"
#include "passes/passes.h"

enum { TRI_MOVED_MOST = 3, TRI_PROGRAM_AXES = 3 };

/* A descriptor whose base moves with the program: base + offset + the sum of at * stride, in elements. */
typedef struct {
    MlirOperation made;
    int rank, count;
    MlirValue base;         /* the same for all programs, as offset and strides are */
    const tri_sum *offset;
    MlirValue at[TRI_MOVED_MOST]; /* i32, not negative */
    const tri_sum *stride[TRI_MOVED_MOST];
} tri_moved_base;

/* Whether programs can share the descriptor; `fixed`: ops, by pointer, that are the same for all programs. */
bool tri_heads_find(tri_sums *sums, const tri_map *fixed, MlirOperation made, tri_moved_base *out);
/* Makes the shared descriptor, through which those who used the other one go. */
void tri_heads_share(tri_sums *sums, const tri_moved_base *moved);

/* Whether the loops' tiles, `stages` of each, and the tiles that are stored behind them have room in `bytes` of shared
 * memory at the same time, where the latter are cut into narrower ones; cuts them then. */
bool tri_persistent_programs_fit(tri_arena *arena, MlirOperation func, int64_t stages, int64_t bytes);
/* Whether `stages` of the loops' tiles leave no room for those of a second block in so many bytes of shared memory. */
bool tri_persistent_programs_are_alone(tri_arena *arena, MlirOperation func, int64_t stages, int64_t bytes);
/* Whether two stages of the loops' tiles and one of those in front of them have room there. */
bool tri_persistent_programs_fit_loads(tri_arena *arena, MlirOperation func, int64_t bytes);
/* Stores through descriptors that the kernel makes become stores through pointers, which take no room of their own. */
void tri_persistent_programs_store_by_pointers(tri_pass_run *run, MlirOperation func);

/* How programs go through the tiles of the grid. */
typedef struct {
    bool carries; /* the tiles' numbers, instead of dividing theirs */
    int growing; /* the axis along which tiles are the longer the larger their number is; -1: none */
    MlirValue extent[TRI_PROGRAM_AXES]; /* the caller's grid */
    MlirType i32;
} tri_tile_order;

/* The loop in front of the block's terminator: its induction variable is what tri_order_numbers takes. */
MlirOperation tri_order_make_loop(const tri_tile_order *order, MlirBlock body, MlirLocation loc, bool is_split);
/* The numbers of the program whose tile an iteration computes, at the start of the loop's body. */
void tri_order_numbers(const tri_tile_order *order, MlirOperation loop, MlirValue *out);

#endif
