/* Lets asynchronous copies hold no more consecutive elements per thread than lie consecutively in
 * their buffer, where one instruction cannot split them.
 *
 *     // buffer swizzled in groups of 8 elements
 *     ttg.async_copy_global_to_local %p, %b : tensor<64x16x!tt.ptr<i8>, #blocked<sizePerThread = [1, 16]>>
 *   becomes
 *     %q = ttg.convert_layout %p : ... -> #blocked<sizePerThread = [1, 8]>
 *     ttg.async_copy_global_to_local %q, %b
 *
 * Needs: blocked layouts. A copy with fewer elements than threads takes one element per thread.
 * Answers to tritongpu-coalesce-async-copy. Test: tests/passes/coalesce-async-copy.mlir */
#include "passes/passes.h"

#include "ir/analysis/blocked.h"
#include "ir/analysis/scratch.h"
#include "ir/encoding.h"
#include "ir/op.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "layout/encoding_words.h"

typedef struct {
    tri_pass_run *run;
    tri_launch launch;
} copier;

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

/* Elements that follow each other both in a thread and in the buffer. */
static bool find_run(copier *c, MlirOperation op, int64_t *out_run)
{
    tri_memdesc d;
    tri_linear registers, buffer, map;
    if (!tri_type_get_memdesc(mlirValueGetType(tri_op_operand(op, 1)), &d) ||
        !tri_scratch_linear(c->run->arena, mlirValueGetType(tri_op_operand(op, 0)), &registers) ||
        !tri_convert_to_linear(tri_encoding_get(c->run->arena, d.encoding), d.rank, d.shape, &buffer, NULL) ||
        !tri_linear_invert_and_compose(&registers, &buffer, &map))
        return false;
    static const tri_dim ins[] = {TRI_DIM_REGISTER, TRI_DIM_LANE, TRI_DIM_WARP}, outs[] = {TRI_DIM_OFFSET};
    map = tri_linear_sublayout(&map, 3, ins, 1, outs);
    *out_run = tri_linear_consecutive(&map, TRI_DIM_REGISTER);
    return true;
}

static bool choose_async_copies(copier *c, MlirOperation op, MlirType type, tri_encoding *out_encoding)
{
    const tri_encoding *now = tri_encoding_get(c->run->arena, tri_type_encoding(type));
    int64_t shape[TRI_MAX_RANK], run, threads = (int64_t)c->launch.warps * c->launch.lanes;
    int32_t size[TRI_MAX_RANK];
    if (now->kind != TRI_ENC_BLOCKED)
        return false;
    int fast = now->order[0];
    for (int d = 0; d < now->rank; d++) {
        shape[d] = tri_type_dim(type, d);
        size[d] = now->blocked.size_per_thread[d];
    }
    unsigned bits = tri_type_bits(tri_type_ptr_pointee(tri_type_element(type)));
    if (tri_type_num_elements(type) < threads && bits >= 32) {
        for (int d = 0; d < now->rank; d++)
            size[d] = 1;
    } else if (!find_run(c, op, &run) || run >= size[fast]) {
        return false;
    } else {
        size[fast] = (int32_t)run;
    }
    *out_encoding = tri_blocked_make(now->rank, shape, size, now->order, c->launch);
    return !tri_encoding_equal(now, out_encoding);
}

static void rewrite_async_copies(copier *c, MlirOperation op)
{
    tri_encoding e;
    MlirType pointers = mlirValueGetType(tri_op_operand(op, 0));
    if (!choose_async_copies(c, op, pointers, &e))
        return;
    MlirAttribute encoding = tri_encoding_make(c->run->unit->mlir, &e);
    tri_builder b = tri_builder_before(op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue value = tri_op_operand(op, i);
        MlirType type = mlirValueGetType(value);
        if (tri_type_is_tensor(type))
            mlirOperationSetOperand(op, i, tri_builder_unary(&b, "ttg.convert_layout",
                                                             tri_type_with_encoding(type, encoding), value));
    }
    int64_t known = tri_op_int(op, "contiguity", 1);
    tri_builder_set_attr(
        op, "contiguity",
        tri_attr_i32(c->run->unit->mlir, (int32_t)min64(known, e.blocked.size_per_thread[e.order[0]])));
}

static bool run_coalesce_async_copy(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    copier c = {run, tri_blocked_launch(module)};
    tri_op_list copies = {0};
    tri_op_collect_named(module, "ttg.async_copy_global_to_local", run->arena, &copies);
    for (size_t i = 0; i < copies.len; i++)
        rewrite_async_copies(&c, copies.at[i]);
    return true;
}

const tri_pass tri_pass_coalesce_async_copy = {
    .name = "coalesce-async-copy",
    .help = "fit the layouts of asynchronous copies to their buffers",
    .alias = "tritongpu-coalesce-async-copy",
    .run = run_coalesce_async_copy,
};
