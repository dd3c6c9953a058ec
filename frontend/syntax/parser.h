/* Shared by the files of the parser. Private to frontend/parser*.c. */
#ifndef TRI_FRONTEND_PARSER_H
#define TRI_FRONTEND_PARSER_H

#include "frontend/syntax/ast.h"
#include "frontend/syntax/token.h"

#include <setjmp.h>

enum {
    TRI_PARSER_MAX_DEPTH = 400,   /* recursion */
    TRI_PARSER_MAX_HEIGHT = 1000, /* of the tree: chains such as a + b + ... and x.y.z... */
    TRI_PARSER_MAX_ERRORS = 50,
    TRI_PARSER_MAX_RATIO = 7,        /* bytes of the tree for each of the file, which is held once more ... */
    TRI_PARSER_MAX_ROOM = 96 << 20,  /* ... or this, if it is more */
};

/* Where statements stand: decides what `return`, `break`, `await` mean. */
typedef struct {
    bool in_function, in_async, in_loop, in_class;
} tri_parser_context;

typedef struct {
    tri_arena *arena;
    tri_diag *diag;
    const tri_source *source;
    tri_lexer lexer;
    size_t at;         /* current token */
    size_t dropped;    /* tokens of statements before, which are there no more */
    size_t most_bytes; /* that the arena may have given when the file has been read */
    uint32_t prev_end; /* end of the last token that has text */
    uint32_t depth, height;
    size_t error_count;
    bool is_resynced; /* after an error: the current token begins a statement */
    bool is_full;     /* gave up after TRI_PARSER_MAX_ERRORS */
    bool defers;      /* bodies of functions are left for later */
    uint32_t stray_await; /* 1 + where `await` stands outside an async function in this statement; 0: nowhere */
    tri_parser_context context;
    jmp_buf *recover; /* of the innermost statement being parsed */
    TRI_VEC(tri_ast_node *) scratch; /* list items under construction */
    TRI_VEC(tri_str) globals; /* that bodies name which were left for later */
} tri_parser;

/* parser.c: begins at the file's first line; false from `end`: there were errors */
void tri_parser_start(tri_parser *p, tri_arena *arena, tri_diag *diag, const tri_source *source);
bool tri_parser_end(tri_parser *p);

/* parser.c: tokens */
static inline const tri_token *tri_parser_token(tri_parser *p)
{
    if (__builtin_expect(p->at >= p->lexer.tokens.len, 0))
        tri_lexer_next_line(&p->lexer);
    return &p->lexer.tokens.at[p->at];
}
static inline tri_token_kind tri_parser_kind(tri_parser *p) { return (tri_token_kind)tri_parser_token(p)->kind; }
/* The kind `ahead` tokens further, without leaving the logical line (NEWLINE there). */
tri_token_kind tri_parser_peek(tri_parser *p, size_t ahead);
static inline void tri_parser_advance(tri_parser *p)
{
    const tri_token *t = tri_parser_token(p);
    if (t->kind > TRI_TOKEN_DEDENT) /* a block ends with its last word, not with the next line */
        p->prev_end = t->end;
    p->at++;
}
static inline bool tri_parser_accept(tri_parser *p, tri_token_kind kind)
{
    if (tri_parser_kind(p) != kind)
        return false;
    tri_parser_advance(p);
    return true;
}
/* Fails with "expected 'x' `where`, got ..." when the next token is another; returns where it begins. */
uint32_t tri_parser_expect(tri_parser *p, tri_token_kind kind, const char *where);
tri_str tri_parser_expect_name(tri_parser *p, const char *what);
/* Expects the closer of a bracket opened at `open`; the message has a note there. */
void tri_parser_expect_close(tri_parser *p, tri_token_kind kind, uint32_t open, const char *expected);
bool tri_parser_is_word(tri_parser *p, const char *soft_keyword);
tri_str tri_parser_text(tri_parser *p, const tri_token *token);
static inline tri_span tri_parser_span(tri_parser *p, uint32_t begin)
{
    return (tri_span){p->source, begin, p->prev_end};
}
static inline tri_span tri_parser_token_span(tri_parser *p, const tri_token *t)
{
    return (tri_span){p->source, t->begin, t->end};
}

/* parser.c: reports. `fail` also leaves the statement. */
void tri_parser_error(tri_parser *p, int code, tri_span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void tri_parser_fail(tri_parser *p, int code, tri_span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "expected WHAT, got ..." at the current token; lexical errors and unclosed brackets come first. */
_Noreturn void tri_parser_fail_expected(tri_parser *p, int code, const char *what);
/* Reports a lexical error or unclosed bracket at the current token and leaves; returns when there is none. */
void tri_parser_check_token(tri_parser *p);
_Noreturn void tri_parser_leave(tri_parser *p);

/* parser.c: nodes and lists */
tri_ast_node *tri_parser_node(tri_parser *p, tri_ast_kind kind, uint32_t begin); /* ends at prev_end */
tri_ast_list tri_parser_take(tri_parser *p, size_t mark); /* the scratch items from `mark` on */
static inline void tri_parser_push(tri_parser *p, tri_ast_node *node) { tri_vec_push(p->arena, &p->scratch, node); }
void tri_parser_enter(tri_parser *p); /* one level of recursion; fails when it is too deep */
static inline void tri_parser_exit(tri_parser *p) { p->depth--; }
/* Heights: `begin` starts a subtree, `grow` puts a node over what was built since, `end` joins it to its siblings. */
static inline uint32_t tri_parser_height_begin(tri_parser *p)
{
    uint32_t outer = p->height;
    p->height = 0;
    return outer;
}
static inline void tri_parser_height_end(tri_parser *p, uint32_t outer)
{
    p->height = p->height > outer ? p->height : outer;
}
void tri_parser_height_grow(tri_parser *p, uint32_t left);

/* parser_expr.c */
bool tri_parser_expr_can_start(tri_token_kind kind);
tri_ast_node *tri_parser_expr_test(tri_parser *p);      /* no walrus, no star, no yield */
tri_ast_node *tri_parser_expr_named(tri_parser *p);     /* walrus too */
tri_ast_node *tri_parser_expr_star_named(tri_parser *p); /* *x too */
tri_ast_node *tri_parser_expr_bit_or(tri_parser *p);
tri_ast_node *tri_parser_expr_sum(tri_parser *p); /* binds tighter than a pattern's '|' */
tri_ast_node *tri_parser_expr_list(tri_parser *p);  /* a, *b: a TUPLE when there is a comma */
tri_ast_node *tri_parser_expr_value(tri_parser *p); /* list, or yield */
tri_ast_node *tri_parser_expr_targets(tri_parser *p); /* of for: checked for assignment */
tri_ast_node *tri_parser_expr_yield(tri_parser *p);
tri_ast_list tri_parser_expr_clauses(tri_parser *p); /* for ... if ... of a comprehension */

/* parser_atom.c: atoms and what follows them */
tri_ast_node *tri_parser_atom_primary(tri_parser *p);
/* Arguments up to ')' whose '(' is consumed. */
void tri_parser_atom_arguments(tri_parser *p, uint32_t open, tri_ast_list *out_args, tri_ast_list *out_keywords);

/* parser_string.c */
tri_ast_node *tri_parser_string_literals(tri_parser *p); /* adjacent strings and f-strings */

/* parser_target.c */
/* Fails when `node` cannot be assigned to. `verb`: "assign to", "delete". */
void tri_parser_target_check(tri_parser *p, tri_ast_node *node, const char *verb);
void tri_parser_target_check_single(tri_parser *p, tri_ast_node *node, const char *what);
const char *tri_parser_target_describe(const tri_ast_node *node); /* "function call" */
const char *tri_parser_target_article(const tri_ast_node *node);  /* "a" or "an" before that */
/* Parameters up to `end` (')' or ':' of a lambda). */
tri_ast_list tri_parser_target_params(tri_parser *p, tri_token_kind end, uint32_t open);
tri_ast_list tri_parser_target_type_params(tri_parser *p);

/* parser_pattern.c: after the word `match` was recognised */
tri_ast_node *tri_parser_pattern_match(tri_parser *p, uint32_t begin);
bool tri_parser_pattern_is_match(tri_parser *p);

/* parser_block.c: compound statements; null when the current token begins none */
tri_ast_node *tri_parser_block_statement(tri_parser *p);
/* ':' and the block. `what` names the statement: "'if' statement"; `begin` is where it starts. */
tri_ast_list tri_parser_block_body(tri_parser *p, const char *what, uint32_t begin);

/* parser_defer.c: at the ':' of a function that begins at `begin`: goes over its body and says where that begins.
 * False: it is to be read now. */
bool tri_parser_defer_body(tri_parser *p, uint32_t begin, uint32_t *out_at);

/* parser_stmt.c */
void tri_parser_stmt_simple_line(tri_parser *p); /* `a; b` NEWLINE, pushed on scratch */
/* parser.c */
void tri_parser_check_await(tri_parser *p);
/* Reports tabs and unindents that match nothing; the line itself may be fine. */
void tri_parser_skip_indentation_errors(tri_parser *p);
/* Runs `parse`; after an error in it, skips the rest of its statement. */
void tri_parser_guard(tri_parser *p, void (*parse)(tri_parser *p));
void tri_parser_statements(tri_parser *p,
                           tri_token_kind end); /* pushed on scratch; `end` is consumed unless it is END */

#endif
