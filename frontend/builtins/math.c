/* Elementwise arithmetic. */
#include "frontend/builtins/builtins.h"

#include "frontend/kernel/fixes.h"
#include "ir/options.h"

static const char *const unary_ops[] = {
    "math.exp", "math.exp2", "math.log",  "math.log2", "math.cos",  "math.sin",
    "math.sqrt", "math.rsqrt", "math.erf", "math.floor", "math.ceil",
};

static const tri_type *elem(tri_ev x) { return tri_types_element(x.type); }
static bool is_dtype(tri_ev x, tri_dtype d) { return elem(x)->kind == TRI_TYPE_SCALAR && elem(x)->dtype == d; }

static tri_ev wrong_type(tri_eval *e, int i, tri_ev x, const char *expected, const char *fix)
{
    const char *name = strrchr(tri_builtins_current(e)->path, '.');
    tri_ev r = tri_arg_error(e, i, 3012, "'tl.%s' needs elements of type %s, but this is '%s'", name ? name + 1 : "?",
                             expected, tri_eval_type_name(e, x.type));
    if (fix)
        tri_eval_note(e, "%s", fix);
    return r;
}

/* exp, log, ...: data is the index of the op. */
tri_ev tri_builtin_unary_math(tri_eval *e, const tri_ev *args)
{
    tri_ev x;
    if (!tri_arg_tensor(e, args, 0, &x))
        return (tri_ev){0};
    if (!is_dtype(x, TRI_DTYPE_FP32) && !is_dtype(x, TRI_DTYPE_FP64)) {
        tri_ev r = wrong_type(e, 0, x, "fp32 or fp64", "cast it first: x.to(tl.float32)");
        bool is_method = e->arg_spans[0].begin == e->at.begin && e->arg_spans[0].end == e->at.end; /* x.exp() */
        if (!is_method && (tri_types_is_int(x.type) || tri_types_is_float(x.type)))
            tri_fixes_append(e, e->arg_spans[0], ".to(tl.float32)");
        return r;
    }
    return tri_emit_unary(e, unary_ops[tri_builtins_current(e)->data], x.type, x);
}

tri_ev tri_builtin_abs(tri_eval *e, const tri_ev *args)
{
    tri_ev x;
    if (!tri_arg_tensor(e, args, 0, &x))
        return (tri_ev){0};
    if (is_dtype(x, TRI_DTYPE_FP8E4B15)) {
        tri_ev bits =
            tri_ev_tensor(x.value, tri_types_with_element(e->arena, x.type, tri_types_scalar(TRI_DTYPE_INT8)));
        bits = tri_arith_binary(e, TRI_AST_BIT_AND_OP, bits, tri_emit_int(e, TRI_DTYPE_INT8, 0x7f));
        return tri_ev_is_error(bits) ? bits : tri_ev_tensor(bits.value, x.type);
    }
    if (tri_types_is_float(x.type))
        return tri_emit_unary(e, "math.absf", x.type, x);
    if (!tri_types_is_int(x.type))
        return wrong_type(e, 0, x, "integer or float", NULL);
    return tri_types_dtype_is_signed(elem(x)->dtype) ? tri_emit_unary(e, "math.absi", x.type, x) : x;
}

tri_ev tri_builtin_sqrt_rn(tri_eval *e, const tri_ev *args)
{
    tri_ev x;
    if (!tri_arg_tensor(e, args, 0, &x))
        return (tri_ev){0};
    return is_dtype(x, TRI_DTYPE_FP32) ? tri_emit_unary(e, "tt.precise_sqrt", x.type, x)
                                       : wrong_type(e, 0, x, "fp32", NULL);
}

static bool two(tri_eval *e, const tri_ev *args, tri_ev *x, tri_ev *y)
{
    return tri_arg_tensor(e, args, 0, x) && tri_arg_tensor(e, args, 1, y);
}

tri_ev tri_builtin_div_rn(tri_eval *e, const tri_ev *args)
{
    tri_ev x = args[0], y = args[1];
    if (!two(e, args, &x, &y) || !tri_semantic_binary(e, &x, &y, 0))
        return (tri_ev){0};
    return is_dtype(x, TRI_DTYPE_FP32) ? tri_emit_binary(e, "tt.precise_divf", x.type, x, y)
                                       : wrong_type(e, 0, x, "fp32", NULL);
}

tri_ev tri_builtin_fdiv(tri_eval *e, const tri_ev *args)
{
    tri_ev x, y;
    bool ieee;
    if (!two(e, args, &x, &y) || !tri_arg_bool(e, args, 2, false, &ieee))
        return (tri_ev){0};
    if (!tri_types_is_float(x.type) || !tri_types_is_float(y.type))
        return wrong_type(e, tri_types_is_float(x.type), tri_types_is_float(x.type) ? y : x, "float", NULL);
    if (!tri_semantic_binary(e, &x, &y, TRI_BINARY_NO_PROMOTE))
        return (tri_ev){0};
    if (!tri_types_equal(x.type, y.type))
        return tri_eval_error(e, 3005, "'tl.fdiv' does not promote: its operands are '%s' and '%s'",
                              tri_eval_type_name(e, x.type), tri_eval_type_name(e, y.type));
    return tri_emit_binary(e, ieee ? "tt.precise_divf" : "arith.divf", x.type, x, y);
}

tri_ev tri_builtin_umulhi(tri_eval *e, const tri_ev *args)
{
    tri_ev x = args[0], y = args[1];
    if (!two(e, args, &x, &y) || !tri_semantic_binary(e, &x, &y, 0))
        return (tri_ev){0};
    if (!tri_types_is_int(x.type) || tri_types_dtype_bits(elem(x)->dtype) < 32)
        return wrong_type(e, 0, x, "int32, uint32, int64 or uint64", NULL);
    return tri_emit_binary(e, "tt.mulhiui", x.type, x, y);
}

tri_ev tri_builtin_fma(tri_eval *e, const tri_ev *args)
{
    tri_ev v[3];
    for (int i = 0; i < 3; i++)
        if (!tri_arg_tensor(e, args, i, &v[i]))
            return (tri_ev){0};
    if (!tri_semantic_binary(e, &v[0], &v[1], 0) || !tri_semantic_binary(e, &v[2], &v[0], 0) ||
        !tri_semantic_binary(e, &v[2], &v[1], 0))
        return (tri_ev){0};
    if (!tri_types_is_float(v[0].type))
        return wrong_type(e, 0, v[0], "float", NULL);
    return tri_emit_op(e, "math.fma", v[0].type, 3, v, 0, NULL);
}

static bool nan_option(tri_eval *e, const tri_ev *args, int i, bool *out_all)
{
    *out_all = false;
    if (tri_ev_is_none(args[i]))
        return true;
    tri_str text = TRI_STR("");
    if (args[i].kind == TRI_EV_CE && args[i].ce->kind == TRI_VALUE_BUILTIN)
        text = args[i].ce->string;
    int64_t n;
    if (tri_str_has_suffix(text, "PropagateNan.ALL") || (tri_ev_get_int(args[i], &n) && n == 0xFFFF))
        *out_all = true;
    else if (!tri_str_has_suffix(text, "PropagateNan.NONE") && !(tri_ev_get_int(args[i], &n) && n == 0))
        return tri_arg_error(e, i, 3021, "propagate_nan is tl.PropagateNan.NONE or .ALL, not %s",
                             tri_eval_describe(e, args[i])), false;
    return true;
}

/* data: 1 for maximum */
tri_ev tri_builtin_minmax(tri_eval *e, const tri_ev *args)
{
    tri_ev x, y;
    bool all;
    if (!two(e, args, &x, &y) || !nan_option(e, args, 2, &all))
        return (tri_ev){0};
    return tri_arith_minmax(e, tri_builtins_current(e)->data, x, y, all);
}

tri_ev tri_builtin_clamp(tri_eval *e, const tri_ev *args)
{
    tri_ev v[3];
    bool all;
    for (int i = 0; i < 3; i++) {
        if (!tri_arg_tensor(e, args, i, &v[i]))
            return (tri_ev){0};
        if (is_dtype(v[i], TRI_DTYPE_BF16))
            v[i] = tri_semantic_cast_to(e, v[i], TRI_DTYPE_FP32);
    }
    if (!nan_option(e, args, 3, &all) || !tri_semantic_binary(e, &v[1], &v[2], 0) ||
        !tri_semantic_binary(e, &v[0], &v[1], 0) || !tri_semantic_binary(e, &v[0], &v[2], 0))
        return (tri_ev){0};
    if (!tri_types_is_float(v[0].type))
        return wrong_type(e, 0, v[0], "float", "use tl.minimum and tl.maximum for integers");
    tri_attr attr = {"propagateNan", tri_attr_i32(e->mlir, all ? 0xFFFF : 0)};
    return tri_emit_op(e, "tt.clampf", v[0].type, 3, v, 1, &attr);
}

tri_ev tri_builtin_where(tri_eval *e, const tri_ev *args) { return tri_arith_where(e, args[0], args[1], args[2]); }

/* tl.add, sub, mul: data is the operator. sanitize_overflow=False leaves out the check that a debug build makes. */
tri_ev tri_builtin_operator(tri_eval *e, const tri_ev *args)
{
    bool is_checked, wraps = e->wraps;
    if (!tri_arg_bool(e, args, 2, true, &is_checked))
        return (tri_ev){0};
    e->wraps |= !is_checked;
    tri_ev result = tri_expr_binary(e, (tri_ast_op)tri_builtins_current(e)->data, args[0], args[1]);
    e->wraps = wraps;
    return result;
}

/* x.logical_and(y), x.logical_or(y) */
tri_ev tri_builtin_logical(tri_eval *e, const tri_ev *args)
{
    return tri_arith_logical(e, tri_builtins_current(e)->data, args[0], args[1]);
}

/* tl.expect_zero(x, mask): x, which a debug build checks to be zero where the mask holds. */
tri_ev tri_builtin_expect_zero(tri_eval *e, const tri_ev *args)
{
    tri_ev x, mask;
    if (!tri_arg_tensor(e, args, 0, &x) || !tri_arg_tensor(e, args, 1, &mask))
        return (tri_ev){0};
    if (!e->unit->options->debug_asserts)
        return x;
    tri_ev zero = tri_arith_compare(e, TRI_AST_EQ_OP, x, tri_ev_int(e, 0));
    tri_ev ok = tri_arith_binary(e, TRI_AST_BIT_OR_OP, zero, tri_arith_invert(e, mask));
    tri_str text = TRI_STR("expected zero where the mask holds");
    tri_attr attr = {"message", tri_attr_str(e->mlir, text.data, text.len)};
    tri_emit_effect(e, "tt.assert", 1, &ok, 1, &attr);
    return x;
}
