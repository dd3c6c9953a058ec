#include "frontend/kernel/frame.h"

#include "ir/options.h"

static const tri_type *element(tri_ev x) { return tri_types_element(x.type); }
static bool is_ptr(tri_ev x) { return tri_types_is_ptr(x.type); }
static bool is_float(tri_ev x) { return tri_types_is_float(x.type); }
static bool is_signed(tri_ev x) { return tri_types_dtype_is_signed(element(x)->dtype); }

static tri_ev bad_operands(tri_eval *e, tri_ast_op op, tri_ev x, tri_ev y)
{
    return tri_eval_error(e, 3005, "operator '%s' does not take operands of types '%s' and '%s'", tri_ast_op_text(op),
                          tri_eval_type_name(e, element(x)), tri_eval_type_name(e, element(y)));
}

static tri_ev add_pointer(tri_eval *e, tri_ev ptr, tri_ev offset)
{
    tri_dtype d = element(offset)->dtype;
    if (!tri_types_dtype_is_signed(d) && tri_types_dtype_bits(d) < 64) {
        /* The op reads its offset as signed. */
        const tri_type *wide = tri_types_with_element(e->arena, offset.type, tri_types_scalar(TRI_DTYPE_INT64));
        offset = tri_emit_unary(e, "arith.extui", wide, offset);
    }
    return tri_emit_binary(e, "tt.addptr", ptr.type, ptr, offset);
}

/* With asserts on, a narrow integer result is computed again in 64 bits and checked. */
static void check_overflow(tri_eval *e, const char *op, const char *name, tri_ev x, tri_ev y)
{
    tri_dtype d = element(x)->dtype;
    unsigned bits = tri_types_dtype_bits(d);
    const tri_options *options = e->unit->options;
    if (!options->debug_asserts || options->no_overflow_checks || e->wraps || bits >= 64 || e->frame->dry)
        return;
    tri_ev wx = tri_semantic_cast_to(e, x, TRI_DTYPE_INT64), wy = tri_semantic_cast_to(e, y, TRI_DTYPE_INT64);
    tri_ev r = tri_emit_binary(e, op, wx.type, wx, wy);
    bool sgn = tri_types_dtype_is_signed(d);
    int64_t max = (int64_t)((UINT64_C(1) << (sgn ? bits - 1 : bits)) - 1), min = sgn ? -max - 1 : 0;
    tri_ev le = tri_arith_compare(e, TRI_AST_LE_OP, r, tri_emit_int(e, TRI_DTYPE_INT64, max));
    tri_ev ge = tri_arith_compare(e, TRI_AST_GE_OP, r, tri_emit_int(e, TRI_DTYPE_INT64, min));
    tri_ev ok = tri_arith_binary(e, TRI_AST_BIT_AND_OP, le, ge);
    tri_str message = tri_str_format(e->arena, "int%u overflow detected for operation %s", bits, name);
    tri_attr attr = {"message", tri_attr_str(e->mlir, message.data, message.len)};
    tri_emit_effect(e, "tt.assert", 1, &ok, 1, &attr);
}

static tri_ev add_sub_mul(tri_eval *e, tri_ast_op op, tri_ev x, tri_ev y)
{
    static const char *const ints[] = {"arith.addi", "arith.subi", "arith.muli"};
    static const char *const floats[] = {"arith.addf", "arith.subf", "arith.mulf"};
    static const char *const names[] = {"add", "sub", "mul"};
    unsigned flags = op == TRI_AST_ADD_OP   ? TRI_BINARY_LHS_PTR | TRI_BINARY_RHS_PTR
                     : op == TRI_AST_SUB_OP ? TRI_BINARY_LHS_PTR
                                        : 0;
    if (!tri_semantic_binary(e, &x, &y, flags))
        return (tri_ev){0};
    if (is_ptr(x) && is_ptr(y))
        return tri_eval_error(e, 3005, "two pointers can not be %s; only a pointer and an integer",
                              op == TRI_AST_ADD_OP ? "added" : "subtracted");
    if (is_ptr(x))
        return add_pointer(e, x, op == TRI_AST_SUB_OP ? tri_arith_negate(e, y) : y);
    if (is_ptr(y))
        return add_pointer(e, y, x);
    if (is_float(x))
        return tri_emit_binary(e, floats[op], x.type, x, y);
    check_overflow(e, ints[op], names[op], x, y);
    return tri_emit_binary(e, ints[op], x.type, x, y);
}

static tri_ev divide(tri_eval *e, tri_ev x, tri_ev y)
{
    if (!tri_semantic_binary(e, &x, &y, TRI_BINARY_DIV_MOD))
        return (tri_ev){0};
    if (!is_float(x)) {
        x = tri_semantic_cast_to(e, x, TRI_DTYPE_FP32);
        y = tri_semantic_cast_to(e, y, TRI_DTYPE_FP32);
    }
    return tri_emit_binary(e, "arith.divf", x.type, x, y);
}

static tri_ev floor_divide(tri_eval *e, tri_ev x, tri_ev y)
{
    if (!tri_semantic_binary(e, &x, &y, TRI_BINARY_DIV_MOD))
        return (tri_ev){0};
    if (is_float(x))
        return bad_operands(e, TRI_AST_FLOOR_DIV_OP, x, y);
    return tri_emit_binary(e, is_signed(x) ? "arith.divsi" : "arith.divui", x.type, x, y);
}

static tri_ev modulo(tri_eval *e, tri_ev x, tri_ev y)
{
    if (!tri_semantic_binary(e, &x, &y, TRI_BINARY_DIV_MOD))
        return (tri_ev){0};
    const char *op = is_float(x) ? "arith.remf" : is_signed(x) ? "arith.remsi" : "arith.remui";
    return tri_emit_binary(e, op, x.type, x, y);
}

static void warn_shift(tri_eval *e, tri_ev x, tri_ev amount)
{
    tri_num n;
    if (tri_ev_is_tensor(x) && tri_ev_get_num(amount, &n) && n.kind != TRI_NUM_FLOAT &&
        tri_types_is_int(x.type) && n.i >= tri_types_dtype_bits(element(x)->dtype))
        tri_eval_warning(e, "shift-count", "shift by %d of a value of type '%s': the result is undefined", (int)n.i,
                         tri_types_dtype_name(element(x)->dtype));
}

static tri_ev bitwise(tri_eval *e, tri_ast_op op, tri_ev x, tri_ev y)
{
    const char *name = op == TRI_AST_BIT_AND_OP      ? "arith.andi"
                       : op == TRI_AST_BIT_OR_OP     ? "arith.ori"
                       : op == TRI_AST_BIT_XOR_OP    ? "arith.xori"
                       : op == TRI_AST_SHL_OP ? "arith.shli"
                                             : NULL;
    if (op == TRI_AST_SHL_OP || op == TRI_AST_SHR_OP)
        warn_shift(e, x, y);
    if (!name) /* the left tensor decides; with a number on the left, the right one */
        name = tri_types_dtype_is_signed(element(tri_ev_is_tensor(x) ? x : y)->dtype) ? "arith.shrsi" : "arith.shrui";
    if (!tri_semantic_binary(e, &x, &y, 0))
        return (tri_ev){0};
    if (is_float(x))
        return bad_operands(e, op, x, y);
    return tri_emit_binary(e, name, x.type, x, y);
}

tri_ev tri_arith_binary(tri_eval *e, tri_ast_op op, tri_ev x, tri_ev y)
{
    if (tri_ev_is_error(x) || tri_ev_is_error(y))
        return (tri_ev){0};
    tri_num n;
    if ((!tri_ev_is_tensor(x) && !tri_ev_get_num(x, &n)) || (!tri_ev_is_tensor(y) && !tri_ev_get_num(y, &n)))
        return tri_eval_error(e, 3005, "operator '%s' does not take %s and %s", tri_ast_op_text(op),
                              tri_eval_describe(e, x), tri_eval_describe(e, y));
    switch (op) {
    case TRI_AST_ADD_OP:
    case TRI_AST_SUB_OP:
    case TRI_AST_MUL_OP:
        return add_sub_mul(e, op, x, y);
    case TRI_AST_DIV_OP:
        return divide(e, x, y);
    case TRI_AST_FLOOR_DIV_OP:
        return floor_divide(e, x, y);
    case TRI_AST_MOD_OP:
        return modulo(e, x, y);
    case TRI_AST_POW_OP:
        return tri_eval_error(e, 3005, "operator '**' is only for compile-time numbers; use libdevice.pow or tl.exp2");
    case TRI_AST_MATMUL_OP:
        return tri_eval_error(e, 4001, "operator '@' is not supported; use tl.dot(a, b)");
    default:
        return bitwise(e, op, x, y);
    }
}

tri_ev tri_arith_compare(tri_eval *e, tri_ast_op op, tri_ev x, tri_ev y)
{
    static const struct {
        int sgn, uns, flt; /* numbers of arith.cmpi and arith.cmpf predicates */
    } predicates[] = {
        [TRI_AST_EQ_OP - TRI_AST_EQ_OP] = {0, 0, 1}, [TRI_AST_NE_OP - TRI_AST_EQ_OP] = {1, 1, 13},
        [TRI_AST_LT_OP - TRI_AST_EQ_OP] = {2, 6, 4}, [TRI_AST_LE_OP - TRI_AST_EQ_OP] = {3, 7, 5},
        [TRI_AST_GT_OP - TRI_AST_EQ_OP] = {4, 8, 2}, [TRI_AST_GE_OP - TRI_AST_EQ_OP] = {5, 9, 3},
    };
    if (tri_ev_is_error(x) || tri_ev_is_error(y))
        return (tri_ev){0};
    if (tri_ev_is_none(x) || tri_ev_is_none(y))
        return tri_eval_error(e, 3005, "a tensor can not be compared with None by '%s'; use 'is' or 'is not'",
                              op == TRI_AST_NE_OP ? "!=" : "==");
    if (!tri_semantic_binary(e, &x, &y, 0))
        return (tri_ev){0};
    const tri_type *result = tri_types_with_element(e->arena, x.type, tri_types_scalar(TRI_DTYPE_INT1));
    bool flt = is_float(x);
    int p = flt            ? predicates[op - TRI_AST_EQ_OP].flt
            : is_signed(x) ? predicates[op - TRI_AST_EQ_OP].sgn
                           : predicates[op - TRI_AST_EQ_OP].uns;
    tri_attr attr = {"predicate", tri_attr_i64(e->mlir, p)};
    return tri_emit_op(e, flt ? "arith.cmpf" : "arith.cmpi", result, 2, (tri_ev[]){x, y}, 1, &attr);
}

static tri_ev constant_like(tri_eval *e, tri_ev x, int64_t value)
{
    return tri_emit_int(e, element(x)->dtype, value);
}

tri_ev tri_arith_negate(tri_eval *e, tri_ev x)
{
    if (tri_ev_is_error(x))
        return x;
    if (is_ptr(x))
        return tri_eval_error(e, 3005, "unary '-' does not take a pointer of type '%s'", tri_eval_type_name(e, x.type));
    if (is_float(x))
        return tri_emit_unary(e, "arith.negf", x.type, x);
    return tri_arith_binary(e, TRI_AST_SUB_OP, constant_like(e, x, 0), x);
}

tri_ev tri_arith_invert(tri_eval *e, tri_ev x)
{
    if (tri_ev_is_error(x))
        return x;
    if (!tri_types_is_int(x.type))
        return tri_eval_error(e, 3005, "unary '~' needs an integer, but this is '%s'", tri_eval_type_name(e, x.type));
    return tri_arith_binary(e, TRI_AST_BIT_XOR_OP, x, constant_like(e, x, -1));
}

/* `and`, `or` and `not` work on int1; other integers are not reinterpreted behind the user's back. */
static tri_ev need_bool(tri_eval *e, tri_ev x, const char *op)
{
    tri_ev t = tri_semantic_to_tensor(e, x);
    if (tri_ev_is_error(t) || (element(t)->kind == TRI_TYPE_SCALAR && element(t)->dtype == TRI_DTYPE_INT1))
        return t;
    tri_ev r = tri_eval_error(e, 3016, "'%s' needs operands of type int1, but this is '%s'", op,
                              tri_eval_type_name(e, t.type));
    tri_eval_note(e, "compare it with zero: (x != 0)");
    return r;
}

tri_ev tri_arith_not(tri_eval *e, tri_ev x) { return tri_arith_invert(e, need_bool(e, x, "not")); }

tri_ev tri_arith_logical(tri_eval *e, bool is_and, tri_ev x, tri_ev y)
{
    const char *name = is_and ? "and" : "or";
    x = need_bool(e, x, name);
    y = need_bool(e, y, name);
    return tri_arith_binary(e, is_and ? TRI_AST_BIT_AND_OP : TRI_AST_BIT_OR_OP, x, y);
}

static tri_ev widen_bf16(tri_eval *e, tri_ev x)
{
    if (tri_ev_is_tensor(x) && element(x)->kind == TRI_TYPE_SCALAR && element(x)->dtype == TRI_DTYPE_BF16)
        return tri_semantic_cast_to(e, x, TRI_DTYPE_FP32);
    return x;
}

tri_ev tri_arith_minmax(tri_eval *e, bool is_max, tri_ev x, tri_ev y, bool propagate_nan)
{
    x = widen_bf16(e, tri_semantic_to_tensor(e, x));
    y = widen_bf16(e, tri_semantic_to_tensor(e, y));
    if (!tri_semantic_binary(e, &x, &y, 0))
        return (tri_ev){0};
    const char *op;
    if (is_float(x))
        op = propagate_nan ? (is_max ? "arith.maximumf" : "arith.minimumf")
                           : (is_max ? "arith.maxnumf" : "arith.minnumf");
    else if (is_signed(x))
        op = is_max ? "arith.maxsi" : "arith.minsi";
    else
        op = is_max ? "arith.maxui" : "arith.minui";
    return tri_emit_binary(e, op, x.type, x, y);
}

tri_ev tri_arith_where(tri_eval *e, tri_ev c, tri_ev x, tri_ev y)
{
    c = tri_semantic_to_tensor(e, c);
    if (tri_ev_is_error(c) || tri_ev_is_error(x) || tri_ev_is_error(y))
        return (tri_ev){0};
    if (!tri_types_equal(element(c), tri_types_scalar(TRI_DTYPE_INT1)))
        tri_eval_warning(e, "deprecated", "the condition of tl.where is '%s', not int1; compare it with zero",
                         tri_eval_type_name(e, element(c)));
    c = tri_semantic_cast_to(e, c, TRI_DTYPE_INT1);
    if (!tri_semantic_binary(e, &x, &y, TRI_BINARY_LHS_PTR | TRI_BINARY_RHS_PTR))
        return (tri_ev){0};
    if (!tri_types_equal(element(x), element(y)))
        return tri_eval_error(e, 3005, "the values of tl.where have different types '%s' and '%s'",
                              tri_eval_type_name(e, element(x)), tri_eval_type_name(e, element(y)));
    if (tri_ev_is_block(c)) {
        if (!tri_semantic_broadcast(e, &c, &x) || !tri_semantic_broadcast(e, &x, &y))
            return (tri_ev){0};
    } else {
        tri_ev shaped = x;
        if (!tri_semantic_broadcast(e, &c, &shaped))
            return (tri_ev){0};
    }
    return tri_emit_op(e, "arith.select", x.type, 3, (tri_ev[]){c, x, y}, 0, NULL);
}
