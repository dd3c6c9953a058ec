/* -x ast: reads what ast_print.c writes. */
#include "frontend/syntax/ast_fields.h"

#include <setjmp.h>

enum { MAX_DEPTH = 3000 };

typedef struct {
    tri_arena *arena;
    tri_diag *diag;
    const tri_source *input;  /* the S-expressions */
    const tri_source *source; /* the program inside */
    const char *text;
    uint32_t pos;
    unsigned depth;
    jmp_buf recover;
} reader;

_Noreturn __attribute__((format(printf, 2, 3))) static void fail_ast(reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_str text = tri_str_vformat(r->arena, format, args);
    va_end(args);
    tri_diag_error(r->diag, (tri_span){r->input, r->pos, r->pos + 1}, 2026, "%.*s", TRI_STR_ARG(text));
    longjmp(r->recover, 1);
}

/* ---- words ---- */

static char peek(reader *r)
{
    while (strchr(" \t\r\n", r->text[r->pos]) && r->pos < r->input->text.len)
        r->pos++;
    return r->text[r->pos];
}

static bool accept(reader *r, char c)
{
    if (peek(r) != c || r->pos >= r->input->text.len)
        return false;
    r->pos++;
    return true;
}

static void expect(reader *r, char c)
{
    if (!accept(r, c))
        fail_ast(r, "expected '%c'", c);
}

static tri_str read_word(reader *r)
{
    peek(r);
    uint32_t begin = r->pos;
    while (r->pos < r->input->text.len && !strchr(" \t\r\n()[]\"", r->text[r->pos]))
        r->pos++;
    if (begin == r->pos)
        fail_ast(r, "expected a word");
    return tri_str_sub(r->input->text, begin, r->pos);
}

static uint32_t read_number(reader *r)
{
    peek(r);
    uint32_t begin = r->pos;
    uint64_t value = 0;
    for (; r->text[r->pos] >= '0' && r->text[r->pos] <= '9' && value < UINT32_MAX; r->pos++)
        value = value * 10 + (uint64_t)(r->text[r->pos] - '0');
    if (r->pos == begin || value >= UINT32_MAX)
        fail_ast(r, "expected a number");
    return (uint32_t)value;
}

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Appends a quoted string; `out` is an arena buffer with room for the rest of the input. */
static size_t read_quoted(reader *r, char *out)
{
    size_t n = 0;
    expect(r, '"');
    for (;; r->pos++) {
        if (r->pos >= r->input->text.len)
            fail_ast(r, "unterminated string");
        char c = r->text[r->pos];
        if (c == '"')
            break;
        if (c != '\\') {
            out[n++] = c;
            continue;
        }
        c = r->text[++r->pos];
        if (c == 'x') {
            int high = hex(r->text[r->pos + 1]), low = high < 0 ? -1 : hex(r->text[r->pos + 2]);
            if (low < 0)
                fail_ast(r, "'\\x' needs two hexadecimal digits");
            out[n++] = (char)(high << 4 | low);
            r->pos += 2;
        } else if (c == 'n' || c == 't') {
            out[n++] = c == 'n' ? '\n' : '\t';
        } else if (c == '"' || c == '\\') {
            out[n++] = c;
        } else {
            fail_ast(r, "unknown escape");
        }
    }
    r->pos++;
    return n;
}

static size_t quoted_size(const reader *r)
{
    uint32_t pos = r->pos;
    while (pos < r->input->text.len && r->text[pos] != '"')
        pos++;
    uint32_t begin = pos;
    for (pos++; pos < r->input->text.len && r->text[pos] != '"'; pos++)
        pos += r->text[pos] == '\\';
    return pos - begin + 1;
}

static tri_str read_string(reader *r)
{
    char *data = tri_arena_alloc(r->arena, quoted_size(r) + 1);
    return (tri_str){data, read_quoted(r, data)};
}

/* ---- nodes ---- */

static uint32_t read_place(reader *r)
{
    uint32_t line = read_number(r);
    expect(r, ':');
    uint32_t column = read_number(r);
    if (line == 0 || line > r->source->line_count || column == 0)
        fail_ast(r, "the position %u:%u is not in the source", line, column);
    return tri_source_offset(r->source, line, column);
}

static tri_ast_node *read_node(reader *r, const tri_field *allowed);

static tri_ast_list read_list(reader *r, const tri_field *field)
{
    TRI_VEC(tri_ast_node *) items = {0};
    expect(r, '[');
    while (!accept(r, ']'))
        tri_vec_push(r->arena, &items, read_node(r, field));
    return (tri_ast_list){items.at, (uint32_t)items.len};
}

static tri_ast_op read_op(reader *r, const tri_field *field)
{
    tri_str text = read_string(r);
    for (int op = field->first; op <= field->last; op++)
        if (tri_str_is(text, tri_ast_op_text((tri_ast_op)op)))
            return (tri_ast_op)op;
    fail_ast(r, "unknown operator '%.*s'", TRI_STR_ARG(text));
}

static void read_ops(reader *r, tri_ast_node *node, const tri_field *field)
{
    uint32_t n = node->compare.rights.len;
    tri_ast_op *ops = TRI_NEW_ARRAY(r->arena, tri_ast_op, n + 1);
    expect(r, '[');
    for (uint32_t i = 0; i < n; i++)
        ops[i] = read_op(r, field);
    expect(r, ']');
    node->compare.ops = ops;
}

/* A name says again what its range of the source is. */
static void read_spanned_name(reader *r, const tri_ast_node *node)
{
    tri_str name = read_string(r);
    tri_span at = node->span;
    if (at.begin > at.end || at.end > r->source->text.len || !tri_str_equal(name, tri_ast_text(node)))
        fail_ast(r, "'%.*s' does not stand in the source where the name says", TRI_STR_ARG(name));
}

static void read_value(reader *r, tri_ast_node *node, const tri_field *field)
{
    void *value = tri_field_address(node, field);
    switch (field->type) {
    case TRI_FIELD_NODE: case TRI_FIELD_OPTIONAL: *(tri_ast_node **)value = read_node(r, field); return;
    case TRI_FIELD_LIST: *(tri_ast_list *)value = read_list(r, field); return;
    case TRI_FIELD_STR: *(tri_str *)value = read_string(r); return;
    case TRI_FIELD_NAME: read_spanned_name(r, node); return;
    case TRI_FIELD_INTEGER: case TRI_FIELD_REAL: {
        tri_str text = read_word(r);
        for (size_t i = 0; i < text.len; i++)
            if (!strchr("0123456789abcdefABCDEFxXoO.+-", text.data[i]))
                fail_ast(r, "malformed number");
        tri_ast_set_number(r->arena, node, text);
        return;
    }
    case TRI_FIELD_OP: *(tri_ast_op *)value = read_op(r, field); return;
    case TRI_FIELD_OPS: read_ops(r, node, field); return;
    case TRI_FIELD_FLAG: *(bool *)value = true; return;
    case TRI_FIELD_PLACE: *(uint32_t *)value = read_place(r); return;
    case TRI_FIELD_CHOICE:
        *(uint32_t *)value = read_number(r);
        if (*(uint32_t *)value > field->last)
            fail_ast(r, "there is no such choice");
        return;
    default: *(uint32_t *)value = read_number(r); return;
    }
}

static void read_labelled(reader *r, tri_ast_node *node)
{
    const tri_field_list *fields = &tri_ast_fields[node->kind];
    while (accept(r, ':')) {
        tri_str label = read_word(r);
        const tri_field *found = NULL;
        if (tri_str_is(label, "parens")) {
            node->parenthesized = true;
            continue;
        }
        for (unsigned i = 0; i < fields->count; i++)
            if (fields->at[i].label && tri_str_is(label, fields->at[i].label))
                found = &fields->at[i];
        if (!found)
            fail_ast(r, "'%s' has no field '%.*s'", tri_ast_kind_text(node->kind), TRI_STR_ARG(label));
        read_value(r, node, found);
    }
}

/* What the parser guarantees and the evaluators rely on. */
static void check_node(reader *r, const tri_ast_node *node)
{
    const tri_field_list *fields = &tri_ast_fields[node->kind];
    size_t size = r->source->text.len;
    for (unsigned i = 0; i < fields->count; i++)
        if (fields->at[i].type == TRI_FIELD_NODE && !*(tri_ast_node **)tri_field_address(node, &fields->at[i]))
            fail_ast(r, "'%s' lacks a field", tri_ast_kind_text(node->kind));
    bool is_short = (node->kind == TRI_AST_BOOL && node->boolean.values.len < 2) ||
                    (node->kind == TRI_AST_COMPARE && (node->compare.rights.len == 0 || !node->compare.ops)) ||
                    (node->kind == TRI_AST_ASSIGN && node->assign.targets.len == 0) ||
                    (node->kind >= TRI_AST_LIST_COMP && node->kind <= TRI_AST_DICT_COMP && node->comp.clauses.len == 0);
    if (is_short)
        fail_ast(r, "'%s' has too few parts", tri_ast_kind_text(node->kind));
    tri_span name = tri_ast_name_span(node);
    if (node->span.begin > node->span.end || name.end > size || name.begin > name.end)
        fail_ast(r, "the range of '%s' is not in the source", tri_ast_kind_text(node->kind));
}

static tri_ast_kind read_kind(reader *r, const tri_field *allowed)
{
    tri_str word = read_word(r);
    for (int kind = allowed->first; kind <= allowed->last; kind++)
        if (tri_str_is(word, tri_ast_kind_text((tri_ast_kind)kind)))
            return (tri_ast_kind)kind;
    fail_ast(r, "'%.*s' cannot stand here", TRI_STR_ARG(word));
}

static tri_ast_node *read_node(reader *r, const tri_field *allowed)
{
    if (++r->depth > MAX_DEPTH)
        fail_ast(r, "nested too deep");
    expect(r, '(');
    tri_ast_kind kind = read_kind(r, allowed);
    tri_span span = {r->source, read_place(r), 0};
    expect(r, '-');
    span.end = read_place(r);
    tri_ast_node *node = tri_ast_new(r->arena, kind, span);
    const tri_field_list *fields = &tri_ast_fields[kind];
    read_labelled(r, node);
    for (unsigned i = 0; i < fields->count; i++) {
        if (fields->at[i].label)
            continue;
        read_value(r, node, &fields->at[i]);
        read_labelled(r, node);
    }
    expect(r, ')');
    check_node(r, node);
    r->depth--;
    return node;
}

/* ---- the file ---- */

static void skip_form(reader *r)
{
    unsigned depth = 0;
    do {
        char c = peek(r);
        if (r->pos >= r->input->text.len)
            fail_ast(r, "the text ends inside the tree");
        if (c == '"') {
            r->pos += (uint32_t)quoted_size(r);
            continue;
        }
        depth += c == '[' || c == '(';
        depth -= c == ']' || c == ')';
        r->pos++;
    } while (depth > 0 && r->pos <= r->input->text.len);
}

static void expect_word(reader *r, const char *word)
{
    tri_str found = read_word(r);
    if (!tri_str_is(found, word))
        fail_ast(r, "expected '%s'", word);
}

static void read_source(reader *r, tri_str name)
{
    size_t total = 0;
    uint32_t begin = r->pos;
    expect(r, '(');
    expect_word(r, "source");
    uint32_t lines = r->pos;
    while (peek(r) == '"') {
        total += quoted_size(r);
        r->pos += (uint32_t)quoted_size(r);
    }
    char *text = tri_arena_alloc(r->arena, total + 1);
    size_t n = 0;
    r->pos = lines;
    while (peek(r) == '"')
        n += read_quoted(r, text + n);
    expect(r, ')');
    expect(r, ')');
    r->source = tri_diag_add_source(r->diag, name, (tri_str){text, n});
    r->pos = begin;
}

static tri_ast_module *read_module(reader *r)
{
    static const tri_field statement = {NULL, TRI_FIELD_LIST, TRI_AST_EXPR, TRI_AST_CLASS, 0};
    expect(r, '(');
    expect_word(r, "module");
    tri_str name = read_string(r);
    peek(r);
    uint32_t tree = r->pos;
    skip_form(r);
    read_source(r, name);
    r->pos = tree;
    tri_ast_module *module = TRI_NEW(r->arena, tri_ast_module);
    module->source = r->source;
    module->body = read_list(r, &statement);
    return module;
}

tri_ast_module *tri_ast_read(tri_arena *arena, tri_diag *diag, const tri_source *text)
{
    reader *r = TRI_NEW(arena, reader);
    r->arena = arena;
    r->diag = diag;
    r->input = text;
    r->text = text->text.data;
    if (setjmp(r->recover))
        return NULL;
    return read_module(r);
}
