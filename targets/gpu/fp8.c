/* Floats kept as bits: in software for every format, by the machine's conversions where it has them. */
#include "targets/gpu/fp8.h"

#include "mlir-c/BuiltinTypes.h"

/* sign, `exponent` bits, `mantissa` bits. fn: no infinity, all ones is NaN; fnuz: 0x80 is the only NaN. */
typedef struct {
    int exponent, mantissa, bias;
    enum { IEEE, FN, FNUZ } kind;
    uint32_t max; /* bits of the largest finite value */
} format;

static format format_of(MlirType type)
{
    if (mlirTypeIsAFloat8E5M2(type))
        return (format){5, 2, 15, IEEE, 0x7b};
    if (mlirTypeIsAFloat8E5M2FNUZ(type))
        return (format){5, 2, 16, FNUZ, 0x7f};
    if (mlirTypeIsAFloat8E4M3FN(type))
        return (format){4, 3, 7, FN, 0x7e};
    if (mlirTypeIsAFloat8E4M3FNUZ(type))
        return (format){4, 3, 8, FNUZ, 0x7f};
    if (mlirTypeIsAFloat8E4M3B11FNUZ(type))
        return (format){4, 3, 11, FNUZ, 0x7f};
    return (format){0};
}

bool tri_gpu_is_fp8(MlirType type) { return format_of(type).exponent != 0; }

static LLVMValueRef c32(tri_gpu *g, uint32_t value) { return LLVMConstInt(g->i32, value, false); }
static LLVMValueRef as_float(tri_gpu *g, LLVMValueRef x) { return LLVMBuildBitCast(g->b, x, g->f32, ""); }
static LLVMValueRef as_bits(tri_gpu *g, LLVMValueRef x) { return LLVMBuildBitCast(g->b, x, g->i32, ""); }

static LLVMValueRef from_software(tri_gpu *g, format f, LLVMValueRef bits)
{
    LLVMBuilderRef b = g->b;
    LLVMValueRef x = LLVMBuildZExt(b, bits, g->i32, "");
    LLVMValueRef magnitude = LLVMBuildAnd(b, x, c32(g, 0x7f), "");
    LLVMValueRef sign = LLVMBuildShl(b, LLVMBuildAnd(b, x, c32(g, 0x80), ""), c32(g, 24), "");
    /* exponent and mantissa in place, then one exact multiplication moves the bias */
    LLVMValueRef placed = LLVMBuildOr(b, sign, LLVMBuildShl(b, magnitude, c32(g, (uint32_t)(23 - f.mantissa)), ""), "");
    double scale = 1;
    for (int i = f.bias; i < 127; i++)
        scale *= 2;
    LLVMValueRef y = LLVMBuildFMul(b, as_float(g, placed), LLVMConstReal(g->f32, scale), "");
    LLVMValueRef nan = as_float(g, c32(g, 0x7fc00000));
    if (f.kind == FNUZ) {
        LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntEQ, x, c32(g, 0x80), "");
        return LLVMBuildSelect(b, is_nan, nan, y, "");
    }
    if (f.kind == FN) {
        LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntEQ, magnitude, c32(g, 0x7f), "");
        return LLVMBuildSelect(b, is_nan, nan, y, "");
    }
    /* infinity and NaN: f32's own exponent of ones, same mantissa */
    LLVMValueRef is_special = LLVMBuildICmp(b, LLVMIntUGE, magnitude, c32(g, 0x7c), "");
    LLVMValueRef special = as_float(g, LLVMBuildOr(b, placed, c32(g, 0x7f800000), ""));
    return LLVMBuildSelect(b, is_special, special, y, "");
}

/* ---- bf16: the upper half of f32 ---- */

/* By an instruction of the machine, or null. */
static LLVMValueRef convert_bf16(tri_gpu *g, LLVMValueRef x)
{
    return g->machine->convert_bf16 ? g->machine->convert_bf16(g, x) : NULL;
}

LLVMValueRef tri_gpu_from_bf16(tri_gpu *g, LLVMValueRef bits)
{
    LLVMValueRef wide = convert_bf16(g, bits);
    return wide ? wide : as_float(g, LLVMBuildShl(g->b, LLVMBuildZExt(g->b, bits, g->i32, ""), c32(g, 16), ""));
}

/* A NaN stays one, quiet; infinities and overflow come out of the carry. */
LLVMValueRef tri_gpu_to_bf16(tri_gpu *g, LLVMValueRef x, bool toward_zero)
{
    LLVMBuilderRef b = g->b;
    LLVMValueRef narrow = toward_zero ? NULL : convert_bf16(g, x);
    if (narrow)
        return narrow;
    LLVMValueRef bits = as_bits(g, x), magnitude = LLVMBuildAnd(b, bits, c32(g, 0x7fffffff), "");
    LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntUGT, magnitude, c32(g, 0x7f800000), "");
    LLVMValueRef quiet = LLVMBuildOr(b, bits, c32(g, 0x400000), ""), rounded = bits;
    if (!toward_zero) {
        LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, c32(g, 16), ""), c32(g, 1), "");
        rounded = LLVMBuildAdd(b, LLVMBuildAdd(b, bits, c32(g, 0x7fff), ""), odd, "");
    }
    LLVMValueRef chosen = LLVMBuildSelect(b, is_nan, quiet, rounded, "");
    return LLVMBuildTrunc(b, LLVMBuildLShr(b, chosen, c32(g, 16), ""), g->i16, "");
}

/* ---- any ---- */

bool tri_gpu_is_narrow(tri_gpu *g, MlirType type)
{
    return tri_gpu_is_fp8(type) || (g->machine->bf16_is_bits && mlirTypeIsABF16(type));
}

LLVMValueRef tri_gpu_from_narrow(tri_gpu *g, MlirType type, LLVMValueRef bits)
{
    if (mlirTypeIsABF16(type))
        return tri_gpu_from_bf16(g, bits);
    tri_machine_id id = mlirTypeIsAFloat8E4M3FN(type) ? TRI_MACHINE_e4m3x2_to_f16x2 : TRI_MACHINE_e5m2x2_to_f16x2;
    bool has_own = (mlirTypeIsAFloat8E4M3FN(type) || mlirTypeIsAFloat8E5M2(type)) && tri_machine_has(g, id);
    if (!has_own)
        return from_software(g, format_of(type), bits);
    LLVMValueRef pair = LLVMBuildZExt(g->b, bits, g->i16, "");
    LLVMValueRef halves = tri_machine_call(g, id, &pair, 1);
    LLVMValueRef half = LLVMBuildExtractElement(g->b, halves, tri_gpu_i32(g, 0), "");
    return LLVMBuildFPExt(g->b, half, g->f32, "");
}

/* The magnitude bits of a finite f32 `a` >= 0 (given as bits, already limited to the largest value). */
static LLVMValueRef round_magnitude(tri_gpu *g, format f, LLVMValueRef a, bool toward_zero)
{
    LLVMBuilderRef b = g->b;
    int shift = 23 - f.mantissa;
    uint32_t limit = (uint32_t)(127 - f.bias + 1) << 23; /* smallest normal */
    LLVMValueRef is_small = LLVMBuildICmp(b, LLVMIntULT, a, c32(g, limit), "");
    LLVMValueRef small, normal = LLVMBuildSub(b, a, c32(g, (uint32_t)(127 - f.bias) << 23), "");
    if (toward_zero) {
        double unit = 1; /* values below the smallest normal are counted in its last place */
        for (int i = 0; i < f.bias - 1 + f.mantissa; i++)
            unit *= 2;
        LLVMValueRef scaled = LLVMBuildFMul(b, as_float(g, a), LLVMConstReal(g->f32, unit), "");
        /* large values would be out of the integer's range */
        scaled = LLVMBuildSelect(b, is_small, scaled, LLVMConstReal(g->f32, 0), "");
        small = LLVMBuildFPToUI(b, scaled, g->i32, "");
    } else {
        /* adding 2^k leaves the wanted bits, rounded by the addition, at the bottom of the sum */
        uint32_t magic = (uint32_t)(127 - f.bias + 1 + 23 - f.mantissa) << 23;
        LLVMValueRef sum = LLVMBuildFAdd(b, as_float(g, a), as_float(g, c32(g, magic)), "");
        small = LLVMBuildSub(b, as_bits(g, sum), c32(g, magic), "");
        LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, a, c32(g, (uint32_t)shift), ""), c32(g, 1), "");
        normal = LLVMBuildAdd(b, normal, c32(g, (1u << (shift - 1)) - 1), "");
        normal = LLVMBuildAdd(b, normal, odd, "");
    }
    normal = LLVMBuildLShr(b, normal, c32(g, (uint32_t)shift), "");
    return LLVMBuildSelect(b, is_small, small, normal, "");
}

static LLVMValueRef to_software(tri_gpu *g, format f, LLVMValueRef x, bool toward_zero)
{
    LLVMBuilderRef b = g->b;
    LLVMValueRef bits = as_bits(g, x);
    LLVMValueRef sign = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, c32(g, 24), ""), c32(g, 0x80), "");
    LLVMValueRef a = LLVMBuildAnd(b, bits, c32(g, 0x7fffffff), "");
    LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntUGT, a, c32(g, 0x7f800000), "");
    uint32_t mantissa = f.max & ((1u << f.mantissa) - 1), exponent = f.max >> f.mantissa;
    uint32_t largest = (uint32_t)((int)exponent + 127 - f.bias) << 23 | mantissa << (23 - f.mantissa);
    LLVMValueRef pair[] = {a, c32(g, largest)};
    LLVMValueRef y = round_magnitude(g, f, tri_gpu_intrinsic_same(g, "llvm.umin", pair, 2), toward_zero);
    if (f.kind == FNUZ) { /* there is no negative zero */
        LLVMValueRef is_zero = LLVMBuildICmp(b, LLVMIntEQ, y, c32(g, 0), "");
        sign = LLVMBuildSelect(b, is_zero, c32(g, 0), sign, "");
    }
    y = LLVMBuildOr(b, y, sign, "");
    LLVMValueRef nan = f.kind == FNUZ ? c32(g, 0x80) : LLVMBuildOr(b, sign, c32(g, 0x7f), "");
    return LLVMBuildTrunc(b, LLVMBuildSelect(b, is_nan, nan, y, ""), g->i8, "");
}

/* f64 as an f32 that rounds to a narrow type as the f64 itself would: what the 23 bits of mantissa lose is kept as one
 * in the last of them. */
static LLVMValueRef round_to_odd(tri_gpu *g, LLVMValueRef value)
{
    LLVMBuilderRef b = g->b;
    LLVMValueRef bits = LLVMBuildBitCast(b, value, g->i64, "");
    LLVMValueRef lost = LLVMConstInt(g->i64, (UINT64_C(1) << 29) - 1, false);
    LLVMValueRef is_inexact = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, bits, lost, ""), LLVMConstNull(g->i64), "");
    LLVMValueRef sticky =
        LLVMBuildShl(b, LLVMBuildZExt(b, is_inexact, g->i64, ""), LLVMConstInt(g->i64, 29, false), "");
    bits = LLVMBuildOr(b, LLVMBuildAnd(b, bits, LLVMBuildNot(b, lost, ""), ""), sticky, "");
    return LLVMBuildFPTrunc(b, LLVMBuildBitCast(b, bits, LLVMDoubleTypeInContext(g->llvm), ""), g->f32, "");
}

LLVMValueRef tri_gpu_to_narrow(tri_gpu *g, MlirType type, LLVMValueRef value, bool toward_zero)
{
    LLVMTypeRef from = LLVMTypeOf(value);
    if (LLVMGetTypeKind(from) == LLVMDoubleTypeKind)
        value = toward_zero ? tri_gpu_truncate_to_zero(g, value, g->f32) : round_to_odd(g, value);
    else if (from != g->f32)
        value = LLVMBuildFPExt(g->b, value, g->f32, "");
    if (mlirTypeIsABF16(type))
        return tri_gpu_to_bf16(g, value, toward_zero);
    tri_machine_id id = mlirTypeIsAFloat8E4M3FN(type) ? TRI_MACHINE_f32x2_to_e4m3x2 : TRI_MACHINE_f32x2_to_e5m2x2;
    bool has_own = (mlirTypeIsAFloat8E4M3FN(type) || mlirTypeIsAFloat8E5M2(type)) && tri_machine_has(g, id);
    if (!has_own || toward_zero)
        return to_software(g, format_of(type), value, toward_zero);
    LLVMValueRef args[] = {LLVMConstReal(g->f32, 0), value};
    return LLVMBuildTrunc(g->b, tri_machine_call(g, id, args, 2), g->i8, "");
}

bool tri_gpu_has_fp8_pairs(tri_gpu *g, MlirType type)
{
    if (mlirTypeIsAFloat8E4M3FN(type))
        return tri_machine_has(g, TRI_MACHINE_f32x2_to_e4m3x2) && tri_machine_has(g, TRI_MACHINE_e4m3x2_to_f16x2);
    return mlirTypeIsAFloat8E5M2(type) && tri_machine_has(g, TRI_MACHINE_f32x2_to_e5m2x2) &&
           tri_machine_has(g, TRI_MACHINE_e5m2x2_to_f16x2);
}

void tri_gpu_pair_to_fp8(tri_gpu *g, MlirType type, LLVMValueRef *values, LLVMValueRef *out_bits)
{
    tri_machine_id id = mlirTypeIsAFloat8E4M3FN(type) ? TRI_MACHINE_f32x2_to_e4m3x2 : TRI_MACHINE_f32x2_to_e5m2x2;
    LLVMValueRef args[2]; /* the first operand becomes the upper half */
    for (int i = 0; i < 2; i++)
        args[1 - i] = LLVMTypeOf(values[i]) == g->f32 ? values[i] : LLVMBuildFPExt(g->b, values[i], g->f32, "");
    LLVMValueRef pair = tri_machine_call(g, id, args, 2);
    out_bits[0] = LLVMBuildTrunc(g->b, pair, g->i8, "");
    out_bits[1] = LLVMBuildTrunc(g->b, LLVMBuildLShr(g->b, pair, LLVMConstInt(g->i16, 8, false), ""), g->i8, "");
}

void tri_gpu_pair_from_fp8(tri_gpu *g, MlirType type, LLVMValueRef *bits, LLVMTypeRef to, LLVMValueRef *out_values)
{
    tri_machine_id id = mlirTypeIsAFloat8E4M3FN(type) ? TRI_MACHINE_e4m3x2_to_f16x2 : TRI_MACHINE_e5m2x2_to_f16x2;
    LLVMValueRef low = LLVMBuildZExt(g->b, bits[0], g->i16, ""), high = LLVMBuildZExt(g->b, bits[1], g->i16, "");
    LLVMValueRef pair = LLVMBuildOr(g->b, low, LLVMBuildShl(g->b, high, LLVMConstInt(g->i16, 8, false), ""), "");
    LLVMValueRef halves = tri_machine_call(g, id, &pair, 1);
    LLVMTypeRef half = LLVMHalfTypeInContext(g->llvm);
    for (int i = 0; i < 2; i++) {
        LLVMValueRef x = LLVMBuildExtractElement(g->b, halves, tri_gpu_i32(g, i), "");
        if (to != half)
            x = LLVMBuildFPExt(g->b, x, g->f32, "");
        out_values[i] = LLVMTypeOf(x) == to ? x : LLVMBuildFPTrunc(g->b, x, to, "");
    }
}

LLVMValueRef tri_gpu_truncate_to_zero(tri_gpu *g, LLVMValueRef value, LLVMTypeRef type)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef from = LLVMTypeOf(value);
    LLVMValueRef y = LLVMBuildFPTrunc(b, value, type, "");
    LLVMValueRef back = LLVMBuildFPExt(b, y, from, "");
    LLVMValueRef size = tri_gpu_intrinsic_same(g, "llvm.fabs", &value, 1);
    LLVMValueRef grew = LLVMBuildFCmp(b, LLVMRealOGT, tri_gpu_intrinsic_same(g, "llvm.fabs", &back, 1), size, "");
    LLVMValueRef bits = tri_gpu_to_int(g, y);
    /* one step toward zero: the magnitude is the low part of the bits */
    LLVMValueRef step = LLVMBuildZExt(b, grew, LLVMTypeOf(bits), "");
    return tri_gpu_from_int(g, LLVMBuildSub(b, bits, step, ""), type);
}
