/* Which accesses are windows of a tensor that a map describes: a base, sizes and strides that no loop changes, and
 * where the window begins. */
#include "passes/ttir/auto_tma/auto_tma.h"

#include "ir/type.h"
#include "passes/analysis/tensormaps.h"
#include "passes/analysis/wrapped.h"

enum { SECTOR = 16 /* bytes; what the engine wants addresses, strides and rows to be multiples of */ };

static int64_t bytes_of(const tri_auto_tma_plan *p)
{
    return tri_type_bits(tri_type_ptr_pointee(mlirValueGetType(p->access.form.base))) / 8;
}

static bool is_multiple(const tri_auto_tma_plan *p, const tri_sum *elements)
{
    return tri_sum_is(elements, 0) || tri_sum_divisor(elements) * bytes_of(p) % SECTOR == 0;
}

/* The op of the function's own block that `op` is, or stands in. */
static MlirOperation find_outer(MlirOperation op)
{
    MlirOperation parent = mlirOperationGetParentOperation(op);
    for (; !tri_op_is(parent, "tt.func"); parent = mlirOperationGetParentOperation(op))
        op = parent;
    return op;
}

static const char *check_mask(const tri_auto_tma_plan *p)
{
    const tri_access *a = &p->access;
    bool is_load = tri_op_is(p->op, "tt.load");
    MlirValue fill = is_load ? tri_op_segment_value(p->op, 2) : (MlirValue){NULL};
    if (a->discrete_count)
        return "its mask is no window of the block";
    if (a->condition_count || a->positive_count)
        return "its mask has a condition for the block as a whole";
    bool is_zero = mlirValueIsNull(fill) || tri_op_const_zero(fill);
    return is_zero ? NULL : "what stands for elements outside is not zero";
}

/* The dimension along which neighbours in memory lie comes last. */
static const char *order_dimensions(tri_auto_tma_plan *p)
{
    const tri_block_form *f = &p->access.form;
    int inner = -1, n = 0;
    for (int d = 0; d < f->rank; d++) {
        if (f->dim[d].kind == TRI_DIM_NONE || f->dim[d].kind == TRI_DIM_INDEXED)
            return f->dim[d].kind == TRI_DIM_NONE ? "its elements repeat along a dimension"
                                                  : "its rows are picked by a list";
        if (tri_sum_is(f->dim[d].stride, 1))
            inner = d;
    }
    if (inner < 0)
        return "no stride of it is known to be 1";
    for (int d = 0; d < f->rank; d++)
        if (d != inner)
            p->order[n++] = d;
    p->order[n] = inner;
    return NULL;
}

static const char *check_strides(const tri_auto_tma_plan *p)
{
    for (int i = 0; i < p->access.form.rank - 1; i++) {
        const tri_sum *stride = p->access.form.dim[p->order[i]].stride;
        int64_t number;
        if (!tri_sum_is_outside(stride, p->outer))
            return "a stride of it is made in the loop";
        if (!is_multiple(p, stride))
            return "a stride of it is not known to be a multiple of 16 bytes";
        if (tri_sum_is_const(stride, &number) && number <= 0)
            return "a stride of it is zero or negative";
    }
    return NULL;
}

/* What of a sum does not change in the loops around the access; with `is_open` only what of that may be negative. */
static const tri_sum *fixed_part(const tri_auto_tma_plan *p, const tri_sum *sum, bool is_open)
{
    const tri_sum *fixed = tri_sum_const(p->t->sums, 0);
    for (int i = 0; sum && i < sum->count; i++) {
        tri_sum *one = tri_arena_alloc(p->t->run->arena, sizeof *one + sizeof one->term[0]);
        one->count = 1;
        one->term[0] = sum->term[i];
        if (tri_sum_is_outside(one, p->outer) && !(is_open && tri_sum_is_natural_over_sizes(one)))
            fixed = tri_sum_add(p->t->sums, fixed, one);
    }
    return fixed;
}

/* What of the base a loop moves belongs to dimensions that nothing bounds: to those whose stride divides it, the rest
 * to the one along which neighbours lie. */
static void move_offset(tri_auto_tma_plan *p)
{
    tri_sums *s = p->t->sums;
    int rank = p->access.form.rank;
    const tri_sum *moving = tri_sum_sub(s, p->offset, fixed_part(p, p->offset, false)), *quotient, *rest;
    for (int i = 0; i < rank && moving && moving->count; i++) {
        int d = p->order[i];
        tri_block_dim *dim = &p->access.form.dim[d];
        bool is_last = i == rank - 1;
        if (dim->kind != TRI_DIM_RANGE || p->access.low[d] || p->access.high[d] ||
            (!is_last && (dim->stride->count != 1 || !tri_sum_divide(s, moving, dim->stride, &quotient, &rest))))
            continue;
        if (is_last) {
            quotient = moving;
            rest = tri_sum_const(s, 0);
        }
        dim->start = tri_sum_add(s, dim->start, quotient);
        p->offset = tri_sum_sub(s, p->offset, tri_sum_sub(s, moving, rest));
        moving = rest;
    }
}

static bool is_wrap_unseen(const tri_auto_tma_plan *p, int d)
{
    return tri_wrapped_is_unseen(p->t->run->arena, p->t->pointers, p->op, &p->access, d);
}

/* Some of a window's beginning goes into the base; the bounds, which count from the beginning, move with it. */
static bool move_to_base(tri_auto_tma_plan *p, int d, const tri_sum *moved)
{
    tri_sums *s = p->t->sums;
    tri_block_dim *dim = &p->access.form.dim[d];
    const tri_sum *start = moved ? tri_sum_sub(s, dim->start, moved) : NULL;
    const tri_sum *far = moved ? tri_sum_mul(s, moved, dim->stride) : NULL;
    if (!start || !far || !moved->count)
        return false;
    dim->start = start;
    p->start[d] = start;
    p->offset = tri_sum_add(s, p->offset, far);
    return true;
}

/* What does not move and may be negative, as far as is known, as the row does where a head or a sequence begins among
 * all of them. */
static void move_start(tri_auto_tma_plan *p, int d)
{
    move_to_base(p, d, fixed_part(p, p->access.form.dim[d].start, true));
}

/* Whether the lower bound is element 0: of a block pointer's tensor where it is one of several, too. */
static bool begins_at_zero(tri_auto_tma_plan *p, int d)
{
    const tri_sum *first = tri_sum_add(p->t->sums, p->access.form.dim[d].start, p->access.low[d]);
    return first && (tri_sum_is(first, 0) || (tri_sum_is_outside(first, p->outer) && move_to_base(p, d, first)));
}

/* Where the window begins and what bounds it. Without bounds, what may be negative or large goes into the base. */
static const char *place_dimension(tri_auto_tma_plan *p, int d)
{
    tri_sums *s = p->t->sums;
    const tri_block_dim *dim = &p->access.form.dim[d];
    const tri_sum *low = p->access.low[d], *high = p->access.high[d];
    p->start[d] = dim->start;
    p->shape[d] = NULL;
    if (dim->kind == TRI_DIM_WRAP) {
        if (low || high)
            return "a dimension is bounded and taken modulo its size";
        p->shape[d] = dim->wrap;
        if (!tri_sum_is_natural_over_sizes(dim->start))
            return "where it begins may be in front of the tensor";
        if (!tri_sum_is_outside(dim->wrap, p->outer) || !is_wrap_unseen(p, d))
            return "rows or columns are taken modulo the size, and what is past the end may reach memory";
        return NULL;
    }
    if (low && !begins_at_zero(p, d))
        return "its mask begins elsewhere than at 0";
    if (high && !low && !tri_sum_is_natural_over_sizes(dim->start))
        move_start(p, d);
    if (high && !low && !tri_sum_is_natural_over_sizes(dim->start))
        return "where it begins may be in front of the tensor";
    if (high) {
        p->shape[d] = tri_sum_add(s, dim->start, high);
        return tri_sum_is_outside(p->shape[d], p->outer) ? NULL : "a bound of it changes in the loop";
    }
    if (tri_sum_is_natural(dim->start) && tri_sum_is_narrow(dim->start))
        return NULL;
    if (low) /* which the base of the map must not move */
        return "its mask begins elsewhere than at 0";
    const tri_sum *fixed = fixed_part(p, dim->start, false);
    p->start[d] = tri_sum_sub(s, dim->start, fixed);
    p->offset = tri_sum_add(s, p->offset, tri_sum_mul(s, fixed, dim->stride));
    return tri_sum_is_natural(p->start[d]) ? NULL : "where it begins may be in front of the tensor";
}

static const char *check_numbers(const tri_auto_tma_plan *p)
{
    int rank = p->access.form.rank, inner = p->order[rank - 1];
    if (!p->offset || !tri_sum_is_outside(p->offset, p->outer))
        return "its base changes in the loop";
    if (tri_sum_divisor(tri_sum_leaf(p->t->sums, TRI_LEAF_VALUE, p->access.form.base)) % SECTOR ||
        !is_multiple(p, p->offset))
        return "its base is not known to be a multiple of 16 bytes";
    for (int d = 0; d < rank; d++) /* a wide one that is bounded by a narrow one ends where that does */
        if (!tri_sum_is_narrow(p->shape[d] ? p->shape[d] : p->start[d]) || !p->start[d])
            return "its indices are numbers of 64 bits";
    return is_multiple(p, p->start[inner]) ? NULL : "where its rows begin is not known to be a multiple of 16 bytes";
}

static const char *check_block(const tri_auto_tma_plan *p)
{
    const tri_block_form *f = &p->access.form;
    MlirBlock block;
    intptr_t index;
    if (f->reason)
        return f->reason;
    if (mlirValueIsNull(f->base) || !tri_op_is_block_argument(f->base, &block, &index) ||
        !tri_op_is(mlirBlockGetParentOperation(block), "tt.func"))
        return "its base is no parameter";
    if (f->rank < 1 || f->rank > TRI_TENSORMAP_MAX_RANK)
        return "it is one element, or has more than five dimensions";
    if (tri_tensormaps_element(tri_type_ptr_pointee(mlirValueGetType(f->base))) < 0)
        return "the copy engine does not know elements of this type";
    return NULL;
}

const char *tri_auto_tma_find(tri_auto_tma *t, MlirOperation op, tri_auto_tma_plan *p)
{
    *p = (tri_auto_tma_plan){.t = t, .op = op, .outer = find_outer(op)};
    tri_pointers_access(t->pointers, op, &p->access);
    p->offset = p->access.form.offset;
    const char *why = tri_op_flag(op, "isVolatile") ? "it is volatile" : check_block(p);
    why = why ? why : check_mask(p);
    why = why ? why : order_dimensions(p);
    why = why ? why : check_strides(p);
    if (!why)
        move_offset(p);
    for (int d = 0; d < p->access.form.rank && !why; d++)
        why = place_dimension(p, d);
    why = why ? why : check_numbers(p);
    int inner = why ? 0 : p->order[p->access.form.rank - 1];
    int64_t row = why ? 0 : p->access.form.dim[inner].size * bytes_of(p);
    if (!why && p->access.form.rank == 1 && row % (8 * SECTOR))
        return "it is no multiple of 128 bytes, as slots of a ring are";
    return !why && row % (2 * SECTOR) ? "its rows are no multiples of 32 bytes" : why;
}
