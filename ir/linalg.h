/* The dialects func, memref, tensor, linalg and bufferization, and MLIR's way from them to LLVM IR. */
#ifndef TRI_IR_LINALG_H
#define TRI_IR_LINALG_H

#include "llvm-c/Types.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Inserts them into a registry; tri_linalg_load makes them known to a context, for those who create operations. */
void tri_linalg_register(MlirDialectRegistry registry);
void tri_linalg_load(MlirContext context);

/* Makes the passes of bufferization and of the way to LLVM known to tri_upstream_run, and to the context what they
 * ask of operations. Once for each context. */
void tri_linalg_prepare(MlirContext context);

/* Every memref.copy as linalg.copy, which becomes a loop and no call. */
void tri_linalg_copies(MlirModule module);

/* Every memref.generic_atomic_rmw of floats as a loop over an exchange of their bits: LLVM exchanges no floats. */
void tri_linalg_float_exchanges(MlirModule module);

/* Calls of C's library, on elements, in the place of what MLIR's own lowering computes with fewer digits. */
void tri_linalg_library_calls(MlirModule module);

/* Every operation on bf16 rounds: what MLIR's passes compute in f32 may not go on there without. */
void tri_linalg_keep_roundings(MlirModule module);

/* LLVM's maxnum and the like, on elements, in the place of the comparisons that MLIR's own lowering makes of them: LLVM
 * takes time exponential in the length of a chain of these. */
void tri_linalg_extremes(MlirModule module);

/* The function again, with one more parameter, a pointer, behind all others; `function` is gone. */
LLVMValueRef tri_linalg_add_pointer(LLVMValueRef function);
/* Every call of `checked` (program x, y, z, ..., condition) in the program: where the condition does not hold, `report`
 * (error, message, file, line, x, y, z) is called, with the program's last parameter as error, and it ends. */
void tri_linalg_end_unless(LLVMValueRef program, LLVMValueRef checked, LLVMValueRef report, LLVMValueRef message,
                           LLVMValueRef file, unsigned line);

/* A module of the LLVM dialect as LLVM IR, owned by the caller; null after a report. */
LLVMModuleRef tri_linalg_translate(MlirModule module, LLVMContextRef llvm);

#ifdef __cplusplus
}
#endif

#endif
