/* -emit=ast and -x ast. The tree is a function of the source, so the text holds both: the tree for
 * people, the source to read it back from; reading checks that the one still belongs to the other. */
#include "frontend/ast_fields.h"

enum { code_malformed = 2026 };

static const char source_mark[] = "source ";

typedef struct {
    const tri_source *source;
    tri_buf *out;
} printer;

static void print_node(const printer *p, const tri_ast_node *node, int depth, const char *label);

static void print_place(const printer *p, uint32_t offset)
{
    uint32_t line, column;
    tri_source_position(p->source, offset, &line, &column);
    tri_buf_format(p->out, "%u:%u", line, column);
}

/* Field `f` when it fits on the node's own line; absent ones leave nothing. */
static void print_scalar(const printer *p, const tri_ast_node *node, const tri_field_list *fields, int f)
{
    const tri_field *field = &fields->at[f];
    const void *at = tri_field_address(node, field);
    const char *label = field->label ? field->label : "", *colon = field->label ? "=" : "";
    switch ((tri_field_type)field->type) {
    case TRI_FIELD_STR:
        tri_buf_format(p->out, " %s%s", label, colon);
        tri_buf_add_json(p->out, *(const tri_str *)at);
        break;
    case TRI_FIELD_INTEGER: tri_buf_format(p->out, " %.*s", TRI_STR_ARG(node->integer.text)); break;
    case TRI_FIELD_REAL: tri_buf_format(p->out, " %.*s", TRI_STR_ARG(node->real.text)); break;
    case TRI_FIELD_OP: tri_buf_format(p->out, " %s", tri_ast_op_text(*(const tri_ast_op *)at)); break;
    case TRI_FIELD_OPS: {
        const tri_ast_list *list = tri_field_address(node, &fields->at[f - 1]);
        for (uint32_t i = 0; i < list->len; i++)
            tri_buf_format(p->out, " %s", tri_ast_op_text((*(const tri_ast_op *const *)at)[i]));
        break;
    }
    case TRI_FIELD_FLAG:
        if (*(const bool *)at)
            tri_buf_format(p->out, " %s", label);
        break;
    case TRI_FIELD_NUMBER:
    case TRI_FIELD_CHOICE:
        if (*(const uint32_t *)at)
            tri_buf_format(p->out, " %s%s%u", label, colon, *(const uint32_t *)at);
        break;
    case TRI_FIELD_PLACE:
        tri_buf_format(p->out, " %s%s", label, colon);
        print_place(p, *(const uint32_t *)at);
        break;
    case TRI_FIELD_NODE:
    case TRI_FIELD_OPTIONAL:
    case TRI_FIELD_LIST: break;
    }
}

static void print_children(const printer *p, const tri_ast_node *node, const tri_field *field, int depth)
{
    const void *at = tri_field_address(node, field);
    if (field->type == TRI_FIELD_LIST) {
        const tri_ast_list *list = at;
        for (uint32_t i = 0; i < list->len; i++)
            print_node(p, list->at[i], depth, field->label);
    } else if ((field->type == TRI_FIELD_NODE || field->type == TRI_FIELD_OPTIONAL) && *(tri_ast_node *const *)at) {
        print_node(p, *(tri_ast_node *const *)at, depth, field->label);
    }
}

static void print_node(const printer *p, const tri_ast_node *node, int depth, const char *label)
{
    const tri_field_list *fields = &tri_ast_fields[node->kind];
    tri_buf_format(p->out, "\n%*s%s%s(%s ", 2 * depth, "", label ? label : "", label ? ": " : "", tri_ast_kind_text(node->kind));
    print_place(p, node->span.begin);
    tri_buf_add_char(p->out, '-');
    print_place(p, node->span.end);
    for (int f = 0; f < fields->count; f++)
        print_scalar(p, node, fields, f);
    for (int f = 0; f < fields->count; f++)
        print_children(p, node, &fields->at[f], depth + 1);
    tri_buf_add_char(p->out, ')');
}

void tri_ast_print(const tri_ast_module *module, tri_buf *out)
{
    printer p = {module->source, out};
    tri_buf_add_z(out, "(module");
    for (uint32_t i = 0; i < module->body.len; i++)
        print_node(&p, module->body.at[i], 1, NULL);
    tri_buf_format(out, ")\n%s%zu ", source_mark, module->source->text.len);
    tri_buf_add_str(out, module->source->name);
    tri_buf_add_char(out, '\n');
    tri_buf_add_str(out, module->source->text);
}

/* The line "source BYTES NAME" behind the tree; strings of the tree hold no line ends. */
static bool find_source(tri_str text, tri_str *out_tree, tri_str *out_name, tri_str *out_source)
{
    size_t mark = strlen(source_mark);
    for (size_t i = 0; i + mark < text.len; i++) {
        if (text.data[i] != '\n' || memcmp(text.data + i + 1, source_mark, mark) != 0)
            continue;
        tri_str line = tri_str_sub(text, i + 1 + mark, text.len);
        tri_str rest = tri_str_sub(line, tri_str_find(line, '\n'), line.len);
        line = tri_str_sub(line, 0, line.len - rest.len);
        size_t space = tri_str_find(line, ' ');
        int64_t size;
        if (!rest.len || space == line.len || !tri_str_to_i64(tri_str_sub(line, 0, space), &size))
            return false;
        *out_tree = tri_str_sub(text, 0, i + 1);
        *out_name = tri_str_sub(line, space + 1, line.len);
        *out_source = tri_str_sub(rest, 1, rest.len);
        return size >= 0 && (size_t)size == out_source->len;
    }
    return false;
}

/* Where the texts part, for the message. */
static uint32_t first_difference(tri_str a, tri_str b)
{
    size_t i = 0;
    while (i < a.len && i < b.len && a.data[i] == b.data[i])
        i++;
    return (uint32_t)i;
}

tri_ast_module *tri_ast_read(tri_arena *arena, tri_diag *diag, const tri_source *text)
{
    tri_str tree, name, source;
    if (!find_source(text->text, &tree, &name, &source)) {
        tri_diag_error(diag, (tri_span){text, 0, 1}, code_malformed,
                       "the ast text does not end with its source, as -emit=ast writes it");
        return NULL;
    }
    tri_ast_module *module = tri_parser_parse(arena, diag, tri_diag_add_source(diag, name, source));
    if (!module)
        return NULL;
    tri_buf again = {0};
    tri_ast_print(module, &again);
    uint32_t at = first_difference(text->text, tri_buf_str(&again));
    bool is_same = at == text->text.len && at == again.len;
    tri_buf_fini(&again);
    if (is_same)
        return module;
    tri_diag_error(diag, (tri_span){text, at, at + 1}, code_malformed,
                   "the tree is not that of the source behind it; edit the source and leave the tree to the parser");
    return NULL;
}
