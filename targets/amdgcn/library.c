/* Functions of libdevice on AMD GPUs: LLVM's intrinsics, where the back end has code for them, or runtime/vmath's. And
 * what ROCm's device libraries, which -extern-lib names, ask of a compiler. */
#include "targets/amdgcn/amdgcn.h"

#include "ir/machines.h"

#include "llvm-c/Core.h"

#include <stdlib.h>
#include <string.h>

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

/* Intrinsics of LLVM's that every chip of ir/machines.def has: for one that is lacking, LLVM ends the process, or makes
 * another instruction. */
static bool has_intrinsic(tri_str name)
{
    static const char *const all[] = {
        "alignbyte",  "ballot.i64", "class",          "cos",        "cubeid",       "cubema",       "cubesc",
        "cubetc",     "cvt.pk.u8",  "dispatch.ptr",   "div.fixup",  "div.fmas",     "div.scale",    "ds.bpermute",
        "ds.swizzle", "exp2",       "fmed3",          "fmul.legacy", "fract",       "frexp.exp",    "frexp.mant",
        "implicitarg.ptr", "is.private", "is.shared", "ldexp",      "lerp",         "log",          "mbcnt",
        "mqsad",      "msad",       "mul.i24",        "mul.u24",    "perm",         "qsad",         "rcp",
        "readfirstlane", "readlane", "rsq",           "s.getreg",   "s.setreg",     "s.sleep",      "sad",
        "sbfe",       "sin",        "sqrt",           "trig.preop", "ubfe",         "update.dpp",   "workgroup.id",
        "workitem.id",
    };
    static const char start[] = "llvm.amdgcn.";
    if (!tri_str_has_prefix(name, start))
        return false;
    tri_str rest = tri_str_sub(name, strlen(start), name.len);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t len = strlen(all[i]);
        if (tri_str_has_prefix(rest, all[i]) && (rest.len == len || rest.data[len] == '.'))
            return true;
    }
    return false;
}

/* "gfx90a" is 9.0.10: 9010. */
static int version_of(const char *chip)
{
    size_t len = strlen(chip);
    int minor = (int)strtol((char[]){chip[len - 2], 0}, NULL, 16), stepping = (int)strtol(chip + len - 1, NULL, 16);
    int major = 0;
    for (const char *digit = chip + strlen("gfx"); digit < chip + len - 2; digit++)
        major = 10 * major + (*digit - '0');
    return 1000 * major + 100 * minor + stepping;
}

/* The constants by which ROCm's libraries ask what code is made for (their doc/OCML.md and OCKL.md name them): the
 * chip, the width of its waves, the form of code objects, and what may be inexact, which is nothing. */
static void define_constants(const tri_library_job *job)
{
    bool is_wide = job->unit->arch->lanes == 64;
    const struct {
        const char *name;
        int value;
    } constants[] = {
        {"__oclc_ABI_version", 500},
        {"__oclc_ISA_version", version_of(job->unit->arch->cpu)},
        {"__oclc_correctly_rounded_sqrt32", 1},
        {"__oclc_daz_opt", 0},
        {"__oclc_finite_only_opt", 0},
        {"__oclc_unsafe_math_opt", 0},
        {"__oclc_wavefrontsize64", is_wide},
        {"__oclc_wavefrontsize_log2", is_wide ? 6 : 5},
    };
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        LLVMValueRef global = LLVMGetNamedGlobal(job->module, constants[i].name);
        if (!global || !LLVMIsDeclaration(global))
            continue;
        LLVMTypeRef type = LLVMGlobalGetValueType(global);
        if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
            continue;
        LLVMSetInitializer(global, LLVMConstInt(type, (unsigned long long)constants[i].value, false));
        LLVMSetGlobalConstant(global, true);
        LLVMSetLinkage(global, LLVMInternalLinkage);
        LLVMSetVisibility(global, LLVMDefaultVisibility);
    }
}

/* What is left without a value no loader knows. */
static bool check_variables(const tri_library_job *job)
{
    for (LLVMValueRef v = LLVMGetFirstGlobal(job->module); v; v = LLVMGetNextGlobal(v))
        if (LLVMIsDeclaration(v) && LLVMGetFirstUse(v))
            return tri_library_error(job, TRI_STR(""), "no library defines the variable '%s'", LLVMGetValueName(v));
    return true;
}

bool tri_amdgcn_link(const tri_library_job *job)
{
    tri_library_job own = *job;
    own.name_of_c = name_of_c;
    if (tri_str_has_prefix(tri_str_from(job->triple), "amdgcn")) /* no host that stands in for it */
        own.has_intrinsic = has_intrinsic;
    own.math = (tri_str){tri_device_math_bitcode, (size_t)(tri_device_math_bitcode_end - tri_device_math_bitcode)};
    if (!tri_library_link(&own))
        return false;
    define_constants(&own);
    return tri_library_link_device(&own) && link_c(&own) && tri_library_check(&own) && check_variables(&own);
}
