/* What the C++ island gives to the C side of ir/: only files in ir/ include this. */
#ifndef TRI_IR_ISLAND_H
#define TRI_IR_ISLAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/encoding.h"

#include "llvm-c/TargetMachine.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Inserts tt ttg ttng nvws ttig amdg arith math scf cf ub llvm into the registry (ir/dialects.cpp). */
void tri_island_register(MlirDialectRegistry registry);

/* Parses a module (an implicit one around bare operations), brings what other releases of Triton spell
 * otherwise to our form (ir/releases.cpp) and verifies it; null after reports. */
MlirModule tri_island_parse(MlirContext context, MlirStringRef text, MlirStringRef name);
/* Calls `tell` with the name of each value of the text, as it is spelled: of operations in program order first the
 * results, then the arguments of their blocks. Null where the text has none. False when it cannot be parsed. */
bool tri_island_value_names(MlirContext context, MlirStringRef text, void (*tell)(const char *name, size_t len, void *),
                            void *data);
/* A copy of the module with the operations and attributes that a release of Triton has (306 is 3.6); null after
 * reports. Until tri_island_respell_end, which ends the copy, types are printed as that release does. */
MlirModule tri_island_respell(MlirModule module, unsigned release);
void tri_island_respell_end(MlirModule copy);

/* Op properties and structure that mlir-c does not reach (ir/shims.cpp). */
bool tri_island_op_is_pure(MlirOperation op);
bool tri_island_op_has_effects(MlirOperation op);
bool tri_island_op_is_trivially_dead(MlirOperation op);
bool tri_island_op_dominates(MlirOperation a, MlirOperation b);
MlirBlock tri_island_split_block(MlirBlock block, MlirOperation before);
void tri_island_splice(MlirBlock dest, MlirOperation before, MlirBlock source);
MlirOperation tri_island_previous(MlirOperation op);
/* A clone, not inserted, in which uses of from[i] became to[i]. */
MlirOperation tri_island_clone(MlirOperation op, intptr_t n, const MlirValue *from, const MlirValue *to);

/* Makes functions of pieces of a whole function (ir/outline.cpp): each from starts[i], which only one block jumps
 * to, up to ends[i], in which it ends; inner pieces stand before those around them. What is not of this form stays. */
void tri_island_outline(LLVMValueRef function, size_t count, const LLVMBasicBlockRef *starts,
                        const LLVMBasicBlockRef *ends);

/* Code generators (ir/codegen.cpp): code made without some passes, by the names that they show, up to a null; null when
 * the target makes no such file. */
LLVMMemoryBufferRef tri_island_emit_without(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                            LLVMCodeGenFileType type, const char *const *passes);
/* A machine, made, or one that was given back. NVIDIA's have pointers of 32 bits to shared, local and constant
 * memory. */
LLVMTargetMachineRef tri_island_take_machine(LLVMTargetRef target, const char *triple, const char *cpu,
                                             const char *features, LLVMCodeGenOptLevel level);
void tri_island_give_machine(LLVMTargetMachineRef machine);
/* tri_llvm_agree_on_flags */
void tri_island_agree_on_flags(LLVMModuleRef module, LLVMModuleRef library);

/* Machine code (ir/machine_code.cpp). An object of assembly text, which the caller frees; null with an error, which it
 * frees, too. The target must have been started with its parser. */
char *tri_island_assemble(LLVMTargetMachineRef machine, const char *text, size_t size, size_t *out_size,
                          char **out_error);
/* Links files as ld.lld's command line says. Null, or what is wrong, which the caller frees. */
char *tri_island_link(const char *const *arguments, int count);

/* What is wrong with the constraints of inline assembly of that type, for LLVMDisposeMessage; or null. */
char *tri_island_check_assembly(LLVMTypeRef type, const char *constraints, size_t length);
/* `handler`, which does not return, takes the failed allocations of C++ and of LLVM. */
void tri_island_guard_memory(void (*handler)(void));

/* Types and layout attributes (ir/handles.cpp). A getter of another kind's type gives null. */
MlirType tri_island_ptr_make(MlirType pointee, unsigned space);
MlirType tri_island_ptr_pointee(MlirType type);
MlirType tri_island_block_ptr_block(MlirType type);
unsigned tri_island_ptr_space(MlirType type);
MlirType tri_island_desc_make(MlirType block);
MlirType tri_island_desc_block(MlirType type);
MlirType tri_island_token(MlirContext context);

/* Borrowed from the type. */
typedef struct {
    intptr_t rank, alloc_rank;
    const int64_t *shape, *alloc_shape;
    MlirType element;
    MlirAttribute encoding, space;
    bool is_mutable;
} tri_island_memdesc;
MlirType tri_island_memdesc_make(intptr_t rank, const int64_t *shape, MlirType element, MlirAttribute encoding,
                                 MlirAttribute space, bool is_mutable, intptr_t alloc_rank, const int64_t *alloc_shape);
bool tri_island_memdesc_get(MlirType type, tri_island_memdesc *out);

/* The stored words of a layout (layout/encoding_words.h); count 0 for other attributes. */
const int32_t *tri_island_layout_words(MlirAttribute attr, size_t *out_count);
MlirAttribute tri_island_layout_parent(MlirAttribute attr);
MlirAttribute tri_island_layout_make(MlirContext context, tri_encoding_kind kind, size_t count, const int32_t *words,
                                     MlirAttribute parent);
MlirAttribute tri_island_shared_space(MlirContext context);
MlirAttribute tri_island_tensor_space(MlirContext context);

#ifdef __cplusplus
}
#endif

#endif
