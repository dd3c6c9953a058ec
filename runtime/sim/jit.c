#include "runtime/sim/jit.h"

#include "ir/llvm.h"

#include "llvm-c/Analysis.h"
#include "llvm-c/BitReader.h"
#include "llvm-c/BitWriter.h"
#include "llvm-c/Core.h"
#include "llvm-c/Error.h"
#include "llvm-c/LLJIT.h"
#include "llvm-c/Orc.h"
#include "llvm-c/Target.h"
#include "llvm-c/TargetMachine.h"

#include <stdlib.h>

#if defined(__aarch64__)
#define HOST_BACK_END "aarch64"
#else
#define HOST_BACK_END "x86"
#endif

struct tri_sim_jit {
    tri_sim *sim;
    LLVMOrcLLJITRef lljit;
    void (*entry)(void *args);
};

static const char entry_name[] = "tri_sim_entry";

/* void tri_sim_entry(ptr args): loads every parameter from its 8 bytes and calls the kernel. */
static bool add_entry(tri_diag *diag, LLVMModuleRef module, const char *kernel)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef callee = LLVMGetNamedFunction(module, kernel);
    if (!callee) {
        tri_diag_error(diag, TRI_NO_SPAN, 0, "no kernel '%s' in the compiled module", kernel);
        return false;
    }
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), void_type = LLVMVoidTypeInContext(context);
    LLVMValueRef entry = LLVMAddFunction(module, entry_name, LLVMFunctionType(void_type, &pointer, 1, false));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, entry, "entry"));
    unsigned count = LLVMCountParams(callee);
    tri_arena *arena = tri_arena_create();
    LLVMValueRef *args = TRI_NEW_ARRAY(arena, LLVMValueRef, count + 1);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(context), (unsigned long long)i * 8, false);
        LLVMValueRef at = LLVMBuildGEP2(b, LLVMInt8TypeInContext(context), LLVMGetParam(entry, 0), &index, 1, "");
        args[i] = LLVMBuildLoad2(b, LLVMTypeOf(LLVMGetParam(callee, i)), at, "");
    }
    LLVMBuildCall2(b, LLVMGlobalGetValueType(callee), callee, args, count, "");
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    tri_arena_destroy(arena);
    return true;
}

static bool report(tri_diag *diag, LLVMErrorRef error)
{
    if (!error)
        return true;
    char *text = LLVMGetErrorMessage(error);
    tri_diag_error(diag, TRI_NO_SPAN, 0, "cannot compile for the simulator: %s", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

/* Our two symbols, and whatever of libc and libm the code calls. */
static bool define_symbols(tri_diag *diag, tri_sim_jit *jit)
{
    LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(jit->lljit);
    LLVMJITSymbolFlags flags = {LLVMJITSymbolGenericFlagsExported, 0};
    LLVMOrcCSymbolMapPair pairs[] = {
        {LLVMOrcLLJITMangleAndIntern(jit->lljit, "tri_sim_primitive"),
         {(LLVMOrcExecutorAddress)(uintptr_t)tri_sim_primitive, flags}},
        {LLVMOrcLLJITMangleAndIntern(jit->lljit, "global_smem"),
         {(LLVMOrcExecutorAddress)(uintptr_t)tri_sim_shared(jit->sim), flags}},
    };
    if (!report(diag, LLVMOrcJITDylibDefine(library, LLVMOrcAbsoluteSymbols(pairs, 2))))
        return false;
    LLVMOrcDefinitionGeneratorRef process;
    char prefix = LLVMOrcLLJITGetGlobalPrefix(jit->lljit);
    if (!report(diag, LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, prefix, NULL, NULL)))
        return false;
    LLVMOrcJITDylibAddGenerator(library, process);
    return true;
}

/* The module moves to a context that the JIT owns, by way of bitcode. */
static bool add_module(tri_diag *diag, tri_sim_jit *jit, LLVMModuleRef module)
{
    LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef copy = NULL;
    bool failed = LLVMParseBitcodeInContext2(context, bitcode, &copy);
    LLVMDisposeMemoryBuffer(bitcode);
    if (failed)
        TRI_BUG("bitcode that was just written cannot be read");
    LLVMOrcThreadSafeContextRef safe = LLVMOrcCreateNewThreadSafeContextFromLLVMContext(context);
    LLVMOrcThreadSafeModuleRef owned = LLVMOrcCreateNewThreadSafeModule(copy, safe);
    LLVMOrcDisposeThreadSafeContext(safe);
    LLVMSetTarget(copy, LLVMOrcLLJITGetTripleString(jit->lljit));
    LLVMSetDataLayout(copy, LLVMOrcLLJITGetDataLayoutStr(jit->lljit));
    return report(diag, LLVMOrcLLJITAddLLVMIRModule(jit->lljit, LLVMOrcLLJITGetMainJITDylib(jit->lljit), owned));
}

/* Position-independent code, so that symbols anywhere in the address space can be reached. */
static bool create_lljit(tri_diag *diag, tri_sim_jit *jit)
{
    tri_llvm_start_target(HOST_BACK_END);
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    char *triple = LLVMGetDefaultTargetTriple(), *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
    LLVMTargetMachineRef machine = tri_llvm_create_machine(diag, triple, cpu, features, 1);
    LLVMDisposeMessage(triple);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    if (!machine) {
        LLVMOrcDisposeLLJITBuilder(builder);
        return false;
    }
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
    return report(diag, LLVMOrcCreateLLJIT(&jit->lljit, builder));
}

static bool compile(tri_diag *diag, tri_sim_jit *jit, LLVMModuleRef module, const char *kernel)
{
    /* Enough to keep the many single-use values out of memory; the code runs once or twice. */
    if (!add_entry(diag, module, kernel) || !tri_llvm_run_passes(diag, module, NULL, "function(sroa,early-cse)"))
        return false;
    if (!create_lljit(diag, jit) || !define_symbols(diag, jit) || !add_module(diag, jit, module))
        return false;
    LLVMOrcExecutorAddress address = 0;
    if (!report(diag, LLVMOrcLLJITLookup(jit->lljit, &address, entry_name)))
        return false;
    jit->entry = (void (*)(void *))(uintptr_t)address;
    return true;
}

tri_sim_jit *tri_sim_jit_create(tri_diag *diag, LLVMModuleRef module, const char *kernel, tri_sim *sim)
{
    tri_sim_jit *jit = tri_mem_alloc(sizeof *jit);
    *jit = (tri_sim_jit){.sim = sim};
    bool ok = compile(diag, jit, module, kernel);
    LLVMDisposeModule(module);
    if (ok)
        return jit;
    tri_sim_jit_destroy(jit);
    return NULL;
}

void tri_sim_jit_destroy(tri_sim_jit *jit)
{
    if (!jit)
        return;
    if (jit->lljit) {
        LLVMErrorRef error = LLVMOrcDisposeLLJIT(jit->lljit);
        if (error)
            LLVMConsumeError(error);
    }
    free(jit);
}

bool tri_sim_jit_run(tri_sim_jit *jit, const uint64_t *args, tri_sim_grid grid)
{
    return tri_sim_run(jit->sim, jit->entry, (void *)(uintptr_t)args, grid);
}
