/* Making a tt.load again with other operands; what loads may move across. */
#ifndef TRI_PASSES_ANALYSIS_LOADS_H
#define TRI_PASSES_ANALYSIS_LOADS_H

#include "ir/op.h"

/* A copy of `load`, at the builder, that reads `pointer` under `mask` and gives `other` where the
 * mask is false; the last two may be null. All other attributes are the load's. */
MlirValue tri_loads_make(tri_arena *arena, tri_builder *b, MlirOperation load, MlirValue pointer, MlirValue mask,
                         MlirValue other);

/* May the operation write memory that a load reads? Operations that it holds count for themselves; what fills a cache
 * writes nothing. */
bool tri_loads_may_write(MlirOperation op);
/* May the operation, or one inside of it? */
bool tri_loads_any_may_write(tri_arena *arena, MlirOperation op);

/* Do two loads of a function read the same addresses, in loops with the same bounds the same in each iteration? Masks
 * may be others. False where that is not plain. */
bool tri_loads_is_same_block(MlirOperation a, MlirOperation b);

#endif
