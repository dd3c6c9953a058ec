/* Encodings -> linear layouts, and back. */
#ifndef TRI_LAYOUT_CONVERT_H
#define TRI_LAYOUT_CONVERT_H

#include "layout/linear.h"

/* The layout of a tensor or buffer of `shape` (powers of two) under `encoding`. Inputs are
 * register, lane, warp, block for distributed encodings (always all four, in this order), and
 * offset, block for shared ones (offset counts elements, before padding); outputs are dim0.. .
 * False, with *out_why (a static text, may be null) set, when the encoding has no linear layout:
 * bad shape, or a kind that is not a map of elements. */
bool tri_convert_to_linear(const tri_encoding *encoding, int rank, const int64_t *shape, tri_linear *out_layout,
                           const char **out_why);
/* Whether values of this encoding live in registers, or in shared memory. */
bool tri_convert_is_distributed(const tri_encoding *encoding);
bool tri_convert_is_shared(const tri_encoding *encoding);
/* Results of matrix instructions, whoever makes them. */
bool tri_convert_is_matrix(const tri_encoding *encoding);

/* The `linear` encoding with exactly these bases (inputs register, lane, warp, block). */
tri_encoding tri_convert_from_linear(const tri_linear *layout);

/* Two encodings that give the same layout on this shape. */
bool tri_convert_same_layout(const tri_encoding *a, const tri_encoding *b, int rank, const int64_t *shape);

/* The default `blocked` encoding: threads are dealt out along order[0] first. shape is per CTA. */
tri_encoding tri_convert_blocked_auto(int rank, const int64_t *shape, const int32_t *size_per_thread,
                                      const int32_t *order, int num_warps, int threads_per_warp);

/* Shared encodings that fit a use. swizzled_shared for operand `op_idx` of an mma v2 dot. */
tri_encoding tri_convert_swizzle_for_dot(const tri_encoding *dot_op, int rank, const int64_t *shape,
                                         const int32_t *order, int element_bits, bool need_trans);
tri_encoding tri_convert_nvmma_for(int rank, const int64_t *shape, const int32_t *order, int element_bits,
                                   bool fp4_padded, const tri_bases *cga);

/* Elements a buffer takes, padding included, per CTA; and the alignment its base needs in bytes. */
int64_t tri_convert_buffer_elements(const tri_encoding *shared, int rank, const int64_t *shape);
/* The box of a tensor that the machine's copy engine moves at a time to or from a buffer of this shape in nvmma_shared
 * layout: at most 256 elements a dimension, and as many bytes of a row as the swizzle is wide. */
void tri_convert_copy_box(const tri_encoding *shared, int rank, const int64_t *shape, int64_t *out_box);
int tri_convert_buffer_alignment(const tri_encoding *shared);
/* Byte address of an element offset inside a buffer (adds padding of padded_shared). */
int64_t tri_convert_pad_offset(const tri_encoding *shared, int64_t offset);

/* ---- queries on an encoding ---- */

/* Fastest dimension first. */
void tri_convert_order(const tri_encoding *encoding, int rank, const int64_t *shape, int32_t *out_order);
/* Order of the threads (lane bases first) and of the warps, and the order a register value is stored to memory in. */
void tri_convert_thread_order(const tri_encoding *encoding, int rank, const int64_t *shape, int32_t *out_order);
void tri_convert_warp_order(const tri_encoding *encoding, int rank, const int64_t *shape, int32_t *out_order);
void tri_convert_order_for_memory(const tri_encoding *encoding, int rank, const int64_t *shape, int32_t *out_order);
int64_t tri_convert_elements_per_thread(const tri_encoding *encoding, int rank, const int64_t *shape);
/* Consecutive elements along each dimension that one thread holds. */
void tri_convert_contig_per_thread(const tri_encoding *encoding, int rank, const int64_t *shape, int32_t *out_contig);
/* Lanes and warps spread over each dimension, replication not counted. */
void tri_convert_threads_per_warp(const tri_encoding *encoding, int rank, const int64_t *shape, int32_t *out_threads);
/* CTAs a dimension is split over, and the part of the shape one CTA has. */
void tri_convert_cta_split(const tri_encoding *encoding, int rank, int32_t *out_split);
void tri_convert_shape_per_cta(const tri_encoding *encoding, int rank, const int64_t *shape, int64_t *out_shape);
/* Total warps of the encoding (replicated ones included). */
int tri_convert_num_warps(const tri_encoding *encoding);
int tri_convert_num_threads_per_warp(const tri_encoding *encoding);

#endif
