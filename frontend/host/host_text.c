/* Values written on the command line: -DNAME=VALUE and constants in -sig. */
#include "frontend/host/host_eval.h"

#include "frontend/kernel/types.h"

typedef struct {
    tri_scope *scope;
    const tri_ast_node *unknown; /* a name that is neither a literal's nor the file's */
} name_check;

static bool check_name(const tri_ast_node *node, void *data)
{
    name_check *check = data;
    tri_global g;
    tri_failure ignored = {0};
    if (node->kind == TRI_AST_NAME && !check->unknown && !tri_library_is_host_builtin(tri_ast_text(node)) &&
        tri_scope_find(check->scope, tri_ast_text(node), UINT32_MAX, &g, &ignored) == TRI_LOOKUP_ABSENT)
        check->unknown = node;
    return true;
}

const tri_value *tri_host_eval_text(tri_scope *scope, tri_str what, tri_str text)
{
    tri_modules *all = scope->module->all;
    const tri_type *type = tri_types_parse(all->arena, text);
    if (type)
        return tri_value_dtype(all->arena, type);
    size_t from = tri_str_find(what, '=');
    const tri_source *source = tri_diag_add_source(all->diag, tri_str_sub(what, 0, from), text);
    if (tri_str_trim(text).len == 0) {
        tri_diag_error(all->diag, (tri_span){source, 0, 0}, 3035, "'%.*s' has no value", TRI_STR_ARG(what));
        return NULL;
    }
    const tri_ast_module *module = tri_parser_parse(all->arena, all->diag, source);
    if (!module)
        return NULL;
    if (module->body.len != 1 || module->body.at[0]->kind != TRI_AST_EXPR) {
        tri_diag_error(all->diag, (tri_span){source, 0, (uint32_t)text.len}, 3035, "'%.*s' is not an expression",
                       TRI_STR_ARG(text));
        return NULL;
    }
    const tri_ast_node *expr = module->body.at[0]->value;
    name_check check = {scope, NULL};
    tri_ast_walk(expr, check_name, &check);
    if (check.unknown) {
        tri_str name = tri_ast_text(check.unknown);
        tri_diag_error(all->diag, check.unknown->span, 3035,
                       "'%.*s' is no Python literal, no dtype, and no name of the file", TRI_STR_ARG(name));
        tri_diag_note(all->diag, TRI_NO_SPAN, "quote it to give a string: \"'%.*s'\"", TRI_STR_ARG(name));
        return NULL;
    }
    tri_failure failure = {0};
    const tri_value *v = tri_host_eval_at(scope, expr, UINT32_MAX, &failure);
    if (!v) {
        tri_diag_error(all->diag, expr->span, 3035, "this value cannot be computed");
        tri_diag_note(all->diag, failure.at, "%.*s", TRI_STR_ARG(failure.why));
    }
    return v;
}
