/* Moves a conversion in front of the operation that made its source large.
 *
 *     %b = arith.extf %a : f16 to f32, #a            %c = ttg.convert_layout %a : f16, #a -> #b
 *     %c = ttg.convert_layout %b : f32, #a -> #b     %b = arith.extf %c : f16 to f32, #b
 *
 * Part of remove-layout-conversions: half the bytes are moved, or fewer when it is a broadcast. */
#include "passes/ttgir/remat.h"

#include "ir/analysis/infer.h"
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
        tri_slice bigger = tri_remat_copy_slice(r, slice);
        if (tri_remat_grow(r, &bigger, end, tri_op_operand(end, 0), from, NULL, NULL)) {
            *slice = bigger;
            continue;
        }
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
    MlirValue made = tri_builder_unary(&b, "ttg.convert_layout", type, source);
    tri_remat_add_existing(r, &slice, source, from, made);
    tri_rematerialization_rewrite(r, &slice, convert);
    return true;
}
