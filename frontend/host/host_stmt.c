/* Statements of simple host functions. */
#include "frontend/host/host_eval.h"

static tri_host_flow run_one(tri_host *h, tri_host_frame *f, const tri_ast_node *node);

tri_host_flow tri_host_stmt_run(tri_host *h, tri_host_frame *f, tri_ast_list body)
{
    tri_host_flow flow = TRI_HOST_NEXT;
    h->all->level++;
    for (uint32_t i = 0; i < body.len && flow == TRI_HOST_NEXT; i++)
        flow = run_one(h, f, body.at[i]);
    h->all->level--;
    return flow;
}

static tri_host_flow failed(tri_host *h, const tri_ast_node *node, const char *what)
{
    tri_host_fail(h, node->span, "%s is not evaluated while compiling", what);
    return TRI_HOST_FAILED;
}

static tri_host_flow truth(tri_host *h, tri_host_frame *f, const tri_ast_node *test, bool *out_truth)
{
    const tri_value *v = tri_host_expr(h, f, test);
    if (!v)
        return TRI_HOST_FAILED;
    if (v->kind == TRI_VALUE_EXTERNAL) {
        tri_host_fail(h, test->span, "'%.*s' has no value while compiling", TRI_STR_ARG(v->string));
        return TRI_HOST_FAILED;
    }
    *out_truth = tri_value_truth(v);
    return TRI_HOST_NEXT;
}

static tri_host_flow run_if(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    bool is_true = false;
    for (;;) { /* a chain of elif without recursion */
        if (truth(h, f, node->conditional_stmt.test, &is_true) == TRI_HOST_FAILED)
            return TRI_HOST_FAILED;
        tri_ast_list orelse = node->conditional_stmt.orelse;
        if (is_true)
            return tri_host_stmt_run(h, f, node->conditional_stmt.body);
        if (orelse.len != 1 || orelse.at[0]->kind != TRI_AST_IF)
            return tri_host_stmt_run(h, f, orelse);
        node = orelse.at[0];
    }
}

static tri_host_flow run_for(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    const tri_value *iter = tri_host_expr(h, f, node->for_.iter);
    tri_value_list items = {0};
    if (!iter || !tri_host_items(h, iter, node->for_.iter->span, &items))
        return TRI_HOST_FAILED;
    for (uint32_t i = 0; i < items.len; i++) {
        if (!tri_host_assign(h, f, node->for_.target, items.at[i]))
            return TRI_HOST_FAILED;
        tri_host_flow flow = tri_host_stmt_run(h, f, node->for_.body);
        if (flow == TRI_HOST_BREAK)
            return TRI_HOST_NEXT;
        if (flow == TRI_HOST_RETURN || flow == TRI_HOST_FAILED)
            return flow;
    }
    return tri_host_stmt_run(h, f, node->for_.orelse);
}

static tri_host_flow run_while(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    for (;;) {
        bool is_true = false;
        if (truth(h, f, node->while_.test, &is_true) == TRI_HOST_FAILED)
            return TRI_HOST_FAILED;
        if (!is_true)
            return tri_host_stmt_run(h, f, node->while_.orelse);
        tri_host_flow flow = tri_host_stmt_run(h, f, node->while_.body);
        if (flow == TRI_HOST_BREAK)
            return TRI_HOST_NEXT;
        if (flow == TRI_HOST_RETURN || flow == TRI_HOST_FAILED)
            return flow;
    }
}

static bool is_raised(const tri_host *h, tri_host_flow flow)
{
    return flow == TRI_HOST_FAILED && h->is_exception && !h->all->budget.is_spent;
}

/* Runs statements; what they fail with is noted in `out_inner`. */
static tri_host_flow run_aside(tri_host *h, tri_host_frame *f, tri_ast_list body, tri_failure *out_inner)
{
    tri_failure *outer = h->failure;
    h->failure = out_inner;
    h->is_exception = false;
    tri_host_flow flow = tri_host_stmt_run(h, f, body);
    h->failure = outer;
    return flow;
}

static tri_host_flow run_handler(tri_host *h, tri_host_frame *f, const tri_ast_node *handler, tri_failure *out_inner)
{
    const tri_value *class = h->handled_class, *object = h->handled;
    h->handled_class = h->exception_class;
    if (!h->exception && h->exception_class && h->exception_class->kind == TRI_VALUE_BUILTIN)
        h->exception = tri_value_object_create(h->arena, tri_str_copy(h->arena, h->exception_class->string).data);
    h->handled = h->exception;
    if (handler->handler.name.len)
        tri_map_set(&f->locals, handler->handler.name,
                    (void *)(uintptr_t)(h->exception ? h->exception
                                                     : tri_value_external(h->arena, handler->handler.name)));
    *out_inner = (tri_failure){0};
    tri_host_flow flow = run_aside(h, f, handler->handler.body, out_inner);
    h->handled_class = class;
    h->handled = object;
    return flow;
}

/* What Python would raise goes to the first handler that takes it; what only we cannot evaluate does not. */
static tri_host_flow run_try(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    tri_failure inner = {0};
    tri_host_flow flow = run_aside(h, f, node->try_.body, &inner);
    if (flow == TRI_HOST_NEXT)
        flow = run_aside(h, f, node->try_.orelse, &inner);
    else if (is_raised(h, flow))
        for (uint32_t i = 0; i < node->try_.handlers.len; i++) {
            bool is_taken;
            if (!tri_host_exception_is_taken(h, f, node->try_.handlers.at[i], &is_taken))
                return TRI_HOST_FAILED;
            if (is_taken) {
                flow = run_handler(h, f, node->try_.handlers.at[i], &inner);
                break;
            }
        }
    const tri_value *class = h->exception_class, *object = h->exception;
    bool is_pending = is_raised(h, flow);
    tri_host_flow last = flow != TRI_HOST_FAILED || is_pending ? tri_host_stmt_run(h, f, node->try_.final)
                                                               : TRI_HOST_NEXT;
    if (last != TRI_HOST_NEXT)
        return last;
    h->is_exception = is_pending;
    h->exception_class = class;
    h->exception = object;
    if (flow == TRI_HOST_FAILED && !h->failure->why.len)
        *h->failure = inner;
    return flow;
}

static tri_host_flow bind_import(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    bool is_from = node->kind == TRI_AST_IMPORT_FROM, exists = true;
    tri_ast_list names = is_from ? node->import_from.names : node->list;
    for (uint32_t i = 0; i < names.len; i++) {
        const tri_ast_node *alias = names.at[i];
        tri_str name = alias->alias.name;
        tri_str top = tri_str_sub(name, 0, tri_str_find(name, '.'));
        const tri_value *v;
        if (is_from) {
            v = tri_module_import(f->scope->module, node->import_from.level, node->import_from.module, &exists,
                                  h->failure);
            tri_global g = {0};
            if (v && exists)
                v = tri_module_member(v, f->scope->module, name, &g, h->failure) == TRI_LOOKUP_FOUND ? g.value : NULL;
        } else {
            v = tri_module_import(f->scope->module, 0, alias->alias.asname.len ? name : top, &exists, h->failure);
        }
        if (!v || !exists) {
            tri_host_raise(h, is_from && exists ? "ImportError" : "ModuleNotFoundError");
            tri_host_fail(h, alias->span, "'%.*s' cannot be imported", TRI_STR_ARG(name));
            return TRI_HOST_FAILED;
        }
        tri_str bound = alias->alias.asname.len ? alias->alias.asname : is_from ? name : top;
        tri_map_set(&f->locals, bound, (void *)(uintptr_t)v);
    }
    return TRI_HOST_NEXT;
}

static tri_host_flow run_assign(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    const tri_value *v = tri_host_expr(h, f, node->assign.value);
    for (uint32_t i = 0; v && i < node->assign.targets.len; i++)
        if (!tri_host_assign(h, f, node->assign.targets.at[i], v))
            return TRI_HOST_FAILED;
    return v ? TRI_HOST_NEXT : TRI_HOST_FAILED;
}

static tri_host_flow run_aug_assign(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    const tri_value *before = tri_host_expr(h, f, node->aug_assign.target);
    const tri_value *by = before ? tri_host_expr(h, f, node->aug_assign.value) : NULL;
    if (!by)
        return TRI_HOST_FAILED;
    tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
    const tri_value *v = tri_value_binary(&ops, node->aug_assign.op, before, by);
    return tri_host_check(h, &ops, v, node->span) && tri_host_assign(h, f, node->aug_assign.target, v)
               ? TRI_HOST_NEXT : TRI_HOST_FAILED;
}

static tri_host_flow run_assert(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    bool is_true = false;
    if (truth(h, f, node->assert_.test, &is_true) == TRI_HOST_FAILED)
        return TRI_HOST_FAILED;
    if (is_true)
        return TRI_HOST_NEXT;
    tri_host_args args = {0};
    tri_failure *outer = h->failure, ignored = {0}; /* what it says may be beyond this evaluator */
    h->failure = &ignored;
    const tri_value *text = node->assert_.message ? tri_host_expr(h, f, node->assert_.message) : NULL;
    h->failure = outer;
    if (text)
        tri_vec_push(h->arena, &args.at, (tri_host_arg){{0}, text});
    tri_host_raise(h, "AssertionError");
    if (text || !node->assert_.message)
        h->exception = tri_host_exception_create(h, TRI_STR("AssertionError"), &args);
    tri_host_fail(h, node->span, "this assertion does not hold");
    return TRI_HOST_FAILED;
}

static tri_host_flow run_one(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    const tri_value *v;
    switch (node->kind) {
    case TRI_AST_EXPR: return tri_host_expr(h, f, node->value) ? TRI_HOST_NEXT : TRI_HOST_FAILED;
    case TRI_AST_ASSIGN: return run_assign(h, f, node);
    case TRI_AST_AUG_ASSIGN: return run_aug_assign(h, f, node);
    case TRI_AST_ANN_ASSIGN:
        if (!node->ann_assign.value)
            return TRI_HOST_NEXT;
        v = tri_host_expr(h, f, node->ann_assign.value);
        return v && tri_host_assign(h, f, node->ann_assign.target, v) ? TRI_HOST_NEXT : TRI_HOST_FAILED;
    case TRI_AST_PASS: case TRI_AST_TYPE_ALIAS: return TRI_HOST_NEXT;
    case TRI_AST_BREAK: return TRI_HOST_BREAK;
    case TRI_AST_CONTINUE: return TRI_HOST_CONTINUE;
    case TRI_AST_RETURN:
        f->result = node->value ? tri_host_expr(h, f, node->value) : &tri_value_none;
        return f->result ? TRI_HOST_RETURN : TRI_HOST_FAILED;
    case TRI_AST_IF: return run_if(h, f, node);
    case TRI_AST_FOR: return run_for(h, f, node);
    case TRI_AST_WHILE: return run_while(h, f, node);
    case TRI_AST_TRY: return run_try(h, f, node);
    case TRI_AST_RAISE: tri_host_exception_raise(h, f, node); return TRI_HOST_FAILED;
    case TRI_AST_ASSERT: return run_assert(h, f, node);
    case TRI_AST_IMPORT: case TRI_AST_IMPORT_FROM: return bind_import(h, f, node);
    case TRI_AST_FUNCTION:
        tri_map_set(&f->locals, node->function.name, (void *)(uintptr_t)tri_host_close(h, f, node));
        return TRI_HOST_NEXT;
    default: return failed(h, node, "this statement");
    }
}
