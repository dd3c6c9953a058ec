#include "targets/gpu/softmath.h"

#include "ir/llvm.h"

static LLVMValueRef c32(tri_gpu *g, uint32_t value) { return LLVMConstInt(g->i32, value, false); }
static LLVMValueRef real(tri_gpu *g, double value) { return LLVMConstReal(g->f32, value); }
static LLVMValueRef bits_of(tri_gpu *g, LLVMValueRef x) { return LLVMBuildBitCast(g->b, x, g->i32, ""); }
static LLVMValueRef from_bits(tri_gpu *g, LLVMValueRef x) { return LLVMBuildBitCast(g->b, x, g->f32, ""); }

static LLVMValueRef multiply_add(tri_gpu *g, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef args[] = {a, b, c};
    return tri_gpu_intrinsic_same(g, "llvm.fma", args, 3);
}

/* coefficients[0] + coefficients[1] x + ... */
static LLVMValueRef polynomial(tri_gpu *g, LLVMValueRef x, const double *coefficients, int degree)
{
    LLVMValueRef y = real(g, coefficients[degree]);
    for (int i = degree; i-- > 0;)
        y = multiply_add(g, y, x, real(g, coefficients[i]));
    return y;
}

/* ---- logarithm ---- */

/* log(1 + f) = f - f^2/2 + f^3 P(f) for |f| <= 1/3, fitted for the least relative error */
static const double log_tail[] = {0.3333321511745453,  -0.24999797344207764, 0.20010405778884888, -0.16680487990379333,
                                  0.14005868136882782, -0.12184261530637741, 0.1398443877696991,  -0.12891682982444763};

LLVMValueRef tri_gpu_soft_log(tri_gpu *g, LLVMValueRef x, bool is_base_2)
{
    LLVMBuilderRef b = g->b;
    const double infinity = __builtin_inf();
    /* x = 2^k (1 + f) with 1 + f in [2/3, 4/3); subnormal numbers are scaled up first */
    LLVMValueRef is_tiny = LLVMBuildFCmp(b, LLVMRealOLT, x, real(g, 1.1754943508222875e-38), "");
    LLVMValueRef scaled = LLVMBuildSelect(b, is_tiny, LLVMBuildFMul(b, x, real(g, 8388608.0), ""), x, "");
    LLVMValueRef bits = bits_of(g, scaled);
    LLVMValueRef exponent =
        LLVMBuildAnd(b, LLVMBuildSub(b, bits, c32(g, 0x3f2aaaab), ""), c32(g, 0xff800000), "");
    LLVMValueRef f = LLVMBuildFSub(b, from_bits(g, LLVMBuildSub(b, bits, exponent, "")), real(g, 1), "");
    LLVMValueRef k = LLVMBuildSIToFP(b, LLVMBuildAShr(b, exponent, c32(g, 23), ""), g->f32, "");
    k = LLVMBuildFAdd(b, k, LLVMBuildSelect(b, is_tiny, real(g, -23), real(g, 0), ""), "");
    LLVMValueRef square = LLVMBuildFMul(b, f, f, "");
    LLVMValueRef tail = LLVMBuildFMul(b, polynomial(g, f, log_tail, 7), f, "");
    LLVMValueRef y = multiply_add(g, square, LLVMBuildFAdd(b, tail, real(g, -0.5), ""), f);
    if (is_base_2) {
        LLVMValueRef low = LLVMBuildFMul(b, y, real(g, 1.925963033500e-08), ""); /* log2(e) in two parts */
        y = LLVMBuildFAdd(b, multiply_add(g, y, real(g, 1.44269502162933349609375), low), k, "");
    } else {
        y = multiply_add(g, k, real(g, 0.693147182464599609375), y);
    }
    LLVMValueRef is_positive = LLVMBuildFCmp(b, LLVMRealOGT, x, real(g, 0), "");
    LLVMValueRef is_finite = LLVMBuildFCmp(b, LLVMRealOLT, x, real(g, infinity), "");
    LLVMValueRef is_zero = LLVMBuildFCmp(b, LLVMRealOEQ, x, real(g, 0), "");
    LLVMValueRef is_negative = LLVMBuildFCmp(b, LLVMRealOLT, x, real(g, 0), "");
    LLVMValueRef special =
        LLVMBuildSelect(b, is_negative, from_bits(g, c32(g, 0x7fc00000)), LLVMBuildFAdd(b, x, x, ""), "");
    special = LLVMBuildSelect(b, is_zero, real(g, -infinity), special, "");
    return LLVMBuildSelect(b, LLVMBuildAnd(b, is_positive, is_finite, ""), y, special, "");
}

/* ---- sine and cosine ---- */

/* sin r = r + r^3 S(r^2), cos r = 1 - r^2/2 + r^4 C(r^2) for |r| <= pi/4 */
static const double sin_tail[] = {-0.1666666716337204, 0.008333329111337662, -0.0001983925758395344,
                                  2.7175681225344306e-06};
static const double cos_tail[] = {0.0416666679084301, -0.0013888883404433727, 2.4799437596811913e-05,
                                  -2.720333895922522e-07};

/* 2/pi in binary behind 32 zero bits */
static const uint32_t two_over_pi[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                       0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

/* Word number index + offset of two_over_pi, for index in 0..4. */
static LLVMValueRef pick_word(tri_gpu *g, LLVMValueRef index, int offset)
{
    LLVMValueRef word = c32(g, two_over_pi[offset]);
    for (int i = 1; i <= 4; i++) {
        LLVMValueRef is_it = LLVMBuildICmp(g->b, LLVMIntEQ, index, c32(g, (uint32_t)i), "");
        word = LLVMBuildSelect(g->b, is_it, c32(g, two_over_pi[offset + i <= 7 ? offset + i : 7]), word, "");
    }
    return word;
}

/* {r, q}: x = q pi/2 + r for large |x|: the 24 bits of x times the 96 bits of 2/pi that matter, modulo 4. */
static void build_large_reduction(tri_gpu *g, LLVMValueRef x)
{
    LLVMBuilderRef b = g->b;
    LLVMValueRef bits = bits_of(g, x), wide[3];
    LLVMValueRef exponent = LLVMBuildSub(b, LLVMBuildAnd(b, LLVMBuildLShr(b, bits, c32(g, 23), ""), c32(g, 0xff), ""),
                                         c32(g, 120), ""); /* place of the first bit that matters */
    LLVMValueRef index = LLVMBuildLShr(b, exponent, c32(g, 5), ""), shift = LLVMBuildAnd(b, exponent, c32(g, 31), "");
    LLVMValueRef mantissa = LLVMBuildOr(b, LLVMBuildAnd(b, bits, c32(g, 0x7fffff), ""), c32(g, 0x800000), "");
    mantissa = LLVMBuildZExt(b, mantissa, g->i64, "");
    for (int i = 0; i < 3; i++) {
        LLVMValueRef args[] = {pick_word(g, index, i), pick_word(g, index, i + 1), shift};
        LLVMValueRef word = tri_gpu_intrinsic_same(g, "llvm.fshl", args, 3);
        wide[i] = LLVMBuildMul(b, LLVMBuildZExt(b, word, g->i64, ""), mantissa, "");
    }
    /* product modulo 2^96 as its upper 64 bits and its lower 32 */
    LLVMValueRef c32_64 = LLVMConstInt(g->i64, 32, false);
    LLVMValueRef high = LLVMBuildShl(b, wide[0], c32_64, "");
    high = LLVMBuildAdd(b, high, wide[1], "");
    high = LLVMBuildAdd(b, high, LLVMBuildLShr(b, wide[2], c32_64, ""), "");
    LLVMValueRef low = LLVMBuildTrunc(b, wide[2], g->i32, "");
    LLVMValueRef end = LLVMBuildZExt(b, LLVMBuildLShr(b, low, c32(g, 30), ""), g->i64, "");
    LLVMValueRef fraction = LLVMBuildOr(b, LLVMBuildShl(b, high, LLVMConstInt(g->i64, 2, false), ""), end, "");
    LLVMValueRef quadrant = LLVMBuildTrunc(b, LLVMBuildLShr(b, high, LLVMConstInt(g->i64, 62, false), ""), g->i32, "");
    /* the fraction as a signed number is nearest to 0: one quadrant more when it is 1/2 or above */
    LLVMValueRef carry = LLVMBuildLShr(b, fraction, LLVMConstInt(g->i64, 63, false), "");
    quadrant = LLVMBuildAdd(b, quadrant, LLVMBuildTrunc(b, carry, g->i32, ""), "");
    LLVMValueRef r = LLVMBuildFMul(b, LLVMBuildSIToFP(b, fraction, g->f32, ""), real(g, 8.5153039502163873e-20), "");
    LLVMValueRef is_negative = LLVMBuildICmp(b, LLVMIntSLT, bits, c32(g, 0), "");
    r = LLVMBuildSelect(b, is_negative, LLVMBuildFNeg(b, r, ""), r, "");
    quadrant = LLVMBuildSelect(b, is_negative, LLVMBuildNeg(b, quadrant, ""), quadrant, "");
    LLVMValueRef parts[] = {r, quadrant};
    LLVMBuildAggregateRet(b, parts, 2);
}

/* The function that does it, made once per module: it is rarely called and long. */
static LLVMValueRef large_reduction(tri_gpu *g)
{
    static const char name[] = "tritcc_reduce_angle";
    LLVMValueRef function = LLVMGetNamedFunction(g->module, name);
    if (function)
        return function;
    LLVMTypeRef parts[] = {g->f32, g->i32};
    LLVMTypeRef type = LLVMFunctionType(LLVMStructTypeInContext(g->llvm, parts, 2, false), &g->f32, 1, false);
    function = LLVMAddFunction(g->module, name, type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    static const char *const attributes[] = {"noinline", "nounwind", "norecurse", "willreturn", "memory"};
    for (int i = 0; i < 5; i++)
        tri_llvm_add_attribute(function, attributes[i]);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
    LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(g->b);
    LLVMSetCurrentDebugLocation2(g->b, NULL);
    tri_gpu_at_end(g, LLVMAppendBasicBlockInContext(g->llvm, function, "entry"));
    build_large_reduction(g, LLVMGetParam(function, 0));
    tri_gpu_at_end(g, here);
    LLVMSetCurrentDebugLocation2(g->b, location);
    return function;
}

/* x = q pi/2 + r, |r| <= pi/4 */
static void reduce_angle(tri_gpu *g, LLVMValueRef x, LLVMValueRef *out_r, LLVMValueRef *out_q)
{
    LLVMBuilderRef b = g->b;
    LLVMValueRef turns = LLVMBuildFMul(b, x, real(g, 0.63661977236758134), "");
    LLVMValueRef k = tri_gpu_intrinsic_same(g, "llvm.rint", &turns, 1);
    /* pi/2 in three parts */
    LLVMValueRef r = multiply_add(g, k, real(g, -0x1.921fb6p+0), x);
    r = multiply_add(g, k, real(g, 0x1.777a5cp-25), r);
    r = multiply_add(g, k, real(g, 0x1.ee59dap-50), r);
    LLVMValueRef size = tri_gpu_intrinsic_same(g, "llvm.fabs", &x, 1);
    LLVMValueRef is_large = LLVMBuildFCmp(b, LLVMRealOGE, size, real(g, 65536), "");
    LLVMValueRef is_finite = LLVMBuildFCmp(b, LLVMRealOLT, size, real(g, __builtin_inf()), "");
    LLVMValueRef in_range = LLVMBuildNot(b, is_large, "");
    LLVMValueRef q = LLVMBuildFPToSI(b, LLVMBuildSelect(b, in_range, k, real(g, 0), ""), g->i32, "");
    tri_gpu_if state = tri_gpu_begin_if(g, LLVMBuildAnd(b, is_large, is_finite, ""));
    LLVMValueRef function = large_reduction(g);
    LLVMValueRef call = LLVMBuildCall2(b, LLVMGlobalGetValueType(function), function, &x, 1, "");
    LLVMValueRef large_r = LLVMBuildExtractValue(b, call, 0, ""), large_q = LLVMBuildExtractValue(b, call, 1, "");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(b);
    tri_gpu_end_if(g, state);
    *out_r = LLVMBuildPhi(b, g->f32, "");
    *out_q = LLVMBuildPhi(b, g->i32, "");
    LLVMAddIncoming(*out_r, &large_r, &from, 1);
    LLVMAddIncoming(*out_r, &r, &state.before, 1);
    LLVMAddIncoming(*out_q, &large_q, &from, 1);
    LLVMAddIncoming(*out_q, &q, &state.before, 1);
}

LLVMValueRef tri_gpu_soft_sin(tri_gpu *g, LLVMValueRef x, bool is_cosine)
{
    LLVMBuilderRef b = g->b;
    LLVMValueRef r, q;
    reduce_angle(g, x, &r, &q);
    if (is_cosine)
        q = LLVMBuildAdd(b, q, c32(g, 1), "");
    LLVMValueRef square = LLVMBuildFMul(b, r, r, "");
    LLVMValueRef sine_tail = polynomial(g, square, sin_tail, 3);
    LLVMValueRef sine = multiply_add(g, LLVMBuildFMul(b, square, r, ""), sine_tail, r);
    LLVMValueRef cosine_head = multiply_add(g, square, real(g, -0.5), real(g, 1));
    LLVMValueRef cosine_tail = polynomial(g, square, cos_tail, 3);
    LLVMValueRef cosine = multiply_add(g, LLVMBuildFMul(b, square, square, ""), cosine_tail, cosine_head);
    LLVMValueRef is_odd = LLVMBuildTrunc(b, q, g->i1, "");
    LLVMValueRef y = LLVMBuildSelect(b, is_odd, cosine, sine, "");
    LLVMValueRef sign = LLVMBuildShl(b, LLVMBuildAnd(b, q, c32(g, 2), ""), c32(g, 30), "");
    return from_bits(g, LLVMBuildXor(b, bits_of(g, y), sign, ""));
}
