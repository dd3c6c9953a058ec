/* What the C++ island gives to the C side of ir/: only files in ir/ include this. */
#ifndef TRI_IR_ISLAND_H
#define TRI_IR_ISLAND_H

#include <stdbool.h>
#include <stdint.h>

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Inserts tt ttg ttng arith math scf cf ub llvm into the registry (ir/dialects.cpp). */
void tri_island_register(MlirDialectRegistry registry);

/* Parses a module (an implicit one around bare operations) and verifies it; null after reports. */
MlirModule tri_island_parse(MlirContext context, MlirStringRef text, MlirStringRef name);

/* Op properties and structure that mlir-c does not reach (ir/shims.cpp). */
bool tri_island_op_is_pure(MlirOperation op);
bool tri_island_op_has_effects(MlirOperation op);
bool tri_island_op_is_trivially_dead(MlirOperation op);
bool tri_island_op_dominates(MlirOperation a, MlirOperation b);
MlirBlock tri_island_split_block(MlirBlock block, MlirOperation before);
void tri_island_splice(MlirBlock dest, MlirOperation before, MlirBlock source);
MlirOperation tri_island_previous(MlirOperation op);
/* A clone, not inserted, in which uses of from[i] became to[i]. */
MlirOperation tri_island_clone(MlirOperation op, intptr_t n, const MlirValue *from, const MlirValue *to);

#ifdef __cplusplus
}
#endif

#endif
