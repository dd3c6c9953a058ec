/* What loops and conditionals make of the numbers of a block. */
#include "ir/analysis/pointers_forms.h"

#include "ir/op.h"
#include "ir/type.h"

enum { max_assumptions = 6 };

typedef struct {
    tri_map *known;
    tri_map fresh;
    tri_sum_assumption sums;
} assumption;

/* Scalars are sums; for them the assumption of sums would do, but the maps must be fresh alike. */
static void assume(tri_pointers *p, assumption *a, MlirValue value, const tri_block_form *form)
{
    tri_sum_assume(&p->sums, &a->sums, value, form->offset);
    tri_map_init(&a->fresh, p->arena);
    a->known = p->known;
    p->known = &a->fresh;
    tri_vec_reserve(p->arena, &p->assumed, p->assumed.len + 1);
    p->assumed.at[p->assumed.len].value = value;
    p->assumed.at[p->assumed.len++].form = form;
}

static void assume_end(tri_pointers *p, assumption *a)
{
    tri_sum_assume_end(&p->sums, &a->sums);
    p->known = a->known;
    p->assumed.len--;
}

/* The same numbers from unknown places on. What the start of a single range takes in is its own. */
static tri_block_form displaced(tri_pointers *p, const tri_block_form *from)
{
    tri_block_form a = *from;
    int d = tri_pointers_forms_only_dim(from);
    int64_t stride;
    bool is_settled = d >= 0 && from->dim[d].kind == TRI_DIM_RANGE && tri_sum_is_const(from->dim[d].stride, &stride) &&
                      (stride == 1 || stride == -1) && tri_sum_is(from->offset, 0);
    if (!is_settled)
        a.offset = tri_sum_unknown(&p->sums);
    for (int d = 0; d < a.rank; d++)
        if (a.dim[d].kind == TRI_DIM_RANGE)
            a.dim[d].start = tri_sum_unknown(&p->sums);
    return a;
}

/* start + count * (after - before), when that difference is the same in each round. */
static const tri_sum *advance(tri_pointers *p, const tri_sum *start, const tri_sum *before, const tri_sum *after,
                              MlirOperation loop, const tri_sum *count)
{
    const tri_sum *increment = tri_sum_sub(&p->sums, after, before);
    if (!tri_sum_is_outside(increment, loop))
        return NULL;
    return tri_sum_add(&p->sums, start, tri_sum_mul(&p->sums, count, increment));
}

/* Advances by a multiple of a dimension's stride move that dimension. */
static void move_offset(tri_pointers *p, tri_block_form *a, const tri_sum *start)
{
    const tri_sum *moved = tri_sum_sub(&p->sums, a->offset, start), *quotient, *rest;
    for (int pass = 0; pass < 2; pass++)
        for (int d = 0; d < a->rank; d++) {
            bool is_one = tri_sum_is(a->dim[d].stride, 1);
            if (a->dim[d].kind != TRI_DIM_RANGE || is_one != (pass == 1) ||
                !tri_sum_divide(&p->sums, moved, a->dim[d].stride, &quotient, &rest))
                continue;
            const tri_sum *to = tri_sum_add(&p->sums, a->dim[d].start, quotient);
            if (!to || (pass == 1 && !tri_sum_is(rest, 0)))
                continue;
            a->dim[d].start = to;
            moved = rest;
        }
    a->offset = tri_sum_add(&p->sums, start, moved);
}

static tri_block_form carried(tri_pointers *p, MlirOperation loop, intptr_t i, const tri_sum *count)
{
    MlirValue argument = mlirBlockGetArgument(tri_op_body(loop, 0), i + 1);
    MlirOperation yield = mlirBlockGetTerminator(tri_op_body(loop, 0));
    const tri_block_form *start = tri_pointers_form(p, tri_op_operand(loop, 3 + i));
    if (start->reason || p->assumed.len >= max_assumptions)
        return tri_pointers_forms_fail(start->reason ? start->reason : "too many values change with it",
                                       start->reason ? start->culprit : argument);
    tri_block_form before = displaced(p, start), a = *start;
    assumption assumption;
    assume(p, &assumption, argument, &before);
    tri_block_form after = *tri_pointers_form(p, tri_op_operand(yield, i));
    assume_end(p, &assumption);
    if (after.reason)
        return after;
    if (after.base.ptr != a.base.ptr)
        return tri_pointers_forms_fail("a loop changes its base", argument);
    if (!tri_pointers_forms_has_same_dims(&before, &after, false))
        return tri_pointers_forms_fail("a loop changes its strides", argument);
    a.offset = advance(p, a.offset, before.offset, after.offset, loop, count);
    for (int d = 0; d < a.rank && a.offset; d++)
        if (a.dim[d].kind == TRI_DIM_RANGE) {
            a.dim[d].start = advance(p, a.dim[d].start, before.dim[d].start, after.dim[d].start, loop, count);
            a.offset = a.dim[d].start ? a.offset : NULL;
        }
    if (!a.offset)
        return tri_pointers_forms_fail("a loop advances it by different amounts", argument);
    move_offset(p, &a, start->offset);
    return a;
}

tri_block_form tri_pointers_flow_argument(tri_pointers *p, MlirValue value)
{
    MlirBlock block;
    intptr_t index = 0;
    tri_op_is_block_argument(value, &block, &index);
    MlirOperation parent = mlirBlockGetParentOperation(block);
    if (tri_op_is(parent, "scf.for") && index)
        return carried(p, parent, index - 1, tri_sum_loop(&p->sums, TRI_LEAF_ITERATION, parent));
    bool is_while = tri_op_is(parent, "scf.while");
    return tri_pointers_forms_fail(is_while ? "a while loop carries it" : "it comes from elsewhere", value);
}

tri_block_form tri_pointers_flow_select(tri_pointers *p, MlirValue condition, const tri_block_form *a,
                                        const tri_block_form *b, MlirValue at)
{
    if (a->reason || b->reason)
        return a->reason ? *a : *b;
    if (a->base.ptr != b->base.ptr)
        return tri_pointers_forms_fail("it points into one of several arrays", at);
    if (!tri_pointers_forms_has_same_dims(a, b, false))
        return tri_pointers_forms_fail("it has one of several strides", at);
    const tri_sum *leaf = tri_sum_leaf(&p->sums, TRI_LEAF_VALUE, condition);
    tri_block_form r = *a;
    bool ok = (r.offset = tri_sum_call(&p->sums, "arith.select", leaf, a->offset, b->offset)) != NULL;
    for (int d = 0; d < r.rank; d++)
        if (r.dim[d].kind == TRI_DIM_RANGE) {
            r.dim[d].start = tri_sum_call(&p->sums, "arith.select", leaf, a->dim[d].start, b->dim[d].start);
            ok = ok && r.dim[d].start;
        }
    return ok ? r : tri_pointers_forms_fail("its offset is too long a sum", at);
}

/* Is all that the form is made of there before `op`? */
static bool is_form_outside(const tri_block_form *a, MlirOperation op)
{
    bool ok = tri_sum_is_outside(a->offset, op);
    for (int d = 0; d < a->rank && ok; d++)
        if (a->dim[d].kind != TRI_DIM_NONE)
            ok = a->dim[d].kind != TRI_DIM_INDEXED && tri_sum_is_outside(a->dim[d].start, op) &&
                 tri_sum_is_outside(a->dim[d].stride, op);
    return ok;
}

static tri_block_form of_if(tri_pointers *p, MlirValue value, MlirOperation op, intptr_t i)
{
    const tri_block_form *side[2];
    for (int r = 0; r < 2; r++) {
        side[r] = tri_pointers_form(p, tri_op_operand(mlirBlockGetTerminator(tri_op_body(op, r)), i));
        if (!side[r]->reason && !is_form_outside(side[r], op))
            return tri_pointers_forms_fail("a conditional computes it", value);
    }
    return tri_pointers_flow_select(p, tri_op_operand(op, 0), side[0], side[1], value);
}

tri_block_form tri_pointers_flow_result(tri_pointers *p, MlirValue value, MlirOperation op)
{
    intptr_t i = 0;
    while (tri_op_result(op, i).ptr != value.ptr)
        i++;
    if (tri_op_is(op, "scf.if"))
        return of_if(p, value, op, i);
    if (tri_op_is(op, "scf.for"))
        return carried(p, op, i, tri_sum_loop(&p->sums, TRI_LEAF_TRIPS, op));
    return tri_pointers_forms_fail("a while loop carries it", value);
}
