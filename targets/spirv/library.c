/* Functions of libdevice on OpenCL devices: OpenCL's of the same name, or runtime/vmath's. */
#include "targets/library.h"
#include "targets/spirv/spirv.h"

#include "llvm-c/Core.h"

#include <string.h>

static bool add_type(tri_buf *out, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMFloatTypeKind: tri_buf_add_z(out, "f"); return true;
    case LLVMDoubleTypeKind: tri_buf_add_z(out, "d"); return true;
    case LLVMIntegerTypeKind: tri_buf_add_z(out, LLVMGetIntTypeWidth(type) == 64 ? "l" : "i"); return true;
    default: return false;
    }
}

/* OpenCL C overloads by type, and its names are mangled as C++'s: fmodf(float, float) is _Z4fmodff. */
static tri_str name_of_c(const tri_library_job *job, tri_str name, LLVMTypeRef type)
{
    LLVMTypeRef params[8];
    unsigned count = LLVMCountParamTypes(type);
    TRI_ASSERT(count <= 8);
    LLVMGetParamTypes(type, params);
    if (count && LLVMGetTypeKind(params[0]) == LLVMFloatTypeKind && tri_str_has_suffix(name, "f"))
        name.len--;
    if (tri_str_is(name, "nearbyint"))
        name = TRI_STR("rint");
    if (tri_str_is(name, "scalbn"))
        name = TRI_STR("ldexp");
    if (tri_library_lacks(name))
        return TRI_STR("");
    tri_buf out = {0};
    tri_buf_format(&out, "_Z%zu%.*s", name.len, TRI_STR_ARG(name));
    bool ok = true;
    for (unsigned i = 0; i < count; i++)
        ok = ok && add_type(&out, params[i]);
    tri_str mangled = ok ? tri_str_copy(job->unit->arena, tri_buf_str(&out)) : TRI_STR("");
    tri_buf_fini(&out);
    return mangled;
}

/* Is it a function of libdevice whose float is rounded in a direction? Their names end in it, as do those of functions
 * that make integers by trunc(), floor() and ceil(). */
static bool rounds_in_direction(tri_str symbol)
{
    static const char *const modes[] = {"_rz", "_ru", "_rd"}, *const integers[] = {"2int", "2uint", "2ll", "2ull"};
    bool found = false;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        found |= tri_str_has_suffix(symbol, modes[i]);
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        found &= !tri_str_has_suffix(tri_str_sub(symbol, 0, symbol.len - strlen("_rz")), integers[i]);
    return found && tri_str_has_prefix(symbol, "__nv_");
}

/* Other modes of rounding than to nearest do not exist. */
static bool check_rounding(const tri_library_job *job)
{
    for (size_t c = 0; c < job->calls->len; c++)
        if (rounds_in_direction(job->calls->at[c].symbol))
            return tri_library_error(job, job->calls->at[c].symbol,
                                     "'%.*s' rounds in a direction, which OpenCL devices do not",
                                     TRI_STR_ARG(job->calls->at[c].symbol));
    return true;
}

bool tri_spirv_link(const tri_library_job *job)
{
    tri_library_job own = *job;
    if (!check_rounding(job))
        return false;
    own.name_of_c = name_of_c;
    own.may_lack_f64 = true;
    return tri_library_link(&own) && tri_library_link_device(&own) && tri_library_check(&own);
}
