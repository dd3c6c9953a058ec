/* Is everything that a group of warps uses of that group? */
#include "passes/ttgir/partition_loops/split.h"

#include "ir/type.h"
#include "passes/analysis/loops.h"

enum { MISFIT = 5014 };

static bool is_member(const split *s, MlirOperation op)
{
    for (size_t i = 0; i < s->members.len; i++)
        if (mlirOperationEqual(s->members.at[i], op))
            return true;
    return false;
}

/* The member that an operation is, or stands in; null: it is of none. */
static MlirOperation member_of(const split *s, MlirOperation op)
{
    while (!mlirOperationIsNull(op) && !is_member(s, op))
        op = mlirOperationGetParentOperation(op);
    return op;
}

static bool is_of_members(const split *s, MlirValue value)
{
    return !mlirOperationIsNull(member_of(s, mlirBlockGetParentOperation(tri_op_block_of(value)))) ||
           (!mlirOperationIsNull(tri_op_def(value)) && is_member(s, tri_op_def(value)));
}

static bool check_phi(split *s, MlirOperation op)
{
    uint64_t local = tri_partitions_of_value(tri_op_operand(op, 0));
    uint64_t remote = tri_partitions_of_value(tri_op_operand(op, 1)), own = tri_partitions_of(op);
    bool chooses = !(local & remote & own) && !(own & ~(local | remote));
    if (!chooses)
        tri_op_error(s->diag, op, MISFIT, "each partition must have one of the two values, and not both");
    return chooses;
}

static bool check_uses(split *s, MlirOperation op)
{
    if (tri_op_is(op, "nvws.aref.phi"))
        return check_phi(s, op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue value = tri_op_operand(op, i);
        uint64_t lacking = tri_partitions_of_use(op, i) & ~tri_partitions_of_value(value);
        if (!lacking || !is_of_members(s, value))
            continue;
        tri_op_error(s->diag, op, MISFIT, "partition %d uses a value that it does not have: what it is handed goes "
                     "through memory (nvws-insert-aref)", __builtin_ctzll(lacking));
        return false;
    }
    return true;
}

/* What the loop forwards is what its condition was given, so that one list says what groups have of both. */
static bool check_while(split *s, MlirOperation op)
{
    MlirOperation condition = tri_loops_yield(op, 0);
    intptr_t n = mlirOperationGetNumOperands(condition) - 1;
    bool fits = n == mlirBlockGetNumArguments(tri_op_body(op, 0));
    for (intptr_t i = 0; fits && i < n; i++)
        fits = mlirValueEqual(tri_op_operand(condition, i + 1), mlirBlockGetArgument(tri_op_body(op, 0), i));
    if (!fits)
        tri_op_error(s->diag, op, MISFIT, "the loop must hand on what its condition is given: "
                     "normalize-ws-while-loops makes it so");
    return fits;
}

static bool check_op(split *s, MlirOperation op)
{
    return check_uses(s, op) && (!tri_op_is(op, "scf.while") || check_while(s, op));
}

static bool check_inside(split *s, MlirOperation op)
{
    tri_op_list inner = {0};
    tri_op_collect(op, s->arena, &inner);
    bool fits = check_op(s, op);
    for (size_t i = 0; i < inner.len && fits; i++)
        fits = check_op(s, inner.at[i]);
    return fits;
}

/* Operands of what moves to the loop must be there already. */
static bool check_order(split *s, MlirOperation member)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(member); i++) {
        MlirOperation def = tri_op_def(tri_op_operand(member, i));
        if (mlirOperationIsNull(def) || is_member(s, def) || tri_op_dominates(def, s->loop))
            continue;
        tri_op_error(s->diag, member, MISFIT, "uses what is made behind the loop by an operation without %s",
                     TRI_PARTITIONS_OF);
        return false;
    }
    return true;
}

/* Is the value used by operations that are of none of the members? */
static bool leaves_members(const split *s, MlirValue value)
{
    const tri_use_list *uses = tri_uses_of(&s->uses, value);
    for (size_t i = 0; i < uses->len; i++)
        if (mlirOperationIsNull(member_of(s, uses->at[i].op)))
            return true;
    return false;
}

bool tri_partition_loops_is_used_outside(const split *s, intptr_t result)
{
    return leaves_members(s, tri_op_result(s->loop, result));
}

int tri_partition_loops_owner(const split *s, intptr_t result)
{
    return __builtin_ctzll(tri_partitions_of_result(s->loop, result));
}

/* Results leave by the first group, or through memory where they are tensors; those of other members do not. */
static bool check_results(split *s, MlirOperation member)
{
    bool is_loop = mlirOperationEqual(member, s->loop);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(member); i++) {
        MlirValue result = tri_op_result(member, i);
        bool may_leave =
            is_loop && (!tri_partition_loops_owner(s, i) || tri_type_is_tensor(mlirValueGetType(result)));
        if (may_leave || !leaves_members(s, result))
            continue;
        tri_op_error(s->diag, member, MISFIT, "result %d of partition %d is used by an operation without %s", (int)i,
                     is_loop ? tri_partition_loops_owner(s, i) : __builtin_ctzll(tri_partitions_of(member)),
                     TRI_PARTITIONS_OF);
        return false;
    }
    return true;
}

bool tri_partition_loops_is_sound(split *s)
{
    for (size_t i = 0; i < s->members.len; i++)
        if (!check_inside(s, s->members.at[i]) || !check_order(s, s->members.at[i]) ||
            !check_results(s, s->members.at[i]))
            return false;
    return true;
}
