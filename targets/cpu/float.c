/* Conversions between float and the small formats, exact, without library calls.
 *
 * A small float is an integer of its width. Widening moves exponent and mantissa to their place in
 * a float and rescales by a power of two, which is exact for subnormals too. Narrowing rounds the
 * integer form; numbers below the smallest normal are rounded by adding a float whose last place
 * is the format's smallest step. */
#include "targets/cpu/cpu.h"

#include "ir/llvm.h"

typedef struct {
    int mantissa, bias;
    bool has_inf;      /* IEEE-like: top exponent is infinity and NaN */
    bool is_fnuz;      /* no minus zero; 0x80 is NaN */
    uint32_t max;      /* largest finite, as the format's bits without sign */
    uint32_t nan;
    bool saturates;    /* finite overflow gives the largest finite number */
} format;

static format format_of(tri_cpu_kind kind)
{
    switch (kind) {
    case TRI_CPU_F16:
        return (format){10, 15, true, false, 0x7bff, 0x7e00, false};
    case TRI_CPU_E5M2:
        return (format){2, 15, true, false, 0x7b, 0x7f, true};
    case TRI_CPU_E4M3FN:
        return (format){3, 7, false, false, 0x7e, 0x7f, true};
    case TRI_CPU_E4M3FNUZ:
        return (format){3, 8, false, true, 0x7f, 0x80, true};
    case TRI_CPU_E5M2FNUZ:
        return (format){2, 16, false, true, 0x7f, 0x80, true};
    default:
        TRI_BUG("no small float");
    }
}

static LLVMValueRef k(LLVMValueRef like, int64_t value) { return tri_cpu_const_like(LLVMTypeOf(like), value); }

static LLVMValueRef icmp(tri_cpu_gen *g, LLVMIntPredicate p, LLVMValueRef x, int64_t y)
{
    return LLVMBuildICmp(g->b, p, x, k(x, y), "");
}

static LLVMValueRef and_k(tri_cpu_gen *g, LLVMValueRef x, int64_t y) { return LLVMBuildAnd(g->b, x, k(x, y), ""); }
static LLVMValueRef shl_k(tri_cpu_gen *g, LLVMValueRef x, int64_t y) { return LLVMBuildShl(g->b, x, k(x, y), ""); }
static LLVMValueRef shr_k(tri_cpu_gen *g, LLVMValueRef x, int64_t y) { return LLVMBuildLShr(g->b, x, k(x, y), ""); }

static LLVMValueRef widen_bits(tri_cpu_gen *g, LLVMValueRef v, tri_cpu_type type)
{
    LLVMBuilderRef b = g->b;
    format f = format_of(type.kind);
    LLVMTypeRef ft = tri_cpu_like(g->f32, v);
    LLVMValueRef x = LLVMBuildZExt(b, v, tri_cpu_like(g->i32, v), "");
    LLVMValueRef magnitude = and_k(g, x, (1 << (type.bits - 1)) - 1);
    LLVMValueRef sign = shl_k(g, and_k(g, x, 1 << (type.bits - 1)), 32 - type.bits);
    LLVMValueRef placed = LLVMBuildBitCast(b, shl_k(g, magnitude, 23 - f.mantissa), ft, "");
    /* 2^(127 - bias) as a float: exponent field 254 - bias */
    uint32_t scale_bits = (uint32_t)(254 - f.bias) << 23;
    float scale;
    memcpy(&scale, &scale_bits, sizeof scale);
    LLVMValueRef scaled = LLVMBuildFMul(b, placed, tri_cpu_constf_like(ft, scale), "");
    LLVMValueRef bits = LLVMBuildBitCast(b, scaled, LLVMTypeOf(x), "");
    LLVMValueRef quiet = k(x, 0x7fc00000);
    if (f.has_inf) {
        int64_t inf = (int64_t)f.max + 1;
        LLVMValueRef is_top = icmp(g, LLVMIntUGE, magnitude, inf);
        LLVMValueRef payload = LLVMBuildOr(b, shl_k(g, magnitude, 23 - f.mantissa), k(x, 0x7f800000), "");
        LLVMValueRef is_nan = icmp(g, LLVMIntUGT, magnitude, inf);
        payload = LLVMBuildSelect(b, is_nan, LLVMBuildOr(b, payload, k(x, 0x400000), ""), payload, "");
        bits = LLVMBuildSelect(b, is_top, payload, bits, "");
    } else if (f.is_fnuz) {
        bits = LLVMBuildSelect(b, icmp(g, LLVMIntEQ, x, f.nan), quiet, bits, "");
        sign = LLVMBuildSelect(b, icmp(g, LLVMIntEQ, x, f.nan), k(x, 0), sign, "");
    } else {
        bits = LLVMBuildSelect(b, icmp(g, LLVMIntEQ, magnitude, f.nan), quiet, bits, "");
    }
    return LLVMBuildBitCast(b, LLVMBuildOr(b, bits, sign, ""), ft, "");
}

LLVMValueRef tri_cpu_widen(tri_cpu_gen *g, LLVMValueRef v, tri_cpu_type type)
{
    LLVMTypeRef ft = tri_cpu_like(g->f32, v);
    if (!tri_cpu_is_small(type))
        return v;
    if (type.kind == TRI_CPU_BF16) {
        LLVMValueRef x = LLVMBuildZExt(g->b, v, tri_cpu_like(g->i32, v), "");
        return LLVMBuildBitCast(g->b, shl_k(g, x, 16), ft, "");
    }
    if (type.kind == TRI_CPU_F16 && g->has_f16c) {
        LLVMTypeRef half = tri_cpu_like(LLVMHalfTypeInContext(g->llvm), v);
        return LLVMBuildFPExt(g->b, LLVMBuildBitCast(g->b, v, half, ""), ft, "");
    }
    return widen_bits(g, v, type);
}

static LLVMValueRef narrow_bf16(tri_cpu_gen *g, LLVMValueRef x, LLVMValueRef magnitude, bool toward_zero)
{
    LLVMBuilderRef b = g->b;
    LLVMValueRef is_nan = icmp(g, LLVMIntUGT, magnitude, 0x7f800000);
    LLVMValueRef rounded = x;
    if (!toward_zero) {
        LLVMValueRef odd = and_k(g, shr_k(g, x, 16), 1);
        rounded = LLVMBuildAdd(b, x, LLVMBuildAdd(b, odd, k(x, 0x7fff), ""), "");
    }
    LLVMValueRef quiet = LLVMBuildOr(b, x, k(x, 0x400000), "");
    LLVMValueRef bits = shr_k(g, LLVMBuildSelect(b, is_nan, quiet, rounded, ""), 16);
    return LLVMBuildTrunc(b, bits, tri_cpu_like(g->i16, x), "");
}

/* x86's instruction takes subnormal numbers as zero, and does else what narrow_bf16 does (Intel's manual,
 * VCVTNEPS2BF16). A function that is inlined: the rare case is a branch, wherever the builder is. */
static bool has_bf16(const tri_cpu_gen *g, LLVMValueRef v)
{
    return tri_cpu_lanes_of(v) == TRI_CPU_LANES && !g->host.is_aarch64 && tri_host_has(&g->host, "avx512bf16");
}

static void emit_bf16(tri_cpu_gen *g, LLVMValueRef fn)
{
    enum { subnormal = 0x20 }; /* of VFPCLASSPS */
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(g->llvm, fn, "entry");
    LLVMBasicBlockRef exact = LLVMAppendBasicBlockInContext(g->llvm, fn, "exact");
    LLVMBasicBlockRef fast = LLVMAppendBasicBlockInContext(g->llvm, fn, "fast");
    LLVMValueRef v = LLVMGetParam(fn, 0), args[2] = {v, LLVMConstInt(g->i32, subnormal, false)};
    LLVMPositionBuilderAtEnd(g->b, entry);
    LLVMValueRef class = tri_cpu_intrinsic(g, "llvm.x86.avx512.fpclass.ps.512", NULL, 0, args, 2);
    LLVMValueRef none = icmp(g, LLVMIntEQ, LLVMBuildBitCast(g->b, class, g->i16, ""), 0);
    tri_cpu_branch(g, none, fast, exact);
    LLVMPositionBuilderAtEnd(g->b, exact);
    LLVMValueRef x = LLVMBuildBitCast(g->b, v, tri_cpu_like(g->i32, v), "");
    LLVMBuildRet(g->b, narrow_bf16(g, x, and_k(g, x, 0x7fffffff), false));
    LLVMPositionBuilderAtEnd(g->b, fast);
    LLVMValueRef out = tri_cpu_intrinsic(g, "llvm.x86.avx512bf16.cvtneps2bf16.512", NULL, 0, &v, 1);
    LLVMBuildRet(g->b, LLVMBuildBitCast(g->b, out, tri_cpu_like(g->i16, v), ""));
}

static LLVMValueRef call_bf16(tri_cpu_gen *g, LLVMValueRef v)
{
    static const char name[] = "tri_to_bf16";
    LLVMValueRef fn = LLVMGetNamedFunction(g->module, name);
    if (!fn) {
        LLVMTypeRef param = LLVMTypeOf(v), type = LLVMFunctionType(tri_cpu_like(g->i16, v), &param, 1, false);
        LLVMBasicBlockRef at = LLVMGetInsertBlock(g->b);
        LLVMMetadataRef place = LLVMGetCurrentDebugLocation2(g->b);
        fn = LLVMAddFunction(g->module, name, type);
        LLVMSetLinkage(fn, LLVMInternalLinkage);
        tri_llvm_add_attribute(fn, "alwaysinline");
        LLVMSetCurrentDebugLocation2(g->b, NULL);
        emit_bf16(g, fn);
        LLVMPositionBuilderAtEnd(g->b, at);
        LLVMSetCurrentDebugLocation2(g->b, place);
    }
    return LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, &v, 1, "");
}

/* Magnitude of the rounded number in the format's bits, before overflow is looked at. */
static LLVMValueRef round_magnitude(tri_cpu_gen *g, LLVMValueRef magnitude, format f, bool toward_zero)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef ft = tri_cpu_like(g->f32, magnitude);
    int shift = 23 - f.mantissa;
    LLVMValueRef normal = magnitude;
    if (!toward_zero) {
        LLVMValueRef odd = and_k(g, shr_k(g, magnitude, shift), 1);
        normal = LLVMBuildAdd(b, magnitude, LLVMBuildAdd(b, odd, k(magnitude, (1 << (shift - 1)) - 1), ""), "");
    }
    int rebias = 127 - f.bias;
    normal = shr_k(g, LLVMBuildSub(b, normal, k(normal, (int64_t)rebias << 23), ""), shift);
    /* subnormals: the last place of `magic` is the format's smallest step */
    uint32_t magic_bits = (uint32_t)(rebias + shift + 1) << 23;
    float magic;
    memcpy(&magic, &magic_bits, sizeof magic);
    LLVMValueRef as_float = LLVMBuildBitCast(b, magnitude, ft, "");
    LLVMValueRef tiny;
    if (toward_zero) {
        /* scale so that one step is 1, then truncate */
        uint32_t scale_bits = (uint32_t)(127 + f.bias - 1 + f.mantissa) << 23;
        float scale;
        memcpy(&scale, &scale_bits, sizeof scale);
        LLVMValueRef steps = LLVMBuildFMul(b, as_float, tri_cpu_constf_like(ft, scale), "");
        LLVMValueRef small = LLVMBuildSelect(b, icmp(g, LLVMIntULT, magnitude, (int64_t)(rebias + 1) << 23), steps,
                                             tri_cpu_constf_like(ft, 0), "");
        tiny = LLVMBuildFPToUI(b, small, LLVMTypeOf(magnitude), "");
    } else {
        LLVMValueRef sum = LLVMBuildFAdd(b, as_float, tri_cpu_constf_like(ft, magic), "");
        tiny = LLVMBuildSub(b, LLVMBuildBitCast(b, sum, LLVMTypeOf(magnitude), ""), k(magnitude, magic_bits), "");
    }
    LLVMValueRef is_tiny = icmp(g, LLVMIntULT, magnitude, (int64_t)(rebias + 1) << 23);
    return LLVMBuildSelect(b, is_tiny, tiny, normal, "");
}

static LLVMValueRef narrow_bits(tri_cpu_gen *g, LLVMValueRef x, LLVMValueRef magnitude, tri_cpu_type type,
                                bool toward_zero)
{
    LLVMBuilderRef b = g->b;
    format f = format_of(type.kind);
    LLVMValueRef out = round_magnitude(g, magnitude, f, toward_zero);
    LLVMValueRef is_nan = icmp(g, LLVMIntUGT, magnitude, 0x7f800000);
    LLVMValueRef is_inf = icmp(g, LLVMIntEQ, magnitude, 0x7f800000);
    LLVMValueRef over = LLVMBuildOr(b, icmp(g, LLVMIntSGT, out, f.max), is_inf, "");
    bool to_max = f.saturates || toward_zero;
    LLVMValueRef top = k(x, to_max ? f.max : (int64_t)f.max + 1);
    out = LLVMBuildSelect(b, over, top, out, "");
    if (f.has_inf && !f.saturates)
        out = LLVMBuildSelect(b, is_inf, k(x, (int64_t)f.max + 1), out, "");
    LLVMValueRef sign = and_k(g, shr_k(g, x, 32 - type.bits), 1 << (type.bits - 1));
    if (f.is_fnuz)
        sign = LLVMBuildSelect(b, icmp(g, LLVMIntEQ, out, 0), k(x, 0), sign, "");
    LLVMValueRef nan = f.is_fnuz ? k(x, f.nan) : LLVMBuildOr(b, sign, k(x, f.nan), "");
    out = LLVMBuildSelect(b, is_nan, nan, LLVMBuildOr(b, out, sign, ""), "");
    return LLVMBuildTrunc(b, out, tri_cpu_like(LLVMIntTypeInContext(g->llvm, type.bits), x), "");
}

LLVMValueRef tri_cpu_narrow(tri_cpu_gen *g, LLVMValueRef v, tri_cpu_type type, bool toward_zero)
{
    if (!tri_cpu_is_small(type))
        return v;
    if (type.kind == TRI_CPU_F16 && g->has_f16c && !toward_zero) {
        LLVMTypeRef half = tri_cpu_like(LLVMHalfTypeInContext(g->llvm), v);
        return LLVMBuildBitCast(g->b, LLVMBuildFPTrunc(g->b, v, half, ""), tri_cpu_like(g->i16, v), "");
    }
    if (type.kind == TRI_CPU_BF16 && !toward_zero && has_bf16(g, v))
        return call_bf16(g, v);
    LLVMValueRef x = LLVMBuildBitCast(g->b, v, tri_cpu_like(g->i32, v), "");
    LLVMValueRef magnitude = and_k(g, x, 0x7fffffff);
    if (type.kind == TRI_CPU_BF16)
        return narrow_bf16(g, x, magnitude, toward_zero);
    return narrow_bits(g, x, magnitude, type, toward_zero);
}

/* A double as a float rounded toward zero; with `to_odd`, the last bit is set when anything was lost, so
 * that the float rounds to any small format as the double itself does. */
static LLVMValueRef double_toward_zero(tri_cpu_gen *g, LLVMValueRef v, bool to_odd)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef ft = tri_cpu_like(g->f32, v), it = tri_cpu_like(g->i32, v);
    LLVMValueRef near = LLVMBuildFPTrunc(b, v, ft, "");
    LLVMValueRef back = LLVMBuildFPExt(b, near, LLVMTypeOf(v), "");
    LLVMValueRef args[1] = {back};
    LLVMTypeRef type[1] = {LLVMTypeOf(v)};
    LLVMValueRef back_size = tri_cpu_intrinsic(g, "llvm.fabs", type, 1, args, 1);
    args[0] = v;
    LLVMValueRef size = tri_cpu_intrinsic(g, "llvm.fabs", type, 1, args, 1);
    LLVMValueRef bits = LLVMBuildBitCast(b, near, it, "");
    LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGT, back_size, size, "");
    LLVMValueRef lost = LLVMBuildFCmp(b, LLVMRealONE, back_size, size, "");
    LLVMValueRef down = LLVMBuildSub(b, bits, LLVMBuildZExt(b, above, it, ""), "");
    LLVMValueRef odd = LLVMBuildOr(b, down, LLVMBuildZExt(b, lost, it, ""), "");
    return LLVMBuildBitCast(b, to_odd ? odd : down, ft, "");
}

LLVMValueRef tri_cpu_convert(tri_cpu_gen *g, LLVMValueRef v, tri_cpu_type from, tri_cpu_type to, bool toward_zero)
{
    if (from.kind == to.kind)
        return v;
    if (from.kind == TRI_CPU_F64) {
        if (tri_cpu_is_small(to))
            return tri_cpu_narrow(g, double_toward_zero(g, v, true), to, toward_zero);
        if (toward_zero)
            return double_toward_zero(g, v, false);
        return LLVMBuildFPTrunc(g->b, v, tri_cpu_like(g->f32, v), "");
    }
    LLVMValueRef wide = tri_cpu_widen(g, v, from);
    if (to.kind == TRI_CPU_F64)
        return LLVMBuildFPExt(g->b, wide, tri_cpu_like(g->f64, v), "");
    return tri_cpu_narrow(g, wide, to, toward_zero);
}
