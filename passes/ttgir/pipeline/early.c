/* Products of warp groups that wait for nobody start under the one in front of them.
 *
 *     %s = ttng.warp_group_dot %k, %q                   %s = ttng.warp_group_dot %k, %q
 *     %s1 = ttng.warp_group_dot_wait %s {0}             %d = ttng.warp_group_dot %v, %do
 *     %p = math.exp2 %s1                                %s1 = ttng.warp_group_dot_wait %s {1}
 *     %o = ttng.warp_group_dot %p, %w, %sum             %p = math.exp2 %s1
 *     %d = ttng.warp_group_dot %v, %do                  %o = ttng.warp_group_dot %p, %w, %sum
 *     %d1 = ttng.warp_group_dot_wait %d {0}             %d1 = ttng.warp_group_dot_wait %d {1}
 *
 * In the backward pass of attention the gradient of the probabilities needs nothing of the scores: the machine
 * multiplies it while threads exponentiate, and sums of what they made while they subtract. Waits then leave the
 * products that began after what they wait for; each result still is there when it is read, and what was begun in the
 * iteration before has ended at the first wait, as it had before. */
#include "passes/ttgir/pipeline/pipeline.h"

#include "ir/op_classes.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"

typedef struct {
    MlirOperation dot, wait; /* wait: behind it, for everything */
} product;

static bool is_warp_group_product(MlirOperation op) { return tri_op_is(op, "ttng.warp_group_dot"); }

static bool reads_memory(MlirValue value)
{
    tri_memdesc desc;
    return tri_type_get_memdesc(mlirValueGetType(value), &desc);
}

/* Registers that the block does not make: those of an operand that is the same in each iteration. */
static bool is_from_outside(MlirOperation op, MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    return !mlirOperationIsNull(def) && !mlirBlockEqual(mlirOperationGetBlock(def), mlirOperationGetBlock(op)) &&
           tri_op_dominates(def, op);
}

/* A product of buffers, or of registers from outside and a buffer, that is waited for at once. */
static bool is_waited_product(MlirOperation op, product *out)
{
    if (!is_warp_group_product(op) || !reads_memory(tri_op_operand(op, 1)))
        return false;
    if (!reads_memory(tri_op_operand(op, 0)) && !is_from_outside(op, tri_op_operand(op, 0)))
        return false;
    MlirOperation wait = mlirOperationGetNextInBlock(op);
    *out = (product){op, wait};
    return tri_op_is(wait, "ttng.warp_group_dot_wait") && tri_op_int(wait, "pendings", 0) == 0 &&
           mlirOperationGetNumResults(wait) > 0 && mlirValueEqual(tri_op_operand(wait, 0), tri_op_result(op, 0));
}

/* Does an op only compute, on registers or on what is in buffers, or give another buffer back, so that a product may
 * begin in front of it? */
static bool is_passive(MlirOperation op)
{
    return tri_op_in(op, TRI_OPS_BUFFER_VIEW) || is_warp_group_product(op) || tri_op_is(op, "ttg.memdesc_index") ||
           tri_op_is(op, "ttg.local_load") || tri_op_is(op, "ttng.arrive_barrier") ||
           tri_op_is(op, "ttg.convert_layout") || tri_op_is(op, "tt.reduce") ||
           tri_op_is_pure(op);
}

/* Gathers the views between the first product and `op` that it needs, in order; false where more than views is there.
 */
static bool collect_views(tri_arena *arena, MlirOperation from, MlirOperation op, tri_op_list *out)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirOperation def = tri_op_def(tri_op_operand(op, i));
        if (mlirOperationIsNull(def) || tri_op_dominates(def, from))
            continue;
        bool is_view = tri_op_in(def, TRI_OPS_BUFFER_VIEW) || tri_op_is(def, "ttg.memdesc_index") ||
                       tri_op_is(def, "arith.constant");
        if (!is_view || !mlirBlockEqual(mlirOperationGetBlock(def), mlirOperationGetBlock(op)) ||
            !collect_views(arena, from, def, out))
            return false;
    }
    tri_vec_push(arena, out, op);
    return true;
}

/* The first op of the block that uses a result of `op`, itself or inside. */
static MlirOperation first_reader(MlirOperation op)
{
    MlirBlock block = mlirOperationGetBlock(op);
    MlirOperation first = mlirBlockGetTerminator(block);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(op, i));
        for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
            MlirOperation user = tri_op_ancestor_in(block, mlirOpOperandGetOwner(use));
            if (!mlirOperationIsNull(user) && tri_op_dominates(user, first))
                first = user;
        }
    }
    return first;
}

static void set_pendings(MlirOperation wait, MlirOperation dot)
{
    int count = 0;
    for (MlirOperation op = mlirOperationGetNextInBlock(dot); !mlirOperationEqual(op, wait);
         op = mlirOperationGetNextInBlock(op))
        count += is_warp_group_product(op);
    tri_builder_set_attr(wait, "pendings", tri_attr_i32(mlirOperationGetContext(wait), count));
}

/* 32-bit registers of each thread that hold the sums of a block's products at once, those that go on with another one's
 * counted with it. */
static int64_t registers_of_sums(MlirBlock block, int64_t threads)
{
    int64_t elements = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (!is_warp_group_product(op))
            continue;
        MlirValue sums = tri_op_result(op, 0);
        MlirOperation user = tri_dots_only_user(sums);
        if (!mlirOperationIsNull(user) && is_warp_group_product(user) &&
            mlirBlockEqual(mlirOperationGetBlock(user), block))
            continue;
        int64_t shape[TRI_MAX_RANK], size = 1;
        int rank = tri_dots_shape(mlirValueGetType(sums), shape);
        for (int i = 0; i < rank; i++)
            size *= shape[i];
        elements += rank > 0 ? size : 0;
    }
    return elements / threads;
}

/* The number of the slot of a ring that an op's buffer is; null: it is something else. */
static MlirValue slot_of(MlirOperation op)
{
    MlirOperation def = tri_op_def(tri_op_operand(op, 0));
    return !mlirOperationIsNull(def) && tri_op_is(def, "ttg.memdesc_index") ? tri_op_operand(def, 1)
                                                                           : (MlirValue){NULL};
}

/* Whether what is in a slot stays there from `load` to `to`: arrivals between them give other slots back. */
static bool stays_in_slot(MlirOperation load, MlirOperation to)
{
    MlirValue slot = slot_of(load);
    bool stays = !mlirValueIsNull(slot);
    for (MlirOperation op = load; stays && !mlirOperationEqual(op, to); op = mlirOperationGetNextInBlock(op)) {
        stays = is_passive(op) || tri_op_is(op, "ttng.warp_group_dot_wait") || mlirOperationEqual(op, load);
        if (tri_op_is(op, "ttng.arrive_barrier"))
            stays = !mlirValueIsNull(slot_of(op)) && !mlirValueEqual(slot_of(op), slot);
    }
    return stays;
}

/* The product or the wait for one that stands before `op`, or the block's first op. */
static MlirOperation product_before(MlirOperation op)
{
    MlirOperation found = mlirBlockGetFirstOperation(mlirOperationGetBlock(op));
    for (MlirOperation at = found; !mlirOperationEqual(at, op); at = mlirOperationGetNextInBlock(at))
        if (is_warp_group_product(at) || tri_op_is(at, "ttng.warp_group_dot_wait"))
            found = at;
    return found;
}

/* Sums of rows that stand in front of the products are loaded under the one before they are wanted: their registers
 * are free until then. */
static void load_late(MlirOperation first)
{
    MlirOperation next;
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirOperationGetBlock(first)); !mlirOperationEqual(op, first);
         op = next) {
        next = mlirOperationGetNextInBlock(op);
        if (!tri_op_is(op, "ttg.local_load"))
            continue;
        MlirOperation to = product_before(first_reader(op));
        if (tri_op_dominates(first, to) && stays_in_slot(op, to))
            mlirOperationMoveBefore(op, to);
    }
}

/* Starts `later` behind `first`; false, and nothing is changed, where something between them must come before it. */
static bool start_early(tri_arena *arena, const product *first, const product *later)
{
    tri_op_list moved = {0};
    for (MlirOperation op = mlirOperationGetNextInBlock(first->wait); !mlirOperationEqual(op, later->dot);
         op = mlirOperationGetNextInBlock(op))
        if (!is_passive(op))
            return false;
    if (!collect_views(arena, first->dot, later->dot, &moved))
        return false;
    for (size_t i = 0; i < moved.len; i++)
        if (!tri_op_dominates(moved.at[i], first->wait))
            mlirOperationMoveBefore(moved.at[i], first->wait);
    MlirOperation use = first_reader(later->wait);
    mlirOperationMoveBefore(later->wait, use);
    set_pendings(first->wait, first->dot);
    set_pendings(later->wait, later->dot);
    load_late(first->dot);
    return true;
}

static void start_in_block(tri_arena *arena, MlirBlock block, int64_t threads)
{
    /* with more, results that wait for each other push values out of registers (H200: 128 x 128 by 8 warps loses 10 %,
     * 64 x 64 by 4 gains 4 %) */
    enum { most_registers = 160 };
    product first = {0}, found;
    MlirOperation next;
    if (registers_of_sums(block, threads) > most_registers)
        return;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = next) {
        next = mlirOperationGetNextInBlock(op);
        if (!is_waited_product(op, &found))
            continue;
        bool is_second = !mlirOperationIsNull(first.dot);
        first = is_second && start_early(arena, &first, &found) ? (product){0} : found;
    }
}

static int64_t threads_of(MlirOperation func)
{
    MlirOperation module = mlirOperationGetParentOperation(func);
    return tri_op_int(module, "ttg.num-warps", 4) * tri_op_int(module, "ttg.threads-per-warp", 32);
}

void tri_pipeline_early_run(tri_arena *arena, MlirOperation func)
{
    tri_op_list loops = {0};
    tri_op_collect_named(func, "scf.for", arena, &loops);
    for (size_t i = 0; i < loops.len; i++)
        start_in_block(arena, tri_op_body(loops.at[i], 0), threads_of(func));
}
