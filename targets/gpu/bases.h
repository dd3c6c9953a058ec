#ifndef TRI_TARGETS_GPU_BASES_H
#define TRI_TARGETS_GPU_BASES_H
#include "targets/gpu/gpu.h"

/* Of one value that a finished loop carries, the registers in front of it, their phis (the edge from the front first,
 * that of the latch second) and what the loop yields: where these are many pointers that advance together, only their
 * base is carried. The phis are gone then. */
void tri_bases_share(tri_gpu *g, const tri_gpu_value *init, const tri_gpu_value *phis, const tri_gpu_value *next);

#endif
