/* Changing what structured control flow carries. */
#ifndef TRI_PASSES_ANALYSIS_LOOPS_H
#define TRI_PASSES_ANALYSIS_LOOPS_H

#include "ir/op.h"

/* Rebuilds an scf.for with `n` more loop-carried values, appended: its body moves into the new
 * loop, its results are replaced, it is erased. New body arguments and results come last. The
 * yield still lacks the new operands (tri_loops_append_yield). */
MlirOperation tri_loops_add_iter_args(tri_arena *arena, MlirOperation loop, intptr_t n, const MlirValue *inits);
/* The same of an scf.while: arguments of both blocks and results come last; condition and yield lack the operands. */
MlirOperation tri_loops_add_while_args(tri_arena *arena, MlirOperation loop, intptr_t n, const MlirValue *inits);
/* Rebuilds an scf.if (with an else region) with `n` more results; the yields still lack them. */
MlirOperation tri_loops_add_if_results(tri_arena *arena, MlirOperation op, intptr_t n, const MlirType *types);
/* Rebuilds an scf.for or scf.if without the results i that have drop[i]. Those of a conditional are
 * unused; those of a loop carry themselves, and their initial value takes their place. */
MlirOperation tri_loops_drop(tri_arena *arena, MlirOperation op, const bool *drop);
/* Appends operands to a terminator. */
void tri_loops_append_yield(tri_arena *arena, MlirOperation yield, intptr_t n, const MlirValue *values);
/* The terminator of a region's only block. */
MlirOperation tri_loops_yield(MlirOperation op, int region);
/* Is the value made inside of the operation, at any depth? */
bool tri_loops_is_inside(MlirOperation loop, MlirValue value);

/* The same op in front of itself, with other operands and results, its regions moved over; the old one stays. */
MlirOperation tri_loops_rebuild(tri_arena *arena, MlirOperation op, intptr_t num_operands, const MlirValue *operands,
                                intptr_t num_types, const MlirType *types);

/* Gives an operation the attributes of another. */
void tri_loops_copy_attributes(MlirOperation from, MlirOperation to);

/* A loop's attribute: it is a few trips long, so that code around it which overlaps them does not pay. */
#define TRI_LOOPS_FEW_TRIPS "tritcc.few-trips"

#endif
