/* Atoms (names, numbers, brackets) and what follows them (calls, subscripts, attributes). */
#include "frontend/syntax/ast_fields.h"
#include "frontend/syntax/parser.h"

/* ---- numbers ---- */

static tri_str without_underscores(tri_parser *p, tri_str text)
{
    if (tri_str_find(text, '_') == text.len)
        return text;
    char *clean = tri_arena_alloc(p->arena, text.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] != '_')
            clean[n++] = text.data[i];
    return (tri_str){clean, n};
}

static tri_ast_node *parse_number(tri_parser *p)
{
    const tri_token *t = tri_parser_token(p);
    uint32_t begin = t->begin;
    tri_str text = without_underscores(p, tri_parser_text(p, t));
    tri_parser_advance(p);
    bool is_hex = text.len > 1 && (text.data[1] | 0x20) == 'x';
    bool is_imaginary = (text.data[text.len - 1] | 0x20) == 'j';
    bool is_float = is_imaginary;
    for (size_t i = 0; i < text.len && !is_hex; i++)
        is_float |= text.data[i] == '.' || (text.data[i] | 0x20) == 'e';
    tri_ast_node *node = tri_parser_node(p,
                                         is_imaginary ? TRI_AST_IMAGINARY
                                         : is_float   ? TRI_AST_FLOAT
                                                      : TRI_AST_INT,
                                         begin);
    tri_ast_set_number(p->arena, node, tri_str_sub(text, 0, text.len - is_imaginary));
    return node;
}

/* ---- brackets ---- */

static tri_ast_node *finish_comp(tri_parser *p, tri_ast_kind kind, uint32_t begin, tri_ast_node *element,
                                 tri_token_kind close)
{
    if (element->kind == TRI_AST_STARRED)
        tri_parser_fail(p, 2001, element->span, "a comprehension cannot unpack its element");
    tri_ast_list clauses = tri_parser_expr_clauses(p);
    if (kind == TRI_AST_GENERATOR && p->stray_await > begin)
        p->stray_await = 0;
    tri_parser_expect_close(p, close, begin,
                            close == TRI_TOKEN_RPAREN     ? "')'"
                            : close == TRI_TOKEN_RBRACKET ? "']'"
                                                          : "'}'");
    tri_ast_node *node = tri_parser_node(p, kind, begin);
    node->comp.element = element;
    node->comp.clauses = clauses;
    return node;
}

static bool is_at_comprehension(tri_parser *p)
{
    tri_token_kind kind = tri_parser_kind(p);
    return kind == TRI_TOKEN_FOR || (kind == TRI_TOKEN_ASYNC && tri_parser_peek(p, 1) == TRI_TOKEN_FOR);
}

/* Items after the first up to the closer, as a node of `kind`. */
static tri_ast_node *finish_sequence(tri_parser *p, tri_ast_kind kind, uint32_t begin, tri_ast_node *first,
                                     tri_token_kind close, const char *expected)
{
    size_t mark = p->scratch.len;
    if (first)
        tri_parser_push(p, first);
    while (first && tri_parser_accept(p, TRI_TOKEN_COMMA)) {
        if (tri_parser_kind(p) == close)
            break;
        tri_parser_push(p, tri_parser_expr_star_named(p));
    }
    tri_parser_expect_close(p, close, begin, expected);
    tri_ast_list list = tri_parser_take(p, mark);
    tri_ast_node *node = tri_parser_node(p, kind, begin);
    node->list = list;
    return node;
}

static tri_ast_node *parse_parenthesis(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_parser_advance(p);
    if (tri_parser_kind(p) == TRI_TOKEN_RPAREN)
        return finish_sequence(p, TRI_AST_TUPLE, begin, NULL, TRI_TOKEN_RPAREN, "')'");
    if (tri_parser_kind(p) == TRI_TOKEN_YIELD) {
        tri_ast_node *node = tri_parser_expr_yield(p);
        tri_parser_expect_close(p, TRI_TOKEN_RPAREN, begin, "')'");
        node->parenthesized = true;
        return node;
    }
    tri_ast_node *first = tri_parser_expr_star_named(p);
    if (is_at_comprehension(p))
        return finish_comp(p, TRI_AST_GENERATOR, begin, first, TRI_TOKEN_RPAREN);
    if (tri_parser_kind(p) == TRI_TOKEN_COMMA)
        return finish_sequence(p, TRI_AST_TUPLE, begin, first, TRI_TOKEN_RPAREN, "',' or ')'");
    tri_parser_expect_close(p, TRI_TOKEN_RPAREN, begin, "',' or ')'");
    if (first->kind == TRI_AST_STARRED)
        tri_parser_fail(p, 2014, first->span, "a starred expression cannot stand alone; write '(*x,)' for a tuple");
    first->parenthesized = true;
    return first;
}

static tri_ast_node *parse_list(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_parser_advance(p);
    tri_ast_node *first = tri_parser_kind(p) == TRI_TOKEN_RBRACKET ? NULL : tri_parser_expr_star_named(p);
    if (first && is_at_comprehension(p))
        return finish_comp(p, TRI_AST_LIST_COMP, begin, first, TRI_TOKEN_RBRACKET);
    return finish_sequence(p, TRI_AST_LIST, begin, first, TRI_TOKEN_RBRACKET, "',' or ']'");
}

/* `key: value`, or `**value`. Null when what stands there is an element of a set. */
static tri_ast_node *parse_key_value(tri_parser *p, tri_ast_node **out_element)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_ast_node *key = NULL, *value;
    if (tri_parser_accept(p, TRI_TOKEN_DSTAR)) {
        value = tri_parser_expr_bit_or(p);
    } else {
        key = tri_parser_expr_star_named(p);
        if (!tri_parser_accept(p, TRI_TOKEN_COLON)) {
            *out_element = key;
            return NULL;
        }
        if (key->kind == TRI_AST_STARRED)
            tri_parser_fail(p, 2001, key->span, "a dictionary key cannot be starred");
        value = tri_parser_expr_test(p);
    }
    tri_ast_node *node = tri_parser_node(p, TRI_AST_KEY_VALUE, begin);
    node->key_value.key = key;
    node->key_value.value = value;
    return node;
}

static tri_ast_node *parse_brace(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    size_t mark = p->scratch.len;
    tri_parser_advance(p);
    if (tri_parser_kind(p) != TRI_TOKEN_RBRACE) {
        tri_ast_node *element = NULL, *first = parse_key_value(p, &element);
        if (!first && is_at_comprehension(p))
            return finish_comp(p, TRI_AST_SET_COMP, begin, element, TRI_TOKEN_RBRACE);
        if (!first)
            return finish_sequence(p, TRI_AST_SET, begin, element, TRI_TOKEN_RBRACE, "',' or '}'");
        if (first->key_value.key && is_at_comprehension(p))
            return finish_comp(p, TRI_AST_DICT_COMP, begin, first, TRI_TOKEN_RBRACE);
        tri_parser_push(p, first);
        while (tri_parser_accept(p, TRI_TOKEN_COMMA) && tri_parser_kind(p) != TRI_TOKEN_RBRACE) {
            tri_ast_node *entry = parse_key_value(p, &element);
            if (!entry)
                tri_parser_fail_expected(p, 2001, "':' and a value after the dictionary key");
            tri_parser_push(p, entry);
        }
    }
    tri_parser_expect_close(p, TRI_TOKEN_RBRACE, begin, "',' or '}'");
    tri_ast_list list = tri_parser_take(p, mark);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_DICT, begin);
    node->list = list;
    return node;
}

static tri_ast_node *parse_atom(tri_parser *p)
{
    const tri_token *t = tri_parser_token(p);
    tri_ast_node *node;
    tri_ast_kind kind;
    switch (t->kind) {
    case TRI_TOKEN_NAME:
        tri_parser_advance(p);
        node = tri_parser_node(p, TRI_AST_NAME, t->begin);
        return node;
    case TRI_TOKEN_NUMBER: return parse_number(p);
    case TRI_TOKEN_STRING: case TRI_TOKEN_FSTRING_START: return tri_parser_string_literals(p);
    case TRI_TOKEN_LPAREN: return parse_parenthesis(p);
    case TRI_TOKEN_LBRACKET: return parse_list(p);
    case TRI_TOKEN_LBRACE: return parse_brace(p);
    case TRI_TOKEN_NONE: kind = TRI_AST_NONE; break;
    case TRI_TOKEN_TRUE: kind = TRI_AST_TRUE; break;
    case TRI_TOKEN_FALSE: kind = TRI_AST_FALSE; break;
    case TRI_TOKEN_ELLIPSIS: kind = TRI_AST_ELLIPSIS; break;
    default: tri_parser_fail_expected(p, 2001, "an expression");
    }
    uint32_t begin = t->begin;
    tri_parser_advance(p);
    return tri_parser_node(p, kind, begin);
}

/* ---- calls ---- */

static void parse_keyword(tri_parser *p, uint32_t begin, tri_str name)
{
    tri_ast_node *value = tri_parser_expr_test(p);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_KEYWORD, begin);
    node->keyword.name = name;
    node->keyword.value = value;
    tri_parser_push(p, node);
}

static bool parse_keyword_argument(tri_parser *p, size_t mark, bool *out_has_unpacking)
{
    const tri_token *t = tri_parser_token(p);
    uint32_t begin = t->begin;
    if (t->kind == TRI_TOKEN_DSTAR) {
        tri_parser_advance(p);
        parse_keyword(p, begin, (tri_str){0});
        *out_has_unpacking = true;
        return true;
    }
    if (tri_parser_peek(p, 1) != TRI_TOKEN_ASSIGN)
        return false;
    tri_str name = tri_parser_text(p, t);
    if (t->kind >= TRI_TOKEN_FALSE && t->kind <= TRI_TOKEN_YIELD)
        tri_parser_fail(p, 2020, tri_parser_token_span(p, t), "'%.*s' is a keyword and cannot name an argument",
                        TRI_STR_ARG(name));
    if (t->kind != TRI_TOKEN_NAME)
        return false;
    for (size_t i = mark; i < p->scratch.len; i++)
        if (p->scratch.at[i]->kind == TRI_AST_KEYWORD && tri_str_equal(p->scratch.at[i]->keyword.name, name))
            tri_parser_error(p, 2020, tri_parser_token_span(p, t), "keyword argument '%.*s' is given twice",
                             TRI_STR_ARG(name));
    tri_parser_advance(p);
    tri_parser_advance(p);
    parse_keyword(p, begin, name);
    return true;
}

/* Splits scratch from `mark` into positional and keyword arguments. */
static void split_arguments(tri_parser *p, size_t mark, tri_ast_list *out_args, tri_ast_list *out_keywords)
{
    size_t total = p->scratch.len - mark, positional = 0;
    tri_ast_list all = tri_parser_take(p, mark);
    for (size_t i = 0; i < total; i++)
        positional += all.at[i]->kind != TRI_AST_KEYWORD;
    if (positional == total || positional == 0) {
        *(positional ? out_args : out_keywords) = all;
        *(positional ? out_keywords : out_args) = (tri_ast_list){0};
        return;
    }
    tri_ast_node **sorted = TRI_NEW_ARRAY(p->arena, tri_ast_node *, total);
    size_t a = 0, k = positional;
    for (size_t i = 0; i < total; i++)
        sorted[all.at[i]->kind == TRI_AST_KEYWORD ? k++ : a++] = all.at[i];
    *out_args = (tri_ast_list){sorted, (uint32_t)positional};
    *out_keywords = (tri_ast_list){sorted + positional, (uint32_t)(total - positional)};
}

static tri_ast_node *parse_positional(tri_parser *p, bool is_first, bool has_keyword, bool has_unpacking)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_ast_node *arg;
    if (tri_parser_kind(p) == TRI_TOKEN_STAR) {
        tri_parser_advance(p);
        tri_ast_node *value = tri_parser_expr_test(p);
        arg = tri_parser_node(p, TRI_AST_STARRED, begin);
        arg->value = value;
        if (has_unpacking)
            tri_parser_error(p, 2020, arg->span, "'*' argument after a '**' argument");
        return arg;
    }
    arg = tri_parser_expr_named(p);
    if (is_at_comprehension(p)) {
        tri_ast_list clauses = tri_parser_expr_clauses(p);
        tri_ast_node *generator = tri_parser_node(p, TRI_AST_GENERATOR, begin);
        if (p->stray_await > begin)
            p->stray_await = 0;
        generator->comp.element = arg;
        generator->comp.clauses = clauses;
        bool is_alone = is_first && tri_parser_kind(p) == TRI_TOKEN_RPAREN;
        if (!is_alone && (!is_first || tri_parser_peek(p, 1) != TRI_TOKEN_RPAREN))
            tri_parser_error(p, 2020, generator->span, "a generator among other arguments must stand in parentheses");
        arg = generator;
    }
    if (tri_parser_kind(p) == TRI_TOKEN_ASSIGN)
        tri_parser_fail(p, 2020, arg->span, "%s %s cannot name an argument; write '==' to compare",
                        tri_parser_target_article(arg), tri_parser_target_describe(arg));
    if (has_keyword)
        tri_parser_error(p, 2020, arg->span, "positional argument after %s",
                         has_unpacking ? "a '**' argument" : "a keyword argument");
    return arg;
}

void tri_parser_atom_arguments(tri_parser *p, uint32_t open, tri_ast_list *out_args, tri_ast_list *out_keywords)
{
    size_t mark = p->scratch.len;
    bool has_keyword = false, has_unpacking = false;
    while (tri_parser_kind(p) != TRI_TOKEN_RPAREN) {
        if (parse_keyword_argument(p, mark, &has_unpacking))
            has_keyword = true;
        else
            tri_parser_push(p, parse_positional(p, p->scratch.len == mark, has_keyword, has_unpacking));
        if (!tri_parser_accept(p, TRI_TOKEN_COMMA))
            break;
    }
    tri_parser_expect_close(p, TRI_TOKEN_RPAREN, open, "',' or ')'");
    split_arguments(p, mark, out_args, out_keywords);
}

static tri_ast_node *parse_call(tri_parser *p, uint32_t begin, tri_ast_node *func)
{
    uint32_t open = tri_parser_token(p)->begin;
    tri_parser_advance(p);
    tri_ast_list args, keywords;
    tri_parser_atom_arguments(p, open, &args, &keywords);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_CALL, begin);
    node->call.func = func;
    node->call.args = args;
    node->call.keywords = keywords;
    return node;
}

/* ---- subscripts ---- */

static tri_ast_node *slice_part(tri_parser *p)
{
    tri_token_kind kind = tri_parser_kind(p);
    return kind == TRI_TOKEN_COLON || kind == TRI_TOKEN_COMMA || kind == TRI_TOKEN_RBRACKET ? NULL
                                                                                            : tri_parser_expr_test(p);
}

static tri_ast_node *parse_slice(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_ast_node *lower = NULL, *upper, *step = NULL;
    if (tri_parser_kind(p) != TRI_TOKEN_COLON) {
        lower = tri_parser_expr_star_named(p);
        if (tri_parser_kind(p) != TRI_TOKEN_COLON)
            return lower;
    }
    tri_parser_advance(p);
    upper = slice_part(p);
    if (tri_parser_accept(p, TRI_TOKEN_COLON))
        step = slice_part(p);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_SLICE, begin);
    node->slice.lower = lower;
    node->slice.upper = upper;
    node->slice.step = step;
    return node;
}

static tri_ast_node *parse_subscript(tri_parser *p, uint32_t begin, tri_ast_node *value)
{
    uint32_t open = tri_parser_token(p)->begin;
    tri_parser_advance(p);
    uint32_t first_begin = tri_parser_token(p)->begin;
    tri_ast_node *index = parse_slice(p);
    if (tri_parser_kind(p) == TRI_TOKEN_COMMA || index->kind == TRI_AST_STARRED) {
        size_t mark = p->scratch.len;
        tri_parser_push(p, index);
        while (tri_parser_accept(p, TRI_TOKEN_COMMA) && tri_parser_kind(p) != TRI_TOKEN_RBRACKET)
            tri_parser_push(p, parse_slice(p));
        tri_ast_list list = tri_parser_take(p, mark);
        index = tri_parser_node(p, TRI_AST_TUPLE, first_begin);
        index->list = list;
    }
    tri_parser_expect_close(p, TRI_TOKEN_RBRACKET, open, "',' or ']'");
    tri_ast_node *node = tri_parser_node(p, TRI_AST_SUBSCRIPT, begin);
    node->subscript.value = value;
    node->subscript.index = index;
    return node;
}

/* ---- primaries ---- */

static tri_ast_node *parse_trailers(tri_parser *p, uint32_t begin, tri_ast_node *node)
{
    for (;;) {
        tri_token_kind kind = tri_parser_kind(p);
        if (kind != TRI_TOKEN_DOT && kind != TRI_TOKEN_LPAREN && kind != TRI_TOKEN_LBRACKET)
            return node;
        uint32_t left = p->height;
        p->height = 0;
        if (kind == TRI_TOKEN_LPAREN) {
            node = parse_call(p, begin, node);
        } else if (kind == TRI_TOKEN_LBRACKET) {
            node = parse_subscript(p, begin, node);
        } else {
            tri_parser_advance(p);
            tri_str name = tri_parser_expect_name(p, "a name after '.'");
            tri_ast_node *attribute = tri_parser_node(p, TRI_AST_ATTRIBUTE, begin);
            attribute->attribute.value = node;
            attribute->attribute.name = name;
            node = attribute;
        }
        tri_parser_height_grow(p, left);
    }
}

tri_ast_node *tri_parser_atom_primary(tri_parser *p)
{
    const tri_token *t = tri_parser_token(p);
    uint32_t outer = tri_parser_height_begin(p), begin = t->begin;
    tri_ast_node *node;
    if (t->kind == TRI_TOKEN_AWAIT) {
        if (!p->context.in_async && !p->stray_await)
            p->stray_await = begin + 1; /* reported when no generator expression turns up around it */
        tri_parser_advance(p);
        uint32_t inner = tri_parser_token(p)->begin;
        tri_ast_node *value = parse_trailers(p, inner, parse_atom(p));
        node = tri_parser_node(p, TRI_AST_AWAIT, begin);
        node->value = value;
    } else {
        node = parse_trailers(p, begin, parse_atom(p));
    }
    tri_parser_height_end(p, outer);
    return node;
}
