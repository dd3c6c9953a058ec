/* Arithmetic of two fp16 elements in one instruction, where both lie in one register anyway.
 *
 *     %a0, %a1 = the halves of a word              fmul <2 x half> %word, (fptrunc %b0, fptrunc %b1)
 *     fmul half %a0, (fptrunc %b0)          ->     and its halves
 *     fmul half %a1, (fptrunc %b1)
 *
 * LLVM's vectoriser, which would find them, is not run. A product of two rounds as two products do, and numbers that
 * are rounded to fp16 for it are rounded two at a time, too. What lies in registers of its own would have to be put
 * together first, and stays apart. Test: tests/targets/halves.bats */
#include "targets/nvptx/nvptx.h"

#include "llvm-c/Core.h"

static bool is_part(LLVMValueRef value, LLVMValueRef whole, uint64_t index)
{
    return LLVMIsAExtractElementInst(value) && LLVMGetOperand(value, 0) == whole &&
           LLVMIsAConstantInt(LLVMGetOperand(value, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1)) == index;
}

static bool is_rounded(LLVMValueRef value)
{
    return LLVMIsAFPTruncInst(value) &&
           LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(value, 0))) == LLVMFloatTypeKind;
}

/* Whether one register has both without an instruction for that. */
static bool is_pair(LLVMValueRef low, LLVMValueRef high)
{
    if (LLVMIsConstant(low) || LLVMIsConstant(high))
        return LLVMIsConstant(low) && LLVMIsConstant(high);
    if (is_rounded(low) || !LLVMIsAExtractElementInst(low))
        return is_rounded(low) && is_rounded(high);
    LLVMValueRef whole = LLVMGetOperand(low, 0);
    return LLVMGetVectorSize(LLVMTypeOf(whole)) == 2 && is_part(low, whole, 0) && is_part(high, whole, 1);
}

static LLVMValueRef put_together(tri_gpu *g, LLVMValueRef low, LLVMValueRef high)
{
    if (LLVMIsAExtractElementInst(low))
        return LLVMGetOperand(low, 0);
    LLVMValueRef pair = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(low), 2));
    pair = LLVMBuildInsertElement(g->b, pair, low, tri_gpu_i32(g, 0), "");
    return LLVMBuildInsertElement(g->b, pair, high, tri_gpu_i32(g, 1), "");
}

/* Whether all registers of both operands are pairs of fp16. */
static bool are_pairs(tri_gpu_value a, tri_gpu_value b)
{
    bool are = LLVMGetTypeKind(LLVMTypeOf(a.at[0])) == LLVMHalfTypeKind && a.count == b.count && a.count % 2 == 0;
    for (int i = 0; are && i < a.count; i += 2)
        are = is_pair(a.at[i], a.at[i + 1]) && is_pair(b.at[i], b.at[i + 1]);
    return are;
}

static bool run_by_pairs(tri_gpu *g, MlirOperation op, LLVMOpcode code, tri_gpu_scalar scalar)
{
    tri_gpu_value a = tri_gpu_operand(g, op, 0), b = tri_gpu_operand(g, op, 1);
    if (!are_pairs(a, b))
        return tri_gpu_run_scalar(g, op, scalar);
    tri_gpu_value out = tri_gpu_new(g, a.count);
    for (int i = 0; i < a.count; i += 2) {
        LLVMValueRef x = put_together(g, a.at[i], a.at[i + 1]), y = put_together(g, b.at[i], b.at[i + 1]);
        LLVMValueRef both = tri_gpu_contract(g, LLVMBuildBinOp(g->b, code, x, y, ""));
        for (int k = 0; k < 2; k++)
            out.at[i + k] = LLVMBuildExtractElement(g->b, both, tri_gpu_i32(g, k), "");
    }
    tri_gpu_set_result(g, op, 0, out);
    return true;
}

#define BY_PAIRS(name, code) \
    static LLVMValueRef name(tri_gpu *g, MlirOperation op, LLVMValueRef *args) \
    { \
        (void)op; \
        return tri_gpu_contract(g, LLVMBuildBinOp(g->b, code, args[0], args[1], "")); \
    } \
    static bool run_##name(tri_gpu *g, MlirOperation op) { return run_by_pairs(g, op, code, name); }
BY_PAIRS(addf, LLVMFAdd)
BY_PAIRS(subf, LLVMFSub)
BY_PAIRS(mulf, LLVMFMul)

const tri_gpu_op tri_nvptx_ops_halves[] = {
    {"arith.addf", run_addf, NULL},
    {"arith.subf", run_subf, NULL},
    {"arith.mulf", run_mulf, NULL},
    {0},
};
