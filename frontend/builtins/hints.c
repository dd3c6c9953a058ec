/* Hints, debugging, inline assembly. */
#include "frontend/builtins/builtins.h"

#include "ir/options.h"
#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"

/* data: 0 divisibility, 1 contiguity, 2 constancy */
tri_ev tri_builtin_hint(tri_eval *e, const tri_ev *args)
{
    static const char *const names[] = {"tt.divisibility", "tt.contiguity", "tt.constancy"};
    tri_ev x;
    int n;
    int64_t values[TRI_MAX_TENSOR_RANK];
    int kind = tri_builtins_current(e)->data;
    if (!tri_ev_is_tensor(args[0])) {
        tri_num num;
        if (tri_ev_get_num(args[0], &num))
            return args[0]; /* the constant says it all */
        return tri_arg_tensor(e, args, 0, &x) ? x : (tri_ev){0};
    }
    x = args[0];
    if (!tri_arg_shape(e, args, 1, &n, values))
        return (tri_ev){0};
    int rank = tri_ev_is_block(x) ? x.type->rank : 0;
    if (n != (kind == 0 && rank == 0 ? 1 : rank))
        return tri_arg_error(e, 1, 3009, "%d values for a tensor with %d axes", n, rank);
    int32_t small[TRI_MAX_TENSOR_RANK];
    for (int i = 0; i < n; i++)
        small[i] = (int32_t)values[i];
    int64_t len = n;
    MlirType i32 = mlirIntegerTypeGet(e->mlir, 32);
    MlirAttribute attr = mlirDenseElementsAttrInt32Get(tri_type_tensor(1, &len, i32, (MlirAttribute){0}), n, small);
    if (!mlirValueIsABlockArgument(x.value)) {
        mlirOperationSetAttributeByName(mlirOpResultGetOwner(x.value), mlirStringRefCreateFromCString(names[kind]),
                                        attr);
        return x;
    }
    tri_hint hint = {mlirBlockArgumentGetOwner(x.value), mlirBlockArgumentGetArgNumber(x.value), names[kind], attr};
    tri_vec_push(e->arena, &e->hints, hint); /* for a kernel's argument nobody asks: it has its own */
    return x;
}

tri_ev tri_builtin_assume(tri_eval *e, const tri_ev *args)
{
    tri_ev x;
    bool known;
    if (tri_ev_get_bool(args[0], &known))
        return tri_ev_none(e);
    if (!tri_arg_tensor(e, args, 0, &x))
        return (tri_ev){0};
    if (!tri_types_equal(x.type, tri_types_scalar(TRI_DTYPE_INT1)))
        return tri_arg_error(e, 0, 3012, "tl.assume needs a scalar condition of type int1, but this is '%s'",
                             tri_eval_type_name(e, x.type));
    mlirContextGetOrLoadDialect(e->mlir, mlirStringRefCreateFromCString("llvm"));
    tri_attr bundles = {"op_bundle_sizes", tri_attr_i32s(e->mlir, 0, NULL)};
    tri_emit_effect(e, "llvm.intr.assume", 1, &x, 1, &bundles);
    return tri_ev_none(e);
}

tri_ev tri_builtin_debug_barrier(tri_eval *e, const tri_ev *args)
{
    (void)args;
    tri_attr attr = {"addrSpace", tri_attr_i32(e->mlir, 31)};
    tri_emit_effect(e, "ttg.barrier", 0, NULL, 1, &attr);
    return tri_ev_none(e);
}

tri_ev tri_builtin_device_print(tri_eval *e, const tri_ev *args)
{
    tri_str prefix;
    bool hex;
    if (!tri_arg_str(e, args, 0, "", &prefix) || !tri_arg_bool(e, args, 2, false, &hex))
        return (tri_ev){0};
    for (size_t i = 0; i < prefix.len; i++)
        if ((unsigned char)prefix.data[i] > 126 || (unsigned char)prefix.data[i] < 32)
            return tri_arg_error(e, 0, 3021, "the prefix of a print must be printable ASCII");
    int n = args[1].tuple->count;
    MlirValue *values = TRI_NEW_ARRAY(e->arena, MlirValue, n + 1);
    int32_t *is_signed = TRI_NEW_ARRAY(e->arena, int32_t, n + 1);
    for (int i = 0; i < n; i++) {
        tri_ev v = tri_semantic_to_tensor(e, args[1].tuple->at[i]);
        if (tri_ev_is_error(v))
            return v;
        values[i] = v.value;
        is_signed[i] = tri_types_is_int(v.type) && tri_types_dtype_is_signed(tri_types_element(v.type)->dtype);
    }
    tri_str text = prefix;
    if (n && !tri_str_has_suffix(text, " "))
        text = tri_str_format(e->arena, "%.*s ", TRI_STR_ARG(text));
    if (n && !tri_str_has_suffix(text, ": "))
        text = tri_str_format(e->arena, "%.*s: ", (int)text.len - 1, text.data);
    if (text.len > 2 && !tri_str_has_prefix(text, " "))
        text = tri_str_format(e->arena, " %.*s", TRI_STR_ARG(text));
    tri_attr attrs[] = {
        {"prefix", tri_attr_str(e->mlir, text.data, text.len)},
        {"hex", tri_attr_bool(e->mlir, hex)},
        {"isSigned", tri_attr_i32s(e->mlir, n, is_signed)},
    };
    tri_builder_create(
        &e->b, &(tri_op){.name = "tt.print", .num_operands = n, .operands = values, .num_attrs = 3, .attrs = attrs});
    return tri_ev_none(e);
}

tri_ev tri_builtin_device_assert(tri_eval *e, const tri_ev *args)
{
    tri_ev cond, mask;
    tri_str message;
    bool is_left_out = !e->unit->options->debug_asserts && !e->debug; /* Triton looks at no message then */
    if ((!is_left_out || tri_ev_is_tensor(args[1])) && !tri_arg_str(e, args, 1, "", &message))
        return (tri_ev){0};
    if (!tri_arg_tensor(e, args, 0, &cond) || (!tri_ev_is_none(args[2]) && !tri_arg_tensor(e, args, 2, &mask)))
        return (tri_ev){0};
    if (e->unit->options->warn_asserts && !e->debug)
        tri_eval_warning(e, "lost-assert", "this device cannot report a failed assertion: it is left out");
    if (is_left_out)
        return tri_ev_none(e);
    if (!tri_types_is_int(cond.type) || tri_types_element(cond.type)->dtype != TRI_DTYPE_INT1)
        return tri_arg_error(e, 0, 3012, "the condition must be of type int1, but this is '%s'",
                             tri_eval_type_name(e, cond.type));
    if (!tri_ev_is_none(args[2]))
        cond = tri_arith_binary(e, TRI_AST_BIT_OR_OP, cond, tri_arith_not(e, mask));
    tri_attr attr = {"message", tri_attr_str(e->mlir, message.data, message.len)};
    tri_emit_effect(e, "tt.assert", 1, &cond, 1, &attr);
    return tri_ev_none(e);
}

enum { asm_text, asm_constraints, asm_args, asm_dtype, asm_pure, asm_pack };

tri_ev tri_builtin_inline_asm(tri_eval *e, const tri_ev *args)
{
    tri_str text, constraints;
    bool pure;
    int64_t pack;
    if (!tri_arg_str(e, args, asm_text, "", &text) || !tri_arg_str(e, args, asm_constraints, "", &constraints) ||
        !tri_arg_bool(e, args, asm_pure, false, &pure) || !tri_arg_int(e, args, asm_pack, 1, &pack))
        return (tri_ev){0};
    tri_ev single = args[asm_args];
    int n = single.kind == TRI_EV_TUPLE ? single.tuple->count : tri_ev_is_none(single) ? 0 : 1;
    const tri_ev *at = single.kind == TRI_EV_TUPLE ? single.tuple->at : &single;
    tri_ev *values = TRI_NEW_ARRAY(e->arena, tri_ev, n + 1);
    for (int i = 0; i < n; i++)
        values[i] = tri_semantic_to_tensor(e, at[i]);
    if (n && !tri_semantic_broadcast_all(e, n, values))
        return (tri_ev){0};
    tri_ev dtype = args[asm_dtype];
    int outs = dtype.kind == TRI_EV_TUPLE ? dtype.tuple->count : 1;
    const tri_ev *dts = dtype.kind == TRI_EV_TUPLE ? dtype.tuple->at : &dtype;
    const tri_type **types = TRI_NEW_ARRAY(e->arena, const tri_type *, outs + 1);
    MlirType *ir_types = TRI_NEW_ARRAY(e->arena, MlirType, outs + 1);
    for (int i = 0; i < outs; i++) {
        const tri_type *t = tri_ev_get_dtype(dts[i]);
        if (!t)
            return tri_arg_error(e, asm_dtype, 3013, "'dtype' must be a type or a tuple of types, but this is %s",
                                 tri_eval_describe(e, dts[i]));
        types[i] = n ? tri_types_with_element(e->arena, values[0].type, tri_types_element(t)) : t;
        ir_types[i] = tri_emit_type(e, types[i]);
    }
    if (pack < 1 || (n && tri_types_numel(values[0].type) % pack))
        return tri_arg_error(e, asm_pack, 3007, "%lld elements can not be handled %lld at a time",
                             (long long)(n ? tri_types_numel(values[0].type) : 1), (long long)pack);
    MlirValue *operands = TRI_NEW_ARRAY(e->arena, MlirValue, n + 1);
    for (int i = 0; i < n; i++)
        operands[i] = values[i].value;
    tri_attr attrs[] = {
        {"asm_string", tri_attr_str(e->mlir, text.data, text.len)},
        {"constraints", tri_attr_str(e->mlir, constraints.data, constraints.len)},
        {"pure", tri_attr_bool(e->mlir, pure)},
        {"packed_element", tri_attr_i32(e->mlir, (int32_t)pack)},
    };
    MlirOperation op = tri_builder_create(&e->b, &(tri_op){.name = "tt.elementwise_inline_asm",
                                                           .num_operands = n,
                                                           .operands = operands,
                                                           .num_results = outs,
                                                           .results = ir_types,
                                                           .num_attrs = 4,
                                                           .attrs = attrs});
    tri_ev *out = TRI_NEW_ARRAY(e->arena, tri_ev, outs + 1);
    for (int i = 0; i < outs; i++)
        out[i] = tri_ev_tensor(mlirOperationGetResult(op, i), types[i]);
    return dtype.kind == TRI_EV_TUPLE ? tri_ev_make_tuple(e, outs, out) : out[0];
}
