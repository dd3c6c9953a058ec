/* Matrix products. */
#include "frontend/builtins/builtins.h"
#include "frontend/kernel/target.h"
#include "ir/options.h"

enum { dot_a, dot_b, dot_acc, dot_precision, dot_tf32, dot_imprecise, dot_out };

static tri_dtype dtype_of(tri_ev x) { return tri_types_element(x.type)->dtype; }
static const char *type_text(tri_eval *e, tri_ev x) { return tri_eval_type_name(e, x.type); }

static bool is_dot_type(tri_dtype d)
{
    return d == TRI_DTYPE_INT8 || d == TRI_DTYPE_UINT8 || d == TRI_DTYPE_FP16 || d == TRI_DTYPE_BF16 ||
           d == TRI_DTYPE_FP32 || d == TRI_DTYPE_FP64;
}

static bool check_types(tri_eval *e, tri_ev a, tri_ev b)
{
    tri_dtype da = dtype_of(a), db = dtype_of(b);
    if (tri_types_is_ptr(a.type) || tri_types_is_ptr(b.type))
        return tri_eval_error(e, 3012, "tl.dot of pointers: load the blocks first"), false;
    if (tri_types_dtype_is_fp8(da) && tri_types_dtype_is_fp8(db))
        return true;
    if (!is_dot_type(da) || da == TRI_DTYPE_UINT8)
        return tri_arg_error(e, dot_a, 3012, "tl.dot does not multiply elements of type '%s'",
                             tri_types_dtype_name(da)),
               false;
    if (da == db)
        return true;
    tri_eval_error(e, 3012, "tl.dot needs two blocks of one element type, but they are '%s' and '%s'",
                   tri_types_dtype_name(da), tri_types_dtype_name(db));
    tri_eval_note(e, "cast one of them with .to()");
    return false;
}

/* The least K of a matrix instruction. */
static int64_t min_k(tri_eval *e, tri_dtype d)
{
    int bits = tri_target_facts(e)->mma_depth_bits;
    return bits ? bits / tri_types_dtype_bits(d) : 1;
}

static bool check_shapes(tri_eval *e, tri_ev a, tri_ev b)
{
    const tri_type *ta = a.type, *tb = b.type;
    int r = ta->rank;
    if (r < 2 || tb->rank != r) {
        tri_eval_error(e, 3009, "tl.dot needs two blocks of one rank, 2 or more, but the shapes are %s and %s",
                       tri_eval_shape_name(e, r, ta->shape), tri_eval_shape_name(e, tb->rank, tb->shape));
        return false;
    }
    for (int i = 0; i < r - 2; i++)
        if (ta->shape[i] != tb->shape[i]) {
            tri_eval_error(e, 3009, "the batch dimensions of %s and %s differ", tri_eval_shape_name(e, r, ta->shape),
                           tri_eval_shape_name(e, r, tb->shape));
            return false;
        }
    if (ta->shape[r - 1] != tb->shape[r - 2]) {
        tri_eval_error(e, 3009, "the inner dimensions of %s and %s differ: %lld columns against %lld rows",
                       tri_eval_shape_name(e, r, ta->shape), tri_eval_shape_name(e, r, tb->shape),
                       (long long)ta->shape[r - 1], (long long)tb->shape[r - 2]);
        if (ta->shape[r - 1] == tb->shape[r - 1])
            tri_eval_note(e, "transpose the second one: tl.dot(a, tl.trans(b))");
        return false;
    }
    int64_t k = ta->shape[r - 1], least = min_k(e, dtype_of(a));
    if (k < least) {
        tri_eval_error(e, 3009,
                       "the inner dimension of a tl.dot of '%s' must be at least %lld on this target, but it is %lld",
                       tri_types_dtype_name(dtype_of(a)), (long long)least, (long long)k);
        return false;
    }
    return true;
}

static bool get_precision(tri_eval *e, const tri_ev *args, int *out)
{
    static const char *const words[] = {"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6", NULL};
    tri_str text;
    *out = tri_target_facts(e)->prefers_tf32 ? 0 : 2;
    for (int i = 0; words[i]; i++)
        if (tri_str_is(e->unit->options->dot_precision, words[i]))
            *out = i;
    if (!tri_ev_is_none(args[dot_tf32])) {
        bool allow;
        if (!tri_ev_is_none(args[dot_precision]))
            return tri_arg_error(e, dot_tf32, 3004, "give input_precision or allow_tf32, not both"), false;
        if (!tri_arg_bool(e, args, dot_tf32, true, &allow))
            return false;
        tri_span call = e->at;
        e->at = e->arg_spans[dot_tf32];
        tri_eval_warning(e, "deprecated", "allow_tf32 is an old form; use input_precision=\"%s\"",
                         allow ? "tf32" : "ieee");
        e->at = call;
        *out = allow ? 0 : 2;
        return true;
    }
    if (!tri_arg_str(e, args, dot_precision, "", &text))
        return false;
    char lower[16] = {0};
    for (size_t i = 0; i < text.len && i < sizeof lower - 1; i++)
        lower[i] = (char)(text.data[i] >= 'A' && text.data[i] <= 'Z' ? text.data[i] + 32 : text.data[i]);
    if (!text.len)
        return true;
    tri_ev copy[dot_precision + 1];
    copy[dot_precision] = tri_ev_str(e, tri_str_copy(e->arena, tri_str_from(lower)));
    return tri_arg_word(e, copy, dot_precision, "input precision", words, *out, out);
}

/* Element type of the product; false after a report. */
static bool result_type(tri_eval *e, const tri_ev *args, tri_dtype a, tri_ev acc, tri_dtype *out)
{
    tri_dtype wanted = tri_ev_is_none(args[dot_acc]) ? TRI_DTYPE_FP32 : dtype_of(acc);
    if (!tri_ev_is_none(args[dot_out])) {
        const tri_type *t = tri_arg_dtype(e, args, dot_out);
        if (!t)
            return false;
        wanted = t->dtype;
    }
    if (tri_types_dtype_is_int(a)) {
        *out = TRI_DTYPE_INT32;
        return true;
    }
    if (wanted == TRI_DTYPE_BF16) {
        tri_arg_error(e, dot_out, 3012, "tl.dot can not accumulate in bfloat16");
        tri_eval_note(e, "use out_dtype=tl.float32 and cast the result with .to(tl.bfloat16)");
        return false;
    }
    *out = a == TRI_DTYPE_FP32 || a == TRI_DTYPE_BF16 ? TRI_DTYPE_FP32 : a == TRI_DTYPE_FP64 ? TRI_DTYPE_FP64 : wanted;
    return true;
}

static tri_ev upcast_fp8(tri_eval *e, tri_ev x)
{
    tri_dtype d = dtype_of(x);
    return d == TRI_DTYPE_FP8E4B15 || tri_target_rejects(e, d) ? tri_semantic_cast_to(e, x, TRI_DTYPE_FP16) : x;
}

static tri_ev collapse(tri_eval *e, tri_ev x)
{
    int r = x.type->rank;
    if (r <= 3)
        return x;
    int64_t shape[3] = {1, x.type->shape[r - 2], x.type->shape[r - 1]};
    for (int i = 0; i < r - 2; i++)
        shape[0] *= x.type->shape[i];
    return tri_shape_reshape(e, x, 3, shape, false);
}

static bool get_accumulator(tri_eval *e, const tri_ev *args, int rank, const int64_t *shape, tri_dtype d, tri_ev *acc)
{
    tri_num zero = {.kind = TRI_NUM_INT};
    const tri_type *want = tri_types_block(e->arena, tri_types_scalar(d), rank, shape);
    if (tri_ev_is_none(args[dot_acc])) {
        *acc = tri_semantic_splat(e, tri_semantic_constant(e, &zero, d), rank, shape);
        return true;
    }
    if (tri_types_equal(acc->type, want))
        return true;
    tri_arg_error(e, dot_acc, 3009, "the accumulator is '%s', but the product is '%s'", type_text(e, *acc),
                  tri_eval_type_name(e, want));
    if (dtype_of(*acc) != d)
        tri_eval_note(e, "give the element type: out_dtype=tl.%s, or cast the accumulator",
                      dtype_of(*acc) == TRI_DTYPE_FP16 ? "float16" : "float32");
    return false;
}

tri_ev tri_builtin_dot(tri_eval *e, const tri_ev *args)
{
    tri_ev a, b, acc = {0};
    int precision;
    tri_dtype out;
    int64_t imprecise, shape[TRI_MAX_TENSOR_RANK];
    if (!tri_arg_block(e, args, dot_a, &a) || !tri_arg_block(e, args, dot_b, &b) ||
        (!tri_ev_is_none(args[dot_acc]) && !tri_arg_tensor(e, args, dot_acc, &acc)) || !check_types(e, a, b) ||
        !get_precision(e, args, &precision))
        return (tri_ev){0};
    bool fp8 = tri_types_dtype_is_fp8(dtype_of(a));
    const tri_machine_facts *facts = tri_target_facts(e);
    if ((dtype_of(a) == TRI_DTYPE_FP8E4B15 || dtype_of(b) == TRI_DTYPE_FP8E4B15) && facts->has_slow_fp8e4b15)
        tri_eval_warning(e, "deprecated", "a tl.dot of fp8e4b15 is slow from sm_90 on; use fp8e4nv");
    a = upcast_fp8(e, a);
    b = upcast_fp8(e, b);
    if (tri_ev_is_error(a) || tri_ev_is_error(b) || !check_shapes(e, a, b) ||
        !result_type(e, args, dtype_of(a), acc, &out))
        return (tri_ev){0};
    int rank = a.type->rank;
    int64_t k = a.type->shape[rank - 1];
    memcpy(shape, a.type->shape, sizeof *shape * (size_t)rank);
    shape[rank - 1] = b.type->shape[rank - 1];
    if (!tri_arg_int(e, args, dot_imprecise, facts->has_rough_fp8_sums ? 1 << 30 : 0, &imprecise) ||
        !get_accumulator(e, args, rank, shape, out, &acc))
        return (tri_ev){0};
    if (!fp8)
        imprecise = 0;
    else if (!tri_ev_is_none(args[dot_imprecise]) && imprecise > k)
        return tri_arg_error(e, dot_imprecise, 3007, "max_num_imprecise_acc is %lld, more than K, which is %lld",
                             (long long)imprecise, (long long)k);
    tri_ev ops[3] = {collapse(e, a), collapse(e, b), collapse(e, acc)};
    tri_attr attrs[] = {{"inputPrecision", tri_attr_i32(e->mlir, precision)},
                        {"maxNumImpreciseAcc", tri_attr_i32(e->mlir, (int32_t)imprecise)}};
    tri_ev r = tri_emit_op(e, "tt.dot", ops[2].type, 3, ops, 2, attrs);
    return rank > 3 ? tri_shape_reshape(e, r, rank, shape, false) : r;
}

/* ---- dot_scaled ---- */

enum { sc_a, sc_a_scale, sc_a_format, sc_b, sc_b_scale, sc_b_format, sc_acc, sc_fast, sc_a_pack, sc_b_pack, sc_out };

typedef struct {
    tri_ev value, scale;
    bool has_scale, is_packed_k, is_fp4;
    int format;
} scaled;

/* The operand as the element type of its format; e2m1 stays packed bytes. */
static bool reinterpret(tri_eval *e, int arg, scaled *s)
{
    static const tri_dtype floats[] = {TRI_DTYPE_FP8E4NV, TRI_DTYPE_FP8E5, 0, 0, TRI_DTYPE_UINT8,
                                       TRI_DTYPE_BF16,    TRI_DTYPE_FP16};
    static const tri_dtype raw[] = {TRI_DTYPE_UINT8,  TRI_DTYPE_UINT8, 0, 0, TRI_DTYPE_UINT8,
                                    TRI_DTYPE_UINT16, TRI_DTYPE_UINT16};
    tri_dtype d = dtype_of(s->value);
    if (d != floats[s->format] && d != raw[s->format]) {
        bool is_one = floats[s->format] == raw[s->format];
        tri_arg_error(e, arg, 3012, "an operand of this format is of type '%s'%s%s%s, not '%s'",
                      tri_types_dtype_name(floats[s->format]), is_one ? "" : " or '",
                      is_one ? "" : tri_types_dtype_name(raw[s->format]), is_one ? "" : "'", tri_types_dtype_name(d));
        return false;
    }
    s->value = tri_semantic_bitcast(e, s->value, tri_types_scalar(floats[s->format]));
    return !tri_ev_is_error(s->value);
}

static bool get_scaled(tri_eval *e, const tri_ev *args, int first, int pack, scaled *out)
{
    static const char *const formats[] = {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "bf16", "fp16", NULL};
    if (!tri_arg_block(e, args, first, &out->value) ||
        !tri_arg_word(e, args, first + 2, "format", formats, -1, &out->format) ||
        !tri_arg_bool(e, args, pack, true, &out->is_packed_k))
        return false;
    if (out->format < 0 || out->format == 2 || out->format == 3)
        return tri_arg_error(e, first + 2, 3021, "the format must be e2m1, e4m3, e5m2, bf16 or fp16"), false;
    out->is_fp4 = out->format == 4;
    if (!out->is_packed_k && !out->is_fp4)
        return tri_arg_error(e, pack, 4001, "only e2m1 operands can be packed along another axis than K"), false;
    out->has_scale = !tri_ev_is_none(args[first + 1]);
    if (out->has_scale && !tri_arg_tensor(e, args, first + 1, &out->scale))
        return false;
    return reinterpret(e, first, out);
}

/* K / columns of the scale; 0 without one. */
static bool scale_factor(tri_eval *e, int arg, const scaled *s, int64_t rows, int64_t k, int64_t *out)
{
    *out = 0;
    if (!s->has_scale || !tri_ev_is_block(s->scale) || tri_types_numel(s->scale.type) == 1)
        return true;
    const tri_type *t = s->scale.type;
    int64_t cols = t->shape[t->rank - 1], factor = cols ? k / cols : 0;
    if (t->rank != s->value.type->rank || t->shape[t->rank - 2] != rows || (factor != 16 && factor != 32) ||
        cols * factor != k) {
        tri_arg_error(e, arg, 3009, "the scale must have shape [%lld, %lld] or [%lld, %lld], but it is %s",
                      (long long)rows, (long long)(k / 32), (long long)rows, (long long)(k / 16),
                      tri_eval_shape_name(e, t->rank, t->shape));
        return false;
    }
    *out = factor;
    return true;
}

static bool scaled_shape(tri_eval *e, const scaled *a, const scaled *b, int64_t *shape, int64_t *out_k)
{
    const tri_type *ta = a->value.type, *tb = b->value.type;
    int r = ta->rank;
    if (tb->rank != r || r < 2 || r > 3 || (r == 3 && ta->shape[0] != tb->shape[0])) {
        tri_eval_error(e, 3009, "tl.dot_scaled needs two blocks of rank 2 or 3, but the shapes are %s and %s",
                       tri_eval_shape_name(e, r, ta->shape), tri_eval_shape_name(e, tb->rank, tb->shape));
        return false;
    }
    int64_t pa = a->is_fp4 ? 2 : 1, pb = b->is_fp4 ? 2 : 1;
    int64_t ka = ta->shape[r - 1] * (a->is_packed_k ? pa : 1), kb = tb->shape[r - 2] * (b->is_packed_k ? pb : 1);
    if (ka != kb) {
        tri_eval_error(e, 3009, "the inner dimensions differ: %lld and %lld elements", (long long)ka, (long long)kb);
        return false;
    }
    shape[0] = ta->shape[0];
    shape[r - 2] = ta->shape[r - 2] * (a->is_packed_k ? 1 : pa);
    shape[r - 1] = tb->shape[r - 1] * (b->is_packed_k ? 1 : pb);
    *out_k = ka;
    return true;
}

tri_ev tri_builtin_dot_scaled(tri_eval *e, const tri_ev *args)
{
    scaled a, b;
    bool fast;
    int64_t shape[3], k, fa, fb;
    if (!get_scaled(e, args, sc_a, sc_a_pack, &a) || !get_scaled(e, args, sc_b, sc_b_pack, &b) ||
        !tri_arg_bool(e, args, sc_fast, false, &fast) || !scaled_shape(e, &a, &b, shape, &k))
        return (tri_ev){0};
    int rank = a.value.type->rank;
    if (!scale_factor(e, sc_a_scale, &a, shape[rank - 2], k, &fa) ||
        !scale_factor(e, sc_b_scale, &b, shape[rank - 1], k, &fb))
        return (tri_ev){0};
    if (fa && fb && fa != fb)
        return tri_arg_error(e, sc_b_scale, 3009, "the scales are for groups of %lld and %lld elements", (long long)fa,
                             (long long)fb);
    const tri_type *out =
        tri_ev_is_none(args[sc_out]) ? tri_types_scalar(TRI_DTYPE_FP32) : tri_arg_dtype(e, args, sc_out);
    tri_ev acc = {0};
    if (!out || (!tri_ev_is_none(args[sc_acc]) && !tri_arg_tensor(e, args, sc_acc, &acc)))
        return (tri_ev){0};
    if (out->dtype != TRI_DTYPE_FP32)
        return tri_arg_error(e, sc_out, 3012, "tl.dot_scaled gives float32, not '%s'", tri_eval_type_name(e, out));
    tri_ev dot_args[dot_acc + 1];
    dot_args[dot_acc] = args[sc_acc];
    const tri_span *spans = e->arg_spans;
    e->arg_spans = spans + sc_acc - dot_acc;
    bool ok = get_accumulator(e, dot_args, rank, shape, TRI_DTYPE_FP32, &acc);
    e->arg_spans = spans;
    if (!ok)
        return (tri_ev){0};
    tri_ev ops[5] = {a.value, b.value, acc};
    int n = 3;
    if (a.has_scale)
        ops[n++] = a.scale;
    if (b.has_scale)
        ops[n++] = b.scale;
    tri_attr attrs[] = {
        {"operandSegmentSizes", tri_attr_i32s(e->mlir, 5, (int32_t[]){1, 1, 1, a.has_scale, b.has_scale})},
        {"a_elem_type", tri_attr_i32(e->mlir, a.format)},
        {"b_elem_type", tri_attr_i32(e->mlir, b.format)},
        {"fastMath", tri_attr_bool(e->mlir, fast)},
        {"lhs_k_pack", tri_attr_bool(e->mlir, a.is_packed_k)},
        {"rhs_k_pack", tri_attr_bool(e->mlir, b.is_packed_k)},
    };
    return tri_emit_op(e, "tt.dot_scaled", acc.type, n, ops, 6, attrs);
}
