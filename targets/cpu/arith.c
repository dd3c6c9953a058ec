/* Elementwise arithmetic on scalars or vectors: arith, and the elementwise ops of tt. Small floats
 * are widened, computed and rounded again after every op. */
#include "targets/cpu/cpu.h"

#include "ir/options.h"
#include "mlir-c/BuiltinAttributes.h"

#include <math.h>

typedef LLVMValueRef (*binary_fn)(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, const char *);

typedef struct {
    tri_cpu_gen *g;
    MlirOperation op;
    LLVMValueRef *args;
    int count;
    tri_cpu_type in, out; /* element types of the first operand and of the result */
    int param;
} call;

typedef struct {
    const char *name;
    LLVMValueRef (*emit)(const call *c);
    int param;
} row;

/* ---- integers ---- */

static LLVMValueRef int_binary(const call *c)
{
    return LLVMBuildBinOp(c->g->b, (LLVMOpcode)c->param, c->args[0], c->args[1], "");
}

/* Division by zero and the overflow of INT_MIN / -1 are undefined in LLVM IR, also in lanes that a
 * mask throws away later; the divisor of such a lane is replaced by 1. */
static LLVMValueRef int_divide(const call *c)
{
    LLVMBuilderRef b = c->g->b;
    LLVMValueRef x = c->args[0], y = c->args[1];
    LLVMTypeRef type = LLVMTypeOf(x);
    bool is_signed = c->param == LLVMSDiv || c->param == LLVMSRem;
    if (tri_cpu_divides_integers(c->g, y, c->in.bits, is_signed))
        return tri_cpu_divide_integers(c->g, x, y, is_signed, c->param == LLVMSRem || c->param == LLVMURem);
    if (!LLVMIsConstant(y) || LLVMIsNull(y)) {
        LLVMValueRef bad = LLVMBuildICmp(b, LLVMIntEQ, y, LLVMConstNull(type), "");
        if (is_signed && c->in.bits > 1) {
            LLVMValueRef lowest = tri_cpu_const_like(type, (int64_t)(UINT64_C(1) << (c->in.bits - 1)));
            LLVMValueRef by_minus_one = LLVMBuildICmp(b, LLVMIntEQ, y, LLVMConstAllOnes(type), "");
            LLVMValueRef overflow = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntEQ, x, lowest, ""), by_minus_one, "");
            bad = LLVMBuildOr(b, bad, overflow, "");
        }
        y = LLVMBuildSelect(b, bad, tri_cpu_const_like(type, 1), y, "");
    }
    return LLVMBuildBinOp(b, (LLVMOpcode)c->param, x, y, "");
}

static LLVMValueRef int_ceildiv(const call *c)
{
    LLVMBuilderRef b = c->g->b;
    LLVMTypeRef type = LLVMTypeOf(c->args[0]);
    call inner = *c;
    inner.param = c->param ? LLVMSDiv : LLVMUDiv;
    LLVMValueRef q = int_divide(&inner);
    inner.param = c->param ? LLVMSRem : LLVMURem;
    LLVMValueRef r = int_divide(&inner);
    LLVMValueRef up = LLVMBuildICmp(b, LLVMIntNE, r, LLVMConstNull(type), "");
    if (c->param) {
        LLVMValueRef x = LLVMBuildXor(b, c->args[0], c->args[1], "");
        up = LLVMBuildAnd(b, up, LLVMBuildICmp(b, LLVMIntSGE, x, LLVMConstNull(type), ""), "");
    }
    return LLVMBuildAdd(b, q, LLVMBuildZExt(b, up, type, ""), "");
}

static LLVMValueRef int_floordiv(const call *c)
{
    LLVMBuilderRef b = c->g->b;
    LLVMTypeRef type = LLVMTypeOf(c->args[0]);
    call inner = *c;
    inner.param = LLVMSDiv;
    LLVMValueRef q = int_divide(&inner);
    inner.param = LLVMSRem;
    LLVMValueRef r = int_divide(&inner);
    LLVMValueRef x = LLVMBuildXor(b, c->args[0], c->args[1], "");
    LLVMValueRef is_negative = LLVMBuildICmp(b, LLVMIntSLT, x, LLVMConstNull(type), "");
    LLVMValueRef down = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntNE, r, LLVMConstNull(type), ""), is_negative, "");
    return LLVMBuildSub(b, q, LLVMBuildZExt(b, down, type, ""), "");
}

/* A shift by the width or more gives 0 (or the sign), as on GPUs, not poison. */
static LLVMValueRef int_shift(const call *c)
{
    LLVMBuilderRef b = c->g->b;
    LLVMValueRef x = c->args[0], y = c->args[1];
    LLVMTypeRef type = LLVMTypeOf(y);
    if (LLVMIsConstant(y) && LLVMIsAConstantInt(y) && LLVMConstIntGetZExtValue(y) < c->in.bits)
        return LLVMBuildBinOp(b, (LLVMOpcode)c->param, x, y, "");
    LLVMValueRef over = LLVMBuildICmp(b, LLVMIntUGE, y, tri_cpu_const_like(type, c->in.bits), "");
    LLVMValueRef top = tri_cpu_const_like(type, c->in.bits - 1);
    LLVMValueRef shifted = LLVMBuildBinOp(b, (LLVMOpcode)c->param, x, LLVMBuildSelect(b, over, top, y, ""), "");
    if (c->param == LLVMAShr)
        return shifted;
    return LLVMBuildSelect(b, over, LLVMConstNull(LLVMTypeOf(x)), shifted, "");
}

static LLVMValueRef int_minmax(const call *c)
{
    static const char *const names[] = {"llvm.smin", "llvm.smax", "llvm.umin", "llvm.umax"};
    LLVMTypeRef type = LLVMTypeOf(c->args[0]);
    return tri_cpu_intrinsic(c->g, names[c->param], &type, 1, c->args, 2);
}

static LLVMValueRef int_mulhi(const call *c)
{
    LLVMBuilderRef b = c->g->b;
    LLVMValueRef x = c->args[0];
    LLVMTypeRef wide = tri_cpu_like(LLVMIntTypeInContext(c->g->llvm, c->in.bits * 2), x);
    LLVMValueRef wide_y = LLVMBuildZExt(b, c->args[1], wide, "");
    LLVMValueRef p = LLVMBuildMul(b, LLVMBuildZExt(b, x, wide, ""), wide_y, "");
    p = LLVMBuildLShr(b, p, tri_cpu_const_like(wide, c->in.bits), "");
    return LLVMBuildTrunc(b, p, LLVMTypeOf(x), "");
}

static LLVMValueRef int_abs(const call *c)
{
    LLVMTypeRef type = LLVMTypeOf(c->args[0]);
    LLVMValueRef args[2] = {c->args[0], LLVMConstInt(c->g->i1, 0, false)};
    return tri_cpu_intrinsic(c->g, "llvm.abs", &type, 1, args, 2);
}

static LLVMValueRef count_bits(const call *c)
{
    LLVMTypeRef type = LLVMTypeOf(c->args[0]);
    return tri_cpu_intrinsic(c->g, "llvm.ctpop", &type, 1, c->args, 1);
}

/* Zeros above the highest one, or below the lowest; all bits when there is none. */
static LLVMValueRef count_zeros(const call *c)
{
    LLVMTypeRef type = LLVMTypeOf(c->args[0]);
    LLVMValueRef args[2] = {c->args[0], LLVMConstInt(c->g->i1, 0, false)};
    return tri_cpu_intrinsic(c->g, tri_op_is(c->op, "math.ctlz") ? "llvm.ctlz" : "llvm.cttz", &type, 1, args, 2);
}

static LLVMValueRef int_compare(const call *c)
{
    static const LLVMIntPredicate predicates[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT, LLVMIntSLE, LLVMIntSGT,
                                                  LLVMIntSGE, LLVMIntULT, LLVMIntULE, LLVMIntUGT, LLVMIntUGE};
    int64_t p = tri_op_int(c->op, "predicate", 0);
    return LLVMBuildICmp(c->g->b, predicates[p], c->args[0], c->args[1], "");
}

static LLVMValueRef int_cast(const call *c)
{
    LLVMTypeRef type = tri_cpu_like(tri_cpu_llvm_type(c->g, c->out), c->args[0]);
    if (c->in.bits == c->out.bits)
        return c->args[0];
    LLVMOpcode op = c->in.bits > c->out.bits ? LLVMTrunc : c->param ? LLVMSExt : LLVMZExt;
    return LLVMBuildCast(c->g->b, op, c->args[0], type, "");
}

/* ---- floats ---- */

/* A small float rounds after every operation, also where the processor has operations of its own for it. */
static LLVMValueRef flagged(const call *c, LLVMValueRef v)
{
    bool may_fuse = c->g->has_fma && !tri_cpu_is_small(c->in) && !c->g->unit->options->no_fp_fusion;
    if (may_fuse && LLVMIsAInstruction(v) && LLVMCanValueUseFastMathFlags(v) && !tri_cpu_is_rounded(c->g, c->op))
        LLVMSetFastMathFlags(v, LLVMFastMathAllowContract);
    return v;
}

static LLVMValueRef wide(const call *c, int i) { return tri_cpu_widen(c->g, c->args[i], c->in); }
static LLVMValueRef narrow(const call *c, LLVMValueRef v) { return tri_cpu_narrow(c->g, v, c->out, false); }

static LLVMValueRef float_binary(const call *c)
{
    LLVMValueRef x = wide(c, 0), y = wide(c, 1);
    return narrow(c, flagged(c, LLVMBuildBinOp(c->g->b, (LLVMOpcode)c->param, x, y, "")));
}

static LLVMValueRef float_rem(const call *c)
{
    LLVMValueRef y = wide(c, 1), x = wide(c, 0);
    return narrow(c, tri_cpu_math_fmod(c->g, x, y));
}

static LLVMValueRef float_neg(const call *c)
{
    if (tri_cpu_is_small(c->in)) {
        LLVMValueRef sign = tri_cpu_const_like(LLVMTypeOf(c->args[0]), (int64_t)1 << (c->in.bits - 1));
        return LLVMBuildXor(c->g->b, c->args[0], sign, "");
    }
    return LLVMBuildFNeg(c->g->b, c->args[0], "");
}

/* maxnumf and minnumf give the other operand for a NaN; maximumf and minimumf give NaN. */
static LLVMValueRef float_minmax(const call *c)
{
    LLVMBuilderRef b = c->g->b;
    LLVMValueRef x = wide(c, 0), y = wide(c, 1);
    bool is_max = c->param & 1, propagates = c->param & 2;
    LLVMValueRef pick = LLVMBuildFCmp(b, is_max ? LLVMRealOGT : LLVMRealOLT, x, y, "");
    LLVMValueRef v = LLVMBuildSelect(b, pick, x, y, "");
    LLVMValueRef x_nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
    if (!propagates) {
        /* x > y is false for a NaN in y too: take x then */
        LLVMValueRef y_nan = LLVMBuildFCmp(b, LLVMRealUNO, y, y, "");
        v = LLVMBuildSelect(b, y_nan, x, v, "");
    } else {
        v = LLVMBuildSelect(b, x_nan, x, v, "");
    }
    return narrow(c, v);
}

static LLVMValueRef float_compare(const call *c)
{
    /* in the order of arith.cmpf's enum, which has uno behind the other unordered ones */
    static const LLVMRealPredicate predicates[] = {
        LLVMRealPredicateFalse, LLVMRealOEQ, LLVMRealOGT, LLVMRealOGE, LLVMRealOLT, LLVMRealOLE, LLVMRealONE,
        LLVMRealORD, LLVMRealUEQ, LLVMRealUGT, LLVMRealUGE, LLVMRealULT, LLVMRealULE, LLVMRealUNE, LLVMRealUNO,
        LLVMRealPredicateTrue};
    int64_t p = tri_op_int(c->op, "predicate", 0);
    LLVMValueRef y = wide(c, 1), x = wide(c, 0);
    return LLVMBuildFCmp(c->g->b, predicates[p], x, y, "");
}

static LLVMValueRef float_cast(const call *c)
{
    return tri_cpu_convert(c->g, c->args[0], c->in, c->out, tri_op_int(c->op, "rounding", 1) == 0);
}

static LLVMValueRef int_to_float(const call *c)
{
    LLVMValueRef x = c->args[0];
    /* through double when float would round twice (exact up to 53 bits) */
    bool is_small = tri_cpu_is_small(c->out);
    LLVMTypeRef via = is_small ? c->g->f64 : tri_cpu_llvm_type(c->g, c->out);
    LLVMTypeRef type = tri_cpu_like(via, x);
    LLVMValueRef v = c->param ? LLVMBuildSIToFP(c->g->b, x, type, "") : LLVMBuildUIToFP(c->g->b, x, type, "");
    return is_small ? tri_cpu_convert(c->g, v, (tri_cpu_type){TRI_CPU_F64, 64}, c->out, false) : v;
}

/* Out of range saturates, NaN gives 0, as on GPUs; LLVM's plain cast is poison there. */
/* Vectors, of which LLVM's saturating conversion makes single lanes: numbers in range are converted, others are the
 * nearest integer, NaN is 0. */
static LLVMValueRef floats_to_ints(const call *c, LLVMValueRef x)
{
    LLVMBuilderRef b = c->g->b;
    int bits = (int)c->out.bits;
    bool is_signed = c->param, is_short = bits < 32;
    LLVMTypeRef type = LLVMTypeOf(x), out = tri_cpu_like(tri_cpu_llvm_type(c->g, c->out), x);
    LLVMTypeRef word = is_short ? tri_cpu_like(c->g->i32, x) : out;
    LLVMValueRef least = tri_cpu_constf_like(type, is_signed ? -ldexp(1, bits - 1) : 0);
    LLVMValueRef is_over = LLVMBuildFCmp(b, LLVMRealOGE, x, tri_cpu_constf_like(type, ldexp(1, bits - is_signed)), "");
    LLVMValueRef fits = LLVMBuildFCmp(b, LLVMRealOGE, x, least, "");
    fits = LLVMBuildAnd(b, fits, LLVMBuildNot(b, is_over, ""), "");
    LLVMValueRef v = LLVMBuildSelect(b, fits, x, LLVMConstNull(type), "");
    v = LLVMBuildCast(b, is_signed || is_short ? LLVMFPToSI : LLVMFPToUI, v, word, "");
    v = is_short ? LLVMBuildTrunc(b, v, out, "") : v;
    uint64_t most = UINT64_MAX >> (64 - bits + is_signed);
    v = LLVMBuildSelect(b, is_over, tri_cpu_const_like(out, (int64_t)most), v, "");
    if (!is_signed)
        return v;
    LLVMValueRef is_under = LLVMBuildFCmp(b, LLVMRealOLT, x, least, "");
    return LLVMBuildSelect(b, is_under, tri_cpu_const_like(out, -(int64_t)most - 1), v, "");
}

static LLVMValueRef float_to_int(const call *c)
{
    enum { least_bits = 8 };
    LLVMValueRef x = wide(c, 0);
    if (tri_cpu_lanes_of(x) > 1 && c->out.bits >= least_bits)
        return floats_to_ints(c, x);
    LLVMTypeRef types[2] = {tri_cpu_like(tri_cpu_llvm_type(c->g, c->out), x), LLVMTypeOf(x)};
    return tri_cpu_intrinsic(c->g, c->param ? "llvm.fptosi.sat" : "llvm.fptoui.sat", types, 2, &x, 1);
}

static LLVMValueRef float_abs(const call *c)
{
    LLVMValueRef x = c->args[0];
    if (tri_cpu_is_small(c->in)) {
        LLVMValueRef mask = tri_cpu_const_like(LLVMTypeOf(x), ((int64_t)1 << (c->in.bits - 1)) - 1);
        return LLVMBuildAnd(c->g->b, x, mask, "");
    }
    LLVMTypeRef type = LLVMTypeOf(x);
    return tri_cpu_intrinsic(c->g, "llvm.fabs", &type, 1, &x, 1);
}

static LLVMValueRef float_clamp(const call *c)
{
    LLVMBuilderRef b = c->g->b;
    LLVMValueRef x = wide(c, 0), lo = wide(c, 1), hi = wide(c, 2);
    bool propagates = tri_op_int(c->op, "propagateNan", 0) != 0;
    LLVMValueRef v = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGE, x, lo, ""), x, lo, ""); /* NaN: lo */
    v = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLE, v, hi, ""), v, hi, "");
    if (propagates)
        v = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, x, x, ""), x, v, "");
    return narrow(c, v);
}

/* x + y, of which the last bit is set when anything was lost, so that a narrower float rounds as the exact sum does
 * (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd"). */
static LLVMValueRef add_to_odd(tri_cpu_gen *g, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = g->b;
    LLVMValueRef sum = LLVMBuildFAdd(b, x, y, ""), part = LLVMBuildFSub(b, sum, x, "");
    LLVMValueRef lost_of_y = LLVMBuildFSub(b, y, part, "");
    LLVMValueRef lost = LLVMBuildFAdd(b, LLVMBuildFSub(b, x, LLVMBuildFSub(b, sum, part, ""), ""), lost_of_y, "");
    LLVMTypeRef ints = tri_cpu_like(g->i64, x);
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x)), bits = LLVMBuildBitCast(b, sum, ints, "");
    LLVMValueRef is_even = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, bits, tri_cpu_const_like(ints, 1), ""),
                                         LLVMConstNull(ints), "");
    LLVMValueRef needs = LLVMBuildAnd(b, is_even, LLVMBuildFCmp(b, LLVMRealONE, lost, zero, ""), "");
    LLVMValueRef is_positive = LLVMBuildFCmp(b, LLVMRealOGT, sum, zero, "");
    LLVMValueRef is_short =
        LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildFCmp(b, LLVMRealOGT, lost, zero, ""), is_positive, "");
    LLVMValueRef step = LLVMBuildSelect(b, is_short, tri_cpu_const_like(ints, 1), tri_cpu_const_like(ints, -1), "");
    bits = LLVMBuildSelect(b, needs, LLVMBuildAdd(b, bits, step, ""), bits, "");
    return LLVMBuildBitCast(b, bits, LLVMTypeOf(x), "");
}

static LLVMValueRef float_fma(const call *c)
{
    LLVMValueRef args[3] = {wide(c, 0), wide(c, 1), wide(c, 2)};
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    if (c->g->has_fma || c->in.kind == TRI_CPU_F64)
        return narrow(c, tri_cpu_intrinsic(c->g, "llvm.fma", &type, 1, args, 3));
    /* float operands without FMA hardware: the product is exact in double */
    LLVMTypeRef d = tri_cpu_like(c->g->f64, args[0]);
    for (int i = 0; i < 3; i++)
        args[i] = LLVMBuildFPExt(c->g->b, args[i], d, "");
    LLVMValueRef p = LLVMBuildFMul(c->g->b, args[0], args[1], "");
    LLVMValueRef s = add_to_odd(c->g, p, args[2]), near = LLVMBuildFPTrunc(c->g->b, s, type, "");
    return narrow(c, near);
}

/* ---- bits, selection, addresses ---- */

static LLVMValueRef bit_cast(const call *c)
{
    LLVMTypeRef type = tri_cpu_like(tri_cpu_llvm_type(c->g, c->out), c->args[0]);
    LLVMTypeRef from = LLVMTypeOf(c->args[0]);
    if (from == type)
        return c->args[0];
    return LLVMBuildBitCast(c->g->b, c->args[0], type, "");
}

static LLVMValueRef choose_arith(const call *c)
{
    return LLVMBuildSelect(c->g->b, c->args[0], c->args[1], c->args[2], "");
}

static LLVMValueRef int_to_ptr(const call *c)
{
    return LLVMBuildIntToPtr(c->g->b, c->args[0], tri_cpu_like(c->g->ptr, c->args[0]), "");
}

static LLVMValueRef ptr_to_int(const call *c)
{
    return LLVMBuildPtrToInt(c->g->b, c->args[0], tri_cpu_like(c->g->i64, c->args[0]), "");
}

static LLVMValueRef add_ptr(const call *c)
{
    MlirType pointee = tri_type_ptr_pointee(tri_type_element(mlirValueGetType(tri_op_operand(c->op, 0))));
    LLVMTypeRef element = tri_cpu_memory_type(c->g, tri_cpu_type_of(c->g, pointee));
    LLVMValueRef offset = c->args[1];
    LLVMTypeRef wide_type = tri_cpu_like(c->g->i64, offset);
    if (LLVMTypeOf(offset) != wide_type)
        offset = LLVMBuildSExtOrBitCast(c->g->b, offset, wide_type, "");
    return LLVMBuildGEP2(c->g->b, element, c->args[0], &offset, 1, "");
}

static LLVMValueRef poison(const call *c)
{
    return LLVMConstNull(tri_cpu_llvm_type(c->g, c->out));
}

static const row rows[] = {
    {"arith.addi", int_binary, LLVMAdd},      {"arith.subi", int_binary, LLVMSub},
    {"arith.muli", int_binary, LLVMMul},      {"arith.andi", int_binary, LLVMAnd},
    {"arith.ori", int_binary, LLVMOr},        {"arith.xori", int_binary, LLVMXor},
    {"arith.divsi", int_divide, LLVMSDiv},    {"arith.divui", int_divide, LLVMUDiv},
    {"arith.remsi", int_divide, LLVMSRem},    {"arith.remui", int_divide, LLVMURem},
    {"arith.ceildivsi", int_ceildiv, 1},      {"arith.ceildivui", int_ceildiv, 0},
    {"arith.floordivsi", int_floordiv, 0},    {"arith.shli", int_shift, LLVMShl},
    {"arith.shrsi", int_shift, LLVMAShr},     {"arith.shrui", int_shift, LLVMLShr},
    {"arith.minsi", int_minmax, 0},           {"arith.maxsi", int_minmax, 1},
    {"arith.minui", int_minmax, 2},           {"arith.maxui", int_minmax, 3},
    {"arith.cmpi", int_compare, 0},           {"arith.extsi", int_cast, 1},
    {"arith.extui", int_cast, 0},             {"arith.trunci", int_cast, 0},
    {"arith.index_cast", int_cast, 1},        {"arith.index_castui", int_cast, 0},
    {"arith.addf", float_binary, LLVMFAdd},   {"arith.subf", float_binary, LLVMFSub},
    {"arith.mulf", float_binary, LLVMFMul},   {"arith.divf", float_binary, LLVMFDiv},
    {"tt.precise_divf", float_binary, LLVMFDiv}, {"tt.approx_divf", float_binary, LLVMFDiv},
    {"arith.remf", float_rem, 0},             {"arith.negf", float_neg, 0},
    {"arith.minnumf", float_minmax, 0},       {"arith.maxnumf", float_minmax, 1},
    {"arith.minimumf", float_minmax, 2},      {"arith.maximumf", float_minmax, 3},
    {"arith.cmpf", float_compare, 0},         {"arith.extf", float_cast, 0},
    {"arith.truncf", float_cast, 0},          {"tt.fp_to_fp", float_cast, 0},
    {"arith.sitofp", int_to_float, 1},        {"arith.uitofp", int_to_float, 0},
    {"arith.fptosi", float_to_int, 1},        {"arith.fptoui", float_to_int, 0},
    {"math.absf", float_abs, 0},              {"math.absi", int_abs, 0},
    {"math.ctpop", count_bits, 0},            {"math.ctlz", count_zeros, 0},
    {"math.cttz", count_zeros, 0},
    {"tt.clampf", float_clamp, 0},            {"math.fma", float_fma, 0},
    {"tt.mulhiui", int_mulhi, 0},             {"arith.bitcast", bit_cast, 0},
    {"tt.bitcast", bit_cast, 0},              {"arith.select", choose_arith, 0},
    {"tt.int_to_ptr", int_to_ptr, 0},         {"tt.ptr_to_int", ptr_to_int, 0},
    {"tt.addptr", add_ptr, 0},                {"ub.poison", poison, 0},
};

static const row *find_row(MlirOperation op)
{
    tri_str name = tri_op_name(op);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tri_str_is(name, rows[i].name))
            return &rows[i];
    return NULL;
}

bool tri_cpu_arith_knows(MlirOperation op) { return find_row(op) || tri_cpu_math_knows(op); }

LLVMValueRef tri_cpu_arith_emit(tri_cpu_gen *g, MlirOperation op, LLVMValueRef *args, int count)
{
    const row *r = find_row(op);
    if (!r)
        return tri_cpu_math_emit(g, op, args, count);
    call c = {.g = g, .op = op, .args = args, .count = count, .param = r->param};
    c.out = tri_cpu_type_of(g, mlirValueGetType(tri_op_result(op, 0)));
    c.in = count ? tri_cpu_type_of(g, mlirValueGetType(tri_op_operand(op, 0))) : c.out;
    return r->emit(&c);
}

/* Bits of a float constant in a small format: by the same conversion as at run time, folded. */
static LLVMValueRef float_constant(tri_cpu_gen *g, tri_cpu_type type, double value)
{
    if (type.kind == TRI_CPU_F64)
        return LLVMConstReal(g->f64, value);
    LLVMValueRef f = LLVMConstReal(g->f32, value);
    if (!tri_cpu_is_small(type))
        return f;
    return tri_cpu_convert(g, LLVMConstReal(g->f64, value), (tri_cpu_type){TRI_CPU_F64, 64}, type, false);
}

LLVMValueRef tri_cpu_constant(tri_cpu_gen *g, MlirOperation op)
{
    MlirAttribute value = tri_op_attr(op, "value");
    tri_cpu_type type = tri_cpu_type_of(g, mlirValueGetType(tri_op_result(op, 0)));
    if (mlirAttributeIsADenseElements(value)) {
        if (!mlirDenseElementsAttrIsSplat(value))
            return NULL;
        value = mlirDenseElementsAttrGetSplatValue(value);
    }
    if (mlirAttributeIsAFloat(value))
        return float_constant(g, type, mlirFloatAttrGetValueDouble(value));
    if (mlirAttributeIsABool(value))
        return LLVMConstInt(g->i1, mlirBoolAttrGetValue(value), false);
    if (mlirAttributeIsAInteger(value))
        return LLVMConstInt(tri_cpu_llvm_type(g, type), (uint64_t)mlirIntegerAttrGetValueInt(value), true);
    return NULL;
}
