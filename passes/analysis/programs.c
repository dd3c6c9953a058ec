#include "passes/analysis/programs.h"

static bool has_no_order(MlirOperation op)
{
    static const char *const accesses[] = {"tt.load", "tt.store", "tt.descriptor_load", "tt.descriptor_store"};
    if (mlirOperationGetNumRegions(op) || !tri_op_has_effects(op) || tri_op_is(op, "scf.yield") ||
        tri_op_is(op, "tt.return") || tri_op_is(op, "scf.condition") || tri_op_is(op, "tt.assert"))
        return true;
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
        if (tri_op_is(op, accesses[i]))
            return !tri_op_flag(op, "isVolatile");
    return false;
}

bool tri_programs_are_free(MlirOperation func, tri_arena *arena)
{
    tri_op_list ops = {0};
    tri_op_collect(func, arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        if (!has_no_order(ops.at[i]))
            return false;
    return true;
}

int64_t tri_programs_count_dots(MlirOperation loop)
{
    int64_t count = 0;
    MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(loop, 0));
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        count += tri_op_is(op, "tt.dot");
    return count;
}
