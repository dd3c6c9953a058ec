/* arith: integer and float arithmetic, comparisons, select. */
#include "ir/type.h"
#include "targets/gpu/gpu.h"

#define BINARY(name, build) \
    static LLVMValueRef name(tri_gpu *g, MlirOperation op, LLVMValueRef *a) \
    { \
        (void)op; \
        return build(g->b, a[0], a[1], ""); \
    }
BINARY(addi, LLVMBuildAdd)
BINARY(subi, LLVMBuildSub)
BINARY(muli, LLVMBuildMul)
BINARY(andi, LLVMBuildAnd)
BINARY(ori, LLVMBuildOr)
BINARY(xori, LLVMBuildXor)
BINARY(shli, LLVMBuildShl)
BINARY(shrsi, LLVMBuildAShr)
BINARY(shrui, LLVMBuildLShr)

/* May LLVM see that the divisor is zero on some way to it: one of a choice, as what a masked-off lane has instead of
 * what was loaded? */
static bool is_chosen(LLVMValueRef v, int depth)
{
    enum { max_depth = 12 };
    if (!LLVMIsAInstruction(v))
        return false;
    bool is_bool = LLVMTypeOf(v) == LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(v)));
    if (depth > max_depth || is_bool || LLVMIsAPHINode(v) || LLVMIsASelectInst(v))
        return true;
    if (LLVMIsALoadInst(v) || (LLVMIsACallInst(v) && !LLVMGetIntrinsicID(LLVMGetCalledValue(v))))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (is_chosen(LLVMGetOperand(v, (unsigned)i), depth + 1))
            return true;
    return false;
}

/* A GPU gives some number where the division has no result, which happens in masked-off lanes. LLVM takes it that no
 * lane divides by zero, and so that the mask holds, for stores behind it, too; the simulator's host would trap. */
static void avoid_zero(tri_gpu *g, LLVMValueRef *a, bool is_signed)
{
    if (!g->simulate && !is_chosen(a[1], 0))
        return;
    LLVMTypeRef type = LLVMTypeOf(a[0]);
    LLVMValueRef bad = LLVMBuildICmp(g->b, LLVMIntEQ, a[1], LLVMConstNull(type), "");
    if (g->simulate && is_signed) {
        LLVMValueRef least = LLVMConstInt(type, 1ull << (LLVMGetIntTypeWidth(type) - 1), false);
        LLVMValueRef is_least = LLVMBuildICmp(g->b, LLVMIntEQ, a[0], least, "");
        LLVMValueRef by_minus_1 = LLVMBuildICmp(g->b, LLVMIntEQ, a[1], LLVMConstAllOnes(type), "");
        bad = LLVMBuildOr(g->b, bad, LLVMBuildAnd(g->b, is_least, by_minus_1, ""), "");
    }
    a[1] = LLVMBuildSelect(g->b, bad, LLVMConstInt(type, 1, false), a[1], "");
}

#define DIVISION(name, build, is_signed) \
    static LLVMValueRef name(tri_gpu *g, MlirOperation op, LLVMValueRef *a) \
    { \
        (void)op; \
        avoid_zero(g, a, is_signed); \
        return build(g->b, a[0], a[1], ""); \
    }
DIVISION(divsi, LLVMBuildSDiv, true)
DIVISION(divui, LLVMBuildUDiv, false)
DIVISION(remsi, LLVMBuildSRem, true)
DIVISION(remui, LLVMBuildURem, false)

#define CONTRACTED(name, build) \
    static LLVMValueRef name(tri_gpu *g, MlirOperation op, LLVMValueRef *a) \
    { \
        (void)op; \
        return tri_gpu_contract(g, build(g->b, a[0], a[1], "")); \
    }
CONTRACTED(addf, LLVMBuildFAdd)
CONTRACTED(subf, LLVMBuildFSub)
CONTRACTED(mulf, LLVMBuildFMul)

#define SAME(name, intrinsic, count) \
    static LLVMValueRef name(tri_gpu *g, MlirOperation op, LLVMValueRef *a) \
    { \
        (void)op; \
        return tri_gpu_intrinsic_same(g, intrinsic, a, count); \
    }
SAME(minsi, "llvm.smin", 2)
SAME(minui, "llvm.umin", 2)
SAME(maxsi, "llvm.smax", 2)
SAME(maxui, "llvm.umax", 2)
/* On GPUs -0 is less than +0; the host's code for minnum takes either. */
SAME(minnumf, g->simulate ? "llvm.minimumnum" : "llvm.minnum", 2)
SAME(maxnumf, g->simulate ? "llvm.maximumnum" : "llvm.maxnum", 2)
SAME(minimumf, "llvm.minimum", 2)
SAME(maximumf, "llvm.maximum", 2)

static LLVMValueRef negf(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)op;
    return LLVMBuildFNeg(g->b, a[0], "");
}

static LLVMValueRef ceildivsi(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)op; /* q + 1 when there is a remainder and the signs agree */
    LLVMTypeRef type = LLVMTypeOf(a[0]);
    LLVMValueRef zero = LLVMConstNull(type);
    avoid_zero(g, a, true);
    LLVMValueRef q = LLVMBuildSDiv(g->b, a[0], a[1], ""), r = LLVMBuildSRem(g->b, a[0], a[1], "");
    LLVMValueRef has_rest = LLVMBuildICmp(g->b, LLVMIntNE, r, zero, "");
    LLVMValueRef same = LLVMBuildICmp(g->b, LLVMIntSGE, LLVMBuildXor(g->b, a[0], a[1], ""), zero, "");
    return LLVMBuildAdd(g->b, q, LLVMBuildZExt(g->b, LLVMBuildAnd(g->b, has_rest, same, ""), type, ""), "");
}

static LLVMValueRef ceildivui(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)op;
    LLVMTypeRef type = LLVMTypeOf(a[0]);
    avoid_zero(g, a, false);
    LLVMValueRef q = LLVMBuildUDiv(g->b, a[0], a[1], ""), r = LLVMBuildURem(g->b, a[0], a[1], "");
    LLVMValueRef has_rest = LLVMBuildICmp(g->b, LLVMIntNE, r, LLVMConstNull(type), "");
    return LLVMBuildAdd(g->b, q, LLVMBuildZExt(g->b, has_rest, type, ""), "");
}

static LLVMValueRef floordivsi(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)op; /* q - 1 when there is a remainder and the signs differ */
    LLVMTypeRef type = LLVMTypeOf(a[0]);
    LLVMValueRef zero = LLVMConstNull(type);
    avoid_zero(g, a, true);
    LLVMValueRef q = LLVMBuildSDiv(g->b, a[0], a[1], ""), r = LLVMBuildSRem(g->b, a[0], a[1], "");
    LLVMValueRef has_rest = LLVMBuildICmp(g->b, LLVMIntNE, r, zero, "");
    LLVMValueRef differ = LLVMBuildICmp(g->b, LLVMIntSLT, LLVMBuildXor(g->b, a[0], a[1], ""), zero, "");
    return LLVMBuildAdd(g->b, q, LLVMBuildSExt(g->b, LLVMBuildAnd(g->b, has_rest, differ, ""), type, ""), "");
}

/* A product's halves: by integers of twice the bits, unless the family has none of 128 and a function instead. */
static void multiply_wide(tri_gpu *g, LLVMValueRef x, LLVMValueRef y, bool is_signed, LLVMValueRef *out_low,
                          LLVMValueRef *out_high)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    unsigned bits = tri_gpu_bits(g, type);
    tri_machine_id id = is_signed ? TRI_MACHINE_mulhi_s64 : TRI_MACHINE_mulhi_u64;
    LLVMValueRef args[2] = {x, y};
    if (bits == 64 && tri_machine_has(g, id)) {
        *out_low = LLVMBuildMul(g->b, x, y, "");
        *out_high = tri_machine_call(g, id, args, 2);
        return;
    }
    LLVMTypeRef wide = LLVMIntTypeInContext(g->llvm, 2 * bits);
    for (int i = 0; i < 2; i++)
        args[i] = LLVMBuildIntCast2(g->b, args[i], wide, is_signed, "");
    LLVMValueRef product = LLVMBuildMul(g->b, args[0], args[1], "");
    *out_low = LLVMBuildTrunc(g->b, product, type, "");
    *out_high = LLVMBuildTrunc(g->b, LLVMBuildLShr(g->b, product, LLVMConstInt(wide, bits, false), ""), type, "");
}

/* Both halves of a product, low first. */
static bool run_mul_extended(tri_gpu *g, MlirOperation op)
{
    bool is_signed = tri_op_is(op, "arith.mulsi_extended");
    tri_gpu_value x = tri_gpu_operand(g, op, 0), y = tri_gpu_operand(g, op, 1);
    tri_gpu_value low = tri_gpu_new(g, x.count), high = tri_gpu_new(g, x.count);
    for (int r = 0; r < x.count; r++)
        multiply_wide(g, x.at[r], y.at[r], is_signed, &low.at[r], &high.at[r]);
    tri_gpu_set_result(g, op, 0, low);
    tri_gpu_set_result(g, op, 1, high);
    return true;
}

/* Division in f32 for the types that have none of their own. */
static LLVMValueRef in_f32(tri_gpu *g, tri_machine_id id, LLVMValueRef *a)
{
    LLVMTypeRef type = LLVMTypeOf(a[0]);
    LLVMValueRef args[2] = {a[0], a[1]};
    if (type != g->f32)
        for (int i = 0; i < 2; i++)
            args[i] = LLVMBuildFPExt(g->b, a[i], g->f32, "");
    LLVMValueRef q =
        tri_machine_has(g, id) ? tri_machine_call(g, id, args, 2) : LLVMBuildFDiv(g->b, args[0], args[1], "");
    return type == g->f32 ? q : LLVMBuildFPTrunc(g->b, q, type, "");
}

static LLVMValueRef divf(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)op;
    if (LLVMGetTypeKind(LLVMTypeOf(a[0])) == LLVMDoubleTypeKind)
        return LLVMBuildFDiv(g->b, a[0], a[1], "");
    return in_f32(g, TRI_MACHINE_div_f32, a);
}

static LLVMValueRef precise_divf(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)op;
    if (LLVMGetTypeKind(LLVMTypeOf(a[0])) == LLVMDoubleTypeKind)
        return LLVMBuildFDiv(g->b, a[0], a[1], "");
    return in_f32(g, TRI_MACHINE_div_rn_f32, a);
}

static LLVMValueRef remf(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)op;
    LLVMTypeRef type = LLVMTypeOf(a[0]);
    bool is_double = LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
    tri_machine_id id = is_double ? TRI_MACHINE_fmod_f64 : TRI_MACHINE_fmod_f32;
    if (!tri_machine_has(g, id))
        return LLVMBuildFRem(g->b, a[0], a[1], "");
    return is_double ? tri_machine_call(g, id, a, 2) : in_f32(g, id, a);
}

/* arith.cmpi and arith.cmpf predicates in the order of their enums. */
static LLVMValueRef cmpi(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    static const LLVMIntPredicate predicates[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT, LLVMIntSLE, LLVMIntSGT,
                                                  LLVMIntSGE, LLVMIntULT, LLVMIntULE, LLVMIntUGT, LLVMIntUGE};
    return LLVMBuildICmp(g->b, predicates[tri_op_int(op, "predicate", 0)], a[0], a[1], "");
}

static LLVMValueRef cmpf(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    static const LLVMRealPredicate predicates[] = {
        LLVMRealPredicateFalse, LLVMRealOEQ, LLVMRealOGT, LLVMRealOGE, LLVMRealOLT, LLVMRealOLE, LLVMRealONE,
        LLVMRealORD, LLVMRealUEQ, LLVMRealUGT, LLVMRealUGE, LLVMRealULT, LLVMRealULE, LLVMRealUNE, LLVMRealUNO,
        LLVMRealPredicateTrue};
    return LLVMBuildFCmp(g->b, predicates[tri_op_int(op, "predicate", 0)], a[0], a[1], "");
}

static LLVMValueRef choose_arith(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)op;
    return LLVMBuildSelect(g->b, a[0], a[1], a[2], "");
}

/* A select of whole values by one scalar condition: descriptors and tensors alike. */
static bool run_select(tri_gpu *g, MlirOperation op)
{
    tri_gpu_value c = tri_gpu_operand(g, op, 0), x = tri_gpu_operand(g, op, 1), y = tri_gpu_operand(g, op, 2);
    tri_gpu_value out = tri_gpu_new(g, x.count);
    for (int i = 0; i < x.count; i++) {
        LLVMValueRef args[] = {c.at[c.count == 1 ? 0 : i], x.at[i], y.at[i]};
        out.at[i] = choose_arith(g, op, args);
    }
    tri_gpu_set_result(g, op, 0, out);
    return true;
}

static LLVMValueRef mulhiui(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)op;
    LLVMValueRef low, high;
    multiply_wide(g, a[0], a[1], false, &low, &high);
    return high;
}

static LLVMValueRef clampf(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    bool propagates = tri_op_int(op, "propagateNan", 0) != 0;
    LLVMValueRef low[] = {a[0], a[1]};
    LLVMValueRef high[] = {tri_gpu_intrinsic_same(g, propagates ? "llvm.maximum" : "llvm.maxnum", low, 2), a[2]};
    return tri_gpu_intrinsic_same(g, propagates ? "llvm.minimum" : "llvm.minnum", high, 2);
}

static LLVMValueRef addptr(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    MlirType pointee = tri_type_ptr_pointee(tri_type_element(mlirValueGetType(mlirOperationGetResult(op, 0))));
    LLVMTypeRef element = tri_gpu_type(g, pointee);
    if (element == g->i1)
        element = g->i8; /* booleans take a byte of memory */
    return LLVMBuildGEP2(g->b, element, a[0], &a[1], 1, "");
}

const tri_gpu_op tri_gpu_ops_arith[] = {
    {"arith.addi", NULL, addi},
    {"arith.subi", NULL, subi},
    {"arith.muli", NULL, muli},
    {"arith.divsi", NULL, divsi},
    {"arith.divui", NULL, divui},
    {"arith.ceildivsi", NULL, ceildivsi},
    {"arith.ceildivui", NULL, ceildivui},
    {"arith.floordivsi", NULL, floordivsi},
    {"arith.mulsi_extended", run_mul_extended, NULL},
    {"arith.mului_extended", run_mul_extended, NULL},
    {"arith.remsi", NULL, remsi},
    {"arith.remui", NULL, remui},
    {"arith.andi", NULL, andi},
    {"arith.ori", NULL, ori},
    {"arith.xori", NULL, xori},
    {"arith.shli", NULL, shli},
    {"arith.shrsi", NULL, shrsi},
    {"arith.shrui", NULL, shrui},
    {"arith.minsi", NULL, minsi},
    {"arith.minui", NULL, minui},
    {"arith.maxsi", NULL, maxsi},
    {"arith.maxui", NULL, maxui},
    {"arith.addf", NULL, addf},
    {"arith.subf", NULL, subf},
    {"arith.mulf", NULL, mulf},
    {"arith.divf", NULL, divf},
    {"arith.remf", NULL, remf},
    {"arith.negf", NULL, negf},
    {"arith.minnumf", NULL, minnumf},
    {"arith.maxnumf", NULL, maxnumf},
    {"arith.minimumf", NULL, minimumf},
    {"arith.maximumf", NULL, maximumf},
    {"arith.cmpi", NULL, cmpi},
    {"arith.cmpf", NULL, cmpf},
    {"arith.select", run_select, NULL},
    {"tt.mulhiui", NULL, mulhiui},
    {"tt.clampf", NULL, clampf},
    {"tt.precise_divf", NULL, precise_divf},
    {"tt.approx_divf", NULL, divf},
    {"tt.addptr", NULL, addptr},
    {0},
};
