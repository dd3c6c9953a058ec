/* Buffers in the tensor memory of Blackwell that groups of warps have in turn become rings of them, handed on.
 *
 *     %d, %k = ttng.tmem_alloc                       %b = ttng.tmem_alloc ; %r = nvws.aref.create %b
 *     scf.for ... iter_args(%t = %k) {               %p, %q = nvws.aref.put.enter %r
 *       %u = ttng.tc_gen5_mma %x, %y, %d[%t]   {1}   scf.for ... iter_args(%t = %q) {
 *       %v, %w = ttng.tmem_load %d[%u]         {0}     %d = nvws.aref.buffer %r, %t               {1}
 *       scf.yield %w                              ->   ttng.tc_gen5_mma %x, %y, %d[]              {1}
 *     }                                                nvws.aref.put.exit %r, %t [tc5mma]         {1}
 *                                                      %g, %h = nvws.aref.get.enter %r            {0}
 *                                                      %e = nvws.aref.buffer %r, %h               {0}
 *                                                      %v, %w = ttng.tmem_load %e[]               {0}
 *                                                      nvws.aref.get.exit %r, %h [none]           {0}
 *                                                      %p1, %q1 = nvws.aref.put.enter %r          {1}
 *                                                      scf.yield %q1
 *                                                    }
 *
 * A buffer's token says who has it next, through loops and conditionals; one that has no token is a tensor's, for one
 * product. Two groups have it at most, beside all warps in front of the shared loop and behind it. Rings have two
 * buffers where one group only makes sums, the other only reads them, the first access to a buffer that is taken again
 * overwrites it, and the loop does not say tt.disallow_acc_multi_buffer; else one. A conditional that a group gives a
 * buffer to is split, for each group its part. In no pipeline: no target here makes tensor memory by itself. Answers
 * to nvws-insert-tmem-aref.
 * Test: tests/passes/insert-tmem-aref.mlir */
#include "passes/passes.h"

#include "passes/ttgir/insert_tmem_aref/split_if.h"
#include "passes/ttgir/insert_tmem_aref/turns.h"

enum { MISFIT = 5014 };

static bool is_shared(MlirOperation alloc)
{
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(alloc, 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        if (!mlirOperationIsNull(tri_path_shared_loop(mlirOpOperandGetOwner(use))))
            return true;
    return false;
}

/* A buffer of a tensor in front of the loop is there before the groups begin. */
static bool is_ready(MlirOperation alloc)
{
    return mlirOperationGetNumResults(alloc) == 1 && mlirOperationIsNull(tri_path_shared_loop(alloc));
}

static bool share_buffer(tri_pass_run *run, MlirOperation alloc)
{
    tmem_path path;
    tmem_owner maker = {0};
    if (!is_shared(alloc) || is_ready(alloc))
        return true;
    if (!tri_path_read(run->arena, run->unit->diag, alloc, &path) ||
        (mlirOperationGetNumOperands(alloc) && !tri_path_owner_of(run->unit->diag, alloc, &maker)))
        return false;
    tmem_owners owners = tri_turns_owners(maker, &path);
    if (owners.too_many) {
        tri_op_error(run->unit->diag, alloc, MISFIT, "a buffer in tensor memory can be of two partitions, not more");
        return false;
    }
    if (owners.count + owners.all_too < 2)
        return true;
    tri_ranges *ranges = tri_ranges_create(run->arena, mlirModuleGetOperation(run->module));
    tri_turns_take(alloc, &path, &owners, tri_two_fit(ranges, alloc, &path) ? 2 : 1);
    return true;
}

static bool run_insert_tmem_aref(tri_pass_run *run)
{
    tri_op_list allocs = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "ttng.tmem_alloc", run->arena, &allocs);
    for (size_t i = 0; i < allocs.len; i++)
        if (!share_buffer(run, allocs.at[i]))
            return false;
    if (allocs.len)
        tri_split_ifs(run->arena, mlirModuleGetOperation(run->module));
    return true;
}

const tri_pass tri_pass_insert_tmem_aref = {
    .name = "insert-tmem-aref",
    .help = "have buffers in tensor memory that groups of warps have in turn go through rings of buffers",
    .alias = "nvws-insert-tmem-aref",
    .run = run_insert_tmem_aref,
};
