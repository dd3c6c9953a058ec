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
 * those of one row or column of the grid in which they share the result. */
#include "ir/analysis/axis_info.h"
#include "ir/analysis/pointers.h"
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
};

/* Positions are those of ops in source order. */
typedef struct {
    tri_arena *arena;
    const tri_axis_info *axes;
    tri_pointers *pointers;
    bool has_blocks;   /* of memory, by one message */
    tri_op_list ops;
    tri_map position;  /* op -> its position and one */
    int64_t *sums;     /* position -> bytes alive there and shared out; first as differences */
    int64_t *operands; /* ... that are operands of products */
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
static size_t last_use(const liveness *l, MlirValue value, MlirBlock home, bool *out_is_operand)
{
    size_t last = 0;
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use), at = tri_op_ancestor_in(home, user);
        *out_is_operand |= tri_op_in(user, TRI_OPS_PRODUCT) && mlirOpOperandGetOperandNumber(use) < 2;
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

/* What is loaded one element at a time arrives as dwords, and has an address each; of blocks that messages load, those
 * that wait for a product come in slices. */
static int64_t register_bytes(const liveness *l, MlirValue value, bool is_operand)
{
    MlirType type = mlirValueGetType(value);
    MlirOperation def = tri_op_def(value);
    int64_t bits = tri_type_bits(tri_type_element(type)), count = tri_type_num_elements(type), together = 1;
    if (mlirOperationIsNull(def) || !tri_op_is(def, "tt.load"))
        return count * bits / 8;
    if (l->has_blocks && is_operand && base_is_aligned(l, tri_op_operand(def, 0)))
        return count * bits / 16;
    for (int d = 0; d < (int)mlirShapedTypeGetRank(type); d++) {
        int64_t run = tri_axis_info_alignment(l->axes, tri_op_operand(def, 0), d);
        together = run > together ? run : together;
    }
    return bits * together < 32 ? count * 8 : count * bits / 8;
}

static void count_value(liveness *l, MlirValue value, MlirBlock home, size_t from)
{
    bool is_operand = false;
    if (!is_counted(value))
        return;
    size_t last = last_use(l, value, home, &is_operand);
    int64_t bytes = register_bytes(l, value, is_operand), *at = is_operand ? l->operands : l->sums;
    if (last > from) {
        at[from] += bytes;
        at[last] -= bytes;
    }
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
    l->sums = TRI_NEW_ARRAY(l->arena, int64_t, l->ops.len + 1);
    l->operands = TRI_NEW_ARRAY(l->arena, int64_t, l->ops.len + 1);
    for (size_t i = 0; i < l->ops.len; i++)
        tri_map_set_ptr(&l->position, l->ops.at[i].ptr, (void *)(uintptr_t)(i + 1));
    for (size_t i = 0; i < l->ops.len; i++)
        count_op(l, l->ops.at[i]);
    for (size_t i = 1; i < l->ops.len; i++) {
        l->sums[i] += l->sums[i - 1];
        l->operands[i] += l->operands[i - 1];
    }
}

/* Bytes of registers that one of so many sub-groups, a power of two, needs. */
static int64_t bytes_each(const liveness *l, int count)
{
    int rows = 1;
    while (rows * rows < count)
        rows *= 2;
    int columns = count / rows;
    int64_t largest = 0;
    for (size_t i = 0; i < l->ops.len; i++) {
        int64_t bytes = l->sums[i] / count + l->operands[i] * (rows + columns) / 2 / count;
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

void tri_intel_share_block(const tri_unit *unit, int *warps, int *lanes)
{
    const tri_machine_facts *arch = unit->arch;
    int asked = *warps, count = asked;
    if (arch->mma != TRI_MMA_DPAS || !unit->module.ptr)
        return;
    MlirOperation module = mlirModuleGetOperation(unit->module);
    liveness l = {.arena = unit->arena, .has_blocks = arch->has_block_loads,
                  .axes = tri_axis_info_create(unit->arena, module), .pointers = tri_pointers_create(unit->arena)};
    measure_liveness(&l, module);
    while (wants_more(&l, arch, count, count * *lanes > asked * SOURCE_LANES ? 150 : 100, *lanes) &&
           (uint32_t)(2 * count * *lanes) <= arch->max_threads / 2)
        count *= 2;
    while (wants_more(&l, arch, count, 100, *lanes) && arch->lane_choices & (*lanes / 2)) {
        count *= 2;
        *lanes /= 2;
    }
    *warps = count;
}
