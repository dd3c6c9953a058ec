/* What masks ask of the index. A mask is a conjunction of comparisons of affine numbers: those that grow with the index
 * say where the part without masks ends, those that fall say where it begins, the others whether there is one. */
#include "passes/ttir/remove_masks/remove_masks.h"

#include "ir/compare.h"
#include "ir/type.h"

enum { MAX_DEPTH = 16 };

void tri_masks_require(tri_masks *s, MlirValue condition)
{
    s->guard =
        mlirValueIsNull(s->guard) ? condition : tri_builder_binary(&s->b, "arith.andi", s->i1, s->guard, condition);
}

/* Requires that `a` is not below INT32_MIN (sign 1) or not above INT32_MAX (sign -1) for an index that is the loop's
 * lower (0) or upper (1) bound. */
static void require_no_wrap(tri_masks *s, const tri_masks_number *a, int sign, int bound)
{
    int64_t at, edge = sign > 0 ? a->low : a->high;
    MlirValue index = tri_op_operand(s->loop, bound);
    if (!a->count && (!a->step || tri_op_const_int(index, &at))) {
        int64_t value = (a->step ? a->step * at : 0) + edge;
        if (sign > 0 ? value >= INT32_MIN : value <= INT32_MAX)
            return;
    }
    MlirValue limit = tri_masks_constant(s, sign > 0 ? INT32_MIN : INT32_MAX);
    tri_masks_require(s, tri_compare_make(&s->b, sign > 0 ? TRI_CMP_SGE : TRI_CMP_SLE,
                                          tri_masks_emit_at(s, a, edge, index), limit));
}

/* x < y as numbers, of which none may wrap while the condition holds. */
typedef struct {
    tri_masks_number low, high, gap; /* x, y and x - y, to which 1 is added for <= taken as < */
    bool is_wide;                    /* of 64 bits, in which none wraps */
    bool is_one_sided; /* one side is plain, and the other moves away from the limit that would matter beside it */
} comparison;

static bool read_comparison(const tri_masks *s, MlirOperation op, comparison *c)
{
    int64_t predicate = tri_op_int(op, "predicate", -1);
    bool is_swapped = predicate == TRI_CMP_SGT || predicate == TRI_CMP_SGE;
    if (predicate < TRI_CMP_SLT || predicate > TRI_CMP_SGE)
        return false;
    MlirValue x = tri_op_operand(op, is_swapped), y = tri_op_operand(op, !is_swapped);
    *c = (comparison){.is_wide = tri_type_bits(tri_type_element(mlirValueGetType(x))) == 64};
    if (!tri_masks_add(s, &c->low, x, 1) || !tri_masks_add(s, &c->high, y, 1) || !tri_masks_add(s, &c->gap, x, 1) ||
        !tri_masks_add(s, &c->gap, y, -1))
        return false;
    bool is_strict = predicate == TRI_CMP_SLT || predicate == TRI_CMP_SGT;
    c->gap.low -= !is_strict;
    c->gap.high -= !is_strict;
    c->is_one_sided = c->gap.step >= 0 && ((tri_masks_is_plain(&c->high) && c->low.step >= 0) ||
                                           (tri_masks_is_plain(&c->low) && c->high.step <= 0));
    return true;
}

/* Neither side may wrap. Of one that is below a plain number only what could make it small matters, and where the index
 * is lowest at that; else both limits do, at both ends of the loop. */
static void require_numbers(tri_masks *s, const comparison *c)
{
    if (c->is_wide)
        return;
    if (c->is_one_sided) {
        if (!tri_masks_is_plain(&c->low))
            require_no_wrap(s, &c->low, 1, 0);
        if (!tri_masks_is_plain(&c->high))
            require_no_wrap(s, &c->high, -1, 0);
        return;
    }
    for (int side = 0; side < 2; side++) {
        const tri_masks_number *a = side ? &c->high : &c->low;
        if (tri_masks_is_plain(a))
            continue;
        require_no_wrap(s, a, 1, a->step < 0);
        require_no_wrap(s, a, -1, a->step > 0);
    }
}

/* Keeps the tighter of two bounds. */
static void tighten(tri_masks *s, MlirValue *bound, const char *which, MlirValue value)
{
    *bound = mlirValueIsNull(*bound) ? value : tri_masks_binary(s, which, *bound, value);
}

/* index * step < room, step > 0: an end. */
static void use_end(tri_masks *s, int64_t step, MlirValue room)
{
    MlirValue end = room;
    if (step > 1) {
        tri_masks_require(s, tri_compare_make(&s->b, TRI_CMP_SGT, room, tri_masks_constant(s, 0)));
        room = tri_masks_binary(s, "arith.addi", room, tri_masks_constant(s, step - 1));
        end = tri_masks_binary(s, "arith.divsi", room, tri_masks_constant(s, step));
    }
    tighten(s, &s->end, "arith.minsi", end);
}

/* rest < index * step, step > 0: a beginning; one index late where rest is negative and the step divides it not. */
static void use_begin(tri_masks *s, int64_t step, MlirValue rest)
{
    MlirValue last = step > 1 ? tri_masks_binary(s, "arith.divsi", rest, tri_masks_constant(s, step)) : rest;
    tighten(s, &s->begin, "arith.maxsi", tri_masks_binary(s, "arith.addi", last, tri_masks_constant(s, 1)));
}

/* gap < 0 for every element: index * step + high < 0. */
static void use_comparison(tri_masks *s, const comparison *c)
{
    require_numbers(s, c);
    MlirValue rest = tri_masks_emit_terms(s, &c->gap, c->gap.high), zero = tri_masks_constant(s, 0);
    if (!c->gap.step)
        tri_masks_require(s, tri_compare_make(&s->b, TRI_CMP_SLT, rest, zero));
    else if (c->gap.step > 0)
        use_end(s, c->gap.step, tri_masks_binary(s, "arith.subi", zero, rest));
    else
        use_begin(s, -c->gap.step, rest);
}

/* ---- masks ---- */

static bool is_wrapper(MlirOperation op)
{
    return tri_op_is(op, "tt.broadcast") || tri_op_is(op, "tt.expand_dims") || tri_op_is(op, "tt.splat");
}

/* Whether the whole of a mask is understood; with `uses`, it is required, too. */
static bool visit_whole(tri_masks *s, MlirValue mask, bool uses, int depth)
{
    MlirOperation op = tri_op_def(mask);
    comparison c;
    if (mlirOperationIsNull(op) || depth > MAX_DEPTH)
        return false;
    if (is_wrapper(op))
        return visit_whole(s, tri_op_operand(op, 0), uses, depth + 1);
    if (tri_op_is(op, "arith.andi"))
        return visit_whole(s, tri_op_operand(op, 0), uses, depth + 1) &&
               visit_whole(s, tri_op_operand(op, 1), uses, depth + 1);
    if (!tri_op_is(op, "arith.cmpi") || !read_comparison(s, op, &c))
        return false;
    if (uses)
        use_comparison(s, &c);
    return true;
}

static bool is_known(const tri_masks *s, MlirValue condition)
{
    for (size_t i = 0; i < s->conditions.len; i++)
        if (mlirValueEqual(s->conditions.at[i], condition))
            return true;
    return false;
}

static bool visit(tri_masks *s, MlirValue mask, bool uses, int depth)
{
    MlirOperation op = tri_op_def(mask);
    comparison c;
    if (mlirOperationIsNull(op) || depth > MAX_DEPTH || is_known(s, mask))
        return false;
    if (!tri_loops_is_inside(s->loop, mask)) {
        if (uses && visit_whole(s, mask, false, 0)) {
            visit_whole(s, mask, true, 0);
            tri_vec_push(s->run->arena, &s->conditions, mask);
        }
        return false;
    }
    if (is_wrapper(op))
        return visit(s, tri_op_operand(op, 0), uses, depth + 1);
    if (tri_op_is(op, "arith.andi")) {
        bool first = visit(s, tri_op_operand(op, 0), uses, depth + 1);
        return visit(s, tri_op_operand(op, 1), uses, depth + 1) || first;
    }
    if (!tri_op_is(op, "arith.cmpi") || !read_comparison(s, op, &c))
        return false;
    if (uses) {
        use_comparison(s, &c);
        tri_vec_push(s->run->arena, &s->conditions, mask);
    }
    return c.gap.step != 0;
}

bool tri_masks_visit(tri_masks *s, MlirValue mask, bool uses) { return visit(s, mask, uses, 0); }

bool tri_masks_is_whole(const tri_masks *s, MlirValue mask)
{
    tri_masks seen = *s;
    return visit_whole(&seen, mask, false, 0);
}

enum { few = 4 }; /* trips */

static bool is_constant_number(const tri_masks_number *a)
{
    for (int i = 0; i < a->count; i++)
        if (a->factors[i])
            return false;
    return !a->step;
}

/* By how much a comparison that only smaller indices fulfil misses for an index that is the loop's lower (0) or upper
 * (1) bound. False when that is no constant. */
static bool get_excess(const tri_masks *s, const comparison *c, int bound, int64_t *out)
{
    tri_masks_number at = c->gap;
    at.step = 0;
    if (c->gap.step <= 0 || !tri_masks_add(s, &at, tri_op_operand(s->loop, bound), c->gap.step) ||
        !is_constant_number(&at))
        return false;
    *out = at.high;
    return true;
}

static bool is_never(const tri_masks *s, MlirValue mask, int depth)
{
    MlirOperation op = tri_op_def(mask);
    comparison c;
    int64_t excess;
    if (mlirOperationIsNull(op) || depth > MAX_DEPTH || !tri_loops_is_inside(s->loop, mask))
        return false;
    if (is_wrapper(op))
        return is_never(s, tri_op_operand(op, 0), depth + 1);
    if (tri_op_is(op, "arith.andi"))
        return is_never(s, tri_op_operand(op, 0), depth + 1) || is_never(s, tri_op_operand(op, 1), depth + 1);
    return tri_op_is(op, "arith.cmpi") && read_comparison(s, op, &c) && get_excess(s, &c, 0, &excess) && excess >= 0;
}

bool tri_masks_is_never(const tri_masks *s, MlirValue mask) { return is_never(s, mask, 0); }

static bool is_soon_over(const tri_masks *s, MlirValue mask, int depth)
{
    MlirOperation op = tri_op_def(mask);
    comparison c;
    int64_t excess, step;
    if (mlirOperationIsNull(op) || depth > MAX_DEPTH || !tri_loops_is_inside(s->loop, mask))
        return true; /* says nothing of the index */
    if (is_wrapper(op))
        return is_soon_over(s, tri_op_operand(op, 0), depth + 1);
    if (tri_op_is(op, "arith.andi"))
        return is_soon_over(s, tri_op_operand(op, 0), depth + 1) && is_soon_over(s, tri_op_operand(op, 1), depth + 1);
    if (!tri_op_is(op, "arith.cmpi") || !read_comparison(s, op, &c) || c.gap.step <= 0)
        return true; /* nor where the part ends */
    return tri_op_const_int(tri_op_operand(s->loop, 2), &step) && get_excess(s, &c, 1, &excess) &&
           excess <= few * step * c.gap.step;
}

bool tri_masks_is_soon_over(const tri_masks *s, MlirValue mask)
{
    tri_masks loose = *s;
    loose.estimates = true;
    return is_soon_over(&loose, mask, 0);
}

bool tri_masks_has_few_trips(const tri_masks *s)
{
    tri_masks loose = *s;
    tri_masks_number length = {0};
    int64_t step;
    loose.estimates = true;
    return tri_op_const_int(tri_op_operand(s->loop, 2), &step) &&
           tri_masks_add(&loose, &length, tri_op_operand(s->loop, 1), 1) &&
           tri_masks_add(&loose, &length, tri_op_operand(s->loop, 0), -1) && is_constant_number(&length) &&
           length.high <= few * step;
}
