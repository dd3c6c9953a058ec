/* Pointers of a loop that differ by offsets of 32 bits and advance by the same step: their base advances alone.
 *
 *     %p0 = phi [gep %a, %x0], [gep %p0, %s]          %a1 = phi [%a], [gep %a1, %s]
 *     %p1 = phi [gep %a, %x1], [gep %p1, %s]          %p0 = gep %a1, %x0
 *     ... load %p0, %p1, ...                          %p1 = gep %a1, %x1
 *
 * A thread of a product with odd sizes has tens of them. An offset takes one register and one multiply-add where its
 * pointer takes two and an addition of two instructions. With few pointers this is no gain. */
#include "targets/gpu/bases.h"

#include "ir/llvm.h"

enum { least_pointers = 8 };

static bool is_gep_of(LLVMValueRef value, LLVMValueRef base)
{
    return LLVMIsAGetElementPtrInst(value) && LLVMGetNumOperands(value) == 2 && LLVMGetOperand(value, 0) == base;
}

/* The index and element type are the same. */
static bool has_step_of(LLVMValueRef gep, LLVMValueRef other)
{
    return LLVMGetOperand(gep, 1) == LLVMGetOperand(other, 1) &&
           LLVMGetGEPSourceElementType(gep) == LLVMGetGEPSourceElementType(other);
}

static bool has_only_phis(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (!LLVMIsAPHINode(LLVMGetUser(use)))
            return false;
    return true;
}

/* Registers that something but their own step reads. */
static int count_read(const tri_gpu_value *phis, const tri_gpu_value *next)
{
    int count = 0;
    for (int r = 0; r < phis->count; r++)
        for (LLVMUseRef use = LLVMGetFirstUse(phis->at[r]); use; use = LLVMGetNextUse(use))
            if (LLVMGetUser(use) != next->at[r]) {
                count++;
                break;
            }
    return count;
}

static bool can_share(tri_gpu *g, const tri_gpu_value *init, const tri_gpu_value *phis, const tri_gpu_value *next)
{
    if (phis->count < least_pointers || LLVMGetTypeKind(LLVMTypeOf(phis->at[0])) != LLVMPointerTypeKind ||
        !LLVMIsAGetElementPtrInst(init->at[0]))
        return false;
    LLVMValueRef base = LLVMGetOperand(init->at[0], 0);
    for (int r = 0; r < phis->count; r++)
        if (!is_gep_of(init->at[r], base) || LLVMTypeOf(LLVMGetOperand(init->at[r], 1)) != g->i32 ||
            !is_gep_of(next->at[r], phis->at[r]) || !has_step_of(next->at[r], next->at[0]) ||
            !has_only_phis(next->at[r]))
            return false;
    return count_read(phis, next) >= least_pointers;
}

static LLVMValueRef with_index(tri_gpu *g, LLVMValueRef gep, LLVMValueRef base)
{
    LLVMValueRef index = LLVMGetOperand(gep, 1);
    return LLVMBuildGEP2(g->b, LLVMGetGEPSourceElementType(gep), base, &index, 1, "");
}

void tri_bases_share(tri_gpu *g, const tri_gpu_value *init, const tri_gpu_value *phis, const tri_gpu_value *next)
{
    if (!can_share(g, init, phis, next))
        return;
    LLVMBasicBlockRef before = LLVMGetIncomingBlock(phis->at[0], 0), latch = LLVMGetIncomingBlock(phis->at[0], 1);
    LLVMBasicBlockRef body = LLVMGetInstructionParent(phis->at[0]), here = LLVMGetInsertBlock(g->b);
    LLVMValueRef base = LLVMGetOperand(init->at[0], 0);
    LLVMPositionBuilderBefore(g->b, phis->at[0]);
    LLVMValueRef shared = LLVMBuildPhi(g->b, LLVMTypeOf(base), "");
    LLVMPositionBuilderBefore(g->b, next->at[0]);
    LLVMValueRef stepped = with_index(g, next->at[0], shared);
    LLVMAddIncoming(shared, &base, &before, 1);
    LLVMAddIncoming(shared, &stepped, &latch, 1);
    LLVMPositionBuilderBefore(g->b, tri_llvm_behind_phis(body));
    for (int r = 0; r < phis->count; r++)
        LLVMReplaceAllUsesWith(phis->at[r], with_index(g, init->at[r], shared));
    for (int r = 0; r < phis->count; r++)
        LLVMInstructionEraseFromParent(phis->at[r]);
    tri_gpu_at_end(g, here);
}
