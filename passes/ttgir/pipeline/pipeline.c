/* Overlaps the iterations of loops that schedule-loops has scheduled.
 *
 *     scf.for %i ... {                          copy(a, 0); copy(a, 1)            // prologue
 *       %a = tt.load %pa   // stage 0           scf.for %i ... {
 *       tt.dot %a, ...     // stage 2             wait; %a = ttg.local_load buffer[i]
 *     }                                           tt.dot %a, ...
 *                                                 copy(a, i + 2) if i + 2 is still in range
 *                                               }
 *
 * Loads become asynchronous copies into rings of buffers (pipeline_loads.c); then every op of stage t runs
 * max - t iterations ahead, under a predicate (pipeline_expand.c); the loop keeps its trip count, so that
 * no epilogue is needed and bounds may be unknown. In all loops, products of warp groups and stores through
 * descriptors run on until something waits for them (pipeline_wgmma.c, pipeline_stores.c). Last, each wait is
 * told how many groups may still be pending (pipeline_waits.c). Needs: the attributes of assign-latencies and
 * schedule-loops; removes them. Answers to tritongpu-pipeline.
 * Tests: tests/passes/pipeline.mlir, pipeline-async-products.mlir, pipeline-stores.mlir */
#include "passes/ttgir/pipeline/lower.h"

#include "base/map.h"
#include "ir/analysis/blocked.h"
#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "layout/plan.h"
#include "passes/analysis/dots.h"

int64_t tri_pipeline_num_stages(const tri_pass_run *run, MlirOperation loop)
{
    return tri_op_int(loop, "tt.num_stages", tri_passes_option_int(run, "num-stages", 3));
}

bool tri_pipeline_is_simple(tri_arena *arena, MlirOperation loop)
{
    tri_op_list inside = {0};
    tri_op_collect(loop, arena, &inside);
    for (size_t i = 0; i < inside.len; i++)
        if (tri_op_is(inside.at[i], "scf.for") || tri_op_is(inside.at[i], "scf.while"))
            return false;
    MlirOperation yield = mlirBlockGetTerminator(tri_op_body(loop, 0));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); i++) {
        MlirOperation def = tri_op_def(tri_op_operand(yield, i));
        if (mlirOperationIsNull(def))
            return false;
    }
    return true;
}

static MlirType buffer_type(MlirType tensor, const tri_encoding *e)
{
    MlirContext context = mlirTypeGetContext(tensor);
    tri_memdesc desc = {.rank = tri_type_rank(tensor), .element = tri_type_element(tensor),
                        .encoding = tri_encoding_make(context, e), .space = tri_encoding_shared_space(context)};
    desc.alloc_rank = desc.rank;
    for (int d = 0; d < desc.rank; d++)
        desc.shape[d] = desc.alloc_shape[d] = tri_type_dim(tensor, d);
    return tri_type_memdesc(&desc);
}

/* The buffer for an operand that is transposed in registers: every use of `converted` is a tt.trans whose result
 * is an operand of mma.sync. Null when it is something else. */
static MlirType wanted_transposed(const tri_pipeline *p, MlirValue converted, const int64_t *shape,
                                  const int32_t *order)
{
    MlirType buffer = {NULL};
    for (MlirOpOperand use = mlirValueGetFirstUse(converted); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation trans = mlirOpOperandGetOwner(use);
        int32_t permutation[TRI_MAX_RANK];
        if (!tri_op_is(trans, "tt.trans") || tri_op_i32s(trans, "order", permutation, TRI_MAX_RANK) != 2 ||
            permutation[0] != 1)
            return (MlirType){NULL};
        const tri_encoding *e = tri_dots_encoding(p->arena, tri_op_result(trans, 0));
        if (!e || e->kind != TRI_ENC_DOT_OP || e->parent->kind != TRI_ENC_NVIDIA_MMA)
            return (MlirType){NULL};
        const int64_t swapped[] = {shape[1], shape[0]};
        const int32_t swapped_order[] = {1 - order[0], 1 - order[1]};
        MlirType view =
            tri_dots_buffer_type(p->arena, mlirValueGetType(tri_op_result(trans, 0)), swapped, swapped_order, false);
        MlirType wanted = tri_dots_transposed_buffer(p->arena, view);
        if (!mlirTypeIsNull(buffer) && !mlirTypeEqual(buffer, wanted))
            return (MlirType){NULL};
        buffer = wanted;
    }
    return buffer;
}

/* The buffer one user wants: its own when it is an allocation, one for the dot operand it makes, else null. */
static MlirType wanted_by(const tri_pipeline *p, MlirOperation load, MlirOperation user)
{
    MlirType tensor = mlirValueGetType(tri_op_result(load, 0));
    if (tri_op_is(user, "ttg.local_alloc"))
        return mlirValueGetType(tri_op_result(user, 0));
    if (!tri_op_is(user, "ttg.convert_layout"))
        return (MlirType){NULL};
    MlirType to = mlirValueGetType(tri_op_result(user, 0));
    const tri_encoding *e = tri_dots_encoding(p->arena, tri_op_result(user, 0));
    int64_t shape[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK];
    int rank = tri_dots_shape(tensor, shape);
    if (!e || !tri_dots_needs_shared(p->arena, tensor, to))
        return (MlirType){NULL};
    tri_convert_order_for_memory(tri_dots_encoding(p->arena, tri_op_result(load, 0)), rank, shape, order);
    if (e->kind == TRI_ENC_LINEAR && rank == 2)
        return wanted_transposed(p, tri_op_result(user, 0), shape, order);
    if (e->kind != TRI_ENC_DOT_OP)
        return (MlirType){NULL};
    return tri_dots_buffer_type(p->arena, to, shape, order, false);
}

MlirAttribute tri_pipeline_scalar_encoding(MlirOperation load)
{
    static const int64_t shape[] = {1};
    static const int32_t size[] = {1}, order[] = {0};
    MlirOperation module = load;
    while (!tri_op_is(module, "builtin.module"))
        module = mlirOperationGetParentOperation(module);
    tri_encoding e = tri_blocked_make(1, shape, size, order, tri_blocked_launch(module));
    return tri_encoding_make(mlirOperationGetContext(load), &e);
}

/* The buffer of a scalar, which is copied whole or not at all. */
static MlirType scalar_buffer(tri_arena *arena, MlirOperation load)
{
    static const int64_t shape[] = {1};
    MlirType type = mlirValueGetType(tri_op_result(load, 0));
    if (tri_type_bits(type) < 32 || tri_type_is_ptr(type))
        return (MlirType){NULL};
    tri_encoding e = {.kind = TRI_ENC_SWIZZLED_SHARED, .rank = 1};
    e.cga = tri_encoding_get(arena, tri_pipeline_scalar_encoding(load))->cga;
    e.swizzled.vec = e.swizzled.per_phase = e.swizzled.max_phase = 1;
    return buffer_type(tri_type_tensor(1, shape, type, (MlirAttribute){NULL}), &e);
}

MlirType tri_pipeline_buffer_type(const tri_pipeline *p, MlirOperation load)
{
    MlirValue result = tri_op_result(load, 0);
    if (!tri_type_is_tensor(mlirValueGetType(result)))
        return scalar_buffer(p->arena, load);
    MlirType type = mlirValueGetType(result), chosen = {NULL};
    bool is_plain = false;
    MlirOpOperand use = mlirValueGetFirstUse(result);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirType wanted = wanted_by(p, load, mlirOpOperandGetOwner(use));
        if (mlirTypeIsNull(wanted)) {
            is_plain = true;
            continue;
        }
        if (!mlirTypeIsNull(chosen) && !mlirTypeEqual(chosen, wanted))
            return (MlirType){NULL};
        chosen = wanted;
    }
    if (!mlirTypeIsNull(chosen) && !is_plain)
        return chosen;
    const tri_encoding *from = tri_dots_encoding(p->arena, result);
    int64_t shape[TRI_MAX_RANK];
    int rank = tri_dots_shape(type, shape);
    tri_encoding e = {.kind = TRI_ENC_SWIZZLED_SHARED, .rank = rank, .cga = from->cga};
    e.swizzled.vec = e.swizzled.per_phase = e.swizzled.max_phase = 1;
    tri_convert_order(from, rank, shape, e.order);
    return buffer_type(type, &e);
}

/* Consecutive aligned elements that the pointers of a load, and what masks them, have along a dimension. */
static int64_t contiguous_run(const tri_pipeline *p, MlirOperation load, int dim)
{
    MlirValue ptr = tri_op_operand(load, 0), mask = tri_op_segment_value(load, 1);
    int64_t run = tri_axis_info_alignment(p->info, ptr, dim);
    if (!mlirValueIsNull(mask)) {
        int64_t same = tri_axis_info_mask_alignment(p->info, mask, dim);
        run = same < run ? same : run;
    }
    return run;
}

int64_t tri_pipeline_contiguity(const tri_pipeline *p, MlirOperation load)
{
    MlirValue result = tri_op_result(load, 0);
    const tri_encoding *e = tri_dots_encoding(p->arena, result);
    if (!e)
        return 1;
    int64_t shape[TRI_MAX_RANK], widest = 128 / tri_type_bits(tri_type_element(mlirValueGetType(result)));
    int32_t order[TRI_MAX_RANK];
    tri_convert_order(e, tri_dots_shape(mlirValueGetType(result), shape), shape, order);
    int64_t run = contiguous_run(p, load, order[0]);
    if (e->kind == TRI_ENC_BLOCKED && e->blocked.size_per_thread[order[0]] < run)
        run = e->blocked.size_per_thread[order[0]];
    return run > widest ? widest : run < 1 ? 1 : run;
}

int tri_pipeline_copy_bytes(const tri_pipeline *p, MlirOperation load, MlirType buffer)
{
    MlirType type = mlirValueGetType(tri_op_result(load, 0));
    int64_t shape[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK];
    if (!tri_type_is_tensor(type))
        return (int)tri_type_bits(type) / 8;
    int rank = tri_dots_shape(type, shape), bits = (int)tri_type_bits(tri_type_element(type));
    tri_memdesc desc;
    tri_linear registers, memory, map;
    if (bits < 8 || !tri_type_get_memdesc(buffer, &desc) || !tri_dots_linear(p->arena, type, &registers) ||
        !tri_convert_to_linear(tri_encoding_get(p->arena, desc.encoding), rank, shape, &memory, NULL) ||
        !tri_linear_invert_and_compose(&registers, &memory, &map))
        return 0;
    tri_convert_order(tri_dots_encoding(p->arena, tri_op_result(load, 0)), rank, shape, order);
    int64_t run = contiguous_run(p, load, order[0]);
    /* consecutive places in the buffer must be consecutive in memory: along the fastest dimension */
    tri_plan_access access = tri_plan_access_plain(&map, bits, 128, run > 16 ? 16 : run < 1 ? 1 : (int)run);
    for (int i = 0; i < tri_linear_log2(access.vec); i++)
        if (!tri_linear_basis_at(&registers, TRI_DIM_REGISTER, access.bit[i], TRI_DIM_0 + (tri_dim)order[0]))
            return 0;
    return access.vec * bits / 8;
}

void tri_pipeline_uses_of(tri_arena *arena, MlirOperation op, tri_value_list *out)
{
    tri_op_list inside = {0};
    tri_map own; /* blocks and ops inside */
    tri_map_init(&own, arena);
    if (mlirOperationGetNumRegions(op))
        tri_op_collect(op, arena, &inside);
    for (size_t i = 0; i < inside.len; i++) {
        tri_map_set_ptr(&own, inside.at[i].ptr, inside.at[i].ptr);
        tri_map_set_ptr(&own, mlirOperationGetBlock(inside.at[i]).ptr, op.ptr);
    }
    tri_vec_push(arena, &inside, op);
    for (size_t i = 0; i < inside.len; i++) {
        for (intptr_t k = 0; k < mlirOperationGetNumOperands(inside.at[i]); k++) {
            MlirValue value = tri_op_operand(inside.at[i], k);
            MlirBlock block;
            intptr_t index;
            const void *owner = tri_op_is_block_argument(value, &block, &index) ? block.ptr : tri_op_def(value).ptr;
            if (!tri_map_find_ptr(&own, owner))
                tri_vec_push(arena, out, value);
        }
    }
}

void tri_pipeline_set_place(MlirOperation op, int stage, int cluster)
{
    MlirContext context = mlirOperationGetContext(op);
    tri_builder_set_attr(op, "loop.stage", tri_attr_i32(context, stage));
    tri_builder_set_attr(op, "loop.cluster", tri_attr_i32(context, cluster));
}

static void remove_attr(MlirOperation op, const char *name)
{
    mlirOperationRemoveAttributeByName(op, mlirStringRefCreateFromCString(name));
}

void tri_pipeline_clear(tri_arena *arena, MlirOperation loop)
{
    tri_op_list inside = {0};
    tri_op_collect(loop, arena, &inside);
    tri_vec_push(arena, &inside, loop);
    for (size_t i = 0; i < inside.len; i++) {
        remove_attr(inside.at[i], "loop.stage");
        remove_attr(inside.at[i], "loop.cluster");
        remove_attr(inside.at[i], "tt.latency");
        remove_attr(inside.at[i], "tt.scheduled_max_stage");
    }
}

MlirOperation tri_pipeline_lower(const tri_pipeline *p, MlirOperation loop)
{
    tri_pipeline_normalize(loop);
    loop = tri_pipeline_loads_run(p, loop);
    tri_pipeline_normalize(loop);
    loop = tri_pipeline_descriptors_run(p->arena, loop, (int)tri_op_int(loop, "tt.scheduled_max_stage", 1));
    tri_pipeline_place_rest(loop);
    return loop;
}

/* ---- the pass ---- */

/* Of all loops, pipelined or not; what is left of schedules goes, too. */
static void overlap_stores(tri_pass_run *run)
{
    tri_op_list loops = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.for", run->arena, &loops);
    for (size_t i = loops.len; i-- > 0;) {
        bool is_asked = tri_pipeline_num_stages(run, loops.at[i]) > 1;
        tri_pipeline_clear(run->arena, is_asked ? tri_pipeline_stores_run(run->arena, loops.at[i]) : loops.at[i]);
    }
}

static bool run_pipeline(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_list loops = {0}, funcs = {0};
    tri_op_collect_named(module, "scf.for", run->arena, &loops);
    tri_pipeline p = {run, run->arena, tri_axis_info_create(run->arena, module)};
    for (size_t i = loops.len; i-- > 0;) { /* inner loops first: an outer one is copied with its body */
        if (mlirAttributeIsNull(tri_op_attr(loops.at[i], "tt.scheduled_max_stage")))
            continue;
        tri_pipeline_expand_run(run->arena, tri_pipeline_lower(&p, loops.at[i]));
    }
    tri_pipeline_wgmma_run(run);
    overlap_stores(run);
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        tri_pipeline_waits_run(run->arena, funcs.at[i], false);
        tri_pipeline_ready_run(run->arena, funcs.at[i]);
        tri_pipeline_waits_run(run->arena, funcs.at[i], false);
        tri_pipeline_early_run(run->arena, funcs.at[i]);
    }
    return true;
}

static const char *const options[] = {"num-stages: stages of loops that do not say themselves (3)", NULL};

const tri_pass tri_pass_pipeline = {
    .name = "pipeline",
    .help = "overlap loop iterations: copy ahead into shared memory while computing",
    .alias = "tritongpu-pipeline",
    .options = options,
    .run = run_pipeline,
};
