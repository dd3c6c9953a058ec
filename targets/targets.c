#include "targets/target.h"

#include "ir/options.h"

#include <ctype.h>
#include <string.h>

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

/* Letters and digits of a name, in lower case. */
static size_t letters_and_digits(tri_str name, char *out, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < name.len && n + 1 < room; i++)
        if (isalnum((unsigned char)name.data[i]))
            out[n++] = (char)tolower((unsigned char)name.data[i]);
    out[n] = '\0';
    return n;
}

/* Is it one that the chip is sold under, "MI300X" of what the help says "(MI300, MI325)" of, or its generation's? */
static bool is_sold_as(const tri_machine_facts *a, tri_str name)
{
    char asked[32], known[32];
    size_t length = letters_and_digits(name, asked, sizeof asked);
    if (a->generation && letters_and_digits(tri_str_from(a->generation), known, sizeof known) && !strcmp(asked, known))
        return true;
    tri_str help = tri_str_from(a->help);
    size_t open = tri_str_find(help, '('), close = tri_str_find(help, ')');
    tri_str list = open < close && close < help.len ? tri_str_sub(help, open + 1, close) : TRI_STR("");
    while (list.len) {
        size_t end = tri_str_find(list, ',');
        size_t n = letters_and_digits(tri_str_sub(list, 0, end), known, sizeof known);
        if (n > 1 && n <= length && !strncmp(asked, known, n))
            return true;
        list = tri_str_sub(list, end < list.len ? end + 1 : end, list.len);
    }
    return false;
}

static const char *nearest_arch(tri_str arch)
{
    enum { max_names = 64 };
    const char *names[max_names];
    size_t count = 0;
    for (size_t f = 0; f < family_count; f++)
        for (const tri_machine_facts *a = tri_machines_first(families[f]->family); a && count < max_names;
             a = tri_machines_next(a)) {
            if (is_sold_as(a, arch))
                return a->name;
            names[count++] = a->name;
        }
    return tri_str_nearest(arch, names, count);
}

/* "compute_90a" is sm_90a, of which the code is meant alone. */
static bool is_named(const tri_target *target, const tri_machine_facts *a, tri_str name, bool *out_code_only)
{
    *out_code_only = target->code_prefix && tri_str_has_prefix(name, target->code_prefix);
    if (!*out_code_only)
        return tri_str_is(name, a->name) || (a->alias && tri_str_is(name, a->alias));
    size_t length = strlen(target->arch_prefix);
    return !strncmp(a->name, target->arch_prefix, length) &&
           tri_str_is(tri_str_sub(name, strlen(target->code_prefix), name.len), a->name + length);
}

static bool find_one(tri_diag *diag, tri_str arch, tri_target_share *out)
{
    bool code_only;
    for (size_t f = 0; f < family_count; f++) {
        for (const tri_machine_facts *a = tri_machines_first(families[f]->family); a; a = tri_machines_next(a)) {
            if (!is_named(families[f], a, arch, &code_only))
                continue;
            bool has_binary = families[f]->binary_kind && !a->is_any_device;
            bool has_code = code_only || !has_binary || families[f]->keeps_code;
            *out = (tri_target_share){families[f], a, arch, !code_only && has_binary, has_code};
            return true;
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

/* sm_80,compute_80 is one share; so are the host's processors. */
static bool merge(tri_arena *arena, tri_diag *diag, tri_target_shares *list, const tri_target_share *one, tri_str whole)
{
    for (size_t i = 0; i < list->len; i++) {
        tri_target_share *other = &list->at[i];
        bool is_host = one->target == other->target && one->target->accepts_list;
        if (!is_host && one->arch != other->arch)
            continue;
        if (!is_host && ((one->has_binary && other->has_binary) || (one->has_code && other->has_code))) {
            tri_diag_error(diag, TRI_NO_SPAN, 6001, "'-arch=%.*s' names '%.*s' twice", TRI_STR_ARG(whole),
                           TRI_STR_ARG(one->archs));
            return false;
        }
        if (is_host)
            other->archs = tri_str_format(arena, "%.*s,%.*s", TRI_STR_ARG(other->archs), TRI_STR_ARG(one->archs));
        other->has_binary = other->has_binary || one->has_binary;
        other->has_code = other->has_code || one->has_code;
        return !is_host || one->target->accepts_list(diag, other->archs);
    }
    tri_vec_push(arena, list, *one);
    return true;
}

bool tri_targets_split(tri_arena *arena, tri_diag *diag, tri_str list, tri_target_shares *out)
{
    size_t before = out->len;
    for (size_t at = 0; at <= list.len;) {
        size_t end = at + tri_str_find(tri_str_sub(list, at, list.len), ',');
        tri_target_share one;
        if (!find_one(diag, tri_str_sub(list, at, end), &one) || !merge(arena, diag, out, &one, list))
            return false;
        at = end + 1;
    }
    bool is_alone = tri_str_find(list, ',') == list.len;
    tri_target_share *first = &out->at[before];
    first->has_code |= is_alone && first->target->code_prefix; /* newer devices compile it */
    return true;
}

bool tri_targets_find(tri_diag *diag, tri_str arch, const tri_target **out_target, const tri_machine_facts **out_arch)
{
    tri_arena *arena = tri_arena_create();
    tri_target_shares shares = {0};
    bool ok = tri_targets_split(arena, diag, arch, &shares);
    if (ok) {
        *out_target = shares.at[0].target;
        *out_arch = shares.at[0].arch;
    }
    tri_arena_destroy(arena);
    return ok;
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
        tri_diag_error(unit->diag, TRI_NO_SPAN, 1002,
                       "%s is not for the simulator, which runs one program after the other", name);
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

bool tri_targets_check_object(tri_diag *diag, tri_str list, const tri_target_shares *shares)
{
    const tri_target *host = NULL;
    for (size_t i = 0; i < shares->len; i++) {
        const tri_target *target = shares->at[i].target;
        if (target->object_form != TRI_OBJECT_CODE)
            continue;
        if (host && host != target) {
            tri_diag_error(diag, TRI_NO_SPAN, 6001,
                           "'-arch=%.*s': an object holds one kind of code for the host, of '%s' or of '%s'",
                           TRI_STR_ARG(list), host->family, target->family);
            return false;
        }
        host = target;
    }
    return true;
}
