/* Splits a loop into the producer's, which only starts copies, and the consumers', which is what was there. */
#include "passes/ttgir/automatic_warp_specialization/split.h"

#include "ir/compare.h"
#include "ir/type.h"
#include "passes/analysis/buffers.h"
#include "passes/analysis/loops.h"
#include "passes/analysis/tensormaps.h"
#include "passes/ttgir/pipeline/lower.h"

enum { producer_warps = 1, producer_registers = 24, single_product_registers = 40 };

static MlirType int_type(tri_builder *b, unsigned bits) { return mlirIntegerTypeGet(b->context, bits); }

static MlirValue choose_split(tri_builder *b, MlirValue condition, MlirValue x, MlirValue y)
{
    MlirType type = mlirValueGetType(x);
    return tri_builder_value(b, &(tri_op){.name = "arith.select",
                                          .num_operands = 3,
                                          .operands = (MlirValue[]){condition, x, y},
                                          .num_results = 1,
                                          .results = &type});
}

static MlirOperation wait_for(tri_builder *b, MlirValue ring, MlirValue slot, MlirValue phase)
{
    const int32_t sizes[] = {1, 1, 0, 0};
    tri_attr attr = {"operandSegmentSizes", tri_attr_i32s(b->context, 4, sizes)};
    return tri_builder_create(b, &(tri_op){.name = "ttng.wait_barrier",
                                           .num_operands = 2,
                                           .operands = (MlirValue[]){tri_pipeline_slot(b, ring, slot), phase},
                                           .num_attrs = 1,
                                           .attrs = &attr});
}

/* The slot and the parity of the next iteration, from those of this one. */
static void next_slot(tri_builder *b, int stages, MlirValue slot, MlirValue phase, MlirValue *out)
{
    MlirType i32 = int_type(b, 32);
    MlirValue one = tri_builder_int(b, i32, 1), more = tri_builder_binary(b, "arith.addi", i32, slot, one);
    MlirValue wraps = tri_compare_make(b, TRI_CMP_SGE, more, tri_builder_int(b, i32, stages));
    out[0] = choose_split(b, wraps, tri_builder_int(b, i32, 0), more);
    out[1] = choose_split(b, wraps, tri_builder_binary(b, "arith.xori", i32, phase, one), phase);
}

/* The parity of a slot, where the loop carries those of all. */
static MlirValue parity_of(const tri_split_plan *p, tri_builder *b, MlirValue slot, MlirValue phases)
{
    MlirType i32 = int_type(b, 32);
    if (!p->is_restarted)
        return phases;
    MlirValue bit = tri_builder_binary(b, "arith.shrui", i32, phases, slot);
    return tri_builder_binary(b, "arith.andi", i32, bit, tri_builder_int(b, i32, 1));
}

/* What the loop carries into the next iteration: the slot, and the parity or the parities. */
static void next_place(const tri_split_plan *p, tri_builder *b, MlirValue slot, MlirValue phases, MlirValue *out)
{
    MlirType i32 = int_type(b, 32);
    next_slot(b, p->stages, slot, phases, out);
    if (!p->is_restarted)
        return;
    MlirValue bit = tri_builder_binary(b, "arith.shli", i32, tri_builder_int(b, i32, 1), slot);
    out[1] = tri_builder_binary(b, "arith.xori", i32, phases, bit);
}

/* ---- what lies in front of both ---- */

static void make_ring(const tri_split_plan *p, tri_split_load *load, int stages)
{
    tri_builder b = tri_builder_before(tri_split_top(p));
    MlirType ring = tri_pipeline_ring_type(load->slot, stages);
    load->ring = tri_builder_value(&b, &(tri_op){.name = "ttg.local_alloc", .num_results = 1, .results = &ring});
}

/* What a load fills of the slot. */
static MlirValue buffer_in(tri_builder *b, const tri_split_load *l, MlirValue ring, MlirValue slot)
{
    MlirValue whole = tri_pipeline_slot(b, ring, slot);
    MlirType type = tri_pipeline_ring_type(l->buffer, 0);
    return mlirTypeEqual(l->slot, l->buffer)
               ? whole
               : tri_builder_value(b, &(tri_op){.name = "ttg.memdesc_reinterpret",
                                                .num_operands = 1,
                                                .operands = &whole,
                                                .num_results = 1,
                                                .results = &type});
}

static void make_mbarriers(const tri_split_plan *p, tri_split_group *group, int stages)
{
    tri_lowering l = {.loop = tri_split_top(p)};
    group->full = tri_pipeline_barriers(&l, stages, 1);
    group->empty = tri_pipeline_barriers(&l, stages, p->num_warps);
}

static void make_rings(tri_split_plan *p)
{
    for (size_t i = 0; i < p->loads.len; i++)
        make_ring(p, &p->loads.at[i], p->stages);
    for (size_t i = 0; i < p->around.len; i++)
        make_ring(p, &p->around.at[i], p->around_stages);
    for (size_t g = 0; g < p->groups.len; g++)
        make_mbarriers(p, &p->groups.at[g], p->stages);
    if (p->around.len)
        make_mbarriers(p, &p->around_group, p->around_stages);
}

static void end_rings(tri_split_plan *p, MlirOperation split)
{
    tri_builder b = tri_builder_after(split);
    for (size_t g = 0; g < p->groups.len; g++) {
        tri_pipeline_end_barriers(NULL, &b, p->groups.at[g].full);
        tri_pipeline_end_barriers(NULL, &b, p->groups.at[g].empty);
    }
    if (p->around.len) {
        tri_pipeline_end_barriers(NULL, &b, p->around_group.full);
        tri_pipeline_end_barriers(NULL, &b, p->around_group.empty);
    }
    for (size_t i = p->around.len; i-- > 0;)
        tri_builder_create(
            &b, &(tri_op){.name = "ttg.local_dealloc", .num_operands = 1, .operands = &p->around.at[i].ring});
    for (size_t i = p->loads.len; i-- > 0;)
        tri_builder_create(&b,
                           &(tri_op){.name = "ttg.local_dealloc", .num_operands = 1, .operands = &p->loads.at[i].ring});
}

/* ---- the producer ---- */

/* In front of the first load of a group: waits until its slot is empty, and says how many bytes will fill it. */
static void open_slot(tri_builder *b, const tri_split_group *group, MlirValue empty, MlirValue full, MlirValue slot,
                      MlirValue phase)
{
    wait_for(b, empty, slot, phase);
    tri_attr size = {"size", tri_attr_i32(b->context, (int32_t)group->bytes)};
    tri_builder_create(
        b, &(tri_op){.name = "ttng.barrier_expect",
                     .num_operands = 2,
                     .operands = (MlirValue[]){tri_pipeline_slot(b, full, slot), tri_builder_int(b, int_type(b, 1), 1)},
                     .num_attrs = 1,
                     .attrs = &size});
}

/* Starts the copy of a load into its slot, which the group's first load opens. */
static void start_copy(tri_builder *b, const tri_split_load *l, const tri_split_group *group, bool is_first,
                       const tri_split_names *n, MlirValue slot, MlirValue phase)
{
    MlirValue full = tri_split_name(n, group->full);
    if (is_first)
        open_slot(b, group, tri_split_name(n, group->empty), full, slot, phase);
    MlirOperation load = tri_op_clone(b, l->load, (intptr_t)n->from.len, n->from.at, n->to.at);
    tri_builder before = tri_builder_before(load);
    MlirValue yes = tri_builder_int(&before, int_type(b, 1), 1);
    MlirValue is_full = tri_pipeline_slot(&before, full, slot);
    MlirValue buffer = buffer_in(&before, l, tri_split_name(n, l->ring), slot);
    tri_tensormaps_start_load(&before, load, buffer, is_full, yes);
    mlirOperationDestroy(load);
}

static void produce(tri_split_plan *p, MlirBlock body, tri_split_names *n, MlirValue slot, MlirValue phase)
{
    tri_builder b = tri_builder_at_end(body, mlirOperationGetLocation(p->loop));
    MlirValue parity = parity_of(p, &b, slot, phase);
    bool *is_open = TRI_NEW_ARRAY(p->arena, bool, p->groups.len);
    for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        b.loc = mlirOperationGetLocation(op);
        if (tri_map_find_ptr(&p->inner.needed, op.ptr))
            tri_split_copy(p->arena, &b, n, op);
        for (size_t i = 0; i < p->loads.len; i++) {
            const tri_split_load *l = &p->loads.at[i];
            if (!mlirOperationEqual(l->load, op))
                continue;
            start_copy(&b, l, &p->groups.at[l->group], !is_open[l->group], n, slot, parity);
            is_open[l->group] = true;
        }
    }
    MlirValue yields[2];
    next_place(p, &b, slot, phase, yields);
    tri_slice_close(p->arena, &b, &p->inner, n, yields, 2);
}

MlirOperation tri_split_make_loop(tri_arena *arena, tri_builder *b, MlirOperation like, const tri_value_list *operands)
{
    intptr_t count = (intptr_t)operands->len - 3;
    MlirType *types = TRI_NEW_ARRAY(arena, MlirType, count + 1);
    MlirLocation *locs = TRI_NEW_ARRAY(arena, MlirLocation, count + 1);
    types[0] = mlirValueGetType(operands->at[0]);
    for (intptr_t i = 0; i < count; i++)
        types[i + 1] = mlirValueGetType(operands->at[3 + i]);
    for (intptr_t i = 0; i <= count; i++)
        locs[i] = b->loc;
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, mlirBlockCreate(count + 1, types, locs));
    tri_attr attrs[] = {{"unsignedCmp", tri_op_attr(like, "unsignedCmp")},
                        {"tt.num_stages", tri_attr_i32(b->context, 0)}};
    return tri_builder_create(b, &(tri_op){.name = "scf.for",
                                           .num_operands = (intptr_t)operands->len,
                                           .operands = operands->at,
                                           .num_results = count,
                                           .results = types + 1,
                                           .num_regions = 1,
                                           .regions = &region,
                                           .num_attrs = 2,
                                           .attrs = attrs});
}

/* A loop like the consumers', with what the producer carries, a slot and a parity, which begin as `ring` and are left
 * there for the next loop. */
static void make_producer(tri_split_plan *p, MlirBlock block, tri_split_names *n, MlirValue *ring)
{
    tri_builder b = tri_builder_at_end(block, mlirOperationGetLocation(p->loop));
    tri_value_list outside = {0};
    MlirOperation made;
    tri_slice_outside(p->arena, &p->inner, &outside);
    for (size_t i = 0; i < outside.len; i++)
        tri_slice_take(p->arena, &b, n, outside.at[i], NULL);
    if (p->is_restarted)
        ring[0] = tri_builder_int(&b, int_type(&b, 32), 0);
    tri_slice_open(p->arena, &b, &p->inner, n, ring, 2, &made);
    MlirBlock body = tri_op_body(made, 0);
    intptr_t count = mlirOperationGetNumResults(made);
    produce(p, body, n, mlirBlockGetArgument(body, count - 1), mlirBlockGetArgument(body, count));
    ring[0] = tri_op_result(made, count - 2);
    ring[1] = tri_op_result(made, count - 1);
}

/* ---- the consumers ---- */

static void arrive(tri_builder *b, MlirValue ring, MlirValue slot, MlirValue pred)
{
    tri_attr attrs[] = {{"count", tri_attr_i32(b->context, 1)}, {TRI_BUFFERS_PER_WARP, tri_attr_unit(b->context)}};
    tri_builder_create(b, &(tri_op){.name = "ttng.arrive_barrier",
                                    .num_operands = mlirValueIsNull(pred) ? 1 : 2,
                                    .operands = (MlirValue[]){tri_pipeline_slot(b, ring, slot), pred},
                                    .num_attrs = 2,
                                    .attrs = attrs});
}

static MlirValue wait_for_product(tri_builder *b, MlirValue sums, int pendings)
{
    MlirType type = mlirValueGetType(sums);
    tri_attr attr = {"pendings", tri_attr_i32(b->context, pendings)};
    return tri_builder_value(b, &(tri_op){.name = "ttng.warp_group_dot_wait",
                                          .num_operands = 1,
                                          .operands = &sums,
                                          .num_results = 1,
                                          .results = &type,
                                          .num_attrs = 1,
                                          .attrs = &attr});
}

static MlirValue slot_before(tri_builder *b, int stages, MlirValue slot)
{
    MlirType i32 = int_type(b, 32);
    MlirValue last = tri_builder_int(b, i32, stages - 1), one = tri_builder_int(b, i32, 1);
    MlirValue previous = tri_builder_binary(b, "arith.subi", i32, slot, one);
    return choose_split(b, tri_compare_make(b, TRI_CMP_EQ, slot, tri_builder_int(b, i32, 0)), last, previous);
}

/* Of many products those that only sum up run on into the next iteration. The slot is empty when that has waited at the
 * anchor, and the last slot behind the loop, where another loop goes on with the ring. */
static void let_many_run(tri_split_plan *p, MlirValue before, MlirValue next_ring, bool is_last)
{
    tri_builder b = tri_builder_after(p->anchor);
    MlirValue index = mlirBlockGetArgument(p->body, 0);
    MlirValue is_later = tri_compare_make(&b, TRI_CMP_NE, index, tri_op_operand(p->loop, 0));
    arrive(&b, p->groups.at[0].empty, before, is_later);
    tri_builder_set_attr(p->loop, TRI_PIPELINE_OPEN, tri_attr_unit(b.context));
    if (is_last)
        return;
    b = tri_builder_after(p->loop);
    MlirValue has_run = tri_compare_has_trips(&b, p->loop);
    arrive(&b, p->groups.at[0].empty, slot_before(&b, p->stages, next_ring), has_run);
}

/* The product runs on into the next iteration; its slot is empty when that has started the next one. */
static void let_run(tri_split_plan *p, MlirValue slot)
{
    tri_builder_set_attr(p->dot, "isAsync", tri_attr_bool(p->run->unit->mlir, true));
    tri_builder b = tri_builder_after(p->dot);
    MlirValue sums = tri_op_result(p->dot, 0);
    MlirOperation yield = mlirBlockGetTerminator(p->body);
    MlirValue waited = wait_for_product(&b, sums, 1);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); i++)
        if (mlirValueEqual(tri_op_operand(yield, i), sums))
            mlirOperationSetOperand(yield, i, waited);
    MlirValue before = slot_before(&b, p->stages, slot);
    MlirValue index = mlirBlockGetArgument(p->body, 0);
    MlirValue is_later = tri_compare_make(&b, TRI_CMP_NE, index, tri_op_operand(p->loop, 0));
    for (size_t g = 0; g < p->groups.len; g++)
        arrive(&b, p->groups.at[g].empty, before, is_later);
}

/* Behind a loop that another iteration of the one around it follows, the product that ran on is waited for, and its
 * slot is empty. */
static void end_run(tri_split_plan *p, MlirValue next_ring)
{
    tri_builder b = tri_builder_after(p->loop);
    MlirValue sums = tri_op_result(p->loop, p->sums), waited = wait_for_product(&b, sums, 0);
    MlirOperation wait = tri_op_def(waited);
    mlirValueReplaceAllUsesOfWith(sums, waited);
    mlirOperationSetOperand(wait, 0, sums);
    MlirValue has_run = tri_compare_has_trips(&b, p->loop);
    MlirValue slot = slot_before(&b, p->stages, next_ring);
    for (size_t g = 0; g < p->groups.len; g++)
        arrive(&b, p->groups.at[g].empty, slot, has_run);
}

/* The load's buffer is the slot; who wants the value itself reads it there. */
static void read_slot(tri_split_load *l, MlirOperation wait, MlirValue slot)
{
    MlirValue result = tri_op_result(l->load, 0);
    tri_builder b = tri_builder_after(wait);
    b.loc = mlirOperationGetLocation(l->load);
    MlirValue buffer = buffer_in(&b, l, l->ring, slot);
    if (!tri_pipeline_replace_allocs(result, buffer)) {
        mlirOperationDestroy(l->load);
        return;
    }
    b.before = mlirOperationGetNextInBlock(tri_op_def(buffer)); /* what stood there may have been such an allocation */
    MlirType type = mlirValueGetType(result);
    MlirValue loaded = tri_builder_value(
        &b, &(tri_op){
                .name = "ttg.local_load", .num_operands = 1, .operands = &buffer, .num_results = 1, .results = &type});
    tri_op_replace(l->load, 1, &loaded);
}

/* Loads become views of slots, each behind the wait of its group, which stands where the group's first load was.
 * `ring`: the slot and the parity that the loop begins with, and then those that it leaves. */
static void make_consumers(tri_split_plan *p, MlirValue *ring, bool is_last)
{
    /* in front of those, where products run on: the slot of the iteration before */
    bool has_before = !mlirOperationIsNull(p->anchor);
    tri_builder b = tri_builder_before(p->loop);
    MlirValue zero = tri_builder_int(&b, int_type(&b, 32), 0);
    MlirValue inits[] = {zero, p->is_restarted ? zero : ring[0], ring[1]}, next[3];
    intptr_t skip = has_before ? 0 : 1;
    p->loop = tri_loops_add_iter_args(p->arena, p->loop, 3 - skip, inits + skip);
    p->body = tri_op_body(p->loop, 0);
    intptr_t args = mlirBlockGetNumArguments(p->body);
    MlirValue slot = mlirBlockGetArgument(p->body, args - 2), phase = mlirBlockGetArgument(p->body, args - 1);
    ring[0] = tri_op_result(p->loop, mlirOperationGetNumResults(p->loop) - 2);
    ring[1] = tri_op_result(p->loop, mlirOperationGetNumResults(p->loop) - 1);
    b = tri_builder_at_start(p->body, mlirOperationGetLocation(p->loop));
    MlirValue parity = parity_of(p, &b, slot, phase);
    next[0] = slot;
    next_place(p, &b, slot, phase, next + 1);
    tri_loops_append_yield(p->arena, mlirBlockGetTerminator(p->body), 3 - skip, next + skip);
    if (!mlirOperationIsNull(p->dot))
        let_run(p, slot);
    else if (!mlirOperationIsNull(p->anchor))
        let_many_run(p, mlirBlockGetArgument(p->body, args - 3), ring[0], is_last);
    for (size_t g = 0; g < p->groups.len; g++) {
        b = tri_builder_after(p->groups.at[g].last);
        if (mlirOperationIsNull(p->dot) && mlirOperationIsNull(p->anchor))
            arrive(&b, p->groups.at[g].empty, slot, (MlirValue){NULL});
    }
    MlirOperation *waits = TRI_NEW_ARRAY(p->arena, MlirOperation, p->groups.len);
    for (size_t i = 0; i < p->loads.len; i++) {
        tri_split_load *l = &p->loads.at[i];
        if (mlirOperationIsNull(waits[l->group])) {
            b = tri_builder_before(l->load);
            waits[l->group] = wait_for(&b, p->groups.at[l->group].full, slot, parity);
        }
        read_slot(l, waits[l->group], slot);
    }
    if (!mlirOperationIsNull(p->dot) && !is_last)
        end_run(p, ring[0]);
}

/* ---- the operation that holds both ---- */

static MlirRegion region_with(MlirBlock block)
{
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, block);
    return region;
}

/* ---- loops behind one another ---- */

typedef struct {
    tri_split_plan *plans; /* in source order; all use the rings of the first */
    size_t count;
    tri_op_list moved; /* what moves into the default region: the loops, and what stands between them */
    tri_value_list escaping;
} chain;

static bool is_moved(const chain *c, MlirOperation op)
{
    for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
        for (size_t i = 0; i < c->moved.len; i++)
            if (mlirOperationEqual(c->moved.at[i], op))
                return true;
    return false;
}

static bool escapes(const chain *c, MlirValue value)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        if (!is_moved(c, mlirOpOperandGetOwner(use)))
            return true;
    return false;
}

static void collect_moved(chain *c)
{
    tri_arena *arena = c->plans->arena;
    MlirOperation op = tri_split_top(c->plans), last = tri_split_is_nested(c->plans) ? op : c->plans[c->count - 1].loop;
    tri_kept_collect(c->plans, c->count, &c->moved);
    for (;; op = mlirOperationGetNextInBlock(op)) {
        tri_vec_push(arena, &c->moved, op);
        if (mlirOperationEqual(op, last))
            break;
    }
    for (size_t i = 0; i < c->moved.len; i++)
        for (intptr_t k = 0; k < mlirOperationGetNumResults(c->moved.at[i]); k++)
            if (escapes(c, tri_op_result(c->moved.at[i], k)))
                tri_vec_push(arena, &c->escaping, tri_op_result(c->moved.at[i], k));
}

/* Uses outside of the default region become those of what the operation gives. */
static void replace_outside(const chain *c, MlirValue value, MlirValue by)
{
    TRI_VEC(MlirOpOperand) uses = {0};
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        if (!is_moved(c, mlirOpOperandGetOwner(use)))
            tri_vec_push(c->plans->arena, &uses, use);
    for (size_t i = 0; i < uses.len; i++)
        mlirOperationSetOperand(mlirOpOperandGetOwner(uses.at[i]), mlirOpOperandGetOperandNumber(uses.at[i]), by);
}

/* Moves the consumers' loops into the default region, which yields what others use of them. */
static void enclose(const chain *c, MlirOperation split)
{
    tri_split_plan *p = c->plans;
    MlirBlock block = tri_op_body(split, 0);
    MlirValue *results = TRI_NEW_ARRAY(p->arena, MlirValue, c->escaping.len + 1);
    for (size_t i = 0; i < c->escaping.len; i++)
        replace_outside(c, c->escaping.at[i], tri_op_result(split, (intptr_t)i));
    for (size_t i = 0; i < c->moved.len; i++) {
        mlirOperationRemoveFromParent(c->moved.at[i]);
        mlirBlockAppendOwnedOperation(block, c->moved.at[i]);
    }
    tri_builder b = tri_builder_at_end(block, mlirOperationGetLocation(p->loop));
    for (size_t i = 0; i < c->escaping.len; i++) {
        bool is_running = !tri_split_is_nested(p) && !mlirOperationIsNull(p->dot) &&
                          mlirValueEqual(c->escaping.at[i], tri_op_result(p->loop, p->sums));
        results[i] = is_running ? wait_for_product(&b, c->escaping.at[i], 0) : c->escaping.at[i];
    }
    tri_builder_create(
        &b, &(tri_op){.name = "ttg.warp_yield", .num_operands = (intptr_t)c->escaping.len, .operands = results});
}

static MlirOperation make_split(const chain *c, const tri_value_list *captures, MlirBlock producer)
{
    tri_split_plan *p = c->plans;
    tri_builder b = tri_builder_before(tri_split_top(p));
    MlirBlock holder = mlirBlockCreate(0, NULL, NULL);
    MlirRegion inside = region_with(producer);
    tri_builder at = tri_builder_at_end(holder, b.loc);
    tri_builder_create(&at, &(tri_op){.name = "ttg.warp_specialize.partitions", .num_regions = 1, .regions = &inside});
    MlirRegion regions[] = {region_with(mlirBlockCreate(0, NULL, NULL)), region_with(holder)};
    MlirType *types = TRI_NEW_ARRAY(p->arena, MlirType, c->escaping.len + 1);
    for (size_t i = 0; i < c->escaping.len; i++)
        types[i] = mlirValueGetType(c->escaping.at[i]);
    const int32_t warps[] = {producer_warps};
    const int32_t registers[] = {mlirOperationIsNull(p->dot) ? producer_registers : single_product_registers};
    MlirAttribute none = {NULL};
    tri_attr attrs[] = {{"partitionNumWarps", tri_attr_i32s(b.context, 1, warps)},
                        {"requestedRegisters", p->moves_registers ? tri_attr_i32s(b.context, 1, registers) : none}};
    return tri_builder_create(&b, &(tri_op){.name = "ttg.warp_specialize",
                                            .num_operands = (intptr_t)captures->len,
                                            .operands = captures->at,
                                            .num_results = (intptr_t)c->escaping.len,
                                            .results = types,
                                            .num_attrs = 2,
                                            .attrs = attrs,
                                            .num_regions = 2,
                                            .regions = regions});
}

/* What producers need of what stands outside of all loops that they walk. */
static void collect_outside(const chain *c, tri_value_list *out)
{
    tri_split_plan *p = c->plans;
    for (size_t k = 0; k < c->count; k++) {
        tri_value_list outside = {0};
        tri_slice_outside(p->arena, &c->plans[k].inner, &outside);
        for (size_t i = 0; i < outside.len; i++)
            if (!tri_split_is_nested(p) || !tri_loops_is_inside(p->outer.loop, outside.at[i]))
                tri_vec_push(p->arena, out, outside.at[i]);
    }
    if (tri_split_is_nested(p))
        tri_slice_outside(p->arena, &p->outer, out);
}

/* The captures: the rings, and what cannot be computed again. */
static void collect_captures(const chain *c, tri_value_list *out)
{
    tri_split_plan *p = c->plans;
    tri_split_names seen = {0};
    for (size_t i = 0; i < p->loads.len; i++)
        tri_vec_push(p->arena, out, p->loads.at[i].ring);
    for (size_t g = 0; g < p->groups.len; g++) {
        tri_vec_push(p->arena, out, p->groups.at[g].full);
        tri_vec_push(p->arena, out, p->groups.at[g].empty);
    }
    for (size_t i = 0; i < p->around.len; i++)
        tri_vec_push(p->arena, out, p->around.at[i].ring);
    if (p->around.len) {
        tri_vec_push(p->arena, out, p->around_group.full);
        tri_vec_push(p->arena, out, p->around_group.empty);
    }
    tri_value_list outside = {0};
    collect_outside(c, &outside);
    for (size_t i = 0; i < outside.len; i++)
        tri_slice_take(p->arena, NULL, &seen, outside.at[i], out);
}

static void share_rings(const chain *c)
{
    make_rings(c->plans);
    for (size_t k = 1; k < c->count; k++) {
        for (size_t i = 0; i < c->plans[k].loads.len; i++) {
            tri_split_load *l = &c->plans[k].loads.at[i];
            l->ring = c->plans->loads.at[l->place].ring;
            l->slot = c->plans->loads.at[l->place].slot;
        }
        for (size_t g = 0; g < c->plans->groups.len; g++) {
            c->plans[k].groups.at[g].full = c->plans->groups.at[g].full;
            c->plans[k].groups.at[g].empty = c->plans->groups.at[g].empty;
        }
    }
}

/* What the producer does of the outer loop's body: scalars, the loads there (into the slot and the parity of `around`),
 * and the loops. */
static void produce_around(const chain *c, MlirBlock body, tri_split_names *n, MlirValue *ring, const MlirValue *around)
{
    tri_split_plan *p = c->plans;
    for (MlirOperation op = mlirBlockGetFirstOperation(p->outer.body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        tri_builder b = tri_builder_at_end(body, mlirOperationGetLocation(op));
        if (tri_map_find_ptr(&p->outer.needed, op.ptr))
            tri_split_copy(p->arena, &b, n, op);
        for (size_t i = 0; i < p->around.len; i++)
            if (mlirOperationEqual(p->around.at[i].load, op))
                start_copy(&b, &p->around.at[i], &p->around_group, i == 0, n, around[0], around[1]);
        for (size_t k = 0; k < c->count; k++)
            if (mlirOperationEqual(c->plans[k].loop, op))
                make_producer(&c->plans[k], body, n, ring);
    }
}

/* The loop around the producers' loops. It carries the slot and the parity of its own loads, too, where it has some. */
static void make_outer_producer(const chain *c, MlirBlock block, tri_split_names *n, const MlirValue *fresh)
{
    tri_split_plan *p = c->plans;
    tri_builder b = tri_builder_at_end(block, mlirOperationGetLocation(p->outer.loop));
    tri_value_list outside = {0};
    MlirOperation made;
    MlirValue rings[] = {fresh[0], fresh[1], fresh[0], tri_builder_int(&b, int_type(&b, 32), 1)};
    intptr_t carried = p->around.len ? 4 : 2;
    collect_outside(c, &outside);
    for (size_t i = 0; i < outside.len; i++)
        tri_slice_take(p->arena, &b, n, outside.at[i], NULL);
    tri_slice_open(p->arena, &b, &p->outer, n, rings, carried, &made);
    MlirBlock body = tri_op_body(made, 0);
    intptr_t first = mlirBlockGetNumArguments(body) - carried;
    for (intptr_t i = 0; i < carried; i++)
        rings[i] = mlirBlockGetArgument(body, first + i);
    produce_around(c, body, n, rings, rings + 2);
    b = tri_builder_at_end(body, mlirOperationGetLocation(p->outer.loop));
    if (p->around.len)
        next_slot(&b, p->around_stages, rings[2], rings[3], rings + 2);
    tri_slice_close(p->arena, &b, &p->outer, n, rings, carried);
}

/* The producers' loops, one behind the other, with the captures as arguments. */
static MlirBlock make_producers(const chain *c, const tri_value_list *captures)
{
    tri_split_plan *p = c->plans;
    tri_split_names n = {0};
    MlirType *types = TRI_NEW_ARRAY(p->arena, MlirType, captures->len + 1);
    MlirLocation *locs = TRI_NEW_ARRAY(p->arena, MlirLocation, captures->len + 1);
    for (size_t i = 0; i < captures->len; i++) {
        types[i] = mlirValueGetType(captures->at[i]);
        locs[i] = mlirOperationGetLocation(p->loop);
    }
    MlirBlock producer = mlirBlockCreate((intptr_t)captures->len, types, locs);
    for (size_t i = 0; i < captures->len; i++)
        tri_split_bind(p->arena, &n, captures->at[i], mlirBlockGetArgument(producer, (intptr_t)i));
    tri_builder b = tri_builder_at_end(producer, mlirOperationGetLocation(p->loop));
    /* fresh slots are empty: the parity before the first */
    MlirType i32 = int_type(&b, 32);
    int64_t fresh = p->is_restarted ? ((int64_t)1 << p->stages) - 1 : 1;
    MlirValue ring[] = {tri_builder_int(&b, i32, 0), tri_builder_int(&b, i32, fresh)};
    if (tri_split_is_nested(p))
        make_outer_producer(c, producer, &n, ring);
    for (size_t k = 0; k < c->count && !tri_split_is_nested(p); k++)
        make_producer(&c->plans[k], producer, &n, ring);
    tri_builder_create(&b, &(tri_op){.name = "ttg.warp_return"});
    return producer;
}

/* What a loop of two products carries last are the slot and the parity of its ring. */
static void rotate_loops(const chain *c, MlirOperation split)
{
    enum { TWO_GROUPS = 8 };
    tri_split_plan *p = c->plans;
    bool has_turns = p->num_warps == TWO_GROUPS && p->has_turns;
    /* in another loop, turns go round all of its loops */
    for (size_t k = 0; k < c->count && tri_split_is_nested(p); k++)
        has_turns = has_turns && tri_rotate_fits(p->arena, c->plans[k].loop);
    tri_split_turns turns = {0};
    if (has_turns)
        turns = tri_turns_make(split, p->stages, p->is_restarted);
    bool is_rotated = true;
    for (size_t k = 0; k < c->count; k++) {
        /* one group of warps need not keep to the turns of the loops before */
        if (!has_turns && tri_op_flag(c->plans[k].loop, TRI_LOOPS_FEW_TRIPS))
            continue;
        is_rotated = tri_rotate_loop(p->arena, c->plans[k].loop, has_turns && is_rotated ? &turns : NULL) && is_rotated;
    }
    tri_builder b = tri_builder_after(split);
    if (has_turns)
        tri_turns_end(&turns, &b);
}

/* Of the outer loop's own loads: the wait in front of the first one, and behind the last reader the arrival that gives
 * their slot back. */
static void consume_around(tri_split_plan *p, MlirValue slot, MlirValue phase)
{
    tri_split_group *group = &p->around_group;
    tri_builder b = tri_builder_after(group->last);
    arrive(&b, group->empty, slot, (MlirValue){NULL});
    b = tri_builder_before(p->around.at[0].load);
    MlirOperation wait = wait_for(&b, group->full, slot, phase);
    for (size_t i = 0; i < p->around.len; i++)
        read_slot(&p->around.at[i], wait, slot);
}

/* The outer loop carries the slots and parities of rings, 2 or 4 values, given as `ring`, which it begins with. */
static void carry_rings(tri_split_plan *p, MlirValue *ring, intptr_t count)
{
    p->outer.loop = tri_loops_add_iter_args(p->arena, p->outer.loop, count, ring);
    p->outer.body = tri_op_body(p->outer.loop, 0);
    intptr_t first = mlirBlockGetNumArguments(p->outer.body) - count;
    for (intptr_t i = 0; i < count; i++)
        ring[i] = mlirBlockGetArgument(p->outer.body, first + i);
}

/* The loops of the consumers; those in another one go on with the ring that its iteration before has left. */
static void make_all_consumers(const chain *c)
{
    tri_split_plan *p = c->plans;
    tri_builder b = tri_builder_before(tri_split_top(p));
    MlirValue zero = tri_builder_int(&b, int_type(&b, 32), 0), ring[] = {zero, zero, zero, zero};
    intptr_t carried = p->around.len ? 4 : 2;
    if (tri_split_is_nested(p))
        carry_rings(p, ring, carried);
    if (p->around.len)
        consume_around(p, ring[2], ring[3]);
    for (size_t k = 0; k < c->count; k++)
        make_consumers(&c->plans[k], ring, k + 1 == c->count && !tri_split_is_nested(p));
    if (!tri_split_is_nested(p))
        return;
    MlirOperation yield = mlirBlockGetTerminator(p->outer.body);
    b = tri_builder_before(yield);
    if (p->around.len)
        next_slot(&b, p->around_stages, ring[2], ring[3], ring + 2);
    tri_loops_append_yield(p->arena, yield, carried, ring);
}

void tri_split_loops(tri_split_plan *plans, size_t count)
{
    chain c = {.plans = plans, .count = count};
    tri_value_list captures = {0};
    if (tri_split_is_nested(plans))
        tri_nest_share(plans, count);
    for (size_t k = 0; k < count; k++)
        plans->is_restarted = plans->is_restarted && plans[k].is_restarted;
    for (size_t k = 0; k < count; k++)
        plans[k].is_restarted = plans->is_restarted;
    share_rings(&c);
    collect_captures(&c, &captures);
    MlirBlock producer = make_producers(&c, &captures);
    make_all_consumers(&c);
    collect_moved(&c);
    MlirOperation split = make_split(&c, &captures, producer);
    enclose(&c, split);
    end_rings(plans, split);
    for (size_t k = 0; k < count; k++)
        tri_builder_set_attr(plans[k].loop, "tt.num_stages", tri_attr_i32(plans[k].run->unit->mlir, 0));
    bool is_waited_for = mlirOperationIsNull(plans->dot) && mlirOperationIsNull(plans->anchor);
    if (is_waited_for && (count > 1 || plans->is_restarted || !tri_ahead_loop(plans)))
        rotate_loops(&c, split);
}
