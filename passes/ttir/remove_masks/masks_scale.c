/* Scores that a number scales before they are masked, and before the largest of each row is looked for: in the part
 * without masks they are scaled behind that, where the multiplication is a part of the subtraction.
 *
 *     %s = arith.mulf %x, %scale                        %r = "tt.reduce"(%x) ({ maximum })
 *     %m = arith.select %mask, %s, %none                %t = arith.mulf %r, %scale
 *     %t = "tt.reduce"(%m) ({ maximum })          ->    ...
 *     ...                                               %s = arith.mulf %x, %scale
 *     %d = arith.subf %m, %top                          %d = arith.subf %s, %top
 *
 * The same of scores that are scaled behind their mask.
 *
 * A product with a number that is positive and finite keeps the order of what it scales, rounded as it is: the largest
 * product is the product of the largest. Where the number is none such, that part is empty, as the other one is
 * right for all trips; it takes a comparison of scalars in front of the loop to know. A choice behind a branch hands
 * over what to scale and by how much, which is 1 where the branch has scaled and masked. (H200, attention of 128 x 128,
 * D = 128: 64 of 516 instructions of a trip.) */
#include "passes/ttir/remove_masks/remove_masks.h"

#include "ir/type.h"
#include "passes/analysis/dots.h"

#include <math.h>

enum { MAX_DEPTH = 4, ORDERED_GT = 2, ORDERED_LT = 4 };

static bool is_largest(MlirOperation reduce)
{
    MlirBlock body = tri_op_is(reduce, "tt.reduce") ? tri_op_body(reduce, 0) : (MlirBlock){NULL};
    if (mlirBlockIsNull(body) || mlirOperationGetNumOperands(reduce) != 1)
        return false;
    MlirOperation op = mlirBlockGetFirstOperation(body), end = mlirBlockGetTerminator(body);
    bool is_maximum = tri_op_is(op, "arith.maxnumf") || tri_op_is(op, "arith.maximumf");
    return is_maximum && mlirValueEqual(tri_op_operand(end, 0), tri_op_result(op, 0)) &&
           mlirValueEqual(tri_op_operand(op, 0), mlirBlockGetArgument(body, 0)) &&
           mlirValueEqual(tri_op_operand(op, 1), mlirBlockGetArgument(body, 1));
}

static bool is_reduced_from(MlirOperation op, MlirValue value)
{
    return tri_op_is(op, "arith.subf") && mlirValueEqual(tri_op_operand(op, 0), value) &&
           !mlirValueEqual(tri_op_operand(op, 1), value);
}

/* Rows are looked through for their largest element, which something is subtracted for, and nothing else. */
static bool is_shifted(MlirValue value)
{
    bool is_searched = false, is_subtracted = false;
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        bool searches = is_largest(user), subtracts = is_reduced_from(user, value);
        if (!searches && !subtracts)
            return false;
        is_searched |= searches;
        is_subtracted |= subtracts;
    }
    return is_searched && is_subtracted;
}

/* Whether a number can be computed in front of the loop; with a builder, it is. */
static bool bring_out(const tri_masks *s, tri_builder *b, MlirValue value, int depth, MlirValue *out)
{
    enum { MAX_OPERANDS = 2 };
    MlirOperation op = tri_op_def(value);
    *out = value;
    if (!tri_loops_is_inside(s->loop, value))
        return true;
    intptr_t count = mlirOperationIsNull(op) ? 0 : mlirOperationGetNumOperands(op);
    if (mlirOperationIsNull(op) || depth > MAX_DEPTH || !tri_op_is_pure(op) || mlirOperationGetNumRegions(op) ||
        mlirOperationGetNumResults(op) != 1 || count > MAX_OPERANDS)
        return false;
    MlirValue from[MAX_OPERANDS], to[MAX_OPERANDS];
    for (intptr_t i = 0; i < count; i++) {
        from[i] = tri_op_operand(op, i);
        if (!bring_out(s, b, from[i], depth + 1, &to[i]))
            return false;
    }
    if (b)
        *out = tri_op_result(tri_op_clone(b, op, count, from, to), 0);
    return true;
}

/* Whether the block that something is multiplied with is one number, which may be known in front of the loop. */
static bool find_factor(const tri_masks *s, MlirValue block, tri_masks_scale *out)
{
    MlirValue ignored;
    MlirOperation op = tri_op_def(block);
    out->factor = (MlirValue){NULL};
    if (tri_op_const_float(block, &out->constant))
        return out->constant > 0 && isfinite(out->constant);
    if (mlirOperationIsNull(op) || !tri_op_is(op, "tt.splat"))
        return false;
    out->factor = tri_op_operand(op, 0);
    return bring_out(s, NULL, out->factor, 0, &ignored);
}

/* Whether the op multiplies `multiplied`, or anything that the loop makes where that is null, with one number. */
static bool match_scale(const tri_masks *s, MlirOperation scale, MlirValue multiplied, tri_masks_scale *out)
{
    if (mlirOperationIsNull(scale) || !tri_op_is(scale, "arith.mulf"))
        return false;
    out->scale = scale;
    for (int i = 0; i < 2; i++) {
        out->raw = tri_op_operand(scale, 1 - i);
        bool is_asked = mlirValueIsNull(multiplied) || mlirValueEqual(multiplied, out->raw);
        if (is_asked && tri_loops_is_inside(s->loop, out->raw) && find_factor(s, tri_op_operand(scale, i), out))
            return true;
    }
    return false;
}

bool tri_masks_find_scale(const tri_masks *s, MlirOperation choice, tri_masks_scale *out)
{
    MlirValue chosen = tri_op_result(choice, 0), anything = {NULL};
    MlirOperation in_front = tri_op_def(tri_op_operand(choice, 1)), behind = tri_dots_only_user(chosen);
    *out = (tri_masks_scale){.scaled = chosen};
    if (is_shifted(chosen))
        return match_scale(s, in_front, anything, out) && tri_dots_has_one_use(tri_op_result(in_front, 0));
    if (!match_scale(s, behind, chosen, out))
        return false;
    out->is_behind = true;
    out->scaled = tri_op_result(behind, 0);
    out->raw = tri_op_operand(choice, 1);
    return is_shifted(out->scaled) && mlirBlockEqual(mlirOperationGetBlock(behind), mlirOperationGetBlock(choice));
}

MlirValue tri_masks_factor(tri_builder *b, const tri_masks_scale *scale)
{
    MlirType type = tri_type_element(mlirValueGetType(scale->raw));
    return mlirValueIsNull(scale->factor) ? tri_builder_float(b, type, scale->constant) : scale->factor;
}

void tri_masks_require_scale(tri_masks *s, const tri_masks_scale *scale)
{
    MlirValue factor;
    if (mlirValueIsNull(scale->factor))
        return;
    bring_out(s, &s->b, scale->factor, 0, &factor);
    const double limits[] = {0, INFINITY};
    for (int i = 0; i < 2; i++) {
        MlirValue limit = tri_builder_float(&s->b, mlirValueGetType(factor), limits[i]);
        tri_attr attr = {"predicate", tri_attr_i64(s->b.context, i ? ORDERED_LT : ORDERED_GT)};
        tri_masks_require(s, tri_builder_value(&s->b, &(tri_op){.name = "arith.cmpf",
                                                                .num_operands = 2,
                                                                .operands = (MlirValue[]){factor, limit},
                                                                .num_results = 1,
                                                                .results = &s->i1,
                                                                .num_attrs = 1,
                                                                .attrs = &attr}));
    }
}

MlirOperation tri_masks_search_of(MlirValue value)
{
    MlirOperation search = {NULL};
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (!is_largest(user))
            continue;
        if (!mlirOperationIsNull(search) || !mlirBlockEqual(mlirOperationGetBlock(user), tri_op_block_of(value)))
            return (MlirOperation){NULL};
        search = user;
    }
    return search;
}

MlirValue tri_masks_scaled(tri_builder *b, MlirValue block, MlirValue factor)
{
    MlirType type = mlirValueGetType(block);
    MlirValue by = tri_type_is_tensor(type) ? tri_builder_unary(b, "tt.splat", type, factor) : factor;
    return tri_builder_binary(b, "arith.mulf", type, block, by);
}

void tri_masks_scale_late(tri_masks *s, MlirValue scaled, MlirValue raw, MlirValue factor)
{
    tri_op_list users = {0};
    MlirOpOperand use = mlirValueGetFirstUse(scaled);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        tri_vec_push(s->run->arena, &users, mlirOpOperandGetOwner(use));
    for (size_t i = 0; i < users.len; i++) {
        MlirOperation user = users.at[i];
        if (!is_largest(user)) {
            tri_builder b = tri_builder_before(user);
            mlirOperationSetOperand(user, 0, tri_masks_scaled(&b, raw, factor));
            continue;
        }
        MlirValue largest = tri_op_result(user, 0);
        tri_builder b = tri_builder_after(user);
        MlirValue product = tri_masks_scaled(&b, largest, factor);
        mlirOperationSetOperand(user, 0, raw);
        mlirValueReplaceAllUsesOfWith(largest, product);
        mlirOperationSetOperand(tri_op_def(product), 0, largest);
    }
}
