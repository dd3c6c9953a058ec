/* Bulk copies between global and shared memory through tensor maps, and the mbarriers that they report to. One thread
 * of the program starts them; all threads wait. */
#include "layout/convert.h"
#include "targets/gpu/access.h"
#include "targets/gpu/local.h"
#include "targets/nvptx/nvptx.h"

/* ---- one thread for all ---- */

/* Opens `if (this is the first thread)`, and `pred` unless that is null. */
static tri_gpu_if begin_first(tri_gpu *g, LLVMValueRef pred)
{
    LLVMValueRef is_first = LLVMBuildICmp(g->b, LLVMIntEQ, tri_gpu_thread(g), tri_gpu_i32(g, 0), "");
    return tri_gpu_begin_if(g, tri_gpu_and(g, is_first, pred));
}

static void call(tri_gpu *g, int id, int count, LLVMValueRef *args) { tri_machine_call(g, id, args, count); }

static bool is_missing(tri_gpu *g, MlirOperation op)
{
    if (tri_machine_has(g, TRI_NVPTX_mbarrier_init))
        return false;
    tri_gpu_unsupported(g, op, "this architecture has no bulk copies; sm_90 is the first that has them");
    return true;
}

/* ---- mbarriers ---- */

static bool run_init(tri_gpu *g, MlirOperation op)
{
    if (is_missing(g, op))
        return false;
    tri_gpu_if first = begin_first(g, NULL);
    call(g, TRI_NVPTX_mbarrier_init, 2,
         (LLVMValueRef[]){tri_gpu_operand(g, op, 0).at[0], tri_gpu_i32(g, tri_op_int(op, "count", 1))});
    call(g, TRI_NVPTX_mbarrier_init_fence, 0, NULL);
    tri_gpu_end_if(g, first);
    return true;
}

static bool run_inval(tri_gpu *g, MlirOperation op)
{
    if (is_missing(g, op))
        return false;
    tri_gpu_if first = begin_first(g, NULL);
    call(g, TRI_NVPTX_mbarrier_inval, 1, (LLVMValueRef[]){tri_gpu_operand(g, op, 0).at[0]});
    tri_gpu_end_if(g, first);
    return true;
}

static LLVMValueRef optional(tri_gpu *g, MlirOperation op, intptr_t i)
{
    return i < mlirOperationGetNumOperands(op) ? tri_gpu_operand(g, op, i).at[0] : NULL;
}

static bool run_expect(tri_gpu *g, MlirOperation op)
{
    if (is_missing(g, op))
        return false;
    tri_gpu_if first = begin_first(g, optional(g, op, 1));
    call(g, TRI_NVPTX_mbarrier_expect, 2,
         (LLVMValueRef[]){tri_gpu_operand(g, op, 0).at[0], tri_gpu_i32(g, tri_op_int(op, "size", 0))});
    tri_gpu_end_if(g, first);
    return true;
}

/* The first lane of each warp, when all of its lanes have come. */
static void arrive_per_warp(tri_gpu *g, MlirOperation op)
{
    tri_gpu_barrier(g, TRI_SYNC_WARP);
    LLVMValueRef is_first = LLVMBuildICmp(g->b, LLVMIntEQ, tri_gpu_lane(g), tri_gpu_i32(g, 0), "");
    call(g, TRI_NVPTX_mbarrier_arrive_if, 3,
         (LLVMValueRef[]){tri_gpu_operand(g, op, 0).at[0], tri_gpu_i32(g, tri_op_int(op, "count", 1)),
                          tri_gpu_and(g, is_first, optional(g, op, 1))});
}

static bool run_arrive(tri_gpu *g, MlirOperation op)
{
    if (is_missing(g, op))
        return false;
    if (tri_op_flag(op, "tritcc.per-warp")) {
        arrive_per_warp(g, op);
        return true;
    }
    tri_gpu_if first = begin_first(g, optional(g, op, 1));
    call(g, TRI_NVPTX_mbarrier_arrive, 2,
         (LLVMValueRef[]){tri_gpu_operand(g, op, 0).at[0], tri_gpu_i32(g, tri_op_int(op, "count", 1))});
    tri_gpu_end_if(g, first);
    return true;
}

/* Tries until the phase has ended: every try may sleep for a while. */
static bool run_wait(tri_gpu *g, MlirOperation op)
{
    if (is_missing(g, op))
        return false;
    LLVMValueRef at = tri_gpu_operand(g, op, 0).at[0], phase = tri_gpu_operand(g, op, 1).at[0];
    MlirValue pred = tri_op_segment_value(op, 2);
    tri_gpu_if asked = {0};
    if (!mlirValueIsNull(pred))
        asked = tri_gpu_begin_if(g, tri_gpu_get(g, pred).at[0]);
    LLVMBasicBlockRef again = tri_gpu_block(g, "wait"), done = tri_gpu_block(g, "waited");
    LLVMBuildBr(g->b, again);
    tri_gpu_at_end(g, again);
    LLVMValueRef has_ended = tri_machine_call(g, TRI_NVPTX_mbarrier_try_wait, (LLVMValueRef[]){at, phase}, 2);
    LLVMBuildCondBr(g->b, has_ended, done, again);
    tri_gpu_at_end(g, done);
    if (!mlirValueIsNull(pred))
        tri_gpu_end_if(g, asked);
    return true;
}

/* ---- copies ---- */

/* A tile of a tensor in global memory and the buffer it is copied to or from, box by box. */
typedef struct {
    MlirOperation op;
    int rank, dropped; /* of the map; how many leading dimensions, of one element, the buffer lacks */
    int64_t shape[TRI_MAX_RANK], box[TRI_MAX_RANK];
    tri_linear offset_of;    /* coordinates -> offset in elements */
    tri_linear layout;
    int bits;
    LLVMValueRef map, base;
    LLVMValueRef at[TRI_MAX_RANK]; /* coordinates of the tile, outermost first */
} tile;

static bool open_tile(tri_gpu *g, MlirOperation op, MlirValue buffer, tile *t)
{
    tri_gpu_buffer_type type;
    MlirType block = tri_type_desc_block(mlirValueGetType(tri_op_operand(op, 0)));
    *t = (tile){.op = op, .rank = tri_type_rank(block), .map = tri_gpu_operand(g, op, 0).at[0]};
    if (is_missing(g, op) || !tri_local_get_type(g, op, mlirValueGetType(buffer), &type))
        return false;
    t->dropped = t->rank - type.desc.rank;
    if (type.encoding->kind != TRI_ENC_NVMMA_SHARED || t->dropped < 0 || type.encoding->nvmma.is_transposed ||
        type.encoding->nvmma.is_fp4_padded)
        return tri_gpu_unsupported(
            g, op, "its buffer is not laid out as the machine copies tiles, in rows of 32, 64 or 128 bytes");
    for (int d = 0; d < t->rank; d++) {
        t->shape[d] = t->box[d] = 1;
        t->at[d] = tri_gpu_operand(g, op, 1 + d).at[0];
    }
    for (int d = 0; d < type.desc.rank; d++) {
        t->shape[t->dropped + d] = type.desc.shape[d];
        if (type.desc.shape[d] != type.alloc_shape[d])
            return tri_gpu_unsupported(g, op, "its buffer is a slice of another one");
    }
    tri_convert_copy_box(type.encoding, type.desc.rank, t->shape + t->dropped, t->box + t->dropped);
    t->bits = type.bits;
    t->layout = type.layout;
    t->offset_of = tri_linear_pseudo_invert(&type.layout);
    t->base = tri_gpu_get(g, buffer).at[0];
    return true;
}

/* The place in the buffer of the box that begins at `corner`. */
static LLVMValueRef place_of(tri_gpu *g, const tile *t, const int64_t *corner)
{
    uint64_t packed = 0;
    for (int d = t->dropped; d < t->rank; d++) {
        tri_dim dim = (tri_dim)(TRI_DIM_0 + d - t->dropped);
        if (corner[d] && tri_linear_find_out(&t->layout, dim) >= 0)
            packed |= (uint64_t)corner[d] << tri_linear_out_shift(&t->layout, dim);
    }
    uint64_t place = tri_linear_apply_packed(&t->offset_of, packed);
    return tri_gpu_offset_const(g, t->base,
                                (int64_t)tri_linear_coord(&t->offset_of, place, TRI_DIM_OFFSET) * t->bits / 8);
}

/* Coordinates of a box as the machine takes them, fastest dimension first, behind args[n]. */
static int add_coordinates(tri_gpu *g, const tile *t, const int64_t *corner, LLVMValueRef *args, int n)
{
    for (int d = t->rank; d-- > 0;)
        args[n++] = LLVMBuildAdd(g->b, t->at[d], tri_gpu_i32(g, corner[d]), "");
    return n;
}

/* Goes to the next box of the tile; false behind the last one. */
static bool next_box(const tile *t, int64_t *corner)
{
    for (int d = t->rank; d-- > 0;) {
        corner[d] += t->box[d];
        if (corner[d] < t->shape[d])
            return true;
        corner[d] = 0;
    }
    return false;
}

static bool run_load(tri_gpu *g, MlirOperation op)
{
    tile t;
    MlirValue mbarrier = tri_op_segment_value(op, 3), buffer = tri_op_segment_value(op, 4);
    intptr_t start;
    if (tri_op_segment(op, 2, &start) || tri_op_flag(op, "multicast"))
        return tri_gpu_unsupported(g, op, "copies of images, and to several programs, are not lowered");
    if (!open_tile(g, op, buffer, &t))
        return false;
    LLVMValueRef report = tri_gpu_get(g, mbarrier).at[0];
    int64_t corner[TRI_MAX_RANK] = {0};
    tri_gpu_if first = begin_first(g, tri_gpu_get(g, tri_op_segment_value(op, 5)).at[0]);
    do {
        LLVMValueRef args[3 + TRI_MAX_RANK] = {place_of(g, &t, corner), report, t.map};
        call(g, (TRI_NVPTX_bulk_load_1d + t.rank - 1), add_coordinates(g, &t, corner, args, 3), args);
    } while (next_box(&t, corner));
    tri_gpu_end_if(g, first);
    return true;
}

static bool run_store(tri_gpu *g, MlirOperation op)
{
    tile t;
    if (!open_tile(g, op, tri_op_operand(op, mlirOperationGetNumOperands(op) - 1), &t))
        return false;
    int64_t corner[TRI_MAX_RANK] = {0};
    tri_gpu_if first = begin_first(g, NULL);
    do {
        LLVMValueRef args[2 + TRI_MAX_RANK] = {place_of(g, &t, corner), t.map};
        call(g, (TRI_NVPTX_bulk_store_1d + t.rank - 1), add_coordinates(g, &t, corner, args, 2), args);
    } while (next_box(&t, corner));
    call(g, TRI_NVPTX_bulk_commit, 0, NULL);
    tri_gpu_end_if(g, first);
    return true;
}

static bool run_store_wait(tri_gpu *g, MlirOperation op)
{
    if (is_missing(g, op))
        return false;
    tri_gpu_if first = begin_first(g, NULL);
    call(g, TRI_NVPTX_bulk_wait_read, 1, (LLVMValueRef[]){tri_gpu_i32(g, tri_op_int(op, "pendings", 0))});
    tri_gpu_end_if(g, first);
    return true;
}

/* ---- tensor maps ---- */

enum { MAP_BYTES = 128 };

static void set_field(tri_gpu *g, int id, LLVMValueRef map, LLVMValueRef value)
{
    call(g, id, 2, (LLVMValueRef[]){map, value});
}

/* Fields with one number for each dimension, from operand group `group`. */
static void set_dimensions(tri_gpu *g, MlirOperation op, int id, LLVMValueRef map, int group)
{
    intptr_t start, count = tri_op_segment(op, group, &start);
    for (intptr_t i = 0; i < count; i++)
        call(g, id, 3, (LLVMValueRef[]){map, tri_gpu_i32(g, i), tri_gpu_operand(g, op, start + i).at[0]});
}

static void set_constant(tri_gpu *g, MlirOperation op, int id, LLVMValueRef map, const char *name)
{
    set_field(g, id, map, tri_gpu_i32(g, tri_op_int(op, name, 0)));
}

static bool run_create(tri_gpu *g, MlirOperation op)
{
    enum { WORDS = 16, BOX = 2, SIZE, STRIDE, STEP };
    intptr_t start, rank = tri_op_segment(op, BOX, &start);
    if (!tri_machine_has(g, TRI_NVPTX_tensormap_rank))
        return tri_gpu_unsupported(g, op, "this architecture does not write tensor maps; sm_90a does");
    LLVMValueRef map = tri_gpu_operand(g, op, 0).at[0];
    tri_gpu_if first = begin_first(g, NULL);
    tri_gpu_packing word = tri_gpu_plan_packing(g, g->i64, 1);
    for (int i = 0; i < WORDS; i++) {
        LLVMValueRef zero = LLVMConstNull(g->i64);
        tri_gpu_store_words(g, &word, &(tri_machine_access){.pointer = tri_gpu_offset_const(g, map, i * 8)}, &zero);
    }
    LLVMValueRef address = LLVMBuildPtrToInt(g->b, tri_gpu_operand(g, op, 1).at[0], g->i64, "");
    set_field(g, TRI_NVPTX_tensormap_address, map, address);
    set_field(g, TRI_NVPTX_tensormap_rank, map, tri_gpu_i32(g, rank - 1));
    set_dimensions(g, op, TRI_NVPTX_tensormap_box, map, BOX);
    set_dimensions(g, op, TRI_NVPTX_tensormap_size, map, SIZE);
    set_dimensions(g, op, TRI_NVPTX_tensormap_stride, map, STRIDE);
    set_dimensions(g, op, TRI_NVPTX_tensormap_step, map, STEP);
    set_constant(g, op, TRI_NVPTX_tensormap_element, map, "elem_type");
    set_constant(g, op, TRI_NVPTX_tensormap_interleave, map, "interleave_layout");
    set_constant(g, op, TRI_NVPTX_tensormap_swizzle, map, "swizzle_mode");
    set_constant(g, op, TRI_NVPTX_tensormap_fill, map, "fill_mode");
    call(g, TRI_NVPTX_tensormap_release, 0, NULL);
    tri_gpu_end_if(g, first);
    return true;
}

/* Who copies must have acquired what was written: that is the first thread. */
static bool run_acquire(tri_gpu *g, MlirOperation op)
{
    if (!tri_machine_has(g, TRI_NVPTX_tensormap_acquire))
        return tri_gpu_unsupported(g, op, "this architecture does not write tensor maps; sm_90a does");
    LLVMTypeRef generic = LLVMPointerTypeInContext(g->llvm, 0);
    tri_gpu_if first = begin_first(g, NULL);
    call(g, TRI_NVPTX_tensormap_acquire, 1,
         (LLVMValueRef[]){LLVMBuildAddrSpaceCast(g->b, tri_gpu_operand(g, op, 0).at[0], generic, "")});
    tri_gpu_end_if(g, first);
    return true;
}

static bool run_maps_given(tri_gpu *g, MlirOperation op)
{
    tri_gpu_set_result(g, op, 0, tri_gpu_single(g, g->maps_given ? g->maps_given : LLVMConstNull(g->i1)));
    return true;
}

static bool run_reinterpret(tri_gpu *g, MlirOperation op)
{
    LLVMTypeRef generic = LLVMPointerTypeInContext(g->llvm, 0);
    LLVMValueRef map = LLVMBuildAddrSpaceCast(g->b, tri_gpu_operand(g, op, 0).at[0], generic, "");
    int64_t number = tri_op_int(op, "tritcc.map", -1);
    if (number >= 0 && g->maps)
        map = LLVMBuildSelect(g->b, g->maps_given, tri_gpu_offset_const(g, g->maps, number * MAP_BYTES), map, "");
    tri_gpu_set_result(g, op, 0, tri_gpu_single(g, map));
    return true;
}

const tri_gpu_op tri_nvptx_ops_tma[] = {
    {"ttng.init_barrier", run_init, NULL},
    {"ttng.inval_barrier", run_inval, NULL},
    {"ttng.barrier_expect", run_expect, NULL},
    {"ttng.arrive_barrier", run_arrive, NULL},
    {"ttng.wait_barrier", run_wait, NULL},
    {"ttng.async_tma_copy_global_to_local", run_load, NULL},
    {"ttng.async_tma_copy_local_to_global", run_store, NULL},
    {"ttng.async_tma_store_wait", run_store_wait, NULL},
    {"ttng.tensormaps_given", run_maps_given, NULL},
    {"ttng.tensormap_create", run_create, NULL},
    {"ttng.tensormap_fenceproxy_acquire", run_acquire, NULL},
    {"ttng.reinterpret_tensor_descriptor", run_reinterpret, NULL},
    {0},
};
