/* Functions and classes of a file as values: what their decorators make of them. */
#include "frontend/host/scope.h"

/* ---- functions ---- */

static bool is_path(const tri_value *v, const char *const *paths)
{
    for (; v && v->kind == TRI_VALUE_BUILTIN && *paths; paths++)
        if (tri_str_is(v->string, *paths))
            return true;
    return false;
}

static const char *const jit_paths[] = {"triton.jit", "triton.language.jit", NULL};
static const char *const extern_paths[] = {"triton.language.extern", NULL};
static const char *const constexpr_paths[] = {"triton.constexpr_function", "triton.language.constexpr_function",
                                             "triton.language.constexpr", NULL};
static const char *const must_use_paths[] = {"triton.must_use_result", "triton.language.must_use_result", NULL};
static const char *const autotune_paths[] = {"triton.autotune", NULL};
static const char *const heuristics_paths[] = {"triton.heuristics", NULL};
static const char *const aggregate_paths[] = {"triton.aggregate", "triton.language._aggregate", NULL};

static const tri_ast_node *find_keyword(const tri_ast_node *call, const char *name)
{
    for (uint32_t i = 0; i < call->call.keywords.len; i++)
        if (tri_str_is(call->call.keywords.at[i]->keyword.name, name))
            return call->call.keywords.at[i]->keyword.value;
    return NULL;
}

static bool is_true_keyword(const tri_ast_node *call, const char *name)
{
    const tri_ast_node *value = find_keyword(call, name);
    return value && value->kind == TRI_AST_TRUE;
}

static void push_node(tri_arena *arena, tri_ast_list *list, const tri_ast_node *node)
{
    tri_ast_node **grown = TRI_NEW_ARRAY(arena, tri_ast_node *, list->len + 1);
    if (list->len)
        memcpy(grown, list->at, list->len * sizeof *grown);
    grown[list->len] = (tri_ast_node *)(uintptr_t)node;
    *list = (tri_ast_list){grown, list->len + 1};
}

static void read_jit_options(tri_function *f, const tri_ast_node *call)
{
    f->noinline = is_true_keyword(call, "noinline");
    f->debug = is_true_keyword(call, "debug");
    f->do_not_specialize = find_keyword(call, "do_not_specialize");
    f->do_not_specialize_on_alignment = find_keyword(call, "do_not_specialize_on_alignment");
}

static void read_must_use(tri_function *f, const tri_ast_node *call)
{
    f->must_use_result = true;
    if (call && call->call.args.len && call->call.args.at[0]->kind == TRI_AST_STRING)
        f->must_use_message = call->call.args.at[0]->string;
}

static void apply_decorator(tri_scope *scope, tri_function *f, const tri_ast_node *decorator)
{
    tri_arena *arena = scope->module->all->arena;
    const tri_ast_node *call = decorator->kind == TRI_AST_CALL ? decorator : NULL;
    tri_failure ignored = {0};
    const tri_value *v = tri_host_eval_at(scope, call ? call->call.func : decorator, decorator->span.begin, &ignored);
    if (is_path(v, jit_paths)) {
        f->kind = TRI_FUNCTION_JIT;
        if (call)
            read_jit_options(f, call);
    } else if (is_path(v, extern_paths)) {
        f->kind = TRI_FUNCTION_JIT;
        f->is_extern = true;
    } else if (is_path(v, constexpr_paths)) {
        f->kind = TRI_FUNCTION_CONSTEXPR;
    } else if (is_path(v, must_use_paths)) {
        read_must_use(f, call);
    } else if (is_path(v, heuristics_paths) && call) {
        push_node(arena, &f->heuristics, call);
    } else if (call && (is_path(v, autotune_paths) || (find_keyword(call, "configs") && find_keyword(call, "key")))) {
        push_node(arena, &f->autotunes, call); /* other packages' tuners take the same arguments */
    }
}

static const tri_value *function_value(tri_arena *arena, const tri_function *f)
{
    tri_value *v = TRI_NEW(arena, tri_value);
    v->kind = TRI_VALUE_FUNCTION;
    v->function = f;
    return v;
}

/* Nobody looks into a function that has not been defined. */
static void read_body(tri_modules *all, const tri_ast_node *function)
{
    size_t paused = tri_budget_pause(&all->budget);
    tri_parser_read_body(all->arena, all->diag, (tri_ast_node *)(uintptr_t)function);
    tri_budget_resume(&all->budget, paused);
}

const tri_value *tri_scope_define_function(tri_scope *scope, const tri_ast_node *node)
{
    tri_module *module = scope->module;
    tri_arena *arena = module->all->arena;
    const tri_value *known = tri_map_find_ptr(&module->functions, node);
    if (known)
        return known;
    if (node->kind == TRI_AST_FUNCTION)
        read_body(module->all, node);
    tri_function *f = TRI_NEW(arena, tri_function);
    bool is_lambda = node->kind == TRI_AST_LAMBDA;
    f->name = is_lambda ? TRI_STR("<lambda>") : node->function.name;
    f->qualified_name = tri_str_format(arena, "%.*s%.*s", TRI_STR_ARG(scope->prefix), TRI_STR_ARG(f->name));
    f->module = module;
    f->node = node;
    f->scope = scope;
    const tri_value *v = function_value(arena, f);
    tri_map_set_ptr(&module->functions, node, (void *)(uintptr_t)v);
    for (uint32_t i = 0; !is_lambda && i < node->function.decorators.len; i++)
        apply_decorator(scope, f, node->function.decorators.at[i]);
    return v;
}

const tri_value *tri_scope_define_as(tri_modules *all, const tri_value *function, tri_function_kind kind)
{
    if (function->function->kind == kind)
        return function;
    tri_function *f = TRI_NEW(all->arena, tri_function);
    *f = *function->function;
    f->kind = kind;
    return function_value(all->arena, f);
}

const tri_value *tri_scope_define_alias(tri_scope *scope, tri_str name, const tri_ast_node *value)
{
    tri_arena *arena = scope->module->all->arena;
    tri_failure ignored = {0};
    const tri_ast_node *inner = value;
    while (inner->kind == TRI_AST_CALL && inner->call.args.len == 1 && !inner->call.keywords.len)
        inner = inner->call.args.at[0];
    const tri_value *base = inner == value ? NULL : tri_host_eval_at(scope, inner, value->span.begin, &ignored);
    if (!base || base->kind != TRI_VALUE_FUNCTION || tri_str_equal(base->function->name, name))
        return NULL;
    tri_function *f = TRI_NEW(arena, tri_function);
    *f = *base->function;
    f->name = name;
    f->is_alias = true;
    f->autotunes = f->heuristics = (tri_ast_list){0};
    for (const tri_ast_node *n = value; n != inner; n = n->call.args.at[0])
        apply_decorator(scope, f, n->call.func);
    bool changed = f->autotunes.len || f->heuristics.len || f->kind != base->function->kind;
    for (uint32_t i = 0; i < base->function->autotunes.len; i++)
        push_node(arena, &f->autotunes, base->function->autotunes.at[i]);
    for (uint32_t i = 0; i < base->function->heuristics.len; i++)
        push_node(arena, &f->heuristics, base->function->heuristics.at[i]);
    return changed && f->kind == TRI_FUNCTION_JIT ? function_value(arena, f) : NULL;
}

/* ---- classes ---- */

static void push_field(tri_arena *arena, tri_class *cls, tri_str name, const tri_value *value)
{
    for (size_t i = 0; i < cls->fields.len; i++)
        if (tri_str_equal(cls->fields.at[i], name)) {
            cls->defaults.at[i] = value;
            return;
        }
    tri_vec_push(arena, &cls->fields, name);
    tri_vec_push(arena, &cls->defaults, value);
}

static void add_bases(tri_scope *scope, tri_class *cls)
{
    static const char *const named_tuple_paths[] = {"typing.NamedTuple", NULL};
    tri_arena *arena = scope->module->all->arena;
    for (uint32_t i = 0; i < cls->node->class_.bases.len; i++) {
        const tri_ast_node *base = cls->node->class_.bases.at[i];
        tri_failure ignored = {0};
        const tri_value *v = tri_host_eval_at(scope, base, cls->node->span.begin, &ignored);
        if (is_path(v, named_tuple_paths))
            cls->is_named_tuple = true;
        if (!v || v->kind != TRI_VALUE_CLASS)
            continue;
        tri_vec_push(arena, &cls->bases, v->cls);
        for (size_t k = 0; k < v->cls->fields.len; k++)
            push_field(arena, cls, v->cls->fields.at[k], v->cls->defaults.at[k]);
    }
}

static void add_fields(tri_class *cls)
{
    tri_ast_list body = cls->node->class_.body;
    tri_arena *arena = cls->module->all->arena;
    for (uint32_t i = 0; i < body.len; i++) {
        const tri_ast_node *stmt = body.at[i];
        if (stmt->kind != TRI_AST_ANN_ASSIGN || stmt->ann_assign.target->kind != TRI_AST_NAME)
            continue;
        tri_failure ignored = {0};
        const tri_ast_node *value = stmt->ann_assign.value;
        push_field(arena, cls, tri_ast_text(stmt->ann_assign.target),
                   value ? tri_host_eval_at(cls->scope, value, stmt->span.begin, &ignored) : NULL);
    }
}

const tri_value *tri_scope_define_class(tri_scope *scope, const tri_ast_node *node)
{
    tri_module *module = scope->module;
    tri_arena *arena = module->all->arena;
    const tri_value *known = tri_map_find_ptr(&module->classes, node);
    if (known)
        return known;
    tri_class *cls = TRI_NEW(arena, tri_class);
    tri_value *v = TRI_NEW(arena, tri_value);
    v->kind = TRI_VALUE_CLASS;
    v->cls = cls;
    tri_map_set_ptr(&module->classes, node, v);
    cls->name = node->class_.name;
    cls->qualified_name = tri_str_format(arena, "%.*s%.*s", TRI_STR_ARG(scope->prefix), TRI_STR_ARG(cls->name));
    cls->module = module;
    cls->node = node;
    cls->scope = tri_scope_of(scope, node);
    for (uint32_t i = 0; i < node->class_.decorators.len; i++) {
        tri_failure ignored = {0};
        const tri_value *d =
            tri_host_eval_at(scope, node->class_.decorators.at[i], node->class_.decorators.at[i]->span.begin, &ignored);
        cls->is_aggregate |= is_path(d, aggregate_paths);
    }
    add_bases(scope, cls);
    add_fields(cls);
    return v;
}
