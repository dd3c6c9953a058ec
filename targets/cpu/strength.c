/* Which loops have their strength reduced. It is a fifth of the time that kernels with products take, most of it for
 * loops in which operands are packed and which gain nothing by it, nor do those of tiles; products by vectors gain 2 to
 * 3 %, transposition 5. So where there are products, it is not left to the code generator. */
#include "targets/cpu/cpu.h"

#include "ir/llvm.h"

static bool is_named(LLVMValueRef v, const char *prefix)
{
    size_t len = 0;
    const char *name = LLVMIsAFunction(v) ? LLVMGetValueName2(v, &len) : NULL;
    return name && tri_str_has_prefix((tri_str){name, len}, prefix);
}

static bool is_product_code(LLVMValueRef v) { return is_named(v, "llvm.x86.tile") || is_named(v, "products"); }

/* Runs where there is no AMX (dot_plain.c). */
static bool is_plain(LLVMValueRef fn) { return is_named(fn, "plain_products"); }

/* Has it products by tiles, or others of which its operands are packed (dot_twin.c)? */
static bool is_around_products(LLVMValueRef fn)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            for (int n = 0; n < LLVMGetNumOperands(i); n++)
                if (is_product_code(LLVMGetOperand(i, (unsigned)n)))
                    return true;
    return false;
}

const char *const *tri_cpu_left_out(LLVMModuleRef module)
{
    static const char *const reduced[] = {"Loop Strength Reduction", "Canonicalize Freeze Instructions in Loops", NULL};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (is_around_products(f))
            return reduced;
    return NULL;
}

bool tri_cpu_reduce_loops(tri_unit *unit, LLVMTargetMachineRef machine)
{
    bool ok = true, is_here = tri_cpu_left_out(unit->llvm_module) != NULL;
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->llvm_module); is_here && f && ok; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !is_around_products(f) && !is_plain(f))
            ok = tri_llvm_run_function_passes(unit->diag, f, machine, "loop(loop-reduce)");
    return ok;
}
