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

static bool run_by_pairs(tri_gpu *g, MlirOperation op, LLVMOpcode code)
{
    tri_gpu_value a = tri_gpu_operand(g, op, 0), b = tri_gpu_operand(g, op, 1), out = tri_gpu_new(g, a.count);
    bool is_half = LLVMGetTypeKind(LLVMTypeOf(a.at[0])) == LLVMHalfTypeKind;
    for (int i = 0; i < a.count; i++) {
        bool is_both = is_half && i + 1 < a.count && is_pair(a.at[i], a.at[i + 1]) && is_pair(b.at[i], b.at[i + 1]);
        if (!is_both) {
            out.at[i] = tri_gpu_contract(g, LLVMBuildBinOp(g->b, code, a.at[i], b.at[i], ""));
            continue;
        }
        LLVMValueRef x = put_together(g, a.at[i], a.at[i + 1]), y = put_together(g, b.at[i], b.at[i + 1]);
        LLVMValueRef both = tri_gpu_contract(g, LLVMBuildBinOp(g->b, code, x, y, ""));
        out.at[i] = LLVMBuildExtractElement(g->b, both, tri_gpu_i32(g, 0), "");
        out.at[++i] = LLVMBuildExtractElement(g->b, both, tri_gpu_i32(g, 1), "");
    }
    tri_gpu_set_result(g, op, 0, out);
    return true;
}

static bool run_addf(tri_gpu *g, MlirOperation op) { return run_by_pairs(g, op, LLVMFAdd); }
static bool run_subf(tri_gpu *g, MlirOperation op) { return run_by_pairs(g, op, LLVMFSub); }
static bool run_mulf(tri_gpu *g, MlirOperation op) { return run_by_pairs(g, op, LLVMFMul); }

const tri_gpu_op tri_nvptx_ops_halves[] = {
    {"arith.addf", run_addf, NULL},
    {"arith.subf", run_subf, NULL},
    {"arith.mulf", run_mulf, NULL},
    {0},
};
