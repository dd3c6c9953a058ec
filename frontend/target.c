/* What the language asks about the target. */
#include "frontend/target.h"

static bool is_family(const tri_eval *e, const char *name) { return tri_str_is(e->target->family, name); }

bool tri_target_is(const tri_eval *e, const char *family) { return is_family(e, family); }

/* The number behind the colon of "cuda:90". */
int tri_target_capability(const tri_eval *e)
{
    tri_str t = e->target->ttg_target;
    int64_t n = 0;
    size_t colon = tri_str_find(t, ':');
    return colon < t.len && tri_str_to_i64(tri_str_sub(t, colon + 1, t.len), &n) ? (int)n : 0;
}

/* Why a type can not be used, or null. */
const char *tri_target_rejects(const tri_eval *e, tri_dtype d)
{
    if (!tri_types_dtype_is_fp8(d) || d == TRI_DTYPE_FP8E5 || d == TRI_DTYPE_FP8E4B15)
        return NULL;
    if (is_family(e, "nvptx")) {
        if (d == TRI_DTYPE_FP8E4NV)
            return tri_target_capability(e) >= 89 ? NULL
                                                  : "type fp8e4nv needs sm_89 or later; supported here: fp8e4b15, fp8e5";
        return tri_target_capability(e) >= 89 ? "this fp8 type is AMD's; supported here: fp8e4b15, fp8e4nv, fp8e5"
                                              : "this fp8 type is AMD's; supported here: fp8e4b15, fp8e5";
    }
    return NULL;
}
