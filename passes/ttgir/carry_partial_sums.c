/* Sums of rows that a loop scales and adds to, as attention's do, stay with the threads that have parts of a row until
 * the loop is over: the exchange between lanes leaves the loop.
 *
 *     %t = scf.for ... iter_args(%total = %init) {                %p = scf.for ... iter_args(%parts = ...) {
 *       %r = "tt.reduce"(%x) <{axis = 1}> ({ arith.addf })          %v = %x as tensor<128x4x32xf32>, 4 lanes of a row
 *       %s = arith.mulf %total, %alpha                     ->       %r = "tt.reduce"(%v) <{axis = 2}>
 *       %u = arith.addf %s, %r                                      %s = arith.mulf %parts, %alpha of each row
 *       scf.yield %u                                                %u = arith.addf %s, %r ; scf.yield %u
 *     }                                                           }
 *                                                                 %t = "tt.reduce"(%p) <{axis = 1}>
 *
 * The first lane's part begins with %init. A loop behind another one goes on with its parts. The sums of an iteration
 * are at the end of a chain that nothing else is left to run under (H200, attention: 180 of 2,650 cycles).
 *
 * Needs: ttgir behind all passes that choose layouts, which would give the parts others. Reductions along the last
 * dimension of a matrix product's layout, whose columns are spread over lanes, not over warps. Floating-point sums are
 * added up in another order, as optimize-thread-locality does. Upstream has no such pass.
 * Test: tests/passes/carry-partial-sums.mlir */
#include "passes/passes.h"

#include "ir/analysis/infer.h"
#include "ir/compare.h"
#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loops.h"
#include "passes/ttgir/remove_layout_conversions/layouts.h"

/* A sum that a loop carries. */
typedef struct {
    MlirOperation reduce, add, scale, loop; /* scale: null where it is only added to */
    MlirValue factor;                       /* of scale */
    intptr_t arg;
    int rank;
    int64_t shape[TRI_MAX_RANK];
    int64_t repeats, lanes, run; /* a row = repeats x lanes x run neighbours in a thread */
} carried_sum;

/* What a loop has left: the sum, and the parts that it was made of. */
typedef struct {
    MlirValue total, parts;
} left_sum;

typedef struct {
    tri_pass_run *run;
    TRI_VEC(left_sum) left;
} sums_state;

/* ---- matchers ---- */

/* Bits of a column's number that a basis has: one, or none. -1: it has rows, too, or several. */
static int64_t column_of(const tri_linear *l, tri_dim in, int bit, int axis)
{
    int64_t column = tri_linear_basis_at(l, in, bit, TRI_DIM_0 + (tri_dim)axis);
    for (int d = 0; d < axis; d++)
        if (column && tri_linear_basis_at(l, in, bit, TRI_DIM_0 + (tri_dim)d))
            return -1;
    return column & (column - 1) ? -1 : column;
}

/* Columns next to each other in a thread, then lanes, then registers again; none in warps. */
static bool find_runs(tri_arena *arena, carried_sum *s)
{
    tri_linear l;
    int axis = s->rank - 1;
    int64_t lanes = 0, registers = 0;
    if (!tri_dots_linear(arena, mlirValueGetType(tri_op_operand(s->reduce, 0)), &l))
        return false;
    for (int in = 0; in < 3; in++) {
        tri_dim dim = in == 0 ? TRI_DIM_REGISTER : in == 1 ? TRI_DIM_LANE : TRI_DIM_WARP;
        for (int bit = 0; bit < tri_linear_in_bits(&l, dim); bit++) {
            int64_t column = column_of(&l, dim, bit, axis);
            if (column < 0 || (column && (dim == TRI_DIM_WARP || ((lanes | registers) & column))))
                return false;
            *(dim == TRI_DIM_LANE ? &lanes : &registers) |= column;
        }
    }
    s->run = lanes & -lanes;
    s->lanes = lanes / (s->run ? s->run : 1) + 1;
    s->repeats = lanes ? s->shape[axis] / (s->run * s->lanes) : 0;
    return lanes && !(s->lanes & (s->lanes - 1)) && (lanes | registers) == s->shape[axis] - 1;
}

static bool is_sum(MlirOperation reduce)
{
    MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(reduce, 0)), end = mlirOperationGetNextInBlock(op);
    return mlirOperationGetNumOperands(reduce) == 1 && tri_op_is(op, "arith.addf") && !mlirOperationIsNull(end) &&
           tri_op_is(end, "tt.reduce.return");
}

/* Whether the value is what a loop carries, and used once. */
static bool is_carried(MlirBlock body, MlirValue value, intptr_t *out_arg)
{
    MlirBlock block;
    intptr_t index;
    bool is_argument = tri_op_is_block_argument(value, &block, &index) && mlirBlockEqual(block, body) && index > 0;
    *out_arg = is_argument ? index - 1 : -1;
    return is_argument && tri_dots_has_one_use(value);
}

/* The other operand of the sum: what is carried, or that times something. */
static bool match_scaled(carried_sum *s, MlirBlock body, MlirValue value)
{
    if (is_carried(body, value, &s->arg))
        return true;
    MlirOperation scale = tri_op_def(value);
    if (mlirOperationIsNull(scale) || !tri_op_is(scale, "arith.mulf") || !tri_dots_has_one_use(value) ||
        !mlirBlockEqual(mlirOperationGetBlock(scale), body))
        return false;
    for (intptr_t i = 0; i < 2; i++)
        if (is_carried(body, tri_op_operand(scale, i), &s->arg)) {
            s->scale = scale;
            s->factor = tri_op_operand(scale, 1 - i);
            return true;
        }
    return false;
}

static bool match_sum(tri_arena *arena, MlirOperation reduce, carried_sum *s)
{
    *s = (carried_sum){.reduce = reduce};
    MlirOperation add = tri_dots_only_user(tri_op_result(reduce, 0));
    const tri_encoding *e = tri_dots_encoding(arena, tri_op_operand(reduce, 0));
    if (!is_sum(reduce) || mlirOperationIsNull(add) || !tri_op_is(add, "arith.addf") || !e ||
        e->kind != TRI_ENC_NVIDIA_MMA)
        return false;
    s->add = add;
    s->loop = mlirOperationGetParentOperation(add);
    s->rank = tri_dots_shape(mlirValueGetType(tri_op_operand(reduce, 0)), s->shape);
    MlirOperation yield = tri_dots_only_user(tri_op_result(add, 0));
    MlirBlock body = mlirOperationGetBlock(add);
    bool is_first = mlirValueEqual(tri_op_operand(add, 0), tri_op_result(reduce, 0));
    return tri_op_is(s->loop, "scf.for") && !mlirOperationIsNull(yield) && tri_op_is(yield, "scf.yield") &&
           mlirBlockEqual(mlirOperationGetBlock(reduce), body) && mlirBlockEqual(mlirOperationGetBlock(yield), body) &&
           s->rank == (int)tri_op_int(reduce, "axis", 0) + 1 && s->rank + 2 <= TRI_MAX_RANK &&
           match_scaled(s, body, tri_op_operand(add, is_first)) &&
           mlirValueEqual(tri_op_operand(yield, s->arg), tri_op_result(add, 0)) && find_runs(arena, s);
}

/* ---- rewriters ---- */

/* tensor<..., N> -> tensor<..., lanes, repeats * run>: each thread's elements in the last dimension. */
static MlirValue split_row(tri_arena *arena, tri_builder *b, const carried_sum *s, MlirValue x)
{
    int64_t shape[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK];
    int axis = s->rank - 1;
    for (int d = 0; d < axis; d++) {
        shape[d] = s->shape[d];
        order[d] = d;
    }
    for (int d = 0; d < 3; d++) {
        shape[axis + d] = d == 0 ? s->repeats : d == 1 ? s->lanes : s->run;
        order[axis + d] = axis + (d == 2 ? 2 : 1 - d);
    }
    x = tri_layouts_view(arena, b, "tt.reshape", x, axis + 3, shape, NULL);
    shape[axis] = s->lanes;
    shape[axis + 1] = s->repeats;
    tri_attr attr = {"order", tri_attr_i32s(b->context, axis + 3, order)};
    x = tri_layouts_view(arena, b, "tt.trans", x, axis + 3, shape, &attr);
    shape[axis + 1] = s->repeats * s->run;
    return tri_layouts_view(arena, b, "tt.reshape", x, axis + 2, shape, NULL);
}

/* The same reduction of another tensor, along its last dimension. */
static MlirValue sum_last(tri_arena *arena, tri_builder *b, const carried_sum *s, MlirValue x)
{
    MlirValue from = tri_op_operand(s->reduce, 0);
    MlirType type = mlirValueGetType(x);
    int64_t shape[TRI_MAX_RANK];
    int axis = tri_dots_shape(type, shape) - 1;
    MlirOperation made = tri_op_clone(b, s->reduce, 1, &from, &x);
    tri_builder_set_attr(made, "axis", tri_attr_i32(b->context, axis));
    MlirAttribute slice = tri_infer_slice(arena, tri_type_encoding(type), axis);
    tri_op_set_type(tri_op_result(made, 0), tri_type_tensor(axis, shape, tri_type_element(type), slice));
    return tri_op_result(made, 0);
}

/* A number of each row, for each of the row's lanes. */
static MlirValue spread(tri_arena *arena, tri_builder *b, MlirValue x, MlirType parts)
{
    int64_t shape[TRI_MAX_RANK];
    int axis = tri_dots_shape(parts, shape) - 1;
    MlirAttribute encoding = tri_type_encoding(parts);
    x = tri_dots_convert(b, x, tri_infer_slice(arena, encoding, axis));
    shape[axis] = 1;
    MlirType column = tri_type_tensor(axis + 1, shape, tri_type_element(parts), encoding);
    tri_attr attr = {"axis", tri_attr_i32(b->context, axis)};
    x = tri_builder_value(b, &(tri_op){.name = "tt.expand_dims", .num_operands = 1, .operands = &x, .num_results = 1,
                                       .results = &column, .num_attrs = 1, .attrs = &attr});
    return tri_builder_unary(b, "tt.broadcast", parts, x);
}

/* 1 for the first lane of each row. */
static MlirValue is_first_lane(tri_arena *arena, tri_builder *b, MlirType parts)
{
    int64_t shape[TRI_MAX_RANK];
    int rank = tri_dots_shape(parts, shape);
    MlirType i32 = mlirIntegerTypeGet(b->context, 32);
    MlirAttribute encoding = tri_type_encoding(parts);
    for (int d = rank - 1; d-- > 0;)
        encoding = tri_infer_slice(arena, encoding, d);
    MlirType line = tri_type_tensor(1, &shape[rank - 1], i32, encoding);
    tri_attr ends[] = {{"start", tri_attr_i32(b->context, 0)},
                       {"end", tri_attr_i32(b->context, (int32_t)shape[rank - 1])}};
    MlirValue lane = tri_builder_value(b, &(tri_op){.name = "tt.make_range", .num_results = 1, .results = &line,
                                                    .num_attrs = 2, .attrs = ends});
    MlirValue x = tri_compare_make(b, TRI_CMP_EQ, lane, tri_builder_int(b, line, 0));
    for (int d = 0; d < rank - 1; d++) { /* dimensions of one element in front */
        int64_t wide[TRI_MAX_RANK];
        MlirAttribute of = tri_type_encoding(parts);
        for (int k = rank - 1; k-- > d + 1;)
            of = tri_infer_slice(arena, of, k);
        for (int k = 0; k <= d; k++)
            wide[k] = 1;
        wide[d + 1] = shape[rank - 1];
        MlirType type = tri_type_tensor(d + 2, wide, mlirIntegerTypeGet(b->context, 1), of);
        tri_attr axis = {"axis", tri_attr_i32(b->context, d)};
        x = tri_builder_value(b, &(tri_op){.name = "tt.expand_dims", .num_operands = 1, .operands = &x,
                                           .num_results = 1, .results = &type, .num_attrs = 1, .attrs = &axis});
    }
    MlirType all = tri_type_tensor(rank, shape, mlirIntegerTypeGet(b->context, 1), tri_type_encoding(parts));
    return tri_builder_unary(b, "tt.broadcast", all, x);
}

static bool is_zero_sum(MlirValue value)
{
    double constant;
    return tri_op_const_float(value, &constant) && constant == 0;
}

/* The parts of a sum of rows: zeros, or the sum in each row's first lane. */
static MlirValue parts_of(tri_arena *arena, tri_builder *b, MlirValue sum, MlirType parts)
{
    MlirValue zero = tri_builder_float(b, parts, 0);
    if (is_zero_sum(sum))
        return zero;
    MlirValue operands[] = {is_first_lane(arena, b, parts), spread(arena, b, sum, parts), zero};
    return tri_builder_value(b, &(tri_op){.name = "arith.select", .num_operands = 3, .operands = operands,
                                          .num_results = 1, .results = &parts});
}

/* Which operand of an addition is a sum of rows of the same kind, which nobody else wants; -1: none. */
static intptr_t find_sum(const carried_sum *s, MlirOperation add)
{
    bool is_add = !mlirOperationIsNull(add) && tri_op_is(add, "arith.addf");
    for (intptr_t i = 0; i < 2 && is_add; i++) {
        MlirOperation def = tri_op_def(tri_op_operand(add, i));
        if (!mlirOperationIsNull(def) && tri_op_is(def, "tt.reduce") && is_sum(def) &&
            tri_dots_has_one_use(tri_op_operand(add, i)) && tri_op_int(def, "axis", 0) == s->rank - 1 &&
            mlirTypeEqual(mlirValueGetType(tri_op_operand(def, 0)), mlirValueGetType(tri_op_operand(s->reduce, 0))))
            return i;
    }
    return -1;
}

/* What the parts begin with: those of the loop in front, or of what is added up there. */
static MlirValue first_parts(sums_state *state, const carried_sum *s, MlirType parts)
{
    tri_arena *arena = state->run->arena;
    MlirValue init = tri_op_operand(s->loop, 3 + s->arg);
    tri_builder b = tri_builder_before(s->loop);
    for (size_t i = 0; i < state->left.len; i++)
        if (mlirValueEqual(state->left.at[i].total, init) &&
            mlirTypeEqual(mlirValueGetType(state->left.at[i].parts), parts))
            return state->left.at[i].parts;
    MlirOperation add = tri_op_def(init);
    intptr_t sum = find_sum(s, add);
    if (sum < 0)
        return parts_of(arena, &b, init, parts);
    MlirValue row = tri_op_operand(tri_op_def(tri_op_operand(add, sum)), 0);
    MlirValue part = sum_last(arena, &b, s, split_row(arena, &b, s, row));
    return tri_builder_binary(&b, "arith.addf", parts, parts_of(arena, &b, tri_op_operand(add, 1 - sum), parts), part);
}

/* Erases what made a sum that nobody uses. */
static void drop_unused(MlirValue total)
{
    while (mlirOpOperandIsNull(mlirValueGetFirstUse(total))) {
        MlirOperation def = tri_op_def(total);
        bool is_last = tri_op_is(def, "tt.reduce");
        total = tri_op_operand(def, 0);
        mlirOperationDestroy(def);
        if (is_last)
            break;
    }
}

static MlirValue add_part(tri_pass_run *run, tri_builder *b, const carried_sum *s, MlirValue carried, MlirValue part)
{
    MlirType type = mlirValueGetType(part);
    if (!mlirOperationIsNull(s->scale)) {
        MlirValue factor = spread(run->arena, b, s->factor, type);
        carried = tri_builder_binary(b, "arith.mulf", type, carried, factor);
    }
    return tri_builder_binary(b, "arith.addf", type, carried, part);
}

static void carry_parts(sums_state *state, carried_sum *s)
{
    tri_arena *arena = state->run->arena;
    tri_builder b = tri_builder_before(s->add);
    MlirValue part = sum_last(arena, &b, s, split_row(arena, &b, s, tri_op_operand(s->reduce, 0)));
    MlirType parts = mlirValueGetType(part), whole = mlirValueGetType(tri_op_result(s->add, 0));
    MlirValue old = tri_op_operand(s->loop, 3 + s->arg), first = first_parts(state, s, parts);
    tri_builder before = tri_builder_before(s->loop);
    mlirOperationSetOperand(s->loop, 3 + s->arg, tri_builder_float(&before, whole, 0)); /* it only passes through */
    s->loop = tri_loops_add_iter_args(arena, s->loop, 1, &first);
    MlirBlock body = tri_op_body(s->loop, 0);
    MlirValue sum = add_part(state->run, &b, s, mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - 1), part);
    MlirOperation yield = tri_loops_yield(s->loop, 0);
    tri_loops_append_yield(arena, yield, 1, &sum);
    mlirOperationSetOperand(yield, s->arg, mlirBlockGetArgument(body, 1 + s->arg));
    tri_builder after = tri_builder_after(s->loop);
    left_sum left = {.parts = tri_op_result(s->loop, mlirOperationGetNumResults(s->loop) - 1)};
    left.total = tri_dots_convert(&after, sum_last(arena, &after, s, left.parts), tri_type_encoding(whole));
    mlirValueReplaceAllUsesOfWith(tri_op_result(s->loop, s->arg), left.total);
    tri_vec_push(arena, &state->left, left);
    mlirOperationDestroy(s->add);
    if (!mlirOperationIsNull(s->scale))
        mlirOperationDestroy(s->scale);
    mlirOperationDestroy(s->reduce);
    for (size_t i = 0; i < state->left.len; i++)
        if (mlirValueEqual(state->left.at[i].total, old)) {
            drop_unused(old);
            state->left.at[i].total = (MlirValue){NULL};
        }
}

static bool run_carry_partial_sums(tri_pass_run *run)
{
    sums_state state = {.run = run};
    tri_op_list reduces = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.reduce", run->arena, &reduces);
    for (size_t i = 0; i < reduces.len; i++) {
        carried_sum s;
        if (match_sum(run->arena, reduces.at[i], &s))
            carry_parts(&state, &s);
    }
    return true;
}

const tri_pass tri_pass_carry_partial_sums = {
    .name = "carry-partial-sums",
    .help = "keep the parts of rows that loops sum up inside threads",
    .run = run_carry_partial_sums,
};
