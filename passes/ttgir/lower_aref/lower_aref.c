/* Rings of buffers become barriers, waits and arrivals.
 *
 *     %r = nvws.aref.create %b                        %empty, %full = ttg.local_alloc ; ttng.init_barrier ...
 *     %p, %t = nvws.aref.put.enter %r                 ttng.wait_barrier %empty[%s], %f
 *     nvws.descriptor_load %d[...] 8192 %p            ttng.barrier_expect %full[%s], 8192
 *     nvws.aref.put.exit %r, %t [tma_load]      ->    ttng.async_tma_copy_global_to_local %d[...] %b[%s], %full[%s]
 *     %g, %u = nvws.aref.get.enter %r                 ttng.wait_barrier %full[%s'], %f'
 *     "use"(%g)                                       "use"(%b[%s'])
 *     nvws.aref.get.exit %r, %u [none]                ttng.arrive_barrier %empty[%s'], 1
 *
 * First those that one operation waits for become one, those that copies fill get the number of buffers of the option,
 * and assign-stage-phase counts. A copy arrives by itself, and products of Blackwell when they are committed. In no
 * pipeline: automatic-warp-specialization makes its barriers itself. Answers to nvws-lower-aref.
 * Test: tests/passes/lower-aref.mlir */
#include "passes/passes.h"

#include "ir/type.h"
#include "passes/analysis/loops.h"
#include "passes/analysis/partitions.h"
#include "passes/ttgir/assign_stage_phase/stages.h"
#include "passes/ttgir/lower_aref/barriers.h"
#include "passes/ttgir/lower_aref/combine.h"

enum { DEFAULT_STAGES = 3 };

static bool is_filled_by_copies(MlirOperation create)
{
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(create, 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use);
        for (intptr_t i = 0; tri_op_is(op, "nvws.aref.put.enter") && i + 1 < mlirOperationGetNumResults(op); i++) {
            MlirOpOperand filler = mlirValueGetFirstUse(tri_op_result(op, i));
            for (; !mlirOpOperandIsNull(filler); filler = mlirOpOperandGetNextUse(filler))
                if (tri_str_has_prefix(tri_op_name(mlirOpOperandGetOwner(filler)), "nvws.descriptor_"))
                    return true;
        }
    }
    return false;
}

/* The same reference to so many of each of its buffers, where all of them are allocated in shared memory. */
static void multiply_buffers(tri_arena *arena, MlirOperation create, int64_t stages)
{
    intptr_t n = mlirOperationGetNumOperands(create);
    MlirType *rings = TRI_NEW_ARRAY(arena, MlirType, n + 1);
    for (intptr_t i = 0; i < n; i++) {
        MlirOperation alloc = tri_op_def(tri_op_operand(create, i));
        tri_memdesc ring;
        if (mlirOperationIsNull(alloc) || !tri_op_is(alloc, "ttg.local_alloc") || mlirOperationGetNumOperands(alloc))
            return;
        tri_type_get_memdesc(mlirValueGetType(tri_op_operand(create, i)), &ring);
        ring.shape[0] = ring.alloc_shape[0] = stages;
        rings[i] = tri_type_memdesc(&ring);
    }
    for (intptr_t i = 0; i < n; i++)
        tri_op_set_type(tri_op_operand(create, i), rings[i]);
    tri_op_set_type(tri_op_result(create, 0), tri_partitions_reference((size_t)n, rings));
}

/* Tokens that nothing makes stand in front of all, where passes that want groups of everything do not meet them. */
static void hoist_poison(tri_arena *arena, MlirOperation module)
{
    tri_op_list ops = {0};
    tri_op_collect_named(module, "ub.poison", arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        MlirOperation func = ops.at[i];
        while (!mlirOperationIsNull(func) && !tri_op_is(func, "tt.func"))
            func = mlirOperationGetParentOperation(func);
        if (!mlirOperationIsNull(func))
            mlirOperationMoveBefore(ops.at[i], mlirBlockGetFirstOperation(tri_op_body(func, 0)));
    }
}

static bool run_lower_aref(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    int64_t stages = tri_passes_option_int(run, "num-stages", DEFAULT_STAGES);
    tri_op_list loops = {0}, creates = {0};
    tri_op_collect_named(module, "scf.for", run->arena, &loops);
    for (size_t i = 0; i < loops.len; i++) {
        MlirOperation shared = loops.at[i];
        while (!mlirOperationIsNull(shared) && !tri_op_flag(shared, "tt.warp_specialize"))
            shared = mlirOperationGetParentOperation(shared);
        if (!mlirOperationIsNull(shared))
            tri_combine_references(run->arena, loops.at[i]);
    }
    tri_op_collect_named(module, "nvws.aref.create", run->arena, &creates);
    for (size_t i = 0; i < creates.len; i++)
        if (stages > 0 && is_filled_by_copies(creates.at[i]))
            multiply_buffers(run->arena, creates.at[i], stages);
    tri_assign_stage_phase(run->arena, module);
    for (size_t i = 0; i < creates.len; i++)
        tri_barriers_lower(run->arena, creates.at[i]);
    if (creates.len)
        hoist_poison(run->arena, module);
    return true;
}

const tri_pass tri_pass_lower_aref = {
    .name = "lower-aref",
    .help = "lower rings of buffers between groups of warps to barriers",
    .alias = "nvws-lower-aref",
    .options = (const char *const[]){"num-stages=N: buffers of a ring that copies fill (3)", NULL},
    .run = run_lower_aref,
};
