/* Floats to bf16 where a chip has no instruction for it.
 *
 * LLVM's own expansion, which comes as late as in instruction selection, keeps what a NaN carries: an instruction and a
 * register more for each value, and its scheduler computes those of a whole block side by side. Here each NaN becomes
 * the one that NVIDIA's conversions give. Arithmetic of bf16 is that of f32, rounded likewise. */
#include "targets/amdgcn/amdgcn.h"

#include "ir/llvm.h"

#include "llvm-c/Core.h"

enum { half_bits = 16, half_ulp = 0x7fff, nan_bits = 0x7fffffff };

static bool has_elements(LLVMTypeRef type) { return LLVMGetTypeKind(type) == LLVMVectorTypeKind; }

static LLVMTypeKind element_kind(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(has_elements(type) ? LLVMGetElementType(type) : type);
}

/* `scalar`, or a vector of as many as `model` has. */
static LLVMTypeRef same_shape(LLVMTypeRef scalar, LLVMTypeRef model)
{
    return has_elements(model) ? LLVMVectorType(scalar, LLVMGetVectorSize(model)) : scalar;
}

static LLVMValueRef splat_number(LLVMBuilderRef b, LLVMTypeRef type, unsigned long long value)
{
    if (!has_elements(type))
        return LLVMConstInt(type, value, false);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef element = LLVMConstInt(LLVMGetElementType(type), value, false), none = LLVMGetPoison(type);
    LLVMValueRef first = LLVMBuildInsertElement(b, none, element, LLVMConstInt(i32, 0, false), "");
    return LLVMBuildShuffleVector(b, first, none, LLVMConstNull(same_shape(i32, type)), "");
}

/* To the nearest, of two as near the even one. */
static LLVMValueRef round_floats(LLVMBuilderRef b, LLVMValueRef x, LLVMTypeRef bf16)
{
    LLVMContextRef context = LLVMGetTypeContext(bf16);
    LLVMTypeRef i32 = same_shape(LLVMInt32TypeInContext(context), bf16);
    LLVMTypeRef i16 = same_shape(LLVMInt16TypeInContext(context), bf16);
    LLVMValueRef bits = LLVMBuildBitCast(b, x, i32, ""), shift = splat_number(b, i32, half_bits);
    LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, shift, ""), splat_number(b, i32, 1), "");
    LLVMValueRef near = LLVMBuildAdd(b, LLVMBuildAdd(b, odd, bits, ""), splat_number(b, i32, half_ulp), "");
    LLVMValueRef is_number = LLVMBuildFCmp(b, LLVMRealORD, x, x, "");
    near = LLVMBuildSelect(b, is_number, near, splat_number(b, i32, nan_bits), "");
    return LLVMBuildBitCast(b, LLVMBuildTrunc(b, LLVMBuildLShr(b, near, shift, ""), i16, ""), bf16, "");
}

/* What stands for the instruction in front of it; null: it may stay. */
static LLVMValueRef replacement_of(LLVMBuilderRef b, LLVMValueRef instruction)
{
    LLVMTypeRef type = LLVMTypeOf(instruction);
    if (element_kind(instruction) != LLVMBFloatTypeKind)
        return NULL;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    if (opcode == LLVMFPTrunc && element_kind(LLVMGetOperand(instruction, 0)) == LLVMFloatTypeKind)
        return round_floats(b, LLVMGetOperand(instruction, 0), type);
    if (opcode != LLVMFAdd && opcode != LLVMFSub && opcode != LLVMFMul)
        return NULL;
    LLVMTypeRef wide = same_shape(LLVMFloatTypeInContext(LLVMGetTypeContext(type)), type);
    LLVMValueRef left = LLVMBuildFPExt(b, LLVMGetOperand(instruction, 0), wide, "");
    LLVMValueRef right = LLVMBuildFPExt(b, LLVMGetOperand(instruction, 1), wide, "");
    return round_floats(b, LLVMBuildBinOp(b, opcode, left, right, ""), type);
}

void tri_amdgcn_round_to_bf16(LLVMModuleRef module)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef next, i = LLVMGetFirstInstruction(block); i; i = next) {
                next = LLVMGetNextInstruction(i);
                LLVMPositionBuilderBefore(b, i); /* and its place in the source */
                LLVMValueRef value = replacement_of(b, i);
                if (!value)
                    continue;
                LLVMReplaceAllUsesWith(i, value);
                LLVMInstructionEraseFromParent(i);
            }
    LLVMDisposeBuilder(b);
}
