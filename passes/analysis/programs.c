#include "passes/analysis/programs.h"

#include "ir/analysis/sum.h"

enum { AXES = 2 };

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

/* ---- longer programs ---- */

static int sign_of(int64_t x) { return x < 0 ? -1 : 1; }

static int growth(tri_sums *sums, const tri_sum *sum, int axis);

/* A number of a program, or the least or the greatest of two numbers. */
static int growth_of_leaf(tri_sums *sums, const tri_leaf *leaf, int axis)
{
    const tri_sum *x = leaf->args[0], *y = leaf->args[1];
    const char *op = leaf->kind == TRI_LEAF_CALL ? leaf->op : "";
    MlirOperation def = leaf->kind == TRI_LEAF_VALUE ? tri_op_def(leaf->value) : (MlirOperation){NULL};
    if (!mlirOperationIsNull(def) && tri_op_is(def, "tt.get_program_id"))
        return tri_op_int(def, "axis", 0) == axis;
    if (!mlirOperationIsNull(def) && (tri_op_is(def, "arith.minsi") || tri_op_is(def, "arith.maxsi"))) {
        x = tri_sum_of(sums, tri_op_operand(def, 0));
        y = tri_sum_of(sums, tri_op_operand(def, 1));
    } else if (strcmp(op, "arith.minsi") && strcmp(op, "arith.maxsi")) {
        return 0;
    }
    int a = growth(sums, x, axis), b = growth(sums, y, axis);
    return a && b && a != b ? 0 : a ? a : b;
}

/* 1: the number grows with the program's along `axis`; -1: it falls; 0: neither is known. */
static int growth(tri_sums *sums, const tri_sum *sum, int axis)
{
    int all = 0;
    for (int i = 0; sum && i < sum->count; i++) {
        const tri_term *term = &sum->term[i];
        int one = term->count == 1 ? growth_of_leaf(sums, term->leaf[0], axis) * sign_of(term->factor) : 0;
        if (one && all && one != all)
            return 0;
        all = one ? one : all;
    }
    return all;
}

int tri_programs_growing_axis(MlirOperation func, tri_arena *arena)
{
    tri_sums sums;
    tri_op_list loops = {0};
    tri_sum_init(&sums, arena);
    tri_op_collect_named(func, "scf.for", arena, &loops);
    for (size_t i = 0; i < loops.len; i++) {
        if (tri_programs_count_dots(loops.at[i]) < 2)
            continue;
        const tri_sum *start = tri_sum_of(&sums, tri_op_operand(loops.at[i], 0));
        const tri_sum *length = tri_sum_sub(&sums, tri_sum_of(&sums, tri_op_operand(loops.at[i], 1)), start);
        for (int axis = 0; axis < AXES; axis++)
            if (growth(&sums, length, axis) > 0 && !growth(&sums, length, 1 - axis))
                return axis;
    }
    return -1;
}
