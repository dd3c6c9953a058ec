/* An mbarrier at the end of a kernel need not be invalidated: shared memory goes with the program.
 *
 *     ttng.init_barrier %bar, 1 {...}               ttng.init_barrier %bar, 1
 *     ttng.wait_barrier %bar, %c0                   ttng.wait_barrier %bar, %c0
 *     ttng.inval_barrier %bar                  ->
 *     ttng.async_tma_copy_local_to_global ...       ttng.async_tma_copy_local_to_global ...
 *
 * One thread invalidates, others wait for it: in front of the invalidation, so that all have seen the last phase, and
 * behind it. An invalidation stays where the bytes have another use (another buffer, an mbarrier made again), in loops,
 * in branches, and in functions that kernels call.
 *
 * Needs: allocation.offset (allocate-shared-memory); runs in front of membar, which adds the barriers. Upstream has no
 * such pass. Test: tests/passes/drop-invalidations.mlir */
#include "passes/passes.h"

#include "ir/op.h"
#include "passes/analysis/buffers.h"

typedef struct {
    tri_buffers buffers;
    tri_op_list inits; /* of the function */
    MlirBlock body;
} finder;

/* The only buffer that the mbarrier may lie in, or -1. */
static int buffer_of(const finder *f, MlirOperation op)
{
    const tri_buffer_set *set = tri_buffers_of(&f->buffers, tri_op_operand(op, 0));
    return set->len == 1 ? set->at[0] : -1;
}

static bool has_bytes_alone(const finder *f, int index)
{
    const tri_buffer *own = &f->buffers.list.at[index];
    for (size_t i = 0; i < f->buffers.list.len; i++) {
        const tri_buffer *b = &f->buffers.list.at[i];
        if (b != own && b->offset < own->offset + own->size && own->offset < b->offset + b->size)
            return false;
    }
    return true;
}

/* Whether an mbarrier is made in the buffer behind `op`, or where it may run more than once. */
static bool is_made_again(const finder *f, MlirOperation op, int index)
{
    for (size_t i = 0; i < f->inits.len; i++) {
        MlirOperation init = f->inits.at[i];
        int made = buffer_of(f, init);
        if (made >= 0 && made != index)
            continue;
        if (!mlirBlockEqual(mlirOperationGetBlock(init), f->body) || !mlirOperationIsBeforeInBlock(init, op))
            return true;
    }
    return false;
}

static void run_on(tri_pass_run *run, MlirOperation func)
{
    MlirRegion region = mlirOperationGetRegion(func, 0);
    finder f = {.body = mlirRegionGetFirstBlock(region)};
    tri_op_list invalidations = {0};
    tri_op_collect_named(func, "ttng.inval_barrier", run->arena, &invalidations);
    if (!invalidations.len || !mlirBlockIsNull(mlirBlockGetNextInRegion(f.body)))
        return;
    tri_op_collect_named(func, "ttng.init_barrier", run->arena, &f.inits);
    tri_buffers_init(&f.buffers, run->arena, func, mlirModuleGetOperation(run->module));
    for (size_t i = 0; i < invalidations.len; i++) {
        MlirOperation op = invalidations.at[i];
        int index = mlirBlockEqual(mlirOperationGetBlock(op), f.body) ? buffer_of(&f, op) : -1;
        if (index >= 0 && has_bytes_alone(&f, index) && !is_made_again(&f, op, index))
            mlirOperationDestroy(op);
    }
}

static bool run_drop_invalidations(tri_pass_run *run)
{
    tri_op_list functions = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &functions);
    for (size_t i = 0; i < functions.len; i++)
        if (tri_op_is_kernel(functions.at[i]))
            run_on(run, functions.at[i]);
    return true;
}

const tri_pass tri_pass_drop_invalidations = {
    .name = "drop-invalidations",
    .help = "leave mbarriers valid at the end of a kernel",
    .run = run_drop_invalidations,
};
