/* The loads of a scheduled loop become asynchronous copies into rings of buffers.
 *
 *     %a = tt.load %p, %m                        // stage 0
 *     use(%a)                                    // stage 2
 *   becomes, with a ring of two buffers and two counters that run through it,
 *     %t = ttg.async_copy_global_to_local %p, %ring[%in] mask %m ; %g = ttg.async_commit_group %t   // stage 0
 *     %w = ttg.async_wait %g ; %a = ttg.local_load %ring[%out] token %w                             // stage 2
 *
 * Both counters have equal values; they are two so that each can be computed in its own stage. The copies
 * themselves are in pipeline_copies.c, those through descriptors in pipeline_tma.c. */
#include "passes/ttgir/pipeline/lower.h"

#include "ir/analysis/blocked.h"
#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loops.h"

/* ---- matchers ---- */

static int distance_to(const tri_async_load *load, tri_place place)
{
    return place.stage + (place.cluster > load->start.cluster) - load->start.stage;
}

/* The place that needs the data first, and the iterations between the copy and it. Users in the terminator carry
 * the value to the next iteration: not supported here. */
static bool find_first_use(tri_lowering *l, tri_async_load *load)
{
    MlirOperation yield = mlirBlockGetTerminator(l->body);
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(load->load, 0));
    load->buffers = -1;
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = tri_op_ancestor_in(l->body, mlirOpOperandGetOwner(use));
        if (mlirOperationIsNull(user) || mlirOperationEqual(user, yield))
            return false;
        tri_place place = tri_pipeline_place_of(user);
        int distance = distance_to(load, place);
        if (load->buffers < 0 || tri_pipeline_is_before(place, load->use))
            load->use = place;
        if (load->buffers < 0 || distance < load->buffers)
            load->buffers = distance < 0 ? 0 : distance;
    }
    int wait = tri_pipeline_latest_wait(l->body, tri_op_result(load->load, 0));
    if (load->buffers > 0 && wait - load->start.stage > load->buffers)
        load->buffers = wait - load->start.stage;
    return load->buffers > 0;
}

/* Whether an async product reads a view of a buffer, or the loop loads registers for one from it, which the next copies
 * need not wait for then. */
static bool serves_async_product(MlirValue buffer)
{
    MlirOpOperand use = mlirValueGetFirstUse(buffer);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (tri_op_is(user, "ttng.warp_group_dot") || tri_op_is(user, "ttg.local_load") ||
            (tri_op_in(user, TRI_OPS_BUFFER_VIEW) && serves_async_product(tri_op_result(user, 0))))
            return true;
    }
    return false;
}

/* A buffer that a product reads asynchronously is still being read one iteration later. */
static bool feeds_async_product(MlirOperation user)
{
    tri_memdesc desc;
    return tri_op_is(user, "ttg.local_alloc") &&
           tri_type_get_memdesc(mlirValueGetType(tri_op_result(user, 0)), &desc) &&
           tri_encoding_kind_of(desc.encoding) == TRI_ENC_NVMMA_SHARED && serves_async_product(tri_op_result(user, 0));
}

/* Slots until the last user that reads its slot in place has done so, whatever else is loaded from it to registers.
 * (An operand that is laid out anew for its product has as many, so that both operands share counters and barriers.) */
static int count_slots_in_place(const tri_lowering *l, const tri_async_load *load)
{
    int count = 0;
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(load->load, 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        bool is_asynchronous = feeds_async_product(user);
        if (tri_pipeline_needs_fill(load->load) ||
            !(is_asynchronous || tri_pipeline_is_alloc_as(user, load->buffer)))
            continue;
        int distance = distance_to(load, tri_pipeline_place_of(tri_op_ancestor_in(l->body, user))) + is_asynchronous;
        count = distance > count ? distance : count;
    }
    return count;
}

static bool choose_route(tri_lowering *l, tri_async_load *load)
{
    if (tri_pipeline_is_tma(l->p, load->load, &load->buffer)) {
        load->route = tri_op_is(load->load, "tt.descriptor_gather") ? TRI_LOAD_TMA_GATHER : TRI_LOAD_TMA;
        return true;
    }
    if (!tri_op_is(load->load, "tt.load"))
        return false;
    const tri_machine_facts *facts = tri_machines_of(mlirModuleGetOperation(l->p->run->module));
    load->route = TRI_LOAD_COPY;
    if (facts->loads_ahead_in_registers && !facts->async_copies) { /* else its value is carried as it is */
        load->contiguity = (int)tri_pipeline_contiguity(l->p, load->load);
        return load->is_row_copy = tri_pipeline_is_row_copy(l->p, load->load, &load->buffer, &load->rows);
    }
    load->buffer = tri_pipeline_buffer_type(l->p, load->load);
    if (mlirTypeIsNull(load->buffer))
        return false;
    load->contiguity = (int)tri_pipeline_contiguity(l->p, load->load);
    return tri_pipeline_copy_bytes(l->p, load->load, load->buffer) >= 4;
}

/* Shared memory that rings of rows may take, so that as many programs run beside each other as registers allow: a
 * thread has about twice the sums of its products, and some more. At most half of it. */
static int64_t room_of_rows(tri_lowering *l)
{
    enum { others = 48, least_programs = 2 };
    MlirOperation module = mlirModuleGetOperation(l->p->run->module);
    const tri_machine_facts *facts = tri_machines_of(module);
    tri_launch launch = tri_blocked_launch(module);
    int64_t registers = others, threads = (int64_t)launch.warps * launch.lanes;
    for (MlirOperation op = mlirBlockGetFirstOperation(l->body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (tri_op_is(op, "tt.dot") || tri_op_is(op, "tt.dot_scaled"))
            registers += 2 * tri_dots_registers(l->p->arena, mlirValueGetType(tri_op_operand(op, 2)));
    int64_t programs = facts->block_registers / (threads * registers);
    return facts->max_shared / (programs > least_programs ? programs : least_programs);
}

static bool has_room(tri_lowering *l, const tri_async_load *load, int64_t *rows)
{
    tri_memdesc desc;
    int64_t bytes = load->buffers;
    if (!load->is_row_copy || !tri_type_get_memdesc(load->buffer, &desc))
        return true;
    for (int d = 0; d < desc.rank; d++)
        bytes *= desc.shape[d];
    bytes *= tri_type_bits(desc.element) / 8;
    if (*rows + bytes > room_of_rows(l))
        return false;
    *rows += bytes;
    return true;
}

static void collect_loads(tri_lowering *l)
{
    int64_t rows = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(l->body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        tri_async_load load = {.load = op, .start = tri_pipeline_place_of(op), .barrier = -1};
        bool is_load =
            tri_op_is(op, "tt.load") || tri_op_is(op, "tt.descriptor_load") || tri_op_is(op, "tt.descriptor_gather");
        if (!is_load || !tri_pipeline_has_place(op) || !find_first_use(l, &load) || !choose_route(l, &load) ||
            !has_room(l, &load, &rows))
            continue;
        int in_place = count_slots_in_place(l, &load);
        load.buffers = in_place > load.buffers ? in_place : load.buffers;
        tri_vec_push(l->p->arena, &l->loads, load);
    }
}

/* ---- rewriters ---- */

static void allocate_rings(tri_lowering *l)
{
    for (size_t i = 0; i < l->loads.len; i++) {
        tri_async_load *load = &l->loads.at[i];
        tri_builder b = tri_builder_before(l->loop);
        MlirType ring = tri_pipeline_ring_type(load->buffer, load->buffers);
        load->ring = tri_builder_value(&b, &(tri_op){.name = "ttg.local_alloc", .num_results = 1, .results = &ring});
    }
}

static void free_rings(tri_lowering *l)
{
    tri_builder b = tri_builder_after(l->loop);
    tri_attr num = {"num", tri_attr_i32(b.context, 0)};
    MlirType token = tri_type_async_token(b.context);
    bool has_copies = false;
    for (size_t i = 0; i < l->loads.len; i++)
        has_copies |= l->loads.at[i].route == TRI_LOAD_COPY;
    for (size_t i = 0; i < l->barriers.len; i++)
        tri_pipeline_end_barriers(l, &b, l->barriers.at[i]);
    if (has_copies) /* those for iterations past the end may still be on their way */
        tri_builder_create(&b, &(tri_op){.name = "ttg.async_wait", .num_results = 1, .results = &token, .num_attrs = 1,
                                         .attrs = &num});
    for (size_t i = l->loads.len; i-- > 0;)
        tri_builder_create(&b,
                           &(tri_op){.name = "ttg.local_dealloc", .num_operands = 1, .operands = &l->loads.at[i].ring});
}

/* The loads with rings of n buffers share two counters, and a parity when some wait at barriers. */
static void count_group(tri_lowering *l, int n)
{
    tri_arena *arena = l->p->arena;
    bool is_first = true, has_phase = false;
    tri_place start = {0}, use = {0};
    for (size_t i = 0; i < l->loads.len; i++) {
        tri_async_load *load = &l->loads.at[i];
        if (load->buffers != n)
            continue;
        start = is_first || tri_pipeline_is_before(load->start, start) ? load->start : start;
        use = is_first || tri_pipeline_is_before(load->use, use) ? load->use : use;
        has_phase |= load->route != TRI_LOAD_COPY;
        is_first = false;
    }
    if (is_first)
        return;
    MlirValue inits[3] = {l->minus_one, l->minus_one, l->zero}, next[3], wraps;
    intptr_t count = has_phase ? 3 : 2;
    l->loop = tri_loops_add_iter_args(arena, l->loop, count, inits);
    l->body = tri_op_body(l->loop, 0);
    intptr_t first = mlirBlockGetNumArguments(l->body) - count;
    tri_builder b = tri_builder_before(mlirBlockGetFirstOperation(l->body));
    next[0] = tri_pipeline_next_index(l, &b, start, mlirBlockGetArgument(l->body, first),
                                       tri_pipeline_limit(&b, start, n), NULL);
    next[1] = tri_pipeline_next_index(l, &b, use, mlirBlockGetArgument(l->body, first + 1),
                                       tri_pipeline_limit(&b, use, n), &wraps);
    if (has_phase) {
        MlirValue phase = mlirBlockGetArgument(l->body, first + 2);
        MlirType i32 = mlirValueGetType(phase);
        MlirValue flipped = tri_pipeline_placed(tri_builder_binary(&b, "arith.xori", i32, phase, l->one), use);
        next[2] = tri_builder_value(&b, &(tri_op){.name = "arith.select", .num_operands = 3,
                                                  .operands = (MlirValue[]){wraps, flipped, phase}, .num_results = 1,
                                                  .results = &i32});
        tri_pipeline_placed(next[2], use);
    }
    tri_loops_append_yield(arena, mlirBlockGetTerminator(l->body), count, next);
    for (size_t i = 0; i < l->loads.len; i++) {
        tri_async_load *load = &l->loads.at[i];
        if (load->buffers != n)
            continue;
        load->in = next[0];
        load->out = next[1];
        load->phase = has_phase ? next[2] : (MlirValue){NULL};
    }
}

static void make_constants(tri_lowering *l)
{
    l->minus_one = tri_pipeline_constant(l, -1);
    l->zero = tri_pipeline_constant(l, 0);
    l->one = tri_pipeline_constant(l, 1);
}

MlirOperation tri_pipeline_loads_run(const tri_pipeline *p, MlirOperation loop)
{
    tri_lowering l = {.p = p, .loop = loop, .body = tri_op_body(loop, 0)};
    int deepest = 0;
    collect_loads(&l);
    if (l.loads.len == 0)
        return loop;
    for (size_t i = 0; i < l.loads.len; i++)
        deepest = l.loads.at[i].buffers > deepest ? l.loads.at[i].buffers : deepest;
    make_constants(&l);
    allocate_rings(&l);
    for (int n = 1; n <= deepest; n++)
        count_group(&l, n);
    tri_pipeline_make_tma_barriers(&l);
    for (size_t i = 0; i < l.loads.len; i++)
        if (l.loads.at[i].route == TRI_LOAD_COPY)
            tri_pipeline_copy(&l, &l.loads.at[i]);
        else
            tri_pipeline_tma(&l, i);
    free_rings(&l);
    return l.loop;
}
