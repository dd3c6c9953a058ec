/* Tokens of Python source, made one logical line at a time. */
#ifndef TRI_FRONTEND_TOKEN_H
#define TRI_FRONTEND_TOKEN_H

#include "base/diag.h"
#include "base/vec.h"

/* X(KIND, "spelling") */
#define TRI_TOKEN_KEYWORDS(X) \
    X(FALSE, "False") X(NONE, "None") X(TRUE, "True") X(AND, "and") X(AS, "as") X(ASSERT, "assert") \
    X(ASYNC, "async") X(AWAIT, "await") X(BREAK, "break") X(CLASS, "class") X(CONTINUE, "continue") \
    X(DEF, "def") X(DEL, "del") X(ELIF, "elif") X(ELSE, "else") X(EXCEPT, "except") X(FINALLY, "finally") \
    X(FOR, "for") X(FROM, "from") X(GLOBAL, "global") X(IF, "if") X(IMPORT, "import") X(IN, "in") X(IS, "is") \
    X(LAMBDA, "lambda") X(NONLOCAL, "nonlocal") X(NOT, "not") X(OR, "or") X(PASS, "pass") X(RAISE, "raise") \
    X(RETURN, "return") X(TRY, "try") X(WHILE, "while") X(WITH, "with") X(YIELD, "yield")

#define TRI_TOKEN_OPERATORS(X) \
    X(LPAREN, "(") X(RPAREN, ")") X(LBRACKET, "[") X(RBRACKET, "]") X(LBRACE, "{") X(RBRACE, "}") X(COMMA, ",") \
    X(COLON, ":") X(SEMICOLON, ";") X(DOT, ".") X(ELLIPSIS, "...") X(ARROW, "->") X(WALRUS, ":=") X(ASSIGN, "=") \
    X(PLUS, "+") X(MINUS, "-") X(STAR, "*") X(SLASH, "/") X(DSLASH, "//") X(PERCENT, "%") X(DSTAR, "**") X(AT, "@") \
    X(SHL, "<<") X(SHR, ">>") X(AMP, "&") X(PIPE, "|") X(CARET, "^") X(TILDE, "~") X(EQ, "==") X(NE, "!=") \
    X(LT, "<") X(LE, "<=") X(GT, ">") X(GE, ">=") \
    X(PLUS_ASSIGN, "+=") X(MINUS_ASSIGN, "-=") X(STAR_ASSIGN, "*=") X(SLASH_ASSIGN, "/=") X(DSLASH_ASSIGN, "//=") \
    X(PERCENT_ASSIGN, "%=") X(DSTAR_ASSIGN, "**=") X(AT_ASSIGN, "@=") X(SHL_ASSIGN, "<<=") X(SHR_ASSIGN, ">>=") \
    X(AMP_ASSIGN, "&=") X(PIPE_ASSIGN, "|=") X(CARET_ASSIGN, "^=")

typedef enum {
    TRI_TOKEN_END,
    TRI_TOKEN_NEWLINE,
    TRI_TOKEN_INDENT,
    TRI_TOKEN_DEDENT,
    TRI_TOKEN_NAME,
    TRI_TOKEN_NUMBER,
    TRI_TOKEN_STRING,       /* a whole literal with prefix and quotes */
    TRI_TOKEN_FSTRING_START, /* prefix and opening quotes */
    TRI_TOKEN_FSTRING_MIDDLE,
    TRI_TOKEN_FSTRING_END,
    TRI_TOKEN_FIELD_OPEN,  /* { of a replacement field */
    TRI_TOKEN_FIELD_CLOSE, /* } */
    TRI_TOKEN_FIELD_CONVERSION, /* ! */
    TRI_TOKEN_FIELD_SPEC,  /* : */
    TRI_TOKEN_ERROR,       /* `error` is an index into the lexer's errors */
    TRI_TOKEN_UNCLOSED,    /* the file, or what can only be the next statement, came inside a bracket */
#define X(kind, text) TRI_TOKEN_##kind,
    TRI_TOKEN_KEYWORDS(X) TRI_TOKEN_OPERATORS(X)
#undef X
    TRI_TOKEN_COUNT
} tri_token_kind;

typedef struct {
    uint8_t kind;
    bool is_first; /* nothing but blanks before it on its line */
    uint16_t error;
    uint32_t begin, end;
} tri_token;

/* An error found in the text, reported by the parser when it gets there. */
typedef struct {
    int code;
    tri_span at;
    tri_str text;
    tri_span note_at;
    tri_str note;    /* empty: none */
    const char *fix; /* what should stand at `at`; null: not known */
} tri_lexer_error;

enum {
    TRI_LEXER_MAX_BRACKETS = 200,
    TRI_LEXER_MAX_INDENTS = 100,
    TRI_LEXER_MAX_FSTRINGS = 50,
    TRI_LEXER_MAX_TOKENS = 1 << 21, /* of a logical line */
};

typedef struct {
    uint32_t at;
    char open;     /* ( [ { */
    bool is_field; /* { of an f-string's replacement field */
    bool in_spec;  /* after its colon */
} tri_lexer_bracket;

typedef struct {
    uint32_t at;   /* of the prefix */
    uint32_t base; /* brackets open outside it */
    char quote;
    bool is_triple, is_raw;
} tri_lexer_fstring;

typedef struct {
    tri_arena *arena;
    const tri_source *source;
    const char *text; /* NUL-terminated */
    uint32_t pos, len;
    bool at_line_start; /* indentation comes next */
    bool is_first;      /* no token on this line yet */
    TRI_VEC(tri_token) tokens;
    TRI_VEC(tri_lexer_error) errors;
    uint32_t unclosed; /* where the bracket of the last UNCLOSED token was opened */
    uint32_t indent_count, bracket_count, fstring_count;
    uint32_t indents[TRI_LEXER_MAX_INDENTS + 1];     /* with tab stops of 8 */
    uint32_t alt_indents[TRI_LEXER_MAX_INDENTS + 1]; /* with tab stops of 1 */
    tri_lexer_bracket brackets[TRI_LEXER_MAX_BRACKETS];
    tri_lexer_fstring fstrings[TRI_LEXER_MAX_FSTRINGS];
} tri_lexer;

void tri_lexer_init(tri_lexer *lexer, tri_arena *arena, const tri_source *source);
/* Appends the tokens of the next logical line (NEWLINE, UNCLOSED or END is the last of them). */
void tri_lexer_next_line(tri_lexer *lexer);
/* Drops tokens from index `count` on and starts again at the line start `pos`, with no bracket open. */
void tri_lexer_restart(tri_lexer *lexer, uint32_t pos, size_t count);

/* "'+'", "name", "end of file": for messages. */
const char *tri_lexer_kind_text(tri_token_kind kind);

/* May the code point begin, or continue, an identifier? (frontend/syntax/unicode.c) */
bool tri_unicode_is_start(uint32_t c);
bool tri_unicode_is_continue(uint32_t c);
/* Decodes one UTF-8 sequence of [s, end); returns its length, 0 when it is malformed. */
unsigned tri_unicode_decode(const char *s, const char *end, uint32_t *out_c);
/* Appends UTF-8; surrogates get their 3 bytes. */
void tri_unicode_encode(tri_buf *out, uint32_t c);

#endif
