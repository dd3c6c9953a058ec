#include "driver/lsp/names.h"

void tri_names_add(tri_names *s, tri_span at)
{
    for (size_t i = 0; i < s->places.len; i++)
        if (s->places.at[i].begin == at.begin)
            return;
    tri_vec_push(s->arena, &s->places, at);
}

bool tri_names_holds_offset(const tri_names *s)
{
    for (size_t i = 0; i < s->places.len; i++)
        if (s->places.at[i].begin <= s->offset && s->offset <= s->places.at[i].end)
            return true;
    return false;
}

/* --- imports --------------------------------------------------------------------------------- */

/* The name that an alias gives. */
static tri_str bound_name(const tri_ast_node *alias)
{
    if (alias->alias.asname.len)
        return alias->alias.asname;
    return tri_str_sub(alias->alias.name, 0, tri_str_find(alias->alias.name, '.'));
}

tri_span tri_names_imported_span(const tri_ast_node *alias)
{
    tri_span at = alias->span;
    at.end = at.begin + (uint32_t)alias->alias.name.len;
    return at;
}

static tri_span asname_span(const tri_ast_node *alias)
{
    tri_span at = alias->span;
    at.begin = at.end - (uint32_t)alias->alias.asname.len;
    return at;
}

typedef struct {
    tri_str name;
    tri_names_import *out;
    bool is_found;
} import_search;

static bool visit_import(const tri_ast_node *node, void *data)
{
    import_search *s = data;
    const tri_ast_list *names = node->kind == TRI_AST_IMPORT        ? &node->list
                                : node->kind == TRI_AST_IMPORT_FROM ? &node->import_from.names
                                                                    : NULL;
    for (uint32_t i = 0; names && i < names->len; i++)
        if (tri_str_equal(bound_name(names->at[i]), s->name)) {
            *s->out = (tri_names_import){node, names->at[i]};
            s->is_found = true;
        }
    return true;
}

static void walk_text(const tri_ast_module *ast, bool (*visit)(const tri_ast_node *, void *), void *data)
{
    for (uint32_t i = 0; i < ast->body.len; i++)
        tri_ast_walk(ast->body.at[i], visit, data);
}

bool tri_names_find_import(const tri_ast_module *ast, tri_str name, tri_names_import *out)
{
    import_search s = {name, out, false};
    walk_text(ast, visit_import, &s);
    return s.is_found;
}

/* --- what binds a name ----------------------------------------------------------------------- */

static bool is_target_name(const tri_ast_node *t, tri_str name)
{
    if (t->kind == TRI_AST_NAME)
        return tri_str_equal(tri_ast_text(t), name);
    bool found = false;
    for (uint32_t i = 0; (t->kind == TRI_AST_TUPLE || t->kind == TRI_AST_LIST) && i < t->list.len; i++)
        found = found || is_target_name(t->list.at[i], name);
    return found;
}

static bool visit_binding(const tri_ast_node *node, void *data)
{
    tri_names *s = data;
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
    else if (node->kind == TRI_AST_ALIAS)
        is_bound = tri_str_equal(bound_name(node), s->name);
    s->is_bound = s->is_bound || is_bound;
    return true;
}

static bool binds_name(tri_names *s, const tri_ast_node *function)
{
    s->is_bound = s->is_param = false;
    for (uint32_t i = 0; i < function->function.params.len; i++)
        visit_binding(function->function.params.at[i], s);
    for (uint32_t i = 0; i < function->function.body.len; i++)
        tri_ast_walk(function->function.body.at[i], visit_binding, s);
    return s->is_bound;
}

static bool visit_definition(const tri_ast_node *node, void *data)
{
    tri_names *s = data;
    if (node->kind == TRI_AST_FUNCTION || node->kind == TRI_AST_CLASS) {
        tri_str name = node->kind == TRI_AST_CLASS ? node->class_.name : node->function.name;
        s->is_bound = s->is_bound || tri_str_equal(name, s->name);
        return false;
    }
    return visit_binding(node, data);
}

bool tri_names_is_defined(tri_arena *arena, const tri_ast_module *ast, tri_str name)
{
    tri_names s = {.arena = arena, .ast = ast, .name = name};
    walk_text(ast, visit_definition, &s);
    return s.is_bound;
}

static bool visit_owner(const tri_ast_node *node, void *data)
{
    tri_names *s = data;
    if (node->kind == TRI_AST_FUNCTION && node->span.begin <= s->offset && s->offset <= node->span.end &&
        binds_name(s, node))
        s->function = node;
    return true;
}

void tri_names_find_owner(tri_names *s)
{
    s->function = NULL;
    walk_text(s->ast, visit_owner, s);
    if (s->function)
        binds_name(s, s->function);
    else
        s->is_param = false;
}

/* --- places ---------------------------------------------------------------------------------- */

static void add_alias(tri_names *s, const tri_ast_node *alias)
{
    if (!tri_str_equal(bound_name(alias), s->name))
        return;
    if (alias->alias.asname.len)
        tri_names_add(s, asname_span(alias));
    else if (alias->alias.name.len == s->name.len)
        tri_names_add(s, tri_names_imported_span(alias));
}

static bool visit_use(const tri_ast_node *node, void *data)
{
    tri_names *s = data;
    if (node->kind == TRI_AST_FUNCTION) {
        if (!s->function && tri_str_equal(node->function.name, s->name))
            tri_names_add(s, tri_ast_name_span(node));
        return node == s->function || !binds_name(s, node); /* another one's own name */
    }
    if (node->kind == TRI_AST_NAME && tri_str_equal(tri_ast_text(node), s->name))
        tri_names_add(s, node->span);
    else if (node->kind == TRI_AST_PARAM && s->function && tri_str_equal(node->param.name, s->name))
        tri_names_add(s, tri_ast_name_span(node));
    else if (node->kind == TRI_AST_CLASS && !s->function && tri_str_equal(node->class_.name, s->name))
        tri_names_add(s, tri_ast_name_span(node));
    else if (node->kind == TRI_AST_ALIAS)
        add_alias(s, node);
    return true;
}

void tri_names_add_uses(tri_names *s)
{
    if (s->function)
        tri_ast_walk(s->function, visit_use, s);
    else
        walk_text(s->ast, visit_use, s);
}
