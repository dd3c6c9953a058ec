/* Assignment targets and parameter lists. */
#include "frontend/syntax/parser.h"

const char *tri_parser_target_describe(const tri_ast_node *node)
{
    switch (node->kind) {
    case TRI_AST_NAME: return "name";
    case TRI_AST_NONE: return "None";
    case TRI_AST_TRUE: return "True";
    case TRI_AST_FALSE: return "False";
    case TRI_AST_ELLIPSIS: return "ellipsis";
    case TRI_AST_INT:
    case TRI_AST_FLOAT:
    case TRI_AST_IMAGINARY:
    case TRI_AST_STRING:
    case TRI_AST_BYTES:
        return "literal";
    case TRI_AST_FSTRING: return "f-string";
    case TRI_AST_TUPLE: return "tuple";
    case TRI_AST_LIST: return "list";
    case TRI_AST_SET: return "set display";
    case TRI_AST_DICT: return "dict literal";
    case TRI_AST_LIST_COMP: return "list comprehension";
    case TRI_AST_SET_COMP: return "set comprehension";
    case TRI_AST_DICT_COMP: return "dict comprehension";
    case TRI_AST_GENERATOR: return "generator expression";
    case TRI_AST_COMPARE: return "comparison";
    case TRI_AST_CONDITIONAL: return "conditional expression";
    case TRI_AST_LAMBDA: return "lambda";
    case TRI_AST_CALL: return "function call";
    case TRI_AST_ATTRIBUTE: return "attribute";
    case TRI_AST_SUBSCRIPT: return "subscript";
    case TRI_AST_STARRED: return "starred expression";
    case TRI_AST_WALRUS: return "named expression";
    case TRI_AST_AWAIT: return "await expression";
    case TRI_AST_YIELD: case TRI_AST_YIELD_FROM: return "yield expression";
    default: return "expression";
    }
}

const char *tri_parser_target_article(const tri_ast_node *node)
{
    const char *what = tri_parser_target_describe(node);
    return strchr("aeiou", what[0]) || node->kind == TRI_AST_FSTRING ? "an" : "a";
}

_Noreturn static void fail_target(tri_parser *p, const tri_ast_node *node, const char *verb)
{
    bool is_comparable = tri_parser_kind(p) == TRI_TOKEN_ASSIGN && node->kind >= TRI_AST_UNARY;
    tri_parser_fail(p, 2014, node->span, "cannot %s %s%s", verb, tri_parser_target_describe(node),
                    is_comparable ? "; write '==' to compare" : "");
}

void tri_parser_target_check(tri_parser *p, tri_ast_node *node, const char *verb)
{
    switch (node->kind) {
    case TRI_AST_NAME: case TRI_AST_ATTRIBUTE: case TRI_AST_SUBSCRIPT:
        return;
    case TRI_AST_TUPLE: case TRI_AST_LIST: {
        bool has_star = false;
        for (uint32_t i = 0; i < node->list.len; i++) {
            tri_ast_node *item = node->list.at[i];
            if (item->kind == TRI_AST_STARRED && verb[0] != 'd') {
                if (has_star)
                    tri_parser_fail(p, 2014, item->span, "two starred targets in one assignment");
                has_star = true;
                item = item->value;
            }
            tri_parser_enter(p);
            tri_parser_target_check(p, item, verb);
            tri_parser_exit(p);
        }
        return;
    }
    case TRI_AST_STARRED:
        if (verb[0] != 'd')
            tri_parser_fail(p, 2014, node->span, "a starred target must stand in a list or tuple");
        fail_target(p, node, verb);
    default: fail_target(p, node, verb);
    }
}

void tri_parser_target_check_single(tri_parser *p, tri_ast_node *node, const char *what)
{
    if (node->kind != TRI_AST_NAME && node->kind != TRI_AST_ATTRIBUTE && node->kind != TRI_AST_SUBSCRIPT)
        tri_parser_fail(p, 2014, node->span, "%s %s cannot be the target of %s", tri_parser_target_article(node),
                        tri_parser_target_describe(node), what);
}

/* ---- parameters ---- */

typedef struct {
    tri_token_kind end;
    size_t mark;
    bool has_slash, has_star, needs_name, has_default, has_kwargs;
} param_state;

static void check_duplicate(tri_parser *p, size_t mark, tri_str name, tri_span at)
{
    for (size_t i = mark; i < p->scratch.len; i++)
        if (tri_str_equal(p->scratch.at[i]->param.name, name)) {
            tri_parser_error(p, 2019, at, "parameter '%.*s' is named twice", TRI_STR_ARG(name));
            return;
        }
}

static void parse_param(tri_parser *p, param_state *s, tri_ast_param_kind kind, uint32_t begin)
{
    uint32_t name_begin = tri_parser_token(p)->begin;
    tri_str name = tri_parser_expect_name(p, "a parameter name");
    check_duplicate(p, s->mark, name, tri_parser_span(p, name_begin));
    tri_ast_node *annotation = NULL, *value = NULL;
    if (s->end == TRI_TOKEN_RPAREN && tri_parser_accept(p, TRI_TOKEN_COLON))
        annotation = kind == TRI_AST_PARAM_VARARGS ? tri_parser_expr_star_named(p) : tri_parser_expr_test(p);
    bool can_default = kind == TRI_AST_PARAM_NORMAL || kind == TRI_AST_PARAM_KEYWORD;
    if (tri_parser_kind(p) == TRI_TOKEN_ASSIGN) {
        if (!can_default)
            tri_parser_fail(p, 2019, tri_parser_token_span(p, tri_parser_token(p)),
                            "a '%s' parameter cannot have a default", kind == TRI_AST_PARAM_VARARGS ? "*" : "**");
        tri_parser_advance(p);
        value = tri_parser_expr_test(p);
    }
    tri_ast_node *node = tri_parser_node(p, TRI_AST_PARAM, begin);
    if (kind == TRI_AST_PARAM_NORMAL && s->has_default && !value)
        tri_parser_error(p, 2019, (tri_span){p->source, name_begin, name_begin + (uint32_t)name.len},
                         "parameter '%.*s' without a default follows one with a default", TRI_STR_ARG(name));
    s->has_default |= kind == TRI_AST_PARAM_NORMAL && value;
    node->param.name = name;
    node->param.name_begin = name_begin;
    node->param.annotation = annotation;
    node->param.default_value = value;
    node->param.kind = kind;
    tri_parser_push(p, node);
}

static void parse_star_param(tri_parser *p, param_state *s)
{
    const tri_token *t = tri_parser_token(p);
    if (s->has_star)
        tri_parser_fail(p, 2019, tri_parser_token_span(p, t), "a parameter list can have one '*' only");
    uint32_t begin = t->begin;
    s->has_star = true;
    tri_parser_advance(p);
    if (tri_parser_kind(p) == TRI_TOKEN_COMMA) {
        s->needs_name = true;
        return;
    }
    if (tri_parser_kind(p) == s->end)
        tri_parser_fail(p, 2019, (tri_span){p->source, begin, begin + 1}, "named parameters must follow a bare '*'");
    parse_param(p, s, TRI_AST_PARAM_VARARGS, begin);
}

static void parse_slash(tri_parser *p, param_state *s)
{
    tri_span at = tri_parser_token_span(p, tri_parser_token(p));
    if (s->has_slash)
        tri_parser_fail(p, 2019, at, "a parameter list can have one '/' only");
    if (s->has_star)
        tri_parser_fail(p, 2019, at, "'/' must come before '*'");
    if (p->scratch.len == s->mark)
        tri_parser_fail(p, 2019, at, "at least one parameter must come before '/'");
    s->has_slash = true;
    for (size_t i = s->mark; i < p->scratch.len; i++)
        p->scratch.at[i]->param.kind = TRI_AST_PARAM_POSITIONAL;
    tri_parser_advance(p);
}

tri_ast_list tri_parser_target_params(tri_parser *p, tri_token_kind end, uint32_t open)
{
    param_state s = {.end = end, .mark = p->scratch.len};
    tri_token_kind other_end = end == TRI_TOKEN_COLON ? TRI_TOKEN_FIELD_SPEC : end;
    while (tri_parser_kind(p) != end && tri_parser_kind(p) != other_end) {
        uint32_t begin = tri_parser_token(p)->begin;
        if (s.has_kwargs)
            tri_parser_fail(p, 2019, tri_parser_token_span(p, tri_parser_token(p)),
                            "nothing can follow the '**' parameter");
        switch (tri_parser_kind(p)) {
        case TRI_TOKEN_STAR: parse_star_param(p, &s); break;
        case TRI_TOKEN_SLASH: parse_slash(p, &s); break;
        case TRI_TOKEN_DSTAR:
            if (s.needs_name)
                tri_parser_fail(p, 2019, tri_parser_token_span(p, tri_parser_token(p)),
                                "named parameters must follow a bare '*'");
            tri_parser_advance(p);
            parse_param(p, &s, TRI_AST_PARAM_KWARGS, begin);
            s.has_kwargs = true;
            break;
        default:
            parse_param(p, &s, s.has_star ? TRI_AST_PARAM_KEYWORD : TRI_AST_PARAM_NORMAL, begin);
            s.needs_name = false;
            break;
        }
        if (!tri_parser_accept(p, TRI_TOKEN_COMMA))
            break;
    }
    if (s.needs_name)
        tri_parser_fail(p, 2019, (tri_span){p->source, p->prev_end, p->prev_end},
                        "named parameters must follow a bare '*'");
    if (end == TRI_TOKEN_RPAREN)
        tri_parser_expect_close(p, end, open, "',' or ')'");
    return tri_parser_take(p, s.mark);
}

tri_ast_list tri_parser_target_type_params(tri_parser *p)
{
    if (tri_parser_kind(p) != TRI_TOKEN_LBRACKET)
        return (tri_ast_list){0};
    uint32_t open = tri_parser_token(p)->begin;
    size_t mark = p->scratch.len;
    tri_parser_advance(p);
    do {
        if (tri_parser_kind(p) == TRI_TOKEN_RBRACKET && p->scratch.len > mark)
            break;
        uint32_t begin = tri_parser_token(p)->begin;
        tri_ast_type_param_kind kind = tri_parser_accept(p, TRI_TOKEN_STAR)    ? TRI_AST_TYPE_VAR_TUPLE
                                       : tri_parser_accept(p, TRI_TOKEN_DSTAR) ? TRI_AST_TYPE_PARAM_SPEC
                                                                               : TRI_AST_TYPE_VAR;
        tri_str name = tri_parser_expect_name(p, "a type parameter");
        tri_ast_node *bound = NULL;
        if (kind == TRI_AST_TYPE_VAR && tri_parser_accept(p, TRI_TOKEN_COLON))
            bound = tri_parser_expr_test(p);
        tri_ast_node *node = tri_parser_node(p, TRI_AST_TYPE_PARAM, begin);
        node->type_param.name = name;
        node->type_param.bound = bound;
        node->type_param.kind = kind;
        tri_parser_push(p, node);
    } while (tri_parser_accept(p, TRI_TOKEN_COMMA));
    tri_parser_expect_close(p, TRI_TOKEN_RBRACKET, open, "',' or ']'");
    return tri_parser_take(p, mark);
}
