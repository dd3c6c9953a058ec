/* Plain C form of every layout attribute. One struct per kind, no MLIR; ir/encoding.h converts to
 * and from attributes, layout/linear.h to and from linear layouts. Field names and meanings are
 * those of the `ttg` attributes of the same name; encoding.def has the rows. */
#ifndef TRI_LAYOUT_ENCODING_H
#define TRI_LAYOUT_ENCODING_H

#include <stdbool.h>
#include <stdint.h>

enum { TRI_MAX_RANK = 12, TRI_MAX_BASES = 32 };

typedef enum {
    TRI_ENC_NONE,
#define LAYOUT(kind, ...) TRI_ENC_##kind,
#include "layout/encoding.def"
} tri_encoding_kind;

/* Bases of one input dimension: for input bit i, the coordinate it adds in every output dimension. */
typedef struct {
    int count;
    int32_t at[TRI_MAX_BASES][TRI_MAX_RANK];
} tri_bases;

typedef struct tri_encoding tri_encoding;
struct tri_encoding {
    tri_encoding_kind kind;
    int rank;                 /* of the tensors or buffers that carry it */
    const tri_encoding *parent; /* slice, dot_op, partitioned_shared; in the same arena */
    int32_t order[TRI_MAX_RANK];          /* blocked, swizzled, padded, rotating, intel's: fastest dimension first */
    int32_t warps_per_cta[TRI_MAX_RANK];  /* blocked, mma, mfma, dpas, intel_block */
    int32_t instr_shape[3];               /* mma (2 or 3 used), mfma, wmma, intel_block */
    int instr_rank;
    int version_major, version_minor;     /* mma; mfma and wmma use version_major */
    tri_bases cga;                        /* CGALayout: empty means a single CTA */
    union {
        struct { /* blocked, intel_warp */
            int32_t size_per_thread[TRI_MAX_RANK];
            int32_t threads_per_warp[TRI_MAX_RANK];
        } blocked;
        struct { /* linear, generic_linear */
            tri_bases reg, lane, warp, block;
        } linear;
        struct {
            int32_t dim;
        } slice;
        struct {
            int32_t op_idx, k_width;
        } dot_op;
        struct { /* amd_mfma, amd_wmma */
            bool is_transposed;
            int32_t tiles_per_warp[TRI_MAX_RANK];
            int32_t element_bits;
            tri_bases wmma_warp, wmma_reg; /* amd_wmma ctaLayout */
        } amd;
        struct {
            int32_t repeat_count, systolic_depth, execution_size, ops_per_channel, threads_per_warp;
            int32_t fp4_k_pack; /* 2: two e2m1 of a byte lie along K; 0: no such operands */
            int32_t rep_cluster[TRI_MAX_RANK];
        } dpas;
        struct { /* intel_block */
            int32_t num_blocks, k_width, threads_per_warp;
        } block;
        struct { /* swizzled_shared, amd_rotating_shared */
            int32_t vec, per_phase, max_phase;
        } swizzled;
        struct {
            int32_t swizzle_bytes, element_bits;
            bool is_transposed, is_fp4_padded;
        } nvmma;
        struct {
            int count;
            int32_t interval[8], padding[8];
            bool has_bases;          /* offset and block are given instead of order and shape */
            int32_t shape[TRI_MAX_RANK];
            tri_bases offset, block;
        } padded;
        struct {
            tri_bases offset, block;
            int32_t alignment;
        } shared_linear;
        struct {
            int32_t num_partitions, num_groups, partition_dim;
        } partitioned;
        struct { /* tensor_memory, tensor_memory_scales */
            int32_t block_m, block_n, col_stride;
            bool two_ctas, is_fp4_padded;
        } tmem;
    };
};

#endif
