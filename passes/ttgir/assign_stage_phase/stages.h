/* assign-stage-phase: the buffer and the phase that groups of warps have come to, as values beside the loops' own. */
#ifndef TRI_PASSES_ASSIGN_STAGE_PHASE_STAGES_H
#define TRI_PASSES_ASSIGN_STAGE_PHASE_STAGES_H

#include "passes/analysis/partitions.h"

/* Of one reference and one side of it (who puts, or who gets), by the groups that do so together. */
typedef struct {
    tri_arena *arena;
    MlirValue aref;
    int64_t depth;      /* buffers */
    const char *enter;  /* "nvws.aref.put.enter" or "nvws.aref.get.enter" */
    uint64_t owners;
} stages_side;

/* What they have come to; the token of the last buffer that they took, or null. */
typedef struct {
    MlirValue stage, phase, token;
} stages_state;

/* The pass' work on a module (assign_stage_phase.c). */
void tri_assign_stage_phase(tri_arena *arena, MlirOperation module);

/* Is it an operation by which these groups take a buffer? */
bool tri_stages_takes(const stages_side *s, MlirOperation op);
/* Says at each operation of a block that takes a buffer which one, and in which phase; returns what is so behind it. */
stages_state tri_stages_assign(const stages_side *s, MlirBlock block, stages_state state);
/* Adds groups to those of a loop's or a conditional's result, and to its own. */
void tri_stages_add_partitions(MlirOperation op, intptr_t result, uint64_t partitions);
/* Place of a value among operands from `first` on, counted from there; -1: it is none of them. */
intptr_t tri_stages_place(MlirOperation op, intptr_t first, MlirValue value);

#endif
