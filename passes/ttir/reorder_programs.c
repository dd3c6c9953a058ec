/* Lets programs that share data run at the same time, and long ones first: a program computes which one it is.
 *
 *     %x = tt.get_program_id x                       %at = y * programs.x + x         // as the machine counts
 *     %y = tt.get_program_id y                       %first = %at / (8 * programs.y) * 8
 *                                             ->     %size = min(programs.x - %first, 8)
 *                                                    %rest = %at % (8 * programs.y)
 *                                                    %x = %first + %rest % %size ; %y = %rest / %size
 *
 * A product whose first factor depends on one number and whose second one on the other: groups of 8 rows of tiles (16
 * where tiles are wide) share columns, so that a wave of programs reads less (H200, 8192: 741 against 721 TFLOP/s).
 * With the option long-first, a loop of products that is the longer the larger one number is, as in causal attention:
 * of 8 programs along the other number (heads, whose data stays in the cache) the longest come first, the short ones
 * fill the end. That is off: on an H200 it gains 1 % where each block has a mask and loses 4.5 % in the tutorial's
 * form.
 *
 * Needs: ttir, a kernel without atomics, calls, volatile accesses and assembly: order cannot be seen otherwise, as
 * programs that write the same place have none. Each program still runs once, tl.num_programs stays what it is, and
 * results are the same bits. Answers to no pass of upstream, where kernels do this themselves.
 * Test: tests/passes/reorder-programs.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/programs.h"

enum { AXES = 2, GROUP_SIZE = 8, WIDE_GROUP_SIZE = 16 };

/* Programs in groups of `size` along `axis`; the other number runs slower, from its end if is_reversed. */
typedef struct {
    int axis, size;
    bool is_reversed;
} program_order;

/* ---- what depends on which number ---- */

typedef struct {
    tri_arena *arena;
    tri_map seen;
    TRI_VEC(MlirValue) todo;
    unsigned axes;
} slice;

static void look_at(slice *s, MlirValue value)
{
    if (tri_map_find_ptr(&s->seen, value.ptr))
        return;
    tri_map_set_ptr(&s->seen, value.ptr, s);
    tri_vec_push(s->arena, &s->todo, value);
}

static void look_behind_argument(slice *s, MlirBlock block, intptr_t index)
{
    MlirOperation loop = mlirBlockGetParentOperation(block);
    if (!tri_op_is(loop, "scf.for"))
        return;
    look_at(s, tri_op_operand(loop, index ? index + 2 : 0));
    if (index)
        look_at(s, tri_op_operand(mlirBlockGetTerminator(block), index - 1));
}

/* Numbers of programs that a value depends on, as bits; what conditionals and other loops give counts as both. */
static unsigned axes_of(tri_arena *arena, MlirValue value)
{
    slice s = {.arena = arena};
    tri_map_init(&s.seen, arena);
    look_at(&s, value);
    for (size_t i = 0; i < s.todo.len; i++) {
        MlirBlock block;
        intptr_t index;
        if (tri_op_is_block_argument(s.todo.at[i], &block, &index)) {
            look_behind_argument(&s, block, index);
            continue;
        }
        MlirOperation op = tri_op_def(s.todo.at[i]);
        if (tri_op_is(op, "tt.get_program_id"))
            s.axes |= 1u << tri_op_int(op, "axis", 0);
        if (mlirOperationGetNumRegions(op))
            s.axes |= (1u << AXES) - 1;
        for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); k++)
            look_at(&s, tri_op_operand(op, k));
    }
    return s.axes;
}

/* ---- longer programs ---- */

static bool find_long_ones(tri_arena *arena, MlirOperation func, program_order *out)
{
    int axis = tri_programs_growing_axis(func, arena);
    *out = (program_order){.axis = 1 - axis, .size = GROUP_SIZE, .is_reversed = true};
    return axis >= 0;
}

/* ---- products ---- */

static bool find_tiles(tri_arena *arena, const tri_op_list *ops, program_order *out)
{
    for (size_t i = 0; i < ops->len; i++) {
        MlirOperation dot = ops->at[i], loop = mlirOperationGetParentOperation(dot);
        if (!tri_op_is(dot, "tt.dot") || !tri_op_is(loop, "scf.for") || tri_programs_count_dots(loop) != 1)
            continue;
        unsigned rows = axes_of(arena, tri_op_operand(dot, 0)), columns = axes_of(arena, tri_op_operand(dot, 1));
        MlirType type = mlirValueGetType(tri_op_result(dot, 0));
        if (tri_type_rank(type) != 2 || (rows | columns) != 3 || (rows & columns))
            return false;
        bool is_wide = tri_type_dim(type, 1) >= 2 * tri_type_dim(type, 0);
        *out = (program_order){.axis = rows == 2, .size = is_wide ? WIDE_GROUP_SIZE : GROUP_SIZE};
        return true;
    }
    return false;
}

/* ---- rewriting ---- */

static MlirValue axis_op(tri_builder *b, const char *name, int axis)
{
    MlirType i32 = mlirIntegerTypeGet(b->context, 32);
    tri_attr attr = {"axis", tri_attr_i32(b->context, axis)};
    return tri_builder_value(
        b, &(tri_op){.name = name, .num_results = 1, .results = &i32, .num_attrs = 1, .attrs = &attr});
}

/* The new numbers, by axis. */
static void compute_numbers(tri_builder *b, const program_order *order, MlirValue *out)
{
    MlirType i32 = mlirIntegerTypeGet(b->context, 32);
    MlirValue size = tri_builder_int(b, i32, order->size);
    MlirValue mine[AXES], all[AXES];
    for (int axis = 0; axis < AXES; axis++) {
        mine[axis] = axis_op(b, "tt.get_program_id", axis);
        all[axis] = axis_op(b, "tt.get_num_programs", axis);
    }
#define I32(op, x, y) tri_builder_binary(b, "arith." op, i32, x, y)
    MlirValue at = I32("addi", I32("muli", mine[1], all[0]), mine[0]);
    MlirValue of_group = I32("muli", size, all[1 - order->axis]);
    MlirValue first = I32("muli", I32("divsi", at, of_group), size), rest = I32("remsi", at, of_group);
    MlirValue count = I32("minsi", I32("subi", all[order->axis], first), size);
    MlirValue other = I32("divsi", rest, count);
    out[order->axis] = I32("addi", first, I32("remsi", rest, count));
    if (order->is_reversed)
        other = I32("subi", I32("subi", all[1 - order->axis], tri_builder_int(b, i32, 1)), other);
#undef I32
    out[1 - order->axis] = other;
}

static void reorder(MlirOperation func, const tri_op_list *ops, const program_order *order)
{
    tri_builder b = tri_builder_at_start(tri_op_body(func, 0), mlirOperationGetLocation(func));
    MlirValue numbers[AXES];
    compute_numbers(&b, order, numbers);
    for (size_t i = 0; i < ops->len; i++) {
        int64_t axis = tri_op_is(ops->at[i], "tt.get_program_id") ? tri_op_int(ops->at[i], "axis", 0) : AXES;
        if (axis < AXES)
            tri_op_replace(ops->at[i], 1, &numbers[axis]);
    }
}

static void visit_kernel(tri_pass_run *run, MlirOperation func)
{
    tri_op_list ops = {0};
    program_order order;
    unsigned used = 0;
    tri_op_collect(func, run->arena, &ops);
    if (!tri_programs_are_free(func, run->arena))
        return;
    for (size_t i = 0; i < ops.len; i++)
        if (tri_op_is(ops.at[i], "tt.get_program_id"))
            used |= 1u << tri_op_int(ops.at[i], "axis", 0);
    bool has_both = (used & 3) == 3;
    bool is_long_first = tri_passes_option_int(run, "long-first", 0) && find_long_ones(run->arena, func, &order);
    if (!has_both || (!is_long_first && !find_tiles(run->arena, &ops, &order)))
        return;
    tri_diag_remark(run->unit->diag, tri_op_span(run->unit->diag, func), "programs",
                    "programs run in groups of %d along axis %d%s", order.size, order.axis,
                    order.is_reversed ? ", the longest first" : "");
    reorder(func, &ops, &order);
}

static bool run_reorder_programs(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        if (tri_op_is_kernel(funcs.at[i]))
            visit_kernel(run, funcs.at[i]);
    return true;
}

static const char *const options[] = {"long-first=N: 1 has the longest programs of loops of two products first (0)",
                                      NULL};

const tri_pass tri_pass_reorder_programs = {
    .name = "reorder-programs",
    .help = "let programs that share data run together, and long ones first",
    .options = options,
    .run = run_reorder_programs,
};
