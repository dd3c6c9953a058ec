/* Splits a loop into the producer's, which only starts copies, and the consumers', which is what was there. */
#include "passes/ttgir/automatic_warp_specialization/split.h"

#include "ir/type.h"
#include "passes/analysis/buffers.h"
#include "passes/analysis/loops.h"
#include "passes/analysis/tensormaps.h"
#include "passes/ttgir/pipeline/lower.h"

enum { producer_warps = 1, producer_registers = 24, single_product_registers = 40, EQ = 0, NE = 1, SGE = 5 };

static MlirType int_type(tri_builder *b, unsigned bits) { return mlirIntegerTypeGet(b->context, bits); }

static MlirValue compare(tri_builder *b, int predicate, MlirValue x, MlirValue y)
{
    MlirType i1 = int_type(b, 1);
    tri_attr attr = {"predicate", tri_attr_i64(b->context, predicate)};
    return tri_builder_value(b, &(tri_op){.name = "arith.cmpi",
                                          .num_operands = 2,
                                          .operands = (MlirValue[]){x, y},
                                          .num_results = 1,
                                          .results = &i1,
                                          .num_attrs = 1,
                                          .attrs = &attr});
}

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
    MlirValue wraps = compare(b, SGE, more, tri_builder_int(b, i32, stages));
    out[0] = choose_split(b, wraps, tri_builder_int(b, i32, 0), more);
    out[1] = choose_split(b, wraps, tri_builder_binary(b, "arith.xori", i32, phase, one), phase);
}

/* ---- what lies in front of both ---- */

static void make_rings(tri_split_plan *p)
{
    tri_lowering l = {.loop = p->loop};
    for (size_t i = 0; i < p->loads.len; i++) {
        tri_builder b = tri_builder_before(p->loop);
        MlirType ring = tri_pipeline_ring_type(p->loads.at[i].buffer, p->stages);
        p->loads.at[i].ring =
            tri_builder_value(&b, &(tri_op){.name = "ttg.local_alloc", .num_results = 1, .results = &ring});
    }
    for (size_t g = 0; g < p->groups.len; g++) {
        p->groups.at[g].full = tri_pipeline_barriers(&l, p->stages, 1);
        p->groups.at[g].empty = tri_pipeline_barriers(&l, p->stages, p->num_warps);
    }
}

static void end_rings(tri_split_plan *p, MlirOperation split)
{
    tri_builder b = tri_builder_after(split);
    for (size_t g = 0; g < p->groups.len; g++) {
        tri_pipeline_end_barriers(NULL, &b, p->groups.at[g].full);
        tri_pipeline_end_barriers(NULL, &b, p->groups.at[g].empty);
    }
    for (size_t i = p->loads.len; i-- > 0;)
        tri_builder_create(&b,
                           &(tri_op){.name = "ttg.local_dealloc", .num_operands = 1, .operands = &p->loads.at[i].ring});
}

/* ---- what the producer takes from outside ---- */

static bool is_bound(const tri_split_names *n, MlirValue value)
{
    for (size_t i = 0; i < n->from.len; i++)
        if (mlirValueEqual(n->from.at[i], value))
            return true;
    return false;
}

/* Scalars are computed again, and descriptors written again, by who needs them. */
static bool can_repeat(MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    if (mlirOperationIsNull(def) || mlirOperationGetNumRegions(def) || !tri_op_is_pure(def))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
        if (tri_type_is_tensor(mlirValueGetType(tri_op_operand(def, i))))
            return false;
    return true;
}

/* With a builder, makes the value there; without one, notes what must be captured for it. */
static void take(tri_arena *arena, tri_builder *b, tri_split_names *n, MlirValue value, tri_value_list *captures)
{
    if (is_bound(n, value))
        return;
    if (!can_repeat(value)) {
        TRI_ASSERT(!b);
        tri_vec_push(arena, captures, value);
        tri_split_bind(arena, n, value, value);
        return;
    }
    MlirOperation def = tri_op_def(value);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
        take(arena, b, n, tri_op_operand(def, i), captures);
    MlirOperation copy = b ? tri_op_clone(b, def, (intptr_t)n->from.len, n->from.at, n->to.at) : def;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(def); i++)
        tri_split_bind(arena, n, tri_op_result(def, i), tri_op_result(copy, i));
}

/* The values outside of the loop that its producer begins with. */
static void collect_outside(tri_split_plan *p, tri_value_list *out)
{
    for (intptr_t i = 0; i < 3; i++)
        tri_vec_push(p->arena, out, tri_op_operand(p->loop, i));
    for (size_t i = 0; i < p->carried.len; i++)
        tri_vec_push(p->arena, out, tri_op_operand(p->loop, 3 + p->carried.at[i]));
    for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        MlirBlock block;
        intptr_t index;
        bool is_yield = tri_op_is(op, "scf.yield");
        if (!is_yield && !tri_op_is(op, "tt.descriptor_load") && !tri_map_find_ptr(&p->needed, op.ptr))
            continue;
        for (intptr_t k = 0, n = is_yield ? (intptr_t)p->carried.len : mlirOperationGetNumOperands(op); k < n; k++) {
            MlirValue value = tri_op_operand(op, is_yield ? p->carried.at[k] : k);
            bool is_inside = tri_op_is_block_argument(value, &block, &index)
                                 ? mlirBlockEqual(block, p->body)
                                 : !mlirOperationIsNull(tri_pipeline_in_body(p->body, tri_op_def(value)));
            if (!is_inside)
                tri_vec_push(p->arena, out, value);
        }
    }
}

/* ---- the producer ---- */

/* In front of the first load of a group: waits until its slot is empty, and says how many bytes will fill it. */
static void open_slot(tri_builder *b, const tri_split_group *group, MlirValue empty, MlirValue full, MlirValue slot,
                      MlirValue phase)
{
    wait_for(b, empty, slot, phase);
    tri_attr size = {"size", tri_attr_i32(b->context, (int32_t)group->bytes)};
    tri_builder_create(b, &(tri_op){.name = "ttng.barrier_expect", .num_operands = 2,
                                    .operands = (MlirValue[]){tri_pipeline_slot(b, full, slot),
                                                              tri_builder_int(b, int_type(b, 1), 1)},
                                    .num_attrs = 1, .attrs = &size});
}

static void produce(tri_split_plan *p, MlirBlock body, tri_split_names *n, MlirValue slot, MlirValue phase)
{
    tri_builder b = tri_builder_at_end(body, mlirOperationGetLocation(p->loop));
    bool *is_open = TRI_NEW_ARRAY(p->arena, bool, p->groups.len);
    for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        b.loc = mlirOperationGetLocation(op);
        if (tri_map_find_ptr(&p->needed, op.ptr))
            tri_split_copy(p->arena, &b, n, op);
        for (size_t i = 0; i < p->loads.len; i++) {
            const tri_split_load *l = &p->loads.at[i];
            if (!mlirOperationEqual(l->load, op))
                continue;
            const tri_split_group *group = &p->groups.at[l->group];
            MlirValue full = tri_split_name(n, group->full);
            if (!is_open[l->group])
                open_slot(&b, group, tri_split_name(n, group->empty), full, slot, phase);
            is_open[l->group] = true;
            MlirOperation load = tri_op_clone(&b, op, (intptr_t)n->from.len, n->from.at, n->to.at);
            tri_builder before = tri_builder_before(load);
            tri_tensormaps_start_load(&before, load, tri_pipeline_slot(&before, tri_split_name(n, l->ring), slot),
                                      tri_pipeline_slot(&before, full, slot),
                                      tri_builder_int(&before, int_type(&b, 1), 1));
            mlirOperationDestroy(load);
        }
    }
    MlirValue yields[2], *all = TRI_NEW_ARRAY(p->arena, MlirValue, p->carried.len + 2);
    next_slot(&b, p->stages, slot, phase, yields);
    for (size_t i = 0; i < p->carried.len; i++)
        all[i] = tri_split_name(n, tri_op_operand(mlirBlockGetTerminator(p->body), p->carried.at[i]));
    memcpy(all + p->carried.len, yields, sizeof yields);
    tri_builder_create(&b,
                       &(tri_op){.name = "scf.yield", .num_operands = (intptr_t)p->carried.len + 2, .operands = all});
}

/* A loop like the consumers', with what the producer carries, a slot and a parity: fresh slots are empty. */
static void make_producer(tri_split_plan *p, MlirBlock block, tri_split_names *n)
{
    tri_builder b = tri_builder_at_end(block, mlirOperationGetLocation(p->loop));
    tri_value_list outside = {0}, operands = {0};
    collect_outside(p, &outside);
    for (size_t i = 0; i < outside.len; i++)
        take(p->arena, &b, n, outside.at[i], NULL);
    for (intptr_t i = 0; i < 3; i++)
        tri_vec_push(p->arena, &operands, tri_split_name(n, tri_op_operand(p->loop, i)));
    for (size_t i = 0; i < p->carried.len; i++)
        tri_vec_push(p->arena, &operands, tri_split_name(n, tri_op_operand(p->loop, 3 + p->carried.at[i])));
    tri_vec_push(p->arena, &operands, tri_builder_int(&b, int_type(&b, 32), 0));
    tri_vec_push(p->arena, &operands, tri_builder_int(&b, int_type(&b, 32), 1));
    intptr_t count = (intptr_t)operands.len - 3;
    MlirType *types = TRI_NEW_ARRAY(p->arena, MlirType, count + 1);
    MlirLocation *locs = TRI_NEW_ARRAY(p->arena, MlirLocation, count + 1);
    types[0] = mlirValueGetType(operands.at[0]);
    for (intptr_t i = 0; i <= count; i++)
        locs[i] = b.loc;
    for (intptr_t i = 0; i < count; i++)
        types[i + 1] = mlirValueGetType(operands.at[3 + i]);
    MlirBlock body = mlirBlockCreate(count + 1, types, locs);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, body);
    tri_attr attrs[] = {{"unsignedCmp", tri_op_attr(p->loop, "unsignedCmp")},
                        {"tt.num_stages", tri_attr_i32(b.context, 0)}};
    tri_split_bind(p->arena, n, mlirBlockGetArgument(p->body, 0), mlirBlockGetArgument(body, 0));
    for (size_t i = 0; i < p->carried.len; i++)
        tri_split_bind(p->arena, n, mlirBlockGetArgument(p->body, 1 + p->carried.at[i]),
                       mlirBlockGetArgument(body, 1 + (intptr_t)i));
    tri_builder_create(&b, &(tri_op){.name = "scf.for", .num_operands = (intptr_t)operands.len, .operands = operands.at,
                                     .num_results = count, .results = types + 1, .num_regions = 1, .regions = &region,
                                     .num_attrs = 2, .attrs = attrs});
    produce(p, body, n, mlirBlockGetArgument(body, count - 1), mlirBlockGetArgument(body, count));
    tri_builder_create(&b, &(tri_op){.name = "ttg.warp_return"});
}

/* ---- the consumers ---- */

static void arrive(tri_builder *b, MlirValue ring, MlirValue slot, MlirValue pred)
{
    tri_attr attrs[] = {{"count", tri_attr_i32(b->context, 1)}, {TRI_BUFFERS_PER_WARP, tri_attr_unit(b->context)}};
    tri_builder_create(b, &(tri_op){.name = "ttng.arrive_barrier", .num_operands = mlirValueIsNull(pred) ? 1 : 2,
                                    .operands = (MlirValue[]){tri_pipeline_slot(b, ring, slot), pred}, .num_attrs = 2,
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

/* The product runs on into the next iteration; its slot is empty when that has started the next one. */
static void let_run(tri_split_plan *p, MlirValue slot)
{
    tri_builder_set_attr(p->dot, "isAsync", tri_attr_bool(p->run->unit->mlir, true));
    tri_builder b = tri_builder_after(p->dot);
    MlirType i32 = int_type(&b, 32);
    MlirValue zero = tri_builder_int(&b, i32, 0), sums = tri_op_result(p->dot, 0);
    MlirOperation yield = mlirBlockGetTerminator(p->body);
    MlirValue waited = wait_for_product(&b, sums, 1);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); i++)
        if (mlirValueEqual(tri_op_operand(yield, i), sums))
            mlirOperationSetOperand(yield, i, waited);
    MlirValue last = tri_builder_int(&b, i32, p->stages - 1), one = tri_builder_int(&b, i32, 1);
    MlirValue before =
        choose_split(&b, compare(&b, EQ, slot, zero), last, tri_builder_binary(&b, "arith.subi", i32, slot, one));
    MlirValue is_later = compare(&b, NE, mlirBlockGetArgument(p->body, 0), tri_op_operand(p->loop, 0));
    for (size_t g = 0; g < p->groups.len; g++)
        arrive(&b, p->groups.at[g].empty, before, is_later);
}

/* The load's buffer is the slot; who wants the value itself reads it there. */
static void read_slot(tri_split_load *l, MlirOperation wait, MlirValue slot)
{
    MlirValue result = tri_op_result(l->load, 0);
    tri_builder b = tri_builder_after(wait);
    b.loc = mlirOperationGetLocation(l->load);
    MlirValue buffer = tri_pipeline_slot(&b, l->ring, slot);
    if (!tri_pipeline_replace_allocs(result, buffer)) {
        mlirOperationDestroy(l->load);
        return;
    }
    MlirType type = mlirValueGetType(result);
    MlirValue loaded = tri_builder_value(&b, &(tri_op){.name = "ttg.local_load", .num_operands = 1, .operands = &buffer,
                                                       .num_results = 1, .results = &type});
    tri_op_replace(l->load, 1, &loaded);
}

/* Loads become views of slots, each behind the wait of its group, which stands where the group's first load was. */
static void make_consumers(tri_split_plan *p)
{
    tri_builder b = tri_builder_before(p->loop);
    MlirType i32 = int_type(&b, 32);
    MlirValue zero = tri_builder_int(&b, i32, 0), next[2];
    p->loop = tri_loops_add_iter_args(p->arena, p->loop, 2, (MlirValue[]){zero, zero});
    p->body = tri_op_body(p->loop, 0);
    intptr_t args = mlirBlockGetNumArguments(p->body);
    MlirValue slot = mlirBlockGetArgument(p->body, args - 2), phase = mlirBlockGetArgument(p->body, args - 1);
    b = tri_builder_at_start(p->body, mlirOperationGetLocation(p->loop));
    next_slot(&b, p->stages, slot, phase, next);
    tri_loops_append_yield(p->arena, mlirBlockGetTerminator(p->body), 2, next);
    if (!mlirOperationIsNull(p->dot))
        let_run(p, slot);
    for (size_t g = 0; g < p->groups.len; g++) {
        b = tri_builder_after(p->groups.at[g].last);
        if (mlirOperationIsNull(p->dot))
            arrive(&b, p->groups.at[g].empty, slot, (MlirValue){NULL});
    }
    MlirOperation *waits = TRI_NEW_ARRAY(p->arena, MlirOperation, p->groups.len);
    for (size_t i = 0; i < p->loads.len; i++) {
        tri_split_load *l = &p->loads.at[i];
        if (mlirOperationIsNull(waits[l->group])) {
            b = tri_builder_before(l->load);
            waits[l->group] = wait_for(&b, p->groups.at[l->group].full, slot, phase);
        }
        read_slot(l, waits[l->group], slot);
    }
}

/* ---- the operation that holds both ---- */

static MlirRegion region_with(MlirBlock block)
{
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, block);
    return region;
}

/* Moves the consumers' loop into the default region, which yields what the loop gives. */
static void enclose(tri_split_plan *p, MlirOperation split)
{
    MlirBlock block = tri_op_body(split, 0);
    intptr_t count = mlirOperationGetNumResults(split);
    MlirValue *results = TRI_NEW_ARRAY(p->arena, MlirValue, count + 1);
    for (intptr_t i = 0; i < count; i++) {
        results[i] = tri_op_result(p->loop, i);
        mlirValueReplaceAllUsesOfWith(results[i], tri_op_result(split, i));
    }
    mlirOperationRemoveFromParent(p->loop);
    mlirBlockAppendOwnedOperation(block, p->loop);
    tri_builder b = tri_builder_at_end(block, mlirOperationGetLocation(p->loop));
    if (!mlirOperationIsNull(p->dot))
        results[p->sums] = wait_for_product(&b, results[p->sums], 0);
    tri_builder_create(&b, &(tri_op){.name = "ttg.warp_yield", .num_operands = count, .operands = results});
}

static MlirOperation make_split(tri_split_plan *p, const tri_value_list *captures, intptr_t results, MlirBlock producer)
{
    tri_builder b = tri_builder_before(p->loop);
    MlirBlock holder = mlirBlockCreate(0, NULL, NULL);
    MlirRegion inside = region_with(producer);
    tri_builder at = tri_builder_at_end(holder, b.loc);
    tri_builder_create(&at, &(tri_op){.name = "ttg.warp_specialize.partitions", .num_regions = 1, .regions = &inside});
    MlirRegion regions[] = {region_with(mlirBlockCreate(0, NULL, NULL)), region_with(holder)};
    MlirType *types = TRI_NEW_ARRAY(p->arena, MlirType, results + 1);
    for (intptr_t i = 0; i < results; i++)
        types[i] = mlirValueGetType(tri_op_result(p->loop, i));
    const int32_t warps[] = {producer_warps};
    const int32_t registers[] = {mlirOperationIsNull(p->dot) ? producer_registers : single_product_registers};
    tri_attr attrs[] = {
        {"partitionNumWarps", tri_attr_i32s(b.context, 1, warps)},
        {"requestedRegisters", p->moves_registers ? tri_attr_i32s(b.context, 1, registers) : (MlirAttribute){NULL}}};
    return tri_builder_create(&b, &(tri_op){.name = "ttg.warp_specialize",
                                            .num_operands = (intptr_t)captures->len,
                                            .operands = captures->at,
                                            .num_results = results,
                                            .results = types,
                                            .num_attrs = 2,
                                            .attrs = attrs,
                                            .num_regions = 2,
                                            .regions = regions});
}

/* The captures: the rings, and what cannot be computed again. */
static void collect_captures(tri_split_plan *p, tri_value_list *out)
{
    tri_value_list outside = {0};
    tri_split_names seen = {0};
    collect_outside(p, &outside);
    for (size_t i = 0; i < p->loads.len; i++)
        tri_vec_push(p->arena, out, p->loads.at[i].ring);
    for (size_t g = 0; g < p->groups.len; g++) {
        tri_vec_push(p->arena, out, p->groups.at[g].full);
        tri_vec_push(p->arena, out, p->groups.at[g].empty);
    }
    for (size_t i = 0; i < outside.len; i++)
        take(p->arena, NULL, &seen, outside.at[i], out);
}

void tri_split_loop(tri_split_plan *p)
{
    tri_value_list captures = {0};
    tri_split_names n = {0};
    make_rings(p);
    collect_captures(p, &captures);
    MlirType *types = TRI_NEW_ARRAY(p->arena, MlirType, captures.len + 1);
    MlirLocation *locs = TRI_NEW_ARRAY(p->arena, MlirLocation, captures.len + 1);
    for (size_t i = 0; i < captures.len; i++) {
        types[i] = mlirValueGetType(captures.at[i]);
        locs[i] = mlirOperationGetLocation(p->loop);
    }
    MlirBlock producer = mlirBlockCreate((intptr_t)captures.len, types, locs);
    for (size_t i = 0; i < captures.len; i++)
        tri_split_bind(p->arena, &n, captures.at[i], mlirBlockGetArgument(producer, (intptr_t)i));
    intptr_t results = mlirOperationGetNumResults(p->loop);
    make_producer(p, producer, &n);
    make_consumers(p);
    MlirOperation split = make_split(p, &captures, results, producer);
    enclose(p, split);
    tri_builder_set_attr(p->loop, "tt.num_stages", tri_attr_i32(p->run->unit->mlir, 0));
    end_rings(p, split);
    if (mlirOperationIsNull(p->dot))
        tri_rotate_loop(p->arena, p->loop);
}
