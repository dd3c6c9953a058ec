/* The dialects' types, and shorthand for builtin ones. Handles are borrowed from the context. */
#ifndef TRI_IR_TYPE_H
#define TRI_IR_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/encoding.h"

#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/IR.h"

/* !tt.ptr<pointee, space> to a number; space 1 is global memory. */
MlirType tri_type_ptr(MlirType pointee, unsigned space);
bool tri_type_is_ptr(MlirType type);
MlirType tri_type_ptr_pointee(MlirType type);
unsigned tri_type_ptr_space(MlirType type);

/* !tt.ptr<tensor<...>>, which rewrite-tensor-pointer removes; is_ptr is false for it. The type of
 * the tensor, or null for other types. */
MlirType tri_type_block_ptr_block(MlirType type);

/* !tt.tensordesc<block>; `block` is a ranked tensor type whose element may be signed or unsigned. */
MlirType tri_type_desc(MlirType block);
bool tri_type_is_desc(MlirType type);
MlirType tri_type_desc_block(MlirType type);

/* !ttg.memdesc */
typedef struct {
    int rank, alloc_rank;
    int64_t shape[TRI_MAX_RANK];
    int64_t alloc_shape[TRI_MAX_RANK]; /* equal to shape when the type prints none */
    MlirType element;
    MlirAttribute encoding, space;
    bool is_mutable;
} tri_memdesc;
MlirType tri_type_memdesc(const tri_memdesc *desc);
bool tri_type_get_memdesc(MlirType type, tri_memdesc *out_desc);

MlirType tri_type_async_token(MlirContext context);
bool tri_type_is_async_token(MlirType type);

/* Ranked tensors. `encoding` may be null. */
MlirType tri_type_tensor(int rank, const int64_t *shape, MlirType element, MlirAttribute encoding);
static inline bool tri_type_is_tensor(MlirType type) { return mlirTypeIsARankedTensor(type); }
/* Element type of a tensor, else the type itself. */
MlirType tri_type_element(MlirType type);
/* Encoding of a tensor, or null. */
MlirAttribute tri_type_encoding(MlirType type);
/* Same shape and encoding with another element type (a scalar stays a scalar). */
MlirType tri_type_with_element(MlirType type, MlirType element);
MlirType tri_type_with_encoding(MlirType tensor, MlirAttribute encoding);
int tri_type_rank(MlirType type);
int64_t tri_type_dim(MlirType type, int dim);
int64_t tri_type_num_elements(MlirType type); /* 1 for a scalar */

/* Bits of an integer or float; 64 for a pointer. */
unsigned tri_type_bits(MlirType type);
bool tri_type_is_float(MlirType type);
bool tri_type_is_int(MlirType type);
bool tri_type_is_int_of(MlirType type, unsigned bits);

#endif
