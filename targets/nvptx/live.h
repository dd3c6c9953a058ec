/* Private to targets/nvptx: which values live behind a block of LLVM IR. */
#ifndef TRI_TARGETS_NVPTX_LIVE_H
#define TRI_TARGETS_NVPTX_LIVE_H

#include "base/map.h"
#include "base/vec.h"

#include "llvm-c/Core.h"

typedef TRI_VEC(int) tri_nvptx_int_list;

typedef struct {
    LLVMBasicBlockRef block;
    tri_nvptx_int_list from; /* blocks that jump here */
    tri_map live_out;        /* values */
} tri_nvptx_flow_block;

typedef struct {
    tri_arena *arena;
    tri_map index; /* block -> tri_nvptx_flow_block */
    tri_nvptx_int_list todo;
    tri_nvptx_flow_block *blocks;
    int count;
    int most; /* 16-bit units of registers that a thread may have */
} tri_nvptx_flow;

/* What a value takes, in units of 16 bits of registers. */
int tri_nvptx_weight(LLVMTypeRef type);

/* Fills all of `f` but `arena` and `most`, which the caller sets. */
void tri_nvptx_find_live(tri_nvptx_flow *f, LLVMValueRef function);

/* What the values take that live behind a block. */
int64_t tri_nvptx_live_out(const tri_nvptx_flow_block *block);

#endif
