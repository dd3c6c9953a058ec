/* Options that do not go with one another, and values that mean nothing. */
#include "driver/opt.h"

#include "driver/phase.h"
#include "passes/passes.h"

enum { code_usage = 1002 };

static bool refuse(tri_arena *arena, tri_diag *diag, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool refuse(tri_arena *arena, tri_diag *diag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_str text = tri_str_vformat(arena, format, args);
    va_end(args);
    tri_diag_error(diag, TRI_NO_SPAN, code_usage, "%.*s", TRI_STR_ARG(text));
    return false;
}

bool tri_opt_check_group(tri_arena *arena, tri_diag *diag, const char *option, tri_str group)
{
    static const char *const groups[] = {"all",     "memory",   "pipeline", "warp-specialize", "masks",
                                         "tma",     "programs", "dot",      "layout",          "division",
                                         "block-io", "ptxas",   "buffers",  "pointers",        "alias",
                                         "allocation", "axis-info", "cost"};
    enum { count = sizeof groups / sizeof *groups, shown = 11 };
    for (size_t i = 0; i < count; i++)
        if (tri_str_is(group, groups[i]))
            return true;
    const char *near = tri_str_nearest(group, groups, count);
    if (near)
        return refuse(arena, diag, "'-%s=%.*s' is no group of remarks; did you mean '%s'?", option, TRI_STR_ARG(group),
                      near);
    tri_buf list = {0};
    for (size_t i = 0; i < shown; i++)
        tri_buf_format(&list, "%s%s", i ? ", " : "", groups[i]);
    refuse(arena, diag, "'-%s=%.*s' is no group of remarks; the groups are %.*s", option, TRI_STR_ARG(group),
           TRI_STR_ARG(tri_buf_str(&list)));
    tri_buf_fini(&list);
    return false;
}

/* Does one file get what belongs to several inputs? */
static bool check_names(tri_arena *arena, tri_diag *diag, const tri_opt *o)
{
    if (o->inputs.len < 2)
        return true;
    if (o->output.len && !o->link)
        return refuse(arena, diag, "-o names one file, but there are %zu inputs", o->inputs.len);
    if (o->depfile_path.len)
        return refuse(arena, diag, "-MF names one file, but there are %zu inputs", o->inputs.len);
    for (size_t i = 0; i < o->emits.len; i++)
        if (o->emits.at[i].path.len && !tri_str_is(o->emits.at[i].path, "-"))
            return refuse(arena, diag, "'-emit=...=%.*s' names one file, but there are %zu inputs",
                          TRI_STR_ARG(o->emits.at[i].path), o->inputs.len);
    return true;
}

/* Is an option there that only serves another one, which is missing? */
static bool check_partners(tri_arena *arena, tri_diag *diag, const tri_opt *o)
{
    if (!o->depfile && (o->dep_phony || o->dep_targets.len))
        return refuse(arena, diag, "-MT, -MQ and -MP need -MD");
    if (!o->depfile && o->depfile_path.len)
        return refuse(arena, diag, "-MF needs -MD, which writes the rule");
    bool is_drawn = false;
    for (size_t i = 0; i < o->emits.len; i++)
        is_drawn = is_drawn || o->emits.at[i].kind == TRI_KIND_LAYOUT || o->emits.at[i].kind == TRI_KIND_SVG;
    if (!is_drawn && (o->compile.show_value.len || o->compile.show_at.len))
        return refuse(arena, diag, "--%s chooses what -emit=layout or -emit=svg shows, and neither is there",
                      o->compile.show_value.len ? "value" : "at");
    return true;
}

bool tri_opt_check(tri_arena *arena, tri_diag *diag, tri_opt *o, tri_kind language)
{
    if (o->mode != TRI_OPT_COMPILE)
        return true;
    if (!o->inputs.len && o->has_passes && !o->passes_by.len)
        tri_vec_push(arena, &o->inputs, (tri_opt_input){TRI_STR("-"), language});
    if (!o->inputs.len)
        return refuse(arena, diag, "no input file; --help lists the options");
    if (o->has_passes && (o->emits.len || o->save_temps || o->depfile))
        return refuse(arena, diag, "%s prints the module; it does not go with -emit, -c, -S, -save-temps or -MD",
                      o->passes_by.len ? o->passes_by.data : "opt mode");
    if (o->compile.release && o->print_generic)
        return refuse(arena, diag, "-femit-upstream is for the short form; it does not go with -mlir-print-op-generic");
    o->compile.check_only = o->syntax_only;
    for (size_t i = 0; i < o->emits.len; i++) /* the listing shows source lines */
        if (o->emits.at[i].kind == TRI_KIND_SASS && o->compile.debug == TRI_DEBUG_NONE)
            o->compile.debug = TRI_DEBUG_LINES;
    return check_names(arena, diag, o) && check_partners(arena, diag, o);
}
