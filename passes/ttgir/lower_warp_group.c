/* Groups of warps become regions of ttg.warp_specialize.
 *
 *     nvws.warp_group                               %m = ttg.local_alloc %t
 *     partition0 num_warps(4) { A }                 ttg.warp_specialize(%m, %n)
 *     partition1 num_warps(8) { "use"(%t, %n) }     default { A }
 *                                           ->      partition0(%m1, %n1) num_warps(8) {
 *                                                     %t1 = ttg.local_load %m1
 *                                                     "use"(%t1, %n1)
 *                                                   }
 *
 * The first group is the default where it has the module's number of warps. What others use from outside they are
 * given; constants and tensors that pure operations make are made again, other tensors go through shared memory. In no
 * pipeline: automatic-warp-specialization makes ttg.warp_specialize itself. Answers to nvws-lower-warp-group.
 * Test: tests/passes/lower-warp-group.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/type.h"
#include "passes/analysis/loops.h"
#include "passes/analysis/partitions.h"

#include "mlir-c/BuiltinAttributes.h"

enum { MISFIT = 5014, MAX_GROUPS = 64 };

typedef TRI_VEC(MlirValue) value_list;

typedef struct {
    tri_arena *arena;
    MlirOperation groups;
    int count, first;     /* of groups; the first that is a partition: 1, or 0 where the default is empty */
    int32_t warps[MAX_GROUPS];
    tri_map captured;     /* MlirValue.ptr, those seen */
    value_list captures;  /* in order of their first use */
    value_list passed;    /* what is given for each: itself, or the buffer of a tensor */
} lowering;

static bool is_made_again(MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    return !mlirOperationIsNull(def) && tri_op_is_pure(def) && !mlirOperationGetNumRegions(def) &&
           (tri_op_is(def, "arith.constant") || tri_type_is_tensor(mlirValueGetType(value)));
}

/* ---- what partitions are given ---- */

static void capture(lowering *l, MlirValue value)
{
    if (tri_map_find_ptr(&l->captured, value.ptr))
        return;
    tri_map_set_ptr(&l->captured, value.ptr, l);
    MlirOperation def = tri_op_def(value);
    for (intptr_t i = 0; is_made_again(value) && i < mlirOperationGetNumOperands(def); i++)
        capture(l, tri_op_operand(def, i));
    if (!is_made_again(value))
        tri_vec_push(l->arena, &l->captures, value);
}

/* The values from outside that a region uses, in order. */
static value_list used_values(lowering *l, int group)
{
    value_list used = {0};
    tri_op_list ops = {0};
    tri_op_collect(l->groups, l->arena, &ops);
    MlirRegion region = mlirOperationGetRegion(l->groups, group);
    for (size_t i = 0; i < ops.len; i++) {
        MlirBlock block = mlirOperationGetBlock(ops.at[i]);
        while (!mlirOperationEqual(mlirBlockGetParentOperation(block), l->groups))
            block = mlirOperationGetBlock(mlirBlockGetParentOperation(block));
        if (!mlirRegionEqual(mlirBlockGetParentRegion(block), region))
            continue;
        for (intptr_t o = 0; o < mlirOperationGetNumOperands(ops.at[i]); o++)
            if (!tri_loops_is_inside(l->groups, tri_op_operand(ops.at[i], o)))
                tri_vec_push(l->arena, &used, tri_op_operand(ops.at[i], o));
    }
    return used;
}

static void pass_captures(lowering *l)
{
    tri_builder b = tri_builder_before(l->groups);
    for (size_t i = 0; i < l->captures.len; i++) {
        MlirValue value = l->captures.at[i];
        MlirType type = mlirValueGetType(value);
        if (tri_type_is_tensor(type))
            value = tri_builder_unary(&b, "ttg.local_alloc", tri_partitions_buffer(type, false), value);
        tri_vec_push(l->arena, &l->passed, value);
    }
}

/* ---- one partition ---- */

typedef struct {
    lowering *l;
    tri_map of; /* MlirValue.ptr -> MlirValue inside */
    tri_builder at_start;
} region_copy;

static void set_inside(region_copy *r, MlirValue value, MlirValue inside)
{
    MlirValue *entry = TRI_NEW(r->l->arena, MlirValue);
    *entry = inside;
    tri_map_set_ptr(&r->of, value.ptr, entry);
}

/* What stands for a value from outside, made at the region's start where it is none of its arguments. */
static MlirValue inside(region_copy *r, MlirValue value)
{
    const MlirValue *found = tri_map_find_ptr(&r->of, value.ptr);
    if (found && mlirTypeEqual(mlirValueGetType(*found), mlirValueGetType(value)))
        return *found;
    if (found) { /* its buffer */
        MlirValue loaded = tri_builder_unary(&r->at_start, "ttg.local_load", mlirValueGetType(value), *found);
        set_inside(r, value, loaded);
        return loaded;
    }
    MlirOperation def = tri_op_def(value), copy = mlirOperationClone(def);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
        mlirOperationSetOperand(copy, i, inside(r, tri_op_operand(def, i)));
    mlirBlockInsertOwnedOperationBefore(r->at_start.block, r->at_start.before, copy);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(def); i++)
        set_inside(r, tri_op_result(def, i), tri_op_result(copy, i));
    return *(const MlirValue *)tri_map_find_ptr(&r->of, value.ptr);
}

static void use_inside(region_copy *r, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (!tri_loops_is_inside(r->l->groups, tri_op_operand(op, i)))
            mlirOperationSetOperand(op, i, inside(r, tri_op_operand(op, i)));
}

/* Ends a block as a region of ttg.warp_specialize does; others end as they are. */
static void end_block(MlirBlock block, bool is_default)
{
    MlirOperation end = mlirBlockGetTerminator(block);
    if (!tri_op_is(end, "nvws.warp_group.yield") && !tri_op_is(end, "nvws.warp_group.return"))
        return;
    MlirValue values[MAX_GROUPS];
    intptr_t n = is_default ? mlirOperationGetNumOperands(end) : 0;
    for (intptr_t i = 0; i < n; i++)
        values[i] = tri_op_operand(end, i);
    tri_builder b = tri_builder_before(end);
    tri_builder_create(&b, &(tri_op){.name = is_default ? "ttg.warp_yield" : "ttg.warp_return",
                                     .num_operands = n, .operands = values});
    mlirOperationDestroy(end);
}

/* A region's operations with what they use from outside as arguments. */
static MlirRegion lower_partition(lowering *l, int group)
{
    MlirRegion from = mlirOperationGetRegion(l->groups, group), region = mlirRegionCreate();
    MlirBlock first = mlirRegionGetFirstBlock(from);
    region_copy r = {.l = l, .at_start = tri_builder_at_start(first, mlirOperationGetLocation(l->groups))};
    tri_map_init(&r.of, l->arena);
    for (size_t i = 0; i < l->captures.len; i++)
        set_inside(&r, l->captures.at[i],
                   mlirBlockAddArgument(first, mlirValueGetType(l->passed.at[i]), r.at_start.loc));
    for (MlirBlock block = first; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block)) {
        MlirOperation op = mlirBlockGetFirstOperation(block);
        for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
            tri_op_list inner = {0};
            tri_op_collect(op, l->arena, &inner);
            use_inside(&r, op);
            for (size_t i = 0; i < inner.len; i++)
                use_inside(&r, inner.at[i]);
        }
        end_block(block, false);
    }
    mlirRegionTakeBody(region, from);
    return region;
}

static MlirRegion lower_default(lowering *l)
{
    MlirRegion region = mlirRegionCreate();
    if (!l->first) {
        MlirBlock block = mlirBlockCreate(0, NULL, NULL);
        tri_builder b = tri_builder_at_end(block, mlirOperationGetLocation(l->groups));
        tri_builder_create(&b, &(tri_op){.name = "ttg.warp_yield"});
        mlirRegionAppendOwnedBlock(region, block);
        return region;
    }
    mlirRegionTakeBody(region, mlirOperationGetRegion(l->groups, 0));
    for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
        end_block(block, true);
    return region;
}

static void lower_groups(lowering *l)
{
    intptr_t results = mlirOperationGetNumResults(l->groups);
    MlirRegion *partitions = TRI_NEW_ARRAY(l->arena, MlirRegion, l->count + 1);
    MlirType *types = TRI_NEW_ARRAY(l->arena, MlirType, results + 1);
    for (int i = l->first; i < l->count; i++) {
        value_list used = used_values(l, i);
        for (size_t u = 0; u < used.len; u++)
            capture(l, used.at[u]);
    }
    pass_captures(l);
    for (int i = l->first; i < l->count; i++)
        partitions[i - l->first] = lower_partition(l, i);
    for (intptr_t i = 0; i < results; i++)
        types[i] = mlirValueGetType(tri_op_result(l->groups, i));
    tri_builder b = tri_builder_before(l->groups);
    MlirRegion regions[2] = {lower_default(l), mlirRegionCreate()};
    MlirBlock holder = mlirBlockCreate(0, NULL, NULL);
    tri_builder in = tri_builder_at_end(holder, b.loc);
    tri_builder_create(&in, &(tri_op){.name = "ttg.warp_specialize.partitions", .num_regions = l->count - l->first,
                                      .regions = partitions});
    mlirRegionAppendOwnedBlock(regions[1], holder);
    tri_attr warps = {"partitionNumWarps", tri_attr_i32s(b.context, l->count - l->first, l->warps + l->first)};
    MlirOperation made = tri_builder_create(
        &b, &(tri_op){.name = "ttg.warp_specialize",
                      .num_operands = (intptr_t)l->passed.len, .operands = l->passed.at,
                      .num_results = results, .results = types,
                      .num_attrs = 1, .attrs = &warps, .num_regions = 2, .regions = regions});
    for (intptr_t i = 0; i < results; i++)
        mlirValueReplaceAllUsesOfWith(tri_op_result(l->groups, i), tri_op_result(made, i));
    mlirOperationDestroy(l->groups);
}

static bool run_lower_warp_group(tri_pass_run *run)
{
    tri_op_list found = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "nvws.warp_group", run->arena, &found);
    for (size_t i = 0; i < found.len; i++) {
        lowering l = {.arena = run->arena, .groups = found.at[i]};
        tri_map_init(&l.captured, run->arena);
        intptr_t results = mlirOperationGetNumResults(l.groups);
        l.count = tri_op_i32s(l.groups, "numWarps", l.warps, MAX_GROUPS);
        l.first = l.count && l.warps[0] == tri_partitions_warps_at(l.groups);
        if (mlirOperationGetNumRegions(l.groups) > MAX_GROUPS || results > MAX_GROUPS || (results && !l.first)) {
            tri_op_error(run->unit->diag, l.groups, MISFIT,
                         results && !l.first ? "results come from a first group of %d warps, as many as the module has"
                                             : "there are more than %d groups or results",
                         results && !l.first ? tri_partitions_warps_at(l.groups) : MAX_GROUPS);
            return false;
        }
        lower_groups(&l);
    }
    return true;
}

const tri_pass tri_pass_lower_warp_group = {
    .name = "lower-warp-group",
    .help = "lower groups of warps to ttg.warp_specialize",
    .alias = "nvws-lower-warp-group",
    .run = run_lower_warp_group,
};
