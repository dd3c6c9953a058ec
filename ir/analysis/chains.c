#include "ir/analysis/chains.h"

static bool is_any_dot(MlirOperation op) { return tri_op_is(op, "tt.dot") || tri_op_is(op, "tt.dot_scaled"); }

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
        if (is_any_dot(def)) {
            tri_vec_push(arena, out, def);
            continue;
        }
        for (intptr_t k = 0; k < mlirOperationGetNumOperands(def); k++)
            tri_vec_push(arena, &todo, mlirOperationGetOperand(def, k));
    }
}

static void mark_product(tri_map *map, MlirOperation dot) { tri_map_set_ptr(map, dot.ptr, dot.ptr); }

/* What goes into a product of a chain is one of it; in the order of the program, sources come first. */
static void mark_along(tri_chains *chains, MlirOperation dot, const tri_op_list sources[2])
{
    for (int operand = 0; operand < 2; operand++) {
        for (size_t k = 0; k < sources[operand].len; k++) {
            mark_product(&chains->along[operand], sources[operand].at[k]);
            mark_product(&chains->along[operand], dot);
            for (int o = 0; o < 2; o++)
                if (tri_chains_is_along(chains, sources[operand].at[k], o))
                    mark_product(&chains->along[o], dot);
        }
    }
}

tri_chains tri_chains_find(tri_arena *arena, const tri_op_list *dots)
{
    tri_chains chains;
    tri_map_init(&chains.heads, arena);
    tri_map_init(&chains.tails, arena);
    tri_map_init(&chains.along[0], arena);
    tri_map_init(&chains.along[1], arena);
    for (size_t i = 0; i < dots->len; i++) {
        tri_op_list sources[2] = {0};
        for (int operand = 0; operand < 2; operand++)
            collect_sources(arena, tri_op_operand(dots->at[i], operand), mlirOperationGetBlock(dots->at[i]),
                            &sources[operand]);
        for (size_t k = 0; k < sources[0].len; k++)
            mark_product(&chains.heads, sources[0].at[k]);
        if (sources[0].len)
            mark_product(&chains.tails, dots->at[i]);
        mark_along(&chains, dots->at[i], sources);
    }
    return chains;
}
