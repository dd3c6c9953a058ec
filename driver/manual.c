#include "driver/manual.h"

#include "driver/explain.h"
#include "driver/completion.h"
#include "driver/language.h"
#include "driver/opt.h"

void tri_manual_add(tri_buf *out, tri_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool is_first = i == 0 || text.data[i - 1] == '\n';
        if (is_first && (c == '.' || c == '\''))
            tri_buf_add_z(out, "\\&");
        if (c == '\\')
            tri_buf_add_z(out, "\\e");
        else
            tri_buf_add_char(out, c);
    }
}

/* Words of a metavar as mdoc arguments; what mdoc would take for a macro or an escape is guarded. */
static void add_mdoc_word(tri_buf *out, const char *word)
{
    for (const char *c = word; *c; c++) {
        if (*c == '\\')
            tri_buf_add_z(out, "\\e");
        else if (*c == '-')
            tri_buf_add_z(out, "\\-");
        else
            tri_buf_add_char(out, *c);
    }
}

void tri_manual_add_prose(tri_buf *out, tri_str text)
{
    size_t from = 0;
    for (size_t i = 2; i < text.len; i++)
        if (strchr(".?:", text.data[i - 2]) && text.data[i - 1] == ' ' && text.data[i] >= 'A' && text.data[i] <= 'Z') {
            tri_manual_add(out, tri_str_sub(text, from, i - 1));
            tri_buf_add_char(out, '\n');
            from = i;
        }
    tri_manual_add(out, tri_str_sub(text, from, text.len));
}

static void print_mdoc_row(const tri_option_row *row, tri_buf *out)
{
    tri_buf_add_z(out, ".It Fl ");
    if (tri_option_is_long(row))
        tri_buf_add_z(out, "\\-");
    add_mdoc_word(out, row->name);
    if (row->metavar) {
        bool is_optional = tri_option_may_lack_value(row);
        bool has_equals = is_optional || row->form == TRI_OPTION_EQUALS || row->form == TRI_OPTION_LONGARG;
        bool is_separate = row->form == TRI_OPTION_WORD;
        tri_buf_format(out, "%s Ar ",
                       is_separate   ? ""
                       : is_optional ? " Ns Oo Ns = Ns"
                       : has_equals  ? " Ns = Ns"
                                     : " Ns");
        add_mdoc_word(out, row->metavar);
        if (is_optional)
            tri_buf_add_z(out, " Oc");
    }
    tri_buf_add_char(out, '\n');
    tri_str help = tri_str_from(row->help);
    char first = help.data[0];
    bool is_name = strcspn(help.data, "_0123456789") < strcspn(help.data, " "); /* sm_90a */
    tri_buf_format(out, "%c%.*s.\n%s", first >= 'a' && first <= 'z' && !is_name ? first - 'a' + 'A' : first,
                   (int)help.len - 1, help.data + 1, row->manual);
}

void tri_manual_options(const tri_option_table *table, tri_buf *out)
{
    bool is_open = false;
    for (size_t i = 0; i < table->count; i++) {
        const tri_option_row *row = &table->rows[i];
        if (!row->name) {
            tri_buf_format(out, "%s.Ss %s\n.Bl -tag -width Ds\n", is_open ? ".El\n" : "", row->title);
            is_open = true;
        } else if (row->help) {
            print_mdoc_row(row, out);
        }
    }
    tri_buf_add_z(out, ".El\n");
}

static void print_mdoc(tri_buf *out) { tri_manual_options(&tri_opt_table, out); }

static void print_mdoc_stages(tri_buf *out)
{
    tri_buf_add_z(out, ".Bl -column \"spvasm\" \".spvasm\" \"text\"\n.It Em Kind Ta Em Suffix Ta Em Contents\n");
    for (int k = 1; k < TRI_KIND_COUNT; k++) {
        const tri_kind_row *kind = tri_phase_kind((tri_kind)k);
        if (kind->name)
            tri_buf_format(out, ".It Cm %s Ta Pa %s Ta %s\n", kind->name, kind->suffix, kind->help);
    }
    tri_buf_add_z(out, ".El\n");
}

static void print_mdoc_passes(tri_buf *out)
{
    tri_buf_add_z(out, ".Bl -tag -width Ds -compact\n");
    for (size_t i = 0; i < tri_passes_count(); i++) {
        const tri_pass *pass = tri_passes_at(i);
        tri_buf_format(out, ".It Cm %s", pass->name);
        for (const char *c = pass->alias ? pass->alias : ""; *c; c += *c == ',') {
            size_t length = strcspn(c, ",");
            tri_buf_format(out, " , Cm %.*s", (int)length, c);
            c += length;
        }
        tri_buf_format(out, "\n%s\n", pass->help);
        for (size_t j = 0; pass->options && pass->options[j]; j++)
            tri_buf_format(out, ".br\n.Cm %.*s :\n%s\n", (int)strcspn(pass->options[j], ":"), pass->options[j],
                           pass->options[j] + strcspn(pass->options[j], ":") + strlen(": "));
    }
    tri_buf_add_z(out, ".El\n");
}

static void print_mdoc_warnings(tri_buf *out)
{
    const char *name, *help;
    tri_buf_add_z(out, ".Bl -tag -width \"unicode-name\" -compact\n");
    for (size_t i = 0; (name = tri_diag_warning_name(i, &help)); i++)
        tri_buf_format(out, ".It Cm %s\n%s\n", name, help);
    tri_buf_add_z(out, ".El\n");
}

static void print_mdoc_archs(tri_buf *out)
{
    tri_buf_add_z(out, ".Bl -tag -width \"sm_100a\" -compact\n");
    for (size_t i = 0; i < tri_targets_count(); i++)
        for (const tri_machine_facts *arch = tri_machines_first(tri_targets_at(i)->family); arch;
             arch = tri_machines_next(arch))
            tri_buf_format(out, ".It Cm %s\n%s\n", arch->name, arch->help);
    tri_buf_add_z(out, ".El\n");
}

static const char *product_text(const tri_machine_facts *m)
{
    switch (m->mma) {
    case TRI_MMA_SYNC: return m->has_warp_groups ? "mma, wgmma" : m->mma_version >= 2 ? "mma" : "fma";
    case TRI_MMA_MFMA: return "mfma";
    case TRI_MMA_WMMA: return "wmma";
    case TRI_MMA_DPAS: return "dpas";
    default: return m->lanes > 1 ? "fma" : "vectors";
    }
}

static void print_mdoc_facts(tri_buf *out)
{
    tri_buf_add_z(out, ".Bl -column \"spirv64-sg32\" \"warp\" \"shared\" \"mma, wgmma\" \"fp8\"\n"
                       ".It Em Name Ta Em Warp Ta Em Shared Ta Em Products Ta Em fp8\n");
    for (size_t i = 0; i < tri_targets_count(); i++)
        for (const tri_machine_facts *m = tri_machines_first(tri_targets_at(i)->family); m; m = tri_machines_next(m)) {
            tri_buf_format(out, ".It Cm %s Ta ", m->name);
            tri_buf_format(out, m->lanes > 1 ? "%d" : "\\-", m->lanes);
            tri_buf_add_z(out, " Ta ");
            tri_buf_format(out, m->max_shared ? "%u" : "\\-", m->max_shared / 1024);
            tri_buf_format(out, " Ta %s Ta%s%s%s\n", product_text(m), m->fp8 & TRI_FP8_E4NV ? " e4nv" : "",
                           m->fp8 & TRI_FP8_E4B8 ? " e4b8" : "", m->fp8 & TRI_FP8_E5B16 ? " e5b16" : "");
        }
    tri_buf_add_z(out, ".El\n");
}

/* A call with arguments of the manual's kernel, of the types of the form at `forms`. */
static void add_libdevice_example(const char *name, const char *forms, tri_buf *out)
{
    static const char letters[] = "fdiulv";
    static const char *const arguments[] = {"x",         "x.to(tl.float64)",    "i",
                                            "i.to(tl.uint32)", "i.to(tl.int64)", "i.to(tl.uint64)"};
    tri_buf_format(out, "tl.extra.libdevice.%s(", name);
    for (const char *c = forms; *c != '='; c++)
        tri_buf_format(out, "%s%s", c == forms ? "" : ", ", arguments[strchr(letters, *c) - letters]);
    tri_buf_add_char(out, ')');
}

/* Types of the arguments of each form of a function: "ff=f NAME; dd=d NAME" is fp32 and fp64. */
static void print_mdoc_libdevice(tri_buf *out)
{
    static const struct {
        const char *name, *forms;
    } rows[] = {
#define X(name, forms) {name, forms},
#include "frontend/builtins/libdevice.def"
#undef X
    };
    static const char letters[] = "fdiulvb", *const words[] = {"fp32", "fp64", "i32", "u32", "i64", "u64", "i1"};
    tri_buf_add_z(out, ".Bl -tag -width \"float_as_uint\" -compact\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tri_buf_format(out, ".It Fn %s\n", rows[i].name);
        for (const char *c = rows[i].forms; *c;) {
            for (const char *start = c; *c != '='; c++)
                tri_buf_format(out, "%s%s", c == start ? "" : " ", words[strchr(letters, *c) - letters]);
            c += strcspn(c, ";");
            c += strspn(c, "; ");
            tri_buf_add_z(out, *c ? ", " : ":\n.Ql ");
        }
        add_libdevice_example(rows[i].name, rows[i].forms, out);
        tri_buf_add_char(out, '\n');
    }
    tri_buf_add_z(out, ".El\n");
}

/* What host code may call: Python's own, then by module, which the rows of the table are in order of. */
static void print_mdoc_host(tri_buf *out)
{
    static const char *const paths[] = {
#define BUILTIN(path, function) path,
#define MATH(path, function) path,
#define REGEX(path, function) path,
#include "frontend/host/host_builtins.def"
    };
    tri_buf_add_z(out, ".Bd -ragged\n");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const char *after = i + 1 < sizeof paths / sizeof *paths ? "," : ".";
        tri_buf_format(out, ".Fn %s %s\n", paths[i], after);
    }
    tri_buf_add_z(out, ".Ed\n");
}

bool tri_manual_table(tri_diag *diag, tri_str format, tri_buf *out)
{
    static const struct {
        const char *name;
        void (*print)(tri_buf *out);
    } tables[] = {
        {"man-options", print_mdoc},          {"man-stages", print_mdoc_stages},    {"man-passes", print_mdoc_passes},
        {"man-archs", print_mdoc_archs},      {"man-warnings", print_mdoc_warnings}, {"man-errors", tri_explain_manual},
        {"man-facts", print_mdoc_facts},      {"man-language", tri_language_manual},
        {"man-libdevice", print_mdoc_libdevice}, {"man-host", print_mdoc_host},
    };
    if (tri_completion_print(&tri_opt_table, format, out))
        return true;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (tri_str_is(format, tables[i].name)) {
            tables[i].print(out);
            return true;
        }
    }
    tri_diag_error(diag, TRI_NO_SPAN, 1002, "unknown format '%.*s' of the option table", TRI_STR_ARG(format));
    return false;
}
