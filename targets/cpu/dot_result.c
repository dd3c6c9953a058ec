/* The end of products that were put off (dot_queue.c). The last of them wait for the store of the result, if that is
 * all it is used for: where the block is stored as rows in memory, whole, and none of the left operands lies there, the
 * kernel writes its sums to their place. */
#include "targets/cpu/dot.h"

/* All sums are where the queue has them. */
static void finish_sums(tri_cpu_gen *g, const tri_cpu_queue *q)
{
    tri_cpu_at(g, 0);
    LLVMBasicBlockRef some = tri_cpu_new_block(g, "some"), none = tri_cpu_new_block(g, "none"),
                      zero = tri_cpu_new_block(g, "zero"), next = tri_cpu_new_block(g, "finished");
    LLVMValueRef count = LLVMBuildLoad2(g->b, g->i64, q->count, "");
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntNE, count, tri_cpu_i64(g, 0), ""), some, none);
    tri_cpu_move(g, 0, some);
    tri_cpu_queue_run(g, q, count, q->sums, tri_cpu_i64(g, q->x.n), false);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, none); /* the loop had no iteration */
    LLVMBuildCondBr(g->b, LLVMBuildLoad2(g->b, g->i1, q->is_fresh, ""), zero, next);
    tri_cpu_move(g, 0, zero);
    int64_t bytes = q->x.m * q->x.n * q->x.compute.bits / 8;
    LLVMBuildMemSet(g->b, q->sums, LLVMConstNull(g->i8), tri_cpu_i64(g, bytes), q->x.compute.bits / 8);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, next);
}

void tri_cpu_queue_end(tri_cpu_gen *g, MlirOperation loop)
{
    for (size_t i = 0; i < g->queue_list.len; i++) {
        const tri_cpu_queue *q = g->queue_list.at[i];
        if (q->root.ptr == loop.ptr && !q->store.ptr)
            finish_sums(g, q);
    }
}

/* ---- sums that are written to where they are stored ---- */

typedef struct {
    LLVMValueRef low, high; /* first address; one past the last */
} range;

/* `rows` of `columns` elements of `size` bytes, `stride` elements apart. */
static range range_of(tri_cpu_gen *g, LLVMValueRef at, LLVMValueRef stride, int64_t rows, int64_t columns, int64_t size)
{
    LLVMValueRef span = LLVMBuildMul(g->b, stride, tri_cpu_i64(g, (rows - 1) * size), ""), zero = tri_cpu_i64(g, 0);
    LLVMValueRef down[2] = {span, zero}, up[2] = {span, zero};
    at = LLVMBuildPtrToInt(g->b, at, g->i64, "");
    LLVMValueRef low = LLVMBuildAdd(g->b, at, tri_cpu_intrinsic(g, "llvm.smin", &g->i64, 1, down, 2), "");
    LLVMValueRef high = LLVMBuildAdd(g->b, at, tri_cpu_intrinsic(g, "llvm.smax", &g->i64, 1, up, 2), "");
    return (range){low, LLVMBuildAdd(g->b, high, tri_cpu_i64(g, columns * size), "")};
}

/* i1: no left operand that waits lies where the block goes. */
static LLVMValueRef are_apart(tri_cpu_gen *g, const tri_cpu_queue *q, const tri_cpu_direct *block, LLVMValueRef count)
{
    const tri_cpu_product *x = &q->x;
    LLVMTypeRef type = tri_cpu_product_row(g);
    LLVMValueRef all = tri_cpu_temp(g, g->i1, "apart");
    LLVMBuildStore(g->b, LLVMConstInt(g->i1, 1, false), all);
    int64_t size = (q->is_narrow ? x->narrow.bits : x->compute.bits) / 8;
    range to = range_of(g, block->address, block->stride, x->m, x->n, size);
    tri_cpu_counted c = tri_cpu_counted_to(g, count);
    LLVMValueRef row = LLVMBuildInBoundsGEP2(g->b, type, q->table, &c.i, 1, "");
    LLVMValueRef a = LLVMBuildLoad2(g->b, g->ptr, LLVMBuildStructGEP2(g->b, type, row, 0, ""), "");
    LLVMValueRef stride = LLVMBuildLoad2(g->b, g->i64, LLVMBuildStructGEP2(g->b, type, row, 1, ""), "");
    range from = range_of(g, a, stride, x->m, x->k, tri_cpu_product_bytes(x, 1));
    LLVMValueRef below = LLVMBuildICmp(g->b, LLVMIntULE, from.high, to.low, "");
    LLVMValueRef above = LLVMBuildICmp(g->b, LLVMIntULE, to.high, from.low, "");
    LLVMValueRef apart = LLVMBuildOr(g->b, below, above, "");
    apart = LLVMBuildAnd(g->b, LLVMBuildLoad2(g->b, g->i1, all, ""), apart, "");
    LLVMBuildStore(g->b, apart, all);
    tri_cpu_counted_end(g, &c);
    return LLVMBuildLoad2(g->b, g->i1, all, "");
}

LLVMBasicBlockRef tri_cpu_queue_store(tri_cpu_gen *g, MlirOperation store)
{
    const tri_cpu_queue *q = tri_map_find_ptr(&g->queues, store.ptr);
    tri_cpu_direct block;
    if (!q)
        return NULL;
    bool fits = tri_cpu_direct_block(g, tri_op_operand(store, 0), tri_op_segment_value(store, 2),
                                     mlirValueGetType(tri_op_operand(store, 1)), &block);
    if (!fits) {
        finish_sums(g, q);
        return NULL;
    }
    tri_cpu_at(g, 0);
    LLVMBasicBlockRef asks = tri_cpu_new_block(g, "whole"), direct = tri_cpu_new_block(g, "in_place"),
                      copies = tri_cpu_new_block(g, "copied"), done = tri_cpu_new_block(g, "stored");
    LLVMValueRef count = LLVMBuildLoad2(g->b, g->i64, q->count, "");
    LLVMValueRef may = LLVMBuildICmp(g->b, LLVMIntNE, count, tri_cpu_i64(g, 0), "");
    may = block.test ? LLVMBuildAnd(g->b, may, block.test, "") : may;
    if (g->streams) /* stores past the caches are of vectors */
        may = LLVMBuildAnd(g->b, may, LLVMBuildNot(g->b, g->streams, ""), "");
    LLVMBuildCondBr(g->b, may, asks, copies);
    tri_cpu_move(g, 0, asks);
    LLVMBuildCondBr(g->b, are_apart(g, q, &block, count), direct, copies);
    tri_cpu_move(g, 0, direct);
    tri_cpu_queue_run(g, q, count, block.address, block.stride, true);
    LLVMBuildBr(g->b, done);
    tri_cpu_move(g, 0, copies);
    finish_sums(g, q);
    return done;
}
