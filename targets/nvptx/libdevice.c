/* NVIDIA's math library in bitcode, linked only into modules that call it and only as far as they do. */
#include "base/file.h"
#include "ir/llvm.h"
#include "targets/nvptx/nvptx.h"

#include "llvm-c/BitReader.h"
#include "llvm-c/Core.h"
#include "llvm-c/Linker.h"

#include <string.h>

static const char *find_call(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t len;
        const char *name = LLVMGetValueName2(f, &len);
        if (LLVMIsDeclaration(f) && len > 5 && !strncmp(name, "__nv_", 5) && LLVMGetFirstUse(f))
            return name;
    }
    return NULL;
}

/* Flush denormals inside the library, as the language's fast functions do. */
static void set_reflection(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef one = LLVMConstInt(LLVMInt32TypeInContext(context), 1, false);
    static const char key[] = "nvvm-reflect-ftz";
    LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorOverride, key, sizeof key - 1, LLVMValueAsMetadata(one));
}

/* `source` keeps nothing of its own: the linker then takes just the bodies that are referred to. */
static void make_linkonce(LLVMModuleRef source)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(source); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
    for (LLVMValueRef v = LLVMGetFirstGlobal(source); v; v = LLVMGetNextGlobal(v))
        if (!LLVMIsDeclaration(v) && LLVMGetLinkage(v) == LLVMExternalLinkage)
            LLVMSetLinkage(v, LLVMLinkOnceODRLinkage);
}

bool tri_nvptx_link_libdevice(tri_unit *unit)
{
    LLVMModuleRef module = unit->llvm_module;
    const char *wanted = find_call(module);
    tri_str path = unit->options->libdevice;
    if (!wanted)
        return true;
    if (tri_str_is_empty(path)) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, 7002,
                       "the kernel calls '%s', which needs libdevice.10.bc of the CUDA Toolkit; name its folder with "
                       "--cuda-path=DIR or CUDA_HOME",
                       wanted);
        return false;
    }
    tri_str bytes;
    int error;
    if (!tri_file_read(unit->arena, path, &bytes, &error)) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, 7002, "cannot read '%.*s': %s", TRI_STR_ARG(path), strerror(error));
        return false;
    }
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(bytes.data, bytes.len, "libdevice", false);
    LLVMModuleRef source = NULL;
    if (LLVMGetBitcodeModuleInContext2(LLVMGetModuleContext(module), buffer, &source)) {
        LLVMDisposeMemoryBuffer(buffer);
        tri_diag_error(unit->diag, TRI_NO_SPAN, 7002, "'%.*s' is not LLVM bitcode", TRI_STR_ARG(path));
        return false;
    }
    LLVMSetTarget(source, LLVMGetTarget(module));
    LLVMSetDataLayout(source, LLVMGetDataLayoutStr(module));
    make_linkonce(source);
    if (LLVMLinkModules2(module, source))
        return false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMLinkOnceODRLinkage)
            LLVMSetLinkage(f, LLVMInternalLinkage);
    set_reflection(module);
    return true;
}
