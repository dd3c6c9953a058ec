/* Chooses one layout for whole chains of operations, so that few conversions are left.
 *
 *     %o = arith.addi ... : tensor<1024xi32, #blocked>         %o = arith.addi ... #blocked1
 *     %q = ttg.convert_layout %p : #blocked -> #blocked1       %v = tt.load %p : ... #blocked1
 *     %w = tt.load %q : ... #blocked1                          %x = arith.addf %v, ... #blocked1
 *     %v = ttg.convert_layout %w : #blocked1 -> #blocked
 *     %x = arith.addf %v, ... #blocked
 *
 * Needs: layouts everywhere; memory ops and dots in the layouts they want (coalesce,
 * accelerate-matmul). Afterwards: fewer conversions, same values. Steps: layouts of anchors flow
 * forward (propagation.c), conversions fold into their neighbours (convert_folding.c), those left
 * are replaced by computing their source again where that is cheaper (rematerialization.c), or move to
 * where less is converted (hoisting.c) or less often (hoist_conditionals.c), carried values that are
 * needed no more are dropped (dead_arguments.c).
 * Answers to tritongpu-remove-layout-conversions. Test: tests/passes/remove-layout-conversions.mlir */
#include "passes/ttgir/remove_layout_conversions/remat.h"

#include "ir/analysis/infer.h"
#include "ir/encoding.h"
#include "ir/op.h"
#include "ir/type.h"
#include "layout/convert.h"

/* Both elements of a byte come in registers side by side; a layout that has them in the same thread elsewhere, which
 * the steps above take for as good, is had by a conversion that moves nothing to another thread. */
static void order_unpacked(tri_layouts *l, MlirOperation func)
{
    tri_op_list ops = {0};
    tri_op_collect_named(func, "ttg.fp4_to_fp", l->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        MlirValue result = tri_op_result(ops.at[i], 0);
        MlirType type = mlirValueGetType(result);
        int64_t shape[TRI_MAX_RANK];
        for (int d = 0; d < tri_type_rank(type); d++)
            shape[d] = tri_type_dim(type, d);
        MlirAttribute wanted = tri_layouts_of(result),
                      made = tri_infer_result(l->arena, ops.at[i], tri_layouts_of(tri_op_operand(ops.at[i], 0)));
        if (mlirAttributeIsNull(made) || mlirAttributeEqual(made, wanted) ||
            tri_convert_same_layout(tri_encoding_get(l->arena, made), tri_encoding_get(l->arena, wanted),
                                    tri_type_rank(type), shape))
            continue;
        tri_builder b = tri_builder_after(ops.at[i]);
        tri_op_set_type(result, tri_type_with_encoding(type, made));
        MlirValue moved = tri_builder_unary(&b, "ttg.convert_layout", type, result);
        MlirOperation convert = mlirOpResultGetOwner(moved);
        mlirValueReplaceAllUsesExcept(result, moved, 1, &convert);
    }
}

static bool run_remove_layout_conversions(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_layouts l = tri_layouts_make(run);
    tri_op_list funcs = {0};
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        if (mlirBlockIsNull(tri_op_body(funcs.at[i], 0)))
            continue;
        tri_propagation_run(&l, funcs.at[i]);
        tri_convert_folding_run(&l, funcs.at[i]);
        tri_rematerialization_run(&l, funcs.at[i]);
        tri_dead_arguments_run(&l, funcs.at[i]);
        order_unpacked(&l, funcs.at[i]);
    }
    return true;
}

const tri_pass tri_pass_remove_layout_conversions = {
    .name = "remove-layout-conversions",
    .help = "choose layouts so that few conversions remain",
    .alias = "tritongpu-remove-layout-conversions,tritonintelgpu-remove-layout-conversions",
    .options = (const char *const[]){"max-backward-remat-iterations=N: rounds of computing sources again (16)", NULL},
    .run = run_remove_layout_conversions,
};
