/* Private to scf.c and slices.c: what loops carry. */
#ifndef TRI_TARGETS_CPU_SLICES_H
#define TRI_TARGETS_CPU_SLICES_H

#include "targets/cpu/cpu.h"

enum { TRI_CPU_MAX_VALUES = 64 };

/* Of a loop: blocks, which are in memory, and others: scalars, and blocks that grow by one number, which are that
 * number. Arrays of LLVM values below are of the others only. */
typedef struct {
    MlirOperation op;
    int n;
    MlirValue inits[TRI_CPU_MAX_VALUES], args[TRI_CPU_MAX_VALUES], steps[TRI_CPU_MAX_VALUES], next[TRI_CPU_MAX_VALUES];
    bool is_block[TRI_CPU_MAX_VALUES];
    LLVMValueRef slots[TRI_CPU_MAX_VALUES]; /* of blocks */
} tri_cpu_loop_values;

/* scf.c */
void tri_cpu_loop_first(tri_cpu_gen *g, const tri_cpu_loop_values *v, LLVMValueRef *out); /* in front of the loop */
/* At the builder's position. */
void tri_cpu_loop_phis(tri_cpu_gen *g, const tri_cpu_loop_values *v, const LLVMValueRef *first,
                       LLVMBasicBlockRef before, LLVMValueRef *out);
void tri_cpu_loop_bind(tri_cpu_gen *g, const tri_cpu_loop_values *v, const LLVMValueRef *phis); /* the arguments */
void tri_cpu_loop_next(tri_cpu_gen *g, const tri_cpu_loop_values *v, const LLVMValueRef *phis, LLVMValueRef *out);
void tri_cpu_loop_back(const tri_cpu_loop_values *v, LLVMValueRef *phis, LLVMValueRef *values, LLVMBasicBlockRef latch);
void tri_cpu_loop_results(tri_cpu_gen *g, const tri_cpu_loop_values *v, const LLVMValueRef *phis);

/* slices.c: emits the loop, if it is one whose blocks can stay in registers. */
bool tri_cpu_slices_op(tri_cpu_gen *g, tri_cpu_loop_values *v);

#endif
