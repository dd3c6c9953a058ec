/* Copies what one group of warps runs. */
#include "passes/analysis/loops.h"
#include "passes/ttgir/partition_loops/split.h"

typedef TRI_VEC(MlirValue) value_list;
typedef TRI_VEC(MlirType) type_list;

MlirValue tri_partition_loops_value(const split_copy *c, MlirValue value)
{
    const MlirValue *found = tri_map_find_ptr(&c->of, value.ptr);
    return found ? *found : value;
}

static void set_value(split_copy *c, MlirValue value, MlirValue copy)
{
    MlirValue *entry = TRI_NEW(c->s->arena, MlirValue);
    *entry = copy;
    tri_map_set_ptr(&c->of, value.ptr, entry);
}

static bool has_group(const split_copy *c, uint64_t partitions) { return partitions >> c->group & 1; }

static void forget_groups(MlirOperation op)
{
    static const char *const names[] = {TRI_PARTITIONS_OF, TRI_PARTITIONS_OUTPUTS, TRI_PARTITIONS_STAGES};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        mlirOperationRemoveAttributeByName(op, mlirStringRefCreateFromCString(names[i]));
}

static void map_operands(split_copy *c, MlirOperation op)
{
    forget_groups(op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        mlirOperationSetOperand(op, i, tri_partition_loops_value(c, tri_op_operand(op, i)));
}

/* An operation that groups run whole, with what stands in it. */
static void copy_whole(split_copy *c, MlirOperation op, MlirBlock into)
{
    MlirOperation copy = mlirOperationClone(op);
    tri_op_list inner = {0};
    mlirBlockAppendOwnedOperation(into, copy);
    map_operands(c, copy);
    tri_op_collect(copy, c->s->arena, &inner);
    for (size_t i = 0; i < inner.len; i++)
        map_operands(c, inner.at[i]);
    mlirOperationRemoveAttributeByName(copy, mlirStringRefCreateFromCString(TRI_PARTITIONS_TAG));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        set_value(c, tri_op_result(op, i), tri_op_result(copy, i));
}

/* The results of loops and conditionals that the group has. */
static type_list kept_types(const split_copy *c, MlirOperation op)
{
    type_list types = {0};
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (has_group(c, tri_partitions_of_result(op, i)))
            tri_vec_push(c->s->arena, &types, mlirValueGetType(tri_op_result(op, i)));
    return types;
}

/* Operands from `first` on stand for the results of `of`, one each; those in front are all kept. */
static value_list kept_operands(const split_copy *c, MlirOperation op, MlirOperation of, intptr_t first)
{
    value_list kept = {0};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (i < first || has_group(c, tri_partitions_of_result(of, i - first)))
            tri_vec_push(c->s->arena, &kept, tri_partition_loops_value(c, tri_op_operand(op, i)));
    return kept;
}

/* An empty block with those arguments that the group has, of which the first `first` are all kept. */
static MlirBlock copy_block(split_copy *c, MlirOperation op, int region, intptr_t first)
{
    MlirBlock from = tri_op_body(op, region), block = mlirBlockCreate(0, NULL, NULL);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(from); i++) {
        MlirValue arg = mlirBlockGetArgument(from, i);
        if (i >= first && !has_group(c, tri_partitions_of_result(op, i - first)))
            continue;
        set_value(c, arg, mlirBlockAddArgument(block, mlirValueGetType(arg), mlirOperationGetLocation(op)));
    }
    return block;
}

static void copy_terminator(split_copy *c, MlirOperation op, MlirBlock into)
{
    bool is_condition = tri_op_is(op, "scf.condition");
    value_list kept = kept_operands(c, op, mlirOperationGetParentOperation(op), is_condition);
    tri_builder b = tri_builder_at_end(into, mlirOperationGetLocation(op));
    tri_builder_create(&b, &(tri_op){.name = is_condition ? "scf.condition" : "scf.yield",
                                     .num_operands = (intptr_t)kept.len, .operands = kept.at});
}

static void copy_op(split_copy *c, MlirOperation op, MlirBlock into);

static void copy_body(split_copy *c, MlirOperation op, int region, MlirBlock into)
{
    MlirOperation at = mlirBlockGetFirstOperation(tri_op_body(op, region));
    for (; !mlirOperationIsNull(at); at = mlirOperationGetNextInBlock(at))
        copy_op(c, at, into);
}

/* A loop or a conditional with what the group needs of it. */
static void copy_flow(split_copy *c, MlirOperation op, MlirBlock into)
{
    tri_arena *arena = c->s->arena;
    bool is_for = tri_op_is(op, "scf.for"), is_if = tri_op_is(op, "scf.if");
    intptr_t regions = mlirOperationGetNumRegions(op), next = 0;
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    MlirRegion *copies = TRI_NEW_ARRAY(arena, MlirRegion, regions + 1);
    value_list operands = kept_operands(c, op, op, is_for ? 3 : is_if ? 1 : 0);
    type_list types = kept_types(c, op);
    for (int i = 0; i < regions; i++) {
        copies[i] = mlirRegionCreate();
        if (mlirBlockIsNull(tri_op_body(op, i)))
            continue; /* no else */
        MlirBlock block = copy_block(c, op, i, is_for);
        mlirRegionAppendOwnedBlock(copies[i], block);
        copy_body(c, op, i, block);
    }
    tri_builder b = tri_builder_at_end(into, mlirOperationGetLocation(op));
    MlirOperation copy = tri_builder_create(
        &b, &(tri_op){.name = tri_arena_copy(arena, name.data, name.length),
                      .num_operands = (intptr_t)operands.len, .operands = operands.at,
                      .num_results = (intptr_t)types.len, .results = types.at,
                      .num_regions = regions, .regions = copies});
    tri_loops_copy_attributes(op, copy);
    forget_groups(copy);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (has_group(c, tri_partitions_of_result(op, i)))
            set_value(c, tri_op_result(op, i), tri_op_result(copy, next++));
}

/* The one of two values that the group has. */
static MlirValue chosen_value(const split_copy *c, MlirOperation op)
{
    bool has_first = has_group(c, tri_partitions_of_value(tri_op_operand(op, 0)));
    return tri_partition_loops_value(c, tri_op_operand(op, !has_first));
}

static void copy_op(split_copy *c, MlirOperation op, MlirBlock into)
{
    bool ends = tri_op_is(op, "scf.yield") || tri_op_is(op, "scf.condition");
    if (ends)
        copy_terminator(c, op, into);
    else if (!has_group(c, tri_partitions_of(op)))
        return;
    else if (tri_op_is(op, "nvws.aref.phi"))
        set_value(c, tri_op_result(op, 0), chosen_value(c, op));
    else if (tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while") || tri_op_is(op, "scf.if"))
        copy_flow(c, op, into);
    else
        copy_whole(c, op, into);
}

void tri_partition_loops_copy_members(split_copy *c, MlirBlock into)
{
    for (size_t i = 0; i < c->s->members.len; i++)
        copy_op(c, c->s->members.at[i], into);
}
