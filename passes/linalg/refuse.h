/* Errors of the passes of this folder: what structured code cannot hold, named as the source does, and what to do. */
#ifndef TRI_PASSES_LINALG_REFUSE_H
#define TRI_PASSES_LINALG_REFUSE_H

#include "passes/passes.h"

/* An error at `op` about the value that it makes, and a note with the remedy (null: none). */
void tri_refuse_value(tri_pass_run *run, MlirOperation op, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* An error at `op`, which uses `pointer`: the reason of ir/analysis/pointers.h, and who is to blame (may be null).
 * Names the pointer, and the arrays that it may lead into. */
void tri_refuse_pointer(tri_pass_run *run, MlirOperation op, MlirValue pointer, MlirValue culprit, const char *reason);

#endif
