/* Lets the base of a buffer operation grow in a loop instead of its offsets, where all of them grow by the same.
 *
 *     scf.for ... iter_args(%o = %first) {                    scf.for ... iter_args(%o = %first, %b = %p) {
 *       amdg.buffer_load %p[%o]                         ->      amdg.buffer_load %b[%first]
 *       %n = arith.addi %o, %step                               %c = tt.addptr %b, %s    // one scalar for all elements
 *       yield %n                                                yield ..., %c
 *     }                                                       }
 *
 * also where the operation comes behind the sum and uses it. Offsets are numbers without sign of 32 bits, in bytes:
 * only where their range shows that the sum does not wrap. What the loop no longer needs goes with dead code. Answers
 * to tritonamdgpu-optimize-buffer-op-ptr; no pipeline has it. Test: tests/passes/optimize-buffer-op-ptr.mlir */
#include "passes/passes.h"

#include "ir/analysis/ranges.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/loops.h"

/* A buffer operation of a loop, its operands by number. */
typedef struct {
    MlirOperation op;
    int base, offsets;
    intptr_t carried; /* what the loop carries of the offsets, by number */
    MlirValue step;   /* that each trip adds, the same for all elements */
    bool is_behind;   /* uses the sum of its own trip */
} buffer_op;

typedef TRI_VEC(buffer_op) buffer_ops;

static bool match_operation(MlirOperation op, buffer_op *out)
{
    static const struct {
        const char *name;
        int base;
    } names[] = {{"amdg.buffer_load", 0},
                 {"amdg.buffer_store", 1},
                 {"amdg.buffer_load_to_local", 1},
                 {"amdg.buffer_atomic_rmw", 0},
                 {"amdg.buffer_atomic_cas", 0}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_op_is(op, names[i].name)) {
            *out = (buffer_op){.op = op, .base = names[i].base, .offsets = names[i].base + 1};
            return true;
        }
    return false;
}

/* Which value that the loop carries this is; -1: none. */
static intptr_t index_of_carried(MlirOperation loop, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    bool is_carried = tri_op_is_block_argument(value, &block, &index) &&
                      mlirBlockEqual(block, tri_op_body(loop, 0)) && index > 0;
    return is_carried ? index - 1 : -1;
}

static bool is_sum(MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    return !mlirOperationIsNull(def) && tri_op_is(def, "arith.addi");
}

/* The carried value that the offsets are, or are the next one of. */
static intptr_t find_carried(MlirOperation loop, MlirValue offsets)
{
    if (!is_sum(offsets))
        return index_of_carried(loop, offsets);
    for (int i = 0; i < 2; i++) {
        intptr_t index = index_of_carried(loop, tri_op_operand(tri_op_def(offsets), i));
        if (index >= 0)
            return index;
    }
    return -1;
}

static bool is_scalar(MlirValue step)
{
    int64_t number;
    MlirOperation def = tri_op_def(step);
    return tri_op_const_int(step, &number) || (!mlirOperationIsNull(def) && tri_op_is(def, "tt.splat"));
}

/* The sum is the same with the step in the base: nothing wraps, in bytes without sign. */
static bool is_same_address(tri_ranges *ranges, MlirValue offset, MlirValue step, int64_t bytes)
{
    tri_range o = tri_ranges_of(ranges, offset), s = tri_ranges_of(ranges, step);
    if (o.low < 0)
        return false;
    return s.low >= 0 ? (o.high + s.high) * bytes <= UINT32_MAX
                      : s.high < 0 && o.low + s.low >= 0 && o.high * bytes <= UINT32_MAX;
}

static bool match_loop(tri_ranges *ranges, MlirOperation loop, buffer_op *b)
{
    MlirValue offsets = tri_op_operand(b->op, b->offsets), base = tri_op_operand(b->op, b->base);
    intptr_t index = find_carried(loop, offsets);
    if (index < 0 || tri_loops_is_inside(loop, base))
        return false;
    MlirValue carried = mlirBlockGetArgument(tri_op_body(loop, 0), 1 + index);
    MlirValue next = tri_op_operand(tri_loops_yield(loop, 0), index);
    b->is_behind = is_sum(offsets);
    if (!is_sum(next) || (b->is_behind && !mlirValueEqual(offsets, next)))
        return false;
    MlirOperation sum = tri_op_def(next);
    int at = mlirValueEqual(tri_op_operand(sum, 0), carried) ? 0 : 1;
    MlirValue step = tri_op_operand(sum, !at);
    int64_t bytes = tri_type_bits(tri_type_ptr_pointee(mlirValueGetType(base))) / 8;
    if (!mlirValueEqual(tri_op_operand(sum, at), carried) || mlirValueEqual(step, carried) || !is_scalar(step) ||
        tri_type_bits(tri_type_element(mlirValueGetType(step))) != 32 || bytes == 0 ||
        !is_same_address(ranges, carried, step, bytes))
        return false;
    b->carried = index;
    b->step = step;
    return true;
}

/* The number that all elements are, where the step is made. */
static MlirValue common_step(MlirValue step)
{
    int64_t number;
    MlirOperation def = tri_op_def(step);
    while (tri_op_is(def, "tt.splat")) {
        step = tri_op_operand(def, 0);
        def = tri_op_def(step);
        if (mlirOperationIsNull(def) || !tri_type_is_tensor(mlirValueGetType(step)))
            return step;
    }
    tri_builder b = tri_builder_before(def);
    tri_op_const_int(step, &number);
    return tri_builder_int(&b, tri_type_element(mlirValueGetType(step)), number);
}

static void advance_bases(tri_pass_run *run, MlirOperation loop, const buffer_ops *ops)
{
    intptr_t n = (intptr_t)ops->len;
    MlirValue *bases = TRI_NEW_ARRAY(run->arena, MlirValue, n), *next = TRI_NEW_ARRAY(run->arena, MlirValue, n);
    for (intptr_t i = 0; i < n; i++)
        bases[i] = tri_op_operand(ops->at[i].op, ops->at[i].base);
    MlirOperation made = tri_loops_add_iter_args(run->arena, loop, n, bases);
    MlirBlock body = tri_op_body(made, 0);
    MlirOperation yield = tri_loops_yield(made, 0);
    intptr_t from = mlirBlockGetNumArguments(body) - n;
    for (intptr_t i = 0; i < n; i++) {
        const buffer_op *b = &ops->at[i];
        MlirValue now = mlirBlockGetArgument(body, from + i), step = common_step(b->step);
        /* behind what makes the step, where that is of the loop */
        MlirOperation def = tri_op_def(step);
        bool is_made_here = !mlirOperationIsNull(def) && mlirBlockEqual(mlirOperationGetBlock(def), body);
        tri_builder at = !b->is_behind ? tri_builder_before(yield)
                         : is_made_here ? tri_builder_after(def)
                                        : tri_builder_before(mlirBlockGetFirstOperation(body));
        next[i] = tri_builder_binary(&at, "tt.addptr", mlirValueGetType(now), now, step);
        mlirOperationSetOperand(b->op, b->base, b->is_behind ? next[i] : now);
        mlirOperationSetOperand(b->op, b->offsets, tri_op_operand(made, 3 + b->carried));
    }
    tri_loops_append_yield(run->arena, yield, n, next);
}

static bool run_optimize_buffer_op_ptr(tri_pass_run *run)
{
    tri_op_list loops = {0};
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_ranges *ranges = tri_ranges_create(run->arena, module);
    tri_op_collect_named(module, "scf.for", run->arena, &loops);
    TRI_VEC(buffer_ops) found = {0};
    for (size_t i = 0; i < loops.len; i++) {
        tri_op_list ops = {0};
        buffer_ops chosen = {0};
        buffer_op b;
        tri_op_collect(loops.at[i], run->arena, &ops);
        for (size_t k = 0; k < ops.len; k++)
            if (match_operation(ops.at[k], &b) && match_loop(ranges, loops.at[i], &b))
                tri_vec_push(run->arena, &chosen, b);
        tri_vec_push(run->arena, &found, chosen);
    }
    for (size_t i = 0; i < loops.len; i++)
        if (found.at[i].len)
            advance_bases(run, loops.at[i], &found.at[i]);
    return true;
}

const tri_pass tri_pass_optimize_buffer_op_ptr = {
    .name = "optimize-buffer-op-ptr",
    .help = "let bases of buffer operations grow in loops instead of offsets",
    .alias = "tritonamdgpu-optimize-buffer-op-ptr",
    .run = run_optimize_buffer_op_ptr,
};
