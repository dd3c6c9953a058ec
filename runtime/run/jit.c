#include "runtime/run/jit.h"

#include "ir/llvm.h"
#include "runtime/float.h"

#include "llvm-c/Analysis.h"
#include "llvm-c/BitReader.h"
#include "llvm-c/BitWriter.h"
#include "llvm-c/Core.h"
#include "llvm-c/Error.h"
#include "llvm-c/LLJIT.h"
#include "llvm-c/Orc.h"
#include "llvm-c/Target.h"
#include "llvm-c/TargetMachine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__)
#define HOST_BACK_END "aarch64"
#define OLDEST_CPU "generic"
#define OLDEST_FEATURES "+v8a,+neon"
#else
#define HOST_BACK_END "x86"
#define OLDEST_CPU "x86-64"
#define OLDEST_FEATURES ""
#endif

struct tri_jit {
    LLVMOrcLLJITRef lljit;
    int num_params;
    void (*entry)(void *args);
};

static const char entry_name[] = "tri_jit_entry_point";

/* void entry(ptr args): loads every parameter from its 8 bytes and calls the function. */
static bool add_entry(tri_diag *diag, tri_jit *jit, LLVMModuleRef module, const char *function)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef callee = LLVMGetNamedFunction(module, function);
    if (!callee) {
        tri_diag_error(diag, TRI_NO_SPAN, 6005, "no function '%s' in the compiled module", function);
        return false;
    }
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), void_type = LLVMVoidTypeInContext(context);
    LLVMValueRef entry = LLVMAddFunction(module, entry_name, LLVMFunctionType(void_type, &pointer, 1, false));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, entry, "entry"));
    unsigned count = LLVMCountParams(callee);
    jit->num_params = (int)count;
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
    tri_diag_error(diag, TRI_NO_SPAN, 6005, "cannot compile for this host: %s", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

/* What the back end calls to round to a small float, or to widen a half, where the host cannot. Not every C library
 * has them. A half lies in the low bits of a float register, as with the functions of that name. */
static float round_to_bf16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = value != value ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float round_double_to_bf16(double value)
{
    /* to odd first, so that the second rounding decides as if it were the only one */
    float near = (float)value;
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    if (near == near && (double)near != value) {
        bool is_above = fabs((double)near) > fabs(value);
        bits = (is_above ? bits - 1 : bits) | 1;
        memcpy(&near, &bits, sizeof near);
    }
    return round_to_bf16(near);
}

static float round_double_to_f16(double value)
{
    return tri_float_f32_from_bits(tri_float_f16_bits(value));
}

static float round_to_f16(float value)
{
    return round_double_to_f16((double)value);
}

static float widen_f16(float half)
{
    return tri_float_f16_from_bits((uint16_t)tri_float_f32_bits(half));
}

static const tri_jit_symbol rounding[] = {{"__truncsfbf2", (const void *)(uintptr_t)round_to_bf16},
                                          {"__truncdfbf2", (const void *)(uintptr_t)round_double_to_bf16},
                                          {"__truncsfhf2", (const void *)(uintptr_t)round_to_f16},
                                          {"__extendhfsf2", (const void *)(uintptr_t)widen_f16},
                                          {"__truncdfhf2", (const void *)(uintptr_t)round_double_to_f16}};

static bool define(tri_diag *diag, tri_jit *jit, tri_jit_symbol symbol)
{
    LLVMJITSymbolFlags flags = {LLVMJITSymbolGenericFlagsExported, 0};
    LLVMOrcCSymbolMapPair pair = {LLVMOrcLLJITMangleAndIntern(jit->lljit, symbol.name),
                                  {(LLVMOrcExecutorAddress)(uintptr_t)symbol.address, flags}};
    return report(diag,
                  LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit->lljit), LLVMOrcAbsoluteSymbols(&pair, 1)));
}

static bool define_symbols(tri_diag *diag, tri_jit *jit, const tri_jit_symbol *symbols, int num_symbols)
{
    LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(jit->lljit);
    for (int i = 0; i < num_symbols; i++)
        if (!define(diag, jit, symbols[i]))
            return false;
    for (size_t i = 0; i < sizeof rounding / sizeof *rounding; i++)
        if (!define(diag, jit, rounding[i]))
            return false;
    LLVMOrcDefinitionGeneratorRef process;
    char prefix = LLVMOrcLLJITGetGlobalPrefix(jit->lljit);
    if (!report(diag, LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, prefix, NULL, NULL)))
        return false;
    LLVMOrcJITDylibAddGenerator(library, process);
    return true;
}

/* Code is made as for an object file: position-independent, so that symbols anywhere in the address space can be
 * reached. */
static bool add_module(tri_diag *diag, tri_jit *jit, LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    tri_buf code = {0};
    LLVMSetTarget(module, LLVMOrcLLJITGetTripleString(jit->lljit));
    LLVMSetDataLayout(module, LLVMOrcLLJITGetDataLayoutStr(jit->lljit));
    bool ok = tri_llvm_emit(diag, module, machine, LLVMObjectFile, &code);
    if (ok) {
        LLVMMemoryBufferRef object = LLVMCreateMemoryBufferWithMemoryRangeCopy(code.data, code.len, entry_name);
        ok = report(diag, LLVMOrcLLJITAddObjectFile(jit->lljit, LLVMOrcLLJITGetMainJITDylib(jit->lljit), object));
    }
    tri_buf_fini(&code);
    return ok;
}

static LLVMTargetMachineRef create_machine(tri_diag *diag, tri_jit_machine on)
{
    tri_llvm_start_target(HOST_BACK_END);
    char *triple = LLVMGetDefaultTargetTriple();
    LLVMTargetMachineRef machine = tri_llvm_create_machine(diag, triple, on.cpu, on.features, on.opt_level);
    LLVMDisposeMessage(triple);
    return machine;
}

static bool compile(tri_diag *diag, tri_jit *jit, LLVMModuleRef module, const char *function,
                    const tri_jit_symbol *symbols, int num_symbols, tri_jit_machine machine)
{
    LLVMTargetMachineRef target = create_machine(diag, machine);
    bool ok = target && add_entry(diag, jit, module, function) && report(diag, LLVMOrcCreateLLJIT(&jit->lljit, NULL)) &&
              define_symbols(diag, jit, symbols, num_symbols) && add_module(diag, jit, module, target);
    tri_llvm_dispose_machine(target);
    if (!ok)
        return false;
    LLVMOrcExecutorAddress address = 0;
    if (!report(diag, LLVMOrcLLJITLookup(jit->lljit, &address, entry_name)))
        return false;
    jit->entry = (void (*)(void *))(uintptr_t)address;
    return true;
}

tri_jit_machine tri_jit_oldest(int opt_level)
{
    return (tri_jit_machine){OLDEST_CPU, OLDEST_FEATURES, opt_level};
}

tri_jit *tri_jit_create(tri_diag *diag, LLVMModuleRef module, const char *function, const tri_jit_symbol *symbols,
                        int num_symbols, tri_jit_machine machine)
{
    tri_jit *jit = tri_mem_alloc(sizeof *jit);
    *jit = (tri_jit){0};
    bool ok = compile(diag, jit, module, function, symbols, num_symbols, machine);
    LLVMDisposeModule(module);
    if (ok)
        return jit;
    tri_jit_destroy(jit);
    return NULL;
}

void tri_jit_destroy(tri_jit *jit)
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

void (*tri_jit_entry(const tri_jit *jit))(void *args)
{
    return jit->entry;
}
