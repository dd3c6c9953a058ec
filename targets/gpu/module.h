/* Private to targets/gpu: the steps of tri_gpu_lower. */
#ifndef TRI_TARGETS_GPU_MODULE_H
#define TRI_TARGETS_GPU_MODULE_H

#include "targets/gpu/gpu.h"

/* Declares, then lowers every function with a body. */
bool tri_gpu_lower_functions(tri_gpu *g, MlirModule module);

#endif
