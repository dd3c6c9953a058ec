/* Atomic memory operations. */
#include "frontend/builtins/builtins.h"

static const char *const semantics[] = {"", "relaxed", "acquire", "release", "acq_rel", NULL};
static const int semantic_value[] = {4, 1, 2, 3, 4};
static const char *const scopes[] = {"", "gpu", "cta", "sys", NULL};
static const int scope_value[] = {1, 1, 2, 3};

/* RMWOp of the IR. */
enum { rmw_and = 1, rmw_or, rmw_xor, rmw_add, rmw_fadd, rmw_max, rmw_min, rmw_umax, rmw_umin, rmw_exch };

typedef struct {
    tri_ev ptr, val, mask;
    int sem, scope;
} operands;

static const char *name(const tri_eval *e)
{
    const char *dot = strrchr(tri_builtins_current(e)->path, '.');
    return dot + 1;
}

static bool get_order(tri_eval *e, const tri_ev *args, int sem_arg, operands *out)
{
    int sem, scope;
    if (!tri_arg_word(e, args, sem_arg, "memory order", semantics, 0, &sem) ||
        !tri_arg_word(e, args, sem_arg + 1, "memory scope", scopes, 0, &scope))
        return false;
    out->sem = semantic_value[sem];
    out->scope = scope_value[scope];
    return true;
}

static bool get_pointer(tri_eval *e, const tri_ev *args, tri_ev *out)
{
    if (!tri_ev_is_tensor(args[0]) || !tri_types_is_ptr(args[0].type)) {
        tri_arg_error(e, 0, 3014, "tl.%s needs a pointer, but this is %s", name(e), tri_eval_describe(e, args[0]));
        return false;
    }
    if (tri_types_element(args[0].type)->is_const) {
        tri_arg_error(e, 0, 3014, "this pointer of type '%s' is to constant data and can not be stored through",
                      tri_eval_type_name(e, args[0].type));
        return false;
    }
    *out = args[0];
    return true;
}

static bool check_element(tri_eval *e, tri_dtype d, bool is_add)
{
    unsigned bits = tri_types_dtype_bits(d);
    bool half = d == TRI_DTYPE_FP16 || d == TRI_DTYPE_BF16;
    if (bits >= 32 || (half && is_add))
        return true;
    tri_arg_error(e, 0, 3012, "tl.%s does not support elements of type '%s'", name(e), tri_types_dtype_name(d));
    return false;
}

static bool get_mask(tri_eval *e, const tri_ev *args, operands *out)
{
    const tri_type *ptr = out->ptr.type;
    bool block = tri_ev_is_block(out->ptr);
    if (tri_ev_is_none(args[2])) {
        out->mask = tri_emit_int(e, TRI_DTYPE_INT1, 1);
    } else {
        if (!tri_arg_tensor(e, args, 2, &out->mask))
            return false;
        if (tri_types_element(out->mask.type)->dtype != TRI_DTYPE_INT1 || tri_types_is_ptr(out->mask.type)) {
            tri_arg_error(e, 2, 3012, "a mask must be of type int1, but this is '%s'",
                          tri_eval_type_name(e, out->mask.type));
            return false;
        }
        if (!block && tri_ev_is_block(out->mask)) {
            tri_arg_error(e, 2, 3009, "the mask is a block, but the pointer is a scalar");
            return false;
        }
    }
    e->at = e->arg_spans[2];
    if (block)
        out->mask = tri_semantic_broadcast_to(e, out->mask, ptr->rank, ptr->shape);
    return !tri_ev_is_error(out->mask);
}

static bool get_operands(tri_eval *e, const tri_ev *args, bool is_add, operands *out)
{
    if (!get_order(e, args, 3, out) || !get_pointer(e, args, &out->ptr) || !tri_arg_tensor(e, args, 1, &out->val))
        return false;
    const tri_type *ptr = out->ptr.type;
    const tri_type *elem = tri_types_element(ptr)->element;
    if (!check_element(e, elem->dtype, is_add))
        return false;
    tri_span at = e->at;
    e->at = e->arg_spans[1];
    if (tri_ev_is_block(out->ptr))
        out->val = tri_semantic_broadcast_to(e, out->val, ptr->rank, ptr->shape);
    else if (tri_ev_is_block(out->val))
        out->val = tri_arg_error(e, 1, 3009, "the value is a block of type '%s', but the pointer is a scalar",
                                 tri_eval_type_name(e, out->val.type));
    out->val = tri_semantic_cast(e, out->val, elem, TRI_ROUND_DEFAULT);
    bool ok = !tri_ev_is_error(out->val) && get_mask(e, args, out);
    e->at = at;
    return ok;
}

static tri_ev emit_atomics(tri_eval *e, int op, tri_ev ptr, tri_ev val, tri_ev mask, const operands *o)
{
    tri_attr attrs[] = {
        {"atomic_rmw_op", tri_attr_i32(e->mlir, op)},
        {"sem", tri_attr_i32(e->mlir, o->sem)},
        {"scope", tri_attr_i32(e->mlir, o->scope)},
    };
    return tri_emit_op(e, "tt.atomic_rmw", val.type, 3, (tri_ev[]){ptr, val, mask}, 3, attrs);
}

/* data: the RMW op */
tri_ev tri_builtin_atomic_rmw(tri_eval *e, const tri_ev *args)
{
    operands o;
    int op = tri_builtins_current(e)->data;
    if (!get_operands(e, args, op == rmw_add, &o))
        return (tri_ev){0};
    bool is_float = tri_types_is_float(o.val.type);
    if (is_float && (op == rmw_and || op == rmw_or || op == rmw_xor))
        return tri_arg_error(e, 0, 3012, "tl.%s needs integers, but the elements are '%s'", name(e),
                             tri_eval_type_name(e, tri_types_element(o.val.type)));
    return emit_atomics(e, op == rmw_add && is_float ? rmw_fadd : op, o.ptr, o.val, o.mask, &o);
}

/* Floats compare as integers: non-negative ones in their own order, negative ones in the reverse
 * order of their bits read as unsigned. */
static tri_ev float_minmax(tri_eval *e, bool is_max, const operands *o)
{
    const tri_type *elem = tri_types_element(o->val.type);
    bool wide = elem->dtype == TRI_DTYPE_FP64;
    const tri_type *i = tri_types_scalar(wide ? TRI_DTYPE_INT64 : TRI_DTYPE_INT32);
    const tri_type *u = tri_types_scalar(wide ? TRI_DTYPE_UINT64 : TRI_DTYPE_UINT32);
    unsigned space = tri_types_element(o->ptr.type)->space;
    tri_ev i_val = tri_semantic_bitcast(e, o->val, i), u_val = tri_semantic_bitcast(e, o->val, u);
    tri_ev i_ptr = tri_semantic_bitcast(e, o->ptr, tri_types_pointer(e->arena, i, space, false));
    tri_ev u_ptr = tri_semantic_bitcast(e, o->ptr, tri_types_pointer(e->arena, u, space, false));
    tri_ev sign = tri_arith_binary(e, TRI_AST_SHR_OP, u_val, tri_ev_int(e, wide ? 63 : 31));
    tri_ev negative = tri_semantic_cast_to(e, sign, TRI_DTYPE_INT1), positive = tri_arith_not(e, negative);
    tri_ev up = emit_atomics(e, is_max ? rmw_max : rmw_min, i_ptr, i_val,
                             tri_arith_binary(e, TRI_AST_BIT_AND_OP, o->mask, positive), o);
    tri_ev down = emit_atomics(e, is_max ? rmw_umin : rmw_umax, u_ptr, u_val,
                               tri_arith_binary(e, TRI_AST_BIT_AND_OP, o->mask, negative), o);
    return tri_semantic_bitcast(e, tri_arith_where(e, positive, up, down), elem);
}

/* data: 1 for max */
tri_ev tri_builtin_atomic_minmax(tri_eval *e, const tri_ev *args)
{
    operands o;
    bool is_max = tri_builtins_current(e)->data;
    if (!get_operands(e, args, false, &o))
        return (tri_ev){0};
    if (tri_types_is_float(o.val.type))
        return float_minmax(e, is_max, &o);
    bool is_signed = tri_types_dtype_is_signed(tri_types_element(o.val.type)->dtype);
    int op = is_max ? (is_signed ? rmw_max : rmw_umax) : (is_signed ? rmw_min : rmw_umin);
    return emit_atomics(e, op, o.ptr, o.val, o.mask, &o);
}

tri_ev tri_builtin_atomic_cas(tri_eval *e, const tri_ev *args)
{
    operands o;
    tri_ev cmp, val;
    if (!get_order(e, args, 3, &o) || !get_pointer(e, args, &o.ptr) || !tri_arg_tensor(e, args, 1, &cmp) ||
        !tri_arg_tensor(e, args, 2, &val))
        return (tri_ev){0};
    const tri_type *elem = tri_types_element(o.ptr.type)->element;
    unsigned bits = tri_types_dtype_bits(elem->dtype);
    if (bits < 16)
        return tri_arg_error(e, 0, 3012, "tl.atomic_cas needs elements of 16, 32 or 64 bits, but they are '%s'",
                             tri_types_dtype_name(elem->dtype));
    const tri_type *want = tri_types_with_element(e->arena, o.ptr.type, elem);
    for (int i = 1; i < 3; i++) {
        tri_ev v = i == 1 ? cmp : val;
        if (mlirTypeEqual(mlirValueGetType(v.value), tri_emit_type(e, want)))
            continue;
        tri_ev r = tri_arg_error(e, i, 3012,
                                 "tl.atomic_cas neither casts nor broadcasts: this is '%s', the pointer needs '%s'",
                                 tri_eval_type_name(e, v.type), tri_eval_type_name(e, want));
        return r;
    }
    tri_attr attrs[] = {{"sem", tri_attr_i32(e->mlir, o.sem)}, {"scope", tri_attr_i32(e->mlir, o.scope)}};
    return tri_emit_op(e, "tt.atomic_cas", val.type, 3, (tri_ev[]){o.ptr, cmp, val}, 2, attrs);
}

tri_ev tri_builtin_atomic_poll(tri_eval *e, const tri_ev *args)
{
    static const char *const poll_semantics[] = {"", "relaxed", "acquire", NULL};
    static const int poll_value[] = {2, 1, 2};
    int sem, scope;
    tri_ev ops[3];
    int64_t timeout;
    if (!tri_arg_word(e, args, 2, "memory order of a poll", poll_semantics, 0, &sem) ||
        !tri_arg_word(e, args, 3, "memory scope", scopes, 0, &scope) || !get_pointer(e, args, &ops[0]) ||
        !tri_arg_tensor(e, args, 1, &ops[1]))
        return (tri_ev){0};
    const tri_type *elem = tri_types_element(ops[0].type)->element;
    if (tri_ev_is_block(ops[0]) || !tri_types_is_int(elem) || tri_types_dtype_bits(elem->dtype) < 16)
        return tri_arg_error(e, 0, 3014, "tl.atomic_poll needs a scalar pointer to 16, 32 or 64-bit integers, not '%s'",
                             tri_eval_type_name(e, ops[0].type));
    ops[1] = tri_semantic_cast(e, ops[1], elem, TRI_ROUND_DEFAULT);
    bool timed = !tri_ev_is_none(args[4]);
    if (timed && tri_ev_get_int(args[4], &timeout) && timeout < 0)
        return tri_arg_error(e, 4, 3007, "a timeout can not be negative");
    if (timed && !tri_arg_tensor(e, args, 4, &ops[2]))
        return (tri_ev){0};
    if (timed)
        ops[2] = tri_semantic_cast_to(e, ops[2], TRI_DTYPE_UINT64);
    tri_attr attrs[] = {{"sem", tri_attr_i32(e->mlir, poll_value[sem])},
                        {"scope", tri_attr_i32(e->mlir, scope_value[scope])}};
    return tri_emit_op(e, "tt.atomic_poll", tri_types_scalar(TRI_DTYPE_INT1), timed ? 3 : 2, ops, 2, attrs);
}
