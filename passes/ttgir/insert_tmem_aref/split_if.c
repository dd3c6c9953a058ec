/* A conditional has one place in a loop's schedule; who gives a buffer to it and takes it back has its own.
 *
 *     %r:2 = scf.if %c {                        scf.if %c { nvws.aref.put.exit %a, %t }          {loop.stage = 1}
 *       nvws.aref.put.exit %a, %t               %r = scf.if %c { ... }                           {loop.stage = 2}
 *       ...                                ->   %n = scf.if %c { %p, %u = nvws.aref.put.enter %a
 *       %p, %u = nvws.aref.put.enter %a           yield %u } else { yield %t }                   {loop.stage = 1}
 *       yield %v, %u } else { yield %w, %t }
 */
#include "passes/ttgir/insert_tmem_aref/split_if.h"

#include "ir/type.h"
#include "passes/analysis/loops.h"
#include "passes/analysis/partitions.h"
#include "passes/analysis/tasks.h"

#include "mlir-c/BuiltinAttributes.h"

typedef struct {
    tri_arena *arena;
    MlirOperation op, exit, enter;
    intptr_t place; /* of the token among the results */
    uint64_t taker; /* the group that has the buffer around it */
} split;

/* ---- which ---- */

static bool find_split(tri_arena *arena, MlirOperation op, split *out)
{
    if (mlirBlockIsNull(tri_op_body(op, 1)) || mlirAttributeIsNull(tri_op_attr(op, TRI_PARTITIONS_OF)))
        return false;
    MlirOperation yield = tri_loops_yield(op, 0);
    *out = (split){.arena = arena, .op = op, .exit = mlirBlockGetFirstOperation(tri_op_body(op, 0)),
                   .enter = tri_op_previous(yield), .place = -1};
    if (!tri_op_is(out->exit, "nvws.aref.put.exit") || !tri_op_is(out->enter, "nvws.aref.put.enter"))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); i++)
        if (mlirValueEqual(tri_op_operand(yield, i), tri_op_result(out->enter, 1)))
            out->place = i;
    if (out->place < 0 || tri_loops_is_inside(op, tri_op_operand(tri_loops_yield(op, 1), out->place)))
        return false;
    out->taker = tri_partitions_of_result(op, out->place);
    return true;
}

/* ---- its parts ---- */

/* A conditional beside the original, with its attributes and the place in the schedule of who it is for. */
static MlirOperation make_part(const split *s, tri_builder b, MlirOperation like, intptr_t num_results)
{
    MlirType token = tri_type_async_token(b.context);
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    for (int i = 0; i <= num_results; i++)
        mlirRegionAppendOwnedBlock(regions[i], mlirBlockCreate(0, NULL, NULL));
    MlirValue condition = tri_op_operand(s->op, 0);
    MlirOperation made = tri_builder_create(
        &b, &(tri_op){.name = "scf.if", .num_operands = 1, .operands = &condition, .num_results = num_results,
                      .results = &token, .num_regions = 2, .regions = regions});
    static const char *const schedule[] = {"loop.stage", "loop.cluster"};
    for (size_t i = 0; i < sizeof schedule / sizeof *schedule; i++) {
        MlirAttribute attr = tri_op_attr(like, schedule[i]);
        attr = mlirAttributeIsNull(attr) ? tri_op_attr(s->op, schedule[i]) : attr;
        if (!mlirAttributeIsNull(attr))
            tri_builder_set_attr(made, schedule[i], attr);
    }
    tri_partitions_set(made, s->taker);
    return made;
}

static void end_part(const split *s, MlirOperation part, int block, MlirValue token)
{
    tri_builder b = tri_builder_at_end(tri_op_body(part, block), mlirOperationGetLocation(s->op));
    MlirOperation yield = tri_builder_create(
        &b, &(tri_op){.name = "scf.yield", .num_operands = !mlirValueIsNull(token), .operands = &token});
    tri_partitions_set(yield, s->taker);
}

static void set_outputs(const split *s, MlirOperation op, intptr_t changed, uint64_t partitions)
{
    intptr_t n = mlirOperationGetNumResults(op);
    MlirAttribute *lists = TRI_NEW_ARRAY(s->arena, MlirAttribute, n + 1);
    MlirContext context = mlirOperationGetContext(op);
    for (intptr_t i = 0; i < n; i++)
        lists[i] = tri_tasks_make(context, i == changed ? partitions : tri_partitions_of_result(op, i));
    tri_builder_set_attr(op, TRI_PARTITIONS_OUTPUTS, mlirArrayAttrGet(context, n, lists));
}

/* What is left is of the other groups, which have no token. */
static void leave_middle(const split *s)
{
    MlirOperation func = s->op;
    while (!tri_op_is(func, "tt.func"))
        func = mlirOperationGetParentOperation(func);
    tri_builder b = tri_builder_at_start(tri_op_body(func, 0), mlirOperationGetLocation(s->op));
    MlirType type = tri_type_async_token(b.context);
    MlirValue none = tri_builder_value(&b, &(tri_op){.name = "ub.poison", .num_results = 1, .results = &type});
    uint64_t all = tri_partitions_of(s->op), others = all & ~s->taker ? all & ~s->taker : all;
    set_outputs(s, s->op, s->place, others);
    tri_partitions_set(s->op, others);
    for (int i = 0; i < 2; i++) {
        MlirOperation yield = tri_loops_yield(s->op, i);
        mlirOperationSetOperand(yield, s->place, none);
        tri_partitions_set(yield, others);
    }
}

static void split_if(const split *s)
{
    MlirValue none = {NULL}, kept = tri_op_operand(tri_loops_yield(s->op, 1), s->place);
    MlirOperation gives = make_part(s, tri_builder_before(s->op), s->exit, 0);
    MlirOperation takes = make_part(s, tri_builder_after(s->op), s->enter, 1);
    end_part(s, gives, 0, none);
    end_part(s, takes, 0, tri_op_result(s->enter, 1));
    end_part(s, takes, 1, kept);
    set_outputs(s, takes, 0, s->taker);
    mlirOperationMoveBefore(s->exit, tri_loops_yield(gives, 0));
    mlirOperationMoveBefore(s->enter, tri_loops_yield(takes, 0));
    mlirValueReplaceAllUsesOfWith(tri_op_result(s->op, s->place), tri_op_result(takes, 0));
    leave_middle(s);
}

void tri_split_ifs(tri_arena *arena, MlirOperation func)
{
    tri_op_list ifs = {0};
    tri_op_collect_named(func, "scf.if", arena, &ifs);
    for (size_t i = 0; i < ifs.len; i++) {
        split s;
        if (find_split(arena, ifs.at[i], &s))
            split_if(&s);
    }
}
