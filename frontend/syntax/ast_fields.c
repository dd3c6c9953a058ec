#include "frontend/syntax/ast_fields.h"

#include <stddef.h>

#define AT(member) offsetof(tri_ast_node, member)
#define NODES(first, last) TRI_AST_##first, TRI_AST_##last
#define ONLY(kind) TRI_AST_##kind, TRI_AST_##kind
#define EXPRESSIONS NODES(NAME, YIELD_FROM)
#define STATEMENTS NODES(EXPR, CLASS)
#define PATTERNS NODES(MATCH_VALUE, MATCH_OR)

const tri_field_list tri_ast_fields[TRI_AST_KIND_COUNT] = {
    [TRI_AST_NAME] = {1, {{NULL, TRI_FIELD_NAME, 0, 0, AT(nothing)}}},
    [TRI_AST_INT] = {1, {{NULL, TRI_FIELD_INTEGER, 0, 0, AT(integer)}}},
    [TRI_AST_FLOAT] = {1, {{NULL, TRI_FIELD_REAL, 0, 0, AT(real)}}},
    [TRI_AST_IMAGINARY] = {1, {{NULL, TRI_FIELD_REAL, 0, 0, AT(real)}}},
    [TRI_AST_STRING] = {1, {{NULL, TRI_FIELD_STR, 0, 0, AT(string)}}},
    [TRI_AST_BYTES] = {1, {{NULL, TRI_FIELD_STR, 0, 0, AT(string)}}},
    [TRI_AST_FSTRING] = {1, {{"items", TRI_FIELD_LIST, NODES(STRING, FORMATTED), AT(list)}}},
    [TRI_AST_FORMATTED] = {3, {
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(formatted.value)},
        {"conversion", TRI_FIELD_NUMBER, 0, 0, AT(formatted.conversion)},
        {"spec", TRI_FIELD_OPTIONAL, ONLY(FSTRING), AT(formatted.spec)},
    }},
    [TRI_AST_TUPLE] = {1, {{"items", TRI_FIELD_LIST, EXPRESSIONS, AT(list)}}},
    [TRI_AST_LIST] = {1, {{"items", TRI_FIELD_LIST, EXPRESSIONS, AT(list)}}},
    [TRI_AST_SET] = {1, {{"items", TRI_FIELD_LIST, EXPRESSIONS, AT(list)}}},
    [TRI_AST_DICT] = {1, {{"items", TRI_FIELD_LIST, ONLY(KEY_VALUE), AT(list)}}},
    [TRI_AST_LIST_COMP] = {2, {
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(comp.element)},
        {"for", TRI_FIELD_LIST, ONLY(FOR_CLAUSE), AT(comp.clauses)},
    }},
    [TRI_AST_SET_COMP] = {2, {
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(comp.element)},
        {"for", TRI_FIELD_LIST, ONLY(FOR_CLAUSE), AT(comp.clauses)},
    }},
    [TRI_AST_GENERATOR] = {2, {
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(comp.element)},
        {"for", TRI_FIELD_LIST, ONLY(FOR_CLAUSE), AT(comp.clauses)},
    }},
    [TRI_AST_DICT_COMP] = {2, {
        {NULL, TRI_FIELD_NODE, ONLY(KEY_VALUE), AT(comp.element)},
        {"for", TRI_FIELD_LIST, ONLY(FOR_CLAUSE), AT(comp.clauses)},
    }},
    [TRI_AST_UNARY] = {2, {
        {NULL, TRI_FIELD_OP, NODES(POS_OP, NOT_OP), AT(unary.op)},
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(unary.operand)},
    }},
    [TRI_AST_BINARY] = {3, {
        {NULL, TRI_FIELD_OP, NODES(ADD_OP, BIT_XOR_OP), AT(binary.op)},
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(binary.left)},
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(binary.right)},
    }},
    [TRI_AST_BOOL] = {2, {
        {NULL, TRI_FIELD_OP, NODES(AND_OP, OR_OP), AT(boolean.op)},
        {"values", TRI_FIELD_LIST, EXPRESSIONS, AT(boolean.values)},
    }},
    [TRI_AST_COMPARE] = {3, {
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(compare.left)},
        {"with", TRI_FIELD_LIST, EXPRESSIONS, AT(compare.rights)},
        {"ops", TRI_FIELD_OPS, NODES(EQ_OP, NOT_IN_OP), AT(compare.ops)},
    }},
    [TRI_AST_CONDITIONAL] = {3, {
        {"then", TRI_FIELD_NODE, EXPRESSIONS, AT(conditional.then)},
        {"if", TRI_FIELD_NODE, EXPRESSIONS, AT(conditional.test)},
        {"else", TRI_FIELD_NODE, EXPRESSIONS, AT(conditional.orelse)},
    }},
    [TRI_AST_LAMBDA] = {2, {
        {"params", TRI_FIELD_LIST, ONLY(PARAM), AT(lambda.params)},
        {"body", TRI_FIELD_NODE, EXPRESSIONS, AT(lambda.body)},
    }},
    [TRI_AST_CALL] = {3, {
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(call.func)},
        {"args", TRI_FIELD_LIST, EXPRESSIONS, AT(call.args)},
        {"keywords", TRI_FIELD_LIST, ONLY(KEYWORD), AT(call.keywords)},
    }},
    [TRI_AST_ATTRIBUTE] = {2, {
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(attribute.value)},
        {NULL, TRI_FIELD_STR, 0, 0, AT(attribute.name)},
    }},
    [TRI_AST_SUBSCRIPT] = {2, {
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(subscript.value)},
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(subscript.index)},
    }},
    [TRI_AST_SLICE] = {3, {
        {"from", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(slice.lower)},
        {"to", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(slice.upper)},
        {"step", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(slice.step)},
    }},
    [TRI_AST_STARRED] = {1, {{NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(value)}}},
    [TRI_AST_WALRUS] = {2, {
        {NULL, TRI_FIELD_NODE, ONLY(NAME), AT(assign_to.target)},
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(assign_to.value)},
    }},
    [TRI_AST_AWAIT] = {1, {{NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(value)}}},
    [TRI_AST_YIELD] = {1, {{"value", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(value)}}},
    [TRI_AST_YIELD_FROM] = {1, {{NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(value)}}},
    [TRI_AST_KEY_VALUE] = {2, {
        {"key", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(key_value.key)},
        {"value", TRI_FIELD_NODE, EXPRESSIONS, AT(key_value.value)},
    }},
    [TRI_AST_KEYWORD] = {2, {
        {"name", TRI_FIELD_STR, 0, 0, AT(keyword.name)},
        {NULL, TRI_FIELD_NODE, NODES(NAME, MATCH_OR), AT(keyword.value)},
    }},
    [TRI_AST_FOR_CLAUSE] = {4, {
        {"async", TRI_FIELD_FLAG, 0, 0, AT(for_clause.is_async)},
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(for_clause.target)},
        {"in", TRI_FIELD_NODE, EXPRESSIONS, AT(for_clause.iter)},
        {"if", TRI_FIELD_LIST, EXPRESSIONS, AT(for_clause.ifs)},
    }},
    [TRI_AST_PARAM] = {5, {
        {NULL, TRI_FIELD_STR, 0, 0, AT(param.name)},
        {"at", TRI_FIELD_PLACE, 0, 0, AT(param.name_begin)},
        {"kind", TRI_FIELD_CHOICE, 0, 4, AT(param.kind)},
        {"annotation", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(param.annotation)},
        {"default", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(param.default_value)},
    }},
    [TRI_AST_TYPE_PARAM] = {3, {
        {NULL, TRI_FIELD_STR, 0, 0, AT(type_param.name)},
        {"kind", TRI_FIELD_CHOICE, 0, 2, AT(type_param.kind)},
        {"bound", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(type_param.bound)},
    }},
    [TRI_AST_ALIAS] = {2, {
        {NULL, TRI_FIELD_STR, 0, 0, AT(alias.name)},
        {"as", TRI_FIELD_STR, 0, 0, AT(alias.asname)},
    }},
    [TRI_AST_WITH_ITEM] = {2, {
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(with_item.context)},
        {"as", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(with_item.target)},
    }},
    [TRI_AST_HANDLER] = {3, {
        {"type", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(handler.type)},
        {"as", TRI_FIELD_STR, 0, 0, AT(handler.name)},
        {"body", TRI_FIELD_LIST, STATEMENTS, AT(handler.body)},
    }},
    [TRI_AST_CASE] = {3, {
        {NULL, TRI_FIELD_NODE, PATTERNS, AT(match_case.pattern)},
        {"if", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(match_case.guard)},
        {"body", TRI_FIELD_LIST, STATEMENTS, AT(match_case.body)},
    }},
    [TRI_AST_EXPR] = {1, {{NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(value)}}},
    [TRI_AST_ASSIGN] = {2, {
        {"targets", TRI_FIELD_LIST, EXPRESSIONS, AT(assign.targets)},
        {"value", TRI_FIELD_NODE, EXPRESSIONS, AT(assign.value)},
    }},
    [TRI_AST_AUG_ASSIGN] = {3, {
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(aug_assign.target)},
        {NULL, TRI_FIELD_OP, NODES(ADD_OP, BIT_XOR_OP), AT(aug_assign.op)},
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(aug_assign.value)},
    }},
    [TRI_AST_ANN_ASSIGN] = {3, {
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(ann_assign.target)},
        {"annotation", TRI_FIELD_NODE, EXPRESSIONS, AT(ann_assign.annotation)},
        {"value", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(ann_assign.value)},
    }},
    [TRI_AST_TYPE_ALIAS] = {3, {
        {NULL, TRI_FIELD_NODE, ONLY(NAME), AT(type_alias.name)},
        {"params", TRI_FIELD_LIST, ONLY(TYPE_PARAM), AT(type_alias.type_params)},
        {"value", TRI_FIELD_NODE, EXPRESSIONS, AT(type_alias.value)},
    }},
    [TRI_AST_RETURN] = {1, {{"value", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(value)}}},
    [TRI_AST_RAISE] = {2, {
        {"value", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(raise.exception)},
        {"from", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(raise.cause)},
    }},
    [TRI_AST_GLOBAL] = {1, {{"names", TRI_FIELD_LIST, ONLY(NAME), AT(list)}}},
    [TRI_AST_NONLOCAL] = {1, {{"names", TRI_FIELD_LIST, ONLY(NAME), AT(list)}}},
    [TRI_AST_DEL] = {1, {{"targets", TRI_FIELD_LIST, EXPRESSIONS, AT(list)}}},
    [TRI_AST_ASSERT] = {2, {
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(assert_.test)},
        {"message", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(assert_.message)},
    }},
    [TRI_AST_IMPORT] = {1, {{"names", TRI_FIELD_LIST, ONLY(ALIAS), AT(list)}}},
    [TRI_AST_IMPORT_FROM] = {3, {
        {"module", TRI_FIELD_STR, 0, 0, AT(import_from.module)},
        {"level", TRI_FIELD_NUMBER, 0, 0, AT(import_from.level)},
        {"names", TRI_FIELD_LIST, ONLY(ALIAS), AT(import_from.names)},
    }},
    [TRI_AST_IF] = {4, {
        {"elif", TRI_FIELD_FLAG, 0, 0, AT(conditional_stmt.is_elif)},
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(conditional_stmt.test)},
        {"body", TRI_FIELD_LIST, STATEMENTS, AT(conditional_stmt.body)},
        {"else", TRI_FIELD_LIST, STATEMENTS, AT(conditional_stmt.orelse)},
    }},
    [TRI_AST_WHILE] = {3, {
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(while_.test)},
        {"body", TRI_FIELD_LIST, STATEMENTS, AT(while_.body)},
        {"else", TRI_FIELD_LIST, STATEMENTS, AT(while_.orelse)},
    }},
    [TRI_AST_FOR] = {5, {
        {"async", TRI_FIELD_FLAG, 0, 0, AT(for_.is_async)},
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(for_.target)},
        {"in", TRI_FIELD_NODE, EXPRESSIONS, AT(for_.iter)},
        {"body", TRI_FIELD_LIST, STATEMENTS, AT(for_.body)},
        {"else", TRI_FIELD_LIST, STATEMENTS, AT(for_.orelse)},
    }},
    [TRI_AST_TRY] = {5, {
        {"star", TRI_FIELD_FLAG, 0, 0, AT(try_.is_star)},
        {"body", TRI_FIELD_LIST, STATEMENTS, AT(try_.body)},
        {"except", TRI_FIELD_LIST, ONLY(HANDLER), AT(try_.handlers)},
        {"else", TRI_FIELD_LIST, STATEMENTS, AT(try_.orelse)},
        {"finally", TRI_FIELD_LIST, STATEMENTS, AT(try_.final)},
    }},
    [TRI_AST_WITH] = {3, {
        {"async", TRI_FIELD_FLAG, 0, 0, AT(with.is_async)},
        {"items", TRI_FIELD_LIST, ONLY(WITH_ITEM), AT(with.items)},
        {"body", TRI_FIELD_LIST, STATEMENTS, AT(with.body)},
    }},
    [TRI_AST_MATCH] = {2, {
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(match.subject)},
        {"cases", TRI_FIELD_LIST, ONLY(CASE), AT(match.cases)},
    }},
    [TRI_AST_FUNCTION] = {8, {
        {NULL, TRI_FIELD_STR, 0, 0, AT(function.name)},
        {"at", TRI_FIELD_PLACE, 0, 0, AT(function.name_begin)},
        {"async", TRI_FIELD_FLAG, 0, 0, AT(function.is_async)},
        {"decorators", TRI_FIELD_LIST, EXPRESSIONS, AT(function.decorators)},
        {"type-params", TRI_FIELD_LIST, ONLY(TYPE_PARAM), AT(function.type_params)},
        {"params", TRI_FIELD_LIST, ONLY(PARAM), AT(function.params)},
        {"returns", TRI_FIELD_OPTIONAL, EXPRESSIONS, AT(function.returns)},
        {"body", TRI_FIELD_LIST, STATEMENTS, AT(function.body)},
    }},
    [TRI_AST_CLASS] = {7, {
        {NULL, TRI_FIELD_STR, 0, 0, AT(class_.name)},
        {"at", TRI_FIELD_PLACE, 0, 0, AT(class_.name_begin)},
        {"decorators", TRI_FIELD_LIST, EXPRESSIONS, AT(class_.decorators)},
        {"type-params", TRI_FIELD_LIST, ONLY(TYPE_PARAM), AT(class_.type_params)},
        {"bases", TRI_FIELD_LIST, EXPRESSIONS, AT(class_.bases)},
        {"keywords", TRI_FIELD_LIST, ONLY(KEYWORD), AT(class_.keywords)},
        {"body", TRI_FIELD_LIST, STATEMENTS, AT(class_.body)},
    }},
    [TRI_AST_MATCH_VALUE] = {1, {{NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(value)}}},
    [TRI_AST_MATCH_SEQUENCE] = {1, {{"items", TRI_FIELD_LIST, PATTERNS, AT(list)}}},
    [TRI_AST_MATCH_MAPPING] = {3, {
        {"keys", TRI_FIELD_LIST, EXPRESSIONS, AT(match_mapping.keys)},
        {"patterns", TRI_FIELD_LIST, PATTERNS, AT(match_mapping.patterns)},
        {"rest", TRI_FIELD_STR, 0, 0, AT(match_mapping.rest)},
    }},
    [TRI_AST_MATCH_CLASS] = {3, {
        {NULL, TRI_FIELD_NODE, EXPRESSIONS, AT(match_class.cls)},
        {"patterns", TRI_FIELD_LIST, PATTERNS, AT(match_class.patterns)},
        {"keywords", TRI_FIELD_LIST, ONLY(KEYWORD), AT(match_class.keywords)},
    }},
    [TRI_AST_MATCH_STAR] = {1, {{"name", TRI_FIELD_STR, 0, 0, AT(string)}}},
    [TRI_AST_MATCH_AS] = {2, {
        {"pattern", TRI_FIELD_OPTIONAL, PATTERNS, AT(match_as.pattern)},
        {"name", TRI_FIELD_STR, 0, 0, AT(match_as.name)},
    }},
    [TRI_AST_MATCH_OR] = {1, {{"items", TRI_FIELD_LIST, PATTERNS, AT(list)}}},
};
