/* The end of a pipelined loop, apart from it: steps e = 0 .. S - 1, each what the new loop would do in one iteration
 * more, without the stages that would begin iterations past the end. Step e runs stage t > e for iteration
 * K + e + S - t of the old loop, K being how often the new one ran. The old loop may have fewer iterations than stages:
 * then K is 0 and an iteration is there when the old loop has more of them than e + S - t, else each is. */
#include "passes/ttgir/pipeline/expand.h"

typedef struct {
    tri_expander *x;
    MlirOperation loop; /* the new one */
    tri_map *made;      /* [step]: value of the old body -> value */
    MlirValue start;    /* lb + K * step; null before it is needed */
} ending;

/* What a carried value was `age` steps before step e. */
static MlirValue carried_to_end(const ending *e, const tri_carried *c, int step, int age)
{
    if (!tri_expand_is_inside(e->x, c->value))
        return c->value;
    if (age > step)
        return tri_op_result(e->loop, c->at[age - step]);
    return c->ends[step - age];
}

/* lb + max(iterations - S, 0) * step */
static MlirValue start_of_end(ending *e, tri_builder *b)
{
    tri_expander *x = e->x;
    MlirType type = x->index;
    if (!mlirValueIsNull(e->start))
        return e->start;
    MlirValue range = tri_builder_binary(b, "arith.subi", type, x->ub, x->lb);
    MlirValue rounded = tri_builder_binary(b, "arith.subi", type, x->step, tri_builder_int(b, type, 1));
    rounded = tri_builder_binary(b, "arith.addi", type, range, rounded);
    MlirValue count = tri_builder_binary(b, "arith.divsi", type, rounded, x->step);
    count = tri_builder_binary(b, "arith.subi", type, count, tri_builder_int(b, type, x->last));
    count = tri_builder_binary(b, "arith.maxsi", type, count, tri_builder_int(b, type, 0));
    count = tri_builder_binary(b, "arith.muli", type, count, x->step);
    return e->start = tri_builder_binary(b, "arith.addi", type, x->lb, count);
}

static MlirValue value_in_end(ending *e, tri_builder *b, MlirValue value, int stage, int step)
{
    tri_expander *x = e->x;
    bool is_iv;
    intptr_t arg = tri_expand_argument(x, value, &is_iv);
    if (is_iv)
        return tri_expand_advanced(b, x, start_of_end(e, b), step + x->last - stage);
    if (arg >= 0) {
        tri_carried *c = tri_expand_find(x, arg, value);
        return carried_to_end(e, c, step, stage - c->stage + 1);
    }
    if (!tri_expand_is_inside(x, value))
        return value;
    int made = tri_expand_stage(x, value);
    if (stage == made)
        return (MlirValue){tri_map_find_ptr(&e->made[step], value.ptr)};
    return carried_to_end(e, tri_expand_find(x, -1, value), step, stage - made);
}

static void note_end(ending *e, tri_builder *b, MlirOperation op, int step, MlirValue pred)
{
    tri_expander *x = e->x;
    for (size_t i = 0; i < x->carried.len; i++) {
        tri_carried *c = &x->carried.at[i];
        if (!tri_expand_is_inside(x, c->value) || !mlirOperationEqual(tri_op_def(c->value), op))
            continue;
        MlirValue made = {tri_map_find_ptr(&e->made[step], c->value.ptr)};
        if (c->arg >= 0 && !mlirValueIsNull(pred) && tri_expand_is_used(x, c->arg))
            made = tri_expand_select(b, pred, made, carried_to_end(e, c, step, 1));
        c->ends[step] = made;
    }
}

static void emit_end_step(ending *e, tri_builder *b, int step)
{
    tri_expander *x = e->x;
    for (size_t i = 0; i < x->ops.len; i++) {
        const tri_placed_op *op = &x->ops.at[i];
        if (op->stage <= step)
            continue;
        tri_value_list used = {0};
        tri_pipeline_uses_of(x->arena, op->op, &used);
        MlirValue *to = TRI_NEW_ARRAY(x->arena, MlirValue, used.len + 1);
        for (size_t k = 0; k < used.len; k++)
            to[k] = value_in_end(e, b, used.at[k], op->stage, step);
        MlirValue pred = x->in_range[step + x->last - op->stage];
        MlirOperation made = tri_expand_copy(x, b, op, used.len, used.at, to, pred);
        for (intptr_t r = 0; r < mlirOperationGetNumResults(made); r++)
            tri_map_set_ptr(&e->made[step], tri_op_result(op->op, r).ptr, (void *)tri_op_result(made, r).ptr);
        note_end(e, b, op->op, step, pred);
    }
}

void tri_expand_end(tri_expander *x, MlirOperation made)
{
    ending e = {.x = x, .loop = made, .made = TRI_NEW_ARRAY(x->arena, tri_map, x->last)};
    tri_builder b = tri_builder_before(x->loop);
    for (size_t i = 0; i < x->carried.len; i++)
        x->carried.at[i].ends = TRI_NEW_ARRAY(x->arena, MlirValue, x->last);
    for (int step = 0; step < x->last; step++) {
        tri_map_init(&e.made[step], x->arena);
        emit_end_step(&e, &b, step);
    }
    for (intptr_t j = 0; j < mlirOperationGetNumResults(x->loop); j++) {
        tri_carried *c = tri_expand_find(x, j, (MlirValue){NULL});
        if (c && tri_expand_is_used(x, j))
            mlirValueReplaceAllUsesOfWith(tri_op_result(x->loop, j),
                                          carried_to_end(&e, c, x->last, x->last - c->stage + 1));
    }
}
