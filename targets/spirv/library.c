/* Functions of libdevice on OpenCL devices: OpenCL's of the same name, or runtime/vmath's. */
#include "targets/library.h"
#include "targets/spirv/spirv.h"

#include "llvm-c/Core.h"

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
    if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMFloatTypeKind && tri_str_has_suffix(name, "f"))
        name.len--;
    if (tri_str_is(name, "nearbyint"))
        name = TRI_STR("rint");
    if (tri_library_lacks(name))
        return TRI_STR("");
    LLVMTypeRef params[8];
    unsigned count = LLVMCountParamTypes(type);
    TRI_ASSERT(count <= 8);
    LLVMGetParamTypes(type, params);
    tri_buf out = {0};
    tri_buf_format(&out, "_Z%zu%.*s", name.len, TRI_STR_ARG(name));
    bool ok = true;
    for (unsigned i = 0; i < count; i++)
        ok = ok && add_type(&out, params[i]);
    tri_str mangled = ok ? tri_str_copy(job->unit->arena, tri_buf_str(&out)) : TRI_STR("");
    tri_buf_fini(&out);
    return mangled;
}

/* Other modes of rounding than to nearest do not exist; the names of functions that have one end in it. */
static bool check_rounding(const tri_library_job *job)
{
    static const char *const modes[] = {"_rz", "_ru", "_rd"};
    for (size_t c = 0; c < job->calls->len; c++)
        for (int m = 0; m < 3; m++)
            if (tri_str_has_prefix(job->calls->at[c].symbol, "__nv_") &&
                tri_str_has_suffix(job->calls->at[c].symbol, modes[m]))
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
    return tri_library_link(&own) && tri_library_link_device(&own) && tri_library_check(&own);
}
