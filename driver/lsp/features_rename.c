/* Renaming and references: by the syntax tree of the text as it is now. A name belongs to the function that binds it,
 * else to the file; keyword arguments of calls in the file follow a function's parameter. */
#include "driver/lsp/features.h"

#include "base/file.h"
#include "frontend/syntax/ast.h"

#include <ctype.h>

typedef struct {
    tri_arena *arena;
    tri_ast_module *ast;
    tri_str name;
    const tri_ast_node *function; /* whose name it is; null: the file's */
    size_t offset;
    bool is_found; /* a name, and not a part of a string or comment, stands at `offset` */
    bool is_bound; /* by the function that is looked at */
    bool is_param;
    TRI_VEC(tri_span) places;
} search;

static void add_place_of(search *s, tri_span at)
{
    for (size_t i = 0; i < s->places.len; i++)
        if (s->places.at[i].begin == at.begin)
            return;
    tri_vec_push(s->arena, &s->places, at);
    s->is_found = s->is_found || (at.begin <= s->offset && s->offset <= at.end);
}

static bool is_target_name(const tri_ast_node *t, tri_str name)
{
    if (t->kind == TRI_AST_NAME)
        return tri_str_equal(t->name, name);
    bool found = false;
    for (uint32_t i = 0; (t->kind == TRI_AST_TUPLE || t->kind == TRI_AST_LIST) && i < t->list.len; i++)
        found = found || is_target_name(t->list.at[i], name);
    return found;
}

static bool visit_binding(const tri_ast_node *node, void *data)
{
    search *s = data;
    bool is_bound = false;
    if (node->kind == TRI_AST_PARAM)
        is_bound = s->is_param = s->is_param || tri_str_equal(node->param.name, s->name);
    else if (node->kind == TRI_AST_ASSIGN)
        for (uint32_t i = 0; i < node->assign.targets.len; i++)
            is_bound = is_bound || is_target_name(node->assign.targets.at[i], s->name);
    else if (node->kind == TRI_AST_AUG_ASSIGN)
        is_bound = is_target_name(node->aug_assign.target, s->name);
    else if (node->kind == TRI_AST_ANN_ASSIGN)
        is_bound = is_target_name(node->ann_assign.target, s->name);
    else if (node->kind == TRI_AST_FOR)
        is_bound = is_target_name(node->for_.target, s->name);
    else if (node->kind == TRI_AST_WALRUS)
        is_bound = is_target_name(node->assign_to.target, s->name);
    s->is_bound = s->is_bound || is_bound;
    return true;
}

static bool binds_name(search *s, const tri_ast_node *function)
{
    s->is_bound = s->is_param = false;
    for (uint32_t i = 0; i < function->function.params.len; i++)
        visit_binding(function->function.params.at[i], s);
    for (uint32_t i = 0; i < function->function.body.len; i++)
        tri_ast_walk(function->function.body.at[i], visit_binding, s);
    return s->is_bound;
}

/* The innermost function around the place that binds the name. */
static bool visit_owner(const tri_ast_node *node, void *data)
{
    search *s = data;
    if (node->kind == TRI_AST_FUNCTION && node->span.begin <= s->offset && s->offset <= node->span.end &&
        binds_name(s, node))
        s->function = node;
    return true;
}

static bool visit_use(const tri_ast_node *node, void *data)
{
    search *s = data;
    if (node->kind == TRI_AST_FUNCTION) {
        if (!s->function && tri_str_equal(node->function.name, s->name))
            add_place_of(s, tri_ast_name_span(node));
        return node == s->function || !binds_name(s, node); /* another one's own name */
    }
    if (node->kind == TRI_AST_NAME && tri_str_equal(node->name, s->name))
        add_place_of(s, node->span);
    else if (node->kind == TRI_AST_PARAM && s->function && tri_str_equal(node->param.name, s->name))
        add_place_of(s, tri_ast_name_span(node));
    else if (node->kind == TRI_AST_CLASS && !s->function && tri_str_equal(node->class_.name, s->name))
        add_place_of(s, tri_ast_name_span(node));
    return true;
}

/* f(x=...) and f[grid](x=...) of the function whose parameter is looked for. */
static bool visit_call(const tri_ast_node *node, void *data)
{
    search *s = data;
    if (node->kind != TRI_AST_CALL)
        return true;
    const tri_ast_node *callee = node->call.func;
    if (callee->kind == TRI_AST_SUBSCRIPT)
        callee = callee->subscript.value;
    if (callee->kind != TRI_AST_NAME || !tri_str_equal(callee->name, s->function->function.name))
        return true;
    for (uint32_t i = 0; i < node->call.keywords.len; i++)
        if (tri_str_equal(node->call.keywords.at[i]->keyword.name, s->name))
            add_place_of(s, tri_ast_name_span(node->call.keywords.at[i]));
    return true;
}

static void walk_text(search *s, bool (*visit)(const tri_ast_node *, void *))
{
    for (uint32_t i = 0; i < s->ast->body.len; i++)
        tri_ast_walk(s->ast->body.at[i], visit, s);
}

/* Every place of the name under the cursor; false with the request's error. */
static bool find_places(tri_lsp_request *r, tri_diag *diag, search *s)
{
    size_t begin;
    s->arena = r->arena;
    s->name = tri_document_word(r->text, r->offset, &begin);
    s->offset = begin;
    tri_diag_set_format(diag, TRI_DIAG_SILENT);
    s->ast = tri_parser_parse(r->arena, diag, tri_diag_add_source(diag, TRI_STR("text"), r->text));
    if (!s->ast) {
        r->error = "the text has syntax errors";
        return false;
    }
    walk_text(s, visit_owner);
    if (s->function)
        tri_ast_walk(s->function, visit_use, s);
    else
        walk_text(s, visit_use);
    if (s->function && (binds_name(s, s->function), s->is_param))
        walk_text(s, visit_call);
    if (!s->is_found)
        r->error = "there is no name of this file here";
    return s->is_found;
}

static bool is_identifier(tri_str name)
{
    static const char *const keywords[] = {"False",  "None",   "True",    "and",      "as",       "assert", "async",
                                           "await",  "break",  "class",   "continue", "def",      "del",    "elif",
                                           "else",   "except", "finally", "for",      "from",     "global", "if",
                                           "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
                                           "pass",   "raise",  "return",  "try",      "while",    "with",   "yield"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (tri_str_is(name, keywords[i]))
            return false;
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.data[i];
        if (!isalpha(c) && c != '_' && c < 0x80 && !(i && isdigit(c)))
            return false;
    }
    return name.len > 0;
}

void tri_features_rename(tri_lsp_request *r, tri_buf *out)
{
    tri_str name = tri_json_string(r->params, "newName");
    tri_diag *diag = tri_diag_create();
    search s = {0};
    if (!is_identifier(name))
        r->error = "the new name is no identifier";
    else if (find_places(r, diag, &s)) {
        tri_buf_add_z(out, "{\"changes\": {");
        tri_buf_add_json(out, tri_str_from(r->document->uri));
        tri_buf_add_z(out, ": [");
        for (size_t i = 0; i < s.places.len; i++) {
            tri_buf_add_z(out, i ? ",\n{" : "{");
            tri_features_add_range(r->text, s.places.at[i].begin, s.places.at[i].end, out);
            tri_buf_add_z(out, ", \"newText\": ");
            tri_buf_add_json(out, name);
            tri_buf_add_char(out, '}');
        }
        tri_buf_add_z(out, "]}}");
    }
    tri_diag_destroy(diag);
}

void tri_features_prepare_rename(tri_lsp_request *r, tri_buf *out)
{
    tri_diag *diag = tri_diag_create();
    search s = {0};
    if (find_places(r, diag, &s)) {
        tri_buf_add_char(out, '{');
        tri_features_add_range(r->text, s.offset, s.offset + s.name.len, out);
        tri_buf_add_z(out, ", \"placeholder\": ");
        tri_buf_add_json(out, s.name);
        tri_buf_add_char(out, '}');
    } else {
        r->error = NULL;
        tri_buf_add_z(out, "null");
    }
    tri_diag_destroy(diag);
}

void tri_features_references(tri_lsp_request *r, tri_buf *out)
{
    tri_diag *diag = tri_diag_create();
    search s = {0};
    tri_buf_add_char(out, '[');
    bool ok = find_places(r, diag, &s);
    r->error = NULL;
    for (size_t i = 0; ok && i < s.places.len; i++) {
        tri_buf_add_z(out, i ? ",\n{\"uri\": " : "{\"uri\": ");
        tri_buf_add_json(out, tri_str_from(r->document->uri));
        tri_buf_add_z(out, ", ");
        tri_features_add_range(r->text, s.places.at[i].begin, s.places.at[i].end, out);
        tri_buf_add_char(out, '}');
    }
    tri_buf_add_char(out, ']');
    tri_diag_destroy(diag);
}
