/* What a kernel's programs may be asked to do: to run in another order, or one behind the other. */
#ifndef TRI_PASSES_ANALYSIS_PROGRAMS_H
#define TRI_PASSES_ANALYSIS_PROGRAMS_H

#include "ir/op.h"

/* Whether nobody can see the order in which programs run: the kernel has loads and stores, but no atomics, calls,
 * volatile accesses and assembly; programs that write the same place have no order anyway. */
bool tri_programs_are_free(MlirOperation func, tri_arena *arena);
/* Products that stand in a loop itself, not in loops and branches of it. */
int64_t tri_programs_count_dots(MlirOperation loop);
/* The axis (0 or 1) along which programs have the more iterations of a loop of two products the larger their number is,
 * as in causal attention; -1: none. */
int tri_programs_growing_axis(MlirOperation func, tri_arena *arena);

#endif
