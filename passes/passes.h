/* Passes over ttir and ttgir.
 *
 * How to add one: (1) write passes/ttir/<name>.c or passes/ttgir/<name>.c ('-' becomes '_' in the
 * file name) that opens with code before and after it and ends with `const tri_pass tri_pass_<name> =
 * {...};`, (2) add its row to passes/passes.def, (3) add tests/passes/<name>.mlir, with functions that it
 * changes, that it must leave alone, and with loops or conditionals (tests/passes/cases.bats says how the
 * file names them, and looks whether it is so), (4) add a kernel that it changes to
 * tests/passes/differential.bats, which runs it with and without the pass. The tests fail when one
 * of the four is missing. Pipelines (targets/<family>/) name passes as strings.
 *
 * The recommended order is in targets/gpu/pipeline.c: combine and reorder-broadcast before layouts
 * exist; coalesce directly after the conversion; remove-layout-conversions after every pass that
 * inserts conversions; reduce-data-duplication after the last of them; allocate-shared-memory and
 * membar at the very end, because they describe the module as it is.
 *
 * A pass returns false only after it has reported why (tri_op_error). It must give the same
 * result whatever order MLIR keeps use lists in: walk operations, not uses, when order matters. */
#ifndef TRI_PASSES_PASSES_H
#define TRI_PASSES_PASSES_H

#include "base/diag.h"
#include "ir/unit.h"

typedef struct {
    MlirModule module;
    tri_unit *unit;   /* options, diag; the payload is `module` */
    tri_arena *arena; /* scratch of this run, ended after it */
    tri_str options;  /* text between braces: "factor=4 foo=bar" */
} tri_pass_run;

typedef struct {
    const char *name;           /* "coalesce" */
    const char *help;           /* one line */
    const char *alias;          /* upstream's spellings ("tritongpu-coalesce"), by commas, or null */
    const char *const *options; /* null-terminated rows "name: help", "name=N: help" (a number),
                                 * "name=a|b: help" (one of these words), or null */
    bool (*run)(tri_pass_run *run);
} tri_pass;

/* The registry, in the order of passes.def. */
size_t tri_passes_count(void);
const tri_pass *tri_passes_at(size_t i);
const tri_pass *tri_passes_find(tri_str name_or_alias); /* null when there is none */
/* Every name and alias: a pass' own name, then upstream's, in the order of passes.def. */
typedef TRI_VEC(const char *) tri_pass_names;
void tri_passes_collect_names(tri_arena *arena, tri_pass_names *out);

/* Observers of a pipeline run; any may be null. */
typedef struct tri_pass_hooks {
    void *data;
    void (*before)(void *data, const tri_pass *pass, MlirModule module);
    void (*after)(void *data, const tri_pass *pass, MlirModule module, double seconds);
} tri_pass_hooks;

/* Pipeline text: pass names with options, "a,b{x=1 y=2},c". Blanks may stand for commas, and the
 * spellings of triton-opt are understood too: leading dashes, upstream's names, options as in
 * --convert-triton-to-tritongpu='target=cuda:90 num-warps=4', and pipelines under the operations they
 * are for, "builtin.module(a,tt.func(b))", of which every pass runs on the module all the same.
 *
 * Runs a pipeline in order, verifying at the end (after each one when options say so). An
 * unknown name is reported with the nearest one. False after a report. */
bool tri_passes_run(tri_unit *unit, const char *pipeline, const tri_pass_hooks *hooks);
/* Checks names and options of a pipeline without running it; reports. */
bool tri_passes_check(tri_diag *diag, const char *pipeline);

/* Option access inside a pass. */
int64_t tri_passes_option_int(const tri_pass_run *run, const char *name, int64_t if_absent);
tri_str tri_passes_option_str(const tri_pass_run *run, const char *name, const char *if_absent);

#endif
