/* Memory as the passes of this folder see it: arrays behind pointers, and elements that are spelled otherwise there. */
#ifndef TRI_PASSES_LINALG_MEMORY_H
#define TRI_PASSES_LINALG_MEMORY_H

#include "base/arena.h"
#include "passes/linalg/build.h"

/* The array that a scalar pointer stands for: of an argument a cast that structured-to-memref resolves, of one that is
 * made from an integer (tri_memory_is_address) what tri_memory_at gives. */
MlirValue tri_memory_base(tri_builder *b, MlirValue pointer);
bool tri_memory_is_address(MlirValue pointer);
/* The memory at an address, an i64: func.call @tritcc_memory_f32(%address) : (i64) -> memref<?xf32>. Who runs the code
 * has that function; this host's is made on the way to it (targets/linalg). `elements`: how many there are, an operand
 * more, which is a hivm.hir.pointer_cast in Ascend's text (ir/linalg_text.h); the number 0: nobody asks. */
MlirValue tri_memory_at(tri_builder *b, MlirValue address, tri_build_size elements, MlirType pointee);
/* Of an array that is an argument, as i64. */
MlirValue tri_memory_address(tri_builder *b, MlirValue pointer);

/* Makes numbers of pointers whose elements are taken for those of another size, and pointers of these again: casts that
 * an array of elements has no form for. `func` is a tt.func. */
void tri_memory_split_casts(tri_arena *arena, MlirOperation func);

/* Elements (a scalar or a tensor) as they lie in memory, and back: an i1 is a byte, and an array may be
 * declared with other elements of the same size. */
MlirValue tri_memory_to_memory(tri_builder *b, MlirValue value, MlirType element);
MlirValue tri_memory_from_memory(tri_builder *b, MlirValue value, MlirType element);

/* A tensor all of whose elements are one scalar; the scalar, or null when it is not seen to be. */
bool tri_memory_is_splat(MlirValue tensor);
MlirValue tri_memory_splat_scalar(tri_builder *b, MlirValue tensor);

/* scf.while over one value of type index: `before` ends with scf.condition, `inner` with scf.yield. */
void tri_memory_while(tri_builder *b, MlirValue first, tri_builder *before, tri_builder *inner);

#endif
