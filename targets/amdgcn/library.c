/* Functions of libdevice on AMD GPUs: LLVM's intrinsics, where the back end has code for them, or runtime/vmath's. */
#include "targets/amdgcn/amdgcn.h"

#include "llvm-c/Core.h"

/* C's name and LLVM's; the second word says whether f64 has code, too. */
static const struct {
    const char *c, *llvm;
    bool has_f64;
} rows[] = {
    {"ceil", "ceil", true},   {"copysign", "copysign", true}, {"exp", "exp", false},    {"exp10", "exp10", false},
    {"exp2", "exp2", false},  {"fabs", "fabs", true},         {"floor", "floor", true}, {"fma", "fma", true},
    {"fmax", "maxnum", true}, {"fmin", "minnum", true},       {"log", "log", false},    {"log10", "log10", false},
    {"log2", "log2", false},  {"nearbyint", "rint", true},    {"rint", "rint", true},   {"round", "round", true},
    {"sqrt", "sqrt", true},   {"trunc", "trunc", true},
};

static tri_str name_of_c(const tri_library_job *job, tri_str name, LLVMTypeRef type)
{
    bool is_double = LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMDoubleTypeKind;
    if (!is_double && tri_str_has_suffix(name, "f"))
        name.len--;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tri_str_is(name, rows[i].c) && (!is_double || rows[i].has_f64))
            return tri_str_format(job->unit->arena, "llvm.%s.%s", rows[i].llvm, is_double ? "f64" : "f32");
    return TRI_STR("");
}

bool tri_amdgcn_link(const tri_library_job *job)
{
    tri_library_job own = *job;
    own.name_of_c = name_of_c;
    return tri_library_link(&own) && tri_library_link_device(&own) && tri_library_check(&own);
}
