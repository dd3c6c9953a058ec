#include "ir/analysis/infer.h"

#include "ir/analysis/reshape.h"
#include "ir/encoding.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "layout/convert.h"

#include <stdlib.h>

static const MlirAttribute none = {NULL};

static MlirContext context_of(MlirAttribute attr) { return mlirAttributeGetContext(attr); }

MlirAttribute tri_infer_slice(tri_arena *arena, MlirAttribute parent, int dim)
{
    const tri_encoding *p = tri_encoding_get(arena, parent);
    tri_encoding e = {.kind = TRI_ENC_SLICE, .rank = p->rank - 1, .parent = p, .slice.dim = dim};
    return tri_encoding_make(context_of(parent), &e);
}

MlirAttribute tri_infer_unslice(tri_arena *arena, MlirAttribute attr, int dim)
{
    const tri_encoding *e = tri_encoding_get(arena, attr);
    if (e->kind != TRI_ENC_SLICE || e->slice.dim != dim)
        return none;
    return tri_encoding_make(context_of(attr), e->parent);
}

static int shape_of(MlirValue value, int64_t *out_shape)
{
    MlirType type = mlirValueGetType(value);
    int rank = tri_type_rank(type);
    for (int d = 0; d < rank; d++)
        out_shape[d] = tri_type_dim(type, d);
    return rank;
}

static MlirAttribute from_linear(MlirAttribute like, const tri_linear *layout)
{
    tri_encoding e = tri_convert_from_linear(layout);
    return tri_encoding_make(context_of(like), &e);
}

static MlirAttribute reduce_result(tri_arena *arena, MlirOperation op, MlirAttribute from)
{
    return tri_type_rank(mlirValueGetType(tri_op_operand(op, 0))) > 1
               ? tri_infer_slice(arena, from, (int)tri_op_int(op, "axis", 0))
               : none;
}

static MlirAttribute reduce_operand(tri_arena *arena, MlirOperation op, MlirAttribute to)
{
    return tri_infer_unslice(arena, to, (int)tri_op_int(op, "axis", 0));
}

static MlirAttribute expand_result(tri_arena *arena, MlirOperation op, MlirAttribute from)
{
    return tri_infer_unslice(arena, from, (int)tri_op_int(op, "axis", 0));
}

static MlirAttribute expand_operand(tri_arena *arena, MlirOperation op, MlirAttribute to)
{
    return tri_infer_slice(arena, to, (int)tri_op_int(op, "axis", 0));
}

static void permute_bases(tri_bases *bases, const int32_t *order, int rank)
{
    for (int b = 0; b < bases->count; b++) {
        int32_t old[TRI_MAX_RANK];
        memcpy(old, bases->at[b], sizeof old);
        for (int d = 0; d < rank; d++)
            bases->at[b][d] = old[order[d]];
    }
}

static void permute(int32_t *list, const int32_t *order, int rank)
{
    int32_t old[TRI_MAX_RANK];
    memcpy(old, list, sizeof old);
    for (int d = 0; d < rank; d++)
        list[d] = old[order[d]];
}

MlirAttribute tri_infer_trans(tri_arena *arena, MlirAttribute attr, int rank, const int64_t *shape,
                              const int32_t *order)
{
    tri_encoding e = *tri_encoding_get(arena, attr);
    if (e.kind == TRI_ENC_BLOCKED) {
        int32_t inverse[TRI_MAX_RANK];
        for (int d = 0; d < rank; d++)
            inverse[order[d]] = d;
        permute_bases(&e.cga, order, rank);
        permute(e.blocked.size_per_thread, order, rank);
        permute(e.blocked.threads_per_warp, order, rank);
        permute(e.warps_per_cta, order, rank);
        for (int i = 0; i < rank; i++)
            e.order[i] = inverse[e.order[i]];
        return tri_encoding_make(context_of(attr), &e);
    }
    tri_linear l;
    if (!tri_convert_to_linear(&e, rank, shape, &l, NULL))
        return none;
    e = tri_convert_from_linear(&l);
    permute_bases(&e.linear.reg, order, rank);
    permute_bases(&e.linear.lane, order, rank);
    permute_bases(&e.linear.warp, order, rank);
    permute_bases(&e.linear.block, order, rank);
    return tri_encoding_make(context_of(attr), &e);
}

static MlirAttribute transpose(tri_arena *arena, MlirValue value, MlirAttribute attr, const int32_t *order)
{
    int64_t shape[TRI_MAX_RANK];
    int rank = shape_of(value, shape);
    return tri_infer_trans(arena, attr, rank, shape, order);
}

static MlirAttribute trans_result(tri_arena *arena, MlirOperation op, MlirAttribute from)
{
    int32_t order[TRI_MAX_RANK];
    tri_op_i32s(op, "order", order, TRI_MAX_RANK);
    return transpose(arena, tri_op_operand(op, 0), from, order);
}

static MlirAttribute trans_operand(tri_arena *arena, MlirOperation op, MlirAttribute to)
{
    int32_t order[TRI_MAX_RANK], inverse[TRI_MAX_RANK];
    int rank = tri_op_i32s(op, "order", order, TRI_MAX_RANK);
    for (int d = 0; d < rank; d++)
        inverse[order[d]] = d;
    return transpose(arena, tri_op_result(op, 0), to, inverse);
}

static MlirAttribute reshape(tri_arena *arena, MlirValue from, MlirValue to, MlirAttribute attr)
{
    int64_t from_shape[TRI_MAX_RANK], to_shape[TRI_MAX_RANK];
    int from_rank = shape_of(from, from_shape), to_rank = shape_of(to, to_shape);
    tri_encoding e;
    if (!tri_reshape_infer(tri_encoding_get(arena, attr), from_rank, from_shape, to_rank, to_shape, &e))
        return none;
    return tri_encoding_make(context_of(attr), &e);
}

static MlirAttribute reshape_result(tri_arena *arena, MlirOperation op, MlirAttribute from)
{
    return reshape(arena, tri_op_operand(op, 0), tri_op_result(op, 0), from);
}

static MlirAttribute reshape_operand(tri_arena *arena, MlirOperation op, MlirAttribute to)
{
    return reshape(arena, tri_op_result(op, 0), tri_op_operand(op, 0), to);
}

static bool is_pair_of(const tri_encoding *e, int dim)
{
    return e->kind == TRI_ENC_BLOCKED && e->blocked.size_per_thread[dim] == 2 &&
           e->blocked.threads_per_warp[dim] == 1 && e->warps_per_cta[dim] == 1;
}

MlirAttribute tri_infer_join(tri_arena *arena, MlirAttribute attr, int n, const int64_t *shape)
{
    tri_encoding e = *tri_encoding_get(arena, attr);
    if (n == TRI_MAX_RANK)
        return none;
    if (e.kind == TRI_ENC_SLICE && e.slice.dim == n && is_pair_of(e.parent, n))
        return tri_encoding_make(context_of(attr), e.parent);
    if (e.kind != TRI_ENC_BLOCKED) {
        tri_linear l, pair = tri_linear_identity(2, TRI_DIM_REGISTER, TRI_DIM_0 + (tri_dim)n);
        if (!tri_convert_to_linear(&e, n, shape, &l, NULL))
            return none;
        tri_dim outs[TRI_MAX_RANK];
        for (int d = 0; d <= n; d++)
            outs[d] = TRI_DIM_0 + (tri_dim)d;
        l = tri_linear_product(&pair, &l);
        l = tri_linear_transpose_outs(&l, outs);
        return from_linear(attr, &l);
    }
    e.rank = n + 1;
    e.blocked.size_per_thread[n] = 2;
    e.blocked.threads_per_warp[n] = e.warps_per_cta[n] = 1;
    for (int i = n; i > 0; i--)
        e.order[i] = e.order[i - 1];
    e.order[0] = n;
    return tri_encoding_make(context_of(attr), &e);
}

MlirAttribute tri_infer_split(tri_arena *arena, MlirAttribute attr, int rank, const int64_t *shape)
{
    tri_encoding e = *tri_encoding_get(arena, attr);
    int n = rank - 1;
    if (is_pair_of(&e, n)) {
        e.rank = n;
        for (int i = 0, k = 0; i <= n; i++)
            if (e.order[i] != n)
                e.order[k++] = e.order[i];
        return tri_encoding_make(context_of(attr), &e);
    }
    tri_linear l, kept;
    if (!tri_convert_to_linear(&e, n + 1, shape, &l, NULL))
        return none;
    tri_dim last = TRI_DIM_0 + (tri_dim)n;
    kept = tri_linear_empty();
    for (int d = 0; d < n; d++)
        tri_linear_add_out(&kept, TRI_DIM_0 + (tri_dim)d, tri_linear_log2(shape[d]));
    bool is_dropped = false;
    for (int i = 0; i < l.in.count; i++) {
        tri_linear_add_in(&kept, l.in.dim[i]);
        for (int b = 0; b < l.in.bits[i]; b++) {
            if (tri_linear_basis_at(&l, l.in.dim[i], b, last) == 0) {
                tri_linear_add_basis(&kept, l.in.dim[i], tri_linear_basis(&l, l.in.dim[i], b));
                continue;
            }
            if (l.in.dim[i] != TRI_DIM_REGISTER || is_dropped)
                return none;
            is_dropped = true;
        }
    }
    return is_dropped ? from_linear(attr, &kept) : none;
}

static MlirAttribute add_pair(tri_arena *arena, MlirValue value, MlirAttribute attr)
{
    int64_t shape[TRI_MAX_RANK];
    int rank = shape_of(value, shape);
    return tri_infer_join(arena, attr, rank, shape);
}

static MlirAttribute drop_pair(tri_arena *arena, MlirValue value, MlirAttribute attr)
{
    int64_t shape[TRI_MAX_RANK];
    int rank = shape_of(value, shape);
    return tri_infer_split(arena, attr, rank, shape);
}

static MlirAttribute join_result(tri_arena *arena, MlirOperation op, MlirAttribute from)
{
    return add_pair(arena, tri_op_operand(op, 0), from);
}

static MlirAttribute join_operand(tri_arena *arena, MlirOperation op, MlirAttribute to)
{
    return drop_pair(arena, tri_op_result(op, 0), to);
}

static MlirAttribute split_result(tri_arena *arena, MlirOperation op, MlirAttribute from)
{
    return drop_pair(arena, tri_op_operand(op, 0), from);
}

static MlirAttribute split_operand(tri_arena *arena, MlirOperation op, MlirAttribute to)
{
    return add_pair(arena, tri_op_result(op, 0), to);
}

/* Every basis with its coordinate along the axis doubled and the step between the two elements of a byte as another
 * register; or halved, without that register, which there must be. */
static MlirAttribute scale_linear(tri_arena *arena, MlirValue value, MlirAttribute attr, int axis, bool is_up)
{
    int64_t shape[TRI_MAX_RANK];
    int rank = shape_of(value, shape);
    tri_linear l, out = tri_linear_empty();
    if (!tri_convert_to_linear(tri_encoding_get(arena, attr), rank, shape, &l, NULL))
        return none;
    for (int d = 0; d < rank; d++)
        tri_linear_add_out(&out, TRI_DIM_0 + (tri_dim)d,
                           tri_linear_log2(shape[d]) + (d == axis ? is_up ? 1 : -1 : 0));
    int32_t step[TRI_MAX_RANK] = {0};
    step[axis] = 1;
    tri_linear_add_in(&out, TRI_DIM_REGISTER);
    if (is_up)
        tri_linear_add_coords(&out, TRI_DIM_REGISTER, step);
    bool has_pairs = is_up;
    for (int i = 0; i < l.in.count; i++) {
        tri_linear_add_in(&out, l.in.dim[i]);
        for (int b = 0; b < l.in.bits[i]; b++) {
            int32_t coords[TRI_MAX_RANK];
            for (int d = 0; d < rank; d++)
                coords[d] = (int32_t)tri_linear_basis_at(&l, l.in.dim[i], b, TRI_DIM_0 + (tri_dim)d);
            if (!is_up && !has_pairs && l.in.dim[i] == TRI_DIM_REGISTER &&
                !memcmp(coords, step, sizeof *step * (size_t)rank)) {
                has_pairs = true;
                continue;
            }
            if (!is_up && coords[axis] % 2)
                return none;
            coords[axis] = is_up ? coords[axis] * 2 : coords[axis] / 2;
            tri_linear_add_coords(&out, l.in.dim[i], coords);
        }
    }
    return has_pairs ? from_linear(attr, &out) : none;
}

static MlirAttribute scale_axis(tri_arena *arena, MlirValue value, MlirAttribute attr, int axis, bool is_up)
{
    tri_encoding e = *tri_encoding_get(arena, attr);
    bool is_k = e.kind == TRI_ENC_DOT_OP && axis == e.rank - (e.dot_op.op_idx == 0 ? 1 : 2);
    int32_t *size = e.kind == TRI_ENC_BLOCKED ? &e.blocked.size_per_thread[axis] : is_k ? &e.dot_op.k_width : NULL;
    if (!size)
        return scale_linear(arena, value, attr, axis, is_up);
    if (!is_up && *size % 2)
        return none;
    *size = is_up ? *size * 2 : *size / 2;
    return tri_encoding_make(context_of(attr), &e);
}

static MlirAttribute fp4_result(tri_arena *arena, MlirOperation op, MlirAttribute from)
{
    return scale_axis(arena, tri_op_operand(op, 0), from, (int)tri_op_int(op, "axis", 0), true);
}

static MlirAttribute fp4_operand(tri_arena *arena, MlirOperation op, MlirAttribute to)
{
    return scale_axis(arena, tri_op_result(op, 0), to, (int)tri_op_int(op, "axis", 0), false);
}

MlirAttribute tri_infer_unpacked(tri_arena *arena, MlirValue bytes, int axis)
{
    return scale_axis(arena, bytes, tri_type_encoding(mlirValueGetType(bytes)), axis, true);
}

static MlirAttribute same(tri_arena *arena, MlirOperation op, MlirAttribute attr)
{
    (void)arena, (void)op;
    return attr;
}

static MlirAttribute same_if_blocked(tri_arena *arena, MlirOperation op, MlirAttribute attr)
{
    (void)arena, (void)op;
    return tri_encoding_kind_of(attr) == TRI_ENC_BLOCKED ? attr : none;
}

typedef struct {
    const char *op;
    MlirAttribute (*result)(tri_arena *arena, MlirOperation op, MlirAttribute from);
    MlirAttribute (*operand)(tri_arena *arena, MlirOperation op, MlirAttribute to);
} rule;

/* Sorted by name. */
static const rule rules[] = {
    {"tt.broadcast", same, same},
    {"tt.expand_dims", expand_result, expand_operand},
    {"tt.gather", same, same}, /* of the indices */
    {"tt.join", join_result, join_operand},
    {"tt.reduce", reduce_result, reduce_operand},
    {"tt.reshape", reshape_result, reshape_operand},
    {"tt.scan", same_if_blocked, same_if_blocked},
    {"tt.split", split_result, split_operand},
    {"tt.trans", trans_result, trans_operand},
    {"ttg.convert_layout", same, same},
    {"ttg.fp4_to_fp", fp4_result, fp4_operand},
};

static int compare_rule(const void *key, const void *row)
{
    return tri_str_compare(*(const tri_str *)key, tri_str_from(((const rule *)row)->op));
}

static const rule *find_rule(MlirOperation op)
{
    tri_str name = tri_op_name(op);
    return bsearch(&name, rules, sizeof rules / sizeof *rules, sizeof *rules, compare_rule);
}

bool tri_infer_has_rule(MlirOperation op)
{
    return find_rule(op) || tri_op_in(op, TRI_OPS_ELEMENTWISE);
}

MlirAttribute tri_infer_result(tri_arena *arena, MlirOperation op, MlirAttribute operand)
{
    const rule *r = find_rule(op);
    if (r)
        return r->result(arena, op, operand);
    return tri_op_in(op, TRI_OPS_ELEMENTWISE) ? operand : none;
}

MlirAttribute tri_infer_operand(tri_arena *arena, MlirOperation op, MlirAttribute result)
{
    const rule *r = find_rule(op);
    if (r)
        return r->operand(arena, op, result);
    return tri_op_in(op, TRI_OPS_ELEMENTWISE) ? result : none;
}
