/* Functions of libdevice on AMD GPUs: LLVM's intrinsics, where the back end has code for them, or runtime/vmath's. */
#include "targets/amdgcn/amdgcn.h"

#include "llvm-c/Core.h"

/* runtime/vmath's libdevice.c and cmath.c, as bitcode for any of AMD's GPUs */
extern const char tri_device_math_bitcode[], tri_device_math_bitcode_end[];

static const char prefix[] = "tri_c_";

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
    tri_str base = !is_double && tri_str_has_suffix(name, "f") ? tri_str_sub(name, 0, name.len - 1) : name;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tri_str_is(base, rows[i].c) && (!is_double || rows[i].has_f64))
            return tri_str_format(job->unit->arena, "llvm.%s.%s", rows[i].llvm, is_double ? "f64" : "f32");
    return tri_library_lacks(base) ? TRI_STR("")
                                   : tri_str_format(job->unit->arena, "%s%.*s", prefix, TRI_STR_ARG(name));
}

/* C's functions by those of cmath.c, which call only each other. */
static bool link_c(const tri_library_job *job)
{
    bool is_needed = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f; f = LLVMGetNextFunction(f))
        is_needed |= tri_library_is_wanted(f) && tri_str_has_prefix(tri_str_from(LLVMGetValueName(f)), prefix);
    return !is_needed || tri_library_link_math(job);
}

bool tri_amdgcn_link(const tri_library_job *job)
{
    tri_library_job own = *job;
    own.name_of_c = name_of_c;
    own.math = (tri_str){tri_device_math_bitcode, (size_t)(tri_device_math_bitcode_end - tri_device_math_bitcode)};
    return tri_library_link(&own) && tri_library_link_device(&own) && link_c(&own) && tri_library_check(&own);
}
