/* An object on its way: the LLVM module of the launchers and tables, in which the code and the runtime stand as
 * assembly. Private to targets/object. */
#ifndef TRI_TARGETS_OBJECT_WRITER_H
#define TRI_TARGETS_OBJECT_WRITER_H

#include "targets/object/object.h"
#include "targets/object/record.h"

typedef struct {
    const tri_bundle *bundle;
    tri_arena *arena;
    tri_diag *diag;
    LLVMContextRef llvm;
    LLVMModuleRef module; /* owned by object.c */
    LLVMBuilderRef b;
    LLVMTypeRef i8, i16, i32, i64, f32, f64, ptr;
} tri_writer;

/* Private constant data of the object. */
LLVMValueRef tri_writer_constant(tri_writer *w, LLVMValueRef init, const char *name);
LLVMValueRef tri_writer_text(tri_writer *w, tri_str text);
/* An array of structures; null when there are none. */
LLVMValueRef tri_writer_array(tri_writer *w, LLVMTypeRef type, LLVMValueRef *values, size_t count, const char *name);
/* Zeros that the launcher fills in. */
LLVMValueRef tri_writer_state(tri_writer *w, LLVMTypeRef type, size_t count, const char *name);

/* tables.c: what the runtime is told of a kernel (tri_rt_kernel), and the rows of k_variants with their number. */
/* Null after a report. */
LLVMValueRef tri_writer_kernel(tri_writer *w, const tri_object_kernel *kernel, const tri_object_args *args);
LLVMValueRef tri_writer_variants(tri_writer *w, const tri_object_kernel *kernel, size_t *out_count);

/* grid.c: what the heuristics of a part compute, of its general form, and what of that a form is for; null where there
 * are none. False after a report. */
bool tri_writer_heuristics(tri_writer *w, const tri_kernel *k, const tri_object_args *args, LLVMValueRef *out,
                           size_t *out_count);
LLVMValueRef tri_writer_computed(tri_writer *w, const tri_kernel *k);
/* grid.c: the steps that compute a form's grid; null where it has none. False after a report. */
bool tri_writer_grid(tri_writer *w, const tri_kernel *k, const tri_object_args *args, LLVMValueRef *out,
                     size_t *out_count);

/* assembly.c: the word at `i`, or what is no word: a character, or a whole string. */
tri_str tri_assembly_token(tri_str text, size_t i);
bool tri_assembly_is_word(tri_str token);
/* assembly.c: the text with names of its own for what is local to it, so that it can stand behind others. */
tri_str tri_writer_separate(tri_writer *w, tri_str assembly, size_t number);

/* runtime.c: a function of the runtime, or a constant, declared in the module; named as in runtime/launch. */
LLVMValueRef tri_writer_runtime_function(tri_writer *w, const char *name, LLVMTypeRef type);
LLVMValueRef tri_writer_runtime_value(tri_writer *w, const char *name);
/* runtime.c: code of kernels with the names that the runtime's functions have in this release. */
tri_str tri_writer_version(tri_writer *w, tri_str code);
/* runtime.c: appends to the module's assembly what it and the code of kernels need of the runtime. */
void tri_writer_add_runtime(tri_writer *w, const char *triple, tri_str code);

/* Appends lines on a kernel for people: its parameters, then each variant with its image. */
void tri_writer_describe(tri_writer *w, const tri_object_kernel *kernel, tri_buf *out);

/* tuning.c: the table of a kernel (tri_rt_tuning), in *out; null when there is none for it. False after a report. */
bool tri_writer_tuning(tri_writer *w, const tri_object_kernel *kernel, const tri_object_args *args, uint64_t configs,
                       LLVMValueRef *out);

/* registry.c: what tritcc_kernel_find tells of the kernels, whose functions are there. */
void tri_writer_register(tri_writer *w, const tri_object_kernels *kernels);

/* launcher.c: a function that runs before it is known what the processor has. */
void tri_writer_any_processor(tri_writer *w, LLVMValueRef fn);
/* launcher.c: the functions of a kernel. False after a report. */
bool tri_writer_functions(tri_writer *w, const tri_object_kernel *kernel);

#endif
