/* Private to targets/nvptx: one piece of inline PTX while it is put together. First its results, then its operands;
 * then the text may name them. */
#ifndef TRI_TARGETS_NVPTX_TEXT_H
#define TRI_TARGETS_NVPTX_TEXT_H

#include "targets/gpu/gpu.h"

typedef struct {
    tri_buf text, constraints;
    LLVMTypeRef *types; /* of the results */
    LLVMValueRef *args;
    int num_results, num_args, room;
} tri_nvptx_text;

/* For at most `room` results and as many operands. Ended by tri_nvptx_text_call. */
tri_nvptx_text tri_nvptx_text_begin(tri_gpu *g, int room);
/* is_early: written before all operands are read. */
void tri_nvptx_text_add_results(tri_gpu *g, tri_nvptx_text *t, LLVMTypeRef type, int count, bool is_early);
/* The operand's number; in the register of result `tie` when that is not negative. */
int tri_nvptx_text_add(tri_gpu *g, tri_nvptx_text *t, LLVMValueRef value, int tie);
/* "{$4, $5}", the braces only around several when not `always`. */
void tri_nvptx_text_list(tri_nvptx_text *t, int first, int count, bool always);
/* `out` takes the results. */
void tri_nvptx_text_call(tri_gpu *g, tri_nvptx_text *t, int flags, LLVMValueRef *out);

#endif
