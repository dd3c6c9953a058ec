#include "frontend/kernel/eval.h"

#include <math.h>

/* ---- constants ---- */

/* The library's choice of a type for a bare Python number. */
static bool default_dtype(const tri_num *n, tri_dtype *out)
{
    if (n->kind == TRI_NUM_BOOL) {
        *out = TRI_DTYPE_INT1;
        return true;
    }
    if (n->kind == TRI_NUM_FLOAT) {
        double a = fabs(n->f);
        bool single = a == 0 || isinf(a) || isnan(a) || (a >= 0x1p-126 && a <= 0x1.fffffep127);
        *out = single ? TRI_DTYPE_FP32 : TRI_DTYPE_FP64;
        return true;
    }
    const __int128 one = 1;
    if (n->i >= -(one << 31) && n->i < (one << 31))
        *out = TRI_DTYPE_INT32;
    else if (n->i >= 0 && n->i < (one << 32))
        *out = TRI_DTYPE_UINT32;
    else if (n->i >= -(one << 63) && n->i < (one << 63))
        *out = TRI_DTYPE_INT64;
    else if (n->i >= 0 && n->i < (one << 64))
        *out = TRI_DTYPE_UINT64;
    else
        return false;
    return true;
}

static bool is_zero(const tri_num *n) { return n->kind == TRI_NUM_FLOAT ? n->f == 0 : n->i == 0; }

tri_ev tri_semantic_constant(tri_eval *e, const tri_num *n, tri_dtype dtype)
{
    const tri_type *t = tri_types_scalar(dtype);
    MlirType ir = tri_emit_type(e, t);
    if (tri_types_dtype_is_int(dtype)) {
        if (n->kind == TRI_NUM_FLOAT && (n->f != trunc(n->f) || isinf(n->f)))
            return tri_eval_error(e, 3008, "the number %g can not be a constant of type '%s'", n->f,
                                  tri_types_dtype_name(dtype));
        __int128 i = n->kind == TRI_NUM_FLOAT ? (__int128)n->f : n->i;
        if (dtype == TRI_DTYPE_INT1)
            i = i != 0;
        return tri_ev_tensor(tri_builder_int(&e->b, ir, (int64_t)(uint64_t)i), t);
    }
    if (dtype == TRI_DTYPE_FP8E4B15) {
        if (is_zero(n))
            return tri_ev_tensor(tri_builder_int(&e->b, ir, 0), t);
        return tri_semantic_cast_to(e, tri_semantic_constant(e, n, TRI_DTYPE_FP16), dtype);
    }
    double f = is_zero(n) ? 0.0 : n->f; /* -0.0 becomes +0.0, as in the library */
    if (tri_types_dtype_is_fp8(dtype) && f != 0) {
        const tri_type *f32 = tri_types_scalar(TRI_DTYPE_FP32);
        tri_ev wide = tri_ev_tensor(tri_builder_float(&e->b, tri_emit_type(e, f32), f), f32);
        return tri_emit_unary(e, "arith.truncf", t, wide);
    }
    if (dtype == TRI_DTYPE_FP16)
        f = (float)f;
    return tri_ev_tensor(tri_builder_float(&e->b, ir, f), t);
}

tri_ev tri_semantic_to_tensor(tri_eval *e, tri_ev x)
{
    tri_num n;
    tri_dtype dtype;
    if (tri_ev_is_tensor(x) || tri_ev_is_error(x))
        return x;
    if (!tri_ev_get_num(x, &n))
        return tri_eval_error(e, 3008, "%s can not be used as a tensor", tri_eval_describe(e, x));
    if (!default_dtype(&n, &dtype))
        return tri_eval_error(e, 3011, "the integer %s does not fit in 64 bits", tri_eval_describe(e, x));
    return tri_semantic_constant(e, &n, dtype);
}

const tri_type *tri_semantic_default_type(tri_ev x)
{
    tri_num n;
    tri_dtype d;
    return tri_ev_get_num(x, &n) && default_dtype(&n, &d) ? tri_types_scalar(d) : NULL;
}

/* ---- promotion ---- */

tri_dtype tri_semantic_promote_int(tri_dtype a, tri_dtype b)
{
    unsigned wa = tri_types_dtype_bits(a), wb = tri_types_dtype_bits(b);
    bool sa = tri_types_dtype_is_signed(a), sb = tri_types_dtype_is_signed(b);
    if (sa == sb)
        return wa > wb ? a : b;
    if (!sa)
        return wa >= wb ? a : b;
    return wb >= wa ? b : a;
}

static int kind_rank(tri_dtype d)
{
    if (d == TRI_DTYPE_INT1)
        return 0;
    return tri_types_dtype_is_int(d) ? 1 : 2;
}

/* Result type of an operator by the first rule that matches; a "weak" side is a bare number. */
static bool computation_dtype(tri_eval *e, tri_dtype a, bool a_weak, tri_dtype b, bool b_weak, bool div_mod,
                              tri_dtype *out)
{
    if (a_weak != b_weak) {
        tri_dtype weak = a_weak ? a : b, strong = a_weak ? b : a;
        if (kind_rank(weak) <= kind_rank(strong)) {
            bool half = strong == TRI_DTYPE_FP16 || strong == TRI_DTYPE_BF16;
            *out = div_mod && half ? TRI_DTYPE_FP32 : strong;
            return true;
        }
    }
    if (a == TRI_DTYPE_FP64 || b == TRI_DTYPE_FP64)
        *out = TRI_DTYPE_FP64;
    else if (a == TRI_DTYPE_FP32 || b == TRI_DTYPE_FP32)
        *out = TRI_DTYPE_FP32;
    else if (a == TRI_DTYPE_FP16 || b == TRI_DTYPE_FP16)
        *out = div_mod ? TRI_DTYPE_FP32 : TRI_DTYPE_FP16;
    else if (a == TRI_DTYPE_BF16 && b == TRI_DTYPE_BF16)
        *out = div_mod ? TRI_DTYPE_FP32 : TRI_DTYPE_BF16;
    else if (a == TRI_DTYPE_BF16 || b == TRI_DTYPE_BF16)
        *out = TRI_DTYPE_FP32;
    else if (tri_types_dtype_is_fp8(a) && tri_types_dtype_is_fp8(b))
        *out = a == b ? a : TRI_DTYPE_FP16;
    else if (!tri_types_dtype_is_int(a) || !tri_types_dtype_is_int(b)) {
        tri_eval_error(e, 3005, "operands of types '%s' and '%s' can not be combined; cast one of them with .to()",
                       tri_types_dtype_name(a), tri_types_dtype_name(b));
        return false;
    } else if (div_mod && tri_types_dtype_is_signed(a) != tri_types_dtype_is_signed(b)) {
        tri_eval_error(e, 3006, "'/', '//' and '%%' need operands of one signedness, but these are '%s' and '%s'",
                       tri_types_dtype_name(a), tri_types_dtype_name(b));
        tri_eval_note(e, "cast one of them: x.to(%s)",
                      tri_types_dtype_bits(a) > 32 || tri_types_dtype_bits(b) > 32 ? "tl.int64" : "tl.int32");
        return false;
    } else
        *out = tri_semantic_promote_int(a, b);
    return true;
}

static __int128 int_max(tri_dtype d)
{
    unsigned bits = tri_types_dtype_bits(d);
    return ((__int128)1 << (tri_types_dtype_is_signed(d) ? bits - 1 : bits)) - 1;
}

static __int128 int_min(tri_dtype d)
{
    return tri_types_dtype_is_signed(d) ? -((__int128)1 << (tri_types_dtype_bits(d) - 1)) : 0;
}

static bool check_weak(tri_eval *e, const tri_num *n, tri_ev shown, tri_dtype to)
{
    bool negative = n->kind == TRI_NUM_FLOAT ? n->f < 0 : n->i < 0;
    if (!tri_types_dtype_is_int(to))
        return true;
    if (negative && !tri_types_dtype_is_signed(to)) {
        tri_eval_error(e, 3007, "the negative number %s meets an operand of unsigned type '%s'; cast one of them",
                       tri_eval_describe(e, shown), tri_types_dtype_name(to));
        return false;
    }
    if (n->i < int_min(to) || n->i > int_max(to)) {
        tri_eval_error(e, 3007, "the number %s is out of range for type '%s'", tri_eval_describe(e, shown),
                       tri_types_dtype_name(to));
        return false;
    }
    return true;
}

static bool incompatible(tri_eval *e, const tri_type *a, const tri_type *b)
{
    tri_eval_error(e, 3005, "incompatible operands of types '%s' and '%s'", tri_eval_type_name(e, a),
                   tri_eval_type_name(e, b));
    return false;
}

static bool check_ptr(tri_eval *e, const tri_type *a, const tri_type *b, bool allow)
{
    if (!tri_types_is_ptr(a))
        return true;
    if (!allow || (tri_types_is_ptr(b) && !tri_types_equal(a, b)) || tri_types_is_float(b))
        return incompatible(e, a, b);
    return true;
}

bool tri_semantic_binary(tri_eval *e, tri_ev *x, tri_ev *y, unsigned flags)
{
    tri_ev x0 = *x, y0 = *y;
    tri_num nx, ny;
    tri_dtype to;
    bool x_weak = tri_ev_get_num(x0, &nx), y_weak = tri_ev_get_num(y0, &ny);
    if (tri_ev_is_error(x0) || tri_ev_is_error(y0))
        return false;
    /* The default types are needed to promote, but no constant is made until the type is known. */
    const tri_type *tx, *ty;
    tri_dtype dx, dy;
    if (x_weak && default_dtype(&nx, &dx))
        tx = tri_types_scalar(dx);
    else if (tri_ev_is_error(*x = tri_semantic_to_tensor(e, x0)))
        return false;
    else
        tx = tri_types_element(x->type);
    if (y_weak && default_dtype(&ny, &dy))
        ty = tri_types_scalar(dy);
    else if (tri_ev_is_error(*y = tri_semantic_to_tensor(e, y0)))
        return false;
    else
        ty = tri_types_element(y->type);
    if (!check_ptr(e, tx, ty, flags & TRI_BINARY_LHS_PTR) || !check_ptr(e, ty, tx, flags & TRI_BINARY_RHS_PTR))
        return false;
    bool promote = !(flags & TRI_BINARY_NO_PROMOTE) && tx->kind != TRI_TYPE_PTR && ty->kind != TRI_TYPE_PTR;
    if (!promote) {
        *x = tri_semantic_to_tensor(e, *x);
        *y = tri_semantic_to_tensor(e, *y);
        return tri_semantic_broadcast(e, x, y);
    }
    if (!computation_dtype(e, tx->dtype, x_weak, ty->dtype, y_weak, flags & TRI_BINARY_DIV_MOD, &to))
        return false;
    if ((x_weak && !check_weak(e, &nx, x0, to)) || (y_weak && !check_weak(e, &ny, y0, to)))
        return false;
    *x = x_weak ? tri_semantic_constant(e, &nx, to) : tri_semantic_cast_to(e, *x, to);
    *y = y_weak ? tri_semantic_constant(e, &ny, to) : tri_semantic_cast_to(e, *y, to);
    return tri_semantic_broadcast(e, x, y);
}

/* ---- shapes ---- */

bool tri_semantic_check_shape(tri_eval *e, int rank, const int64_t *shape)
{
    int64_t numel = 1;
    if (rank > TRI_MAX_TENSOR_RANK) {
        tri_eval_error(e, 3010, "a block of rank %d: at most %d is supported", rank, TRI_MAX_TENSOR_RANK);
        return false;
    }
    for (int i = 0; i < rank; i++) {
        if (shape[i] < 1 || (shape[i] & (shape[i] - 1))) {
            tri_eval_error(e, 3010, "dimension %d of the shape %s is %lld: a block dimension must be a power of two", i,
                           tri_eval_shape_name(e, rank, shape), (long long)shape[i]);
            int64_t up = 1;
            while (shape[i] > 0 && up < shape[i] && up < TRI_MAX_TENSOR_NUMEL)
                up *= 2;
            if (shape[i] > 0)
                tri_eval_note(e, "use %lld and mask the elements past %lld", (long long)up, (long long)shape[i]);
            return false;
        }
        if (shape[i] > TRI_MAX_TENSOR_NUMEL || (numel *= shape[i]) > TRI_MAX_TENSOR_NUMEL) {
            tri_eval_error(e, 3010, "the shape %s has more than %d elements, the most a block may have",
                           tri_eval_shape_name(e, rank, shape), TRI_MAX_TENSOR_NUMEL);
            return false;
        }
    }
    return true;
}

tri_ev tri_semantic_splat(tri_eval *e, tri_ev x, int rank, const int64_t *shape)
{
    if (rank == 0 || tri_ev_is_error(x))
        return x;
    return tri_emit_unary(e, "tt.splat", tri_types_block(e->arena, x.type, rank, shape), x);
}

tri_ev tri_semantic_broadcast_to(tri_eval *e, tri_ev x, int rank, const int64_t *shape)
{
    if (tri_ev_is_error(x))
        return x;
    if (!tri_ev_is_block(x))
        return tri_semantic_splat(e, x, rank, shape);
    if (x.type->rank != rank)
        return tri_eval_error(e, 3009, "a block of shape %s can not be broadcast to %s: the ranks differ",
                              tri_eval_shape_name(e, x.type->rank, x.type->shape), tri_eval_shape_name(e, rank, shape));
    bool same = true;
    for (int i = 0; i < rank; i++) {
        if (shape[i] != x.type->shape[i] && x.type->shape[i] != 1)
            return tri_eval_error(e, 3009,
                                  "a block of shape %s can not be broadcast to %s: dimension %d is %lld, not 1 or %lld",
                                  tri_eval_shape_name(e, x.type->rank, x.type->shape),
                                  tri_eval_shape_name(e, rank, shape), i, (long long)x.type->shape[i],
                                  (long long)shape[i]);
        same = same && shape[i] == x.type->shape[i];
    }
    if (same)
        return x;
    return tri_emit_unary(e, "tt.broadcast", tri_types_block(e->arena, x.type->element, rank, shape), x);
}

static void pad_rank(tri_eval *e, tri_ev *x, int rank)
{
    while (x->type->rank < rank)
        *x = tri_shape_expand_dims(e, *x, 0);
}

bool tri_semantic_broadcast(tri_eval *e, tri_ev *x, tri_ev *y)
{
    if (tri_ev_is_error(*x) || tri_ev_is_error(*y))
        return false;
    bool bx = tri_ev_is_block(*x), by = tri_ev_is_block(*y);
    if (bx && !by)
        *y = tri_semantic_splat(e, *y, x->type->rank, x->type->shape);
    else if (!bx && by)
        *x = tri_semantic_splat(e, *x, y->type->rank, y->type->shape);
    if (!bx || !by)
        return true;
    const tri_type *tx = x->type, *ty = y->type;
    int rank = tx->rank > ty->rank ? tx->rank : ty->rank;
    int64_t shape[TRI_MAX_TENSOR_RANK];
    for (int i = 0; i < rank; i++) {
        int ix = i - (rank - tx->rank), iy = i - (rank - ty->rank);
        int64_t dx = ix < 0 ? 1 : tx->shape[ix], dy = iy < 0 ? 1 : ty->shape[iy];
        if (dx != dy && dx != 1 && dy != 1) {
            tri_eval_error(e, 3009,
                           "shapes %s and %s do not match: dimension %d is %lld on the left and %lld on the right",
                           tri_eval_shape_name(e, tx->rank, tx->shape), tri_eval_shape_name(e, ty->rank, ty->shape), i,
                           (long long)dx, (long long)dy);
            return false;
        }
        shape[i] = dx == 1 ? dy : dx;
    }
    if (!tri_semantic_check_shape(e, rank, shape))
        return false;
    pad_rank(e, x, rank);
    pad_rank(e, y, rank);
    *x = tri_semantic_broadcast_to(e, *x, rank, shape);
    *y = tri_semantic_broadcast_to(e, *y, rank, shape);
    return true;
}

bool tri_semantic_broadcast_all(tri_eval *e, int count, tri_ev *values)
{
    for (int i = 0; i < count; i++)
        if (!tri_ev_is_tensor(values[i]))
            return false;
    for (int i = 1; i < count; i++)
        if (!tri_semantic_broadcast(e, &values[0], &values[i]))
            return false;
    for (int i = 1; i + 1 < count; i++)
        if (!tri_semantic_broadcast(e, &values[0], &values[i]))
            return false;
    return true;
}

tri_ev tri_semantic_condition(tri_eval *e, tri_ev x)
{
    if (tri_ev_is_error(x))
        return x;
    if (tri_ev_is_block(x)) {
        if (tri_types_numel(x.type) != 1)
            return tri_eval_error(e, 3016, "a condition must be a scalar, but this is a block of shape %s; "
                                  "reduce it first (tl.max, tl.min) or use tl.where",
                                  tri_eval_shape_name(e, x.type->rank, x.type->shape));
        tri_eval_warning(e, "deprecated", "a block of one element is used as a condition; use .item()");
        x = tri_shape_unsplat(e, x);
    }
    return tri_semantic_cast_to(e, x, TRI_DTYPE_INT1);
}
