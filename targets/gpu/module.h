/* Private to targets/gpu: the steps of tri_gpu_lower. */
#ifndef TRI_TARGETS_GPU_MODULE_H
#define TRI_TARGETS_GPU_MODULE_H

#include "targets/gpu/gpu.h"

/* Declares, then lowers every function with a body. */
bool tri_gpu_lower_functions(tri_gpu *g, MlirModule module);

/* Warps that a TTIR module's kernels run on: those asked for; more on Intel's GPUs, where these would spill. */
int tri_gpu_sub_groups(const tri_unit *unit);

#endif
