/* Groups of warps and their barriers. */
#include "targets/gpu/gpu.h"

tri_gpu_group *tri_gpu_new_group(tri_gpu *g, int first_warp, int num_warps, int barrier, LLVMBasicBlockRef entry)
{
    tri_gpu_group *group = TRI_NEW(g->arena, tri_gpu_group);
    *group = (tri_gpu_group){.first_warp = first_warp, .num_warps = num_warps, .barrier = barrier, .entry = entry};
    tri_map_init(&group->coordinates, g->arena);
    return group;
}

/* ---- threads' numbers, made anew ---- */

static bool has_product(tri_gpu *g, MlirOperation op)
{
    tri_op_list products = {0};
    if (tri_op_is(op, "scf.for"))
        tri_op_collect_named(op, "tt.dot", g->arena, &products);
    return products.len > 0;
}

static bool wants_renewal(tri_gpu *g, MlirOperation loop)
{
    MlirBlock block = mlirOperationGetBlock(loop);
    bool wants = false;
    if (!g->machine->renews_threads || g->unit->arch->is_any_device ||
        !tri_op_is(mlirBlockGetParentOperation(block), "tt.func") ||
        !mlirBlockIsNull(mlirBlockGetNextInRegion(block)) || !has_product(g, loop))
        return false;
    for (MlirOperation op = mlirOperationGetNextInBlock(loop); !mlirOperationIsNull(op) && !wants;
         op = mlirOperationGetNextInBlock(op))
        wants = has_product(g, op);
    return wants;
}

void tri_gpu_renew_threads(tri_gpu *g, MlirOperation loop)
{
    if (!wants_renewal(g, loop))
        return;
    tri_gpu_renewal *renewal = TRI_NEW(g->arena, tri_gpu_renewal);
    *renewal = (tri_gpu_renewal){tri_gpu_block(g, "numbers"), tri_gpu_block(g, "rest"), g->renewals};
    LLVMBuildBr(g->b, renewal->numbers);
    tri_gpu_at_end(g, renewal->numbers);
    LLVMValueRef thread = tri_gpu_shuffle_index(g, tri_gpu_thread(g), tri_gpu_lane(g));
    LLVMValueRef shared = g->group->shared;
    g->group = tri_gpu_new_group(g, 0, g->num_warps, TRI_GPU_ALL_WARPS, renewal->numbers);
    g->group->thread = thread;
    g->group->shared = shared;
    g->renewals = renewal;
    tri_gpu_at_end(g, renewal->rest);
}

void tri_gpu_end_renewals(tri_gpu *g)
{
    for (; g->renewals; g->renewals = g->renewals->outer) {
        tri_gpu_at_end(g, g->renewals->numbers);
        LLVMBuildBr(g->b, g->renewals->rest);
    }
}

/* ---- barriers ---- */

static bool is_whole(const tri_gpu *g) { return g->group->barrier == TRI_GPU_ALL_WARPS; }

/* A barrier of some of the block's threads orders all memory of the block. */
static void group_barrier(tri_gpu *g)
{
    LLVMValueRef args[] = {tri_gpu_i32(g, g->group->barrier),
                           tri_gpu_i32(g, (int64_t)g->group->num_warps * g->warp_size)};
    tri_machine_call(g, TRI_MACHINE_group_barrier, args, 2);
}

void tri_gpu_barrier(tri_gpu *g, tri_sync sync)
{
    bool is_one_warp = sync == TRI_SYNC_WARP || (!is_whole(g) && g->group->num_warps == 1);
    if (is_one_warp && tri_machine_has(g, TRI_MACHINE_warp_barrier))
        tri_machine_call(g, TRI_MACHINE_warp_barrier, NULL, 0);
    else if (is_whole(g))
        tri_machine_call(g, TRI_MACHINE_barrier, NULL, 0);
    else
        group_barrier(g);
}

void tri_gpu_barrier_global(tri_gpu *g)
{
    if (is_whole(g))
        tri_machine_call(g, TRI_MACHINE_barrier_global, NULL, 0);
    else
        tri_gpu_barrier(g, TRI_SYNC_CTA);
}

LLVMValueRef tri_gpu_barrier_or(tri_gpu *g, LLVMValueRef vote)
{
    int id = is_whole(g) ? TRI_MACHINE_barrier_or : TRI_MACHINE_group_barrier_or;
    if (!tri_machine_has(g, id))
        return NULL;
    LLVMValueRef args[] = {tri_gpu_i32(g, g->group->barrier),
                           tri_gpu_i32(g, (int64_t)g->group->num_warps * g->warp_size), vote};
    return is_whole(g) ? tri_machine_call(g, id, &vote, 1) : tri_machine_call(g, id, args, 3);
}
