/* partition-loops: a loop, and what one of its groups of warps takes of it. */
#ifndef TRI_PASSES_PARTITION_LOOPS_SPLIT_H
#define TRI_PASSES_PARTITION_LOOPS_SPLIT_H

#include "base/map.h"
#include "passes/analysis/partitions.h"
#include "passes/analysis/uses.h"

typedef struct {
    tri_arena *arena;
    tri_diag *diag;
    MlirOperation loop;
    int count;          /* of groups */
    tri_op_list members; /* of the loop's block, in order: the loop, and what has its tag */
    tri_uses uses;      /* of the function */
    MlirValue *buffers; /* for each result: shared memory through which it leaves its group, or null */
} split;

/* Do the members use, in each group, only what the group has, and everything else only what a group can hand out?
 * Reports what does not. */
bool tri_partition_loops_is_sound(split *s);
/* The group whose value of a result others outside of the groups use: the first, where it has the value. */
int tri_partition_loops_owner(const split *s, intptr_t result);
/* Is the result used by operations that are none of the members? */
bool tri_partition_loops_is_used_outside(const split *s, intptr_t result);

/* One group's copy. */
typedef struct {
    const split *s;
    int group;
    tri_map of; /* MlirValue.ptr -> MlirValue of the copy */
} split_copy;

/* The group's part of the members, at the end of a block. */
void tri_partition_loops_copy_members(split_copy *c, MlirBlock into);
/* What stands for a value in the group. */
MlirValue tri_partition_loops_value(const split_copy *c, MlirValue value);

#endif
