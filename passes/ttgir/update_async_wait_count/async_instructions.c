/* How many instructions an asynchronous copy is made of. As many elements go at once as lie side by side in memory and
 * in the buffer; a box of a tensor descriptor is one instruction, rows of a gather are as many as fit an instruction's
 * registers. */
#include "passes/ttgir/update_async_wait_count/async.h"

#include "ir/analysis/blocked.h"
#include "ir/analysis/scratch.h"
#include "ir/analysis/wave_copy.h"
#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"

#include "mlir-c/BuiltinAttributes.h"

typedef struct {
    MlirValue elements; /* addresses, or offsets of `base` */
    MlirValue base;     /* null: elements are addresses */
    MlirValue buffer, mask;
    bool is_store;
} async_copy;

/* The dimension whose elements a thread holds first. */
static int fastest_dim(const tri_linear *registers, int rank)
{
    for (int i = 0; i < tri_linear_in_bits(registers, TRI_DIM_REGISTER); i++)
        for (int d = 0; d < rank; d++)
            if (tri_linear_basis_at(registers, TRI_DIM_REGISTER, i, (tri_dim)(TRI_DIM_0 + d)))
                return d;
    return rank - 1;
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Elements side by side in memory, from the first of a run on. */
static int64_t run_in_memory(const async_counts *c, const async_copy *a, int dim, int64_t bits)
{
    if (mlirValueIsNull(a->base))
        return tri_axis_info_alignment(c->axis, a->elements, dim);
    int64_t bytes = bits / 8 > 1 ? bits / 8 : 1, base = tri_axis_info_get(c->axis, a->base)->divisibility[0] / bytes;
    return smaller(tri_axis_info_alignment(c->axis, a->elements, dim), base > 1 ? base : 1);
}

static int log2_nonzero(const tri_linear *map)
{
    int n = 0;
    for (int i = 0; i < tri_linear_in_bits(map, TRI_DIM_REGISTER); i++)
        n += tri_linear_basis(map, TRI_DIM_REGISTER, i) != 0;
    return n;
}

static int64_t padding_limit(const tri_encoding *e)
{
    int64_t most = INT32_MAX;
    for (int i = 0; e->kind == TRI_ENC_PADDED_SHARED && i < e->padded.count; i++)
        most = smaller(most, e->padded.interval[i]);
    return most;
}

/* A width that one store lacks may be two of half the width. */
static int stores_of(int64_t bits)
{
    bool is_one = bits == 128 || bits == 64 || bits == 32 || bits == 8;
    bool is_two = bits == 256 || bits == 128 || bits == 64 || bits == 16;
    return !is_one && is_two ? 2 : 1;
}

static int count_copy(async_counts *c, MlirOperation op, const async_copy *a)
{
    static const tri_dim outs[] = {TRI_DIM_OFFSET}, ins[] = {TRI_DIM_REGISTER, TRI_DIM_LANE, TRI_DIM_WARP};
    tri_arena *arena = c->run->arena;
    tri_memdesc d;
    tri_linear registers, buffer, map;
    MlirType type = mlirValueGetType(a->elements);
    if (!tri_type_get_memdesc(mlirValueGetType(a->buffer), &d) || !tri_scratch_linear(arena, type, &registers))
        return 0;
    const tri_encoding *e = tri_encoding_get(arena, d.encoding);
    if (!e || !tri_convert_to_linear(e, d.rank, d.shape, &buffer, NULL) ||
        !tri_linear_invert_and_compose(&registers, &buffer, &map))
        return 0;
    if (tri_linear_free_mask(&map, TRI_DIM_WARP)) /* some warps issue none */
        return 0;
    map = tri_linear_sublayout(&map, 3, ins, 1, outs);
    int64_t bits = tri_type_bits(d.element);
    int dim = fastest_dim(&registers, d.rank);
    int64_t run = smaller(run_in_memory(c, a, dim, bits), 128 / bits);
    run = smaller(run, tri_axis_info_mask_alignment(c->axis, a->mask, dim));
    int64_t hint = tri_op_int(op, "contiguity", 1);
    run = smaller(run > hint ? run : hint, tri_linear_consecutive(&map, TRI_DIM_REGISTER));
    run = smaller(run, padding_limit(e));
    int64_t count = ((int64_t)1 << log2_nonzero(&map)) / run;
    return (int)(count > 1 ? count : 1) * (a->is_store ? stores_of(run * bits) : 1);
}

/* ---- boxes ---- */

static int greatest_common(int a, int b)
{
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* One for a warp; for each part of memory that a warp writes, where a buffer lies in parts. */
static int count_box(async_counts *c, MlirValue buffer)
{
    tri_memdesc d;
    if (!tri_type_get_memdesc(mlirValueGetType(buffer), &d))
        return 1;
    const tri_encoding *e = tri_encoding_get(c->run->arena, d.encoding);
    if (!e || e->kind != TRI_ENC_PARTITIONED_SHARED)
        return 1;
    int warps = tri_blocked_launch(mlirModuleGetOperation(c->run->module)).warps;
    int pieces = e->partitioned.num_partitions * e->partitioned.num_groups, along = greatest_common(warps, pieces);
    return (pieces + along - 1) / along;
}

static int count_rows(async_counts *c, MlirValue rows)
{
    tri_linear layout;
    MlirType type = mlirValueGetType(rows);
    if (!tri_scratch_linear(c->run->arena, type, &layout))
        return 0;
    int64_t most = tri_type_bits(tri_type_element(type)) == 32 ? 8 : 16;
    int64_t held = (int64_t)1 << log2_nonzero(&layout);
    most = smaller(most, tri_linear_consecutive(&layout, TRI_DIM_REGISTER));
    return (int)((held + most - 1) / most);
}

static int count_boxes(async_counts *c, MlirOperation op)
{
    if (tri_op_is(op, "amdg.async_tdm_copy_global_to_local") || tri_op_is(op, "amdg.async_tdm_copy_local_to_global"))
        return count_box(c, tri_op_operand(op, 1));
    if (tri_op_is(op, "amdg.async_tdm_fused_copy_global_to_local"))
        return 1;
    if (tri_op_is(op, "amdg.async_tdm_gather") || tri_op_is(op, "amdg.async_tdm_scatter"))
        return count_rows(c, tri_op_operand(op, 1));
    return 0;
}

static int count_waves(async_counts *c, MlirOperation op)
{
    tri_wave_copy copy;
    bool is_one = tri_op_is(op, "ttg.async_copy_global_to_local") &&
                  tri_wave_copy_find(c->run->arena, c->axis, mlirModuleGetOperation(c->run->module), op, &copy);
    return is_one ? copy.count : 0;
}

static int count_elements(async_counts *c, MlirOperation op)
{
    async_copy a = {0};
    if (c->by_waves)
        return count_waves(c, op);
    if (tri_op_is(op, "ttg.async_copy_global_to_local")) {
        a.elements = tri_op_operand(op, 0);
        a.buffer = tri_op_operand(op, 1);
        a.mask = tri_op_segment_value(op, 2);
    } else if (tri_op_is(op, "amdg.buffer_load_to_local")) {
        a.buffer = tri_op_operand(op, 0);
        a.base = tri_op_operand(op, 1);
        a.elements = tri_op_operand(op, 2);
        a.mask = tri_op_segment_value(op, 3);
    } else if (tri_op_is(op, "amdg.async_copy_local_to_global")) {
        a.buffer = tri_op_operand(op, 0);
        a.elements = tri_op_operand(op, 1);
        a.mask = mlirOperationGetNumOperands(op) > 2 ? tri_op_operand(op, 2) : (MlirValue){0};
        a.is_store = true;
    } else {
        return 0;
    }
    return count_copy(c, op, &a);
}

int tri_async_instructions(async_counts *c, MlirOperation op)
{
    uintptr_t known = (uintptr_t)tri_map_find_ptr(&c->counts, op.ptr);
    if (known)
        return (int)known - 1;
    int count = c->counts_boxes ? count_boxes(c, op) : count_elements(c, op);
    tri_map_set_ptr(&c->counts, op.ptr, (void *)(uintptr_t)(count + 1));
    return count;
}
