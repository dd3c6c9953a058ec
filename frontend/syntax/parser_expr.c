/* Expressions by precedence; atoms and calls are in parser_atom.c. */
#include "frontend/syntax/parser.h"

bool tri_parser_expr_can_start(tri_token_kind kind)
{
    switch (kind) {
    case TRI_TOKEN_NAME:
    case TRI_TOKEN_NUMBER:
    case TRI_TOKEN_STRING:
    case TRI_TOKEN_FSTRING_START:
    case TRI_TOKEN_FALSE:
    case TRI_TOKEN_NONE: case TRI_TOKEN_TRUE: case TRI_TOKEN_AWAIT: case TRI_TOKEN_LAMBDA: case TRI_TOKEN_NOT:
    case TRI_TOKEN_LPAREN: case TRI_TOKEN_LBRACKET: case TRI_TOKEN_LBRACE: case TRI_TOKEN_ELLIPSIS: case TRI_TOKEN_PLUS:
    case TRI_TOKEN_MINUS: case TRI_TOKEN_TILDE:
        return true;
    default:
        return false;
    }
}

/* ---- binary operators ---- */

static const struct {
    uint8_t precedence; /* 1: |  2: ^  3: &  4: shifts  5: + -  6: * / // % @ */
    uint8_t op;
} binary_ops[TRI_TOKEN_COUNT] = {
    [TRI_TOKEN_PIPE] = {1, TRI_AST_BIT_OR_OP},  [TRI_TOKEN_CARET] = {2, TRI_AST_BIT_XOR_OP},
    [TRI_TOKEN_AMP] = {3, TRI_AST_BIT_AND_OP},  [TRI_TOKEN_SHL] = {4, TRI_AST_SHL_OP},
    [TRI_TOKEN_SHR] = {4, TRI_AST_SHR_OP},      [TRI_TOKEN_PLUS] = {5, TRI_AST_ADD_OP},
    [TRI_TOKEN_MINUS] = {5, TRI_AST_SUB_OP},    [TRI_TOKEN_STAR] = {6, TRI_AST_MUL_OP},
    [TRI_TOKEN_SLASH] = {6, TRI_AST_DIV_OP},    [TRI_TOKEN_DSLASH] = {6, TRI_AST_FLOOR_DIV_OP},
    [TRI_TOKEN_PERCENT] = {6, TRI_AST_MOD_OP},  [TRI_TOKEN_AT] = {6, TRI_AST_MATMUL_OP},
};

static tri_ast_node *parse_factor(tri_parser *p);

static tri_ast_node *make_binary(tri_parser *p, tri_ast_op op, uint32_t begin, tri_ast_node *left, tri_ast_node *right)
{
    tri_ast_node *node = tri_parser_node(p, TRI_AST_BINARY, begin);
    node->binary.op = op;
    node->binary.left = left;
    node->binary.right = right;
    return node;
}

static tri_ast_node *parse_power(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_ast_node *base = tri_parser_atom_primary(p);
    if (!tri_parser_accept(p, TRI_TOKEN_DSTAR))
        return base;
    uint32_t left = p->height;
    tri_parser_enter(p);
    tri_ast_node *exponent = parse_factor(p);
    tri_parser_exit(p);
    tri_parser_height_grow(p, left);
    return make_binary(p, TRI_AST_POW_OP, begin, base, exponent);
}

static tri_ast_node *parse_factor(tri_parser *p)
{
    const tri_token *t = tri_parser_token(p);
    tri_ast_op op;
    switch (t->kind) {
    case TRI_TOKEN_PLUS: op = TRI_AST_POS_OP; break;
    case TRI_TOKEN_MINUS: op = TRI_AST_NEG_OP; break;
    case TRI_TOKEN_TILDE: op = TRI_AST_INVERT_OP; break;
    default: return parse_power(p);
    }
    uint32_t begin = t->begin;
    tri_parser_advance(p);
    t = tri_parser_token(p);
    bool is_doubled = p->at >= 2 && op != TRI_AST_INVERT_OP && t->kind == TRI_TOKEN_NEWLINE &&
                      p->lexer.tokens.at[p->at - 2].kind == p->lexer.tokens.at[p->at - 1].kind;
    if (is_doubled) {
        tri_span at = {p->source, begin - 1, p->prev_end};
        char sign = op == TRI_AST_POS_OP ? '+' : '-';
        tri_parser_error(p, 2001, at, "Python has no '%c%c'; write '%c= 1'", sign, sign, sign);
        tri_diag_fix(p->diag, at, " %c= 1", sign);
        tri_parser_leave(p);
    }
    tri_parser_enter(p);
    tri_ast_node *operand = parse_factor(p);
    tri_parser_exit(p);
    tri_parser_height_grow(p, 0);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_UNARY, begin);
    node->unary.op = op;
    node->unary.operand = operand;
    return node;
}

/* Operators of at least `precedence`, left to right. */
static tri_ast_node *parse_binary(tri_parser *p, unsigned precedence)
{
    uint32_t outer = tri_parser_height_begin(p);
    uint32_t begin = tri_parser_token(p)->begin;
    tri_ast_node *left = parse_factor(p);
    for (;;) {
        tri_token_kind kind = tri_parser_kind(p);
        unsigned found = binary_ops[kind].precedence;
        if (found < precedence || found == 0)
            break;
        tri_parser_advance(p);
        uint32_t height = p->height;
        p->height = 0;
        tri_ast_node *right = parse_binary(p, found + 1);
        tri_parser_height_grow(p, height);
        left = make_binary(p, (tri_ast_op)binary_ops[kind].op, begin, left, right);
    }
    tri_parser_height_end(p, outer);
    return left;
}

tri_ast_node *tri_parser_expr_sum(tri_parser *p)
{
    return parse_binary(p, 5);
}

tri_ast_node *tri_parser_expr_bit_or(tri_parser *p)
{
    return parse_binary(p, 1);
}

/* ---- comparisons, not, and, or ---- */

static bool accept_comparison(tri_parser *p, tri_ast_op *out_op)
{
    tri_token_kind kind = tri_parser_kind(p);
    switch (kind) {
    case TRI_TOKEN_EQ: *out_op = TRI_AST_EQ_OP; break;
    case TRI_TOKEN_NE: *out_op = TRI_AST_NE_OP; break;
    case TRI_TOKEN_LT: *out_op = TRI_AST_LT_OP; break;
    case TRI_TOKEN_LE: *out_op = TRI_AST_LE_OP; break;
    case TRI_TOKEN_GT: *out_op = TRI_AST_GT_OP; break;
    case TRI_TOKEN_GE: *out_op = TRI_AST_GE_OP; break;
    case TRI_TOKEN_IN: *out_op = TRI_AST_IN_OP; break;
    case TRI_TOKEN_IS:
        tri_parser_advance(p);
        *out_op = tri_parser_accept(p, TRI_TOKEN_NOT) ? TRI_AST_IS_NOT_OP : TRI_AST_IS_OP;
        return true;
    case TRI_TOKEN_NOT:
        if (tri_parser_peek(p, 1) != TRI_TOKEN_IN)
            return false;
        tri_parser_advance(p);
        *out_op = TRI_AST_NOT_IN_OP;
        break;
    default: return false;
    }
    tri_parser_advance(p);
    return true;
}

static tri_ast_node *parse_comparison(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_ast_node *left = parse_binary(p, 1);
    tri_ast_op op;
    if (!accept_comparison(p, &op))
        return left;
    TRI_VEC(tri_ast_op) ops = {0};
    size_t mark = p->scratch.len;
    do {
        tri_vec_push(p->arena, &ops, op);
        tri_parser_push(p, parse_binary(p, 1));
    } while (accept_comparison(p, &op));
    tri_ast_list rights = tri_parser_take(p, mark);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_COMPARE, begin);
    node->compare.left = left;
    node->compare.ops = ops.at;
    node->compare.rights = rights;
    return node;
}

static tri_ast_node *parse_inversion(tri_parser *p)
{
    const tri_token *t = tri_parser_token(p);
    if (t->kind != TRI_TOKEN_NOT)
        return parse_comparison(p);
    uint32_t begin = t->begin;
    tri_parser_advance(p);
    tri_parser_enter(p);
    tri_ast_node *operand = parse_inversion(p);
    tri_parser_exit(p);
    tri_parser_height_grow(p, 0);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_UNARY, begin);
    node->unary.op = TRI_AST_NOT_OP;
    node->unary.operand = operand;
    return node;
}

static tri_ast_node *parse_boolean(tri_parser *p, tri_token_kind kind)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_ast_node *first = kind == TRI_TOKEN_OR ? parse_boolean(p, TRI_TOKEN_AND) : parse_inversion(p);
    if (tri_parser_kind(p) != kind)
        return first;
    size_t mark = p->scratch.len;
    tri_parser_push(p, first);
    while (tri_parser_accept(p, kind))
        tri_parser_push(p, kind == TRI_TOKEN_OR ? parse_boolean(p, TRI_TOKEN_AND) : parse_inversion(p));
    tri_ast_list values = tri_parser_take(p, mark);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_BOOL, begin);
    node->boolean.op = kind == TRI_TOKEN_OR ? TRI_AST_OR_OP : TRI_AST_AND_OP;
    node->boolean.values = values;
    return node;
}

static tri_ast_node *parse_disjunction(tri_parser *p)
{
    return parse_boolean(p, TRI_TOKEN_OR);
}

/* ---- conditional, lambda, walrus, lists ---- */

static tri_ast_node *parse_lambda(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_parser_advance(p);
    tri_ast_list params = tri_parser_target_params(p, TRI_TOKEN_COLON, begin);
    if (!tri_parser_accept(p, TRI_TOKEN_COLON) && !tri_parser_accept(p, TRI_TOKEN_FIELD_SPEC))
        tri_parser_fail_expected(p, 2013, "':' after the lambda's parameters");
    tri_parser_context outer = p->context;
    p->context = (tri_parser_context){.in_function = true};
    tri_ast_node *body = tri_parser_expr_test(p);
    p->context = outer;
    tri_ast_node *node = tri_parser_node(p, TRI_AST_LAMBDA, begin);
    node->lambda.params = params;
    node->lambda.body = body;
    return node;
}

tri_ast_node *tri_parser_expr_test(tri_parser *p)
{
    tri_parser_enter(p);
    uint32_t outer = tri_parser_height_begin(p);
    tri_ast_node *node;
    uint32_t begin = tri_parser_token(p)->begin;
    if (tri_parser_kind(p) == TRI_TOKEN_LAMBDA) {
        node = parse_lambda(p);
    } else {
        node = parse_disjunction(p);
        if (tri_parser_accept(p, TRI_TOKEN_IF)) {
            tri_ast_node *then = node;
            tri_ast_node *test = parse_disjunction(p);
            if (tri_parser_kind(p) != TRI_TOKEN_ELSE)
                tri_parser_fail_expected(p, 2001, "'else' of the conditional expression");
            tri_parser_advance(p);
            tri_ast_node *orelse = tri_parser_expr_test(p);
            node = tri_parser_node(p, TRI_AST_CONDITIONAL, begin);
            node->conditional.test = test;
            node->conditional.then = then;
            node->conditional.orelse = orelse;
        }
    }
    tri_parser_height_grow(p, 0);
    tri_parser_height_end(p, outer);
    tri_parser_exit(p);
    return node;
}

tri_ast_node *tri_parser_expr_named(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_ast_node *target = tri_parser_expr_test(p);
    if (tri_parser_kind(p) != TRI_TOKEN_WALRUS)
        return target;
    if (target->kind != TRI_AST_NAME || target->parenthesized)
        tri_parser_fail(p, 2014, target->span, "':=' assigns to a name, not to %s %s",
                        tri_parser_target_article(target), tri_parser_target_describe(target));
    tri_parser_advance(p);
    tri_ast_node *value = tri_parser_expr_test(p);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_WALRUS, begin);
    node->assign_to.target = target;
    node->assign_to.value = value;
    return node;
}

static tri_ast_node *parse_star(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_parser_advance(p);
    tri_ast_node *value = tri_parser_expr_bit_or(p);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_STARRED, begin);
    node->value = value;
    return node;
}

tri_ast_node *tri_parser_expr_star_named(tri_parser *p)
{
    return tri_parser_kind(p) == TRI_TOKEN_STAR ? parse_star(p) : tri_parser_expr_named(p);
}

static tri_ast_node *star_or_test(tri_parser *p)
{
    return tri_parser_kind(p) == TRI_TOKEN_STAR ? parse_star(p) : tri_parser_expr_test(p);
}

/* The rest of `first, ...` as a TUPLE; `first` itself when no comma follows. */
static tri_ast_node *parse_tuple_rest(tri_parser *p, uint32_t begin, tri_ast_node *first,
                                      tri_ast_node *(*item)(tri_parser *))
{
    if (tri_parser_kind(p) != TRI_TOKEN_COMMA)
        return first;
    size_t mark = p->scratch.len;
    tri_parser_push(p, first);
    while (tri_parser_accept(p, TRI_TOKEN_COMMA)) {
        tri_token_kind kind = tri_parser_kind(p);
        if (kind != TRI_TOKEN_STAR && !tri_parser_expr_can_start(kind))
            break;
        tri_parser_push(p, item(p));
    }
    tri_ast_list list = tri_parser_take(p, mark);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_TUPLE, begin);
    node->list = list;
    return node;
}

tri_ast_node *tri_parser_expr_list(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_ast_node *node = parse_tuple_rest(p, begin, star_or_test(p), star_or_test);
    if (node->kind == TRI_AST_STARRED)
        tri_parser_fail(p, 2014, node->span, "a starred expression cannot stand alone; write '(*x,)' for a tuple");
    return node;
}

tri_ast_node *tri_parser_expr_yield(tri_parser *p)
{
    const tri_token *t = tri_parser_token(p);
    uint32_t begin = t->begin;
    if (!p->context.in_function)
        tri_parser_error(p, 2021, tri_parser_token_span(p, t), "'yield' outside function");
    tri_parser_advance(p);
    tri_ast_kind kind = TRI_AST_YIELD;
    tri_ast_node *value = NULL;
    if (tri_parser_accept(p, TRI_TOKEN_FROM)) {
        kind = TRI_AST_YIELD_FROM;
        value = tri_parser_expr_test(p);
    } else if (tri_parser_expr_can_start(tri_parser_kind(p)) || tri_parser_kind(p) == TRI_TOKEN_STAR) {
        value = tri_parser_expr_list(p);
    }
    tri_ast_node *node = tri_parser_node(p, kind, begin);
    node->value = value;
    return node;
}

tri_ast_node *tri_parser_expr_value(tri_parser *p)
{
    return tri_parser_kind(p) == TRI_TOKEN_YIELD ? tri_parser_expr_yield(p) : tri_parser_expr_list(p);
}

static tri_ast_node *parse_target(tri_parser *p)
{
    return tri_parser_kind(p) == TRI_TOKEN_STAR ? parse_star(p) : tri_parser_expr_bit_or(p);
}

tri_ast_node *tri_parser_expr_targets(tri_parser *p)
{
    uint32_t begin = tri_parser_token(p)->begin;
    tri_ast_node *node = parse_tuple_rest(p, begin, parse_target(p), parse_target);
    tri_parser_target_check(p, node, "assign to");
    return node;
}

tri_ast_list tri_parser_expr_clauses(tri_parser *p)
{
    size_t mark = p->scratch.len;
    for (;;) {
        uint32_t begin = tri_parser_token(p)->begin;
        bool is_async = tri_parser_kind(p) == TRI_TOKEN_ASYNC;
        if (tri_parser_peek(p, is_async) != TRI_TOKEN_FOR)
            break;
        if (is_async)
            tri_parser_advance(p);
        tri_parser_advance(p);
        tri_ast_node *target = tri_parser_expr_targets(p);
        tri_parser_expect(p, TRI_TOKEN_IN, "after the targets of 'for'");
        tri_ast_node *iter = parse_disjunction(p);
        size_t ifs_mark = p->scratch.len;
        while (tri_parser_accept(p, TRI_TOKEN_IF))
            tri_parser_push(p, parse_disjunction(p));
        tri_ast_list ifs = tri_parser_take(p, ifs_mark);
        tri_ast_node *node = tri_parser_node(p, TRI_AST_FOR_CLAUSE, begin);
        node->for_clause.target = target;
        node->for_clause.iter = iter;
        node->for_clause.ifs = ifs;
        node->for_clause.is_async = is_async;
        tri_parser_push(p, node);
    }
    return tri_parser_take(p, mark);
}
