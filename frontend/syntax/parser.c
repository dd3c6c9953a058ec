#include "frontend/syntax/parser.h"

#include <stdio.h>

/* ---- tokens ---- */

tri_token_kind tri_parser_peek(tri_parser *p, size_t ahead)
{
    tri_parser_token(p);
    return p->at + ahead < p->lexer.tokens.len ? (tri_token_kind)p->lexer.tokens.at[p->at + ahead].kind
                                               : TRI_TOKEN_NEWLINE;
}

tri_str tri_parser_text(tri_parser *p, const tri_token *token)
{
    return tri_str_sub(p->source->text, token->begin, token->end);
}

bool tri_parser_is_word(tri_parser *p, const char *soft_keyword)
{
    const tri_token *t = tri_parser_token(p);
    return t->kind == TRI_TOKEN_NAME && tri_str_is(tri_parser_text(p, t), soft_keyword);
}

uint32_t tri_parser_expect(tri_parser *p, tri_token_kind kind, const char *where)
{
    if (tri_parser_kind(p) != kind) {
        char what[96];
        snprintf(what, sizeof what, "%s%s%s", tri_lexer_kind_text(kind), *where ? " " : "", where);
        tri_parser_fail_expected(p, 2001, what);
    }
    uint32_t begin = tri_parser_token(p)->begin;
    tri_parser_advance(p);
    return begin;
}

tri_str tri_parser_expect_name(tri_parser *p, const char *what)
{
    const tri_token *t = tri_parser_token(p);
    if (t->kind != TRI_TOKEN_NAME)
        tri_parser_fail_expected(p, 2001, what);
    tri_str text = tri_parser_text(p, t);
    tri_parser_advance(p);
    return text;
}

void tri_parser_expect_close(tri_parser *p, tri_token_kind kind, uint32_t open, const char *expected)
{
    const tri_token *t = tri_parser_token(p);
    if (t->kind == kind) {
        tri_parser_advance(p);
        return;
    }
    tri_parser_check_token(p);
    tri_span at = tri_parser_token_span(p, t);
    tri_str text = tri_parser_text(p, t);
    bool is_missing_comma = tri_parser_expr_can_start((tri_token_kind)t->kind) && t->kind != TRI_TOKEN_NOT;
    if (t->kind == TRI_TOKEN_ASSIGN) {
        tri_parser_error(p, 2023, at, "'=' is no operator here; write '==' to compare");
        tri_diag_fix(p->diag, at, "==");
    } else if (is_missing_comma)
        tri_parser_error(p, 2015, at, "expected %s before '%.*s'; is a comma missing?", expected, TRI_STR_ARG(text));
    else
        tri_parser_error(p, 2001, at, "expected %s, got %s", expected, tri_lexer_kind_text((tri_token_kind)t->kind));
    uint32_t line, open_line, column;
    tri_source_position(p->source, t->begin, &line, &column);
    tri_source_position(p->source, open, &open_line, &column);
    if (line != open_line)
        tri_diag_note(p->diag, (tri_span){p->source, open, open + 1}, "'%c' was opened here",
                      p->source->text.data[open]);
    tri_parser_leave(p);
}

/* ---- reports ---- */

static void count_error(tri_parser *p)
{
    if (++p->error_count >= TRI_PARSER_MAX_ERRORS)
        p->is_full = true;
}

void tri_parser_error(tri_parser *p, int code, tri_span at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_str text = tri_str_vformat(p->arena, format, args);
    va_end(args);
    tri_diag_error(p->diag, at, code, "%.*s", TRI_STR_ARG(text));
    count_error(p);
}

_Noreturn void tri_parser_leave(tri_parser *p)
{
    longjmp(*p->recover, 1);
}

_Noreturn void tri_parser_fail(tri_parser *p, int code, tri_span at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_str text = tri_str_vformat(p->arena, format, args);
    va_end(args);
    tri_parser_error(p, code, at, "%.*s", TRI_STR_ARG(text));
    tri_parser_leave(p);
}

static void report_lexical(tri_parser *p, const tri_token *t)
{
    const tri_lexer_error *error = &p->lexer.errors.at[t->error];
    tri_parser_error(p, error->code, error->at, "%.*s", TRI_STR_ARG(error->text));
    if (error->note.len)
        tri_diag_note(p->diag, error->note_at, "%.*s", TRI_STR_ARG(error->note));
    if (error->fix)
        tri_diag_fix(p->diag, error->at, "%s", error->fix);
}

/* The logical line that holds token `at` ended in an unclosed bracket, opened on an earlier line
 * than the token: then that bracket is the cause of whatever is wrong here. */
static bool is_after_unclosed(tri_parser *p, const tri_token *t)
{
    const tri_token *last = &tri_vec_last(&p->lexer.tokens);
    if (last->kind != TRI_TOKEN_UNCLOSED || t->begin < p->lexer.unclosed)
        return false;
    uint32_t line, open_line, column;
    tri_source_position(p->source, t->begin, &line, &column);
    tri_source_position(p->source, p->lexer.unclosed, &open_line, &column);
    return t == last || line > open_line;
}

/* Lexes again from the first line, at or after that of the current token, that is not indented deeper than
 * the statement: an unclosed bracket had swallowed it. */
static void restart_after_unclosed(tri_parser *p)
{
    const tri_token *t = tri_parser_token(p);
    uint32_t line, column;
    tri_source_position(p->source, t->begin, &line, &column);
    uint32_t line_start = p->source->line_starts[line - 1];
    while (p->at > 0 && p->lexer.tokens.at[p->at - 1].begin >= line_start && !p->lexer.tokens.at[p->at].is_first)
        p->at--;
    uint32_t indent = p->lexer.indents[p->lexer.indent_count - 1];
    for (; p->at < p->lexer.tokens.len; p->at++) {
        t = &p->lexer.tokens.at[p->at];
        tri_source_position(p->source, t->begin, &line, &column);
        if (t->kind != TRI_TOKEN_UNCLOSED && t->is_first && column - 1 <= indent && t->begin > p->lexer.unclosed) {
            tri_lexer_restart(&p->lexer, p->source->line_starts[line - 1], p->at);
            break;
        }
    }
    p->is_resynced = true;
}

/* Where the next line begins a statement of its own, the bracket was meant to end on its line. */
static void fix_unclosed(const tri_parser *p, const tri_token *t)
{
    uint32_t open = p->lexer.unclosed, line, open_line, column;
    char bracket = p->source->text.data[open];
    tri_source_position(p->source, open, &open_line, &column);
    tri_source_position(p->source, p->prev_end, &line, &column);
    bool is_alone = p->lexer.bracket_count <= 1; /* else each would need its closer, in order */
    if (t->is_first && is_alone && line == open_line && p->prev_end > open)
        tri_diag_fix(p->diag, (tri_span){p->source, p->prev_end, p->prev_end}, "%c",
                     bracket == '(' ? ')' : bracket == '[' ? ']' : '}');
}

void tri_parser_check_token(tri_parser *p)
{
    const tri_token *t = tri_parser_token(p);
    if (t->kind == TRI_TOKEN_ERROR) {
        report_lexical(p, t);
        p->at++; /* told once */
        tri_parser_leave(p);
    }
    if (!is_after_unclosed(p, t))
        return;
    uint32_t open = p->lexer.unclosed;
    tri_parser_error(p, 2003, (tri_span){p->source, open, open + 1}, "'%c' was never closed",
                     p->source->text.data[open]);
    fix_unclosed(p, t);
    if (t->begin < p->source->text.len)
        tri_diag_note(p->diag, tri_parser_token_span(p, t), "this cannot continue it");
    restart_after_unclosed(p);
    tri_parser_leave(p);
}

_Noreturn void tri_parser_fail_expected(tri_parser *p, int code, const char *what)
{
    tri_parser_check_token(p);
    const tri_token *t = tri_parser_token(p);
    tri_str text = tri_parser_text(p, t);
    tri_span at = tri_parser_token_span(p, t);
    switch (t->kind) {
    case TRI_TOKEN_NEWLINE: case TRI_TOKEN_END: case TRI_TOKEN_INDENT: case TRI_TOKEN_DEDENT:
        tri_parser_fail(p, code, (tri_span){p->source, p->prev_end, p->prev_end}, "expected %s, got %s", what,
                        tri_lexer_kind_text((tri_token_kind)t->kind));
    case TRI_TOKEN_NAME: case TRI_TOKEN_NUMBER:
        tri_parser_fail(p, code, at, "expected %s, got '%.*s'", what, TRI_STR_ARG(text));
    case TRI_TOKEN_STRING: case TRI_TOKEN_FSTRING_START:
        tri_parser_fail(p, code, at, "expected %s, got a string", what);
    default:
        if (t->kind >= TRI_TOKEN_FALSE && t->kind <= TRI_TOKEN_YIELD)
            tri_parser_fail(p, code, at, "expected %s, got the keyword '%.*s'", what, TRI_STR_ARG(text));
        tri_parser_fail(p, code, at, "expected %s, got %s", what, tri_lexer_kind_text((tri_token_kind)t->kind));
    }
}

/* ---- nodes ---- */

tri_ast_node *tri_parser_node(tri_parser *p, tri_ast_kind kind, uint32_t begin)
{
    if (tri_arena_used(p->arena) > p->most_bytes && !p->is_full) {
        p->is_full = true;
        tri_parser_fail(p, 2027, tri_parser_token_span(p, tri_parser_token(p)),
                        "the file takes more than %d times its size, and more than %d MB, to be read; split it, or "
                        "compute its tables outside the file",
                        TRI_PARSER_MAX_RATIO, TRI_PARSER_MAX_ROOM >> 20);
    }
    return tri_ast_new(p->arena, kind, tri_parser_span(p, begin));
}

tri_ast_list tri_parser_take(tri_parser *p, size_t mark)
{
    size_t n = p->scratch.len - mark;
    p->scratch.len = mark;
    if (n == 0)
        return (tri_ast_list){0};
    tri_ast_node **at = tri_arena_alloc_words(p->arena, n * sizeof *at);
    memcpy(at, p->scratch.at + mark, n * sizeof *at);
    return (tri_ast_list){at, (uint32_t)n};
}

void tri_parser_enter(tri_parser *p)
{
    if (++p->depth > TRI_PARSER_MAX_DEPTH)
        tri_parser_fail(p, 2018, tri_parser_token_span(p, tri_parser_token(p)),
                        "expression is nested too deep (at most %d levels)", TRI_PARSER_MAX_DEPTH);
}

void tri_parser_height_grow(tri_parser *p, uint32_t left)
{
    p->height = (p->height > left ? p->height : left) + 1;
    if (p->height > TRI_PARSER_MAX_HEIGHT)
        tri_parser_fail(p, 2018, tri_parser_token_span(p, tri_parser_token(p)),
                        "expression is too long: more than %d operators in a chain; split it", TRI_PARSER_MAX_HEIGHT);
}

/* ---- statements ---- */

/* Skips the rest of a broken statement: to the end of its logical line, and its block if it has one.
 * The statements of the block are parsed for their own errors and dropped. */
static void skip_statement(tri_parser *p, size_t first)
{
    size_t mark = p->scratch.len;
    if (!p->is_resynced) {
        tri_token_kind before =
            p->dropped + p->at > first ? (tri_token_kind)p->lexer.tokens.at[p->at - 1].kind : TRI_TOKEN_END;
        if (before == TRI_TOKEN_NEWLINE || before == TRI_TOKEN_DEDENT)
            return; /* the statement had ended: what it lacks should have stood here */
        tri_token_kind kind;
        do {
            kind = tri_parser_kind(p);
            if (kind == TRI_TOKEN_END)
                return;
            tri_parser_advance(p);
        } while (kind != TRI_TOKEN_NEWLINE && kind != TRI_TOKEN_UNCLOSED);
    }
    p->is_resynced = false;
    if (tri_parser_kind(p) == TRI_TOKEN_INDENT) {
        tri_parser_context outer = p->context;
        p->context = (tri_parser_context){true, true, true, true}; /* its header is unknown */
        tri_parser_advance(p);
        tri_parser_statements(p, TRI_TOKEN_DEDENT);
        p->context = outer;
    }
    p->scratch.len = mark;
}

void tri_parser_check_await(tri_parser *p)
{
    if (!p->stray_await)
        return;
    uint32_t begin = p->stray_await - 1;
    p->stray_await = 0;
    tri_parser_error(p, 2021, (tri_span){p->source, begin, begin + 5}, "'await' outside async function");
}

void tri_parser_skip_indentation_errors(tri_parser *p)
{
    for (;;) {
        const tri_token *t = tri_parser_token(p);
        int code = t->kind == TRI_TOKEN_ERROR ? p->lexer.errors.at[t->error].code : 0;
        if (code != 2009 && code != 2012)
            return;
        report_lexical(p, t);
        tri_parser_advance(p);
    }
}

static void parse_statement(tri_parser *p)
{
    tri_parser_skip_indentation_errors(p);
    const tri_token *t = tri_parser_token(p);
    if (t->kind == TRI_TOKEN_INDENT) {
        uint32_t end = t->end, begin = t->begin;
        tri_parser_error(p, 2011, (tri_span){p->source, begin, end}, "unexpected indentation");
        tri_parser_advance(p);
        tri_parser_statements(p, TRI_TOKEN_DEDENT);
        return;
    }
    tri_ast_node *compound = tri_parser_block_statement(p);
    if (compound)
        tri_parser_push(p, compound);
    else
        tri_parser_stmt_simple_line(p);
}

/* Apart, so that no local of the caller is live across setjmp. */
void tri_parser_guard(tri_parser *p, void (*parse)(tri_parser *p))
{
    jmp_buf recover;
    jmp_buf *outer = p->recover;
    const tri_parser_context context = p->context;
    const uint32_t depth = p->depth;
    const size_t mark = p->scratch.len, first = p->dropped + p->at;
    p->recover = &recover;
    if (setjmp(recover) == 0) {
        parse(p);
        p->recover = outer;
        return;
    }
    p->recover = outer;
    p->stray_await = 0;
    p->context = context;
    p->depth = depth;
    p->scratch.len = mark;
    if (!p->is_full)
        skip_statement(p, first);
}

/* Between statements nobody looks back but to the last token. */
static void drop_tokens(tri_parser *p)
{
    size_t n = p->lexer.tokens.len;
    if (n < 2 || p->at < n)
        return;
    p->lexer.tokens.at[0] = p->lexer.tokens.at[n - 1];
    p->lexer.tokens.len = p->at = 1;
    p->dropped += n - 1;
}

void tri_parser_statements(tri_parser *p, tri_token_kind end)
{
    while (!p->is_full) {
        drop_tokens(p);
        tri_token_kind kind = tri_parser_kind(p);
        if (kind == end) {
            if (end != TRI_TOKEN_END)
                tri_parser_advance(p);
            return;
        }
        if (kind == TRI_TOKEN_END)
            return;
        if (kind == TRI_TOKEN_DEDENT) { /* left over from a block that was broken off */
            tri_parser_advance(p);
            continue;
        }
        tri_parser_guard(p, parse_statement);
    }
}

/* ---- the file ---- */

/* Does a comment line name an encoding other than UTF-8? */
static bool is_legacy_encoding(tri_str line)
{
    for (size_t i = 0; i + 6 < line.len; i++) {
        if (memcmp(line.data + i, "coding", 6) == 0 && (line.data[i + 6] == ':' || line.data[i + 6] == '=')) {
            tri_str name = tri_str_trim(tri_str_sub(line, i + 7, line.len));
            return !tri_str_has_prefix(name, "utf") && !tri_str_has_prefix(name, "UTF");
        }
    }
    return false;
}

/* Does one of the first two lines declare an encoding other than UTF-8? */
static bool declares_legacy(const tri_source *source)
{
    tri_str rest = source->text;
    for (int i = 0; i < 2 && rest.len; i++) {
        size_t end = tri_str_find(rest, '\n');
        tri_str line = tri_str_trim(tri_str_sub(rest, 0, end));
        if (line.len && line.data[0] == '#' && is_legacy_encoding(line))
            return true;
        rest = tri_str_sub(rest, end < rest.len ? end + 1 : end, rest.len);
    }
    return false;
}

/* Reports NUL bytes and what is not UTF-8. */
static bool check_text(tri_diag *diag, const tri_source *source)
{
    const char *begin = source->text.data, *end = begin + source->text.len;
    if (source->text.len >= UINT32_MAX / 2) {
        tri_diag_error(diag, (tri_span){source, 0, 0}, 2002, "the file is too large (at most 2 GiB)");
        return false;
    }
    for (const char *s = begin; s < end;) {
        uint64_t word;
        if (end - s >= 8 && (memcpy(&word, s, 8), !(word & 0x8080808080808080u)) &&
            !((word - 0x0101010101010101u) & ~word & 0x8080808080808080u)) {
            s += 8;
            continue;
        }
        uint32_t c;
        unsigned n = tri_unicode_decode(s, end, &c), at = (unsigned)(s - begin);
        if (n == 0) {
            tri_diag_error(diag, (tri_span){source, at, at + 1}, 2002,
                           declares_legacy(source)
                               ? "byte 0x%02x is not UTF-8, and the encoding that the file declares is not "
                                 "supported; save it as UTF-8"
                               : "byte 0x%02x is not UTF-8; save the file as UTF-8",
                           (unsigned char)*s);
            return false;
        }
        if (c == 0) {
            tri_diag_error(diag, (tri_span){source, at, at + 1}, 2002,
                           "the file holds a NUL byte: it is not Python source text");
            return false;
        }
        s += n;
    }
    return true;
}

void tri_parser_start(tri_parser *p, tri_arena *arena, tri_diag *diag, const tri_source *source)
{
    memset(p, 0, sizeof *p);
    p->arena = arena;
    p->diag = diag;
    p->source = source;
    size_t room = TRI_PARSER_MAX_RATIO * source->text.len;
    p->most_bytes = tri_arena_used(arena) + (room > TRI_PARSER_MAX_ROOM ? room : TRI_PARSER_MAX_ROOM);
    tri_lexer_init(&p->lexer, arena, source);
}

bool tri_parser_end(tri_parser *p)
{
    if (p->is_full && p->error_count >= TRI_PARSER_MAX_ERRORS)
        tri_diag_note(p->diag, TRI_NO_SPAN, "too many syntax errors in '%.*s'; the rest of the file was not read",
                      TRI_STR_ARG(p->source->name));
    return p->error_count == 0;
}

static tri_ast_module *parse(tri_arena *arena, tri_diag *diag, const tri_source *source, bool defers)
{
    if (!check_text(diag, source))
        return NULL;
    tri_parser state, *p = &state;
    tri_parser_start(p, arena, diag, source);
    p->defers = defers;
    tri_parser_statements(p, TRI_TOKEN_END);
    if (!tri_parser_end(p))
        return NULL;
    tri_ast_module *module = TRI_NEW(arena, tri_ast_module);
    module->source = source;
    module->body = tri_parser_take(p, 0);
    module->globals = p->globals.at;
    module->global_count = p->globals.len;
    return module;
}

tri_ast_module *tri_parser_parse(tri_arena *arena, tri_diag *diag, const tri_source *source)
{
    return parse(arena, diag, source, false);
}

tri_ast_module *tri_parser_parse_import(tri_arena *arena, tri_diag *diag, const tri_source *source)
{
    return parse(arena, diag, source, true);
}
