/* Branches between blocks as conditionals and loops. */
#ifndef TRI_IR_STRUCTURE_H
#define TRI_IR_STRUCTURE_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Gives the body of a function one block, by MLIR's algorithm for any control flow (Bahmann et al., "Perfect
 * Reconstructability of Control Flow from Demand Dependence Graphs"). False where it has no form, perhaps after a
 * report of MLIR's. */
bool tri_structure_function(MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif
