/* Accesses of 32 bytes a lane, where the machine has them.
 *
 *     tt.store %p, %v : tensor<1024x!tt.ptr<f32>, #blocked>      // sizePerThread = [4]
 *   becomes
 *     %q = ttg.convert_layout %p : ... -> tensor<1024x!tt.ptr<f32>, #blocked1>   // sizePerThread = [8]
 *     %w = ttg.convert_layout %v : ... -> tensor<1024xf32, #blocked1>
 *     tt.store %q, %w
 *
 * Only of accesses of 16 bytes, whose runs are long and aligned enough, and not where lanes would hold an element
 * twice. Needs: coalesce, and a module with ttig.support_256b_load_store; remove-layout-conversions takes the
 * conversions away. Answers to tritonintelgpu-widen-load-store-encoding. Test:
 * tests/passes/widen-load-store-encoding.mlir */
#include "passes/passes.h"

#include "ir/analysis/axis_info.h"
#include "ir/encoding.h"
#include "ir/op.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"
#include "passes/ttgir/coalesce/coalesce.h"

enum { BITS_FROM = 128 };

/* The layout with twice as many elements of each lane side by side; null where it does not pay. */
static MlirAttribute wider_layout(tri_arena *arena, const tri_axis_info *info, MlirOperation op)
{
    const MlirAttribute none = {NULL};
    MlirValue pointer = tri_op_operand(op, 0);
    MlirType type = mlirValueGetType(pointer);
    const tri_encoding *e = tri_dots_encoding(arena, pointer);
    if (!e || e->kind != TRI_ENC_BLOCKED)
        return none;
    int64_t shape[TRI_MAX_RANK], block[TRI_MAX_RANK];
    int rank = tri_dots_shape(type, shape), fast = e->order[0];
    int64_t bits = tri_type_bits(tri_type_ptr_pointee(tri_type_element(type)));
    tri_convert_shape_per_cta(e, rank, shape, block);
    tri_encoding wide = *e;
    int64_t size = wide.blocked.size_per_thread[fast] *= 2;
    bool fits = size * e->blocked.threads_per_warp[fast] * e->warps_per_cta[fast] <= block[fast];
    if (e->blocked.size_per_thread[fast] * bits != BITS_FROM || !fits ||
        tri_axis_info_alignment(info, pointer, fast) < size)
        return none;
    return tri_encoding_make(mlirOperationGetContext(op), &wide);
}

static bool run_widen_load_store_encoding(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_list ops = {0};
    if (mlirAttributeIsNull(tri_op_attr(module, "ttig.support_256b_load_store")))
        return true;
    const tri_axis_info *info = tri_axis_info_create(run->arena, module);
    tri_op_collect(module, run->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        if (!tri_op_is(ops.at[i], "tt.load") && !tri_op_is(ops.at[i], "tt.store"))
            continue;
        MlirAttribute wide = wider_layout(run->arena, info, ops.at[i]);
        if (!mlirAttributeIsNull(wide))
            tri_coalesce_relayout(ops.at[i], wide);
    }
    return true;
}

const tri_pass tri_pass_widen_load_store_encoding = {
    .name = "widen-load-store-encoding",
    .help = "accesses of 32 bytes a lane where the machine has them",
    .alias = "tritonintelgpu-widen-load-store-encoding",
    .run = run_widen_load_store_encoding,
};
