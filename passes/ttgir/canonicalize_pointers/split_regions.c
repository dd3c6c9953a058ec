/* Two values for each pointer that loops, conditionals and branches carry. */
#include "passes/ttgir/canonicalize_pointers/split.h"

#include "passes/analysis/loops.h"

#include "ir/type.h"

typedef TRI_VEC(MlirValue) value_list;
typedef TRI_VEC(MlirType) type_list;

bool tri_split_has_regions(MlirOperation op)
{
    return tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while") || tri_op_is(op, "scf.if");
}

/* ---- types and values ---- */

static MlirType base_type(MlirValue pointer) { return tri_type_element(mlirValueGetType(pointer)); }

static MlirType offset_type(const split_pointer *p, MlirValue pointer)
{
    MlirType type = mlirValueGetType(pointer);
    return tri_type_with_element(type, mlirIntegerTypeGet(mlirTypeGetContext(type), p->kind == SPLIT_SMALL ? 32 : 64));
}

/* The values for what is carried to `to`: its base and offset where that is split. */
static void hand_on(splitting *s, tri_builder *b, MlirValue to, MlirValue value, value_list *out)
{
    split_pointer *p = tri_split_find(s, value);
    if (!tri_split_find(s, to)) {
        tri_vec_push(s->run->arena, out, tri_split_join(s, b, value));
        return;
    }
    tri_vec_push(s->run->arena, out, p->base);
    tri_vec_push(s->run->arena, out, p->offset);
}

/* Behind each split argument the two that stand for it. */
static void expand_arguments(splitting *s, MlirBlock block, intptr_t first)
{
    MlirLocation loc = mlirOperationGetLocation(s->func);
    for (intptr_t i = first; i < mlirBlockGetNumArguments(block); i++) {
        MlirValue argument = mlirBlockGetArgument(block, i);
        split_pointer *p = tri_split_find(s, argument);
        if (!p || !mlirValueIsNull(p->base))
            continue;
        p->base = mlirBlockInsertArgument(block, i + 1, base_type(argument), loc);
        p->offset = mlirBlockInsertArgument(block, i + 2, offset_type(p, argument), loc);
        tri_vec_push(s->run->arena, &s->dead_arguments, argument);
    }
}

static void set_operands(MlirOperation op, const value_list *operands)
{
    mlirOperationSetOperands(op, (intptr_t)operands->len, operands->at);
}

/* ---- the operation again, with two results for each split one ---- */

static void result_types(splitting *s, MlirOperation op, type_list *out)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        MlirValue result = tri_op_result(op, i);
        split_pointer *p = tri_split_find(s, result);
        tri_vec_push(s->run->arena, out, p ? base_type(result) : mlirValueGetType(result));
        if (p)
            tri_vec_push(s->run->arena, out, offset_type(p, result));
    }
}

static MlirOperation rebuild(splitting *s, MlirOperation op, const value_list *operands)
{
    type_list types = {0};
    result_types(s, op, &types);
    return tri_loops_rebuild(s->run->arena, op, (intptr_t)operands->len, operands->at, (intptr_t)types.len, types.at);
}

static void take_results(splitting *s, MlirOperation op, MlirOperation made)
{
    intptr_t k = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        split_pointer *p = tri_split_find(s, tri_op_result(op, i));
        if (p) {
            p->base = tri_op_result(made, k++);
            p->offset = tri_op_result(made, k++);
        } else {
            mlirValueReplaceAllUsesOfWith(tri_op_result(op, i), tri_op_result(made, k++));
        }
    }
    tri_vec_push(s->run->arena, &s->dead, op);
}

/* What is handed on at the end of a region, from operand `first` on, to `targets`. */
static void rewrite_end(splitting *s, MlirOperation end, intptr_t first, const MlirValue *targets)
{
    tri_builder b = tri_builder_before(end);
    value_list operands = {0};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); i++)
        if (i < first)
            tri_vec_push(s->run->arena, &operands, tri_op_operand(end, i));
        else
            hand_on(s, &b, targets[i - first], tri_op_operand(end, i), &operands);
    set_operands(end, &operands);
}

static MlirValue *results_of(splitting *s, MlirOperation op)
{
    intptr_t n = mlirOperationGetNumResults(op);
    MlirValue *results = TRI_NEW_ARRAY(s->run->arena, MlirValue, n + 1);
    for (intptr_t i = 0; i < n; i++)
        results[i] = tri_op_result(op, i);
    return results;
}

static MlirValue *arguments_of(splitting *s, MlirBlock block)
{
    intptr_t n = mlirBlockGetNumArguments(block);
    MlirValue *arguments = TRI_NEW_ARRAY(s->run->arena, MlirValue, n + 1);
    for (intptr_t i = 0; i < n; i++)
        arguments[i] = mlirBlockGetArgument(block, i);
    return arguments;
}

static bool carries_split(splitting *s, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (tri_split_find(s, tri_op_result(op, i)))
            return true;
    for (intptr_t i = 0; tri_op_is(op, "scf.while") && i < mlirBlockGetNumArguments(tri_op_body(op, 0)); i++)
        if (tri_split_find(s, mlirBlockGetArgument(tri_op_body(op, 0), i)))
            return true;
    return false;
}

static void split_for(splitting *s, MlirOperation op)
{
    tri_builder b = tri_builder_before(op);
    value_list operands = {0};
    MlirBlock body = tri_op_body(op, 0);
    for (intptr_t i = 0; i < 3; i++)
        tri_vec_push(s->run->arena, &operands, tri_op_operand(op, i));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        hand_on(s, &b, tri_op_result(op, i), tri_op_operand(op, 3 + i), &operands);
    MlirOperation made = rebuild(s, op, &operands);
    expand_arguments(s, body, 1);
    tri_split_block(s, body);
    rewrite_end(s, mlirBlockGetTerminator(body), 0, results_of(s, op));
    take_results(s, op, made);
}

static void split_while(splitting *s, MlirOperation op)
{
    tri_builder b = tri_builder_before(op);
    value_list operands = {0};
    MlirBlock before = tri_op_body(op, 0), after = tri_op_body(op, 1);
    MlirValue *carried = arguments_of(s, before), *results = results_of(s, op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        hand_on(s, &b, carried[i], tri_op_operand(op, i), &operands);
    MlirOperation made = rebuild(s, op, &operands);
    expand_arguments(s, before, 0);
    expand_arguments(s, after, 0);
    tri_split_block(s, before);
    tri_split_block(s, after);
    rewrite_end(s, mlirBlockGetTerminator(before), 1, results);
    rewrite_end(s, mlirBlockGetTerminator(after), 0, carried);
    take_results(s, op, made);
}

static void split_if(splitting *s, MlirOperation op)
{
    value_list operands = {0};
    MlirBlock then = tri_op_body(op, 0), otherwise = tri_op_body(op, 1);
    tri_vec_push(s->run->arena, &operands, tri_op_operand(op, 0));
    tri_split_block(s, then);
    if (!mlirBlockIsNull(otherwise))
        tri_split_block(s, otherwise);
    MlirValue *results = results_of(s, op);
    rewrite_end(s, mlirBlockGetTerminator(then), 0, results);
    if (!mlirBlockIsNull(otherwise))
        rewrite_end(s, mlirBlockGetTerminator(otherwise), 0, results);
    if (carries_split(s, op))
        take_results(s, op, rebuild(s, op, &operands));
}

void tri_split_regions_of(splitting *s, MlirOperation op)
{
    if (tri_op_is(op, "scf.if"))
        split_if(s, op);
    else if (tri_op_is(op, "scf.for"))
        split_for(s, op);
    else
        split_while(s, op);
}

/* ---- blocks ---- */

void tri_split_arguments_of_blocks(splitting *s)
{
    MlirBlock entry = tri_op_body(s->func, 0);
    for (MlirBlock block = mlirBlockGetNextInRegion(entry); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block)) {
        block_arguments *had = TRI_NEW(s->run->arena, block_arguments);
        *had = (block_arguments){mlirBlockGetNumArguments(block), arguments_of(s, block)};
        tri_map_set_ptr(&s->blocks, block.ptr, had);
        expand_arguments(s, block, 0);
    }
}

void tri_split_branch(splitting *s, MlirOperation branch)
{
    tri_builder b = tri_builder_before(branch);
    value_list operands = {0};
    int32_t sizes[3] = {1};
    bool is_conditional = tri_op_is(branch, "cf.cond_br");
    intptr_t from = 0;
    if (!is_conditional && !tri_op_is(branch, "cf.br")) {
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(branch); i++)
            mlirOperationSetOperand(branch, i, tri_split_join(s, &b, tri_op_operand(branch, i)));
        return;
    }
    if (is_conditional)
        tri_vec_push(s->run->arena, &operands, tri_op_operand(branch, from++));
    for (intptr_t k = 0; k < mlirOperationGetNumSuccessors(branch); k++) {
        block_arguments *to = tri_map_find_ptr(&s->blocks, mlirOperationGetSuccessor(branch, k).ptr);
        size_t before = operands.len;
        for (intptr_t i = 0; to && i < to->n; i++)
            hand_on(s, &b, to->arguments[i], tri_op_operand(branch, from++), &operands);
        sizes[1 + k] = (int32_t)(operands.len - before);
    }
    set_operands(branch, &operands);
    if (is_conditional)
        tri_builder_set_attr(branch, "operandSegmentSizes", tri_attr_i32s(b.context, 3, sizes));
}
