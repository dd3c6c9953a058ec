/* Math functions of vectors (runtime/vmath), linked as bitcode into what calls them. */
#include "targets/cpu/cpu.h"

#include "ir/llvm.h"

#include <string.h>

/* Each inlined one has branches and a dozen constants, which LLVM compares and moves in the square of their number. */
enum { most_inlined = 128 };

/* made by runtime/runtime.mk, without a processor */
extern const char tri_vmath_bitcode[], tri_vmath_bitcode_end[];

static bool is_vmath(LLVMValueRef f)
{
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    tri_str s = {name, length};
    return tri_str_has_prefix(s, "tri_vm_") || tri_str_has_prefix(s, "tri_nv_");
}

static bool is_call(LLVMValueRef instruction)
{
    LLVMValueRef f = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    return f && LLVMIsAFunction(f) && is_vmath(f);
}

/* `attribute`: what the calls of the function get; null: they are only counted. */
static int64_t count_calls(LLVMValueRef function, LLVMAttributeRef attribute)
{
    int64_t count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            bool is_one = is_call(i);
            count += is_one;
            if (is_one && attribute)
                LLVMAddCallSiteAttribute(i, LLVMAttributeFunctionIndex, attribute);
        }
    }
    return count;
}

/* What stays a function is the module's own: another one may have it for another processor. */
static void keep_calls(LLVMModuleRef module)
{
    static const char name[] = "noinline";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    LLVMAttributeRef noinline = LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (count_calls(f, NULL) > most_inlined)
            count_calls(f, noinline);
        if (is_vmath(f) && !LLVMIsDeclaration(f))
            LLVMSetLinkage(f, LLVMInternalLinkage);
    }
}

bool tri_cpu_link_vmath(tri_unit *unit)
{
    bool is_needed = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->llvm_module); f && !is_needed; f = LLVMGetNextFunction(f))
        is_needed = LLVMIsDeclaration(f) && is_vmath(f);
    tri_str bitcode = {tri_vmath_bitcode, (size_t)(tri_vmath_bitcode_end - tri_vmath_bitcode)};
    if (is_needed && !tri_llvm_link_bitcode(unit->diag, unit->llvm_module, bitcode, true))
        return false;
    if (is_needed)
        keep_calls(unit->llvm_module);
    return true;
}
