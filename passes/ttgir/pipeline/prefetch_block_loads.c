/* Brings the blocks that a loop loads into the cache some iterations ahead.
 *
 *     scf.for ... iter_args(%p = %first) {              ttig.prefetch %first ; ttig.prefetch %second    // if in range
 *       %a = tt.load %p {ttig.block_io = "row_major"}   scf.for ... iter_args(%p = %third, %q = %first) {
 *       tt.dot %a, ...                                    ttig.prefetch %p                              // if in range
 *       %n = tt.addptr %p, %step                          %a = tt.load %q {ttig.block_io = "row_major"}
 *       scf.yield %n                                      tt.dot %a, ...
 *     }
 *
 * What is prefetched is a load of a block that only products use; where a prefetch takes 256 bytes
 * (ttig.support_prefetch_256b) four more loads a loop, of 16 KB in all stages at most. Prefetches and what computes
 * their addresses run num-stages - 1 iterations ahead, what moves those addresses on one iteration after them,
 * everything else when it did. Prefetches of pointers have the mask of their load, narrowed by whether the iteration
 * exists; those of descriptors need none.
 *
 * Needs: a machine with such messages, or a module with ttig.support_2d_block_io; a loop without loops in it that makes
 * all that it yields. use-barrier: an arrival at the start of an iteration and the wait for it at its end keep the
 * sub-groups together, so that they find each other's blocks in the cache. Answers to tritonintelgpu-pipeline. Test:
 * tests/passes/prefetch-block-loads.mlir */
#include "base/map.h"
#include "ir/block_io.h"
#include "ir/encoding.h"
#include "ir/type.h"
#include "passes/ttgir/pipeline/pipeline.h"

#include "mlir-c/BuiltinTypes.h"

enum { MAX_OTHERS = 4, MAX_BYTES = 16384 };
enum { STEP, AHEAD, LOADS, REST }; /* the order of a new iteration: clusters */

typedef struct {
    tri_arena *arena;
    MlirOperation loop, yield;
    MlirBlock body;
    int64_t stages;
    tri_map cluster; /* MlirOperation.ptr -> 1 + cluster */
} scheduler;

/* ---- what is worth it ---- */

static bool is_block_load(MlirOperation op) { return tri_op_is(op, "tt.load") || tri_op_is(op, "tt.descriptor_load"); }

static bool is_prefetch(MlirOperation op)
{
    return tri_op_is(op, "ttig.prefetch") || tri_op_is(op, "ttig.descriptor_prefetch");
}

/* The layout of a product's operand that every use of a value leads to; null: they disagree, or lead elsewhere. */
static MlirAttribute operand_layout(tri_arena *arena, MlirValue value)
{
    MlirAttribute found = {NULL};
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        MlirAttribute layout = {NULL};
        bool is_product = tri_op_is(user, "tt.dot");
        if (!is_product && mlirOperationGetNumResults(user) != 1)
            return (MlirAttribute){NULL};
        MlirValue at = is_product ? value : tri_op_result(user, 0);
        if (tri_type_is_tensor(mlirValueGetType(at)))
            layout = tri_type_encoding(mlirValueGetType(at));
        tri_encoding_kind kind = tri_encoding_kind_of(layout);
        if (!is_product && kind == TRI_ENC_BLOCKED)
            layout = operand_layout(arena, at);
        else if (kind != TRI_ENC_DOT_OP)
            return (MlirAttribute){NULL};
        if (mlirAttributeIsNull(layout) || (!mlirAttributeIsNull(found) && !mlirAttributeEqual(found, layout)))
            return (MlirAttribute){NULL};
        found = layout;
    }
    return found;
}

/* Bytes of what a load brings in all stages. */
static int64_t bytes_in_flight(const scheduler *s, MlirOperation load)
{
    MlirType type = mlirValueGetType(tri_op_result(load, 0));
    return tri_type_num_elements(type) * ((tri_type_bits(tri_type_element(type)) + 7) / 8) * s->stages;
}

static void find_loads(const scheduler *s, bool with_others, tri_op_list *out)
{
    int others = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(s->body); !mlirOperationEqual(op, s->yield);
         op = mlirOperationGetNextInBlock(op)) {
        if (!is_block_load(op) || mlirAttributeIsNull(tri_op_attr(op, "ttig.block_io")))
            continue;
        MlirType type = mlirValueGetType(tri_op_result(op, 0));
        if (!tri_type_is_tensor(type) || tri_type_rank(type) < 2)
            continue;
        bool is_operand = !mlirAttributeIsNull(operand_layout(s->arena, tri_op_result(op, 0)));
        if (!is_operand && (!with_others || others == MAX_OTHERS || bytes_in_flight(s, op) > MAX_BYTES))
            continue;
        others += !is_operand;
        tri_vec_push(s->arena, out, op);
    }
}

/* ---- the prefetches ---- */

void tri_pipeline_add_prefetch(tri_arena *arena, MlirOperation load)
{
    static const char *const own[] = {"operandSegmentSizes", "loop.stage", "loop.cluster", "tt.latency", "padding",
                                      "boundaryCheck"};
    bool is_pointer = tri_op_is(load, "tt.load");
    intptr_t n = mlirOperationGetNumAttributes(load), num_attrs = 0, num_operands = mlirOperationGetNumOperands(load);
    tri_attr *attrs = TRI_NEW_ARRAY(arena, tri_attr, n + 1);
    for (intptr_t i = 0; i < n; i++) {
        MlirNamedAttribute named = mlirOperationGetAttribute(load, i);
        MlirStringRef name = mlirIdentifierStr(named.name);
        attrs[num_attrs] = (tri_attr){tri_arena_copy(arena, name.data, name.length), named.attribute};
        bool is_kept = true;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            is_kept = is_kept && strcmp(attrs[num_attrs].name, own[k]) != 0;
        num_attrs += is_kept;
    }
    MlirValue *operands = TRI_NEW_ARRAY(arena, MlirValue, num_operands);
    for (intptr_t i = 0; i < num_operands; i++)
        operands[i] = tri_op_operand(load, i);
    if (is_pointer)
        num_operands = mlirValueIsNull(tri_op_segment_value(load, 1)) ? 1 : 2; /* without what masked elements become */
    tri_builder b = tri_builder_before(load);
    tri_builder_create(&b, &(tri_op){.name = is_pointer ? "ttig.prefetch" : "ttig.descriptor_prefetch",
                                     .num_operands = num_operands, .operands = operands,
                                     .num_attrs = num_attrs, .attrs = attrs});
}

/* ---- the schedule ---- */

static bool is_in_body(const scheduler *s, MlirOperation op)
{
    return !mlirOperationIsNull(op) && mlirBlockEqual(mlirOperationGetBlock(op), s->body);
}

/* What makes a value, of the loop's arguments in the iteration before; null: that is outside. */
static MlirOperation maker(const scheduler *s, MlirValue value, bool through_arguments)
{
    MlirBlock block;
    intptr_t index;
    if (!tri_op_is_block_argument(value, &block, &index))
        return tri_op_def(value);
    bool is_carried = through_arguments && mlirBlockEqual(block, s->body) && index > 0;
    return is_carried ? tri_op_def(tri_op_operand(s->yield, index - 1)) : (MlirOperation){NULL};
}

/* Gives an op and all that it needs a cluster, unless it has one. */
static void place_with_needs(scheduler *s, MlirOperation op, int cluster, bool through_arguments)
{
    op = tri_op_ancestor_in(s->body, op);
    if (!is_in_body(s, op) || tri_map_find_ptr(&s->cluster, op.ptr))
        return;
    tri_map_set_ptr(&s->cluster, op.ptr, (void *)(intptr_t)(cluster + 1));
    tri_value_list used = {0};
    tri_pipeline_uses_of(s->arena, op, &used);
    for (size_t i = 0; i < used.len; i++)
        place_with_needs(s, maker(s, used.at[i], through_arguments), cluster, through_arguments);
}

/* What moves the addresses of prefetches on. */
static void place_steps(scheduler *s)
{
    tri_op_list ahead = {0};
    MlirOperation op = mlirBlockGetFirstOperation(s->body);
    for (; !mlirOperationEqual(op, s->yield); op = mlirOperationGetNextInBlock(op))
        if (tri_map_find_ptr(&s->cluster, op.ptr))
            tri_vec_push(s->arena, &ahead, op);
    for (size_t i = 0; i < ahead.len; i++) {
        tri_value_list used = {0};
        tri_pipeline_uses_of(s->arena, ahead.at[i], &used);
        for (size_t k = 0; k < used.len; k++)
            place_with_needs(s, maker(s, used.at[k], true), STEP, true);
    }
}

static void schedule(scheduler *s)
{
    int last = (int)s->stages - 1;
    const int stage[] = {[STEP] = last < 1 ? last : 1, [AHEAD] = 0, [LOADS] = last, [REST] = last};
    tri_op_list ops = {0};
    tri_map_init(&s->cluster, s->arena);
    for (MlirOperation op = mlirBlockGetFirstOperation(s->body); !mlirOperationEqual(op, s->yield);
         op = mlirOperationGetNextInBlock(op))
        tri_vec_push(s->arena, &ops, op);
    for (size_t i = 0; i < ops.len; i++)
        if (is_prefetch(ops.at[i]))
            place_with_needs(s, ops.at[i], AHEAD, false);
    place_steps(s);
    for (size_t i = 0; i < ops.len; i++)
        if (is_block_load(ops.at[i]) && tri_type_is_tensor(mlirValueGetType(tri_op_result(ops.at[i], 0))))
            place_with_needs(s, ops.at[i], LOADS, false);
    for (size_t i = 0; i < ops.len; i++) {
        int found = (int)(intptr_t)tri_map_find_ptr(&s->cluster, ops.at[i].ptr);
        int cluster = found ? found - 1 : REST;
        tri_pipeline_set_place(ops.at[i], stage[cluster], cluster);
    }
}

/* ---- the pass ---- */

/* Around what an iteration does. */
static void add_barrier(MlirOperation loop)
{
    MlirBlock body = tri_op_body(loop, 0);
    tri_builder b = tri_builder_before(mlirBlockGetFirstOperation(body));
    mlirContextGetOrLoadDialect(b.context, mlirStringRefCreateFromCString("triton_gen"));
    MlirType pointer = mlirTypeParseGet(b.context, mlirStringRefCreateFromCString("!llvm.ptr<3>"));
    MlirValue arrival = tri_builder_value(
        &b, &(tri_op){.name = "triton_gen.split_barrier_arrive", .num_results = 1, .results = &pointer});
    b = tri_builder_before(mlirBlockGetTerminator(body));
    tri_builder_create(&b,
                       &(tri_op){.name = "triton_gen.split_barrier_wait", .num_operands = 1, .operands = &arrival});
}

static void run_loop(tri_pass_run *run, MlirOperation loop, bool with_others)
{
    scheduler s = {.arena = run->arena, .loop = loop, .body = tri_op_body(loop, 0)};
    tri_op_list loads = {0};
    s.yield = mlirBlockGetTerminator(s.body);
    s.stages = tri_passes_option_int(run, "num-stages", 3);
    if (s.stages <= 1 || !tri_pipeline_is_simple(run->arena, loop))
        return;
    find_loads(&s, with_others, &loads);
    if (!loads.len)
        return;
    for (size_t i = 0; i < loads.len; i++)
        tri_pipeline_add_prefetch(run->arena, loads.at[i]);
    schedule(&s);
    MlirOperation after = mlirOperationGetNextInBlock(loop); /* the new loop will stand in front of it */
    if (tri_pipeline_expand_run(run->arena, loop) && tri_passes_option_str(run, "use-barrier", NULL).data)
        add_barrier(tri_op_previous(after));
}

static bool run_prefetch_block_loads(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_list loops = {0};
    if (!tri_block_is_available(module))
        return true;
    bool with_others = !mlirAttributeIsNull(tri_op_attr(module, "ttig.support_prefetch_256b"));
    tri_op_collect_named(module, "scf.for", run->arena, &loops);
    for (size_t i = 0; i < loops.len; i++)
        run_loop(run, loops.at[i], with_others);
    return true;
}

static const char *const options[] = {"num-stages=N: iterations in flight (3)",
                                      "use-barrier: keep sub-groups in the same iteration", NULL};

const tri_pass tri_pass_prefetch_block_loads = {
    .name = "prefetch-block-loads",
    .help = "bring blocks that loops load into the cache iterations ahead",
    .alias = "tritonintelgpu-pipeline",
    .options = options,
    .run = run_prefetch_block_loads,
};
