#include "passes/linalg/budget.h"

#include "base/map.h"
#include "ir/type.h"

#include <string.h>

/* Operation number n takes the points 2n, where its operands and most results lie side by side, and 2n + 1, where
 * operands that died there are gone. */
typedef struct {
    tri_budget *budget;
    tri_arena *arena;
    tri_map block_of; /* MlirValue.ptr -> 1 + index: of views, too, whose memory is the one of another value */
    int64_t at;
    int depth;
} walker;

static bool has_block(MlirValue v)
{
    MlirType type = mlirValueGetType(v);
    return mlirTypeIsAShaped(type) && mlirShapedTypeHasRank(type) && mlirShapedTypeHasStaticShape(type);
}

/* Masks are bits. */
static int64_t aligned_bytes(MlirValue v, tri_budget_place place)
{
    MlirType type = mlirValueGetType(v);
    int64_t bits = tri_type_bits(mlirShapedTypeGetElementType(type)), align = place == TRI_BUDGET_SUMS ? 512 : 32;
    for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++)
        bits *= mlirShapedTypeGetDimSize(type, d);
    return ((bits + 7) / 8 + align - 1) / align * align;
}

static bool is_product(MlirOperation op)
{
    return tri_op_is(op, "linalg.matmul") || tri_op_is(op, "linalg.batch_matmul");
}

static bool is_elementwise(MlirOperation op)
{
    tri_str name = tri_op_name(op);
    return tri_str_has_prefix(name, "arith.") || tri_str_has_prefix(name, "math.");
}

static bool is_scf_loop(MlirOperation op) { return tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while"); }

static bool is_yield(MlirOperation op) { return tri_op_is(op, "scf.yield") || tri_op_is(op, "scf.condition"); }

/* The operand whose memory is the result's; -1: the result has its own. */
static int viewed_operand(MlirOperation op)
{
    static const char *const views[] = {"bufferization.to_tensor", "bufferization.to_buffer", "memref.subview",
                                        "memref.cast", "memref.reinterpret_cast", "memref.expand_shape",
                                        "memref.collapse_shape", "tensor.cast", "tensor.extract_slice",
                                        "tensor.expand_shape", "tensor.collapse_shape", "tensor.reshape"};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (tri_op_is(op, views[i]))
            return 0;
    return tri_op_is(op, "tensor.insert_slice") || tri_op_is(op, "tensor.insert") ? 1 : -1;
}

/* The value is read through views by nothing but products' operands (what `role` says), stores and loops. */
static bool only_feeds(MlirValue v, tri_budget_place role)
{
    bool found = false;
    for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use);
        unsigned i = mlirOpOperandGetOperandNumber(use);
        bool is_filled = tri_op_is(op, "linalg.fill") || (tri_op_is(op, "memref.copy") && i == 1);
        if (is_product(op) && (i == 2) != (role == TRI_BUDGET_SUMS))
            return false;
        if (is_product(op) || is_filled) {
            found |= is_product(op);
            continue;
        }
        bool is_stored = role == TRI_BUDGET_SUMS && (tri_op_is(op, "bufferization.materialize_in_destination") ||
                                                     tri_op_is(op, "scf.for") || is_yield(op));
        bool is_view = viewed_operand(op) == (int)i ||
                       (role == TRI_BUDGET_OPERANDS && tri_op_is(op, "linalg.transpose"));
        if (is_stored)
            found = true;
        else if (!is_view || mlirOperationGetNumResults(op) != 1)
            return false;
        else if (mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(op, 0))))
            continue;
        else if (only_feeds(tri_op_result(op, 0), role))
            found = true;
        else if (!tri_op_is(op, "memref.subview"))
            return false;
    }
    return found;
}

/* The ith value that a loop carries is always what a product made. */
static bool carries_product(MlirOperation loop, intptr_t i)
{
    MlirOperation yield = mlirBlockGetTerminator(tri_op_body(loop, 0));
    MlirOperation def = tri_op_def(tri_op_operand(yield, i));
    if (mlirOperationIsNull(def) || is_product(def))
        return !mlirOperationIsNull(def);
    for (intptr_t r = 0; tri_op_is(def, "scf.for") && r < mlirOperationGetNumResults(def); r++)
        if (mlirValueEqual(tri_op_result(def, r), tri_op_operand(yield, i)))
            return carries_product(def, r);
    return false;
}

static tri_budget_place place_of_carried(MlirOperation loop, intptr_t i, MlirValue v)
{
    return tri_op_is(loop, "scf.for") && carries_product(loop, i) && only_feeds(v, TRI_BUDGET_SUMS)
               ? TRI_BUDGET_SUMS
               : TRI_BUDGET_VECTOR;
}

static tri_budget_block *find_block(walker *w, MlirValue v)
{
    size_t index = (size_t)(uintptr_t)tri_map_find_ptr(&w->block_of, v.ptr);
    return index ? &w->budget->blocks.at[index - 1] : NULL;
}

static void share_block(walker *w, MlirValue v, const tri_budget_block *block)
{
    tri_map_set_ptr(&w->block_of, v.ptr, (void *)(uintptr_t)(block - w->budget->blocks.at + 1));
}

static tri_budget_block *add_block(walker *w, MlirValue v, tri_budget_place place, int64_t begin)
{
    tri_budget_block block = {
        .value = v, .place = place, .bytes = aligned_bytes(v, place), .begin = begin, .end = begin, .depth = w->depth};
    tri_vec_push(w->arena, &w->budget->blocks, block);
    tri_budget_block *added = &tri_vec_last(&w->budget->blocks);
    share_block(w, v, added);
    return added;
}

/* An operation reads a value, or a part of it. */
static void touch_value(walker *w, MlirOperation op, int operand, MlirValue v)
{
    tri_budget_block *block = find_block(w, v);
    if (!block)
        return;
    if (block->end < 2 * w->at + 1)
        block->end = 2 * w->at + 1;
    bool is_whole = !is_elementwise(op) && !is_scf_loop(op) && viewed_operand(op) < 0 &&
                    !tri_op_is(op, "linalg.fill") && !tri_op_is(op, "linalg.broadcast");
    bool is_out = is_product(op) ? operand == 2 : tri_op_is(op, "linalg.reduce");
    if (block->is_spread && ((is_whole && !is_out) || viewed_operand(op) == 1))
        block->is_spread = false;
    bool is_copy = tri_op_is(op, "memref.copy") || tri_op_is(op, "bufferization.materialize_in_destination");
    if (is_copy && block->depth > 0)
        block->is_copied = true;
    MlirOperation def = tri_op_def(block->value);
    if (block->is_spread && !mlirOperationIsNull(def) && tri_op_is(def, "linalg.broadcast"))
        touch_value(w, op, operand, tri_op_operand(def, 0));
}

static void define_result(walker *w, MlirOperation op, MlirValue result)
{
    int viewed = viewed_operand(op);
    tri_budget_block *source = viewed >= 0 ? find_block(w, tri_op_operand(op, viewed)) : NULL;
    if (tri_op_is(op, "linalg.transpose") && only_feeds(result, TRI_BUDGET_OPERANDS)) {
        source = find_block(w, tri_op_operand(op, 0));
        viewed = 0;
    }
    if (source) {
        share_block(w, result, source);
        return;
    }
    if (!has_block(result) || tri_op_is(op, "tensor.empty") || (viewed == 0 && !tri_op_is(op, "tensor.extract_slice")))
        return;
    int64_t at = 2 * w->at + (is_elementwise(op) || tri_str_has_prefix(tri_op_name(op), "scf."));
    if (is_product(op)) {
        bool stays = only_feeds(result, TRI_BUDGET_SUMS);
        add_block(w, result, TRI_BUDGET_SUMS, at + 1)->end = at + 2; /* over the operand that it adds to */
        if (!stays)
            add_block(w, result, TRI_BUDGET_VECTOR, at + 1);
        return;
    }
    tri_budget_place place = is_scf_loop(op) ? place_of_carried(op, mlirOpResultGetResultNumber(result), result)
                             : tri_op_is(op, "memref.alloc") && only_feeds(result, TRI_BUDGET_OPERANDS)
                                 ? TRI_BUDGET_OPERANDS
                                 : TRI_BUDGET_VECTOR;
    tri_budget_block *block = add_block(w, result, place, at);
    block->is_spread = tri_op_is(op, "linalg.fill") || tri_op_is(op, "linalg.broadcast") ||
                       tri_op_is(op, "arith.constant");
}

static void budget_ops(walker *w, MlirBlock block);

/* What lived before a loop and is read in it lives to its end. */
static void end_loop(walker *w, int64_t begin)
{
    for (size_t i = 0; i < w->budget->blocks.len; i++) {
        tri_budget_block *b = &w->budget->blocks.at[i];
        if (b->depth <= w->depth && b->begin <= 2 * begin + 1 && b->end > 2 * begin + 1)
            b->end = 2 * w->at + 1;
    }
}

static void budget_op(walker *w, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        touch_value(w, op, (int)i, tri_op_operand(op, i));
    int64_t begin = w->at;
    bool has_bodies = tri_str_has_prefix(tri_op_name(op), "scf.");
    if (has_bodies && mlirOperationGetNumRegions(op)) {
        w->depth += is_scf_loop(op);
        for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
            MlirBlock body = tri_op_body(op, (int)r);
            w->at++;
            for (intptr_t i = 0; !mlirBlockIsNull(body) && i < mlirBlockGetNumArguments(body); i++) {
                MlirValue v = mlirBlockGetArgument(body, i);
                if (has_block(v))
                    add_block(w, v, place_of_carried(op, i - 1, v), 2 * w->at - 1);
            }
            if (!mlirBlockIsNull(body))
                budget_ops(w, body);
        }
        w->depth -= is_scf_loop(op);
        w->at++;
        if (is_scf_loop(op))
            end_loop(w, begin);
    }
    w->budget->has_product |= is_product(op);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        define_result(w, op, tri_op_result(op, i));
    w->at++;
}

static void budget_ops(walker *w, MlirBlock block)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        budget_op(w, op);
}

void tri_budget_init(tri_budget *budget, tri_arena *arena, MlirOperation func)
{
    walker w = {.budget = budget, .arena = arena, .at = 1};
    memset(budget, 0, sizeof *budget);
    tri_map_init(&w.block_of, arena);
    MlirBlock body = tri_op_body(func, 0);
    if (!mlirBlockIsNull(body))
        budget_ops(&w, body);
    budget->points = 2 * w.at + 2;
}

int64_t tri_budget_bytes(const tri_budget_block *block, tri_budget_place place, int copies, int64_t point)
{
    if (block->is_spread || block->place != place || point < block->begin || point >= block->end)
        return 0;
    return block->bytes * (block->is_copied ? copies : 1);
}

int64_t tri_budget_most(const tri_budget *budget, tri_arena *arena, tri_budget_place place, int copies,
                        int64_t *out_point)
{
    int64_t *change = TRI_NEW_ARRAY(arena, int64_t, (size_t)budget->points + 1), now = 0, most = 0;
    *out_point = 0;
    for (size_t i = 0; i < budget->blocks.len; i++) {
        const tri_budget_block *b = &budget->blocks.at[i];
        int64_t bytes = b->begin < b->end ? tri_budget_bytes(b, place, copies, b->begin) : 0;
        change[b->begin] += bytes;
        change[b->end] -= bytes;
    }
    for (int64_t p = 0; p < budget->points; p++) {
        now += change[p];
        if (now > most) {
            most = now;
            *out_point = p;
        }
    }
    return most;
}
