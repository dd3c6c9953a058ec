/* The C header of an object's kernels. */
#include "targets/object.h"

#include <ctype.h>

/* ---- types ---- */

static const tri_object_ctype scalars[] = {
    {"i1", "int8_t", 8, TRI_CTYPE_INT, false, 0},    {"u1", "uint8_t", 8, TRI_CTYPE_INT, false, 0},
    {"i8", "int8_t", 8, TRI_CTYPE_INT, false, 0},    {"u8", "uint8_t", 8, TRI_CTYPE_INT, false, 0},
    {"i16", "int16_t", 16, TRI_CTYPE_INT, false, 0}, {"u16", "uint16_t", 16, TRI_CTYPE_INT, false, 0},
    {"i32", "int32_t", 32, TRI_CTYPE_INT, false, 0}, {"u32", "uint32_t", 32, TRI_CTYPE_INT, false, 0},
    {"i64", "int64_t", 64, TRI_CTYPE_INT, false, 0}, {"u64", "uint64_t", 64, TRI_CTYPE_INT, false, 0},
    {"fp32", "float", 32, TRI_CTYPE_F32, false, 0},  {"f32", "float", 32, TRI_CTYPE_F32, false, 0},
    {"fp64", "double", 64, TRI_CTYPE_F64, false, 0}, {"f64", "double", 64, TRI_CTYPE_F64, false, 0},
    {"fp16", "float", 16, TRI_CTYPE_F16, false, 0},  {"f16", "float", 16, TRI_CTYPE_F16, false, 0},
    {"bf16", "float", 16, TRI_CTYPE_BF16, false, 0},
};

static const tri_object_ctype *find_scalar(tri_str name)
{
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (tri_str_is(name, scalars[i].name))
            return &scalars[i];
    return NULL;
}

/* "*fp32", "*kfp32" (const in the source). What C has no type for is void. */
static tri_object_ctype pointer_type(const tri_kernel_param *param)
{
    tri_str pointee = tri_str_sub(param->type, 1, param->type.len);
    bool is_const = param->is_read_only;
    if (tri_str_has_prefix(pointee, "k")) {
        is_const = true;
        pointee = tri_str_sub(pointee, 1, pointee.len);
    }
    const tri_object_ctype *element = find_scalar(pointee);
    bool has_c_type = element && element->kind != TRI_CTYPE_F16 && element->kind != TRI_CTYPE_BF16;
    return (tri_object_ctype){"*", has_c_type ? element->c : "void", 0, TRI_CTYPE_PTR, is_const, 0};
}

/* "tensordesc<fp16[64, 32]>" */
static tri_object_ctype desc_type(tri_str text)
{
    tri_object_ctype type = {"tensordesc", "tri_tensordesc", 0, TRI_CTYPE_DESC, true, 1};
    for (size_t i = tri_str_find(text, '['); i < text.len; i++)
        type.rank += text.data[i] == ',';
    return type;
}

bool tri_object_get_ctype(const tri_target *target, const tri_kernel_param *param, tri_object_ctype *out_type)
{
    if (tri_str_has_prefix(param->type, "tensordesc<") && !target->ttgir_pipeline) {
        *out_type = desc_type(param->type);
        return true;
    }
    if (tri_str_has_prefix(param->type, "*")) {
        *out_type = pointer_type(param);
        return true;
    }
    const tri_object_ctype *t = find_scalar(param->type);
    if (!t)
        return false;
    *out_type = *t;
    return true;
}

/* ---- text ---- */

/* include/tritcc/launch.h, word for word; made by targets/targets.mk */
extern const char tri_launch_header[], tri_launch_header_end[];

static void add_guard(tri_str guard, tri_buf *out)
{
    tri_buf_add_z(out, "TRITCC_");
    for (size_t i = 0; i < guard.len; i++)
        tri_buf_add_char(out, isalnum((unsigned char)guard.data[i]) ? (char)toupper((unsigned char)guard.data[i]) : '_');
}

/* Words that are no parameter names in C or C++ though they are in the source language. */
static bool is_reserved(tri_str name)
{
    static const char *const words[] = {
        "auto",     "bool",    "break",    "case",     "catch",   "char",     "class",    "const",    "default",
        "delete",   "do",      "double",   "enum",     "explicit", "export",  "extern",   "float",    "friend",
        "goto",     "inline",  "int",      "long",     "mutable", "namespace", "new",     "operator", "private",
        "protected", "public", "register", "restrict", "short",   "signed",   "sizeof",   "static",   "struct",
        "switch",   "template", "this",    "throw",    "try",     "typedef",  "typename", "union",    "unsigned",
        "using",    "virtual", "void",     "volatile", "stream",  "grid",     "asm",      "true",     "false"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tri_str_is(name, words[i]))
            return true;
    return false;
}

static bool add_prototype(tri_unit *unit, const tri_kernel *k, const char *suffix, tri_buf *out)
{
    bool has_lengths = *suffix;
    tri_buf_format(out, "int %.*s%s(tri_stream stream, tri_grid grid", TRI_STR_ARG(k->name), suffix);
    for (size_t i = 0; i < k->params.len; i++) {
        const tri_kernel_param *p = &k->params.at[i];
        tri_object_ctype type;
        if (p->is_constexpr)
            continue;
        if (!tri_object_get_ctype(unit->target, p, &type)) {
            tri_diag_error(unit->diag, TRI_NO_SPAN, 0,
                           "parameter '%.*s' of kernel '%.*s' has type '%.*s', which a C launcher cannot take",
                           TRI_STR_ARG(p->name), TRI_STR_ARG(k->name), TRI_STR_ARG(p->type));
            return false;
        }
        bool is_ptr = type.kind == TRI_CTYPE_PTR;
        tri_buf_format(out, ",\n    %s%s %s%.*s%s", type.is_const ? "const " : "", type.c,
                       is_ptr || type.kind == TRI_CTYPE_DESC ? "*" : "",
                       TRI_STR_ARG(p->name), is_reserved(p->name) ? "_" : "");
        if (is_ptr && has_lengths)
            tri_buf_format(out, ", uint64_t %.*s_bytes", TRI_STR_ARG(p->name));
    }
    tri_buf_add_z(out, ");\n");
    return true;
}

static void add_comment(const tri_kernel *k, tri_buf *out)
{
    tri_buf_format(out, "/* %.*s", TRI_STR_ARG(k->name));
    bool has_any = false;
    for (size_t i = 0; i < k->params.len; i++) {
        const tri_kernel_param *p = &k->params.at[i];
        if (!p->is_constexpr && p->divisibility <= 1)
            continue;
        tri_buf_add_z(out, has_any ? ", " : ": ");
        has_any = true;
        if (p->is_constexpr)
            tri_buf_format(out, "%.*s = %.*s", TRI_STR_ARG(p->name), TRI_STR_ARG(p->value));
        else
            tri_buf_format(out, "%.*s divisible by %d", TRI_STR_ARG(p->name), p->divisibility);
    }
    if (k->launch_pdl)
        tri_buf_add_z(out, ".\n * Launched with programmatic stream serialization: may start before what is in front of it has ended");
    if (k->launch_cooperative)
        tri_buf_add_z(out, ".\n * Launched cooperatively: all programs must fit on the device at once");
    tri_buf_add_z(out, ".\n * 0 is success; tri_strerror() explains other results. */\n");
}

bool tri_header_write(tri_unit *unit, tri_str guard, tri_buf *out)
{
    tri_str name = guard.len ? guard : unit->kernels.len ? unit->kernels.at[0].name : TRI_STR("kernels");
    tri_buf_add_z(out, "/* Generated by tritcc; do not edit. */\n#ifndef ");
    add_guard(name, out);
    tri_buf_add_z(out, "_INCLUDED\n#define ");
    add_guard(name, out);
    tri_buf_add_z(out, "_INCLUDED\n\n");
    tri_buf_add(out, tri_launch_header, (size_t)(tri_launch_header_end - tri_launch_header));
    tri_buf_add_z(out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    for (size_t i = 0; i < unit->kernels.len; i++) {
        const tri_kernel *k = &unit->kernels.at[i];
        tri_buf_add_char(out, '\n');
        add_comment(k, out);
        if (!add_prototype(unit, k, "", out))
            return false;
        if (unit->options->sanitize & TRI_SANITIZE_BOUNDS) {
            tri_buf_add_z(out, "/* The same, with every access checked against the bytes behind each pointer. */\n");
            if (!add_prototype(unit, k, "_checked", out))
                return false;
        }
        tri_buf_format(out, "/* The compiled forms that the object holds. */\n"
                            "const tri_variant *%.*s_variants(int *out_count);\n",
                       TRI_STR_ARG(k->name));
        tri_buf_format(out, "/* Which of them a device takes, or -1. */\nint %.*s_selected(int device);\n",
                       TRI_STR_ARG(k->name));
        tri_buf_format(out,
                       "/* Loads before the first launch, which would do it too; ends what was loaded. */\n"
                       "int %.*s_load(int device);\nint %.*s_unload(int device);\n",
                       TRI_STR_ARG(k->name), TRI_STR_ARG(k->name));
    }
    tri_buf_add_z(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    return true;
}
