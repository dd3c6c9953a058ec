/* Products for whole warp groups: mma version 3 (capability 90). Part of accelerate-matmul. */
#ifndef TRI_PASSES_TTGIR_WGMMA_H
#define TRI_PASSES_TTGIR_WGMMA_H

#include "ir/builder.h"
#include "ir/op.h"

/* Why a tt.dot with blocked layouts, of types that tensor cores take, cannot be a ttng.warp_group_dot, in words; null:
 * it can. may_turn: operands may come from registers for their place in memory (below). */
const char *tri_wgmma_why_not(tri_arena *arena, MlirOperation dot, int warps, bool may_turn);
/* Replaces it, where it can be one. */
void tri_wgmma_rewrite(tri_arena *arena, MlirOperation dot, int warps);


/* ---- what both ways of operands share ---- */

/* Whether an operand is more than loaded data, which goes through shared memory anyway. */
bool tri_wgmma_was_computed(MlirValue value);
/* Whether another product uses the result, through whatever ops. */
bool tri_wgmma_feeds_product(tri_arena *arena, MlirOperation dot);
/* The dimension that a value of two runs along in memory. */
int tri_wgmma_fastest(tri_arena *arena, MlirValue value);
/* The value in a buffer that products read, `fastest` being the dimension that its rows run along; made where the value
 * is. */
MlirValue tri_wgmma_buffer(tri_arena *arena, MlirValue value, int fastest);

/* ---- rounded_maps.c ---- */

/* Marks descriptors of float32 that only feed products by tf32, in front of the rewriting. */
void tri_rounded_maps_mark(tri_arena *arena, MlirOperation module);

/* ---- turned.c ---- */

/* Which operand of 8 or 32 bits, whose elements do not run along K in memory, should come from registers: 0, or 1 for
 * the transposed product; -1: none. */
int tri_turned_operand(tri_arena *arena, MlirOperation dot, int warps);
/* Replaces the tt.dot at `at` by a product with that operand in registers, and with it those in front of it in `dots`
 * whose results it alone takes, as what it adds to. They are null there then. */
void tri_turned_rewrite(tri_arena *arena, tri_op_list *dots, size_t at, int index, int warps);

#endif
