/* Lets a conditional that is there anyway choose between tensors.
 *
 *     %s = arith.select %c, %a, %b                  %r:2 = scf.if %c -> (tensor, i32) {
 *     %r = scf.if %c -> (i32) {                       scf.yield %a, %x
 *       scf.yield %x                                } else {
 *     } else {                                        scf.yield %b, %y
 *       scf.yield %y                                }
 *     }                                             use(%r#0)
 *     use(%s)
 *
 * Needs: ttir or ttgir. The select stands in the block of the conditional, in front of it, and
 * all its users come behind. A select on %c inside a branch of `scf.if %c` is the side that the
 * branch knows. Answers to tritongpu-combine-tensor-select-and-if.
 * Test: tests/passes/combine-tensor-select-and-if.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/loops.h"
#include "passes/analysis/uses.h"

/* Index of the region of `outer` that `op` is in, or -1. */
static int region_holding(MlirOperation outer, MlirOperation op)
{
    for (int r = 0; r < mlirOperationGetNumRegions(outer); r++) {
        MlirBlock body = tri_op_body(outer, r);
        if (!mlirBlockIsNull(body) && !mlirOperationIsNull(tri_op_ancestor_in(body, op)))
            return r;
    }
    return -1;
}

/* Uses of a select inside the branches of a conditional on the same value know which side it is. */
static void resolve_inside(const tri_uses *uses, MlirOperation select, MlirOperation conditional)
{
    const tri_use_list *list = tri_uses_of(uses, tri_op_result(select, 0));
    for (size_t i = 0; i < list->len; i++) {
        int r = region_holding(conditional, list->at[i].op);
        if (r >= 0)
            mlirOperationSetOperand(list->at[i].op, list->at[i].operand, tri_op_operand(select, 1 + r));
    }
}

/* Every remaining user comes behind the conditional in its block. */
static bool is_used_behind(const tri_uses *uses, MlirOperation select, MlirOperation conditional)
{
    MlirBlock block = mlirOperationGetBlock(conditional);
    for (MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(select, 0)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = tri_op_ancestor_in(block, mlirOpOperandGetOwner(use));
        if (mlirOperationIsNull(user) || tri_uses_index(uses, user) <= tri_uses_index(uses, conditional))
            return false;
    }
    return true;
}

/* A branch the conditional lacks, ending as one without results does. */
static void add_else(MlirOperation conditional)
{
    MlirRegion region = mlirOperationGetRegion(conditional, 1);
    if (!mlirBlockIsNull(mlirRegionGetFirstBlock(region)))
        return;
    MlirBlock block = mlirBlockCreate(0, NULL, NULL);
    mlirRegionAppendOwnedBlock(region, block);
    tri_builder b = tri_builder_at_end(block, mlirOperationGetLocation(conditional));
    tri_builder_create(&b, &(tri_op){.name = "scf.yield"});
}

static void merge(tri_pass_run *run, MlirOperation conditional, const tri_op_list *selects)
{
    intptr_t n = (intptr_t)selects->len, old = mlirOperationGetNumResults(conditional);
    MlirType *types = TRI_NEW_ARRAY(run->arena, MlirType, n);
    MlirValue *sides[2] = {TRI_NEW_ARRAY(run->arena, MlirValue, n), TRI_NEW_ARRAY(run->arena, MlirValue, n)};
    for (intptr_t i = 0; i < n; i++) {
        types[i] = mlirValueGetType(tri_op_result(selects->at[i], 0));
        for (int r = 0; r < 2; r++)
            sides[r][i] = tri_op_operand(selects->at[i], 1 + r);
    }
    add_else(conditional);
    MlirOperation made = tri_loops_add_if_results(run->arena, conditional, n, types);
    for (int r = 0; r < 2; r++)
        tri_loops_append_yield(run->arena, tri_loops_yield(made, r), n, sides[r]);
    for (intptr_t i = 0; i < n; i++) {
        MlirValue result = tri_op_result(made, old + i);
        tri_op_replace(selects->at[i], 1, &result);
    }
}

static bool is_tensor_select(MlirOperation op, MlirValue condition)
{
    return tri_op_is(op, "arith.select") && mlirValueEqual(tri_op_operand(op, 0), condition) &&
           tri_type_is_tensor(mlirValueGetType(tri_op_result(op, 0)));
}

/* A select that takes another one's result must wait for it: one merge cannot do both. */
static bool depends_on(MlirOperation op, const tri_op_list *others)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        for (size_t k = 0; k < others->len; k++)
            if (mlirValueEqual(tri_op_operand(op, i), tri_op_result(others->at[k], 0)))
                return true;
    return false;
}

static bool handle(tri_pass_run *run, const tri_uses *uses, MlirOperation conditional)
{
    MlirValue condition = tri_op_operand(conditional, 0);
    const tri_use_list *list = tri_uses_of(uses, condition);
    tri_op_list selects = {0};
    for (size_t i = 0; i < list->len; i++) {
        MlirOperation op = list->at[i].op;
        if (!is_tensor_select(op, condition))
            continue;
        resolve_inside(uses, op, conditional);
        if (mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(conditional)) &&
            tri_uses_index(uses, op) < tri_uses_index(uses, conditional) &&
            !mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(op, 0))) &&
            is_used_behind(uses, op, conditional) && !depends_on(op, &selects))
            tri_vec_push(run->arena, &selects, op);
    }
    if (!selects.len)
        return false;
    merge(run, conditional, &selects);
    return true;
}

static bool run_combine_tensor_select_and_if(tri_pass_run *run)
{
    for (bool is_changed = true; is_changed;) {
        tri_uses uses;
        is_changed = false;
        tri_uses_init(&uses, run->arena, mlirModuleGetOperation(run->module));
        for (size_t i = 0; i < uses.ops.len && !is_changed; i++)
            if (tri_op_is(uses.ops.at[i], "scf.if"))
                is_changed = handle(run, &uses, uses.ops.at[i]);
    }
    return true;
}

const tri_pass tri_pass_combine_tensor_select_and_if = {
    .name = "combine-tensor-select-and-if",
    .help = "let a conditional choose between tensors that a select on its condition chooses between",
    .alias = "tritongpu-combine-tensor-select-and-if",
    .run = run_combine_tensor_select_and_if,
};
