/* Functions of libdevice elsewhere: by those of C's library and of runtime/vmath that compute the same. */
#include "ir/llvm.h"
#include "targets/library.h"

#include "llvm-c/BitReader.h"
#include "llvm-c/Core.h"

#include <string.h>

static const char prefix[] = "__nv_";

/* runtime/vmath, as bitcode without a processor */
extern const char tri_vmath_bitcode[], tri_vmath_bitcode_end[];

bool tri_library_lacks(tri_str name)
{
    static const char *const missing[] = {"j0", "j1", "jn", "jnf", "y0", "y1", "yn", "ynf"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (tri_str_is(name, missing[i]))
            return true;
    return false;
}

/* runtime/vmath/libdevice.c, sorted */
static const char *const device_names[] = {
#include "runtime/libdevice_names.inc"
};

/* Of C's library, under their double name. */
static const char *const c_names[] = {
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf",
    "erfc", "exp", "exp10", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "hypot", "ilogb",
    "j0", "j1", "jn", "ldexp", "lgamma", "log", "log10", "log1p", "log2", "logb", "nearbyint", "nextafter", "pow",
    "remainder", "rint", "round", "scalbn", "sin", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc", "y0", "y1", "yn",
};

static bool is_of_c(tri_str name)
{
    for (size_t i = 0; i < sizeof c_names / sizeof *c_names; i++) {
        size_t len = strlen(c_names[i]);
        if (tri_str_is(name, c_names[i]) ||
            (name.len == len + 1 && tri_str_has_suffix(name, "f") && tri_str_has_prefix(name, c_names[i])))
            return true;
    }
    return false;
}

static bool is_of_vmath(tri_str name)
{
    for (size_t i = 0; i < sizeof device_names / sizeof *device_names; i++)
        if (tri_str_is(name, device_names[i]))
            return true;
    return false;
}

/* Gives a device function the name of the one that stands for it. */
static bool rename_function(const tri_library_job *job, LLVMValueRef f, bool *out_needs_vmath)
{
    tri_arena *arena = job->unit->arena;
    tri_str symbol = tri_str_copy(arena, tri_str_from(LLVMGetValueName(f)));
    tri_str name = tri_str_copy(arena, tri_str_sub(symbol, strlen(prefix), symbol.len));
    bool is_of_host = !job->name_of_c && is_of_c(name); /* whose own is faster */
    if (is_of_vmath(name) && !is_of_host) {
        tri_str single = tri_str_format(arena, "%.*s_single", TRI_STR_ARG(name));
        *out_needs_vmath = true;
        name = job->may_lack_f64 && is_of_vmath(single) ? single : name;
        name = tri_str_format(arena, "tri_nv_%.*s", TRI_STR_ARG(name));
    } else if (!is_of_c(name)) {
        return tri_library_error(job, symbol,
                                 job->name_of_c ? "libdevice's '%.*s' is not known on this device"
                                                : "libdevice's '%.*s' is not known on a host",
                                 TRI_STR_ARG(symbol));
    }
    LLVMValueRef same = LLVMGetNamedFunction(job->module, name.data);
    if (same)
        LLVMReplaceAllUsesWith(f, same);
    else
        LLVMSetValueName2(f, name.data, name.len);
    return true;
}

/* C's functions, which the module or runtime/vmath calls, under the names that the machine has for them. */
static bool rename_c(const tri_library_job *job)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(job->module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        tri_str name = tri_str_copy(job->unit->arena, tri_str_from(LLVMGetValueName(f)));
        if (!tri_library_is_wanted(f) || !is_of_c(name))
            continue;
        tri_str own = job->name_of_c(job, name, LLVMGlobalGetValueType(f));
        if (!own.len)
            return tri_library_error(job, TRI_STR(""), "the device has no function '%.*s'", TRI_STR_ARG(name));
        LLVMValueRef same = LLVMGetNamedFunction(job->module, own.data);
        if (same)
            LLVMReplaceAllUsesWith(f, same);
        else
            LLVMSetValueName2(f, own.data, own.len);
    }
    return true;
}

bool tri_library_link_math(const tri_library_job *job)
{
    tri_str bitcode = {tri_vmath_bitcode, (size_t)(tri_vmath_bitcode_end - tri_vmath_bitcode)};
    if (!job->name_of_c)
        return tri_llvm_link_bitcode(job->unit->diag, job->module, bitcode, true);
    if (job->math.len)
        bitcode = job->math;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(bitcode.data, bitcode.len, "vmath", false);
    LLVMModuleRef source = NULL;
    if (LLVMGetBitcodeModuleInContext2(LLVMGetModuleContext(job->module), buffer, &source))
        TRI_BUG("the library of math functions cannot be read");
    return tri_library_link_from(job, source, true);
}

bool tri_library_link_device(const tri_library_job *job)
{
    bool needs_vmath = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f; f = LLVMGetNextFunction(f))
        if (tri_library_is_wanted(f) && tri_str_has_prefix(tri_str_from(LLVMGetValueName(f)), prefix) &&
            !rename_function(job, f, &needs_vmath))
            return false;
    return (!needs_vmath || tri_library_link_math(job)) && (!job->name_of_c || rename_c(job));
}
