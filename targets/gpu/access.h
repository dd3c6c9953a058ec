/* Private to targets/gpu: how the registers of a tensor are grouped into memory accesses. */
#ifndef TRI_TARGETS_GPU_ACCESS_H
#define TRI_TARGETS_GPU_ACCESS_H

#include "targets/gpu/gpu.h"

/* The last of tt's numbers for how long a cache keeps what an access touches; behind it are those of ir/hints.h. */
enum { TRI_MACHINE_EVICT_LAST = 3 };

/* Registers of one access: consecutive places in memory. */
typedef struct {
    int vec;    /* elements per access */
    int count;  /* accesses; copies of other registers are left out */
    int *reg;   /* [access * vec + element] */
    tri_gpu_layout *layout; /* null for a scalar */
    /* What keeps an access from being wider, with the elements that it allows. */
    enum { TRI_LIMIT_NONE, TRI_LIMIT_ADDRESS, TRI_LIMIT_ALIGNMENT, TRI_LIMIT_MASK, TRI_LIMIT_LAYOUT } limit;
} tri_gpu_groups;

/* Accesses through a tensor (or scalar) of pointers to elements of `bits` bits: as wide as the
 * pointers' runs, the layout and the mask (may be null) allow. False after a report. */
bool tri_gpu_group_pointers(tri_gpu *g, MlirOperation op, MlirValue pointer, MlirValue mask, int bits, int max_bits,
                            tri_gpu_groups *out_groups);
/* The limit (which is not NONE) in words; accesses take `bytes`. */
const char *tri_gpu_limit_text(tri_gpu *g, const tri_gpu_groups *groups, int bytes);
/* Fills the copies from the registers that they are copies of. */
void tri_gpu_fill_copies(tri_gpu *g, const tri_gpu_groups *groups, tri_gpu_value *values);

/* A run of equally typed scalars as machine words, and back. Words are as wide as the element, or
 * up to 32 bits when elements are smaller. */
typedef struct {
    LLVMTypeRef element; /* as it is in registers */
    int element_bits;    /* in memory: booleans take 8 */
    int per_word;
    LLVMTypeRef word;
    int words;
} tri_gpu_packing;

tri_gpu_packing tri_gpu_plan_packing(tri_gpu *g, LLVMTypeRef element, int count);
void tri_gpu_pack(tri_gpu *g, const tri_gpu_packing *p, LLVMValueRef *elements, LLVMValueRef *out_words);
void tri_gpu_unpack(tri_gpu *g, const tri_gpu_packing *p, LLVMValueRef *words, LLVMValueRef *out_elements);

/* Memory accesses of these words; access->word and ->words need not be set. Without a predicate and the like a plain
 * LLVM instruction, whose alignment is the whole size. `other` are the words when the predicate is false. */
void tri_gpu_load_words(tri_gpu *g, const tri_gpu_packing *p, const tri_machine_access *access, LLVMValueRef *other,
                        LLVMValueRef *out_words);
void tri_gpu_store_words(tri_gpu *g, const tri_gpu_packing *p, const tri_machine_access *access, LLVMValueRef *words);

/* What access->base is for accesses through a tensor of pointers or a pointer; null: none. */
LLVMValueRef tri_gpu_access_base(tri_gpu *g, MlirValue pointer);
/* Bytes from the base to the pointer modulo 2^32, as i32. */
LLVMValueRef tri_gpu_access_offset(tri_gpu *g, LLVMValueRef base, LLVMValueRef pointer);

/* Says of an instruction that it is one of the copies for which waits count instructions (has_row_copies); all other
 * accesses to shared memory are said to be none, as barriers and waits stand between them: LLVM adds no waits. */
void tri_gpu_mark_row_copy(tri_gpu *g, LLVMValueRef instruction);

/* i1: thread 0 of the block; for scalar writes. */
LLVMValueRef tri_gpu_first_thread(tri_gpu *g);
/* Who writes a block of this layout, or a scalar, to memory that all programs see: of those who have the same number
 * one thread of a cluster. Null: every thread. */
LLVMValueRef tri_gpu_writer(tri_gpu *g, const tri_gpu_layout *layout);

#endif
