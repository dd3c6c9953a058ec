#include "ir/builder.h"

#include "base/diag.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

static MlirStringRef ref(const char *z)
{
    return mlirStringRefCreateFromCString(z);
}

tri_builder tri_builder_at_end(MlirBlock block, MlirLocation loc)
{
    return (tri_builder){mlirLocationGetContext(loc), block, {0}, loc};
}

tri_builder tri_builder_at_start(MlirBlock block, MlirLocation loc)
{
    return (tri_builder){mlirLocationGetContext(loc), block, mlirBlockGetFirstOperation(block), loc};
}

tri_builder tri_builder_before(MlirOperation op)
{
    return (tri_builder){mlirOperationGetContext(op), mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
}

tri_builder tri_builder_after(MlirOperation op)
{
    return (tri_builder){mlirOperationGetContext(op), mlirOperationGetBlock(op), mlirOperationGetNextInBlock(op),
                         mlirOperationGetLocation(op)};
}

static void add_attributes(MlirContext context, MlirOperationState *state, const tri_op *op)
{
    for (intptr_t i = 0; i < op->num_attrs; i++) {
        if (mlirAttributeIsNull(op->attrs[i].value))
            continue;
        MlirNamedAttribute named =
            mlirNamedAttributeGet(mlirIdentifierGet(context, ref(op->attrs[i].name)), op->attrs[i].value);
        mlirOperationStateAddAttributes(state, 1, &named);
    }
}

/* An inherent attribute of the wrong kind is dropped by mlirOperationCreate without a word. */
static void check_attributes(MlirOperation made, const tri_op *op)
{
    for (intptr_t i = 0; i < op->num_attrs; i++) {
        if (mlirAttributeIsNull(op->attrs[i].value))
            continue;
        if (mlirAttributeIsNull(mlirOperationGetAttributeByName(made, ref(op->attrs[i].name))))
            TRI_BUG("'%s' does not take attribute '%s' of this kind", op->name, op->attrs[i].name);
    }
}

MlirOperation tri_builder_create(tri_builder *b, const tri_op *op)
{
    MlirOperationState state = mlirOperationStateGet(ref(op->name), b->loc);
    mlirOperationStateAddOperands(&state, op->num_operands, op->operands);
    if (op->num_results < 0)
        mlirOperationStateEnableResultTypeInference(&state);
    else
        mlirOperationStateAddResults(&state, op->num_results, op->results);
    add_attributes(b->context, &state, op);
    mlirOperationStateAddOwnedRegions(&state, op->num_regions, op->regions);
    mlirOperationStateAddSuccessors(&state, op->num_successors, op->successors);
    MlirOperation made = mlirOperationCreate(&state);
    if (mlirOperationIsNull(made))
        TRI_BUG("cannot create '%s'", op->name);
    check_attributes(made, op);
    if (mlirOperationIsNull(b->before))
        mlirBlockAppendOwnedOperation(b->block, made);
    else
        mlirBlockInsertOwnedOperationBefore(b->block, b->before, made);
    return made;
}

MlirValue tri_builder_value(tri_builder *b, const tri_op *op)
{
    MlirOperation made = tri_builder_create(b, op);
    if (mlirOperationGetNumResults(made) != 1)
        TRI_BUG("'%s' has not one result", op->name);
    return mlirOperationGetResult(made, 0);
}

MlirValue tri_builder_unary(tri_builder *b, const char *name, MlirType result, MlirValue x)
{
    return tri_builder_value(
        b, &(tri_op){.name = name, .num_operands = 1, .operands = &x, .num_results = 1, .results = &result});
}

MlirValue tri_builder_binary(tri_builder *b, const char *name, MlirType result, MlirValue x, MlirValue y)
{
    MlirValue operands[] = {x, y};
    return tri_builder_value(
        b, &(tri_op){.name = name, .num_operands = 2, .operands = operands, .num_results = 1, .results = &result});
}

static MlirValue constant(tri_builder *b, MlirType type, MlirAttribute scalar)
{
    MlirAttribute value = mlirTypeIsAShaped(type) ? mlirDenseElementsAttrSplatGet(type, scalar) : scalar;
    tri_attr attr = {"value", value};
    return tri_builder_value(b, &(tri_op){.name = "arith.constant",
                                          .num_results = 1,
                                          .results = &type,
                                          .num_attrs = 1,
                                          .attrs = &attr});
}

static MlirType element_of(MlirType type)
{
    return mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type;
}

MlirValue tri_builder_int(tri_builder *b, MlirType type, int64_t value)
{
    return constant(b, type, mlirIntegerAttrGet(element_of(type), value));
}

MlirValue tri_builder_float(tri_builder *b, MlirType type, double value)
{
    return constant(b, type, mlirFloatAttrDoubleGet(b->context, element_of(type), value));
}

void tri_builder_set_attr(MlirOperation op, const char *name, MlirAttribute value)
{
    mlirOperationSetAttributeByName(op, ref(name), value);
    if (!mlirAttributeEqual(mlirOperationGetAttributeByName(op, ref(name)), value)) {
        MlirStringRef op_name = mlirIdentifierStr(mlirOperationGetName(op));
        TRI_BUG("'%.*s' does not take attribute '%s' of this kind", (int)op_name.length, op_name.data, name);
    }
}

MlirAttribute tri_attr_i32(MlirContext context, int32_t value)
{
    return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), value);
}

MlirAttribute tri_attr_i64(MlirContext context, int64_t value)
{
    return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), value);
}

MlirAttribute tri_attr_bool(MlirContext context, bool value)
{
    return mlirBoolAttrGet(context, value);
}

MlirAttribute tri_attr_unit(MlirContext context)
{
    return mlirUnitAttrGet(context);
}

MlirAttribute tri_attr_str(MlirContext context, const char *data, size_t len)
{
    return mlirStringAttrGet(context, mlirStringRefCreate(data, len));
}

MlirAttribute tri_attr_type(MlirType type)
{
    return mlirTypeAttrGet(type);
}

MlirAttribute tri_attr_i32s(MlirContext context, int n, const int32_t *values)
{
    return mlirDenseI32ArrayGet(context, n, values);
}
