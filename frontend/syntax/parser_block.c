/* Statements with blocks. */
#include "frontend/syntax/parser.h"

#include <stdio.h>

/* True when the header is complete and its block follows. */
static void expect_colon(tri_parser *p, const char *what)
{
    if (tri_parser_accept(p, TRI_TOKEN_COLON))
        return;
    const tri_token *t = tri_parser_token(p);
    tri_span at = tri_parser_token_span(p, t);
    if (t->kind == TRI_TOKEN_ASSIGN) {
        tri_parser_error(p, 2023, at, "'=' is no operator here; write '==' to compare or ':=' to assign");
        tri_diag_fix(p->diag, at, "==");
        tri_parser_leave(p);
    }
    tri_parser_check_token(p);
    if (t->kind != TRI_TOKEN_NEWLINE)
        tri_parser_fail(p, 2013, at, "expected ':' after the %s, got '%.*s'", what, TRI_STR_ARG(tri_parser_text(p, t)));
    tri_span end = {p->source, p->prev_end, p->prev_end};
    tri_parser_error(p, 2013, end, "expected ':' after the %s", what);
    tri_diag_fix(p->diag, end, ":");
}

tri_ast_list tri_parser_block_body(tri_parser *p, const char *what, uint32_t begin)
{
    expect_colon(p, what);
    tri_parser_check_await(p);
    size_t mark = p->scratch.len;
    if (!tri_parser_accept(p, TRI_TOKEN_NEWLINE)) {
        if (tri_parser_kind(p) == TRI_TOKEN_END)
            tri_parser_fail_expected(p, 2010, "a statement");
        tri_parser_stmt_simple_line(p);
        return tri_parser_take(p, mark);
    }
    tri_parser_skip_indentation_errors(p);
    tri_parser_check_token(p);
    if (!tri_parser_accept(p, TRI_TOKEN_INDENT)) {
        uint32_t line, column;
        tri_source_position(p->source, begin, &line, &column);
        const tri_token *t = tri_parser_token(p);
        tri_span at = t->kind == TRI_TOKEN_END || t->kind == TRI_TOKEN_DEDENT
                          ? (tri_span){p->source, p->prev_end, p->prev_end}
                          : tri_parser_token_span(p, t);
        tri_parser_error(p, 2010, at, "expected an indented block after the %s on line %u", what, line);
        return (tri_ast_list){0};
    }
    tri_parser_statements(p, TRI_TOKEN_DEDENT);
    return tri_parser_take(p, mark);
}

static tri_ast_list loop_body(tri_parser *p, const char *what, uint32_t begin)
{
    bool outer = p->context.in_loop;
    p->context.in_loop = true;
    tri_ast_list body = tri_parser_block_body(p, what, begin);
    p->context.in_loop = outer;
    return body;
}

static tri_ast_list else_body(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    if (!tri_parser_accept(p, TRI_TOKEN_ELSE))
        return (tri_ast_list){0};
    return tri_parser_block_body(p, "'else'", begin);
}

/* ---- if, while, for ---- */

static tri_ast_list single(tri_parser *p, tri_ast_node *node)
{
    tri_ast_node **at = TRI_NEW(p->arena, tri_ast_node *);
    *at = node;
    return (tri_ast_list){at, 1};
}

/* At `elif`, or at the `else if` of other languages, which is reported and then taken as one. */
static bool is_at_elif(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    if (tri_parser_kind(p) == TRI_TOKEN_ELIF)
        return true;
    if (tri_parser_kind(p) != TRI_TOKEN_ELSE || tri_parser_peek(p, 1) != TRI_TOKEN_IF)
        return false;
    tri_parser_advance(p);
    tri_span at = {p->source, begin, tri_parser_token(p)->end};
    tri_parser_error(p, 2001, at, "write 'elif' for 'else if'");
    tri_diag_fix(p->diag, at, "elif");
    return true;
}

static tri_ast_node *parse_if(tri_parser *p)
{
    tri_ast_node *root = NULL, *last = NULL;
    unsigned count = 0;
    do {
        uint32_t begin = tri_parser_token(p)->begin;
        if (count++ > TRI_PARSER_MAX_HEIGHT)
            tri_parser_fail(p, 2018, tri_parser_token_span(p, tri_parser_token(p)),
                            "too many 'elif' branches (at most %d)", TRI_PARSER_MAX_HEIGHT);
        tri_parser_advance(p);
        p->height = 0;
        tri_ast_node *test = tri_parser_expr_named(p);
        tri_ast_list body = tri_parser_block_body(p, last ? "'elif' condition" : "'if' condition", begin);
        tri_ast_node *node = tri_parser_node(p, TRI_AST_IF, begin);
        node->conditional_stmt.test = test;
        node->conditional_stmt.body = body;
        node->conditional_stmt.is_elif = last != NULL;
        if (last)
            last->conditional_stmt.orelse = single(p, node);
        else
            root = node;
        last = node;
    } while (is_at_elif(p));
    last->conditional_stmt.orelse = else_body(p);
    for (tri_ast_node *node = root;; node = node->conditional_stmt.orelse.at[0]) {
        node->span.end = p->prev_end;
        if (node == last)
            return root;
    }
}

static tri_ast_node *parse_while(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_parser_advance(p);
    tri_ast_node *test = tri_parser_expr_named(p);
    tri_ast_list body = loop_body(p, "'while' condition", begin), orelse = else_body(p);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_WHILE, begin);
    node->while_.test = test;
    node->while_.body = body;
    node->while_.orelse = orelse;
    return node;
}

static tri_ast_node *parse_for(tri_parser *p, uint32_t begin, bool is_async)
{
    tri_parser_advance(p);
    tri_ast_node *target = tri_parser_expr_targets(p);
    tri_parser_expect(p, TRI_TOKEN_IN, "after the targets of 'for'");
    tri_ast_node *iter = tri_parser_expr_list(p);
    tri_ast_list body = loop_body(p, "'for' loop", begin), orelse = else_body(p);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_FOR, begin);
    node->for_.target = target;
    node->for_.iter = iter;
    node->for_.body = body;
    node->for_.orelse = orelse;
    node->for_.is_async = is_async;
    return node;
}

/* ---- try ---- */

static void parse_handler(tri_parser *p, bool is_star, uint32_t begin)
{
    tri_ast_node *type = NULL;
    tri_str name = {0};
    if (tri_parser_kind(p) != TRI_TOKEN_COLON) {
        type = tri_parser_expr_test(p);
        if (tri_parser_kind(p) == TRI_TOKEN_COMMA)
            tri_parser_fail(p, 2024, type->span, "several exception types must stand in parentheses");
        if (tri_parser_accept(p, TRI_TOKEN_AS))
            name = tri_parser_expect_name(p, "a name after 'as'");
    } else if (is_star) {
        tri_parser_fail(p, 2024, tri_parser_span(p, begin), "'except*' needs an exception type");
    }
    tri_ast_list body = tri_parser_block_body(p, is_star ? "'except*'" : "'except'", begin);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_HANDLER, begin);
    node->handler.type = type;
    node->handler.name = name;
    node->handler.body = body;
    tri_parser_push(p, node);
}

static tri_ast_list parse_handlers(tri_parser *p, bool *out_is_star)
{
    size_t mark = p->scratch.len;
    while (tri_parser_kind(p) == TRI_TOKEN_EXCEPT) {
        uint32_t begin = tri_parser_token(p)->begin;
        if (p->scratch.len > mark && !tri_vec_last(&p->scratch)->handler.type)
            tri_parser_error(p, 2024, tri_vec_last(&p->scratch)->span, "a bare 'except:' must be the last one");
        tri_parser_advance(p);
        bool is_star = tri_parser_accept(p, TRI_TOKEN_STAR);
        if (p->scratch.len > mark && is_star != *out_is_star)
            tri_parser_fail(p, 2024, tri_parser_span(p, begin), "one 'try' cannot have both 'except' and 'except*'");
        *out_is_star = is_star;
        parse_handler(p, is_star, begin);
    }
    return tri_parser_take(p, mark);
}

static tri_ast_node *parse_try(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_parser_advance(p);
    tri_ast_list body = tri_parser_block_body(p, "'try'", begin), final = {0};
    bool is_star = false;
    tri_ast_list handlers = parse_handlers(p, &is_star), orelse = {0};
    if (handlers.len)
        orelse = else_body(p);
    uint32_t final_begin = tri_parser_token(p)->begin;
    if (tri_parser_accept(p, TRI_TOKEN_FINALLY))
        final = tri_parser_block_body(p, "'finally'", final_begin);
    else if (handlers.len == 0)
        tri_parser_fail(p, 2024, (tri_span){p->source, begin, begin + 3},
                        "this 'try' has neither 'except' nor 'finally'");
    tri_ast_node *node = tri_parser_node(p, TRI_AST_TRY, begin);
    node->try_.body = body;
    node->try_.handlers = handlers;
    node->try_.orelse = orelse;
    node->try_.final = final;
    node->try_.is_star = is_star;
    return node;
}

/* ---- with ---- */

/* At '(': do the parentheses enclose the items (`with (a as b, c):`), rather than being part of one? */
static bool encloses_items(tri_parser *p)
{
    unsigned depth = 0;
    bool has_as = false, has_comma = false, is_expression = false;
    for (size_t i = 0;; i++) {
        tri_token_kind kind = tri_parser_peek(p, i);
        switch (kind) {
        case TRI_TOKEN_LPAREN:
        case TRI_TOKEN_LBRACKET:
        case TRI_TOKEN_LBRACE:
        case TRI_TOKEN_FIELD_OPEN:
            depth++;
            break;
        case TRI_TOKEN_RPAREN: case TRI_TOKEN_RBRACKET: case TRI_TOKEN_RBRACE: case TRI_TOKEN_FIELD_CLOSE:
            if (--depth == 0)
                return has_as || (has_comma && !is_expression && tri_parser_peek(p, i + 1) == TRI_TOKEN_COLON);
            break;
        case TRI_TOKEN_AS: has_as |= depth == 1; break;
        case TRI_TOKEN_COMMA: has_comma |= depth == 1; break;
        case TRI_TOKEN_FOR: case TRI_TOKEN_WALRUS: case TRI_TOKEN_YIELD: is_expression |= depth == 1; break;
        case TRI_TOKEN_STAR:
            is_expression |= depth == 1 && (tri_parser_peek(p, i - 1) == TRI_TOKEN_COMMA || i == 1);
            break;
        case TRI_TOKEN_NEWLINE: case TRI_TOKEN_UNCLOSED: case TRI_TOKEN_END: return false;
        default: break;
        }
    }
}

static void parse_with_item(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_ast_node *context = tri_parser_expr_test(p), *target = NULL;
    if (tri_parser_accept(p, TRI_TOKEN_AS)) {
        target = tri_parser_kind(p) == TRI_TOKEN_STAR ? tri_parser_expr_star_named(p) : tri_parser_expr_bit_or(p);
        tri_parser_target_check(p, target, "assign to");
    }
    tri_ast_node *node = tri_parser_node(p, TRI_AST_WITH_ITEM, begin);
    node->with_item.context = context;
    node->with_item.target = target;
    tri_parser_push(p, node);
}

static tri_ast_node *parse_with(tri_parser *p, uint32_t begin, bool is_async)
{
    tri_parser_advance(p);
    size_t mark = p->scratch.len;
    uint32_t open = tri_parser_token(p)->begin;
    bool is_enclosed = tri_parser_kind(p) == TRI_TOKEN_LPAREN && encloses_items(p);
    if (is_enclosed)
        tri_parser_advance(p);
    do {
        if (is_enclosed && tri_parser_kind(p) == TRI_TOKEN_RPAREN)
            break;
        parse_with_item(p);
    } while (tri_parser_accept(p, TRI_TOKEN_COMMA));
    if (is_enclosed)
        tri_parser_expect_close(p, TRI_TOKEN_RPAREN, open, "',' or ')'");
    tri_ast_list items = tri_parser_take(p, mark);
    tri_ast_list body = tri_parser_block_body(p, "'with' statement", begin);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_WITH, begin);
    node->with.items = items;
    node->with.body = body;
    node->with.is_async = is_async;
    return node;
}

/* ---- functions and classes ---- */

static tri_ast_node *parse_function(tri_parser *p, uint32_t begin, bool is_async, tri_ast_list decorators)
{
    tri_parser_advance(p);
    uint32_t name_begin = tri_parser_token(p)->begin;
    tri_str name = tri_parser_expect_name(p, "a function name");
    tri_ast_list type_params = tri_parser_target_type_params(p);
    uint32_t open = tri_parser_expect(p, TRI_TOKEN_LPAREN, "after the function name");
    tri_ast_list params = tri_parser_target_params(p, TRI_TOKEN_RPAREN, open);
    tri_ast_node *returns = tri_parser_accept(p, TRI_TOKEN_ARROW) ? tri_parser_expr_list(p) : NULL;
    tri_parser_context outer = p->context;
    p->context = (tri_parser_context){.in_function = true, .in_async = is_async};
    tri_ast_list body = {0};
    uint32_t deferred = 0;
    if (!tri_parser_defer_body(p, begin, &deferred))
        body = tri_parser_block_body(p, "function definition", begin);
    p->context = outer;
    tri_ast_node *node = tri_parser_node(p, TRI_AST_FUNCTION, begin);
    node->function.name = name;
    node->function.name_begin = name_begin;
    node->function.is_async = is_async;
    node->function.decorators = decorators;
    node->function.type_params = type_params;
    node->function.params = params;
    node->function.returns = returns;
    node->function.body = body;
    node->function.deferred = deferred;
    return node;
}

static tri_ast_node *parse_class(tri_parser *p, uint32_t begin, tri_ast_list decorators)
{
    tri_parser_advance(p);
    uint32_t name_begin = tri_parser_token(p)->begin;
    tri_str name = tri_parser_expect_name(p, "a class name");
    tri_ast_list type_params = tri_parser_target_type_params(p), bases = {0}, keywords = {0};
    uint32_t open = tri_parser_token(p)->begin;
    if (tri_parser_accept(p, TRI_TOKEN_LPAREN))
        tri_parser_atom_arguments(p, open, &bases, &keywords);
    tri_parser_context outer = p->context;
    p->context = (tri_parser_context){.in_class = true};
    tri_ast_list body = tri_parser_block_body(p, "class definition", begin);
    p->context = outer;
    tri_ast_node *node = tri_parser_node(p, TRI_AST_CLASS, begin);
    node->class_.name = name;
    node->class_.name_begin = name_begin;
    node->class_.decorators = decorators;
    node->class_.type_params = type_params;
    node->class_.bases = bases;
    node->class_.keywords = keywords;
    node->class_.body = body;
    return node;
}

static tri_ast_node *parse_decorated(tri_parser *p)
{
    size_t mark = p->scratch.len;
    while (tri_parser_accept(p, TRI_TOKEN_AT)) {
        tri_parser_push(p, tri_parser_expr_named(p));
        if (!tri_parser_accept(p, TRI_TOKEN_NEWLINE))
            tri_parser_fail_expected(p, 2001, "the end of the line after the decorator");
    }
    tri_ast_list decorators = tri_parser_take(p, mark);
    uint32_t begin = tri_parser_token(p)->begin;
    switch (tri_parser_kind(p)) {
    case TRI_TOKEN_DEF: return parse_function(p, begin, false, decorators);
    case TRI_TOKEN_CLASS: return parse_class(p, begin, decorators);
    case TRI_TOKEN_ASYNC:
        tri_parser_advance(p);
        if (tri_parser_kind(p) == TRI_TOKEN_DEF)
            return parse_function(p, begin, true, decorators);
        break;
    default: break;
    }
    tri_parser_fail_expected(p, 2001, "'def' or 'class' after the decorator");
}

static tri_ast_node *parse_async(tri_parser *p)
{
    const tri_token *t = tri_parser_token(p);
    uint32_t begin = t->begin;
    tri_parser_advance(p);
    tri_token_kind kind = tri_parser_kind(p);
    if (kind == TRI_TOKEN_DEF)
        return parse_function(p, begin, true, (tri_ast_list){0});
    if ((kind == TRI_TOKEN_WITH || kind == TRI_TOKEN_FOR) && !p->context.in_async)
        tri_parser_error(p, 2021, tri_parser_span(p, begin), "'async %s' outside async function",
                         kind == TRI_TOKEN_WITH ? "with" : "for");
    if (kind == TRI_TOKEN_WITH)
        return parse_with(p, begin, true);
    if (kind == TRI_TOKEN_FOR)
        return parse_for(p, begin, true);
    tri_parser_fail_expected(p, 2001, "'def', 'with' or 'for' after 'async'");
}

tri_ast_node *tri_parser_block_statement(tri_parser *p)
{
    const tri_token *t = tri_parser_token(p);
    tri_span at = tri_parser_token_span(p, t);
    p->height = 0;
    switch (t->kind) {
    case TRI_TOKEN_IF: return parse_if(p);
    case TRI_TOKEN_WHILE: return parse_while(p);
    case TRI_TOKEN_FOR: return parse_for(p, t->begin, false);
    case TRI_TOKEN_TRY: return parse_try(p);
    case TRI_TOKEN_WITH: return parse_with(p, t->begin, false);
    case TRI_TOKEN_DEF: return parse_function(p, t->begin, false, (tri_ast_list){0});
    case TRI_TOKEN_CLASS: return parse_class(p, t->begin, (tri_ast_list){0});
    case TRI_TOKEN_ASYNC: return parse_async(p);
    case TRI_TOKEN_AT: return parse_decorated(p);
    case TRI_TOKEN_NAME: return tri_parser_pattern_is_match(p) ? tri_parser_pattern_match(p, t->begin) : NULL;
    case TRI_TOKEN_ELIF: case TRI_TOKEN_ELSE:
        tri_parser_fail(p, 2001, at, "'%.*s' without 'if'", TRI_STR_ARG(tri_parser_text(p, t)));
    case TRI_TOKEN_EXCEPT: case TRI_TOKEN_FINALLY:
        tri_parser_fail(p, 2024, at, "'%.*s' without 'try'", TRI_STR_ARG(tri_parser_text(p, t)));
    default: return NULL;
    }
}
