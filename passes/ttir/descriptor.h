/* A tensor descriptor, or a pointer to a block, taken apart, and what accesses through it become. */
#ifndef TRI_PASSES_TTIR_DESCRIPTOR_H
#define TRI_PASSES_TTIR_DESCRIPTOR_H

#include "ir/op.h"
#include "ir/type.h"
#include "passes/passes.h"

typedef struct {
    int rank;
    MlirType block; /* ranked tensor; its integers may be signed or unsigned */
    MlirValue pointer;
    MlirValue shape[TRI_MAX_RANK], stride[TRI_MAX_RANK]; /* i64 */
    MlirValue is_nan;     /* i1: what is outside reads as NaN instead of zero; null: its value does not matter */
    MlirValue is_rounded; /* i1: f32 values are rounded to tf32 when read; null: they are not */
} tri_descriptor;

/* Element type of a block without a sign. */
MlirType tri_descriptor_element(MlirType block);
/* Replaces one tt.descriptor_* op by accesses through pointers. False after a report. */
bool tri_descriptor_rewrite(tri_pass_run *run, MlirOperation op, const tri_descriptor *desc);
/* Replaces a tt.load or tt.store of the block whose first element has the coordinates `offsets`
 * (i64). Bit d of `checked`: the block may leave the tensor along dimension d. */
void tri_descriptor_rewrite_block(tri_pass_run *run, MlirOperation op, const tri_descriptor *desc,
                                  const MlirValue *offsets, unsigned checked);

#endif
