/* Modulo expansion of a scheduled loop.
 *
 * With S the last stage, iteration i of the new loop runs the ops of stage t for iteration i + (S - t) of
 * the old one. In front of it, step p of the prologue runs every op of stage t <= p for iteration p - t.
 * Ops of earlier stages than S are predicated: their iteration may lie past the end.
 *
 * Where the end is peeled, the new loop runs S iterations less and predicates nothing; expand_end.c makes the rest.
 *
 * A value that is used d iterations of the new loop after it was made is carried in d loop arguments. */
#include "passes/ttgir/pipeline/expand.h"

#include "ir/compare.h"

#include "mlir-c/BuiltinAttributes.h"

#include <limits.h>

/* ---- facts ---- */

int tri_expand_stage(tri_expander *x, MlirValue value)
{
    int stage = (int)(intptr_t)tri_map_find_ptr(&x->stages, tri_op_def(value).ptr) - 1;
    return stage < 0 ? 0 : stage;
}

intptr_t tri_expand_argument(tri_expander *x, MlirValue value, bool *out_is_iv)
{
    MlirBlock block;
    intptr_t index;
    *out_is_iv = false;
    if (!tri_op_is_block_argument(value, &block, &index) || !mlirBlockEqual(block, x->body))
        return -1;
    *out_is_iv = index == 0;
    return index - 1;
}

bool tri_expand_is_inside(tri_expander *x, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    return !tri_op_is_block_argument(value, &block, &index) && tri_map_find_ptr(&x->stages, tri_op_def(value).ptr);
}

bool tri_expand_is_used(tri_expander *x, intptr_t arg)
{
    return !mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(x->loop, arg)));
}

MlirValue tri_expand_select(tri_builder *b, MlirValue pred, MlirValue yes, MlirValue no)
{
    MlirType type = mlirValueGetType(yes);
    return tri_builder_value(b, &(tri_op){.name = "arith.select",
                                          .num_operands = 3,
                                          .operands = (MlirValue[]){pred, yes, no},
                                          .num_results = 1,
                                          .results = &type});
}

static MlirValue less_than(tri_builder *b, tri_expander *x, MlirValue l, MlirValue r)
{
    return tri_compare_make(b, tri_op_flag(x->loop, "unsignedCmp") ? TRI_CMP_ULT : TRI_CMP_SLT, l, r);
}

MlirValue tri_expand_advanced(tri_builder *b, tri_expander *x, MlirValue base, int k)
{
    if (k == 0)
        return base;
    MlirValue by = x->step;
    if (k > 1)
        by = tri_builder_binary(b, "arith.muli", x->index, x->step, tri_builder_int(b, x->index, k));
    return tri_builder_binary(b, "arith.addi", x->index, base, by);
}

/* ---- what must be carried ---- */

tri_carried *tri_expand_find(tri_expander *x, intptr_t arg, MlirValue value)
{
    for (size_t i = 0; i < x->carried.len; i++)
        if (x->carried.at[i].arg == arg && (arg >= 0 || mlirValueEqual(x->carried.at[i].value, value)))
            return &x->carried.at[i];
    return NULL;
}

static tri_carried *need(tri_expander *x, intptr_t arg, MlirValue value, int stage, int age)
{
    tri_carried *c = tri_expand_find(x, arg, value);
    if (!c) {
        tri_vec_push(x->arena, &x->carried, (tri_carried){.arg = arg, .value = value, .stage = stage});
        c = &tri_vec_last(&x->carried);
    }
    c->age = age > c->age ? age : c->age;
    if (!c->turn && age > (arg >= 0))
        c->turn = ++x->kept;
    return c;
}

static void find_carried(tri_expander *x)
{
    for (intptr_t j = 0; j < mlirOperationGetNumResults(x->loop); j++) {
        MlirValue next = tri_op_operand(x->yield, j);
        need(x, j, next, tri_expand_stage(x, next), 1);
    }
    for (size_t i = 0; i < x->ops.len; i++) {
        tri_value_list used = {0};
        tri_pipeline_uses_of(x->arena, x->ops.at[i].op, &used);
        for (size_t k = 0; k < used.len; k++) {
            bool is_iv;
            intptr_t arg = tri_expand_argument(x, used.at[k], &is_iv);
            if (is_iv)
                continue;
            if (arg >= 0) {
                MlirValue next = tri_op_operand(x->yield, arg);
                int made = tri_expand_stage(x, next);
                need(x, arg, next, made, x->ops.at[i].stage - made + 1);
            } else if (tri_expand_is_inside(x, used.at[k])) {
                int made = tri_expand_stage(x, used.at[k]);
                if (x->ops.at[i].stage > made)
                    need(x, -1, used.at[k], made, x->ops.at[i].stage - made);
            }
        }
    }
}

/* ---- prologue ---- */

static MlirValue prologue_value(tri_expander *x, tri_builder *b, MlirValue value, int iteration)
{
    bool is_iv;
    intptr_t arg = tri_expand_argument(x, value, &is_iv);
    if (is_iv) {
        MlirValue known = {tri_map_find_ptr(&x->made[iteration], value.ptr)};
        if (mlirValueIsNull(known)) {
            known = tri_expand_advanced(b, x, x->lb, iteration);
            tri_map_set_ptr(&x->made[iteration], value.ptr, (void *)known.ptr);
        }
        return known;
    }
    if (arg >= 0) {
        if (iteration == 0)
            return tri_op_operand(x->loop, 3 + arg);
        return (MlirValue){tri_map_find_ptr(&x->next_args[iteration - 1], (void *)(uintptr_t)(arg + 1))};
    }
    if (tri_expand_is_inside(x, value))
        return (MlirValue){tri_map_find_ptr(&x->made[iteration], value.ptr)};
    return value;
}

/* After an op has run for a prologue iteration (null: at its start): what it yields (null: what comes from outside)
 * becomes the next iteration's arguments. */
static void note_yields(tri_expander *x, tri_builder *b, MlirOperation op, int stage, int iteration, MlirValue pred)
{
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(x->yield); j++) {
        MlirValue next = tri_op_operand(x->yield, j);
        bool is_outside = !tri_expand_is_inside(x, next);
        if (mlirOperationIsNull(op) ? !is_outside : !mlirOperationEqual(tri_op_def(next), op))
            continue;
        MlirValue made = is_outside ? next : (MlirValue){tri_map_find_ptr(&x->made[iteration], next.ptr)};
        if (stage < x->last && tri_expand_is_used(x, j) && !mlirValueIsNull(pred)) {
            MlirValue old =
                iteration == 0
                    ? tri_op_operand(x->loop, 3 + j)
                    : (MlirValue){tri_map_find_ptr(&x->next_args[iteration - 1], (void *)(uintptr_t)(j + 1))};
            made = tri_expand_select(b, pred, made, old);
        }
        tri_map_set_ptr(&x->next_args[iteration], (void *)(uintptr_t)(j + 1), (void *)made.ptr);
    }
}

static void clear_place(MlirOperation op)
{
    mlirOperationRemoveAttributeByName(op, mlirStringRefCreateFromCString("loop.stage"));
    mlirOperationRemoveAttributeByName(op, mlirStringRefCreateFromCString("loop.cluster"));
    mlirOperationRemoveAttributeByName(op, mlirStringRefCreateFromCString("tt.latency"));
}

MlirOperation tri_expand_copy(tri_expander *x, tri_builder *b, const tri_placed_op *p, size_t n, const MlirValue *from,
                             const MlirValue *to, MlirValue pred)
{
    b->loc = mlirOperationGetLocation(p->op);
    MlirOperation made = tri_op_clone(b, p->op, (intptr_t)n, from, to);
    clear_place(made);
    if (mlirValueIsNull(pred))
        return made;
    return x->peels ? tri_pipeline_guard(x->arena, made, pred) : tri_pipeline_predicate(x->arena, made, pred);
}

/* move-up-prologue-loads looks for them. */
static void mark_load(MlirOperation op)
{
    static const char name[] = "prologue";
    MlirContext context = mlirOperationGetContext(op);
    if (tri_op_is(op, "tt.load"))
        tri_builder_set_attr(op, "amd.pipeliner_part",
                             mlirStringAttrGet(context, mlirStringRefCreate(name, sizeof name - 1)));
}

static void emit_prologue(tri_expander *x)
{
    tri_builder b = tri_builder_before(x->loop);
    MlirValue *preds = x->in_range = TRI_NEW_ARRAY(x->arena, MlirValue, x->last);
    for (int p = 0; p < x->last; p++) {
        if (!x->is_long)
            preds[p] = less_than(&b, x, tri_expand_advanced(&b, x, x->lb, p), x->ub);
        note_yields(x, &b, (MlirOperation){NULL}, 0, p, preds[p]);
        for (size_t i = 0; i < x->ops.len; i++) {
            const tri_placed_op *op = &x->ops.at[i];
            int iteration = p - op->stage;
            if (iteration < 0)
                continue;
            tri_value_list used = {0};
            tri_pipeline_uses_of(x->arena, op->op, &used);
            MlirValue *to = TRI_NEW_ARRAY(x->arena, MlirValue, used.len + 1);
            for (size_t k = 0; k < used.len; k++)
                to[k] = prologue_value(x, &b, used.at[k], iteration);
            MlirOperation made = tri_expand_copy(x, &b, op, used.len, used.at, to, preds[iteration]);
            if (x->peels)
                mark_load(made);
            for (intptr_t r = 0; r < mlirOperationGetNumResults(made); r++)
                tri_map_set_ptr(&x->made[iteration], tri_op_result(op->op, r).ptr, (void *)tri_op_result(made, r).ptr);
            note_yields(x, &b, op->op, op->stage, iteration, preds[iteration]);
        }
    }
}

/* ---- the new loop ---- */

/* What a carried value is `age` new iterations before the first. */
static MlirValue initial(tri_expander *x, const tri_carried *c, int age)
{
    int iteration = x->last - c->stage - age;
    if (c->arg >= 0) {
        if (iteration < 0)
            return tri_op_operand(x->loop, 3 + c->arg);
        return (MlirValue){tri_map_find_ptr(&x->next_args[iteration], (void *)(uintptr_t)(c->arg + 1))};
    }
    return (MlirValue){tri_map_find_ptr(&x->made[iteration], c->value.ptr)};
}

/* What the new loop carries besides its induction variable: the old loop's arguments in their order, then what
 * has to be kept longer in the order in which the body needs it, the oldest first. */
static void order_slots(tri_expander *x)
{
    for (intptr_t j = 0; j < mlirOperationGetNumResults(x->loop); j++) {
        tri_carried *c = tri_expand_find(x, j, (MlirValue){NULL});
        if (!c)
            continue;
        c->at[1] = (intptr_t)x->slots.len;
        tri_vec_push(x->arena, &x->slots, (tri_slot){c, 1});
    }
    tri_carried **turns = TRI_NEW_ARRAY(x->arena, tri_carried *, x->kept + 1);
    for (size_t i = 0; i < x->carried.len; i++)
        if (x->carried.at[i].turn)
            turns[x->carried.at[i].turn - 1] = &x->carried.at[i];
    for (int i = 0; i < x->kept; i++) {
        for (int age = turns[i]->age; age > (turns[i]->arg >= 0); age--) {
            turns[i]->at[age] = (intptr_t)x->slots.len;
            tri_vec_push(x->arena, &x->slots, (tri_slot){turns[i], age});
        }
    }
}

/* ub - ahead * step */
static MlirValue before_end(tri_builder *b, tri_expander *x, int ahead)
{
    MlirValue by = x->step;
    if (ahead > 1)
        by = tri_builder_binary(b, "arith.muli", x->index, x->step, tri_builder_int(b, x->index, ahead));
    return tri_builder_binary(b, "arith.subi", x->index, x->ub, by);
}

static MlirOperation make_loop(tri_expander *x)
{
    TRI_VEC(MlirValue) operands = {0};
    TRI_VEC(MlirType) types = {0};
    TRI_VEC(MlirLocation) locs = {0};
    MlirLocation loc = mlirOperationGetLocation(x->loop);
    tri_builder b = tri_builder_before(x->loop);
    tri_vec_push(x->arena, &operands, x->lb);
    tri_vec_push(x->arena, &operands, x->peels ? before_end(&b, x, x->last) : x->ub);
    tri_vec_push(x->arena, &operands, x->step);
    tri_vec_push(x->arena, &types, x->index);
    tri_vec_push(x->arena, &locs, loc);
    for (size_t i = 0; i < x->slots.len; i++) {
        MlirValue init = initial(x, x->slots.at[i].what, x->slots.at[i].age);
        tri_vec_push(x->arena, &operands, init);
        tri_vec_push(x->arena, &types, mlirValueGetType(init));
        tri_vec_push(x->arena, &locs, loc);
    }
    x->kernel = mlirBlockCreate((intptr_t)types.len, types.at, locs.at);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, x->kernel);
    intptr_t n = mlirOperationGetNumAttributes(x->loop), kept = 0;
    tri_attr *attrs = TRI_NEW_ARRAY(x->arena, tri_attr, n + 1);
    for (intptr_t i = 0; i < n; i++) {
        MlirNamedAttribute named = mlirOperationGetAttribute(x->loop, i);
        MlirStringRef name = mlirIdentifierStr(named.name);
        const char *copy = tri_arena_copy(x->arena, name.data, name.length);
        if (strcmp(copy, "tt.scheduled_max_stage") != 0 && strcmp(copy, "tt.num_stages") != 0)
            attrs[kept++] = (tri_attr){copy, named.attribute};
    }
    return tri_builder_create(&b, &(tri_op){.name = "scf.for",
                                            .num_operands = (intptr_t)operands.len,
                                            .operands = operands.at,
                                            .num_results = (intptr_t)types.len - 1,
                                            .results = types.at + 1,
                                            .num_attrs = kept,
                                            .attrs = attrs,
                                            .num_regions = 1,
                                            .regions = &region});
}

static MlirValue carried_at(tri_expander *x, const tri_carried *c, int age)
{
    return age == 0 ? c->current : mlirBlockGetArgument(x->kernel, 1 + c->at[age]);
}

static MlirValue kernel_value(tri_expander *x, tri_builder *b, MlirValue value, int stage)
{
    bool is_iv;
    intptr_t arg = tri_expand_argument(x, value, &is_iv);
    if (is_iv && mlirValueIsNull(x->ivs[stage])) /* made where it is first needed */
        x->ivs[stage] = tri_expand_advanced(b, x, mlirBlockGetArgument(x->kernel, 0), x->last - stage);
    if (is_iv)
        return x->ivs[stage];
    if (arg >= 0) {
        tri_carried *c = tri_expand_find(x, arg, value);
        return carried_at(x, c, stage - c->stage + 1);
    }
    if (!tri_expand_is_inside(x, value))
        return value;
    int made = tri_expand_stage(x, value);
    if (stage == made)
        return (MlirValue){tri_map_find_ptr(&x->kernel_made, value.ptr)};
    return carried_at(x, tri_expand_find(x, -1, value), stage - made);
}

static void note_current(tri_expander *x, tri_builder *b, MlirOperation op, int stage)
{
    for (size_t i = 0; i < x->carried.len; i++) {
        tri_carried *c = &x->carried.at[i];
        bool is_outside = !tri_expand_is_inside(x, c->value);
        if (mlirOperationIsNull(op) ? !is_outside : !mlirOperationEqual(tri_op_def(c->value), op))
            continue;
        c->current = is_outside ? c->value : (MlirValue){tri_map_find_ptr(&x->kernel_made, c->value.ptr)};
        if (c->arg >= 0 && stage < x->last && tri_expand_is_used(x, c->arg) && !x->peels)
            c->current = tri_expand_select(b, x->preds[stage], c->current, carried_at(x, c, 1));
    }
}

/* Whether the iteration `ahead` of the current one exists: %iv < %ub - ahead * step. Unsigned bounds may be too small
 * to subtract from. */
static MlirValue is_in_range(tri_builder *b, tri_expander *x, MlirValue iv, int ahead)
{
    if (tri_op_flag(x->loop, "unsignedCmp"))
        return less_than(b, x, tri_expand_advanced(b, x, iv, ahead), x->ub);
    return less_than(b, x, iv, before_end(b, x, ahead));
}

static void emit_kernel(tri_expander *x)
{
    tri_builder b = tri_builder_at_end(x->kernel, mlirOperationGetLocation(x->loop));
    MlirValue iv = mlirBlockGetArgument(x->kernel, 0);
    x->ivs = TRI_NEW_ARRAY(x->arena, MlirValue, x->last + 1);
    x->preds = TRI_NEW_ARRAY(x->arena, MlirValue, x->last + 1);
    for (int t = 0; t <= x->last; t++) {
        if (t < x->last && !x->peels)
            x->preds[t] = is_in_range(&b, x, iv, x->last - t);
    }
    tri_map_init(&x->kernel_made, x->arena);
    note_current(x, &b, (MlirOperation){NULL}, 0);
    for (size_t i = 0; i < x->ops.len; i++) {
        const tri_placed_op *op = &x->ops.at[i];
        tri_value_list used = {0};
        tri_pipeline_uses_of(x->arena, op->op, &used);
        MlirValue *to = TRI_NEW_ARRAY(x->arena, MlirValue, used.len + 1);
        for (size_t k = 0; k < used.len; k++)
            to[k] = kernel_value(x, &b, used.at[k], op->stage);
        MlirOperation made = tri_expand_copy(x, &b, op, used.len, used.at, to, x->preds[op->stage]);
        for (intptr_t r = 0; r < mlirOperationGetNumResults(made); r++)
            tri_map_set_ptr(&x->kernel_made, tri_op_result(op->op, r).ptr, (void *)tri_op_result(made, r).ptr);
        note_current(x, &b, op->op, op->stage);
    }
    TRI_VEC(MlirValue) yielded = {0};
    for (size_t i = 0; i < x->slots.len; i++)
        tri_vec_push(x->arena, &yielded, carried_at(x, x->slots.at[i].what, x->slots.at[i].age - 1));
    tri_builder_create(&b,
                       &(tri_op){.name = "scf.yield", .num_operands = (intptr_t)yielded.len, .operands = yielded.at});
}

/* ---- the whole ---- */

static void insert_sorted(tri_expander *x, tri_placed_op op)
{
    tri_vec_push(x->arena, &x->ops, op);
    for (size_t i = x->ops.len - 1; i > 0 && x->ops.at[i - 1].cluster > op.cluster; i--) {
        x->ops.at[i] = x->ops.at[i - 1];
        x->ops.at[i - 1] = op;
    }
}

static bool prepare(tri_expander *x)
{
    tri_map_init(&x->stages, x->arena);
    MlirOperation op = mlirBlockGetFirstOperation(x->body);
    for (; !mlirOperationEqual(op, x->yield); op = mlirOperationGetNextInBlock(op)) {
        int stage = (int)tri_op_int(op, "loop.stage", -1);
        x->last = stage > x->last ? stage : x->last;
    }
    for (op = mlirBlockGetFirstOperation(x->body); !mlirOperationEqual(op, x->yield);
         op = mlirOperationGetNextInBlock(op)) {
        tri_placed_op p = {op, (int)tri_op_int(op, "loop.stage", -1), (int)tri_op_int(op, "loop.cluster", -1)};
        bool is_guarded = p.stage < x->last || (x->peels && !x->is_long);
        bool can = tri_pipeline_can_predicate(op) || (x->peels && tri_pipeline_can_guard(op));
        if (p.stage < 0 || (is_guarded && !can))
            return false;
        insert_sorted(x, p);
        tri_map_set_ptr(&x->stages, op.ptr, (void *)(uintptr_t)(p.stage + 1));
    }
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(x->yield); j++)
        if (mlirOperationIsNull(tri_op_def(tri_op_operand(x->yield, j))))
            return false;
    return x->last > 0 && x->last < TRI_EXPAND_STAGES;
}

/* Whether the loop is known to run through its last stage before it ends. */
static bool is_long(tri_expander *x)
{
    int64_t lb, ub, step;
    return tri_op_const_int(x->lb, &lb) && tri_op_const_int(x->ub, &ub) && tri_op_const_int(x->step, &step) &&
           step > 0 && ub > lb && (ub - lb + step - 1) / step >= tri_op_int(x->loop, "tt.scheduled_max_stage", INT_MAX);
}

/* Results of the old loop are those of the new one. */
static void replace_results(tri_expander *x, MlirOperation made)
{
    for (intptr_t j = 0; j < mlirOperationGetNumResults(x->loop); j++)
        if (tri_expand_is_used(x, j))
            mlirValueReplaceAllUsesOfWith(tri_op_result(x->loop, j),
                                          tri_op_result(made, tri_expand_find(x, j, (MlirValue){NULL})->at[1]));
}

static bool expand(tri_arena *arena, MlirOperation loop, bool peels)
{
    tri_expander x = {.arena = arena, .loop = loop, .body = tri_op_body(loop, 0), .peels = peels};
    x.yield = mlirBlockGetTerminator(x.body);
    x.lb = tri_op_operand(loop, 0);
    x.ub = tri_op_operand(loop, 1);
    x.step = tri_op_operand(loop, 2);
    x.index = mlirValueGetType(x.lb);
    x.is_long = peels && is_long(&x);
    if (!prepare(&x)) {
        tri_pipeline_clear(arena, loop);
        return false;
    }
    x.made = TRI_NEW_ARRAY(arena, tri_map, x.last);
    x.next_args = TRI_NEW_ARRAY(arena, tri_map, x.last);
    for (int i = 0; i < x.last; i++) {
        tri_map_init(&x.made[i], arena);
        tri_map_init(&x.next_args[i], arena);
    }
    find_carried(&x);
    emit_prologue(&x);
    order_slots(&x);
    MlirOperation made = make_loop(&x);
    emit_kernel(&x);
    if (peels)
        tri_expand_end(&x, made);
    else
        replace_results(&x, made);
    mlirOperationDestroy(loop);
    return true;
}

bool tri_pipeline_expand_run(tri_arena *arena, MlirOperation loop) { return expand(arena, loop, false); }

bool tri_pipeline_expand_peeled(tri_arena *arena, MlirOperation loop)
{
    return expand(arena, loop, !tri_op_flag(loop, "unsignedCmp"));
}
