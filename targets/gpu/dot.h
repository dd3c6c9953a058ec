/* Private to targets/gpu: ways to lower tt.dot. */
#ifndef TRI_TARGETS_GPU_DOT_H
#define TRI_TARGETS_GPU_DOT_H

#include "targets/gpu/gpu.h"

/* By multiplications and additions of single elements. */
bool tri_gpu_dot_fma(tri_gpu *g, MlirOperation op);

/* Coordinates that thread 0 holds -> register, and the look-up; -1 when it does not hold them. */
tri_map tri_gpu_index_registers(tri_gpu *g, const tri_gpu_layout *layout);
int tri_gpu_find_register(const tri_map *map, const tri_linear *layout, int rank, const uint64_t *coords);

#endif
