/* Where the elements of an access lie: a block of pointers and its mask as a base, and per dimension of the
 * block an offset, a stride and bounds. Works on ttir and ttgir, and changes nothing; sums (ir/analysis/sum.h)
 * are emitted by the customer who wants them as values.
 *
 * The element at (i0, i1, ...) of the block lies, counted in elements,
 *
 *     base + offset + sum over d of index_d * stride_d,   index_d = start_d + i_d              RANGE
 *                                                                 = (start_d + i_d) rem wrap_d WRAP
 *                                                                 = the index tensor's element INDEXED
 *
 * and is accessed where low_d <= i_d < high_d for every d that has bounds, every condition holds, and every
 * mask in `discrete` is set there.
 *
 * Customers: tensor maps (NVIDIA) want RANGE only, constant bounds of start_d + low_d and start_d + high_d; buffer
 * operations (AMD) `offset` and base apart; block loads (Intel) a stride of 1 and the bounds; memrefs (Linalg) all. */
#ifndef TRI_IR_ANALYSIS_POINTERS_H
#define TRI_IR_ANALYSIS_POINTERS_H

#include "ir/analysis/sum.h"
#include "layout/encoding.h"

typedef enum {
    TRI_DIM_NONE,    /* the address does not depend on it */
    TRI_DIM_RANGE,
    TRI_DIM_WRAP,    /* as rows and columns that are taken modulo the matrix' size */
    TRI_DIM_INDEXED, /* as rows picked by a list */
} tri_dim_kind;

typedef struct {
    tri_dim_kind kind;
    int64_t size;          /* of the block */
    const tri_sum *start, *stride, *wrap;
    MlirValue index;       /* INDEXED: a tensor of integers in which no other dimension is larger than 1 */
    /* WRAP: the source promises (tl.max_contiguous) that no wrap happens inside the block. It is known to say so
     * of blocks that end past the matrix, whose elements are never used. */
    bool is_contiguous;
    const tri_sum *shape;  /* of block pointers and descriptors: index_d is inside when 0 <= index_d < shape; or null */
} tri_block_dim;

/* The numbers of a block: of integers (base null), or of addresses. */
typedef struct {
    const char *reason; /* not structured: why; null when it is */
    MlirValue culprit;  /* the value that is to blame */
    MlirValue base;     /* a scalar pointer, or the descriptor that is an argument; null for integers */
    const tri_sum *offset;
    int rank;
    tri_block_dim dim[TRI_MAX_RANK];
} tri_block_form;

enum { TRI_POINTERS_MAX_CONDITIONS = 8 };

typedef struct {
    tri_block_form form;
    const tri_sum *low[TRI_MAX_RANK], *high[TRI_MAX_RANK]; /* in block coordinates; null: not bounded */
    int condition_count, positive_count, discrete_count;
    MlirValue condition[TRI_POINTERS_MAX_CONDITIONS];      /* i1 scalars */
    const tri_sum *positive[TRI_POINTERS_MAX_CONDITIONS];  /* each is > 0 */
    MlirValue discrete[TRI_POINTERS_MAX_CONDITIONS];       /* masks in the shape of the block */
} tri_access;

typedef struct tri_pointers tri_pointers;

/* Serves one function. The result is a snapshot: make another after operations were erased. */
tri_pointers *tri_pointers_create(tri_arena *arena);
tri_sums *tri_pointers_sums(tri_pointers *pointers);

/* Of a scalar or a block of integers or pointers, or of a block pointer. Never null. */
const tri_block_form *tri_pointers_form(tri_pointers *pointers, MlirValue value);

/* Is `op` an access that tri_pointers_access knows: tt.load, tt.store, the atomic and descriptor operations? */
bool tri_pointers_is_access(MlirOperation op);
/* Which operand of such an operation is its mask; 0: it has none. */
intptr_t tri_pointers_mask_operand(MlirOperation op);
/* Of such an operation. Bounds come from the mask, boundaryCheck and descriptors' shapes. When the form is not
 * structured (form.reason), bounds and masks are still there. */
void tri_pointers_access(tri_pointers *pointers, MlirOperation op, tri_access *out_access);

/* Is nothing left of the mask but bounds and conditions? */
static inline bool tri_pointers_is_window(const tri_access *access) { return access->discrete_count == 0; }

/* The argument, or other scalar pointer, that a scalar or block of pointers is made from, through arithmetic and
 * control flow; null, and why, when there are several or none (`out_culprit`: the value that is to blame). */
MlirValue tri_pointers_root(tri_pointers *pointers, MlirValue pointer, const char **out_reason, MlirValue *out_culprit);

/* All pointers that one may be, itself and those on the way back through arithmetic and control flow included. */
const MlirValue *tri_pointers_sources(tri_pointers *pointers, MlirValue pointer, size_t *out_count);

/* "a + 64*pid.x + [32: k*stride] [64: 0..n]", for people and tests; the reason when not structured. */
void tri_pointers_print(tri_pointers *pointers, const tri_access *access, tri_buf *out);

#endif
