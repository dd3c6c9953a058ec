/* Layouts of tensor types, thread ids, and the coordinates of registers. */
#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "targets/gpu/gpu.h"

tri_gpu_layout *tri_gpu_layout_of(tri_gpu *g, MlirOperation op, MlirType tensor)
{
    tri_gpu_layout *layout = tri_map_find_ptr(&g->layouts, tensor.ptr);
    if (layout)
        return layout;
    int64_t shape[TRI_MAX_RANK];
    int rank = tri_type_rank(tensor);
    for (int d = 0; d < rank; d++)
        shape[d] = tri_type_dim(tensor, d);
    MlirAttribute attr = tri_type_encoding(tensor);
    const tri_encoding *encoding = mlirAttributeIsNull(attr) ? NULL : tri_encoding_get(g->arena, attr);
    const char *why = NULL;
    layout = TRI_NEW(g->arena, tri_gpu_layout);
    if (rank == 0) {
        layout->linear = tri_linear_empty();
    } else if (!encoding) {
        tri_op_error(g->unit->diag, op, 5010, "a tensor of '%.*s' has no layout; run the ttgir passes first",
                     TRI_STR_ARG(tri_op_name(op)));
        return NULL;
    } else if (!tri_convert_is_distributed(encoding) ||
               !tri_convert_to_linear(encoding, rank, shape, &layout->linear, &why)) {
        tri_op_error(g->unit->diag, op, 5010, "the layout of this tensor cannot be lowered%s%s", why ? ": " : "",
                     why ? why : "");
        return NULL;
    }
    layout->replicas = tri_plan_find_replicas(&layout->linear);
    layout->registers = (int)tri_linear_in_size(&layout->linear, TRI_DIM_REGISTER);
    tri_map_set_ptr(&g->layouts, tensor.ptr, layout);
    return layout;
}

/* ---- thread numbers: made once, at the start of the group's code ---- */

static LLVMBasicBlockRef enter_entry(tri_gpu *g)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
    tri_gpu_at_end(g, g->group->entry);
    return here;
}

LLVMValueRef tri_gpu_thread(tri_gpu *g)
{
    if (!g->group->thread) {
        LLVMBasicBlockRef here = enter_entry(g);
        g->group->thread = tri_machine_call(g, TRI_MACHINE_thread_id, NULL, 0);
        if (g->group->first_warp)
            g->group->thread =
                LLVMBuildSub(g->b, g->group->thread, tri_gpu_i32(g, (int64_t)g->group->first_warp * g->warp_size), "");
        tri_gpu_at_end(g, here);
    }
    return g->group->thread;
}

LLVMValueRef tri_gpu_lane(tri_gpu *g)
{
    LLVMValueRef thread = tri_gpu_thread(g);
    if (!g->group->lane) {
        LLVMBasicBlockRef here = enter_entry(g);
        g->group->lane = LLVMBuildAnd(g->b, thread, tri_gpu_i32(g, g->warp_size - 1), "lane");
        tri_gpu_at_end(g, here);
    }
    return g->group->lane;
}

LLVMValueRef tri_gpu_warp(tri_gpu *g)
{
    LLVMValueRef thread = tri_gpu_thread(g);
    if (!g->group->warp) {
        LLVMBasicBlockRef here = enter_entry(g);
        g->group->warp = LLVMBuildLShr(g->b, thread, tri_gpu_i32(g, tri_linear_log2(g->warp_size)), "warp");
        tri_gpu_at_end(g, here);
    }
    return g->group->warp;
}

LLVMValueRef tri_gpu_uniform_warp(tri_gpu *g)
{
    LLVMValueRef warp = tri_gpu_warp(g);
    if (!g->group->uniform_warp) { /* at the entry: nothing moves an exchange between lanes out of a loop */
        LLVMBasicBlockRef here = enter_entry(g);
        g->group->uniform_warp = tri_gpu_shuffle_index(g, warp, tri_gpu_i32(g, 0));
        tri_gpu_at_end(g, here);
    }
    return g->group->uniform_warp;
}

/* ---- blocks of a cluster ---- */

LLVMValueRef tri_gpu_block_rank(tri_gpu *g)
{
    if (!g->group->block_rank) {
        LLVMBasicBlockRef here = enter_entry(g);
        LLVMValueRef block = tri_machine_call(g, TRI_MACHINE_program_id_x, NULL, 0);
        g->group->block_rank = LLVMBuildAnd(g->b, block, tri_gpu_i32(g, g->num_ctas - 1), "rank");
        tri_gpu_at_end(g, here);
    }
    return g->group->block_rank;
}

/* A cluster is as many blocks next to each other along x. */
static LLVMValueRef per_cluster(tri_gpu *g, tri_machine_id x, int axis)
{
    LLVMValueRef count = tri_machine_call(g, (tri_machine_id)(x + axis), NULL, 0);
    return axis || g->num_ctas == 1 ? count
                                    : LLVMBuildLShr(g->b, count, tri_gpu_i32(g, tri_linear_log2(g->num_ctas)), "");
}

LLVMValueRef tri_gpu_program_id(tri_gpu *g, int axis) { return per_cluster(g, TRI_MACHINE_program_id_x, axis); }

LLVMValueRef tri_gpu_num_programs(tri_gpu *g, int axis) { return per_cluster(g, TRI_MACHINE_num_programs_x, axis); }

/* What the number of the block in its cluster adds to a map of thread numbers, by XOR. */
static LLVMValueRef apply_block(tri_gpu *g, const tri_linear *map, int shift, uint64_t mask, LLVMValueRef sum)
{
    for (int bit = 0; g->num_ctas > 1 && bit < tri_linear_in_bits(map, TRI_DIM_BLOCK); bit++) {
        uint64_t basis = tri_linear_basis(map, TRI_DIM_BLOCK, bit) >> shift & mask;
        if (!basis)
            continue;
        LLVMValueRef on = LLVMBuildAnd(g->b, tri_gpu_block_rank(g), tri_gpu_i32(g, INT64_C(1) << bit), "");
        LLVMValueRef is_off = LLVMBuildICmp(g->b, LLVMIntEQ, on, tri_gpu_i32(g, 0), "");
        LLVMValueRef term = LLVMBuildSelect(g->b, is_off, tri_gpu_i32(g, 0), tri_gpu_i32(g, (int64_t)basis), "");
        sum = sum ? LLVMBuildXor(g->b, sum, term, "") : term;
    }
    return sum ? sum : tri_gpu_i32(g, 0);
}

/* ---- linear maps of the thread number ---- */

/* Basis of bit `bit` of the thread number: lanes below, warps above. */
static uint64_t thread_basis(tri_gpu *g, const tri_linear *map, int bit, int shift, uint64_t mask)
{
    int lane_bits = tri_linear_log2(g->warp_size);
    tri_dim in = bit < lane_bits ? TRI_DIM_LANE : TRI_DIM_WARP;
    int at = bit < lane_bits ? bit : bit - lane_bits;
    if (at >= tri_linear_in_bits(map, in))
        return 0;
    return tri_linear_basis(map, in, at) >> shift & mask;
}

/* XOR over the bits of the thread number. Runs of bits whose bases double are one shift and mask;
 * the terms are `or`ed as long as they cannot meet, which lets addresses fold. */
LLVMValueRef tri_gpu_apply_thread(tri_gpu *g, const tri_linear *map, int shift, int bits)
{
    uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    int total = tri_linear_log2(g->warp_size) + tri_linear_log2(g->group->num_warps);
    LLVMValueRef sum = NULL;
    uint64_t used = 0;
    for (int bit = 0; bit < total;) {
        uint64_t basis = thread_basis(g, map, bit, shift, mask);
        if (!basis) {
            bit++;
            continue;
        }
        int run = 1;
        bool is_single = !(basis & (basis - 1));
        while (is_single && bit + run < total && thread_basis(g, map, bit + run, shift, mask) == basis << run)
            run++;
        LLVMValueRef thread = tri_gpu_thread(g), term;
        if (is_single) {
            int to = __builtin_ctzll(basis);
            term = LLVMBuildAnd(g->b, thread, tri_gpu_i32(g, (int64_t)(((UINT64_C(1) << run) - 1) << bit)), "");
            if (to > bit)
                term = LLVMBuildShl(g->b, term, tri_gpu_i32(g, to - bit), "");
            else if (to < bit)
                term = LLVMBuildLShr(g->b, term, tri_gpu_i32(g, bit - to), "");
            basis = ((UINT64_C(1) << run) - 1) << to;
        } else {
            LLVMValueRef on = LLVMBuildAnd(g->b, thread, tri_gpu_i32(g, INT64_C(1) << bit), "");
            LLVMValueRef is_off = LLVMBuildICmp(g->b, LLVMIntEQ, on, tri_gpu_i32(g, 0), "");
            term = LLVMBuildSelect(g->b, is_off, tri_gpu_i32(g, 0), tri_gpu_i32(g, (int64_t)basis), "");
        }
        if (!sum) {
            sum = term;
        } else if (used & basis) {
            sum = LLVMBuildXor(g->b, sum, term, "");
        } else {
            sum = LLVMBuildOr(g->b, sum, term, "");
            if (LLVMIsAInstruction(sum))
                LLVMSetIsDisjoint(sum, true);
        }
        used |= basis;
        bit += run;
    }
    return apply_block(g, map, shift, mask, sum);
}

/* Runs of bits whose bases double are one mask and shift. */
LLVMValueRef tri_gpu_apply_value(tri_gpu *g, LLVMValueRef value, const uint64_t *basis, int bits)
{
    LLVMValueRef sum = tri_gpu_i32(g, 0);
    for (int bit = 0, run; bit < bits; bit += run) {
        run = 1;
        if (!basis[bit])
            continue;
        bool is_single = !(basis[bit] & (basis[bit] - 1));
        while (is_single && bit + run < bits && basis[bit + run] == basis[bit] << run)
            run++;
        LLVMValueRef low = LLVMBuildAnd(g->b, LLVMBuildLShr(g->b, value, tri_gpu_i32(g, bit), ""),
                                        tri_gpu_i32(g, ((int64_t)1 << run) - 1), "");
        sum = LLVMBuildXor(g->b, sum, LLVMBuildMul(g->b, low, tri_gpu_i32(g, (int64_t)basis[bit]), ""), "");
    }
    return sum;
}

/* All bits that the thread part of a map may set. */
static uint64_t thread_bits(tri_gpu *g, const tri_linear *map, int shift, uint64_t mask)
{
    uint64_t used = 0;
    int total = tri_linear_log2(g->warp_size) + tri_linear_log2(g->group->num_warps);
    for (int bit = 0; bit < total; bit++)
        used |= thread_basis(g, map, bit, shift, mask);
    return used;
}

/* What the current group knows of a layout's coordinates. */
static LLVMValueRef *indices_of(tri_gpu *g, tri_gpu_layout *layout)
{
    LLVMValueRef *index = tri_map_find_ptr(&g->group->coordinates, layout);
    if (!index) {
        index = TRI_NEW_ARRAY(g->arena, LLVMValueRef, TRI_MAX_RANK);
        tri_map_set_ptr(&g->group->coordinates, layout, index);
    }
    return index;
}

LLVMValueRef tri_gpu_coordinate(tri_gpu *g, tri_gpu_layout *layout, int reg, int dim)
{
    const tri_linear *l = &layout->linear;
    tri_dim out = (tri_dim)(TRI_DIM_0 + dim);
    int bits = tri_linear_out_bits(l, out);
    if (!bits)
        return tri_gpu_i32(g, 0);
    int shift = tri_linear_out_shift(l, out);
    LLVMValueRef *index = indices_of(g, layout);
    if (!index[dim]) {
        /* kept for all of the group's code, so made where everything of it sees it */
        tri_gpu_thread(g);
        LLVMBasicBlockRef here = enter_entry(g);
        index[dim] = tri_gpu_apply_thread(g, l, shift, bits);
        tri_gpu_at_end(g, here);
    }
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t constant = tri_linear_apply_one(l, TRI_DIM_REGISTER, (uint64_t)reg) >> shift & mask;
    return tri_gpu_xor_const(g, index[dim], thread_bits(g, l, shift, mask), constant);
}

LLVMValueRef tri_gpu_first_thread(tri_gpu *g)
{
    LLVMValueRef number = tri_gpu_thread(g);
    if (g->machine->first_by_lane)
        number = LLVMBuildOr(g->b, tri_gpu_lane(g), tri_gpu_warp(g), "");
    return LLVMBuildICmp(g->b, LLVMIntEQ, number, tri_gpu_i32(g, 0), "");
}

LLVMValueRef tri_gpu_owner(tri_gpu *g, const tri_plan_replicas *replicas)
{
    uint64_t mask = replicas->lane | replicas->warp << tri_linear_log2(g->warp_size);
    uint64_t all = (uint64_t)g->group->num_warps * (uint64_t)g->warp_size - 1;
    mask &= all;
    if (!mask)
        return NULL;
    if (mask == all && g->machine->first_by_lane)
        return tri_gpu_first_thread(g);
    LLVMValueRef bits = LLVMBuildAnd(g->b, tri_gpu_thread(g), tri_gpu_i32(g, (int64_t)mask), "");
    return LLVMBuildICmp(g->b, LLVMIntEQ, bits, tri_gpu_i32(g, 0), "");
}
