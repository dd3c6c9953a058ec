/* Lets dot operands be transposed on their way out of shared memory.
 *
 *     %t = tt.trans %x {order = [1, 0]}
 *     %o = ttg.convert_layout %t : ... -> tensor<..., #ttg.dot_op<...>>
 *   becomes
 *     %m = ttg.local_alloc %x : ... -> !ttg.memdesc<..., #shared, #smem>     // swizzled for reads of columns
 *     %v = ttg.memdesc_trans %m {order = array<i32: 1, 0>}
 *     %o = ttg.local_load %v
 *
 * and, for products that read their operands from shared memory,
 *     %t = tt.trans %x ; %m = ttg.local_alloc %t         becomes
 *     %n = ttg.local_alloc %x ; %m = ttg.memdesc_trans %n {order = array<i32: 1, 0>}
 *
 * Other users of the transpose keep it. Operands that are made from narrower or converted data
 * (elementwise chains) are left to remove-layout-conversions. Answers to
 * tritongpu-optimize-dot-operands. Test: tests/passes/optimize-dot-operands.mlir */
#include "passes/passes.h"

#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"
#include "passes/ttgir/remove_layout_conversions/layouts.h"

/* ---- matchers ---- */

static bool match_transposed(tri_arena *arena, MlirOperation convert, MlirOperation *out_trans)
{
    const tri_encoding *to = tri_dots_encoding(arena, tri_op_result(convert, 0));
    MlirOperation trans = tri_op_def(tri_op_operand(convert, 0));
    int32_t order[TRI_MAX_RANK];
    if (!to || to->kind != TRI_ENC_DOT_OP || to->parent->kind != TRI_ENC_NVIDIA_MMA ||
        to->parent->version_major > 3 || mlirOperationIsNull(trans) || !tri_op_is(trans, "tt.trans"))
        return false;
    if (tri_op_i32s(trans, "order", order, TRI_MAX_RANK) != 2 || order[0] != 1 || order[1] != 0)
        return false;
    *out_trans = trans;
    return tri_type_bits(tri_type_element(mlirValueGetType(tri_op_result(convert, 0)))) >= 8;
}

/* A buffer that only products of version 3 or 5 read: they take either order of 16-bit numbers, and of others the one
 * that it was stored in. */
static bool match_buffer(tri_arena *arena, MlirOperation alloc, MlirOperation *out_trans)
{
    int32_t order[TRI_MAX_RANK];
    tri_memdesc desc;
    if (mlirOperationGetNumOperands(alloc) != 1 ||
        !tri_type_get_memdesc(mlirValueGetType(tri_op_result(alloc, 0)), &desc))
        return false;
    MlirOperation trans = tri_op_def(tri_op_operand(alloc, 0)), user = tri_dots_only_user(tri_op_result(alloc, 0));
    const tri_encoding *e = tri_encoding_get(arena, desc.encoding);
    *out_trans = trans;
    return e && e->kind == TRI_ENC_NVMMA_SHARED && !mlirOperationIsNull(trans) && tri_op_is(trans, "tt.trans") &&
           !mlirOperationIsNull(user) &&
           (tri_op_is(user, "ttng.warp_group_dot") || tri_op_is(user, "ttng.tc_gen5_mma")) &&
           tri_op_i32s(trans, "order", order, TRI_MAX_RANK) == 2 && order[0] == 1 && order[1] == 0;
}

/* ---- rewriters ---- */

static MlirValue turn_memory(tri_builder *b, MlirValue memory, MlirType type)
{
    tri_attr attr = {"order", tri_attr_i32s(b->context, 2, (int32_t[]){1, 0})};
    return tri_builder_value(b, &(tri_op){.name = "ttg.memdesc_trans", .num_operands = 1, .operands = &memory,
                                          .num_results = 1, .results = &type, .num_attrs = 1, .attrs = &attr});
}

static void rewrite_buffer(tri_pass_run *run, MlirOperation alloc, MlirOperation trans)
{
    MlirType type = mlirValueGetType(tri_op_result(alloc, 0));
    tri_builder b = tri_builder_before(alloc);
    MlirValue x = tri_dots_strip_converts(tri_op_operand(trans, 0));
    MlirValue memory = tri_builder_unary(&b, "ttg.local_alloc", tri_dots_transposed_buffer(run->arena, type), x);
    MlirValue view = turn_memory(&b, memory, type);
    tri_op_replace(alloc, 1, &view);
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(trans, 0))))
        mlirOperationDestroy(trans);
}

static void rewrite_operands(tri_pass_run *run, MlirOperation convert, MlirOperation trans)
{
    MlirValue x = tri_dots_strip_converts(tri_op_operand(trans, 0));
    MlirType type = mlirValueGetType(tri_op_result(convert, 0));
    int64_t shape[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK];
    int rank = tri_dots_shape(mlirValueGetType(x), shape);
    tri_convert_order_for_memory(tri_dots_encoding(run->arena, x), rank, shape, order);
    tri_builder b = tri_builder_before(convert);
    MlirType buffer = tri_dots_buffer_type(run->arena, type, shape, order, true);
    MlirValue memory = tri_builder_unary(&b, "ttg.local_alloc", buffer, x);
    MlirType view_type = tri_dots_transposed_buffer(run->arena, buffer);
    MlirValue view = turn_memory(&b, memory, view_type);
    MlirValue loaded = tri_builder_unary(&b, "ttg.local_load", type, view);
    tri_op_replace(convert, 1, &loaded);
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(trans, 0))))
        mlirOperationDestroy(trans);
}

static bool run_optimize_dot_operands(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_layouts layouts = tri_layouts_make(run);
    tri_op_list funcs = {0}, converts = {0};
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        tri_convert_folding_run(&layouts, funcs.at[i]);
    tri_op_collect_named(module, "ttg.convert_layout", run->arena, &converts);
    for (size_t i = 0; i < converts.len; i++) {
        MlirOperation trans;
        if (match_transposed(run->arena, converts.at[i], &trans))
            rewrite_operands(run, converts.at[i], trans);
    }
    tri_op_list allocs = {0};
    tri_op_collect_named(module, "ttg.local_alloc", run->arena, &allocs);
    for (size_t i = 0; i < allocs.len; i++) {
        MlirOperation trans;
        if (match_buffer(run->arena, allocs.at[i], &trans))
            rewrite_buffer(run, allocs.at[i], trans);
    }
    return true;
}

const tri_pass tri_pass_optimize_dot_operands = {
    .name = "optimize-dot-operands",
    .help = "transpose dot operands while they leave shared memory",
    .alias = "tritongpu-optimize-dot-operands,tritonintelgpu-optimize-dot-operands",
    .run = run_optimize_dot_operands,
};
