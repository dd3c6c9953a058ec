/* Every jit function of a file, wherever it is defined. */
#include "frontend/host/scope.h"

typedef struct {
    tri_scope *scope;
    tri_function_list *out;
    tri_map *seen; /* nodes of what is in `out`, but for other names */
} collector;

/* Of several definitions of a name the file's last active one counts. */
static bool is_current(tri_scope *scope, const tri_ast_node *node)
{
    tri_global g = {0};
    tri_failure ignored = {0};
    tri_lookup found = tri_scope_find_here(scope, node->function.name, UINT32_MAX, &g, &ignored);
    return found != TRI_LOOKUP_FOUND || g.value->kind != TRI_VALUE_FUNCTION || g.value->function->node == node;
}

/* False where the value is no kernel. */
static bool add_kernel(collector *c, const tri_value *v)
{
    if (!v || v->kind != TRI_VALUE_FUNCTION || v->function->kind != TRI_FUNCTION_JIT)
        return false;
    if (tri_map_find_ptr(c->seen, v->function->node))
        return true;
    if (!v->function->is_alias)
        tri_map_set_ptr(c->seen, v->function->node, c->out);
    tri_vec_push(c->scope->module->all->arena, c->out, v->function);
    return true;
}

static bool is_jit(const tri_value *v)
{
    return v && v->kind == TRI_VALUE_BUILTIN && tri_str_is(v->string, "triton.jit");
}

/* `x = triton.jit(f)`, `x = triton.autotune(...)(f)` */
static void collect_assigned(collector *c, const tri_ast_node *target, const tri_ast_node *value)
{
    const tri_value *alias =
        target->kind == TRI_AST_NAME ? tri_scope_define_alias(c->scope, tri_ast_text(target), value) : NULL;
    if (alias)
        tri_vec_push(c->scope->module->all->arena, c->out, alias->function);
    if (value->kind != TRI_AST_CALL || value->call.args.len != 1)
        return;
    tri_failure ignored = {0};
    if (is_jit(tri_host_eval_at(c->scope, value->call.func, value->span.begin, &ignored)))
        add_kernel(c, tri_host_eval_at(c->scope, value, value->span.begin, &ignored));
}

static void collect_child(const tri_ast_node *node, void *data)
{
    collector *c = data;
    collector inner = *c;
    bool is_kernel = false;
    switch (node->kind) {
    case TRI_AST_FUNCTION:
        if (node->function.decorators.len)
            is_kernel = !is_current(c->scope, node) || add_kernel(c, tri_scope_define_function(c->scope, node));
        if (is_kernel) /* or lost its name: nothing is defined in it, and most of a file is in kernels */
            return;
        inner.scope = tri_scope_of(c->scope, node);
        for (uint32_t i = 0; i < node->function.body.len; i++)
            collect_child(node->function.body.at[i], &inner);
        return;
    case TRI_AST_CLASS:
        inner.scope = tri_scope_of(c->scope, node);
        for (uint32_t i = 0; i < node->class_.body.len; i++)
            collect_child(node->class_.body.at[i], &inner);
        return;
    case TRI_AST_ASSIGN: collect_assigned(c, node->assign.targets.at[0], node->assign.value); return;
    case TRI_AST_IF: case TRI_AST_TRY: case TRI_AST_WITH: case TRI_AST_FOR: case TRI_AST_WHILE: case TRI_AST_HANDLER:
        tri_ast_each_child(node, collect_child, c);
        return;
    default: return;
    }
}

void tri_module_kernels(tri_module *module, tri_function_list *out_functions)
{
    tri_map seen;
    tri_map_init(&seen, module->all->arena);
    collector c = {module->scope, out_functions, &seen};
    for (uint32_t i = 0; module->ast && i < module->ast->body.len; i++)
        collect_child(module->ast->body.at[i], &c);
}
