/* MLIR's own passes under our registry: a pipeline names them like ours. */
#include "passes/passes.h"

#include "ir/op.h"
#include "ir/upstream.h"

/* Runs MLIR's pass of the same name with the options of the run, which it checks itself. */
static bool run_with_options(tri_pass_run *run, const char *name)
{
    tri_str text = tri_str_format(run->arena, "%s{%.*s}", name, TRI_STR_ARG(run->options));
    return tri_upstream_run(run->module, text.data, run->unit->diag);
}

#define UPSTREAM(id, text, meaning)                       \
    static bool run_##id(tri_pass_run *run)               \
    {                                                     \
        return run_with_options(run, text);               \
    }                                                     \
    const tri_pass tri_pass_##id = {.name = text, .help = meaning, .run = run_##id};

/* Is all of the module seen from outside? What such a module uses, which MLIR would look for in each attribute of each
 * operation, need not be known: most come so out of the front end, and all when calls are inlined. */
static bool has_kernels_only(tri_pass_run *run)
{
    MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(run->module));
    while (tri_op_is_kernel(op))
        op = mlirOperationGetNextInBlock(op);
    return mlirOperationIsNull(op);
}

static bool has_calls(tri_pass_run *run)
{
    tri_op_list calls = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.call", run->arena, &calls);
    return calls.len > 0;
}

/* Left to itself the inliner canonicalizes each function, and pays for a set of patterns each time;
 * the pipelines do that once, for the whole module. */
static bool run_inline(tri_pass_run *run)
{
    if (tri_passes_option_int(run, "all", 0)) {
        tri_op_list functions = {0};
        tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &functions);
        for (size_t i = 0; i < functions.len; i++)
            mlirOperationRemoveAttributeByName(functions.at[i], mlirStringRefCreateFromCString("noinline"));
        run->options = (tri_str){0};
    }
    if (tri_passes_option_str(run, "default-pipeline", NULL).data)
        return run_with_options(run, "inline");
    if (!run->options.len && has_kernels_only(run) && !has_calls(run))
        return tri_upstream_run(run->module, "cse", run->unit->diag);
    run->options = tri_str_format(run->arena, "default-pipeline=cse %.*s", TRI_STR_ARG(run->options));
    return run_with_options(run, "inline");
}
const tri_pass tri_pass_inline = {
    .name = "inline",
    .help = "put the bodies of called functions in the place of calls",
    .options = (const char *const[]){"default-pipeline: passes to run on each function that was inlined into (cse)",
                                     "max-iterations=N: rounds within a cycle of calls (4)",
                                     "inlining-threshold=N: percent that a caller may grow by (no limit)",
                                     "all=N: of ttir, also functions that say noinline (0)", NULL},
    .run = run_inline,
};

static bool run_canonicalize(tri_pass_run *run)
{
    size_t errors = tri_diag_error_count(run->unit->diag);
    if (run_with_options(run, "canonicalize"))
        return true;
    if (tri_diag_error_count(run->unit->diag) == errors)
        tri_diag_error(run->unit->diag, TRI_NO_SPAN, 5014,
                       "canonicalize is not done after its last round (test-convergence)");
    return false;
}
const tri_pass tri_pass_canonicalize = {
    .name = "canonicalize",
    .help = "simplify operations and control flow",
    .options =
        (const char *const[]){"top-down=N: start with the operations that come first (true)",
                              "region-simplify=disabled|normal|aggressive: what is done to control flow (normal)",
                              "max-iterations=N: rounds over the module (10)",
                              "max-num-rewrites=N: rewrites within a round (no limit)",
                              "test-convergence: fail when there is more to do after the last round", NULL},
    .run = run_canonicalize,
};

UPSTREAM(cse, "cse", "eliminate common subexpressions")
UPSTREAM(loop_invariant_code_motion, "loop-invariant-code-motion", "move invariant pure operations out of loops")
UPSTREAM(sccp, "sccp", "propagate constants through control flow")
UPSTREAM(convert_scf_to_cf, "convert-scf-to-cf", "structured control flow as branches")
UPSTREAM(remove_dead_values, "remove-dead-values", "remove values that loops, branches and calls hand on for nobody")

static bool run_symbol_dce(tri_pass_run *run)
{
    return (has_kernels_only(run) && !run->options.len) || run_with_options(run, "symbol-dce");
}
const tri_pass tri_pass_symbol_dce = {
    .name = "symbol-dce", .help = "remove functions that nobody uses", .run = run_symbol_dce};
