/* Makes one loop of a loop in a loop, so that the pipeline does not run dry between two rounds of
 * the inner one (persistent kernels).
 *
 *     scf.for %i = ... {                       scf.for %k = 0 to outer_trips * inner_trips {
 *       prologue(%i)                             %t = %t + 1 == inner_trips ? 0 : %t + 1
 *       scf.for %j = ... { body(%j) }            scf.if %t == 0 { %i += step; prologue(%i); %j = lb }
 *       epilogue(%i)                             body(%j)
 *     } {tt.flatten}                             scf.if %t == inner_trips - 1 { epilogue(%i) }
 *                                              }
 *
 * Needs: an scf.for with tt.flatten that holds exactly one loop, which holds none, with bounds that
 * the outer loop does not change. Where the inner loop might not run at all, the nest is kept
 * beside the fused loop and chosen at run time. Other nests stay as they are. Answers to
 * tritongpu-fuse-nested-loops. Test: tests/passes/fuse-nested-loops.mlir */
#include "passes/passes.h"

#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/loops.h"

#include "mlir-c/BuiltinTypes.h"

typedef TRI_VEC(MlirValue) value_list;

typedef struct {
    value_list from, to;
} mapping;

typedef struct {
    tri_pass_run *run;
    tri_arena *arena;
    MlirOperation outer, inner;
    MlirType type;                  /* of both induction variables */
    tri_op_list prologue, body, epilogue;
    value_list carried;             /* of the prologue, needed behind it */
    intptr_t outer_args, inner_args;
    MlirValue inner_trips;
} nest;

enum { eq = 0, slt = 2 };

static MlirValue binary(nest *n, tri_builder *b, const char *name, MlirValue x, MlirValue y)
{
    return tri_builder_binary(b, name, n->type, x, y);
}

static MlirValue compare(tri_builder *b, int predicate, MlirValue x, MlirValue y)
{
    MlirValue operands[] = {x, y};
    MlirType i1 = mlirIntegerTypeGet(b->context, 1);
    tri_attr attr = {"predicate", tri_attr_i64(b->context, predicate)};
    return tri_builder_value(b, &(tri_op){.name = "arith.cmpi", .num_operands = 2, .operands = operands,
                                          .num_results = 1, .results = &i1, .num_attrs = 1, .attrs = &attr});
}

static MlirValue choose(tri_builder *b, MlirValue condition, MlirValue x, MlirValue y)
{
    MlirValue operands[] = {condition, x, y};
    MlirType type = mlirValueGetType(x);
    return tri_builder_value(b, &(tri_op){.name = "arith.select", .num_operands = 3, .operands = operands,
                                          .num_results = 1, .results = &type});
}

static void map(nest *n, mapping *m, MlirValue from, MlirValue to)
{
    tri_vec_push(n->arena, &m->from, from);
    tri_vec_push(n->arena, &m->to, to);
}

static MlirValue mapped(const mapping *m, MlirValue value)
{
    for (size_t i = m->from.len; i-- > 0;)
        if (mlirValueEqual(m->from.at[i], value))
            return m->to.at[i];
    return value;
}

static void clone_all(nest *n, tri_builder *b, const tri_op_list *ops, mapping *m)
{
    for (size_t i = 0; i < ops->len; i++) {
        MlirOperation clone = tri_op_clone(b, ops->at[i], (intptr_t)m->to.len, m->from.at, m->to.at);
        for (intptr_t r = 0; r < mlirOperationGetNumResults(clone); r++)
            map(n, m, tri_op_result(ops->at[i], r), tri_op_result(clone, r));
    }
}

/* ---- what can be fused ---- */

static bool is_inside(MlirOperation op, MlirOperation outer)
{
    for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
        if (mlirOperationEqual(op, outer))
            return true;
    return false;
}

static bool is_defined_inside(MlirValue value, MlirOperation outer)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(value, &block, &index))
        return is_inside(mlirBlockGetParentOperation(block), outer);
    return is_inside(mlirOperationGetParentOperation(tri_op_def(value)), outer);
}

/* Pure ops of the outer body that do not depend on it leave it: bounds of the inner loop, mostly. */
static void hoist_invariant(MlirOperation outer)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(outer, 0)), next; !mlirOperationIsNull(op); op = next) {
        next = mlirOperationGetNextInBlock(op);
        bool is_free = tri_op_is_pure(op) && !mlirOperationGetNumRegions(op) && !mlirOperationIsNull(next);
        for (intptr_t i = 0; is_free && i < mlirOperationGetNumOperands(op); i++)
            is_free = !is_defined_inside(tri_op_operand(op, i), outer);
        if (is_free)
            mlirOperationMoveBefore(op, outer);
    }
}

static bool holds_loops(nest *n, MlirOperation op)
{
    tri_op_list ops = {0};
    tri_op_collect(op, n->arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        if (tri_op_is(ops.at[i], "scf.for") || tri_op_is(ops.at[i], "scf.while"))
            return true;
    return false;
}

/* Cuts the outer body at its only loop. */
static bool split(nest *n)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(n->outer, 0)); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (tri_op_is(op, "scf.for")) {
            if (!mlirOperationIsNull(n->inner) || holds_loops(n, op))
                return false;
            n->inner = op;
        } else if (tri_op_is(op, "scf.while") || (mlirOperationGetNumRegions(op) && holds_loops(n, op))) {
            return false;
        } else if (!tri_op_is(op, "scf.yield")) {
            tri_vec_push(n->arena, mlirOperationIsNull(n->inner) ? &n->prologue : &n->epilogue, op);
        }
    }
    if (mlirOperationIsNull(n->inner))
        return false;
    MlirOperation yield = tri_loops_yield(n->inner, 0);
    for (MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(n->inner, 0)); !mlirOperationEqual(op, yield);
         op = mlirOperationGetNextInBlock(op))
        tri_vec_push(n->arena, &n->body, op);
    return true;
}

static bool can_fuse(nest *n)
{
    if (!split(n) || tri_op_flag(n->outer, "unsignedCmp") || tri_op_flag(n->inner, "unsignedCmp"))
        return false;
    n->type = mlirValueGetType(tri_op_operand(n->outer, 0));
    if (!mlirTypeIsAInteger(n->type) || !mlirTypeEqual(n->type, mlirValueGetType(tri_op_operand(n->inner, 0))))
        return false;
    for (int i = 0; i < 3; i++)
        if (is_defined_inside(tri_op_operand(n->inner, i), n->outer))
            return false;
    n->outer_args = mlirOperationGetNumResults(n->outer);
    n->inner_args = mlirOperationGetNumResults(n->inner);
    return true;
}

/* Results of the prologue that the body or the epilogue use. False: one cannot be carried. */
static bool find_carried(nest *n)
{
    MlirOperation yield = tri_loops_yield(n->outer, 0);
    for (size_t i = 0; i < n->prologue.len; i++)
        for (intptr_t r = 0; r < mlirOperationGetNumResults(n->prologue.at[i]); r++) {
            MlirValue value = tri_op_result(n->prologue.at[i], r);
            bool is_needed = false;
            for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use) && !is_needed;
                 use = mlirOpOperandGetNextUse(use)) {
                MlirOperation user = mlirOpOperandGetOwner(use);
                is_needed = mlirOperationEqual(user, yield) ||
                            (is_inside(user, n->inner) && !mlirOperationEqual(user, n->inner));
                for (size_t e = 0; e < n->epilogue.len && !is_needed; e++)
                    is_needed = is_inside(user, n->epilogue.at[e]);
            }
            MlirType element = tri_type_element(mlirValueGetType(value));
            if (!is_needed)
                continue;
            if (!tri_type_is_int(element) && !tri_type_is_float(element) && !tri_type_is_ptr(element))
                return false;
            tri_vec_push(n->arena, &n->carried, value);
        }
    return true;
}

/* ---- the fused loop ---- */

/* max(0, ceil((ub - lb) / step)) */
static MlirValue trips_of(nest *n, tri_builder *b, MlirOperation loop)
{
    MlirValue lb = tri_op_operand(loop, 0), ub = tri_op_operand(loop, 1), step = tri_op_operand(loop, 2);
    MlirValue one = tri_builder_int(b, n->type, 1), zero = tri_builder_int(b, n->type, 0);
    MlirValue distance = binary(n, b, "arith.subi", ub, lb);
    MlirValue up = binary(n, b, "arith.addi", distance, binary(n, b, "arith.subi", step, one));
    return choose(b, compare(b, slt, lb, ub), binary(n, b, "arith.divsi", up, step), zero);
}

static MlirOperation make_if(nest *n, tri_builder *b, MlirValue condition, const value_list *like, MlirBlock *out_blocks)
{
    MlirType *types = TRI_NEW_ARRAY(n->arena, MlirType, like->len + 1);
    MlirRegion regions[2];
    for (size_t i = 0; i < like->len; i++)
        types[i] = mlirValueGetType(like->at[i]);
    for (int r = 0; r < 2; r++) {
        regions[r] = mlirRegionCreate();
        out_blocks[r] = mlirBlockCreate(0, NULL, NULL);
        mlirRegionAppendOwnedBlock(regions[r], out_blocks[r]);
    }
    return tri_builder_create(b, &(tri_op){.name = "scf.if", .num_operands = 1, .operands = &condition,
                                           .num_results = (intptr_t)like->len, .results = types,
                                           .num_regions = 2, .regions = regions});
}

static void yield(tri_builder *b, const value_list *values)
{
    tri_builder_create(b, &(tri_op){.name = "scf.yield", .num_operands = (intptr_t)values->len, .operands = values->at});
}

/* State of the fused loop: i, t, j, then the outer loop's values, the inner's, the prologue's. */
enum { at_i, at_t, at_j, at_args };

static value_list initial_state(nest *n, tri_builder *b)
{
    value_list state = {0};
    MlirValue one = tri_builder_int(b, n->type, 1);
    tri_vec_push(n->arena, &state, binary(n, b, "arith.subi", tri_op_operand(n->outer, 0), tri_op_operand(n->outer, 2)));
    tri_vec_push(n->arena, &state, binary(n, b, "arith.subi", n->inner_trips, one));
    tri_vec_push(n->arena, &state, tri_op_operand(n->inner, 0));
    for (intptr_t i = 0; i < n->outer_args; i++)
        tri_vec_push(n->arena, &state, tri_op_operand(n->outer, 3 + i));
    for (intptr_t i = 0; i < n->inner_args + (intptr_t)n->carried.len; i++) {
        MlirType type = i < n->inner_args ? mlirValueGetType(tri_op_result(n->inner, i))
                                          : mlirValueGetType(n->carried.at[i - n->inner_args]);
        tri_vec_push(n->arena, &state,
                     tri_builder_value(b, &(tri_op){.name = "ub.poison", .num_results = 1, .results = &type}));
    }
    return state;
}

/* At the start of a round: the outer variable moves on and the prologue runs. */
static value_list make_prologue(nest *n, tri_builder *b, MlirValue is_first, const value_list *state)
{
    value_list like = {0}, then = {0}, other = {0};
    MlirBlock blocks[2], body = tri_op_body(n->outer, 0);
    for (size_t i = 0; i < state->len; i++)
        if (i != at_t && (i < at_args || i >= at_args + (size_t)n->outer_args))
            tri_vec_push(n->arena, &like, state->at[i]);
    MlirOperation made = make_if(n, b, is_first, &like, blocks);
    tri_builder in = tri_builder_at_end(blocks[0], b->loc);
    mapping m = {0};
    map(n, &m, mlirBlockGetArgument(body, 0), binary(n, &in, "arith.addi", state->at[at_i], tri_op_operand(n->outer, 2)));
    for (intptr_t i = 0; i < n->outer_args; i++)
        map(n, &m, mlirBlockGetArgument(body, 1 + i), state->at[at_args + i]);
    clone_all(n, &in, &n->prologue, &m);
    tri_vec_push(n->arena, &then, m.to.at[0]);
    tri_vec_push(n->arena, &then, tri_op_operand(n->inner, 0));
    for (intptr_t i = 0; i < n->inner_args; i++)
        tri_vec_push(n->arena, &then, mapped(&m, tri_op_operand(n->inner, 3 + i)));
    for (size_t i = 0; i < n->carried.len; i++)
        tri_vec_push(n->arena, &then, mapped(&m, n->carried.at[i]));
    yield(&in, &then);
    in = tri_builder_at_end(blocks[1], b->loc);
    for (size_t i = 0; i < like.len; i++)
        tri_vec_push(n->arena, &other, like.at[i]);
    other.at[1] = binary(n, &in, "arith.addi", state->at[at_j], tri_op_operand(n->inner, 2));
    yield(&in, &other);
    value_list results = {0};
    for (size_t i = 0; i < like.len; i++)
        tri_vec_push(n->arena, &results, tri_op_result(made, (intptr_t)i));
    return results;
}

static value_list make_epilogue(nest *n, tri_builder *b, MlirValue is_last, mapping *m, const value_list *state)
{
    value_list like = {0}, then = {0}, results = {0};
    MlirBlock blocks[2];
    MlirOperation last = tri_loops_yield(n->outer, 0);
    for (intptr_t i = 0; i < n->outer_args; i++)
        tri_vec_push(n->arena, &like, state->at[at_args + i]);
    MlirOperation made = make_if(n, b, is_last, &like, blocks);
    tri_builder in = tri_builder_at_end(blocks[0], b->loc);
    clone_all(n, &in, &n->epilogue, m);
    for (intptr_t i = 0; i < n->outer_args; i++)
        tri_vec_push(n->arena, &then, mapped(m, tri_op_operand(last, i)));
    yield(&in, &then);
    in = tri_builder_at_end(blocks[1], b->loc);
    yield(&in, &like);
    for (intptr_t i = 0; i < n->outer_args; i++)
        tri_vec_push(n->arena, &results, tri_op_result(made, i));
    return results;
}

static void make_body(nest *n, MlirBlock block, MlirLocation loc)
{
    tri_builder b = tri_builder_at_end(block, loc);
    value_list state = {0}, next = {0};
    for (intptr_t i = 1; i < mlirBlockGetNumArguments(block); i++)
        tri_vec_push(n->arena, &state, mlirBlockGetArgument(block, i));
    MlirValue one = tri_builder_int(&b, n->type, 1), zero = tri_builder_int(&b, n->type, 0);
    MlirValue up = binary(n, &b, "arith.addi", state.at[at_t], one);
    MlirValue is_first = compare(&b, eq, up, n->inner_trips), t = choose(&b, is_first, zero, up);
    value_list now = make_prologue(n, &b, is_first, &state); /* i, j, inner values, carried values */
    mapping m = {0};
    map(n, &m, mlirBlockGetArgument(tri_op_body(n->outer, 0), 0), now.at[0]);
    for (intptr_t i = 0; i < n->outer_args; i++)
        map(n, &m, mlirBlockGetArgument(tri_op_body(n->outer, 0), 1 + i), state.at[at_args + i]);
    for (size_t i = 0; i < n->carried.len; i++)
        map(n, &m, n->carried.at[i], now.at[2 + (size_t)n->inner_args + i]);
    map(n, &m, mlirBlockGetArgument(tri_op_body(n->inner, 0), 0), now.at[1]);
    for (intptr_t i = 0; i < n->inner_args; i++)
        map(n, &m, mlirBlockGetArgument(tri_op_body(n->inner, 0), 1 + i), now.at[2 + i]);
    clone_all(n, &b, &n->body, &m);
    MlirOperation inner_yield = tri_loops_yield(n->inner, 0);
    value_list inner_values = {0};
    for (intptr_t i = 0; i < n->inner_args; i++) {
        tri_vec_push(n->arena, &inner_values, mapped(&m, tri_op_operand(inner_yield, i)));
        map(n, &m, tri_op_result(n->inner, i), inner_values.at[i]);
    }
    MlirValue is_last = compare(&b, eq, t, binary(n, &b, "arith.subi", n->inner_trips, one));
    value_list outer_values = make_epilogue(n, &b, is_last, &m, &state);
    tri_vec_push(n->arena, &next, now.at[0]);
    tri_vec_push(n->arena, &next, t);
    tri_vec_push(n->arena, &next, now.at[1]);
    for (size_t i = 0; i < outer_values.len; i++)
        tri_vec_push(n->arena, &next, outer_values.at[i]);
    for (size_t i = 0; i < inner_values.len; i++)
        tri_vec_push(n->arena, &next, inner_values.at[i]);
    for (size_t i = 0; i < n->carried.len; i++)
        tri_vec_push(n->arena, &next, now.at[2 + (size_t)n->inner_args + i]);
    yield(&b, &next);
}

/* The fused loop at the builder; its first results from at_args on are the nest's. */
static MlirOperation make_fused(nest *n, tri_builder *b)
{
    MlirValue zero = tri_builder_int(b, n->type, 0), one = tri_builder_int(b, n->type, 1);
    MlirValue total = binary(n, b, "arith.muli", trips_of(n, b, n->outer), n->inner_trips);
    value_list state = initial_state(n, b), operands = {0};
    const MlirValue bounds[] = {zero, total, one};
    for (int i = 0; i < 3; i++)
        tri_vec_push(n->arena, &operands, bounds[i]);
    MlirType *types = TRI_NEW_ARRAY(n->arena, MlirType, state.len + 1);
    MlirLocation *locs = TRI_NEW_ARRAY(n->arena, MlirLocation, state.len + 1);
    types[0] = n->type;
    locs[0] = b->loc;
    for (size_t i = 0; i < state.len; i++) {
        tri_vec_push(n->arena, &operands, state.at[i]);
        types[1 + i] = mlirValueGetType(state.at[i]);
        locs[1 + i] = b->loc;
    }
    MlirRegion region = mlirRegionCreate();
    MlirBlock block = mlirBlockCreate((intptr_t)state.len + 1, types, locs);
    mlirRegionAppendOwnedBlock(region, block);
    int64_t x = tri_op_int(n->outer, "tt.num_stages", 0), y = tri_op_int(n->inner, "tt.num_stages", 0);
    int64_t stages = x > y ? x : y;
    tri_attr attrs[] = {{"tt.num_stages", stages ? tri_attr_i32(b->context, (int32_t)stages) : (MlirAttribute){NULL}},
                        {"tt.warp_specialize", tri_op_attr(n->outer, "tt.warp_specialize")},
                        {"tt.disallow_acc_multi_buffer", tri_op_attr(n->outer, "tt.disallow_acc_multi_buffer")}};
    MlirOperation loop = tri_builder_create(b, &(tri_op){
        .name = "scf.for", .num_operands = (intptr_t)operands.len, .operands = operands.at,
        .num_results = (intptr_t)state.len, .results = types + 1, .num_attrs = 3, .attrs = attrs,
        .num_regions = 1, .regions = &region,
    });
    make_body(n, block, b->loc);
    return loop;
}

static value_list results_of(nest *n, MlirOperation op, intptr_t from)
{
    value_list results = {0};
    for (intptr_t i = 0; i < n->outer_args; i++)
        tri_vec_push(n->arena, &results, tri_op_result(op, from + i));
    return results;
}

static void fuse(nest *n)
{
    tri_builder b = tri_builder_before(n->outer);
    int64_t lb, ub;
    bool is_sure = tri_op_const_int(tri_op_operand(n->inner, 0), &lb) &&
                   tri_op_const_int(tri_op_operand(n->inner, 1), &ub) && lb < ub;
    n->inner_trips = trips_of(n, &b, n->inner);
    if (is_sure) {
        value_list results = results_of(n, make_fused(n, &b), at_args);
        tri_op_replace(n->outer, n->outer_args, results.at);
        return;
    }
    value_list like = results_of(n, n->outer, 0);
    MlirBlock blocks[2];
    MlirValue runs = compare(&b, slt, tri_builder_int(&b, n->type, 0), n->inner_trips);
    MlirOperation made = make_if(n, &b, runs, &like, blocks);
    tri_builder in = tri_builder_at_end(blocks[0], b.loc);
    value_list results = results_of(n, make_fused(n, &in), at_args);
    yield(&in, &results);
    in = tri_builder_at_end(blocks[1], b.loc);
    results = results_of(n, tri_op_clone(&in, n->outer, 0, NULL, NULL), 0);
    yield(&in, &results);
    results = results_of(n, made, 0);
    tri_op_replace(n->outer, n->outer_args, results.at);
}

static bool run(tri_pass_run *run)
{
    tri_op_list loops = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.for", run->arena, &loops);
    for (size_t i = 0; i < loops.len; i++) {
        nest n = {.run = run, .arena = run->arena, .outer = loops.at[i]};
        if (mlirAttributeIsNull(tri_op_attr(n.outer, "tt.flatten")))
            continue;
        mlirOperationRemoveAttributeByName(n.outer, mlirStringRefCreateFromCString("tt.flatten"));
        hoist_invariant(n.outer);
        if (!can_fuse(&n) || !find_carried(&n))
            continue;
        fuse(&n);
        i++; /* its inner loop is gone */
    }
    return true;
}

const tri_pass tri_pass_fuse_nested_loops = {
    .name = "fuse-nested-loops",
    .help = "make one loop of a flattened nest of two",
    .alias = "tritongpu-fuse-nested-loops",
    .run = run,
};
