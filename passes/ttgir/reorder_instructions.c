/* Moves data movement next to where it belongs, for fewer live registers.
 *
 *     %o = ttg.local_load %m                       scf.for ... {
 *     scf.for ... { use(%o) }                        %o = ttg.local_load %m ; use(%o)
 *                                                  }
 *
 *     %x = arith.addf ...                          %x = arith.addf ...
 *     %y = arith.mulf ...                          %m = ttg.local_alloc %x
 *     %m = ttg.local_alloc %x                      %y = arith.mulf ...
 *
 * Conversions to dot operands move into the loop of their only user as reads of shared memory do, tt.trans
 * moves up to its operand as the filling of buffers does; for a product of two values in shared memory, the
 * load of the second operand goes behind that of the first. Nothing moves across a write to memory it reads.
 * Reads of operands that never change stay in front of a loop only as long as it has registers for them;
 * upstream always puts them into the loop.
 * Answers to tritongpu-reorder-instructions. Test: tests/passes/reorder-instructions.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/machines.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"

static bool is_dot_operand(tri_arena *arena, MlirOperation op)
{
    const tri_encoding *e = tri_dots_encoding(arena, tri_op_result(op, 0));
    return e && e->kind == TRI_ENC_DOT_OP;
}

static MlirOperation parent_for(MlirOperation op)
{
    do
        op = mlirOperationGetParentOperation(op);
    while (!mlirOperationIsNull(op) && !tri_op_is(op, "scf.for"));
    return op;
}

static bool may_write_shared(MlirOperation op)
{
    return tri_op_is(op, "ttg.local_store") || tri_op_is(op, "ttg.local_dealloc") || tri_op_is(op, "ttg.async_wait") ||
           tri_op_is(op, "ttg.barrier") || tri_op_is(op, "ttg.async_copy_global_to_local") ||
           tri_op_is(op, "ttg.local_scatter") || tri_op_is(op, "ttg.local_atomic_scatter_rmw") ||
           tri_op_is(op, "tt.call") || mlirOperationGetNumRegions(op) > 0 ||
           (tri_str_has_prefix(tri_op_name(op), "ttng.") && tri_op_has_effects(op)); /* barriers order reads */
}

/* (1) A conversion does not need to happen before buffers are freed. */
static void sink_below_deallocs(tri_arena *arena, MlirOperation convert)
{
    MlirBlock block = mlirOperationGetBlock(convert);
    MlirOperation last = {NULL};
    tri_map users;
    tri_map_init(&users, arena);
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(convert, 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = tri_op_ancestor_in(block, mlirOpOperandGetOwner(use));
        if (!mlirOperationIsNull(user))
            tri_map_set_ptr(&users, user.ptr, user.ptr);
    }
    for (MlirOperation op = mlirOperationGetNextInBlock(convert); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (tri_map_find_ptr(&users, op.ptr))
            break;
        if (tri_op_is(op, "ttg.local_dealloc"))
            last = op;
    }
    if (!mlirOperationIsNull(last))
        mlirOperationMoveAfter(convert, last);
}

/* Whether a read of shared memory may happen at `user` instead: no writes on the way, and no loop in
 * between that writes (each iteration would read what the one before wrote). */
static bool can_delay_read(tri_arena *arena, MlirOperation load, MlirOperation user)
{
    MlirOperation outer = tri_op_ancestor_in(mlirOperationGetBlock(load), user);
    if (mlirOperationIsNull(outer))
        return false;
    for (MlirOperation op = mlirOperationGetNextInBlock(load); !mlirOperationEqual(op, outer);
         op = mlirOperationGetNextInBlock(op))
        if (may_write_shared(op))
            return false;
    tri_op_list inside = {0};
    tri_op_collect(outer, arena, &inside);
    for (size_t i = 0; i < inside.len; i++)
        if (mlirOperationGetNumRegions(inside.at[i]) == 0 && may_write_shared(inside.at[i]))
            return false;
    return true;
}

/* (2) A read used in one other loop only happens there. */
static void sink_to_user(tri_arena *arena, MlirOperation op)
{
    MlirOperation user = tri_dots_only_user(tri_op_result(op, 0));
    if (mlirOperationIsNull(user) || mlirOperationEqual(parent_for(user), parent_for(op)) ||
        tri_op_is(user, "scf.yield"))
        return;
    if (tri_op_is(op, "ttg.local_load") && !can_delay_read(arena, op, user))
        return;
    if (mlirOperationIsNull(tri_op_ancestor_in(mlirOperationGetBlock(op), user)))
        return;
    mlirOperationMoveBefore(op, user);
}

/* (3), (4) Straight behind the source; a buffer not in front of where others end, whose memory it may take. */
static void move_behind_source(MlirOperation op)
{
    if (mlirOperationGetNumOperands(op) == 0)
        return;
    MlirOperation def = tri_op_def(tri_op_operand(op, 0));
    if (mlirOperationIsNull(def) || tri_op_is(def, "arith.constant") || tri_op_is(def, "tt.splat") ||
        !mlirBlockEqual(mlirOperationGetBlock(def), mlirOperationGetBlock(op)))
        return;
    MlirOperation last = def;
    for (MlirOperation at = def;
         tri_op_is(op, "ttg.local_alloc") && !mlirOperationIsNull(at) && !mlirOperationEqual(at, op);
         at = mlirOperationGetNextInBlock(at))
        if (tri_op_is(at, "ttg.local_dealloc"))
            last = at;
    mlirOperationMoveAfter(op, last);
}

/* (5) The second operand is read behind the first. */
static void order_operands(MlirOperation dot)
{
    MlirOperation a = tri_op_def(tri_op_operand(dot, 0)), b = tri_op_def(tri_op_operand(dot, 1));
    if (mlirOperationIsNull(a) || mlirOperationIsNull(b) || !tri_op_is(a, "ttg.local_load") ||
        !tri_op_is(b, "ttg.local_load") || !mlirBlockEqual(mlirOperationGetBlock(a), mlirOperationGetBlock(b)) ||
        !tri_dots_has_one_use(tri_op_result(b, 0)) || !tri_op_dominates(b, a))
        return;
    for (MlirOperation op = mlirOperationGetNextInBlock(b); !mlirOperationEqual(op, a);
         op = mlirOperationGetNextInBlock(op))
        if (may_write_shared(op))
            return;
    mlirOperationMoveAfter(b, a);
}

/* ---- operands read once in front of a loop, or again in each iteration ---- */

/* Registers that a loop of products needs at one time, about: what it carries, sums that start anew in it,
 * and the operands that it finds loaded. */
static int64_t registers_needed(tri_arena *arena, MlirOperation loop)
{
    MlirBlock body = tri_op_body(loop, 0);
    int64_t sum = 0;
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
        sum += tri_dots_registers(arena, mlirValueGetType(mlirBlockGetArgument(body, i)));
    tri_map seen;
    tri_map_init(&seen, arena);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (!tri_op_is(op, "tt.dot"))
            continue;
        MlirBlock block;
        intptr_t index;
        if (!tri_op_is_block_argument(tri_op_operand(op, 2), &block, &index))
            sum += tri_dots_registers(arena, mlirValueGetType(tri_op_result(op, 0)));
        for (int i = 0; i < 2; i++) {
            MlirValue operand = tri_op_operand(op, i);
            MlirBlock from =
                tri_op_is_block_argument(operand, &block, &index) ? block : mlirOperationGetBlock(tri_op_def(operand));
            if (mlirBlockEqual(from, body) || tri_map_find_ptr(&seen, operand.ptr))
                continue;
            sum += tri_dots_registers(arena, mlirValueGetType(operand));
            tri_map_set_ptr(&seen, operand.ptr, (void *)operand.ptr);
        }
    }
    return sum;
}

/* The read of a buffer that was filled when it was made, as an operand of tensor cores. */
static bool is_fixed_operand(tri_arena *arena, MlirOperation op)
{
    tri_memdesc desc;
    return tri_op_is(op, "ttg.local_load") && is_dot_operand(arena, op) &&
           tri_type_get_memdesc(mlirValueGetType(tri_op_operand(op, 0)), &desc) && !desc.is_mutable;
}

/* Of the 255 there are; the rest is for addresses and what is on its way. */
enum { registers_for_values = 200 };

/* (6) Loops that would run short read a fixed operand themselves. */
static void reload_in_short_loops(tri_arena *arena, MlirOperation load)
{
    MlirValue value = tri_op_result(load, 0);
    tri_op_list users = {0};
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        tri_vec_push(arena, &users, mlirOpOperandGetOwner(use));
    for (size_t i = 0; i < users.len; i++) {
        MlirOperation user = users.at[i], loop = mlirOperationGetParentOperation(user);
        if (mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(load)) || !tri_op_is(user, "tt.dot") ||
            !tri_op_is(loop, "scf.for") || registers_needed(arena, loop) <= registers_for_values)
            continue;
        MlirOperation copy = mlirOperationClone(load);
        mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(user), user, copy);
        for (int k = 0; k < 2; k++)
            if (mlirValueEqual(tri_op_operand(user, k), value))
                mlirOperationSetOperand(user, k, tri_op_result(copy, 0));
    }
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(value)))
        mlirOperationDestroy(load);
}

/* (7) Where what was loaded ahead is carried in registers, it is written to shared memory at once: its registers are
 * free when those of the next load are wanted. */
static void fill_at_once(MlirOperation alloc)
{
    MlirBlock block;
    intptr_t index;
    if (mlirOperationGetNumOperands(alloc) == 1 &&
        tri_op_is_block_argument(tri_op_operand(alloc, 0), &block, &index) &&
        mlirBlockEqual(block, mlirOperationGetBlock(alloc)) &&
        !mlirOperationEqual(mlirBlockGetFirstOperation(block), alloc))
        mlirOperationMoveBefore(alloc, mlirBlockGetFirstOperation(block));
}

static bool run_reorder_instructions(tri_pass_run *run)
{
    tri_op_list ops = {0};
    bool is_ahead = tri_machines_of(mlirModuleGetOperation(run->module))->loads_ahead_in_registers;
    tri_op_collect(mlirModuleGetOperation(run->module), run->arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        if (tri_op_is(ops.at[i], "ttg.convert_layout"))
            sink_below_deallocs(run->arena, ops.at[i]);
    for (size_t i = ops.len; i-- > 0;)
        if (tri_op_is(ops.at[i], "ttg.local_load") ||
            (tri_op_is(ops.at[i], "ttg.convert_layout") && is_dot_operand(run->arena, ops.at[i])))
            sink_to_user(run->arena, ops.at[i]);
    tri_op_list loads = {0};
    for (size_t i = 0; i < ops.len; i++)
        if (is_fixed_operand(run->arena, ops.at[i]))
            tri_vec_push(run->arena, &loads, ops.at[i]);
    for (size_t i = 0; i < ops.len; i++)
        if (tri_op_is(ops.at[i], "ttg.local_alloc") || tri_op_is(ops.at[i], "tt.trans"))
            move_behind_source(ops.at[i]);
    for (size_t i = 0; i < ops.len; i++)
        if (tri_op_is(ops.at[i], "tt.dot"))
            order_operands(ops.at[i]);
    for (size_t i = 0; i < loads.len; i++)
        reload_in_short_loops(run->arena, loads.at[i]);
    for (size_t i = ops.len; i-- > 0;)
        if (is_ahead && tri_op_is(ops.at[i], "ttg.local_alloc"))
            fill_at_once(ops.at[i]);
    return true;
}

const tri_pass tri_pass_reorder_instructions = {
    .name = "reorder-instructions",
    .help = "move data movement next to its sources and users",
    .alias = "tritongpu-reorder-instructions,tritonamdgpu-reorder-instructions",
    .run = run_reorder_instructions,
};
