/* Says when the loads of a loop with products run, for stream-pipeline: the products in the last stage, loads that give
 * operands ahead of them, loads that give addresses further ahead.
 *
 *     scf.for ... {                      scf.for ... {
 *       %a = tt.load %pa                   %a = tt.load %pa {loop.stage = 0, loop.cluster = 0}
 *       tt.dot %a, ...                     tt.dot %a, ... {loop.stage = 1, loop.cluster = 1}
 *
 * Where a product needs another one's result and the loop has four stages, the two are a stage apart, and what lies
 * between them is divided: up to the first value with two users it runs beside the second product, from there on beside
 * the first product of the next iteration. Answers to tritonamdgpu-schedule-loops.
 * Test: tests/passes/stream-pipeline.mlir */
#include "passes/ttgir/stream_pipeline/stream.h"

#include "ir/machines.h"
#include "ir/type.h"

enum { chained_stages = 4 };

/* ---- loads ---- */

/* Buffers of all allocations of a load are of one layout. */
static bool allocations_agree(MlirOperation load)
{
    MlirAttribute layout = {NULL};
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(load, 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        tri_memdesc desc;
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (!tri_op_is(user, "ttg.local_alloc") ||
            !tri_type_get_memdesc(mlirValueGetType(tri_op_result(user, 0)), &desc))
            continue;
        if (!mlirAttributeIsNull(layout) && !mlirAttributeEqual(layout, desc.encoding))
            return false;
        layout = desc.encoding;
    }
    return true;
}

/* CDNA up to 3 gains nothing by loads of less than a register. */
static bool goes_ahead(const tri_pipeline *p, MlirOperation load)
{
    MlirType type = mlirValueGetType(tri_op_result(load, 0));
    const tri_machine_facts *facts = tri_machines_of(mlirModuleGetOperation(p->run->module));
    bool is_particular = facts->mma == TRI_MMA_MFMA && facts->mma_version < 4;
    if (!tri_op_is(load, "tt.load"))
        return true;
    int64_t bits = tri_type_bits(tri_type_is_tensor(type) ? tri_type_element(type) : type);
    if (tri_type_is_tensor(type))
        bits *= tri_pipeline_contiguity(p, load);
    return (!is_particular || bits >= 32) && allocations_agree(load);
}

void tri_stream_pipeline_find(const tri_pipeline *p, MlirOperation loop, tri_streams *out)
{
    tri_pipeline_levels levels = {0};
    tri_pipeline_find_levels(p, loop, goes_ahead, &levels);
    for (size_t i = 0; i < levels.len; i++)
        tri_vec_push(p->arena, out,
                     (tri_stream){.load = levels.at[i].load, .use = levels.at[i].use, .level = levels.at[i].level});
}

/* ---- chained products ---- */

/* Ops of the body that need a value of the op's, at any distance. */
static void find_forward_slice(tri_arena *arena, MlirOperation from, tri_map *out)
{
    tri_map_init(out, arena);
    tri_map_set_ptr(out, from.ptr, from.ptr);
    for (MlirOperation op = mlirOperationGetNextInBlock(from); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        tri_value_list used = {0};
        tri_pipeline_uses_of(arena, op, &used);
        for (size_t i = 0; i < used.len; i++) {
            MlirOperation def = tri_op_def(used.at[i]);
            if (!mlirOperationIsNull(def) && tri_map_find_ptr(out, def.ptr))
                tri_map_set_ptr(out, op.ptr, op.ptr);
        }
    }
}

bool tri_stream_pipeline_chain(tri_arena *arena, MlirOperation loop, int stages, const tri_streams *streams,
                               MlirOperation out_dots[2])
{
    int n = 0;
    tri_map slice;
    MlirBlock body = tri_op_body(loop, 0);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (tri_op_is(op, "tt.dot") && n++ < 2)
            out_dots[n - 1] = op;
    for (size_t i = 0; i < streams->len; i++)
        if (streams->at[i].level)
            return false;
    if (stages != chained_stages || n != 2)
        return false;
    find_forward_slice(arena, out_dots[0], &slice);
    return tri_map_find_ptr(&slice, out_dots[1].ptr);
}

static int count_uses(MlirOperation op)
{
    int n = 0;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++)
        for (MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(op, r)); !mlirOpOperandIsNull(use);
             use = mlirOpOperandGetNextUse(use))
            n++;
    return n;
}

static void set_node(tri_schedule *s, MlirOperation op, int stage, int cluster)
{
    tri_schedule_node *n = tri_schedule_node_of(s, op);
    n->stage = stage;
    n->cluster = cluster;
}

static void set_new_node(tri_schedule *s, MlirOperation op, int stage, int cluster)
{
    if (tri_schedule_node_of(s, op)->stage == TRI_UNPLACED)
        set_node(s, op, stage, cluster);
}

enum { stage_1 = 2, stage_2 = 3, load_stage_1 = 0, load_stage_2 = 1 };

/* On the way from an operand of the second product back to the first: divides at what has two users. */
static void divide_chain(tri_schedule *s, tri_map *slice, MlirOperation operand, MlirOperation op)
{
    tri_schedule_node *n = tri_schedule_node_of(s, op);
    if (!n || !tri_map_find_ptr(slice, op.ptr) || n->stage != TRI_UNPLACED)
        return;
    if (count_uses(op) > 1) {
        set_node(s, op, stage_1, TRI_CHAIN_AFTER_2);
        set_new_node(s, operand, stage_2, TRI_CHAIN_AFTER_1);
        return;
    }
    for (intptr_t i = mlirOperationGetNumOperands(op); i-- > 0;) {
        MlirOperation def = tri_op_def(tri_op_operand(op, i));
        if (!mlirOperationIsNull(def))
            divide_chain(s, slice, operand, def);
    }
}

static void schedule_chain(tri_schedule *s, const tri_streams *streams, const MlirOperation dots[2])
{
    tri_map slice;
    MlirOperation yield = mlirBlockGetTerminator(s->body);
    find_forward_slice(s->arena, dots[0], &slice);
    for (int i = 0; i < TRI_CHAIN_CLUSTERS; i++)
        tri_schedule_new_cluster(s, i);
    set_node(s, dots[0], stage_1, TRI_CHAIN_DOT_1);
    set_node(s, dots[1], stage_2, TRI_CHAIN_DOT_2);
    for (size_t i = 0; i < streams->len; i++) {
        if (mlirOperationEqual(streams->at[i].use, dots[0]))
            set_node(s, streams->at[i].load, load_stage_1, TRI_CHAIN_LOAD_1);
        else if (mlirOperationEqual(streams->at[i].use, dots[1]))
            set_node(s, streams->at[i].load, load_stage_2, TRI_CHAIN_LOAD_2);
    }
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(dots[1]); i++) {
        MlirOperation def = tri_op_def(tri_op_operand(dots[1], i));
        if (!mlirOperationIsNull(def))
            divide_chain(s, &slice, def, def);
    }
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); i++) {
        MlirOperation def = tri_op_def(tri_op_operand(yield, i));
        if (!mlirOperationIsNull(def) && tri_map_find_ptr(&slice, def.ptr))
            set_new_node(s, def, stage_2, TRI_CHAIN_AFTER_1);
    }
}

/* ---- the others ---- */

static bool is_stream_load(MlirOperation op)
{
    return tri_op_is(op, "tt.load") || tri_op_is(op, "tt.descriptor_load") || tri_op_is(op, "tt.descriptor_gather");
}

static void schedule_plain(tri_schedule *s, const tri_streams *streams)
{
    int deepest = 0, loads = tri_schedule_new_cluster(s, 0), products = tri_schedule_new_cluster(s, 1);
    for (size_t i = 0; i < streams->len; i++)
        deepest = streams->at[i].level > deepest ? streams->at[i].level : deepest;
    int between = (s->max_stage - 1 + deepest) / (deepest + 1);
    for (size_t i = 0; i < streams->len; i++) {
        if (!is_stream_load(streams->at[i].use))
            set_node(s, streams->at[i].use, s->max_stage, products);
        set_node(s, streams->at[i].load, (deepest - streams->at[i].level) * between, loads);
    }
}

/* ---- the pass ---- */

static void schedule_streams_of(const tri_pipeline *p, MlirOperation loop, int stages)
{
    tri_streams streams = {0};
    tri_schedule s;
    MlirOperation dots[2];
    tri_stream_pipeline_find(p, loop, &streams);
    if (!streams.len)
        return;
    tri_schedule_init(&s, p->arena, loop);
    s.max_stage = stages - 1;
    if (tri_stream_pipeline_chain(p->arena, loop, stages, &streams, dots))
        schedule_chain(&s, &streams, dots);
    else
        schedule_plain(&s, &streams);
    tri_schedule_write(&s);
}

static bool run_schedule_streams(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    int64_t usual = tri_passes_option_int(run, "num_stages", 2);
    tri_op_list loops = {0};
    tri_op_collect_named(module, "scf.for", run->arena, &loops);
    tri_pipeline p = {run, run->arena, tri_axis_info_create(run->arena, module)};
    for (size_t i = 0; i < loops.len; i++) {
        int64_t stages = tri_op_int(loops.at[i], "tt.num_stages", usual);
        if (stages > 1 && tri_schedule_can_be(run->arena, loops.at[i]))
            schedule_streams_of(&p, loops.at[i], (int)stages);
    }
    return true;
}

static const char *const options[] = {"num_stages=N: stages of loops that do not say themselves (2)", NULL};

const tri_pass tri_pass_schedule_streams = {
    .name = "schedule-streams",
    .help = "say when loads of loops with products run, as Triton's AMD back end does",
    .alias = "tritonamdgpu-schedule-loops",
    .options = options,
    .run = run_schedule_streams,
};
