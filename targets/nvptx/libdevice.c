/* Functions that the source calls: of the user's libraries, then of NVIDIA's math library. */
#include "targets/nvptx/nvptx.h"

#include "ir/options.h"
#include "llvm-c/Core.h"

#include <string.h>

static bool is_of_libdevice(LLVMValueRef f)
{
    return tri_library_is_wanted(f) && !strncmp(LLVMGetValueName(f), "__nv_", 5);
}

static const char *find_call(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (is_of_libdevice(f))
            return LLVMGetValueName(f);
    return NULL;
}

/* Flush subnormals inside the library, as the language's fast functions do, or keep them. */
static void set_reflection(LLVMModuleRef module, bool flushes)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef value = LLVMConstInt(LLVMInt32TypeInContext(context), flushes, false);
    static const char key[] = "nvvm-reflect-ftz";
    LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorOverride, key, sizeof key - 1, LLVMValueAsMetadata(value));
}

static bool link_libdevice(const tri_library_job *job)
{
    tri_unit *unit = job->unit;
    const char *wanted = find_call(job->module);
    if (!wanted)
        return true;
    if (tri_str_is_empty(unit->options->libdevice)) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, 7002,
                       "the kernel calls '%s', which needs libdevice.10.bc of the CUDA Toolkit; name its folder with "
                       "--cuda-path=DIR or CUDA_HOME, or the file with -extern-lib=libdevice=FILE",
                       wanted);
        return false;
    }
    LLVMModuleRef source = tri_library_open(job, unit->options->libdevice);
    if (!source || !tri_library_link_from(job, source, true))
        return false;
    set_reflection(job->module, !unit->options->no_reflect_ftz);
    wanted = find_call(job->module);
    return !wanted || tri_library_error(job, tri_str_from(wanted), "libdevice has no function '%s'", wanted);
}

bool tri_nvptx_link(const tri_library_job *job)
{
    return tri_library_link(job) && link_libdevice(job) && tri_library_check(job);
}
