/* The command line: what was asked for, and the table of options behind it. */
#ifndef TRI_DRIVER_OPT_H
#define TRI_DRIVER_OPT_H

#include "base/diag.h"
#include "driver/option_table.h"
#include "driver/phase.h"
#include "ir/options.h"

typedef struct {
    tri_str path;  /* "-": standard input */
    tri_kind kind; /* TRI_KIND_NONE: by suffix */
} tri_opt_input;

typedef struct {
    tri_kind kind; /* TRI_KIND_NONE: the target's text (-S) */
    tri_str path;  /* empty: named after -o or the input */
} tri_opt_emit;

typedef enum {
    TRI_OPT_COMPILE,
    TRI_OPT_HELP,
    TRI_OPT_VERSION,
    TRI_OPT_DUMP_VERSION,
    TRI_OPT_DUMP_MACHINE,
    TRI_OPT_EXPLAIN,
    TRI_OPT_LIST_PASSES,
    TRI_OPT_PRINT_PIPELINE,
    TRI_OPT_PRINT_TARGETS,
    TRI_OPT_TABLE,
    TRI_OPT_INSPECT,
    TRI_OPT_SERVE,
    TRI_OPT_LIST_KERNELS,
} tri_opt_mode;

typedef enum { TRI_OPT_LINK_NONE, TRI_OPT_LINK_SHARED, TRI_OPT_LINK_OBJECT } tri_opt_link;

typedef enum { TRI_OPT_NO_REPORT, TRI_OPT_REPORT_TEXT, TRI_OPT_REPORT_JSON } tri_opt_report;

typedef enum { TRI_OPT_VERIFY_NONE, TRI_OPT_VERIFY_ALL, TRI_OPT_VERIFY_EXPECTED } tri_opt_verify;

typedef TRI_VEC(tri_str) tri_opt_words;

typedef struct {
    tri_options compile; /* what the lower layers see */
    tri_opt_mode mode;
    tri_str mode_value; /* topic of --help, code of --explain ... */
    TRI_VEC(tri_opt_input) inputs;
    TRI_VEC(tri_opt_emit) emits;
    tri_str output; /* -o; empty: not given */
    tri_str cache_dir; /* --cache-dir; empty: none */
    tri_opt_words counted; /* the options that outputs depend on, as NAME=VALUE in order */
    bool save_temps;
    tri_str save_temps_dir; /* empty: beside the outputs */
    tri_str cuda_path;
    tri_opt_link link; /* of all inputs' objects */
    tri_str tuning; /* -ftune; empty: not given */
    bool has_passes; /* opt mode: exactly `passes` run, and the module is printed */
    tri_str passes, passes_by; /* passes_by: the word that chose opt mode */
    tri_opt_words print_before, print_after; /* "all" stands for every pass */
    bool resource_usage;
    bool estimate;       /* --estimate */
    bool chooses;        /* -fcost-model */
    bool picks_config;   /* -config=best */
    tri_str launch_values; /* of arguments, for estimates: "M=8192,4096" */
    bool print_changed, split_input, allow_unregistered;
    tri_str input_marker, output_marker; /* of -split-input-file */
    tri_opt_verify verify_diagnostics;
    bool print_generic, print_local_scope, print_pretty_locations;
    int elide_larger; /* 0: constants are printed in full */
    bool has_no_effect; /* an option that is only accepted */
    bool verbose, dry_run;
    bool syntax_only; /* nothing is written */
    bool fix; /* the fixes of messages are made in the source */
    tri_opt_report time_report;
    bool depfile, dep_phony;
    tri_str depfile_path; /* empty: named after the output */
    tri_opt_words dep_targets; /* as they stand in the rule */
    bool has_sarif; /* messages are written as one log at the end */
} tri_opt;

/* Fills `out` from the command line: an option is a row of options.def or, with its options after '=', the
 * name of a pass. A program name that ends in "-opt" chooses opt mode. Strings live in `arena` or in argv.
 * The diagnostics options take effect on `diag` at once. `input` is one more, last; null: there is none. False after a
 * report: wrong usage. */
bool tri_opt_parse(tri_arena *arena, tri_diag *diag, int argc, char **argv, const char *input, tri_opt *out);
/* Do the options go with one another? `language` is that of inputs without one (-x). False after a report. */
bool tri_opt_check(tri_arena *arena, tri_diag *diag, tri_opt *opt, tri_kind language);
/* Is there a group of remarks of that name? False after a report that names `option`. */
bool tri_opt_check_group(tri_arena *arena, tri_diag *diag, const char *option, tri_str group);

/* The rows of options.def. */
extern const tri_option_table tri_opt_table;

#endif
