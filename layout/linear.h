/* Linear layouts: maps between named index spaces that are linear over GF(2).
 *
 * A layout sends the bits of its input indices (register, lane, warp, block for tensors in
 * registers; offset, block for buffers) to the bits of its output indices (dim0, dim1, ... of a
 * tensor, or an offset, or another thread's register/lane/warp). Every size is a power of two.
 * The basis of input bit i is the output that bit alone gives; the output of an index is the XOR
 * of the bases of its set bits. A zero basis means replication: both values of that bit hold the
 * same element.
 *
 * An output is kept packed in one word: the first output dimension in the low bits, each one
 * `out.bits` wide. All functions are pure; a `tri_linear` is a value without heap memory. Asking
 * for a dimension that is absent is allowed where the text says so, else it is our bug. */
#ifndef TRI_LAYOUT_LINEAR_H
#define TRI_LAYOUT_LINEAR_H

#include "layout/encoding.h"

typedef enum {
    TRI_DIM_REGISTER,
    TRI_DIM_LANE,
    TRI_DIM_WARP,
    TRI_DIM_BLOCK,
    TRI_DIM_OFFSET,
    TRI_DIM_ITERATION, /* rounds that use the same memory one after another */
    TRI_DIM_PARTITION,
    TRI_DIM_ROW,       /* tensor memory */
    TRI_DIM_COL,
    TRI_DIM_0, /* dimension d of a tensor is TRI_DIM_0 + d */
    TRI_DIM_LAST = TRI_DIM_0 + TRI_MAX_RANK - 1,
} tri_dim;

enum { TRI_LINEAR_MAX_DIMS = TRI_MAX_RANK };

/* An ordered list of dimensions with the log2 of their sizes. */
typedef struct {
    int count;
    tri_dim dim[TRI_LINEAR_MAX_DIMS];
    int bits[TRI_LINEAR_MAX_DIMS];
} tri_dims;

typedef struct {
    tri_dims in, out;
    uint64_t basis[TRI_LINEAR_MAX_DIMS][TRI_MAX_BASES]; /* [position in `in`][bit], packed */
} tri_linear;

/* "register", "lane", ..., "dim3" */
const char *tri_linear_dim_name(tri_dim dim);
/* log2 of a power of two (asserted). */
int tri_linear_log2(int64_t size);

/* ---- making ---- */

tri_linear tri_linear_empty(void);
/* in -> out, `size` long: i -> i, i -> i * stride, or i -> 0 (out then has size out_size). */
tri_linear tri_linear_identity(int64_t size, tri_dim in, tri_dim out);
tri_linear tri_linear_strided(int64_t size, int64_t stride, tri_dim in, tri_dim out);
tri_linear tri_linear_zeros(int64_t size, tri_dim in, tri_dim out, int64_t out_size);
/* `in` runs through the shape, dimension order[0] fastest; output dimensions in that order too. */
tri_linear tri_linear_identity_nd(tri_dim in, int rank, const int32_t *shape, const int32_t *order);
/* Piecewise: an empty layout gets output dimensions (all of them before the first basis), then bases. */
void tri_linear_add_out(tri_linear *l, tri_dim out, int bits);
void tri_linear_add_in(tri_linear *l, tri_dim in); /* with no bits yet; nothing when present */
void tri_linear_add_basis(tri_linear *l, tri_dim in, uint64_t packed);
/* The same with one coordinate per output dimension of l. */
void tri_linear_add_coords(tri_linear *l, tri_dim in, const int32_t *coords);

/* ---- asking; an absent dimension has 0 bits and size 1 ---- */

int tri_linear_find_in(const tri_linear *l, tri_dim in); /* position, or -1 */
int tri_linear_find_out(const tri_linear *l, tri_dim out);
int tri_linear_in_bits(const tri_linear *l, tri_dim in);
int tri_linear_out_bits(const tri_linear *l, tri_dim out);
static inline int64_t tri_linear_in_size(const tri_linear *l, tri_dim in)
{
    return (int64_t)1 << tri_linear_in_bits(l, in);
}
static inline int64_t tri_linear_out_size(const tri_linear *l, tri_dim out)
{
    return (int64_t)1 << tri_linear_out_bits(l, out);
}
int tri_linear_total_in_bits(const tri_linear *l);
int tri_linear_total_out_bits(const tri_linear *l);
/* Place of an output dimension in packed words. */
int tri_linear_out_shift(const tri_linear *l, tri_dim out);
/* Coordinate of `out` in a packed output. */
int64_t tri_linear_coord(const tri_linear *l, uint64_t packed, tri_dim out);
/* Packed basis, and its coordinate in one output dimension. */
uint64_t tri_linear_basis(const tri_linear *l, tri_dim in, int bit);
int64_t tri_linear_basis_at(const tri_linear *l, tri_dim in, int bit, tri_dim out);

/* Packed output of the index that has `value` in `in` and 0 elsewhere (0 when `in` is absent). */
uint64_t tri_linear_apply_one(const tri_linear *l, tri_dim in, uint64_t value);
/* Packed output; values[i] is the index in in.dim[i]. */
uint64_t tri_linear_apply(const tri_linear *l, const uint64_t *values);
/* The same from one packed input word (first input dimension in the low bits). */
uint64_t tri_linear_apply_packed(const tri_linear *l, uint64_t index);

bool tri_linear_equal(const tri_linear *a, const tri_linear *b);
bool tri_linear_is_surjective(const tri_linear *l);
bool tri_linear_is_injective(const tri_linear *l);
/* The bits of `in` that hold nothing new: their basis is zero, or is spanned by the bases before
 * it (input dimensions are taken in the layout's own order). The thread that stands for all
 * holders of an element is the one with these bits 0. 0 when `in` is absent. */
uint64_t tri_linear_free_mask(const tri_linear *l, tri_dim in);
/* Whether no basis of `in` touches `out` (true when either is absent). */
bool tri_linear_is_zero_between(const tri_linear *l, tri_dim in, tri_dim out);
/* Whether `in` maps to the output dimension of the same name one to one, and nothing else does. */
bool tri_linear_is_trivial_over(const tri_linear *l, tri_dim dim);
/* How many indices of `in`, from 0 on, map to 0, 1, 2, ... of the flattened output, whatever the
 * rest of the index adds: a power of two, and all other bases are multiples of it. */
int64_t tri_linear_consecutive(const tri_linear *l, tri_dim in);

/* ---- combining ---- */

/* Bits side by side: b's bases come above a's in every dimension they share. The dimension
 * lists are merged, each keeping its own order. */
tri_linear tri_linear_product(const tri_linear *a, const tri_linear *b);
/* x -> outer(inner(x)). inner's output dimensions must be outer's input dimensions (any order),
 * none larger. */
tri_linear tri_linear_compose(const tri_linear *inner, const tri_linear *outer);
/* Inverse of an invertible layout; pseudo: of any surjective one, the smallest preimage in bit
 * order (free bits 0). */
tri_linear tri_linear_invert(const tri_linear *l);
tri_linear tri_linear_pseudo_invert(const tri_linear *l);
/* a's index -> b's index of the same element: b^-1 after a, where b's free bits become 0 and
 * dimensions laid out alike in a and b map to themselves. Both must have the same output
 * dimensions (any order) and sizes; false when some element of a is not in b. */
bool tri_linear_invert_and_compose(const tri_linear *a, const tri_linear *b, tri_linear *out_map);
/* Finds q with l = tile * q (left) or l = q * tile (right); false when there is none. */
bool tri_linear_divide_left(const tri_linear *l, const tri_linear *tile, tri_linear *out_quotient);
bool tri_linear_divide_right(const tri_linear *l, const tri_linear *tile, tri_linear *out_quotient);

/* ---- reshaping ---- */

/* Keeps these dimensions only, in this order; the rest is dropped. */
tri_linear tri_linear_sublayout(const tri_linear *l, int num_ins, const tri_dim *ins, int num_outs,
                                const tri_dim *outs);
/* Same map, other order of the dimension list (a permutation of it). */
tri_linear tri_linear_transpose_ins(const tri_linear *l, const tri_dim *ins);
tri_linear tri_linear_transpose_outs(const tri_linear *l, const tri_dim *outs);
/* Same bits, cut anew: `dims` has the same total, first dimension lowest. */
tri_linear tri_linear_reshape_ins(const tri_linear *l, const tri_dims *dims);
tri_linear tri_linear_reshape_outs(const tri_linear *l, const tri_dims *dims);
tri_linear tri_linear_flatten_ins(const tri_linear *l, tri_dim in);
tri_linear tri_linear_flatten_outs(const tri_linear *l, tri_dim out);
tri_linear tri_linear_rename_in(const tri_linear *l, tri_dim from, tri_dim to);
tri_linear tri_linear_rename_out(const tri_linear *l, tri_dim from, tri_dim to);
/* Without the zero bases of `in` (absent: unchanged). */
tri_linear tri_linear_remove_zero_bases(const tri_linear *l, tri_dim in);
/* Without the free bits of `in` (tri_linear_free_mask). */
tri_linear tri_linear_remove_free_bits(const tri_linear *l, tri_dim in);
/* Sets the number of bits of an input dimension: cut, or filled up with zero bases. Added when absent. */
tri_linear tri_linear_resize_in(const tri_linear *l, tri_dim in, int bits);
/* Sets the size of an output dimension: larger, or smaller when no basis needs the bits. */
tri_linear tri_linear_resize_out(const tri_linear *l, tri_dim out, int bits);
/* Without these dimensions. */
tri_linear tri_linear_drop_in(const tri_linear *l, tri_dim in);
tri_linear tri_linear_drop_out(const tri_linear *l, tri_dim out);

#endif
