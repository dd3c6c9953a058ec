/* Private to targets/gpu: registers to and from shared memory as an access plan says. */
#ifndef TRI_TARGETS_GPU_EXCHANGE_H
#define TRI_TARGETS_GPU_EXCHANGE_H

#include "targets/gpu/gpu.h"

/* Where the plan's offsets count from. */
typedef struct {
    LLVMValueRef base;            /* pointer to shared memory */
    int element_bits;
    uint64_t corner;              /* xored into every offset: the first element of a slice */
    const tri_encoding *padding;  /* padded_shared encoding, or null */
    bool is_read_by_products;     /* of warp groups, which see only what was fenced */
    /* Filled as places are asked for: the pointers whose register part, as far as it shares bits with
     * the thread's part, is `bits`. */
    struct {
        uint64_t bits;
        LLVMValueRef pointer;
    } known[16];
    int num_known;
    LLVMValueRef thread_offset;
} tri_gpu_buffer;

/* Number of an element, before padding, as bytes behind the base. */
LLVMValueRef tri_gpu_exchange_bytes(tri_gpu *g, const tri_gpu_buffer *buffer, LLVMValueRef element);

/* Pointer to the place of register `reg` under a map from thread and register to offset. */
LLVMValueRef tri_gpu_exchange_place(tri_gpu *g, const tri_linear *map, tri_gpu_buffer *buffer, uint64_t reg);

/* Stores or loads the registers whose iteration is `round`; registers with a bit in `copies` are left
 * out. Loaded values are written to out->at[register]. */
void tri_gpu_access_store(tri_gpu *g, const tri_plan_access *plan, tri_gpu_buffer *buffer, int round, uint64_t copies,
                          tri_gpu_value values);
void tri_gpu_access_load(tri_gpu *g, const tri_plan_access *plan, tri_gpu_buffer *buffer, int round, uint64_t copies,
                         LLVMTypeRef type, tri_gpu_value *out);

#endif
