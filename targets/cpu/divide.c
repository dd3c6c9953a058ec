/* Division that is not the processor's own.
 *
 * Of a chunk of floats by one number: by its reciprocal r, with a correction that makes it the quotient.
 *
 *     q = x * r;  rest = x - q * d (exact);  q + rest * r
 *
 * is x / d rounded correctly (Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor",
 * 1990) when r is 1 / d rounded correctly, d's significand is not the largest, and no step leaves the normal numbers.
 * The first is given, the second is asked of d, the last of d and of each lane: a chunk with a lane that is too small,
 * too large, not a number or -0 is divided. +0 is right by itself, so lanes that a mask left out are no such lanes. */
#include "targets/cpu/cpu.h"

enum { least_exponent = -90, largest_exponent = 90, divisor_exponent = 30 };

/* The bits, without the sign, as twice the rest: comparable as unsigned numbers. */
static LLVMValueRef magnitude(tri_cpu_gen *g, LLVMValueRef x)
{
    LLVMValueRef bits = LLVMBuildBitCast(g->b, x, tri_cpu_like(g->i32, x), "");
    return LLVMBuildAdd(g->b, bits, bits, "");
}

static LLVMValueRef magnitude_of_power(LLVMTypeRef type, int exponent)
{
    return tri_cpu_const_like(type, (int64_t)(exponent + 127) << 24);
}

/* 2^lo <= |x| < 2^hi */
static LLVMValueRef is_between(tri_cpu_gen *g, LLVMValueRef x, int lo, int hi)
{
    LLVMValueRef size = magnitude(g, x);
    LLVMTypeRef type = LLVMTypeOf(size);
    LLVMValueRef from = LLVMBuildSub(g->b, size, magnitude_of_power(type, lo), "");
    return LLVMBuildICmp(g->b, LLVMIntULT, from, tri_cpu_const_like(type, (int64_t)(hi - lo) << 24), "");
}

/* Of the divisor: its exponent is moderate and its significand not all ones. */
static LLVMValueRef suits(tri_cpu_gen *g, LLVMValueRef d)
{
    LLVMValueRef moderate = is_between(g, d, -divisor_exponent, divisor_exponent);
    LLVMValueRef bits = LLVMBuildBitCast(g->b, d, g->i32, ""), mask = LLVMConstInt(g->i32, 0x7fffff, false);
    LLVMValueRef rest = LLVMBuildAnd(g->b, bits, mask, "");
    return LLVMBuildAnd(g->b, moderate, LLVMBuildICmp(g->b, LLVMIntNE, rest, mask, ""), "");
}

/* Is any lane beyond what the correction is right for? */
static LLVMValueRef has_odd_lane(tri_cpu_gen *g, LLVMValueRef x)
{
    LLVMValueRef bits = LLVMBuildBitCast(g->b, x, tri_cpu_like(g->i32, x), "");
    LLVMValueRef fits = is_between(g, x, least_exponent, largest_exponent);
    LLVMValueRef counts = LLVMBuildICmp(g->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
    LLVMValueRef odd = LLVMBuildAnd(g->b, LLVMBuildNot(g->b, fits, ""), counts, "");
    LLVMTypeRef type = LLVMTypeOf(odd);
    return tri_cpu_intrinsic(g, "llvm.vector.reduce.or", &type, 1, &odd, 1);
}

static LLVMValueRef fused(tri_cpu_gen *g, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef args[3] = {a, b, c};
    return tri_cpu_intrinsic(g, "llvm.fma", &type, 1, args, 3);
}

bool tri_cpu_divides_uniformly(tri_cpu_gen *g, MlirOperation op, tri_cpu_val x, tri_cpu_val d)
{
    enum { min_lanes = 8 };
    return g->has_fma && x.is_vec && !d.is_vec && d.level < x.level && LLVMTypeOf(d.v) == g->f32 &&
           !LLVMIsConstant(d.v) && tri_cpu_lanes_of(x.v) >= min_lanes &&
           (tri_op_is(op, "arith.divf") || tri_op_is(op, "tt.precise_divf"));
}

LLVMValueRef tri_cpu_divide_uniformly(tri_cpu_gen *g, tri_cpu_val x, tri_cpu_val d)
{
    int lanes = tri_cpu_lanes_of(x.v);
    tri_cpu_at(g, d.level);
    LLVMValueRef one = LLVMConstReal(g->f32, 1), r = LLVMBuildFDiv(g->b, one, d.v, ""), ok = suits(g, d.v);
    tri_cpu_at(g, x.level);
    LLVMValueRef divisor = tri_cpu_splat(g, d.v, lanes), by = tri_cpu_splat(g, r, lanes);
    LLVMValueRef q = LLVMBuildFMul(g->b, x.v, by, ""), rest = fused(g, LLVMBuildFNeg(g->b, q, ""), divisor, x.v);
    q = fused(g, rest, by, q);
    ok = LLVMBuildAnd(g->b, ok, LLVMBuildNot(g->b, has_odd_lane(g, x.v), ""), "");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b);
    LLVMBasicBlockRef divide = tri_cpu_new_block(g, "divide"), next = tri_cpu_new_block(g, "divided");
    tri_cpu_branch(g, ok, next, divide);
    LLVMPositionBuilderAtEnd(g->b, divide);
    LLVMValueRef exact = LLVMBuildFDiv(g->b, x.v, divisor, "");
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, x.level, next);
    LLVMValueRef phi = LLVMBuildPhi(g->b, LLVMTypeOf(q), "");
    LLVMAddIncoming(phi, &q, &from, 1);
    LLVMAddIncoming(phi, &exact, &divide, 1);
    return phi;
}

/* ---- chunks of integers ----
 *
 * No processor divides vectors of integers. In double, x * r with r = (1 + 2^-50) / y cut off is the quotient: r is
 * larger than the reciprocal by more than all roundings make up for, so that no whole quotient comes out below itself;
 * and the product is too large by less than 2^-49 of the quotient, for 32 bits less than 2^-17 / y, while a quotient
 * that is not whole lies 1 / y below the next one or more. r leaves loops when y does not change in them. */

bool tri_cpu_divides_integers(tri_cpu_gen *g, LLVMValueRef y, unsigned bits, bool is_signed)
{
    enum { min_lanes = 4, max_bits = 32 };
    bool has_unsigned = g->host.is_aarch64 || tri_host_has(&g->host, "avx512f");
    return tri_cpu_lanes_of(y) >= min_lanes && bits > 1 && bits <= max_bits && !LLVMIsConstant(y) &&
           (is_signed || has_unsigned || bits < max_bits);
}

LLVMValueRef tri_cpu_divide_integers(tri_cpu_gen *g, LLVMValueRef x, LLVMValueRef y, bool is_signed, bool is_rest)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef type = LLVMTypeOf(x), word = tri_cpu_like(g->i32, x), wide = tri_cpu_like(g->f64, x);
    LLVMOpcode widen = is_signed ? LLVMSExt : LLVMZExt;
    bool is_short = type != word, converts_signed = is_signed || is_short;
    LLVMValueRef is_zero = LLVMBuildICmp(b, LLVMIntEQ, y, LLVMConstNull(type), "");
    y = LLVMBuildSelect(b, is_zero, tri_cpu_const_like(type, 1), y, "");
    LLVMValueRef u = is_short ? LLVMBuildCast(b, widen, x, word, "") : x;
    LLVMValueRef v = is_short ? LLVMBuildCast(b, widen, y, word, "") : y;
    LLVMOpcode to_float = converts_signed ? LLVMSIToFP : LLVMUIToFP;
    LLVMValueRef one = tri_cpu_constf_like(wide, 1 + 0x1p-50);
    LLVMValueRef r = LLVMBuildFDiv(b, one, LLVMBuildCast(b, to_float, v, wide, ""), "");
    LLVMValueRef q = LLVMBuildFMul(b, LLVMBuildCast(b, to_float, u, wide, ""), r, "");
    q = LLVMBuildCast(b, converts_signed ? LLVMFPToSI : LLVMFPToUI, q, word, "");
    q = LLVMBuildFreeze(b, q, ""); /* the least number by -1 is itself, as the processor has it */
    q = is_short ? LLVMBuildTrunc(b, q, type, "") : q;
    return is_rest ? LLVMBuildSub(b, x, LLVMBuildMul(b, q, y, ""), "") : q;
}
