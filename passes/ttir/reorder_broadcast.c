/* Does elementwise work on the small side of a broadcast.
 *
 *     %x = tt.splat %s : i32 -> tensor<128xi32>       %t = arith.addi %s, %c : i32
 *     %y = tt.splat %c : i32 -> tensor<128xi32>       %z = tt.splat %t : i32 -> tensor<128xi32>
 *     %z = arith.addi %x, %y : tensor<128xi32>
 *
 *     %b = tt.broadcast %a : 128x1 -> 128x64          %c = arith.muli %a, (splat %s at 128x1)
 *     %z = arith.muli %b, (splat %s at 128x64)        %z = tt.broadcast %c : 128x1 -> 128x64
 *
 * Needs: ttir or ttgir. Only ops without effects, whose operands are all splats, or broadcasts from
 * one shape and splats. Answers to triton-reorder-broadcast. Test: tests/passes/reorder-broadcast.mlir */
#include "passes/passes.h"

#include "ir/analysis/infer.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "ir/upstream.h"

#include "mlir-c/BuiltinAttributes.h"

typedef enum { KIND_OTHER, KIND_SPLAT, KIND_CONSTANT, KIND_BROADCAST } kind;

static kind kind_of(MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    if (mlirOperationIsNull(def))
        return KIND_OTHER;
    if (tri_op_is(def, "tt.splat"))
        return KIND_SPLAT;
    if (tri_op_is(def, "tt.broadcast"))
        return KIND_BROADCAST;
    if (tri_op_is(def, "arith.constant") && tri_type_is_tensor(mlirValueGetType(value)) &&
        mlirAttributeIsADenseElements(tri_op_attr(def, "value")) &&
        mlirDenseElementsAttrIsSplat(tri_op_attr(def, "value")))
        return KIND_CONSTANT;
    return KIND_OTHER;
}

static bool is_movable(MlirOperation op)
{
    if (!tri_op_in(op, TRI_OPS_ELEMENTWISE) || !tri_op_is_pure(op) || mlirOperationGetNumOperands(op) == 0 ||
        mlirOperationGetNumRegions(op))
        return false;
    /* packed assembly works on several elements at once */
    if (tri_op_is(op, "tt.elementwise_inline_asm"))
        return false;
    return mlirOperationGetNumResults(op) == 1 && tri_type_is_tensor(mlirValueGetType(tri_op_result(op, 0)));
}

/* The one value of a splat. */
static MlirValue scalar_of(tri_builder *b, MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    if (!tri_type_is_tensor(mlirValueGetType(value)))
        return value;
    if (kind_of(value) == KIND_SPLAT)
        return tri_op_operand(def, 0);
    MlirAttribute element = mlirDenseElementsAttrGetSplatValue(tri_op_attr(def, "value"));
    MlirType type = tri_type_element(mlirValueGetType(value));
    tri_attr attr = {"value", element};
    return tri_builder_value(b, &(tri_op){.name = "arith.constant", .num_results = 1, .results = &type,
                                          .num_attrs = 1, .attrs = &attr});
}

/* The op on other operands, with the element type of its result and the shape of `like`. */
static MlirValue repeat(tri_builder *b, MlirOperation op, MlirValue *operands, MlirType type)
{
    MlirOperation clone = tri_op_clone(b, op, 0, NULL, NULL);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        mlirOperationSetOperand(clone, i, operands[i]);
    tri_op_set_type(tri_op_result(clone, 0), type);
    return tri_op_result(clone, 0);
}

static bool move_before_splat(tri_pass_run *run, MlirOperation op)
{
    intptr_t n = mlirOperationGetNumOperands(op), splats = 0;
    for (intptr_t i = 0; i < n; i++) {
        MlirValue value = tri_op_operand(op, i);
        kind k = kind_of(value);
        bool is_scalar = !tri_type_is_tensor(mlirValueGetType(value));
        if (!is_scalar && k != KIND_SPLAT && k != KIND_CONSTANT)
            return false;
        splats += k == KIND_SPLAT;
    }
    if (splats == 0)
        return false; /* all constants: folding does better */
    tri_builder b = tri_builder_before(op);
    MlirValue *scalars = TRI_NEW_ARRAY(run->arena, MlirValue, n);
    for (intptr_t i = 0; i < n; i++)
        scalars[i] = scalar_of(&b, tri_op_operand(op, i));
    MlirType type = mlirValueGetType(tri_op_result(op, 0));
    MlirValue small = repeat(&b, op, scalars, tri_type_element(type));
    MlirValue made = tri_builder_unary(&b, "tt.splat", type, small);
    tri_op_replace(op, 1, &made);
    return true;
}

static bool same_shape_and_layout(MlirType a, MlirType b)
{
    return mlirTypeEqual(tri_type_with_element(a, tri_type_element(b)), b);
}

static bool move_before_broadcast(tri_pass_run *run, MlirOperation op)
{
    intptr_t n = mlirOperationGetNumOperands(op);
    MlirType small = {NULL};
    for (intptr_t i = 0; i < n; i++) {
        MlirValue value = tri_op_operand(op, i);
        kind k = kind_of(value);
        if (k == KIND_BROADCAST) {
            MlirType from = mlirValueGetType(tri_op_operand(tri_op_def(value), 0));
            if (!mlirTypeIsNull(small) && !same_shape_and_layout(small, from))
                return false;
            small = from;
        } else if (tri_type_is_tensor(mlirValueGetType(value)) && k != KIND_SPLAT && k != KIND_CONSTANT) {
            return false;
        }
    }
    if (mlirTypeIsNull(small))
        return false;
    tri_builder b = tri_builder_before(op);
    MlirValue *operands = TRI_NEW_ARRAY(run->arena, MlirValue, n);
    for (intptr_t i = 0; i < n; i++) {
        MlirValue value = tri_op_operand(op, i);
        MlirType type = mlirValueGetType(value);
        if (kind_of(value) == KIND_BROADCAST)
            operands[i] = tri_op_operand(tri_op_def(value), 0);
        else if (tri_type_is_tensor(type))
            operands[i] = tri_builder_unary(&b, "tt.splat", tri_type_with_element(small, tri_type_element(type)),
                                            scalar_of(&b, value));
        else
            operands[i] = value;
    }
    MlirType type = mlirValueGetType(tri_op_result(op, 0));
    MlirValue core = repeat(&b, op, operands, tri_type_with_element(small, tri_type_element(type)));
    MlirValue made = tri_builder_unary(&b, "tt.broadcast", type, core);
    tri_op_replace(op, 1, &made);
    return true;
}

static bool run_reorder_broadcast(tri_pass_run *run)
{
    tri_op_list ops = {0};
    bool is_changed = false;
    tri_op_collect(mlirModuleGetOperation(run->module), run->arena, &ops);
    /* in program order, so that an op sees what its operands have become */
    for (size_t i = 0; i < ops.len; i++)
        if (is_movable(ops.at[i]))
            is_changed |= move_before_splat(run, ops.at[i]) || move_before_broadcast(run, ops.at[i]);
    return !is_changed || tri_upstream_canonicalize(mlirModuleGetOperation(run->module));
}

const tri_pass tri_pass_reorder_broadcast = {
    .name = "reorder-broadcast",
    .help = "do elementwise work before splats and broadcasts",
    .alias = "triton-reorder-broadcast",
    .run = run_reorder_broadcast,
};
