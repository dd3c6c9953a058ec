/* Casts between integers, floats and pointers; fp8 in fp8.c. */
#include "ir/encoding.h"
#include "ir/type.h"
#include "targets/gpu/fp8.h"
#include "targets/gpu/gpu.h"

static MlirType from_type(MlirOperation op)
{
    return tri_type_element(mlirValueGetType(mlirOperationGetOperand(op, 0)));
}

static MlirType to_type(MlirOperation op) { return tri_type_element(mlirValueGetType(mlirOperationGetResult(op, 0))); }

static LLVMTypeRef to_llvm(tri_gpu *g, MlirOperation op) { return tri_gpu_type(g, to_type(op)); }

#define CAST(name, build) \
    static LLVMValueRef name(tri_gpu *g, MlirOperation op, LLVMValueRef *a) \
    { \
        return build(g->b, a[0], to_llvm(g, op), ""); \
    }
CAST(extsi, LLVMBuildSExt)
CAST(extui, LLVMBuildZExt)
CAST(trunci, LLVMBuildTrunc)
CAST(int_to_ptr, LLVMBuildIntToPtr)
CAST(ptr_to_int, LLVMBuildPtrToInt)

static LLVMValueRef index_cast(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    return LLVMBuildIntCast2(g->b, a[0], to_llvm(g, op), true, "");
}

static LLVMValueRef from_integer(tri_gpu *g, MlirOperation op, LLVMValueRef x, bool is_signed)
{
    bool is_narrow = tri_gpu_is_narrow(g, to_type(op));
    LLVMTypeRef type = is_narrow ? g->f32 : to_llvm(g, op);
    LLVMValueRef y = is_signed ? LLVMBuildSIToFP(g->b, x, type, "") : LLVMBuildUIToFP(g->b, x, type, "");
    return is_narrow ? tri_gpu_to_narrow(g, to_type(op), y, false) : y;
}

static LLVMValueRef sitofp(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    return from_integer(g, op, a[0], true);
}

static LLVMValueRef uitofp(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    return from_integer(g, op, a[0], false);
}

/* LLVM's fptosi is undefined out of range; for i8 and i16 go through i32, which the machines have. */
static LLVMValueRef fptosi(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    LLVMTypeRef to = to_llvm(g, op);
    if (tri_gpu_bits(g, to) >= 32)
        return LLVMBuildFPToSI(g->b, a[0], to, "");
    return LLVMBuildTrunc(g->b, LLVMBuildFPToSI(g->b, a[0], g->i32, ""), to, "");
}

static LLVMValueRef fptoui(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    LLVMTypeRef to = to_llvm(g, op);
    if (tri_gpu_bits(g, to) >= 32)
        return LLVMBuildFPToUI(g->b, a[0], to, "");
    return LLVMBuildTrunc(g->b, LLVMBuildFPToUI(g->b, a[0], g->i32, ""), to, "");
}

/* Between floats of any width, fp8 included. `toward_zero` rounds so when narrowing. */
static LLVMValueRef convert_float(tri_gpu *g, MlirOperation op, LLVMValueRef x, bool toward_zero)
{
    MlirType from = from_type(op), to = to_type(op);
    LLVMTypeRef type = tri_gpu_type(g, to);
    if (mlirTypeEqual(from, to))
        return x;
    if (tri_gpu_is_narrow(g, from))
        x = tri_gpu_from_narrow(g, from, x);
    if (tri_gpu_is_narrow(g, to))
        return tri_gpu_to_narrow(g, to, x, toward_zero);
    unsigned have = tri_gpu_bits(g, LLVMTypeOf(x)), want = tri_gpu_bits(g, type);
    if (LLVMTypeOf(x) == type)
        return x;
    if (have < want)
        return LLVMBuildFPExt(g->b, x, type, "");
    if (have == want) { /* f16 and bf16 */
        x = LLVMBuildFPExt(g->b, x, g->f32, "");
        have = 32;
    }
    return toward_zero ? tri_gpu_truncate_to_zero(g, x, type) : LLVMBuildFPTrunc(g->b, x, type, "");
}

static LLVMValueRef extf(tri_gpu *g, MlirOperation op, LLVMValueRef *a) { return convert_float(g, op, a[0], false); }

enum { rtz = 0, rtne = 1 };

/* Two registers at a time by the machine's conversions of pairs. False when it has none for these types. */
static bool convert_pairs(tri_gpu *g, MlirOperation op, tri_gpu_value in, LLVMValueRef *out)
{
    MlirType from = from_type(op), to = to_type(op);
    LLVMTypeRef type = tri_gpu_type(g, to);
    bool narrows = tri_gpu_is_fp8(to);
    if (in.count % 2 || g->machine->bf16_is_bits || narrows == tri_gpu_is_fp8(from) ||
        !tri_gpu_has_fp8_pairs(g, narrows ? to : from) || LLVMGetTypeKind(type) == LLVMDoubleTypeKind ||
        LLVMGetTypeKind(LLVMTypeOf(in.at[0])) == LLVMDoubleTypeKind ||
        (narrows && tri_op_int(op, "rounding", rtne) == rtz))
        return false;
    for (int r = 0; r < in.count; r += 2) {
        if (narrows)
            tri_gpu_pair_to_fp8(g, to, in.at + r, out + r);
        else
            tri_gpu_pair_from_fp8(g, from, in.at + r, type, out + r);
    }
    return true;
}

bool tri_gpu_converts_late(const tri_gpu *g, MlirOperation op)
{
    if (!g->machine->converts_late || !tri_op_is(op, "tt.fp_to_fp") || !tri_gpu_is_fp8(from_type(op)))
        return false;
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(op, 0));
    if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
        return false;
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!tri_op_is(user, "tt.dot") || !mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(op)))
        return false;
    MlirAttribute layout = tri_type_encoding(mlirValueGetType(tri_op_result(user, 0)));
    const tri_encoding *e = mlirAttributeIsNull(layout) ? NULL : tri_encoding_get(g->arena, layout);
    return e && (e->kind == TRI_ENC_AMD_MFMA || e->kind == TRI_ENC_AMD_WMMA);
}

bool tri_gpu_convert_floats(tri_gpu *g, MlirOperation op, tri_gpu_value in, LLVMValueRef *out)
{
    if (convert_pairs(g, op, in, out))
        return true;
    for (int r = 0; r < in.count; r++) {
        out[r] = convert_float(g, op, in.at[r], tri_op_int(op, "rounding", rtne) == rtz);
        if (!out[r])
            return false;
    }
    return true;
}

static bool run_fp_to_fp(tri_gpu *g, MlirOperation op)
{
    tri_gpu_value in = tri_gpu_operand(g, op, 0), out = tri_gpu_new(g, in.count);
    if (tri_gpu_converts_late(g, op))
        out = in;
    else if (!tri_gpu_convert_floats(g, op, in, out.at))
        return false;
    tri_gpu_set_result(g, op, 0, out);
    return true;
}

static LLVMValueRef bitcast(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    LLVMTypeRef type = to_llvm(g, op);
    if (LLVMTypeOf(a[0]) == type)
        return a[0];
    return tri_gpu_from_int(g, tri_gpu_to_int(g, a[0]), type);
}

const tri_gpu_op tri_gpu_ops_cast[] = {
    {"arith.extsi", NULL, extsi},
    {"arith.extui", NULL, extui},
    {"arith.trunci", NULL, trunci},
    {"arith.index_cast", NULL, index_cast},
    {"arith.sitofp", NULL, sitofp},
    {"arith.uitofp", NULL, uitofp},
    {"arith.fptosi", NULL, fptosi},
    {"arith.fptoui", NULL, fptoui},
    {"arith.extf", NULL, extf},
    {"arith.truncf", NULL, extf},
    {"arith.bitcast", NULL, bitcast},
    {"tt.bitcast", NULL, bitcast},
    {"tt.fp_to_fp", run_fp_to_fp, NULL},
    {"tt.int_to_ptr", NULL, int_to_ptr},
    {"tt.ptr_to_int", NULL, ptr_to_int},
    {0},
};
