#include "run/backend.h"
#include "driver/tool.h"

#include "base/file.h"
#include "driver/sanitize.h"

#include <stdlib.h>

enum { code_usage = 1002 };

typedef enum {
#define X(id, name, metavar, help) OPT_##id,
#include "run/tritrun.def"
#undef X
    OPT_COUNT
} option_id;

static const struct {
    const char *name, *metavar, *help;
} options[] = {
#define X(id, name, metavar, help) {name, metavar, help},
#include "run/tritrun.def"
#undef X
};

void tri_run_opt_help(tri_buf *out)
{
    tri_buf_add_z(
        out, "usage: tritrun [options] FILE ARGUMENT...\n\n"
             "Compiles a kernel and runs it once. Arguments, by position or as NAME=VALUE:\n"
             "  3  0.5  True  None  i64:3      numbers and constants\n"
             "  @x.npy  bf16:@x.npy            an array from a file\n"
             "  randn:f32:64x64:seed=1         a generated array: zeros ones full empty arange randn rand randint\n"
             "  addr:a,b   buf:a=@a.npy        a table of the addresses of named buffers\n\noptions:\n");
    for (size_t i = 0; i < OPT_COUNT; i++) {
        if (!*options[i].help)
            continue;
        tri_buf left = {0};
        tri_buf_format(&left, "-%s%s%s", options[i].name, !options[i].metavar ? "" : options[i].name[1] ? "=" : " ",
                       options[i].metavar ? options[i].metavar : "");
        tri_buf_format(out, left.len > 24 ? "  %s\n%28s%s\n" : "  %-25s %.0s%s\n", left.data, "", options[i].help);
        tri_buf_fini(&left);
    }
}

static void print_man(tri_buf *out)
{
    tri_buf_add_z(out, ".Bl -tag -width Ds\n");
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const char *name = options[i].name, *metavar = options[i].metavar, *help = options[i].help;
        if (*help && !metavar)
            tri_buf_format(out, ".It Fl %s\n%s.\n", name, help);
        else if (*help)
            tri_buf_format(out, ".It Fl %s%s Ar %s\n%s.\n", name, name[1] ? " Ns =" " Ns" : "", metavar, help);
    }
    tri_buf_add_z(out, ".El\n");
}

static void print_bash(tri_buf *out)
{
    tri_buf_add_z(out, "complete -o default -W '");
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (*options[i].help)
            tri_buf_format(out, "-%s%s ", options[i].name, options[i].metavar && options[i].name[1] ? "=" : "");
    tri_buf_add_z(out, "' tritrun\n");
}

static void print_zsh(tri_buf *out)
{
    tri_buf_add_z(out, "#compdef tritrun\n_arguments \\\n");
    for (size_t i = 0; i < OPT_COUNT; i++) {
        if (!*options[i].help)
            continue;
        tri_buf_format(out, "  '*-%s%s[", options[i].name, !options[i].metavar ? "" : options[i].name[1] ? "=" : "+");
        for (const char *c = options[i].help; *c; c++)
            tri_buf_format(out, *c == '\'' ? "'\\%c'" : strchr("[]:\\", *c) ? "\\%c" : "%c", *c);
        tri_buf_format(out, "]%s' \\\n", options[i].metavar ? ":value:_files" : "");
    }
    tri_buf_add_z(out, "  '*:argument:_files'\n");
}

bool tri_run_opt_table(tri_diag *diag, tri_str form, tri_buf *out)
{
    static const struct {
        const char *name;
        void (*print)(tri_buf *out);
    } forms[] = {{"man-options", print_man}, {"bash", print_bash}, {"zsh", print_zsh}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (tri_str_is(form, forms[i].name)) {
            forms[i].print(out);
            return true;
        }
    }
    tri_diag_error(diag, TRI_NO_SPAN, code_usage, "-print-option-table=%.*s: man, bash or zsh", TRI_STR_ARG(form));
    return false;
}

/* --- values ------------------------------------------------------------------------------ */

static bool wrong(tri_diag *diag, const char *name, tri_str value, const char *why)
{
    tri_diag_error(diag, TRI_NO_SPAN, code_usage, "-%s=%.*s: %s", name, TRI_STR_ARG(value), why);
    return false;
}

/* The number that `digits`, the whole of `value` or a part of it, spell. */
static bool take_int(tri_diag *diag, const char *name, tri_str value, tri_str digits, int64_t low, int64_t high,
                     int64_t *out)
{
    if (tri_str_to_i64(digits, out) && *out >= low && *out <= high)
        return true;
    return wrong(diag, name, value, "not a number in range");
}

static bool take_number(tri_diag *diag, const char *name, tri_str value, double *out)
{
    char *end;
    *out = strtod(value.data, &end); /* argv: NUL-terminated */
    return (value.len && !*end && *out >= 0) || wrong(diag, name, value, "not a number, 0 or more");
}

static bool take_pair(tri_diag *diag, const char *name, tri_str value, tri_run_pair *out)
{
    size_t equals = tri_str_find(value, '=');
    *out = (tri_run_pair){tri_str_sub(value, 0, equals),
                          tri_str_sub(value, equals < value.len ? equals + 1 : equals, value.len)};
    return (out->name.len && out->value.len) || wrong(diag, name, value, "expected NAME=...");
}

/* "sim", "cuda" and "opencl", with what follows their colon; everything else is an architecture of the host. */
static bool take_arch(tri_diag *diag, tri_str value, tri_run_opt *out)
{
    static const tri_run_backend *const rows[] = {&tri_run_sim, &tri_run_cuda, &tri_run_opencl};
    size_t colon = tri_str_find(value, ':');
    tri_str name = tri_str_sub(value, 0, colon), rest = tri_str_sub(value, colon + (colon < value.len), value.len);
    out->has_arch = true;
    out->backend = &tri_run_host;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tri_str_is(name, rows[i]->name))
            out->backend = rows[i];
    out->compile.simulate = out->backend == &tri_run_sim;
    if (out->compile.simulate)
        out->compile.arch = rest.len ? rest : TRI_STR("sm_90");
    else if (out->backend == &tri_run_host)
        out->compile.arch = value;
    else if (colon < value.len)
        return take_int(diag, "arch", value, rest, 0, 1023, &out->device);
    return true;
}

void tri_run_opt_simulate(tri_run_opt *opt)
{
    if (opt->backend == &tri_run_sim)
        return;
    opt->backend = &tri_run_sim;
    opt->compile.arch = TRI_STR("sm_90");
    opt->compile.sanitize = 0;
    opt->compile.simulate = true;
}

static bool take_define(tri_arena *arena, tri_diag *diag, tri_str value, tri_run_opt *out)
{
    tri_run_pair pair;
    if (!take_pair(diag, "D", value, &pair))
        return false;
    tri_vec_push(arena, &out->compile.defines, (tri_define){pair.name, pair.value});
    return true;
}

static bool apply(tri_arena *arena, tri_diag *diag, option_id id, tri_str value, tri_run_opt *out)
{
    const char *name = options[id].name;
    int64_t number = 0;
    tri_run_pair pair;
    switch (id) {
    case OPT_ARCH: return take_arch(diag, value, out);
    case OPT_KERNEL: tri_vec_push(arena, &out->compile.kernels, value); return true;
    case OPT_GRID: out->grid = value; return true;
    case OPT_DEFINE: return take_define(arena, diag, value, out);
    case OPT_INCLUDE: tri_vec_push(arena, &out->compile.include_dirs, value); return true;
    case OPT_LIBRARY:
        if (!take_pair(diag, name, value, &pair))
            return false;
        tri_tool_add_library(arena, &out->compile, (tri_extern_lib){pair.name, pair.value});
        return true;
    case OPT_WARPS:
        return take_int(diag, name, value, value, 1, 64, &number) && (out->compile.num_warps = (int)number, true);
    case OPT_STAGES:
        return take_int(diag, name, value, value, 1, 64, &number) && (out->compile.num_stages = (int)number, true);
    case OPT_PDL: out->compile.launch_pdl = true; return true;
    case OPT_COOPERATIVE: out->compile.launch_cooperative = true; return true;
    case OPT_OPTIMIZE:
        return take_int(diag, name, value, value, 0, 3, &number) && (out->compile.opt_level = (int)number, true);
    case OPT_SANITIZE: out->has_sanitize = true; return tri_sanitize_parse(diag, value, &out->compile.sanitize);
    case OPT_ASSERT: out->has_assert = true; out->compile.debug_asserts = true; return true;
    case OPT_NO_ASSERT: out->has_assert = true; out->compile.debug_asserts = false; return true;
    case OPT_NO_SANITIZE: out->has_sanitize = true; out->compile.sanitize = 0; return true;
    case OPT_OUTPUT:
        if (!take_pair(diag, name, value, &pair))
            return false;
        tri_vec_push(arena, &out->outputs, pair);
        return true;
    case OPT_EXPECT:
        if (!take_pair(diag, name, value, &pair))
            return false;
        tri_vec_push(arena, &out->expected, pair);
        return true;
    case OPT_PRINT: tri_vec_push(arena, &out->prints, value); return true;
    case OPT_LIMIT: return take_int(diag, name, value, value, 0, INT64_MAX, &out->print_limit);
    case OPT_RTOL: return take_number(diag, name, value, &out->rtol);
    case OPT_ATOL: return take_number(diag, name, value, &out->atol);
    case OPT_BYTES: out->bytes = value; return true;
    case OPT_FLOPS: out->flops = value; return true;
    case OPT_BENCH: out->has_bench = true; return true;
    case OPT_TUNE: out->tune = value; return value.len || wrong(diag, name, value, "expected a file");
    case OPT_FOR:
        if (!take_pair(diag, name, value, &pair))
            return false;
        tri_vec_push(arena, &out->shapes, pair);
        return true;
    case OPT_CHECK: out->has_check = true; return true;
    case OPT_HELP: out->has_help = true; return true;
    case OPT_VERSION: out->has_version = true; return true;
    case OPT_TABLE: out->table = value; return true;
    case OPT_COUNT: break;
    }
    TRI_BUG("option without an action");
}

/* --- words ------------------------------------------------------------------------------- */

static bool is_joined(option_id id) { return id == OPT_DEFINE || id == OPT_INCLUDE || id == OPT_OPTIMIZE; }

/* The option that a word without its dashes names; `out_value` is null without "=VALUE". */
static bool find_opt(tri_str word, option_id *out_id, const char **out_value)
{
    size_t equals = tri_str_find(word, '=');
    for (int i = 0; i < OPT_COUNT; i++) {
        tri_str name = tri_str_from(options[i].name);
        bool is_exact = tri_str_equal(tri_str_sub(word, 0, equals), name);
        bool has_joined = is_joined((option_id)i) && word.len > name.len && tri_str_has_prefix(word, options[i].name);
        if (!is_exact && !has_joined)
            continue;
        *out_id = (option_id)i;
        *out_value = is_exact && equals < word.len ? word.data + equals + 1
                     : has_joined && !is_exact     ? word.data + name.len
                                                   : NULL;
        return true;
    }
    return false;
}

static bool report_unknown(tri_diag *diag, tri_str word)
{
    const char *names[OPT_COUNT];
    for (int i = 0; i < OPT_COUNT; i++)
        names[i] = options[i].name;
    const char *nearest = tri_str_nearest(tri_str_sub(word, 0, tri_str_find(word, '=')), names, OPT_COUNT);
    tri_diag_error(diag, TRI_NO_SPAN, code_usage, "unknown option '-%.*s'%s%s%s", TRI_STR_ARG(word),
                   nearest ? "; did you mean '-" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return false;
}

/* A word such as -3 or -0.5 is a number, not an option. */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] && !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
}

static bool take_option(tri_arena *arena, tri_diag *diag, int argc, char **argv, int *i, tri_run_opt *out)
{
    const char *word = argv[*i] + (argv[*i][1] == '-' ? 2 : 1), *value = NULL;
    option_id id;
    if (!find_opt(tri_str_from(word), &id, &value))
        return report_unknown(diag, tri_str_from(word));
    if (!options[id].metavar && value)
        return wrong(diag, options[id].name, tri_str_from(value), "this option takes no value");
    if (options[id].metavar && !value) {
        if (*i + 1 >= argc) {
            tri_diag_error(diag, TRI_NO_SPAN, code_usage, "-%s needs a value: %s", options[id].name,
                           options[id].metavar);
            return false;
        }
        value = argv[++*i];
    }
    return apply(arena, diag, id, tri_str_from(value), out);
}

/* Asserts are kept, and the host's code compares every access with the arrays' sizes, unless speed is asked for; what
 * comes through the structured form has neither. */
static void choose_checks(tri_run_opt *out)
{
    bool is_structured = tri_str_is(out->compile.arch, "linalg"), is_timed = out->has_bench || out->tune.len;
    if (!out->has_assert && !is_timed && !is_structured) {
        out->compile.debug_asserts = true;
        out->compile.no_overflow_checks = true;
    }
    if (!out->has_sanitize && !is_timed && out->backend == &tri_run_host && !is_structured)
        out->compile.sanitize = TRI_SANITIZE_BOUNDS;
    if (out->compile.sanitize)
        out->compile.debug = TRI_DEBUG_LINES;
}

/* An object is run as it was compiled. */
static bool take_object(tri_diag *diag, tri_run_opt *out)
{
    if (out->has_arch && out->backend != &tri_run_cuda) {
        tri_diag_error(diag, TRI_NO_SPAN, code_usage,
                       "'%.*s' is compiled: -arch can only choose a device, as in -arch=cuda:1",
                       TRI_STR_ARG(out->file));
        return false;
    }
    if (out->has_check) {
        tri_diag_error(diag, TRI_NO_SPAN, code_usage, "-check needs the kernel's source, not an object");
        return false;
    }
    if (out->has_sanitize) {
        tri_diag_error(diag, TRI_NO_SPAN, code_usage, "'%.*s' is compiled: its checks are those of its own -fsanitize",
                       TRI_STR_ARG(out->file));
        return false;
    }
    out->backend = &tri_run_object;
    return true;
}

bool tri_run_opt_parse(tri_arena *arena, tri_diag *diag, int argc, char **argv, tri_run_opt *out)
{
    *out = (tri_run_opt){.backend = &tri_run_host, .rtol = 1e-5, .atol = 1e-8, .print_limit = 64};
    out->compile.opt_level = 3;
    out->compile.config = -1;
    out->compile.arch = TRI_STR("native");
    bool only_words = false;
    for (int i = 1; i < argc; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0)
            only_words = true;
        else if (!only_words && is_option(argv[i])) {
            if (!take_option(arena, diag, argc, argv, &i, out))
                return false;
        } else if (!out->file.len)
            out->file = tri_str_from(argv[i]);
        else
            tri_vec_push(arena, &out->arguments, tri_str_from(argv[i]));
    }
    if (tri_str_is(tri_path_suffix(out->file), ".o") && !take_object(diag, out))
        return false;
    choose_checks(out);
    if ((out->bytes.len || out->flops.len) && !out->has_bench) {
        tri_diag_error(diag, TRI_NO_SPAN, code_usage, "-bytes and -flops are for -bench");
        return false;
    }
    if (out->shapes.len && !out->tune.len) {
        tri_diag_error(diag, TRI_NO_SPAN, code_usage, "-for is for -tune");
        return false;
    }
    bool has_results = out->prints.len || out->outputs.len || out->expected.len;
    if (out->tune.len && (out->has_bench || out->has_check || has_results)) {
        tri_diag_error(diag, TRI_NO_SPAN, code_usage, "-tune only measures: no -bench, -check, -print, -o or -expect");
        return false;
    }
    if (!out->file.len && !out->has_help && !out->has_version && !out->table.len) {
        tri_diag_error(diag, TRI_NO_SPAN, code_usage, "no kernel file; tritrun --help shows the usage");
        return false;
    }
    return true;
}
