/* tritrun's command line. */
#ifndef TRI_DRIVER_RUN_OPT_H
#define TRI_DRIVER_RUN_OPT_H

#include "base/diag.h"
#include "ir/options.h"

/* NAME=VALUE of -o and -expect. */
typedef struct {
    tri_str name, value;
} tri_run_pair;

typedef TRI_VEC(tri_run_pair) tri_run_pairs;

typedef struct tri_run_backend tri_run_backend;

typedef struct {
    tri_options compile;
    const tri_run_backend *backend;
    int64_t device;    /* of -arch=cuda:N, hip:N, level-zero:N and opencl:N */
    tri_str platform;  /* of -arch=opencl:NAME */
    tri_str grid;      /* empty: that of the file's launch, else 1 */
    tri_str bytes, flops; /* expressions as -grid; empty: not given */
    tri_str file;
    bool has_arch;     /* -arch was given */
    TRI_VEC(tri_str) arguments, prints;
    tri_run_pairs outputs, expected;
    tri_str tune;      /* -tune: the table to write; empty: not given */
    tri_run_pairs shapes; /* -for */
    double rtol, atol;
    int print_limit;
    bool has_bench, has_check, has_sanitize, has_assert, has_help, has_version;
    const struct tri_pass_hooks *hooks; /* borrowed observers of the passes, or null; no option sets it */
    tri_str help_topic; /* of --help; empty: all */
    tri_str table; /* "man", "bash" or "zsh": print the options in that form; empty: not asked for */
} tri_run_opt;

/* False after a report: wrong usage. Strings live in argv or the arena. */
bool tri_run_opt_parse(tri_arena *arena, tri_diag *diag, int argc, char **argv, tri_run_opt *out);
/* Makes it a run on the simulator. */
void tri_run_opt_simulate(tri_run_opt *opt);
/* False after a report: no such topic. */
bool tri_run_opt_help(tri_diag *diag, tri_str topic, tri_buf *out);
/* False after a report: the form is unknown. */
bool tri_run_opt_table(tri_diag *diag, tri_str form, tri_buf *out);

#endif
