/* Waits for the copies of the next iteration at the end of this one, where products of warp groups read buffers.
 *
 *     scf.for ... iter_args(%t = %c0, ...) {          %w0 = ttg.async_wait %c0
 *       %w = ttg.async_wait %t                        scf.for ... iter_args(%t = %c0, ..., %w = %w0) {
 *       %d = ttng.warp_group_dot ...                    %d = ttng.warp_group_dot ...
 *       copies ; ttg.async_commit_group                 %v = ttg.async_wait %n    // what %t is in the next iteration
 *       scf.yield ..., %n, ...                          copies ; ttg.async_commit_group
 *     }                                                 scf.yield ..., %n, ..., %v
 *                                                     }
 *
 * Such products read memory by another path than the copies write it, so that a fence belongs to the wait (PTX ISA,
 * "Async proxy"), and a barrier to both. In front of the copies all this happens while the products run, and the
 * barrier is also the one between the reads of a slot and the copies that fill it. Fewer copies are under way
 * meanwhile, so this is done only in loops that wait for all their products, and have work of their own then: attention
 * gains, a plain product of matrices would lose a fifth. */
#include "passes/ttgir/pipeline/pipeline.h"

#include "passes/analysis/dots.h"
#include "passes/analysis/loops.h"

typedef struct {
    MlirOperation loop, wait, copy; /* the only wait of the body; the first copy behind the last product */
    MlirBlock body;
} rotation;

/* The body must be: the wait, products with a wait for all of them, copies. */
static bool find_parts(rotation *r)
{
    bool has_product = false, waits_for_all = false;
    for (MlirOperation op = mlirBlockGetFirstOperation(r->body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (tri_op_is(op, "ttg.async_wait")) {
            if (!mlirOperationIsNull(r->wait) || has_product)
                return false;
            r->wait = op;
        } else if (tri_op_is(op, "ttng.warp_group_dot")) {
            has_product = true;
            /* in front of the product: there is nothing to do meanwhile */
            if (!mlirOperationIsNull(tri_dots_load_of_registers(op)))
                return false;
            if (!mlirOperationIsNull(r->copy))
                return false;
        } else if (tri_op_is(op, "ttng.warp_group_dot_wait")) {
            waits_for_all |= tri_op_int(op, "pendings", 0) == 0;
        } else if (tri_op_is(op, "ttg.async_copy_global_to_local") && mlirOperationIsNull(r->copy)) {
            r->copy = op;
        } else if (tri_op_is(op, "scf.if") || tri_op_is(op, "ttg.barrier")) {
            return false;
        }
    }
    return waits_for_all && !mlirOperationIsNull(r->wait) && !mlirOperationIsNull(r->copy);
}

/* What a token of the wait was before the loop and will be in the next iteration. False when that is copied in
 * this iteration only: there is nothing yet to wait for. */
static bool follow(const rotation *r, MlirValue token, MlirValue *out_first, MlirValue *out_next)
{
    MlirBlock block;
    intptr_t index;
    if (!tri_op_is_block_argument(token, &block, &index) || !mlirBlockEqual(block, r->body) || index == 0)
        return false;
    *out_first = tri_op_operand(r->loop, index + 2);
    *out_next = tri_op_operand(mlirBlockGetTerminator(r->body), index - 1);
    return tri_op_is_block_argument(*out_next, &block, &index);
}

static MlirValue make_wait(tri_builder *b, const rotation *r, intptr_t n, const MlirValue *tokens)
{
    tri_attr num = {"num", tri_op_attr(r->wait, "num")}; /* pipeline_waits.c counts again */
    MlirType type = mlirValueGetType(tri_op_result(r->wait, 0));
    return tri_builder_value(b, &(tri_op){.name = "ttg.async_wait",
                                          .num_operands = n,
                                          .operands = tokens,
                                          .num_results = 1,
                                          .results = &type,
                                          .num_attrs = 1,
                                          .attrs = &num});
}

static void rotate(tri_arena *arena, MlirOperation loop)
{
    rotation r = {.loop = loop, .body = tri_op_body(loop, 0)};
    if (!find_parts(&r))
        return;
    intptr_t n = mlirOperationGetNumOperands(r.wait);
    MlirValue *first = TRI_NEW_ARRAY(arena, MlirValue, n + 1), *next = TRI_NEW_ARRAY(arena, MlirValue, n + 1);
    for (intptr_t i = 0; i < n; i++)
        if (!follow(&r, tri_op_operand(r.wait, i), &first[i], &next[i]))
            return;
    tri_builder b = tri_builder_before(loop);
    MlirValue ready = make_wait(&b, &r, n, first);
    r.loop = tri_loops_add_iter_args(arena, loop, 1, &ready);
    r.body = tri_op_body(r.loop, 0);
    b = tri_builder_before(r.copy);
    MlirValue later = make_wait(&b, &r, n, next);
    tri_loops_append_yield(arena, mlirBlockGetTerminator(r.body), 1, &later);
    MlirValue carried = mlirBlockGetArgument(r.body, mlirBlockGetNumArguments(r.body) - 1);
    tri_op_replace(r.wait, 1, &carried);
}

void tri_pipeline_ready_run(tri_arena *arena, MlirOperation func)
{
    tri_op_list loops = {0};
    tri_op_collect_named(func, "scf.for", arena, &loops);
    for (size_t i = loops.len; i-- > 0;)
        rotate(arena, loops.at[i]);
}
