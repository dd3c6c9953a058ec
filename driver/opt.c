#include "driver/opt.h"

#include "driver/args.h"
#include "driver/depfile.h"
#include "driver/environment.h"
#include "driver/estimate.h"
#include "driver/help.h"
#include "driver/sanitize.h"
#include "driver/tool.h"
#include "frontend/frontend.h"

#include <limits.h>
#include <stdlib.h>

typedef struct {
    tri_arena *arena;
    tri_diag *diag;
    tri_opt *opt;
    tri_kind language; /* -x in force */
} parser;

#define TRI_OPTION_FILE "driver/options.def"
#define TRI_OPTION_FIELDS tri_opt
#include "driver/option_rows.inc"

static bool usage(parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool usage(parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_str text = tri_str_vformat(p->arena, format, args);
    va_end(args);
    tri_diag_error(p->diag, TRI_NO_SPAN, 1002, "%s", text.data);
    return false;
}

/* Splits `list` at commas that stand outside braces, brackets and parentheses. */
static bool next_item(tri_str *list, tri_str *out_item)
{
    if (!list->len)
        return false;
    size_t i = 0;
    for (int depth = 0; i < list->len && (depth || list->data[i] != ','); i++)
        depth += strchr("{[(", list->data[i]) ? 1 : strchr("}])", list->data[i]) ? -(depth > 0) : 0;
    *out_item = tri_str_sub(*list, 0, i);
    *list = tri_str_sub(*list, i < list->len ? i + 1 : i, list->len);
    return true;
}

static bool unknown_kind(parser *p, tri_str name, bool inputs_only)
{
    const char *near = tri_phase_nearest_kind(name, inputs_only);
    if (near)
        return usage(p, "unknown kind '%.*s'; did you mean '%s'?", TRI_STR_ARG(name), near);
    return usage(p, "unknown kind '%.*s'; known are: %s", TRI_STR_ARG(name),
                 tri_phase_kind_names(p->arena, inputs_only).data);
}

static void add_emit(parser *p, tri_kind kind, tri_str path)
{
    tri_vec_push(p->arena, &p->opt->emits, (tri_opt_emit){kind, path});
}

static bool on_emit(parser *p, tri_str value)
{
    tri_str item;
    if (!value.len)
        return usage(p, "'-emit=' needs a kind: %s", tri_phase_kind_names(p->arena, false).data);
    while (next_item(&value, &item)) {
        size_t equals = tri_str_find(item, '=');
        tri_str name = tri_str_sub(item, 0, equals), path = TRI_STR("");
        if (equals < item.len) {
            path = tri_str_sub(item, equals + 1, item.len);
            if (!path.len)
                return usage(p, "'-emit=%.*s' names no file", TRI_STR_ARG(item));
        }
        tri_kind kind = tri_phase_find_kind(name);
        if (kind == TRI_KIND_NONE)
            return unknown_kind(p, name, false);
        if (kind == TRI_KIND_SOURCE)
            return usage(p, "'tri' is an input, it cannot be emitted");
        for (size_t i = 0; i < p->opt->emits.len; i++)
            if (p->opt->emits.at[i].kind == kind)
                return usage(p, "'%.*s' is asked for twice", TRI_STR_ARG(name));
        add_emit(p, kind, path);
    }
    return true;
}

static bool on_compile(parser *p, tri_str value)
{
    (void)value;
    for (size_t i = 0; i < p->opt->emits.len; i++)
        if (p->opt->emits.at[i].kind == TRI_KIND_OBJ)
            return true;
    add_emit(p, TRI_KIND_OBJ, TRI_STR(""));
    return true;
}

static bool on_assembly(parser *p, tri_str value)
{
    (void)value;
    add_emit(p, TRI_KIND_NONE, TRI_STR(""));
    return true;
}

static bool on_output(parser *p, tri_str value)
{
    if (!value.len)
        return usage(p, "'-o' names no file");
    if (p->opt->output.len)
        return usage(p, "'-o' is given twice: '%.*s' and '%.*s'", TRI_STR_ARG(p->opt->output), TRI_STR_ARG(value));
    p->opt->output = value;
    return true;
}

static bool on_language(parser *p, tri_str value)
{
    p->language = tri_phase_find_kind(value);
    if (tri_str_is(value, "none"))
        return true;
    if (p->language == TRI_KIND_NONE)
        return unknown_kind(p, value, true);
    if (!tri_phase_is_input(p->language))
        return usage(p, "'%.*s' cannot be an input; these can: %s", TRI_STR_ARG(value),
                     tri_phase_kind_names(p->arena, true).data);
    return true;
}

static bool on_save_temps(parser *p, tri_str value)
{
    p->opt->save_temps = true;
    p->opt->save_temps_dir = value;
    return true;
}

static bool on_define(parser *p, tri_str value)
{
    size_t equals = tri_str_find(value, '=');
    tri_define define = {tri_str_sub(value, 0, equals), TRI_STR("")};
    if (equals == value.len)
        return usage(p, "'-D%.*s' has no value; write -D%.*s=VALUE", TRI_STR_ARG(value), TRI_STR_ARG(value));
    define.value = tri_str_sub(value, equals + 1, value.len);
    if (!define.name.len || !define.value.len)
        return usage(p, "'-D%.*s' is not NAME=VALUE", TRI_STR_ARG(value));
    tri_vec_push(p->arena, &p->opt->compile.defines, define);
    return true;
}

static bool on_extern_lib(parser *p, tri_str value)
{
    size_t equals = tri_str_find(value, '=');
    tri_extern_lib library = {tri_str_sub(value, 0, equals),
                              tri_str_sub(value, equals < value.len ? equals + 1 : equals, value.len)};
    if (!library.name.len || !library.path.len)
        return usage(p, "'-extern-lib=%.*s' is not NAME=FILE", TRI_STR_ARG(value));
    tri_tool_add_library(p->arena, &p->opt->compile, library);
    return true;
}

static bool on_xbishengir(parser *p, tri_str value)
{
    tri_vec_push(p->arena, &p->opt->compile.bishengir_options, value);
    return true;
}

static bool on_arch(parser *p, tri_str value)
{
    const tri_target *target;
    const tri_machine_facts *arch;
    p->opt->compile.arch = value;
    return tri_targets_find(p->diag, value, &target, &arch);
}

static bool on_openmp(parser *p, tri_str value)
{
    (void)value;
    p->opt->compile.openmp = 1;
    return true;
}

static bool on_no_openmp(parser *p, tri_str value)
{
    (void)value;
    p->opt->compile.openmp = -1;
    return true;
}

static bool on_veclib(parser *p, tri_str value)
{
    p->opt->compile.no_vector_library = tri_str_is(value, "none");
    return tri_str_is(value, "none") || tri_str_is(value, "libmvec") ||
           usage(p, "'-fveclib=%.*s' is not known; libmvec and none are", TRI_STR_ARG(value));
}

static bool on_sanitize(parser *p, tri_str value)
{
    /* reports name source lines */
    return tri_sanitize_parse(p->diag, value, &p->opt->compile.sanitize) && on_lineinfo(p, value);
}

static bool power_of_two(parser *p, const char *name, tri_str value, int highest, int *out)
{
    int64_t n;
    if (!tri_str_to_i64(value, &n) || n < 1 || n > highest || (n & (n - 1)))
        return usage(p, "'%s=%.*s' is not a power of two from 1 to %d", name, TRI_STR_ARG(value), highest);
    *out = (int)n;
    return true;
}

static bool on_num_warps(parser *p, tri_str value)
{
    return power_of_two(p, "-num-warps", value, 1024, &p->opt->compile.num_warps);
}

static bool on_config(parser *p, tri_str value)
{
    int64_t n;
    p->opt->picks_config = tri_str_is(value, "best");
    if (tri_str_is(value, "all") || p->opt->picks_config) {
        p->opt->compile.config = p->opt->picks_config ? -1 : TRI_FRONTEND_ALL_CONFIGS;
        return true;
    }
    if (!tri_str_to_i64(value, &n) || n < 0 || n > 65535)
        return usage(p, "'-config=' takes a number from 0 to 65535, 'best' or 'all', not '%.*s'", TRI_STR_ARG(value));
    p->opt->compile.config = (int)n;
    return true;
}

/* It may be empty: a kernel may have no parameters. */
static bool on_signature(parser *p, tri_str value)
{
    tri_vec_push(p->arena, &p->opt->compile.signatures, value);
    return true;
}

static bool on_prefix(parser *p, tri_str value)
{
    if (!value.len)
        return usage(p, "'-prefix=' needs a value: NAME");
    for (size_t i = 0; i < value.len; i++) {
        char c = value.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && !(i && c >= '0' && c <= '9'))
            return usage(p, "'-prefix=%.*s' is not the start of a C name", TRI_STR_ARG(value));
    }
    p->opt->compile.prefix = value;
    return true;
}

static bool on_symbol(parser *p, tri_str value)
{
    if (!value.len)
        return usage(p, "'-symbol=' needs a value: NAME");
    for (size_t i = 0; i < value.len; i++) {
        char c = value.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
        if (!is_letter && !(i && c >= '0' && c <= '9'))
            return usage(p, "'-symbol=%.*s' is no name that code can have", TRI_STR_ARG(value));
    }
    p->opt->compile.symbol = value;
    return true;
}

static bool on_shared(parser *p, tri_str value)
{
    (void)value;
    p->opt->link = TRI_OPT_LINK_SHARED;
    return true;
}

static bool on_relocatable(parser *p, tri_str value)
{
    (void)value;
    p->opt->link = TRI_OPT_LINK_OBJECT;
    return true;
}

static bool on_num_ctas(parser *p, tri_str value)
{
    return power_of_two(p, "-num-ctas", value, 16, &p->opt->compile.num_ctas);
}

static bool on_optimize(parser *p, tri_str value)
{
    if (!value.len)
        value = TRI_STR("1");
    if (value.len != 1 || value.data[0] < '0' || value.data[0] > '3')
        return usage(p, "'-O%.*s' is not one of -O0 -O1 -O2 -O3", TRI_STR_ARG(value));
    p->opt->compile.opt_level = value.data[0] - '0';
    return true;
}

static bool on_release(parser *p, tri_str value)
{
    if (value.len != 3 || !tri_str_has_prefix(value, "3.") || value.data[2] < '6' || value.data[2] > '9')
        return usage(p, "'-femit-upstream=%.*s' is not one of 3.6, 3.7, 3.8 and 3.9", TRI_STR_ARG(value));
    p->opt->compile.release = 300u + (unsigned)(value.data[2] - '0');
    return true;
}

static bool on_descriptor_release(parser *p, tri_str value)
{
    if (!tri_str_is(value, "3.6") && !tri_str_is(value, "3.7"))
        return usage(p, "'-fdescriptor-parameters=%.*s' is neither 3.6 nor 3.7", TRI_STR_ARG(value));
    p->opt->compile.descriptor_release = tri_str_is(value, "3.6") ? 306 : 307;
    return true;
}

static bool on_debug(parser *p, tri_str value)
{
    (void)value;
    p->opt->compile.debug = TRI_DEBUG_FULL;
    return true;
}

static bool on_lineinfo(parser *p, tri_str value)
{
    (void)value;
    if (p->opt->compile.debug == TRI_DEBUG_NONE)
        p->opt->compile.debug = TRI_DEBUG_LINES;
    return true;
}

static void choose_opt_mode(parser *p, const char *by)
{
    if (!p->opt->has_passes)
        p->opt->passes_by = tri_str_from(by);
    p->opt->has_passes = true;
}

static bool append_passes(parser *p, tri_str text)
{
    bool is_first = !p->opt->passes.len;
    p->opt->passes =
        tri_str_format(p->arena, "%.*s%s%.*s", TRI_STR_ARG(p->opt->passes), is_first ? "" : ",", TRI_STR_ARG(text));
    return tri_passes_check(p->diag, tri_str_copy(p->arena, text).data);
}

static bool on_passes(parser *p, tri_str value)
{
    choose_opt_mode(p, "-passes");
    return append_passes(p, value);
}

/* "coalesce", "tritongpu-coalesce", "convert-triton-to-tritongpu=target=cuda:90 num-warps=4". */
static bool on_pass_name(parser *p, tri_str name, tri_str options)
{
    choose_opt_mode(p, tri_str_format(p->arena, "-%.*s", TRI_STR_ARG(name)).data);
    if (tri_str_find(options, '}') < options.len)
        return usage(p, "the options '%.*s' of pass '%.*s' have a '}'", TRI_STR_ARG(options), TRI_STR_ARG(name));
    return append_passes(p, tri_str_format(p->arena, "%.*s{%.*s}", TRI_STR_ARG(name), TRI_STR_ARG(options)));
}

static bool on_split_input(parser *p, tri_str value)
{
    choose_opt_mode(p, "-split-input-file");
    p->opt->split_input = true;
    if (value.len)
        p->opt->input_marker = value;
    return true;
}

static bool on_dot_precision(parser *p, tri_str value)
{
    return tri_str_is(p->opt->compile.dot_precision = value, "ieee") || tri_str_is(value, "tf32") ||
           tri_str_is(value, "tf32x3") || tri_str_is(value, "bf16x3") || tri_str_is(value, "bf16x6") ||
           usage(p, "'-fdot-precision=%.*s' is no input precision; it can be ieee, tf32, tf32x3, bf16x3 or bf16x6",
                 TRI_STR_ARG(value));
}

static bool on_verify_diagnostics(parser *p, tri_str value)
{
    choose_opt_mode(p, "-verify-diagnostics");
    p->opt->verify_diagnostics = tri_str_is(value, "only-expected") ? TRI_OPT_VERIFY_EXPECTED : TRI_OPT_VERIFY_ALL;
    return !value.len || tri_str_is(value, "all") || tri_str_is(value, "only-expected") ||
           usage(p, "'-verify-diagnostics=%.*s' is not all or only-expected", TRI_STR_ARG(value));
}

static bool on_verify_each(parser *p, tri_str value)
{
    bool yes = p->opt->compile.verify_each = !value.len || tri_str_is(value, "true") || tri_str_is(value, "1");
    return yes || tri_str_is(value, "false") || tri_str_is(value, "0") ||
           usage(p, "'-verify-each=%.*s' is not true or false", TRI_STR_ARG(value));
}

static bool add_passes(parser *p, tri_str value, tri_opt_words *out)
{
    tri_str item;
    if (!value.len)
        return usage(p, "no pass is named; give 'all', or names of --list-passes");
    while (next_item(&value, &item)) {
        if (!tri_str_is(item, "all") && !tri_passes_find(item)) {
            tri_str name = tri_str_copy(p->arena, item);
            return tri_passes_check(p->diag, name.data);
        }
        const tri_pass *pass = tri_passes_find(item);
        tri_vec_push(p->arena, out, pass ? tri_str_from(pass->name) : item);
    }
    return true;
}

static bool on_print_before(parser *p, tri_str value) { return add_passes(p, value, &p->opt->print_before); }
static bool on_print_after(parser *p, tri_str value) { return add_passes(p, value, &p->opt->print_after); }

static bool on_print_before_all(parser *p, tri_str value)
{
    (void)value;
    return on_print_before(p, TRI_STR("all"));
}

static bool on_print_after_all(parser *p, tri_str value)
{
    (void)value;
    return on_print_after(p, TRI_STR("all"));
}

static bool set_mode(parser *p, tri_opt_mode mode, tri_str value)
{
    /* The first one counts, as in `tritcc --version --help`. */
    if (p->opt->mode == TRI_OPT_COMPILE) {
        p->opt->mode = mode;
        p->opt->mode_value = value;
    }
    return true;
}

static bool on_list_passes(parser *p, tri_str value) { return set_mode(p, TRI_OPT_LIST_PASSES, value); }
static bool on_print_pipeline(parser *p, tri_str value) { return set_mode(p, TRI_OPT_PRINT_PIPELINE, value); }
static bool on_print_targets(parser *p, tri_str value) { return set_mode(p, TRI_OPT_PRINT_TARGETS, value); }
static bool on_explain(parser *p, tri_str value) { return set_mode(p, TRI_OPT_EXPLAIN, value); }
static bool on_help(parser *p, tri_str value) { return set_mode(p, TRI_OPT_HELP, value); }
static bool on_version(parser *p, tri_str value) { return set_mode(p, TRI_OPT_VERSION, value); }
static bool on_dump_version(parser *p, tri_str value) { return set_mode(p, TRI_OPT_DUMP_VERSION, value); }
static bool on_dump_machine(parser *p, tri_str value) { return set_mode(p, TRI_OPT_DUMP_MACHINE, value); }
static bool on_lsp(parser *p, tri_str value) { return set_mode(p, TRI_OPT_SERVE, value); }
static bool on_list_kernels(parser *p, tri_str value) { return set_mode(p, TRI_OPT_LIST_KERNELS, value); }
static bool on_inspect(parser *p, tri_str value) { return set_mode(p, TRI_OPT_INSPECT, value); }
static bool on_option_table(parser *p, tri_str value) { return set_mode(p, TRI_OPT_TABLE, value); }

static bool on_time_report(parser *p, tri_str value)
{
    if (value.len && !tri_str_is(value, "json"))
        return usage(p, "'-ftime-report=%.*s' is not '-ftime-report' or '-ftime-report=json'", TRI_STR_ARG(value));
    p->opt->time_report = value.len ? TRI_OPT_REPORT_JSON : TRI_OPT_REPORT_TEXT;
    return true;
}

static bool set_launch_values(parser *p, const char *option, tri_str value)
{
    if (!tri_estimate_check(value))
        return usage(p, "'-%s=%.*s' is no list of NAME=NUMBER", option, TRI_STR_ARG(value));
    if (value.len)
        p->opt->launch_values = value;
    return true;
}

static bool on_estimate(parser *p, tri_str value)
{
    p->opt->estimate = true;
    return set_launch_values(p, "-estimate", value);
}

static bool on_cost_model(parser *p, tri_str value)
{
    p->opt->chooses = true;
    return set_launch_values(p, "fcost-model", value);
}

static bool on_depfile(parser *p, tri_str value)
{
    if (!value.len)
        return usage(p, "'-MF' names no file");
    p->opt->depfile_path = value;
    return true;
}

static bool on_dep_target(parser *p, tri_str value)
{
    tri_vec_push(p->arena, &p->opt->dep_targets, value);
    return true;
}

static bool on_dep_quoted(parser *p, tri_str value)
{
    tri_buf quoted = {0};
    tri_depfile_quote(value, &quoted);
    tri_str copy = tri_str_copy(p->arena, tri_buf_str(&quoted));
    tri_buf_fini(&quoted);
    return on_dep_target(p, copy);
}

static bool on_wall(parser *p, tri_str value)
{
    (void)value;
    tri_diag_set_warning(p->diag, TRI_STR("all"), true);
    return true;
}

static bool on_werror(parser *p, tri_str value)
{
    (void)value;
    tri_diag_set_werror(p->diag, true);
    return true;
}

/* False after a report. */
static bool is_warning(parser *p, tri_str name)
{
    enum { max_names = 64 };
    const char *names[max_names] = {"all"}, *help;
    size_t count = 1;
    while (count < max_names && (names[count] = tri_diag_warning_name(count - 1, &help)))
        count++;
    for (size_t i = 0; i < count; i++)
        if (tri_str_is(name, names[i]))
            return true;
    const char *near = tri_str_nearest(name, names, count);
    if (near)
        return usage(p, "unknown warning '%.*s'; did you mean '%s'?", TRI_STR_ARG(name), near);
    return usage(p, "unknown warning '%.*s'; --help=warnings lists them", TRI_STR_ARG(name));
}

static bool on_warning(parser *p, tri_str value)
{
    bool on = !tri_str_has_prefix(value, "no-");
    tri_str name = on ? value : tri_str_sub(value, 3, value.len);
    if (!name.len)
        return usage(p, "'-W%.*s' names no warning", TRI_STR_ARG(value));
    if (tri_str_is(name, "error")) {
        tri_diag_set_werror(p->diag, on);
        return true;
    }
    if (tri_str_is(name, "extra")) /* makefiles give it beside -Wall, which is all there is */
        name = TRI_STR("all");
    if (!is_warning(p, name))
        return false;
    tri_diag_set_warning(p->diag, name, on);
    return true;
}

static bool on_no_warnings(parser *p, tri_str value)
{
    (void)value;
    tri_diag_set_warning(p->diag, TRI_STR(""), false);
    return true;
}

static bool on_remarks(parser *p, tri_str value)
{
    value = value.len ? value : TRI_STR("all");
    tri_diag_set_remarks(p->diag, value);
    return tri_opt_check_group(p->arena, p->diag, "Rpass", value);
}

static bool on_missed(parser *p, tri_str value)
{
    value = value.len ? value : TRI_STR("all");
    tri_diag_set_missed(p->diag, value);
    return tri_opt_check_group(p->arena, p->diag, "Rpass-missed", value);
}

static bool on_color(parser *p, tri_str value)
{
    if (!value.len || tri_str_is(value, "always"))
        tri_diag_set_color(p->diag, TRI_COLOR_ALWAYS);
    else if (tri_str_is(value, "never"))
        tri_diag_set_color(p->diag, TRI_COLOR_NEVER);
    else if (tri_str_is(value, "auto"))
        tri_diag_set_color(p->diag, TRI_COLOR_AUTO);
    else
        return usage(p, "'-fdiagnostics-color=%.*s' is not auto, always or never", TRI_STR_ARG(value));
    return true;
}

static bool on_format(parser *p, tri_str value)
{
    if (!tri_str_is(value, "json") && !tri_str_is(value, "text") && !tri_str_is(value, "sarif"))
        return usage(p, "'-fdiagnostics-format=%.*s' is not text, json or sarif", TRI_STR_ARG(value));
    p->opt->has_sarif = tri_str_is(value, "sarif");
    tri_diag_set_format(p->diag, tri_str_is(value, "json") ? TRI_DIAG_JSON
                                 : p->opt->has_sarif         ? TRI_DIAG_SILENT
                                                             : TRI_DIAG_TEXT);
    return true;
}

static bool on_prefix_map(parser *p, tri_str value)
{
    size_t equals = tri_str_find_last(value, '=');
    if (equals == value.len || equals == 0)
        return usage(p, "'-ffile-prefix-map=%.*s' is not OLD=NEW", TRI_STR_ARG(value));
    tri_diag_add_prefix_map(p->diag, tri_str_sub(value, 0, equals), tri_str_sub(value, equals + 1, value.len));
    return true;
}

/* --- the table --- */

static void collect_passes(tri_arena *arena, tri_option_names *out)
{
    tri_pass_names names = {0};
    tri_passes_collect_names(arena, &names);
    for (size_t i = 0; i < names.len; i++)
        tri_vec_push(arena, out, names.at[i]);
}

static const char *const more_topics[] = {"stages", "warnings", NULL};

const tri_option_table tri_opt_table = {
    .program = "tritcc",
    .source = "driver/options.def",
    .usage = "usage: tritcc [options] file...\nCompiles Triton kernels ahead of time.\n",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .run = run_action,
    .add_values = tri_help_values,
    .collect_more = collect_passes,
    .more_help = "run this pass",
    .print_more = tri_help_more,
    .more_topics = more_topics,
};

/* --- the command line --- */

/* Does what is written depend on the option, beyond which stages there are and what they are called? */
static bool counts(const tri_option_row *r)
{
    static const char *const names[] = {"emit", "c", "S", "o", "save-temps"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (r->name && !strcmp(r->name, names[i]))
            return false;
    const char *topic = tri_option_group(&tri_opt_table, r)->topic;
    return strcmp(topic, "report") != 0 && strcmp(topic, "dependencies") != 0;
}

/* One option at args[*i]; moves *i over a separate value. A pass is an option too. */
static bool option(parser *p, const tri_args *args, size_t *i)
{
    tri_str word = args->at[*i], value;
    bool is_unknown;
    const tri_option_row *r = tri_option_take(&tri_opt_table, p->diag, args->at, args->len, i, &value, &is_unknown);
    if (is_unknown) {
        tri_str name = tri_str_sub(word, tri_str_has_prefix(word, "--") ? 2 : 1, word.len);
        size_t equals = tri_str_find(name, '=');
        if (tri_passes_find(tri_str_sub(name, 0, equals)))
            return on_pass_name(p, tri_str_sub(name, 0, equals),
                                tri_str_sub(name, equals < name.len ? equals + 1 : equals, name.len));
        return tri_option_report_unknown(&tri_opt_table, p->diag, word);
    }
    if (!r)
        return false;
    if (counts(r))
        tri_vec_push(p->arena, &p->opt->counted, tri_str_format(p->arena, "%s=%.*s", r->name, TRI_STR_ARG(value)));
    return tri_option_apply(&tri_opt_table, r, value, p->arena, p->diag, p->opt, p);
}

/* "triton-opt", a link to the compiler. */
static bool is_opt(const char *program)
{
    size_t length = program ? strlen(program) : 0;
    return length > 4 && !strcmp(program + length - 4, "-opt");
}

bool tri_opt_parse(tri_arena *arena, tri_diag *diag, int argc, char **argv, const char *input, tri_opt *out)
{
    *out = (tri_opt){.compile = {.config = -1, .opt_level = 3}, .passes = TRI_STR(""), .passes_by = TRI_STR("")};
    out->input_marker = out->output_marker = TRI_STR("// -----");
    out->has_passes = is_opt(argv[0]), out->compile.verify_each = tri_environment_get("TRITCC_VERIFY_EACH").len > 0;
    parser p = {.arena = arena, .diag = diag, .opt = out};
    tri_args args = {0};
    bool ok = tri_args_expand(arena, diag, argc, argv, &args);
    bool only_files = false;
    for (size_t i = 0; ok && i < args.len; i++) {
        tri_str word = args.at[i];
        if (only_files || word.len < 2 || word.data[0] != '-')
            tri_vec_push(arena, &out->inputs, (tri_opt_input){word, p.language});
        else if (tri_str_is(word, "--"))
            only_files = true;
        else
            ok = option(&p, &args, &i);
    }
    if (input)
        tri_vec_push(arena, &out->inputs, (tri_opt_input){tri_str_from(input), p.language});
    return ok && tri_opt_check(arena, diag, out, p.language);
}
