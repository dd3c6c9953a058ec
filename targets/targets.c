#include "targets/target.h"

#define X(name) extern const tri_target tri_target_##name;
#include "targets/targets.def"
#undef X

static const tri_target *const families[] = {
#define X(name) &tri_target_##name,
#include "targets/targets.def"
#undef X
};

enum { family_count = sizeof families / sizeof *families };

size_t tri_targets_count(void) { return family_count; }

const tri_target *tri_targets_at(size_t i) { return families[i]; }

static const char *nearest_arch(tri_str arch)
{
    enum { max_names = 64 };
    const char *names[max_names];
    size_t count = 0;
    for (size_t f = 0; f < family_count; f++)
        for (const tri_arch *a = families[f]->archs; a->name && count < max_names; a++)
            names[count++] = a->name;
    return tri_str_nearest(arch, names, count);
}

bool tri_targets_find(tri_diag *diag, tri_str arch, const tri_target **out_target, const tri_arch **out_arch)
{
    for (size_t f = 0; f < family_count; f++) {
        for (const tri_arch *a = families[f]->archs; a->name; a++) {
            if (tri_str_is(arch, a->name)) {
                *out_target = families[f];
                *out_arch = a;
                return true;
            }
        }
    }
    const char *near = nearest_arch(arch);
    if (near)
        tri_diag_error(diag, TRI_NO_SPAN, 6001, "unknown architecture '%.*s'; did you mean '%s'?", TRI_STR_ARG(arch),
                       near);
    else
        tri_diag_error(diag, TRI_NO_SPAN, 6001, "unknown architecture '%.*s'; --print-targets lists the known ones",
                       TRI_STR_ARG(arch));
    return false;
}
