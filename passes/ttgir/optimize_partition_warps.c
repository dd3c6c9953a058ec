/* Partitions get fewer warps, so that the registers of a block are shared by fewer threads.
 *
 *     partition0(%p: ...) num_warps(8) {                         partition0(%p: ...) num_warps(1) {
 *       %v = ttg.local_load %p : tensor<128xi32, #eight>    ->     %v = ttg.local_load %p : tensor<128xi32, #one>
 *       ...                                                        ...
 *
 * A partition is halved as long as what it holds fits: twice the registers of its largest tensor, as if a block's
 * registers were dealt out evenly to its warps. It keeps four warps where it accesses tensor memory, whose lanes belong
 * to four warps, and two where it starts copies by descriptors. In layouts the lower half of the warps takes over what
 * the upper half has: relations between layouts stay as they are. A partition whose operations or layouts this is not
 * known of keeps its warps. It also asks for registers: 88 a thread where there are tensors, 24 where there are none.
 * Needs: allocate-warp-groups later. In no pipeline: automatic-warp-specialization knows its groups. Answers to
 * tritongpu-optimize-partition-warps.
 * Test: tests/passes/optimize-partition-warps.mlir */
#include "passes/passes.h"

#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/type.h"
#include "passes/analysis/buffers.h"
#include "passes/analysis/partitions.h"
#include "passes/ttgir/remove_layout_conversions/layouts.h"

#include "mlir-c/BuiltinAttributes.h"

enum { MAX_PARTITIONS = 16, COPY_WARPS = 2, TENSOR_MEMORY_WARPS = 4, WITH_TENSORS = 88, WITHOUT_TENSORS = 24 };
enum { BITS = 32, ADDRESS_BITS = 64, DEFAULT_REGISTERS = 1 << 16 };

typedef struct {
    tri_op_list ops;
    int32_t warps, least;
    int64_t registers; /* of all its threads, for twice its largest tensor */
} partition;

/* ---- layouts ---- */

/* The layout for `times` fewer warps: the slowest dimensions that warps are spread over lose them. */
static bool narrow(tri_arena *arena, tri_encoding *layout, int32_t times)
{
    if (layout->kind == TRI_ENC_SLICE) {
        tri_encoding *parent = TRI_NEW(arena, tri_encoding);
        *parent = *layout->parent;
        layout->parent = parent;
        return narrow(arena, parent, times);
    }
    if (layout->kind != TRI_ENC_BLOCKED)
        return false;
    for (int i = layout->rank; i-- > 0;) {
        int32_t *warps = &layout->warps_per_cta[layout->order[i]];
        for (; times > 1 && *warps % 2 == 0; times /= 2)
            *warps /= 2;
    }
    return times == 1;
}

/* The type in the narrower layout; null: there is none. A type without a layout is as it is. */
static MlirType narrow_type(tri_arena *arena, MlirType type, int32_t times)
{
    MlirAttribute attr = tri_type_is_tensor(type) ? tri_type_encoding(type) : (MlirAttribute){NULL};
    if (mlirAttributeIsNull(attr))
        return type;
    const tri_encoding *layout = tri_encoding_get(arena, attr);
    if (!layout)
        return (MlirType){NULL};
    tri_encoding narrower = *layout;
    if (!narrow(arena, &narrower, times))
        return (MlirType){NULL};
    return tri_type_with_encoding(type, tri_encoding_make(mlirTypeGetContext(type), &narrower));
}

/* ---- what a partition has ---- */

/* Registers for a tensor's elements, each of which one thread has. */
static int64_t registers_of(MlirType type)
{
    if (!tri_type_is_tensor(type) || mlirAttributeIsNull(tri_type_encoding(type)))
        return 0;
    MlirType element = tri_type_element(type);
    return tri_type_num_elements(type) * (tri_type_is_ptr(element) ? ADDRESS_BITS : (int)tri_type_bits(element)) / BITS;
}

/* Operations that say something of how many warps there are, or whose results' layouts depend on more than those of
 * their operands do. */
static bool knows_warps(MlirOperation op)
{
    static const char *const names[] = {"ttg.warp_id", "ttg.warp_specialize", "tt.call", "tt.reshape", "tt.join",
                                        "tt.split", "tt.cat", "tt.gather", "tt.scan", "tt.histogram",
                                        "tt.elementwise_inline_asm", "tt.map_elementwise", "tt.make_tensor_ptr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_op_is(op, names[i]))
            return true;
    return !mlirAttributeIsNull(tri_op_attr(op, TRI_BUFFERS_PER_WARP)) ||
           (tri_op_is(op, "arith.constant") && tri_type_is_tensor(mlirValueGetType(tri_op_result(op, 0))) &&
            !mlirAttributeIsADenseElements(tri_op_attr(op, "value")));
}

/* Fewest warps that an operation needs. */
static int32_t least_warps(MlirOperation op)
{
    if (tri_op_is(op, "ttng.tmem_load") || tri_op_is(op, "ttng.tmem_store") || tri_op_is(op, "ttng.tmem_alloc"))
        return TENSOR_MEMORY_WARPS;
    bool copies = tri_op_is(op, "ttng.async_tma_copy_global_to_local") || tri_op_is(op, "ttng.async_tma_gather");
    return copies ? COPY_WARPS : 1;
}

static void look_at(tri_arena *arena, partition *p, MlirType type)
{
    int64_t registers = 2 * registers_of(type);
    if (mlirTypeIsNull(narrow_type(arena, type, p->warps)))
        p->least = p->warps; /* not known for one warp, nor in between */
    p->registers = registers > p->registers ? registers : p->registers;
}

static partition read_partition(tri_arena *arena, MlirRegion region, int32_t warps)
{
    partition p = {.warps = warps, .least = 1};
    MlirBlock block = mlirRegionGetFirstBlock(region);
    for (; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block)) {
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
            if (tri_type_is_tensor(mlirValueGetType(mlirBlockGetArgument(block, i))))
                p.least = warps; /* the layout is that of who hands it over */
        MlirOperation op = mlirBlockGetFirstOperation(block);
        for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
            tri_vec_push(arena, &p.ops, op);
            tri_op_collect(op, arena, &p.ops);
        }
    }
    for (size_t k = 0; k < p.ops.len; k++) {
        MlirOperation op = p.ops.at[k];
        int32_t least = knows_warps(op) ? warps : least_warps(op);
        p.least = least > p.least ? least : p.least;
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
            look_at(arena, &p, mlirValueGetType(tri_op_operand(op, i)));
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
            look_at(arena, &p, mlirValueGetType(tri_op_result(op, i)));
    }
    return p;
}

/* ---- how many ---- */

/* Halves one partition, the first that fits into half of its warps; false: none does. */
static bool halve_one(partition *parts, int n, int32_t others, int64_t registers, int lanes)
{
    int32_t total = others;
    for (int i = 0; i < n; i++)
        total += parts[i].warps;
    for (int i = 0; i < n; i++) {
        int32_t half = parts[i].warps / 2;
        if (half < parts[i].least || parts[i].warps % 2)
            continue;
        if (parts[i].registers / lanes / half <= registers / lanes / (total - half)) {
            parts[i].warps = half;
            return true;
        }
    }
    return false;
}

/* ---- what changes ---- */

static void narrow_value(tri_arena *arena, MlirOperation op, intptr_t result, int32_t times)
{
    MlirType type = mlirValueGetType(tri_op_result(op, result)), made = narrow_type(arena, type, times);
    if (!mlirTypeEqual(type, made))
        tri_layouts_retype(op, result, made);
}

static void narrow_arguments(tri_arena *arena, MlirOperation op, int32_t times)
{
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
        MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
        for (; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
            for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
                MlirValue arg = mlirBlockGetArgument(block, i);
                tri_op_set_type(arg, narrow_type(arena, mlirValueGetType(arg), times));
            }
    }
}

static void narrow_partition(tri_arena *arena, const partition *p, int32_t times)
{
    for (size_t k = 0; times > 1 && k < p->ops.len; k++) {
        for (intptr_t i = 0; i < mlirOperationGetNumResults(p->ops.at[k]); i++)
            narrow_value(arena, p->ops.at[k], i, times);
        narrow_arguments(arena, p->ops.at[k], times);
    }
}

static void optimize(tri_pass_run *run, MlirOperation op)
{
    int32_t warps[MAX_PARTITIONS], asked[MAX_PARTITIONS];
    partition parts[MAX_PARTITIONS];
    MlirOperation module = mlirModuleGetOperation(run->module);
    MlirOperation holder = mlirBlockGetFirstOperation(tri_op_body(op, 1));
    int n = tri_op_i32s(op, "partitionNumWarps", warps, MAX_PARTITIONS);
    int64_t registers = tri_machines_of(module)->block_registers;
    if (n != mlirOperationGetNumRegions(holder))
        return; /* more than can meet: allocate-warp-groups says so */
    for (int i = 0; i < n; i++)
        parts[i] = read_partition(run->arena, mlirOperationGetRegion(holder, i), warps[i]);
    while (halve_one(parts, n, tri_partitions_warps_at(op), registers ? registers : DEFAULT_REGISTERS,
                     (int)tri_op_int(module, "ttg.threads-per-warp", 32)))
        ;
    for (int i = 0; i < n; i++) {
        asked[i] = parts[i].registers ? WITH_TENSORS : WITHOUT_TENSORS;
        narrow_partition(run->arena, &parts[i], warps[i] / parts[i].warps);
        warps[i] = parts[i].warps;
    }
    MlirContext context = mlirOperationGetContext(op);
    tri_builder_set_attr(op, "partitionNumWarps", tri_attr_i32s(context, n, warps));
    tri_builder_set_attr(op, "requestedRegisters", tri_attr_i32s(context, n, asked));
}

static bool run_optimize_partition_warps(tri_pass_run *run)
{
    tri_op_list ops = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "ttg.warp_specialize", run->arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        optimize(run, ops.at[i]);
    return true;
}

const tri_pass tri_pass_optimize_partition_warps = {
    .name = "optimize-partition-warps",
    .help = "give partitions of ttg.warp_specialize no more warps than what they hold needs",
    .alias = "tritongpu-optimize-partition-warps",
    .run = run_optimize_partition_warps,
};
