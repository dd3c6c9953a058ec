/* Arrays between pages that nobody may touch: code of objects has no checks of its own, and what goes beyond an array
 * is said instead of read or written. */
#ifndef TRI_RUN_FENCE_H
#define TRI_RUN_FENCE_H

#include "run/kernel.h"

typedef struct tri_run_fences tri_run_fences;

/* Puts the arrays that the kernel is given behind fences, and their new addresses into its values. Null when there is
 * no memory for them: then they stay where they are. */
tri_run_fences *tri_run_fence_arrays(tri_run_kernel *k);
/* From here on, a fault at a fence ends the process with status 1 and a message; null: nothing. */
void tri_run_fence_watch(const tri_run_fences *fences);
/* Copies the arrays back to where they came from. */
void tri_run_fence_fetch(const tri_run_fences *fences);
void tri_run_fence_destroy(tri_run_fences *fences);

#endif
