#include "ir/analysis/pointers_forms.h"

#include "ir/analysis/axis_rules.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/type.h"

tri_block_form tri_pointers_forms_fail(const char *reason, MlirValue culprit)
{
    return (tri_block_form){.reason = reason, .culprit = culprit};
}

static tri_block_form checked(tri_block_form a, MlirValue at)
{
    bool ok = a.offset != NULL;
    for (int d = 0; d < a.rank && ok && !a.reason; d++)
        ok = a.dim[d].kind == TRI_DIM_NONE || (a.dim[d].stride && (a.dim[d].kind == TRI_DIM_INDEXED || a.dim[d].start));
    return a.reason || ok ? a : tri_pointers_forms_fail("its offset is too long a sum", at);
}

tri_block_form tri_pointers_forms_uniform(tri_pointers *p, MlirType type, const tri_sum *offset)
{
    (void)p;
    tri_block_form a = {.offset = offset, .rank = tri_type_is_tensor(type) ? tri_type_rank(type) : 0};
    if (a.rank > TRI_MAX_RANK)
        return tri_pointers_forms_fail("it has too many dimensions", (MlirValue){NULL});
    for (int d = 0; d < a.rank; d++)
        a.dim[d].size = tri_type_dim(type, d);
    return a;
}

bool tri_pointers_forms_is_uniform(const tri_block_form *form)
{
    for (int d = 0; d < form->rank; d++)
        if (form->dim[d].kind != TRI_DIM_NONE)
            return false;
    return true;
}

int tri_pointers_forms_only_dim(const tri_block_form *form)
{
    int only = -1;
    for (int d = 0; d < form->rank; d++)
        if (form->dim[d].kind != TRI_DIM_NONE) {
            if (only >= 0)
                return -1;
            only = d;
        }
    return only;
}

tri_block_form tri_pointers_forms_indexed(tri_pointers *p, MlirValue value, const char *reason)
{
    MlirType type = mlirValueGetType(value);
    if (!tri_type_is_tensor(type) || !tri_type_is_int(tri_type_element(type)) ||
        tri_type_bits(tri_type_element(type)) < 8)
        return tri_pointers_forms_fail(reason, value);
    tri_block_form a = tri_pointers_forms_uniform(p, type, tri_sum_const(&p->sums, 0));
    int only = 0, large = 0;
    for (int d = 0; d < a.rank; d++)
        if (a.dim[d].size > 1) {
            only = d;
            large++;
        }
    if (a.reason || large > 1)
        return tri_pointers_forms_fail(reason, value);
    a.dim[only].kind = TRI_DIM_INDEXED;
    a.dim[only].index = value;
    a.dim[only].stride = tri_sum_const(&p->sums, 1);
    return a;
}

static bool is_same_sum(const tri_sum *a, const tri_sum *b) { return (!a && !b) || tri_sum_is_equal(a, b); }

static bool is_same_index(const tri_block_dim *a, const tri_block_dim *b)
{
    return a->kind == b->kind && is_same_sum(a->start, b->start) && is_same_sum(a->wrap, b->wrap) &&
           a->index.ptr == b->index.ptr;
}

bool tri_pointers_forms_has_same_dims(const tri_block_form *a, const tri_block_form *b, bool with_starts)
{
    if (a->rank != b->rank)
        return false;
    for (int d = 0; d < a->rank; d++) {
        const tri_block_dim *x = &a->dim[d], *y = &b->dim[d];
        bool may_move = !with_starts && x->kind == TRI_DIM_RANGE && y->kind == TRI_DIM_RANGE;
        if ((!may_move && !is_same_index(x, y)) || !is_same_sum(x->stride, y->stride) ||
            !is_same_sum(x->shape, y->shape))
            return false;
    }
    return true;
}

/* A single range of stride 1 (or -1) takes the offset in: pid*128 + (0..128) is a range from pid*128 on. */
static void settle(tri_pointers *p, tri_block_form *a)
{
    int d = tri_pointers_forms_only_dim(a);
    int64_t stride;
    if (d < 0 || a->dim[d].kind != TRI_DIM_RANGE || !tri_sum_is_const(a->dim[d].stride, &stride) ||
        (stride != 1 && stride != -1))
        return;
    a->dim[d].start = tri_sum_add(&p->sums, a->dim[d].start, tri_sum_mul(&p->sums, a->offset, a->dim[d].stride));
    a->offset = tri_sum_const(&p->sums, 0);
}

static bool add_dims(tri_pointers *p, tri_block_form *a, tri_block_dim *x, const tri_block_dim *y)
{
    tri_sums *s = &p->sums;
    if (y->kind == TRI_DIM_NONE)
        return true;
    if (x->kind == TRI_DIM_NONE) {
        *x = *y;
        return true;
    }
    const tri_sum *stride = tri_sum_add(s, x->stride, y->stride);
    if (!is_same_index(x, y)) {
        if (x->kind != TRI_DIM_RANGE || y->kind != TRI_DIM_RANGE)
            return false;
        const tri_sum *by_y = tri_sum_mul(s, y->start, y->stride);
        const tri_sum *moved = tri_sum_add(s, tri_sum_mul(s, x->start, x->stride), by_y);
        a->offset = tri_sum_add(s, a->offset, moved);
        x->start = tri_sum_const(s, 0);
    }
    x->stride = stride;
    if (tri_sum_is(stride, 0))
        *x = (tri_block_dim){.size = x->size};
    return true;
}

tri_block_form tri_pointers_forms_add(tri_pointers *p, tri_block_form a, tri_block_form b, MlirValue at)
{
    if (a.reason || b.reason)
        return a.reason ? a : b;
    if ((a.base.ptr && b.base.ptr) || a.rank != b.rank)
        return tri_pointers_forms_fail("it is a sum of addresses", at);
    a.base = a.base.ptr ? a.base : b.base;
    a.offset = tri_sum_add(&p->sums, a.offset, b.offset);
    for (int d = 0; d < a.rank; d++)
        if (!add_dims(p, &a, &a.dim[d], &b.dim[d]))
            return tri_pointers_forms_fail("it adds different indices of one dimension", at);
    settle(p, &a);
    return checked(a, at);
}

tri_block_form tri_pointers_forms_scale(tri_pointers *p, tri_block_form a, const tri_sum *by, MlirValue at)
{
    if (a.reason)
        return a;
    a.offset = tri_sum_mul(&p->sums, a.offset, by);
    for (int d = 0; d < a.rank; d++) {
        tri_block_dim *x = &a.dim[d];
        if (x->kind != TRI_DIM_NONE)
            x->stride = tri_sum_mul(&p->sums, x->stride, by);
        if (tri_sum_is(x->stride, 0))
            *x = (tri_block_dim){.size = x->size};
    }
    return checked(a, at);
}

/* The dimension that a plain range runs in (stride 1, nothing added), or -1. */
static int plain_range(const tri_block_form *a)
{
    int d = tri_pointers_forms_only_dim(a);
    bool is_plain =
        d >= 0 && a->dim[d].kind == TRI_DIM_RANGE && tri_sum_is(a->dim[d].stride, 1) && tri_sum_is(a->offset, 0);
    return is_plain ? d : -1;
}

/* Does the block lie within one multiple of `by`? */
static bool is_within(const tri_block_dim *x, const tri_sum *by)
{
    int64_t number, start;
    if (!tri_sum_is_const(by, &number) || number <= 0)
        return false;
    if (tri_sum_is_const(x->start, &start))
        return start >= 0 && start % number + x->size <= number;
    return x->size <= number && (number & -number) == number && tri_sum_divisor(x->start) % number == 0 &&
           tri_sum_is_natural(x->start);
}

tri_block_form tri_pointers_forms_remainder(tri_pointers *p, tri_block_form a, tri_block_form b, MlirOperation op)
{
    MlirValue at = tri_op_result(op, 0);
    if (a.reason || b.reason || !tri_pointers_forms_is_uniform(&b))
        return tri_pointers_forms_fail("it is a remainder by different numbers", at);
    if (tri_pointers_forms_is_uniform(&a)) {
        a.offset = tri_sum_call(&p->sums, "arith.remsi", a.offset, b.offset, NULL);
        return checked(a, at);
    }
    int d = plain_range(&a);
    if (d < 0)
        return tri_pointers_forms_fail("it is a remainder of more than a range", at);
    tri_block_dim *x = &a.dim[d];
    if (is_within(x, b.offset)) {
        bool is_known = tri_sum_is_const(x->start, &(int64_t){0});
        x->start =
            is_known ? tri_sum_call(&p->sums, "arith.remsi", x->start, b.offset, NULL) : tri_sum_const(&p->sums, 0);
        return checked(a, at);
    }
    tri_axis hint = tri_axis_rules_unknown(mlirValueGetType(at));
    tri_axis_rules_hint_op(&hint, op, "");
    x->kind = TRI_DIM_WRAP;
    x->wrap = b.offset;
    x->is_contiguous = hint.contiguity[d] >= x->size;
    return a;
}

tri_block_form tri_pointers_forms_quotient(tri_pointers *p, tri_block_form a, tri_block_form b, MlirValue at)
{
    if (a.reason || b.reason || !tri_pointers_forms_is_uniform(&b))
        return tri_pointers_forms_fail("it is a quotient by different numbers", at);
    if (tri_pointers_forms_is_uniform(&a)) {
        a.offset = tri_sum_call(&p->sums, "arith.divsi", a.offset, b.offset, NULL);
        return checked(a, at);
    }
    int d = plain_range(&a);
    if (d < 0 || !is_within(&a.dim[d], b.offset))
        return tri_pointers_forms_fail("it is a quotient of a range", at);
    const tri_sum *rest;
    if (!tri_sum_divide(&p->sums, a.dim[d].start, b.offset, &a.offset, &rest) || !tri_sum_is(rest, 0))
        a.offset = tri_sum_call(&p->sums, "arith.divsi", a.dim[d].start, b.offset, NULL);
    a.dim[d] = (tri_block_dim){.size = a.dim[d].size};
    return checked(a, at);
}

/* --- views --- */

bool tri_pointers_forms_is_view(MlirOperation op)
{
    return tri_op_in(op, TRI_OPS_VIEW) || tri_op_is(op, "tt.splat");
}

/* One index for all: the dimension's only element is repeated. */
static tri_block_form broadcast(tri_pointers *p, tri_block_form a, MlirType to, MlirValue at)
{
    tri_sums *s = &p->sums;
    for (int d = 0; d < a.rank; d++) {
        tri_block_dim *x = &a.dim[d];
        int64_t size = tri_type_dim(to, d);
        if (x->size == size)
            continue;
        if (x->kind == TRI_DIM_INDEXED)
            return tri_pointers_forms_fail("it repeats an index from a list", at);
        if (x->kind != TRI_DIM_NONE) {
            const tri_sum *index = x->start;
            if (x->kind == TRI_DIM_WRAP)
                index = tri_sum_call(s, "arith.remsi", index, x->wrap, NULL);
            a.offset = tri_sum_add(s, a.offset, tri_sum_mul(s, index, x->stride));
        }
        *x = (tri_block_dim){.size = size};
    }
    return checked(a, at);
}

/* Dimensions [from, from + n) of `a` as one, written to `out`: their strides must follow from each other. */
static bool collapse(tri_pointers *p, tri_block_form *a, int from, int n, tri_block_dim *out)
{
    tri_sums *s = &p->sums;
    int last = -1;
    int64_t size = 1;
    *out = (tri_block_dim){.size = 1};
    for (int d = from; d < from + n; d++)
        out->size *= a->dim[d].size;
    for (int d = from + n; d-- > from;) {
        tri_block_dim *x = &a->dim[d];
        if (x->size > 1 && x->kind != TRI_DIM_NONE && last < 0) {
            last = d;
            if (size != 1 || (x->kind != TRI_DIM_RANGE && x->size != out->size))
                return false;
            *out = (tri_block_dim){x->kind, out->size, x->start, x->stride, x->wrap, x->index, x->is_contiguous, NULL};
        } else if (x->kind == TRI_DIM_RANGE) {
            const tri_sum *expected = last < 0 ? NULL : tri_sum_mul(s, out->stride, tri_sum_const(s, size));
            if (x->size > 1 && !tri_sum_is_equal(expected, x->stride))
                return false;
            a->offset = tri_sum_add(s, a->offset, tri_sum_mul(s, x->start, x->stride));
        } else if (x->kind != TRI_DIM_NONE || (x->size > 1 && last >= 0)) {
            return false;
        }
        size *= x->size;
    }
    return true;
}

/* One dimension as several, of which `sizes` are given. */
static bool split(tri_pointers *p, const tri_block_dim *x, int n, const int64_t *sizes, tri_block_dim *out)
{
    tri_sums *s = &p->sums;
    int64_t step = 1;
    bool is_first = true;
    for (int d = n; d-- > 0;) {
        out[d] = (tri_block_dim){.size = sizes[d]};
        if (x->kind == TRI_DIM_NONE || (sizes[d] == 1 && x->size != 1))
            continue;
        if (x->kind != TRI_DIM_RANGE && sizes[d] != x->size)
            return false;
        if (x->size == 1 && !is_first)
            continue;
        out[d] = *x;
        out[d].size = sizes[d];
        out[d].stride = tri_sum_mul(s, x->stride, tri_sum_const(s, step));
        out[d].start = is_first ? x->start : tri_sum_const(s, 0);
        is_first = false;
        step *= sizes[d];
    }
    return true;
}

static tri_block_form reshape(tri_pointers *p, tri_block_form a, MlirType to, MlirValue at)
{
    tri_block_form r = tri_pointers_forms_uniform(p, to, a.offset);
    int from = 0, into = 0;
    while (!r.reason && (from < a.rank || into < r.rank)) {
        int m = 0, n = 0;
        int64_t have = 1, want = 1, sizes[TRI_MAX_RANK];
        do {
            if (have <= want && from + m < a.rank)
                have *= a.dim[from + m++].size;
            else
                want *= sizes[n] = r.dim[into + n].size, n++;
        } while (have != want);
        tri_block_dim one;
        if (!collapse(p, &a, from, m, &one) || !split(p, &one, n, sizes, &r.dim[into]))
            return tri_pointers_forms_fail("it reshapes across strides", at);
        from += m;
        into += n;
    }
    r.base = a.base;
    r.offset = a.offset;
    return checked(r, at);
}

tri_block_form tri_pointers_forms_view(tri_pointers *p, tri_block_form a, MlirOperation op)
{
    MlirValue at = tri_op_result(op, 0);
    MlirType to = mlirValueGetType(at);
    if (a.reason || tri_op_is(op, "ttg.convert_layout"))
        return a;
    tri_block_form r = tri_pointers_forms_uniform(p, to, a.offset);
    r.base = a.base;
    if (tri_op_is(op, "tt.splat"))
        return r;
    if (tri_op_is(op, "tt.broadcast"))
        return broadcast(p, a, to, at);
    if (tri_op_is(op, "tt.reshape"))
        return reshape(p, a, to, at);
    if (tri_op_is(op, "tt.expand_dims")) {
        int axis = (int)tri_op_int(op, "axis", 0);
        for (int d = 0; d < r.rank; d++)
            if (d != axis)
                r.dim[d] = a.dim[d < axis ? d : d - 1];
    } else {
        int32_t order[TRI_MAX_RANK] = {0};
        int n = tri_op_i32s(op, "order", order, TRI_MAX_RANK);
        for (int d = 0; d < n; d++)
            r.dim[d] = a.dim[order[d]];
    }
    return r;
}
