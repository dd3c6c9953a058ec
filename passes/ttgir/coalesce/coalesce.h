/* What the files of this pass ask of one another, and others of them. */
#ifndef TRI_PASSES_TTGIR_COALESCE_H
#define TRI_PASSES_TTGIR_COALESCE_H

#include "base/arena.h"
#include "ir/analysis/blocked.h"

/* Gives the tensors of an access, of memory or through a descriptor, this layout; conversions stand in front of it and
 * behind. */
void tri_coalesce_relayout(MlirOperation op, MlirAttribute encoding);

/* What a thread pays for an access that hands out the dimensions of its block in `order`, as far as the order matters
 * beside memory: integer divisions that its address and mask repeat for each row or column that the thread holds, and
 * exchanges between threads in reductions of what it loads. In units of one simple instruction. */
int64_t tri_coalesce_cost(tri_arena *arena, tri_launch launch, MlirOperation access, int rank, const int64_t *shape,
                          const int32_t *order);

#endif
