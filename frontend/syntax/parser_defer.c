/* Bodies of functions that are not read before somebody asks for them: a kernel calls few of the functions in the files
 * that its own imports, and decorators alone bring in thousands of lines of host code. */
#include "frontend/syntax/parser.h"

/* Goes over lines by the little that tells where they end. */
typedef struct {
    const char *text; /* NUL-terminated */
    uint32_t pos, len;
    uint32_t depth; /* brackets open */
    uint32_t end;   /* of what was met last but blanks, newlines and comments */
    tri_parser *parser;
} skipper;

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

/* Has the string whose quote is at `pos` an 'f' among the letters before it? */
static bool is_fstring(const skipper *s, uint32_t pos)
{
    bool is_f = false;
    for (; pos > 0 && is_word(s->text[pos - 1]); pos--)
        is_f |= s->text[pos - 1] == 'f' || s->text[pos - 1] == 'F';
    return is_f;
}

/* False: it has no end, or fields of an f-string may hold its own quotes. */
static bool skip_string(skipper *s)
{
    const char *text = s->text;
    const char quote = text[s->pos];
    bool is_f = is_fstring(s, s->pos), is_triple = text[s->pos + 1] == quote && text[s->pos + 2] == quote;
    uint32_t size = is_triple ? 3 : 1, opened = 0, closed = 0;
    for (s->pos += size; s->pos < s->len; s->pos++) {
        char c = text[s->pos];
        opened += c == '{', closed += c == '}';
        if (c == '\\') {
            s->pos++;
        } else if (c == quote && (!is_triple || (text[s->pos + 1] == quote && text[s->pos + 2] == quote))) {
            s->pos += size;
            return !is_f || opened == closed;
        } else if (!is_triple && c == '\n') {
            return false;
        }
    }
    return false;
}

/* One character, string or comment inside of a line. */
static bool skip_one(skipper *s)
{
    const char c = s->text[s->pos];
    switch (c) {
    case '(': case '[': case '{': s->depth++; break;
    case ')': case ']': case '}':
        if (s->depth-- == 0)
            return false;
        break;
    case '"': case '\'':
        if (!skip_string(s))
            return false;
        s->end = s->pos;
        return true;
    case '#': s->pos += (uint32_t)strcspn(s->text + s->pos, "\n"); return true;
    case ' ': case '\n': s->pos++; return true;
    case '\\':
        if (s->text[s->pos + 1] != '\n')
            return false;
        s->pos += 2;
        return true;
    case '\r': case '\t': case '\f': return false;
    default: break;
    }
    s->end = ++s->pos;
    return true;
}

/* Names behind `global` at `pos`, which are the module's; false: something else is there, too. */
static bool note_globals(skipper *s, uint32_t pos)
{
    do {
        uint32_t begin = pos += (uint32_t)strspn(s->text + pos, ", ");
        while (is_word(s->text[pos]))
            pos++;
        if (pos == begin)
            return false;
        tri_vec_push(s->parser->arena, &s->parser->globals, ((tri_str){s->text + begin, pos - begin}));
        pos += (uint32_t)strspn(s->text + pos, " ");
    } while (s->text[pos] == ',');
    return s->text[pos] == '\n' || s->text[pos] == '#';
}

/* Goes over all lines that are deeper than `column`. False: their end is not certain, or there is none of them. */
static bool skip_lines(skipper *s, uint32_t column)
{
    const uint32_t begin = s->end;
    while (s->pos < s->len) {
        uint32_t line = s->pos, first = line + (uint32_t)strspn(s->text + line, " ");
        char c = s->text[first];
        if (c != '\n' && c != '#' && first - line <= column && first < s->len) {
            s->pos = line;
            break;
        }
        if (strncmp(s->text + first, "global ", 7) == 0 && !note_globals(s, first + 7))
            return false;
        for (s->pos = first; s->pos < s->len && (s->depth || s->text[s->pos] != '\n');)
            if (!skip_one(s))
                return false;
        s->pos += s->pos < s->len;
    }
    return !s->depth && s->end > begin;
}

/* Of the line on which `pos` is the first word; UINT32_MAX: it is not, or tabs are before it. */
static uint32_t column_of(const tri_source *source, uint32_t pos)
{
    uint32_t begin = pos;
    while (begin > 0 && source->text.data[begin - 1] == ' ')
        begin--;
    return begin == 0 || source->text.data[begin - 1] == '\n' ? pos - begin : UINT32_MAX;
}

bool tri_parser_defer_body(tri_parser *p, uint32_t begin, uint32_t *out_at)
{
    tri_lexer *lx = &p->lexer;
    bool is_next = tri_parser_kind(p) == TRI_TOKEN_COLON && p->at + 2 == lx->tokens.len && lx->at_line_start &&
                   tri_parser_peek(p, 1) == TRI_TOKEN_NEWLINE;
    uint32_t column = column_of(p->source, begin), at = lx->pos;
    skipper s = {lx->text, lx->pos, lx->len, 0, lx->pos, p};
    if (!p->defers || !is_next || column == UINT32_MAX || !skip_lines(&s, column))
        return false;
    tri_parser_advance(p);
    tri_parser_check_await(p);
    tri_parser_advance(p);
    p->prev_end = s.end;
    lx->pos = s.pos;
    *out_at = at;
    return true;
}

void tri_parser_read_body(tri_arena *arena, tri_diag *diag, tri_ast_node *function)
{
    uint32_t at = function->function.deferred;
    function->function.deferred = 0;
    if (!at)
        return;
    tri_parser state, *p = &state;
    tri_parser_start(p, arena, diag, function->span.source);
    p->context = (tri_parser_context){.in_function = true, .in_async = function->function.is_async};
    p->lexer.pos = at;
    p->lexer.len = function->span.end;
    p->lexer.indents[0] = p->lexer.alt_indents[0] = column_of(p->source, function->span.begin);
    bool is_deeper = tri_parser_accept(p, TRI_TOKEN_INDENT);
    TRI_ASSERT(is_deeper);
    tri_parser_statements(p, TRI_TOKEN_DEDENT);
    if (tri_parser_end(p))
        function->function.body = tri_parser_take(p, 0);
}
