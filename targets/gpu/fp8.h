/* Narrow float formats in integer registers. */
#ifndef TRI_TARGETS_GPU_FP8_H
#define TRI_TARGETS_GPU_FP8_H

#include "targets/gpu/gpu.h"

bool tri_gpu_is_fp8(MlirType type);
/* Values of the type are bits in integers: 8-bit floats everywhere, bf16 where the machine says so. */
bool tri_gpu_is_narrow(tri_gpu *g, MlirType type);
/* Such a value to f32, exactly. */
LLVMValueRef tri_gpu_from_narrow(tri_gpu *g, MlirType type, LLVMValueRef bits);
/* f16, bf16, f32 or f64 to such a value: to nearest even or toward zero. Too large ones become the largest finite 8-bit
 * float, or the infinity of bf16. */
LLVMValueRef tri_gpu_to_narrow(tri_gpu *g, MlirType type, LLVMValueRef value, bool toward_zero);
/* The machine converts pairs of this type to f16 and from f32 by itself. */
bool tri_gpu_has_fp8_pairs(tri_gpu *g, MlirType type);
/* Two values at once: from f16, bf16 or f32 to nearest even; and to any of these (`to`). */
void tri_gpu_pair_to_fp8(tri_gpu *g, MlirType type, LLVMValueRef *values, LLVMValueRef *out_bits);
void tri_gpu_pair_from_fp8(tri_gpu *g, MlirType type, LLVMValueRef *bits, LLVMTypeRef to, LLVMValueRef *out_values);
/* bf16, kept as i16, to f32 and back. */
LLVMValueRef tri_gpu_from_bf16(tri_gpu *g, LLVMValueRef bits);
LLVMValueRef tri_gpu_to_bf16(tri_gpu *g, LLVMValueRef x, bool toward_zero);
/* Float narrowing that never rounds away from zero. */
LLVMValueRef tri_gpu_truncate_to_zero(tri_gpu *g, LLVMValueRef value, LLVMTypeRef type);

#endif
