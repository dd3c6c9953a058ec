/* Private to targets/intel. */
#ifndef TRI_TARGETS_INTEL_INTEL_H
#define TRI_TARGETS_INTEL_INTEL_H

#include "ir/unit.h"
#include "targets/gpu/gpu.h"

/* Its own primitives, numbered behind the shared ones: the rows of ir/dpas.def, then of ir/block_io.def. */
enum {
    TRI_INTEL_BEFORE = TRI_MACHINE_COUNT - 1,
#define X(name, ...) TRI_INTEL_##name,
#include "ir/dpas.def"
#undef X
    TRI_INTEL_BLOCKS,
    TRI_INTEL_BEFORE_BLOCKS = TRI_INTEL_BLOCKS - 1,
#define X(name, ...) TRI_INTEL_##name,
#include "ir/block_io.def"
    TRI_INTEL_END
};

extern const tri_gpu_op tri_intel_ops_dpas[], tri_intel_ops_block[], tri_intel_ops_prefetch[], tri_intel_ops_rounding[],
    tri_intel_ops_barrier[];
extern const tri_machine tri_intel_machine;

/* How many sub-groups of how many lanes run a block, from what the options say: more, or narrower ones, where its
 * tensors would not fit their registers. */
void tri_intel_share_block(const tri_unit *unit, int *warps, int *lanes);

/* A block load that waits until a product asks for its elements; null: the operand is none. */
typedef struct tri_intel_part tri_intel_part;
tri_intel_part *tri_intel_part_open(tri_gpu *g, MlirValue operand);
/* Loads the message that fills a register, unless it has been. */
void tri_intel_part_load(tri_intel_part *part, int reg, tri_gpu_value *out);

/* A call of a function of the device's compiler, for all lanes of a sub-group together. */
LLVMValueRef tri_intel_call(tri_gpu *g, const char *name, LLVMTypeRef result, LLVMValueRef *args, int num_args);

/* f32 <-> the bits of bf16, by the machine's own conversion; null: where there is none. */
LLVMValueRef tri_intel_convert_bf16(tri_gpu *g, LLVMValueRef x);

/* The load_cached and store_cached of tri_machine. */
LLVMValueRef tri_intel_load_cached(tri_gpu *g, const tri_machine_access *a, LLVMTypeRef type);
bool tri_intel_store_cached(tri_gpu *g, const tri_machine_access *a, LLVMValueRef value);

/* SPIR-V -> zebin, by ocloc; takes its figures. False after a report. */
bool tri_intel_assemble(tri_unit *unit);
/* How functions of Intel's compilers for barriers in two halves begin (barrier.c). */
#define TRI_INTEL_BARRIER_HALF "__builtin_IB_thread_group_barrier_"
/* The command of ocloc that does so, for a shell. (What spills is compiled once more, with more registers.) */
tri_str tri_intel_assemble_command(tri_unit *unit, tri_str input, tri_str output);
/* Where ocloc made nothing of `code`: was it made here, or does it keep SPIR-V's rules? False after a report. */
bool tri_intel_is_valid(tri_unit *unit, tri_str code);
/* Reports what the log of ocloc, run as `argv` on the SPIR-V `code`, says, at the kernels' places. Returns false. */
bool tri_intel_tell_complaints(tri_unit *unit, const char *const *argv, tri_str code, tri_str log);
/* The figures alone; without ocloc they stay unknown. */
bool tri_intel_measure(tri_unit *unit, tri_str code);

#endif
