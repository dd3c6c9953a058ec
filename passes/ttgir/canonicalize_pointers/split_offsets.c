/* Sums of offsets, and their parts: what all elements of a tensor have in common, and the rest.
 *
 *     (splat %a + range) * splat %b + splat %c      ->      %a * %b + %c, range * splat %b */
#include "passes/ttgir/canonicalize_pointers/split.h"

#include "ir/type.h"

static MlirType integer_type(MlirValue value) { return tri_type_element(mlirValueGetType(value)); }
static unsigned integer_bits(MlirValue value) { return tri_type_bits(integer_type(value)); }

static bool is_made_by(MlirValue value, const char *name)
{
    MlirOperation def = tri_op_def(value);
    return !mlirOperationIsNull(def) && tri_op_is(def, name);
}

bool tri_split_is_zero(MlirValue offset)
{
    int64_t number;
    return tri_op_const_int(offset, &number) && number == 0;
}

MlirValue tri_split_cast(tri_builder *b, MlirValue offset, unsigned bits)
{
    int64_t number;
    MlirType type = tri_type_with_element(mlirValueGetType(offset), mlirIntegerTypeGet(b->context, bits));
    if (integer_bits(offset) == bits)
        return offset;
    if (is_made_by(offset, "arith.constant") && tri_op_const_int(offset, &number))
        return tri_builder_int(b, type, bits < 64 ? (int64_t)((uint64_t)number << (64 - bits)) >> (64 - bits) : number);
    if (integer_bits(offset) < bits)
        return tri_builder_unary(b, "arith.extsi", type, offset);
    if (is_made_by(offset, "arith.extsi") && integer_bits(tri_op_operand(tri_op_def(offset), 0)) == bits)
        return tri_op_operand(tri_op_def(offset), 0);
    return tri_builder_unary(b, "arith.trunci", type, offset);
}

MlirValue tri_split_add(tri_builder *b, MlirValue x, MlirValue y)
{
    unsigned bits = integer_bits(x) > integer_bits(y) ? integer_bits(x) : integer_bits(y);
    int64_t first, second;
    if (tri_split_is_zero(x))
        return tri_split_cast(b, y, bits);
    if (tri_split_is_zero(y))
        return tri_split_cast(b, x, bits);
    x = tri_split_cast(b, x, bits);
    y = tri_split_cast(b, y, bits);
    MlirType type = mlirValueGetType(x);
    bool is_known = is_made_by(x, "arith.constant") && is_made_by(y, "arith.constant") &&
                    tri_op_const_int(x, &first) && tri_op_const_int(y, &second);
    if (is_known) {
        uint64_t sum = (uint64_t)first + (uint64_t)second;
        return tri_builder_int(b, type, (int64_t)(sum << (64 - bits)) >> (64 - bits));
    }
    return tri_builder_binary(b, "arith.addi", type, x, y);
}

static MlirValue times(tri_builder *b, MlirValue x, MlirValue y)
{
    if (tri_split_is_zero(x))
        return x;
    return tri_split_is_zero(y) ? y : tri_builder_binary(b, "arith.muli", mlirValueGetType(x), x, y);
}

static MlirValue splat(tri_builder *b, MlirType like, MlirValue scalar)
{
    MlirType type = tri_type_with_element(like, mlirValueGetType(scalar));
    return tri_split_is_zero(scalar) ? tri_builder_int(b, type, 0) : tri_builder_unary(b, "tt.splat", type, scalar);
}

MlirValue tri_split_scalar(tri_builder *b, MlirValue offset)
{
    int64_t number;
    if (is_made_by(offset, "tt.splat"))
        return tri_op_operand(tri_op_def(offset), 0);
    if (is_made_by(offset, "arith.constant") && tri_op_const_int(offset, &number))
        return tri_builder_int(b, integer_type(offset), number);
    return (MlirValue){0};
}

static MlirValue reshape_rest(tri_builder *b, MlirOperation like, MlirValue rest)
{
    MlirType type = mlirValueGetType(tri_op_result(like, 0));
    if (tri_split_is_zero(rest))
        return tri_builder_int(b, type, 0);
    MlirValue from = tri_op_operand(like, 0), to = rest;
    return tri_op_result(tri_op_clone(b, like, 1, &from, &to), 0);
}

static void split_product(splitting *s, tri_builder *b, MlirOperation product, MlirValue *out_same, MlirValue *out_rest)
{
    MlirValue same[2], rest[2];
    for (int i = 0; i < 2; i++)
        tri_split_offset(s, b, tri_op_operand(product, i), &same[i], &rest[i]);
    *out_same = times(b, same[0], same[1]);
    /* (u + r) * (v + t) = u * v + (r * t + u * t + r * v) */
    MlirValue sum = times(b, rest[0], rest[1]);
    if (!tri_split_is_zero(rest[1]))
        sum = tri_split_add(b, sum, times(b, splat(b, mlirValueGetType(rest[1]), same[0]), rest[1]));
    if (!tri_split_is_zero(rest[0]))
        sum = tri_split_add(b, sum, times(b, rest[0], splat(b, mlirValueGetType(rest[0]), same[1])));
    *out_rest = sum;
}

void tri_split_offset(splitting *s, tri_builder *b, MlirValue offset, MlirValue *out_same, MlirValue *out_rest)
{
    MlirOperation def = tri_op_def(offset);
    MlirValue scalar = tri_split_scalar(b, offset);
    if (!mlirValueIsNull(scalar)) {
        *out_same = scalar;
        *out_rest = tri_builder_int(b, mlirValueGetType(offset), 0);
    } else if (mlirOperationIsNull(def) || ++s->decomposed > MOST_DECOMPOSED) {
        *out_same = tri_builder_int(b, integer_type(offset), 0);
        *out_rest = offset;
    } else if (tri_op_is(def, "tt.broadcast") || tri_op_is(def, "tt.expand_dims") || tri_op_is(def, "tt.reshape")) {
        MlirValue rest;
        tri_split_offset(s, b, tri_op_operand(def, 0), out_same, &rest);
        *out_rest = reshape_rest(b, def, rest);
    } else if (tri_op_is(def, "arith.addi")) {
        MlirValue same[2], rest[2];
        for (int i = 0; i < 2; i++)
            tri_split_offset(s, b, tri_op_operand(def, i), &same[i], &rest[i]);
        *out_same = tri_split_add(b, same[0], same[1]);
        *out_rest = tri_split_add(b, rest[0], rest[1]);
    } else if (tri_op_is(def, "arith.muli")) {
        split_product(s, b, def, out_same, out_rest);
    } else {
        *out_same = tri_builder_int(b, integer_type(offset), 0);
        *out_rest = offset;
    }
}

/* ---- sums of a base that stays ---- */

/* What adds up: scalars, tensors, and tensors whose elements are all `scalar`, which may count as either. */
typedef struct {
    MlirValue same, rest; /* null: nothing yet */
    int n;
    MlirValue splats[2], scalars[2];
} terms;

static void add_to(tri_builder *b, MlirValue *sum, MlirValue term)
{
    *sum = mlirValueIsNull(*sum) ? term : tri_split_add(b, *sum, term);
}

/* A tensor of all `scalar` that is there already: of the operands of either sum. */
static MlirValue splat_within(MlirValue offset, MlirValue scalar, MlirType type, int depth)
{
    MlirOperation def = tri_op_def(offset);
    if (mlirOperationIsNull(def) || depth == 0)
        return (MlirValue){0};
    if (tri_op_is(def, "tt.splat"))
        return mlirValueEqual(tri_op_operand(def, 0), scalar) && mlirTypeEqual(mlirValueGetType(offset), type)
                   ? offset
                   : (MlirValue){0};
    if (!tri_op_is(def, "arith.addi") && !tri_op_is(def, "arith.muli"))
        return (MlirValue){0};
    for (int i = 0; i < 2; i++) {
        MlirValue found = splat_within(tri_op_operand(def, i), scalar, type, depth - 1);
        if (!mlirValueIsNull(found))
            return found;
    }
    return (MlirValue){0};
}

static void add_splats(tri_builder *b, terms *t)
{
    bool has_rest = !mlirValueIsNull(t->rest), is_scalar = has_rest && !mlirValueIsNull(t->same) &&
                                                           is_made_by(t->same, "arith.constant") &&
                                                           !tri_split_is_zero(t->same);
    for (int i = 0; i < t->n; i++)
        add_to(b, is_scalar ? &t->same : &t->rest, is_scalar ? t->scalars[i] : t->splats[i]);
}

MlirValue tri_split_sum(splitting *s, tri_builder *b, MlirValue offset, MlirValue more)
{
    enum { DEPTH = 8 };
    MlirValue both[] = {offset, more}, sum, known = {0};
    terms t = {0};
    for (int i = 0; i < 2; i++) {
        MlirValue scalar, same, rest;
        if (!tri_type_is_tensor(mlirValueGetType(both[i]))) {
            add_to(b, &t.same, both[i]);
        } else if (scalar = tri_split_scalar(b, both[i]), !mlirValueIsNull(scalar)) {
            t.splats[t.n] = both[i];
            t.scalars[t.n++] = scalar;
        } else {
            tri_split_offset(s, b, both[i], &same, &rest);
            add_to(b, &t.same, same);
            add_to(b, &t.rest, rest);
        }
    }
    add_splats(b, &t);
    if (mlirValueIsNull(t.rest))
        return tri_split_cast(b, t.same, 32);
    for (int i = 0; i < 2 && !mlirValueIsNull(t.same) && mlirValueIsNull(known); i++)
        known = splat_within(both[i], t.same, mlirValueGetType(t.rest), DEPTH);
    if (mlirValueIsNull(t.same))
        sum = t.rest;
    else if (!mlirValueIsNull(known))
        sum = tri_split_add(b, known, t.rest);
    else
        sum = tri_split_add(b, splat(b, mlirValueGetType(t.rest), t.same), t.rest);
    return tri_split_cast(b, sum, 32);
}
