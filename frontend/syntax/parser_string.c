/* String literals: escapes, bytes, implicit concatenation, f-strings. */
#include "frontend/syntax/parser.h"

typedef struct {
    bool is_raw, is_bytes;
} flavour;

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* \xNN, \uNNNN, \UNNNNNNNN: `s` is after the letter. Returns what follows. */
static const char *decode_hex(tri_parser *p, const char *s, const char *end, char letter, bool is_bytes, tri_buf *out)
{
    int count = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
    uint32_t c = 0, begin = (uint32_t)(s - 2 - p->source->text.data);
    for (int i = 0; i < count; i++, s++) {
        int digit = s < end ? hex_digit(*s) : -1;
        if (digit < 0)
            tri_parser_fail(p, 2016, (tri_span){p->source, begin, begin + 2 + (uint32_t)i},
                            "'\\%c' needs %d hexadecimal digits", letter, count);
        c = c << 4 | (uint32_t)digit;
    }
    if (c > 0x10ffff)
        tri_parser_fail(p, 2016, (tri_span){p->source, begin, begin + 10},
                        "the character of this escape is above U+10FFFF");
    if (is_bytes)
        tri_buf_add_char(out, (char)c);
    else
        tri_unicode_encode(out, c);
    return s;
}

/* \N{NAME}. The names of Unicode are not in the compiler. */
static const char *decode_named(tri_parser *p, const char *s, const char *end, tri_buf *out)
{
    uint32_t begin = (uint32_t)(s - 2 - p->source->text.data);
    const char *close = s < end && *s == '{' ? memchr(s, '}', (size_t)(end - s)) : NULL;
    if (!close || close == s + 1)
        tri_parser_fail(p, 2016, (tri_span){p->source, begin, begin + 2}, "'\\N' needs a character name in braces");
    uint32_t stop = (uint32_t)(close + 1 - p->source->text.data);
    tri_diag_warning(p->diag, (tri_span){p->source, begin, stop}, "unicode-name",
                     "character names are not known; U+FFFD stands here instead");
    tri_unicode_encode(out, 0xfffd);
    return close + 1;
}

/* One escape; `s` is after the backslash. Returns what follows. */
static const char *decode_escape(tri_parser *p, const char *s, const char *end, flavour f, tri_buf *out)
{
    char c = *s++;
    switch (c) {
    case '\r': return s < end && *s == '\n' ? s + 1 : s;
    case '\n': return s;
    case '\\': case '\'': case '"': tri_buf_add_char(out, c); return s;
    case 'a': tri_buf_add_char(out, '\a'); return s;
    case 'b': tri_buf_add_char(out, '\b'); return s;
    case 'f': tri_buf_add_char(out, '\f'); return s;
    case 'n': tri_buf_add_char(out, '\n'); return s;
    case 'r': tri_buf_add_char(out, '\r'); return s;
    case 't': tri_buf_add_char(out, '\t'); return s;
    case 'v': tri_buf_add_char(out, '\v'); return s;
    case 'x': return decode_hex(p, s, end, c, f.is_bytes, out);
    case 'u': case 'U':
        if (!f.is_bytes)
            return decode_hex(p, s, end, c, false, out);
        break;
    case 'N':
        if (!f.is_bytes)
            return decode_named(p, s, end, out);
        break;
    default: break;
    }
    if (c >= '0' && c <= '7') {
        uint32_t value = (uint32_t)(c - '0');
        for (int i = 0; i < 2 && s < end && *s >= '0' && *s <= '7'; i++)
            value = value << 3 | (uint32_t)(*s++ - '0');
        if (f.is_bytes)
            tri_buf_add_char(out, (char)value);
        else
            tri_unicode_encode(out, value);
        return s;
    }
    tri_buf_add_char(out, '\\'); /* not an escape: both characters stay */
    tri_buf_add_char(out, c);
    return s;
}

/* Decodes [s, end) into `out`. In the text of an f-string doubled braces are one. */
static void decode(tri_parser *p, const char *s, const char *end, flavour f, bool is_fstring, tri_buf *out)
{
    while (s < end) {
        char c = *s;
        if (c == '\\' && !f.is_raw && s + 1 < end) {
            s = decode_escape(p, s + 1, end, f, out);
        } else if (c == '\r') {
            s += s + 1 < end && s[1] == '\n' ? 2 : 1;
            tri_buf_add_char(out, '\n');
        } else if (is_fstring && (c == '{' || c == '}') && s + 1 < end && s[1] == c) {
            tri_buf_add_char(out, c);
            s += 2;
        } else {
            if (f.is_bytes && (unsigned char)c >= 0x80) {
                uint32_t at = (uint32_t)(s - p->source->text.data);
                tri_parser_fail(p, 2016, (tri_span){p->source, at, at + 1},
                                "bytes can only hold ASCII characters; write an escape");
            }
            tri_buf_add_char(out, c);
            s++;
        }
    }
}

static bool is_plain(const char *s, const char *end, bool is_fstring, bool is_bytes)
{
    for (; s < end; s++)
        if (*s == '\\' || *s == '\r' || (is_fstring && (*s == '{' || *s == '}')) ||
            (is_bytes && (unsigned char)*s >= 0x80))
            return false;
    return true;
}

static tri_str decode_text(tri_parser *p, uint32_t begin, uint32_t end, flavour f, bool is_fstring)
{
    const char *s = p->source->text.data + begin, *stop = p->source->text.data + end;
    if (is_plain(s, stop, is_fstring, f.is_bytes))
        return (tri_str){s, end - begin};
    /* decoding never makes text longer than its source, but for U+FFFD which is shorter than \N{x} */
    tri_buf out = {0};
    jmp_buf *outer = p->recover, recover;
    p->recover = &recover;
    if (setjmp(recover)) {
        tri_buf_fini(&out);
        p->recover = outer;
        tri_parser_leave(p);
    }
    decode(p, s, stop, f, is_fstring, &out);
    p->recover = outer;
    tri_str text = tri_str_copy(p->arena, tri_buf_str(&out));
    tri_buf_fini(&out);
    return text;
}

/* Prefix letters and quotes of a literal: where its text begins, and its flavour. */
static uint32_t read_prefix(tri_parser *p, uint32_t begin, flavour *out_flavour, unsigned *out_quotes)
{
    const char *s = p->source->text.data;
    *out_flavour = (flavour){false, false};
    for (; s[begin] != '"' && s[begin] != '\''; begin++) {
        char c = (char)(s[begin] | 0x20);
        out_flavour->is_raw |= c == 'r';
        out_flavour->is_bytes |= c == 'b';
    }
    *out_quotes = s[begin + 1] == s[begin] && s[begin + 2] == s[begin] ? 3 : 1;
    return begin + *out_quotes;
}

/* ---- f-strings ---- */

static void push_text(tri_parser *p, size_t mark, tri_str text, tri_span span)
{
    if (text.len == 0)
        return;
    tri_ast_node *last = p->scratch.len > mark ? tri_vec_last(&p->scratch) : NULL;
    if (last && last->kind == TRI_AST_STRING) {
        last->string = tri_str_format(p->arena, "%.*s%.*s", TRI_STR_ARG(last->string), TRI_STR_ARG(text));
        last->span.end = span.end;
        return;
    }
    tri_ast_node *node = tri_ast_new(p->arena, TRI_AST_STRING, span);
    node->string = text;
    tri_parser_push(p, node);
}

static void parse_fstring_items(tri_parser *p, flavour f, size_t mark, tri_token_kind end);

static uint32_t parse_conversion(tri_parser *p)
{
    tri_parser_advance(p);
    const tri_token *t = tri_parser_token(p);
    tri_str name = tri_parser_text(p, t);
    if (t->kind != TRI_TOKEN_NAME || name.len != 1 || !strchr("rsa", name.data[0])) {
        tri_parser_check_token(p);
        tri_parser_fail(p, 2017, tri_parser_token_span(p, t), "'!' in a replacement field needs one of 'r', 's', 'a'");
    }
    tri_parser_advance(p);
    return (uint32_t)name.data[0];
}

static void parse_field(tri_parser *p, flavour f, size_t mark)
{
    uint32_t begin = tri_parser_token(p)->begin, conversion = 0;
    tri_parser_advance(p);
    const tri_token *t = tri_parser_token(p);
    if (t->kind == TRI_TOKEN_FIELD_CLOSE || t->kind == TRI_TOKEN_FIELD_SPEC || t->kind == TRI_TOKEN_FIELD_CONVERSION)
        tri_parser_fail(p, 2017, tri_parser_token_span(p, t), "the replacement field has no expression");
    tri_ast_node *value = tri_parser_expr_value(p), *spec = NULL;
    if (tri_parser_accept(p, TRI_TOKEN_ASSIGN)) { /* {x=}: the text of the field up to what follows '=' is printed */
        uint32_t stop = tri_parser_token(p)->begin;
        push_text(p, mark, tri_str_sub(p->source->text, begin + 1, stop), (tri_span){p->source, begin + 1, stop});
        if (tri_parser_kind(p) == TRI_TOKEN_FIELD_CLOSE)
            conversion = 'r';
    }
    if (tri_parser_kind(p) == TRI_TOKEN_FIELD_CONVERSION)
        conversion = parse_conversion(p);
    if (tri_parser_kind(p) == TRI_TOKEN_FIELD_SPEC) {
        tri_parser_advance(p);
        uint32_t spec_begin = p->prev_end;
        size_t spec_mark = p->scratch.len;
        tri_parser_enter(p);
        parse_fstring_items(p, f, spec_mark, TRI_TOKEN_FIELD_CLOSE);
        tri_parser_exit(p);
        tri_ast_list items = tri_parser_take(p, spec_mark);
        spec = tri_ast_new(p->arena, TRI_AST_FSTRING, (tri_span){p->source, spec_begin, tri_parser_token(p)->begin});
        spec->list = items;
    }
    if (tri_parser_kind(p) != TRI_TOKEN_FIELD_CLOSE) {
        tri_parser_check_token(p);
        t = tri_parser_token(p);
        tri_parser_fail(p, 2017, tri_parser_token_span(p, t), "expected '}' to close the replacement field, got '%.*s'",
                        TRI_STR_ARG(tri_parser_text(p, t)));
    }
    tri_parser_advance(p);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_FORMATTED, begin);
    node->formatted.value = value;
    node->formatted.spec = spec;
    node->formatted.conversion = conversion;
    tri_parser_push(p, node);
}

/* Texts and fields up to a token of kind `end`, which is not consumed. */
static void parse_fstring_items(tri_parser *p, flavour f, size_t mark, tri_token_kind end)
{
    for (;;) {
        const tri_token *t = tri_parser_token(p);
        if (t->kind == end)
            return;
        if (t->kind == TRI_TOKEN_FSTRING_MIDDLE) {
            tri_str text = decode_text(p, t->begin, t->end, f, end == TRI_TOKEN_FSTRING_END);
            push_text(p, mark, text, tri_parser_token_span(p, t));
            tri_parser_advance(p);
        } else if (t->kind == TRI_TOKEN_FIELD_OPEN) {
            parse_field(p, f, mark);
        } else {
            tri_parser_fail_expected(p, 2017, "the end of the f-string");
        }
    }
}

/* ---- literals ---- */

/* Joins the pieces in scratch from `mark` into one STRING or BYTES node. */
static tri_ast_node *join_pieces(tri_parser *p, size_t mark, bool is_bytes, uint32_t begin)
{
    tri_ast_list pieces = tri_parser_take(p, mark);
    tri_ast_node *node = tri_parser_node(p, is_bytes ? TRI_AST_BYTES : TRI_AST_STRING, begin);
    if (pieces.len == 1) {
        node->string = pieces.at[0]->string;
        return node;
    }
    size_t total = 0;
    for (uint32_t i = 0; i < pieces.len; i++)
        total += pieces.at[i]->string.len;
    char *data = tri_arena_alloc(p->arena, total + 1);
    node->string = (tri_str){data, total};
    for (uint32_t i = 0; i < pieces.len; i++) {
        memcpy(data, pieces.at[i]->string.data, pieces.at[i]->string.len);
        data += pieces.at[i]->string.len;
    }
    return node;
}

static bool is_bytes_token(tri_parser *p, const tri_token *t)
{
    flavour f;
    unsigned quotes;
    read_prefix(p, t->begin, &f, &quotes);
    return f.is_bytes;
}

tri_ast_node *tri_parser_string_literals(tri_parser *p)
{
    const tri_token *t = tri_parser_token(p);
    uint32_t begin = t->begin;
    size_t mark = p->scratch.len;
    bool is_bytes = is_bytes_token(p, t), has_fields = false;
    for (; t->kind == TRI_TOKEN_STRING || t->kind == TRI_TOKEN_FSTRING_START; t = tri_parser_token(p)) {
        flavour f;
        unsigned quotes;
        uint32_t text = read_prefix(p, t->begin, &f, &quotes);
        if (f.is_bytes != is_bytes)
            tri_parser_fail(p, 2016, tri_parser_token_span(p, t), "bytes and text cannot be joined into one literal");
        if (t->kind == TRI_TOKEN_STRING) {
            tri_ast_node *piece = tri_ast_new(p->arena, TRI_AST_STRING, tri_parser_token_span(p, t));
            piece->string = decode_text(p, text, t->end - quotes, f, false);
            if (has_fields)
                push_text(p, mark, piece->string, piece->span);
            else
                tri_parser_push(p, piece);
            tri_parser_advance(p);
            continue;
        }
        if (!has_fields && p->scratch.len > mark) {
            tri_ast_node *joined = join_pieces(p, mark, false, begin);
            push_text(p, mark, joined->string, joined->span);
        }
        has_fields = true;
        tri_parser_advance(p);
        tri_parser_enter(p);
        parse_fstring_items(p, f, mark, TRI_TOKEN_FSTRING_END);
        tri_parser_exit(p);
        tri_parser_advance(p);
    }
    if (!has_fields)
        return join_pieces(p, mark, is_bytes, begin);
    tri_ast_list items = tri_parser_take(p, mark);
    tri_ast_node *node = tri_parser_node(p, TRI_AST_FSTRING, begin);
    node->list = items;
    return node;
}
