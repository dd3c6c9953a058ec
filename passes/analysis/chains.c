#include "passes/analysis/chains.h"

/* Products that the value comes from, in its block. */
static void collect_sources(tri_arena *arena, MlirValue value, MlirBlock block, tri_op_list *out)
{
    tri_map seen;
    TRI_VEC(MlirValue) todo = {0};
    tri_map_init(&seen, arena);
    tri_vec_push(arena, &todo, value);
    for (size_t i = 0; i < todo.len; i++) {
        MlirOperation def = tri_op_def(todo.at[i]);
        if (mlirOperationIsNull(def) || !mlirBlockEqual(mlirOperationGetBlock(def), block) ||
            tri_map_find_ptr(&seen, def.ptr))
            continue;
        tri_map_set_ptr(&seen, def.ptr, def.ptr);
        if (tri_op_is(def, "tt.dot")) {
            tri_vec_push(arena, out, def);
            continue;
        }
        for (intptr_t k = 0; k < mlirOperationGetNumOperands(def); k++)
            tri_vec_push(arena, &todo, mlirOperationGetOperand(def, k));
    }
}

tri_chains tri_chains_find(tri_arena *arena, const tri_op_list *dots)
{
    tri_chains chains;
    tri_map_init(&chains.heads, arena);
    tri_map_init(&chains.tails, arena);
    for (size_t i = 0; i < dots->len; i++) {
        tri_op_list heads = {0};
        collect_sources(arena, tri_op_operand(dots->at[i], 0), mlirOperationGetBlock(dots->at[i]), &heads);
        for (size_t k = 0; k < heads.len; k++)
            tri_map_set_ptr(&chains.heads, heads.at[k].ptr, heads.at[k].ptr);
        if (heads.len)
            tri_map_set_ptr(&chains.tails, dots->at[i].ptr, dots->at[i].ptr);
    }
    return chains;
}
