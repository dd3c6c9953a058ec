/* MLIR's own passes under our registry: a pipeline names them like ours. */
#include "passes/passes.h"

#include "ir/upstream.h"

#define UPSTREAM(id, text, meaning)                                     \
    static bool run_##id(tri_pass_run *run)                             \
    {                                                                   \
        return tri_upstream_run(run->module, text, run->unit->diag);    \
    }                                                                   \
    const tri_pass tri_pass_##id = {.name = text, .help = meaning, .run = run_##id};

/* Left to itself the inliner canonicalizes each function, and pays for a set of patterns each time;
 * the pipelines do that once, for the whole module. */
static bool run_inline(tri_pass_run *run)
{
    return tri_upstream_run(run->module, "inline{default-pipeline=cse}", run->unit->diag);
}
const tri_pass tri_pass_inline = {
    .name = "inline",
    .help = "put the bodies of called functions in the place of calls",
    .run = run_inline,
};

UPSTREAM(canonicalize, "canonicalize", "simplify operations and control flow")
UPSTREAM(cse, "cse", "eliminate common subexpressions")
UPSTREAM(loop_invariant_code_motion, "loop-invariant-code-motion", "move invariant pure operations out of loops")
UPSTREAM(sccp, "sccp", "propagate constants through control flow")
UPSTREAM(convert_scf_to_cf, "convert-scf-to-cf", "structured control flow as branches")
UPSTREAM(symbol_dce, "symbol-dce", "remove functions that nobody uses")
