/* Text of linalg modules as MLIR 19 and 20 spell it, which Ascend's compiler reads: two operations differ.
 *
 *     %v = bufferization.to_tensor %m restrict : memref<8xf32>                       19
 *     %v = bufferization.to_tensor %m restrict : memref<8xf32> to tensor<8xf32>      22
 *     %m = bufferization.to_memref %v : memref<8xf32>                                19
 *     %m = bufferization.to_buffer %v : tensor<8xf32> to memref<8xf32>               22
 *
 * Each operation is on one line. */
#ifndef TRI_IR_LINALG_TEXT_H
#define TRI_IR_LINALG_TEXT_H

#include "base/str.h"

void tri_linalg_text_to_19(tri_str text, tri_buf *out);
void tri_linalg_text_to_22(tri_str text, tri_buf *out);
bool tri_linalg_text_is_19(tri_str text);

#endif
