/* math: functions of the machine's table, narrow floats through f32. */
#include "ir/type.h"
#include "targets/gpu/extern.h"
#include "targets/gpu/gpu.h"
#include "targets/gpu/softmath.h"

/* Rows of one function for f32 and f64. */
typedef struct {
    tri_machine_id f32, f64;
} function_ids;

static LLVMValueRef call(tri_gpu *g, MlirOperation op, function_ids ids, LLVMValueRef *a, int n)
{
    LLVMTypeRef type = LLVMTypeOf(a[0]);
    bool is_double = LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
    tri_machine_id id = is_double ? ids.f64 : ids.f32;
    if (!tri_machine_has(g, id)) {
        tri_gpu_unsupported(g, op, "the machine has no %s", tri_machine_name(g->machine, id));
        return NULL;
    }
    LLVMValueRef args[3];
    bool is_narrow = !is_double && type != g->f32;
    for (int i = 0; i < n; i++)
        args[i] = is_narrow ? LLVMBuildFPExt(g->b, a[i], g->f32, "") : a[i];
    LLVMValueRef y = tri_machine_call(g, id, args, n);
    return is_narrow ? LLVMBuildFPTrunc(g->b, y, type, "") : y;
}

#define UNARY(name, id) \
    static LLVMValueRef name(tri_gpu *g, MlirOperation op, LLVMValueRef *a) \
    { \
        return call(g, op, (function_ids){TRI_MACHINE_##id##_f32, TRI_MACHINE_##id##_f64}, a, 1); \
    }
UNARY(op_sqrt, sqrt)
UNARY(op_rsqrt, rsqrt)
UNARY(op_erf, erf)
UNARY(op_tanh, tanh)

/* -fno-reflect-ftz: subnormal numbers are kept, where the machine has both forms. */
static LLVMValueRef op_exp2(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    bool is_gradual = g->keeps_subnormals && tri_machine_has(g, TRI_MACHINE_exp2_gradual_f32);
    int id = is_gradual ? TRI_MACHINE_exp2_gradual_f32 : TRI_MACHINE_exp2_f32;
    return call(g, op, (function_ids){id, TRI_MACHINE_exp2_f64}, a, 1);
}

/* A function that is written out for f32 where the machine lacks it. */
typedef LLVMValueRef (*soft_function)(tri_gpu *g, LLVMValueRef x, bool variant);

static LLVMValueRef call_or_soft(tri_gpu *g, MlirOperation op, function_ids ids, soft_function soft, bool variant,
                                 LLVMValueRef *a)
{
    LLVMTypeRef type = LLVMTypeOf(a[0]);
    if (LLVMGetTypeKind(type) == LLVMDoubleTypeKind || tri_machine_has(g, ids.f32))
        return call(g, op, ids, a, 1);
    if (type == g->f32)
        return soft(g, a[0], variant);
    return LLVMBuildFPTrunc(g->b, soft(g, LLVMBuildFPExt(g->b, a[0], g->f32, ""), variant), type, "");
}

#define SOFT(name, id, soft, variant) \
    static LLVMValueRef name(tri_gpu *g, MlirOperation op, LLVMValueRef *a) \
    { \
        return call_or_soft(g, op, (function_ids){TRI_MACHINE_##id##_f32, TRI_MACHINE_##id##_f64}, soft, variant, a); \
    }
SOFT(op_log, log, tri_gpu_soft_log, false)
SOFT(op_log2, log2, tri_gpu_soft_log, true)
SOFT(op_sin, sin, tri_gpu_soft_sin, false)
SOFT(op_cos, cos, tri_gpu_soft_sin, true)

static LLVMValueRef op_exp(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    LLVMTypeRef type = LLVMTypeOf(a[0]);
    bool is_double = LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
    if (is_double || tri_machine_has(g, TRI_MACHINE_exp_f32))
        return call(g, op, (function_ids){TRI_MACHINE_exp_f32, TRI_MACHINE_exp_f64}, a, 1);
    /* exp(x) = 2 ^ (x * log2 e) where the machine has a fast power of two */
    LLVMValueRef x = type == g->f32 ? a[0] : LLVMBuildFPExt(g->b, a[0], g->f32, "");
    LLVMValueRef scaled = LLVMBuildFMul(g->b, x, LLVMConstReal(g->f32, 1.4426950408889634), "");
    LLVMValueRef y = tri_machine_call(g, TRI_MACHINE_exp2_gradual_f32, &scaled, 1);
    return type == g->f32 ? y : LLVMBuildFPTrunc(g->b, y, type, "");
}

static LLVMValueRef precise_sqrt(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    return call(g, op, (function_ids){TRI_MACHINE_sqrt_rn_f32, TRI_MACHINE_sqrt_f64}, a, 1);
}

#define SAME(name, intrinsic, count) \
    static LLVMValueRef name(tri_gpu *g, MlirOperation op, LLVMValueRef *a) \
    { \
        (void)op; \
        return tri_gpu_intrinsic_same(g, intrinsic, a, count); \
    }
SAME(op_floor, "llvm.floor", 1)
SAME(op_ceil, "llvm.ceil", 1)
SAME(op_trunc, "llvm.trunc", 1)
SAME(op_roundeven, "llvm.roundeven", 1)
SAME(op_absf, "llvm.fabs", 1)
SAME(op_round, "llvm.round", 1)
SAME(op_copysign, "llvm.copysign", 2)
SAME(op_fma, "llvm.fma", 3)
SAME(op_ctpop, "llvm.ctpop", 1)

/* Bits before the highest or lowest one; the width of the type for 0. */
static LLVMValueRef count_zeros(tri_gpu *g, const char *intrinsic, LLVMValueRef *a)
{
    LLVMTypeRef types[] = {LLVMTypeOf(a[0])};
    LLVMValueRef args[] = {a[0], LLVMConstInt(g->i1, 0, false)};
    return tri_gpu_intrinsic(g, intrinsic, types, 1, args, 2);
}

static LLVMValueRef op_ctlz(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)op;
    return count_zeros(g, "llvm.ctlz", a);
}

static LLVMValueRef op_cttz(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)op;
    return count_zeros(g, "llvm.cttz", a);
}

/* ---- functions of the device's library, narrow floats through f32 ---- */

static LLVMValueRef from_library(tri_gpu *g, MlirOperation op, const char *name, LLVMValueRef *a, int n)
{
    LLVMTypeRef type = LLVMTypeOf(a[0]);
    bool is_double = LLVMGetTypeKind(type) == LLVMDoubleTypeKind, is_narrow = !is_double && type != g->f32;
    LLVMValueRef args[2];
    for (int i = 0; i < n; i++)
        args[i] = is_narrow ? LLVMBuildFPExt(g->b, a[i], g->f32, "") : a[i];
    LLVMValueRef y = tri_gpu_call_library(g, op, tri_str_format(g->arena, "%s%s", name, is_double ? "" : "f"), args, n,
                                          LLVMTypeOf(args[0]));
    return y && is_narrow ? LLVMBuildFPTrunc(g->b, y, type, "") : y;
}

#define LIBRARY(name, count) \
    static LLVMValueRef op_##name(tri_gpu *g, MlirOperation op, LLVMValueRef *a) \
    { \
        return from_library(g, op, #name, a, count); \
    }
LIBRARY(tan, 1)
LIBRARY(atan, 1)
LIBRARY(asin, 1)
LIBRARY(acos, 1)
LIBRARY(sinh, 1)
LIBRARY(cosh, 1)
LIBRARY(asinh, 1)
LIBRARY(acosh, 1)
LIBRARY(atanh, 1)
LIBRARY(erfc, 1)
LIBRARY(cbrt, 1)
LIBRARY(expm1, 1)
LIBRARY(log1p, 1)
LIBRARY(log10, 1)
LIBRARY(pow, 2)
LIBRARY(atan2, 2)

static LLVMValueRef op_absi(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)op;
    LLVMTypeRef types[] = {LLVMTypeOf(a[0])};
    LLVMValueRef args[] = {a[0], LLVMConstInt(g->i1, 0, false)};
    return tri_gpu_intrinsic(g, "llvm.abs", types, 1, args, 2);
}

const tri_gpu_op tri_gpu_ops_math[] = {
    {"math.exp", NULL, op_exp},
    {"math.exp2", NULL, op_exp2},
    {"math.log", NULL, op_log},
    {"math.log2", NULL, op_log2},
    {"math.sin", NULL, op_sin},
    {"math.cos", NULL, op_cos},
    {"math.sqrt", NULL, op_sqrt},
    {"math.rsqrt", NULL, op_rsqrt},
    {"math.erf", NULL, op_erf},
    {"math.tanh", NULL, op_tanh},
    {"math.floor", NULL, op_floor},
    {"math.ceil", NULL, op_ceil},
    {"math.trunc", NULL, op_trunc},
    {"math.roundeven", NULL, op_roundeven},
    {"math.absf", NULL, op_absf},
    {"math.absi", NULL, op_absi},
    {"math.fma", NULL, op_fma},
    {"math.round", NULL, op_round},
    {"math.copysign", NULL, op_copysign},
    {"math.ctpop", NULL, op_ctpop},
    {"math.ctlz", NULL, op_ctlz},
    {"math.cttz", NULL, op_cttz},
    {"math.tan", NULL, op_tan},
    {"math.atan", NULL, op_atan},
    {"math.asin", NULL, op_asin},
    {"math.acos", NULL, op_acos},
    {"math.sinh", NULL, op_sinh},
    {"math.cosh", NULL, op_cosh},
    {"math.asinh", NULL, op_asinh},
    {"math.acosh", NULL, op_acosh},
    {"math.atanh", NULL, op_atanh},
    {"math.erfc", NULL, op_erfc},
    {"math.cbrt", NULL, op_cbrt},
    {"math.expm1", NULL, op_expm1},
    {"math.log1p", NULL, op_log1p},
    {"math.log10", NULL, op_log10},
    {"math.atan2", NULL, op_atan2},
    {"math.powf", NULL, op_pow},
    {"tt.precise_sqrt", NULL, precise_sqrt},
    {0},
};
