/* A program followed from its beginning to its end, for the cost model. */
#include "passes/analysis/cost_parts.h"

#include "passes/analysis/buffers.h"

#include <math.h>

enum { RUNNING = 16 /* products */, PRODUCT_START = 30, PRODUCT_END = 100, GROUP_WARPS = 4 };
static const double LOOSE = 0.8; /* of groups that meet once in an iteration: the work of all that each waits for */
static const double BUSY = 1.5, BUSY_ENGINE = 3; /* a copy's latency beside many others, in latencies */
enum { SPILL = 3 /* cycles of a warp's register */ };
enum { BEGIN = 800 /* cycles between two programs */, SPLIT_BEGIN = 800 /* until partitions run */ };
enum { FIRST = 0, AGAIN = 1, ROUNDS = 3 };

/* Warps that do the same. */
typedef struct {
    tri_cost_kernel *k;
    tri_cost_values *values;
    tri_cost_program *out;
    tri_map ready; /* MlirValue.ptr -> double: when what was loaded is there */
    double now, free; /* the matrix units are, of these warps' products */
    double ends[RUNNING]; /* of products that run, the oldest first */
    int running;
    int warps;
    double share;  /* of the work that each group does: groups that nothing but mbarriers ties */
    double weight; /* how often what is seen happens; 0: it was counted before */
    double wait;   /* of the loop that is followed: the least cycles an iteration that its copies leave */
    double arrives; /* what copies outside of loops bring */
    double flight;  /* bytes that a block asks memory for at a time */
    int loops;      /* around what is followed */
    bool has_products;
} track;

static void follow_block(track *t, MlirBlock block);

static const tri_cost_op *work_of(track *t, MlirOperation op)
{
    tri_cost_op *found = tri_map_find_ptr(&t->k->ops, op.ptr);
    if (found)
        return found;
    found = TRI_NEW(t->k->arena, tri_cost_op);
    *found = tri_cost_op_of(t->k->arena, t->k->facts, op, t->warps);
    tri_map_set_ptr(&t->k->ops, op.ptr, found);
    return found;
}

static void add_work(track *t, const tri_cost_op *c)
{
    for (int i = 0; i < TRI_COST_KINDS; i++)
        t->out->work[i] += c->work[i] * t->weight;
}

static void note_bytes(track *t, MlirOperation op, double bytes)
{
    double *sum = tri_map_find_ptr(&t->out->copies, op.ptr);
    if (!sum) {
        sum = TRI_NEW(t->k->arena, double);
        *sum = 0;
        tri_map_set_ptr(&t->out->copies, op.ptr, sum);
    }
    *sum += bytes * t->weight;
}

static double latency_of(const track *t, MlirOperation access)
{
    const tri_cost_missed *missed = tri_map_find_ptr(&t->k->missed, access.ptr);
    bool is_far = missed && missed->memory > 0.02;
    return is_far ? t->k->facts->memory_latency : t->k->facts->cache_latency;
}

/* Instructions of these warps alone: one warp does not fill its scheduler. */
static double time_of(const track *t, const tri_cost_op *c)
{
    double warps = t->warps * t->share, places = warps < TRI_COST_SCHEDULERS ? warps : TRI_COST_SCHEDULERS;
    double filled = warps > TRI_COST_SCHEDULERS ? 0.85 : 0.65;
    double issue = c->work[TRI_COST_ISSUE] * t->share * TRI_COST_SCHEDULERS / places / filled;
    double special = c->work[TRI_COST_SPECIAL] * t->share * TRI_COST_SCHEDULERS / places;
    return c->work[TRI_COST_CHAIN] + fmax(fmax(issue, special), c->work[TRI_COST_SHARED] * t->share);
}

/* ---- products ---- */

static void start_product(track *t, const tri_cost_op *c)
{
    double begin = fmax(t->now, t->free);
    t->free = begin + fmax(c->work[TRI_COST_TENSOR], c->work[TRI_COST_SHARED]) * t->share;
    t->now += PRODUCT_START;
    t->has_products = true;
    if (!c->pendings) { /* the next operation waits for it */
        t->now = t->free + PRODUCT_END / 2;
        return;
    }
    if (t->running == RUNNING) {
        t->running--;
        for (int i = 0; i < t->running; i++)
            t->ends[i] = t->ends[i + 1];
    }
    t->ends[t->running++] = t->free;
}

static void wait_for_products(track *t, int left)
{
    int done = t->running > left ? t->running - left : 0;
    if (!done)
        return;
    t->now = fmax(t->now, t->ends[done - 1] + PRODUCT_END);
    t->running -= done;
    for (int i = 0; i < t->running; i++)
        t->ends[i] = t->ends[i + done];
}

/* ---- loops ---- */

static void shift(track *t, double by)
{
    t->now += by;
    t->free += by;
    for (int i = 0; i < t->running; i++)
        t->ends[i] += by;
}

/* What does not fit in registers goes to memory and comes back in each iteration. */
static void add_spills(track *t)
{
    double cycles = 2.0 * SPILL * t->k->spilled * t->warps;
    t->out->work[TRI_COST_ISSUE] += cycles / SPILL / TRI_COST_SCHEDULERS * t->weight;
    t->out->work[TRI_COST_SHARED] += cycles * t->weight;
    t->now += cycles * t->share;
}

/* The first iterations as they are, the others as the last of these. */
static void follow_loop(track *t, MlirOperation loop)
{
    bool is_counted = tri_op_is(loop, "scf.for"), had_products = t->has_products;
    double trips = tri_cost_values_trips(t->values, loop);
    double weight = t->weight, wait = t->wait, before = t->now;
    MlirBlock body = tri_op_body(loop, is_counted ? 0 : 1);
    t->wait = 0;
    t->has_products = false;
    t->loops++;
    for (int i = 0; i < ROUNDS && i < trips; i++) {
        t->weight = i == FIRST ? weight * trips : 0;
        before = t->now;
        follow_block(t, body);
        if (t->has_products && t->k->spilled)
            add_spills(t);
    }
    if (trips > ROUNDS) {
        double each = fmax(t->now - before, t->wait);
        shift(t, (trips - ROUNDS) * each + (each - (t->now - before)) * (ROUNDS - AGAIN));
    }
    t->weight = weight;
    t->wait = wait;
    t->loops--;
    t->has_products = t->has_products || had_products;
}

/* ---- operations ---- */

static void follow_branch(track *t, MlirOperation op)
{
    int64_t which;
    bool is_known = tri_cost_values_get(t->values, tri_op_operand(op, 0), &which);
    MlirRegion region = mlirOperationGetRegion(op, is_known && !which ? 1 : 0);
    MlirBlock body = mlirRegionGetFirstBlock(region);
    if (!mlirBlockIsNull(body))
        follow_block(t, body);
}

/* Partitions begin together; the program goes on when all are through. */
static void follow_split(track *t, MlirOperation op)
{
    int32_t warps[16];
    int count = tri_op_i32s(op, "partitionNumWarps", warps, 16);
    double end, begin = t->now + SPLIT_BEGIN;
    MlirOperation partitions = mlirBlockGetFirstOperation(tri_op_body(op, 1));
    t->now += SPLIT_BEGIN;
    track own = *t;
    own.arrives = t->now + t->k->facts->memory_latency;
    own.share = t->warps > GROUP_WARPS ? (double)GROUP_WARPS / t->warps : 1;
    follow_block(&own, tri_op_body(op, 0));
    end = own.now;
    for (int i = 0; i < count && i < mlirOperationGetNumRegions(partitions); i++) {
        track other = *t;
        other.warps = warps[i];
        other.now = begin;
        other.running = 0;
        follow_block(&other, mlirRegionGetFirstBlock(mlirOperationGetRegion(partitions, i)));
        end = fmax(end, other.now);
    }
    t->now = end;
    t->free = fmax(own.free, t->free);
}

static void wait_for_operands(track *t, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        const double *ready = tri_map_find_ptr(&t->ready, tri_op_operand(op, i).ptr);
        if (ready && *ready > t->now)
            t->now = *ready;
    }
}

static void start_access(track *t, MlirOperation op, const tri_cost_op *c)
{
    const tri_cost_missed *missed = tri_map_find_ptr(&t->k->missed, op.ptr);
    double latency = latency_of(t, op);
    if (c->kind != TRI_COST_OP_STORE && latency == t->k->facts->memory_latency)
        t->flight += c->bytes * (c->kind == TRI_COST_OP_COPY && c->slots > 1 ? c->slots : 1);
    note_bytes(t, op, c->bytes);
    t->out->work[TRI_COST_CACHE] += c->bytes * t->weight * (missed ? missed->cache : 1);
    t->now += time_of(t, &(tri_cost_op){.work = {[TRI_COST_CHAIN] = c->work[TRI_COST_CHAIN],
                                                 [TRI_COST_ISSUE] = c->work[TRI_COST_ISSUE]}});
    if (c->kind == TRI_COST_OP_COPY && !t->loops)
        t->arrives = t->now + latency;
    if (c->kind == TRI_COST_OP_COPY && c->slots > 1)
        t->wait = fmax(t->wait, (c->is_bulk ? BUSY_ENGINE : BUSY) * t->k->facts->memory_latency /
                                    (c->slots - (t->running ? 1.0 : 0.0)));
    if (c->kind != TRI_COST_OP_LOAD)
        return;
    double *ready = TRI_NEW(t->k->arena, double);
    *ready = t->now + latency;
    tri_map_set_ptr(&t->ready, tri_op_result(op, 0).ptr, ready);
}

static void follow_op(track *t, MlirOperation op)
{
    const tri_cost_op *c = work_of(t, op);
    add_work(t, c);
    wait_for_operands(t, op);
    switch (c->kind) {
    case TRI_COST_OP_PRODUCT:
        start_product(t, c);
        break;
    case TRI_COST_OP_PRODUCT_WAIT:
        wait_for_products(t, c->pendings);
        break;
    case TRI_COST_OP_LOAD:
    case TRI_COST_OP_COPY:
    case TRI_COST_OP_STORE:
        start_access(t, op, c);
        break;
    case TRI_COST_OP_LOOP:
        follow_loop(t, op);
        break;
    case TRI_COST_OP_BRANCH:
        follow_branch(t, op);
        break;
    case TRI_COST_OP_SPLIT:
        follow_split(t, op);
        break;
    case TRI_COST_OP_PLAIN:
        t->now += time_of(t, c);
        if (tri_op_is(op, "ttng.wait_barrier") || tri_op_is(op, "ttg.async_wait"))
            t->now = fmax(t->now, t->arrives);
        break;
    }
}

static void follow_block(track *t, MlirBlock block)
{
    MlirOperation op = mlirBlockGetFirstOperation(block);
    double flight = t->flight;
    t->flight = 0;
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        follow_op(t, op);
    t->out->flight = fmax(t->out->flight, t->flight);
    t->flight = flight;
}

static bool has_groups(MlirOperation func, tri_arena *arena)
{
    tri_op_list dots = {0};
    tri_op_collect_named(func, "ttng.warp_group_dot", arena, &dots);
    return dots.len > 0;
}

void tri_cost_program_run(tri_cost_kernel *k, tri_cost_values *values, tri_cost_program *out)
{
    track t = {.k = k, .values = values, .out = out, .warps = k->warps, .share = 1, .weight = 1, .now = BEGIN};
    t.share = has_groups(k->func, k->arena) && k->warps > GROUP_WARPS ? LOOSE : 1;
    *out = (tri_cost_program){0};
    tri_map_init(&out->copies, k->arena);
    tri_map_init(&t.ready, k->arena);
    follow_block(&t, tri_op_body(k->func, 0));
    out->chain = t.now;
}
