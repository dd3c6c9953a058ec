#include "passes/ttgir/fuse_nested_loops/fused_loop.h"

#include "ir/compare.h"
#include "ir/type.h"
#include "passes/analysis/loops.h"

typedef TRI_VEC(MlirValue) value_list;

/* What a cloned value becomes; the newest pair counts. */
typedef struct {
    value_list from, to;
} mapping;

/* The ops between two inner loops, and those of their results that later ops use. */
typedef struct {
    tri_op_list ops;
    value_list outs;
} stretch;

typedef struct {
    tri_arena *arena;
    MlirOperation outer;
    size_t n;
    const tri_fused_loop_inner *inners;
    stretch *stretches;  /* n + 1 of them */
    MlirType type;       /* of T and of all lengths */
    bool has_variants;
    value_list lens;     /* of the inner loops; of variant ones inside of the loop only */
    MlirValue round_len; /* trips of a round; without the variant loops in front of the loop */
    mapping map;
    value_list state, next; /* the fused loop's arguments behind its own variable, and what it yields */
    MlirValue t, i;
    value_list resets; /* see is_hoisted: indices into `next` go along in `reset_at` */
    TRI_VEC(size_t) reset_at;
} fusion;


static void push(fusion *f, value_list *list, MlirValue value) { tri_vec_push(f->arena, list, value); }

static void map(fusion *f, MlirValue from, MlirValue to)
{
    push(f, &f->map.from, from);
    push(f, &f->map.to, to);
}

static void forget(fusion *f, size_t len) { f->map.from.len = f->map.to.len = len; }

static MlirValue mapped(const fusion *f, MlirValue value)
{
    for (size_t i = f->map.from.len; i-- > 0;)
        if (mlirValueEqual(f->map.from.at[i], value))
            return f->map.to.at[i];
    return value;
}

static void clone_one(fusion *f, tri_builder *b, MlirOperation op)
{
    MlirOperation made = tri_op_clone(b, op, (intptr_t)f->map.to.len, f->map.from.at, f->map.to.at);
    for (intptr_t r = 0; r < mlirOperationGetNumResults(made); r++)
        map(f, tri_op_result(op, r), tri_op_result(made, r));
}

static void clone_all(fusion *f, tri_builder *b, const tri_op_list *ops)
{
    for (size_t i = 0; i < ops->len; i++)
        clone_one(f, b, ops->at[i]);
}

/* ---- small builders ---- */

static MlirValue number(fusion *f, tri_builder *b, int64_t value) { return tri_builder_int(b, f->type, value); }

static MlirValue binary(tri_builder *b, const char *name, MlirValue x, MlirValue y)
{
    return tri_builder_binary(b, name, mlirValueGetType(x), x, y);
}

static MlirValue choose_fused_loop(tri_builder *b, MlirValue condition, MlirValue x, MlirValue y)
{
    MlirValue operands[] = {condition, x, y};
    MlirType type = mlirValueGetType(x);
    return tri_builder_value(b, &(tri_op){.name = "arith.select", .num_operands = 3, .operands = operands,
                                          .num_results = 1, .results = &type});
}

static void yield(tri_builder *b, const value_list *values)
{
    tri_builder_create(b,
                       &(tri_op){.name = "scf.yield", .num_operands = (intptr_t)values->len, .operands = values->at});
}

/* A conditional whose results are like the values that its second region yields; the first region
 * is filled (and its yield made) by the caller before. */
typedef struct {
    MlirBlock then;
    MlirBlock other;
} branches;

static branches start_if(void)
{
    return (branches){mlirBlockCreate(0, NULL, NULL), mlirBlockCreate(0, NULL, NULL)};
}

static MlirOperation finish_if(fusion *f, tri_builder *b, MlirValue condition, branches at, const value_list *then,
                               const value_list *other)
{
    MlirRegion regions[2];
    MlirBlock blocks[] = {at.then, at.other};
    const value_list *lists[] = {then, other};
    MlirType *types = TRI_NEW_ARRAY(f->arena, MlirType, other->len + 1);
    for (size_t i = 0; i < other->len; i++)
        types[i] = mlirValueGetType(other->at[i]);
    for (int r = 0; r < 2; r++) {
        tri_builder in = tri_builder_at_end(blocks[r], b->loc);
        yield(&in, lists[r]);
        regions[r] = mlirRegionCreate();
        mlirRegionAppendOwnedBlock(regions[r], blocks[r]);
    }
    return tri_builder_create(b, &(tri_op){.name = "scf.if", .num_operands = 1, .operands = &condition,
                                           .num_results = (intptr_t)other->len, .results = types,
                                           .num_regions = 2, .regions = regions});
}

/* ---- what there is ---- */

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

static bool is_in_list(const tri_op_list *ops, MlirOperation op)
{
    for (size_t i = 0; i < ops->len; i++)
        if (is_inside(op, ops->at[i]))
            return true;
    return false;
}

static void find_outs(fusion *f, stretch *s)
{
    for (size_t i = 0; i < s->ops.len; i++)
        for (intptr_t r = 0; r < mlirOperationGetNumResults(s->ops.at[i]); r++) {
            MlirValue value = tri_op_result(s->ops.at[i], r);
            bool is_needed = false;
            for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use) && !is_needed;
                 use = mlirOpOperandGetNextUse(use))
                is_needed = !is_in_list(&s->ops, mlirOpOperandGetOwner(use));
            if (is_needed)
                push(f, &s->outs, value);
        }
}

/* Cuts the outer body at its inner loops. */
static void cut(fusion *f)
{
    size_t at = 0;
    MlirOperation last = tri_loops_yield(f->outer, 0);
    f->stretches = TRI_NEW_ARRAY(f->arena, stretch, f->n + 1);
    for (MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(f->outer, 0)); !mlirOperationEqual(op, last);
         op = mlirOperationGetNextInBlock(op)) {
        if (at < f->n && mlirOperationEqual(op, f->inners[at].loop))
            at++;
        else
            tri_vec_push(f->arena, &f->stretches[at].ops, op);
    }
    for (at = 0; at <= f->n; at++)
        find_outs(f, &f->stretches[at]);
}

static bool can_carry(MlirType type)
{
    MlirType element = tri_type_element(type);
    return tri_type_is_int(element) || tri_type_is_float(element) || tri_type_is_ptr(element) ||
           mlirTypeIsAIndex(element);
}

bool tri_fused_loop_can_make(tri_arena *arena, MlirOperation outer, size_t n, const tri_fused_loop_inner *inners)
{
    fusion f = {.arena = arena, .outer = outer, .n = n, .inners = inners};
    cut(&f);
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < f.stretches[k].outs.len; i++)
            if (!can_carry(mlirValueGetType(f.stretches[k].outs.at[i])))
                return false;
        for (intptr_t i = 0; i < mlirOperationGetNumResults(inners[k].loop); i++)
            if (!can_carry(mlirValueGetType(tri_op_result(inners[k].loop, i))))
                return false;
    }
    return true;
}

/* A start value that nobody reads: a zero, which costs assemblers less than nothing defined; but
 * not for tensors of offsets, which would lose what is known of their neighbours in joining zeros. */
static MlirValue anything(tri_builder *b, MlirType type)
{
    MlirType element = tri_type_element(type);
    if (tri_type_is_int(type) || mlirTypeIsAIndex(type))
        return tri_builder_int(b, type, 0);
    if (tri_type_is_float(element))
        return tri_builder_float(b, type, 0);
    return tri_builder_value(b, &(tri_op){.name = "ub.poison", .num_results = 1, .results = &type});
}

/* ---- lengths ---- */

static int width_of(MlirType type) { return mlirTypeIsAIndex(type) ? 64 : (int)mlirIntegerTypeGetWidth(type); }

static MlirValue widen(fusion *f, tri_builder *b, MlirValue value)
{
    MlirType type = mlirValueGetType(value);
    if (mlirTypeEqual(type, f->type))
        return value;
    return tri_builder_unary(b, mlirTypeIsAIndex(type) ? "arith.index_cast" : "arith.extsi", f->type, value);
}

/* ceil((ub - lb) / step), which is not above zero for a loop that does not run. */
static MlirValue length(fusion *f, tri_builder *b, MlirOperation loop)
{
    MlirValue lb = mapped(f, tri_op_operand(loop, 0)), ub = mapped(f, tri_op_operand(loop, 1));
    return binary(b, "arith.ceildivsi", binary(b, "arith.subi", ub, lb), mapped(f, tri_op_operand(loop, 2)));
}

static MlirValue at_least_one(fusion *f, tri_builder *b, MlirValue len)
{
    return binary(b, "arith.maxsi", number(f, b, 1), len);
}

static void choose_type(fusion *f, MlirContext context)
{
    int width = width_of(mlirValueGetType(tri_op_operand(f->outer, 0)));
    for (size_t k = 0; k < f->n; k++) {
        int w = width_of(mlirValueGetType(tri_op_operand(f->inners[k].loop, 0)));
        width = w > width ? w : width;
        f->has_variants |= f->inners[k].is_variant;
    }
    f->type = mlirIntegerTypeGet(context, (unsigned)width);
}

/* Adds the lengths of the variant loops of each round to `total`, in a loop of its own. */
static MlirValue add_variants(fusion *f, tri_builder *b, MlirValue total)
{
    MlirValue operands[] = {tri_op_operand(f->outer, 0), tri_op_operand(f->outer, 1), tri_op_operand(f->outer, 2),
                            total};
    MlirType types[] = {mlirValueGetType(operands[0]), f->type};
    MlirLocation locs[] = {b->loc, b->loc};
    MlirBlock block = mlirBlockCreate(2, types, locs);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, block);
    MlirOperation loop = tri_builder_create(b, &(tri_op){.name = "scf.for", .num_operands = 4, .operands = operands,
                                                         .num_results = 1, .results = &types[1],
                                                         .num_regions = 1, .regions = &region});
    tri_builder in = tri_builder_at_end(block, b->loc);
    MlirValue sum = mlirBlockGetArgument(block, 1);
    size_t before = f->map.from.len;
    map(f, mlirBlockGetArgument(tri_op_body(f->outer, 0), 0), mlirBlockGetArgument(block, 0));
    for (size_t k = 0; k < f->n; k++)
        if (f->inners[k].is_variant) {
            clone_all(f, &in, &f->inners[k].sliced);
            sum =
                binary(&in, "arith.addi", sum, at_least_one(f, &in, widen(f, &in, length(f, &in, f->inners[k].loop))));
        }
    forget(f, before);
    value_list all = {0};
    push(f, &all, sum);
    yield(&in, &all);
    return tri_op_result(loop, 0);
}

/* The trips of the fused loop; sets lens and round_len. */
static MlirValue count_trips(fusion *f, tri_builder *b)
{
    MlirValue outer_len = length(f, b, f->outer);
    for (size_t k = 0; k < f->n; k++)
        push(f, &f->lens, f->inners[k].is_variant ? number(f, b, 0) : widen(f, b, length(f, b, f->inners[k].loop)));
    f->round_len = number(f, b, 0);
    for (size_t k = 0; k < f->n; k++)
        if (!f->inners[k].is_variant)
            f->round_len = binary(b, "arith.addi", f->round_len, at_least_one(f, b, f->lens.at[k]));
    f->round_len = binary(b, "arith.subi", f->round_len, number(f, b, (int64_t)f->n - 1));
    MlirValue total = binary(b, "arith.muli", widen(f, b, outer_len), f->round_len);
    return f->has_variants ? add_variants(f, b, total) : total;
}

/* ---- the loop ---- */

/* Initial values that are the same in every round are set at its end, not at its start: the loop's
 * first operations then do not depend on its last ones. */
static bool is_hoisted(fusion *f, MlirOperation loop, intptr_t i)
{
    return !is_defined_inside(tri_op_operand(loop, 3 + i), f->outer);
}

/* T, i, the outer loop's values, lengths (with variant loops only), then for all inner loops their
 * variables, for all their values, for all stretches but the last their outs. */
static value_list initial_state(fusion *f, tri_builder *b)
{
    value_list state = {0};
    push(f, &state, number(f, b, 0));
    push(f, &state, binary(b, "arith.subi", tri_op_operand(f->outer, 0), tri_op_operand(f->outer, 2)));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(f->outer); i++)
        push(f, &state, tri_op_operand(f->outer, 3 + i));
    if (f->has_variants) {
        for (size_t k = 0; k < f->n; k++)
            push(f, &state, f->lens.at[k]);
        push(f, &state, f->round_len);
    }
    for (size_t k = 0; k < f->n; k++)
        push(f, &state, anything(b, mlirValueGetType(tri_op_operand(f->inners[k].loop, 0))));
    for (size_t k = 0; k < f->n; k++)
        for (intptr_t i = 0; i < mlirOperationGetNumResults(f->inners[k].loop); i++) {
            MlirValue init = tri_op_operand(f->inners[k].loop, 3 + i);
            push(f, &state, is_hoisted(f, f->inners[k].loop, i) ? init : anything(b, mlirValueGetType(init)));
        }
    for (size_t k = 0; k < f->n; k++)
        for (size_t i = 0; i < f->stretches[k].outs.len; i++)
            push(f, &state, anything(b, mlirValueGetType(f->stretches[k].outs.at[i])));
    return state;
}

/* Where inner loop k's variable, values and outs of the stretch in front of it are in the state. */
typedef struct {
    size_t j, values, outs;
} place;

static place find_place(const fusion *f, size_t k)
{
    size_t first = 2 + (size_t)mlirOperationGetNumResults(f->outer) + (f->has_variants ? f->n + 1 : 0);
    place p = {first + k, first + f->n, 0};
    for (size_t i = 0; i < f->n; i++)
        p.outs += (size_t)mlirOperationGetNumResults(f->inners[i].loop);
    p.outs += p.values;
    for (size_t i = 0; i < k; i++) {
        p.values += (size_t)mlirOperationGetNumResults(f->inners[i].loop);
        p.outs += f->stretches[i].outs.len;
    }
    return p;
}

/* What a prologue yields for the start of a round: i, and lengths when they change. */
static void start_round(fusion *f, tri_builder *in, value_list *then, value_list *other)
{
    push(f, then, mapped(f, mlirBlockGetArgument(tri_op_body(f->outer, 0), 0)));
    push(f, other, f->i);
    if (!f->has_variants)
        return;
    size_t at = 2 + (size_t)mlirOperationGetNumResults(f->outer);
    MlirValue sum = f->round_len;
    for (size_t k = 0; k < f->n; k++) {
        MlirValue len = f->lens.at[k];
        if (f->inners[k].is_variant) {
            clone_all(f, in, &f->inners[k].sliced);
            len = widen(f, in, length(f, in, f->inners[k].loop));
            sum = binary(in, "arith.addi", sum, at_least_one(f, in, len));
        }
        push(f, then, len);
        push(f, other, f->state.at[at + k]);
    }
    push(f, then, sum);
    push(f, other, f->state.at[at + f->n]);
}

/* In the first trip of inner loop k: the stretch in front of it, its variable and its values. */
static void make_prologue(fusion *f, tri_builder *b, size_t k, MlirValue start)
{
    MlirOperation loop = f->inners[k].loop;
    MlirBlock body = tri_op_body(loop, 0);
    intptr_t values = mlirOperationGetNumResults(loop);
    MlirValue is_first = tri_compare_make(b, TRI_CMP_EQ, f->t, start);
    branches at = start_if();
    tri_builder in = tri_builder_at_end(at.then, b->loc);
    value_list then = {0}, other = {0};
    place p = find_place(f, k);
    size_t before = f->map.from.len, outs = f->stretches[k].outs.len, extra = 0;
    MlirValue outer_variable = mlirBlockGetArgument(tri_op_body(f->outer, 0), 0);
    if (k == 0)
        map(f, outer_variable, binary(&in, "arith.addi", f->i, tri_op_operand(f->outer, 2)));
    clone_all(f, &in, &f->stretches[k].ops);
    push(f, &then, mapped(f, tri_op_operand(loop, 0)));
    push(f, &other, f->state.at[p.j]);
    for (size_t i = 0; i < outs; i++) {
        push(f, &then, mapped(f, f->stretches[k].outs.at[i]));
        push(f, &other, f->state.at[p.outs + i]);
    }
    for (intptr_t i = 0; i < values; i++)
        if (!is_hoisted(f, loop, i)) {
            push(f, &then, mapped(f, tri_op_operand(loop, 3 + i)));
            push(f, &other, f->state.at[p.values + (size_t)i]);
        }
    extra = then.len;
    if (k == 0)
        start_round(f, &in, &then, &other);
    forget(f, before);
    MlirOperation made = finish_if(f, b, is_first, at, &then, &other);
    intptr_t r = 0;
    map(f, mlirBlockGetArgument(body, 0), tri_op_result(made, r++));
    for (size_t i = 0; i < outs; i++) {
        f->next.at[p.outs + i] = tri_op_result(made, r);
        map(f, f->stretches[k].outs.at[i], tri_op_result(made, r++));
    }
    for (intptr_t i = 0; i < values; i++)
        map(f, mlirBlockGetArgument(body, 1 + i),
            is_hoisted(f, loop, i) ? f->state.at[p.values + (size_t)i] : tri_op_result(made, r++));
    if (k)
        return;
    f->next.at[1] = tri_op_result(made, (intptr_t)extra);
    map(f, outer_variable, f->next.at[1]);
    for (size_t i = 0; f->has_variants && i <= f->n; i++) {
        MlirValue len = tri_op_result(made, (intptr_t)(extra + 1 + i));
        f->next.at[2 + (size_t)mlirOperationGetNumResults(f->outer) + i] = len;
        *(i < f->n ? &f->lens.at[i] : &f->round_len) = len;
    }
}

/* The body of inner loop k into `in`: its next variable and values. */
static value_list clone_body(fusion *f, tri_builder *in, MlirOperation loop)
{
    value_list out = {0};
    MlirBlock body = tri_op_body(loop, 0);
    MlirOperation last = tri_loops_yield(loop, 0);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, last);
         op = mlirOperationGetNextInBlock(op))
        clone_one(f, in, op);
    push(f, &out,
         binary(in, "arith.addi", mapped(f, mlirBlockGetArgument(body, 0)), mapped(f, tri_op_operand(loop, 2))));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++)
        push(f, &out, mapped(f, tri_op_operand(last, i)));
    return out;
}

static void make_body(fusion *f, tri_builder *b, size_t k, MlirValue start)
{
    MlirOperation loop = f->inners[k].loop;
    MlirBlock body = tri_op_body(loop, 0);
    place p = find_place(f, k);
    value_list out = {0};
    size_t before = f->map.from.len;
    if (f->inners[k].must_execute && f->n == 1) {
        out = clone_body(f, b, loop); /* its length is that of the round */
        forget(f, before);
    } else {
        MlirValue end = binary(b, "arith.addi", start, f->lens.at[k]);
        MlirValue has_begun = tri_compare_make(b, TRI_CMP_SGE, f->t, start);
        MlirValue goes_on = tri_compare_make(b, TRI_CMP_SLT, f->t, end);
        MlirValue runs = binary(b, "arith.andi", has_begun, goes_on);
        branches at = start_if();
        tri_builder in = tri_builder_at_end(at.then, b->loc);
        value_list then = clone_body(f, &in, loop), other = {0};
        forget(f, before);
        for (intptr_t i = 0; i <= mlirOperationGetNumResults(loop); i++)
            push(f, &other, mapped(f, mlirBlockGetArgument(body, i)));
        MlirOperation made = finish_if(f, b, runs, at, &then, &other);
        for (intptr_t i = 0; i < mlirOperationGetNumResults(made); i++)
            push(f, &out, tri_op_result(made, i));
    }
    f->next.at[p.j] = out.at[0];
    for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++) {
        size_t at = p.values + (size_t)i;
        map(f, tri_op_result(loop, i), out.at[1 + i]);
        f->next.at[at] = out.at[1 + i];
        if (is_hoisted(f, loop, i)) {
            push(f, &f->resets, tri_op_operand(loop, 3 + i));
            tri_vec_push(f->arena, &f->reset_at, at);
        }
    }
}

/* Whether the outer loop's value i may change in any trip of a round: its next value is known before
 * the last stretch, and the old one is read in the first trip only. */
static bool is_direct(fusion *f, intptr_t i)
{
    MlirValue arg = mlirBlockGetArgument(tri_op_body(f->outer, 0), 1 + i);
    MlirOperation last = tri_loops_yield(f->outer, 0), first = f->inners[0].loop;
    MlirValue value = tri_op_operand(last, i);
    MlirBlock block;
    intptr_t index;
    if (mlirValueEqual(value, arg))
        return true;
    if (tri_op_is_block_argument(value, &block, &index) && is_defined_inside(value, f->outer))
        return false;
    if (!tri_op_is_block_argument(value, &block, &index) && is_in_list(&f->stretches[f->n].ops, tri_op_def(value)))
        return false;
    for (MlirOpOperand use = mlirValueGetFirstUse(arg); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        bool is_init = mlirOperationEqual(user, first) && mlirOpOperandGetOperandNumber(use) >= 3;
        if (!is_init && !is_in_list(&f->stretches[0].ops, user))
            return false;
    }
    return true;
}

static void make_epilogue(fusion *f, tri_builder *b, MlirValue is_last)
{
    intptr_t results = mlirOperationGetNumResults(f->outer);
    MlirOperation last = tri_loops_yield(f->outer, 0);
    branches at = start_if();
    tri_builder in = tri_builder_at_end(at.then, b->loc);
    value_list then = {0}, other = {0};
    TRI_VEC(size_t) places = {0};
    size_t before = f->map.from.len;
    clone_all(f, &in, &f->stretches[f->n].ops);
    for (intptr_t i = 0; i < results; i++) {
        MlirValue value = mapped(f, tri_op_operand(last, i));
        if (is_direct(f, i)) {
            f->next.at[2 + i] = value;
            continue;
        }
        push(f, &then, value);
        push(f, &other, f->state.at[2 + i]);
        tri_vec_push(f->arena, &places, 2 + (size_t)i);
    }
    for (size_t i = 0; i < f->resets.len; i++) {
        push(f, &then, f->resets.at[i]);
        push(f, &other, f->next.at[f->reset_at.at[i]]);
        tri_vec_push(f->arena, &places, f->reset_at.at[i]);
    }
    forget(f, before);
    MlirOperation made = finish_if(f, b, is_last, at, &then, &other);
    for (size_t i = 0; i < places.len; i++)
        f->next.at[places.at[i]] = tri_op_result(made, (intptr_t)i);
}

static void fill(fusion *f, MlirBlock block, MlirLocation loc)
{
    tri_builder b = tri_builder_at_end(block, loc);
    for (intptr_t i = 1; i < mlirBlockGetNumArguments(block); i++) {
        push(f, &f->state, mlirBlockGetArgument(block, i));
        push(f, &f->next, mlirBlockGetArgument(block, i));
    }
    f->t = f->state.at[0];
    f->i = f->state.at[1];
    for (intptr_t i = 0; i < mlirOperationGetNumResults(f->outer); i++)
        map(f, mlirBlockGetArgument(tri_op_body(f->outer, 0), 1 + i), f->state.at[2 + i]);
    for (size_t k = 0; k < f->n; k++) {
        MlirValue start = number(f, &b, 0);
        for (size_t i = 0; i < k; i++)
            start = binary(&b, "arith.addi", start, at_least_one(f, &b, f->lens.at[i]));
        start = binary(&b, "arith.subi", start, number(f, &b, (int64_t)k)); /* (k trips are shared) */
        make_prologue(f, &b, k, start);
        make_body(f, &b, k, start);
    }
    MlirValue last = binary(&b, "arith.subi", f->round_len, number(f, &b, 1));
    MlirValue is_last = tri_compare_make(&b, TRI_CMP_EQ, f->t, last);
    make_epilogue(f, &b, is_last);
    MlirValue next = binary(&b, "arith.addi", f->t, number(f, &b, 1));
    f->next.at[0] = choose_fused_loop(&b, is_last, number(f, &b, 0), next);
    yield(&b, &f->next);
}

/* Stages are the most that one of the loops asks for; flags are kept when one has them. */
static void inherit(const fusion *f, MlirOperation loop, MlirContext context)
{
    static const char *const flags[] = {"tt.warp_specialize", "tt.disallow_acc_multi_buffer", "tt.no_licm"};
    int64_t stages = tri_op_int(f->outer, "tt.num_stages", 1);
    for (size_t k = 0; k < f->n; k++) {
        int64_t own = tri_op_int(f->inners[k].loop, "tt.num_stages", 1);
        stages = own > stages ? own : stages;
    }
    if (stages > 1)
        tri_builder_set_attr(loop, "tt.num_stages", tri_attr_i32(context, (int32_t)stages));
    for (size_t a = 0; a < sizeof flags / sizeof *flags; a++) {
        MlirAttribute attr = tri_op_attr(f->outer, flags[a]);
        for (size_t k = 0; k < f->n && mlirAttributeIsNull(attr); k++)
            attr = tri_op_attr(f->inners[k].loop, flags[a]);
        if (!mlirAttributeIsNull(attr))
            tri_builder_set_attr(loop, flags[a], attr);
    }
}

MlirOperation tri_fused_loop_make(tri_arena *arena, MlirOperation outer, size_t n, const tri_fused_loop_inner *inners)
{
    fusion f = {.arena = arena, .outer = outer, .n = n, .inners = inners};
    tri_builder b = tri_builder_before(outer);
    cut(&f);
    choose_type(&f, b.context);
    MlirValue total = count_trips(&f, &b);
    value_list state = initial_state(&f, &b), operands = {0};
    push(&f, &operands, number(&f, &b, 0));
    push(&f, &operands, total);
    push(&f, &operands, number(&f, &b, 1));
    MlirType *types = TRI_NEW_ARRAY(arena, MlirType, state.len + 1);
    MlirLocation *locs = TRI_NEW_ARRAY(arena, MlirLocation, state.len + 1);
    types[0] = f.type;
    locs[0] = b.loc;
    for (size_t i = 0; i < state.len; i++) {
        push(&f, &operands, state.at[i]);
        types[1 + i] = mlirValueGetType(state.at[i]);
        locs[1 + i] = b.loc;
    }
    MlirRegion region = mlirRegionCreate();
    MlirBlock block = mlirBlockCreate((intptr_t)state.len + 1, types, locs);
    mlirRegionAppendOwnedBlock(region, block);
    MlirOperation loop = tri_builder_create(&b, &(tri_op){
        .name = "scf.for", .num_operands = (intptr_t)operands.len, .operands = operands.at,
        .num_results = (intptr_t)state.len, .results = types + 1, .num_regions = 1, .regions = &region,
    });
    fill(&f, block, b.loc);
    inherit(&f, loop, b.context);
    MlirValue *results = TRI_NEW_ARRAY(arena, MlirValue, mlirOperationGetNumResults(outer) + 1);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(outer); i++)
        results[i] = tri_op_result(loop, 2 + i);
    tri_op_replace(outer, mlirOperationGetNumResults(outer), results);
    return loop;
}
