/* Names for debug information. */
#ifndef TRI_TARGETS_GPU_DEBUG_H
#define TRI_TARGETS_GPU_DEBUG_H

#include "base/diag.h"

/* The function of a source that a line lies in, by its text: the last `def` before it. The file's name without
 * folder and suffix, and the line itself, when its text is not there. `out_line` is that of the `def`. */
tri_str tri_gpu_debug_function_at(const tri_diag *diag, tri_str file, unsigned line, unsigned *out_line);

#endif
