/* llvm-c behind one contract on ownership and errors. */
#ifndef TRI_IR_LLVM_H
#define TRI_IR_LLVM_H

#include "base/diag.h"
#include "ir/kernel.h"
#include "ir/unit.h"

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm-c/Types.h"

/* Starts LLVM's back end for an LLVM target name ("nvptx", "x86", "aarch64", "spirv") once; only
 * those used are started, since each costs time. A name not linked in is our bug. */
void tri_llvm_start_target(const char *name);

/* The machine for a triple, for the caller alone until tri_llvm_dispose_machine; NVIDIA's have pointers of 32 bits to
 * shared, local and constant memory. `cpu` and `features` must come from our own tables: LLVM takes an unknown one
 * without an error. Null after a report. */
LLVMTargetMachineRef tri_llvm_create_machine(tri_diag *diag, const char *triple, const char *cpu,
                                             const char *features, int opt_level);
/* Null is nothing. */
void tri_llvm_dispose_machine(LLVMTargetMachineRef machine);

/* Runs a textual pipeline ("default<O2>", "sroa,instcombine<no-verify-fixpoint>"). False after a report. */
bool tri_llvm_run_passes(tri_diag *diag, LLVMModuleRef module, LLVMTargetMachineRef machine, const char *pipeline);
/* The same of one function, by passes of functions. */
bool tri_llvm_run_function_passes(tri_diag *diag, LLVMValueRef function, LLVMTargetMachineRef machine,
                                  const char *pipeline);

/* Appends assembly or object code to `out`. False after a report. */
bool tri_llvm_emit(tri_diag *diag, LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMCodeGenFileType type,
                   tri_buf *out);
/* The same without some of the code generator's passes, by the names that LLVM shows, up to a null. The process's own
 * options stay as they are. */
bool tri_llvm_emit_without(tri_diag *diag, LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMCodeGenFileType type,
                           const char *const *passes, tri_buf *out);

/* Makes functions of pieces of a function that is whole: each from starts[i], which only one block jumps to, up to
 * ends[i], in which it ends; inner pieces stand before those around them. What is not of this form stays. */
void tri_llvm_outline(LLVMValueRef function, size_t count, const LLVMBasicBlockRef *starts,
                      const LLVMBasicBlockRef *ends);

/* Appends the ELF object of assembly text, made in this process. False after a report. */
bool tri_llvm_assemble(tri_diag *diag, const char *triple, const char *cpu, tri_str text, tri_buf *out);
/* What is wrong with the text: null when it can be assembled. */
const char *tri_llvm_try_assembly(tri_diag *diag, tri_arena *arena, const char *triple, const char *cpu, tri_str text);
/* Links files as ld.lld's command line says, in this process. False after a report. */
bool tri_llvm_link_object(tri_diag *diag, const char *const *arguments, int count);

/* A text attribute of the function, in the place of one of that name. */
void tri_llvm_set_attribute(LLVMValueRef function, const char *name, const char *value);
/* One of LLVM's own attributes, of no value; of "memory" that is none. */
void tri_llvm_add_attribute(LLVMValueRef function, const char *name);
/* Whether the value is an instruction of that kind. */
bool tri_llvm_is(LLVMValueRef value, LLVMOpcode opcode);
/* The block's first instruction behind its phis. */
LLVMValueRef tri_llvm_behind_phis(LLVMBasicBlockRef block);

/* Text in (assembly; upgraded and verified), located errors; the caller owns the module. */
LLVMModuleRef tri_llvm_parse(tri_diag *diag, LLVMContextRef context, const tri_source *source);
void tri_llvm_print(LLVMModuleRef module, tri_buf *out);
/* LLVM's verifier; what it finds is our bug or the user's .ll file's, and is reported. */
bool tri_llvm_verify(tri_diag *diag, LLVMModuleRef module);

/* Links a copy of a bitcode buffer into `module`. Symbols of the bitcode that nothing refers to stay; give
 * `only_needed` to make all that it defines internal and drop what is unused. */
bool tri_llvm_link_bitcode(tri_diag *diag, LLVMModuleRef module, tri_str bitcode, bool only_needed);

/* Flags of the module that the library has, too, get the module's values in the library, so that they can be linked:
 * they tell how code is to be made. */
void tri_llvm_agree_on_flags(LLVMModuleRef module, LLVMModuleRef library);

/* Kernel facts as named metadata !tritcc.kernels, one attribute text per kernel. */
void tri_llvm_set_kernels(tri_unit *unit);
/* Reads them back into unit->kernels; false after a report when they are malformed. None is no error. */
bool tri_llvm_get_kernels(tri_unit *unit);

/* Null, or what is wrong with inline assembly of that function type: its constraints, or an operand that the text names
 * and they do not have. In the arena. */
const char *tri_llvm_check_assembly(tri_arena *arena, LLVMTypeRef type, tri_str text, tri_str constraints);

/* A private constant of the text, with a NUL behind it. */
LLVMValueRef tri_llvm_text(LLVMModuleRef module, tri_str text, const char *name);

#endif
