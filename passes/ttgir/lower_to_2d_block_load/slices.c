/* Products of blocks along K in slices, so that not all of both operands is in registers at once:
 *
 *     %x = ttig.2d_block_load ...[%k, %m] : 64x64         %x0 = ttig.2d_block_load ...[%k, %m] : 64x32
 *     %y = ttig.2d_block_load ...[%n, %k] : 64x64         %y0 = ttig.2d_block_load ...[%n, %k] : 32x64
 *     %d = tt.dot %x, %y, %c                              %d0 = tt.dot %x0, %y0, %c
 *                                                         %x1 = ... [%k + 32, %m], %y1 = ... [%n, %k + 32]
 *                                                         %d = tt.dot %x1, %y1, %d0 */
#include "passes/ttgir/lower_to_2d_block_load/slices.h"

#include "ir/type.h"
#include "passes/analysis/dots.h"

enum { WIDEST = 64 /* bytes along a row that a message loads */, REGISTERS = 256, SPARE = 48 };

static bool is_own_load(MlirOperation dot, int operand)
{
    MlirValue value = tri_op_operand(dot, operand);
    MlirOperation load = tri_op_def(value);
    return tri_op_is(load, "ttig.2d_block_load") && tri_dots_has_one_use(value) &&
           mlirBlockEqual(mlirOperationGetBlock(load), mlirOperationGetBlock(dot));
}

static bool has_effects_between(MlirOperation load, MlirOperation dot)
{
    for (MlirOperation op = mlirOperationGetNextInBlock(load); !mlirOperationEqual(op, dot);
         op = mlirOperationGetNextInBlock(op))
        if (!tri_op_is(op, "ttig.2d_block_load") && !tri_op_is(op, "tt.load") && tri_op_has_effects(op))
            return true;
    return false;
}

/* Slice `i` of an operand, of `depth` along K. */
static MlirValue load_slice(tri_builder *b, MlirOperation load, int operand, int64_t depth, int64_t i)
{
    bool is_column_major = tri_op_int(load, "memory_layout", 0) == 1;
    int along = (operand == 0) != is_column_major ? 4 : 5; /* offset_x, offset_y */
    MlirType type = mlirValueGetType(tri_op_result(load, 0));
    int64_t shape[] = {tri_type_dim(type, 0), tri_type_dim(type, 1)};
    MlirOperation slice = tri_op_clone(b, load, 0, NULL, NULL);
    tri_builder at = tri_builder_before(slice);
    MlirValue offset = tri_op_operand(load, along);
    MlirType i32 = mlirValueGetType(offset);
    shape[operand == 0] = depth;
    if (i)
        offset = tri_builder_binary(&at, "arith.addi", i32, offset, tri_builder_int(&at, i32, i * depth));
    mlirOperationSetOperand(slice, along, offset);
    tri_op_set_type(tri_op_result(slice, 0),
                    tri_type_tensor(2, shape, tri_type_element(type), tri_type_encoding(type)));
    return tri_op_result(slice, 0);
}

static void cut_product(MlirOperation dot, int64_t depth, int64_t slices)
{
    MlirOperation loads[] = {tri_op_def(tri_op_operand(dot, 0)), tri_op_def(tri_op_operand(dot, 1))};
    tri_builder b = tri_builder_before(dot);
    MlirValue operands[3] = {{NULL}, {NULL}, tri_op_operand(dot, 2)};
    for (int64_t i = 0; i < slices; i++) {
        for (int o = 0; o < 2; o++)
            operands[o] = load_slice(&b, loads[o], o, depth, i);
        MlirOperation made = tri_op_clone(&b, dot, 0, NULL, NULL);
        for (int o = 0; o < 3; o++)
            mlirOperationSetOperand(made, o, operands[o]);
        operands[2] = tri_op_result(made, 0);
    }
    tri_op_replace(dot, 1, &operands[2]);
    for (int o = 0; o < 2; o++)
        mlirOperationDestroy(loads[o]);
}

/* The K of a slice, or 0 where all of it may stay: the widest that leaves room for the sums, which a loop with another
 * form beside it has twice, its own and those that the two end in. */
static int64_t choose_depth(tri_arena *arena, MlirOperation dot, tri_slices how)
{
    MlirType a = mlirValueGetType(tri_op_operand(dot, 0));
    int64_t whole = tri_type_dim(a, 1), widest = WIDEST * 8 / tri_type_bits(tri_type_element(a)), operands = 0;
    int64_t sums = tri_dots_registers(arena, mlirValueGetType(tri_op_operand(dot, 2)));
    for (int o = 0; o < 2; o++)
        operands += tri_dots_registers(arena, mlirValueGetType(tri_op_operand(dot, o)));
    if (how == TRI_SLICES_ALWAYS)
        return whole > widest / 2 ? widest / 2 : 0;
    int64_t room = REGISTERS - SPARE - sums * (how == TRI_SLICES_OF_TWO_WAYS ? 2 : 1);
    if (operands <= room || whole <= widest / 2)
        return 0;
    if (room <= 0 || (whole > widest && operands * widest / whole <= room)) /* no slice helps, or that one does */
        return whole > widest ? widest : 0;
    return widest / 2;
}

void tri_slices_cut(tri_arena *arena, MlirOperation root, tri_slices how)
{
    tri_op_list dots = {0};
    tri_op_collect_named(root, "tt.dot", arena, &dots);
    for (size_t i = 0; i < dots.len; i++) {
        MlirOperation dot = dots.at[i];
        if (!is_own_load(dot, 0) || !is_own_load(dot, 1) ||
            has_effects_between(tri_op_def(tri_op_operand(dot, 0)), dot) ||
            has_effects_between(tri_op_def(tri_op_operand(dot, 1)), dot))
            continue;
        int64_t depth = choose_depth(arena, dot, how);
        if (depth)
            cut_product(dot, depth, tri_type_dim(mlirValueGetType(tri_op_operand(dot, 0)), 1) / depth);
    }
}
