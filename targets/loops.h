/* What a loop of the module asks of LLVM. */
#ifndef TRI_TARGETS_LOOPS_H
#define TRI_TARGETS_LOOPS_H

#include <llvm-c/Types.h>
#include <mlir-c/IR.h>

/* The jump back of a loop gets what the loop's llvm.loop_annotation says: that nothing is hoisted out of it. */
void tri_loops_annotate(MlirOperation loop, LLVMValueRef jump);

#endif
