/* A loop that says which groups of warps run what becomes a loop for each group.
 *
 *     %r = scf.for ... {                            %r = nvws.warp_group
 *       "a"() {ttg.partition = array<i32: 0>}       partition0 num_warps(4) {
 *       "b"() {ttg.partition = array<i32: 1>}   ->    %0 = scf.for ... { "a"() }
 *     }                                               nvws.warp_group.yield %0
 *                                                   }
 *                                                   partition1 num_warps(4) {
 *                                                     scf.for ... { "b"() }
 *                                                     nvws.warp_group.return
 *                                                   }
 *
 * Operations of the same block with the loop's tag go with it. Results that others use come from the first group; a
 * tensor that only another group has goes through shared memory. What one group uses of another must have been handed
 * on before: that is checked, nothing is made for it. In no pipeline: automatic-warp-specialization goes to
 * ttg.warp_specialize at once. Answers to tritongpu-partition-loops.
 * Test: tests/passes/partition-loops.mlir */
#include "passes/passes.h"

#include "passes/ttgir/partition_loops/split.h"

#include "mlir-c/BuiltinAttributes.h"

static void collect_members(split *s)
{
    MlirAttribute tag = tri_op_attr(s->loop, TRI_PARTITIONS_TAG);
    int64_t number = mlirAttributeIsNull(tag) ? -1 : mlirIntegerAttrGetValueInt(tag);
    MlirOperation op = mlirBlockGetFirstOperation(mlirOperationGetBlock(s->loop));
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        MlirAttribute own = tri_op_attr(op, TRI_PARTITIONS_TAG);
        bool has_tag = !mlirAttributeIsNull(own) && mlirAttributeIsAInteger(own) &&
                       !mlirAttributeIsNull(tri_op_attr(op, TRI_PARTITIONS_OF)) && !tri_partitions_count(op) &&
                       mlirIntegerAttrGetValueInt(own) == number;
        if (has_tag || mlirOperationEqual(op, s->loop))
            tri_vec_push(s->arena, &s->members, op);
    }
}

/* Memory for those results that leave a group which is not the first. */
static void allocate_buffers(split *s)
{
    intptr_t n = mlirOperationGetNumResults(s->loop);
    tri_builder b = tri_builder_before(s->loop);
    s->buffers = TRI_NEW_ARRAY(s->arena, MlirValue, n + 1);
    for (intptr_t i = 0; i < n; i++) {
        s->buffers[i] = (MlirValue){0};
        if (!tri_partition_loops_owner(s, i) || !tri_partition_loops_is_used_outside(s, i))
            continue;
        MlirType type = tri_partitions_buffer(mlirValueGetType(tri_op_result(s->loop, i)), true);
        s->buffers[i] = tri_builder_value(&b, &(tri_op){.name = "ttg.local_alloc", .num_results = 1, .results = &type});
    }
}

/* Ends a group: the first hands out the loop's results that it has, others store theirs. */
static void end_group(split_copy *c, MlirBlock block)
{
    const split *s = c->s;
    tri_builder b = tri_builder_at_end(block, mlirOperationGetLocation(s->loop));
    TRI_VEC(MlirValue) yielded = {0};
    for (intptr_t i = 0; i < mlirOperationGetNumResults(s->loop); i++) {
        MlirValue value = tri_partition_loops_value(c, tri_op_result(s->loop, i));
        if (!c->group && !tri_partition_loops_owner(s, i))
            tri_vec_push(s->arena, &yielded, value);
        if (mlirValueIsNull(s->buffers[i]) || c->group != tri_partition_loops_owner(s, i))
            continue;
        MlirValue operands[] = {value, s->buffers[i]};
        tri_builder_create(&b, &(tri_op){.name = "ttg.local_store", .num_operands = 2, .operands = operands});
    }
    tri_builder_create(&b, &(tri_op){.name = c->group ? "nvws.warp_group.return" : "nvws.warp_group.yield",
                                     .num_operands = (intptr_t)yielded.len, .operands = yielded.at});
}

static MlirOperation make_groups(split *s)
{
    MlirRegion *regions = TRI_NEW_ARRAY(s->arena, MlirRegion, s->count);
    int32_t *warps = TRI_NEW_ARRAY(s->arena, int32_t, s->count);
    TRI_VEC(MlirType) types = {0};
    for (int group = 0; group < s->count; group++) {
        split_copy c = {.s = s, .group = group};
        MlirBlock block = mlirBlockCreate(0, NULL, NULL);
        tri_map_init(&c.of, s->arena);
        regions[group] = mlirRegionCreate();
        mlirRegionAppendOwnedBlock(regions[group], block);
        tri_partition_loops_copy_members(&c, block);
        end_group(&c, block);
        warps[group] = tri_partitions_warps_at(s->loop);
    }
    for (intptr_t i = 0; i < mlirOperationGetNumResults(s->loop); i++)
        if (!tri_partition_loops_owner(s, i))
            tri_vec_push(s->arena, &types, mlirValueGetType(tri_op_result(s->loop, i)));
    tri_builder b = tri_builder_before(s->loop);
    tri_attr numbers = {"numWarps", tri_attr_i32s(b.context, s->count, warps)};
    return tri_builder_create(&b, &(tri_op){.name = "nvws.warp_group",
                                            .num_results = (intptr_t)types.len, .results = types.at,
                                            .num_attrs = 1, .attrs = &numbers,
                                            .num_regions = s->count, .regions = regions});
}

/* Gives users outside of the groups what the groups hand out. */
static void replace_results(split *s, MlirOperation groups)
{
    tri_builder b = tri_builder_after(groups);
    intptr_t next = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(s->loop); i++) {
        MlirValue result = tri_op_result(s->loop, i);
        if (!tri_partition_loops_owner(s, i))
            mlirValueReplaceAllUsesOfWith(result, tri_op_result(groups, next++));
        if (mlirValueIsNull(s->buffers[i]))
            continue;
        MlirValue loaded = tri_builder_unary(&b, "ttg.local_load", mlirValueGetType(result), s->buffers[i]);
        mlirValueReplaceAllUsesOfWith(result, loaded);
        tri_builder_create(&b, &(tri_op){.name = "ttg.local_dealloc", .num_operands = 1, .operands = &s->buffers[i]});
    }
}

static bool split_loop(tri_pass_run *run, MlirOperation func, MlirOperation loop)
{
    split s = {.arena = run->arena, .diag = run->unit->diag, .loop = loop, .count = tri_partitions_count(loop)};
    if (!tri_partitions_check(s.diag, loop))
        return false;
    if (s.count < 2)
        return true;
    tri_uses_init(&s.uses, s.arena, func);
    collect_members(&s);
    if (!tri_partition_loops_is_sound(&s))
        return false;
    allocate_buffers(&s);
    replace_results(&s, make_groups(&s));
    while (s.members.len)
        mlirOperationDestroy(s.members.at[--s.members.len]);
    return true;
}

/* Loops with partitions that stand in no other of those. */
static tri_op_list outermost_loops(tri_arena *arena, MlirOperation func)
{
    tri_op_list ops = {0}, loops = {0};
    tri_op_collect(func, arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        bool is_loop = tri_op_is(ops.at[i], "scf.for") || tri_op_is(ops.at[i], "scf.while");
        MlirOperation around = mlirOperationGetParentOperation(ops.at[i]);
        while (!mlirOperationIsNull(around) && !tri_partitions_count(around))
            around = mlirOperationGetParentOperation(around);
        if (is_loop && tri_partitions_count(ops.at[i]) && mlirOperationIsNull(around))
            tri_vec_push(arena, &loops, ops.at[i]);
    }
    return loops;
}

static bool run_partition_loops(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t f = 0; f < funcs.len; f++) {
        tri_op_list loops = outermost_loops(run->arena, funcs.at[f]);
        for (size_t i = 0; i < loops.len; i++)
            if (!split_loop(run, funcs.at[f], loops.at[i]))
                return false;
    }
    return true;
}

const tri_pass tri_pass_partition_loops = {
    .name = "partition-loops",
    .help = "make a loop for each group of warps of a loop's partitions",
    .alias = "tritongpu-partition-loops",
    .run = run_partition_loops,
};
