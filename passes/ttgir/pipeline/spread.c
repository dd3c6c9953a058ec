/* Copies of vectors that many threads have, by as few threads and instructions as they need.
 *
 *     %m = tt.load %p : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>   // 16 elements a thread
 *   is copied into its buffer as
 *     %q = ttg.convert_layout %p : ... -> tensor<64x!tt.ptr<f32>, #blocked<sizePerThread = [4]>>   // 4, in 16 threads
 *     ttg.async_copy_global_to_local %q, %slot
 *
 * The sums of rows that attention's gradients need lie in the layout of what they are subtracted from, in which each
 * thread would copy pieces of 8 bytes. Only where the pointers can be computed in any layout, which
 * remove-layout-conversions then does: no conversion stays. */
#include "passes/ttgir/pipeline/lower.h"

#include "base/map.h"
#include "ir/analysis/blocked.h"
#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"

/* `seen`: what is being looked at, of loops that carry it, or is known to be computed. */
static bool is_computed(tri_map *seen, MlirValue value, bool (*takes)(MlirOperation op))
{
    MlirBlock block;
    intptr_t index;
    if (!tri_type_is_tensor(mlirValueGetType(value)) || tri_map_find_ptr(seen, value.ptr))
        return true;
    tri_map_set_ptr(seen, value.ptr, (void *)value.ptr);
    if (tri_op_is_block_argument(value, &block, &index)) {
        MlirOperation loop = mlirBlockGetParentOperation(block);
        return tri_op_is(loop, "scf.for") && is_computed(seen, tri_op_operand(loop, index + 2), takes) &&
               is_computed(seen, tri_op_operand(mlirBlockGetTerminator(block), index - 1), takes);
    }
    MlirOperation def = tri_op_def(value);
    if (!tri_op_is_pure(def) || mlirOperationGetNumRegions(def) || mlirOperationGetNumResults(def) != 1 || !takes(def))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
        if (!is_computed(seen, tri_op_operand(def, i), takes))
            return false;
    return true;
}

bool tri_pipeline_is_computed(tri_arena *arena, MlirOperation load, bool (*takes)(MlirOperation op))
{
    tri_map seen;
    tri_map_init(&seen, arena);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(load); i++)
        if (!is_computed(&seen, tri_op_operand(load, i), takes))
            return false;
    return true;
}

/* Elementwise, or what begins a computation. */
static bool keeps_elements(MlirOperation op)
{
    if (tri_op_is(op, "tt.splat"))
        return true;
    int64_t count = tri_type_num_elements(mlirValueGetType(tri_op_result(op, 0)));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (tri_type_num_elements(mlirValueGetType(tri_op_operand(op, i))) != count)
            return false;
    return true;
}

/* Pieces that each thread copies as the layout is. */
static int64_t pieces_of(const tri_pipeline *p, const tri_async_load *load, MlirType type)
{
    tri_linear l;
    int piece = tri_pipeline_copy_bytes(p, load->load, load->buffer);
    if (!piece || !tri_dots_linear(p->arena, type, &l))
        return 0;
    int bits = tri_linear_in_bits(&l, TRI_DIM_REGISTER);
    int64_t own = (int64_t)1 << (bits - __builtin_popcountll(tri_linear_free_mask(&l, TRI_DIM_REGISTER)));
    return own * tri_type_bits(tri_type_element(type)) / 8 / piece;
}

MlirAttribute tri_pipeline_spread_encoding(const tri_pipeline *p, const tri_async_load *load)
{
    static const int32_t order[] = {0};
    MlirType type = mlirValueGetType(tri_op_result(load->load, 0));
    MlirOperation module = mlirModuleGetOperation(p->run->module);
    tri_launch launch = tri_blocked_launch(module);
    if (!tri_type_is_tensor(type) || tri_type_rank(type) != 1 || launch.ctas > 1)
        return (MlirAttribute){NULL};
    int64_t n = tri_type_dim(type, 0), bytes = tri_type_bits(tri_type_element(type)) / 8;
    int32_t run = load->contiguity < n ? load->contiguity : (int32_t)n;
    while (run > 1 && !(tri_machines_of(module)->async_copies & (int)(run * bytes)))
        run /= 2;
    int64_t threads = (int64_t)launch.warps * launch.lanes, then = (n + run * threads - 1) / (run * threads);
    if (!(tri_machines_of(module)->async_copies & (int)(run * bytes)) || then >= pieces_of(p, load, type) ||
        !tri_pipeline_is_computed(p->arena, load->load, keeps_elements))
        return (MlirAttribute){NULL};
    tri_encoding e = tri_blocked_make(1, &n, &run, order, launch);
    return tri_encoding_make(mlirOperationGetContext(load->load), &e);
}
