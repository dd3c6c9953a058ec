#include "run/backend.h"
#include "driver/tool.h"

#include "base/file.h"
#include "driver/args.h"
#include "driver/completion.h"
#include "driver/help.h"
#include "driver/manual.h"
#include "driver/sanitize.h"

#include <limits.h>
#include <stdlib.h>

enum { code_usage = 1002 };

typedef struct {
    tri_arena *arena;
    tri_diag *diag;
    tri_run_opt *opt;
} parser;

#define TRI_OPTION_FILE "run/tritrun.def"
#define TRI_OPTION_FIELDS tri_run_opt
#include "driver/option_rows.inc"

/* --- values ------------------------------------------------------------------------------ */

static bool wrong(tri_diag *diag, const char *name, tri_str value, const char *why)
{
    tri_diag_error(diag, TRI_NO_SPAN, code_usage, "-%s=%.*s: %s", name, TRI_STR_ARG(value), why);
    return false;
}

static bool take_number(parser *p, const char *name, tri_str value, double *out)
{
    char *end;
    *out = strtod(value.data, &end); /* argv: NUL-terminated */
    return (value.len && !*end && *out >= 0) || wrong(p->diag, name, value, "not a number, 0 or more");
}

static bool on_rtol(parser *p, tri_str value) { return take_number(p, "rtol", value, &p->opt->rtol); }
static bool on_atol(parser *p, tri_str value) { return take_number(p, "atol", value, &p->opt->atol); }

static bool take_pair(parser *p, const char *name, tri_str value, tri_run_pair *out)
{
    size_t equals = tri_str_find(value, '=');
    *out = (tri_run_pair){tri_str_sub(value, 0, equals),
                          tri_str_sub(value, equals < value.len ? equals + 1 : equals, value.len)};
    return (out->name.len && out->value.len) || wrong(p->diag, name, value, "expected NAME=...");
}

static bool add_pair(parser *p, const char *name, tri_str value, tri_run_pairs *pairs)
{
    tri_run_pair pair;
    if (!take_pair(p, name, value, &pair))
        return false;
    tri_vec_push(p->arena, pairs, pair);
    return true;
}

static bool on_output(parser *p, tri_str value) { return add_pair(p, "o", value, &p->opt->outputs); }
static bool on_expect(parser *p, tri_str value) { return add_pair(p, "expect", value, &p->opt->expected); }
static bool on_for(parser *p, tri_str value) { return add_pair(p, "for", value, &p->opt->shapes); }

static bool on_define(parser *p, tri_str value)
{
    tri_run_pair pair;
    if (!take_pair(p, "D", value, &pair))
        return false;
    tri_vec_push(p->arena, &p->opt->compile.defines, (tri_define){pair.name, pair.value});
    return true;
}

static bool on_library(parser *p, tri_str value)
{
    tri_run_pair pair;
    if (!take_pair(p, "extern-lib", value, &pair))
        return false;
    tri_tool_add_library(p->arena, &p->opt->compile, (tri_extern_lib){pair.name, pair.value});
    return true;
}

static bool on_tune(parser *p, tri_str value)
{
    p->opt->tune = value;
    return value.len || wrong(p->diag, "tune", value, "expected a file");
}

static bool on_sanitize(parser *p, tri_str value)
{
    p->opt->has_sanitize = true;
    return tri_sanitize_parse(p->diag, value, &p->opt->compile.sanitize);
}

static bool on_no_sanitize(parser *p, tri_str value)
{
    (void)value;
    p->opt->has_sanitize = true;
    p->opt->compile.sanitize = 0;
    return true;
}

static bool choose_assert(parser *p, bool is_kept)
{
    p->opt->has_assert = true;
    p->opt->compile.debug_asserts = is_kept;
    return true;
}

static bool on_assert(parser *p, tri_str value)
{
    (void)value;
    return choose_assert(p, true);
}

static bool on_no_assert(parser *p, tri_str value)
{
    (void)value;
    return choose_assert(p, false);
}

static bool on_help(parser *p, tri_str value)
{
    p->opt->has_help = true;
    p->opt->help_topic = value;
    return true;
}

/* "sim", "cuda", "hip", "opencl" and "level-zero", with what follows their colon; everything else is an architecture of
 * the host. */
static bool on_arch(parser *p, tri_str value)
{
    tri_run_opt *out = p->opt;
    static const tri_run_backend *const rows[] = {&tri_run_sim, &tri_run_cuda, &tri_run_hip,
                                                  &tri_run_opencl, &tri_run_level_zero};
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
    else if (out->backend == &tri_run_opencl && rest.len && !tri_str_to_i64(rest, &out->device))
        out->platform = rest;
    else if (colon < value.len)
        return (tri_str_to_i64(rest, &out->device) && out->device >= 0 && out->device < 1024) ||
               wrong(p->diag, "arch", value, "not a number in range");
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

/* --- the table --------------------------------------------------------------------------- */

static void add_values(const tri_option_row *row, tri_buf *out)
{
    if (strcmp(row->name, "arch") != 0)
        return;
    tri_buf_add_z(out, "native cuda hip opencl level-zero sim ");
    for (size_t i = 0; i < tri_targets_count(); i++)
        for (const tri_machine_facts *arch = tri_machines_first(tri_targets_at(i)->family);
             arch && tri_targets_at(i)->ttgir_pipeline; arch = tri_machines_next(arch))
            tri_buf_format(out, "sim:%s ", arch->name);
}

static const tri_option_table table = {
    .program = "tritrun",
    .source = "run/tritrun.def",
    .usage = "usage: tritrun [options] FILE ARGUMENT...\n\n"
             "Compiles a kernel and runs it once. Arguments, by position or as NAME=VALUE:\n"
             "  3  0.5  True  None  i64:3      numbers and constants\n"
             "  @x.npy  bf16:@x.npy            an array from a file\n"
             "  randn:f32:64x64:seed=1         a generated array: zeros ones full empty arange randn rand randint\n"
             "  desc:16x32:@x.npy              a tensor descriptor of an array, for blocks of that shape\n"
             "  addr:a,b   buf:a=@a.npy        a table of the addresses of named buffers\n",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .run = run_action,
    .add_values = add_values,
};

bool tri_run_opt_help(tri_diag *diag, tri_str topic, tri_buf *out)
{
    return tri_help_print(&table, diag, topic, out);
}

bool tri_run_opt_table(tri_diag *diag, tri_str form, tri_buf *out)
{
    if (tri_str_is(form, "man-options"))
        tri_manual_options(&table, out);
    else if (!tri_completion_print(&table, form, out)) {
        tri_diag_error(diag, TRI_NO_SPAN, code_usage, "-print-option-table=%.*s: man, bash or zsh", TRI_STR_ARG(form));
        return false;
    }
    return true;
}

/* --- words ------------------------------------------------------------------------------- */

/* A word such as -3 or -0.5 is a number, not an option. */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] && !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
}

static bool take_option(parser *p, const tri_args *words, size_t *i)
{
    tri_str value, word = words->at[*i];
    bool is_unknown;
    const tri_option_row *row = tri_option_take(&table, p->diag, words->at, words->len, i, &value, &is_unknown);
    if (is_unknown)
        return tri_option_report_unknown(&table, p->diag, word);
    return row && tri_option_apply(&table, row, value, p->arena, p->diag, p->opt, p);
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
    parser p = {arena, diag, out};
    tri_args words = {0};
    bool only_words = false;
    for (int i = 1; i < argc; i++)
        tri_vec_push(arena, &words, tri_str_from(argv[i]));
    for (size_t i = 0; i < words.len; i++) {
        if (!only_words && tri_str_is(words.at[i], "--"))
            only_words = true;
        else if (!only_words && is_option(words.at[i].data)) {
            if (!take_option(&p, &words, &i))
                return false;
        } else if (!out->file.len)
            out->file = words.at[i];
        else
            tri_vec_push(arena, &out->arguments, words.at[i]);
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
