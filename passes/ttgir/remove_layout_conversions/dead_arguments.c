/* Drops loop-carried values that nothing needs in the end, and results of conditionals likewise.
 *
 *     scf.for ... iter_args(%a = %0) {               scf.for ... {
 *       %b = arith.addi %a, %one                     }
 *       scf.yield %b
 *     }  // result unused
 *
 * Values that two arguments carry alike, or that never change, are carried once or not at all. Part of
 * remove-layout-conversions, whose copies leave such values behind. */
#include "passes/ttgir/remove_layout_conversions/layouts.h"

#include "base/map.h"
#include "ir/op.h"
#include "passes/analysis/loops.h"

typedef struct {
    tri_arena *arena;
    tri_map live;
    TRI_VEC(MlirValue) todo;
} liveness;

static void mark(liveness *l, MlirValue value)
{
    if (tri_map_find_ptr(&l->live, value.ptr))
        return;
    tri_map_set_ptr(&l->live, value.ptr, (void *)value.ptr);
    tri_vec_push(l->arena, &l->todo, value);
}

static void mark_operands(liveness *l, MlirOperation op, intptr_t from, intptr_t to)
{
    for (intptr_t i = from; i < to; i++)
        mark(l, tri_op_operand(op, i));
}

static bool is_structured(MlirOperation op)
{
    return tri_op_is(op, "scf.for") || tri_op_is(op, "scf.if");
}

static bool is_last(MlirOperation op) { return mlirOperationIsNull(mlirOperationGetNextInBlock(op)); }

/* What is needed for its own sake: effects, and the decisions of control flow. */
static void mark_roots(liveness *l, MlirOperation op)
{
    MlirOperation parent = mlirOperationGetParentOperation(op);
    intptr_t n = mlirOperationGetNumOperands(op);
    if (tri_op_is(op, "scf.for"))
        mark_operands(l, op, 0, 3);
    else if (tri_op_is(op, "scf.if"))
        mark_operands(l, op, 0, 1);
    else if (tri_op_is(op, "scf.yield") && is_structured(parent))
        return;
    else if (is_last(op) || (!tri_op_is_trivially_dead(op) && !tri_op_is_pure(op)))
        mark_operands(l, op, 0, n);
    else if (mlirOperationGetNumRegions(parent) && !is_structured(parent) && !tri_op_is(parent, "tt.func"))
        mark_operands(l, op, 0, n); /* bodies of reductions and of other loops are kept whole */
}

static intptr_t result_index(MlirOperation def, MlirValue value)
{
    intptr_t i = 0;
    while (!mlirValueEqual(tri_op_result(def, i), value))
        i++;
    return i;
}

static void mark_carried(liveness *l, MlirOperation loop, intptr_t i)
{
    MlirBlock body = tri_op_body(loop, 0);
    mark(l, mlirBlockGetArgument(body, i + 1));
    mark(l, tri_op_result(loop, i));
    mark(l, tri_op_operand(loop, i + 3));
    mark(l, tri_op_operand(mlirBlockGetTerminator(body), i));
}

static void spread_dead_arguments(liveness *l, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(value, &block, &index)) {
        MlirOperation parent = mlirBlockGetParentOperation(block);
        if (tri_op_is(parent, "scf.for") && index > 0)
            mark_carried(l, parent, index - 1);
        return;
    }
    MlirOperation def = tri_op_def(value);
    if (tri_op_is(def, "scf.for")) {
        mark_carried(l, def, result_index(def, value));
    } else if (tri_op_is(def, "scf.if")) {
        for (int r = 0; r < 2; r++)
            mark(l, tri_op_operand(mlirBlockGetTerminator(tri_op_body(def, r)), result_index(def, value)));
    } else {
        mark_operands(l, def, 0, mlirOperationGetNumOperands(def));
    }
}

/* Carried values that nothing needs carry themselves. */
static void cut_dead(tri_arena *arena, MlirOperation func)
{
    liveness l = {.arena = arena};
    tri_op_list ops = {0};
    tri_map_init(&l.live, arena);
    tri_op_collect(func, arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        mark_roots(&l, ops.at[i]);
    while (l.todo.len)
        spread_dead_arguments(&l, l.todo.at[--l.todo.len]);
    for (size_t k = 0; k < ops.len; k++) {
        if (!tri_op_is(ops.at[k], "scf.for"))
            continue;
        MlirBlock body = tri_op_body(ops.at[k], 0);
        for (intptr_t i = 0; i < mlirOperationGetNumResults(ops.at[k]); i++) {
            MlirValue argument = mlirBlockGetArgument(body, i + 1);
            if (!tri_map_find_ptr(&l.live, argument.ptr))
                mlirOperationSetOperand(mlirBlockGetTerminator(body), i, argument);
        }
    }
}

/* Of two carried values that begin and go on as the same, the later gives way: it carries itself, used by nothing. */
static void merge_twins(MlirOperation loop)
{
    MlirBlock body = tri_op_body(loop, 0);
    MlirOperation yield = mlirBlockGetTerminator(body);
    for (intptr_t i = 1; i < mlirOperationGetNumResults(loop); i++)
        for (intptr_t k = 0; k < i; k++) {
            if (!mlirValueEqual(tri_op_operand(loop, i + 3), tri_op_operand(loop, k + 3)) ||
                !mlirValueEqual(tri_op_operand(yield, i), tri_op_operand(yield, k)))
                continue;
            MlirValue argument = mlirBlockGetArgument(body, i + 1);
            mlirValueReplaceAllUsesOfWith(argument, mlirBlockGetArgument(body, k + 1));
            mlirValueReplaceAllUsesOfWith(tri_op_result(loop, i), tri_op_result(loop, k));
            mlirOperationSetOperand(yield, i, argument);
            break;
        }
}

/* Which results of a loop or conditional are superfluous; false when none is. What a loop carries is when it never
 * becomes another value. */
static bool find_superfluous(tri_arena *arena, MlirOperation op, bool **out_drop)
{
    intptr_t n = mlirOperationGetNumResults(op);
    bool *drop = TRI_NEW_ARRAY(arena, bool, n + 1), any = false;
    bool is_loop = tri_op_is(op, "scf.for");
    for (intptr_t i = 0; i < n; i++) {
        if (is_loop)
            drop[i] = mlirValueEqual(tri_op_operand(tri_loops_yield(op, 0), i),
                                     mlirBlockGetArgument(tri_op_body(op, 0), i + 1)) ||
                      mlirValueEqual(tri_op_operand(tri_loops_yield(op, 0), i), tri_op_operand(op, i + 3));
        else
            drop[i] = mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(op, i)));
        any |= drop[i];
    }
    *out_drop = drop;
    return any;
}

void tri_dead_arguments_run(tri_layouts *layouts, MlirOperation func)
{
    tri_arena *arena = layouts->arena;
    cut_dead(arena, func);
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        tri_op_erase_dead(func);
        tri_op_list ops = {0};
        tri_op_collect(func, arena, &ops);
        for (size_t k = ops.len; k-- > 0;) {
            bool *drop;
            if (tri_op_is(ops.at[k], "scf.for"))
                merge_twins(ops.at[k]);
            if (!is_structured(ops.at[k]) || !find_superfluous(arena, ops.at[k], &drop))
                continue;
            tri_loops_drop(arena, ops.at[k], drop);
            is_changed = true;
        }
    }
}
