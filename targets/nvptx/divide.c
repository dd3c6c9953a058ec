/* Divisions by the same number, as of a row of attention by its sum: the number's reciprocal is taken once.
 *
 *     x = div.full a, d ; y = div.full b, d ; ...    ->    s = scale of d ; r = rcp (d * s)
 *                                                          x = (a * s) * r ; y = (b * s) * r ; ...
 *
 * ptxas makes of each div.full that very sequence, with the reciprocal of its own: s is 1/4 for divisors above 2^126,
 * whose reciprocals are too small, 2^24 for those below 2^-126, and 1 otherwise. Results are the same bits; the unit
 * that takes reciprocals, which attention keeps busy with exponentials, has one to take instead of one for each
 * element. Divisions of one block of LLVM IR, of which there are three or more by the same value.
 * Test: tests/targets/registers.bats */
#include "base/map.h"
#include "base/vec.h"
#include "targets/nvptx/nvptx.h"

#include "llvm-c/Core.h"
#include "llvm-c/DebugInfo.h"

#include <string.h>

enum { LEAST = 3 /* divisions by one number */ };

typedef TRI_VEC(LLVMValueRef) value_list;

/* A call of the intrinsic of this name with numbers of type f32. */
static LLVMValueRef call_f32(LLVMBuilderRef b, LLVMModuleRef module, const char *name, bool is_overloaded,
                             LLVMValueRef x)
{
    LLVMTypeRef f32 = LLVMTypeOf(x);
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(module, id, &f32, is_overloaded);
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(callee), callee, &x, 1, "");
}

static bool is_division(LLVMValueRef v)
{
    static const char name[] = "llvm.nvvm.div.full";
    if (!LLVMIsACallInst(v))
        return false;
    size_t len;
    LLVMValueRef callee = LLVMGetCalledValue(v);
    const char *of = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &len) : NULL;
    return of && len == sizeof name - 1 && memcmp(of, name, len) == 0;
}

/* 1, or what brings the divisor to where its reciprocal is a normal number. */
static LLVMValueRef scale_of(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef divisor)
{
    static const double largest = 0x1p126, smallest = 0x1p-126, down = 0x1p-2, up = 0x1p24;
    LLVMTypeRef f32 = LLVMTypeOf(divisor);
    LLVMValueRef size = call_f32(b, module, "llvm.fabs", true, divisor);
    LLVMValueRef is_large = LLVMBuildFCmp(b, LLVMRealOGT, size, LLVMConstReal(f32, largest), "");
    LLVMValueRef is_small = LLVMBuildFCmp(b, LLVMRealOLT, size, LLVMConstReal(f32, smallest), "");
    LLVMValueRef other = LLVMBuildSelect(b, is_small, LLVMConstReal(f32, up), LLVMConstReal(f32, 1), "");
    return LLVMBuildSelect(b, is_large, LLVMConstReal(f32, down), other, "");
}

/* The divisions of a list, which have one divisor and one block; the first one comes first. */
static void share_reciprocal(LLVMBuilderRef b, LLVMModuleRef module, const value_list *divisions)
{
    LLVMValueRef divisor = LLVMGetOperand(divisions->at[0], 1);
    LLVMPositionBuilderBefore(b, divisions->at[0]);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(divisions->at[0]));
    LLVMValueRef scale = scale_of(b, module, divisor);
    LLVMValueRef scaled = LLVMBuildFMul(b, divisor, scale, "");
    LLVMValueRef reciprocal = call_f32(b, module, "llvm.nvvm.rcp.approx.ftz.f", false, scaled);
    for (size_t i = 0; i < divisions->len; i++) {
        LLVMValueRef old = divisions->at[i];
        LLVMPositionBuilderBefore(b, old);
        LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(old));
        LLVMValueRef by = LLVMBuildFMul(b, LLVMGetOperand(old, 0), scale, "");
        LLVMReplaceAllUsesWith(old, LLVMBuildFMul(b, by, reciprocal, ""));
        LLVMInstructionEraseFromParent(old);
    }
}

static void share_in_block(tri_arena *arena, LLVMBuilderRef b, LLVMModuleRef module, LLVMBasicBlockRef block)
{
    tri_map by_divisor;
    TRI_VEC(value_list *) lists = {0};
    tri_map_init(&by_divisor, arena);
    for (LLVMValueRef v = LLVMGetFirstInstruction(block); v; v = LLVMGetNextInstruction(v)) {
        if (!is_division(v))
            continue;
        value_list *list = tri_map_find_ptr(&by_divisor, LLVMGetOperand(v, 1));
        if (!list) {
            list = TRI_NEW_ARRAY(arena, value_list, 1);
            tri_map_set_ptr(&by_divisor, LLVMGetOperand(v, 1), list);
            tri_vec_push(arena, &lists, list);
        }
        tri_vec_push(arena, list, v);
    }
    for (size_t i = 0; i < lists.len; i++)
        if (lists.at[i]->len >= LEAST)
            share_reciprocal(b, module, lists.at[i]);
}

void tri_nvptx_divide(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    tri_arena *arena = tri_arena_create();
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            share_in_block(arena, builder, module, block);
    tri_arena_destroy(arena);
    LLVMDisposeBuilder(builder);
}
