/* Modulo expansion of a scheduled loop.
 *
 * With S the last stage, iteration i of the new loop runs the ops of stage t for iteration i + (S - t) of
 * the old one. In front of it, step p of the prologue runs every op of stage t <= p for iteration p - t.
 * Ops of earlier stages than S are predicated: their iteration may lie past the end.
 *
 * A value that is used d iterations of the new loop after it was made is carried in d loop arguments. */
#include "passes/ttgir/pipeline/pipeline.h"

#include "base/map.h"

#include "mlir-c/BuiltinTypes.h"

enum { MAX_STAGES = 64 };

typedef struct {
    MlirOperation op;
    int stage, cluster;
} placed_op;

/* A value carried around the new loop. Either a result of a body op, or what loop argument `arg` of the old
 * loop will be in the next iteration (a yielded value, with the initial one before the first iteration). */
typedef struct {
    intptr_t arg;      /* -1: a plain value */
    MlirValue value;
    int stage;         /* of the op that makes it */
    int age;           /* longest use: how many new iterations ago */
    int turn;          /* among those that are kept longer than the old loop does, from 1 on; 0: it is not */
    intptr_t at[MAX_STAGES + 2]; /* [age]: index among the new loop's iter args */
    MlirValue current; /* made in this iteration of the new loop */
} carried;

typedef struct {
    carried *what;
    int age;
} slot;

typedef struct {
    tri_arena *arena;
    MlirOperation loop, yield;
    MlirBlock body;
    TRI_VEC(placed_op) ops; /* in the order of the new body */
    tri_map stages;         /* MlirOperation.ptr -> 1 + stage */
    int last;               /* S */
    TRI_VEC(carried) carried;
    int kept;               /* how many of those have a turn */
    TRI_VEC(slot) slots;    /* the new loop's iter args */
    tri_map *made;          /* [prologue iteration]: body value -> value */
    tri_map *next_args;     /* [prologue iteration]: body argument -> what it becomes after it */
    MlirValue lb, ub, step;
    MlirType index;
    /* the new loop */
    MlirBlock kernel;
    MlirValue *ivs, *preds; /* [stage] */
    tri_map kernel_made;
} expander;

/* ---- facts ---- */

/* A yielded value from outside of the loop is there from the start. */
static int stage_of_value(expander *x, MlirValue value)
{
    int stage = (int)(intptr_t)tri_map_find_ptr(&x->stages, tri_op_def(value).ptr) - 1;
    return stage < 0 ? 0 : stage;
}

/* The number of the loop argument a value is (without the induction variable), -1 for others; *out_is_iv. */
static intptr_t argument_of(expander *x, MlirValue value, bool *out_is_iv)
{
    MlirBlock block;
    intptr_t index;
    *out_is_iv = false;
    if (!tri_op_is_block_argument(value, &block, &index) || !mlirBlockEqual(block, x->body))
        return -1;
    *out_is_iv = index == 0;
    return index - 1;
}

static bool is_made_inside(expander *x, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    return !tri_op_is_block_argument(value, &block, &index) && tri_map_find_ptr(&x->stages, tri_op_def(value).ptr);
}

static bool result_is_used(expander *x, intptr_t arg)
{
    return !mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(x->loop, arg)));
}

static MlirValue select_value(tri_builder *b, MlirValue pred, MlirValue yes, MlirValue no)
{
    MlirType type = mlirValueGetType(yes);
    return tri_builder_value(b, &(tri_op){.name = "arith.select",
                                          .num_operands = 3,
                                          .operands = (MlirValue[]){pred, yes, no},
                                          .num_results = 1,
                                          .results = &type});
}

static MlirValue less_than(tri_builder *b, expander *x, MlirValue l, MlirValue r)
{
    MlirType i1 = mlirIntegerTypeGet(b->context, 1);
    tri_attr attr = {"predicate", tri_attr_i64(b->context, tri_op_flag(x->loop, "unsignedCmp") ? 6 : 2)};
    return tri_builder_value(b, &(tri_op){.name = "arith.cmpi", .num_operands = 2, .operands = (MlirValue[]){l, r},
                                          .num_results = 1, .results = &i1, .num_attrs = 1, .attrs = &attr});
}

/* base + k * step */
static MlirValue advanced(tri_builder *b, expander *x, MlirValue base, int k)
{
    if (k == 0)
        return base;
    MlirValue by = x->step;
    if (k > 1)
        by = tri_builder_binary(b, "arith.muli", x->index, x->step, tri_builder_int(b, x->index, k));
    return tri_builder_binary(b, "arith.addi", x->index, base, by);
}

/* ---- what must be carried ---- */

static carried *find_carried_value(expander *x, intptr_t arg, MlirValue value)
{
    for (size_t i = 0; i < x->carried.len; i++)
        if (x->carried.at[i].arg == arg && (arg >= 0 || mlirValueEqual(x->carried.at[i].value, value)))
            return &x->carried.at[i];
    return NULL;
}

static carried *need(expander *x, intptr_t arg, MlirValue value, int stage, int age)
{
    carried *c = find_carried_value(x, arg, value);
    if (!c) {
        tri_vec_push(x->arena, &x->carried, (carried){.arg = arg, .value = value, .stage = stage});
        c = &tri_vec_last(&x->carried);
    }
    c->age = age > c->age ? age : c->age;
    if (!c->turn && age > (arg >= 0))
        c->turn = ++x->kept;
    return c;
}

static void find_carried(expander *x)
{
    for (intptr_t j = 0; j < mlirOperationGetNumResults(x->loop); j++) {
        MlirValue next = tri_op_operand(x->yield, j);
        need(x, j, next, stage_of_value(x, next), 1);
    }
    for (size_t i = 0; i < x->ops.len; i++) {
        tri_value_list used = {0};
        tri_pipeline_uses_of(x->arena, x->ops.at[i].op, &used);
        for (size_t k = 0; k < used.len; k++) {
            bool is_iv;
            intptr_t arg = argument_of(x, used.at[k], &is_iv);
            if (is_iv)
                continue;
            if (arg >= 0) {
                MlirValue next = tri_op_operand(x->yield, arg);
                int made = stage_of_value(x, next);
                need(x, arg, next, made, x->ops.at[i].stage - made + 1);
            } else if (is_made_inside(x, used.at[k])) {
                int made = stage_of_value(x, used.at[k]);
                if (x->ops.at[i].stage > made)
                    need(x, -1, used.at[k], made, x->ops.at[i].stage - made);
            }
        }
    }
}

/* ---- prologue ---- */

static MlirValue prologue_value(expander *x, tri_builder *b, MlirValue value, int iteration)
{
    bool is_iv;
    intptr_t arg = argument_of(x, value, &is_iv);
    if (is_iv) {
        MlirValue known = {tri_map_find_ptr(&x->made[iteration], value.ptr)};
        if (mlirValueIsNull(known)) {
            known = advanced(b, x, x->lb, iteration);
            tri_map_set_ptr(&x->made[iteration], value.ptr, (void *)known.ptr);
        }
        return known;
    }
    if (arg >= 0) {
        if (iteration == 0)
            return tri_op_operand(x->loop, 3 + arg);
        return (MlirValue){tri_map_find_ptr(&x->next_args[iteration - 1], (void *)(uintptr_t)(arg + 1))};
    }
    if (is_made_inside(x, value))
        return (MlirValue){tri_map_find_ptr(&x->made[iteration], value.ptr)};
    return value;
}

/* After an op has run for a prologue iteration (null: at its start): what it yields (null: what comes from outside)
 * becomes the next iteration's arguments. */
static void note_yields(expander *x, tri_builder *b, MlirOperation op, int stage, int iteration, MlirValue pred)
{
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(x->yield); j++) {
        MlirValue next = tri_op_operand(x->yield, j);
        bool is_outside = !is_made_inside(x, next);
        if (mlirOperationIsNull(op) ? !is_outside : !mlirOperationEqual(tri_op_def(next), op))
            continue;
        MlirValue made = is_outside ? next : (MlirValue){tri_map_find_ptr(&x->made[iteration], next.ptr)};
        if (stage < x->last && result_is_used(x, j)) {
            MlirValue old =
                iteration == 0
                    ? tri_op_operand(x->loop, 3 + j)
                    : (MlirValue){tri_map_find_ptr(&x->next_args[iteration - 1], (void *)(uintptr_t)(j + 1))};
            made = select_value(b, pred, made, old);
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

static MlirOperation copy_op(expander *x, tri_builder *b, const placed_op *p, size_t n, const MlirValue *from,
                             const MlirValue *to, MlirValue pred)
{
    b->loc = mlirOperationGetLocation(p->op);
    MlirOperation made = tri_op_clone(b, p->op, (intptr_t)n, from, to);
    clear_place(made);
    return mlirValueIsNull(pred) ? made : tri_pipeline_predicate(x->arena, made, pred);
}

static void emit_prologue(expander *x)
{
    tri_builder b = tri_builder_before(x->loop);
    MlirValue preds[MAX_STAGES];
    for (int p = 0; p < x->last; p++) {
        MlirValue at = advanced(&b, x, x->lb, p);
        preds[p] = less_than(&b, x, at, x->ub);
        note_yields(x, &b, (MlirOperation){NULL}, 0, p, preds[p]);
        for (size_t i = 0; i < x->ops.len; i++) {
            const placed_op *op = &x->ops.at[i];
            int iteration = p - op->stage;
            if (iteration < 0)
                continue;
            tri_value_list used = {0};
            tri_pipeline_uses_of(x->arena, op->op, &used);
            MlirValue *to = TRI_NEW_ARRAY(x->arena, MlirValue, used.len + 1);
            for (size_t k = 0; k < used.len; k++)
                to[k] = prologue_value(x, &b, used.at[k], iteration);
            MlirOperation made = copy_op(x, &b, op, used.len, used.at, to, preds[iteration]);
            for (intptr_t r = 0; r < mlirOperationGetNumResults(made); r++)
                tri_map_set_ptr(&x->made[iteration], tri_op_result(op->op, r).ptr, (void *)tri_op_result(made, r).ptr);
            note_yields(x, &b, op->op, op->stage, iteration, preds[iteration]);
        }
    }
}

/* ---- the new loop ---- */

/* What a carried value is `age` new iterations before the first. */
static MlirValue initial(expander *x, const carried *c, int age)
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
static void order_slots(expander *x)
{
    for (intptr_t j = 0; j < mlirOperationGetNumResults(x->loop); j++) {
        carried *c = find_carried_value(x, j, (MlirValue){NULL});
        if (!c)
            continue;
        c->at[1] = (intptr_t)x->slots.len;
        tri_vec_push(x->arena, &x->slots, (slot){c, 1});
    }
    carried **turns = TRI_NEW_ARRAY(x->arena, carried *, x->kept + 1);
    for (size_t i = 0; i < x->carried.len; i++)
        if (x->carried.at[i].turn)
            turns[x->carried.at[i].turn - 1] = &x->carried.at[i];
    for (int i = 0; i < x->kept; i++) {
        for (int age = turns[i]->age; age > (turns[i]->arg >= 0); age--) {
            turns[i]->at[age] = (intptr_t)x->slots.len;
            tri_vec_push(x->arena, &x->slots, (slot){turns[i], age});
        }
    }
}

static MlirOperation make_loop(expander *x)
{
    TRI_VEC(MlirValue) operands = {0};
    TRI_VEC(MlirType) types = {0};
    TRI_VEC(MlirLocation) locs = {0};
    MlirLocation loc = mlirOperationGetLocation(x->loop);
    tri_vec_push(x->arena, &operands, x->lb);
    tri_vec_push(x->arena, &operands, x->ub);
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
    tri_builder b = tri_builder_before(x->loop);
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

static MlirValue carried_at(expander *x, const carried *c, int age)
{
    return age == 0 ? c->current : mlirBlockGetArgument(x->kernel, 1 + c->at[age]);
}

static MlirValue kernel_value(expander *x, tri_builder *b, MlirValue value, int stage)
{
    bool is_iv;
    intptr_t arg = argument_of(x, value, &is_iv);
    if (is_iv && mlirValueIsNull(x->ivs[stage])) /* made where it is first needed */
        x->ivs[stage] = advanced(b, x, mlirBlockGetArgument(x->kernel, 0), x->last - stage);
    if (is_iv)
        return x->ivs[stage];
    if (arg >= 0) {
        carried *c = find_carried_value(x, arg, value);
        return carried_at(x, c, stage - c->stage + 1);
    }
    if (!is_made_inside(x, value))
        return value;
    int made = stage_of_value(x, value);
    if (stage == made)
        return (MlirValue){tri_map_find_ptr(&x->kernel_made, value.ptr)};
    return carried_at(x, find_carried_value(x, -1, value), stage - made);
}

static void note_current(expander *x, tri_builder *b, MlirOperation op, int stage)
{
    for (size_t i = 0; i < x->carried.len; i++) {
        carried *c = &x->carried.at[i];
        bool is_outside = !is_made_inside(x, c->value);
        if (mlirOperationIsNull(op) ? !is_outside : !mlirOperationEqual(tri_op_def(c->value), op))
            continue;
        c->current = is_outside ? c->value : (MlirValue){tri_map_find_ptr(&x->kernel_made, c->value.ptr)};
        if (c->arg >= 0 && stage < x->last && result_is_used(x, c->arg))
            c->current = select_value(b, x->preds[stage], c->current, carried_at(x, c, 1));
    }
}

/* Whether the iteration `ahead` of the current one exists: %iv < %ub - ahead * step. Unsigned bounds may be too small
 * to subtract from. */
static MlirValue is_in_range(tri_builder *b, expander *x, MlirValue iv, int ahead)
{
    if (tri_op_flag(x->loop, "unsignedCmp"))
        return less_than(b, x, advanced(b, x, iv, ahead), x->ub);
    MlirValue by = x->step;
    if (ahead > 1)
        by = tri_builder_binary(b, "arith.muli", x->index, x->step, tri_builder_int(b, x->index, ahead));
    return less_than(b, x, iv, tri_builder_binary(b, "arith.subi", x->index, x->ub, by));
}

static void emit_kernel(expander *x)
{
    tri_builder b = tri_builder_at_end(x->kernel, mlirOperationGetLocation(x->loop));
    MlirValue iv = mlirBlockGetArgument(x->kernel, 0);
    x->ivs = TRI_NEW_ARRAY(x->arena, MlirValue, x->last + 1);
    x->preds = TRI_NEW_ARRAY(x->arena, MlirValue, x->last + 1);
    for (int t = 0; t <= x->last; t++) {
        if (t < x->last)
            x->preds[t] = is_in_range(&b, x, iv, x->last - t);
    }
    tri_map_init(&x->kernel_made, x->arena);
    note_current(x, &b, (MlirOperation){NULL}, 0);
    for (size_t i = 0; i < x->ops.len; i++) {
        const placed_op *op = &x->ops.at[i];
        tri_value_list used = {0};
        tri_pipeline_uses_of(x->arena, op->op, &used);
        MlirValue *to = TRI_NEW_ARRAY(x->arena, MlirValue, used.len + 1);
        for (size_t k = 0; k < used.len; k++)
            to[k] = kernel_value(x, &b, used.at[k], op->stage);
        MlirOperation made = copy_op(x, &b, op, used.len, used.at, to, x->preds[op->stage]);
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

static void insert_sorted(expander *x, placed_op op)
{
    tri_vec_push(x->arena, &x->ops, op);
    for (size_t i = x->ops.len - 1; i > 0 && x->ops.at[i - 1].cluster > op.cluster; i--) {
        x->ops.at[i] = x->ops.at[i - 1];
        x->ops.at[i - 1] = op;
    }
}

static bool prepare(expander *x)
{
    tri_map_init(&x->stages, x->arena);
    MlirOperation op = mlirBlockGetFirstOperation(x->body);
    for (; !mlirOperationEqual(op, x->yield); op = mlirOperationGetNextInBlock(op)) {
        int stage = (int)tri_op_int(op, "loop.stage", -1);
        x->last = stage > x->last ? stage : x->last;
    }
    for (op = mlirBlockGetFirstOperation(x->body); !mlirOperationEqual(op, x->yield);
         op = mlirOperationGetNextInBlock(op)) {
        placed_op p = {op, (int)tri_op_int(op, "loop.stage", -1), (int)tri_op_int(op, "loop.cluster", -1)};
        if (p.stage < 0 || (p.stage < x->last && !tri_pipeline_can_predicate(op)))
            return false;
        insert_sorted(x, p);
        tri_map_set_ptr(&x->stages, op.ptr, (void *)(uintptr_t)(p.stage + 1));
    }
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(x->yield); j++)
        if (mlirOperationIsNull(tri_op_def(tri_op_operand(x->yield, j))))
            return false;
    return x->last > 0 && x->last < MAX_STAGES;
}

bool tri_pipeline_expand_run(tri_arena *arena, MlirOperation loop)
{
    expander x = {.arena = arena, .loop = loop, .body = tri_op_body(loop, 0)};
    x.yield = mlirBlockGetTerminator(x.body);
    x.lb = tri_op_operand(loop, 0);
    x.ub = tri_op_operand(loop, 1);
    x.step = tri_op_operand(loop, 2);
    x.index = mlirValueGetType(x.lb);
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
    for (intptr_t j = 0; j < mlirOperationGetNumResults(loop); j++)
        if (result_is_used(&x, j))
            mlirValueReplaceAllUsesOfWith(tri_op_result(loop, j),
                                          tri_op_result(made, find_carried_value(&x, j, (MlirValue){NULL})->at[1]));
    mlirOperationDestroy(loop);
    return true;
}
