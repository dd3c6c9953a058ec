/* The C header of an object's kernels. */
#include "targets/object/object.h"

#include "ir/options.h"

#include <ctype.h>

/* include/tritcc/launch.h, word for word; made by targets/targets.mk */
extern const char tri_launch_header[], tri_launch_header_end[];

static void add_guard(tri_str guard, tri_buf *out)
{
    tri_buf_add_z(out, "TRITCC_");
    for (size_t i = 0; i < guard.len; i++)
        tri_buf_add_char(out,
                         isalnum((unsigned char)guard.data[i]) ? (char)toupper((unsigned char)guard.data[i]) : '_');
}

static bool is_one_of(tri_str name, const char *const *words)
{
    while (*words && !tri_str_is(name, *words))
        words++;
    return *words != NULL;
}

/* Words of C or C++ that are names in the source language. */
static bool is_keyword(tri_str name)
{
    static const char *const words[] = {
        "alignas",  "alignof", "and_eq",   "asm",      "auto",    "bitand",   "bitor",    "bool",     "case",
        "catch",    "char",    "char16_t", "char32_t", "char8_t", "compl",    "concept",  "const",    "const_cast",
        "consteval", "constexpr", "constinit", "decltype", "default", "delete", "do",     "double",   "dynamic_cast",
        "enum",     "explicit", "export",  "extern",   "false",   "float",    "friend",   "goto",     "inline",
        "int",      "long",    "mutable",  "namespace", "new",    "noexcept", "not_eq",   "nullptr",  "operator",
        "or_eq",    "private", "protected", "public",  "register", "reinterpret_cast", "requires", "restrict", "short",
        "signed",   "sizeof",  "static",   "static_assert", "static_cast", "struct", "switch", "template", "this",
        "thread_local", "throw", "true",   "try",      "typedef", "typeid",   "typename", "typeof",   "union",
        "unsigned", "using",   "virtual",  "void",     "volatile", "wchar_t", "xor",      "xor_eq",   NULL};
    return is_one_of(name, words);
}

bool tri_header_is_reserved(tri_str name)
{
    static const char *const ours[] = {"stream", "grid", NULL};
    return is_keyword(name) || is_one_of(name, ours);
}

/* A launcher is called as its kernel. */
static bool check_name(const tri_bundle *bundle, tri_str name)
{
    if (!is_keyword(name) && !tri_str_is(name, "main"))
        return true;
    tri_diag_error(bundle->diag, TRI_NO_SPAN, 6006,
                   "no function of C can be called '%.*s' as the kernel is; give it another name: -sig 'NAME = "
                   "%.*s(...)', or -prefix=NAME_",
                   TRI_STR_ARG(name), TRI_STR_ARG(name));
    return false;
}

static bool add_prototype(const tri_object_kernel *kernel, const char *suffix, tri_buf *out)
{
    bool has_lengths = !strcmp(suffix, "_checked"), has_grid = tri_object_takes_grid(kernel, suffix);
    tri_object_args args = {.slots = 0};
    if (!tri_object_get_args(kernel->unit, kernel->general, &args))
        return false;
    tri_buf_format(out, "int %.*s%s(tri_stream stream%s", TRI_STR_ARG(kernel->name), suffix,
                   has_grid ? ", tri_grid grid" : "");
    for (size_t i = 0; i < args.at.len; i++) {
        const tri_object_arg *a = &args.at.at[i];
        bool is_ptr = a->type.kind == TRI_CTYPE_PTR;
        tri_buf_format(out, ",\n    %s%s %s%.*s%s", a->type.is_const ? "const " : "", a->type.c,
                       is_ptr || a->type.kind == TRI_CTYPE_DESC ? "*" : "", TRI_STR_ARG(a->name),
                       tri_header_is_reserved(a->name) ? "_" : "");
        if (is_ptr && has_lengths)
            tri_buf_format(out, ", uint64_t %.*s_bytes", TRI_STR_ARG(a->name));
    }
    tri_buf_add_z(out, ");\n");
    return true;
}

/* A constant as C spells it; empty: it has no such form. */
static const char *constant_text(tri_arena *arena, tri_str value)
{
    if (tri_str_is(value, "True") || tri_str_is(value, "False"))
        return tri_str_is(value, "True") ? "1" : "0";
    size_t digits = 0, others = 0;
    for (size_t i = value.len && value.data[0] == '-'; i < value.len; i++) {
        digits += isdigit((unsigned char)value.data[i]) != 0;
        others += !isdigit((unsigned char)value.data[i]) && !strchr(".e+-", value.data[i]);
    }
    if (!digits || others)
        return "";
    const char *text = tri_str_copy(arena, value).data;
    return *text == '-' ? tri_str_format(arena, "(%s)", text).data : text;
}

/* Has the parameter this value in every configuration and form? */
static bool is_constant(const tri_bundle *bundle, tri_str name, const tri_kernel_param *param)
{
    bool is_same = true;
    for (size_t p = 0; p < bundle->parts.len; p++) {
        tri_object_variants forms = tri_object_list_variants(&bundle->parts.at[p], name);
        for (size_t f = 0; f < forms.len; f++) /* heuristics make it differ among forms */
            for (size_t i = 0; i < forms.at[f]->params.len; i++)
                if (tri_str_equal(forms.at[f]->params.at[i].name, param->name))
                    is_same = is_same && tri_str_equal(forms.at[f]->params.at[i].value, param->value);
    }
    return is_same;
}

static void add_comment(const tri_bundle *bundle, const tri_object_kernel *kernel, tri_buf *out)
{
    const tri_kernel *k = kernel->general;
    tri_buf_format(out, "/* %.*s", TRI_STR_ARG(k->name));
    bool has_any = false;
    for (size_t i = 0; i < k->params.len; i++) {
        const tri_kernel_param *p = &k->params.at[i];
        if (p->is_constexpr ? !is_constant(bundle, kernel->name, p) : p->divisibility <= 1)
            continue;
        tri_buf_add_z(out, has_any ? ", " : ": ");
        has_any = true;
        if (p->is_constexpr)
            tri_buf_format(out, "%.*s = %.*s", TRI_STR_ARG(p->name), TRI_STR_ARG(p->value));
        else
            tri_buf_format(out, "%.*s divisible by %d", TRI_STR_ARG(p->name), p->divisibility);
    }
    if (k->launch_pdl)
        tri_buf_add_z(
            out,
            ".\n * Launched with programmatic stream serialization: may start before what is in front of it has ended");
    if (k->launch_cooperative)
        tri_buf_add_z(out, ".\n * Launched cooperatively: all programs must fit on the device at once");
    tri_buf_add_z(out, ".\n * 0 is success; tri_strerror() explains other results. */\n");
}

/* #define k_BLOCK_SIZE 1024, for callers that compute a grid. */
static void add_constants(const tri_bundle *bundle, const tri_object_kernel *kernel, tri_buf *out)
{
    for (size_t i = 0; i < kernel->general->params.len; i++) {
        const tri_kernel_param *p = &kernel->general->params.at[i];
        const char *text = p->is_constexpr && !p->passed_type.len ? constant_text(kernel->unit->arena, p->value) : "";
        if (*text && is_constant(bundle, kernel->name, p))
            tri_buf_format(out, "#define %.*s_%.*s %s\n", TRI_STR_ARG(kernel->name), TRI_STR_ARG(p->name), text);
    }
}

static bool add_kernel(const tri_bundle *bundle, const tri_object_kernel *kernel, tri_buf *out)
{
    tri_str name = kernel->name;
    tri_buf_add_char(out, '\n');
    add_constants(bundle, kernel, out);
    add_comment(bundle, kernel, out);
    if (!add_prototype(kernel, "", out))
        return false;
    if (kernel->general->grid.len) {
        tri_buf_add_z(out, "/* The same on the grid that its arguments ask for. */\n");
        if (!add_prototype(kernel, "_run", out))
            return false;
    }
    if (tri_object_count_configs(bundle, name) > 1) {
        tri_buf_add_z(out, "/* Runs every configuration many times with these arguments; the fastest is taken from "
                           "then on. */\n");
        if (!add_prototype(kernel, "_tune", out))
            return false;
    }
    if (kernel->unit->options->sanitize & TRI_SANITIZE_BOUNDS) {
        tri_buf_add_z(out, "/* The same, with every access checked against the bytes behind each pointer. */\n");
        if (!add_prototype(kernel, "_checked", out))
            return false;
    }
    tri_buf_format(out, "/* The compiled forms that the object holds. */\n"
                        "const tri_variant *%.*s_variants(int *out_count);\n",
                   TRI_STR_ARG(name));
    tri_buf_format(out, "/* Which of them a device takes, or -1. */\nint %.*s_selected(int device);\n",
                   TRI_STR_ARG(name));
    tri_buf_format(out,
                   "/* Loads before the first launch, which would do it too; ends what was loaded. */\n"
                   "int %.*s_load(int device);\nint %.*s_unload(int device);\n",
                   TRI_STR_ARG(name), TRI_STR_ARG(name));
    return true;
}

bool tri_header_write(const tri_bundle *bundle, tri_str guard, tri_buf *out)
{
    tri_object_kernels kernels = tri_object_list_kernels(bundle);
    tri_str name = guard.len ? guard : kernels.len ? kernels.at[0].name : TRI_STR("kernels");
    tri_buf_add_z(out, "/* Generated by tritcc; do not edit. */\n#ifndef ");
    add_guard(name, out);
    tri_buf_add_z(out, "_INCLUDED\n#define ");
    add_guard(name, out);
    tri_buf_add_z(out, "_INCLUDED\n\n");
    tri_buf_add(out, tri_launch_header, (size_t)(tri_launch_header_end - tri_launch_header));
    tri_buf_add_z(out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    for (size_t i = 0; i < kernels.len; i++)
        if (!check_name(bundle, kernels.at[i].name) || !add_kernel(bundle, &kernels.at[i], out))
            return false;
    tri_buf_add_z(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    return true;
}
