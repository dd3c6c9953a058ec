/* Private to targets/gpu: atomic updates. */
#ifndef TRI_TARGETS_GPU_ATOMIC_H
#define TRI_TARGETS_GPU_ATOMIC_H

#include "targets/gpu/gpu.h"

/* The machine's update, or LLVM's own. The old values are anything where the predicate is false, or without users. */
void tri_gpu_update(tri_gpu *g, const tri_machine_update *update, LLVMValueRef *out_old);

/* old <- [pointer] op value, relaxed, within the block; `kind` is the number that tt.atomic_rmw has for it. `pred`
 * null: always. The old value is anything where `pred` is false, or when it has no users. */
LLVMValueRef tri_gpu_atomic_shared(tri_gpu *g, int kind, LLVMValueRef pointer, LLVMValueRef value, LLVMValueRef pred,
                                   bool has_users);

#endif
