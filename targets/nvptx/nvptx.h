/* Private to targets/nvptx. */
#ifndef TRI_TARGETS_NVPTX_NVPTX_H
#define TRI_TARGETS_NVPTX_NVPTX_H

#include "ir/unit.h"
#include "targets/gpu/gpu.h"
#include "targets/library.h"
#include "targets/target.h"

/* Its own primitives, numbered behind the shared ones. */
enum {
    TRI_NVPTX_BEFORE = TRI_MACHINE_COUNT - 1,
#define OWN(name, ...) TRI_NVPTX_##name,
#include "targets/nvptx/primitives.def"
    TRI_NVPTX_END
};

extern const tri_gpu_op tri_nvptx_ops_mma[], tri_nvptx_ops_wgmma[], tri_nvptx_ops_tma[], tri_nvptx_ops_halves[];

/* Members of tri_machine (access.c). */
void tri_nvptx_load(tri_gpu *g, const tri_machine_access *access, LLVMValueRef *other, LLVMValueRef *out_words);
void tri_nvptx_store(tri_gpu *g, const tri_machine_access *access, LLVMValueRef *words);
bool tri_nvptx_update(tri_gpu *g, const tri_machine_update *update, LLVMValueRef *out_old);
void tri_nvptx_load_rows(tri_gpu *g, const tri_plan_access *plan, LLVMValueRef row, LLVMTypeRef type,
                         LLVMValueRef *out);
void tri_nvptx_store_rows(tri_gpu *g, const tri_plan_access *plan, LLVMValueRef row, LLVMValueRef *elements);
bool tri_nvptx_assemble_source(tri_gpu *g, const tri_machine_assembly *assembly);

extern const tri_machine tri_nvptx_machine;

/* Takes the reciprocal of a number by which several others are divided once (divide.c). */
void tri_nvptx_divide(LLVMModuleRef module);
/* Adds constants that a thread's sums with one number differ by last (sums.c). */
void tri_nvptx_share_sums(LLVMModuleRef module);
/* Keeps quotients that give a stored block's place in front of the loop that they stand in front of (keep.c). */
void tri_nvptx_keep(LLVMModuleRef module);
/* Orders the instructions of blocks by the registers that live at once (order.c). */
void tri_nvptx_order(LLVMModuleRef module);
bool tri_nvptx_optimize(tri_unit *unit);
bool tri_nvptx_emit(tri_unit *unit);
bool tri_nvptx_assemble(tri_unit *unit);
/* Reports the errors that ptxas printed, `output`, of lines of the code that it read from the file `input`: at the
 * source's inline assembly that they come from, or in the source when that is the code (complaints.c). False: there
 * are none. */
bool tri_nvptx_tell_complaints(tri_unit *unit, tri_str code, tri_str input, tri_str output);
tri_str tri_nvptx_assemble_command(tri_unit *unit, tri_str input, tri_str output);
bool tri_nvptx_list(tri_unit *unit, tri_buf *out);
/* Says in PTX text what was inlined where (lines.c). */
void tri_nvptx_add_inlining(tri_unit *unit, tri_buf *text);
/* Of text: whether `word` stands in it; its first line, which *text then begins behind. */
bool tri_nvptx_has(tri_str text, const char *word);
tri_str tri_nvptx_next_line(tri_str *text);
/* How many blocks of the kernel a multiprocessor holds with so many registers a thread; 0: nobody knows. */
int tri_nvptx_blocks(const tri_machine_facts *arch, const tri_kernel *kernel, int registers);
/* Makes a cubin of PTX text and reads what ptxas says of the kernels. False after a report. */
bool tri_nvptx_run_ptxas(tri_unit *unit, tri_str tool, tri_str code, tri_str *out_cubin);
/* -ffit-registers: assembles again with fewer registers where one more block fits then. False after a report. */
bool tri_nvptx_fit_registers(tri_unit *unit, tri_str tool, tri_str code, tri_str *cubin);
/* --resource-usage (target.h). */
bool tri_nvptx_measure(tri_unit *unit, tri_str code);
tri_resources tri_nvptx_resources(const tri_unit *unit, const tri_kernel *kernel, tri_str code);
/* Appends a fat binary with a cubin or PTX as its only image (fatbin.c). */
void tri_nvptx_wrap_image(const tri_unit *unit, tri_str image, bool is_ptx, tri_buf *out);
/* Appends an LZ4 block (lz4.c). */
void tri_nvptx_compress(tri_str data, tri_buf *out);

/* Links the functions of libraries that the module calls; nothing when it calls none. False after a report. */
bool tri_nvptx_link(const tri_library_job *job);

#endif
