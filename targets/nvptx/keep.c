/* Quotients that only give the place of a block, which one thread stores, are computed where they stand.
 *
 *     %q = sdiv i32 %tile, %n                      %q = sdiv i32 %tile, %n ; %k = asm convergent (%q)
 *     loop of products                             loop of products
 *     if first thread: copy to [%q * 128, ...] ->  if first thread: copy to [%k * 128, ...]
 *
 * LLVM's code generator moves what only a branch needs into it, and so divides behind the last barrier, while all other
 * warps of the block wait: 1 % of a product of 2,048 that goes through a grid of tiles (H200). A piece of assembly that
 * is convergent does not come under a branch. Where the loop ends it would also be early enough, but ptxas then has
 * moves of sums between its products (C7514).
 * Test: tests/targets/persistent.bats */
#include "base/str.h"
#include "targets/nvptx/nvptx.h"

#include "llvm-c/Core.h"

#include <string.h>

enum { most_steps = 16 };

static bool is_store_of_block(LLVMValueRef instruction)
{
    static const char prefix[] = "llvm.nvvm.cp.async.bulk.tensor.s2g.tile.";
    size_t len = 0;
    LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    const char *name = callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &len) : "";
    return len >= sizeof prefix - 1 && !memcmp(name, prefix, sizeof prefix - 1);
}

static bool is_word(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 32;
}

static bool is_division(LLVMValueRef instruction)
{
    LLVMOpcode code = LLVMGetInstructionOpcode(instruction);
    return code == LLVMSDiv || code == LLVMSRem || code == LLVMUDiv || code == LLVMURem;
}

static bool is_arithmetic(LLVMValueRef i)
{
    return LLVMIsABinaryOperator(i) || LLVMIsAICmpInst(i) || LLVMIsASelectInst(i) || LLVMIsACastInst(i);
}

/* Whether the value is arithmetic of this block, and a quotient is among what it is made of there. */
static bool is_of_division(LLVMValueRef value, LLVMBasicBlockRef block, int steps)
{
    bool is_found = false;
    if (!LLVMIsAInstruction(value) || LLVMGetInstructionParent(value) != block || !is_arithmetic(value) || !steps)
        return false;
    for (int i = 0; i < LLVMGetNumOperands(value) && !is_found; i++)
        is_found = is_of_division(LLVMGetOperand(value, (unsigned)i), block, steps - 1);
    return is_found || is_division(value);
}

/* Whether only instructions of the block use the value, or one instruction that only these use. */
static bool is_for(LLVMValueRef value, LLVMBasicBlockRef block, int steps)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMGetInstructionParent(user) != block &&
            (LLVMIsACallInst(user) || LLVMIsAPHINode(user) || !steps || !is_for(user, block, steps - 1)))
            return false;
    }
    return true;
}

static void keep_here(LLVMBuilderRef b, LLVMValueRef value)
{
    static const char text[] = "mov.b32 $0, $1;", constraints[] = "=r,r", convergent[] = "convergent";
    LLVMTypeRef i32 = LLVMTypeOf(value), type = LLVMFunctionType(i32, &i32, 1, false);
    LLVMValueRef code = LLVMGetInlineAsm(type, text, sizeof text - 1, constraints, sizeof constraints - 1, false, false,
                                         LLVMInlineAsmDialectATT, false);
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(value));
    LLVMValueRef none = LLVMGetUndef(i32), kept = LLVMBuildCall2(b, type, code, &none, 1, "");
    unsigned kind = LLVMGetEnumAttributeKindForName(convergent, sizeof convergent - 1);
    LLVMAttributeRef flag = LLVMCreateEnumAttribute(LLVMGetTypeContext(i32), kind, 0);
    LLVMAddCallSiteAttribute(kept, LLVMAttributeFunctionIndex, flag);
    LLVMReplaceAllUsesWith(value, kept);
    LLVMSetOperand(kept, 0, value);
}

/* Of what a store is given: the quotients of other blocks that it alone wants, through arithmetic of any block. */
static void visit_operands(LLVMBuilderRef b, LLVMValueRef user, LLVMBasicBlockRef store, int steps)
{
    int count = LLVMGetNumOperands(user) - (LLVMIsACallInst(user) ? 1 : 0);
    for (int i = 0; i < count && steps; i++) {
        LLVMValueRef value = LLVMGetOperand(user, (unsigned)i);
        if (!LLVMIsAInstruction(value) || !is_arithmetic(value) || !is_word(value))
            continue;
        LLVMBasicBlockRef home = LLVMGetInstructionParent(value);
        if (home != store && is_of_division(value, home, most_steps) && is_for(value, store, most_steps))
            keep_here(b, value);
        else
            visit_operands(b, value, store, steps - 1);
    }
}

void tri_nvptx_keep(LLVMModuleRef module)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
                if (is_store_of_block(i))
                    visit_operands(b, i, block, most_steps);
    LLVMDisposeBuilder(b);
}
