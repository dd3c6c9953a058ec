/* Room for what is stored while the next tile's loads are on their way: a tile that is stored through a descriptor
 * takes shared memory beside theirs. One that is too wide is stored in several:
 *
 *     tt.descriptor_store %d[%m, %n], %c      ->     %l, %r = tt.split (tt.trans (tt.reshape %c))
 *                                                    tt.descriptor_store %d'[%m, %n], %l
 *                                                    tt.descriptor_store %d'[%m, %n + width], %r
 *
 * whose threads hold what they held before: columns next to each other lie in registers of one thread. */
#include "passes/ttir/persistent_programs/persistent_programs.h"

#include "ir/builder.h"
#include "ir/type.h"
#include "passes/ttir/descriptor.h"

#include "mlir-c/BuiltinTypes.h"

enum { NARROWEST = 64, LEAST_STAGES = 2, ALIGNMENT = 1024 };

static int64_t tile_bytes(MlirType block)
{
    return tri_type_num_elements(block) * tri_type_bits(tri_type_element(block)) / 8;
}

static int64_t bytes_of_stage(tri_arena *arena, MlirOperation loop)
{
    int64_t bytes = 0;
    tri_op_list loads = {0};
    tri_op_collect_named(loop, "tt.descriptor_load", arena, &loads);
    for (size_t i = 0; i < loads.len; i++)
        bytes += (tile_bytes(mlirValueGetType(tri_op_result(loads.at[i], 0))) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return bytes;
}

/* Whether the op can store halves of its tile: two dimensions and a descriptor that the kernel makes. */
static bool can_cut(MlirOperation store)
{
    MlirOperation made = tri_op_def(tri_op_operand(store, 0));
    MlirType tile = mlirValueGetType(tri_op_operand(store, 1));
    return !mlirOperationIsNull(made) && tri_op_is(made, "tt.make_tensor_descriptor") && tri_type_rank(tile) == 2 &&
           tri_type_dim(tile, 1) >= 2 * NARROWEST &&
           mlirTypeEqual(tri_type_desc_block(mlirValueGetType(tri_op_result(made, 0))), tile);
}

static MlirType shaped_like(MlirType like, int rank, const int64_t *shape)
{
    MlirAttribute none = {NULL};
    return mlirRankedTensorTypeGet(rank, shape, tri_type_element(like), none);
}

/* The halves of a tile along its columns. */
static void cut_tile(tri_builder *b, MlirValue tile, MlirType half, MlirValue *out)
{
    MlirType type = mlirValueGetType(tile);
    int64_t rows = tri_type_dim(type, 0), width = tri_type_dim(half, 1);
    const int32_t order[] = {0, 2, 1};
    tri_attr attr = {"order", tri_attr_i32s(b->context, 3, order)};
    MlirValue apart = tri_builder_unary(b, "tt.reshape", shaped_like(type, 3, (int64_t[]){rows, 2, width}), tile);
    MlirType turned = shaped_like(type, 3, (int64_t[]){rows, width, 2});
    MlirValue last = tri_builder_value(b, &(tri_op){.name = "tt.trans", .num_operands = 1, .operands = &apart,
                                                    .num_results = 1, .results = &turned, .num_attrs = 1,
                                                    .attrs = &attr});
    MlirOperation split = tri_builder_create(b, &(tri_op){.name = "tt.split", .num_operands = 1, .operands = &last,
                                                          .num_results = 2, .results = (MlirType[]){half, half}});
    out[0] = tri_op_result(split, 0);
    out[1] = tri_op_result(split, 1);
}

/* The descriptor with narrower blocks, which stands beside the op that made it. */
static MlirValue narrow_descriptor(MlirValue descriptor, MlirType half)
{
    tri_builder b = tri_builder_after(tri_op_def(descriptor));
    MlirOperation copy = tri_op_clone(&b, tri_op_def(descriptor), 0, NULL, NULL);
    tri_op_set_type(tri_op_result(copy, 0), tri_type_desc(half));
    return tri_op_result(copy, 0);
}

static void cut_store(MlirOperation store, tri_op_list *out, tri_arena *arena)
{
    tri_builder b = tri_builder_before(store);
    MlirValue tile = tri_op_operand(store, 1), halves[2], column = tri_op_operand(store, 3);
    MlirType type = mlirValueGetType(tile);
    int64_t width = tri_type_dim(type, 1) / 2;
    MlirType half = shaped_like(type, 2, (int64_t[]){tri_type_dim(type, 0), width});
    cut_tile(&b, tile, half, halves);
    MlirValue descriptor = narrow_descriptor(tri_op_operand(store, 0), half);
    MlirType index = mlirValueGetType(column);
    MlirValue step = tri_builder_int(&b, index, width);
    MlirValue columns[] = {column, tri_builder_binary(&b, "arith.addi", index, column, step)};
    for (int i = 0; i < 2; i++) {
        MlirOperation part = tri_op_clone(&b, store, 0, NULL, NULL);
        mlirOperationSetOperand(part, 0, descriptor);
        mlirOperationSetOperand(part, 1, halves[i]);
        mlirOperationSetOperand(part, 3, columns[i]);
        tri_vec_push(arena, out, part);
    }
    mlirOperationDestroy(store);
}

/* Whether the tile, or parts of it, take no more than `room`. */
static bool can_fit(MlirOperation store, int64_t room)
{
    MlirType tile = mlirValueGetType(tri_op_operand(store, 1));
    int64_t width = can_cut(store) ? tri_type_dim(tile, 1) : NARROWEST, bytes = tile_bytes(tile);
    for (; width >= 2 * NARROWEST && bytes > room; width /= 2)
        bytes /= 2;
    return bytes <= room;
}

static int64_t bytes_of_stages(tri_arena *arena, MlirOperation func)
{
    tri_op_list loops = {0};
    int64_t bytes = 0;
    tri_op_collect_named(func, "scf.for", arena, &loops);
    for (size_t i = 0; i < loops.len; i++)
        bytes += bytes_of_stage(arena, loops.at[i]);
    return bytes;
}

bool tri_persistent_programs_are_alone(tri_arena *arena, MlirOperation func, int64_t stages, int64_t bytes)
{
    return 2 * stages * bytes_of_stages(arena, func) > bytes;
}

bool tri_persistent_programs_fit(tri_arena *arena, MlirOperation func, int64_t stages, int64_t bytes)
{
    tri_op_list stores = {0};
    int64_t stage = bytes_of_stages(arena, func), room = 0;
    bool fits = false;
    tri_op_collect_named(func, "tt.descriptor_store", arena, &stores);
    for (; stages >= LEAST_STAGES && !fits; stages--) {
        room = bytes - stages * stage;
        fits = true;
        for (size_t i = 0; i < stores.len; i++)
            fits = fits && can_fit(stores.at[i], room);
    }
    for (size_t i = 0; i < stores.len && fits; i++)
        if (tile_bytes(mlirValueGetType(tri_op_operand(stores.at[i], 1))) > room)
            cut_store(stores.at[i], &stores, arena);
    return fits;
}

/* ---- stores through pointers ---- */

/* Tiles of queries lie beside those of the loop. */
bool tri_persistent_programs_fit_loads(tri_arena *arena, MlirOperation func, int64_t bytes)
{
    tri_op_list loops = {0};
    int64_t stage = 0, once = bytes_of_stage(arena, func);
    tri_op_collect_named(func, "scf.for", arena, &loops);
    for (size_t i = 0; i < loops.len; i++) {
        int64_t own = bytes_of_stage(arena, loops.at[i]);
        once -= own;
        stage = own > stage ? own : stage;
    }
    return LEAST_STAGES * stage + once <= bytes;
}

/* Bit d: the block may leave the tensor along dimension d, as it does not begin with it or ends behind it. */
static unsigned dimensions_to_check(MlirOperation store, MlirOperation made, int rank)
{
    unsigned checked = 0;
    MlirType block = tri_type_desc_block(mlirValueGetType(tri_op_result(made, 0)));
    for (int d = 0; d < rank; d++) {
        int64_t start, size;
        bool is_whole = tri_op_const_int(tri_op_operand(store, 2 + d), &start) && start == 0 &&
                        tri_op_const_int(tri_op_operand(made, 1 + d), &size) && size >= tri_type_dim(block, d);
        checked |= is_whole ? 0 : 1u << d;
    }
    return checked;
}

static void store_by_pointers(tri_pass_run *run, MlirOperation store, MlirOperation made)
{
    tri_builder b = tri_builder_before(store);
    MlirType i64 = mlirIntegerTypeGet(b.context, 64), i1 = mlirIntegerTypeGet(b.context, 1);
    MlirValue offsets[TRI_MAX_RANK];
    tri_descriptor d = {.block = tri_type_desc_block(mlirValueGetType(tri_op_result(made, 0))),
                        .pointer = tri_op_operand(made, 0), .is_nan = tri_builder_int(&b, i1, 0)};
    d.rank = tri_type_rank(d.block);
    for (int i = 0; i < d.rank; i++) {
        MlirValue size = tri_op_operand(made, 1 + i);
        bool is_wide = mlirTypeEqual(mlirValueGetType(size), i64);
        d.shape[i] = is_wide ? size : tri_builder_unary(&b, "arith.extsi", i64, size);
        d.stride[i] = tri_op_operand(made, 1 + d.rank + i);
        offsets[i] = tri_op_operand(store, 2 + i);
    }
    tri_descriptor_rewrite_block(run, store, &d, offsets, dimensions_to_check(store, made, d.rank));
}

void tri_persistent_programs_store_by_pointers(tri_pass_run *run, MlirOperation func)
{
    tri_op_list stores = {0};
    tri_op_collect_named(func, "tt.descriptor_store", run->arena, &stores);
    for (size_t i = 0; i < stores.len; i++) {
        MlirOperation made = tri_op_def(tri_op_operand(stores.at[i], 0));
        if (mlirOperationIsNull(made) || !tri_op_is(made, "tt.make_tensor_descriptor"))
            continue;
        store_by_pointers(run, stores.at[i], made);
    }
}
