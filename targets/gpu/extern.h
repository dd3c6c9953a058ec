/* Functions of the device's library, and the source's own assembly. */
#ifndef TRI_TARGETS_GPU_EXTERN_H
#define TRI_TARGETS_GPU_EXTERN_H

#include "targets/gpu/gpu.h"

/* Calls `name` (without the library's prefix) of C's mathematical functions, which has no side effects; the
 * simulator calls the host's. Null after a report at `op` when the device has no library. */
LLVMValueRef tri_gpu_call_library(tri_gpu *g, MlirOperation op, tri_str name, LLVMValueRef *args, int num_args,
                                  LLVMTypeRef result);

/* The first constraint that is no register of these letters, none by its name, no operand's number and no clobber.
 * Empty: each of them is one. */
tri_str tri_gpu_foreign_constraint(tri_str constraints, const char *letters);

/* The assembly as LLVM's, for families whose back end reads it. False after a report. */
bool tri_gpu_inline_asm(tri_gpu *g, const tri_machine_assembly *assembly);

#endif
