/* What the passes around tt.dot ask again and again. */
#ifndef TRI_PASSES_ANALYSIS_DOTS_H
#define TRI_PASSES_ANALYSIS_DOTS_H

#include "ir/builder.h"
#include "ir/op.h"
#include "layout/encoding.h"
#include "layout/linear.h"

/* inputPrecision of tt.dot, as its attribute stores it. */
enum { TRI_PRECISION_TF32, TRI_PRECISION_TF32X3, TRI_PRECISION_IEEE, TRI_PRECISION_BF16X3, TRI_PRECISION_BF16X6 };

/* Shape of a tensor or memdesc type; returns the rank. */
int tri_dots_shape(MlirType type, int64_t *out_shape);
/* Encoding of a tensor value in C form; null without one. */
const tri_encoding *tri_dots_encoding(tri_arena *arena, MlirValue value);
bool tri_dots_linear(tri_arena *arena, MlirType tensor, tri_linear *out_layout);
/* Registers of 32 bits that a thread needs for a tensor of numbers; 0 for anything else. */
int64_t tri_dots_registers(tri_arena *arena, MlirType type);
/* ttg.convert_layout to `encoding`; the value itself when it has it already. */
MlirValue tri_dots_convert(tri_builder *b, MlirValue value, MlirAttribute encoding);
/* Floats of another width, 8 bits among them; the value itself when they have it. */
MlirValue tri_dots_cast(tri_builder *b, MlirValue value, MlirType element);
/* A product `name` of these operands, with the precision that `dot` asks for. */
MlirValue tri_dots_make(tri_builder *b, const char *name, MlirOperation dot, const MlirValue operands[3],
                        MlirType type);
/* Goes back through ttg.convert_layout. */
MlirValue tri_dots_strip_converts(MlirValue value);
/* A conversion that must go through shared memory. */
bool tri_dots_needs_shared(tri_arena *arena, MlirType from, MlirType to);

/* The layout of the operand that a conversion makes, by itself or through what only moves elements; for a linear one
 * that a product reads, one of the same product with as many elements side by side. Null: it makes none. */
const tri_encoding *tri_dots_operand_below(tri_arena *arena, MlirOperation convert);
/* The swizzled buffer type (immutable) for a value that operand type `dot_tensor` will be loaded from,
 * stored in the given order. */
MlirType tri_dots_buffer_type(tri_arena *arena, MlirType dot_tensor, const int64_t *shape, const int32_t *order,
                              bool need_trans);
/* The type of a transposed view (two dimensions) of a buffer in swizzled layout. */
MlirType tri_dots_transposed_buffer(tri_arena *arena, MlirType buffer);
bool tri_dots_has_one_use(MlirValue value);
/* The ttg.local_load of the product's block that its first operand is a view of; null: it is something else. */
MlirOperation tri_dots_load_of_registers(MlirOperation dot);
/* The only user; null unless there is exactly one use. */
MlirOperation tri_dots_only_user(MlirValue value);

/* Elements [first, first + size) of a buffer's dimension. */
MlirValue tri_dots_buffer_part(tri_builder *b, MlirValue buffer, int dim, int64_t first, int64_t size);

#endif
