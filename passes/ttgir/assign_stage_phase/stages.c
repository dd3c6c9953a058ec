/* Walks blocks in order and counts buffers. */
#include "passes/ttgir/assign_stage_phase/stages.h"

#include "ir/compare.h"
#include "ir/type.h"
#include "passes/analysis/loops.h"
#include "passes/analysis/tasks.h"

#include "mlir-c/BuiltinAttributes.h"

/* ---- groups of results ---- */

/* The groups of an operation and of how its regions end. */
static void set_partitions(MlirOperation op, uint64_t partitions)
{
    tri_partitions_set(op, partitions);
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++)
        if (!mlirBlockIsNull(tri_op_body(op, (int)i)))
            tri_partitions_set(tri_loops_yield(op, (int)i), partitions);
}

static uint64_t own_partitions(MlirOperation op)
{
    return mlirAttributeIsNull(tri_op_attr(op, TRI_PARTITIONS_OF)) ? 0 : tri_partitions_of(op);
}

static void set_outputs(const stages_side *s, MlirOperation op, const uint64_t *partitions)
{
    MlirContext context = mlirOperationGetContext(op);
    intptr_t n = mlirOperationGetNumResults(op);
    MlirAttribute *lists = TRI_NEW_ARRAY(s->arena, MlirAttribute, n + 1);
    for (intptr_t i = 0; i < n; i++)
        lists[i] = tri_tasks_make(context, partitions[i]);
    tri_builder_set_attr(op, TRI_PARTITIONS_OUTPUTS, mlirArrayAttrGet(context, n, lists));
}

/* The last two results are a stage and a phase, of these groups. */
static void set_new_outputs(const stages_side *s, MlirOperation op, uint64_t stage, uint64_t phase)
{
    intptr_t n = mlirOperationGetNumResults(op);
    uint64_t *partitions = TRI_NEW_ARRAY(s->arena, uint64_t, n + 1);
    for (intptr_t i = 0; i < n; i++)
        partitions[i] = i == n - 2 ? stage : i == n - 1 ? phase : tri_partitions_of_result(op, i);
    set_outputs(s, op, partitions);
    set_partitions(op, own_partitions(op) | stage | phase);
}

void tri_stages_add_partitions(MlirOperation op, intptr_t result, uint64_t partitions)
{
    tri_arena *arena = tri_arena_create();
    stages_side s = {.arena = arena};
    intptr_t n = mlirOperationGetNumResults(op);
    uint64_t *all = TRI_NEW_ARRAY(arena, uint64_t, n + 1);
    for (intptr_t i = 0; i < n; i++)
        all[i] = tri_partitions_of_result(op, i) | (i == result ? partitions : 0);
    set_outputs(&s, op, all);
    set_partitions(op, own_partitions(op) | partitions);
    tri_arena_destroy(arena);
}

/* Those of what is handed on; of a value that is handed through, those that use it, else the owners. */
static uint64_t partitions_of_new(const stages_side *s, MlirValue value)
{
    uint64_t partitions = 0;
    MlirBlock block;
    intptr_t i;
    if (!tri_op_is_block_argument(value, &block, &i))
        return mlirAttributeIsNull(tri_op_attr(tri_op_def(value), TRI_PARTITIONS_OF)) ? s->owners
                                                                                      : tri_partitions_of_value(value);
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use);
        if (!tri_op_is(op, "scf.yield") && !tri_op_is(op, "scf.condition"))
            partitions |= own_partitions(op);
    }
    return partitions ? partitions : s->owners;
}

/* ---- who takes buffers ---- */

intptr_t tri_stages_place(MlirOperation op, intptr_t first, MlirValue value)
{
    for (intptr_t i = first; !mlirValueIsNull(value) && i < mlirOperationGetNumOperands(op); i++)
        if (mlirValueEqual(tri_op_operand(op, i), value))
            return i - first;
    return -1;
}

bool tri_stages_takes(const stages_side *s, MlirOperation op)
{
    uint64_t partitions = own_partitions(op);
    return tri_op_is(op, s->enter) && mlirValueEqual(tri_op_operand(op, 0), s->aref) &&
           (!partitions || !(s->owners & ~partitions));
}

static bool uses_buffer(const stages_side *s, MlirOperation op, MlirValue token)
{
    return tri_op_is(op, "nvws.aref.buffer") && mlirValueEqual(tri_op_operand(op, 0), s->aref) &&
           !mlirValueIsNull(token) && mlirValueEqual(tri_op_operand(op, 1), token);
}

static intptr_t first_carried(MlirOperation op) { return tri_op_is(op, "scf.for") ? 3 : 0; }

/* Is the buffer of this token used in the block, or another one taken? */
static bool is_used(const stages_side *s, MlirBlock block, MlirValue token)
{
    MlirOperation op = mlirBlockIsNull(block) ? (MlirOperation){NULL} : mlirBlockGetFirstOperation(block);
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        bool is_for = tri_op_is(op, "scf.for"), is_while = tri_op_is(op, "scf.while"), is_if = tri_op_is(op, "scf.if");
        intptr_t place = is_for || is_while ? tri_stages_place(op, first_carried(op), token) : -1;
        MlirValue inner = is_for ? (MlirValue){NULL} : token;
        if (place >= 0)
            inner = mlirBlockGetArgument(tri_op_body(op, is_while), place + is_for);
        if (tri_stages_takes(s, op) || uses_buffer(s, op, token) || (is_for && is_used(s, tri_op_body(op, 0), inner)) ||
            (is_while && is_used(s, tri_op_body(op, 1), inner)) ||
            (is_if && (is_used(s, tri_op_body(op, 0), token) || is_used(s, tri_op_body(op, 1), token))))
            return true;
    }
    return false;
}

/* ---- counting ---- */

typedef struct {
    tri_builder b;
    MlirOperation like; /* whose groups and place in the schedule */
} counting;

static MlirValue like(const counting *c, MlirValue value)
{
    static const char *const names[] = {TRI_PARTITIONS_OF, TRI_PARTITIONS_TAG, "loop.stage", "loop.cluster"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        MlirAttribute attr = tri_op_attr(c->like, names[i]);
        if (!mlirAttributeIsNull(attr))
            tri_builder_set_attr(tri_op_def(value), names[i], attr);
    }
    return value;
}

static MlirValue new_number(counting *c, int64_t n)
{
    return like(c, tri_builder_int(&c->b, mlirIntegerTypeGet(c->b.context, 32), n));
}

static MlirValue select_value(counting *c, MlirValue condition, MlirValue x, MlirValue y)
{
    MlirType type = mlirValueGetType(x);
    MlirValue operands[] = {condition, x, y};
    return like(c, tri_builder_value(&c->b, &(tri_op){.name = "arith.select", .num_operands = 3, .operands = operands,
                                                      .num_results = 1, .results = &type}));
}

/* The next buffer; behind the last comes the first, in the other phase. */
static void take_next(const stages_side *s, MlirOperation op, stages_state *state)
{
    counting c = {.b = tri_builder_before(op), .like = op};
    MlirType i32 = mlirIntegerTypeGet(c.b.context, 32);
    MlirValue next = like(&c, tri_builder_binary(&c.b, "arith.addi", i32, state->stage, new_number(&c, 1)));
    MlirValue is_behind = like(&c, tri_compare_make(&c.b, TRI_CMP_EQ, next, new_number(&c, s->depth)));
    state->stage = select_value(&c, is_behind, new_number(&c, 0), next);
    MlirValue other = like(&c, tri_builder_binary(&c.b, "arith.xori", i32, state->phase, new_number(&c, 1)));
    state->phase = select_value(&c, is_behind, other, state->phase);
    state->token = tri_op_result(op, mlirOperationGetNumResults(op) - 1);
    MlirValue all[] = {s->aref, state->stage, state->phase};
    int32_t segments[] = {1, 1, 1};
    mlirOperationSetOperands(op, 3, all);
    tri_builder_set_attr(op, "operandSegmentSizes", tri_attr_i32s(c.b.context, 3, segments));
}

/* ---- through loops and conditionals ---- */

static void append_state(const stages_side *s, MlirOperation end, const stages_state *state)
{
    MlirValue values[] = {state->stage, state->phase};
    tri_loops_append_yield(s->arena, end, 2, values);
}

static stages_state results_behind(MlirOperation op, intptr_t place, MlirValue token)
{
    intptr_t n = mlirOperationGetNumResults(op);
    return (stages_state){tri_op_result(op, n - 2), tri_op_result(op, n - 1),
                          place >= 0 ? tri_op_result(op, place) : token};
}

static stages_state assign_for(const stages_side *s, MlirOperation loop, stages_state state)
{
    intptr_t place = tri_stages_place(loop, 3, state.token), n = mlirOperationGetNumResults(loop);
    MlirBlock body = tri_op_body(loop, 0);
    MlirValue inits[] = {state.stage, state.phase}, token = {NULL};
    if (!is_used(s, body, place >= 0 ? mlirBlockGetArgument(body, 1 + place) : token))
        return state;
    loop = tri_loops_add_iter_args(s->arena, loop, 2, inits);
    body = tri_op_body(loop, 0);
    stages_state in = {mlirBlockGetArgument(body, 1 + n), mlirBlockGetArgument(body, 2 + n),
                       place >= 0 ? mlirBlockGetArgument(body, 1 + place) : state.token};
    in = tri_stages_assign(s, body, in);
    append_state(s, tri_loops_yield(loop, 0), &in);
    set_new_outputs(s, loop, partitions_of_new(s, in.stage), partitions_of_new(s, in.phase));
    return results_behind(loop, place, state.token);
}

static stages_state assign_while(const stages_side *s, MlirOperation loop, stages_state state)
{
    intptr_t place = tri_stages_place(loop, 0, state.token);
    MlirBlock old = tri_op_body(loop, 1);
    if (!is_used(s, old, place >= 0 ? mlirBlockGetArgument(old, place) : state.token))
        return state;
    MlirValue inits[] = {state.stage, state.phase};
    MlirOperation made = tri_loops_add_while_args(s->arena, loop, 2, inits);
    MlirBlock before = tri_op_body(made, 0), body = tri_op_body(made, 1);
    intptr_t given = mlirBlockGetNumArguments(before), n = mlirBlockGetNumArguments(body);
    stages_state asked = {mlirBlockGetArgument(before, given - 2), mlirBlockGetArgument(before, given - 1), {NULL}};
    stages_state in = {mlirBlockGetArgument(body, n - 2), mlirBlockGetArgument(body, n - 1),
                       place >= 0 ? mlirBlockGetArgument(body, place) : state.token};
    append_state(s, tri_loops_yield(made, 0), &asked);
    in = tri_stages_assign(s, body, in);
    append_state(s, tri_loops_yield(made, 1), &in);
    set_new_outputs(s, made, s->owners, s->owners);
    return results_behind(made, place, state.token);
}

/* Gives a conditional the branch that it lacks. */
static void add_else(MlirOperation op)
{
    if (!mlirBlockIsNull(tri_op_body(op, 1)))
        return;
    MlirBlock block = mlirBlockCreate(0, NULL, NULL);
    tri_builder b = tri_builder_at_end(block, mlirOperationGetLocation(op));
    tri_builder_create(&b, &(tri_op){.name = "scf.yield"});
    mlirRegionAppendOwnedBlock(mlirOperationGetRegion(op, 1), block);
}

static stages_state assign_if(const stages_side *s, MlirOperation op, stages_state state)
{
    if (!is_used(s, tri_op_body(op, 0), state.token) && !is_used(s, tri_op_body(op, 1), state.token))
        return state;
    MlirType types[] = {mlirValueGetType(state.stage), mlirValueGetType(state.phase)};
    add_else(op);
    op = tri_loops_add_if_results(s->arena, op, 2, types);
    stages_state branch[2];
    intptr_t place = -1;
    uint64_t stage = 0, phase = 0;
    for (int i = 0; i < 2; i++) {
        MlirOperation yield = tri_loops_yield(op, i);
        branch[i] = tri_stages_assign(s, tri_op_body(op, i), state);
        place = place < 0 ? tri_stages_place(yield, 0, branch[i].token) : place;
        append_state(s, yield, &branch[i]);
        bool is_new = !mlirValueEqual(branch[i].stage, state.stage);
        stage |= is_new ? partitions_of_new(s, branch[i].stage) : 0;
        phase |= is_new ? partitions_of_new(s, branch[i].phase) : 0;
    }
    set_new_outputs(s, op, stage ? stage : s->owners, phase ? phase : s->owners);
    return results_behind(op, place, state.token);
}

stages_state tri_stages_assign(const stages_side *s, MlirBlock block, stages_state state)
{
    MlirOperation op = mlirBlockGetFirstOperation(block);
    while (!mlirOperationIsNull(op)) {
        MlirOperation next = mlirOperationGetNextInBlock(op);
        if (tri_stages_takes(s, op))
            take_next(s, op, &state);
        else if (tri_op_is(op, "scf.for"))
            state = assign_for(s, op, state);
        else if (tri_op_is(op, "scf.while"))
            state = assign_while(s, op, state);
        else if (tri_op_is(op, "scf.if"))
            state = assign_if(s, op, state);
        op = next;
    }
    return state;
}
