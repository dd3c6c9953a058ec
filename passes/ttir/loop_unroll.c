/* Unrolls loops that ask for it.
 *
 *     scf.for %i = %lb to %ub step %s { body(%i) }        scf.for %i = %lb to %mid step (2 * %s) {
 *       {tt.loop_unroll_factor = 2 : i32}                   body(%i)  body(%i + %s)
 *                                                         }
 *                                                         scf.for %i = %mid to %ub step %s { body(%i) }
 *                                                           {tt.num_stages = 1 : i32}
 *
 * Needs: ttir. Innermost loops first; the attribute goes. The rest loop is left out when the number
 * of trips is known to be a multiple. Loops over unsigned bounds are handled alike. Answers to
 * triton-loop-unroll. Test: tests/passes/loop-unroll.mlir */
#include "passes/passes.h"

#include "ir/op.h"

#include "mlir-c/BuiltinTypes.h"

typedef struct {
    tri_pass_run *run;
    MlirOperation loop;
    int64_t factor;
    MlirType type; /* of the induction variable */
} unroller;

static MlirValue binary(unroller *u, tri_builder *b, const char *name, MlirValue x, MlirValue y)
{
    return tri_builder_binary(b, name, u->type, x, y);
}

/* Trips of a loop with constant bounds; false when they are not. */
static bool known_trips(MlirOperation loop, int64_t *out_trips)
{
    int64_t lb, ub, step;
    if (!tri_op_const_int(tri_op_operand(loop, 0), &lb) || !tri_op_const_int(tri_op_operand(loop, 1), &ub) ||
        !tri_op_const_int(tri_op_operand(loop, 2), &step) || step <= 0)
        return false;
    *out_trips = ub > lb ? (ub - lb + step - 1) / step : 0;
    return true;
}

/* Where the unrolled loop ends: lb + (trips - trips % factor) * step. A loop that does not run has a
 * negative distance; it counts as no trips. */
static MlirValue make_middle(unroller *u, tri_builder *b)
{
    MlirValue lb = tri_op_operand(u->loop, 0), ub = tri_op_operand(u->loop, 1), step = tri_op_operand(u->loop, 2);
    MlirValue one = tri_builder_int(b, u->type, 1), zero = tri_builder_int(b, u->type, 0);
    MlirValue factor = tri_builder_int(b, u->type, u->factor);
    bool is_unsigned = tri_op_flag(u->loop, "unsignedCmp");
    MlirType i1 = mlirIntegerTypeGet(b->context, 1);
    MlirValue pair[] = {lb, ub};
    tri_attr less = {"predicate", tri_attr_i64(b->context, is_unsigned ? 6 : 2)};
    MlirValue runs = tri_builder_value(b, &(tri_op){.name = "arith.cmpi", .num_operands = 2, .operands = pair,
                                                    .num_results = 1, .results = &i1, .num_attrs = 1, .attrs = &less});
    MlirValue distance = binary(u, b, "arith.subi", ub, lb);
    MlirValue choice[] = {runs, distance, zero};
    distance = tri_builder_value(b, &(tri_op){.name = "arith.select", .num_operands = 3, .operands = choice,
                                              .num_results = 1, .results = &u->type});
    MlirValue up = binary(u, b, "arith.addi", distance, binary(u, b, "arith.subi", step, one));
    MlirValue trips = binary(u, b, "arith.divui", up, step);
    MlirValue rest = binary(u, b, "arith.remui", trips, factor);
    MlirValue whole = binary(u, b, "arith.subi", trips, rest);
    return binary(u, b, "arith.addi", lb, binary(u, b, "arith.muli", whole, step));
}

/* The loop once more behind itself, from `middle` on with what the first one leaves. */
static void make_rest(unroller *u, MlirValue middle)
{
    tri_builder b = tri_builder_after(u->loop);
    MlirOperation rest = tri_op_clone(&b, u->loop, 0, NULL, NULL);
    intptr_t n = mlirOperationGetNumResults(u->loop);
    for (intptr_t i = 0; i < n; i++)
        mlirValueReplaceAllUsesOfWith(tri_op_result(u->loop, i), tri_op_result(rest, i));
    mlirOperationSetOperand(rest, 0, middle);
    for (intptr_t i = 0; i < n; i++)
        mlirOperationSetOperand(rest, 3 + i, tri_op_result(u->loop, i));
    tri_builder_set_attr(rest, "tt.num_stages", tri_attr_i32(b.context, 1));
}

typedef struct {
    TRI_VEC(MlirValue) from;
    TRI_VEC(MlirValue) to;
} mapping;

static void map(tri_arena *arena, mapping *m, MlirValue from, MlirValue to)
{
    tri_vec_push(arena, &m->from, from);
    tri_vec_push(arena, &m->to, to);
}

static MlirValue mapped(const mapping *m, MlirValue value)
{
    for (size_t i = 0; i < m->from.len; i++)
        if (mlirValueEqual(m->from.at[i], value))
            return m->to.at[i];
    return value;
}

/* Copies of the body behind each other, each fed by the one before. */
static void repeat_body(unroller *u, MlirValue step)
{
    tri_arena *arena = u->run->arena;
    MlirBlock body = tri_op_body(u->loop, 0);
    MlirOperation yield = mlirBlockGetTerminator(body);
    MlirValue iv = mlirBlockGetArgument(body, 0);
    tri_op_list ops = {0};
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, yield);
         op = mlirOperationGetNextInBlock(op))
        tri_vec_push(arena, &ops, op);
    intptr_t carried = mlirOperationGetNumResults(u->loop);
    MlirValue *last = TRI_NEW_ARRAY(arena, MlirValue, carried + 1);
    for (intptr_t i = 0; i < carried; i++)
        last[i] = tri_op_operand(yield, i);
    for (int64_t k = 1; k < u->factor; k++) {
        tri_builder b = tri_builder_before(yield);
        mapping m = {0};
        MlirValue ahead = binary(u, &b, "arith.muli", step, tri_builder_int(&b, u->type, k));
        map(arena, &m, iv, binary(u, &b, "arith.addi", iv, ahead));
        for (intptr_t i = 0; i < carried; i++)
            map(arena, &m, mlirBlockGetArgument(body, 1 + i), last[i]);
        for (size_t i = 0; i < ops.len; i++) {
            MlirOperation clone = tri_op_clone(&b, ops.at[i], (intptr_t)m.to.len, m.from.at, m.to.at);
            for (intptr_t r = 0; r < mlirOperationGetNumResults(clone); r++)
                map(arena, &m, tri_op_result(ops.at[i], r), tri_op_result(clone, r));
        }
        for (intptr_t i = 0; i < carried; i++)
            last[i] = mapped(&m, tri_op_operand(yield, i));
    }
    mlirOperationSetOperands(yield, carried, last);
}

static void unroll(unroller *u)
{
    int64_t trips;
    bool is_known = known_trips(u->loop, &trips);
    MlirValue step = tri_op_operand(u->loop, 2);
    tri_builder b = tri_builder_before(u->loop);
    if (!is_known || trips % u->factor) {
        MlirValue middle = make_middle(u, &b);
        make_rest(u, middle);
        mlirOperationSetOperand(u->loop, 1, middle);
    }
    repeat_body(u, step);
    MlirValue factor = tri_builder_int(&b, u->type, u->factor);
    mlirOperationSetOperand(u->loop, 2, binary(u, &b, "arith.muli", step, factor));
}

static bool run(tri_pass_run *run)
{
    static const char name[] = "tt.loop_unroll_factor";
    tri_op_list loops = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.for", run->arena, &loops);
    for (size_t i = loops.len; i-- > 0;) {
        unroller u = {.run = run, .loop = loops.at[i], .factor = tri_op_int(loops.at[i], name, 1)};
        if (mlirAttributeIsNull(tri_op_attr(u.loop, name)))
            continue;
        mlirOperationRemoveAttributeByName(u.loop, mlirStringRefCreateFromCString(name));
        u.type = mlirValueGetType(tri_op_operand(u.loop, 2));
        if (u.factor > 1)
            unroll(&u);
    }
    return true;
}

const tri_pass tri_pass_loop_unroll = {
    .name = "loop-unroll",
    .help = "unroll loops that carry tt.loop_unroll_factor",
    .alias = "triton-loop-unroll",
    .run = run,
};
