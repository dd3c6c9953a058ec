/* The tasks that an operation is of, groups of warps that share a loop's work: {async_task_id = array<i32: 0, 2>} as
 * upstream's passes for Hopper write them. A bit for each task; 0: of none, or nobody has said. */
#ifndef TRI_PASSES_ANALYSIS_TASKS_H
#define TRI_PASSES_ANALYSIS_TASKS_H

#include "ir/op.h"

uint64_t tri_tasks_of(MlirOperation op);
void tri_tasks_set(MlirOperation op, uint64_t tasks);

/* The numbers of an attribute array<i32>, each as a bit; those that are no bit of 64 are left out. 0: it is null. */
uint64_t tri_tasks_read(MlirAttribute attr);
MlirAttribute tri_tasks_make(MlirContext context, uint64_t tasks);

#endif
