/* Copies from global to shared memory that pass by no registers: an instruction of a wave writes what its lanes read
 * side by side, from one place on (ir/analysis/wave_copy.h). Others have become loads and stores (expand-buffer-ops),
 * which LLVM waits for. Of these here it only knows that they are under way, so that waits count them
 * (update-async-wait-count), and other accesses to shared memory say that they are none of them (targets/gpu/access.c).
 */
#include "targets/amdgcn/amdgcn.h"

#include "ir/analysis/wave_copy.h"
#include "ir/op.h"
#include "targets/gpu/access.h"
#include "targets/gpu/local.h"

/* What is added to the buffer's start for a warp: made in front of loops, as one number of the wave. */
static LLVMValueRef warp_offset(tri_gpu *g, const tri_linear *map)
{
    uint64_t bases[TRI_MAX_BASES];
    int bits = tri_linear_in_bits(map, TRI_DIM_WARP);
    for (int i = 0; i < bits; i++)
        bases[i] = (uint64_t)tri_linear_basis_at(map, TRI_DIM_WARP, i, TRI_DIM_OFFSET);
    LLVMValueRef warp = tri_gpu_uniform_warp(g);
    LLVMBasicBlockRef here = tri_gpu_enter_front(g);
    LLVMValueRef offset = tri_gpu_apply_value(g, warp, bases, bits);
    tri_gpu_at_end(g, here);
    return offset;
}

static void copy_row(tri_gpu *g, const tri_machine_access *access, LLVMValueRef place, int bytes)
{
    if (!g->simulate) {
        tri_amdgcn_copy_row(g, access, place, bytes);
        return;
    }
    LLVMValueRef all = tri_gpu_i32(g, bytes), none = tri_gpu_i32(g, 0);
    LLVMValueRef args[] = {place, access->pointer, all,
                           access->pred ? LLVMBuildSelect(g->b, access->pred, all, none, "") : all};
    tri_machine_call(g, TRI_MACHINE_copy_row, args, 4);
}

static bool run_row_copy(tri_gpu *g, MlirOperation op)
{
    tri_wave_copy copy;
    tri_gpu_buffer_type type;
    tri_gpu_buffer place;
    MlirValue pointer = tri_op_segment_value(op, 0), mask = tri_op_segment_value(op, 2);
    if (!tri_wave_copy_find(g->arena, g->axis, mlirModuleGetOperation(g->unit->module), op, &copy))
        return tri_gpu_unsupported(g, op, "lanes of a warp do not copy side by side");
    if (!tri_local_find(g, op, tri_op_segment_value(op, 1), &type, &place))
        return false;
    tri_diag_remark(g->unit->diag, tri_op_span(g->unit->diag, op), "memory",
                    "%d asynchronous cop%s of %d bytes per thread", copy.count, copy.count == 1 ? "y" : "ies",
                    copy.bytes);
    tri_linear rows = tri_linear_drop_in(&copy.map, TRI_DIM_LANE);
    place.thread_offset = warp_offset(g, &rows);
    tri_gpu_value pointers = tri_gpu_get(g, pointer), masks = {0};
    if (!mlirValueIsNull(mask))
        masks = tri_gpu_get(g, mask);
    LLVMValueRef base = tri_gpu_access_base(g, pointer);
    for (int i = 0; i < copy.count; i++) {
        int first = i * copy.vec;
        tri_machine_access access = {.pointer = pointers.at[first], .base = base,
                                     .pred = masks.count ? masks.at[first] : NULL,
                                     .cache = (int)tri_op_int(op, "cache", 0)};
        copy_row(g, &access, tri_gpu_exchange_place(g, &rows, &place, (uint64_t)first), copy.bytes);
    }
    tri_gpu_set_result(g, op, 0, tri_gpu_new(g, 0));
    return true;
}

static bool run_token(tri_gpu *g, MlirOperation op)
{
    tri_gpu_set_result(g, op, 0, tri_gpu_new(g, 0));
    return true;
}

static bool run_counted_wait(tri_gpu *g, MlirOperation op)
{
    LLVMValueRef pending = tri_gpu_i32(g, tri_op_int(op, "num_inst", 0));
    if (g->has_row_copies)
        tri_machine_call(g, TRI_MACHINE_copy_wait, &pending, 1);
    return run_token(g, op);
}

const tri_gpu_op tri_amdgcn_ops_copies[] = {
    {"ttg.async_copy_global_to_local", run_row_copy, NULL},
    {"ttg.async_commit_group", run_token, NULL},
    {"ttg.async_wait", run_counted_wait, NULL},
    {"amdg.async_wait", run_counted_wait, NULL},
    {0},
};
