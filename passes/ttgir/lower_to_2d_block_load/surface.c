/* Which accesses are blocks of a matrix in memory whose rows the hardware can address, and what that matrix is. */
#include "passes/ttgir/lower_to_2d_block_load/surface.h"

#include "ir/block_io.h"
#include "ir/compare.h"
#include "ir/type.h"
#include "passes/analysis/wrapped.h"

#include <stdint.h>

enum { ROW, COLUMN };

static const tri_sum *known_sum(const tri_surface *s, int64_t value) { return tri_sum_const(s->sums, value); }

static bool is_multiple(const tri_surface *s, const tri_sum *elements, int64_t bytes)
{
    return tri_sum_is(elements, 0) || tri_sum_divisor(elements) * s->bytes % bytes == 0;
}

static MlirOperation find_outer(MlirOperation op)
{
    MlirOperation parent = mlirOperationGetParentOperation(op);
    for (; !tri_op_is(parent, "tt.func"); parent = mlirOperationGetParentOperation(op))
        op = parent;
    return op;
}

static const char *check_mask(const tri_surface *s)
{
    const tri_access *a = &s->access;
    double other;
    int64_t number;
    MlirValue fill = tri_op_is(s->op, "tt.load") ? tri_op_segment_value(s->op, 2) : (MlirValue){NULL};
    if (a->discrete_count)
        return "its mask is no window of the block";
    if (a->condition_count || a->positive_count)
        return "its mask has a condition for the block as a whole";
    bool is_zero = mlirValueIsNull(fill) || (tri_op_const_float(fill, &other) && other == 0) ||
                   (tri_op_const_int(fill, &number) && number == 0);
    return is_zero ? NULL : "what stands for elements outside is not zero";
}

static const char *find_dimensions(tri_surface *s)
{
    const tri_block_form *f = &s->access.form;
    s->dim[COLUMN] = -1;
    for (int d = 0; d < 2; d++) {
        if (f->dim[d].kind == TRI_DIM_NONE || f->dim[d].kind == TRI_DIM_INDEXED)
            return f->dim[d].kind == TRI_DIM_NONE ? "its elements repeat along a dimension"
                                                  : "its rows are picked by a list";
        if (tri_sum_is(f->dim[d].stride, 1))
            s->dim[COLUMN] = d;
    }
    if (s->dim[COLUMN] < 0)
        return "no stride of it is known to be 1";
    s->dim[ROW] = 1 - s->dim[COLUMN];
    s->stride = f->dim[s->dim[ROW]].stride;
    return NULL;
}

/* ---- where the block is, and what bounds it ---- */

/* Terms that change in the loops around the access. */
static const tri_sum *moving_part(const tri_surface *s, const tri_sum *sum)
{
    const tri_sum *moving = known_sum(s, 0);
    for (int i = 0; sum && i < sum->count; i++) {
        tri_sum *one = tri_arena_alloc(s->arena, sizeof *one + sizeof one->term[0]);
        one->count = 1;
        one->term[0] = sum->term[i];
        if (!tri_sum_is_outside(one, s->outer))
            moving = tri_sum_add(s->sums, moving, one);
    }
    return moving;
}

/* Pointers that a loop moves on: by whole rows, else along them. The block moves, then, and the matrix stays. */
static void move_block(tri_surface *s)
{
    const tri_sum *moving = moving_part(s, s->offset), *quotient, *rest;
    for (int i = 0; i < 2 && moving && moving->count; i++) {
        int d = s->dim[i];
        tri_block_dim *dim = &s->access.form.dim[d];
        if (dim->kind != TRI_DIM_RANGE || s->access.low[d])
            continue;
        if (i == COLUMN)
            quotient = moving;
        else if (dim->stride->count != 1 || !tri_sum_divide(s->sums, moving, dim->stride, &quotient, &rest))
            continue;
        const tri_sum *start = tri_sum_add(s->sums, dim->start, quotient), *high = s->access.high[d];
        if (!tri_sum_is_natural(quotient) ||
            (high && !tri_sum_is_outside(tri_sum_add(s->sums, start, high), s->outer)))
            continue;
        const tri_sum *moved = tri_sum_mul(s->sums, quotient, dim->stride);
        s->offset = tri_sum_sub(s->sums, s->offset, moved);
        moving = tri_sum_sub(s->sums, moving, moved);
        dim->start = start;
    }
}

/* The same in the last iteration of each loop that counts in it. */
static const tri_sum *in_last_iteration(const tri_surface *s, const tri_sum *sum)
{
    for (MlirOperation op = mlirOperationGetParentOperation(s->op); !tri_op_is(op, "tt.func");
         op = mlirOperationGetParentOperation(op)) {
        if (!tri_op_is(op, "scf.for"))
            continue;
        const tri_sum *now = tri_sum_loop(s->sums, TRI_LEAF_ITERATION, op);
        const tri_sum *last =
            tri_sum_sub(s->sums, tri_sum_loop(s->sums, TRI_LEAF_TRIPS, op), known_sum(s, 1));
        sum = tri_sum_substitute(s->sums, sum, now, last);
    }
    return sum;
}

static const char *place_dimension(tri_surface *s, int i)
{
    int d = s->dim[i];
    const tri_block_dim *dim = &s->access.form.dim[d];
    const tri_sum *low = s->access.low[d], *high = s->access.high[d];
    s->start[i] = dim->start;
    if (dim->kind == TRI_DIM_WRAP) {
        s->bound[i] = dim->wrap;
        if (low || high)
            return "a dimension is bounded and taken modulo its size";
        return tri_sum_is_natural_over_sizes(dim->start) &&
                       tri_wrapped_is_unseen(s->arena, s->pointers, s->op, &s->access, d)
                   ? NULL
                   : "rows or columns are taken modulo the size, and what is past the end may reach memory";
    }
    if (low && !tri_sum_is(tri_sum_add(s->sums, dim->start, low), 0))
        return "its mask begins elsewhere than at 0";
    const tri_sum *moving = moving_part(s, dim->start);
    bool is_counted = tri_sum_is_natural(moving); /* the last block is the one that reaches farthest */
    s->bound[i] = high         ? tri_sum_add(s->sums, dim->start, high)
                  : is_counted ? tri_sum_add(s->sums, in_last_iteration(s, dim->start), known_sum(s, dim->size))
                               : tri_sum_add(s->sums, dim->start, known_sum(s, dim->size));
    if (low || tri_sum_is_natural_over_sizes(dim->start))
        return NULL;
    s->offset = tri_sum_add(s->sums, s->offset, tri_sum_mul(s->sums, dim->start, dim->stride));
    s->bound[i] = tri_sum_sub(s->sums, s->bound[i], dim->start);
    s->start[i] = known_sum(s, 0);
    return NULL;
}

static const char *check_numbers(const tri_surface *s)
{
    if (!s->offset || !s->bound[ROW] || !s->bound[COLUMN] || !s->start[ROW] || !s->start[COLUMN])
        return "where it lies is too long a sum";
    if (!tri_sum_is_narrow(s->start[ROW]) || !tri_sum_is_narrow(s->start[COLUMN]))
        return "its indices are numbers of 64 bits";
    if (!s->is_promised && !is_multiple(s, s->stride, TRI_BLOCK_PITCH))
        return "its rows are not known to be multiples of 16 bytes apart";
    const tri_sum *base = tri_sum_leaf(s->sums, TRI_LEAF_VALUE, s->access.form.base);
    if (!s->is_promised && (tri_sum_divisor(base) % TRI_BLOCK_GRAIN || !is_multiple(s, s->offset, TRI_BLOCK_GRAIN)))
        return "its base is not known to be a multiple of 4 bytes";
    return is_multiple(s, s->start[COLUMN], TRI_BLOCK_GRAIN)
               ? NULL
               : "where it begins in a row is not known to be a multiple of 4 bytes";
}

const char *tri_surface_find(tri_arena *arena, tri_pointers *pointers, MlirOperation op, tri_surface *s)
{
    *s = (tri_surface){.arena = arena, .pointers = pointers, .sums = tri_pointers_sums(pointers), .op = op};
    s->outer = find_outer(op);
    if (tri_op_flag(op, "isVolatile"))
        return "it is volatile";
    tri_pointers_access(pointers, op, &s->access);
    if (s->access.form.reason)
        return s->access.form.reason;
    if (mlirValueIsNull(s->access.form.base) || s->access.form.rank != 2)
        return "it has not two dimensions";
    s->offset = s->access.form.offset;
    s->bytes = (int)tri_type_bits(tri_type_ptr_pointee(mlirValueGetType(s->access.form.base))) / 8;
    s->is_promised = !mlirAttributeIsNull(tri_op_attr(op, "ttig.block_io"));
    const char *why = check_mask(s);
    why = why ? why : find_dimensions(s);
    if (!why)
        move_block(s);
    for (int i = 0; i < 2 && !why; i++)
        why = place_dimension(s, i);
    return why ? why : check_numbers(s);
}

/* ---- what only a launch knows ---- */

typedef struct {
    const tri_sum *sum;
    int64_t scale, least, end, grain;
} limit;

enum { LIMITS = 3 };

static void list_limits(const tri_surface *s, limit out[LIMITS])
{
    out[0] = (limit){s->stride, s->bytes, TRI_BLOCK_LEAST, TRI_BLOCK_END, 1};
    out[1] = (limit){s->bound[COLUMN], s->bytes, TRI_BLOCK_LEAST, TRI_BLOCK_END,
                     is_multiple(s, s->bound[COLUMN], TRI_BLOCK_GRAIN) ? 1 : TRI_BLOCK_GRAIN};
    out[2] = (limit){s->bound[ROW], 1, 1, TRI_BLOCK_END, 1};
}

static bool is_in_limit(const limit *l, int64_t value)
{
    value *= l->scale;
    return value >= l->least && value < l->end && value % l->grain == 0;
}

bool tri_surface_needs_check(const tri_surface *s, bool *out_never)
{
    limit limits[LIMITS];
    bool needs = false;
    list_limits(s, limits);
    *out_never = false;
    for (int i = 0; i < LIMITS; i++) {
        int64_t value;
        bool is_known = tri_sum_is_const(limits[i].sum, &value);
        needs |= !is_known;
        *out_never |= is_known && !is_in_limit(&limits[i], value);
    }
    return needs;
}

bool tri_surface_is_outside(const tri_surface *s)
{
    return tri_sum_is_outside(s->stride, s->outer) && tri_sum_is_outside(s->bound[ROW], s->outer) &&
           tri_sum_is_outside(s->bound[COLUMN], s->outer);
}

static MlirValue compare_number(tri_builder *b, int predicate, MlirValue x, int64_t y)
{
    return tri_compare_make(b, predicate, x, tri_builder_int(b, mlirValueGetType(x), y));
}

static MlirValue both_hold(tri_builder *b, MlirValue x, MlirValue y)
{
    return mlirValueIsNull(x) ? y : tri_builder_binary(b, "arith.andi", mlirIntegerTypeGet(b->context, 1), x, y);
}

MlirValue tri_surface_check(const tri_surface *s, tri_builder *b)
{
    MlirType i64 = mlirIntegerTypeGet(b->context, 64);
    MlirValue all = {NULL};
    limit limits[LIMITS];
    list_limits(s, limits);
    for (int i = 0; i < LIMITS; i++) {
        int64_t value;
        if (tri_sum_is_const(limits[i].sum, &value))
            continue;
        const tri_sum *scaled = tri_sum_mul(s->sums, limits[i].sum, known_sum(s, limits[i].scale));
        MlirValue number = tri_sum_emit(s->sums, b, scaled, i64);
        all = both_hold(b, all, compare_number(b, TRI_CMP_SGE, number, limits[i].least));
        all = both_hold(b, all, compare_number(b, TRI_CMP_SLT, number, limits[i].end));
        if (limits[i].grain > 1) {
            MlirValue mask = tri_builder_int(b, i64, limits[i].grain - 1);
            number = tri_builder_binary(b, "arith.andi", i64, number, mask);
            all = both_hold(b, all, compare_number(b, TRI_CMP_EQ, number, 0));
        }
    }
    return all;
}

/* ---- operands ---- */

/* As i32; what does not fit is as large as one can be. */
static MlirValue emit_clamped(const tri_surface *s, tri_builder *b, const tri_sum *sum, int64_t scale)
{
    MlirType i32 = mlirIntegerTypeGet(b->context, 32), i64 = mlirIntegerTypeGet(b->context, 64);
    const tri_sum *scaled = tri_sum_mul(s->sums, sum, known_sum(s, scale));
    int64_t number;
    if (tri_sum_is_const(scaled, &number) && number == (int32_t)number)
        return tri_builder_int(b, i32, number);
    MlirValue wide = tri_sum_emit(s->sums, b, scaled, i64);
    wide = tri_builder_binary(b, "arith.minsi", i64, wide, tri_builder_int(b, i64, INT32_MAX));
    return tri_builder_unary(b, "arith.trunci", i32, wide);
}

void tri_surface_emit(const tri_surface *s, tri_builder *b, MlirValue out[TRI_SURFACE_OPERANDS])
{
    MlirType i32 = mlirIntegerTypeGet(b->context, 32), i64 = mlirIntegerTypeGet(b->context, 64);
    MlirValue base = s->access.form.base;
    if (!tri_sum_is(s->offset, 0))
        base = tri_builder_binary(b, "tt.addptr", mlirValueGetType(base), base,
                                  tri_sum_emit(s->sums, b, s->offset, i64));
    out[0] = base;
    out[1] = emit_clamped(s, b, s->bound[COLUMN], s->bytes);
    out[2] = emit_clamped(s, b, s->bound[ROW], 1);
    out[3] = emit_clamped(s, b, s->stride, s->bytes);
    out[4] = tri_sum_emit(s->sums, b, s->start[COLUMN], i32);
    out[5] = tri_sum_emit(s->sums, b, s->start[ROW], i32);
}
