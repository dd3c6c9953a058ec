/* Moves a conversion in front of the operation that made its source large.
 *
 *     %b = arith.extf %a : f16 to f32, #a            %c = ttg.convert_layout %a : f16, #a -> #b
 *     %c = ttg.convert_layout %b : f32, #a -> #b     %b = arith.extf %c : f16 to f32, #b
 *
 * Part of remove-layout-conversions: half the bytes are moved, or fewer when it is a broadcast.
 * Likewise, the operand of a tensor core is converted directly behind its load, so that the load
 * can be made ahead of time through shared memory and its elements are widened in registers:
 *
 *     %a = tt.load %p : i8, #b                       %a = tt.load %p : i8, #b
 *     %f = arith.sitofp %a : i8 to f16, #b           %c = ttg.convert_layout %a : i8, #b -> #dot
 *     %c = ttg.convert_layout %f : f16, #b -> #dot   %f = arith.sitofp %c : i8 to f16, #dot */
#include "passes/ttgir/remat.h"

#include "ir/analysis/infer.h"
#include "ir/encoding.h"
#include "ir/type.h"

static bool makes_larger(MlirOperation op)
{
    if (tri_op_is(op, "arith.extsi") || tri_op_is(op, "arith.extui") || tri_op_is(op, "arith.extf") ||
        tri_op_is(op, "tt.broadcast") || tri_op_is(op, "tt.expand_dims"))
        return true;
    return tri_op_is(op, "tt.fp_to_fp") &&
           tri_type_bits(tri_type_element(mlirValueGetType(tri_op_result(op, 0)))) >
               tri_type_bits(tri_type_element(mlirValueGetType(tri_op_operand(op, 0))));
}

static tri_builder behind(MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(value, &block, &index))
        return tri_builder_at_start(block, mlirOperationGetLocation(mlirBlockGetParentOperation(block)));
    return tri_builder_after(tri_op_def(value));
}

/* Takes what the ends of the slice depend on into it; the only end that cannot be is `out_rest`. */
static bool absorb(tri_remat *r, tri_slice *slice, const tri_op_list *ends, MlirOperation *out_rest)
{
    *out_rest = (MlirOperation){NULL};
    for (size_t i = 0; i < ends->len; i++) {
        MlirOperation end = ends->at[i];
        tri_slice_value *v = tri_remat_find(slice, tri_op_result(end, 0));
        MlirAttribute from = tri_infer_operand(r->arena, end, v->encoding);
        if (mlirAttributeIsNull(from))
            return false;
        tri_slice_mark mark = tri_remat_mark(slice);
        if (tri_remat_grow(r, slice, end, tri_op_operand(end, 0), from, NULL, NULL))
            continue;
        tri_remat_go_back(slice, mark);
        if (!mlirOperationIsNull(*out_rest))
            return false;
        *out_rest = end;
    }
    return !mlirOperationIsNull(*out_rest);
}

bool tri_hoisting_try(tri_remat *r, MlirOperation convert)
{
    tri_slice slice = {0};
    tri_op_list ends = {0};
    MlirOperation rest;
    if (!tri_remat_grow(r, &slice, convert, tri_op_operand(convert, 0), tri_layouts_of(tri_op_result(convert, 0)),
                        makes_larger, &ends) ||
        !absorb(r, &slice, &ends, &rest))
        return false;
    MlirValue source = tri_op_operand(rest, 0);
    MlirAttribute from = tri_infer_operand(r->arena, rest, tri_remat_find(&slice, tri_op_result(rest, 0))->encoding);
    MlirType type = tri_type_with_encoding(mlirValueGetType(source), from);
    if (tri_remat_find(&slice, source) || mlirTypeEqual(type, mlirValueGetType(source)) ||
        !tri_remat_is_worth(r, &slice, convert, tri_remat_convert_cost(type)))
        return false;
    tri_builder b = behind(source);
    MlirValue made = tri_rematerialization_convert(r, &b, rest, type, source);
    tri_remat_add_existing(r, &slice, source, from, made);
    tri_rematerialization_rewrite(r, &slice, convert);
    return true;
}

static bool is_load(MlirOperation op) { return tri_op_is(op, "tt.load") || tri_op_is(op, "tt.descriptor_load"); }

static bool keeps_elements(MlirOperation op)
{
    static const char *const names[] = {"arith.constant", "tt.splat", "tt.broadcast", "tt.expand_dims", "tt.reshape",
                                        "tt.trans", "tt.join", "ttg.fp4_to_fp", "ttg.convert_layout"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_op_is(op, names[i]))
            return true;
    return is_load(op) || tri_infer_is_elementwise(op);
}

/* Each thread works on its own elements, and nothing but loads and constants comes in. */
static bool stays_in_place(const tri_slice *slice)
{
    for (size_t i = 0; i < slice->values.len; i++) {
        MlirOperation def = tri_op_def(slice->values.at[i].value);
        if (mlirOperationIsNull(def))
            return false;
        if (!keeps_elements(def))
            return false;
    }
    return true;
}

/* A dot in the block of the conversion takes it, so that nothing is computed in vain. */
static bool feeds_dot(MlirOperation convert)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(convert, 0)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if ((tri_op_is(user, "tt.dot") || tri_op_is(user, "ttng.warp_group_dot")) &&
            mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(convert)))
            return true;
    }
    return false;
}

bool tri_hoisting_try_dot(tri_remat *r, MlirOperation convert)
{
    tri_slice slice = {0};
    tri_op_list loads = {0};
    MlirValue source = tri_op_operand(convert, 0);
    MlirAttribute wanted = tri_layouts_of(tri_op_result(convert, 0));
    MlirOperation def = tri_op_def(source);
    const tri_encoding *e = tri_encoding_get(r->arena, wanted);
    if (e->parent->kind != TRI_ENC_NVIDIA_MMA || mlirOperationIsNull(def) || is_load(def) ||
        !feeds_dot(convert) ||
        !tri_remat_grow(r, &slice, convert, source, wanted, is_load, &loads) || !stays_in_place(&slice))
        return false;
    for (size_t i = 0; i < loads.len; i++) {
        MlirValue loaded = tri_op_result(loads.at[i], 0);
        tri_slice_value *v = tri_remat_find(&slice, loaded);
        tri_builder b = tri_builder_after(loads.at[i]);
        MlirType type = tri_type_with_encoding(mlirValueGetType(loaded), v->encoding);
        v->existing = tri_rematerialization_convert(r, &b, loads.at[i], type, loaded);
    }
    tri_rematerialization_rewrite(r, &slice, convert);
    return true;
}
