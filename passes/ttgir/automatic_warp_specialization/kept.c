/* What consumers keep in registers or buffers of their own through the loops, and fill themselves while the producer
 * starts. */
#include "passes/ttgir/automatic_warp_specialization/split.h"

#include "ir/op_classes.h"
#include "passes/analysis/buffers.h"

typedef struct {
    const tri_split_plan *plans;
    size_t count;
} kept;

/* Whether only products of the loops use the value, a load of a buffer that is filled once. */
static bool feeds_products_only(const kept *c, MlirValue value)
{
    if (!tri_buffers_reads_constant(tri_op_def(value)))
        return false;
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        bool is_inside = false;
        for (size_t k = 0; k < c->count; k++)
            is_inside = is_inside || mlirBlockEqual(mlirOperationGetBlock(user), c->plans[k].body);
        if (!is_inside || !tri_op_is(user, "ttng.warp_group_dot"))
            return false;
    }
    return true;
}

static bool is_in_loops(const kept *c, MlirOperation op)
{
    for (size_t k = 0; k < c->count; k++)
        if (!mlirOperationIsNull(tri_op_ancestor_in(c->plans[k].body, op)))
            return true;
    return false;
}

/* Whether only this op uses the value, the loops, and loads of a buffer for their products alone. */
static bool is_used_by(const kept *c, MlirValue value, MlirOperation only)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (!mlirOperationEqual(user, only) && !is_in_loops(c, user) &&
            (!tri_op_is(user, "ttg.local_load") || !feeds_products_only(c, tri_op_result(user, 0))))
            return false;
    }
    return true;
}

/* The op of that name in front of the loops that made the value for `user`, or for what else is theirs; or null. */
static MlirOperation own_source(const kept *c, MlirValue value, const char *name, MlirOperation user)
{
    MlirOperation def = tri_op_def(value), none = {NULL};
    bool is_own = !mlirOperationIsNull(def) && tri_op_is(def, name) && is_used_by(c, value, user) &&
                  mlirBlockEqual(mlirOperationGetBlock(def), mlirOperationGetBlock(tri_split_top(c->plans)));
    return is_own ? def : none;
}

/* Whether a load may be made where the loops begin. */
static bool may_wait(const kept *c, MlirOperation load)
{
    enum { ORDERS = TRI_OPS_WRITE | TRI_OPS_ATOMIC | TRI_OPS_BARRIER | TRI_OPS_CALL };
    MlirOperation top = tri_split_top(c->plans);
    for (MlirOperation op = load; !mlirOperationEqual(op, top); op = mlirOperationGetNextInBlock(op))
        if (tri_op_in(op, ORDERS) || mlirOperationGetNumRegions(op))
            return false;
    return !tri_op_flag(load, "isVolatile");
}

/* Whether one of the loads reads what the op fills. */
static bool is_read_by(const tri_op_list *loads, MlirOperation fill)
{
    for (size_t i = 0; i < loads->len; i++)
        if (mlirValueEqual(tri_op_operand(loads->at[i], 0), tri_op_result(fill, 0)))
            return true;
    return false;
}

/* Operands of products that lie in registers through the loops come to the consumers' registers at once. Consumers fill
 * buffers of their own that are loaded for that alone, while the producer starts, first those that are read first. */
void tri_kept_collect(const tri_split_plan *plans, size_t count, tri_op_list *out_moved)
{
    const kept of = {plans, count}, *c = &of;
    tri_arena *arena = plans->arena;
    tri_op_list fills = {0}, reads = {0};
    MlirOperation none = {NULL};
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirOperationGetBlock(tri_split_top(c->plans)));
         !mlirOperationEqual(op, tri_split_top(c->plans)); op = mlirOperationGetNextInBlock(op)) {
        if (tri_op_is(op, "ttg.local_load") && feeds_products_only(c, tri_op_result(op, 0)))
            tri_vec_push(arena, &reads, op);
        bool is_filled = plans->thread_sums <= TRI_SPLIT_MOST_SUMS && tri_op_is(op, "ttg.local_alloc") &&
                         mlirOperationGetNumOperands(op) == 1 && is_used_by(c, tri_op_result(op, 0), none);
        MlirOperation load = is_filled ? own_source(c, tri_op_operand(op, 0), "tt.load", op) : none;
        if (mlirOperationIsNull(load) || !may_wait(c, load))
            continue;
        tri_vec_push(arena, out_moved, load);
        tri_vec_push(arena, &fills, op);
    }
    for (int is_late = 0; is_late < 2; is_late++) {
        for (size_t i = 0; i < fills.len; i++)
            if (is_read_by(&reads, fills.at[i]) != (is_late != 0))
                tri_vec_push(arena, out_moved, fills.at[i]);
        for (size_t i = 0; i < reads.len && !is_late; i++)
            tri_vec_push(arena, out_moved, reads.at[i]);
    }
}
