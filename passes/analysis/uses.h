/* Who uses a value, in program order. MLIR's own use lists have an order that depends on how the
 * module was made; passes that care about order ask here. A snapshot. */
#ifndef TRI_PASSES_ANALYSIS_USES_H
#define TRI_PASSES_ANALYSIS_USES_H

#include "base/map.h"
#include "ir/op.h"

typedef struct {
    MlirOperation op;
    intptr_t operand;
} tri_use;

typedef TRI_VEC(tri_use) tri_use_list;

typedef struct {
    tri_arena *arena;
    tri_op_list ops;    /* every op inside the root, in program order */
    tri_map lists;      /* MlirValue.ptr -> tri_use_list */
    tri_map index;      /* MlirOperation.ptr -> 1 + position in `ops` */
} tri_uses;

void tri_uses_init(tri_uses *uses, tri_arena *arena, MlirOperation root);
/* Never null; empty for a value without uses. */
const tri_use_list *tri_uses_of(const tri_uses *uses, MlirValue value);
/* Position of an op; ops made after init have none (-1). */
intptr_t tri_uses_index(const tri_uses *uses, MlirOperation op);

#endif
