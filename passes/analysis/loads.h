/* Making a tt.load again with other operands. */
#ifndef TRI_PASSES_ANALYSIS_LOADS_H
#define TRI_PASSES_ANALYSIS_LOADS_H

#include "ir/op.h"

/* A copy of `load`, at the builder, that reads `pointer` under `mask` and gives `other` where the
 * mask is false; the last two may be null. All other attributes are the load's. */
MlirValue tri_loads_make(tri_arena *arena, tri_builder *b, MlirOperation load, MlirValue pointer, MlirValue mask,
                         MlirValue other);

#endif
