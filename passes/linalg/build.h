/* Building operations of memref, tensor and linalg, for the passes of this folder. */
#ifndef TRI_PASSES_LINALG_BUILD_H
#define TRI_PASSES_LINALG_BUILD_H

#include "ir/builder.h"
#include "layout/encoding.h"

#include "mlir-c/AffineMap.h"

/* A number of type index that is known now, or a value. */
typedef struct {
    int64_t number;
    MlirValue value; /* null: `number` */
} tri_build_size;

static inline tri_build_size tri_build_number(int64_t number) { return (tri_build_size){number, {NULL}}; }
static inline tri_build_size tri_build_of(MlirValue value) { return (tri_build_size){0, value}; }

MlirType tri_build_index_type(MlirContext context);
MlirValue tri_build_index(tri_builder *b, tri_build_size size);
MlirValue tri_build_to_index(tri_builder *b, MlirValue integer); /* sign-extended */
tri_build_size tri_build_max(tri_builder *b, tri_build_size x, tri_build_size y);
tri_build_size tri_build_min(tri_builder *b, tri_build_size x, tri_build_size y);
tri_build_size tri_build_sub(tri_builder *b, tri_build_size x, tri_build_size y);
tri_build_size tri_build_add(tri_builder *b, tri_build_size x, tri_build_size y);
tri_build_size tri_build_mul(tri_builder *b, tri_build_size x, tri_build_size y);

/* memref<?xT>: what a pointer to T is. Elements of i1 are bytes in memory. */
MlirType tri_build_memory_type(MlirType pointee);
MlirType tri_build_element_in_memory(MlirType pointee);

/* A box within a box: memref.reinterpret_cast, memref.subview, tensor.extract_slice, tensor.insert_slice. */
typedef struct {
    int rank;
    tri_build_size offset[TRI_MAX_RANK], size[TRI_MAX_RANK], stride[TRI_MAX_RANK];
} tri_build_box;
/* box->offset[0] is the only offset; of a memref<?xT>. */
MlirValue tri_build_reinterpret(tri_builder *b, MlirValue memref, const tri_build_box *box);
/* Strides are 1, whatever the box says. */
MlirValue tri_build_subview(tri_builder *b, MlirValue memref, const tri_build_box *box);
/* `shape` of the result: may lack dimensions whose size is 1 (rank -1: none is dropped). */
MlirValue tri_build_extract_slice(tri_builder *b, MlirValue tensor, const tri_build_box *box, int rank,
                                  const int64_t *shape);
MlirValue tri_build_insert_slice(tri_builder *b, MlirValue source, MlirValue dest, const tri_build_box *box);
/* A box of `tensor`'s whole extent, stride 1. */
tri_build_box tri_build_whole(MlirType shaped);

MlirValue tri_build_alloc(tri_builder *b, int rank, const int64_t *shape, MlirType element);
MlirValue tri_build_to_tensor(tri_builder *b, MlirValue memref);
MlirValue tri_build_to_buffer(tri_builder *b, MlirValue tensor); /* to read from */
void tri_build_materialize(tri_builder *b, MlirValue tensor, MlirValue memref);
void tri_build_copy(tri_builder *b, MlirValue from, MlirValue to);
MlirValue tri_build_load(tri_builder *b, MlirValue memref, int rank, const MlirValue *indices);
void tri_build_store(tri_builder *b, MlirValue value, MlirValue memref, int rank, const MlirValue *indices);
MlirValue tri_build_extract(tri_builder *b, MlirValue tensor, int rank, const MlirValue *indices);
MlirValue tri_build_insert(tri_builder *b, MlirValue value, MlirValue tensor, int rank, const MlirValue *indices);

MlirValue tri_build_empty(tri_builder *b, MlirType tensor);
/* tensor.empty filled with a scalar; `into` a memref when it is one (result null). */
MlirValue tri_build_filled(tri_builder *b, MlirType tensor, MlirValue scalar);
void tri_build_fill_memory(tri_builder *b, MlirValue scalar, MlirValue memref);
MlirValue tri_build_zero(tri_builder *b, MlirType scalar);
/* The same elements in row-major order under another shape. */
MlirValue tri_build_reshape(tri_builder *b, MlirValue tensor, MlirType to);

/* Loops and conditionals; `inner` is where the body goes. Terminators are made by tri_build_yield. */
MlirOperation tri_build_for(tri_builder *b, tri_build_size from, tri_build_size to, tri_build_size step, intptr_t n,
                            const MlirValue *carried, tri_builder *inner);
MlirOperation tri_build_if(tri_builder *b, MlirValue condition, intptr_t n, const MlirType *results, tri_builder *then_,
                           tri_builder *else_);
void tri_build_yield(tri_builder *b, const char *name, intptr_t n, const MlirValue *values);

/* linalg.generic over all elements of a shape, in parallel. `inner` gets the body, whose first arguments are the
 * inputs' elements; end it with tri_build_yield(inner, "linalg.yield", ...). maps: null for identities. */
MlirOperation tri_build_generic(tri_builder *b, int num_ins, const MlirValue *ins, const MlirAffineMap *maps,
                                int num_outs, const MlirValue *outs, tri_builder *inner);
MlirValue tri_build_linalg_index(tri_builder *b, int dim);

/* A linalg operation with a region that is built by hand: reduce, broadcast, transpose. */
MlirOperation tri_build_linalg(tri_builder *b, const char *name, int num_ins, const MlirValue *ins, int num_outs,
                               const MlirValue *outs, tri_attr attr, tri_builder *inner);
/* A linalg operation whose region follows from its name: matmul, fill. */
MlirOperation tri_build_named(tri_builder *b, const char *name, int num_ins, const MlirValue *ins, MlirValue out);

MlirAttribute tri_build_i64s(MlirContext context, int n, const int64_t *values);

#endif
