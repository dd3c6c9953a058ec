/* Building operations from C, by name. A wrong name, attribute or type is our bug and is caught
 * at once (mlirOperationCreate would drop a bad inherent attribute in silence). */
#ifndef TRI_IR_BUILDER_H
#define TRI_IR_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "mlir-c/IR.h"

/* Where the next operation goes and which location it gets. Copied freely. */
typedef struct {
    MlirContext context;
    MlirBlock block;
    MlirOperation before; /* null: at the end of the block */
    MlirLocation loc;
} tri_builder;

tri_builder tri_builder_at_end(MlirBlock block, MlirLocation loc);
tri_builder tri_builder_at_start(MlirBlock block, MlirLocation loc);
tri_builder tri_builder_before(MlirOperation op); /* takes the op's location */
tri_builder tri_builder_after(MlirOperation op);

typedef struct {
    const char *name;
    MlirAttribute value;
} tri_attr;

typedef struct {
    const char *name;
    intptr_t num_operands;
    const MlirValue *operands;
    intptr_t num_results; /* -1: inferred by the op */
    const MlirType *results;
    intptr_t num_attrs;
    const tri_attr *attrs; /* rows with a null value are left out */
    intptr_t num_regions;
    const MlirRegion *regions; /* owned by the new operation */
    intptr_t num_successors;
    const MlirBlock *successors;
} tri_op;

/* Creates and inserts. Never null. */
MlirOperation tri_builder_create(tri_builder *b, const tri_op *op);
/* Shorthands for an op with one result. */
MlirValue tri_builder_unary(tri_builder *b, const char *name, MlirType result, MlirValue x);
MlirValue tri_builder_binary(tri_builder *b, const char *name, MlirType result, MlirValue x, MlirValue y);
MlirValue tri_builder_value(tri_builder *b, const tri_op *op); /* its only result */

/* arith.constant: an int or float splat of `type` (scalar or tensor). */
MlirValue tri_builder_int(tri_builder *b, MlirType type, int64_t value);
MlirValue tri_builder_float(tri_builder *b, MlirType type, double value);

/* Sets an attribute and checks that it is really there (see above). */
void tri_builder_set_attr(MlirOperation op, const char *name, MlirAttribute value);

/* Common attributes. */
MlirAttribute tri_attr_i32(MlirContext context, int32_t value);
MlirAttribute tri_attr_i64(MlirContext context, int64_t value);
MlirAttribute tri_attr_bool(MlirContext context, bool value);
MlirAttribute tri_attr_unit(MlirContext context);
MlirAttribute tri_attr_str(MlirContext context, const char *data, size_t len);
MlirAttribute tri_attr_type(MlirType type);
MlirAttribute tri_attr_i32s(MlirContext context, int n, const int32_t *values); /* DenseI32ArrayAttr */

#endif
