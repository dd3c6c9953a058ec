/* Products of float32 with instructions for bfloat16: a number is the sum of two of those, as near as 17 bits, and
 *
 *     a * b  =  high(a) high(b)  +  (low(a) high(b) + high(a) low(b))
 *
 * where no NaN comes out. Else the last is added up on its own and left out where it is not finite: that happens where
 * an infinity meets a low part of zero, and where products overflow; that of high parts has the right result then.
 * (Triton's bf16x3, passes/ttgir/f32_dot_tc.c.)
 * The error is a fiftieth of tf32's or less, so that this may be done for tf32; never for ieee. */
#include "targets/cpu/dot.h"

#include <math.h>

enum {
    least_side = 32,               /* of the result: with fewer, splitting costs more than is gained */
    tf32 = 0, ieee = 2, bf16x3 = 3 /* inputPrecision of tt.dot */
};

const tri_cpu_dot_isa *tri_cpu_split_choose(tri_cpu_gen *g, MlirOperation dot, int64_t m, int64_t n, int64_t k)
{
    const tri_cpu_type bf16 = {TRI_CPU_BF16, 16};
    int64_t precision = tri_op_int(dot, "inputPrecision", ieee);
    if ((precision != tf32 && precision != bf16x3) || m < least_side || n < least_side ||
        m % 16 || n % 16)
        return NULL;
    const tri_cpu_dot_isa *isa = tri_cpu_dot_choose(g, bf16, m, n, k);
    return isa && isa->is_tile ? isa : NULL;
}

static LLVMValueRef bits_like(LLVMValueRef v, uint32_t bits)
{
    return tri_cpu_const_like(LLVMTypeOf(v), (int32_t)bits);
}

/* To nearest, half away from zero; what would become infinite by that is cut off instead. */
static LLVMValueRef high_bits(tri_cpu_gen *g, LLVMValueRef v, LLVMValueRef x)
{
    LLVMBuilderRef b = g->b;
    LLVMValueRef near = LLVMBuildAdd(b, x, bits_like(x, 0x8000), "");
    LLVMValueRef size = LLVMBuildAnd(b, x, bits_like(x, 0x7fffffff), "");
    LLVMValueRef is_large = LLVMBuildICmp(b, LLVMIntUGE, size, bits_like(x, 0x7f7f8000), "");
    LLVMValueRef high = LLVMBuildAnd(b, LLVMBuildSelect(b, is_large, x, near, ""), bits_like(x, 0xffff0000), "");
    LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, v, v, "");
    return LLVMBuildSelect(b, is_nan, bits_like(x, 0x7fc00000), high, "");
}

void tri_cpu_split(tri_cpu_gen *g, LLVMValueRef v, LLVMValueRef *out_high, LLVMValueRef *out_low)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef bits = tri_cpu_like(g->i32, v);
    LLVMValueRef x = LLVMBuildBitCast(b, v, bits, "");
    *out_high = high_bits(g, v, x);
    LLVMValueRef rest = LLVMBuildFSub(b, v, LLVMBuildBitCast(b, *out_high, LLVMTypeOf(v), ""), "");
    *out_low = LLVMBuildAdd(b, LLVMBuildBitCast(b, rest, bits, ""), bits_like(x, 0x8000), "");
}

LLVMValueRef tri_cpu_split_half(tri_cpu_gen *g, LLVMValueRef part)
{
    int lanes = tri_cpu_lanes_of(part);
    if (lanes <= TRI_CPU_LANES) {
        LLVMValueRef half = LLVMBuildLShr(g->b, part, bits_like(part, 16), "");
        return LLVMBuildTrunc(g->b, half, tri_cpu_like(g->i16, part), "");
    }
    LLVMValueRef odd[TRI_CPU_MAX_LANES], halves = LLVMBuildBitCast(g->b, part, tri_cpu_vector(g->i16, 2 * lanes), "");
    for (int i = 0; i < lanes; i++) /* of two registers by one turn of lanes */
        odd[i] = LLVMConstInt(g->i32, (uint64_t)(2 * i + 1), false);
    return LLVMBuildShuffleVector(g->b, halves, LLVMGetPoison(LLVMTypeOf(halves)),
                                  LLVMConstVector(odd, (unsigned)lanes), "");
}

LLVMValueRef tri_cpu_split_pair(tri_cpu_gen *g, LLVMValueRef first, LLVMValueRef second)
{
    LLVMValueRef low = LLVMBuildLShr(g->b, first, bits_like(first, 16), "");
    return LLVMBuildOr(g->b, low, LLVMBuildAnd(g->b, second, bits_like(second, 0xffff0000), ""), "");
}

static LLVMValueRef vector_at(tri_cpu_gen *g, LLVMValueRef base, LLVMValueRef at)
{
    LLVMTypeRef vector = tri_cpu_vector(g->f32, TRI_CPU_LANES);
    LLVMValueRef v = LLVMBuildLoad2(g->b, vector, LLVMBuildInBoundsGEP2(g->b, g->f32, base, &at, 1, ""), "");
    LLVMSetAlignment(v, 4);
    return v;
}

LLVMValueRef tri_cpu_split_has_nan(tri_cpu_gen *g, LLVMValueRef s, int64_t count)
{
    enum { parts = 4 };
    LLVMTypeRef flags = tri_cpu_vector(g->i1, TRI_CPU_LANES);
    LLVMValueRef found = tri_cpu_temp(g, flags, "nans");
    LLVMBuildStore(g->b, LLVMConstNull(flags), found);
    tri_cpu_counted c = tri_cpu_counted_begin(g, count, parts * TRI_CPU_LANES);
    LLVMValueRef any = LLVMBuildLoad2(g->b, flags, found, "");
    for (int p = 0; p < parts; p += 2) { /* two are compared at once: one NaN is enough */
        LLVMValueRef x = vector_at(g, s, LLVMBuildNSWAdd(g->b, c.i, tri_cpu_i64(g, p * TRI_CPU_LANES), ""));
        LLVMValueRef y = vector_at(g, s, LLVMBuildNSWAdd(g->b, c.i, tri_cpu_i64(g, (p + 1) * TRI_CPU_LANES), ""));
        any = LLVMBuildOr(g->b, any, LLVMBuildFCmp(g->b, LLVMRealUNO, x, y, ""), "");
    }
    LLVMBuildStore(g->b, any, found);
    tri_cpu_counted_end(g, &c);
    LLVMTypeRef word = LLVMIntTypeInContext(g->llvm, TRI_CPU_LANES);
    any = LLVMBuildBitCast(g->b, LLVMBuildLoad2(g->b, flags, found, ""), word, "");
    return LLVMBuildICmp(g->b, LLVMIntNE, any, LLVMConstNull(word), "");
}

void tri_cpu_split_copy(tri_cpu_gen *g, LLVMValueRef d, LLVMValueRef stride, LLVMValueRef s, int64_t rows,
                        int64_t columns)
{
    tri_cpu_counted m = tri_cpu_counted_begin(g, rows, 1);
    LLVMValueRef row = LLVMBuildNSWMul(g->b, m.i, stride, "");
    LLVMValueRef from = LLVMBuildNSWMul(g->b, m.i, tri_cpu_i64(g, columns), "");
    for (int64_t n = 0; n < columns; n += TRI_CPU_LANES) {
        LLVMValueRef column = tri_cpu_i64(g, n), at = LLVMBuildNSWAdd(g->b, row, column, "");
        LLVMValueRef v = vector_at(g, s, LLVMBuildNSWAdd(g->b, from, column, ""));
        LLVMSetAlignment(LLVMBuildStore(g->b, v, LLVMBuildInBoundsGEP2(g->b, g->f32, d, &at, 1, "")), 4);
    }
    tri_cpu_counted_end(g, &m);
}

void tri_cpu_split_add(const tri_cpu_product *x, LLVMValueRef d, LLVMValueRef s, int64_t rows, int64_t columns)
{
    tri_cpu_gen *g = x->g;
    LLVMBuilderRef b = g->b;
    LLVMTypeRef vector = tri_cpu_vector(g->f32, TRI_CPU_LANES);
    tri_cpu_counted m = tri_cpu_counted_begin(g, rows, 1);
    for (int64_t n = 0; n < columns; n += TRI_CPU_LANES) {
        LLVMValueRef column = tri_cpu_i64(g, n);
        LLVMValueRef row = LLVMBuildNSWMul(b, m.i, tri_cpu_i64(g, columns), "");
        LLVMValueRef at = LLVMBuildNSWAdd(b, row, column, "");
        LLVMValueRef from = LLVMBuildInBoundsGEP2(b, g->f32, s, &at, 1, "");
        row = LLVMBuildNSWMul(b, m.i, tri_cpu_i64(g, x->n), "");
        at = LLVMBuildNSWAdd(b, row, column, "");
        LLVMValueRef to = LLVMBuildInBoundsGEP2(b, g->f32, d, &at, 1, "");
        LLVMValueRef small = LLVMBuildLoad2(b, vector, from, ""), sum = LLVMBuildLoad2(b, vector, to, "");
        LLVMSetAlignment(small, 4);
        LLVMSetAlignment(sum, 4);
        if (x->is_fresh)
            sum = LLVMBuildSelect(b, x->is_fresh, LLVMConstNull(vector), sum, "");
        LLVMValueRef size = tri_cpu_intrinsic(g, "llvm.fabs", &vector, 1, &small, 1);
        LLVMValueRef is_finite = LLVMBuildFCmp(b, LLVMRealOLT, size, tri_cpu_constf_like(vector, INFINITY), "");
        small = LLVMBuildSelect(b, is_finite, small, LLVMConstNull(vector), "");
        LLVMSetAlignment(LLVMBuildStore(b, LLVMBuildFAdd(b, sum, small, ""), to), 4);
    }
    tri_cpu_counted_end(g, &m);
}
