/* One loop that does the work of an outer loop and of the loops directly inside of it. */
#ifndef TRI_PASSES_TTGIR_FUSED_LOOP_H
#define TRI_PASSES_TTGIR_FUSED_LOOP_H

#include "ir/op.h"

/* An scf.for in the body of the outer one. */
typedef struct {
    MlirOperation loop;
    tri_op_list sliced; /* variant loops: ops of the outer body that their bounds need, in program order */
    bool is_variant;    /* its bounds depend on the outer induction variable */
    bool must_execute;  /* it runs at least once in every round; not of a variant one */
} tri_fused_loop_inner;

/* Whether every value that the fused loop would carry is of a type with a value to start from:
 * numbers, pointers and tensors of them. */
bool tri_fused_loop_can_make(tri_arena *arena, MlirOperation outer, size_t n, const tri_fused_loop_inner *inners);

/* Puts the fused loop in the place of `outer`, which is erased with all that it holds. `inners`
 * (one or more) are in program order, and nothing compares unsigned; what they use for their bounds
 * is defined outside of `outer` unless they are variant.
 *
 * A round of the outer loop takes max(1, len_0) + ... + max(1, len_n-1) - (n - 1) trips, counted by
 * T: the last trip of one inner loop is the first one of the next. An inner loop that does not run
 * leaves its initial values as its results. */
MlirOperation tri_fused_loop_make(tri_arena *arena, MlirOperation outer, size_t n, const tri_fused_loop_inner *inners);

#endif
