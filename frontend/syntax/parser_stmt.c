/* Statements of one line. */
#include "frontend/syntax/parser.h"

#include <stdio.h>

static const uint8_t augmented_ops[TRI_TOKEN_COUNT] = { /* op + 1 */
    [TRI_TOKEN_PLUS_ASSIGN] = TRI_AST_ADD_OP + 1,       [TRI_TOKEN_MINUS_ASSIGN] = TRI_AST_SUB_OP + 1,
    [TRI_TOKEN_STAR_ASSIGN] = TRI_AST_MUL_OP + 1,       [TRI_TOKEN_SLASH_ASSIGN] = TRI_AST_DIV_OP + 1,
    [TRI_TOKEN_DSLASH_ASSIGN] = TRI_AST_FLOOR_DIV_OP + 1, [TRI_TOKEN_PERCENT_ASSIGN] = TRI_AST_MOD_OP + 1,
    [TRI_TOKEN_DSTAR_ASSIGN] = TRI_AST_POW_OP + 1,      [TRI_TOKEN_AT_ASSIGN] = TRI_AST_MATMUL_OP + 1,
    [TRI_TOKEN_SHL_ASSIGN] = TRI_AST_SHL_OP + 1,        [TRI_TOKEN_SHR_ASSIGN] = TRI_AST_SHR_OP + 1,
    [TRI_TOKEN_AMP_ASSIGN] = TRI_AST_BIT_AND_OP + 1,    [TRI_TOKEN_PIPE_ASSIGN] = TRI_AST_BIT_OR_OP + 1,
    [TRI_TOKEN_CARET_ASSIGN] = TRI_AST_BIT_XOR_OP + 1,
};

static bool ends_statement(tri_token_kind kind)
{
    return kind == TRI_TOKEN_NEWLINE || kind == TRI_TOKEN_SEMICOLON || kind == TRI_TOKEN_END;
}

/* ---- imports ---- */

static tri_str parse_dotted(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_parser_expect_name(p, "a module name");
    bool has_blanks = false;
    while (tri_parser_kind(p) == TRI_TOKEN_DOT) {
        has_blanks |= tri_parser_token(p)->begin != p->prev_end;
        tri_parser_advance(p);
        has_blanks |= tri_parser_token(p)->begin != p->prev_end;
        tri_parser_expect_name(p, "a name after '.'");
    }
    tri_str text = tri_str_sub(p->source->text, begin, p->prev_end);
    if (!has_blanks)
        return text;
    char *clean = tri_arena_alloc(p->arena, text.len);
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++)
        if (!strchr(" \t\f\r\n\\", text.data[i]))
            clean[n++] = text.data[i];
    return (tri_str){clean, n};
}

static void parse_alias(tri_parser *p, bool is_dotted)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_str name = is_dotted ? parse_dotted(p) : tri_parser_expect_name(p, "a name to import");
    tri_str asname = {0};
    if (tri_parser_accept(p, TRI_TOKEN_AS))
        asname = tri_parser_expect_name(p, "a name after 'as'");
    tri_ast_node *node = tri_parser_node(p, TRI_AST_ALIAS, begin);
    node->alias.name = name;
    node->alias.asname = asname;
    tri_parser_push(p, node);
}

static tri_ast_node *parse_import(tri_parser *p, uint32_t begin)
{
    size_t mark = p->scratch.len;
    do
        parse_alias(p, true);
    while (tri_parser_accept(p, TRI_TOKEN_COMMA));
    tri_ast_list names = tri_parser_take(p, mark);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_IMPORT, begin);
    node->list = names;
    return node;
}

static void parse_imported_names(tri_parser *p)
{
    const tri_token *t = tri_parser_token(p);
    uint32_t begin = t->begin;
    if (t->kind == TRI_TOKEN_STAR) {
        if (p->context.in_function)
            tri_parser_error(p, 2022, tri_parser_token_span(p, t), "'import *' is only allowed at module level");
        tri_parser_advance(p);
        tri_ast_node *node = tri_parser_node(p, TRI_AST_ALIAS, begin);
        node->alias.name = TRI_STR("*");
        tri_parser_push(p, node);
        return;
    }
    bool is_enclosed = tri_parser_accept(p, TRI_TOKEN_LPAREN);
    do {
        if (is_enclosed && tri_parser_kind(p) == TRI_TOKEN_RPAREN)
            break;
        if (!is_enclosed && tri_parser_kind(p) == TRI_TOKEN_NEWLINE && tri_vec_last(&p->scratch)->kind == TRI_AST_ALIAS)
            tri_parser_fail(p, 2022, (tri_span){p->source, p->prev_end - 1, p->prev_end},
                            "a trailing comma is not allowed here without parentheses");
        parse_alias(p, false);
    } while (tri_parser_accept(p, TRI_TOKEN_COMMA));
    if (is_enclosed)
        tri_parser_expect_close(p, TRI_TOKEN_RPAREN, begin, "',' or ')'");
}

static tri_ast_node *parse_import_from(tri_parser *p, uint32_t begin)
{
    uint32_t level = 0;
    for (;; level++) {
        if (tri_parser_accept(p, TRI_TOKEN_ELLIPSIS))
            level += 2;
        else if (!tri_parser_accept(p, TRI_TOKEN_DOT))
            break;
    }
    tri_str module = {0};
    if (level == 0 || tri_parser_kind(p) != TRI_TOKEN_IMPORT)
        module = parse_dotted(p);
    tri_parser_expect(p, TRI_TOKEN_IMPORT, "after the module name");
    size_t mark = p->scratch.len;
    if (ends_statement(tri_parser_kind(p)))
        tri_parser_fail_expected(p, 2022, "names to import");
    parse_imported_names(p);
    tri_ast_list names = tri_parser_take(p, mark);
    if (names.len == 0)
        tri_parser_fail(p, 2022, tri_parser_span(p, begin), "no name is imported");
    tri_ast_node *node = tri_parser_node(p, TRI_AST_IMPORT_FROM, begin);
    node->import_from.module = module;
    node->import_from.level = level;
    node->import_from.names = names;
    return node;
}

/* ---- expressions and assignments ---- */

/* `name: annotation [= value]`, at the colon. */
static tri_ast_node *parse_annotated(tri_parser *p, uint32_t begin, tri_ast_node *target)
{
    if (target->kind == TRI_AST_TUPLE || target->kind == TRI_AST_LIST)
        tri_parser_fail(p, 2014, target->span, "only a single target can be annotated, not a %s",
                        tri_parser_target_describe(target));
    if (target->kind != TRI_AST_NAME && target->kind != TRI_AST_ATTRIBUTE && target->kind != TRI_AST_SUBSCRIPT)
        tri_parser_fail(p, 2014, target->span, "%s %s cannot be annotated", tri_parser_target_article(target),
                        tri_parser_target_describe(target));
    tri_parser_advance(p);
    tri_ast_node *annotation = tri_parser_expr_test(p), *value = NULL;
    if (tri_parser_accept(p, TRI_TOKEN_ASSIGN))
        value = tri_parser_expr_value(p);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_ANN_ASSIGN, begin);
    node->ann_assign.target = target;
    node->ann_assign.annotation = annotation;
    node->ann_assign.value = value;
    return node;
}

static tri_ast_node *parse_assignment(tri_parser *p, uint32_t begin, tri_ast_node *first)
{
    size_t mark = p->scratch.len;
    tri_ast_node *value = first;
    while (tri_parser_kind(p) == TRI_TOKEN_ASSIGN) {
        tri_parser_target_check(p, value, "assign to");
        tri_parser_push(p, value);
        tri_parser_advance(p);
        value = tri_parser_expr_value(p);
    }
    tri_ast_list targets = tri_parser_take(p, mark);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_ASSIGN, begin);
    node->assign.targets = targets;
    node->assign.value = value;
    return node;
}

static tri_ast_node *parse_augmented(tri_parser *p, uint32_t begin, tri_ast_node *target, unsigned op)
{
    tri_parser_target_check_single(p, target, "an augmented assignment");
    tri_parser_advance(p);
    tri_ast_node *value = tri_parser_expr_value(p);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_AUG_ASSIGN, begin);
    node->aug_assign.op = (tri_ast_op)op;
    node->aug_assign.target = target;
    node->aug_assign.value = value;
    return node;
}

static tri_ast_node *parse_expression_statement(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_ast_node *first = tri_parser_expr_value(p);
    tri_token_kind kind = tri_parser_kind(p);
    if (kind == TRI_TOKEN_ASSIGN)
        return parse_assignment(p, begin, first);
    if (kind == TRI_TOKEN_COLON)
        return parse_annotated(p, begin, first);
    if (augmented_ops[kind])
        return parse_augmented(p, begin, first, augmented_ops[kind] - 1u);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_EXPR, begin);
    node->value = first;
    return node;
}

/* ---- keyword statements ---- */

static tri_ast_node *parse_names(tri_parser *p, tri_ast_kind kind, uint32_t begin)
{
    size_t mark = p->scratch.len;
    do {
        uint32_t name_begin = tri_parser_token(p)->begin;
        tri_parser_expect_name(p, "a name");
        tri_parser_push(p, tri_parser_node(p, TRI_AST_NAME, name_begin));
    } while (tri_parser_accept(p, TRI_TOKEN_COMMA));
    tri_ast_list names = tri_parser_take(p, mark);
    tri_ast_node *node = tri_parser_node(p, kind, begin);
    node->list = names;
    return node;
}

static tri_ast_node *parse_del(tri_parser *p, uint32_t begin)
{
    size_t mark = p->scratch.len;
    do {
        if (p->scratch.len > mark && ends_statement(tri_parser_kind(p)))
            break;
        tri_ast_node *target = tri_parser_expr_bit_or(p);
        tri_parser_target_check(p, target, "delete");
        tri_parser_push(p, target);
    } while (tri_parser_accept(p, TRI_TOKEN_COMMA));
    tri_ast_list targets = tri_parser_take(p, mark);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_DEL, begin);
    node->list = targets;
    return node;
}

static tri_ast_node *parse_raise(tri_parser *p, uint32_t begin)
{
    tri_ast_node *exception = NULL, *cause = NULL;
    if (!ends_statement(tri_parser_kind(p))) {
        exception = tri_parser_expr_test(p);
        if (tri_parser_accept(p, TRI_TOKEN_FROM))
            cause = tri_parser_expr_test(p);
    }
    tri_ast_node *node = tri_parser_node(p, TRI_AST_RAISE, begin);
    node->raise.exception = exception;
    node->raise.cause = cause;
    return node;
}

static tri_ast_node *parse_return(tri_parser *p, uint32_t begin)
{
    if (!p->context.in_function)
        tri_parser_error(p, 2021, tri_parser_span(p, begin), "'return' outside function");
    tri_ast_node *value = ends_statement(tri_parser_kind(p)) ? NULL : tri_parser_expr_list(p);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_RETURN, begin);
    node->value = value;
    return node;
}

static tri_ast_node *parse_assert(tri_parser *p, uint32_t begin)
{
    tri_ast_node *test = tri_parser_expr_test(p);
    tri_ast_node *message = tri_parser_accept(p, TRI_TOKEN_COMMA) ? tri_parser_expr_test(p) : NULL;
    tri_ast_node *node = tri_parser_node(p, TRI_AST_ASSERT, begin);
    node->assert_.test = test;
    node->assert_.message = message;
    return node;
}

static tri_ast_node *parse_type_alias(tri_parser *p, uint32_t begin)
{
    tri_parser_advance(p);
    uint32_t name_begin = tri_parser_token(p)->begin;
    tri_parser_expect_name(p, "a name");
    tri_ast_node *name_node = tri_parser_node(p, TRI_AST_NAME, name_begin);
    tri_ast_list type_params = tri_parser_target_type_params(p);
    tri_parser_expect(p, TRI_TOKEN_ASSIGN, "after the type alias");
    tri_ast_node *value = tri_parser_expr_test(p);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_TYPE_ALIAS, begin);
    node->type_alias.name = name_node;
    node->type_alias.type_params = type_params;
    node->type_alias.value = value;
    return node;
}

static tri_ast_node *parse_jump(tri_parser *p, tri_ast_kind kind, uint32_t begin)
{
    if (kind != TRI_AST_PASS && !p->context.in_loop)
        tri_parser_error(p, 2021, tri_parser_span(p, begin), "'%s' outside loop", tri_ast_kind_text(kind));
    return tri_parser_node(p, kind, begin);
}

static bool is_at_type_alias(tri_parser *p)
{
    if (!tri_parser_is_word(p, "type") || tri_parser_peek(p, 1) != TRI_TOKEN_NAME)
        return false;
    tri_token_kind kind = tri_parser_peek(p, 2);
    return kind == TRI_TOKEN_ASSIGN || kind == TRI_TOKEN_LBRACKET;
}

static tri_ast_node *parse_small(tri_parser *p)
{
    const tri_token *t = tri_parser_token(p);
    uint32_t begin = t->begin;
    tri_token_kind kind = (tri_token_kind)t->kind;
    switch (kind) {
    case TRI_TOKEN_PASS: case TRI_TOKEN_BREAK: case TRI_TOKEN_CONTINUE: case TRI_TOKEN_RETURN: case TRI_TOKEN_RAISE:
    case TRI_TOKEN_GLOBAL: case TRI_TOKEN_NONLOCAL: case TRI_TOKEN_DEL: case TRI_TOKEN_ASSERT: case TRI_TOKEN_IMPORT:
    case TRI_TOKEN_FROM: break;
    default: return is_at_type_alias(p) ? parse_type_alias(p, begin) : parse_expression_statement(p);
    }
    tri_parser_advance(p);
    switch (kind) {
    case TRI_TOKEN_PASS: return parse_jump(p, TRI_AST_PASS, begin);
    case TRI_TOKEN_BREAK: return parse_jump(p, TRI_AST_BREAK, begin);
    case TRI_TOKEN_CONTINUE: return parse_jump(p, TRI_AST_CONTINUE, begin);
    case TRI_TOKEN_RETURN: return parse_return(p, begin);
    case TRI_TOKEN_RAISE: return parse_raise(p, begin);
    case TRI_TOKEN_GLOBAL: return parse_names(p, TRI_AST_GLOBAL, begin);
    case TRI_TOKEN_NONLOCAL:
        if (!p->context.in_function && !p->context.in_class)
            tri_parser_error(p, 2021, tri_parser_span(p, begin), "'nonlocal' at module level");
        return parse_names(p, TRI_AST_NONLOCAL, begin);
    case TRI_TOKEN_DEL: return parse_del(p, begin);
    case TRI_TOKEN_ASSERT: return parse_assert(p, begin);
    case TRI_TOKEN_IMPORT: return parse_import(p, begin);
    default: return parse_import_from(p, begin);
    }
}

/* Something stands after a complete statement on its line. */
_Noreturn static void fail_leftover(tri_parser *p, const tri_ast_node *statement)
{
    tri_parser_check_token(p);
    const tri_token *t = tri_parser_token(p);
    const tri_ast_node *value = statement->kind == TRI_AST_EXPR ? statement->value : NULL;
    tri_span at = tri_parser_token_span(p, t);
    tri_str text = tri_parser_text(p, t);
    bool is_operand = tri_parser_expr_can_start((tri_token_kind)t->kind);
    if (value && value->kind == TRI_AST_NAME && is_operand &&
        (tri_str_is(tri_ast_text(value), "print") || tri_str_is(tri_ast_text(value), "exec"))) {
        tri_str name = tri_ast_text(value);
        tri_parser_fail(p, 2001, value->span, "missing parentheses in the call of '%.*s'; write %.*s(...)",
                        TRI_STR_ARG(name), TRI_STR_ARG(name));
    }
    if (t->kind == TRI_TOKEN_WALRUS)
        tri_parser_fail(p, 2014, at, "':=' needs parentheses here; write '=' for a plain assignment");
    if (t->kind == TRI_TOKEN_INDENT)
        tri_parser_fail(p, 2011, at, "unexpected indentation");
    if (t->kind >= TRI_TOKEN_FALSE && t->kind <= TRI_TOKEN_YIELD)
        tri_parser_fail(p, 2001, at, "expected an operator or the end of the line, got the keyword '%.*s'",
                        TRI_STR_ARG(text));
    if (is_operand)
        tri_parser_fail(p, 2001, at, "expected an operator or the end of the line, got '%.*s'", TRI_STR_ARG(text));
    tri_parser_fail(p, 2001, at, "expected the end of the statement, got %s",
                    tri_lexer_kind_text((tri_token_kind)t->kind));
}

void tri_parser_stmt_simple_line(tri_parser *p)
{
    p->height = 0;
    for (;;) {
        tri_ast_node *node = parse_small(p);
        tri_parser_check_await(p);
        tri_parser_push(p, node);
        if (tri_parser_accept(p, TRI_TOKEN_NEWLINE))
            return;
        if (!tri_parser_accept(p, TRI_TOKEN_SEMICOLON)) {
            if (tri_parser_kind(p) == TRI_TOKEN_END)
                return;
            fail_leftover(p, node);
        }
        if (tri_parser_accept(p, TRI_TOKEN_NEWLINE))
            return;
    }
}
