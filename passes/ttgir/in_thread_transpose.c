/* Turns operands of products over in registers on their way to shared memory.
 *
 *     %v = tt.load %p : #row                          // the lines of K lie apart
 *     ttg.local_store %v, %m : #row -> #shared
 *     ttg.local_load %m : #shared -> #dot_op           // single elements, as a lane wants a run of K
 *   becomes
 *     %w = tt.load %q : #tile                          // some lines of K more for each thread
 *     %t = amdg.in_thread_transpose %w : #tile -> #turned
 *     ttg.local_store %t, %m : #turned -> #rotating    // K lies side by side
 *     ttg.local_load %m : #rotating -> #dot_op         // 8 or 16 bytes at once
 *
 * with conversions around it that remove-layout-conversions takes away. Only buffers that nothing but loads of one
 * layout is stored to, where each thread has more than one line of K to load. Answers to
 * tritonamdgpu-in-thread-transpose. Test: tests/passes/in-thread-transpose.mlir */
#include "passes/passes.h"

#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/buffers.h"
#include "passes/analysis/dots.h"

#include <string.h>

/* A buffer, and what is done to it. */
typedef struct {
    bool is_foreign;    /* something else is done to it, too */
    MlirValue operand;  /* a load of it as an operand of a product; null: there is none */
    tri_op_list stores; /* their first operand is what they store */
    TRI_VEC(MlirValue) views;
    tri_op_list loads; /* of global memory */
} operand_buffer;

typedef struct {
    tri_pass_run *run;
    tri_buffers buffers;
    operand_buffer *list;
} transposes;

/* ---- what is done to the buffers ---- */

static operand_buffer *only_buffer(transposes *t, MlirValue memdesc)
{
    const tri_buffer_set *set = tri_buffers_of(&t->buffers, memdesc);
    for (size_t i = 0; set->len != 1 && i < set->len; i++)
        t->list[set->at[i]].is_foreign = true;
    return set->len == 1 ? &t->list[set->at[0]] : NULL;
}

static bool carries_buffers(MlirOperation op)
{
    static const char *const names[] = {"scf.for", "scf.if", "scf.while", "scf.yield", "scf.condition"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_op_is(op, names[i]))
            return true;
    return false;
}

static void note_access(transposes *t, operand_buffer *b, MlirOperation op, intptr_t operand)
{
    if (tri_op_is(op, "ttg.local_store") && operand == 1)
        tri_vec_push(t->run->arena, &b->stores, op);
    else if (tri_op_is(op, "ttg.local_load") && operand == 0) {
        const tri_encoding *e = tri_dots_encoding(t->run->arena, tri_op_result(op, 0));
        bool is_operand = e && e->kind == TRI_ENC_DOT_OP &&
                          (e->parent->kind == TRI_ENC_AMD_MFMA || e->parent->kind == TRI_ENC_AMD_WMMA);
        if (is_operand && mlirValueIsNull(b->operand))
            b->operand = tri_op_result(op, 0);
    } else if (!tri_op_is(op, "ttg.memdesc_index") && !tri_op_is(op, "ttg.local_dealloc") && !carries_buffers(op))
        b->is_foreign = true;
}

static void note_view(transposes *t, MlirValue value)
{
    if (!tri_buffers_is_shared(mlirValueGetType(value)))
        return;
    operand_buffer *b = only_buffer(t, value);
    if (b)
        tri_vec_push(t->run->arena, &b->views, value);
}

static void note_operation(transposes *t, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue operand = tri_op_operand(op, i);
        operand_buffer *b = tri_buffers_is_shared(mlirValueGetType(operand)) ? only_buffer(t, operand) : NULL;
        if (b)
            note_access(t, b, op, i);
    }
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        note_view(t, tri_op_result(op, i));
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
             block = mlirBlockGetNextInRegion(block))
            for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
                note_view(t, mlirBlockGetArgument(block, i));
    if (tri_op_is(op, "ttg.local_alloc") && mlirOperationGetNumOperands(op) == 1) {
        operand_buffer *b = only_buffer(t, tri_op_result(op, 0));
        if (b)
            tri_vec_push(t->run->arena, &b->stores, op);
    }
}

/* ---- where what is stored comes from ---- */

typedef struct {
    tri_arena *arena;
    tri_map seen;
    tri_op_list *loads;
    bool is_unknown;
} origins;

static void find_origins(origins *o, MlirValue value);

static void find_yielded(origins *o, MlirOperation op, intptr_t result)
{
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
        MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
        MlirOperation end = mlirBlockIsNull(block) ? (MlirOperation){0} : mlirBlockGetTerminator(block);
        if (!mlirOperationIsNull(end) && tri_op_is(end, "scf.yield") && result < mlirOperationGetNumOperands(end))
            find_origins(o, tri_op_operand(end, result));
    }
}

static void find_origins(origins *o, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (tri_map_find_ptr(&o->seen, value.ptr))
        return;
    tri_map_set_ptr(&o->seen, value.ptr, o);
    if (!tri_op_is_block_argument(value, &block, &index)) {
        MlirOperation op = tri_op_def(value);
        if (tri_op_is(op, "tt.load"))
            tri_vec_push(o->arena, o->loads, op);
        else if (tri_op_is(op, "scf.for") || tri_op_is(op, "scf.if"))
            find_yielded(o, op, (intptr_t)mlirOpResultGetResultNumber(value));
        return;
    }
    MlirOperation parent = mlirBlockGetParentOperation(block);
    if (!tri_op_is(parent, "scf.for")) {
        o->is_unknown = true;
        return;
    }
    find_origins(o, tri_op_operand(parent, index == 0 ? 0 : index + 2));
    if (index)
        find_yielded(o, parent, index - 1);
}

/* ---- whether it pays ---- */

static int dimension_of_k(tri_arena *arena, MlirValue operand)
{
    return tri_dots_encoding(arena, operand)->dot_op.op_idx == 0 ? 1 : 0;
}

static int64_t lines_per_thread(const tri_encoding *blocked, const int64_t *shape, int dim)
{
    int64_t lines = shape[dim] / (blocked->blocked.threads_per_warp[dim] * blocked->warps_per_cta[dim]);
    return lines > 1 ? lines : 1;
}

/* Blocked values of two dimensions, in which K is not the fastest, that come of loads of one type. */
static bool can_turn_over(transposes *t, operand_buffer *b)
{
    tri_arena *arena = t->run->arena;
    if (b->is_foreign || mlirValueIsNull(b->operand) || !b->stores.len)
        return false;
    int k = dimension_of_k(arena, b->operand);
    origins o = {.arena = arena, .loads = &b->loads};
    tri_map_init(&o.seen, arena);
    for (size_t i = 0; i < b->stores.len; i++) {
        MlirValue stored = tri_op_operand(b->stores.at[i], 0);
        const tri_encoding *e = tri_dots_encoding(arena, stored);
        if (!e || e->kind != TRI_ENC_BLOCKED || tri_type_rank(mlirValueGetType(stored)) != 2 || e->order[0] == k)
            return false;
        find_origins(&o, stored);
    }
    if (!b->loads.len || o.is_unknown)
        return false;
    MlirType type = mlirValueGetType(tri_op_result(b->loads.at[0], 0));
    const tri_encoding *e = tri_dots_encoding(arena, tri_op_result(b->loads.at[0], 0));
    int64_t shape[TRI_MAX_RANK];
    for (size_t i = 0; i < b->loads.len; i++)
        if (!mlirTypeEqual(mlirValueGetType(tri_op_result(b->loads.at[i], 0)), type))
            return false;
    return e && e->kind == TRI_ENC_BLOCKED && tri_dots_shape(type, shape) == 2 && lines_per_thread(e, shape, k) >= 2;
}

/* ---- the layouts ---- */

enum { store_bits = 64 }; /* that a thread stores at once */

/* As many lines of K for each thread as fill a store. */
static tri_encoding choose_tile(tri_arena *arena, MlirValue loaded, int k)
{
    MlirType type = mlirValueGetType(loaded);
    const tri_encoding *e = tri_dots_encoding(arena, loaded);
    int64_t shape[TRI_MAX_RANK], lines;
    int rank = tri_dots_shape(type, shape), fit = store_bits / (int)tri_type_bits(tri_type_element(type));
    int32_t size[TRI_MAX_RANK];
    memcpy(size, e->blocked.size_per_thread, sizeof size);
    lines = lines_per_thread(e, shape, k);
    size[k] = (int32_t)(lines < fit ? lines : fit);
    tri_encoding tile = tri_convert_blocked_auto(rank, shape, size, e->order, tri_convert_num_warps(e),
                                                 tri_convert_num_threads_per_warp(e));
    tile.cga = e->cga;
    return tile;
}

/* The same elements in each thread, its registers numbered along K first. */
static tri_encoding turn_tile(const tri_encoding *tile, int rank, const int64_t *shape, int k)
{
    tri_linear layout;
    const char *why;
    if (!tri_convert_to_linear(tile, rank, shape, &layout, &why))
        TRI_BUG("a blocked layout");
    uint64_t *bases = layout.basis[tri_linear_find_in(&layout, TRI_DIM_REGISTER)];
    int at = 0, total = 0, order[] = {k, 1 - k};
    for (int d = 0; d < rank; d++)
        total += tri_linear_log2(tile->blocked.size_per_thread[d]);
    for (int i = 0; i < 2; i++) {
        int64_t size = tile->blocked.size_per_thread[order[i]];
        for (int64_t step = 1; step < (size < shape[order[i]] ? size : shape[order[i]]); step *= 2)
            bases[at++] = (uint64_t)step << tri_linear_out_shift(&layout, (tri_dim)(TRI_DIM_0 + order[i]));
    }
    while (at < total)
        bases[at++] = 0;
    return tri_convert_from_linear(&layout);
}

static tri_encoding choose_rotation(tri_arena *arena, MlirValue operand)
{
    MlirType type = mlirValueGetType(operand);
    const tri_encoding *dot = tri_dots_encoding(arena, operand);
    int64_t shape[TRI_MAX_RANK];
    int k = dimension_of_k(arena, operand), rank = tri_dots_shape(type, shape);
    int32_t order[TRI_MAX_RANK] = {k, 1 - k};
    tri_encoding e =
        tri_convert_swizzle_for_dot(dot, rank, shape, order, (int)tri_type_bits(tri_type_element(type)), false);
    e.kind = TRI_ENC_AMD_ROTATING_SHARED;
    return e;
}

/* ---- rewriters ---- */

static void load_tiles(MlirOperation load, MlirAttribute tile)
{
    tri_builder b = tri_builder_before(load), after = tri_builder_after(load);
    MlirValue result = tri_op_result(load, 0);
    MlirType type = mlirValueGetType(result);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(load); i++)
        if (tri_type_is_tensor(mlirValueGetType(tri_op_operand(load, i))))
            mlirOperationSetOperand(load, i, tri_dots_convert(&b, tri_op_operand(load, i), tile));
    tri_op_set_type(result, tri_type_with_encoding(type, tile));
    MlirValue back = tri_builder_unary(&after, "ttg.convert_layout", type, result);
    mlirValueReplaceAllUsesOfWith(result, back);
    mlirOperationSetOperand(tri_op_def(back), 0, result);
}

/* A buffer that is filled when it is made may be made as soon as the value is there (reorder-instructions does so). */
static tri_builder earliest_place(MlirOperation store, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is(store, "ttg.local_store"))
        return tri_builder_before(store);
    if (tri_op_is_block_argument(value, &block, &index))
        return tri_builder_at_start(block, mlirOperationGetLocation(store));
    return tri_builder_after(tri_op_def(value));
}

static void store_turned(MlirOperation store, MlirAttribute tile, MlirAttribute turned)
{
    MlirValue value = tri_op_operand(store, 0);
    MlirType type = mlirValueGetType(value);
    tri_builder b = earliest_place(store, value);
    value = tri_builder_unary(&b, "ttg.convert_layout", tri_type_with_encoding(type, tile), value);
    value = tri_builder_unary(&b, "amdg.in_thread_transpose", tri_type_with_encoding(type, turned), value);
    mlirOperationSetOperand(store, 0, value);
}

static void retype_view(MlirValue view, MlirAttribute rotation)
{
    tri_memdesc desc;
    if (!tri_type_get_memdesc(mlirValueGetType(view), &desc) ||
        tri_encoding_kind_of(desc.encoding) != TRI_ENC_SWIZZLED_SHARED)
        return;
    desc.encoding = rotation;
    tri_op_set_type(view, tri_type_memdesc(&desc));
}

static void transpose_buffer(transposes *t, operand_buffer *b)
{
    tri_arena *arena = t->run->arena;
    MlirContext context = mlirModuleGetContext(t->run->module);
    MlirValue loaded = tri_op_result(b->loads.at[0], 0);
    int64_t shape[TRI_MAX_RANK];
    int k = dimension_of_k(arena, b->operand), rank = tri_dots_shape(mlirValueGetType(loaded), shape);
    tri_encoding tile = choose_tile(arena, loaded, k), turned = turn_tile(&tile, rank, shape, k),
                 rotation = choose_rotation(arena, b->operand);
    MlirAttribute tile_attr = tri_encoding_make(context, &tile), turned_attr = tri_encoding_make(context, &turned),
                  rotation_attr = tri_encoding_make(context, &rotation);
    for (size_t i = 0; i < b->loads.len; i++)
        load_tiles(b->loads.at[i], tile_attr);
    for (size_t i = 0; i < b->stores.len; i++)
        store_turned(b->stores.at[i], tile_attr, turned_attr);
    for (size_t i = 0; i < b->views.len; i++)
        retype_view(b->views.at[i], rotation_attr);
}

static bool run_in_thread_transpose(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_list funcs = {0};
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t f = 0; f < funcs.len; f++) {
        transposes t = {.run = run};
        tri_op_list ops = {0};
        tri_buffers_init(&t.buffers, run->arena, funcs.at[f], module);
        t.list = TRI_NEW_ARRAY(run->arena, operand_buffer, t.buffers.list.len + 1);
        tri_op_collect(funcs.at[f], run->arena, &ops);
        for (size_t i = 0; i < ops.len; i++)
            note_operation(&t, ops.at[i]);
        for (size_t i = 0; i < t.buffers.list.len; i++)
            if (!t.buffers.list.at[i].is_scratch && can_turn_over(&t, &t.list[i]))
                transpose_buffer(&t, &t.list[i]);
    }
    return true;
}

const tri_pass tri_pass_in_thread_transpose = {
    .name = "in-thread-transpose",
    .help = "turn operands of products over in registers on their way to shared memory",
    .alias = "tritonamdgpu-in-thread-transpose",
    .run = run_in_thread_transpose,
};
