#include "passes/analysis/loops.h"

MlirOperation tri_loops_yield(MlirOperation op, int region)
{
    return mlirBlockGetTerminator(tri_op_body(op, region));
}

void tri_loops_append_yield(tri_arena *arena, MlirOperation yield, intptr_t n, const MlirValue *values)
{
    intptr_t old = mlirOperationGetNumOperands(yield);
    MlirValue *all = TRI_NEW_ARRAY(arena, MlirValue, old + n + 1);
    for (intptr_t i = 0; i < old; i++)
        all[i] = tri_op_operand(yield, i);
    for (intptr_t i = 0; i < n; i++)
        all[old + i] = values[i];
    mlirOperationSetOperands(yield, old + n, all);
}

/* The same op with more operands and results, its regions moved over and its results replaced. */
static MlirOperation rebuild(tri_arena *arena, MlirOperation op, intptr_t num_inits, const MlirValue *inits,
                             intptr_t num_types, const MlirType *types)
{
    intptr_t operands = mlirOperationGetNumOperands(op), results = mlirOperationGetNumResults(op);
    intptr_t regions = mlirOperationGetNumRegions(op), attrs = mlirOperationGetNumAttributes(op);
    MlirValue *all_operands = TRI_NEW_ARRAY(arena, MlirValue, operands + num_inits + 1);
    MlirType *all_types = TRI_NEW_ARRAY(arena, MlirType, results + num_types + 1);
    tri_attr *all_attrs = TRI_NEW_ARRAY(arena, tri_attr, attrs + 1);
    MlirRegion *bodies = TRI_NEW_ARRAY(arena, MlirRegion, regions + 1);
    for (intptr_t i = 0; i < operands + num_inits; i++)
        all_operands[i] = i < operands ? tri_op_operand(op, i) : inits[i - operands];
    for (intptr_t i = 0; i < results + num_types; i++)
        all_types[i] = i < results ? mlirValueGetType(tri_op_result(op, i)) : types[i - results];
    for (intptr_t i = 0; i < attrs; i++) {
        MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
        MlirStringRef name = mlirIdentifierStr(named.name);
        all_attrs[i] = (tri_attr){tri_arena_copy(arena, name.data, name.length), named.attribute};
    }
    for (intptr_t i = 0; i < regions; i++) {
        bodies[i] = mlirRegionCreate();
        mlirRegionTakeBody(bodies[i], mlirOperationGetRegion(op, i));
    }
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    tri_builder b = tri_builder_before(op);
    MlirOperation made = tri_builder_create(&b, &(tri_op){
        .name = tri_arena_copy(arena, name.data, name.length),
        .num_operands = operands + num_inits, .operands = all_operands,
        .num_results = results + num_types, .results = all_types,
        .num_attrs = attrs, .attrs = all_attrs,
        .num_regions = regions, .regions = bodies,
    });
    for (intptr_t i = 0; i < results; i++)
        mlirValueReplaceAllUsesOfWith(tri_op_result(op, i), tri_op_result(made, i));
    mlirOperationDestroy(op);
    return made;
}

MlirOperation tri_loops_add_iter_args(tri_arena *arena, MlirOperation loop, intptr_t n, const MlirValue *inits)
{
    MlirType *types = TRI_NEW_ARRAY(arena, MlirType, n + 1);
    MlirLocation loc = mlirOperationGetLocation(loop);
    for (intptr_t i = 0; i < n; i++)
        types[i] = mlirValueGetType(inits[i]);
    MlirOperation made = rebuild(arena, loop, n, inits, n, types);
    for (intptr_t i = 0; i < n; i++)
        mlirBlockAddArgument(tri_op_body(made, 0), types[i], loc);
    return made;
}

MlirOperation tri_loops_add_if_results(tri_arena *arena, MlirOperation op, intptr_t n, const MlirType *types)
{
    return rebuild(arena, op, 0, NULL, n, types);
}
