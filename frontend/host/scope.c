/* Bindings of a body: found by one walk, evaluated when a name is asked for. */
#include "frontend/host/scope.h"

/* Keeps the first failure; returns null for the caller's convenience. */
static const tri_value *fail_scope(tri_arena *arena, tri_failure *failure, tri_span at, const char *format, ...)
{
    if (failure->why.len)
        return NULL;
    va_list args;
    va_start(args, format);
    failure->why = tri_str_vformat(arena, format, args);
    va_end(args);
    failure->at = at;
    return NULL;
}

/* ---- indexing ---- */

typedef struct {
    tri_scope *scope;
    tri_arena *arena;
    tri_guard *guard;
} indexer;

static void index_body(indexer *ix, tri_ast_list body);

/* Jumps that are as long as their depth has low zeros ("Applicative random-access stack", Myers 1983). Only where the
 * chain goes up the file: what jumps over may then be told from where it stands. */
static void link_binding(tri_binding *b, tri_binding *previous)
{
    b->previous = previous;
    if (!previous || previous->stmt->span.begin > b->stmt->span.begin)
        return;
    const tri_binding *far = previous->jump;
    b->depth = previous->depth + 1;
    b->jump = far && previous->depth - far->depth == far->depth - (far->jump ? far->jump->depth : far->depth)
                  ? far->jump
                  : previous;
}

/* The latest binding before `limit`. */
static tri_binding *latest_before(tri_binding *b, uint32_t limit)
{
    while (b && b->stmt->span.begin >= limit)
        b = b->jump && b->jump->stmt->span.begin >= limit ? b->jump : b->previous;
    return b;
}

static tri_binding *bind(indexer *ix, tri_bind_kind kind, tri_str name, const tri_ast_node *stmt,
                         const tri_ast_node *part)
{
    tri_binding *b = TRI_NEW(ix->arena, tri_binding);
    b->kind = kind;
    b->name = name;
    b->stmt = stmt;
    b->part = part;
    b->guard = ix->guard;
    link_binding(b, tri_map_find(&ix->scope->names, name));
    tri_map_set(&ix->scope->names, name, b);
    return b;
}

/* A statement changes the object that `name` holds: kept with the latest binding. */
static void note_change(indexer *ix, tri_str name, const tri_ast_node *stmt)
{
    tri_binding *b = tri_map_find(&ix->scope->names, name);
    for (const tri_guard *g = ix->guard; g; g = g->outer)
        if (g->kind == TRI_GUARD_LOOP)
            return; /* the loop as a whole was noted */
    if (!b || b->stmt == stmt || (b->changes && tri_vec_last(b->changes).stmt == stmt))
        return;
    if (!b->changes)
        b->changes = TRI_NEW(ix->arena, tri_changes);
    tri_vec_push(ix->arena, b->changes, (tri_change){stmt, ix->guard});
}

static const tri_ast_node *base_name(const tri_ast_node *node)
{
    while (node->kind == TRI_AST_SUBSCRIPT || node->kind == TRI_AST_ATTRIBUTE)
        node = node->kind == TRI_AST_SUBSCRIPT ? node->subscript.value : node->attribute.value;
    return node->kind == TRI_AST_NAME ? node : NULL;
}

static void bind_target(indexer *ix, tri_bind_kind kind, const tri_ast_node *target, const tri_ast_node *stmt)
{
    switch (target->kind) {
    case TRI_AST_NAME: bind(ix, kind, tri_ast_text(target), stmt, target); return;
    case TRI_AST_STARRED: bind_target(ix, kind, target->value, stmt); return;
    case TRI_AST_TUPLE: case TRI_AST_LIST:
        for (uint32_t i = 0; i < target->list.len; i++)
            bind_target(ix, kind, target->list.at[i], stmt);
        return;
    default: {
        const tri_ast_node *base = base_name(target);
        if (base)
            note_change(ix, tri_ast_text(base), stmt);
        return;
    }
    }
}

static bool is_changing_method(tri_str name)
{
    static const char *const names[] = {"append", "extend", "insert", "update", "add", "setdefault", "pop", "remove",
                                        "clear", "sort", "reverse", "discard", "popitem"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_str_is(name, names[i]))
            return true;
    return false;
}

typedef struct {
    indexer *ix;
    const tri_ast_node *stmt;
} change_search;

static bool find_changes(const tri_ast_node *node, void *data)
{
    change_search *search = data;
    if (node->kind == TRI_AST_FUNCTION || node->kind == TRI_AST_CLASS || node->kind == TRI_AST_LAMBDA)
        return false;
    const tri_ast_node *base = NULL;
    if (node->kind == TRI_AST_CALL && node->call.func->kind == TRI_AST_ATTRIBUTE &&
        is_changing_method(node->call.func->attribute.name))
        base = base_name(node->call.func->attribute.value);
    else if (node->kind == TRI_AST_ASSIGN && node->assign.targets.at[0]->kind == TRI_AST_SUBSCRIPT)
        base = base_name(node->assign.targets.at[0]);
    else if (node->kind == TRI_AST_AUG_ASSIGN && search->stmt != node)
        base = base_name(node->aug_assign.target);
    if (base)
        note_change(search->ix, tri_ast_text(base), search->stmt);
    return true;
}

static void index_changes(indexer *ix, const tri_ast_node *stmt)
{
    change_search search = {ix, stmt};
    tri_ast_walk(stmt, find_changes, &search);
}

static void with_guard(indexer *ix, tri_guard_kind kind, const tri_ast_node *node, tri_ast_list body)
{
    if (body.len == 0)
        return;
    tri_guard *guard = TRI_NEW(ix->arena, tri_guard);
    *guard = (tri_guard){.kind = kind, .node = node, .outer = ix->guard};
    ix->guard = guard;
    index_body(ix, body);
    ix->guard = guard->outer;
}

static void index_try(indexer *ix, const tri_ast_node *stmt)
{
    with_guard(ix, TRI_GUARD_TRY, stmt, stmt->try_.body);
    for (uint32_t i = 0; i < stmt->try_.handlers.len; i++)
        with_guard(ix, TRI_GUARD_EXCEPT, stmt, stmt->try_.handlers.at[i]->handler.body);
    with_guard(ix, TRI_GUARD_TRY, stmt, stmt->try_.orelse);
    index_body(ix, stmt->try_.final);
}

static void index_imports(indexer *ix, const tri_ast_node *stmt)
{
    bool is_from = stmt->kind == TRI_AST_IMPORT_FROM;
    tri_ast_list names = is_from ? stmt->import_from.names : stmt->list;
    for (uint32_t i = 0; i < names.len; i++) {
        const tri_ast_node *alias = names.at[i];
        tri_str name = alias->alias.name;
        if (is_from && tri_str_is(name, "*")) {
            tri_binding *b = TRI_NEW(ix->arena, tri_binding);
            *b = (tri_binding){.kind = TRI_BIND_FROM, .stmt = stmt, .part = alias, .guard = ix->guard};
            tri_vec_push(ix->arena, &ix->scope->stars, b);
            continue;
        }
        if (alias->alias.asname.len)
            name = alias->alias.asname;
        else if (!is_from)
            name = tri_str_sub(name, 0, tri_str_find(name, '.'));
        bind(ix, is_from ? TRI_BIND_FROM : TRI_BIND_IMPORT, name, stmt, alias);
    }
}

static void index_statement(indexer *ix, const tri_ast_node *stmt)
{
    switch (stmt->kind) {
    case TRI_AST_IMPORT: case TRI_AST_IMPORT_FROM: index_imports(ix, stmt); return;
    case TRI_AST_FUNCTION: bind(ix, TRI_BIND_FUNCTION, stmt->function.name, stmt, stmt); return;
    case TRI_AST_CLASS: bind(ix, TRI_BIND_CLASS, stmt->class_.name, stmt, stmt); return;
    case TRI_AST_ASSIGN:
        for (uint32_t i = 0; i < stmt->assign.targets.len; i++)
            bind_target(ix, TRI_BIND_ASSIGN, stmt->assign.targets.at[i], stmt);
        return;
    case TRI_AST_ANN_ASSIGN:
        if (stmt->ann_assign.value)
            bind_target(ix, TRI_BIND_ANNOTATED, stmt->ann_assign.target, stmt);
        return;
    case TRI_AST_AUG_ASSIGN: bind_target(ix, TRI_BIND_AUGMENTED, stmt->aug_assign.target, stmt); return;
    case TRI_AST_EXPR: index_changes(ix, stmt); return;
    case TRI_AST_IF:
        with_guard(ix, TRI_GUARD_IF, stmt, stmt->conditional_stmt.body);
        with_guard(ix, TRI_GUARD_ELSE, stmt, stmt->conditional_stmt.orelse);
        return;
    case TRI_AST_TRY: index_try(ix, stmt); return;
    case TRI_AST_WITH:
        for (uint32_t i = 0; i < stmt->with.items.len; i++)
            if (stmt->with.items.at[i]->with_item.target)
                bind_target(ix, TRI_BIND_OTHER, stmt->with.items.at[i]->with_item.target, stmt);
        index_body(ix, stmt->with.body);
        return;
    case TRI_AST_FOR:
        index_changes(ix, stmt);
        bind_target(ix, TRI_BIND_OTHER, stmt->for_.target, stmt);
        with_guard(ix, TRI_GUARD_LOOP, stmt, stmt->for_.body);
        return;
    case TRI_AST_WHILE:
        index_changes(ix, stmt);
        with_guard(ix, TRI_GUARD_LOOP, stmt, stmt->while_.body);
        return;
    default: return;
    }
}

static void index_body(indexer *ix, tri_ast_list body)
{
    for (uint32_t i = 0; i < body.len; i++)
        index_statement(ix, body.at[i]);
}

tri_scope *tri_scope_create(tri_module *module, tri_scope *outer, const tri_ast_node *owner, tri_ast_list body)
{
    tri_arena *arena = module->all->arena;
    tri_scope *scope = TRI_NEW(arena, tri_scope);
    scope->module = module;
    scope->outer = outer;
    scope->owner = owner;
    tri_map_init(&scope->names, arena);
    if (owner && owner->kind == TRI_AST_FUNCTION)
        scope->prefix =
            tri_str_format(arena, "%.*s%.*s.<locals>.", TRI_STR_ARG(outer->prefix), TRI_STR_ARG(owner->function.name));
    else if (owner)
        scope->prefix = tri_str_format(arena, "%.*s%.*s.", TRI_STR_ARG(outer->prefix), TRI_STR_ARG(owner->class_.name));
    indexer ix = {scope, arena, NULL};
    if (owner && owner->kind == TRI_AST_FUNCTION)
        for (uint32_t i = 0; i < owner->function.params.len; i++)
            bind(&ix, TRI_BIND_PARAM, owner->function.params.at[i]->param.name, owner->function.params.at[i],
                 owner->function.params.at[i]);
    index_body(&ix, body);
    return scope;
}

tri_scope *tri_scope_of(tri_scope *outer, const tri_ast_node *node)
{
    tri_map *scopes = &outer->module->scopes;
    tri_scope *scope = tri_map_find_ptr(scopes, node);
    if (!scope) {
        scope = tri_scope_create(outer->module, outer, node,
                                 node->kind == TRI_AST_FUNCTION ? node->function.body : node->class_.body);
        tri_map_set_ptr(scopes, node, scope);
    }
    return scope;
}

/* ---- guards ---- */

/* Does an import among these statements name something that does not exist? */
static bool has_missing_import(tri_scope *scope, tri_ast_list body)
{
    for (uint32_t i = 0; i < body.len; i++) {
        const tri_ast_node *stmt = body.at[i];
        tri_failure ignored = {0};
        bool exists = true;
        if (stmt->kind == TRI_AST_IMPORT) {
            for (uint32_t k = 0; k < stmt->list.len && exists; k++)
                tri_module_import(scope->module, 0, stmt->list.at[k]->alias.name, &exists, &ignored);
        } else if (stmt->kind == TRI_AST_IMPORT_FROM) {
            const tri_value *from =
                tri_module_import(scope->module, stmt->import_from.level, stmt->import_from.module, &exists, &ignored);
            tri_ast_list names = stmt->import_from.names;
            for (uint32_t k = 0; k < names.len && from && exists; k++) {
                tri_global g;
                exists =
                    tri_str_is(names.at[k]->alias.name, "*") ||
                    tri_module_member(from, scope->module, names.at[k]->alias.name, &g, &ignored) != TRI_LOOKUP_ABSENT;
            }
        }
        if (!exists)
            return true;
    }
    return false;
}

static bool has_import(tri_ast_list body)
{
    for (uint32_t i = 0; i < body.len; i++)
        if (body.at[i]->kind == TRI_AST_IMPORT || body.at[i]->kind == TRI_AST_IMPORT_FROM)
            return true;
    return false;
}

static tri_guard_state compute_guard(tri_scope *scope, tri_guard *guard)
{
    tri_failure ignored = {0};
    const tri_value *test;
    bool is_true;
    switch (guard->kind) {
    case TRI_GUARD_IF: case TRI_GUARD_ELSE:
        test = tri_host_eval_at(scope, guard->node->conditional_stmt.test, guard->node->span.begin, &ignored);
        if (!test || test->kind == TRI_VALUE_EXTERNAL)
            return TRI_GUARD_UNKNOWN;
        is_true = tri_value_truth(test);
        return is_true == (guard->kind == TRI_GUARD_IF) ? TRI_GUARD_HOLDS : TRI_GUARD_FAILS;
    case TRI_GUARD_TRY: case TRI_GUARD_EXCEPT:
        if (!has_import(guard->node->try_.body))
            return TRI_GUARD_UNKNOWN; /* evaluating the value tells */
        is_true = !has_missing_import(scope, guard->node->try_.body);
        return is_true == (guard->kind == TRI_GUARD_TRY) ? TRI_GUARD_HOLDS : TRI_GUARD_FAILS;
    default: return TRI_GUARD_UNKNOWN;
    }
}

/* Whether everything around a binding lets it happen. */
static tri_guard_state guards_state(tri_scope *scope, tri_guard *guard)
{
    tri_guard_state state = TRI_GUARD_HOLDS;
    for (; guard; guard = guard->outer) {
        if (!guard->is_known) {
            guard->is_known = true;
            guard->state = TRI_GUARD_BUSY; /* a condition that asks for its own branch: unknown */
            guard->state = compute_guard(scope, guard);
        }
        if (guard->state == TRI_GUARD_FAILS)
            return TRI_GUARD_FAILS;
        if (guard->state != TRI_GUARD_HOLDS)
            state = TRI_GUARD_UNKNOWN;
    }
    return state;
}

/* The innermost condition that is not known, for the message. */
static const tri_ast_node *unknown_condition(const tri_guard *guard)
{
    for (; guard; guard = guard->outer)
        if (guard->state == TRI_GUARD_UNKNOWN && (guard->kind == TRI_GUARD_IF || guard->kind == TRI_GUARD_ELSE))
            return guard->node->conditional_stmt.test;
    return NULL;
}

/* ---- evaluation ---- */

static const tri_value *evaluate_import(tri_scope *scope, tri_binding *b)
{
    bool exists = true;
    tri_str name = b->part->alias.name;
    if (b->kind == TRI_BIND_IMPORT) {
        if (!b->part->alias.asname.len)
            name = b->name;
        return tri_module_import(scope->module, 0, name, &exists, b->failure);
    }
    const tri_ast_node *stmt = b->stmt;
    const tri_value *from =
        tri_module_import(scope->module, stmt->import_from.level, stmt->import_from.module, &exists, b->failure);
    if (!from)
        return NULL;
    tri_global g = {0};
    if (tri_module_member(from, scope->module, name, &g, b->failure) == TRI_LOOKUP_FOUND)
        return g.value;
    tri_buf what = {0};
    tri_value_print(from, &what);
    fail_scope(scope->module->all->arena, b->failure, b->part->span, "'%.*s' has no name '%.*s'", (int)what.len,
               what.data, TRI_STR_ARG(name));
    tri_buf_fini(&what);
    return NULL;
}

static const tri_value *evaluate_assign(tri_scope *scope, tri_binding *b, const tri_ast_node *value_node)
{
    tri_arena *arena = scope->module->all->arena;
    const tri_value *value = tri_host_eval_at(scope, value_node, b->stmt->span.begin, b->failure);
    if (!value || b->kind != TRI_BIND_ASSIGN)
        return value;
    for (uint32_t i = 0; i < b->stmt->assign.targets.len; i++) {
        const tri_ast_node *target = b->stmt->assign.targets.at[i];
        if (b->part->span.begin < target->span.begin || b->part->span.end > target->span.end)
            continue;
        const tri_value *selected = tri_host_select(arena, target, b->part, value);
        return selected ? selected
                        : fail_scope(arena, b->failure, target->span, "the value does not match the targets");
    }
    return NULL;
}

static const tri_value *evaluate_augmented(tri_scope *scope, tri_binding *b)
{
    tri_arena *arena = scope->module->all->arena;
    tri_global before = {0};
    if (tri_scope_find(scope, b->name, b->stmt->span.begin, &before, b->failure) != TRI_LOOKUP_FOUND)
        return fail_scope(arena, b->failure, b->part->span, "'%.*s' has no value yet", TRI_STR_ARG(b->name));
    const tri_value *by = tri_host_eval_at(scope, b->stmt->aug_assign.value, b->stmt->span.begin, b->failure);
    if (!by)
        return NULL;
    tri_value_ops ops = {.arena = arena};
    const tri_value *result = tri_value_binary(&ops, b->stmt->aug_assign.op, before.value, by);
    return result ? result : fail_scope(arena, b->failure, b->stmt->span, "%.*s", TRI_STR_ARG(ops.error));
}

static const tri_value *evaluate_param(tri_scope *scope, tri_binding *b)
{
    if (b->stmt->param.default_value && b->stmt->param.kind < TRI_AST_PARAM_VARARGS)
        return tri_host_eval_at(scope->outer, b->stmt->param.default_value, UINT32_MAX, b->failure);
    return fail_scope(scope->module->all->arena, b->failure, b->stmt->span,
                      "'%.*s' is a parameter of a function that is not called while compiling", TRI_STR_ARG(b->name));
}

static const tri_value *evaluate(tri_scope *scope, tri_binding *b)
{
    tri_arena *arena = scope->module->all->arena;
    switch (b->kind) {
    case TRI_BIND_IMPORT: case TRI_BIND_FROM: return evaluate_import(scope, b);
    case TRI_BIND_FUNCTION: return tri_scope_define_function(scope, b->stmt);
    case TRI_BIND_CLASS: return tri_scope_define_class(scope, b->stmt);
    case TRI_BIND_ASSIGN: return evaluate_assign(scope, b, b->stmt->assign.value);
    case TRI_BIND_ANNOTATED: return evaluate_assign(scope, b, b->stmt->ann_assign.value);
    case TRI_BIND_AUGMENTED: return evaluate_augmented(scope, b);
    case TRI_BIND_PARAM: return evaluate_param(scope, b);
    default:
        return fail_scope(arena, b->failure, b->part->span, "'%.*s' is bound by a %s statement", TRI_STR_ARG(b->name),
                              b->stmt->kind == TRI_AST_FOR ? "'for'" : "'with'");
    }
}

/* Runs the statements that change the object after it was bound. */
static const tri_value *apply_changes(tri_scope *scope, tri_binding *b)
{
    tri_arena *arena = scope->module->all->arena;
    for (size_t i = 0; i < b->changes->len && b->value; i++) {
        tri_change change = b->changes->at[i];
        tri_guard_state state = guards_state(scope, change.guard);
        if (state == TRI_GUARD_HOLDS)
            b->value = tri_host_apply_changes(scope, b->name, b->value, 1, &change.stmt, b->failure);
        else if (state != TRI_GUARD_FAILS)
            b->value = fail_scope(arena, b->failure, change.stmt->span,
                                  "whether '%.*s' is changed here is not known while compiling", TRI_STR_ARG(b->name));
    }
    return b->value;
}

static bool note_globals(const tri_ast_node *node, void *data)
{
    tri_module *module = data;
    for (uint32_t i = 0; node->kind == TRI_AST_GLOBAL && i < node->list.len; i++)
        tri_map_set(&module->set_globals, tri_ast_text(node->list.at[i]), module);
    return true;
}

/* `cache = None` at module level, given its value by a function that says `global cache`. */
static bool is_set_later(const tri_scope *scope, const tri_binding *b)
{
    if (scope->owner || !scope->module->ast || b->kind != TRI_BIND_ASSIGN || b->value->kind != TRI_VALUE_NONE)
        return false;
    tri_module *module = scope->module;
    if (!module->has_set_globals)
        tri_map_init(&module->set_globals, module->all->arena);
    for (uint32_t i = 0; i < module->ast->body.len && !module->has_set_globals; i++)
        tri_ast_walk(module->ast->body.at[i], note_globals, module);
    for (size_t i = 0; i < module->ast->global_count && !module->has_set_globals; i++)
        tri_map_set(&module->set_globals, module->ast->globals[i], module);
    module->has_set_globals = true;
    return tri_map_find(&module->set_globals, b->name);
}

static const tri_value *value_of(tri_scope *scope, tri_binding *b)
{
    if (b->is_done)
        return b->value;
    tri_arena *arena = scope->module->all->arena;
    if (!b->failure)
        b->failure = TRI_NEW(arena, tri_failure);
    if (b->is_busy)
        return fail_scope(arena, b->failure, b->part->span, "'%.*s' is defined by itself", TRI_STR_ARG(b->name));
    b->is_busy = true;
    b->value = evaluate(scope, b);
    if (b->value && is_set_later(scope, b))
        b->value = fail_scope(arena, b->failure, b->part->span, "'%.*s' is set by a function while the program runs",
                                  TRI_STR_ARG(b->name));
    bool is_mutable = b->value && (b->value->kind == TRI_VALUE_LIST || b->value->kind == TRI_VALUE_DICT ||
                                   b->value->kind == TRI_VALUE_SET || b->value->kind == TRI_VALUE_OBJECT);
    if (is_mutable && b->changes)
        b->value = apply_changes(scope, b);
    b->is_busy = false;
    b->is_done = true;
    if (!b->value)
        fail_scope(arena, b->failure, b->part->span, "'%.*s' cannot be evaluated", TRI_STR_ARG(b->name));
    return b->value;
}

static tri_span binding_span(const tri_binding *b)
{
    return b->part->kind == TRI_AST_FUNCTION || b->part->kind == TRI_AST_CLASS ? tri_ast_name_span(b->part)
                                                                               : b->part->span;
}

/* ---- lookup ---- */

/* Values of the branches of an unknown condition: one that can be had wins if it is the only one,
 * or if all are the same. */
typedef struct {
    const tri_binding *best;
    const tri_binding *first_failed;
    bool is_ambiguous;
    const tri_ast_node *condition;
} choice;

/* `rsqrt` of one library or of another, or the libraries themselves, chosen by a test that nobody can
 * make here: they do the same, and the first one that exists is what such tests look for. */
static bool is_same_library_name(const tri_value *a, const tri_value *b)
{
    if (a->kind != TRI_VALUE_BUILTIN || b->kind != TRI_VALUE_BUILTIN)
        return false;
    if (tri_library_is_namespace(a->string) && tri_library_is_namespace(b->string))
        return true;
    size_t i = tri_str_find_last(a->string, '.'), k = tri_str_find_last(b->string, '.');
    return i < a->string.len && k < b->string.len && !tri_str_equal(a->string, b->string) &&
           tri_str_equal(tri_str_sub(a->string, i, a->string.len), tri_str_sub(b->string, k, b->string.len));
}

static void consider(tri_scope *scope, tri_binding *b, choice *c)
{
    const tri_value *v = value_of(scope, b);
    if (!v || v->kind == TRI_VALUE_EXTERNAL) {
        if (!c->first_failed || (v && !c->first_failed->value))
            c->first_failed = b;
        return;
    }
    if (!c->best)
        c->best = b;
    else if (is_same_library_name(c->best->value, v))
        c->best = b;
    else if (!tri_value_equal(c->best->value, v))
        c->is_ambiguous = true;
}

static tri_lookup lookup_star(tri_scope *scope, tri_str name, tri_global *out_global, tri_failure *failure)
{
    for (size_t i = scope->stars.len; i-- > 0;) {
        tri_binding *star = scope->stars.at[i];
        bool exists = true;
        if (star->is_busy || guards_state(scope, star->guard) == TRI_GUARD_FAILS)
            continue;
        star->is_busy = true;
        const tri_value *from = tri_module_import(scope->module, star->stmt->import_from.level,
                                                  star->stmt->import_from.module, &exists, failure);
        tri_lookup found = TRI_LOOKUP_ABSENT;
        if (from && exists && from->kind != TRI_VALUE_EXTERNAL && name.len && name.data[0] != '_')
            found = tri_module_get(scope->module->all, from, name, out_global, failure);
        star->is_busy = false;
        if (found != TRI_LOOKUP_ABSENT)
            return found;
    }
    return TRI_LOOKUP_ABSENT;
}

static tri_lookup finish_choice(tri_scope *scope, tri_str name, const choice *c, tri_global *out_global,
                                tri_failure *failure)
{
    if (c->is_ambiguous) {
        tri_str text = c->condition ? tri_ast_text(c->condition) : TRI_STR("its loop");
        fail_scope(scope->module->all->arena, failure, c->condition ? c->condition->span : binding_span(c->best),
                       "which '%.*s' is meant depends on '%.*s', which is not known while compiling", TRI_STR_ARG(name),
                       TRI_STR_ARG(text));
        return TRI_LOOKUP_FAILED;
    }
    const tri_binding *b = c->best ? c->best : c->first_failed;
    if (!b)
        return TRI_LOOKUP_ABSENT;
    if (!b->value) {
        if (!failure->why.len)
            *failure = *b->failure;
        return TRI_LOOKUP_FAILED;
    }
    *out_global = (tri_global){b->value, binding_span(b), false};
    return TRI_LOOKUP_FOUND;
}

tri_lookup tri_scope_find_here(tri_scope *scope, tri_str name, uint32_t limit, tri_global *out_global,
                               tri_failure *failure)
{
    choice c = {0};
    const tri_value *given;
    if (!scope->owner && tri_map_find(&scope->names, name) && tri_module_define(scope->module, name, &given)) {
        if (!given)
            return TRI_LOOKUP_FAILED;
        *out_global = (tri_global){given, binding_span(tri_map_find(&scope->names, name)), false};
        return TRI_LOOKUP_FOUND;
    }
    tri_binding *latest = tri_map_find(&scope->names, name);
    for (tri_binding *b = latest_before(latest, limit); b; b = latest_before(b->previous, limit)) {
        if (b->is_busy && b->stmt->span.end > limit)
            continue;
        tri_guard_state state = guards_state(scope, b->guard);
        if (state == TRI_GUARD_FAILS)
            continue;
        if (state != TRI_GUARD_HOLDS && !c.condition)
            c.condition = unknown_condition(b->guard);
        consider(scope, b, &c);
        if (state == TRI_GUARD_UNKNOWN && b->guard->kind == TRI_GUARD_TRY && b->value &&
            b->value->kind != TRI_VALUE_EXTERNAL) {
            c.best = b; /* no exception: the handlers do not run */
            c.is_ambiguous = false;
        }
        if (state == TRI_GUARD_HOLDS)
            break;
    }
    tri_lookup found = finish_choice(scope, name, &c, out_global, failure);
    return found == TRI_LOOKUP_ABSENT ? lookup_star(scope, name, out_global, failure) : found;
}

tri_lookup tri_scope_find(tri_scope *scope, tri_str name, uint32_t limit, tri_global *out_global, tri_failure *failure)
{
    for (tri_scope *s = scope; s; s = s->outer) {
        bool is_class = s->owner && s->owner->kind == TRI_AST_CLASS;
        if (is_class && s != scope)
            continue;
        tri_lookup found = tri_scope_find_here(s, name, limit, out_global, failure);
        if (found != TRI_LOOKUP_ABSENT)
            return found;
    }
    return TRI_LOOKUP_ABSENT;
}
