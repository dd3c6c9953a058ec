/* The loads of a loop and what becomes of them, each op with its place.
 *
 *     %a = tt.load %p              %v = ttg.memdesc_index %ring[%i]
 *     use(%a)                      %a = tt.load %p ; ttg.local_store %a, %v     or an asynchronous copy into %v, a wait
 *                                  use(ttg.local_load %v)
 *
 * All loads count their slots with one counter. */
#include "passes/ttgir/stream_pipeline/stream.h"

#include "ir/compare.h"
#include "ir/type.h"
#include "passes/analysis/loops.h"

/* 0, 1, ... n - 1, 0, ...; a constant for one slot. */
static MlirOperation add_slot_counter(tri_arena *arena, MlirOperation loop, int n, MlirValue *out)
{
    tri_builder front = tri_builder_before(loop);
    MlirType i32 = mlirIntegerTypeGet(front.context, 32);
    if (n == 1) {
        *out = tri_builder_int(&front, i32, 0);
        return loop;
    }
    MlirValue init = tri_builder_int(&front, i32, -1), zero = tri_builder_int(&front, i32, 0),
              one = tri_builder_int(&front, i32, 1), count = tri_builder_int(&front, i32, n);
    loop = tri_loops_add_iter_args(arena, loop, 1, &init);
    MlirBlock body = tri_op_body(loop, 0);
    MlirValue last = mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - 1);
    tri_builder b = tri_builder_before(mlirBlockGetFirstOperation(body));
    MlirValue next = tri_builder_binary(&b, "arith.addi", i32, last, one);
    MlirValue is_in = tri_compare_make(&b, TRI_CMP_SLT, next, count);
    *out = tri_builder_value(&b, &(tri_op){.name = "arith.select",
                                           .num_operands = 3,
                                           .operands = (MlirValue[]){is_in, next, zero},
                                           .num_results = 1,
                                           .results = &i32});
    tri_loops_append_yield(arena, mlirBlockGetTerminator(body), 1, out);
    return loop;
}

/* ---- reads ---- */

static MlirValue read_stream_as(tri_builder *b, const tri_stream *s, MlirType type, MlirValue slot, MlirValue token)
{
    MlirValue operands[] = {slot, token};
    return tri_pipeline_placed(tri_builder_value(b, &(tri_op){.name = "ttg.local_load",
                                                              .num_operands = mlirValueIsNull(token) ? 1 : 2,
                                                              .operands = operands,
                                                              .num_results = 1,
                                                              .results = &type}),
                               s->read);
}

/* Users of the load read from the slot, each conversion in its own layout; the load goes. */
static void read_stream_slot(tri_builder *b, const tri_stream *s, MlirValue slot, MlirValue token)
{
    MlirValue value = tri_op_result(s->load, 0);
    MlirOperation next;
    tri_pipeline_replace_allocs(value, slot);
    for (MlirOperation op = mlirOperationGetNextInBlock(s->load); !mlirOperationIsNull(op); op = next) {
        next = mlirOperationGetNextInBlock(op);
        if (!tri_op_is(op, "ttg.convert_layout") || !mlirValueEqual(tri_op_operand(op, 0), value))
            continue;
        MlirValue read = read_stream_as(b, s, mlirValueGetType(tri_op_result(op, 0)), slot, token);
        tri_op_replace(op, 1, &read);
    }
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(value)))
        mlirValueReplaceAllUsesOfWith(value, read_stream_as(b, s, mlirValueGetType(value), slot, token));
    mlirOperationDestroy(s->load);
}

static MlirValue wait_for_stream(tri_builder *b, const char *name, MlirValue token, tri_place place)
{
    MlirType type = tri_type_async_token(b->context);
    tri_attr num = {"num", tri_attr_i32(b->context, 0)};
    return tri_pipeline_placed(tri_builder_value(b, &(tri_op){.name = name,
                                                              .num_operands = 1,
                                                              .operands = &token,
                                                              .num_results = 1,
                                                              .results = &type,
                                                              .num_attrs = 1,
                                                              .attrs = &num}),
                               place);
}

/* ---- routes ---- */

static void make_stream_store(const tri_stream *s, MlirValue index)
{
    tri_builder b = tri_builder_before(s->load);
    MlirValue slot = tri_pipeline_placed(tri_pipeline_slot(&b, s->ring, index), s->store);
    MlirOperation load = tri_op_clone(&b, s->load, 0, NULL, NULL);
    tri_pipeline_placed_op(load, s->start);
    MlirOperation store = tri_builder_create(&b, &(tri_op){.name = "ttg.local_store",
                                                           .num_operands = 2,
                                                           .operands = (MlirValue[]){tri_op_result(load, 0), slot}});
    tri_pipeline_placed_op(store, s->store);
    read_stream_slot(&b, s, slot, (MlirValue){NULL});
}

static void make_stream_copy(const tri_pipeline *p, const tri_stream *s, MlirValue index)
{
    tri_builder b = tri_builder_before(s->load);
    MlirValue slot = tri_pipeline_slot(&b, s->ring, index);
    MlirValue group = tri_pipeline_commit_copy(&b, s->load, tri_op_operand(s->load, 0), slot,
                                               tri_op_segment_value(s->load, 1), tri_op_segment_value(s->load, 2),
                                               (int)tri_pipeline_contiguity(p, s->load), s->start);
    read_stream_slot(&b, s, slot, wait_for_stream(&b, "ttg.async_wait", group, s->wait));
}

/* The descriptor as the hardware takes it, of the box that the load names. */
static MlirValue move_descriptor(tri_builder *b, const MlirValue *offsets, intptr_t n, MlirValue descriptor)
{
    MlirValue operands[TRI_MAX_RANK + 2] = {descriptor};
    MlirType type = mlirValueGetType(descriptor);
    for (intptr_t i = 0; i < n; i++)
        operands[1 + i] = offsets[i];
    operands[1 + n] = tri_builder_int(b, mlirIntegerTypeGet(b->context, 32), 1);
    const int32_t sizes[] = {1, (int32_t)n, 0, 1};
    tri_attr attrs[] = {{"operandSegmentSizes", tri_attr_i32s(b->context, 4, sizes)},
                        {"clamp_bounds", tri_attr_unit(b->context)}};
    return tri_builder_value(b, &(tri_op){.name = "amdg.update_tensor_descriptor",
                                          .num_operands = n + 2,
                                          .operands = operands,
                                          .num_results = 1,
                                          .results = &type,
                                          .num_attrs = 2,
                                          .attrs = attrs});
}

static void make_stream_box(const tri_stream *s, MlirValue index)
{
    tri_builder b = tri_builder_before(s->load);
    bool is_gather = tri_op_is(s->load, "tt.descriptor_gather");
    MlirValue slot = tri_pipeline_slot(&b, s->ring, index), at[TRI_MAX_RANK], rows = {NULL};
    MlirType token = tri_type_async_token(b.context);
    intptr_t n = mlirOperationGetNumOperands(s->load) - 1;
    for (intptr_t i = 0; i < n; i++)
        at[i] = tri_op_operand(s->load, 1 + i);
    if (is_gather) {
        rows = at[0];
        at[0] = tri_builder_int(&b, mlirIntegerTypeGet(b.context, 32), 0);
    }
    MlirValue descriptor = move_descriptor(&b, at, n, tri_op_operand(s->load, 0));
    MlirValue operands[] = {descriptor, is_gather ? rows : slot, slot};
    tri_attr cache = {"cache", tri_attr_i32(b.context, 1)};
    MlirValue copy = tri_builder_value(
        &b, &(tri_op){.name = is_gather ? "amdg.async_tdm_gather" : "amdg.async_tdm_copy_global_to_local",
                      .num_operands = is_gather ? 3 : 2,
                      .operands = operands,
                      .num_results = 1,
                      .results = &token,
                      .num_attrs = !is_gather,
                      .attrs = &cache});
    tri_pipeline_placed(copy, s->start);
    read_stream_slot(&b, s, slot, wait_for_stream(&b, "amdg.async_tdm_wait", copy, s->wait));
}

/* ---- the loop ---- */

static void make_stream_ring(MlirOperation loop, tri_stream *s, int buffers)
{
    tri_builder b = tri_builder_before(loop), after = tri_builder_after(loop);
    MlirType type = tri_pipeline_ring_type(s->buffer, buffers);
    s->ring = tri_builder_value(&b, &(tri_op){.name = "ttg.local_alloc", .num_results = 1, .results = &type});
    tri_builder_create(&after, &(tri_op){.name = "ttg.local_dealloc", .num_operands = 1, .operands = &s->ring});
}

MlirOperation tri_stream_pipeline_lower(const tri_pipeline *p, MlirOperation loop, tri_streams *streams,
                                        const tri_stream_plan *plan)
{
    MlirValue index = {NULL};
    for (size_t i = 0; i < streams->len; i++) {
        tri_stream *s = &streams->at[i];
        tri_stream_pipeline_set_places(plan, s);
        if (s->route == TRI_STREAM_REGISTERS) {
            tri_pipeline_placed_op(s->load, s->start);
            continue;
        }
        if (mlirValueIsNull(index))
            loop = add_slot_counter(p->arena, loop, plan->buffers, &index);
        make_stream_ring(loop, s, plan->buffers);
        if (s->route == TRI_STREAM_STORE)
            make_stream_store(s, index);
        else if (s->route == TRI_STREAM_COPY)
            make_stream_copy(p, s, index);
        else
            make_stream_box(s, index);
    }
    return loop;
}
