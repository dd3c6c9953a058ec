/* Numbers that are affine in a loop's index, of which masks are made. */
#include "passes/ttir/remove_masks/remove_masks.h"

#include "ir/type.h"

enum { MAX_FACTOR = 1 << 24 /* sums stay below 2^63 */, MAX_DEPTH = 32, MAX_DEPTH_OF_TERMS = 4 };

static void add_range(tri_masks_number *a, int64_t factor, int64_t first, int64_t last)
{
    a->low += factor * (factor < 0 ? last : first);
    a->high += factor * (factor < 0 ? first : last);
}

/* The same arithmetic on the same values, whatever is promised of the results. */
static bool is_same_number(MlirValue x, MlirValue y, int depth)
{
    static const char *const names[] = {"arith.addi", "arith.subi", "arith.muli"};
    int64_t a, b;
    if (mlirValueEqual(x, y))
        return true;
    MlirOperation p = tri_op_def(x), q = tri_op_def(y);
    if (mlirOperationIsNull(p) || mlirOperationIsNull(q) || depth > MAX_DEPTH_OF_TERMS ||
        !mlirTypeEqual(mlirValueGetType(x), mlirValueGetType(y)))
        return false;
    if (tri_op_const_int(x, &a) && tri_op_const_int(y, &b))
        return a == b;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_op_is(p, names[i]) && tri_op_is(q, names[i]))
            return is_same_number(tri_op_operand(p, 0), tri_op_operand(q, 0), depth + 1) &&
                   is_same_number(tri_op_operand(p, 1), tri_op_operand(q, 1), depth + 1);
    return false;
}

/* One number for the whole block, made in front of the loop. */
static bool add_term(tri_masks_number *a, MlirValue value, int64_t factor)
{
    for (int i = 0; i < a->count; i++)
        if (is_same_number(a->terms[i], value, 0)) {
            a->factors[i] += factor;
            return true;
        }
    if (a->count == TRI_MASKS_TERMS)
        return false;
    a->terms[a->count] = value;
    a->factors[a->count++] = factor;
    return true;
}

static bool is_shape(MlirOperation op)
{
    return tri_op_is(op, "tt.splat") || tri_op_is(op, "tt.expand_dims") || tri_op_is(op, "tt.broadcast") ||
           tri_op_is(op, "tt.trans") || tri_op_is(op, "tt.reshape");
}

static bool add_value(const tri_masks *s, tri_masks_number *a, MlirValue value, int64_t factor, int depth);

static MlirValue lower_bound(const tri_masks *s) { return tri_op_operand(s->loop, 0); }

/* What the loop carries, where each trip adds the same constant: start + (index - lower bound) * each / step. */
static bool add_carried(const tri_masks *s, tri_masks_number *a, MlirValue value, int64_t factor, int depth)
{
    MlirBlock block;
    intptr_t index;
    int64_t step, each;
    if (!tri_op_is_block_argument(value, &block, &index) || index == 0 ||
        !mlirBlockEqual(block, tri_op_body(s->loop, 0)) || !tri_op_const_int(tri_op_operand(s->loop, 2), &step))
        return false;
    MlirValue next = tri_op_operand(mlirBlockGetTerminator(block), index - 1);
    MlirOperation sum = tri_op_def(next);
    if (mlirOperationIsNull(sum) || !tri_op_is(sum, "arith.addi") || !mlirValueEqual(tri_op_operand(sum, 0), value) ||
        !tri_op_const_int(tri_op_operand(sum, 1), &each) || step <= 0 || each % step)
        return false;
    int64_t slope = factor * (each / step);
    return add_value(s, a, s->index, slope, depth) && add_value(s, a, lower_bound(s), -slope, depth) &&
           add_value(s, a, tri_op_operand(s->loop, 2 + index), factor, depth);
}

static bool add_binary(const tri_masks *s, tri_masks_number *a, MlirOperation op, int64_t factor, int depth)
{
    MlirValue x = tri_op_operand(op, 0), y = tri_op_operand(op, 1);
    int64_t constant;
    if (tri_op_is(op, "arith.muli")) {
        if (!tri_op_const_int(y, &constant) && (y = x, x = tri_op_operand(op, 1), !tri_op_const_int(y, &constant)))
            return false;
        return add_value(s, a, x, factor * constant, depth);
    }
    return add_value(s, a, x, factor, depth) &&
           add_value(s, a, y, tri_op_is(op, "arith.subi") ? -factor : factor, depth);
}

/* Adds factor * value of 64 bits, which must be a number of 32 bits as it stands: arithmetic could have wrapped. */
static bool add_widened(const tri_masks *s, tri_masks_number *a, MlirValue value, int64_t factor, int depth)
{
    MlirOperation op = tri_op_def(value);
    int64_t constant;
    if (!tri_type_is_tensor(mlirValueGetType(value)))
        return (mlirValueEqual(value, s->index) || !tri_loops_is_inside(s->loop, value)) &&
               add_value(s, a, value, factor, depth);
    if (tri_op_const_int(value, &constant) || (!mlirOperationIsNull(op) && tri_op_is(op, "tt.make_range")))
        return add_value(s, a, value, factor, depth);
    return !mlirOperationIsNull(op) && is_shape(op) &&
           add_widened(s, a, tri_op_operand(op, 0), factor, depth + 1);
}

/* A scalar made in front of the loop. */
static bool add_scalar(const tri_masks *s, tri_masks_number *a, MlirValue value, int64_t factor, int depth)
{
    MlirOperation op = tri_op_def(value);
    int64_t constant;
    if (!s->estimates || mlirOperationIsNull(op))
        return add_term(a, value, factor);
    bool is_sum = tri_op_is(op, "arith.addi") || tri_op_is(op, "arith.subi");
    bool is_product = tri_op_is(op, "arith.muli") && (tri_op_const_int(tri_op_operand(op, 0), &constant) ||
                                                      tri_op_const_int(tri_op_operand(op, 1), &constant));
    return is_sum || is_product ? add_binary(s, a, op, factor, depth) : add_term(a, value, factor);
}

/* tri_masks_add. Numbers of 64 bits are taken apart down to those of 32. */
static bool add_value(const tri_masks *s, tri_masks_number *a, MlirValue value, int64_t factor, int depth)
{
    MlirType type = mlirValueGetType(value), element = tri_type_element(type);
    int64_t constant;
    bool is_wide = mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 64;
    if (depth > MAX_DEPTH || factor < -MAX_FACTOR || factor > MAX_FACTOR || !mlirTypeIsAInteger(element) ||
        (!is_wide && mlirIntegerTypeGetWidth(element) != 32))
        return false;
    if (tri_op_const_int(value, &constant) && constant >= INT32_MIN && constant <= INT32_MAX) {
        add_range(a, factor, constant, constant);
        return true;
    }
    if (mlirValueEqual(value, s->index)) {
        a->step += factor;
        return true;
    }
    if (!is_wide && !tri_type_is_tensor(type) && !tri_loops_is_inside(s->loop, value))
        return add_scalar(s, a, value, factor, depth + 1);
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op))
        return add_carried(s, a, value, factor, depth + 1);
    if (is_wide && tri_op_is(op, "arith.extsi"))
        return add_widened(s, a, tri_op_operand(op, 0), factor, depth + 1);
    if (tri_op_is(op, "tt.make_range")) {
        add_range(a, factor, tri_op_int(op, "start", 0), tri_op_int(op, "end", 1) - 1);
        return true;
    }
    if (is_shape(op))
        return add_value(s, a, tri_op_operand(op, 0), factor, depth + 1);
    if (tri_op_is(op, "arith.addi") || tri_op_is(op, "arith.subi") || tri_op_is(op, "arith.muli"))
        return add_binary(s, a, op, factor, depth + 1);
    return false;
}

bool tri_masks_add(const tri_masks *s, tri_masks_number *a, MlirValue value, int64_t factor)
{
    return add_value(s, a, value, factor, 0);
}

bool tri_masks_is_plain(const tri_masks_number *a)
{
    if (a->step)
        return a->step == 1 && !a->count && !a->low && !a->high;
    return !a->count ? a->low >= INT32_MIN && a->high <= INT32_MAX
                     : a->count == 1 && a->factors[0] == 1 && !a->low && !a->high;
}

/* ---- the same as operations, in 64 bits ---- */

MlirValue tri_masks_constant(tri_masks *s, int64_t value) { return tri_builder_int(&s->b, s->i64, value); }

MlirValue tri_masks_widen(tri_masks *s, MlirValue value)
{
    return tri_builder_unary(&s->b, "arith.extsi", s->i64, value);
}

MlirValue tri_masks_binary(tri_masks *s, const char *name, MlirValue x, MlirValue y)
{
    return tri_builder_binary(&s->b, name, s->i64, x, y);
}

MlirValue tri_masks_choose(tri_masks *s, MlirValue x, MlirValue y, MlirValue z)
{
    MlirValue operands[] = {x, y, z};
    return tri_builder_value(&s->b, &(tri_op){.name = "arith.select", .num_operands = 3, .operands = operands,
                                              .num_results = 1, .results = &s->i64});
}

static MlirValue scaled(tri_masks *s, MlirValue value, int64_t factor)
{
    MlirValue wide = tri_masks_widen(s, value);
    return factor == 1 ? wide : tri_masks_binary(s, "arith.muli", wide, tri_masks_constant(s, factor));
}

MlirValue tri_masks_emit_terms(tri_masks *s, const tri_masks_number *a, int64_t constant)
{
    MlirValue sum = tri_masks_constant(s, constant);
    for (int i = 0; i < a->count; i++)
        sum = tri_masks_binary(s, "arith.addi", sum, scaled(s, a->terms[i], a->factors[i]));
    return sum;
}

MlirValue tri_masks_emit_at(tri_masks *s, const tri_masks_number *a, int64_t constant, MlirValue index)
{
    MlirValue value = tri_masks_emit_terms(s, a, constant);
    return a->step ? tri_masks_binary(s, "arith.addi", value, scaled(s, index, a->step)) : value;
}
