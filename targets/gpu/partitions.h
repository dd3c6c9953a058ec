/* Private to targets/gpu: kernels whose warps take different parts (ttg.warp_specialize). */
#ifndef TRI_TARGETS_GPU_PARTITIONS_H
#define TRI_TARGETS_GPU_PARTITIONS_H

#include "targets/gpu/gpu.h"

/* The beginning of a function, when the group of all warps and the parameters are known: a kernel with partitions goes
 * on as the group of its default warps. False after a report. */
bool tri_partitions_enter(tri_gpu *g);
/* Its end: closes the entry, which goes on in `body`, and the code of the other warps. */
void tri_partitions_leave(tri_gpu *g, LLVMBasicBlockRef body);

#endif
