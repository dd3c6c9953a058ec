/* Inserts the barriers that memory needs, and no others.
 *
 *     %a = ttg.local_alloc %x {allocation.offset = 0 : i32}     %a = ttg.local_alloc %x {...}
 *     %y = ttg.local_load %a                                    ttg.barrier local
 *                                                               %y = ttg.local_load %a
 *
 * Needs: allocation.offset on buffers and scratch (allocate-shared-memory); asynchronous copies are waited for
 * before their bytes are read. Holds afterwards: between two accesses of different threads to the same bytes, one of
 * them a write, there is a barrier on every path, around loops too, and one behind each wait for copies. Ops that use
 * scratch synchronise inside themselves, between the part that writes it and the part that reads it. What a bulk copy
 * fills is read behind a wait for its mbarrier, which every thread makes: no barrier is due there, but one is before
 * the copy starts, and a fence in front of that where threads themselves have written (the copy unit reads and writes
 * shared memory through a proxy of its own); behind a fence that is there already comes one, too. Between two waits for
 * one mbarrier there is a barrier, so that no thread sees a phase end twice; and one before a thread arrives at an
 * mbarrier for all.
 * Partitions of warps are each for themselves: they say by mbarriers what others may read or fill, so that no two waits
 * of a partition see one phase. Where groups of a partition come one after the other (in turns), barriers are in front.
 * Global memory gets one where threads of a program access an element that one of them writes: a scalar that all load
 * and one stores, as a lock's count (passes/analysis/globals.h says which accesses). Answers to Triton's membar
 * analysis, which leaves global memory alone. Test: tests/passes/membar.mlir */
#include "passes/passes.h"

#include "ir/analysis/scratch.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/buffers.h"
#include "passes/analysis/globals.h"

/* Bytes [begin, end) of a buffer that an op touches. */
typedef struct {
    int64_t begin, end;
    int buffer;
    MlirValue index; /* of the copy in a multi-buffer; null when unknown */
    bool is_of_warps; /* scratch of which each warp touches a part of its own, the same each time */
    int rank;        /* > 0: only this box of the buffer's tensor */
    int32_t low[TRI_MAX_RANK], high[TRI_MAX_RANK];
} slice;

typedef TRI_VEC(slice) slice_list;

/* What has been touched since the last barrier. */
typedef struct {
    slice_list reads, writes;
    slice_list copies; /* what copies fill: who reads it has waited for them, and each wait has a barrier */
    slice_list waits;  /* mbarriers that were waited for */
    slice_list flights; /* what products that nobody has waited for read; barriers do not end them */
    slice_list unfenced; /* what threads have written since the last fence; barriers do not end them */
    slice_list fenced;   /* what a fence was for: each thread's own, so that a barrier is due behind it */
    slice_list fills;  /* what bulk copies fill, and mbarriers that they will report to; of the op at hand only: */
    slice_list uses;
    slice_list takes; /* what bulk copies read, beside `reads`; who writes what products read fences at once */
    tri_global_list globals;
} state;

typedef struct {
    tri_pass_run *run;
    tri_arena *arena;
    tri_buffers buffers;
    tri_globals globals;
    MlirOperation module;
    bool is_inside; /* of a partition: phases of mbarriers end as its warps and others say */
} membar;

/* ---- states ---- */

static bool is_same(const slice *x, const slice *y)
{
    size_t bytes = sizeof *x->low * (size_t)x->rank;
    return x->begin == y->begin && x->end == y->end && x->buffer == y->buffer && mlirValueEqual(x->index, y->index) &&
           x->rank == y->rank && memcmp(x->low, y->low, bytes) == 0 && memcmp(x->high, y->high, bytes) == 0;
}

static bool holds(const slice_list *list, const slice *s)
{
    for (size_t i = 0; i < list->len; i++)
        if (is_same(&list->at[i], s))
            return true;
    return false;
}

static void add(membar *m, slice_list *list, slice s)
{
    if (!holds(list, &s))
        tri_vec_push(m->arena, list, s);
}

static void add_all(membar *m, slice_list *to, const slice_list *from)
{
    for (size_t i = 0; i < from->len; i++)
        add(m, to, from->at[i]);
}

static void merge(membar *m, state *to, const state *from)
{
    add_all(m, &to->reads, &from->reads);
    add_all(m, &to->writes, &from->writes);
    add_all(m, &to->copies, &from->copies);
    add_all(m, &to->waits, &from->waits);
    add_all(m, &to->flights, &from->flights);
    add_all(m, &to->unfenced, &from->unfenced);
    add_all(m, &to->fenced, &from->fenced);
    tri_globals_add(&m->globals, &to->globals, &from->globals);
}

static state copy(membar *m, const state *s)
{
    state c = {0};
    merge(m, &c, s);
    return c;
}

/* Around a back edge an index value is another one of the same name. */
static void forget_indices(state *s)
{
    slice_list *const lists[] = {&s->reads,   &s->writes,   &s->copies, &s->waits,
                                 &s->flights, &s->unfenced, &s->fenced};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; i < lists[k]->len; i++)
            lists[k]->at[i].index = (MlirValue){NULL};
    tri_globals_age(&s->globals);
}

/* Two constant indices into one multi-buffer that differ. */
static bool are_other_copies(const slice *x, const slice *y)
{
    int64_t a, b;
    return x->buffer == y->buffer && !mlirValueIsNull(x->index) && !mlirValueIsNull(y->index) &&
           tri_op_const_int(x->index, &a) && tri_op_const_int(y->index, &b) && a != b;
}

static bool are_other_boxes(const slice *x, const slice *y)
{
    if (x->buffer != y->buffer || x->rank != y->rank)
        return false;
    for (int d = 0; d < x->rank; d++)
        if (x->high[d] <= y->low[d] || y->high[d] <= x->low[d])
            return true;
    return false;
}

static bool is_of_one_warp(const slice *x, const slice *y)
{
    return x->is_of_warps && y->is_of_warps && x->buffer == y->buffer;
}

static bool clash(const slice_list *x, const slice_list *y)
{
    for (size_t i = 0; i < x->len; i++)
        for (size_t k = 0; k < y->len; k++)
            if (x->at[i].begin < y->at[k].end && y->at[k].begin < x->at[i].end &&
                !are_other_copies(&x->at[i], &y->at[k]) && !are_other_boxes(&x->at[i], &y->at[k]) &&
                !is_of_one_warp(&x->at[i], &y->at[k]))
                return true;
    return false;
}

static bool is_hazard(const state *before, const state *now)
{
    return clash(&before->writes, &now->reads) || clash(&before->reads, &now->writes) ||
           clash(&before->writes, &now->writes) || clash(&before->copies, &now->writes) ||
           clash(&before->reads, &now->copies) || clash(&before->writes, &now->copies) ||
           clash(&before->copies, &now->copies) || clash(&before->reads, &now->fills) ||
           clash(&before->writes, &now->fills) || clash(&before->copies, &now->fills) ||
           clash(&before->writes, &now->waits) || clash(&before->waits, &now->writes) ||
           clash(&before->waits, &now->waits) || clash(&before->writes, &now->uses) ||
           clash(&before->unfenced, &now->fills) || clash(&before->fenced, &now->fills) ||
           clash(&before->fenced, &now->takes);
}

/* ---- effects ---- */

typedef enum { TOUCH_NONE, TOUCH_READ, TOUCH_WRITE, TOUCH_BOTH, TOUCH_COPY, TOUCH_FILL, TOUCH_WAIT, TOUCH_USE,
               TOUCH_TAKE } touch;

typedef struct {
    const char *op;
    touch operands; /* of memory descriptors it takes */
    touch results;  /* of those it makes */
} effect;

/* Ops that are not here touch each descriptor they take both ways. */
static const effect effects[] = {
    {"ttg.local_alloc", TOUCH_NONE, TOUCH_WRITE},
    {"ttg.local_dealloc", TOUCH_NONE, TOUCH_NONE},
    {"ttg.local_load", TOUCH_READ, TOUCH_NONE},
    {"ttg.local_gather", TOUCH_READ, TOUCH_NONE},
    {"ttg.local_store", TOUCH_WRITE, TOUCH_NONE},
    {"ttg.local_scatter", TOUCH_WRITE, TOUCH_NONE},
    {"ttg.async_copy_global_to_local", TOUCH_COPY, TOUCH_NONE},
    {"ttng.warp_group_dot", TOUCH_READ, TOUCH_NONE},
    {"ttng.warp_group_dot_wait", TOUCH_NONE, TOUCH_NONE},
    {"ttng.init_barrier", TOUCH_WRITE, TOUCH_NONE},
    {"ttng.inval_barrier", TOUCH_WRITE, TOUCH_NONE},
    {"ttng.barrier_expect", TOUCH_USE, TOUCH_NONE},
    {"ttng.arrive_barrier", TOUCH_USE, TOUCH_NONE},
    {"ttng.wait_barrier", TOUCH_WAIT, TOUCH_NONE},
    {"ttng.async_tma_copy_global_to_local", TOUCH_FILL, TOUCH_NONE},
    {"ttng.async_tma_gather", TOUCH_FILL, TOUCH_NONE},
    {"ttng.async_tma_copy_local_to_global", TOUCH_TAKE, TOUCH_NONE},
    {"ttng.async_tma_reduce", TOUCH_TAKE, TOUCH_NONE},
    {"ttng.async_tma_scatter", TOUCH_TAKE, TOUCH_NONE},
    {"ttg.warp_specialize", TOUCH_NONE, TOUCH_NONE},
    {"arith.select", TOUCH_NONE, TOUCH_NONE},
};

static effect effect_of(MlirOperation op)
{
    tri_str name = tri_op_name(op);
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
        if (tri_str_is(name, effects[i].op))
            return effects[i];
    if (tri_buffers_is_view(op) || tri_str_has_prefix(name, "scf.") || tri_str_has_prefix(name, "cf."))
        return (effect){"", TOUCH_NONE, TOUCH_NONE};
    return (effect){"", TOUCH_BOTH, TOUCH_NONE};
}

/* The part of its buffer's tensor that a subslice shows, through subslices of subslices. */
static void find_box(MlirValue value, slice *s)
{
    int32_t offset[TRI_MAX_RANK];
    tri_memdesc d;
    MlirOperation def = tri_op_def(value);
    if (mlirOperationIsNull(def) || !tri_op_is(def, "ttg.memdesc_subslice") ||
        !tri_type_get_memdesc(mlirValueGetType(value), &d))
        return;
    for (int i = 0; i < d.rank; i++)
        s->low[i] = 0;
    for (; !mlirOperationIsNull(def) && tri_op_is(def, "ttg.memdesc_subslice");
         def = tri_op_def(tri_op_operand(def, 0))) {
        int n = tri_op_i32s(def, "offsets", offset, TRI_MAX_RANK);
        for (int i = 0; i < n; i++)
            s->low[i] += offset[i];
    }
    if (!mlirOperationIsNull(def) && tri_buffers_is_view(def) && !tri_op_is(def, "ttg.memdesc_index"))
        return;
    s->rank = d.rank;
    for (int i = 0; i < d.rank; i++)
        s->high[i] = s->low[i] + (int32_t)d.shape[i];
}

/* The mbarrier that a bulk copy reports to, behind which its buffer comes. */
static bool is_mbarrier(MlirOperation op, intptr_t operand)
{
    tri_memdesc next;
    return operand + 1 < mlirOperationGetNumOperands(op) &&
           tri_type_get_memdesc(mlirValueGetType(tri_op_operand(op, operand + 1)), &next);
}

static void touch_value(membar *m, state *now, MlirValue value, touch how)
{
    if (how == TOUCH_NONE || !tri_buffers_is_shared(mlirValueGetType(value)))
        return;
    MlirValue index = {NULL};
    MlirOperation def = tri_op_def(value);
    while (!mlirOperationIsNull(def) && tri_buffers_is_view(def) && !tri_op_is(def, "ttg.memdesc_index"))
        def = tri_op_def(tri_op_operand(def, 0));
    if (!mlirOperationIsNull(def) && tri_op_is(def, "ttg.memdesc_index"))
        index = tri_op_operand(def, 1);
    const tri_buffer_set *set = tri_buffers_of(&m->buffers, value);
    for (size_t i = 0; i < set->len; i++) {
        const tri_buffer *b = &m->buffers.list.at[set->at[i]];
        slice s = {.begin = b->offset, .end = b->offset + b->size, .buffer = set->at[i], .index = index};
        find_box(value, &s);
        if (how == TOUCH_READ || how == TOUCH_BOTH || how == TOUCH_TAKE)
            add(m, &now->reads, s);
        if (how == TOUCH_TAKE)
            add(m, &now->takes, s);
        if (how == TOUCH_WRITE || how == TOUCH_BOTH)
            add(m, &now->writes, s);
        if (how == TOUCH_COPY)
            add(m, &now->copies, s);
        if (how == TOUCH_FILL)
            add(m, &now->fills, s);
        if (how == TOUCH_WAIT)
            add(m, &now->waits, s);
        if (how == TOUCH_USE)
            add(m, &now->uses, s);
    }
}

static void touches_of(membar *m, MlirOperation op, state *out_now)
{
    effect e = effect_of(op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (e.operands != TOUCH_FILL || !is_mbarrier(op, i))
            touch_value(m, out_now, tri_op_operand(op, i), e.operands);
    /* an allocation without a value writes nothing */
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && mlirOperationGetNumOperands(op); i++)
        touch_value(m, out_now, tri_op_result(op, i), e.results);
}

/* ---- barriers ---- */

enum { space_local = 1, space_global = 2 | 4 /* read, write */ };

static bool is_barrier(MlirOperation op)
{
    if (tri_op_is(op, "ttg.barrier"))
        return tri_op_int(op, "addrSpace", space_local) & space_local;
    return tri_op_is(op, "ttg.local_barrier") || tri_op_is(op, "gpu.barrier") || tri_op_is(op, "ttng.cluster_barrier");
}

static bool is_wait(MlirOperation op)
{
    return tri_op_is(op, "ttg.async_wait") || tri_op_is(op, "ttng.async_tma_store_wait");
}

static void insert_barrier(tri_builder *b, int spaces)
{
    tri_attr attr = {"addrSpace", tri_attr_i32(b->context, spaces)};
    tri_builder_create(b, &(tri_op){.name = "ttg.barrier", .num_attrs = 1, .attrs = &attr});
}

static void insert_fence(tri_builder *b)
{
    tri_attr cluster = {"bCluster", tri_attr_bool(b->context, false)};
    tri_builder_create(b, &(tri_op){.name = "ttng.fence_async_shared", .num_attrs = 1, .attrs = &cluster});
}

/* What asynchronous copies brought is visible to the thread that waited; others need a barrier,
 * unless one follows before anything happens. */
static bool is_synchronised_later(membar *m, MlirOperation wait)
{
    for (MlirOperation op = mlirOperationGetNextInBlock(wait); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (is_barrier(op) || is_wait(op))
            return true;
        if (mlirOperationGetNumRegions(op) || tri_op_has_effects(op) || tri_buffers_scratch(&m->buffers, op))
            return false;
    }
    return false;
}

/* Whether the op synchronises the block between writing and reading its scratch. A call need not. */
static bool has_inner_barrier(membar *m, MlirOperation op)
{
    if (!tri_op_is(op, "ttg.convert_layout"))
        return !tri_op_is(op, "tt.call");
    tri_linear src, dst;
    tri_plan_convert plan;
    MlirType from = mlirValueGetType(tri_op_operand(op, 0)), to = mlirValueGetType(tri_op_result(op, 0));
    if (!tri_scratch_linear(m->arena, from, &src) || !tri_scratch_linear(m->arena, to, &dst) ||
        !tri_plan_convert_make(&src, &dst, tri_scratch_element_bits(from), &m->buffers.machine, 0, &plan))
        return false;
    return plan.sync != TRI_SYNC_WARP;
}

static void pass_barrier(state *s) { *s = (state){.flights = s->flights, .unfenced = s->unfenced}; }

/* Products read until their warps have waited for them; other warps may be behind. */
static void wait_for_products(membar *m, MlirOperation op, state *s)
{
    add_all(m, &s->reads, &s->flights);
    if (tri_op_int(op, "pendings", 0) == 0)
        s->flights = (slice_list){0};
}

/* A barrier that is there orders global memory as well where that matters. */
static void order_globals(MlirOperation barrier, const state *s)
{
    int64_t spaces = tri_op_int(barrier, "addrSpace", space_local);
    if (s->globals.len && tri_op_is(barrier, "ttg.barrier") && (spaces & space_global) != space_global)
        tri_builder_set_attr(barrier, "addrSpace",
                             tri_attr_i32(mlirOperationGetContext(barrier), (int32_t)spaces | space_global));
}

/* An update hands the old value on behind a barrier that orders global memory, too. */
static bool is_update(MlirOperation op) { return tri_op_is(op, "tt.atomic_rmw") || tri_op_is(op, "tt.atomic_cas"); }

/* One thread arrives for all: what they have read and written must be over. Where each warp arrives, it is. */
static bool speaks_for_all(MlirOperation op, const state *s)
{
    return tri_op_is(op, "ttng.arrive_barrier") && !tri_op_flag(op, TRI_BUFFERS_PER_WARP) &&
           (s->reads.len || s->writes.len || s->copies.len);
}

/* Whether there must be a barrier between what was before and what the op does now. */
static bool needs_barrier(const membar *m, MlirOperation op, const state *s, const state *now)
{
    state before = *s;
    if (m->is_inside && tri_op_is(op, "ttng.wait_barrier"))
        before.waits = (slice_list){0};
    return is_hazard(&before, now) || speaks_for_all(op, s);
}

/* In front of a group's turn: a barrier that its operations need stands here, as no other group comes in the turn. */
static void open_turn(membar *m, MlirOperation wait, state *s)
{
    bool is_needed = false, is_over = false;
    for (MlirOperation op = wait; !mlirOperationIsNull(op) && !is_over; op = mlirOperationGetNextInBlock(op)) {
        state now = {0};
        touches_of(m, op, &now);
        is_over = tri_op_is(op, "ttng.arrive_barrier") && tri_op_flag(op, TRI_BUFFERS_TURN);
        is_needed |= needs_barrier(m, op, s, &now);
    }
    if (!is_needed)
        return;
    tri_builder b = tri_builder_before(wait);
    insert_barrier(&b, space_local);
    pass_barrier(s);
}

static void visit_simple(membar *m, MlirOperation op, state *s)
{
    if (tri_op_is(op, "ttng.wait_barrier") && tri_op_flag(op, TRI_BUFFERS_TURN))
        open_turn(m, op, s);
    if (is_barrier(op)) {
        order_globals(op, s);
        pass_barrier(s);
        return;
    }
    if (tri_op_is(op, "ttng.fence_async_shared")) {
        add_all(m, &s->fenced, &s->unfenced);
        s->unfenced = (slice_list){0};
    }
    if (tri_op_is(op, "ttng.warp_group_dot_wait"))
        wait_for_products(m, op, s);
    if (is_wait(op)) {
        if (!is_synchronised_later(m, op)) {
            tri_builder b = tri_builder_after(op);
            insert_barrier(&b, space_local | (s->globals.len ? space_global : 0));
            pass_barrier(s);
        }
        return;
    }
    state now = {0};
    touches_of(m, op, &now);
    const tri_buffer *scratch = tri_buffers_scratch(&m->buffers, op);
    slice own = {0};
    if (scratch) {
        own.begin = scratch->offset;
        own.end = scratch->offset + scratch->size;
        own.buffer = (int)(scratch - m->buffers.list.at);
        own.is_of_warps = tri_op_is(op, "ttg.convert_layout") && !has_inner_barrier(m, op);
        add(m, &now.writes, own);
        if (own.is_of_warps && holds(&s->reads, &own))
            tri_builder_set_attr(op, TRI_BUFFERS_AGAIN, tri_attr_unit(mlirOperationGetContext(op)));
    }
    const tri_global_list *globals = tri_globals_of(&m->globals, op);
    bool is_global = tri_globals_clash(&m->globals, &s->globals, globals);
    if (is_global || needs_barrier(m, op, s, &now)) {
        tri_builder b = tri_builder_before(op);
        if (clash(&s->unfenced, &now.fills)) {
            insert_fence(&b);
            s->unfenced = (slice_list){0};
        }
        insert_barrier(&b, is_global ? space_local | space_global : space_local);
        pass_barrier(s);
    }
    add_all(m, &s->unfenced, &now.writes);
    bool is_handed_on = scratch && is_update(op);
    if (scratch && has_inner_barrier(m, op)) {
        tri_global_list pending = is_handed_on ? (tri_global_list){0} : s->globals;
        pass_barrier(s);
        s->globals = pending;
        now = (state){0};
    }
    if (scratch)
        add(m, &now.reads, own);
    if (tri_op_is(op, "ttng.warp_group_dot") && tri_op_flag(op, "isAsync"))
        add_all(m, &now.flights, &now.reads);
    merge(m, s, &now);
    if (!is_handed_on)
        tri_globals_add(&m->globals, &s->globals, globals);
}

/* ---- control flow ---- */

static void visit_region(membar *m, MlirRegion region, state *s);

static bool contains(const slice_list *big, const slice_list *small)
{
    for (size_t i = 0; i < small->len; i++)
        if (!holds(big, &small->at[i]))
            return false;
    return true;
}

/* Joins `from` into `to`; false when that added nothing. */
static bool join(membar *m, state *to, const state *from)
{
    if (!tri_globals_add(&m->globals, &to->globals, &from->globals) && contains(&to->reads, &from->reads) &&
        contains(&to->writes, &from->writes) && contains(&to->copies, &from->copies) &&
        contains(&to->waits, &from->waits) && contains(&to->flights, &from->flights) &&
        contains(&to->unfenced, &from->unfenced) && contains(&to->fenced, &from->fenced))
        return false;
    merge(m, to, from);
    return true;
}

static bool clashes_inside(membar *m, MlirOperation op, const state *s)
{
    tri_op_list ops = {0};
    if (s->globals.len)
        tri_op_collect(op, m->arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        if (tri_globals_clash(&m->globals, &s->globals, tri_globals_of(&m->globals, ops.at[i])))
            return true;
    return false;
}

static void visit_loop(membar *m, MlirOperation op, state *s)
{
    if (clashes_inside(m, op, s)) { /* with what was before: one barrier here does, instead of one in each round */
        tri_builder b = tri_builder_before(op);
        insert_barrier(&b, space_local | space_global);
        pass_barrier(s);
    }
    state head = copy(m, s), out;
    bool is_while = tri_op_is(op, "scf.while");
    for (;;) {
        state body = copy(m, &head);
        visit_region(m, mlirOperationGetRegion(op, 0), &body);
        out = copy(m, &body);
        if (is_while)
            visit_region(m, mlirOperationGetRegion(op, 1), &body);
        forget_indices(&body);
        if (!join(m, &head, &body))
            break;
    }
    *s = out;
    if (!is_while)
        merge(m, s, &head); /* no trips */
}

static void visit_if(membar *m, MlirOperation op, state *s)
{
    state after = {0};
    for (int r = 0; r < 2; r++) {
        state branch = copy(m, s);
        visit_region(m, mlirOperationGetRegion(op, r), &branch);
        merge(m, &after, &branch);
    }
    *s = after;
}

/* All warps of the block meet before partitions begin and after they have ended. In between each is alone: what one
 * hands to another it does through mbarriers. */
static void visit_partitions(membar *m, MlirOperation op, state *s)
{
    if (s->unfenced.len) { /* who fills what these threads wrote is another thread */
        tri_builder b = tri_builder_before(op);
        insert_fence(&b);
        s->unfenced = (slice_list){0};
    }
    pass_barrier(s);
    bool was_inside = m->is_inside;
    m->is_inside = true;
    visit_region(m, mlirOperationGetRegion(op, 0), s);
    MlirOperation partitions = mlirBlockGetFirstOperation(tri_op_body(op, 1));
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(partitions); r++) {
        state inner = {0};
        visit_region(m, mlirOperationGetRegion(partitions, r), &inner);
        merge(m, s, &inner);
    }
    m->is_inside = was_inside;
    pass_barrier(s);
}

static void visit_op(membar *m, MlirOperation op, state *s)
{
    if (tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while")) {
        visit_loop(m, op, s);
    } else if (tri_op_is(op, "scf.if")) {
        visit_if(m, op, s);
    } else if (tri_op_is(op, "ttg.warp_specialize")) {
        visit_partitions(m, op, s);
    } else {
        visit_simple(m, op, s);
    }
}

static void visit_block(membar *m, MlirBlock block, state *s)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !mlirOperationIsNull(op); op = next) {
        next = mlirOperationGetNextInBlock(op);
        visit_op(m, op, s);
    }
}

/* Blocks joined by branches: entry states grow until nothing changes. */
static void visit_blocks(membar *m, MlirRegion region, state *s)
{
    tri_map entry;
    tri_map_init(&entry, m->arena);
    state *first = TRI_NEW(m->arena, state), after = {0};
    *first = copy(m, s);
    MlirBlock start = mlirRegionGetFirstBlock(region);
    tri_map_set_ptr(&entry, start.ptr, first);
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        after = (state){0};
        for (MlirBlock b = start; !mlirBlockIsNull(b); b = mlirBlockGetNextInRegion(b)) {
            state *in = tri_map_find_ptr(&entry, b.ptr);
            if (!in)
                continue;
            state out = copy(m, in);
            visit_block(m, b, &out);
            MlirOperation last = mlirBlockGetTerminator(b);
            forget_indices(&out);
            if (!mlirOperationGetNumSuccessors(last))
                merge(m, &after, &out);
            for (intptr_t i = 0; i < mlirOperationGetNumSuccessors(last); i++) {
                const void *to = mlirOperationGetSuccessor(last, i).ptr;
                state *target = tri_map_find_ptr(&entry, to);
                if (!target) {
                    target = TRI_NEW(m->arena, state);
                    tri_map_set_ptr(&entry, to, target);
                    is_changed = true;
                }
                is_changed |= join(m, target, &out);
            }
        }
    }
    *s = after;
}

static void visit_region(membar *m, MlirRegion region, state *s)
{
    MlirBlock first = mlirRegionGetFirstBlock(region);
    if (mlirBlockIsNull(first))
        return;
    if (mlirBlockIsNull(mlirBlockGetNextInRegion(first)))
        visit_block(m, first, s);
    else
        visit_blocks(m, region, s);
}

static bool run_membar(tri_pass_run *run)
{
    membar m = {.run = run, .arena = run->arena, .module = mlirModuleGetOperation(run->module)};
    tri_op_list funcs = {0};
    tri_op_collect_named(m.module, "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        if (mlirBlockIsNull(tri_op_body(funcs.at[i], 0)))
            continue;
        state s = {0};
        tri_buffers_init(&m.buffers, run->arena, funcs.at[i], m.module);
        tri_globals_init(&m.globals, run->arena, funcs.at[i], m.module);
        if (m.buffers.list.len || m.globals.is_needed)
            visit_region(&m, mlirOperationGetRegion(funcs.at[i], 0), &s);
    }
    return true;
}

const tri_pass tri_pass_membar = {
    .name = "membar",
    .help = "insert the barriers that accesses to memory need",
    .alias = "test-print-membar",
    .run = run_membar,
};
