/* -emit=ast. A node is `(kind begin-end field...)` with line:column positions, the end being the column
 * after the last byte. Fields without a label come in order; labelled ones are left out when they are
 * empty. The source text follows the tree, so that the tree can be read back with its carets. */
#include "frontend/syntax/ast_fields.h"

enum { LINE_WIDTH = 110 };

typedef struct {
    tri_buf *out;
    const tri_source *source;
    size_t limit; /* of the inline attempt; SIZE_MAX: none */
} printer;

static void print_string(tri_buf *out, tri_str s)
{
    tri_buf_add_char(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];
        if (c == '"' || c == '\\')
            tri_buf_format(out, "\\%c", c);
        else if (c == '\n')
            tri_buf_add_z(out, "\\n");
        else if (c == '\t')
            tri_buf_add_z(out, "\\t");
        else if (c < 0x20 || c >= 0x7f)
            tri_buf_format(out, "\\x%02x", c);
        else
            tri_buf_add_char(out, (char)c);
    }
    tri_buf_add_char(out, '"');
}

static void print_place(printer *p, uint32_t offset)
{
    uint32_t line, column;
    tri_source_position(p->source, offset, &line, &column);
    tri_buf_format(p->out, "%u:%u", line, column);
}

static bool is_empty(const tri_field *field, const void *value)
{
    switch (field->type) {
    case TRI_FIELD_OPTIONAL: return !*(tri_ast_node *const *)value;
    case TRI_FIELD_LIST: return ((const tri_ast_list *)value)->len == 0;
    case TRI_FIELD_STR: return ((const tri_str *)value)->len == 0;
    case TRI_FIELD_FLAG: return !*(const bool *)value;
    case TRI_FIELD_NUMBER: case TRI_FIELD_CHOICE: return *(const uint32_t *)value == 0;
    default: return false;
    }
}

static void print_node(printer *p, const tri_ast_node *node, unsigned indent);

static bool is_full(const printer *p)
{
    return p->out->len > p->limit;
}

static void new_line(printer *p, unsigned indent)
{
    tri_buf_add_char(p->out, '\n');
    for (unsigned i = 0; i < indent && i < 100; i++)
        tri_buf_add_z(p->out, "  ");
}

static void print_list(printer *p, const tri_ast_list *list, unsigned indent)
{
    tri_buf_add_char(p->out, '[');
    for (uint32_t i = 0; i < list->len && !is_full(p); i++) {
        if (p->limit == SIZE_MAX)
            new_line(p, indent + 1);
        else if (i)
            tri_buf_add_char(p->out, ' ');
        print_node(p, list->at[i], indent + 1);
    }
    tri_buf_add_char(p->out, ']');
}

/* An integer as spelled, without underscores. */
static void print_digits(tri_buf *out, tri_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] != '_')
            tri_buf_add_char(out, text.data[i]);
}

static void print_value(printer *p, const tri_ast_node *node, const tri_field *field, const void *value,
                        unsigned indent)
{
    switch (field->type) {
    case TRI_FIELD_NODE: case TRI_FIELD_OPTIONAL: print_node(p, *(tri_ast_node *const *)value, indent); return;
    case TRI_FIELD_LIST: print_list(p, value, indent); return;
    case TRI_FIELD_STR: print_string(p->out, *(const tri_str *)value); return;
    case TRI_FIELD_NAME: print_string(p->out, tri_ast_text(node)); return;
    case TRI_FIELD_INTEGER: print_digits(p->out, tri_ast_text(node)); return;
    case TRI_FIELD_REAL: tri_buf_add_str(p->out, node->real.text); return;
    case TRI_FIELD_OP: print_string(p->out, tri_str_from(tri_ast_op_text(*(const tri_ast_op *)value))); return;
    case TRI_FIELD_OPS:
        tri_buf_add_char(p->out, '[');
        for (uint32_t i = 0; i < node->compare.rights.len; i++) {
            tri_buf_add_z(p->out, i ? " " : "");
            print_string(p->out, tri_str_from(tri_ast_op_text(node->compare.ops[i])));
        }
        tri_buf_add_char(p->out, ']');
        return;
    case TRI_FIELD_FLAG: return; /* its label says it all */
    case TRI_FIELD_PLACE: print_place(p, *(const uint32_t *)value); return;
    default: tri_buf_format(p->out, "%u", *(const uint32_t *)value); return;
    }
}

static void print_fields(printer *p, const tri_ast_node *node, unsigned indent)
{
    const tri_field_list *fields = &tri_ast_fields[node->kind];
    for (unsigned i = 0; i < fields->count && !is_full(p); i++) {
        const tri_field *field = &fields->at[i];
        const void *value = tri_field_address(node, field);
        if (field->label && is_empty(field, value))
            continue;
        bool has_nodes = field->type <= TRI_FIELD_LIST;
        if (p->limit == SIZE_MAX && has_nodes)
            new_line(p, indent + 1);
        else
            tri_buf_add_char(p->out, ' ');
        if (field->label)
            tri_buf_format(p->out, ":%s", field->label);
        if (field->label && field->type != TRI_FIELD_FLAG)
            tri_buf_add_char(p->out, ' ');
        print_value(p, node, field, value, indent + 1);
    }
}

static void print_head(printer *p, const tri_ast_node *node)
{
    tri_buf_format(p->out, "(%s ", tri_ast_kind_text(node->kind));
    print_place(p, node->span.begin);
    tri_buf_add_char(p->out, '-');
    print_place(p, node->span.end);
    if (node->parenthesized)
        tri_buf_add_z(p->out, " :parens");
}

/* On one line when it fits, else one line for each node below it. */
static void print_node(printer *p, const tri_ast_node *node, unsigned indent)
{
    size_t start = p->out->len;
    bool is_outermost = p->limit == SIZE_MAX;
    if (is_outermost)
        p->limit = start + LINE_WIDTH - (indent < 20 ? 2 * indent : 40);
    print_head(p, node);
    print_fields(p, node, indent);
    if (is_outermost) {
        bool did_fit = !is_full(p);
        p->limit = SIZE_MAX;
        if (!did_fit) {
            p->out->len = start;
            print_head(p, node);
            print_fields(p, node, indent);
        }
    }
    tri_buf_add_char(p->out, ')');
}

void tri_ast_print(const tri_ast_module *module, tri_buf *out)
{
    printer p = {out, module->source, SIZE_MAX};
    tri_buf_add_z(out, "(module ");
    print_string(out, module->source->name);
    new_line(&p, 1);
    print_list(&p, &module->body, 1);
    new_line(&p, 1);
    tri_buf_add_z(out, "(source");
    tri_str text = module->source->text;
    for (size_t from = 0; from < text.len;) {
        size_t end = from + tri_str_find(tri_str_sub(text, from, text.len), '\n');
        end += end < text.len;
        new_line(&p, 2);
        print_string(out, tri_str_sub(text, from, end));
        from = end;
    }
    tri_buf_add_z(out, "))\n");
}
