/* Parts of triton-arith-to-linalg: each rewrites one operation and erases it; false when it cannot. */
#ifndef TRI_PASSES_LINALG_ARITH_H
#define TRI_PASSES_LINALG_ARITH_H

#include "passes/linalg/build.h"
#include "passes/passes.h"

bool tri_arith_reduce(tri_builder *b, MlirOperation op);
/* For an NPU: notes at a tt.reduce with an index that it is one, which its linalg.reduce then says, too. */
void tri_arith_mark_reduction(MlirOperation op);
bool tri_arith_scan(tri_builder *b, MlirOperation op);
bool tri_arith_histogram(tri_builder *b, MlirOperation op);
bool tri_arith_map(tri_builder *b, MlirOperation op);
bool tri_arith_reshape(tri_builder *b, MlirOperation op);
bool tri_arith_broadcast(tri_builder *b, MlirOperation op);
bool tri_arith_transpose(tri_builder *b, MlirOperation op);
bool tri_arith_join(tri_builder *b, MlirOperation op);
bool tri_arith_split(tri_builder *b, MlirOperation op);
bool tri_arith_cat(tri_builder *b, MlirOperation op);
bool tri_arith_gather(tri_builder *b, MlirOperation op);
bool tri_arith_unsplat(tri_builder *b, MlirOperation op);

/* A function of libdevice or -extern-lib, as an operation or a call. False after a report. */
bool tri_arith_library(tri_pass_run *run, tri_builder *b, MlirOperation op);
/* tt.print and tt.assert as calls: of blocks (vendor) or of their elements. */
bool tri_arith_message(tri_arena *arena, tri_builder *b, MlirOperation op, bool is_vendor);
/* What an NPU's compiler has a function for; false: it has none. */
bool tri_arith_marker(tri_arena *arena, tri_builder *b, MlirOperation op);

/* A float, or a tensor of floats, as another type of the same shape; 8-bit formats by integer arithmetic. Rounds
 * to nearest even, or towards zero. */
MlirValue tri_arith_convert(tri_builder *b, MlirValue value, MlirType to, bool towards_zero);

#endif
