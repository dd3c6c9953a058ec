/* Each access to a ring of buffers says to which buffer, and in which phase.
 *
 *     scf.for ... {                                   scf.for ... iter_args(%s = depth - 1, %f = 0) {
 *       %b, %t = nvws.aref.put.enter %r                 %n = arith.addi %s, 1 ; %end = arith.cmpi eq, %n, depth
 *       nvws.aref.put.exit %r, %t               ->      %s1 = arith.select %end, 0, %n
 *     }                                                 %f1 = arith.select %end, arith.xori %f, 1, %f
 *                                                       %b, %t = nvws.aref.put.enter %r[%s1, %f1]
 *                                                       nvws.aref.put.exit %r[%s1], %t
 *                                                       scf.yield %s1, %f1
 *                                                     }
 *
 * Groups of warps count for themselves, who puts from phase 0 and who gets from phase 1; what they have come to goes
 * through loops and conditionals, and follows the token of a buffer to who uses it and gives it back. A number that a
 * loop hands to operations of no group is worked out by the first group too. In no pipeline:
 * automatic-warp-specialization counts by itself. Answers to nvws-assign-stage-phase.
 * Test: tests/passes/assign-stage-phase.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/type.h"
#include "passes/analysis/loops.h"
#include "passes/ttgir/assign_stage_phase/stages.h"

/* ---- following tokens ---- */

typedef struct {
    tri_map seen; /* operations that have their stage */
} following;

static void follow_token(following *f, MlirValue token, MlirValue stage);

/* An operation of the buffer: its stage is its last operand, where it has one. */
static void set_stage(MlirOperation op, MlirValue stage)
{
    MlirValue operands[] = {tri_op_operand(op, 0), tri_op_operand(op, 1), stage};
    MlirBlock block;
    intptr_t place;
    mlirOperationSetOperands(op, 3, operands);
    if (!tri_op_is_block_argument(stage, &block, &place) || mlirAttributeIsNull(tri_op_attr(op, TRI_PARTITIONS_OF)))
        return;
    MlirOperation loop = mlirBlockGetParentOperation(block);
    place -= tri_op_is(loop, "scf.for");
    tri_stages_add_partitions(loop, place, tri_partitions_of(op));
    tri_stages_add_partitions(loop, place + 1, tri_partitions_of(op));
}

/* Through a loop that is given the token, or hands it on. */
static void follow_loop(following *f, MlirOperation loop, intptr_t token, intptr_t stage)
{
    bool is_for = tri_op_is(loop, "scf.for");
    MlirBlock body = tri_op_body(loop, is_for ? 0 : 1);
    if (token < 0 || stage < 0)
        return;
    follow_token(f, mlirBlockGetArgument(body, token + is_for), mlirBlockGetArgument(body, stage + is_for));
    follow_token(f, tri_op_result(loop, token), tri_op_result(loop, stage));
}

static void follow_use(following *f, MlirOperation op, intptr_t operand, MlirValue stage)
{
    bool is_for = tri_op_is(op, "scf.for");
    if (tri_map_find_ptr(&f->seen, op.ptr))
        return;
    tri_map_set_ptr(&f->seen, op.ptr, f);
    if (tri_op_is(op, "nvws.aref.put.exit") || tri_op_is(op, "nvws.aref.get.exit") || tri_op_is(op, "nvws.aref.buffer"))
        set_stage(op, stage);
    else if (is_for || tri_op_is(op, "scf.while"))
        follow_loop(f, op, operand - (is_for ? 3 : 0), tri_stages_place(op, is_for ? 3 : 0, stage));
    else if (tri_op_is(op, "scf.yield")) {
        MlirOperation around = mlirOperationGetParentOperation(op);
        intptr_t place = tri_stages_place(op, 0, stage);
        if (place >= 0 && tri_op_is(around, "scf.if"))
            follow_token(f, tri_op_result(around, operand), tri_op_result(around, place));
        else
            follow_loop(f, around, operand, place);
    }
}

static void follow_token(following *f, MlirValue token, MlirValue stage)
{
    MlirOpOperand use = mlirValueGetFirstUse(token);
    while (!mlirOpOperandIsNull(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use);
        intptr_t operand = mlirOpOperandGetOperandNumber(use);
        use = mlirOpOperandGetNextUse(use);
        follow_use(f, op, operand, stage);
    }
}

/* Gives the stage to all that has the token: who uses the buffer, and gives it back. */
static void hand_stage_on(const stages_side *s, MlirValue token, MlirValue stage)
{
    following f;
    tri_map_init(&f.seen, s->arena);
    follow_token(&f, token, stage);
}

/* ---- one reference ---- */

typedef TRI_VEC(uint64_t) owner_list;

static bool comes_first(uint64_t a, uint64_t b)
{
    while (a && b && __builtin_ctzll(a) == __builtin_ctzll(b))
        a &= a - 1, b &= b - 1;
    return b && (!a || __builtin_ctzll(a) < __builtin_ctzll(b));
}

/* The groups that take buffers together, sorted; one that stands for all where no operation says. */
static owner_list owners_of(tri_arena *arena, MlirValue aref, const char *enter)
{
    owner_list owners = {0};
    MlirOpOperand use = mlirValueGetFirstUse(aref);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use);
        if (!tri_op_is(op, enter) || mlirAttributeIsNull(tri_op_attr(op, TRI_PARTITIONS_OF)))
            continue;
        uint64_t partitions = tri_partitions_of(op);
        size_t i = 0;
        while (i < owners.len && comes_first(owners.at[i], partitions))
            i++;
        if (i < owners.len && owners.at[i] == partitions)
            continue;
        tri_vec_push(arena, &owners, 0);
        for (size_t j = owners.len - 1; j > i; j--)
            owners.at[j] = owners.at[j - 1];
        owners.at[i] = partitions;
    }
    if (!owners.len)
        tri_vec_push(arena, &owners, 1);
    return owners;
}

static void hand_on_stages(const stages_side *s)
{
    tri_op_list enters = {0};
    MlirOpOperand use = mlirValueGetFirstUse(s->aref);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        if (tri_stages_takes(s, mlirOpOperandGetOwner(use)))
            tri_vec_push(s->arena, &enters, mlirOpOperandGetOwner(use));
    for (size_t i = 0; i < enters.len; i++)
        if (mlirOperationGetNumOperands(enters.at[i]) == 3)
            hand_stage_on(s, tri_op_result(enters.at[i], mlirOperationGetNumResults(enters.at[i]) - 1),
                           tri_op_operand(enters.at[i], 1));
}

static void assign_side(tri_arena *arena, MlirOperation create, const char *enter, int64_t first_phase)
{
    tri_memdesc ring;
    tri_type_get_memdesc(mlirValueGetType(tri_op_operand(create, 0)), &ring);
    stages_side s = {.arena = arena, .aref = tri_op_result(create, 0), .depth = ring.shape[0], .enter = enter};
    owner_list owners = owners_of(arena, s.aref, enter);
    tri_builder b = tri_builder_after(create);
    MlirType i32 = mlirIntegerTypeGet(b.context, 32);
    stages_state state = {.stage = tri_builder_int(&b, i32, s.depth - 1),
                          .phase = tri_builder_int(&b, i32, first_phase)};
    for (size_t i = 0; i < owners.len; i++) {
        s.owners = owners.at[i];
        tri_stages_assign(&s, mlirOperationGetBlock(create), state);
        hand_on_stages(&s);
    }
}

/* ---- numbers that operations of no group use ---- */

typedef struct {
    MlirOperation loop;
    tri_map seen;
} first_group;

static void work_out_first(first_group *f, MlirValue value)
{
    MlirBlock block;
    intptr_t i;
    if (tri_map_find_ptr(&f->seen, value.ptr))
        return;
    tri_map_set_ptr(&f->seen, value.ptr, f);
    if (tri_op_is_block_argument(value, &block, &i)) {
        MlirOperation loop = mlirBlockGetParentOperation(block);
        if (tri_op_is(loop, "scf.for") && !mlirOperationEqual(loop, f->loop) && i)
            work_out_first(f, tri_op_operand(loop, i + 2));
        return;
    }
    MlirOperation def = tri_op_def(value);
    if (!tri_loops_is_inside(f->loop, value))
        return;
    bool is_if = tri_op_is(def, "scf.if");
    if (!is_if && !tri_op_is(def, "scf.for")) {
        tri_partitions_set(def, tri_partitions_of(def) | 1);
        for (i = 0; i < mlirOperationGetNumOperands(def); i++)
            work_out_first(f, tri_op_operand(def, i));
        return;
    }
    i = mlirOpResultGetResultNumber(value);
    tri_stages_add_partitions(def, i, 1);
    for (int r = 0; r < (is_if ? 2 : 1); r++)
        if (!mlirBlockIsNull(tri_op_body(def, r)))
            work_out_first(f, tri_op_operand(tri_loops_yield(def, r), i));
    for (intptr_t o = 0; o < (is_if ? 1 : 3); o++) /* condition, or bounds and step */
        work_out_first(f, tri_op_operand(def, o));
}

static bool is_used_by_none(MlirValue result)
{
    MlirOpOperand use = mlirValueGetFirstUse(result);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use);
        bool is_other = tri_op_is(op, "scf.for") && !mlirAttributeIsNull(tri_op_attr(op, TRI_PARTITIONS_TAG));
        if (is_other || mlirAttributeIsNull(tri_op_attr(op, TRI_PARTITIONS_OF)))
            return true;
    }
    return false;
}

static void work_out_results(tri_arena *arena, MlirOperation loop)
{
    first_group f = {.loop = loop};
    tri_map_init(&f.seen, arena);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++) {
        MlirValue result = tri_op_result(loop, i);
        MlirType type = mlirValueGetType(result);
        if ((!tri_type_is_int(type) && !tri_type_is_float(type)) || !is_used_by_none(result))
            continue;
        tri_stages_add_partitions(loop, i, 1);
        work_out_first(&f, tri_op_operand(tri_loops_yield(loop, 0), i));
    }
}

void tri_assign_stage_phase(tri_arena *arena, MlirOperation module)
{
    tri_op_list creates = {0}, loops = {0};
    tri_op_collect_named(module, "nvws.aref.create", arena, &creates);
    for (size_t i = 0; i < creates.len; i++) {
        assign_side(arena, creates.at[i], "nvws.aref.put.enter", 0);
        assign_side(arena, creates.at[i], "nvws.aref.get.enter", 1);
    }
    tri_op_collect_named(module, "scf.for", arena, &loops);
    for (size_t i = 0; creates.len && i < loops.len; i++)
        if (tri_op_flag(loops.at[i], "tt.warp_specialize"))
            work_out_results(arena, loops.at[i]);
}

static bool run_assign_stage_phase(tri_pass_run *run)
{
    tri_assign_stage_phase(run->arena, mlirModuleGetOperation(run->module));
    return true;
}

const tri_pass tri_pass_assign_stage_phase = {
    .name = "assign-stage-phase",
    .help = "say to which buffer of a ring, and in which phase, each access goes",
    .alias = "nvws-assign-stage-phase",
    .run = run_assign_stage_phase,
};
