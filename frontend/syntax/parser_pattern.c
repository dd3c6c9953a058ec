/* match statements and their patterns. */
#include "frontend/syntax/parser.h"

/* `match` is an ordinary name unless a subject follows and the logical line ends in a colon. */
bool tri_parser_pattern_is_match(tri_parser *p)
{
    if (!tri_parser_is_word(p, "match"))
        return false;
    tri_token_kind next = tri_parser_peek(p, 1);
    if (!tri_parser_expr_can_start(next) && next != TRI_TOKEN_STAR)
        return false;
    size_t i = 1;
    while (tri_parser_peek(p, i) != TRI_TOKEN_NEWLINE)
        i++;
    return tri_parser_peek(p, i - 1) == TRI_TOKEN_COLON;
}

static tri_ast_node *parse_pattern(tri_parser *p);

static bool is_wildcard(tri_str name)
{
    return tri_str_is(name, "_");
}

/* Numbers (with a sign, and complex sums), strings, None, True, False. */
static tri_ast_node *parse_literal(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_ast_node *value = NULL;
    switch (tri_parser_kind(p)) {
    case TRI_TOKEN_MINUS: case TRI_TOKEN_NUMBER: value = tri_parser_expr_sum(p); break;
    case TRI_TOKEN_STRING: case TRI_TOKEN_FSTRING_START: value = tri_parser_string_literals(p); break;
    default: value = tri_parser_atom_primary(p); break;
    }
    bool is_number = value->kind == TRI_AST_INT || value->kind == TRI_AST_FLOAT || value->kind == TRI_AST_IMAGINARY ||
                     (value->kind == TRI_AST_UNARY && value->unary.op == TRI_AST_NEG_OP) ||
                     (value->kind == TRI_AST_BINARY && value->binary.right->kind == TRI_AST_IMAGINARY &&
                      (value->binary.op == TRI_AST_ADD_OP || value->binary.op == TRI_AST_SUB_OP));
    bool is_constant = value->kind == TRI_AST_STRING || value->kind == TRI_AST_BYTES || value->kind == TRI_AST_NONE ||
                       value->kind == TRI_AST_TRUE || value->kind == TRI_AST_FALSE;
    if (!is_number && !is_constant)
        tri_parser_fail(p, 2025, value->span, "%s %s is not a pattern", tri_parser_target_article(value),
                        tri_parser_target_describe(value));
    tri_ast_node *node = tri_parser_node(p, TRI_AST_MATCH_VALUE, begin);
    node->value = value;
    return node;
}

/* The arguments of a class pattern, at '('. */
static tri_ast_node *parse_class_pattern(tri_parser *p, uint32_t begin, tri_ast_node *cls)
{
    uint32_t open = tri_parser_token(p)->begin;
    tri_parser_advance(p);
    TRI_VEC(tri_ast_node *) keywords = {0};
    size_t mark = p->scratch.len;
    while (tri_parser_kind(p) != TRI_TOKEN_RPAREN) {
        uint32_t arg_begin = tri_parser_token(p)->begin;
        if (tri_parser_kind(p) == TRI_TOKEN_NAME && tri_parser_peek(p, 1) == TRI_TOKEN_ASSIGN) {
            tri_str name = tri_parser_expect_name(p, "a name");
            tri_parser_advance(p);
            tri_ast_node *value = parse_pattern(p);
            tri_ast_node *keyword = tri_parser_node(p, TRI_AST_KEYWORD, arg_begin);
            keyword->keyword.name = name;
            keyword->keyword.value = value;
            tri_vec_push(p->arena, &keywords, keyword);
        } else {
            tri_ast_node *pattern = parse_pattern(p);
            if (keywords.len)
                tri_parser_error(p, 2025, pattern->span, "positional pattern after a keyword pattern");
            tri_parser_push(p, pattern);
        }
        if (!tri_parser_accept(p, TRI_TOKEN_COMMA))
            break;
    }
    tri_parser_expect_close(p, TRI_TOKEN_RPAREN, open, "',' or ')'");
    tri_ast_list patterns = tri_parser_take(p, mark);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_MATCH_CLASS, begin);
    node->match_class.cls = cls;
    node->match_class.patterns = patterns;
    node->match_class.keywords = (tri_ast_list){keywords.at, (uint32_t)keywords.len};
    return node;
}

/* A capture, a wildcard, a dotted value or a class pattern. */
static tri_ast_node *parse_name_pattern(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_str name = tri_parser_expect_name(p, "a pattern");
    tri_token_kind kind = tri_parser_kind(p);
    if (kind != TRI_TOKEN_DOT && kind != TRI_TOKEN_LPAREN) {
        tri_ast_node *node = tri_parser_node(p, TRI_AST_MATCH_AS, begin);
        node->match_as.name = is_wildcard(name) ? (tri_str){0} : name;
        return node;
    }
    tri_ast_node *value = tri_parser_node(p, TRI_AST_NAME, begin);
    unsigned length = 0;
    while (tri_parser_accept(p, TRI_TOKEN_DOT)) {
        tri_str attribute = tri_parser_expect_name(p, "a name after '.'");
        if (++length > TRI_PARSER_MAX_HEIGHT)
            tri_parser_fail(p, 2018, tri_parser_span(p, begin), "the dotted name is too long");
        tri_ast_node *node = tri_parser_node(p, TRI_AST_ATTRIBUTE, begin);
        node->attribute.value = value;
        node->attribute.name = attribute;
        value = node;
    }
    if (tri_parser_kind(p) == TRI_TOKEN_LPAREN)
        return parse_class_pattern(p, begin, value);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_MATCH_VALUE, begin);
    node->value = value;
    return node;
}

static tri_ast_node *parse_mapping(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_parser_advance(p);
    TRI_VEC(tri_ast_node *) keys = {0};
    size_t mark = p->scratch.len;
    tri_str rest = {0};
    while (tri_parser_kind(p) != TRI_TOKEN_RBRACE) {
        if (rest.len)
            tri_parser_fail_expected(p, 2025, "'}' after the '**' pattern");
        if (tri_parser_accept(p, TRI_TOKEN_DSTAR)) {
            rest = tri_parser_expect_name(p, "a name after '**'");
        } else {
            tri_ast_node *key = tri_parser_kind(p) == TRI_TOKEN_NAME ? parse_name_pattern(p) : parse_literal(p);
            if (key->kind != TRI_AST_MATCH_VALUE)
                tri_parser_fail(p, 2025, key->span, "the key of a mapping pattern must be a literal or a dotted name");
            tri_vec_push(p->arena, &keys, key->value);
            tri_parser_expect(p, TRI_TOKEN_COLON, "after the key");
            tri_parser_push(p, parse_pattern(p));
        }
        if (!tri_parser_accept(p, TRI_TOKEN_COMMA))
            break;
    }
    tri_parser_expect_close(p, TRI_TOKEN_RBRACE, begin, "',' or '}'");
    tri_ast_list patterns = tri_parser_take(p, mark);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_MATCH_MAPPING, begin);
    node->match_mapping.keys = (tri_ast_list){keys.at, (uint32_t)keys.len};
    node->match_mapping.patterns = patterns;
    node->match_mapping.rest = rest;
    return node;
}

static tri_ast_node *parse_element(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    if (!tri_parser_accept(p, TRI_TOKEN_STAR))
        return parse_pattern(p);
    tri_str name = tri_parser_expect_name(p, "a name after '*'");
    tri_ast_node *node = tri_parser_node(p, TRI_AST_MATCH_STAR, begin);
    node->string = is_wildcard(name) ? (tri_str){0} : name;
    return node;
}

/* Elements up to `close` as a sequence; a single element in parentheses is itself. */
static tri_ast_node *parse_group(tri_parser *p, tri_token_kind close)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_parser_advance(p);
    size_t mark = p->scratch.len;
    bool has_comma = false;
    while (tri_parser_kind(p) != close) {
        tri_parser_push(p, parse_element(p));
        if (!tri_parser_accept(p, TRI_TOKEN_COMMA))
            break;
        has_comma = true;
    }
    tri_parser_expect_close(p, close, begin, close == TRI_TOKEN_RPAREN ? "',' or ')'" : "',' or ']'");
    tri_ast_list items = tri_parser_take(p, mark);
    if (close == TRI_TOKEN_RPAREN && items.len == 1 && !has_comma && items.at[0]->kind != TRI_AST_MATCH_STAR)
        return items.at[0];
    tri_ast_node *node = tri_parser_node(p, TRI_AST_MATCH_SEQUENCE, begin);
    node->list = items;
    return node;
}

static tri_ast_node *parse_closed(tri_parser *p)
{
    switch (tri_parser_kind(p)) {
    case TRI_TOKEN_NAME: return parse_name_pattern(p);
    case TRI_TOKEN_LPAREN: return parse_group(p, TRI_TOKEN_RPAREN);
    case TRI_TOKEN_LBRACKET: return parse_group(p, TRI_TOKEN_RBRACKET);
    case TRI_TOKEN_LBRACE: return parse_mapping(p);
    case TRI_TOKEN_MINUS:
    case TRI_TOKEN_NUMBER:
    case TRI_TOKEN_STRING:
    case TRI_TOKEN_FSTRING_START:
    case TRI_TOKEN_NONE:
    case TRI_TOKEN_TRUE: case TRI_TOKEN_FALSE: return parse_literal(p);
    default: tri_parser_fail_expected(p, 2025, "a pattern");
    }
}

static tri_ast_node *parse_pattern(tri_parser *p)
{
    tri_parser_enter(p);
    uint32_t begin = tri_parser_token(p)->begin;
    tri_ast_node *pattern = parse_closed(p);
    if (tri_parser_kind(p) == TRI_TOKEN_PIPE) {
        size_t mark = p->scratch.len;
        tri_parser_push(p, pattern);
        while (tri_parser_accept(p, TRI_TOKEN_PIPE))
            tri_parser_push(p, parse_closed(p));
        tri_ast_list items = tri_parser_take(p, mark);
        pattern = tri_parser_node(p, TRI_AST_MATCH_OR, begin);
        pattern->list = items;
    }
    if (tri_parser_accept(p, TRI_TOKEN_AS)) {
        tri_str name = tri_parser_expect_name(p, "a name after 'as'");
        if (is_wildcard(name))
            tri_parser_fail(p, 2025, tri_parser_span(p, p->prev_end - 1), "'_' cannot be the name of a pattern");
        tri_ast_node *node = tri_parser_node(p, TRI_AST_MATCH_AS, begin);
        node->match_as.pattern = pattern;
        node->match_as.name = name;
        pattern = node;
    }
    tri_parser_exit(p);
    return pattern;
}

/* Patterns of a case: `case a, b:` is a sequence without brackets. */
static tri_ast_node *parse_open_pattern(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_ast_node *first = parse_element(p);
    if (tri_parser_kind(p) != TRI_TOKEN_COMMA && first->kind != TRI_AST_MATCH_STAR)
        return first;
    size_t mark = p->scratch.len;
    tri_parser_push(p, first);
    while (tri_parser_accept(p, TRI_TOKEN_COMMA)) {
        if (tri_parser_kind(p) == TRI_TOKEN_COLON || tri_parser_kind(p) == TRI_TOKEN_IF)
            break;
        tri_parser_push(p, parse_element(p));
    }
    tri_ast_list items = tri_parser_take(p, mark);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_MATCH_SEQUENCE, begin);
    node->list = items;
    return node;
}

static void parse_case(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    if (!tri_parser_is_word(p, "case"))
        tri_parser_fail_expected(p, 2025, "'case'");
    tri_parser_advance(p);
    tri_ast_node *pattern = parse_open_pattern(p);
    tri_ast_node *guard = tri_parser_accept(p, TRI_TOKEN_IF) ? tri_parser_expr_named(p) : NULL;
    tri_ast_list body = tri_parser_block_body(p, "'case'", begin);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_CASE, begin);
    node->match_case.pattern = pattern;
    node->match_case.guard = guard;
    node->match_case.body = body;
    tri_parser_push(p, node);
}

tri_ast_node *tri_parser_pattern_match(tri_parser *p, uint32_t begin)
{
    tri_parser_advance(p);
    tri_ast_node *subject;
    uint32_t subject_begin = tri_parser_token(p)->begin;
    size_t mark = p->scratch.len;
    bool has_comma = false;
    do {
        if (tri_parser_kind(p) == TRI_TOKEN_COLON)
            break;
        tri_parser_push(p, tri_parser_expr_star_named(p));
        has_comma |= tri_parser_kind(p) == TRI_TOKEN_COMMA;
    } while (tri_parser_accept(p, TRI_TOKEN_COMMA));
    tri_ast_list subjects = tri_parser_take(p, mark);
    if (has_comma) {
        subject = tri_parser_node(p, TRI_AST_TUPLE, subject_begin);
        subject->list = subjects;
    } else {
        subject = subjects.at[0];
    }
    tri_parser_expect(p, TRI_TOKEN_COLON, "after the subject of 'match'");
    tri_parser_expect(p, TRI_TOKEN_NEWLINE, "after 'match ...:'");
    tri_parser_expect(p, TRI_TOKEN_INDENT, "of the 'case' blocks");
    while (tri_parser_kind(p) != TRI_TOKEN_DEDENT && tri_parser_kind(p) != TRI_TOKEN_END && !p->is_full)
        tri_parser_guard(p, parse_case);
    tri_parser_accept(p, TRI_TOKEN_DEDENT);
    tri_ast_list cases = tri_parser_take(p, mark);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_MATCH, begin);
    node->match.subject = subject;
    node->match.cases = cases;
    return node;
}
