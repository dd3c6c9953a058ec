/* Offsets of pointers that one loop hands to the next: they are counted, not computed of the pointers.
 *
 *     %p = phi ptr [%q, ...], [gep %p, 64]           %o = phi i32 [%n, ...], [%o + 64]
 *     %o = trunc (ptrtoint %p - ptrtoint %base)      ... %o ...
 *     ... %o ...
 *
 * Buffers are read at offsets. LLVM sees them in pointers that start at the base and a number, but not where %q is
 * another loop's pointer, as that of the loop without masks in front of one with them. */
#include "targets/amdgcn/amdgcn.h"

#include "base/map.h"
#include "base/vec.h"
#include "ir/llvm.h"

#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

enum { least_phis = 2 };

typedef TRI_VEC(LLVMValueRef) values;

typedef struct {
    tri_arena *arena;
    LLVMBuilderRef b;
    LLVMTypeRef i32;
    LLVMTargetDataRef layout;
    LLVMValueRef base;
    tri_map made; /* pointer -> offset */
    values phis;
} state;

/* The pointer less than an argument of which the instruction is the difference; null: it is none. */
static LLVMValueRef find_pointer(LLVMValueRef i, LLVMValueRef *out_base)
{
    if (!tri_llvm_is(i, LLVMTrunc) || !tri_llvm_is(LLVMGetOperand(i, 0), LLVMSub))
        return NULL;
    LLVMValueRef to = LLVMGetOperand(LLVMGetOperand(i, 0), 0), from = LLVMGetOperand(LLVMGetOperand(i, 0), 1);
    if (!tri_llvm_is(to, LLVMPtrToInt) || !tri_llvm_is(from, LLVMPtrToInt) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(i)) != 32)
        return NULL;
    *out_base = LLVMGetOperand(from, 0);
    return LLVMIsAArgument(*out_base) ? LLVMGetOperand(to, 0) : NULL;
}

/* Do all ways to the pointer begin at the base? Its phis are collected. */
static bool begins_at_base(state *s, LLVMValueRef p, tri_map *seen)
{
    if (p == s->base || tri_map_find_ptr(seen, p))
        return true;
    if (LLVMIsAGetElementPtrInst(p))
        return LLVMGetNumOperands(p) == 2 && LLVMGetTypeKind(LLVMTypeOf(p)) == LLVMPointerTypeKind &&
               begins_at_base(s, LLVMGetOperand(p, 0), seen);
    if (!LLVMIsAPHINode(p))
        return false;
    tri_map_set_ptr(seen, p, p);
    tri_vec_push(s->arena, &s->phis, p);
    for (unsigned k = 0; k < LLVMCountIncoming(p); k++)
        if (!begins_at_base(s, LLVMGetIncomingValue(p, k), seen))
            return false;
    return true;
}

static LLVMValueRef offset_of_pointer(state *s, LLVMValueRef p)
{
    LLVMValueRef made = p == s->base ? LLVMConstInt(s->i32, 0, false) : tri_map_find_ptr(&s->made, p);
    if (made)
        return made;
    if (LLVMIsAPHINode(p)) {
        LLVMPositionBuilderBefore(s->b, p);
        made = LLVMBuildPhi(s->b, s->i32, "");
    } else {
        LLVMValueRef before = offset_of_pointer(s, LLVMGetOperand(p, 0));
        uint64_t size = LLVMABISizeOfType(s->layout, LLVMGetGEPSourceElementType(p));
        LLVMPositionBuilderBefore(s->b, p);
        LLVMValueRef index = LLVMBuildIntCast2(s->b, LLVMGetOperand(p, 1), s->i32, true, "");
        made = LLVMBuildAdd(s->b, before, LLVMBuildMul(s->b, index, LLVMConstInt(s->i32, size, false), ""), "");
    }
    tri_map_set_ptr(&s->made, p, made);
    return made;
}

static void fill_offsets(state *s)
{
    for (size_t i = 0; i < s->phis.len; i++) {
        LLVMValueRef phi = s->phis.at[i], made = offset_of_pointer(s, phi);
        for (unsigned k = LLVMCountIncoming(made); k < LLVMCountIncoming(phi); k++) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
            LLVMValueRef value = offset_of_pointer(s, LLVMGetIncomingValue(phi, k));
            LLVMAddIncoming(made, &value, &from, 1);
        }
    }
}

static void count_in_function(state *s, LLVMValueRef function)
{
    tri_map_init(&s->made, s->arena);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef pointer = find_pointer(i, &s->base);
            tri_map seen;
            tri_map_init(&seen, s->arena);
            s->phis.len = 0;
            if (!pointer || !begins_at_base(s, pointer, &seen) || s->phis.len < least_phis)
                continue;
            LLVMReplaceAllUsesWith(i, offset_of_pointer(s, pointer));
            fill_offsets(s);
        }
}

void tri_amdgcn_count_offsets(tri_arena *arena, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    state s = {.arena = arena,
               .b = LLVMCreateBuilderInContext(context),
               .i32 = LLVMInt32TypeInContext(context),
               .layout = LLVMGetModuleDataLayout(module)};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        count_in_function(&s, f);
    LLVMDisposeBuilder(s.b);
}
