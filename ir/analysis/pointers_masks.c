/* Masks as bounds of a block's dimensions, and accesses as a whole. */
#include "ir/analysis/pointers_forms.h"

#include "ir/op.h"
#include "ir/type.h"

enum { cmp_eq, cmp_ne, cmp_slt, cmp_sle, cmp_sgt, cmp_sge, cmp_ult, cmp_ule, cmp_ugt, cmp_uge };

/* How the dimensions of a mask inside of views are numbered outside of them: -1 for one that is gone. */
typedef struct {
    int at[TRI_MAX_RANK];
} dims;

static void bound_low(tri_sums *s, tri_access *a, int d, const tri_sum *low)
{
    a->low[d] = a->low[d] ? tri_sum_call(s, "arith.maxsi", a->low[d], low, NULL) : low;
}

static void bound_high(tri_sums *s, tri_access *a, int d, const tri_sum *high)
{
    a->high[d] = a->high[d] ? tri_sum_call(s, "arith.minsi", a->high[d], high, NULL) : high;
}

/* `f` > 0, of which at most one dimension counts: by 1 or -1. */
static bool bound_form(tri_pointers *p, const tri_block_form *f, const dims *map, tri_access *a)
{
    tri_sums *s = &p->sums;
    int64_t stride;
    int d = tri_pointers_forms_only_dim(f);
    if (f->reason)
        return false;
    if (tri_pointers_forms_is_uniform(f)) {
        if (a->positive_count == TRI_POINTERS_MAX_CONDITIONS || !f->offset)
            return false;
        a->positive[a->positive_count++] = f->offset;
        return true;
    }
    if (d < 0 || map->at[d] < 0 || f->dim[d].kind != TRI_DIM_RANGE || !tri_sum_is_const(f->dim[d].stride, &stride) ||
        (stride != 1 && stride != -1))
        return false;
    const tri_sum *walk = tri_sum_mul(s, f->dim[d].start, f->dim[d].stride), *rest = tri_sum_add(s, f->offset, walk);
    if (!rest)
        return false;
    if (stride == -1)
        bound_high(s, a, map->at[d], rest); /* rest - i > 0 */
    const tri_sum *low = tri_sum_sub(s, tri_sum_const(s, 1), rest);
    if (stride == 1 && low)
        bound_low(s, a, map->at[d], low);
    return stride == -1 || low;
}

/* x - y + `more` > 0 */
static bool bound_difference(tri_pointers *p, const tri_block_form *x, const tri_block_form *y, int64_t more,
                             const dims *map, tri_access *a, MlirValue at)
{
    tri_sums *s = &p->sums;
    tri_block_form f = tri_pointers_forms_add(p, *x, tri_pointers_forms_scale(p, *y, tri_sum_const(s, -1), at), at);
    if (!f.reason)
        f.offset = tri_sum_add(s, f.offset, tri_sum_const(s, more));
    return bound_form(p, &f, map, a);
}

static tri_block_form as_unsigned(tri_pointers *p, tri_block_form y)
{
    bool is_one = !y.reason && tri_pointers_forms_is_uniform(&y) && y.offset->count == 1 &&
                  y.offset->term[0].count == 1 && y.offset->term[0].factor == 1 &&
                  y.offset->term[0].leaf[0]->kind == TRI_LEAF_VALUE;
    if (is_one)
        y.offset = tri_sum_leaf(&p->sums, TRI_LEAF_UNSIGNED, y.offset->term[0].leaf[0]->value);
    return y;
}

/* 0 <= x < y (or <= y): what an unsigned comparison says as long as y is not negative. */
static bool bound_unsigned(tri_pointers *p, const tri_block_form *x, tri_block_form y, bool or_equal, const dims *map,
                           tri_access *a, MlirValue at)
{
    y = as_unsigned(p, y);
    if (y.reason || x->reason || !tri_pointers_forms_is_uniform(&y) || !tri_sum_is_natural(y.offset))
        return false;
    tri_block_form zero = y;
    zero.offset = tri_sum_const(&p->sums, 0);
    return bound_difference(p, x, &zero, 1, map, a, at) && bound_difference(p, &y, x, or_equal, map, a, at);
}

static bool bound_compare(tri_pointers *p, MlirOperation op, const dims *map, tri_access *a)
{
    MlirValue at = tri_op_result(op, 0);
    const tri_block_form *x = tri_pointers_form(p, tri_op_operand(op, 0)),
                         *y = tri_pointers_form(p, tri_op_operand(op, 1));
    if (x->base.ptr || y->base.ptr)
        return false;
    switch (tri_op_int(op, "predicate", -1)) {
    case cmp_eq:
        return bound_difference(p, x, y, 1, map, a, at) && bound_difference(p, y, x, 1, map, a, at);
    case cmp_slt:
    case cmp_sle:
        return bound_difference(p, y, x, tri_op_int(op, "predicate", 0) == cmp_sle, map, a, at);
    case cmp_sgt:
    case cmp_sge:
        return bound_difference(p, x, y, tri_op_int(op, "predicate", 0) == cmp_sge, map, a, at);
    case cmp_ult:
    case cmp_ule:
        return bound_unsigned(p, x, *y, tri_op_int(op, "predicate", 0) == cmp_ule, map, a, at);
    case cmp_ugt:
    case cmp_uge:
        return bound_unsigned(p, y, *x, tri_op_int(op, "predicate", 0) == cmp_uge, map, a, at);
    default:
        return false;
    }
}

static bool bound_scalar(MlirValue condition, tri_access *a)
{
    if (a->condition_count == TRI_POINTERS_MAX_CONDITIONS)
        return false;
    a->condition[a->condition_count++] = condition;
    return true;
}

/* What a view of a mask does to the numbering of dimensions; false for those that cannot be said. */
static bool map_view(MlirOperation op, const dims *outer, dims *inner)
{
    MlirType from = mlirValueGetType(tri_op_operand(op, 0)), to = mlirValueGetType(tri_op_result(op, 0));
    int32_t order[TRI_MAX_RANK] = {0};
    *inner = *outer;
    if (tri_op_is(op, "tt.reshape")) {
        int next = 0; /* only dimensions of size 1 may come and go */
        for (int d = 0; d < tri_type_rank(from); d++) {
            while (next < tri_type_rank(to) && tri_type_dim(to, next) == 1 && tri_type_dim(from, d) != 1)
                next++;
            bool is_same = next < tri_type_rank(to) && tri_type_dim(to, next) == tri_type_dim(from, d);
            if (!is_same && tri_type_dim(from, d) != 1)
                return false;
            inner->at[d] = is_same ? outer->at[next++] : -1;
        }
    } else if (tri_op_is(op, "tt.expand_dims")) {
        int axis = (int)tri_op_int(op, "axis", 0);
        for (int d = 0; d < tri_type_rank(from); d++)
            inner->at[d] = outer->at[d < axis ? d : d + 1];
    } else if (tri_op_is(op, "tt.trans")) {
        int n = tri_op_i32s(op, "order", order, TRI_MAX_RANK);
        for (int d = 0; d < n; d++)
            inner->at[order[d]] = outer->at[d];
    }
    return true;
}

static bool bound_mask(tri_pointers *p, MlirValue mask, const dims *map, tri_access *a, bool is_whole);

static bool is_one_repeated(MlirOperation op)
{
    MlirType from = mlirValueGetType(tri_op_operand(op, 0)), to = mlirValueGetType(tri_op_result(op, 0));
    for (int d = 0; tri_op_is(op, "tt.broadcast") && d < tri_type_rank(from); d++)
        if (tri_type_dim(from, d) != tri_type_dim(to, d))
            return true;
    return false;
}

/* In a mask that is repeated along a dimension, that dimension has no bounds of its own. */
static void forget_repeated(MlirOperation op, dims *map)
{
    MlirType from = mlirValueGetType(tri_op_operand(op, 0)), to = mlirValueGetType(tri_op_result(op, 0));
    for (int d = 0; d < tri_type_rank(from); d++)
        if (tri_type_dim(from, d) != tri_type_dim(to, d))
            map->at[d] = -1;
}

static bool bound_view(tri_pointers *p, MlirOperation op, const dims *map, tri_access *a)
{
    dims inner;
    if (tri_op_is(op, "tt.splat"))
        return bound_scalar(tri_op_operand(op, 0), a);
    if (!map_view(op, map, &inner))
        return false;
    if (is_one_repeated(op))
        forget_repeated(op, &inner);
    return bound_mask(p, tri_op_operand(op, 0), &inner, a, false);
}

static bool is_all(MlirValue value, bool what)
{
    int64_t constant;
    return tri_op_const_int(value, &constant) && (constant != 0) == what;
}

/* A mask that an scf.for carries: its bounds in the nth round, if those that it is given at the start and at the
 * end of a round are the same formula. */
static bool bound_carried(tri_pointers *p, MlirValue mask, const dims *map, tri_access *a)
{
    MlirBlock block;
    intptr_t index = 0;
    tri_op_is_block_argument(mask, &block, &index);
    MlirOperation loop = mlirBlockGetParentOperation(block);
    if (!tri_op_is(loop, "scf.for") || !index)
        return false;
    for (size_t i = 0; i < p->masks.len; i++)
        if (p->masks.at[i].ptr == mask.ptr)
            return false;
    tri_sums *s = &p->sums;
    tri_access first = {0}, next = {0};
    tri_vec_push(p->arena, &p->masks, mask);
    bool ok = bound_mask(p, tri_op_operand(loop, 2 + index), map, &first, false) &&
              bound_mask(p, tri_op_operand(mlirBlockGetTerminator(block), index - 1), map, &next, false);
    p->masks.len--;
    const tri_sum *round = tri_sum_loop(s, TRI_LEAF_ITERATION, loop), *one = tri_sum_const(s, 1);
    ok = ok && !first.condition_count && !next.condition_count && !first.positive_count && !next.positive_count;
    for (int d = 0; d < TRI_MAX_RANK && ok; d++)
        for (int side = 0; side < 2 && ok; side++) {
            const tri_sum *begin = side ? first.high[d] : first.low[d], *end = side ? next.high[d] : next.low[d];
            const tri_sum *now = tri_sum_substitute(s, end, round, tri_sum_sub(s, round, one));
            ok = !begin == !end &&
                 (!begin || tri_sum_is_equal(tri_sum_substitute(s, now, round, tri_sum_const(s, 0)), begin));
            if (ok && begin)
                (side ? bound_high : bound_low)(s, a, d, now);
        }
    return ok;
}

static bool bound_inner(tri_pointers *p, MlirValue mask, MlirOperation op, const dims *map, tri_access *a)
{
    if (mlirOperationIsNull(op))
        return tri_type_is_tensor(mlirValueGetType(mask)) ? bound_carried(p, mask, map, a) : bound_scalar(mask, a);
    if (is_all(mask, true))
        return true;
    if (!tri_type_is_tensor(mlirValueGetType(mask)))
        return bound_scalar(mask, a);
    if (tri_pointers_forms_is_view(op))
        return bound_view(p, op, map, a);
    if (tri_op_is(op, "arith.cmpi"))
        return bound_compare(p, op, map, a);
    if (tri_op_is(op, "arith.constant") && is_all(mask, false)) {
        bound_high(&p->sums, a, 0, tri_sum_const(&p->sums, 0));
        return true;
    }
    return false;
}

/* False when something of the mask is not said by the bounds; the whole of it is then among `discrete`
 * if `is_whole`: it has the shape of the block. Bounds hold all the same. */
static bool bound_mask(tri_pointers *p, MlirValue mask, const dims *map, tri_access *a, bool is_whole)
{
    MlirOperation op = tri_op_def(mask);
    bool is_select = !mlirOperationIsNull(op) && tri_op_is(op, "arith.select") && is_all(tri_op_operand(op, 2), false);
    if (!mlirOperationIsNull(op) && (tri_op_is(op, "arith.andi") || is_select)) {
        MlirValue x = tri_op_operand(op, 0), y = tri_op_operand(op, 1);
        bool is_block = is_whole && tri_type_is_tensor(mlirValueGetType(x));
        bool left = bound_mask(p, x, map, a, is_block), right = bound_mask(p, y, map, a, is_whole);
        if (left && right)
            return true;
        if (is_block || !is_whole || left)
            return false;
    } else if (bound_inner(p, mask, op, map, a)) {
        return true;
    }
    if (is_whole && a->discrete_count < TRI_POINTERS_MAX_CONDITIONS)
        a->discrete[a->discrete_count++] = mask;
    return false;
}

/* Of a mask alone, for a block of `rank` dimensions: the bounds of `out_access`. */
static void read_mask(tri_pointers *p, MlirValue mask, tri_access *out_access)
{
    dims map;
    for (int d = 0; d < TRI_MAX_RANK; d++)
        map.at[d] = d;
    if (!mlirValueIsNull(mask))
        bound_mask(p, mask, &map, out_access, true);
}

/* --- accesses --- */

typedef struct {
    const char *name;
    int mask;    /* operand number; -1: the op has none, -2: it is in segments */
    int indices; /* of descriptors: operand number of the first; 0: none */
} access_row;

static const access_row accesses[] = {
    {"tt.load", -2, 0},
    {"tt.store", 2, 0},
    {"tt.atomic_rmw", 2, 0},
    {"tt.atomic_cas", -1, 0},
    {"tt.atomic_load", 1, 0},
    {"tt.atomic_store", 2, 0},
    {"tt.descriptor_load", -1, 1},
    {"tt.descriptor_store", -1, 2},
    {"tt.descriptor_reduce", -1, 2},
};

static const access_row *find_row(MlirOperation op)
{
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
        if (tri_op_is(op, accesses[i].name))
            return &accesses[i];
    return NULL;
}

bool tri_pointers_is_access(MlirOperation op) { return find_row(op) != NULL; }

static MlirValue mask_of(MlirOperation op, const access_row *row)
{
    if (row->mask == -2)
        return tri_op_segment_value(op, 1);
    bool has_mask = row->mask >= 0 && mlirOperationGetNumOperands(op) > row->mask;
    return has_mask ? tri_op_operand(op, row->mask) : (MlirValue){NULL};
}

intptr_t tri_pointers_mask_operand(MlirOperation op)
{
    const access_row *row = find_row(op);
    return !mask_of(op, row).ptr ? 0 : row->mask == -2 ? 1 : row->mask;
}

/* 0 <= start + i < shape */
static void bound_shape(tri_pointers *p, tri_access *a, int d)
{
    tri_sums *s = &p->sums;
    const tri_block_dim *x = &a->form.dim[d];
    bound_low(s, a, d, tri_sum_sub(s, tri_sum_const(s, 0), x->start));
    bound_high(s, a, d, tri_sum_sub(s, x->shape, x->start));
}

static void bound_shapes(tri_pointers *p, MlirOperation op, const access_row *row, tri_access *a)
{
    int32_t checked[TRI_MAX_RANK];
    int n = row->indices ? 0 : tri_op_i32s(op, "boundaryCheck", checked, TRI_MAX_RANK);
    for (int i = 0; i < n; i++)
        if (checked[i] < a->form.rank && a->form.dim[checked[i]].shape)
            bound_shape(p, a, checked[i]);
    for (int d = 0; d < a->form.rank && row->indices; d++) {
        tri_block_dim *x = &a->form.dim[d];
        x->start = tri_sum_add(&p->sums, x->start, tri_sum_of(&p->sums, tri_op_operand(op, row->indices + d)));
        if (x->shape)
            bound_shape(p, a, d);
    }
}

/* Part of the offset that the mask names too moves a range: base + pid*128 + i of which pid*128 + i < n. */
static void settle(tri_pointers *p, tri_access *a)
{
    tri_sums *s = &p->sums;
    const tri_sum *quotient, *rest;
    for (int pass = 0; pass < 2; pass++)
        for (int d = 0; d < a->form.rank; d++) {
            tri_block_dim *x = &a->form.dim[d];
            bool is_one = tri_sum_is(x->stride, 1);
            if (x->kind != TRI_DIM_RANGE || is_one != (pass == 1) || !a->form.offset->count)
                continue;
            if (is_one && (tri_pointers_forms_only_dim(&a->form) < 0 || x->shape))
                continue;
            if (tri_sum_divide(s, a->form.offset, x->stride, &quotient, &rest) && quotient->count) {
                x->start = tri_sum_add(s, x->start, quotient);
                a->form.offset = rest;
            }
        }
}

/* A row of a matrix, base + pid*stride + i where i < n: what the mask does not count from belongs to the offset. */
static void split_start(tri_pointers *p, tri_access *a)
{
    tri_sums *s = &p->sums;
    int d = tri_pointers_forms_only_dim(&a->form);
    tri_block_dim *x = d < 0 ? NULL : &a->form.dim[d];
    if (!x || x->kind != TRI_DIM_RANGE || x->shape || (!a->low[d] && !a->high[d]) ||
        tri_sum_is_const(x->start, &(int64_t){0}))
        return;
    const tri_sum *bound = a->high[d] ? a->high[d] : a->low[d];
    const tri_sum *start = tri_sum_common(s, x->start, tri_sum_sub(s, tri_sum_const(s, 0), bound));
    const tri_sum *rest = tri_sum_mul(s, tri_sum_sub(s, x->start, start), x->stride);
    if (!rest)
        return;
    a->form.offset = tri_sum_add(s, a->form.offset, rest);
    x->start = start;
}

void tri_pointers_access(tri_pointers *p, MlirOperation op, tri_access *out_access)
{
    const access_row *row = find_row(op);
    MlirValue pointer = tri_op_operand(op, 0);
    MlirType type = mlirValueGetType(pointer);
    *out_access = (tri_access){.form = *tri_pointers_form(p, pointer)};
    if (out_access->form.reason && tri_type_is_tensor(type)) {
        tri_block_form shape = tri_pointers_forms_uniform(p, type, tri_sum_const(&p->sums, 0));
        shape.reason = out_access->form.reason;
        shape.culprit = out_access->form.culprit;
        out_access->form = shape;
    }
    read_mask(p, mask_of(op, row), out_access);
    if (out_access->form.reason)
        return;
    settle(p, out_access);
    split_start(p, out_access);
    bound_shapes(p, op, row, out_access);
}

/* --- text --- */

static void print_dim(tri_pointers *p, const tri_access *a, int d, tri_buf *out)
{
    tri_sums *s = &p->sums;
    const tri_block_dim *x = &a->form.dim[d];
    const tri_sum *start = x->kind == TRI_DIM_RANGE ? x->start : tri_sum_const(s, 0);
    tri_buf_format(out, " [%lld", (long long)x->size);
    if (x->kind == TRI_DIM_INDEXED)
        tri_buf_add_z(out, " by list");
    if (x->kind == TRI_DIM_RANGE || x->kind == TRI_DIM_WRAP) {
        tri_buf_add_z(out, " from ");
        tri_sum_print(x->start, out);
    }
    if (x->kind == TRI_DIM_WRAP) {
        tri_buf_add_z(out, x->is_contiguous ? " mod (promised not to wrap) " : " mod ");
        tri_sum_print(x->wrap, out);
    }
    if (x->kind != TRI_DIM_NONE) {
        tri_buf_add_z(out, " by ");
        tri_sum_print(x->stride, out);
    }
    if (a->low[d] || a->high[d]) {
        tri_buf_add_z(out, " in ");
        if (a->low[d])
            tri_sum_print(tri_sum_add(s, a->low[d], start), out);
        tri_buf_add_z(out, "..");
        if (a->high[d])
            tri_sum_print(tri_sum_add(s, a->high[d], start), out);
    }
    tri_buf_add_char(out, ']');
}

void tri_pointers_print(tri_pointers *p, const tri_access *a, tri_buf *out)
{
    if (a->form.reason) {
        tri_buf_format(out, "not structured: %s", a->form.reason);
    } else {
        tri_sum_print(tri_sum_leaf(&p->sums, TRI_LEAF_VALUE, a->form.base), out);
        if (a->form.offset->count) {
            tri_buf_add_z(out, " + ");
            tri_sum_print(a->form.offset, out);
        }
    }
    for (int d = 0; d < a->form.rank; d++)
        if (!a->form.reason || a->low[d] || a->high[d])
            print_dim(p, a, d, out);
    for (int i = 0; i < a->condition_count; i++) {
        tri_buf_add_z(out, " if ");
        tri_sum_print(tri_sum_leaf(&p->sums, TRI_LEAF_VALUE, a->condition[i]), out);
    }
    for (int i = 0; i < a->positive_count; i++) {
        tri_buf_add_z(out, " if ");
        tri_sum_print(a->positive[i], out);
        tri_buf_add_z(out, " > 0");
    }
    if (a->discrete_count)
        tri_buf_format(out, " and %d mask%s", a->discrete_count, a->discrete_count > 1 ? "s" : "");
}
