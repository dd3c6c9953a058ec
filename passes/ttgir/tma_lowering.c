/* Accesses through tensor descriptors become bulk copies between global and shared memory.
 *
 *     %v = tt.descriptor_load %d[%i, %j]                 tt.descriptor_store %d[%i, %j], %v
 *   becomes
 *     %b = ttg.local_alloc ; %bar = ttg.local_alloc      %b = ttg.local_alloc %v
 *     ttng.init_barrier %bar, 1                          ttng.fence_async_shared
 *     ttng.barrier_expect %bar, bytes, true              ttng.async_tma_copy_local_to_global %d[%i, %j] %b
 *     ttng.async_tma_copy_global_to_local %d[%i, %j]     ttng.async_tma_store_wait {pendings = 0}
 *         %b, %bar, true
 *     ttng.wait_barrier %bar, 0 ; ttng.inval_barrier %bar
 *     %v = ttg.local_load %b
 *
 * and descriptors that the kernel makes are written to global memory (ttng.tensormap_create).
 *
 * Needs: ttgir with optimize-descriptor-encoding behind it; those in pipelined loops are gone by now. Descriptors whose
 * type no map holds stay. Answers to triton-nvidia-tma-lowering. Test: tests/passes/tma-lowering.mlir */
#include "passes/passes.h"

#include "ir/encoding.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "passes/analysis/buffers.h"
#include "passes/analysis/partitions.h"
#include "passes/analysis/tensormaps.h"
#include "passes/ttgir/pipeline/lower.h"

#define COPY "ttng.async_tma_copy_local_to_global"

static MlirValue alloc(tri_builder *b, MlirType type, MlirValue source)
{
    bool has_source = !mlirValueIsNull(source);
    return tri_builder_value(b, &(tri_op){.name = "ttg.local_alloc", .num_operands = has_source, .operands = &source,
                                          .num_results = 1, .results = &type});
}

static MlirValue alloc_mbarrier(tri_builder *b)
{
    tri_encoding e = {.kind = TRI_ENC_SWIZZLED_SHARED, .rank = 1};
    e.swizzled.vec = e.swizzled.per_phase = e.swizzled.max_phase = 1;
    tri_memdesc desc = {.rank = 1, .alloc_rank = 1, .shape = {1}, .alloc_shape = {1}, .is_mutable = true,
                        .element = mlirIntegerTypeGet(b->context, 64), .encoding = tri_encoding_make(b->context, &e),
                        .space = tri_encoding_shared_space(b->context)};
    MlirValue mbarrier = alloc(b, tri_type_memdesc(&desc), (MlirValue){NULL});
    tri_attr count = {"count", tri_attr_i32(b->context, 1)};
    tri_builder_create(b, &(tri_op){.name = "ttng.init_barrier", .num_operands = 1, .operands = &mbarrier,
                                    .num_attrs = 1, .attrs = &count});
    return mbarrier;
}

/* is_direct: what is stored into a buffer like the copy's is that buffer. */
static void lower_load(MlirOperation load, bool is_direct)
{
    MlirValue result = tri_op_result(load, 0);
    MlirType tensor = mlirValueGetType(result),
             type = tri_tensormaps_buffer(mlirValueGetType(tri_op_operand(load, 0)), tensor);
    if (mlirTypeIsNull(type))
        return;
    tri_builder b = tri_builder_before(load);
    MlirType i1 = mlirIntegerTypeGet(b.context, 1), i32 = mlirIntegerTypeGet(b.context, 32);
    MlirValue buffer = alloc(&b, type, (MlirValue){NULL}), mbarrier = alloc_mbarrier(&b),
              yes = tri_builder_int(&b, i1, 1);
    tri_attr size = {"size", tri_attr_i32(b.context, (int32_t)(tri_type_num_elements(tensor) *
                                                               tri_type_bits(tri_type_element(tensor)) / 8))};
    tri_builder_create(&b, &(tri_op){.name = "ttng.barrier_expect", .num_operands = 2,
                                     .operands = (MlirValue[]){mbarrier, yes}, .num_attrs = 1, .attrs = &size});
    tri_tensormaps_start_load(&b, load, buffer, mbarrier, yes);
    const int32_t sizes[] = {1, 1, 0, 0};
    tri_attr segments = {"operandSegmentSizes", tri_attr_i32s(b.context, 4, sizes)};
    tri_builder_create(&b, &(tri_op){.name = "ttng.wait_barrier", .num_operands = 2,
                                     .operands = (MlirValue[]){mbarrier, tri_builder_int(&b, i32, 0)}, .num_attrs = 1,
                                     .attrs = &segments});
    tri_builder_create(&b, &(tri_op){.name = "ttng.inval_barrier", .num_operands = 1, .operands = &mbarrier});
    if (is_direct && !tri_pipeline_replace_allocs(result, buffer)) {
        mlirOperationDestroy(load);
        return;
    }
    MlirValue loaded = tri_builder_value(&b, &(tri_op){.name = "ttg.local_load", .num_operands = 1, .operands = &buffer,
                                                       .num_results = 1, .results = &tensor});
    tri_op_replace(load, 1, &loaded);
}

static void lower_store(MlirOperation store)
{
    bool is_scatter = tri_op_is(store, "tt.descriptor_scatter"), is_reduce = tri_op_is(store, "tt.descriptor_reduce");
    intptr_t source = is_scatter ? 3 : 1, count = 0;
    MlirValue tensor = tri_op_operand(store, source), operands[TRI_MAX_RANK + 3];
    MlirType type = tri_tensormaps_buffer(mlirValueGetType(tri_op_operand(store, 0)), mlirValueGetType(tensor));
    if (mlirTypeIsNull(type))
        return;
    tri_builder b = tri_builder_before(store);
    MlirValue buffer = alloc(&b, type, tensor);
    tri_attr cluster = {"bCluster", tri_attr_bool(b.context, false)},
             pendings = {"pendings", tri_attr_i32(b.context, 0)};
    tri_builder_create(&b, &(tri_op){.name = "ttng.fence_async_shared", .num_attrs = 1, .attrs = &cluster});
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(store); i++)
        if (i != source)
            operands[count++] = tri_op_operand(store, i);
    operands[count++] = buffer;
    tri_attr kind = {"kind", is_reduce ? tri_op_attr(store, "kind") : (MlirAttribute){NULL}};
    const char *copy = is_reduce ? "ttng.async_tma_reduce" : COPY;
    tri_builder_create(&b, &(tri_op){.name = is_scatter ? "ttng.async_tma_scatter" : copy, .num_operands = count,
                                     .operands = operands, .num_attrs = 1, .attrs = &kind});
    tri_builder_create(&b, &(tri_op){.name = "ttng.async_tma_store_wait", .num_attrs = 1, .attrs = &pendings});
    tri_op_replace(store, 0, NULL);
}

static void lower_descriptor(tri_pass_run *run, MlirOperation op)
{
    if (!tri_tensormaps_can_hold(run->arena, mlirValueGetType(tri_op_result(op, 0))))
        return;
    tri_builder b = tri_builder_before(op);
    MlirType byte_ptr = tri_type_ptr(mlirIntegerTypeGet(b.context, 8), 1);
    tri_attr attrs[] = {{"alignment", tri_attr_i32(b.context, TRI_TENSORMAP_BYTES)},
                        {"nbytes", tri_attr_i32(b.context, TRI_TENSORMAP_BYTES)}};
    MlirValue room = tri_builder_value(&b, &(tri_op){.name = "ttg.global_scratch_alloc", .num_results = 1,
                                                     .results = &byte_ptr, .num_attrs = 2, .attrs = attrs});
    MlirValue desc = tri_tensormaps_make(run->arena, &b, op, room, NULL, NULL);
    tri_op_replace(op, 1, &desc);
}

/* ---- waits ---- */

/* The warp_specialize that follows an op, with nothing between that waits, reads or writes memory; or null. */
static MlirOperation find_split_behind(MlirOperation op)
{
    for (op = mlirOperationGetNextInBlock(op); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        bool is_new = tri_op_is(op, "ttng.init_barrier") || tri_op_is(op, "ttg.local_alloc");
        if (tri_op_is(op, "ttg.warp_specialize"))
            return op;
        if (mlirOperationGetNumRegions(op) || (!tri_op_is_pure(op) && !is_new) ||
            (tri_op_is(op, "ttg.local_alloc") && mlirOperationGetNumOperands(op)))
            break;
    }
    return (MlirOperation){NULL};
}

/* Whether only the split's default region, and what stands behind it, reads the buffer, through views, too. */
static bool is_read_behind(MlirOperation split, MlirOperation copy, MlirValue buffer)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        bool is_view = tri_op_in(user, TRI_OPS_BUFFER_VIEW);
        bool is_before = mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(split)) &&
                         tri_op_dominates(user, split);
        if (mlirOperationEqual(user, copy) || (is_view && is_read_behind(split, copy, tri_op_result(user, 0))))
            continue;
        if (is_view || is_before || mlirOperationEqual(user, split))
            return false;
    }
    return true;
}

/* A copy that the consumers of a split loop alone wait for: the producer starts meanwhile. */
static void wait_in_consumers(MlirOperation copy)
{
    MlirOperation wait = mlirOperationGetNextInBlock(copy);
    while (!mlirOperationIsNull(wait) && tri_op_is(wait, "arith.constant"))
        wait = mlirOperationGetNextInBlock(wait);
    MlirOperation inval = mlirOperationIsNull(wait) ? wait : mlirOperationGetNextInBlock(wait);
    if (mlirOperationIsNull(inval) || !tri_op_is(wait, "ttng.wait_barrier") || !tri_op_is(inval, "ttng.inval_barrier"))
        return;
    MlirOperation split = find_split_behind(inval);
    if (mlirOperationIsNull(split) || !is_read_behind(split, copy, tri_op_segment_value(copy, 4)))
        return;
    MlirOperation first = mlirBlockGetFirstOperation(tri_op_body(split, 0));
    mlirOperationMoveBefore(wait, first);
    mlirOperationMoveBefore(inval, first);
}

/* ---- stores ---- */

static MlirOperation next_with_effects(MlirOperation op)
{
    do
        op = mlirOperationGetNextInBlock(op);
    while (!mlirOperationIsNull(op) && tri_op_is_pure(op) && !mlirOperationGetNumRegions(op));
    return op;
}

static bool is_then(MlirOperation op, const char *name) { return !mlirOperationIsNull(op) && tri_op_is(op, name); }

/* Whether a buffer is done with in front of the op, or made behind what the op stands in. */
static bool is_elsewhere(const tri_buffer *buffer, MlirOperation op)
{
    MlirValue value = tri_op_result(buffer->op, 0);
    MlirOperation top = tri_op_ancestor_in(mlirOperationGetBlock(buffer->op), op);
    if (!mlirOperationIsNull(top) && !mlirOperationEqual(top, op) && tri_op_dominates(top, buffer->op))
        return true;
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (tri_op_in(user, TRI_OPS_BUFFER_VIEW) || !tri_op_dominates(user, op))
            return false;
    }
    return true;
}

/* Whether all buffers that may be there at this op and behind it, in the same block, fit into so many bytes, with what
 * any op takes for itself. */
static bool fits_with_all(const tri_buffers *buffers, MlirOperation op, int64_t room)
{
    int64_t scratch = 0;
    for (size_t i = 0; i < buffers->list.len; i++) {
        const tri_buffer *buffer = &buffers->list.at[i];
        if (!buffer->is_scratch)
            room -= is_elsewhere(buffer, op) ? 0 : buffer->size;
        else if (buffer->size > scratch)
            scratch = buffer->size;
    }
    return room >= scratch;
}

/* A copy that is waited for, behind which only arithmetic stands in front of the next one: they start together, and one
 * thread's branch, one wait and one pair of barriers do for both. */
static void start_with_next(const tri_buffers *buffers, MlirOperation copy, int64_t room)
{
    MlirOperation wait = mlirOperationGetNextInBlock(copy), fence = tri_op_previous(copy);
    if (!is_then(wait, "ttng.async_tma_store_wait") || !is_then(fence, "ttng.fence_async_shared"))
        return;
    MlirOperation alloc = next_with_effects(wait);
    if (!is_then(alloc, "ttg.local_alloc") || mlirOperationGetNumOperands(alloc) != 1)
        return;
    MlirOperation next_fence = next_with_effects(alloc);
    MlirOperation next = is_then(next_fence, "ttng.fence_async_shared") ? next_with_effects(next_fence) : next_fence;
    if (!is_then(next, COPY) || !fits_with_all(buffers, wait, room))
        return;
    mlirOperationMoveBefore(copy, next);
    mlirOperationDestroy(fence);
    mlirOperationDestroy(wait);
}

static bool touches_global(tri_arena *arena, MlirOperation op)
{
    tri_op_list inside = {0};
    tri_op_collect(op, arena, &inside);
    tri_vec_push(arena, &inside, op);
    for (size_t i = 0; i < inside.len; i++)
        if (tri_op_in(inside.at[i], TRI_OPS_ACCESS | TRI_OPS_DESCRIPTOR | TRI_OPS_ATOMIC | TRI_OPS_CALL) ||
            tri_op_is(inside.at[i], COPY))
            return true;
    return false;
}

/* Copies of a split's consumers between two of their loops start behind the last one: a branch of one thread in front
 * of a loop lets ptxas take its warps to run apart, and keep what products need in registers of threads. */
static void start_behind_loops(const tri_buffers *buffers, MlirOperation wait, int64_t room)
{
    MlirOperation parent = mlirOperationGetParentOperation(wait), first = wait;
    MlirOperation end = mlirBlockGetTerminator(mlirOperationGetBlock(wait));
    bool has_loops = false;
    while (is_then(tri_op_previous(first), COPY))
        first = tri_op_previous(first);
    if (!tri_op_is(parent, "ttg.warp_specialize") || mlirOperationEqual(first, wait))
        return;
    for (MlirOperation op = mlirOperationGetNextInBlock(wait); !mlirOperationEqual(op, end);
         op = mlirOperationGetNextInBlock(op)) {
        has_loops = has_loops || tri_op_is(op, "scf.for");
        if (touches_global(buffers->arena, op))
            return;
    }
    if (!has_loops || !fits_with_all(buffers, first, room))
        return;
    for (MlirOperation op = first, next; !mlirOperationEqual(op, wait); op = next) {
        next = mlirOperationGetNextInBlock(op);
        mlirOperationMoveBefore(op, end);
    }
    mlirOperationMoveBefore(wait, end);
}

static void start_stores_together(tri_pass_run *run, MlirOperation func, int64_t room)
{
    tri_buffers buffers;
    tri_op_list copies = {0}, waits = {0};
    tri_buffers_init(&buffers, run->arena, func, mlirModuleGetOperation(run->module));
    tri_op_collect_named(func, COPY, run->arena, &copies);
    for (size_t i = 0; i < copies.len; i++)
        start_with_next(&buffers, copies.at[i], room);
    tri_op_collect_named(func, "ttng.async_tma_store_wait", run->arena, &waits);
    for (size_t i = 0; i < waits.len; i++)
        start_behind_loops(&buffers, waits.at[i], room);
}

static bool run_tma_lowering(tri_pass_run *run)
{
    bool is_direct = tri_passes_option_int(run, "wait-in-consumers", 0) != 0;
    tri_op_list copies = {0};
    tri_op_list ops = {0};
    tri_op_collect(mlirModuleGetOperation(run->module), run->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        MlirOperation op = ops.at[i];
        if (tri_op_is(op, "tt.descriptor_gather") || tri_op_is(op, "tt.descriptor_scatter"))
            tri_tensormaps_convert_rows(run->arena, op, tri_partitions_warps_at(op));
        if (tri_op_is(op, "tt.descriptor_load") || tri_op_is(op, "tt.descriptor_gather"))
            lower_load(op, is_direct);
        else if (tri_op_is(op, "tt.descriptor_store") || tri_op_is(op, "tt.descriptor_reduce") ||
                 tri_op_is(op, "tt.descriptor_scatter"))
            lower_store(op);
        else if (tri_op_is(op, "tt.make_tensor_descriptor"))
            lower_descriptor(run, op);
    }
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_collect_named(module, "ttng.async_tma_copy_global_to_local", run->arena, &copies);
    for (size_t i = copies.len; is_direct && i-- > 0;)
        wait_in_consumers(copies.at[i]);
    int64_t room = tri_passes_option_int(run, "stores-together", 0);
    tri_op_list funcs = {0};
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len && room; i++)
        start_stores_together(run, funcs.at[i], room);
    return true;
}

static const char *const options[] = {
    "wait-in-consumers=N: 1 uses a copy's buffer where its value is stored into another, and lets the consumers of a "
    "split loop that follows wait for it, so that the producer starts meanwhile (0)",
    "stores-together=N: blocks that are stored with only arithmetic between are copied together where all buffers fit "
    "into N bytes (0)",
    NULL};

const tri_pass tri_pass_tma_lowering = {
    .name = "tma-lowering",
    .help = "turn accesses through tensor descriptors into bulk copies",
    .alias = "triton-nvidia-tma-lowering",
    .options = options,
    .run = run_tma_lowering,
};
