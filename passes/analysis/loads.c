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
