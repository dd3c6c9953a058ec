/* What a buffer in Blackwell's tensor memory is given before products overwrite it is given once.
 *
 *     scf.for ... {                                       %d, %k = ttng.tmem_alloc %zero
 *       %d, %k = ttng.tmem_alloc                          scf.for ... iter_args(%t = %k) {
 *       %s = ttng.tmem_store %zero, %d[%k], true            %l:2 = scf.for ... iter_args(%adds = false, %u = %t) {
 *       %l:2 = scf.for ... iter_args(                 ->      %n = ttng.tc_gen5_mma %x, %y, %d[%u], %adds, true
 *           %adds = false, %u = %s) {                         scf.yield true, %n
 *         %n = ttng.tc_gen5_mma %x, %y, %d[%u], %adds, true }
 *         scf.yield true, %n                                %v, %w = ttng.tmem_load %d[%l#1]
 *       }                                                   scf.yield %w
 *       %v, %w = ttng.tmem_load %d[%l#1]                  }
 *     } {tt.warp_specialize}
 *
 * In loops that groups of warps share. First a store into a new buffer becomes the buffer's own; then the buffer moves
 * in front of the shared loop, where the loop of products runs in each of its trips or in none: its bounds do not
 * change, or it is known to run (llvm.intr.assume). Where it stays it is of the group that makes the products, so that
 * nobody hands it on in between. In no pipeline: no target here makes tensor memory by itself. Answers to
 * nvws-hoist-tmem-store.
 * Test: tests/passes/hoist-tmem-store.mlir */
#include "passes/passes.h"

#include "ir/analysis/ranges.h"
#include "ir/type.h"
#include "passes/analysis/loops.h"
#include "passes/analysis/partitions.h"

static bool may_carry(MlirOperation op) { return tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while"); }

static bool is_in_shared_loop(MlirOperation op)
{
    do
        op = mlirOperationGetParentOperation(op);
    while (!mlirOperationIsNull(op) && !tri_op_flag(op, "tt.warp_specialize"));
    return !mlirOperationIsNull(op);
}

/* The only use of a value; null: it has none, or several. */
static MlirOpOperand only_use(MlirValue value)
{
    MlirOpOperand use = mlirValueGetFirstUse(value);
    bool is_only = !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
    return is_only ? use : (MlirOpOperand){NULL};
}

/* ---- stores ---- */

/* The store that is the first access to a buffer which nothing else fills, of a value that is there in front of it. */
static MlirOperation first_store(MlirOperation alloc)
{
    MlirOperation none = {NULL};
    int64_t always;
    if (mlirOperationGetNumOperands(alloc) || mlirOperationGetNumResults(alloc) < 2)
        return none;
    MlirOpOperand use = only_use(tri_op_result(alloc, 1));
    MlirOperation store = mlirOpOperandIsNull(use) ? none : mlirOpOperandGetOwner(use);
    if (mlirOperationIsNull(store) || !tri_op_is(store, "ttng.tmem_store") ||
        !mlirValueEqual(tri_op_operand(store, 0), tri_op_result(alloc, 0)) ||
        !mlirBlockEqual(mlirOperationGetBlock(store), mlirOperationGetBlock(alloc)) ||
        !tri_op_const_int(tri_op_operand(store, 3), &always) || !always)
        return none;
    MlirOperation def = tri_op_def(tri_op_operand(store, 2));
    return mlirOperationIsNull(def) || tri_op_dominates(def, alloc) ? store : none;
}

static void fold_store(MlirOperation alloc, MlirOperation store)
{
    tri_builder b = tri_builder_before(alloc);
    MlirValue source = tri_op_operand(store, 2);
    MlirType types[] = {mlirValueGetType(tri_op_result(alloc, 0)), mlirValueGetType(tri_op_result(alloc, 1))};
    MlirOperation made = tri_builder_create(&b, &(tri_op){.name = "ttng.tmem_alloc", .num_operands = 1,
                                                          .operands = &source, .num_results = 2, .results = types});
    tri_loops_copy_attributes(alloc, made);
    if (!mlirAttributeIsNull(tri_op_attr(store, TRI_PARTITIONS_OF)))
        tri_builder_set_attr(made, TRI_PARTITIONS_OF, tri_op_attr(store, TRI_PARTITIONS_OF));
    mlirValueReplaceAllUsesOfWith(tri_op_result(store, 0), tri_op_result(made, 1));
    mlirValueReplaceAllUsesOfWith(tri_op_result(alloc, 0), tri_op_result(made, 0));
    mlirOperationDestroy(store);
    mlirOperationDestroy(alloc);
}

/* ---- buffers ---- */

typedef struct {
    tri_arena *arena;
    tri_ranges *ranges;
    MlirOperation alloc, loop, product; /* the loop of products, and the first of them */
    intptr_t token;                     /* among what the loop carries */
    MlirValue last;                     /* the token behind all accesses */
    bool only_read;                     /* behind the loop */
    tri_op_list around;                 /* loops that the alloc stands in, the shared one last */
} hoisting;

/* Is what the buffer is given overwritten by the first product, in a loop that is given it? */
static bool find_product(hoisting *h)
{
    MlirBlock block;
    intptr_t i;
    int64_t adds;
    MlirOpOperand use = only_use(tri_op_result(h->alloc, 1));
    if (mlirOpOperandIsNull(use) || !tri_op_is(mlirOpOperandGetOwner(use), "scf.for"))
        return false;
    h->loop = mlirOpOperandGetOwner(use);
    h->token = (intptr_t)mlirOpOperandGetOperandNumber(use) - 3;
    use = only_use(mlirBlockGetArgument(tri_op_body(h->loop, 0), h->token + 1));
    h->product = mlirOpOperandIsNull(use) ? (MlirOperation){NULL} : mlirOpOperandGetOwner(use);
    if (mlirOperationIsNull(h->product) || !tri_str_has_prefix(tri_op_name(h->product), "ttng.tc_gen5_mma") ||
        !mlirBlockEqual(mlirOperationGetBlock(h->product), tri_op_body(h->loop, 0)) ||
        !mlirBlockEqual(mlirOperationGetBlock(h->loop), mlirOperationGetBlock(h->alloc)))
        return false;
    MlirValue flag = tri_op_segment_value(h->product, tri_op_is(h->product, "ttng.tc_gen5_mma_scaled") ? 6 : 4);
    return tri_op_is_block_argument(flag, &block, &i) && i && mlirBlockEqual(block, tri_op_body(h->loop, 0)) &&
           tri_op_const_int(tri_op_operand(h->loop, i + 2), &adds) && !adds;
}

/* Accesses behind the loop, which must stand beside it. */
static bool find_last(hoisting *h)
{
    h->only_read = true;
    h->last = tri_op_result(h->loop, h->token);
    while (!mlirOpOperandIsNull(mlirValueGetFirstUse(h->last))) {
        MlirOpOperand use = only_use(h->last);
        MlirOperation op = mlirOpOperandIsNull(use) ? (MlirOperation){NULL} : mlirOpOperandGetOwner(use);
        if (mlirOperationIsNull(op) || !tri_str_has_prefix(tri_op_name(op), "ttng.t") ||
            !mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(h->loop)))
            return false;
        h->only_read = h->only_read && tri_op_is(op, "ttng.tmem_load");
        h->last = tri_op_result(op, tri_op_is(op, "ttng.tmem_load") ? 1 : 0);
        if (!tri_type_is_async_token(mlirValueGetType(h->last)))
            return false;
    }
    return true;
}

static bool find_around(hoisting *h)
{
    MlirOperation op = h->alloc;
    do {
        op = mlirOperationGetParentOperation(op);
        if (mlirOperationIsNull(op) || !may_carry(op))
            return false;
        tri_vec_push(h->arena, &h->around, op);
    } while (!tri_op_flag(op, "tt.warp_specialize"));
    return true;
}

/* The same in all trips of a loop. */
static bool is_same_always(MlirOperation loop, MlirValue value)
{
    if (!tri_loops_is_inside(loop, value))
        return true;
    MlirOperation def = tri_op_def(value);
    if (mlirOperationIsNull(def) || mlirOperationGetNumRegions(def) || !tri_op_is_pure(def))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
        if (!is_same_always(loop, tri_op_operand(def, i)))
            return false;
    return true;
}

/* Does the loop of products run always, or never? */
static bool runs_alike(const hoisting *h, MlirOperation outer)
{
    MlirValue low = tri_op_operand(h->loop, 0), high = tri_op_operand(h->loop, 1);
    if (tri_ranges_runs(h->ranges, h->loop))
        return true;
    return h->only_read && is_same_always(outer, low) && is_same_always(outer, high);
}

static bool may_hoist(hoisting *h)
{
    if (!find_last(h) || !find_around(h))
        return false;
    MlirOperation shared = tri_vec_last(&h->around);
    return !tri_loops_is_inside(shared, tri_op_operand(h->alloc, 0)) && runs_alike(h, shared);
}

/* ---- moving ---- */

/* A loop that carries one value more; the value in its body. */
static MlirOperation carry_token(const hoisting *h, MlirOperation loop, uint64_t partitions, MlirValue *value)
{
    bool is_for = tri_op_is(loop, "scf.for");
    MlirOperation made = is_for ? tri_loops_add_iter_args(h->arena, loop, 1, value)
                                : tri_loops_add_while_args(h->arena, loop, 1, value);
    MlirBlock body = tri_op_body(made, is_for ? 0 : 1), before = tri_op_body(made, 0);
    *value = mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - 1);
    if (!is_for) {
        MlirValue given = mlirBlockGetArgument(before, mlirBlockGetNumArguments(before) - 1);
        tri_loops_append_yield(h->arena, tri_loops_yield(made, 0), 1, &given);
    }
    tri_partitions_append_output(made, partitions);
    return made;
}

static void hoist(hoisting *h)
{
    uint64_t partitions = tri_partitions_of_result(h->loop, h->token);
    MlirOperation shared = tri_vec_last(&h->around);
    mlirOperationMoveBefore(h->alloc, shared);
    static const char *const names[] = {TRI_PARTITIONS_OF, "loop.stage", "loop.cluster"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        mlirOperationRemoveAttributeByName(h->alloc, mlirStringRefCreateFromCString(names[i]));
    MlirValue token = tri_op_result(h->alloc, 1);
    for (size_t i = h->around.len; i-- > 0;)
        h->around.at[i] = carry_token(h, h->around.at[i], partitions, &token);
    mlirOperationSetOperand(h->loop, h->token + 3, token);
    token = h->last;
    for (size_t i = 0; i < h->around.len; i++) {
        MlirOperation loop = h->around.at[i];
        tri_loops_append_yield(h->arena, tri_loops_yield(loop, tri_op_is(loop, "scf.for") ? 0 : 1), 1, &token);
        token = tri_op_result(loop, mlirOperationGetNumResults(loop) - 1);
    }
}

static void move_buffer(tri_pass_run *run, MlirOperation alloc)
{
    hoisting h = {.arena = run->arena, .alloc = alloc,
                  .ranges = tri_ranges_create(run->arena, mlirModuleGetOperation(run->module))};
    if (!mlirOperationGetNumOperands(alloc) || mlirOperationGetNumResults(alloc) < 2 || !find_product(&h))
        return;
    if (may_hoist(&h))
        hoist(&h);
    else if (!mlirAttributeIsNull(tri_op_attr(h.product, TRI_PARTITIONS_OF)))
        tri_partitions_set(alloc, tri_partitions_of(h.product));
}

static bool run_hoist_tmem_store(tri_pass_run *run)
{
    tri_op_list allocs = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "ttng.tmem_alloc", run->arena, &allocs);
    for (size_t i = 0; i < allocs.len; i++) {
        MlirOperation store = first_store(allocs.at[i]);
        if (!mlirOperationIsNull(store) && is_in_shared_loop(allocs.at[i]))
            fold_store(allocs.at[i], store);
    }
    allocs.len = 0;
    tri_op_collect_named(mlirModuleGetOperation(run->module), "ttng.tmem_alloc", run->arena, &allocs);
    for (size_t i = 0; i < allocs.len; i++)
        if (is_in_shared_loop(allocs.at[i]))
            move_buffer(run, allocs.at[i]);
    return true;
}

const tri_pass tri_pass_hoist_tmem_store = {
    .name = "hoist-tmem-store",
    .help = "fill buffers in tensor memory that products overwrite once, in front of shared loops",
    .alias = "nvws-hoist-tmem-store",
    .run = run_hoist_tmem_store,
};
