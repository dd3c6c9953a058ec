/* Layout attributes <-> their plain C form. */
#ifndef TRI_IR_ENCODING_H
#define TRI_IR_ENCODING_H

#include "base/arena.h"
#include "layout/encoding.h"

#include "mlir-c/IR.h"

tri_encoding_kind tri_encoding_kind_of(MlirAttribute attr);
/* The attribute in C form; parents are in `arena`. Null when it is not a layout attribute. */
const tri_encoding *tri_encoding_get(tri_arena *arena, MlirAttribute attr);
/* The attribute of a C form. Its fields must be legal (the attribute verifier's rules). */
MlirAttribute tri_encoding_make(MlirContext context, const tri_encoding *encoding);
/* #ttg.shared_memory */
MlirAttribute tri_encoding_shared_space(MlirContext context);

#endif
