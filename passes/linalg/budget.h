/* Which tensors of a function in linalg lie at once in the memories of an NPU, and how much of each they take at least.
 *
 * Each tensor lives from the operation that makes it to the last one that reads it (to the end of a loop, when it
 * comes from outside of it). Views and insertions are the tensor they are of; elementwise operations may write over an
 * operand that dies there. Scalars spread over a tensor, and tensors over a larger one, take nothing where elementwise
 * operations alone read them: the machine's instructions take the scalar or the row. What only matrix products read or
 * make stays in the memories of the cube unit. So does the vendor's compiler plan (PlanMemory, InlineOTFBroadcast and
 * MarkMultiBuffer of AscendNPU-IR), which may need more where it does not find such an arrangement. */
#ifndef TRI_PASSES_LINALG_BUDGET_H
#define TRI_PASSES_LINALG_BUDGET_H

#include "base/vec.h"
#include "ir/op.h"

typedef enum {
    TRI_BUDGET_VECTOR,   /* the unified buffer */
    TRI_BUDGET_OPERANDS, /* L1: what products read */
    TRI_BUDGET_SUMS,     /* L0C: what they make */
    TRI_BUDGET_PLACES
} tri_budget_place;

typedef struct {
    MlirValue value;
    tri_budget_place place;
    bool is_spread; /* takes nothing so far */
    bool is_copied; /* from or to memory, in a loop: it lies there `copies` times */
    int64_t bytes;  /* once, as the memory aligns it */
    int64_t begin, end;
    int depth;      /* of the loops around it */
} tri_budget_block;

typedef struct {
    TRI_VEC(tri_budget_block) blocks; /* in program order */
    int64_t points;                   /* begin and end are below it */
    bool has_product;
} tri_budget;

void tri_budget_init(tri_budget *budget, tri_arena *arena, MlirOperation func);

/* The most bytes that lie in a place at once, and a point where they do. */
int64_t tri_budget_most(const tri_budget *budget, tri_arena *arena, tri_budget_place place, int copies,
                        int64_t *out_point);
/* What a block takes of a place at a point: 0 when it is not there. */
int64_t tri_budget_bytes(const tri_budget_block *block, tri_budget_place place, int copies, int64_t point);

#endif
