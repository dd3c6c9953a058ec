#include "passes/analysis/uses.h"

void tri_uses_init(tri_uses *uses, tri_arena *arena, MlirOperation root)
{
    *uses = (tri_uses){.arena = arena};
    tri_map_init(&uses->lists, arena);
    tri_map_init(&uses->index, arena);
    tri_op_collect(root, arena, &uses->ops);
    for (size_t i = 0; i < uses->ops.len; i++) {
        MlirOperation op = uses->ops.at[i];
        tri_map_set_ptr(&uses->index, op.ptr, (void *)(uintptr_t)(i + 1));
        for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); k++) {
            const void *value = mlirOperationGetOperand(op, k).ptr;
            tri_use_list *list = tri_map_find_ptr(&uses->lists, value);
            if (!list) {
                list = TRI_NEW(arena, tri_use_list);
                tri_map_set_ptr(&uses->lists, value, list);
            }
            tri_vec_push(arena, list, (tri_use){op, k});
        }
    }
}

const tri_use_list *tri_uses_of(const tri_uses *uses, MlirValue value)
{
    static const tri_use_list empty = {0};
    const tri_use_list *list = tri_map_find_ptr(&uses->lists, value.ptr);
    return list ? list : &empty;
}

intptr_t tri_uses_index(const tri_uses *uses, MlirOperation op)
{
    return (intptr_t)(uintptr_t)tri_map_find_ptr(&uses->index, op.ptr) - 1;
}
