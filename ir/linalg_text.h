/* Text of linalg modules as Ascend's compiler reads it: two operations as MLIR 19 and 20 spell them, and one that its
 * own dialect has, with a mark that this is memory outside of the chip's.
 *
 *     %v = bufferization.to_tensor %m restrict : memref<8xf32>                       19
 *     %v = bufferization.to_tensor %m restrict : memref<8xf32> to tensor<8xf32>      22
 *     %m = bufferization.to_memref %v : memref<8xf32>                                19
 *     %m = bufferization.to_buffer %v : tensor<8xf32> to memref<8xf32>               22
 *
 *     %m = hivm.hir.pointer_cast(%a) [%n] : memref<?xf32>                            there
 *     annotation.mark %m {address_space = #hivm.address_space<gm>} : memref<?xf32>
 *     %m = func.call @tritcc_memory_f32(%a, %n) : (i64, index) -> memref<?xf32>      here, where it is declared
 *
 * Each operation is on one line. */
#ifndef TRI_IR_LINALG_TEXT_H
#define TRI_IR_LINALG_TEXT_H

#include "base/str.h"

void tri_linalg_text_to_19(tri_str text, tri_buf *out);
void tri_linalg_text_to_22(tri_str text, tri_buf *out);
bool tri_linalg_text_is_19(tri_str text);

#endif
