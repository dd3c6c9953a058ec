/* What the parts of persistent-programs share. */
#ifndef TRI_PASSES_TTIR_PERSISTENT_PROGRAMS_H
#define TRI_PASSES_TTIR_PERSISTENT_PROGRAMS_H

#include "ir/op.h"
#include "passes/passes.h"

/* Whether the loops' tiles, `stages` of each, and the tiles that are stored behind them have room in `bytes` of shared
 * memory at the same time, where the latter are cut into narrower ones; cuts them then. */
bool tri_persistent_programs_fit(tri_arena *arena, MlirOperation func, int64_t stages, int64_t bytes);

#endif
