/* A loop of unknown length that is shared by groups of warps hands on just what its condition is given.
 *
 *     scf.while (%s = %a) {                       %v0 = "value"(%a) ; %c0 = "more"(%a)
 *       %v = "value"(%s) ; %c = "more"(%s)        scf.while (%v = %v0, %c = %c0) {
 *       scf.condition(%c) %v                  ->    scf.condition(%c) %v, %c
 *     } do {                                      } do {
 *     ^bb0(%v):                                   ^bb0(%v, %c):
 *       %n = "body"(%v)                             %n = "body"(%v)
 *       scf.yield %n                                %v1 = "value"(%n) ; %c1 = "more"(%n)
 *     }                                             scf.yield %v1, %c1
 *                                                 }
 *
 * Of loops with tt.warp_specialize and those in them, the innermost first: the condition is worked out once before the
 * loop and again behind its body. A loop that asks for the work of another program (ttng.clc_try_cancel_sync) takes
 * tt.warp_specialize and tt.disallow_acc_multi_buffer over from the loops in it: it is what the groups share. In no
 * pipeline: automatic-warp-specialization leaves such loops alone. Answers to tritongpu-normalize-ws-while-loops.
 * Test: tests/passes/normalize-ws-while-loops.mlir */
#include "passes/passes.h"

#include "ir/op.h"
#include "passes/analysis/loops.h"

static const char shares[] = "tt.warp_specialize", single[] = "tt.disallow_acc_multi_buffer";

static void drop_attr(MlirOperation op, const char *name)
{
    mlirOperationRemoveAttributeByName(op, mlirStringRefCreateFromCString(name));
}

/* ---- who shares ---- */

static bool asks_for_work(MlirBlock body)
{
    MlirOperation op = mlirBlockGetFirstOperation(body);
    while (!mlirOperationIsNull(op) && !tri_op_is(op, "ttng.clc_try_cancel_sync"))
        op = mlirOperationGetNextInBlock(op);
    return !mlirOperationIsNull(op);
}

static void take_over(MlirOperation loop)
{
    MlirBlock body = tri_op_body(loop, 1);
    MlirContext context = mlirOperationGetContext(loop);
    if (!asks_for_work(body))
        return;
    MlirOperation op = mlirBlockGetFirstOperation(body);
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        if (!tri_op_is(op, "scf.for") || !tri_op_flag(op, shares))
            continue;
        tri_builder_set_attr(loop, shares, tri_attr_unit(context));
        if (tri_op_flag(op, single))
            tri_builder_set_attr(loop, single, tri_attr_unit(context));
        drop_attr(op, shares);
        drop_attr(op, single);
    }
}

static bool is_shared(MlirOperation loop)
{
    MlirOperation op = loop;
    while (!mlirOperationIsNull(op) && !tri_op_flag(op, shares))
        op = mlirOperationGetParentOperation(op);
    return !mlirOperationIsNull(op);
}

/* ---- turning a loop ---- */

typedef TRI_VEC(MlirValue) value_list;

static bool hands_on_what_it_is_given(MlirOperation loop)
{
    MlirOperation condition = tri_loops_yield(loop, 0);
    MlirBlock before = tri_op_body(loop, 0);
    intptr_t n = mlirBlockGetNumArguments(before);
    bool same = mlirOperationGetNumOperands(condition) == n + 1;
    for (intptr_t i = 0; same && i < n; i++)
        same = mlirValueEqual(tri_op_operand(condition, i + 1), mlirBlockGetArgument(before, i));
    return same;
}

/* Copies the loop's first region for these arguments; returns what it hands on, the condition last. */
static value_list copy_condition(tri_arena *arena, tri_builder *b, MlirOperation loop, const value_list *arguments)
{
    MlirBlock before = tri_op_body(loop, 0);
    MlirOperation condition = tri_loops_yield(loop, 0), op = mlirBlockGetFirstOperation(before);
    value_list from = {0}, to = {0}, handed = {0};
    for (size_t i = 0; i < arguments->len; i++) {
        tri_vec_push(arena, &from, mlirBlockGetArgument(before, (intptr_t)i));
        tri_vec_push(arena, &to, arguments->at[i]);
    }
    for (; !mlirOperationEqual(op, condition); op = mlirOperationGetNextInBlock(op)) {
        MlirOperation copy = tri_op_clone(b, op, (intptr_t)from.len, from.at, to.at);
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
            tri_vec_push(arena, &from, tri_op_result(op, i));
            tri_vec_push(arena, &to, tri_op_result(copy, i));
        }
    }
    intptr_t n = mlirOperationGetNumOperands(condition);
    for (intptr_t i = 1; i <= n; i++) {
        MlirValue value = tri_op_operand(condition, i % n);
        for (size_t j = from.len; j-- > 0;)
            if (mlirValueEqual(value, from.at[j])) {
                value = to.at[j];
                break;
            }
        tri_vec_push(arena, &handed, value);
    }
    return handed;
}

/* A region of one block with arguments of these types. */
static MlirRegion make_region(tri_arena *arena, const value_list *like, MlirLocation loc)
{
    MlirType *types = TRI_NEW_ARRAY(arena, MlirType, like->len + 1);
    MlirLocation *locs = TRI_NEW_ARRAY(arena, MlirLocation, like->len + 1);
    for (size_t i = 0; i < like->len; i++) {
        types[i] = mlirValueGetType(like->at[i]);
        locs[i] = loc;
    }
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, mlirBlockCreate((intptr_t)like->len, types, locs));
    return region;
}

/* A terminator with the attributes of another. */
static void make_terminator(MlirBlock block, MlirOperation like, const value_list *operands)
{
    tri_builder b = tri_builder_at_end(block, mlirOperationGetLocation(like));
    MlirOperation made = tri_builder_create(
        &b, &(tri_op){.name = tri_op_is(like, "scf.yield") ? "scf.yield" : "scf.condition",
                      .num_operands = (intptr_t)operands->len, .operands = operands->at});
    tri_loops_copy_attributes(like, made);
}

/* The condition says how long, of all that it is given. */
static void fill_condition(tri_arena *arena, MlirOperation loop, MlirBlock before)
{
    value_list operands = {0};
    intptr_t n = mlirBlockGetNumArguments(before);
    tri_vec_push(arena, &operands, mlirBlockGetArgument(before, n - 1));
    for (intptr_t i = 0; i < n; i++)
        tri_vec_push(arena, &operands, mlirBlockGetArgument(before, i));
    make_terminator(before, tri_loops_yield(loop, 0), &operands);
}

/* The body moves over, with the next condition behind it. */
static void fill_body(tri_arena *arena, MlirOperation loop, MlirBlock body)
{
    MlirBlock old = tri_op_body(loop, 1);
    MlirOperation yield = tri_loops_yield(loop, 1), op = mlirBlockGetFirstOperation(old);
    value_list next = {0};
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(old); i++)
        mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(old, i), mlirBlockGetArgument(body, i));
    while (!mlirOperationEqual(op, yield)) {
        MlirOperation following = mlirOperationGetNextInBlock(op);
        mlirOperationRemoveFromParent(op);
        mlirBlockAppendOwnedOperation(body, op);
        op = following;
    }
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); i++)
        tri_vec_push(arena, &next, tri_op_operand(yield, i));
    tri_builder b = tri_builder_at_end(body, mlirOperationGetLocation(yield));
    value_list operands = copy_condition(arena, &b, loop, &next);
    make_terminator(body, yield, &operands);
}

static void turn_loop(tri_arena *arena, MlirOperation loop)
{
    tri_builder b = tri_builder_before(loop);
    value_list given = {0};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(loop); i++)
        tri_vec_push(arena, &given, tri_op_operand(loop, i));
    value_list inits = copy_condition(arena, &b, loop, &given);
    MlirRegion regions[2] = {make_region(arena, &inits, b.loc), make_region(arena, &inits, b.loc)};
    fill_condition(arena, loop, mlirRegionGetFirstBlock(regions[0]));
    fill_body(arena, loop, mlirRegionGetFirstBlock(regions[1]));
    MlirType *types = TRI_NEW_ARRAY(arena, MlirType, inits.len + 1);
    for (size_t i = 0; i < inits.len; i++)
        types[i] = mlirValueGetType(inits.at[i]);
    MlirOperation made = tri_builder_create(&b, &(tri_op){.name = "scf.while",
                                                          .num_operands = (intptr_t)inits.len, .operands = inits.at,
                                                          .num_results = (intptr_t)inits.len, .results = types,
                                                          .num_regions = 2, .regions = regions});
    tri_loops_copy_attributes(loop, made);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++)
        mlirValueReplaceAllUsesOfWith(tri_op_result(loop, i), tri_op_result(made, i));
    mlirOperationDestroy(loop);
}

static bool run_normalize_ws_while_loops(tri_pass_run *run)
{
    tri_op_list loops = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.while", run->arena, &loops);
    for (size_t i = 0; i < loops.len; i++)
        take_over(loops.at[i]);
    for (size_t i = loops.len; i-- > 0;)
        if (is_shared(loops.at[i]) && !hands_on_what_it_is_given(loops.at[i]))
            turn_loop(run->arena, loops.at[i]);
    return true;
}

const tri_pass tri_pass_normalize_ws_while_loops = {
    .name = "normalize-ws-while-loops",
    .help = "have loops of unknown length that groups of warps share hand on what their condition is given",
    .alias = "tritongpu-normalize-ws-while-loops",
    .run = run_normalize_ws_while_loops,
};
