/* Where the names of imports lead: to a file of the workspace, and there to what it calls so. By the syntax tree of the
 * text as it is now, for a module is nothing that a kernel's facts have a place for. */
#include "driver/lsp/features.h"

#include "driver/lsp/names.h"

typedef struct {
    tri_workspace ws;
    tri_workspace_file *own;
    size_t offset;            /* of the cursor */
    tri_workspace_file *file; /* found; null: nothing yet */
    tri_str name;             /* in the file; empty: the file itself */
} trail;

static bool holds(tri_span at, size_t offset) { return at.begin <= offset && offset <= at.end; }

/* Follows `from m import name` to the file that makes the name, or that is the module m.name. */
static void follow_name(trail *t, const tri_workspace_file *from, const tri_ast_node *statement, tri_str name)
{
    for (int hops = 0; hops < 20; hops++) {
        tri_str module = statement->import_from.module;
        tri_workspace_file *file = tri_workspace_import(&t->ws, from, statement->import_from.level, module);
        if (!file || !tri_workspace_parse(&t->ws, file) || !tri_names_is_defined(t->ws.arena, file->ast, name)) {
            tri_str dotted = module.len ? tri_str_format(t->ws.arena, "%.*s.%.*s", TRI_STR_ARG(module),
                                                         TRI_STR_ARG(name))
                                        : name;
            t->file = tri_workspace_import(&t->ws, from, statement->import_from.level, dotted);
            return;
        }
        t->file = file;
        t->name = name;
        tri_names_import import;
        if (!tri_names_find_import(file->ast, name, &import) || import.statement->kind != TRI_AST_IMPORT_FROM)
            return;
        statement = import.statement;
        name = import.alias->alias.name;
        from = file;
    }
}

static void follow_import(trail *t, const tri_names_import *import, tri_str dotted)
{
    if (import->statement->kind == TRI_AST_IMPORT_FROM)
        follow_name(t, t->own, import->statement, import->alias->alias.name);
    else
        t->file = tri_workspace_import(&t->ws, t->own, 0, dotted);
}

/* Of a dotted name the part up to the end of the word under the cursor. */
static tri_str up_to_cursor(tri_str dotted, size_t begin, size_t offset)
{
    size_t at = offset > begin ? offset - begin : 0;
    while (at < dotted.len && dotted.data[at] != '.')
        at++;
    return tri_str_sub(dotted, 0, at);
}

static bool visit_alias(trail *t, const tri_ast_node *statement, const tri_ast_node *alias)
{
    tri_span imported = tri_names_imported_span(alias);
    if (!holds(alias->span, t->offset))
        return false;
    tri_str dotted = alias->alias.name;
    if (t->offset <= imported.end)
        dotted = up_to_cursor(dotted, imported.begin, t->offset);
    follow_import(t, &(tri_names_import){statement, alias}, dotted);
    return true;
}

static bool visit_import(const tri_ast_node *node, void *data)
{
    trail *t = data;
    tri_names_import import;
    const tri_ast_list *names = node->kind == TRI_AST_IMPORT        ? &node->list
                                : node->kind == TRI_AST_IMPORT_FROM ? &node->import_from.names
                                                                    : NULL;
    bool is_found = false;
    for (uint32_t i = 0; names && i < names->len && !is_found; i++)
        is_found = visit_alias(t, node, names->at[i]);
    if (node->kind == TRI_AST_IMPORT_FROM && !is_found && holds(node->span, t->offset)) {
        tri_str module = node->import_from.module; /* in front of the names */
        size_t begin = module.len ? (size_t)(module.data - node->span.source->text.data) : 0;
        if (module.len && begin <= t->offset && t->offset <= begin + module.len)
            module = up_to_cursor(module, begin, t->offset);
        t->file = tri_workspace_import(&t->ws, t->own, node->import_from.level, module);
    }
    if (node->kind == TRI_AST_NAME && holds(node->span, t->offset) &&
        tri_names_find_import(t->own->ast, tri_ast_text(node), &import)) {
        tri_str whole = import.alias->alias.name;
        follow_import(t, &import, import.alias->alias.asname.len ? whole : tri_ast_text(node));
    }
    return true;
}

static bool visit_made(const tri_ast_node *node, void *data)
{
    tri_names *names = data;
    bool is_class = node->kind == TRI_AST_CLASS, is_definition = is_class || node->kind == TRI_AST_FUNCTION;
    if (is_definition && tri_str_equal(is_class ? node->class_.name : node->function.name, names->name))
        tri_names_add(names, tri_ast_name_span(node));
    for (uint32_t i = 0; node->kind == TRI_AST_ASSIGN && i < node->assign.targets.len; i++) {
        const tri_ast_node *target = node->assign.targets.at[i];
        if (target->kind == TRI_AST_NAME && tri_str_equal(tri_ast_text(target), names->name))
            tri_names_add(names, target->span);
    }
    return !is_definition;
}

bool tri_features_follow_import(tri_lsp_request *r, tri_buf *out)
{
    trail t = {.offset = r->offset};
    tri_workspace_init(&t.ws, r->arena, r->documents, r->folders);
    t.own = tri_workspace_find(&t.ws, tri_str_from(r->document->path));
    const tri_ast_module *ast = t.own ? tri_workspace_parse(&t.ws, t.own) : NULL;
    for (uint32_t i = 0; ast && i < ast->body.len && !t.file; i++)
        tri_ast_walk(ast->body.at[i], visit_import, &t);
    if (t.file) {
        tri_names made = {.arena = r->arena, .name = t.name};
        const tri_ast_module *there = t.name.len ? tri_workspace_parse(&t.ws, t.file) : NULL;
        for (uint32_t i = 0; there && i < there->body.len; i++)
            tri_ast_walk(there->body.at[i], visit_made, &made);
        tri_span place = made.places.len ? made.places.at[0] : (tri_span){0};
        tri_buf_add_z(out, "{\"uri\": ");
        tri_buf_add_json(out, t.file->uri);
        tri_buf_add_z(out, ", ");
        tri_features_add_range(t.file->text, place.begin, place.end, out);
        tri_buf_add_char(out, '}');
    }
    tri_workspace_fini(&t.ws);
    return t.file != NULL;
}
