#include "frontend/syntax/ast_fields.h"

#include <stddef.h>
#include <stdlib.h>

static const struct {
    const char *text;
    size_t size;
} kinds[] = {
#define X(kind, text, member) {text, sizeof((tri_ast_node *)0)->member},
    TRI_AST_KINDS(X)
#undef X
};

tri_ast_node *tri_ast_new(tri_arena *arena, tri_ast_kind kind, tri_span span)
{
    tri_ast_node *node = tri_arena_alloc_words(arena, offsetof(tri_ast_node, nothing) + kinds[kind].size);
    node->kind = kind;
    node->span = span;
    return node;
}

const char *tri_ast_kind_text(tri_ast_kind kind)
{
    return kinds[kind].text;
}

const char *tri_ast_op_text(tri_ast_op op)
{
    static const char *const texts[] = {
#define X(op, text) text,
        TRI_AST_OPS(X)
#undef X
    };
    return op == TRI_AST_POS_OP ? "+" : op == TRI_AST_NEG_OP ? "-" : texts[op];
}

static tri_span part(tri_span span, uint32_t begin, size_t len)
{
    return (tri_span){span.source, begin, begin + (uint32_t)len};
}

tri_span tri_ast_name_span(const tri_ast_node *node)
{
    tri_span span = node->span;
    switch (node->kind) {
    case TRI_AST_ATTRIBUTE: return part(span, span.end - (uint32_t)node->attribute.name.len, node->attribute.name.len);
    case TRI_AST_KEYWORD: return node->keyword.name.len ? part(span, span.begin, node->keyword.name.len) : span;
    case TRI_AST_PARAM: return part(span, node->param.name_begin, node->param.name.len);
    case TRI_AST_FUNCTION: return part(span, node->function.name_begin, node->function.name.len);
    case TRI_AST_CLASS: return part(span, node->class_.name_begin, node->class_.name.len);
    default: return span;
    }
}

tri_str tri_ast_text(const tri_ast_node *node)
{
    return tri_str_sub(node->span.source->text, node->span.begin, node->span.end);
}

static void set_integer(tri_arena *arena, tri_ast_node *node, tri_str text)
{
    unsigned base = 10;
    size_t i = 0;
    if (text.len > 1 && text.data[0] == '0') {
        char c = (char)(text.data[1] | 0x20);
        base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 10;
        i = base == 10 ? 0 : 2;
    }
    uint64_t value = 0;
    bool is_big = false;
    for (; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        unsigned digit = c <= '9' ? c - 48u : (c | 0x20u) - 87u;
        is_big |= __builtin_mul_overflow(value, (uint64_t)base, &value);
        is_big |= __builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    node->integer.value = is_big ? 0 : value;
    if (is_big) {
        tri_str *big = TRI_NEW(arena, tri_str);
        *big = text;
        node->integer.big = big;
    }
}

void tri_ast_set_number(tri_arena *arena, tri_ast_node *node, tri_str text)
{
    if (node->kind == TRI_AST_INT) {
        set_integer(arena, node, text);
        return;
    }
    node->real.text = text;
    node->real.value = strtod(tri_str_copy(arena, text).data, NULL);
}

void tri_ast_each_child(const tri_ast_node *node, void (*visit)(const tri_ast_node *child, void *data), void *data)
{
    const tri_field_list *fields = &tri_ast_fields[node->kind];
    for (unsigned i = 0; i < fields->count; i++) {
        const void *field = tri_field_address(node, &fields->at[i]);
        if (fields->at[i].type == TRI_FIELD_LIST) {
            const tri_ast_list *list = field;
            for (uint32_t k = 0; k < list->len; k++)
                visit(list->at[k], data);
        } else if (fields->at[i].type <= TRI_FIELD_OPTIONAL) {
            const tri_ast_node *child = *(tri_ast_node *const *)field;
            if (child)
                visit(child, data);
        }
    }
}

typedef struct {
    bool (*visit)(const tri_ast_node *node, void *data);
    void *data;
} walk;

static void walk_child(const tri_ast_node *child, void *data)
{
    const walk *w = data;
    tri_ast_walk(child, w->visit, w->data);
}

void tri_ast_walk(const tri_ast_node *node, bool (*visit)(const tri_ast_node *node, void *data), void *data)
{
    walk w = {visit, data};
    if (visit(node, data))
        tri_ast_each_child(node, walk_child, &w);
}

const tri_ast_node *tri_ast_call_argument(const tri_ast_node *call, const char *name, uint32_t position)
{
    for (uint32_t i = 0; i < call->call.keywords.len; i++)
        if (tri_str_is(call->call.keywords.at[i]->keyword.name, name))
            return call->call.keywords.at[i]->keyword.value;
    return position < call->call.args.len ? call->call.args.at[position] : NULL;
}
