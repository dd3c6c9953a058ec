/* Tasks of operations: groups of warps that do them, as the attribute async_task_id names them. */
#ifndef TRI_PASSES_ANALYSIS_TASKS_H
#define TRI_PASSES_ANALYSIS_TASKS_H

#include "ir/op.h"

/* A bit for each task; 0: it has none. Tasks above 63 are left out. */
uint64_t tri_tasks_of(MlirOperation op);
void tri_tasks_set(MlirOperation op, uint64_t tasks);

#endif
