/* Loops of texts whose halves run apart though threads hand something over in them. */
#include "passes/ttgir/block_pingpong/pingpong.h"

/* The nearest conditional barrier in front of the loop, or behind it, with no other loop between. */
static MlirOperation find_cond_barrier(MlirOperation loop, bool is_behind)
{
    MlirOperation op = loop;
    do
        op = is_behind ? mlirOperationGetNextInBlock(op) : tri_op_previous(op);
    while (!mlirOperationIsNull(op) && !tri_op_is(op, "amdg.cond_barrier") && mlirOperationGetNumRegions(op) == 0);
    return !mlirOperationIsNull(op) && tri_op_is(op, "amdg.cond_barrier") ? op : (MlirOperation){NULL};
}

void tri_pingpong_keep_in_step(tri_pass_run *run)
{
    tri_op_list loops = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.for", run->arena, &loops);
    for (size_t i = 0; i < loops.len; i++) {
        tri_pingpong p = {.arena = run->arena, .loop = loops.at[i], .body = tri_op_body(loops.at[i], 0)};
        MlirOperation before = find_cond_barrier(p.loop, false), behind = find_cond_barrier(p.loop, true);
        if (mlirOperationIsNull(before) || mlirOperationIsNull(behind) || tri_pingpong_may_be_apart(&p))
            continue;
        mlirOperationDestroy(before);
        mlirOperationDestroy(behind);
    }
}
