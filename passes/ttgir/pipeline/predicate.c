/* Making an op do nothing when a predicate is false: what runs ahead of its iteration may be past the end.
 *
 *     %t = ttg.async_copy_global_to_local %p, %b           %m = tt.splat %pred
 *                                                          %t = ttg.async_copy_global_to_local %p, %b mask %m
 *
 * Ops that only compute, or only read buffers, run at any time; those with a mask or a predicate get it narrowed. */
#include "passes/ttgir/pipeline/pipeline.h"

#include "ir/type.h"
#include "passes/analysis/loads.h"

typedef enum { PRED_OPERAND, PRED_LAST, PRED_SEGMENT, PRED_OPTIONAL } pred_kind;

/* Where an op's scalar predicate is: operand `at`, or its segment. */
typedef struct {
    const char *name;
    pred_kind kind;
    int at;
} pred_row;

static const pred_row rows[] = {
    {"scf.if", PRED_OPERAND, 0},
    {"ttng.barrier_expect", PRED_OPERAND, 1},
    {"ttng.async_tma_copy_global_to_local", PRED_SEGMENT, 5},
    {"ttng.async_tma_gather", PRED_LAST, 0},
    {"ttng.wait_barrier", PRED_SEGMENT, 2},
    {"ttng.arrive_barrier", PRED_OPTIONAL, 1},
    {"ttng.tmem_store", PRED_LAST, 0},
    {"ttng.tc_gen5_mma", PRED_SEGMENT, 5},
    {"ttng.tc_gen5_mma_scaled", PRED_SEGMENT, 7},
    {"ttng.tc_gen5_commit", PRED_SEGMENT, 1},
};

static const pred_row *find_row(MlirOperation op)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tri_op_is(op, rows[i].name))
            return &rows[i];
    return NULL;
}

static bool is_one_of(MlirOperation op, const char *const *names)
{
    for (; *names; names++)
        if (tri_op_is(op, *names))
            return true;
    return false;
}

bool tri_pipeline_can_predicate(MlirOperation op)
{
    static const char *const any_time[] = {"ttg.local_load", "ttg.local_alloc", "ttg.local_store", "ttg.async_wait",
                                           "ttg.async_commit_group", "ttg.memdesc_index", "ttng.warp_group_dot",
                                           "ttng.warp_group_dot_wait", "ttng.fence_async_shared", "ttng.tmem_alloc",
                                           "ttng.tmem_load", "ttig.descriptor_prefetch", "amdg.async_tdm_wait",
                                           "amdg.local_load_packed_transposed",
                                           "llvm.intr.assume", NULL};
    static const char *const masked[] = {"tt.load", "tt.store", "ttg.async_copy_global_to_local", "tt.atomic_rmw",
                                         "ttig.prefetch", "amdg.async_tdm_copy_global_to_local",
                                         "amdg.async_tdm_gather", NULL};
    return is_one_of(op, any_time) || is_one_of(op, masked) || find_row(op) || tri_op_is_pure(op) ||
           !tri_op_has_effects(op);
}

static MlirValue conjunction(tri_builder *b, MlirValue mask, MlirValue pred, MlirType pointers)
{
    MlirType i1 = mlirIntegerTypeGet(b->context, 1);
    if (tri_type_is_tensor(pointers)) {
        i1 = tri_type_with_element(pointers, i1);
        pred = tri_builder_unary(b, "tt.splat", i1, pred);
    }
    return mlirValueIsNull(mask) ? pred : tri_builder_binary(b, "arith.andi", i1, mask, pred);
}

/* The op once more with `value` as another operand, at position `at`, of operand group `group` (-1: no groups). */
static MlirOperation with_operand(tri_arena *arena, MlirOperation op, intptr_t at, int group, MlirValue value)
{
    tri_builder b = tri_builder_before(op);
    intptr_t num_attrs = mlirOperationGetNumAttributes(op), n = mlirOperationGetNumOperands(op);
    tri_attr *attrs = TRI_NEW_ARRAY(arena, tri_attr, num_attrs + 1);
    for (intptr_t i = 0; i < num_attrs; i++) {
        MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
        MlirStringRef name = mlirIdentifierStr(named.name);
        attrs[i] = (tri_attr){tri_arena_copy(arena, name.data, name.length), named.attribute};
        int32_t sizes[16];
        if (group < 0 || strcmp(attrs[i].name, "operandSegmentSizes") != 0)
            continue;
        int groups = tri_op_i32s(op, "operandSegmentSizes", sizes, 16);
        sizes[group]++;
        attrs[i].value = tri_attr_i32s(b.context, groups, sizes);
    }
    MlirValue *operands = TRI_NEW_ARRAY(arena, MlirValue, n + 1);
    for (intptr_t i = 0; i <= n; i++)
        operands[i] = i < at ? tri_op_operand(op, i) : i == at ? value : tri_op_operand(op, i - 1);
    intptr_t num_results = mlirOperationGetNumResults(op);
    MlirType types[4] = {{NULL}};
    for (intptr_t i = 0; i < num_results; i++)
        types[i] = mlirValueGetType(tri_op_result(op, i));
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    MlirOperation made = tri_builder_create(&b, &(tri_op){.name = tri_arena_copy(arena, name.data, name.length),
                                                          .num_operands = n + 1, .operands = operands,
                                                          .num_results = num_results, .results = types,
                                                          .num_attrs = num_attrs, .attrs = attrs});
    mlirOperationDestroy(op);
    return made;
}

static MlirOperation narrow_scalar(tri_arena *arena, MlirOperation op, const pred_row *row, MlirValue pred)
{
    tri_builder b = tri_builder_before(op);
    intptr_t at = row->kind == PRED_LAST ? mlirOperationGetNumOperands(op) - 1 : row->at;
    bool is_there = row->kind != PRED_OPTIONAL || mlirOperationGetNumOperands(op) > at;
    if (row->kind == PRED_SEGMENT)
        is_there = tri_op_segment(op, row->at, &at) > 0;
    if (!is_there)
        return with_operand(arena, op, at, row->kind == PRED_SEGMENT ? row->at : -1, pred);
    mlirOperationSetOperand(op, at, conjunction(&b, tri_op_operand(op, at), pred, mlirValueGetType(pred)));
    return op;
}

/* The iteration's predicate comes first: where it is false, nothing else is looked at. */
static MlirOperation narrow_prefetch(tri_arena *arena, MlirOperation op, MlirValue pred)
{
    tri_builder b = tri_builder_before(op);
    MlirValue all = conjunction(&b, (MlirValue){NULL}, pred, mlirValueGetType(tri_op_operand(op, 0)));
    if (mlirOperationGetNumOperands(op) == 1)
        return with_operand(arena, op, 1, -1, all);
    MlirType type = mlirValueGetType(all);
    mlirOperationSetOperand(op, 1, tri_builder_binary(&b, "arith.andi", type, all, tri_op_operand(op, 1)));
    return op;
}

/* The op inside of an scf.if; `others` are the results without it (null: zeros). */
static MlirOperation put_in_branch(MlirOperation op, MlirValue pred, const MlirValue *others)
{
    tri_builder b = tri_builder_before(op);
    intptr_t n = mlirOperationGetNumResults(op);
    MlirType types[4];
    MlirValue results[4], zeros[4];
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    for (int i = 0; i < 2; i++)
        if (i == 0 || n)
            mlirRegionAppendOwnedBlock(regions[i], mlirBlockCreate(0, NULL, NULL));
    for (intptr_t i = 0; i < n; i++)
        types[i] = mlirValueGetType(results[i] = tri_op_result(op, i));
    MlirOperation branch = tri_builder_create(&b, &(tri_op){.name = "scf.if", .num_operands = 1, .operands = &pred,
                                                            .num_results = n, .results = types, .num_regions = 2,
                                                            .regions = regions});
    for (int i = 0; i < 2 && (i == 0 || n); i++) {
        tri_builder inside = tri_builder_at_end(tri_op_body(branch, i), b.loc);
        for (intptr_t k = 0; i == 1 && k < n && !others; k++)
            zeros[k] = mlirTypeIsAFloat(tri_type_element(types[k])) ? tri_builder_float(&inside, types[k], 0)
                                                                    : tri_builder_int(&inside, types[k], 0);
        tri_builder_create(&inside, &(tri_op){.name = "scf.yield", .num_operands = n,
                                              .operands = i == 0 ? results : others ? others : zeros});
    }
    mlirOperationMoveBefore(op, mlirBlockGetTerminator(tri_op_body(branch, 0)));
    return branch;
}

bool tri_pipeline_can_guard(MlirOperation op)
{
    static const char *const names[] = {"tt.dot", "tt.dot_scaled", "tt.descriptor_store", "tt.descriptor_load",
                                        "tt.descriptor_gather", NULL};
    return is_one_of(op, names);
}

MlirOperation tri_pipeline_guard(tri_arena *arena, MlirOperation op, MlirValue pred)
{
    if (tri_op_is(op, "tt.dot") || tri_op_is(op, "tt.dot_scaled")) {
        MlirValue sum = tri_op_operand(op, 2);
        return put_in_branch(op, pred, &sum);
    }
    if (tri_pipeline_can_guard(op))
        return put_in_branch(op, pred, NULL);
    return tri_pipeline_predicate(arena, op, pred);
}

/* Nothing is assumed where the predicate is false. */
static MlirOperation narrow_assumption(MlirOperation op, MlirValue pred)
{
    tri_builder b = tri_builder_before(op);
    MlirType i1 = mlirIntegerTypeGet(b.context, 1);
    MlirValue args[] = {pred, tri_op_operand(op, 0), tri_builder_int(&b, i1, 1)};
    mlirOperationSetOperand(op, 0, tri_builder_value(&b, &(tri_op){.name = "arith.select", .num_operands = 3,
                                                                   .operands = args, .num_results = 1,
                                                                   .results = &i1}));
    return op;
}

/* A box is left out by its descriptor. */
static MlirOperation narrow_box(MlirOperation op, MlirValue pred)
{
    tri_builder b = tri_builder_before(op);
    MlirValue bit = tri_builder_unary(&b, "arith.extui", mlirIntegerTypeGet(b.context, 32), pred);
    MlirValue operands[] = {tri_op_operand(op, 0), bit};
    MlirType type = mlirValueGetType(operands[0]);
    const int32_t sizes[] = {1, 0, 0, 1};
    tri_attr attr = {"operandSegmentSizes", tri_attr_i32s(b.context, 4, sizes)};
    mlirOperationSetOperand(op, 0, tri_builder_value(&b, &(tri_op){.name = "amdg.update_tensor_descriptor",
                                                                   .num_operands = 2, .operands = operands,
                                                                   .num_results = 1, .results = &type, .num_attrs = 1,
                                                                   .attrs = &attr}));
    return op;
}

MlirOperation tri_pipeline_predicate(tri_arena *arena, MlirOperation op, MlirValue pred)
{
    tri_builder b = tri_builder_before(op);
    if (tri_op_is(op, "amdg.async_tdm_copy_global_to_local") || tri_op_is(op, "amdg.async_tdm_gather"))
        return narrow_box(op, pred);
    if (tri_op_is(op, "llvm.intr.assume"))
        return narrow_assumption(op, pred);
    const pred_row *row = find_row(op);
    if (row)
        return narrow_scalar(arena, op, row, pred);
    if (tri_op_is(op, "ttig.prefetch"))
        return narrow_prefetch(arena, op, pred);
    bool is_load = tri_op_is(op, "tt.load"), is_copy = tri_op_is(op, "ttg.async_copy_global_to_local");
    if (!is_load && !is_copy && !tri_op_is(op, "tt.store") && !tri_op_is(op, "tt.atomic_rmw"))
        return op;
    MlirValue mask = {NULL}, pointer = tri_op_operand(op, 0);
    if (is_load || is_copy)
        mask = tri_op_segment_value(op, is_load ? 1 : 2);
    else if (mlirOperationGetNumOperands(op) > 2)
        mask = tri_op_operand(op, 2);
    MlirValue both = conjunction(&b, mask, pred, mlirValueGetType(pointer));
    if (is_load) {
        MlirValue made = tri_loads_make(arena, &b, op, pointer, both, tri_op_segment_value(op, 2));
        mlirOperationDestroy(op);
        return tri_op_def(made);
    }
    if (mlirValueIsNull(mask))
        return with_operand(arena, op, 2, is_copy ? 2 : -1, both);
    mlirOperationSetOperand(op, 2, both);
    return op;
}
