/* Which kernels are compiled: -k, -sig and, without them, what the file defines. */
#include "frontend/kernel/signature_kernel.h"
#include "ir/options.h"

/* --- lookups and their errors ------------------------------------------------------------ */

/* The file's own function of that name, else the first one inside of another. */
static const tri_function *find_function(const tri_signature_file *c, tri_str name)
{
    const tri_function *nested = NULL;
    for (size_t i = 0; i < c->functions.len; i++) {
        const tri_function *f = c->functions.at[i];
        if (!tri_str_equal(f->name, name))
            continue;
        if (f->scope == tri_module_scope(c->main))
            return f;
        nested = nested ? nested : f;
    }
    return nested;
}

static void report_unknown_kernel(const tri_signature_file *c, tri_span at, tri_str name)
{
    const char **names = TRI_NEW_ARRAY(c->arena, const char *, c->functions.len + 1);
    tri_buf list = {0};
    for (size_t i = 0; i < c->functions.len; i++) {
        names[i] = tri_str_copy(c->arena, c->functions.at[i]->name).data;
        tri_buf_format(&list, "%s%s", i ? ", " : "", names[i]);
    }
    const char *nearest = tri_str_nearest(name, names, c->functions.len);
    const tri_source *source = tri_module_ast(c->main)->source;
    tri_diag_error(c->diag, at, TRI_SIG_UNKNOWN_KERNEL, "no kernel '%.*s' in '%.*s'%s%s%s", TRI_STR_ARG(name),
                   TRI_STR_ARG(source->name), nearest ? "; did you mean '" : "", nearest ? nearest : "",
                   nearest ? "'?" : "");
    if (c->functions.len)
        tri_diag_note(c->diag, TRI_NO_SPAN, "its @triton.jit functions: %.*s", TRI_STR_ARG(tri_buf_str(&list)));
    tri_buf_fini(&list);
}

const tri_function *tri_signature_choose_find(const tri_signature_file *c, tri_str name)
{
    const tri_function *found = find_function(c, name);
    if (!found)
        report_unknown_kernel(c, TRI_NO_SPAN, name);
    return found;
}

void tri_signature_choose_report(const tri_signature_file *c, const tri_function *function, int code, tri_span at,
                                 tri_str name, const char *where)
{
    const tri_ast_list *params = tri_signature_params(function);
    const char **names = TRI_NEW_ARRAY(c->arena, const char *, params->len + 1);
    for (size_t i = 0; i < params->len; i++)
        names[i] = tri_str_copy(c->arena, params->at[i]->param.name).data;
    const char *nearest = tri_str_nearest(name, names, params->len);
    tri_diag_error(c->diag, at, code, "%s names '%.*s', which is no parameter of '%.*s'%s%s%s", where,
                   TRI_STR_ARG(name), TRI_STR_ARG(function->name), nearest ? "; did you mean '" : "",
                   nearest ? nearest : "", nearest ? "'?" : "");
    tri_diag_note(c->diag, tri_ast_name_span(function->node), "'%.*s' is defined here", TRI_STR_ARG(function->name));
}

/* --- which kernels ----------------------------------------------------------------------- */

/* Whether the -k at hand names the kernel of one in front of it. */
static bool is_repeated(const tri_signature_file *c, size_t k)
{
    bool is_found = false;
    for (size_t i = 0; i < k && !is_found; i++)
        is_found = tri_str_equal(c->options->kernels.at[i], c->options->kernels.at[k]);
    return is_found;
}

/* The kernel that is meant when none is named: that of the only -k, or the only one of the file. */
static const tri_function *only_kernel(const tri_signature_file *c, size_t *out_count)
{
    const tri_function *only = NULL;
    *out_count = 0;
    for (size_t k = 0; k < c->options->kernels.len; k++) {
        const tri_function *named = is_repeated(c, k) ? NULL : find_function(c, c->options->kernels.at[k]);
        only = named ? named : only;
        *out_count += named != NULL;
    }
    if (c->options->kernels.len)
        return *out_count == 1 ? only : NULL;
    for (size_t i = 0; i < c->functions.len; i++) {
        if (tri_signature_guess_helper(c->functions.at[i]) || c->functions.at[i]->is_alias)
            continue;
        only = c->functions.at[i];
        ++*out_count;
    }
    return *out_count == 1 ? only : NULL;
}

/* An unnamed -sig belongs to it. */
static bool name_texts(tri_signature_file *c)
{
    for (size_t i = 0; i < c->texts.len; i++) {
        tri_signature_text *text = &c->texts.at[i];
        if (text->kernel.len) {
            if (!find_function(c, text->kernel))
                return report_unknown_kernel(c, text->kernel_at, text->kernel), false;
            continue;
        }
        size_t count;
        const tri_function *only = only_kernel(c, &count);
        if (!count && c->options->kernels.len)
            return report_unknown_kernel(c, TRI_NO_SPAN, c->options->kernels.at[0]), false;
        if (!only) {
            tri_diag_error(c->diag, (tri_span){text->source, 0, (uint32_t)text->source->text.len}, TRI_SIG_BAD,
                           "-sig does not say which of %zu kernels it is for; write -sig 'NAME(...)' or add -k NAME",
                           count);
            return false;
        }
        text->kernel = only->name;
    }
    return true;
}

static bool check_defines(const tri_signature_file *c, const tri_signature_kernel *kernels, size_t count)
{
    for (size_t n = 0; n < c->options->defines.len; n++) {
        const tri_define *define = &c->options->defines.at[n];
        bool is_param = false;
        for (size_t i = 0; i < count; i++)
            is_param = is_param || tri_module_param_index(kernels[i].function, define->name) >= 0;
        tri_global global;
        if (is_param ||
            tri_module_find(tri_module_scope(c->main), define->name, TRI_NO_SPAN, &global) != TRI_LOOKUP_ABSENT)
            continue;
        if (count == 1)
            tri_signature_choose_report(c, kernels[0].function, TRI_SIG_UNKNOWN_DEFINE, TRI_NO_SPAN, define->name,
                                        "-D");
        else
            tri_diag_error(c->diag, TRI_NO_SPAN, TRI_SIG_UNKNOWN_DEFINE,
                           "-D names '%.*s', which is neither a parameter of a kernel nor a name of the file",
                           TRI_STR_ARG(define->name));
        return false;
    }
    return true;
}

/* Two kernels of an object must not be called the same. */
static bool check_names(const tri_signature_file *c)
{
    for (size_t i = 0; i < c->texts.len; i++) {
        const tri_signature_text *text = &c->texts.at[i];
        tri_str name = text->instance.len ? text->instance : text->kernel;
        tri_span at = text->instance.len ? text->instance_at : text->kernel_at;
        if (!at.source)
            at = (tri_span){text->source, 0, (uint32_t)text->source->text.len};
        bool is_taken = text->instance.len && find_function(c, name);
        for (size_t n = 0; n < i && !is_taken; n++) {
            const tri_signature_text *other = &c->texts.at[n];
            is_taken = tri_str_equal(name, other->instance.len ? other->instance : other->kernel);
        }
        if (!is_taken)
            continue;
        tri_diag_error(c->diag, at, TRI_SIG_BAD,
                       "there is a kernel '%.*s' already; call this one otherwise: -sig 'NAME = %.*s(...)'",
                       TRI_STR_ARG(name), TRI_STR_ARG(text->kernel));
        return false;
    }
    return true;
}

typedef struct {
    tri_signature_file *c;
    tri_signature_kernel *at;
    size_t count;
} choice;

static bool has_kernel(const choice *list, const tri_function *function, const tri_signature_text *text)
{
    bool found = false;
    for (size_t i = 0; i < list->count; i++)
        found = found || (list->at[i].function == function && list->at[i].text == text);
    return found;
}

/* A kernel for each -sig of a function, or one without any, that is not there yet: -k may name an instance, and its
 * function. `instance`: only that one; empty: all. */
static void add_kernels(choice *list, const tri_function *function, tri_str instance, bool is_explicit)
{
    tri_signature_file *c = list->c;
    bool has_texts = false;
    for (size_t i = 0; i < c->texts.len; i++) {
        tri_signature_text *text = &c->texts.at[i];
        if (!tri_str_equal(text->kernel, function->name) || (instance.len && !tri_str_equal(text->instance, instance)))
            continue;
        has_texts = true;
        if (!has_kernel(list, function, text))
            list->at[list->count++] =
                (tri_signature_kernel){.c = c, .function = function, .text = text, .is_explicit = true};
    }
    bool may_be_there = c->options->kernels.len; /* without -k each function comes once */
    if (!has_texts && !(may_be_there && has_kernel(list, function, NULL)))
        list->at[list->count++] = (tri_signature_kernel){.c = c, .function = function, .is_explicit = is_explicit};
}

static bool has_text(const tri_signature_file *c, const tri_function *function)
{
    for (size_t i = 0; i < c->texts.len; i++)
        if (tri_str_equal(c->texts.at[i].kernel, function->name))
            return find_function(c, function->name) == function;
    return false;
}

/* -k NAME: a function, or what -sig calls an instance of one. */
static bool add_named(choice *list, tri_str name)
{
    tri_signature_file *c = list->c;
    const tri_function *function = find_function(c, name);
    tri_str instance = TRI_STR("");
    for (size_t i = 0; !function && i < c->texts.len; i++) {
        if (!tri_str_equal(c->texts.at[i].instance, name))
            continue;
        function = find_function(c, c->texts.at[i].kernel);
        instance = name;
    }
    if (!function)
        return report_unknown_kernel(c, TRI_NO_SPAN, name), false;
    add_kernels(list, function, instance, true);
    return true;
}

/* The kernels that the options name; without any, all that are no helpers. */
static bool choose_kernels(tri_signature_file *c, tri_signature_kernel **out_kernels, size_t *out_count)
{
    const tri_options *o = c->options;
    size_t most = (c->functions.len + o->kernels.len) + (o->kernels.len + 1) * c->texts.len + 1;
    choice list = {c, TRI_NEW_ARRAY(c->arena, tri_signature_kernel, most), 0};
    for (size_t i = 0; i < o->kernels.len; i++)
        if (!add_named(&list, o->kernels.at[i]))
            return false;
    for (size_t i = 0; !o->kernels.len && i < c->functions.len; i++) {
        const tri_function *function = c->functions.at[i];
        if (c->texts.len ? has_text(c, function) : !tri_signature_guess_helper(function) && !function->is_alias)
            add_kernels(&list, function, TRI_STR(""), c->texts.len > 0);
    }
    *out_kernels = list.at;
    *out_count = list.count;
    return true;
}

const tri_function *tri_signature_choose_only(tri_signature_file *c)
{
    size_t count;
    if (c->options->kernels.len && !find_function(c, c->options->kernels.at[0]))
        return report_unknown_kernel(c, TRI_NO_SPAN, c->options->kernels.at[0]), NULL;
    const tri_function *only = only_kernel(c, &count);
    if (only)
        return only;
    tri_diag_error(c->diag, TRI_NO_SPAN, TRI_SIG_UNKNOWN_KERNEL, "'%.*s' has %zu kernels; choose one with -k NAME",
                   TRI_STR_ARG(tri_module_ast(c->main)->source->name), count);
    for (size_t i = 0; i < c->functions.len; i++) {
        const tri_function *f = c->functions.at[i];
        if (!tri_signature_guess_helper(f) && !f->is_alias)
            tri_diag_note(c->diag, tri_ast_name_span(f->node), "-k %.*s", TRI_STR_ARG(f->name));
    }
    return NULL;
}

/* Does the -k name this kernel, by its own name or by that of one of its instances? */
static bool is_named(const tri_signature_file *c, tri_str name, tri_str kernel)
{
    for (size_t i = 0; i < c->texts.len; i++)
        if (tri_str_equal(c->texts.at[i].instance, name) && tri_str_equal(c->texts.at[i].kernel, kernel))
            return true;
    return tri_str_equal(name, kernel);
}

/* A -sig of a kernel that -k leaves out would do nothing. */
static bool check_texts(const tri_signature_file *c)
{
    for (size_t i = 0; i < c->texts.len && c->options->kernels.len; i++) {
        const tri_signature_text *text = &c->texts.at[i];
        bool is_used = false;
        for (size_t k = 0; k < c->options->kernels.len && !is_used; k++)
            is_used = is_named(c, c->options->kernels.at[k], text->kernel);
        if (is_used)
            continue;
        tri_diag_error(c->diag, (tri_span){text->source, 0, (uint32_t)text->source->text.len}, TRI_SIG_BAD,
                       "this -sig is for '%.*s', which -k leaves out", TRI_STR_ARG(text->kernel));
        tri_diag_note(c->diag, TRI_NO_SPAN, "add -k %.*s, or leave -k away", TRI_STR_ARG(text->kernel));
        return false;
    }
    return true;
}

bool tri_signature_choose(tri_signature_file *c, tri_signature_kernel **out_kernels, size_t *out_count)
{
    return name_texts(c) && check_names(c) && choose_kernels(c, out_kernels, out_count) && check_texts(c) &&
           check_defines(c, *out_kernels, *out_count);
}
