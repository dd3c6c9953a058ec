#include "frontend/syntax/token.h"

#include <stdio.h>

enum { CLASS_OTHER, CLASS_BLANK, CLASS_NAME, CLASS_DIGIT, CLASS_QUOTE };

static inline int class_of(char c)
{
    unsigned char u = (unsigned char)c;
    if ((u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || u == '_' || u >= 0x80)
        return CLASS_NAME;
    if (u >= '0' && u <= '9')
        return CLASS_DIGIT;
    if (u == ' ' || u == '\t' || u == '\f')
        return CLASS_BLANK;
    return u == '"' || u == '\'' ? CLASS_QUOTE : CLASS_OTHER;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_newline(char c)
{
    return c == '\n' || c == '\r';
}

void tri_lexer_init(tri_lexer *lx, tri_arena *arena, const tri_source *source)
{
    memset(lx, 0, offsetof(tri_lexer, indents));
    lx->arena = arena;
    lx->source = source;
    lx->text = source->text.data;
    lx->len = (uint32_t)source->text.len;
    lx->at_line_start = true;
    lx->is_first = true;
    lx->indents[0] = lx->alt_indents[0] = 0;
    lx->indent_count = 1;
    if (tri_str_has_prefix(source->text, "\xef\xbb\xbf"))
        lx->pos = 3;
    tri_vec_reserve(arena, &lx->tokens, source->text.len < 256 ? 16 : 64);
}

void tri_lexer_restart(tri_lexer *lx, uint32_t pos, size_t count)
{
    lx->pos = pos;
    lx->tokens.len = count;
    lx->bracket_count = lx->fstring_count = 0;
    lx->at_line_start = lx->is_first = true;
}

static void add(tri_lexer *lx, tri_token_kind kind, uint32_t begin, uint32_t end)
{
    tri_vec_push(lx->arena, &lx->tokens,
                 (tri_token){.kind = (uint8_t)kind, .is_first = lx->is_first, .begin = begin, .end = end});
    lx->is_first = false;
}

/* Adds an ERROR token over [begin, end); the lexer goes on at `resume`. */
__attribute__((format(printf, 6, 7))) static tri_lexer_error *
fail_token(tri_lexer *lx, int code, uint32_t begin, uint32_t end, uint32_t resume, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_lexer_error error = {.code = code, .at = {lx->source, begin, end}, .note_at = TRI_NO_SPAN};
    error.text = tri_str_vformat(lx->arena, format, args);
    va_end(args);
    if (lx->errors.len < UINT16_MAX)
        tri_vec_push(lx->arena, &lx->errors, error);
    add(lx, TRI_TOKEN_ERROR, begin, end);
    tri_vec_last(&lx->tokens).error = (uint16_t)(lx->errors.len - 1);
    lx->pos = resume;
    return &tri_vec_last(&lx->errors);
}

static uint32_t line_end(const tri_lexer *lx, uint32_t pos)
{
    while (pos < lx->len && !is_newline(lx->text[pos]))
        pos++;
    return pos;
}

/* After an error inside an f-string its quotes cannot be trusted: drop it and the rest of the line. */
static void abandon_fstrings(tri_lexer *lx)
{
    if (lx->fstring_count == 0)
        return;
    lx->bracket_count = lx->fstrings[0].base;
    lx->fstring_count = 0;
    lx->pos = line_end(lx, lx->pos);
}

/* ---- indentation ---- */

static uint32_t skip_newline(const tri_lexer *lx, uint32_t pos)
{
    return lx->text[pos] == '\r' && lx->text[pos + 1] == '\n' ? pos + 2 : pos + 1;
}

/* Compares with the enclosing indentations and adds INDENT or DEDENT tokens. */
static void add_indentation(tri_lexer *lx, uint32_t line, uint32_t column, uint32_t alt)
{
    static const char mixed[] = "indentation mixes tabs and spaces so that its depth depends on the tab width";
    uint32_t top = lx->indent_count - 1;
    if (column > lx->indents[top]) {
        if (alt <= lx->alt_indents[top])
            fail_token(lx, 2012, line, lx->pos, lx->pos, "%s", mixed);
        if (lx->indent_count > TRI_LEXER_MAX_INDENTS) {
            fail_token(lx, 2018, line, lx->pos, lx->len, "too many levels of indentation (at most %d)",
                       TRI_LEXER_MAX_INDENTS);
            return; /* what follows would only repeat it */
        }
        add(lx, TRI_TOKEN_INDENT, line, lx->pos);
        lx->indents[lx->indent_count] = column;
        lx->alt_indents[lx->indent_count++] = alt;
        return;
    }
    while (top > 0 && column < lx->indents[top]) {
        top--;
        add(lx, TRI_TOKEN_DEDENT, lx->pos, lx->pos);
    }
    lx->indent_count = top + 1;
    if (column != lx->indents[top])
        fail_token(lx, 2009, line, lx->pos, lx->pos, "unindent does not match any outer indentation level");
    else if (alt != lx->alt_indents[top])
        fail_token(lx, 2012, line, lx->pos, lx->pos, "%s", mixed);
}

/* Skips blank and comment lines and measures the first other one. False at the end of the file. */
static bool begin_line(tri_lexer *lx)
{
    for (;;) {
        uint32_t line = lx->pos, column = 0, alt = 0;
        for (;; lx->pos++) {
            char c = lx->text[lx->pos];
            if (c == ' ')
                column++, alt++;
            else if (c == '\t')
                column = (column / 8 + 1) * 8, alt++;
            else if (c == '\f')
                column = alt = 0;
            else
                break;
        }
        char c = lx->text[lx->pos];
        if (c == '#')
            lx->pos = line_end(lx, lx->pos);
        if (lx->pos >= lx->len) {
            for (; lx->indent_count > 1; lx->indent_count--)
                add(lx, TRI_TOKEN_DEDENT, lx->len, lx->len);
            add(lx, TRI_TOKEN_END, lx->len, lx->len);
            return false;
        }
        if (is_newline(lx->text[lx->pos])) {
            lx->pos = skip_newline(lx, lx->pos);
            continue;
        }
        lx->is_first = true;
        add_indentation(lx, line, column, alt);
        lx->is_first = true;
        lx->at_line_start = false;
        return true;
    }
}

/* ---- names ---- */

static tri_token_kind keyword_kind(const char *s, uint32_t len)
{
    static const struct {
        const char *text;
        uint8_t len, kind;
    } keywords[] = {
#define X(kind, text) {text, sizeof text - 1, TRI_TOKEN_##kind},
        TRI_TOKEN_KEYWORDS(X)
#undef X
    };
    if (len < 2 || len > 8)
        return TRI_TOKEN_NAME;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords && keywords[i].text[0] <= s[0]; i++) /* they are sorted */
        if (keywords[i].text[0] == s[0] && keywords[i].len == len && memcmp(keywords[i].text, s, len) == 0)
            return keywords[i].kind;
    return TRI_TOKEN_NAME;
}

/* Keywords that no expression holds: at a line start inside a bracket they show that it was never closed. */
static bool begins_statement(tri_token_kind kind)
{
    switch (kind) {
    case TRI_TOKEN_ASSERT: case TRI_TOKEN_BREAK: case TRI_TOKEN_CLASS: case TRI_TOKEN_CONTINUE: case TRI_TOKEN_DEF:
    case TRI_TOKEN_DEL: case TRI_TOKEN_ELIF: case TRI_TOKEN_EXCEPT: case TRI_TOKEN_FINALLY: case TRI_TOKEN_GLOBAL:
    case TRI_TOKEN_IMPORT: case TRI_TOKEN_NONLOCAL: case TRI_TOKEN_PASS: case TRI_TOKEN_RAISE:
    case TRI_TOKEN_RETURN: case TRI_TOKEN_TRY: case TRI_TOKEN_WHILE: case TRI_TOKEN_WITH:
        return true;
    default:
        return false;
    }
}

static void fail_character(tri_lexer *lx, uint32_t pos)
{
    uint32_t c = 0;
    unsigned n = tri_unicode_decode(lx->text + pos, lx->text + lx->len, &c);
    if (n == 0)
        n = 1;
    bool is_hidden = c < 0x20 || (c >= 0x7f && c <= 0xa0) || c == 0xad || (c >= 0x2000 && c <= 0x200f) ||
                     (c >= 0x2028 && c <= 0x202f) || c == 0xfeff || c == 0x3000;
    const char *remedy = c == 0x201c || c == 0x201d   ? "; write '\"'"
                         : c == 0x2018 || c == 0x2019 ? "; write \"'\""
                         : c == 0xd7                  ? "; write '*'"
                         : c == 0x2212 || c == 0x2013 ? "; write '-'"
                         : c == 0x2264                ? "; write '<='"
                         : c == 0x2265                ? "; write '>='"
                         : c == 0x2260                ? "; write '!='"
                         : is_hidden && c >= 0x80     ? "; replace it by a space"
                                                      : "";
    if (is_hidden)
        fail_token(lx, 2007, pos, pos + n, pos + n, "invalid non-printable character U+%04X%s", (unsigned)c, remedy);
    else if (c < 0x80)
        fail_token(lx, 2007, pos, pos + n, pos + n, "invalid character '%c'", (char)c);
    else
        fail_token(lx, 2007, pos, pos + n, pos + n, "invalid character '%.*s' (U+%04X)%s", (int)n, lx->text + pos,
                   (unsigned)c, remedy);
    abandon_fstrings(lx);
}

/* End of the identifier at `pos`; `pos` itself when there is none. */
static uint32_t name_end(const tri_lexer *lx, uint32_t pos)
{
    uint32_t begin = pos;
    for (;;) {
        char c = lx->text[pos];
        if ((unsigned char)c < 0x80) {
            int k = class_of(c);
            if (k != CLASS_NAME && (k != CLASS_DIGIT || pos == begin))
                return pos;
            pos++;
            continue;
        }
        uint32_t u;
        unsigned n = tri_unicode_decode(lx->text + pos, lx->text + lx->len, &u);
        if (n == 0 || !(pos == begin ? tri_unicode_is_start(u) : tri_unicode_is_continue(u)))
            return pos;
        pos += n;
    }
}

/* False when it is the statement keyword that shows an unclosed bracket. */
static bool lex_name(tri_lexer *lx)
{
    uint32_t begin = lx->pos, end = name_end(lx, begin);
    if (end == begin) {
        fail_character(lx, begin);
        return true;
    }
    tri_token_kind kind = keyword_kind(lx->text + begin, end - begin);
    if (lx->is_first && lx->bracket_count > 0 && lx->fstring_count == 0 && begins_statement(kind))
        return false;
    add(lx, kind, begin, end);
    lx->pos = end;
    return true;
}

/* ---- numbers ---- */

/* Digits of a base with single underscores between them. Returns the end; *out_bad is set at a
 * misplaced underscore. */
static uint32_t digits_end(const tri_lexer *lx, uint32_t pos, int base, bool *out_bad)
{
    bool was_digit = false;
    for (;; pos++) {
        char c = lx->text[pos];
        bool is_one =
            base == 16 ? is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') : c >= '0' && c < '0' + base;
        if (c == '_') {
            if (!was_digit)
                *out_bad = true;
            was_digit = false;
            continue;
        }
        if (!is_one)
            break;
        was_digit = true;
    }
    if (!was_digit)
        *out_bad = true;
    return pos;
}

/* `1if x`, `0or y`: Python lets these keywords follow a number at once. */
static bool is_number_follower(const tri_lexer *lx, uint32_t begin, uint32_t end)
{
    switch (keyword_kind(lx->text + begin, end - begin)) {
    case TRI_TOKEN_AND:
    case TRI_TOKEN_ELSE:
    case TRI_TOKEN_FOR:
    case TRI_TOKEN_IF:
    case TRI_TOKEN_IN:
    case TRI_TOKEN_IS:
    case TRI_TOKEN_NOT: case TRI_TOKEN_OR:
        return true;
    default:
        return false;
    }
}

static void end_number(tri_lexer *lx, uint32_t begin, uint32_t end, const char *kind, bool is_bad)
{
    uint32_t tail = end;
    while (class_of(lx->text[tail]) == CLASS_DIGIT)
        tail++;
    tail = name_end(lx, tail);
    if (is_bad || (tail != end && !is_number_follower(lx, end, name_end(lx, end)))) {
        fail_token(lx, 2008, begin, tail > begin ? tail : end, tail, "invalid %s literal", kind);
        return;
    }
    add(lx, TRI_TOKEN_NUMBER, begin, end);
    lx->pos = end;
}

static void lex_prefixed_number(tri_lexer *lx, int base, const char *kind)
{
    bool is_bad = false;
    uint32_t begin = lx->pos, first = begin + 2;
    if (lx->text[first] == '_')
        first++; /* 0x_ff */
    uint32_t end = digits_end(lx, first, base, &is_bad);
    if (!is_bad && is_digit(lx->text[end])) {
        fail_token(lx, 2008, end, end + 1, digits_end(lx, end, 10, &is_bad), "invalid digit '%c' in %s literal",
                   lx->text[end], kind);
        return;
    }
    end_number(lx, begin, end, kind, is_bad);
}

static void lex_number(tri_lexer *lx)
{
    const char *text = lx->text;
    uint32_t begin = lx->pos, pos = begin;
    char second = (char)(text[pos + 1] | 0x20);
    if (text[pos] == '0' && (second == 'x' || second == 'o' || second == 'b')) {
        lex_prefixed_number(lx, second == 'x' ? 16 : second == 'o' ? 8 : 2,
                            second == 'x' ? "hexadecimal" : second == 'o' ? "octal" : "binary");
        return;
    }
    bool is_bad = false, is_float = false;
    if (text[pos] != '.')
        pos = digits_end(lx, pos, 10, &is_bad);
    uint32_t whole_end = pos;
    if (text[pos] == '.') {
        is_float = true;
        pos++;
        if (is_digit(text[pos]) || text[pos] == '_')
            pos = digits_end(lx, pos, 10, &is_bad);
    }
    if (text[pos] == 'e' || text[pos] == 'E') {
        uint32_t exponent = pos + 1 + (text[pos + 1] == '+' || text[pos + 1] == '-');
        if (is_digit(text[exponent])) {
            is_float = true;
            pos = digits_end(lx, exponent, 10, &is_bad);
        }
    }
    if (text[pos] == 'j' || text[pos] == 'J') {
        end_number(lx, begin, pos + 1, "imaginary", is_bad);
        return;
    }
    if (!is_float && !is_bad && text[begin] == '0') {
        uint32_t zeros = begin;
        while (text[zeros] == '0' || text[zeros] == '_')
            zeros++;
        if (zeros < whole_end) {
            fail_token(lx, 2008, begin, pos, pos,
                       "leading zeros in a decimal integer are not permitted; write 0o for octal");
            return;
        }
    }
    end_number(lx, begin, pos, "decimal", is_bad);
}

/* ---- strings ---- */

static void fail_unterminated(tri_lexer *lx, uint32_t begin, uint32_t quote_end, uint32_t end, bool is_triple,
                              const char *what)
{
    const tri_lexer_bracket *top = lx->bracket_count ? &lx->brackets[lx->bracket_count - 1] : NULL;
    const tri_lexer_fstring *in = lx->fstring_count ? &lx->fstrings[lx->fstring_count - 1] : NULL;
    if (in && top && top->is_field && !in->is_triple && !is_triple && lx->text[begin] == in->quote) {
        fail_token(lx, 2017, top->at, top->at + 1, end,
                   "'{' of the replacement field is not closed before the f-string ends");
        abandon_fstrings(lx);
        return;
    }
    tri_lexer_error *error = fail_token(lx, 2006, begin, quote_end, end, "unterminated %s%s literal",
                                        is_triple ? "triple-quoted " : "", what);
    if (is_triple) {
        error->note_at = (tri_span){lx->source, lx->len, lx->len};
        error->note = tri_str_format(lx->arena, "the file ends inside it");
    }
    abandon_fstrings(lx);
}

/* A string whose prefix is [begin, pos). */
static void lex_string(tri_lexer *lx, uint32_t begin, uint32_t pos)
{
    const char *text = lx->text;
    char quote = text[pos];
    bool is_triple = text[pos + 1] == quote && text[pos + 2] == quote;
    uint32_t quote_end = pos + (is_triple ? 3 : 1);
    for (pos = quote_end; pos < lx->len; pos++) {
        char c = text[pos];
        if (c == '\\' && pos + 1 < lx->len) {
            pos = skip_newline(lx, pos + 1) - 1;
        } else if (c == quote) {
            if (!is_triple || (text[pos + 1] == quote && text[pos + 2] == quote)) {
                lx->pos = pos + (is_triple ? 3 : 1);
                add(lx, TRI_TOKEN_STRING, begin, lx->pos);
                return;
            }
        } else if (!is_triple && is_newline(c)) {
            break;
        }
    }
    fail_unterminated(lx, begin, quote_end, pos > lx->len ? lx->len : pos, is_triple, "string");
}

static void lex_fstring_start(tri_lexer *lx, uint32_t begin, uint32_t pos)
{
    const char *text = lx->text;
    char quote = text[pos];
    bool is_triple = text[pos + 1] == quote && text[pos + 2] == quote;
    uint32_t end = pos + (is_triple ? 3 : 1);
    if (lx->fstring_count == TRI_LEXER_MAX_FSTRINGS) {
        fail_token(lx, 2018, begin, end, end, "f-strings are nested too deep (at most %d)", TRI_LEXER_MAX_FSTRINGS);
        abandon_fstrings(lx);
        return;
    }
    bool is_raw = false;
    for (uint32_t i = begin; i < pos; i++)
        if (text[i] == 'r' || text[i] == 'R')
            is_raw = true;
    lx->fstrings[lx->fstring_count++] = (tri_lexer_fstring){begin, lx->bracket_count, quote, is_triple, is_raw};
    add(lx, TRI_TOKEN_FSTRING_START, begin, end);
    lx->pos = end;
}

/* Is a string, f-string or bytes prefix at `pos`? Sets where the quote is. */
static bool find_prefix(const tri_lexer *lx, uint32_t pos, uint32_t *out_quote, bool *out_is_f)
{
    unsigned r = 0, b = 0, u = 0, f = 0, n = 0;
    for (; n < 3 && class_of(lx->text[pos + n]) == CLASS_NAME; n++) {
        char c = (char)(lx->text[pos + n] | 0x20);
        r += c == 'r', b += c == 'b', u += c == 'u', f += c == 'f';
        if (c != 'r' && c != 'b' && c != 'u' && c != 'f')
            return false;
    }
    if (class_of(lx->text[pos + n]) != CLASS_QUOTE || r > 1 || b + u + f > 1 || (u && r))
        return false;
    *out_quote = pos + n;
    *out_is_f = f != 0;
    return true;
}

static bool push_bracket(tri_lexer *lx, char open, bool is_field)
{
    if (lx->bracket_count == TRI_LEXER_MAX_BRACKETS) {
        fail_token(lx, 2018, lx->pos, lx->pos + 1, line_end(lx, lx->pos), "brackets are nested too deep (at most %d)",
                   TRI_LEXER_MAX_BRACKETS);
        lx->bracket_count = lx->fstring_count = 0;
        return false;
    }
    lx->brackets[lx->bracket_count++] = (tri_lexer_bracket){lx->pos, open, is_field, false};
    return true;
}

/* Literal text of an f-string or of a format spec (`in_spec`), up to a field or the end. */
static void lex_fstring_text(tri_lexer *lx, bool in_spec)
{
    const tri_lexer_fstring *f = &lx->fstrings[lx->fstring_count - 1];
    const char *text = lx->text;
    uint32_t begin = lx->pos, pos = begin;
    for (; pos < lx->len; pos++) {
        char c = text[pos];
        if (c == '\\' && !f->is_raw && pos + 1 < lx->len && text[pos + 1] == 'N' && text[pos + 2] == '{') {
            while (pos < lx->len && text[pos] != '}' && !is_newline(text[pos]) && text[pos] != f->quote)
                pos++;
            if (text[pos] != '}')
                pos--;
        } else if (c == '\\' && pos + 1 < lx->len && text[pos + 1] != '{' && text[pos + 1] != '}') {
            pos = skip_newline(lx, pos + 1) - 1;
        } else if ((c == '{' || c == '}') && text[pos + 1] == c && !in_spec) {
            pos++;
        } else if (c == '{' || c == '}' || (is_newline(c) && !f->is_triple)) {
            break;
        } else if (c == f->quote && (!f->is_triple || (text[pos + 1] == c && text[pos + 2] == c))) {
            break;
        }
    }
    if (pos > lx->len)
        pos = lx->len;
    lx->pos = pos;
    if (pos > begin)
        add(lx, TRI_TOKEN_FSTRING_MIDDLE, begin, pos);
    if (pos >= lx->len || is_newline(text[pos])) {
        fail_unterminated(lx, f->at, f->at + 2, pos, f->is_triple, "f-string");
    } else if (text[pos] == '{') {
        if (push_bracket(lx, '{', true)) {
            add(lx, TRI_TOKEN_FIELD_OPEN, pos, pos + 1);
            lx->pos = pos + 1;
        }
    } else if (text[pos] == '}' && in_spec) {
        lx->bracket_count--;
        add(lx, TRI_TOKEN_FIELD_CLOSE, pos, pos + 1);
        lx->pos = pos + 1;
    } else if (text[pos] == '}') {
        fail_token(lx, 2017, pos, pos + 1, pos + 1, "single '}' in an f-string; write '}}' for the character");
        abandon_fstrings(lx);
    } else if (in_spec) {
        uint32_t at = lx->brackets[lx->bracket_count - 1].at;
        fail_token(lx, 2017, at, at + 1, pos, "'{' of the replacement field is not closed before the f-string ends");
        abandon_fstrings(lx);
    } else {
        uint32_t end = pos + (f->is_triple ? 3 : 1);
        lx->fstring_count--;
        add(lx, TRI_TOKEN_FSTRING_END, pos, end);
        lx->pos = end;
    }
}

/* ---- brackets and operators ---- */

static void lex_close(tri_lexer *lx, char close, tri_token_kind kind)
{
    uint32_t pos = lx->pos;
    char open = close == ')' ? '(' : close == ']' ? '[' : '{';
    if (lx->bracket_count == 0) {
        fail_token(lx, 2004, pos, pos + 1, pos + 1, "unmatched '%c'", close);
        return;
    }
    tri_lexer_bracket *top = &lx->brackets[lx->bracket_count - 1];
    if (top->open != open || top->is_field) {
        tri_lexer_error *error =
            fail_token(lx, 2005, pos, pos + 1, pos + 1, "closing '%c' does not match opening '%c'", close, top->open);
        error->note_at = (tri_span){lx->source, top->at, top->at + 1};
        error->note = tri_str_format(lx->arena, "'%c' was opened here", top->open);
        /* Take the closer as meant for the nearest opener of its kind, so that the line can end. */
        uint32_t i = lx->bracket_count;
        while (i > 0 && lx->brackets[i - 1].open != open)
            i--;
        lx->bracket_count = i > 0 ? i - 1 : lx->bracket_count - 1;
        abandon_fstrings(lx);
        return;
    }
    lx->bracket_count--;
    add(lx, kind, pos, pos + 1);
    lx->pos = pos + 1;
}

static tri_token_kind operator_kind(const char *s, uint32_t *out_len)
{
#define ONE(k) (*out_len = 1, TRI_TOKEN_##k)
#define OR_ASSIGN(k, k_assign) (s[1] == '=' ? (*out_len = 2, TRI_TOKEN_##k_assign) : ONE(k))
#define DOUBLED(c, k, ka, kk, kka) \
    (s[1] != (c) ? OR_ASSIGN(k, ka) : s[2] == '=' ? (*out_len = 3, TRI_TOKEN_##kka) : (*out_len = 2, TRI_TOKEN_##kk))
    switch (s[0]) {
    case ',': return ONE(COMMA);
    case ';': return ONE(SEMICOLON);
    case '~': return ONE(TILDE);
    case ':': return OR_ASSIGN(COLON, WALRUS);
    case '=': return OR_ASSIGN(ASSIGN, EQ);
    case '+': return OR_ASSIGN(PLUS, PLUS_ASSIGN);
    case '-': return s[1] == '>' ? (*out_len = 2, TRI_TOKEN_ARROW) : OR_ASSIGN(MINUS, MINUS_ASSIGN);
    case '*': return DOUBLED('*', STAR, STAR_ASSIGN, DSTAR, DSTAR_ASSIGN);
    case '/': return DOUBLED('/', SLASH, SLASH_ASSIGN, DSLASH, DSLASH_ASSIGN);
    case '%': return OR_ASSIGN(PERCENT, PERCENT_ASSIGN);
    case '@': return OR_ASSIGN(AT, AT_ASSIGN);
    case '&': return OR_ASSIGN(AMP, AMP_ASSIGN);
    case '|': return OR_ASSIGN(PIPE, PIPE_ASSIGN);
    case '^': return OR_ASSIGN(CARET, CARET_ASSIGN);
    case '!': return s[1] == '=' ? (*out_len = 2, TRI_TOKEN_NE) : TRI_TOKEN_ERROR;
    case '<': return DOUBLED('<', LT, LE, SHL, SHL_ASSIGN);
    case '>': return DOUBLED('>', GT, GE, SHR, SHR_ASSIGN);
    case '.': return s[1] == '.' && s[2] == '.' ? (*out_len = 3, TRI_TOKEN_ELLIPSIS) : ONE(DOT);
    default: return TRI_TOKEN_ERROR;
    }
#undef ONE
#undef OR_ASSIGN
#undef DOUBLED
}

/* An operator of other languages, of `length` bytes. */
static void fail_foreign_operator(tri_lexer *lx, uint32_t length, const char *name, const char *fix)
{
    uint32_t pos = lx->pos;
    fail_token(lx, 2001, pos, pos + length, pos + length, "'%.*s' is not an operator; write '%s'", (int)length,
               lx->text + pos, name)
        ->fix = fix;
}

static void lex_operator(tri_lexer *lx)
{
    const char *s = lx->text + lx->pos;
    uint32_t pos = lx->pos, len = 1;
    tri_token_kind kind = operator_kind(s, &len);
    if ((s[0] == '&' || s[0] == '|') && s[1] == s[0]) {
        fail_foreign_operator(lx, 2, s[0] == '&' ? "and" : "or", s[0] == '&' ? "and" : "or");
    } else if (s[0] == '<' && s[1] == '>') {
        fail_foreign_operator(lx, 2, "!=", "!=");
    } else if (s[0] == '!' && s[1] != '=') {
        fail_foreign_operator(lx, 1, "not", "not ");
    } else if (kind == TRI_TOKEN_ERROR) {
        fail_character(lx, pos);
    } else {
        add(lx, kind, pos, pos + len);
        lx->pos = pos + len;
    }
}

/* Tokens with a meaning of their own right inside a replacement field. */
static bool lex_field_token(tri_lexer *lx, tri_lexer_bracket *top, char c)
{
    uint32_t pos = lx->pos;
    if (c == '}') {
        lx->bracket_count--;
        add(lx, TRI_TOKEN_FIELD_CLOSE, pos, pos + 1);
    } else if (c == ':') {
        top->in_spec = true;
        add(lx, TRI_TOKEN_FIELD_SPEC, pos, pos + 1);
    } else if (c == '!' && lx->text[pos + 1] != '=') {
        add(lx, TRI_TOKEN_FIELD_CONVERSION, pos, pos + 1);
    } else {
        return false;
    }
    lx->pos = pos + 1;
    return true;
}

static void lex_other(tri_lexer *lx, char c)
{
    switch (c) {
    case '(': case '[': case '{':
        if (push_bracket(lx, c, false)) {
            add(lx,
                c == '('   ? TRI_TOKEN_LPAREN
                : c == '[' ? TRI_TOKEN_LBRACKET
                           : TRI_TOKEN_LBRACE,
                lx->pos, lx->pos + 1);
            lx->pos++;
        }
        return;
    case ')': lex_close(lx, c, TRI_TOKEN_RPAREN); return;
    case ']': lex_close(lx, c, TRI_TOKEN_RBRACKET); return;
    case '}': lex_close(lx, c, TRI_TOKEN_RBRACE); return;
    case '.':
        if (is_digit(lx->text[lx->pos + 1]))
            lex_number(lx);
        else
            lex_operator(lx);
        return;
    default: lex_operator(lx); return;
    }
}

static void lex_backslash(tri_lexer *lx)
{
    uint32_t pos = lx->pos + 1;
    if (pos < lx->len && is_newline(lx->text[pos])) {
        lx->pos = skip_newline(lx, pos);
        if (lx->pos >= lx->len)
            fail_token(lx, 2001, pos - 1, pos, lx->len, "the file ends after a line continuation");
        return;
    }
    fail_token(lx, 2001, pos - 1, pos, line_end(lx, pos), "text after the line continuation '\\'");
    abandon_fstrings(lx);
}

static void add_unclosed(tri_lexer *lx)
{
    lx->unclosed = lx->brackets[lx->bracket_count - 1].at;
    lx->is_first = true;
    add(lx, TRI_TOKEN_UNCLOSED, lx->pos, lx->pos);
    lx->bracket_count = lx->fstring_count = 0;
    while (lx->pos > 0 && !is_newline(lx->text[lx->pos - 1]))
        lx->pos--;
    if (lx->tokens.at[lx->tokens.len - 1].begin >= lx->len)
        lx->pos = lx->len;
    lx->at_line_start = true;
}

/* At a newline or the end of the file. True when the logical line is done. */
static bool end_line(tri_lexer *lx)
{
    bool at_end = lx->pos >= lx->len;
    if (lx->bracket_count > 0) {
        if (at_end) {
            add_unclosed(lx);
            return true;
        }
        lx->pos = skip_newline(lx, lx->pos);
        lx->is_first = true;
        return false;
    }
    add(lx, TRI_TOKEN_NEWLINE, lx->pos, at_end ? lx->pos : lx->pos + 1);
    if (!at_end)
        lx->pos = skip_newline(lx, lx->pos);
    lx->at_line_start = true;
    return true;
}

/* One token, or a blank skipped. True when the logical line is done. */
static bool lex_one(tri_lexer *lx)
{
    tri_lexer_bracket *top = lx->bracket_count ? &lx->brackets[lx->bracket_count - 1] : NULL;
    if (lx->fstring_count > 0) {
        bool in_text = lx->bracket_count == lx->fstrings[lx->fstring_count - 1].base;
        if (in_text || (top && top->is_field && top->in_spec)) {
            lex_fstring_text(lx, !in_text);
            return false;
        }
    }
    char c = lx->text[lx->pos];
    if (lx->pos >= lx->len || is_newline(c))
        return end_line(lx);
    if (lx->fstring_count > 0 && top->is_field && lex_field_token(lx, top, c))
        return false;
    uint32_t quote;
    bool is_f = false;
    switch (class_of(c)) {
    case CLASS_BLANK:
        lx->pos++;
        return false;
    case CLASS_NAME:
        if (find_prefix(lx, lx->pos, &quote, &is_f)) {
            (is_f ? lex_fstring_start : lex_string)(lx, lx->pos, quote);
        } else if (!lex_name(lx)) {
            add_unclosed(lx);
            return true;
        }
        return false;
    case CLASS_DIGIT:
        lex_number(lx);
        return false;
    case CLASS_QUOTE:
        lex_string(lx, lx->pos, lx->pos);
        return false;
    default:
        if (c == '#')
            lx->pos = line_end(lx, lx->pos);
        else if (c == '\\')
            lex_backslash(lx);
        else
            lex_other(lx, c);
        return false;
    }
}

void tri_lexer_next_line(tri_lexer *lx)
{
    if (lx->at_line_start && !begin_line(lx))
        return;
    size_t most = lx->tokens.len + TRI_LEXER_MAX_TOKENS;
    while (!lex_one(lx)) {
        if (lx->tokens.len < most || lx->pos >= lx->len)
            continue;
        lx->bracket_count = lx->fstring_count = 0;
        fail_token(lx, 2027, lx->pos, lx->pos + 1, lx->len, "the statement is too long: more than %d words and signs",
                   TRI_LEXER_MAX_TOKENS);
    }
}

const char *tri_lexer_kind_text(tri_token_kind kind)
{
    static const char *const texts[] = {
        "end of file", "end of line", "indentation", "unindent", "name", "number", "string", "f-string",
        "f-string text", "end of f-string", "'{'", "'}'", "'!'", "':'", "error", "end of file",
#define X(kind, text) "'" text "'",
        TRI_TOKEN_KEYWORDS(X) TRI_TOKEN_OPERATORS(X)
#undef X
    };
    _Static_assert(sizeof texts / sizeof *texts == TRI_TOKEN_COUNT, "one text per kind");
    return texts[kind];
}
