/* Reading and changing operations: what mlir-c lacks, and shorthand for what it has. */
#ifndef TRI_IR_OP_H
#define TRI_IR_OP_H

#include "base/diag.h"
#include "base/vec.h"
#include "ir/builder.h"

#include "mlir-c/IR.h"

typedef TRI_VEC(MlirOperation) tri_op_list;

bool tri_op_is(MlirOperation op, const char *name); /* "tt.load" */
tri_str tri_op_name(MlirOperation op);

static inline MlirValue tri_op_operand(MlirOperation op, intptr_t i) { return mlirOperationGetOperand(op, i); }
static inline MlirValue tri_op_result(MlirOperation op, intptr_t i) { return mlirOperationGetResult(op, i); }
/* Operand group `i` of an op with AttrSizedOperandSegments (tt.load: 0 ptr, 1 mask, 2 other);
 * count 0 and a null value when it is absent. */
intptr_t tri_op_segment(MlirOperation op, int group, intptr_t *out_start);
MlirValue tri_op_segment_value(MlirOperation op, int group); /* null when absent */

/* Attributes; null, or the default, when absent. */
MlirAttribute tri_op_attr(MlirOperation op, const char *name);
int64_t tri_op_int(MlirOperation op, const char *name, int64_t if_absent);
bool tri_op_flag(MlirOperation op, const char *name); /* unit attribute, or bool true */
tri_str tri_op_string(MlirOperation op, const char *name);
/* DenseI32ArrayAttr into `out`; returns the length (<= max). */
int tri_op_i32s(MlirOperation op, const char *name, int32_t *out, int max);

/* The op that defines a value, or null for a block argument. */
MlirOperation tri_op_def(MlirValue value);
bool tri_op_is_block_argument(MlirValue value, MlirBlock *out_block, intptr_t *out_index);
MlirBlock tri_op_block_of(MlirValue value); /* that makes it, or has it as an argument */
/* Constants: the splat or scalar integer of an arith.constant; through tt.splat too. */
bool tri_op_const_int(MlirValue value, int64_t *out_value);
bool tri_op_const_float(MlirValue value, double *out_value);
bool tri_op_const_zero(MlirValue value); /* -0.0 too */

/* All ops inside `root` (not itself), in source order, regions before the ops that follow. */
void tri_op_collect(MlirOperation root, tri_arena *arena, tri_op_list *out_ops);
/* The same, only those called `name`. */
void tri_op_collect_named(MlirOperation root, const char *name, tri_arena *arena, tri_op_list *out_ops);

/* Properties asked of the op's own interfaces. */
bool tri_op_is_pure(MlirOperation op);          /* no memory effect, speculatable */
bool tri_op_is_trivially_dead(MlirOperation op);
bool tri_op_has_effects(MlirOperation op);

/* Structure. */
MlirOperation tri_op_previous(MlirOperation op); /* null at the start */
/* The operation of the block that the op is, or stands in; null: it stands elsewhere. */
MlirOperation tri_op_ancestor_in(MlirBlock block, MlirOperation op);
bool tri_op_dominates(MlirOperation a, MlirOperation b);
void tri_op_replace(MlirOperation op, intptr_t n, const MlirValue *values); /* replaces all uses and erases */
MlirOperation tri_op_clone(tri_builder *b, MlirOperation op, intptr_t n, const MlirValue *from, const MlirValue *to);
void tri_op_set_type(MlirValue value, MlirType type);
/* Erases pure ops without uses, to a fixed point. */
void tri_op_erase_dead(MlirOperation root);

/* tt.func helpers. */
tri_str tri_op_symbol(MlirOperation op);
bool tri_op_is_kernel(MlirOperation func); /* a public tt.func with a body */
MlirBlock tri_op_body(MlirOperation op, int region); /* first block of a region */

/* Location of an op as a span of a registered source (innermost call site), if its file is known. */
tri_span tri_op_span(tri_diag *diag, MlirOperation op);
/* Error at an op, with notes for the call sites of inlined code. */
void tri_op_error(tri_diag *diag, MlirOperation op, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
