/* How many sub-groups, of how many lanes, run a kernel on a GPU whose threads have few registers.
 *
 * Sources are tuned for warps of 32 lanes. A sub-group of 8 or 16 has one file of registers as well, so what
 * -num-warps says shares a block among half or a quarter of the lanes, and it spills. Where tensors that are alive at
 * once take more than half of what a sub-group has at most, twice as many sub-groups share them, and so on, up to
 * twice the work-items that the source asked for, beyond that where they would take three quarters of all, and to
 * what a block may have whose threads have twice the registers. The other half is for addresses and for what is on
 * its way. What is still too much is shared by twice as many sub-groups of half the lanes, which have as many
 * registers as those of all lanes.
 *
 * Counted are tensors of numbers that can not be made again from nothing: from where they are made to their last use,
 * to the end of a loop where they come from outside of it. A product's operands are read by several sub-groups: by
 * those of one row or column of the grid in which they share the result. Sub-groups of a chain of products have its
 * rows (or columns) for themselves: as many as there are tiles of them; more exchange what they have through shared
 * memory, and are worth that only where three quarters of all registers would be taken. */
#include "ir/analysis/axis_info.h"
#include "ir/analysis/chains.h"
#include "ir/analysis/pointers.h"
#include "ir/block_io.h"
#include "ir/dpas.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "targets/facts.h"
#include "targets/intel/intel.h"
#include "targets/target.h"

#include "mlir-c/BuiltinTypes.h"

enum {
    SOURCE_LANES = 32,     /* of a warp, where sources are tuned */
    MOST_REGISTERS = 256,  /* of a hardware thread; each has a dword for every lane of the matrix unit */
    SLICE_BYTES = 1024,    /* of an operand that messages load, at a time: two of them */
};

/* Positions are those of ops in source order. */
typedef struct {
    tri_arena *arena;
    const tri_axis_info *axes;
    tri_pointers *pointers;
    bool has_blocks;   /* of memory, by one message */
    int block_bytes;   /* ... of elements of so many at most that fill a product's registers with rows */
    tri_op_list ops;
    tri_map position;  /* op -> its position and one */
    int64_t *sums;     /* position -> bytes alive there and shared out; first as differences */
    int64_t *operands[2]; /* ... that are operands of products, the first or the second one */
    int64_t *slices;   /* of what comes slice by slice, whoever shares the rest */
    int64_t chained[2]; /* tiles of rows, and of columns, of products in chains along them; 0: there are none */
} liveness;

static size_t source_position(const liveness *l, MlirOperation op)
{
    return (size_t)(uintptr_t)tri_map_find_ptr(&l->position, op.ptr) - 1;
}

static size_t source_end(const liveness *l, MlirOperation op)
{
    size_t end = source_position(l, op);
    tri_op_list inside = {0};
    tri_op_collect(op, l->arena, &inside);
    return end + inside.len;
}

static bool is_counted(MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    MlirType type = mlirValueGetType(value), element = tri_type_is_tensor(type) ? tri_type_element(type) : type;
    if (!tri_type_is_tensor(type))
        return false;
    if (!mlirOperationIsNull(def) && (tri_op_is(def, "arith.constant") || tri_op_is(def, "tt.splat") ||
                                      tri_op_is(def, "tt.broadcast") || tri_op_is(def, "tt.expand_dims")))
        return false;
    bool is_read = mlirOperationIsNull(def) || tri_op_in(def, TRI_OPS_PRODUCT) || tri_op_is(def, "tt.load");
    return tri_type_is_float(element) || (is_read && tri_type_is_int(element) && tri_type_bits(element) > 1);
}

/* The last position that needs the value; a use in a loop that it came into lasts until that loop's end. */
static size_t last_use(const liveness *l, MlirValue value, MlirBlock home, int *out_operand)
{
    size_t last = 0;
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use), at = tri_op_ancestor_in(home, user);
        if (tri_op_in(user, TRI_OPS_PRODUCT) && mlirOpOperandGetOperandNumber(use) < 2)
            *out_operand = (int)mlirOpOperandGetOperandNumber(use);
        size_t end = mlirOperationEqual(at, user) ? source_position(l, user) : source_end(l, at);
        last = end > last ? end : last;
    }
    return last;
}

/* Whatever the pointer may point into are arguments of the kernel, and aligned. */
static bool base_is_aligned(const liveness *l, MlirValue pointer)
{
    size_t count, roots = 0;
    const MlirValue *sources = tri_pointers_sources(l->pointers, pointer, &count);
    for (size_t i = 0; i < count; i++) {
        MlirOperation def = tri_op_def(sources[i]);
        bool is_root = mlirOperationIsNull(def) && tri_op_is(mlirBlockGetParentOperation(tri_op_block_of(sources[i])),
                                                             "tt.func");
        bool is_unknown = !mlirOperationIsNull(def) && (tri_op_is(def, "tt.load") || tri_op_is(def, "tt.int_to_ptr"));
        if (is_unknown || (is_root && tri_axis_info_get(l->axes, sources[i])->divisibility[0] < 16))
            return false;
        roots += is_root;
    }
    return roots > 0;
}

/* Bits that lie together in memory, of which the first is aligned to as many. */
static int64_t bits_together(const liveness *l, MlirOperation load)
{
    MlirType type = mlirValueGetType(tri_op_result(load, 0));
    int64_t together = 1;
    for (int d = 0; d < (int)mlirShapedTypeGetRank(type); d++) {
        int64_t run = tri_axis_info_alignment(l->axes, tri_op_operand(load, 0), d);
        together = run > together ? run : together;
    }
    return together * tri_type_bits(tri_type_element(type));
}

/* Messages load it: elements of one of the last two dimensions lie side by side, the other one moves by what a pitch is
 * a multiple of. */
static bool comes_as_block(const liveness *l, MlirValue pointer)
{
    const tri_block_form *form = tri_pointers_form(l->pointers, pointer);
    int64_t bytes = tri_type_bits(tri_type_ptr_pointee(tri_type_element(mlirValueGetType(pointer)))) / 8;
    if (form->reason || form->rank < 2 || bytes > l->block_bytes || !base_is_aligned(l, pointer))
        return false;
    for (int fast = form->rank - 2; fast < form->rank; fast++) {
        const tri_block_dim *along = &form->dim[fast], *other = &form->dim[2 * form->rank - 3 - fast];
        if (along->kind != TRI_DIM_INDEXED && along->kind != TRI_DIM_NONE && tri_sum_is(along->stride, 1) &&
            other->kind != TRI_DIM_INDEXED &&
            (other->kind == TRI_DIM_NONE || tri_sum_divisor(other->stride) * bytes % TRI_BLOCK_PITCH == 0))
            return true;
    }
    return false;
}

/* Of blocks that messages load, those that wait for a product beside them come in slices. */
static bool is_sliced(const liveness *l, MlirOperation def, size_t last)
{
    return l->has_blocks && comes_as_block(l, tri_op_operand(def, 0)) &&
           mlirBlockEqual(mlirOperationGetBlock(l->ops.at[last]), mlirOperationGetBlock(def));
}

/* What is loaded one element at a time arrives as dwords, and has an address each, which loops of products keep. */
static int64_t register_bytes(const liveness *l, MlirValue value, bool is_operand)
{
    MlirType type = mlirValueGetType(value);
    MlirOperation def = tri_op_def(value);
    int64_t bits = tri_type_bits(tri_type_element(type)), count = tri_type_num_elements(type);
    if (mlirOperationIsNull(def) || !tri_op_is(def, "tt.load"))
        return count * bits / 8;
    int64_t together = bits_together(l, def);
    return together < 32 || (is_operand && together == bits) ? count * 8 : count * bits / 8;
}

static void count_value(liveness *l, MlirValue value, MlirBlock home, size_t from)
{
    int operand = -1;
    if (!is_counted(value))
        return;
    size_t last = last_use(l, value, home, &operand);
    MlirOperation def = tri_op_def(value);
    int64_t bytes = register_bytes(l, value, operand >= 0), *at = operand < 0 ? l->sums : l->operands[operand];
    if (last <= from)
        return;
    if (operand >= 0 && !mlirOperationIsNull(def) && tri_op_is(def, "tt.load") && is_sliced(l, def, last)) {
        bytes = bytes < SLICE_BYTES ? bytes : SLICE_BYTES;
        at = l->slices;
    }
    at[from] += bytes;
    at[last] -= bytes;
}

static void count_op(liveness *l, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        count_value(l, tri_op_result(op, i), mlirOperationGetBlock(op), source_end(l, op));
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
        MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
        for (; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
            for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
                count_value(l, mlirBlockGetArgument(block, i), block, source_position(l, op));
    }
}

static void measure_liveness(liveness *l, MlirOperation module)
{
    tri_map_init(&l->position, l->arena);
    tri_op_collect(module, l->arena, &l->ops);
    int64_t **const all[] = {&l->sums, &l->operands[0], &l->operands[1], &l->slices};
    for (int k = 0; k < 4; k++)
        *all[k] = TRI_NEW_ARRAY(l->arena, int64_t, l->ops.len + 1);
    for (size_t i = 0; i < l->ops.len; i++)
        tri_map_set_ptr(&l->position, l->ops.at[i].ptr, (void *)(uintptr_t)(i + 1));
    for (size_t i = 0; i < l->ops.len; i++)
        count_op(l, l->ops.at[i]);
    for (size_t i = 1; i < l->ops.len; i++)
        for (int k = 0; k < 4; k++)
            (*all[k])[i] += (*all[k])[i - 1];
}

/* Tiles of the products of chains along their rows, or columns. */
static void find_chains(liveness *l, int tile_columns)
{
    tri_op_list dots = {0};
    for (size_t i = 0; i < l->ops.len; i++)
        if (tri_op_is(l->ops.at[i], "tt.dot"))
            tri_vec_push(l->arena, &dots, l->ops.at[i]);
    tri_chains chains = tri_chains_find(l->arena, &dots);
    for (size_t i = 0; i < dots.len; i++) {
        MlirType type = mlirValueGetType(tri_op_result(dots.at[i], 0));
        intptr_t rank = mlirShapedTypeGetRank(type);
        for (int side = 0; side < 2; side++) {
            int64_t size = mlirShapedTypeGetDimSize(type, rank - 2 + side) / (side ? tile_columns : TRI_DPAS_ROWS);
            if (tri_chains_is_along(&chains, dots.at[i], side) && !tri_chains_is_along(&chains, dots.at[i], !side))
                l->chained[side] = size > l->chained[side] ? size : l->chained[side];
        }
    }
}

/* Rows of the grid of so many sub-groups, a power of two. */
static int count_rows(const liveness *l, int count)
{
    int rows = 1;
    if (l->chained[0] && !l->chained[1])
        return l->chained[0] < count ? (int)l->chained[0] : count;
    if (l->chained[1] && !l->chained[0])
        return l->chained[1] < count ? count / (int)l->chained[1] : 1;
    while (rows * rows < count)
        rows *= 2;
    return rows;
}

/* Bytes of registers that one of so many sub-groups needs. */
static int64_t bytes_each(const liveness *l, int count)
{
    int rows = count_rows(l, count), columns = count / rows;
    int64_t largest = 0;
    for (size_t i = 0; i < l->ops.len; i++) {
        int64_t bytes = l->sums[i] / count + l->operands[0][i] / rows + l->operands[1][i] / columns + l->slices[i];
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

/* Bytes of registers that tensors of one sub-group may take: half of all, and blocks of many threads can not have
 * twice the registers. */
static int64_t bytes_for_tensors(const tri_machine_facts *arch, int threads)
{
    int registers = (uint32_t)threads <= arch->max_threads / 2 ? MOST_REGISTERS : MOST_REGISTERS / 2;
    return (int64_t)registers * 4 * arch->mma_lanes / 2;
}

/* Tensors take more than so many hundredths of what they may. */
static bool wants_more(const liveness *l, const tri_machine_facts *arch, int count, int percent, int lanes)
{
    return bytes_each(l, count) * 100 > percent * bytes_for_tensors(arch, count * lanes);
}

/* As many work-items as the source asked for, or sub-groups as a chain of products has tiles. */
static bool is_enough(const liveness *l, int count, int lanes, int asked)
{
    int64_t tiles = l->chained[0] > l->chained[1] ? l->chained[0] : l->chained[1];
    return count * lanes > asked * SOURCE_LANES || (tiles && count >= tiles);
}

void tri_intel_share_block(const tri_unit *unit, int *warps, int *lanes)
{
    const tri_machine_facts *arch = unit->arch;
    int asked = *warps, count = asked;
    if (arch->mma != TRI_MMA_DPAS || !unit->module.ptr)
        return;
    MlirOperation module = mlirModuleGetOperation(unit->module);
    liveness l = {.arena = unit->arena, .has_blocks = arch->has_block_loads,
                  .block_bytes = arch->has_late_blocks ? 4 : 2,
                  .axes = tri_axis_info_create(unit->arena, module), .pointers = tri_pointers_create(unit->arena)};
    measure_liveness(&l, module);
    find_chains(&l, arch->mma_lanes);
    while (wants_more(&l, arch, count, is_enough(&l, count, *lanes, asked) ? 150 : 100, *lanes) &&
           (uint32_t)(2 * count * *lanes) <= arch->max_threads / 2)
        count *= 2;
    while (wants_more(&l, arch, count, 100, *lanes) && arch->lane_choices & (*lanes / 2)) {
        count *= 2;
        *lanes /= 2;
    }
    *warps = count;
}
