/* f32 functions written out in LLVM IR, for machines whose table lacks them. Errors are below 2 units in
 * the last place; arguments of any size and special values are right. */
#ifndef TRI_TARGETS_GPU_SOFTMATH_H
#define TRI_TARGETS_GPU_SOFTMATH_H

#include "targets/gpu/gpu.h"

LLVMValueRef tri_gpu_soft_log(tri_gpu *g, LLVMValueRef x, bool is_base_2);
LLVMValueRef tri_gpu_soft_sin(tri_gpu *g, LLVMValueRef x, bool is_cosine);

#endif
