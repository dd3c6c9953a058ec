/* Products that are put off. An accumulator that a loop, or a nest of loops, only adds products to,
 *
 *     for ..: for ..:  acc = dot(a, b, acc)      (or acc + dot(a, b, 0))
 *
 * is not touched by each of them: their operands are placed, and when enough of them wait, or the outermost loop ends,
 * the kernel runs over all, its sums in registers or tiles meanwhile. Such loops write nothing that is read, so that
 * left operands may still be read where they lie. Products of several dots of one iteration go into one queue. */
#include "targets/cpu/dot.h"

#include "ir/op_classes.h"
#include "ir/options.h"

enum {
    strip_bytes = 64 << 10,  /* of b that a column of tiles of the result reads: near the first cache */
    block_bytes = 512 << 10, /* of packed operands of either side that wait: together they stay in the second cache */
    tile_times = 2,          /* as much of both with AMX, whose processors have 2 MiB of that: sums move less often */
    max_trips = 64,
    max_dots = 16,
    max_depth = 8,
};

/* ---- which loops ---- */

typedef struct {
    MlirOperation dots[max_dots];
    MlirValue args[max_depth]; /* of loops inside */
    int dot_count, arg_count;
} chain;

/* acc + dot(a, b, 0): the dot; null: it is something else. */
static MlirOperation added_dot(MlirOperation add, intptr_t acc_at)
{
    const MlirOperation none = {NULL};
    intptr_t at;
    if (!tri_op_is(add, "arith.addf") && !tri_op_is(add, "arith.addi"))
        return none;
    MlirValue other = tri_op_operand(add, 1 - acc_at);
    MlirOperation dot = tri_op_def(other);
    bool fits = !mlirOperationIsNull(dot) && tri_op_is(dot, "tt.dot") && tri_cpu_is_zero(tri_op_operand(dot, 2)) &&
                mlirOperationGetBlock(dot).ptr == mlirOperationGetBlock(add).ptr;
    return fits && tri_cpu_only_user(other, &at).ptr == add.ptr ? dot : none;
}

/* The dots that the loop's argument goes through, each the only reader of its accumulator, until it is yielded. */
static bool follow(MlirOperation loop, intptr_t arg, chain *out)
{
    MlirBlock body = tri_op_body(loop, 0);
    MlirValue value = mlirBlockGetArgument(body, arg + 1);
    for (;;) {
        intptr_t at;
        MlirOperation user = tri_cpu_only_user(value, &at);
        if (mlirOperationIsNull(user) || mlirOperationGetBlock(user).ptr != body.ptr)
            return false;
        if (tri_op_is(user, "scf.yield"))
            return at == arg;
        if (tri_op_is(user, "tt.dot") && at == 2 && out->dot_count < max_dots) {
            out->dots[out->dot_count++] = user;
            value = tri_op_result(user, 0);
        } else if (added_dot(user, at).ptr && out->dot_count < max_dots) {
            out->dots[out->dot_count++] = added_dot(user, at);
            value = tri_op_result(user, 0);
        } else if (tri_op_is(user, "scf.for") && at >= 3 && out->arg_count < max_depth) {
            out->args[out->arg_count++] = mlirBlockGetArgument(tri_op_body(user, 0), at - 2);
            if (!follow(user, at - 3, out))
                return false;
            value = tri_op_result(user, at - 3);
        } else {
            return false;
        }
    }
}

static bool is_same_product(const tri_cpu_product *x, const tri_cpu_product *y)
{
    return x->m == y->m && x->n == y->n && x->k == y->k && x->isa == y->isa && x->is_split == y->is_split &&
           x->compute.kind == y->compute.kind && mlirTypeEqual(x->mlir_element, y->mlir_element);
}

/* All of one shape, in the sums' own type; `out`: that of each. */
static bool are_alike(tri_cpu_gen *g, const chain *c, tri_cpu_product *out)
{
    for (int i = 0; i < c->dot_count; i++) {
        tri_cpu_product x = {.g = g};
        tri_cpu_product_prepare(&x, c->dots[i]);
        MlirType sum = tri_type_element(mlirValueGetType(tri_op_result(c->dots[i], 0)));
        if (x.rank != 2 || !mlirTypeEqual(sum, x.mlir_sum) || (i && !is_same_product(&x, out)))
            return false;
        *out = x;
    }
    return c->dot_count > 0;
}

static bool writes_inside(tri_cpu_gen *g, MlirOperation op)
{
    tri_op_list inner = {0};
    tri_op_collect(op, g->arena, &inner);
    for (size_t i = 0; i < inner.len; i++)
        if (tri_op_in(inner.at[i], TRI_OPS_WRITE | TRI_OPS_CALL | TRI_OPS_BARRIER))
            return true;
    return false;
}

/* The only user of the sums; where that makes 16 bits of them, as kernels with tiles do on the way, the user of those.
 */
static MlirOperation user_of_sums(tri_cpu_gen *g, MlirValue sums, tri_cpu_queue *q, intptr_t *out_operand)
{
    MlirOperation user = tri_cpu_only_user(sums, out_operand);
    if (mlirOperationIsNull(user) || !tri_op_is(user, "arith.truncf") || !q->x.isa || !q->x.isa->is_tile)
        return user;
    MlirValue narrow = tri_op_result(user, 0);
    q->x.narrow = tri_cpu_type_of(g, mlirValueGetType(narrow));
    q->is_narrow = q->x.compute.kind == TRI_CPU_F32 && q->x.narrow.bits == 16 && tri_cpu_is_lazy(g, narrow);
    return q->is_narrow ? tri_cpu_only_user(narrow, out_operand) : user;
}

/* The store behind the loop that is all its result is for, with nothing written in between. */
static MlirOperation find_store(tri_cpu_gen *g, MlirOperation loop, intptr_t arg, tri_cpu_queue *q)
{
    const MlirOperation none = {NULL};
    intptr_t at;
    MlirOperation store = user_of_sums(g, tri_op_result(loop, arg), q, &at);
    if (mlirOperationIsNull(store) || !tri_op_is(store, "tt.store") || at != 1)
        return none;
    MlirOperation op = mlirOperationGetNextInBlock(loop);
    while (!mlirOperationIsNull(op) && op.ptr != store.ptr && !writes_inside(g, op))
        op = mlirOperationGetNextInBlock(op);
    return op.ptr == store.ptr ? store : none;
}

/* ---- memory ---- */

static int64_t fewer(int64_t x, int64_t y) { return x < y ? x : y; }

static int64_t choose_trips(const tri_cpu_product *x)
{
    enum { columns = 32 };
    int64_t a = tri_cpu_product_bytes(x, x->m * x->k), b = tri_cpu_product_bytes(x, x->k * x->n);
    int64_t strip = tri_cpu_product_bytes(x, x->k * fewer(x->n, columns));
    strip /= x->is_split ? 2 : 1;
    int64_t times = x->isa && x->isa->is_tile ? tile_times : 1;
    int64_t trips = fewer(times * strip_bytes / strip, times * block_bytes / (a > b ? a : b));
    return tri_cpu_tiles_trips(x, fewer(trips, max_trips));
}

/* Not of the arena, whose limit is on what the kernel's author chose. */
static LLVMValueRef new_room(tri_cpu_gen *g, int64_t bytes, const char *name)
{
    bytes = (bytes + 63) & ~(int64_t)63;
    LLVMValueRef v = tri_cpu_temp(g, LLVMArrayType2(g->i8, (uint64_t)bytes), name);
    LLVMSetAlignment(v, 64);
    return v;
}

static LLVMValueRef block_at(tri_cpu_gen *g, LLVMValueRef base, LLVMValueRef number, int64_t bytes)
{
    LLVMValueRef at = LLVMBuildNSWMul(g->b, number, tri_cpu_i64(g, bytes), "");
    return LLVMBuildInBoundsGEP2(g->b, g->i8, base, &at, 1, "");
}

/* ---- the kernel, as a function of its own: it is called where the queue is full, and where the loop ends ---- */

static LLVMValueRef make_kernel(tri_cpu_gen *g, const tri_cpu_queue *q)
{
    tri_cpu_product x = q->x;
    x.is_narrow = q->is_narrow ? LLVMConstInt(g->i1, 1, false) : NULL;
    tri_cpu_at(g, 0);
    return tri_cpu_twin_function(&x);
}

void tri_cpu_queue_run(tri_cpu_gen *g, const tri_cpu_queue *q, LLVMValueRef count, LLVMValueRef out,
                       LLVMValueRef stride, bool is_stored)
{
    LLVMValueRef is_fresh = LLVMBuildLoad2(g->b, g->i1, q->is_fresh, "");
    LLVMValueRef args[TRI_CPU_PRODUCT_PARAMS] = {q->table, count, q->sums, is_fresh, out, stride};
    int more = TRI_CPU_PRODUCT_MORE;
    if (q->is_narrow)
        args[more++] = LLVMConstInt(g->i1, is_stored, false);
    if (q->x.is_split)
        args[more++] = LLVMBuildLoad2(g->b, g->i64, q->facts, "");
    tri_cpu_twin_run(g, q->kernel, args, more);
}

/* ---- the queue ---- */

bool tri_cpu_queue_begin(tri_cpu_gen *g, MlirOperation loop, intptr_t arg, LLVMValueRef sums)
{
    chain c = {0};
    tri_cpu_queue q = {.root = loop, .sums = sums};
    if (g->steps || g->unit->options->sanitize || !follow(loop, arg, &c) || !are_alike(g, &c, &q.x) ||
        writes_inside(g, loop))
        return false;
    q.x.most_trips = choose_trips(&q.x);
    if (q.x.most_trips < 2)
        return false;
    q.x.span = q.x.most_trips;
    q.blocks = tri_cpu_cache_room(g, tri_cpu_product_bytes(&q.x, q.x.k * q.x.n), q.x.most_trips);
    q.a_blocks = new_room(g, tri_cpu_product_bytes(&q.x, q.x.m * q.x.k) * q.x.most_trips, "left");
    q.table = tri_cpu_temp(g, LLVMArrayType2(tri_cpu_product_row(g), (uint64_t)q.x.most_trips), "products");
    q.count = tri_cpu_temp(g, g->i64, "waiting");
    q.first = tri_cpu_temp(g, g->i64, "first");
    q.is_fresh = tri_cpu_temp(g, g->i1, "fresh");
    q.facts = tri_cpu_temp(g, g->i64, "facts");
    q.store = find_store(g, loop, arg, &q);
    q.is_narrow = q.is_narrow && q.store.ptr;
    q.kernel = make_kernel(g, &q);
    bool is_zero = tri_cpu_is_zero(tri_op_operand(loop, arg + 3));
    tri_cpu_at(g, 0);
    LLVMBuildStore(g->b, LLVMConstInt(g->i1, is_zero, false), q.is_fresh);
    LLVMBuildStore(g->b, tri_cpu_i64(g, 0), q.count);
    LLVMBuildStore(g->b, tri_cpu_i64(g, 0), q.first);
    LLVMBuildStore(g->b, tri_cpu_i64(g, 0), q.facts);
    tri_cpu_panel_begin(g, &q);
    tri_cpu_queue *kept = TRI_NEW(g->arena, tri_cpu_queue);
    *kept = q;
    for (int i = 0; i < c.dot_count; i++)
        tri_map_set_ptr(&g->queues, c.dots[i].ptr, kept);
    for (int i = 0; i < c.arg_count; i++)
        tri_map_set_ptr(&g->queues, c.args[i].ptr, kept);
    if (q.store.ptr)
        tri_map_set_ptr(&g->queues, q.store.ptr, kept);
    tri_vec_push(g->arena, &g->queue_list, kept);
    return is_zero;
}

LLVMValueRef tri_cpu_queue_sums(tri_cpu_gen *g, MlirValue arg)
{
    const tri_cpu_queue *q = tri_map_find_ptr(&g->queues, arg.ptr);
    return q ? q->sums : NULL;
}

/* All of the queue are done, and the next ones have the numbers behind theirs. Where there is no room for all of a
 * loop, the last ones share a place, and the others stay for the next program. */
static void run_waiting(tri_cpu_gen *g, const tri_cpu_queue *q, LLVMValueRef count)
{
    tri_cpu_at(g, 0);
    tri_cpu_queue_run(g, q, count, q->sums, tri_cpu_i64(g, q->x.n), false);
    LLVMBuildStore(g->b, LLVMConstInt(g->i1, 0, false), q->is_fresh);
    LLVMBuildStore(g->b, tri_cpu_i64(g, 0), q->count);
    LLVMBuildStore(g->b, tri_cpu_i64(g, 0), q->facts);
    LLVMValueRef next = LLVMBuildAdd(g->b, LLVMBuildLoad2(g->b, g->i64, q->first, ""), count, "");
    LLVMValueRef numbers[2] = {next, tri_cpu_i64(g, q->blocks - q->x.most_trips)};
    LLVMBuildStore(g->b, tri_cpu_intrinsic(g, "llvm.smin", &g->i64, 1, numbers, 2), q->first);
}

static void place_operands(tri_cpu_gen *g, tri_cpu_queue *q, tri_cpu_product *x, LLVMValueRef count)
{
    MlirValue b = tri_op_operand(x->op, 1);
    int64_t bytes = tri_cpu_product_bytes(x, x->k * x->n);
    int64_t strip = tri_cpu_product_bytes(x, x->k * x->strip) / (x->is_split ? 2 : 1);
    tri_cpu_panel_place(q, x, tri_op_operand(x->op, 0),
                        block_at(g, q->a_blocks, count, tri_cpu_product_bytes(x, x->m * x->k)));
    tri_cpu_at(g, 0);
    tri_cpu_cache *cache = tri_cpu_cache_new(g, b, bytes, q->blocks);
    if (!cache) {
        q->b_blocks = q->b_blocks ? q->b_blocks : new_room(g, bytes * q->x.most_trips, "right");
        tri_cpu_place_right(x, b, block_at(g, q->b_blocks, count, strip));
        tri_cpu_split_take(x, NULL);
        return;
    }
    LLVMValueRef first = LLVMBuildLoad2(g->b, g->i64, q->first, "");
    LLVMValueRef at = LLVMBuildNSWMul(g->b, first, tri_cpu_i64(g, bytes), "");
    at = LLVMBuildNSWAdd(g->b, at, LLVMBuildNSWMul(g->b, count, tri_cpu_i64(g, strip), ""), "");
    tri_cpu_place_right(x, b, tri_cpu_cache_find(g, cache, b, LLVMBuildNSWAdd(g->b, first, count, ""), at,
                                                 NULL));
    tri_cpu_split_keep(x, tri_cpu_cache_fact(cache));
    tri_cpu_cache_found(g, cache);
    tri_cpu_split_take(x, tri_cpu_cache_fact(cache));
}

/* The number of products that wait, which are done before if there is no room for one more. */
static LLVMValueRef make_place(tri_cpu_gen *g, const tri_cpu_queue *q)
{
    tri_cpu_at(g, 0);
    LLVMBasicBlockRef full = tri_cpu_new_block(g, "full"), on = tri_cpu_new_block(g, "on");
    LLVMValueRef count = LLVMBuildLoad2(g->b, g->i64, q->count, "");
    LLVMValueRef is_full = LLVMBuildICmp(g->b, LLVMIntEQ, count, tri_cpu_i64(g, q->x.most_trips), "");
    LLVMBuildCondBr(g->b, is_full, full, on);
    tri_cpu_move(g, 0, full);
    run_waiting(g, q, count);
    LLVMBuildBr(g->b, on);
    tri_cpu_move(g, 0, on);
    return LLVMBuildLoad2(g->b, g->i64, q->count, "");
}

bool tri_cpu_queue_add(tri_cpu_gen *g, MlirOperation dot)
{
    tri_cpu_queue *q = tri_map_find_ptr(&g->queues, dot.ptr);
    if (!q)
        return false;
    tri_cpu_product x = q->x;
    x.op = dot;
    LLVMValueRef count = make_place(g, q);
    place_operands(g, q, &x, count);
    tri_cpu_at(g, 0);
    if (x.facts)
        LLVMBuildStore(g->b, LLVMBuildOr(g->b, LLVMBuildLoad2(g->b, g->i64, q->facts, ""), x.facts, ""), q->facts);
    LLVMTypeRef type = tri_cpu_product_row(g);
    LLVMValueRef row = LLVMBuildInBoundsGEP2(g->b, type, q->table, &count, 1, "");
    LLVMValueRef stride = x.a_stride ? x.a_stride : tri_cpu_i64(g, x.k);
    LLVMBuildStore(g->b, x.a, LLVMBuildStructGEP2(g->b, type, row, 0, ""));
    LLVMBuildStore(g->b, stride, LLVMBuildStructGEP2(g->b, type, row, 1, ""));
    LLVMBuildStore(g->b, x.b, LLVMBuildStructGEP2(g->b, type, row, 2, ""));
    LLVMBuildStore(g->b, LLVMBuildNSWAdd(g->b, count, tri_cpu_i64(g, 1), ""), q->count);
    intptr_t at;
    MlirOperation user = tri_cpu_only_user(tri_op_result(dot, 0), &at);
    if (added_dot(user, 1 - at).ptr == dot.ptr)
        tri_cpu_bind_buffer(g, tri_op_result(user, 0), q->sums);
    tri_cpu_bind_buffer(g, tri_op_result(dot, 0), q->sums);
    return true;
}
