/* How many registers of a thread a kernel's blocks of floats take at a time, for the cost model. What an operation only
 * shows in another form, or goes on with, as a product does with its sums, takes none. */
#include "passes/analysis/cost_parts.h"

#include "ir/op_classes.h"
#include "ir/type.h"
#include "layout/plan.h"
#include "passes/analysis/dots.h"

enum { POINTER_PERCENT = 130 /* of a register */ };
enum { PIECES_PERCENT = 60 /* of what is live, where it is done in pieces */ };
enum { FEW = 20, BASE = 30 /* addresses, counters, what the assembler keeps */, MAX_STEPS = 64 };

typedef struct {
    tri_arena *arena;
    tri_op_list ops;
    tri_map places; /* MlirOperation.ptr -> 1 + position */
    tri_map last;   /* MlirValue.ptr of a root -> 1 + position of its last use */
    int64_t *change; /* of registers in use at each position */
} lives;

static intptr_t position_in(const lives *l, MlirOperation op)
{
    return (intptr_t)tri_map_find_ptr(&l->places, op.ptr) - 1;
}

/* A conversion in which every thread keeps what it has. */
static bool is_rename(tri_arena *arena, MlirOperation op)
{
    return tri_op_is(op, "ttg.convert_layout") && !tri_dots_needs_shared(arena, mlirValueGetType(tri_op_operand(op, 0)),
                                                                         mlirValueGetType(tri_op_result(op, 0)));
}

/* The operand in whose registers a result lies; -1: in its own. */
static intptr_t shared_operand(tri_arena *arena, MlirOperation op, intptr_t result)
{
    if (tri_op_is(op, "ttng.warp_group_dot_wait"))
        return result;
    if (tri_op_is(op, "ttng.warp_group_dot") || tri_op_is(op, "tt.dot")) {
        MlirOperation sums = tri_op_def(tri_op_operand(op, 2));
        return !mlirOperationIsNull(sums) && tri_op_is(sums, "arith.constant") ? -1 : 2;
    }
    bool is_view = tri_op_in(op, TRI_OPS_VIEW) && !tri_op_is(op, "ttg.convert_layout");
    return is_view || tri_op_is(op, "tt.splat") || is_rename(arena, op) ? 0 : -1;
}

static MlirValue root_of(tri_arena *arena, MlirValue value)
{
    for (int i = 0; i < MAX_STEPS; i++) {
        MlirOperation def = tri_op_def(value);
        if (mlirOperationIsNull(def))
            return value;
        intptr_t result = mlirOpResultGetResultNumber(value);
        if (tri_op_is(def, "scf.for")) {
            value = mlirBlockGetArgument(tri_op_body(def, 0), 1 + result);
            continue;
        }
        intptr_t operand = shared_operand(arena, def, result);
        if (operand < 0 || operand >= mlirOperationGetNumOperands(def))
            return value;
        value = tri_op_operand(def, operand);
    }
    return value;
}

/* A use in a loop that the value comes from outside of lasts to the loop's end. What the second side of a branch only
 * passes on is not in use while the first one runs. */
static intptr_t end_of_use(const lives *l, MlirOperation user, MlirBlock block)
{
    intptr_t end = position_in(l, user);
    MlirOperation around = mlirOperationGetParentOperation(user);
    if (tri_op_is(user, "scf.yield") && tri_op_is(around, "scf.if") &&
        !mlirBlockEqual(mlirOperationGetBlock(user), tri_op_body(around, 0)))
        end = position_in(l, around);
    for (MlirOperation op = user; !mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block);
         op = mlirOperationGetParentOperation(op)) {
        MlirOperation parent = mlirOperationGetParentOperation(op);
        if (mlirOperationIsNull(parent) || tri_op_is(parent, "tt.func"))
            break;
        if (tri_op_in(parent, TRI_OPS_LOOP) && !mlirBlockEqual(tri_op_body(parent, 0), block)) {
            intptr_t last = position_in(l, mlirBlockGetTerminator(tri_op_body(parent, 0)));
            end = last > end ? last : end;
        }
    }
    return end;
}

static void note_uses(lives *l)
{
    for (size_t i = 0; i < l->ops.len; i++)
        for (intptr_t o = 0; o < mlirOperationGetNumOperands(l->ops.at[i]); o++) {
            MlirValue root = root_of(l->arena, tri_op_operand(l->ops.at[i], o));
            intptr_t end = end_of_use(l, l->ops.at[i], tri_op_block_of(tri_op_operand(l->ops.at[i], o)));
            if (end + 1 > (intptr_t)tri_map_find_ptr(&l->last, root.ptr))
                tri_map_set_ptr(&l->last, root.ptr, (void *)(end + 1));
        }
}

/* What branches and partitions give begins where they end. */
static intptr_t begin_of(const lives *l, MlirOperation op)
{
    intptr_t last = position_in(l, op);
    for (size_t i = (size_t)last + 1; mlirOperationGetNumRegions(op) && i < l->ops.len; i++, last++) {
        MlirOperation p = l->ops.at[i];
        while (!mlirOperationIsNull(p) && !mlirOperationEqual(p, op))
            p = mlirOperationGetParentOperation(p);
        if (mlirOperationIsNull(p))
            break;
    }
    return last;
}

/* Of a block of pointers, one for each access. */
static int64_t pointers_of(tri_arena *arena, MlirType type)
{
    tri_linear layout;
    MlirType pointee = tri_type_with_element(type, tri_type_ptr_pointee(tri_type_element(type)));
    if (!tri_dots_linear(arena, type, &layout))
        return 0;
    return (int64_t)((double)tri_linear_in_size(&layout, TRI_DIM_REGISTER) / tri_cost_vector(arena, pointee));
}

static void add_life(lives *l, MlirValue value, intptr_t begin)
{
    MlirType type = mlirValueGetType(value);
    MlirOperation def = tri_op_def(value);
    bool is_constant = !mlirOperationIsNull(def) && tri_op_is(def, "arith.constant");
    intptr_t end = (intptr_t)tri_map_find_ptr(&l->last, value.ptr) - 1;
    bool is_pointer = tri_type_is_tensor(type) && tri_type_is_ptr(tri_type_element(type));
    if (is_constant || end <= begin || !tri_type_is_tensor(type) || !mlirValueEqual(root_of(l->arena, value), value) ||
        (!tri_type_is_float(tri_type_element(type)) && !(is_pointer && mlirOperationIsNull(def))))
        return;
    if (is_pointer) { /* that a loop carries: an offset, and some bases */
        int64_t count = POINTER_PERCENT * pointers_of(l->arena, type) / 100;
        l->change[begin] += count;
        l->change[end] -= count;
        return;
    }
    int64_t count = tri_dots_registers(l->arena, type), bits = tri_type_bits(tri_type_element(type));
    bool is_loaded = !mlirOperationIsNull(def) && tri_op_is(def, "tt.load");
    if (is_loaded && tri_cost_vector(l->arena, type) * (double)bits < 32) { /* one by one, each in a register, early */
        count = count * 32 / bits;
        begin = position_in(l, mlirBlockGetFirstOperation(mlirOperationGetBlock(def)));
    }
    l->change[begin] += count;
    l->change[end] -= count;
}

static bool has_products(MlirBlock block)
{
    MlirOperation op = mlirBlockGetFirstOperation(block);
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        if (tri_op_in(op, TRI_OPS_PRODUCT))
            return true;
    return false;
}

/* In a loop that has products itself; or in any, where no loop has. */
static bool is_counted_place(MlirOperation op, bool wants_products)
{
    for (op = mlirOperationGetParentOperation(op); !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
        if (tri_op_in(op, TRI_OPS_LOOP))
            return !wants_products || has_products(tri_op_body(op, tri_op_is(op, "scf.while") ? 1 : 0));
    return false;
}

static int count_most(const lives *l)
{
    int64_t now = 0, most = 0, all = 0;
    bool has_groups = false, has_any = false;
    for (size_t i = 0; i < l->ops.len; i++) {
        has_groups = has_groups || tri_op_is(l->ops.at[i], "ttng.warp_group_dot");
        has_any = has_any || (tri_op_in(l->ops.at[i], TRI_OPS_PRODUCT) && is_counted_place(l->ops.at[i], true));
    }
    for (size_t i = 0; i < l->ops.len; i++) {
        now += l->change[i];
        all = now > all ? now : all;
        if (is_counted_place(l->ops.at[i], has_any))
            most = now > most ? now : most;
    }
    most = most ? most : all;
    return (int)(has_groups ? BASE + most : FEW + most * PIECES_PERCENT / 100);
}

int tri_cost_registers(tri_arena *arena, MlirOperation func)
{
    lives l = {.arena = arena};
    tri_map_init(&l.places, arena);
    tri_map_init(&l.last, arena);
    tri_op_collect(func, arena, &l.ops);
    l.change = TRI_NEW_ARRAY(arena, int64_t, l.ops.len + 1);
    for (size_t i = 0; i <= l.ops.len; i++)
        l.change[i] = 0;
    for (size_t i = 0; i < l.ops.len; i++)
        tri_map_set_ptr(&l.places, l.ops.at[i].ptr, (void *)(intptr_t)(i + 1));
    note_uses(&l);
    for (size_t i = 0; i < l.ops.len; i++) {
        for (intptr_t r = 0; r < mlirOperationGetNumResults(l.ops.at[i]); r++)
            add_life(&l, tri_op_result(l.ops.at[i], r), begin_of(&l, l.ops.at[i]));
        if (tri_op_is(l.ops.at[i], "scf.for"))
            for (intptr_t r = 0; r < mlirOperationGetNumResults(l.ops.at[i]); r++)
                add_life(&l, mlirBlockGetArgument(tri_op_body(l.ops.at[i], 0), 1 + r), (intptr_t)i);
    }
    return count_most(&l);
}
