/* Casts between element types (part of the `semantic` module's contract, kept apart for its size). */
#include "frontend/kernel/eval.h"
#include "frontend/kernel/target.h"

#include "ir/type.h"

static tri_ev emit_cast(tri_eval *e, const char *op, tri_ev x, const tri_type *to)
{
    return tri_emit_unary(e, op, to, x);
}

static tri_ev emit_fp_to_fp(tri_eval *e, tri_ev x, const tri_type *to, bool narrowing, tri_rounding rounding)
{
    tri_attr attr = {"rounding", tri_attr_i32(e->mlir, rounding == TRI_ROUND_RTZ ? 0 : 1)};
    return tri_emit_op(e, "tt.fp_to_fp", to, 1, &x, narrowing ? 1 : 0, &attr);
}

/* One pattern of inline assembly over elements, four at a time in 32-bit registers. */
static tri_ev emit_asm4(tri_eval *e, const char *text, const char *constraints, tri_ev x, const tri_type *to)
{
    tri_attr attrs[] = {
        {"asm_string", tri_attr_str(e->mlir, text, strlen(text))},
        {"constraints", tri_attr_str(e->mlir, constraints, strlen(constraints))},
        {"pure", tri_attr_bool(e->mlir, true)},
        {"packed_element", tri_attr_i32(e->mlir, 4)},
    };
    return tri_emit_op(e, "tt.elementwise_inline_asm", to, 1, &x, 4, attrs);
}

/* ---- fp8e4b15: no type of the IR, a byte that is converted to and from fp16 by moving bits ---- */

/* NVIDIA's: as upstream spells it, four packed values at a time. */
static const char *const pack_e4b15 = "{\n"
                                      ".reg .b32 m<2>, c<2>, top;\n"
                                      "mov.b32 top, 0x3F003F00;\n"
                                      "and.b32 m0, $1, 0x7fff7fff;\n"
                                      "and.b32 m1, $2, 0x7fff7fff;\n"
                                      "min.f16x2 m0, m0, top;\n"
                                      "min.f16x2 m1, m1, top;\n"
                                      "mad.lo.u32 m0, m0, 2, 0x00800080;\n"
                                      "mad.lo.u32 m1, m1, 2, 0x00800080;\n"
                                      "lop3.b32 c0, $1, 0x80008000, m0, 0xEA;\n"
                                      "lop3.b32 c1, $2, 0x80008000, m1, 0xEA;\n"
                                      "prmt.b32 $0, c0, c1, 0x7531;\n"
                                      "}";
static const char *const unpack_e4b15 = "{\n"
                                        ".reg .b32 a<2>, b<2>;\n"
                                        "prmt.b32 a0, 0, $2, 0x5746;\n"
                                        "and.b32 b0, a0, 0x7f007f00;\n"
                                        "and.b32 b1, a0, 0x00ff00ff;\n"
                                        "and.b32 a1, a0, 0x00800080;\n"
                                        "shr.b32 b0, b0, 1;\n"
                                        "add.u32 b1, b1, a1;\n"
                                        "lop3.b32 $0, b0, 0x80008000, a0, 0xf8;\n"
                                        "shl.b32 $1, b1, 7;\n"
                                        "}";

/* Whether the machine takes PTX. */
static bool has_ptx(const tri_eval *e) { return tri_target_facts(e)->capability > 0; }

static tri_ev with_word(tri_eval *e, tri_ast_op op, tri_ev x, int64_t word)
{
    tri_num n = {.kind = TRI_NUM_INT, .i = word};
    return tri_arith_binary(e, op, x, tri_semantic_constant(e, &n, TRI_DTYPE_UINT16));
}

/* Of fp16: the sign, and the rest, at most 1.75, one to the left and rounded to the upper byte. */
static tri_ev half_to_e4b15(tri_eval *e, tri_ev x, const tri_type *to)
{
    if (has_ptx(e))
        return emit_asm4(e, pack_e4b15, "=r,r,r", x, to);
    tri_num most = {.kind = TRI_NUM_INT, .i = 0x3f00};
    tri_ev bits = tri_semantic_bitcast(e, x, tri_types_scalar(TRI_DTYPE_UINT16));
    tri_ev rest = with_word(e, TRI_AST_BIT_AND_OP, bits, 0x7fff);
    rest = tri_arith_minmax(e, false, rest, tri_semantic_constant(e, &most, TRI_DTYPE_UINT16), false);
    rest = with_word(e, TRI_AST_ADD_OP, with_word(e, TRI_AST_SHL_OP, rest, 1), 0x80);
    tri_ev sign = with_word(e, TRI_AST_BIT_AND_OP, bits, 0x8000);
    tri_ev word = with_word(e, TRI_AST_SHR_OP, tri_arith_binary(e, TRI_AST_BIT_OR_OP, rest, sign), 8);
    tri_ev byte = tri_semantic_cast_to(e, word, TRI_DTYPE_UINT8);
    return tri_ev_is_error(byte) ? byte : tri_ev_tensor(byte.value, to);
}

static tri_ev e4b15_to_half(tri_eval *e, tri_ev x, const tri_type *half_like)
{
    if (has_ptx(e))
        return emit_asm4(e, unpack_e4b15, "=r,=r,r", x, half_like);
    const tri_type *byte = tri_types_with_element(e->arena, x.type, tri_types_scalar(TRI_DTYPE_UINT8));
    tri_ev word = tri_semantic_cast_to(e, tri_ev_tensor(x.value, byte), TRI_DTYPE_UINT16);
    tri_ev rest = with_word(e, TRI_AST_SHL_OP, with_word(e, TRI_AST_BIT_AND_OP, word, 0x7f), 7);
    tri_ev sign = with_word(e, TRI_AST_SHL_OP, with_word(e, TRI_AST_BIT_AND_OP, word, 0x80), 8);
    return tri_semantic_bitcast(e, tri_arith_binary(e, TRI_AST_BIT_OR_OP, rest, sign),
                                tri_types_scalar(TRI_DTYPE_FP16));
}

static tri_ev cast_e4b15(tri_eval *e, tri_ev x, const tri_type *to)
{
    const tri_type *from = tri_types_element(x.type), *elem = tri_types_element(to);
    const tri_type *half_like = tri_types_with_element(e->arena, x.type, tri_types_scalar(TRI_DTYPE_FP16));
    tri_dtype other = elem->dtype == TRI_DTYPE_FP8E4B15 ? from->dtype : elem->dtype;
    if (other != TRI_DTYPE_FP16 && other != TRI_DTYPE_FP32)
        return tri_eval_error(e, 3015, "'%s' converts only to and from fp16 and fp32, not '%s' to '%s'", "fp8e4b15",
                              tri_eval_type_name(e, from), tri_eval_type_name(e, elem));
    if (elem->dtype != TRI_DTYPE_FP8E4B15) {
        tri_ev half = e4b15_to_half(e, x, half_like);
        return other == TRI_DTYPE_FP16 || tri_ev_is_error(half) ? half : emit_cast(e, "arith.extf", half, to);
    }
    if (other == TRI_DTYPE_FP32)
        x = emit_fp_to_fp(e, x, half_like, true, TRI_ROUND_RTZ);
    return half_to_e4b15(e, x, to);
}

static tri_ev not_zero(tri_eval *e, tri_ev x)
{
    const tri_type *elem = tri_types_element(x.type);
    tri_num zero = {.kind = TRI_NUM_INT};
    return tri_arith_compare(e, TRI_AST_NE_OP, x, tri_semantic_constant(e, &zero, elem->dtype));
}

static tri_ev cast_float(tri_eval *e, tri_ev x, tri_dtype from, const tri_type *to, tri_rounding rounding)
{
    tri_dtype elem = tri_types_element(to)->dtype;
    unsigned wf = tri_types_dtype_bits(from), wt = tri_types_dtype_bits(elem);
    bool narrowing = tri_types_dtype_is_float(elem) && wt < wf;
    bool to_float = tri_types_dtype_is_float(elem);
    if (rounding != TRI_ROUND_DEFAULT && !narrowing)
        return tri_eval_error(e, 3015, "fp_downcast_rounding is only for narrowing float conversions, not '%s' to '%s'",
                              tri_types_dtype_name(from), tri_types_dtype_name(elem));
    if (from == TRI_DTYPE_FP8E4B15 || elem == TRI_DTYPE_FP8E4B15)
        return cast_e4b15(e, x, to);
    if (to_float && (tri_types_dtype_is_fp8(from) || tri_types_dtype_is_fp8(elem) || rounding == TRI_ROUND_RTZ))
        return emit_fp_to_fp(e, x, to, narrowing, rounding);
    if ((from == TRI_DTYPE_FP16 || from == TRI_DTYPE_BF16) && elem != TRI_DTYPE_FP32)
        return tri_semantic_cast_to(e, tri_semantic_cast_to(e, x, TRI_DTYPE_FP32), elem);
    if (to_float)
        return emit_cast(e, wf > wt ? "arith.truncf" : "arith.extf", x, to);
    if (!tri_types_dtype_is_standard_float(from))
        return tri_eval_error(e, 3015, "'%s' does not convert to '%s'; go through tl.float32",
                              tri_types_dtype_name(from), tri_types_dtype_name(elem));
    if (elem == TRI_DTYPE_INT1)
        return not_zero(e, x);
    return emit_cast(e, tri_types_dtype_is_signed(elem) ? "arith.fptosi" : "arith.fptoui", x, to);
}

static tri_ev cast_int(tri_eval *e, tri_ev x, tri_dtype from, const tri_type *to)
{
    const tri_type *elem = tri_types_element(to);
    if (elem->kind == TRI_TYPE_PTR) {
        if (tri_types_dtype_bits(from) != 64)
            return tri_eval_error(e, 3015, "only 64-bit integers convert to a pointer, not '%s'; add .to(tl.int64)",
                                  tri_types_dtype_name(from));
        return emit_cast(e, "tt.int_to_ptr", x, to);
    }
    bool is_signed = tri_types_dtype_is_signed(from);
    if (tri_types_dtype_is_int(elem->dtype)) {
        unsigned wf = tri_types_dtype_bits(from), wt = tri_types_dtype_bits(elem->dtype);
        if (elem->dtype == TRI_DTYPE_INT1)
            return not_zero(e, x);
        if (wf == wt) /* only the signedness changes, which the IR does not have */
            return tri_ev_tensor(x.value, to);
        return emit_cast(e, wf > wt ? "arith.trunci" : is_signed ? "arith.extsi" : "arith.extui", x, to);
    }
    if (tri_types_dtype_is_standard_float(elem->dtype))
        return emit_cast(e, is_signed ? "arith.sitofp" : "arith.uitofp", x, to);
    return tri_eval_error(e, 3015, "'%s' does not convert to '%s'; go through tl.float32", tri_types_dtype_name(from),
                          tri_types_dtype_name(elem->dtype));
}

static tri_ev cast_ptr(tri_eval *e, tri_ev x, const tri_type *to)
{
    const tri_type *elem = tri_types_element(to);
    if (elem->kind == TRI_TYPE_PTR)
        return emit_cast(e, "tt.bitcast", x, to);
    unsigned bits = tri_types_dtype_bits(elem->dtype);
    if (tri_types_is_int(elem) && bits == 64)
        return emit_cast(e, "tt.ptr_to_int", x, to);
    if (tri_types_is_int(elem) && bits == 1)
        return not_zero(e, tri_semantic_cast_to(e, x, TRI_DTYPE_INT64));
    return tri_eval_error(e, 3015, "a pointer converts only to 64-bit integers and int1, not to '%s'",
                          tri_eval_type_name(e, elem));
}

tri_ev tri_semantic_cast(tri_eval *e, tri_ev x, const tri_type *to, tri_rounding rounding)
{
    if (tri_ev_is_error(x))
        return x;
    const tri_type *from = tri_types_element(x.type), *elem = tri_types_element(to);
    if (tri_types_equal(from, elem))
        return x;
    if (elem->kind == TRI_TYPE_SCALAR && elem->dtype == TRI_DTYPE_VOID)
        return tri_eval_error(e, 3015, "'%s' does not convert to 'void'", tri_eval_type_name(e, from));
    const tri_type *result = tri_types_with_element(e->arena, x.type, elem);
    if (from->kind == TRI_TYPE_SCALAR && tri_types_dtype_is_float(from->dtype) && elem->kind == TRI_TYPE_SCALAR)
        return cast_float(e, x, from->dtype, result, rounding);
    if (rounding != TRI_ROUND_DEFAULT)
        return tri_eval_error(e, 3015, "fp_downcast_rounding is only for narrowing float conversions, not '%s' to '%s'",
                              tri_eval_type_name(e, from), tri_eval_type_name(e, elem));
    if (from->kind == TRI_TYPE_PTR)
        return cast_ptr(e, x, result);
    if (tri_types_dtype_is_int(from->dtype))
        return cast_int(e, x, from->dtype, result);
    return tri_eval_error(e, 3015, "'%s' does not convert to '%s'", tri_eval_type_name(e, from),
                          tri_eval_type_name(e, elem));
}

tri_ev tri_semantic_cast_to(tri_eval *e, tri_ev x, tri_dtype to)
{
    return tri_semantic_cast(e, x, tri_types_scalar(to), TRI_ROUND_DEFAULT);
}

tri_ev tri_semantic_bitcast(tri_eval *e, tri_ev x, const tri_type *to)
{
    if (tri_ev_is_error(x))
        return x;
    const tri_type *from = tri_types_element(x.type), *elem = tri_types_element(to);
    if (tri_types_equal(from, elem))
        return x;
    if (from->kind == TRI_TYPE_PTR || elem->kind == TRI_TYPE_PTR)
        return tri_semantic_cast(e, x, to, TRI_ROUND_DEFAULT);
    unsigned wf = tri_types_dtype_bits(from->dtype), wt = tri_types_dtype_bits(elem->dtype);
    if (wf != wt)
        return tri_eval_error(e, 3015, "a bitcast needs equal widths, but '%s' has %u bits and '%s' has %u",
                              tri_eval_type_name(e, from), wf, tri_eval_type_name(e, elem), wt);
    return emit_cast(e, "tt.bitcast", x, tri_types_with_element(e->arena, x.type, elem));
}
