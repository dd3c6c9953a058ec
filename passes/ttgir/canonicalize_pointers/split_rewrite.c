/* Bases and offsets in the place of pointers, operation by operation; pointers again where they are used. */
#include "passes/ttgir/canonicalize_pointers/split.h"

#include "ir/type.h"

static const char *const hint_names[] = {"tt.divisibility", "tt.contiguity", "tt.constancy"};

MlirValue tri_split_join(splitting *s, tri_builder *b, MlirValue pointer)
{
    split_pointer *p = tri_split_find(s, pointer);
    MlirType type = mlirValueGetType(pointer);
    if (!p || mlirValueEqual(p->base, pointer))
        return pointer;
    MlirValue base = p->base, offset = p->offset;
    if (tri_type_is_tensor(type)) {
        if (p->is_narrow && !tri_split_is_zero(offset))
            offset = tri_split_cast(b, offset, 32);
        base = tri_builder_unary(b, "tt.splat", type, base);
    }
    if (tri_split_is_zero(offset))
        return base;
    MlirValue sum = tri_builder_binary(b, "tt.addptr", type, base, offset);
    for (int i = 0; i < 3; i++)
        if (!mlirAttributeIsNull(p->hints[i]))
            tri_builder_set_attr(tri_op_def(sum), hint_names[i], p->hints[i]);
    return sum;
}

/* ---- addresses ---- */

/* The base moved by a scalar. Hints of the pointer hold where nothing else is added. */
static MlirValue move_base(tri_builder *b, MlirOperation address, MlirValue base, MlirValue scalar, bool has_hints)
{
    if (tri_split_is_zero(scalar))
        return base;
    MlirValue moved = tri_builder_binary(b, "tt.addptr", mlirValueGetType(base), base, scalar);
    for (int i = 0; i < 3 && has_hints; i++) {
        MlirAttribute hint = tri_op_attr(address, hint_names[i]);
        if (!mlirAttributeIsNull(hint))
            tri_builder_set_attr(tri_op_def(moved), hint_names[i], hint);
    }
    return moved;
}

static void rewrite_large_address(splitting *s, tri_builder *b, MlirOperation op, const split_pointer *from,
                                  split_pointer *to)
{
    MlirValue offset = tri_op_operand(op, 1);
    MlirType type = mlirValueGetType(tri_op_result(op, 0));
    bool has_hints = tri_type_rank(type) <= 1 && tri_split_is_zero(from->offset);
    MlirValue scalar = tri_type_is_tensor(type) ? tri_split_scalar(b, offset) : offset, rest;
    if (!mlirValueIsNull(scalar)) {
        to->base = move_base(b, op, from->base, scalar, has_hints);
        to->offset = from->offset;
        return;
    }
    tri_split_offset(s, b, offset, &scalar, &rest);
    bool is_moved_alone = tri_split_is_zero(rest);
    to->base = move_base(b, op, from->base, scalar, has_hints && is_moved_alone);
    to->offset = from->offset;
    if (is_moved_alone)
        return;
    to->offset = tri_split_add(b, tri_split_cast(b, rest, 64), from->offset);
    for (int i = 0; i < 3; i++)
        to->hints[i] = tri_op_attr(op, hint_names[i]);
}

static void rewrite_address(splitting *s, MlirOperation op)
{
    tri_builder b = tri_builder_before(op);
    split_pointer *from = tri_split_find(s, tri_op_operand(op, 0)), *to = tri_split_find(s, tri_op_result(op, 0));
    s->decomposed = 0;
    if (from->kind == SPLIT_LARGE) {
        rewrite_large_address(s, &b, op, from, to);
    } else {
        to->base = from->base;
        to->offset = tri_split_sum(s, &b, from->offset, tri_op_operand(op, 1));
    }
}

/* ---- others ---- */

static void rewrite_shape(splitting *s, MlirOperation op)
{
    tri_builder b = tri_builder_before(op);
    split_pointer *from = tri_split_find(s, tri_op_operand(op, 0)), *to = tri_split_find(s, tri_op_result(op, 0));
    MlirType element = tri_type_element(mlirValueGetType(from->offset));
    MlirValue was = tri_op_operand(op, 0);
    MlirOperation made = tri_op_clone(&b, op, 1, &was, &from->offset);
    tri_op_set_type(tri_op_result(made, 0), tri_type_with_element(mlirValueGetType(tri_op_result(op, 0)), element));
    to->base = from->base;
    to->offset = tri_op_result(made, 0);
    for (int i = 0; i < 3 && tri_op_is(op, "ttg.convert_layout"); i++)
        to->hints[i] = from->hints[i];
}

static MlirValue choose(tri_builder *b, MlirValue condition, MlirValue x, MlirValue y)
{
    if (mlirValueEqual(x, y))
        return x;
    MlirValue operands[] = {condition, x, y};
    MlirType type = mlirValueGetType(x);
    return tri_builder_value(b, &(tri_op){
        .name = "arith.select", .num_operands = 3, .operands = operands, .num_results = 1, .results = &type});
}

static void rewrite_select(splitting *s, MlirOperation op)
{
    tri_builder b = tri_builder_before(op);
    split_pointer *x = tri_split_find(s, tri_op_operand(op, 1)), *y = tri_split_find(s, tri_op_operand(op, 2));
    split_pointer *to = tri_split_find(s, tri_op_result(op, 0));
    to->base = choose(&b, tri_op_operand(op, 0), x->base, y->base);
    to->offset = choose(&b, tri_op_operand(op, 0), x->offset, y->offset);
}

static void join_operands(splitting *s, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (tri_split_find(s, tri_op_operand(op, i))) {
            tri_builder b = tri_builder_before(op);
            mlirOperationSetOperand(op, i, tri_split_join(s, &b, tri_op_operand(op, i)));
        }
}

static bool is_split_here(splitting *s, MlirOperation op)
{
    return mlirOperationGetNumResults(op) == 1 && tri_split_find(s, tri_op_result(op, 0)) && !tri_split_has_regions(op);
}

static void rewrite(splitting *s, MlirOperation op)
{
    MlirOperation parent = mlirOperationGetParentOperation(op);
    if (is_split_here(s, op)) {
        if (tri_op_is(op, "tt.addptr"))
            rewrite_address(s, op);
        else if (tri_op_is(op, "arith.select"))
            rewrite_select(s, op);
        else
            rewrite_shape(s, op);
        tri_vec_push(s->run->arena, &s->dead, op);
        return;
    }
    if (tri_split_has_regions(op)) {
        tri_split_regions_of(s, op);
        return;
    }
    if (mlirOperationGetNumSuccessors(op) > 0) {
        tri_split_branch(s, op);
        return;
    }
    /* tri_split_regions_of sees to the ends of its regions */
    bool is_end = tri_op_is(op, "scf.yield") || tri_op_is(op, "scf.condition");
    if (is_end && (tri_split_has_regions(parent)))
        return;
    join_operands(s, op);
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++)
        for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)); !mlirBlockIsNull(block);
             block = mlirBlockGetNextInRegion(block))
            tri_split_block(s, block);
}

void tri_split_block(splitting *s, MlirBlock block)
{
    MlirOperation next;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = next) {
        next = mlirOperationGetNextInBlock(op);
        rewrite(s, op);
    }
}
