#include "ir/analysis/axis_info.h"

#include "base/diag.h"
#include "base/map.h"
#include "ir/analysis/axis_rules.h"
#include "ir/op.h"
#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdio.h>

struct tri_axis_info {
    tri_arena *arena;
    tri_map axes; /* MlirValue.ptr -> tri_axis */
    bool is_stale; /* a back edge changed something that was used already */
};

static const tri_axis *find_axis_info(const tri_axis_info *info, MlirValue value)
{
    return tri_map_find_ptr(&info->axes, value.ptr);
}

/* Facts only ever get weaker, so the sweeps end. */
static bool weaken(tri_axis_info *info, MlirValue value, const tri_axis *axis)
{
    tri_axis *known = tri_map_find_ptr(&info->axes, value.ptr);
    if (!known) {
        known = TRI_NEW(info->arena, tri_axis);
        *known = *axis;
        tri_map_set_ptr(&info->axes, value.ptr, known);
        return true;
    }
    tri_axis joined = tri_axis_rules_join(known, axis);
    bool is_same = joined.has_constant == known->has_constant;
    for (int d = 0; d < joined.rank && is_same; d++)
        is_same = joined.contiguity[d] == known->contiguity[d] && joined.constancy[d] == known->constancy[d] &&
                  joined.divisibility[d] == known->divisibility[d];
    if (!is_same)
        *known = joined;
    return !is_same;
}

static bool set_unknown(tri_axis_info *info, MlirValue value)
{
    tri_axis axis = tri_axis_rules_unknown(mlirValueGetType(value));
    return weaken(info, value, &axis);
}

/* What flows from `from` to `to`; nothing while `from` has not been reached. The hints of a loop
 * for its n-th block argument replace what flows. */
static bool flow(tri_axis_info *info, MlirValue from, MlirValue to)
{
    const tri_axis *axis = find_axis_info(info, from);
    if (!axis)
        return false;
    tri_axis copy = *axis;
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(to, &block, &index)) {
        char suffix[24];
        snprintf(suffix, sizeof suffix, "_arg%d", (int)index);
        tri_axis_rules_hint_op(&copy, mlirBlockGetParentOperation(block), suffix);
    }
    return weaken(info, to, &copy);
}

static void flow_back(tri_axis_info *info, MlirValue from, MlirValue to)
{
    info->is_stale |= flow(info, from, to);
}

static void visit_block(tri_axis_info *info, MlirBlock block);

static void visit_region(tri_axis_info *info, MlirRegion region)
{
    for (MlirBlock b = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(b); b = mlirBlockGetNextInRegion(b))
        visit_block(info, b);
}

static MlirOperation terminator_of(MlirOperation op, int region)
{
    MlirBlock body = tri_op_body(op, region);
    return mlirBlockIsNull(body) ? (MlirOperation){NULL} : mlirBlockGetTerminator(body);
}

/* The induction variable: multiples of what divides both its start and its step. */
static void set_induction(tri_axis_info *info, MlirOperation op, MlirValue iv)
{
    const tri_axis *lb = find_axis_info(info, tri_op_operand(op, 0)),
                   *step = find_axis_info(info, tri_op_operand(op, 2));
    tri_axis axis = tri_axis_rules_unknown(mlirValueGetType(iv));
    if (lb && step) {
        int64_t a = lb->divisibility[0], b = step->divisibility[0];
        axis.divisibility[0] = a < b ? a : b; /* both are powers of two */
    }
    tri_axis_rules_hint_op(&axis, op, "_arg0");
    weaken(info, iv, &axis);
}

static void visit_for(tri_axis_info *info, MlirOperation op)
{
    MlirBlock body = tri_op_body(op, 0);
    intptr_t n = mlirOperationGetNumResults(op);
    set_induction(info, op, mlirBlockGetArgument(body, 0));
    for (intptr_t i = 0; i < n; i++) {
        flow(info, tri_op_operand(op, 3 + i), mlirBlockGetArgument(body, 1 + i));
        flow(info, tri_op_operand(op, 3 + i), tri_op_result(op, i));
    }
    visit_region(info, mlirOperationGetRegion(op, 0));
    MlirOperation yield = mlirBlockGetTerminator(body);
    for (intptr_t i = 0; i < n; i++) {
        flow_back(info, tri_op_operand(yield, i), mlirBlockGetArgument(body, 1 + i));
        flow(info, tri_op_operand(yield, i), tri_op_result(op, i));
    }
}

static void visit_while(tri_axis_info *info, MlirOperation op)
{
    MlirBlock before = tri_op_body(op, 0), after = tri_op_body(op, 1);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        flow(info, tri_op_operand(op, i), mlirBlockGetArgument(before, i));
    visit_region(info, mlirOperationGetRegion(op, 0));
    MlirOperation condition = mlirBlockGetTerminator(before), yield = mlirBlockGetTerminator(after);
    for (intptr_t i = 1; i < mlirOperationGetNumOperands(condition); i++) {
        flow(info, tri_op_operand(condition, i), mlirBlockGetArgument(after, i - 1));
        flow(info, tri_op_operand(condition, i), tri_op_result(op, i - 1));
    }
    visit_region(info, mlirOperationGetRegion(op, 1));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); i++)
        flow_back(info, tri_op_operand(yield, i), mlirBlockGetArgument(before, i));
}

static void visit_if(tri_axis_info *info, MlirOperation op)
{
    for (int r = 0; r < 2; r++) {
        visit_region(info, mlirOperationGetRegion(op, r));
        MlirOperation yield = terminator_of(op, r);
        for (intptr_t i = 0; !mlirOperationIsNull(yield) && i < mlirOperationGetNumOperands(yield); i++)
            flow(info, tri_op_operand(yield, i), tri_op_result(op, i));
    }
}

static void visit_branch(tri_axis_info *info, MlirOperation op)
{
    intptr_t start = tri_op_is(op, "cf.cond_br") ? 1 : 0;
    for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(op); s++) {
        MlirBlock to = mlirOperationGetSuccessor(op, s);
        intptr_t n = mlirBlockGetNumArguments(to);
        for (intptr_t i = 0; i < n; i++)
            flow_back(info, tri_op_operand(op, start + i), mlirBlockGetArgument(to, i));
        start += n;
    }
}

/* Regions with a control flow of their own (reduce, map_elementwise, ...): their arguments are unknown. */
static void visit_regions(tri_axis_info *info, MlirOperation op)
{
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
        MlirBlock body = tri_op_body(op, (int)r);
        for (intptr_t i = 0; !mlirBlockIsNull(body) && i < mlirBlockGetNumArguments(body); i++)
            set_unknown(info, mlirBlockGetArgument(body, i));
        visit_region(info, mlirOperationGetRegion(op, r));
    }
}

enum { max_rule_operands = 4 };

static void visit_simple(tri_axis_info *info, MlirOperation op)
{
    intptr_t n = mlirOperationGetNumOperands(op), results = mlirOperationGetNumResults(op);
    if (results != 1 || n > max_rule_operands) {
        for (intptr_t i = 0; i < results; i++) {
            tri_axis axis = tri_axis_rules_unknown(mlirValueGetType(tri_op_result(op, i)));
            tri_axis_rules_hint_op(&axis, op, "");
            weaken(info, tri_op_result(op, i), &axis);
        }
        return;
    }
    const tri_axis *in[max_rule_operands];
    for (intptr_t i = 0; i < n; i++)
        if (!(in[i] = find_axis_info(info, tri_op_operand(op, i))))
            return;
    tri_axis axis = tri_axis_rules_apply(op, in);
    tri_axis_rules_hint_op(&axis, op, "");
    weaken(info, tri_op_result(op, 0), &axis);
}

static void visit_func(tri_axis_info *info, MlirOperation func)
{
    MlirBlock body = tri_op_body(func, 0);
    if (mlirBlockIsNull(body))
        return;
    MlirAttribute attrs = mlirOperationGetAttributeByName(func, mlirStringRefCreateFromCString("arg_attrs"));
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
        MlirValue argument = mlirBlockGetArgument(body, i);
        tri_axis axis = tri_axis_rules_unknown(mlirValueGetType(argument));
        if (!mlirAttributeIsNull(attrs) && mlirAttributeIsAArray(attrs))
            tri_axis_rules_hint(&axis, mlirArrayAttrGetElement(attrs, i), "");
        weaken(info, argument, &axis);
    }
    do {
        info->is_stale = false;
        visit_region(info, mlirOperationGetRegion(func, 0));
    } while (info->is_stale);
}

static void visit_op(tri_axis_info *info, MlirOperation op)
{
    if (tri_op_is(op, "scf.for"))
        visit_for(info, op);
    else if (tri_op_is(op, "scf.while"))
        visit_while(info, op);
    else if (tri_op_is(op, "scf.if"))
        visit_if(info, op);
    else if (tri_op_is(op, "tt.func"))
        visit_func(info, op);
    else if (mlirOperationGetNumSuccessors(op))
        visit_branch(info, op);
    else {
        if (mlirOperationGetNumRegions(op))
            visit_regions(info, op);
        visit_simple(info, op);
    }
}

static void visit_block(tri_axis_info *info, MlirBlock block)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        visit_op(info, op);
}

tri_axis_info *tri_axis_info_create(tri_arena *arena, MlirOperation root)
{
    tri_axis_info *info = TRI_NEW(arena, tri_axis_info);
    info->arena = arena;
    tri_map_init(&info->axes, arena);
    visit_op(info, root);
    return info;
}

const tri_axis *tri_axis_info_get(const tri_axis_info *info, MlirValue value)
{
    const tri_axis *known = find_axis_info(info, value);
    if (known)
        return known;
    tri_axis *fresh = TRI_NEW(info->arena, tri_axis);
    *fresh = tri_axis_rules_unknown(mlirValueGetType(value));
    return fresh;
}

int64_t tri_axis_info_alignment(const tri_axis_info *info, MlirValue value, int dim)
{
    const tri_axis *a = tri_axis_info_get(info, value);
    MlirType element = tri_type_element(mlirValueGetType(value));
    int64_t alignment = a->divisibility[dim];
    if (tri_type_is_ptr(element)) {
        int64_t bytes = tri_type_bits(tri_type_ptr_pointee(element)) / 8;
        alignment = bytes > 1 ? alignment / bytes : alignment;
        alignment = alignment > 1 ? alignment : 1;
    }
    return alignment < a->contiguity[dim] ? alignment : a->contiguity[dim];
}

int64_t tri_axis_info_mask_alignment(const tri_axis_info *info, MlirValue mask, int dim)
{
    if (mlirValueIsNull(mask))
        return TRI_AXIS_MAX;
    return tri_axis_info_get(info, mask)->constancy[dim];
}
