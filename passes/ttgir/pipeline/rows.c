/* Operands of products that go past registers to shared memory, where lanes of a warp can only write side by side
 * (ir/analysis/wave_copy.h): the copy has a layout of its own, in which the lanes hold what lies side by side in the
 * buffer. The buffer stays swizzled as its readers want it: lanes read other addresses instead.
 *
 *     %a = tt.load %p : tensor<128x64x!tt.ptr<f16>, #blocked>
 *   is copied to its buffer, swizzled with vec = 8, as
 *     %q = ttg.convert_layout %p : ... -> tensor<128x64x!tt.ptr<f16>, #linear>
 *     ttg.async_copy_global_to_local %q, %slot
 *
 * Only where the pointers can be computed in any layout, which remove-layout-conversions then does: no conversion
 * stays. Operands that lie across K in memory are turned over in registers instead (in-thread-transpose). */
#include "passes/ttgir/pipeline/lower.h"

#include "ir/analysis/blocked.h"
#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"

enum { piece_bytes = 16 };

/* What can be computed in any layout. */
static bool is_layout_free(MlirOperation op)
{
    return !tri_op_is(op, "tt.load") && !tri_op_is(op, "tt.trans") && !tri_op_is(op, "tt.reshape");
}

/* All uses are operands of products, whose K runs along `dim`. */
static bool feeds_products(tri_arena *arena, MlirOperation load, int dim)
{
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(load, 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        const tri_encoding *e =
            tri_op_is(user, "ttg.convert_layout") ? tri_dots_encoding(arena, tri_op_result(user, 0)) : NULL;
        if (!e || e->kind != TRI_ENC_DOT_OP || dim != (e->dot_op.op_idx ? e->rank - 2 : e->rank - 1))
            return false;
    }
    return true;
}

/* Offsets of a buffer as registers of a piece, lanes, warps, and the registers that are left. */
static tri_linear rows_of(const tri_linear *buffer, int piece_bits, tri_launch launch)
{
    static const tri_dim ins[] = {TRI_DIM_REGISTER, TRI_DIM_LANE, TRI_DIM_WARP, TRI_DIM_BLOCK};
    tri_linear rows = tri_linear_empty();
    int lane_bits = tri_linear_log2(launch.lanes), warp_bits = tri_linear_log2(launch.warps);
    for (int i = 0; i < buffer->out.count; i++)
        tri_linear_add_out(&rows, buffer->out.dim[i], buffer->out.bits[i]);
    for (size_t i = 0; i < sizeof ins / sizeof *ins; i++)
        tri_linear_add_in(&rows, ins[i]);
    for (int bit = 0; bit < tri_linear_in_bits(buffer, TRI_DIM_OFFSET); bit++) {
        int past = bit - piece_bits;
        tri_dim in = past < 0                       ? TRI_DIM_REGISTER
                     : past < lane_bits             ? TRI_DIM_LANE
                     : past < lane_bits + warp_bits ? TRI_DIM_WARP
                                                    : TRI_DIM_REGISTER;
        tri_linear_add_basis(&rows, in, tri_linear_basis(buffer, TRI_DIM_OFFSET, bit));
    }
    return rows;
}

bool tri_pipeline_is_row_copy(const tri_pipeline *p, MlirOperation load, MlirType *out_buffer, tri_encoding *out_rows)
{
    MlirOperation module = mlirModuleGetOperation(p->run->module);
    const tri_machine_facts *facts = tri_machines_of(module);
    MlirType type = mlirValueGetType(tri_op_result(load, 0)), buffer;
    tri_memdesc desc;
    tri_linear memory;
    tri_launch launch = tri_blocked_launch(module);
    if (facts->async_copies || !(facts->direct_to_shared & piece_bytes) || !tri_op_is(load, "tt.load") ||
        !tri_type_is_tensor(type) || launch.ctas > 1 || tri_op_flag(load, "isVolatile") ||
        tri_pipeline_needs_fill(load))
        return false;
    buffer = tri_pipeline_buffer_type(p, load);
    if (mlirTypeIsNull(buffer) || !tri_type_get_memdesc(buffer, &desc))
        return false;
    const tri_encoding *e = tri_encoding_get(p->arena, desc.encoding);
    int64_t bytes = tri_type_bits(desc.element) / 8, elements = tri_type_num_elements(type);
    int64_t threads = (int64_t)launch.lanes * launch.warps;
    if (e->kind != TRI_ENC_SWIZZLED_SHARED || bytes < 1 || elements * bytes < threads * piece_bytes ||
        !feeds_products(p->arena, load, e->order[0]) || tri_pipeline_copy_bytes(p, load, buffer) != piece_bytes ||
        !tri_convert_to_linear(e, desc.rank, desc.shape, &memory, NULL) ||
        !tri_pipeline_is_computed(p->arena, load, is_layout_free))
        return false;
    tri_linear rows = rows_of(&memory, tri_linear_log2(piece_bytes / bytes), launch);
    *out_rows = tri_convert_from_linear(&rows);
    *out_buffer = buffer;
    return true;
}
