/* Products of float32 with instructions for bfloat16: a number is the sum of two of those, as near as 17 bits, and
 *
 *     a * b  =  high(a) high(b)  +  (low(a) high(b) + high(a) low(b))
 *
 * where no number is so large that a sum of such products could leave the range: each packed block says so. Else the
 * last is added up on its own and left out where it is not finite: that happens where an infinity meets a low part of
 * zero, and where products overflow; that of high parts has the right result then. (Triton's bf16x3,
 * passes/ttgir/f32_dot_tc.c.)
 * The error is a fiftieth of tf32's or less, so that this may be done for tf32; never for ieee. */
#include "targets/cpu/dot.h"

#include <math.h>

enum {
    least_side = 32,               /* of the result: with fewer, splitting costs more than is gained */
    large_bits = 0x58800000,       /* 2^50: of smaller numbers, 2^27 products add up within the range */
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

/* Adds to x->large whether any is set. */
static void note_large(const tri_cpu_product *x, LLVMValueRef is_large)
{
    enum { most = 64 };
    tri_cpu_gen *g = x->g;
    LLVMTypeRef flags = LLVMTypeOf(is_large);
    bool is_vector = LLVMGetTypeKind(flags) == LLVMVectorTypeKind;
    if (is_vector && LLVMGetVectorSize(flags) > most)
        is_large = tri_cpu_intrinsic(g, "llvm.vector.reduce.or", &flags, 1, &is_large, 1);
    else if (is_vector)
        is_large = LLVMBuildBitCast(g->b, is_large, LLVMIntTypeInContext(g->llvm, LLVMGetVectorSize(flags)), "");
    LLVMValueRef word = LLVMBuildIntCast2(g->b, is_large, g->i64, false, "");
    LLVMBuildStore(g->b, LLVMBuildOr(g->b, LLVMBuildLoad2(g->b, g->i64, x->large, ""), word, ""), x->large);
}

/* To nearest, half away from zero; large ones, of which some would become infinite by that, are cut off instead. */
static LLVMValueRef high_bits(const tri_cpu_product *p, LLVMValueRef v, LLVMValueRef x)
{
    LLVMBuilderRef b = p->g->b;
    LLVMValueRef near = LLVMBuildAdd(b, x, bits_like(x, 0x8000), "");
    LLVMValueRef size = LLVMBuildAnd(b, x, bits_like(x, 0x7fffffff), "");
    LLVMValueRef is_large = LLVMBuildICmp(b, LLVMIntUGE, size, bits_like(x, large_bits), "");
    note_large(p, is_large);
    LLVMValueRef high = LLVMBuildAnd(b, LLVMBuildSelect(b, is_large, x, near, ""), bits_like(x, 0xffff0000), "");
    LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, v, v, "");
    return LLVMBuildSelect(b, is_nan, bits_like(x, 0x7fc00000), high, "");
}

void tri_cpu_split(const tri_cpu_product *p, LLVMValueRef v, LLVMValueRef *out_high, LLVMValueRef *out_low)
{
    LLVMBuilderRef b = p->g->b;
    LLVMTypeRef bits = tri_cpu_like(p->g->i32, v);
    LLVMValueRef x = LLVMBuildBitCast(b, v, bits, "");
    *out_high = high_bits(p, v, x);
    LLVMValueRef rest = LLVMBuildFSub(b, v, LLVMBuildBitCast(b, *out_high, LLVMTypeOf(v), ""), "");
    *out_low = LLVMBuildAdd(b, LLVMBuildBitCast(b, rest, bits, ""), bits_like(x, 0x8000), "");
}

void tri_cpu_split_begin(tri_cpu_product *x)
{
    if (!x->is_split)
        return;
    x->large = tri_cpu_temp(x->g, x->g->i64, "large");
    tri_cpu_at(x->g, 0);
    LLVMBuildStore(x->g->b, tri_cpu_i64(x->g, 0), x->large);
}

/* What packed blocks say of themselves. */
enum { is_ready = 1, has_large = 2 };

static LLVMValueRef large_word(const tri_cpu_product *x)
{
    LLVMValueRef zero = tri_cpu_i64(x->g, 0), large = LLVMBuildLoad2(x->g->b, x->g->i64, x->large, "");
    LLVMValueRef any = LLVMBuildICmp(x->g->b, LLVMIntNE, large, zero, "");
    return LLVMBuildSelect(x->g->b, any, tri_cpu_i64(x->g, is_ready | has_large), tri_cpu_i64(x->g, is_ready), "");
}

void tri_cpu_split_keep(const tri_cpu_product *x, LLVMValueRef fact)
{
    if (!x->is_split)
        return;
    tri_cpu_at(x->g, 0);
    LLVMBuildStore(x->g->b, large_word(x), fact);
}

void tri_cpu_split_ready(const tri_cpu_product *x, LLVMValueRef fact)
{
    tri_cpu_at(x->g, 0);
    LLVMValueRef word = x->is_split ? large_word(x) : tri_cpu_i64(x->g, is_ready);
    tri_cpu_atomic_set(x->g, word, fact, LLVMAtomicOrderingRelease);
}

void tri_cpu_split_take(tri_cpu_product *x, LLVMValueRef fact)
{
    if (!x->is_split)
        return;
    tri_cpu_at(x->g, 0);
    LLVMValueRef word = fact ? LLVMBuildLoad2(x->g->b, x->g->i64, fact, "") : large_word(x);
    word = LLVMBuildAnd(x->g->b, word, tri_cpu_i64(x->g, has_large), "");
    x->facts = x->facts ? LLVMBuildOr(x->g->b, x->facts, word, "") : word;
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
