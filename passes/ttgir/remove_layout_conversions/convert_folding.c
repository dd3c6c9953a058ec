/* Conversions that fold into their neighbours.
 *
 *     %r = tt.make_range ... : tensor<64xi32, #a>             %r = tt.make_range ... : tensor<64xi32, #b>
 *     %c = ttg.convert_layout %r : #a -> #b
 *
 * Part of remove-layout-conversions and of canonicalisation after layout passes: same type, chains,
 * producers whose layout is free, and consumers that do not care. Conversions from an mma layout
 * to a dot operand stay, because later passes look for them. */
#include "passes/ttgir/remove_layout_conversions/layouts.h"

#include "ir/encoding.h"
#include "ir/op.h"
#include "ir/analysis/infer.h"
#include "ir/type.h"

static bool is_convert(MlirOperation op) { return tri_op_is(op, "ttg.convert_layout"); }

static tri_encoding_kind kind_of(MlirValue value)
{
    MlirAttribute e = tri_layouts_of(value);
    return mlirAttributeIsNull(e) ? TRI_ENC_NONE : tri_encoding_kind_of(e);
}

static void replace_all(MlirOperation op, MlirValue with)
{
    tri_op_replace(op, 1, &with);
}

/* A value to stand for `convert`, or null. Never looks at other users of the source. */
static MlirValue fold_producer(tri_layouts *l, MlirOperation convert)
{
    MlirValue from = tri_op_operand(convert, 0), to = tri_op_result(convert, 0);
    MlirType type = mlirValueGetType(to);
    if (mlirTypeEqual(mlirValueGetType(from), type))
        return from;
    if (kind_of(to) == TRI_ENC_DOT_OP && kind_of(from) == TRI_ENC_NVIDIA_MMA)
        return (MlirValue){NULL};
    MlirOperation def = tri_op_def(from);
    if (mlirOperationIsNull(def))
        return (MlirValue){NULL};
    if (is_convert(def)) {
        mlirOperationSetOperand(convert, 0, tri_op_operand(def, 0));
        return fold_producer(l, convert);
    }
    if (tri_op_is(def, "tt.reshape")) {
        if (!tri_layouts_is_free(l, def) || kind_of(to) == TRI_ENC_DOT_OP ||
            tri_layouts_is_expensive_view(l, mlirValueGetType(tri_op_operand(def, 0)), type))
            return (MlirValue){NULL};
    } else if (!tri_layouts_is_free(l, def) && !tri_op_is(def, "ttg.local_load")) {
        return (MlirValue){NULL};
    }
    tri_builder b = tri_builder_after(def);
    return tri_layouts_retyped(&b, def, type);
}

/* Whether `op` computes the same from the source of the conversion that is its operand `i`. */
static bool ignores_convert(tri_layouts *l, MlirOperation op, intptr_t i, MlirOperation convert)
{
    MlirValue source = tri_op_operand(convert, 0);
    if (tri_op_is(op, "tt.reshape")) {
        if (!tri_op_flag(op, "allow_reorder") || tri_op_flag(op, "efficient_layout"))
            return false;
        return !tri_layouts_is_expensive_view(l, mlirValueGetType(source), mlirValueGetType(tri_op_result(op, 0)));
    }
    if (tri_op_is(op, "tt.gather"))
        return i == 0 && !tri_op_flag(op, "efficient_layout");
    if (tri_op_is(op, "tt.histogram"))
        return mlirOperationGetNumOperands(op) == 1;
    if (tri_op_is(op, "tt.split") || tri_op_is(op, "tt.trans")) {
        MlirAttribute result = tri_infer_result(l->arena, op, tri_layouts_of(source));
        return !mlirAttributeIsNull(result) && mlirAttributeEqual(result, tri_layouts_of(tri_op_result(op, 0)));
    }
    return i == 0 && (tri_op_is(op, "ttg.local_alloc") || tri_op_is(op, "ttg.local_store"));
}

static bool fold_consumers(tri_layouts *l, MlirOperation op)
{
    bool is_changed = false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirOperation def = tri_op_def(tri_op_operand(op, i));
        if (mlirOperationIsNull(def) || !is_convert(def) || is_convert(op) || !ignores_convert(l, op, i, def))
            continue;
        mlirOperationSetOperand(op, i, tri_op_operand(def, 0));
        is_changed = true;
    }
    return is_changed;
}

void tri_convert_folding_run(tri_layouts *l, MlirOperation func)
{
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        tri_op_list ops = {0};
        tri_op_collect(func, l->arena, &ops);
        for (size_t i = 0; i < ops.len; i++) {
            MlirOperation op = ops.at[i];
            if (!is_convert(op)) {
                is_changed |= fold_consumers(l, op);
                continue;
            }
            MlirValue folded = fold_producer(l, op);
            if (mlirValueIsNull(folded))
                continue;
            replace_all(op, folded);
            is_changed = true;
        }
        if (is_changed)
            tri_op_erase_dead(func);
    }
}
