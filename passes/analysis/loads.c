#include "passes/analysis/loads.h"

MlirValue tri_loads_make(tri_arena *arena, tri_builder *b, MlirOperation load, MlirValue pointer, MlirValue mask,
                         MlirValue other)
{
    intptr_t n = mlirOperationGetNumAttributes(load);
    tri_attr *attrs = TRI_NEW_ARRAY(arena, tri_attr, n + 1);
    for (intptr_t i = 0; i < n; i++) {
        MlirNamedAttribute named = mlirOperationGetAttribute(load, i);
        MlirStringRef name = mlirIdentifierStr(named.name);
        attrs[i] = (tri_attr){tri_arena_copy(arena, name.data, name.length), named.attribute};
        if (strcmp(attrs[i].name, "operandSegmentSizes") == 0)
            attrs[i].value = (MlirAttribute){NULL};
    }
    const int32_t sizes[] = {1, !mlirValueIsNull(mask), !mlirValueIsNull(other)};
    attrs[n] = (tri_attr){"operandSegmentSizes", tri_attr_i32s(b->context, 3, sizes)};
    MlirValue operands[3] = {pointer, mask, other};
    if (!sizes[1])
        operands[1] = other;
    MlirType type = mlirValueGetType(tri_op_result(load, 0));
    return tri_builder_value(b, &(tri_op){.name = "tt.load", .num_operands = sizes[0] + sizes[1] + sizes[2],
                                          .operands = operands, .num_results = 1, .results = &type,
                                          .num_attrs = n + 1, .attrs = attrs});
}

bool tri_loads_may_write(MlirOperation op)
{
    static const char *const readers[] = {"tt.descriptor_load", "tt.descriptor_gather", "ttg.local_load",
                                          "ttig.2d_block_load", "ttig.2d_block_load_from_ptr",
                                          "ttig.descriptor_gather", "ttig.descriptor_prefetch", "ttig.prefetch"};
    if (tri_op_is(op, "tt.load"))
        return tri_op_flag(op, "isVolatile");
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (tri_op_is(op, readers[i]))
            return false;
    return !mlirOperationGetNumRegions(op) && tri_op_has_effects(op);
}

bool tri_loads_any_may_write(tri_arena *arena, MlirOperation op)
{
    tri_op_list ops = {0};
    tri_op_collect(op, arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        if (tri_loads_may_write(ops.at[i]))
            return true;
    return tri_loads_may_write(op);
}

/* ---- the same addresses ---- */

enum { most_steps = 24, loop_bounds = 3 };

static bool has_like_attributes(MlirOperation a, MlirOperation b)
{
    bool is_like = mlirOperationGetNumAttributes(a) == mlirOperationGetNumAttributes(b);
    for (intptr_t i = mlirOperationGetNumAttributes(a); is_like && i-- > 0;) {
        MlirNamedAttribute mine = mlirOperationGetAttribute(a, i);
        is_like = mlirAttributeEqual(mine.attribute,
                                     mlirOperationGetAttributeByName(b, mlirIdentifierStr(mine.name)));
    }
    return is_like;
}

static bool is_same_value(MlirValue a, MlirValue b, int steps);

/* Of two blocks' arguments: indices of loops with the same bounds. */
static bool is_same_index(MlirValue a, MlirValue b, int steps)
{
    MlirBlock first, second;
    intptr_t i, j;
    if (!tri_op_is_block_argument(a, &first, &i) || !tri_op_is_block_argument(b, &second, &j) || i || j)
        return false;
    MlirOperation x = mlirBlockGetParentOperation(first), y = mlirBlockGetParentOperation(second);
    bool is_same = tri_op_is(x, "scf.for") && tri_op_is(y, "scf.for") &&
                   tri_op_flag(x, "unsignedCmp") == tri_op_flag(y, "unsignedCmp");
    for (intptr_t k = 0; k < loop_bounds && is_same; k++)
        is_same = is_same_value(tri_op_operand(x, k), tri_op_operand(y, k), steps);
    return is_same;
}

static bool is_same_value(MlirValue a, MlirValue b, int steps)
{
    if (mlirValueEqual(a, b))
        return true;
    MlirOperation x = tri_op_def(a), y = tri_op_def(b);
    if (!steps || !mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b)))
        return false;
    if (mlirOperationIsNull(x) || mlirOperationIsNull(y))
        return is_same_index(a, b, steps - 1);
    intptr_t count = mlirOperationGetNumOperands(x);
    bool is_same = mlirIdentifierEqual(mlirOperationGetName(x), mlirOperationGetName(y)) && tri_op_is_pure(x) &&
                   !mlirOperationGetNumRegions(x) && mlirOperationGetNumResults(x) == 1 &&
                   mlirOperationGetNumOperands(y) == count && has_like_attributes(x, y);
    for (intptr_t i = 0; i < count && is_same; i++)
        is_same = is_same_value(tri_op_operand(x, i), tri_op_operand(y, i), steps - 1);
    return is_same;
}

bool tri_loads_is_same_block(MlirOperation a, MlirOperation b)
{
    return is_same_value(tri_op_operand(a, 0), tri_op_operand(b, 0), most_steps);
}
