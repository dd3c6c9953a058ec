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

MlirOperation tri_loops_rebuild(tri_arena *arena, MlirOperation op, intptr_t num_operands, const MlirValue *operands,
                                intptr_t num_types, const MlirType *types)
{
    intptr_t regions = mlirOperationGetNumRegions(op), attrs = mlirOperationGetNumAttributes(op);
    tri_attr *all_attrs = TRI_NEW_ARRAY(arena, tri_attr, attrs + 1);
    MlirRegion *bodies = TRI_NEW_ARRAY(arena, MlirRegion, regions + 1);
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
    return tri_builder_create(&b, &(tri_op){
        .name = tri_arena_copy(arena, name.data, name.length),
        .num_operands = num_operands, .operands = operands,
        .num_results = num_types, .results = types,
        .num_attrs = attrs, .attrs = all_attrs,
        .num_regions = regions, .regions = bodies,
    });
}

void tri_loops_copy_attributes(MlirOperation from, MlirOperation to)
{
    for (intptr_t i = 0; i < mlirOperationGetNumAttributes(from); i++) {
        MlirNamedAttribute named = mlirOperationGetAttribute(from, i);
        mlirOperationSetAttributeByName(to, mlirIdentifierStr(named.name), named.attribute);
    }
}

static MlirOperation extend(tri_arena *arena, MlirOperation op, intptr_t num_inits, const MlirValue *inits,
                            intptr_t num_types, const MlirType *types)
{
    intptr_t operands = mlirOperationGetNumOperands(op), results = mlirOperationGetNumResults(op);
    MlirValue *all_operands = TRI_NEW_ARRAY(arena, MlirValue, operands + num_inits + 1);
    MlirType *all_types = TRI_NEW_ARRAY(arena, MlirType, results + num_types + 1);
    for (intptr_t i = 0; i < operands + num_inits; i++)
        all_operands[i] = i < operands ? tri_op_operand(op, i) : inits[i - operands];
    for (intptr_t i = 0; i < results + num_types; i++)
        all_types[i] = i < results ? mlirValueGetType(tri_op_result(op, i)) : types[i - results];
    MlirOperation made =
        tri_loops_rebuild(arena, op, operands + num_inits, all_operands, results + num_types, all_types);
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
    MlirOperation made = extend(arena, loop, n, inits, n, types);
    for (intptr_t i = 0; i < n; i++)
        mlirBlockAddArgument(tri_op_body(made, 0), types[i], loc);
    return made;
}

MlirOperation tri_loops_add_while_args(tri_arena *arena, MlirOperation loop, intptr_t n, const MlirValue *inits)
{
    intptr_t given = mlirOperationGetNumOperands(loop), results = mlirOperationGetNumResults(loop);
    MlirValue *operands = TRI_NEW_ARRAY(arena, MlirValue, given + n);
    MlirType *types = TRI_NEW_ARRAY(arena, MlirType, results + n);
    for (intptr_t i = 0; i < given + n; i++)
        operands[i] = i < given ? tri_op_operand(loop, i) : inits[i - given];
    for (intptr_t i = 0; i < results + n; i++)
        types[i] = mlirValueGetType(i < results ? tri_op_result(loop, i) : inits[i - results]);
    MlirOperation made = tri_loops_rebuild(arena, loop, given + n, operands, results + n, types);
    for (intptr_t i = 0; i < results; i++)
        mlirValueReplaceAllUsesOfWith(tri_op_result(loop, i), tri_op_result(made, i));
    for (int r = 0; r < 2; r++)
        for (intptr_t i = 0; i < n; i++)
            mlirBlockAddArgument(tri_op_body(made, r), types[results + i], mlirOperationGetLocation(made));
    mlirOperationDestroy(loop);
    return made;
}

MlirOperation tri_loops_add_if_results(tri_arena *arena, MlirOperation op, intptr_t n, const MlirType *types)
{
    return extend(arena, op, 0, NULL, n, types);
}

/* Without the terminator operands whose result is dropped. */
static void narrow_yield(tri_arena *arena, MlirOperation yield, const bool *drop)
{
    intptr_t old = mlirOperationGetNumOperands(yield), n = 0;
    MlirValue *kept = TRI_NEW_ARRAY(arena, MlirValue, old + 1);
    for (intptr_t i = 0; i < old; i++)
        if (!drop[i])
            kept[n++] = tri_op_operand(yield, i);
    mlirOperationSetOperands(yield, n, kept);
}

MlirOperation tri_loops_drop(tri_arena *arena, MlirOperation op, const bool *drop)
{
    bool is_loop = tri_op_is(op, "scf.for");
    intptr_t results = mlirOperationGetNumResults(op), first = is_loop ? 3 : 1, operands = first, types = 0;
    MlirValue *all_operands = TRI_NEW_ARRAY(arena, MlirValue, first + results + 1);
    MlirType *all_types = TRI_NEW_ARRAY(arena, MlirType, results + 1);
    for (intptr_t i = 0; i < first; i++)
        all_operands[i] = tri_op_operand(op, i);
    for (intptr_t i = 0; i < results; i++) {
        MlirValue init = is_loop ? tri_op_operand(op, first + i) : (MlirValue){NULL};
        if (drop[i] && is_loop) {
            mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(tri_op_body(op, 0), 1 + i), init);
            mlirValueReplaceAllUsesOfWith(tri_op_result(op, i), init);
        } else if (!drop[i]) {
            all_types[types++] = mlirValueGetType(tri_op_result(op, i));
            if (is_loop)
                all_operands[operands++] = init;
        }
    }
    for (int r = 0; r < (is_loop ? 1 : 2); r++)
        narrow_yield(arena, tri_loops_yield(op, r), drop);
    for (intptr_t i = results; is_loop && i-- > 0;)
        if (drop[i])
            mlirBlockEraseArgument(tri_op_body(op, 0), (unsigned)(1 + i));
    MlirOperation made = tri_loops_rebuild(arena, op, operands, all_operands, types, all_types);
    for (intptr_t i = 0, now = 0; i < results; i++)
        if (!drop[i])
            mlirValueReplaceAllUsesOfWith(tri_op_result(op, i), tri_op_result(made, now++));
    mlirOperationDestroy(op);
    return made;
}

bool tri_loops_is_inside(MlirOperation loop, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (!tri_op_is_block_argument(value, &block, &index))
        block = mlirOperationGetBlock(tri_op_def(value));
    for (MlirOperation op = mlirBlockGetParentOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetParentOperation(op))
        if (mlirOperationEqual(op, loop))
            return true;
    return false;
}
