/* What coalesce.c asks of order.c. */
#ifndef TRI_PASSES_TTGIR_COALESCE_H
#define TRI_PASSES_TTGIR_COALESCE_H

#include "base/arena.h"
#include "ir/analysis/blocked.h"

/* What a thread pays for an access that hands out the dimensions of its block in `order`, as far as the order matters
 * beside memory: integer divisions that its address and mask repeat for each row or column that the thread holds, and
 * exchanges between threads in reductions of what it loads. In units of one simple instruction. */
int64_t tri_coalesce_cost(tri_arena *arena, tri_launch launch, MlirOperation access, int rank, const int64_t *shape,
                          const int32_t *order);

#endif
