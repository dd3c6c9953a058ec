/* A product's operands arrive slice by slice, not all of them in front of it, which no thread has registers for. */
#ifndef TRI_TARGETS_GPU_SINK_H
#define TRI_TARGETS_GPU_SINK_H

#include "base/arena.h"

#include "llvm-c/Core.h"

#include <stdbool.h>

/* Parts of names, the last null: of functions that read memory and do nothing else, of those that touch none (LLVM's
 * own say so themselves), and of products, whose blocks sink what is computed of loads, too. */
typedef struct {
    const char *const *reads, *const *pure, *const *products;
    const char *const *casts; /* of functions that convert one number; null: there are none */
    bool is_shared_only; /* of loads only those of shared memory move, and nothing from block to block */
} tri_gpu_sinking;

/* Moves loads, and what takes their words apart, in front of their first user, within a block of instructions and not
 * across what may write. The device's compiler moves what it likes further up again. */
void tri_gpu_sink_loads(tri_arena *arena, LLVMModuleRef module, const tri_gpu_sinking *rules);

/* What LLVM knows of a call, by the call itself or the function: one of its own attributes, null without it. */
LLVMAttributeRef tri_gpu_call_attribute(LLVMValueRef call, const char *name);
bool tri_gpu_touches_nothing(LLVMValueRef call); /* no memory */

#endif
