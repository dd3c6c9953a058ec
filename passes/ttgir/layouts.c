#include "passes/ttgir/layouts.h"

#include "ir/encoding.h"
#include "ir/op.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "layout/plan.h"

#include "mlir-c/BuiltinAttributes.h"

MlirAttribute tri_layouts_of(MlirValue value)
{
    MlirType type = mlirValueGetType(value);
    return tri_type_is_tensor(type) ? tri_type_encoding(type) : (MlirAttribute){NULL};
}

static int shape_of(MlirType type, int64_t *out_shape)
{
    int rank = tri_type_rank(type);
    for (int d = 0; d < rank; d++)
        out_shape[d] = tri_type_dim(type, d);
    return rank;
}

bool tri_layouts_is_expensive_access(const tri_layouts *l, MlirOperation op)
{
    if (!tri_op_is(op, "tt.load") && !tri_op_is(op, "tt.store"))
        return false;
    MlirType type = mlirValueGetType(tri_op_operand(op, 0));
    int64_t n = tri_type_is_tensor(type) ? tri_type_num_elements(type) : 1;
    return n > 1 && n >= (int64_t)l->launch.warps * l->launch.lanes;
}

static bool linear_of(const tri_layouts *l, MlirType type, tri_linear *out)
{
    int64_t shape[TRI_MAX_RANK];
    int rank = shape_of(type, shape);
    const tri_encoding *e = tri_encoding_get(l->arena, tri_type_encoding(type));
    return e && tri_convert_to_linear(e, rank, shape, out, NULL);
}

int64_t tri_layouts_elements_per_thread(const tri_layouts *l, MlirType type)
{
    int64_t shape[TRI_MAX_RANK];
    int rank = shape_of(type, shape);
    return tri_convert_elements_per_thread(tri_encoding_get(l->arena, tri_type_encoding(type)), rank, shape);
}

bool tri_layouts_is_expensive_view(const tri_layouts *l, MlirType from, MlirType to)
{
    tri_linear a, b;
    if (!linear_of(l, from, &a) || !linear_of(l, to, &b))
        return true;
    return tri_linear_free_mask(&a, TRI_DIM_LANE) != tri_linear_free_mask(&b, TRI_DIM_LANE) ||
           tri_linear_free_mask(&a, TRI_DIM_WARP) != tri_linear_free_mask(&b, TRI_DIM_WARP) ||
           tri_linear_in_bits(&a, TRI_DIM_REGISTER) != tri_linear_in_bits(&b, TRI_DIM_REGISTER);
}

bool tri_layouts_is_free_convert(const tri_layouts *l, MlirType from, MlirType to)
{
    tri_linear a, b;
    if (!linear_of(l, from, &a) || !linear_of(l, to, &b))
        return false;
    tri_cvt_kind kind = tri_plan_convert_kind(&a, &b);
    return kind == TRI_CVT_NONE || kind == TRI_CVT_REGISTERS;
}

bool tri_layouts_is_free(const tri_layouts *l, MlirOperation op)
{
    if (tri_op_is(op, "arith.constant"))
        return mlirAttributeIsADenseElements(tri_op_attr(op, "value"));
    if (tri_op_is(op, "tt.make_range") || tri_op_is(op, "tt.splat") ||
        tri_op_is(op, "tt.histogram"))
        return true;
    return tri_op_is(op, "tt.reshape") && tri_op_flag(op, "allow_reorder") && !tri_op_flag(op, "efficient_layout") &&
           !tri_layouts_is_expensive_view(l, mlirValueGetType(tri_op_operand(op, 0)),
                                          mlirValueGetType(tri_op_result(op, 0)));
}

void tri_layouts_retype(MlirOperation op, intptr_t result, MlirType type)
{
    if (tri_op_is(op, "arith.constant"))
        tri_builder_set_attr(op, "value", mlirDenseElementsAttrReshapeGet(tri_op_attr(op, "value"), type));
    tri_op_set_type(tri_op_result(op, result), type);
}

MlirValue tri_layouts_retyped(tri_builder *b, MlirOperation op, MlirType type)
{
    MlirOperation clone = tri_op_clone(b, op, 0, NULL, NULL);
    tri_layouts_retype(clone, 0, type);
    return tri_op_result(clone, 0);
}
