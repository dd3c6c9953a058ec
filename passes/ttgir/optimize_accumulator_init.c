/* Products of warp groups start at zero by a flag, where a loop would write zeros over sums that are under way.
 *
 *     scf.for ... iter_args(%acc = 0) {                       scf.for ... iter_args(%acc = 0, %use = false) {
 *       %d = ttng.warp_group_dot %a, %b, %acc                   %d = ttng.warp_group_dot %a, %b, %acc, %use
 *       %n = arith.select %last, 0, %d                          %next = arith.select %last, false, true
 *       scf.yield %n                                            scf.yield %d, %next
 *     }                                                       }
 *
 * Needs: ttgir, after accelerate-matmul. The zeros may come of a select or of a conditional, behind the product or in
 * front of it, and be the loop's first value. What a loop gives back is chosen behind it where somebody wants it. With
 * conditional=1 only loops that choose zeros are changed: a first value that is zero costs nothing but its registers.
 * Products of 8-bit floats whose sums are promoted on the way have no such flag. Answers to
 * tritongpu-optimize-accumulator-init. Test: tests/passes/optimize-accumulator-init.mlir */
#include "passes/passes.h"

#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loops.h"

/* Where a loop chooses zeros: result `result` of `op`, a select or a conditional. */
typedef struct {
    MlirOperation op; /* null: nowhere */
    intptr_t result;
    MlirValue other;      /* what it chooses else */
    bool is_zero_if_true; /* the condition stands for zeros */
} zeroing;

typedef struct {
    tri_arena *arena;
    MlirOperation dot, loop;
    MlirBlock body;
    MlirValue yes, no;   /* constants in front of the loop */
    intptr_t arg;        /* the loop argument that the product adds to; -1: none */
    bool starts_at_zero; /* that argument's first value */
    zeroing zeros;
} accumulator;

static bool is_zero(MlirValue value)
{
    int64_t i;
    double f;
    return (tri_op_const_int(value, &i) && i == 0) || (tri_op_const_float(value, &f) && f == 0);
}

/* ---- what is there ---- */

/* Sums of 8-bit floats that are promoted while the product runs would have to be cleared by a select again. */
static bool is_promoted(MlirOperation dot)
{
    MlirType a = mlirValueGetType(tri_op_operand(dot, 0)),
             sums = tri_type_element(mlirValueGetType(tri_op_result(dot, 0)));
    tri_memdesc buffer;
    bool is_buffer = tri_type_get_memdesc(a, &buffer);
    MlirType element = is_buffer ? buffer.element : tri_type_element(a);
    int64_t depth = is_buffer ? buffer.shape[buffer.rank - 1] : tri_type_dim(a, tri_type_rank(a) - 1);
    return tri_type_bits(element) == 8 && !mlirTypeIsAInteger(element) && mlirTypeIsAF32(sums) &&
           tri_op_int(dot, "maxNumImpreciseAcc", 0) < depth;
}

static bool find_select(MlirOperation op, zeroing *out)
{
    MlirValue sides[2] = {tri_op_operand(op, 1), tri_op_operand(op, 2)};
    bool is_first = is_zero(sides[0]);
    if (tri_type_is_tensor(mlirValueGetType(tri_op_operand(op, 0))) || (!is_first && !is_zero(sides[1])))
        return false;
    *out = (zeroing){op, 0, sides[is_first], is_first};
    return true;
}

static bool stands_in(MlirValue value, MlirOperation conditional)
{
    MlirOperation def = tri_op_def(value);
    return !mlirOperationIsNull(def) && mlirOperationEqual(mlirOperationGetParentOperation(def), conditional);
}

static bool find_conditional(MlirOperation op, intptr_t result, zeroing *out)
{
    MlirValue sides[2];
    for (int i = 0; i < 2; i++)
        sides[i] = tri_op_operand(tri_loops_yield(op, i), result);
    bool is_first = is_zero(sides[0]);
    if ((!is_first && !is_zero(sides[1])) || stands_in(sides[is_first], op))
        return false;
    *out = (zeroing){op, result, sides[is_first], is_first};
    return true;
}

static bool find_zeroing(accumulator *a, MlirValue value, zeroing *out)
{
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), a->body) || !tri_dots_has_one_use(value))
        return false;
    if (tri_op_is(op, "arith.select"))
        return find_select(op, out);
    return tri_op_is(op, "scf.if") && find_conditional(op, mlirOpResultGetResultNumber(value), out);
}

/* Whether zeros come into the sums, by the loop's first value or in an iteration. Others that read sums between the
 * choice and the product would see them without zeros: they are none. */
static bool find(accumulator *a)
{
    MlirValue sums = tri_op_operand(a->dot, 2);
    MlirBlock block;
    intptr_t index;
    a->arg = -1;
    if (!tri_op_is_block_argument(sums, &block, &index))
        return find_zeroing(a, sums, &a->zeros);
    if (!mlirBlockEqual(block, a->body))
        return false;
    a->arg = index - 1;
    a->starts_at_zero = is_zero(tri_op_operand(a->loop, 3 + a->arg));
    MlirValue next = tri_op_operand(mlirBlockGetTerminator(a->body), a->arg);
    if (tri_dots_has_one_use(sums))
        find_zeroing(a, next, &a->zeros);
    return a->starts_at_zero || a->zeros.op.ptr;
}

/* ---- the flag ---- */

static void set_flag(MlirOperation dot, MlirValue flag)
{
    MlirValue operands[4] = {tri_op_operand(dot, 0), tri_op_operand(dot, 1), tri_op_operand(dot, 2), flag};
    mlirOperationSetOperands(dot, 4, operands);
}

static void drop_zeros(zeroing *z)
{
    if (tri_op_is(z->op, "arith.select")) {
        tri_op_replace(z->op, 1, &z->other);
        return;
    }
    mlirOperationSetOperand(tri_loops_yield(z->op, z->is_zero_if_true ? 0 : 1), z->result, z->other);
}

/* Zeros of the last iteration, or none to begin with, for whoever reads the sums behind the loop. */
static void choose_behind(accumulator *a)
{
    MlirValue result = tri_op_result(a->loop, a->arg);
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(result)))
        return;
    MlirType type = mlirValueGetType(result);
    tri_builder b = tri_builder_after(a->loop);
    bool is_integer = mlirTypeIsAInteger(tri_type_element(type));
    MlirValue zero = is_integer ? tri_builder_int(&b, type, 0) : tri_builder_float(&b, type, 0);
    MlirValue flag = tri_op_result(a->loop, mlirOperationGetNumResults(a->loop) - 1);
    MlirValue operands[3] = {flag, result, zero};
    tri_op select = {
        .name = "arith.select", .num_operands = 3, .operands = operands, .num_results = 1, .results = &type};
    MlirOperation chosen = tri_builder_create(&b, &select);
    mlirValueReplaceAllUsesExcept(result, tri_op_result(chosen, 0), 1, &chosen);
}

/* The flag of the product that adds to what is chosen; `before` where that are no zeros. */
static MlirValue select_flag(accumulator *a, MlirValue before)
{
    tri_builder b = tri_builder_before(a->zeros.op);
    MlirType type = mlirValueGetType(a->yes);
    MlirValue condition = tri_op_operand(a->zeros.op, 0);
    if (!a->zeros.is_zero_if_true && mlirValueEqual(before, a->yes))
        return condition;
    MlirValue operands[3] = {condition, a->zeros.is_zero_if_true ? a->no : before,
                             a->zeros.is_zero_if_true ? before : a->no};
    tri_op select = {
        .name = "arith.select", .num_operands = 3, .operands = operands, .num_results = 1, .results = &type};
    return tri_builder_value(&b, &select);
}

static void carry_flag(accumulator *a)
{
    MlirValue first = a->starts_at_zero ? a->no : a->yes, next = a->yes;
    a->loop = tri_loops_add_iter_args(a->arena, a->loop, 1, &first);
    a->body = tri_op_body(a->loop, 0);
    MlirValue flag = mlirBlockGetArgument(a->body, mlirBlockGetNumArguments(a->body) - 1);
    bool is_behind = a->zeros.op.ptr && a->arg >= 0; /* what the next iteration adds to */
    if (a->zeros.op.ptr) {
        MlirValue chosen = select_flag(a, is_behind ? a->yes : flag);
        next = is_behind ? chosen : next;
        set_flag(a->dot, is_behind ? flag : chosen);
        drop_zeros(&a->zeros);
    } else {
        set_flag(a->dot, flag);
    }
    tri_loops_append_yield(a->arena, mlirBlockGetTerminator(a->body), 1, &next);
    if (is_behind)
        choose_behind(a);
}

static void visit(tri_pass_run *run, MlirOperation dot)
{
    accumulator a = {.arena = run->arena, .dot = dot, .loop = mlirOperationGetParentOperation(dot)};
    bool conditional = tri_passes_option_int(run, "conditional", 0) != 0;
    if (!tri_op_is(a.loop, "scf.for") || mlirOperationGetNumOperands(dot) > 3 || is_promoted(dot))
        return;
    a.body = tri_op_body(a.loop, 0);
    bool is_constant = is_zero(tri_op_operand(dot, 2)), is_found = !is_constant && find(&a);
    if (conditional ? !is_found || !a.zeros.op.ptr : !is_found && !is_constant)
        return;
    tri_builder b = tri_builder_before(a.loop);
    MlirType flag = mlirIntegerTypeGet(b.context, 1);
    a.no = tri_builder_int(&b, flag, 0);
    if (is_constant) {
        set_flag(dot, a.no);
        return;
    }
    a.yes = tri_builder_int(&b, flag, 1);
    carry_flag(&a);
}

static bool run_optimize_accumulator_init(tri_pass_run *run)
{
    tri_op_list dots = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "ttng.warp_group_dot", run->arena, &dots);
    for (size_t i = 0; i < dots.len; i++)
        visit(run, dots.at[i]);
    return true;
}

static const char *const options[] = {
    "conditional=N: 1 leaves loops whose sums only begin at zero as they are (0)", NULL};

const tri_pass tri_pass_optimize_accumulator_init = {
    .name = "optimize-accumulator-init",
    .help = "let products of warp groups start at zero by a flag instead of by zeros in their sums",
    .alias = "tritongpu-optimize-accumulator-init",
    .options = options,
    .run = run_optimize_accumulator_init,
};
