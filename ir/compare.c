#include "ir/compare.h"

#include "ir/op.h"
#include "ir/type.h"

#include "mlir-c/BuiltinTypes.h"

MlirValue tri_compare_make(tri_builder *b, int64_t predicate, MlirValue x, MlirValue y)
{
    MlirType result = tri_type_with_element(mlirValueGetType(x), mlirIntegerTypeGet(b->context, 1));
    MlirValue operands[] = {x, y};
    tri_attr attr = {"predicate", tri_attr_i64(b->context, predicate)};
    return tri_builder_value(b, &(tri_op){.name = "arith.cmpi",
                                          .num_operands = 2,
                                          .operands = operands,
                                          .num_results = 1,
                                          .results = &result,
                                          .num_attrs = 1,
                                          .attrs = &attr});
}

MlirValue tri_compare_has_trips(tri_builder *b, MlirOperation loop)
{
    int64_t less = tri_op_flag(loop, "unsignedCmp") ? TRI_CMP_ULT : TRI_CMP_SLT;
    return tri_compare_make(b, less, tri_op_operand(loop, 0), tri_op_operand(loop, 1));
}
