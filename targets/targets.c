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
        for (const tri_machine_facts *a = tri_machines_first(families[f]->family); a && count < max_names; a = tri_machines_next(a))
            names[count++] = a->name;
    return tri_str_nearest(arch, names, count);
}

static bool find_one(tri_diag *diag, tri_str arch, const tri_target **out_target, const tri_machine_facts **out_arch)
{
    for (size_t f = 0; f < family_count; f++) {
        for (const tri_machine_facts *a = tri_machines_first(families[f]->family); a; a = tri_machines_next(a)) {
            if (tri_str_is(arch, a->name)) {
                *out_target = families[f];
                *out_arch = a;
                return true;
            }
        }
    }
    const tri_machine_facts *known = tri_machines_named(arch);
    if (known && known->refusal) {
        tri_diag_error(diag, TRI_NO_SPAN, 6001, "no code is made for '%s': %s", known->name, known->refusal);
        return false;
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

bool tri_targets_find(tri_diag *diag, tri_str arch, const tri_target **out_target, const tri_machine_facts **out_arch)
{
    size_t end = tri_str_find(arch, ',');
    const tri_target *target, *other;
    const tri_machine_facts *first, *next;
    if (!find_one(diag, tri_str_sub(arch, 0, end), &target, &first))
        return false;
    for (size_t at = end; at < arch.len; at = end) {
        tri_str rest = tri_str_sub(arch, at + 1, arch.len);
        end = at + 1 + tri_str_find(rest, ',');
        if (!find_one(diag, tri_str_sub(arch, at + 1, end), &other, &next))
            return false;
        if (other != target || !target->accepts_list) {
            tri_diag_error(diag, TRI_NO_SPAN, 6001, "'-arch=%.*s' cannot be one object", TRI_STR_ARG(arch));
            return false;
        }
    }
    bool is_list = tri_str_find(arch, ',') < arch.len;
    if (is_list && !target->accepts_list(diag, arch))
        return false;
    *out_target = target;
    *out_arch = first;
    return true;
}

/* Ways of launching that only NVIDIA's driver has. */
static bool check_launch(tri_unit *unit)
{
    const tri_options *o = unit->options;
    const char *name = o->launch_cooperative ? "-launch-cooperative" : o->launch_pdl ? "-launch-pdl" : NULL;
    if (!name)
        return true;
    if (!unit->arch->has_cooperative_launch)
        tri_diag_error(unit->diag, TRI_NO_SPAN, 1002, "%s is for NVIDIA GPUs, not for %s", name, unit->arch->name);
    else if (o->launch_cooperative && o->simulate)
        tri_diag_error(unit->diag, TRI_NO_SPAN, 1002, "%s is not for the simulator, which runs one program after the other", name);
    else if (o->launch_pdl && !unit->arch->has_dependent_launch)
        tri_diag_error(unit->diag, TRI_NO_SPAN, 6002, "-launch-pdl needs sm_90 or newer, not %s", unit->arch->name);
    else
        return true;
    return false;
}

bool tri_targets_check_options(tri_unit *unit)
{
    const tri_options *o = unit->options;
    if (!check_launch(unit))
        return false;
    if (unit->target->check_options)
        return unit->target->check_options(unit);
    const char *name = o->sanitize ? "-fsanitize" : o->features.len ? "-mattr" : NULL;
    if (name)
        tri_diag_error(unit->diag, TRI_NO_SPAN, 1002, "%s is for host processors, not for %s", name, unit->arch->name);
    if (o->openmp)
        tri_diag_warning(unit->diag, TRI_NO_SPAN, "unused-option", "-f%sopenmp has no effect for %s",
                         o->openmp < 0 ? "no-" : "", unit->arch->name);
    return !name;
}
