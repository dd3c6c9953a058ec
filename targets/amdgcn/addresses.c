/* Constants in addresses of shared memory, which instructions add for nothing:
 *
 *     %i = or disjoint i32 %x, 4                      %s = shl i32 %x, 2
 *     %s = shl i32 %i, 2                              %i = or disjoint i32 %s, 16
 *     getelementptr i8, @smem, i32 %s                 getelementptr i8, @smem, i32 %i
 *
 * LLVM does so where nothing but the shift reads the sum, and takes a register for each of the addresses else. */
#include "targets/amdgcn/amdgcn.h"

#include "ir/llvm.h"

#include "llvm-c/Core.h"

enum { shared_space = 3 };

/* The shift of a sum with a constant, by a constant, that is the gep's only index; null: it is none. */
static LLVMValueRef find_shift(LLVMValueRef gep)
{
    if (!LLVMIsAGetElementPtrInst(gep) || LLVMGetNumOperands(gep) != 2 ||
        LLVMGetPointerAddressSpace(LLVMTypeOf(gep)) != shared_space)
        return NULL;
    LLVMValueRef shift = LLVMGetOperand(gep, 1);
    if (!tri_llvm_is(shift, LLVMShl) || !LLVMIsAConstantInt(LLVMGetOperand(shift, 1)) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(shift)) != 32)
        return NULL;
    LLVMValueRef sum = LLVMGetOperand(shift, 0);
    bool is_sum = tri_llvm_is(sum, LLVMOr) && LLVMGetIsDisjoint(sum) && LLVMIsAConstantInt(LLVMGetOperand(sum, 1));
    return is_sum ? shift : NULL;
}

static void move_constant(LLVMBuilderRef b, LLVMValueRef gep, LLVMValueRef shift)
{
    LLVMValueRef sum = LLVMGetOperand(shift, 0), by = LLVMGetOperand(shift, 1);
    LLVMPositionBuilderBefore(b, gep);
    LLVMValueRef shifted = LLVMBuildShl(b, LLVMGetOperand(sum, 0), by, "");
    unsigned long long constant = LLVMConstIntGetZExtValue(LLVMGetOperand(sum, 1)) << LLVMConstIntGetZExtValue(by);
    LLVMValueRef index = LLVMBuildOr(b, shifted, LLVMConstInt(LLVMTypeOf(shift), (uint32_t)constant, false), "");
    if (LLVMIsAInstruction(index))
        LLVMSetIsDisjoint(index, true);
    LLVMSetOperand(gep, 1, index);
}

void tri_amdgcn_move_constants(LLVMModuleRef module)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
                LLVMValueRef shift = find_shift(i);
                if (shift)
                    move_constant(b, i, shift);
            }
    LLVMDisposeBuilder(b);
}
