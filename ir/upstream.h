/* MLIR's own passes and utilities, as far as we use them. */
#ifndef TRI_IR_UPSTREAM_H
#define TRI_IR_UPSTREAM_H

#include "base/diag.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs a pipeline of MLIR passes on a module: "inline,canonicalize,cse{}". Known are inline,
 * canonicalize, cse, loop-invariant-code-motion, sccp, symbol-dce, remove-dead-values and
 * convert-scf-to-cf. False after a report. */
bool tri_upstream_run(MlirModule module, const char *pipeline, tri_diag *diag);

/* Unrolls an scf.for. out_epilogue (may be null) gets the loop of the remaining iterations, or
 * null when there are none. The loop op itself stays valid unless the factor covers all its
 * iterations, when it is inlined into its block: then *out_loop is null. False: not possible. */
bool tri_upstream_unroll(MlirOperation loop, uint64_t factor, MlirOperation *out_loop, MlirOperation *out_epilogue);

/* Applies the patterns that `canonicalize` runs, and folding, to the ops in `root`. */
bool tri_upstream_canonicalize(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif
