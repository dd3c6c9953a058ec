/* A line on the terminal that shows how far a long run is. */
#ifndef TRI_BASE_PROGRESS_H
#define TRI_BASE_PROGRESS_H

#include "base/diag.h"

typedef struct tri_progress tri_progress;

/* Null when reports go to no terminal: nothing is ever shown then. Both are borrowed. */
tri_progress *tri_progress_create(tri_diag *diag, const char *label);

/* `done` of `total` steps are over. Shows nothing in the first second, then at most ten times a second.
 * Returns the seconds since the last step. */
double tri_progress_step(tri_progress *progress, uint64_t done, uint64_t total);

/* Removes the line. Null is allowed. */
void tri_progress_destroy(tri_progress *progress);

#endif
