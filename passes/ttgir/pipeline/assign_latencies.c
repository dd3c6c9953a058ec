/* Says how many iterations ahead each load of a loop should be issued: its latency.
 *
 *     scf.for ... {                               scf.for ... {
 *       %a = tt.load %pa                            %a = tt.load %pa {tt.latency = 2 : i32}
 *       %b = tt.load %pb                            %b = tt.load %pb {tt.latency = 2 : i32}
 *       tt.dot ...                                  tt.dot ...
 *
 * Loads that feed products are at level 0; loads that give their addresses at level 1, and so on; the
 * stages (tt.num_stages of the loop, else option num-stages) are shared out evenly. Loads that no product
 * needs are pipelined in loops that ask for stages. Loads must be wide enough to be copied asynchronously,
 * and their users must agree on one buffer; machines without such copies (AMD) load one iteration ahead into
 * registers, whatever the width. Answers to tritongpu-assign-latencies.
 * Test: tests/passes/assign-latencies.mlir */
#include "passes/ttgir/pipeline/lower.h"

#include "base/map.h"
#include "ir/analysis/blocked.h"
#include "ir/machines.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"

/* ---- levels of indirection ---- */

typedef struct {
    tri_pipeline p;
    MlirOperation loop;
    MlirBlock body;
    tri_op_list loads;   /* that have a level, in the order they were found */
    tri_map levels;      /* MlirOperation.ptr -> 1 + level */
    tri_map uses;        /* MlirOperation.ptr -> the product, or load, that needs it */
    bool (*takes)(const tri_pipeline *p, MlirOperation load); /* null: is_beneficial */
    tri_map excluded, seen;
    tri_map settled; /* what products need, when the others' turn has come */
    bool is_settling;
    bool in_registers; /* the machine has no copies: what is loaded ahead is carried in registers */
} levels;

static bool is_load(MlirOperation op)
{
    return tri_op_is(op, "tt.load") || tri_op_is(op, "tt.descriptor_load") || tri_op_is(op, "tt.descriptor_gather");
}
static bool is_product(MlirOperation op)
{
    return tri_op_is(op, "tt.dot") || tri_op_is(op, "tt.dot_scaled") || tri_op_is(op, "ttng.warp_group_dot");
}

static bool is_beneficial(levels *l, MlirOperation load)
{
    MlirType type = mlirValueGetType(tri_op_result(load, 0));
    if (tri_op_flag(load, "isVolatile"))
        return false;
    if (l->takes)
        return l->takes(&l->p, load);
    if (l->in_registers)
        return tri_op_is(load, "tt.load") && tri_type_is_tensor(type);
    if (tri_pipeline_is_tma(&l->p, load, &type))
        return true;
    if (!tri_op_is(load, "tt.load"))
        return false;
    MlirType buffer = tri_pipeline_buffer_type(&l->p, load);
    return !mlirTypeIsNull(buffer) && tri_pipeline_copy_bytes(&l->p, load, buffer) >= 4;
}

static void visit_latencies(levels *l, MlirOperation op, MlirOperation root, intptr_t level);

static void visit_operands(levels *l, MlirOperation op, MlirOperation root, intptr_t level)
{
    tri_value_list used = {0};
    tri_pipeline_uses_of(l->p.arena, op, &used);
    for (size_t i = 0; i < used.len; i++) {
        if (is_product(op) && mlirValueEqual(used.at[i], tri_op_operand(op, 2)))
            continue; /* accumulators lead to the iteration before */
        MlirOperation def = tri_op_def(used.at[i]);
        if (!mlirOperationIsNull(def) && mlirBlockEqual(mlirOperationGetBlock(def), l->body))
            visit_latencies(l, def, root, level);
    }
}

static void visit_latencies(levels *l, MlirOperation op, MlirOperation root, intptr_t level)
{
    if (tri_map_find_ptr(&l->seen, op.ptr) || tri_map_find_ptr(&l->excluded, op.ptr) ||
        (!l->is_settling && tri_map_find_ptr(&l->settled, op.ptr)))
        return;
    tri_map_set_ptr(&l->seen, op.ptr, op.ptr);
    if (l->is_settling)
        tri_map_set_ptr(&l->settled, op.ptr, op.ptr);
    if (is_load(op)) {
        if (!is_beneficial(l, op))
            return;
        intptr_t known = (intptr_t)tri_map_find_ptr(&l->levels, op.ptr);
        if (known && known != level + 1) { /* wanted at two distances: at none */
            tri_map_set_ptr(&l->excluded, op.ptr, op.ptr);
            return;
        }
        if (!known) {
            tri_vec_push(l->p.arena, &l->loads, op);
            tri_map_set_ptr(&l->uses, op.ptr, root.ptr);
        }
        tri_map_set_ptr(&l->levels, op.ptr, (void *)(level + 1));
        level++;
        root = op;
    }
    visit_operands(l, op, root, level);
}

/* From every product, or from every other op that is no load. */
static void visit_from(levels *l, bool products)
{
    l->is_settling = products;
    for (MlirOperation op = mlirBlockGetFirstOperation(l->body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (products ? !is_product(op) : is_load(op) || tri_op_is(op, "scf.yield"))
            continue;
        tri_map_init(&l->seen, l->p.arena);
        visit_latencies(l, op, op, 0);
    }
}

static void find_levels(levels *l)
{
    tri_map_init(&l->levels, l->p.arena);
    tri_map_init(&l->uses, l->p.arena);
    tri_map_init(&l->excluded, l->p.arena);
    tri_map_init(&l->settled, l->p.arena);
    visit_from(l, true);
    if (!mlirAttributeIsNull(tri_op_attr(l->loop, "tt.num_stages")))
        visit_from(l, false);
}

void tri_pipeline_find_levels(const tri_pipeline *p, MlirOperation loop,
                              bool (*takes)(const tri_pipeline *p, MlirOperation load), tri_pipeline_levels *out)
{
    levels l = {.p = *p, .loop = loop, .body = tri_op_body(loop, 0), .takes = takes};
    find_levels(&l);
    for (size_t i = 0; i < l.loads.len; i++) {
        MlirOperation load = l.loads.at[i], use = {tri_map_find_ptr(&l.uses, load.ptr)};
        int level = (int)(intptr_t)tri_map_find_ptr(&l.levels, load.ptr) - 1;
        if (!tri_map_find_ptr(&l.excluded, load.ptr))
            tri_vec_push(p->arena, out, (tri_pipeline_level){load, use, level});
    }
}

/* ---- rewriter ---- */

static void assign(levels *l, int64_t stages)
{
    intptr_t deepest = 0;
    for (size_t i = 0; i < l->loads.len; i++) {
        intptr_t level = (intptr_t)tri_map_find_ptr(&l->levels, l->loads.at[i].ptr) - 1;
        if (tri_map_find_ptr(&l->excluded, l->loads.at[i].ptr) || level >= stages - 1)
            l->loads.at[i] = (MlirOperation){NULL};
        else if (level > deepest)
            deepest = level;
    }
    for (size_t i = 0; i < l->loads.len; i++) {
        MlirOperation load = l->loads.at[i];
        if (mlirOperationIsNull(load) || !mlirAttributeIsNull(tri_op_attr(load, "tt.latency")))
            continue;
        tri_builder_set_attr(load, "tt.latency",
                             tri_attr_i32(l->p.run->unit->mlir, (int32_t)((stages - 1) / (deepest + 1))));
    }
}

/* Whether a thread's registers hold the loop's products (sums and operands), and what is loaded ahead besides. Of the
 * operands of a single product about half is live at once. */
static bool has_room_ahead(const levels *l, const tri_machine_facts *facts, int threads)
{
    tri_arena *arena = l->p.arena;
    int64_t sums = 0, operands = 0, ahead = 0, products = 0;
    MlirType buffer;
    tri_encoding rows;
    for (size_t i = 0; i < l->loads.len; i++)
        if (!tri_map_find_ptr(&l->excluded, l->loads.at[i].ptr) &&
            !tri_pipeline_is_row_copy(&l->p, l->loads.at[i], &buffer, &rows))
            ahead += tri_dots_registers(arena, mlirValueGetType(tri_op_result(l->loads.at[i], 0)));
    for (MlirOperation op = mlirBlockGetFirstOperation(l->body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (!is_product(op))
            continue;
        products++;
        sums += tri_dots_registers(arena, mlirValueGetType(tri_op_operand(op, 2)));
        for (intptr_t i = 0; i < 2; i++)
            operands += tri_dots_registers(arena, mlirValueGetType(tri_op_operand(op, i)));
    }
    int most = facts->block_registers / threads;
    return sums + (products == 1 ? operands / 2 : operands) + ahead <=
           (most < facts->max_registers ? most : facts->max_registers);
}

static bool run_assign_latencies(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_list loops = {0};
    tri_op_collect_named(module, "scf.for", run->arena, &loops);
    const tri_machine_facts *facts = tri_machines_of(module);
    if (!facts->async_copies && !facts->loads_ahead_in_registers)
        return true;
    tri_launch launch = tri_blocked_launch(module);
    int threads = launch.warps * launch.lanes;
    const tri_axis_info *info = tri_axis_info_create(run->arena, module);
    for (size_t i = 0; i < loops.len; i++) {
        int64_t stages = tri_pipeline_num_stages(run, loops.at[i]);
        levels l = {.p = {run, run->arena, info}, .loop = loops.at[i], .body = tri_op_body(loops.at[i], 0),
                    .in_registers = facts->loads_ahead_in_registers && !facts->async_copies};
        if (l.in_registers && stages > 2)
            stages = 2; /* registers for one iteration */
        if (stages > 1 && tri_pipeline_is_simple(run->arena, loops.at[i])) {
            find_levels(&l);
            if (!l.in_registers || has_room_ahead(&l, facts, threads))
                assign(&l, stages);
        }
        tri_pipeline_remark(&l.p, loops.at[i], stages);
    }
    tri_op_list others = {0};
    tri_op_collect_named(module, "scf.while", run->arena, &others);
    for (size_t i = 0; i < others.len; i++)
        tri_pipeline_remark_while(run, others.at[i]);
    return true;
}

static const char *const options[] = {"num-stages: stages of loops that do not say themselves (3)", NULL};

const tri_pass tri_pass_assign_latencies = {
    .name = "assign-latencies",
    .help = "choose how far ahead the loads of a loop are issued",
    .alias = "tritongpu-assign-latencies",
    .options = options,
    .run = run_assign_latencies,
};
