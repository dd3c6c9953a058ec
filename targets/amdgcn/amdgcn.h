/* Private to targets/amdgcn. */
#ifndef TRI_TARGETS_AMDGCN_AMDGCN_H
#define TRI_TARGETS_AMDGCN_AMDGCN_H

#include "ir/unit.h"
#include "targets/gpu/gpu.h"
#include "targets/library.h"
#include "targets/target.h"

/* Its own primitives, numbered behind the shared ones: the rows of ir/amd_matrix.def, in that order. */
enum {
    TRI_AMDGCN_BEFORE = TRI_MACHINE_COUNT - 1,
#define OWN(name, ...) TRI_AMDGCN_##name,
#include "targets/amdgcn/primitives.def"
    TRI_AMDGCN_END
};

/* LLVM's fence; `is_local`: of shared memory alone (machine.c). */
void tri_amdgcn_fence(tri_gpu *g, const char *scope, LLVMAtomicOrdering ordering, bool is_local);

extern const tri_gpu_op tri_amdgcn_ops_matrix[], tri_amdgcn_ops_hints[], tri_amdgcn_ops_copies[];
/* Members of tri_machine (buffer.c). */
void tri_amdgcn_load_at(tri_gpu *g, const tri_machine_access *access, LLVMValueRef offset, LLVMValueRef *other,
                        LLVMValueRef *out_words);
void tri_amdgcn_store_at(tri_gpu *g, const tri_machine_access *access, LLVMValueRef offset, LLVMValueRef *words);
/* The resource and the offset (as i32) of an access: the first two arguments of buffer instructions behind the value.
 */
void tri_amdgcn_address(tri_gpu *g, const tri_machine_access *access, LLVMValueRef offset, LLVMValueRef out[2]);
/* Shared memory at `shared` + i * bytes <- [pointer] of lane i; zero where the predicate is false. */
void tri_amdgcn_copy_row(tri_gpu *g, const tri_machine_access *access, LLVMValueRef shared, int bytes);
/* ... (update.c) */
bool tri_amdgcn_update(tri_gpu *g, const tri_machine_update *u, LLVMValueRef *out_old);
void tri_amdgcn_mark_update(tri_gpu *g, LLVMValueRef rmw);
/* ... (assembly.c) */
bool tri_amdgcn_assemble_source(tri_gpu *g, const tri_machine_assembly *a);

extern const tri_machine tri_amdgcn_machine;

bool tri_amdgcn_optimize(tri_unit *unit);
/* The same passes over the simulator's code, without what asks for AMD's libraries and registers. */
bool tri_amdgcn_optimize_simulated(tri_unit *unit);
/* Their view of the simulator's memory: shared memory is indexed by 32 bits as on the chips, from pointers of the host.
 */
extern const char tri_amdgcn_simulated_layout[];
bool tri_amdgcn_emit(tri_unit *unit);
/* Writes out the rounding of floats to bf16 (round.c). */
void tri_amdgcn_round_to_bf16(LLVMModuleRef module);
/* Gives numbers of loops 32 bits where no more are used (narrow.c). True: something changed. */
bool tri_amdgcn_narrow_numbers(tri_arena *arena, LLVMModuleRef module);
/* Keeps one of a loop's counters that stay a constant apart, before LLVM's passes (counters.c). */
void tri_amdgcn_merge_counters(tri_arena *arena, LLVMModuleRef module);
/* Takes pairs of floats apart that cost more moves than they save instructions (unpack.c). */
void tri_amdgcn_unpack_floats(tri_arena *arena, LLVMModuleRef module);
/* Puts constants of addresses of shared memory where instructions add them (addresses.c). */
void tri_amdgcn_move_constants(LLVMModuleRef module);
/* Counts the offsets of pointers that loops hand on, before LLVM's passes (offsets.c). */
void tri_amdgcn_count_offsets(tri_arena *arena, LLVMModuleRef module);
/* Compares distances where neighbouring indices are compared with one number (equal.c). */
void tri_amdgcn_compare_distances(tri_arena *arena, LLVMModuleRef module);
/* Assembly -> code object (hsaco), in this process. False after a report. */
bool tri_amdgcn_assemble(tri_unit *unit);
/* Registers and spills of the kernels, from the metadata that stands in the assembly. */
bool tri_amdgcn_measure(tri_unit *unit, tri_str code);
/* Makes the code of `spare`, which it takes, in the place of the unit's, where that lets more blocks run
 * (registers.c). */
bool tri_amdgcn_fit_registers(tri_unit *unit, LLVMModuleRef spare);
tri_resources tri_amdgcn_resources(const tri_unit *unit, const tri_kernel *kernel, tri_str code);
bool tri_amdgcn_emit_text(tri_unit *unit); /* with the facts; false after a report */
bool tri_amdgcn_link(const tri_library_job *job);

#endif
