/* Expressions of host code. */
#include "frontend/host/host_eval.h"

const tri_value *tri_host_fail(tri_host *h, tri_span at, const char *format, ...)
{
    if (h->failure->why.len)
        return NULL;
    va_list args;
    va_start(args, format);
    h->failure->why = tri_str_vformat(h->arena, format, args);
    va_end(args);
    h->failure->at = at;
    return NULL;
}

tri_host_frame *tri_host_frame_create(tri_host *h, tri_scope *scope, tri_host_frame *outer, uint32_t limit)
{
    tri_host_frame *f = TRI_NEW(h->arena, tri_host_frame);
    f->scope = scope;
    f->outer = outer;
    f->limit = limit;
    tri_map_init(&f->locals, h->arena);
    return f;
}

static void set_local(tri_host_frame *f, tri_str name, const tri_value *value)
{
    tri_map_set(&f->locals, name, (void *)(uintptr_t)value);
}

const tri_value *tri_host_check(tri_host *h, const tri_value_ops *ops, const tri_value *v, tri_span at)
{
    if (v)
        return v;
    if (ops->raises && !tri_value_is_spent(ops))
        tri_host_raise(h, ops->raises);
    return tri_host_fail(h, at, "%.*s", TRI_STR_ARG(ops->error));
}

bool tri_host_step(tri_host *h, tri_span at, uint64_t steps)
{
    if (!tri_budget_step(&h->all->budget, steps))
        return tri_host_fail(h, at, "%s", tri_budget_why(&h->all->budget));
    return tri_host_has_room(h, at, 0); /* for the values that the last steps made, small as they are */
}

bool tri_host_has_room(tri_host *h, tri_span at, uint64_t bytes)
{
    return tri_budget_has_room(&h->all->budget, bytes) || tri_host_fail(h, at, TRI_BUDGET_NO_ROOM);
}

bool tri_host_has_room_for_text(tri_host *h, tri_span at, const tri_value *v)
{
    uint64_t bytes = tri_value_weigh(v, 2 * (uint64_t)TRI_BUDGET_BYTES);
    return tri_host_step(h, at, bytes / 64) && tri_host_has_room(h, at, bytes);
}

bool tri_host_set_item(tri_host *h, tri_value_dict *dict, const tri_value *key, const tri_value *value, tri_span at)
{
    if (!tri_host_step(h, at, dict->keys.len / 16))
        return false;
    tri_value_dict_set(h->arena, dict, key, value);
    return true;
}

bool tri_host_items(tri_host *h, const tri_value *v, tri_span at, tri_value_list *out_items)
{
    tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
    if (tri_value_items(&ops, v, out_items))
        return true;
    tri_host_check(h, &ops, NULL, at);
    return false;
}

const tri_value *tri_host_close(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    const tri_value *v = tri_scope_define_function(f->scope, node);
    if (f->locals.len == 0 && !f->outer)
        return v;
    tri_function *copy = TRI_NEW(h->arena, tri_function); /* each evaluation sees its own locals */
    *copy = *v->function;
    tri_value *closure = TRI_NEW(h->arena, tri_value);
    closure->kind = TRI_VALUE_FUNCTION;
    closure->function = copy;
    tri_map_set_ptr(&h->all->closures, copy, f);
    return closure;
}

/* ---- names and attributes ---- */

static const tri_value *eval_name(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    for (tri_host_frame *s = f; s; s = s->outer) {
        const tri_value *v = tri_map_find(&s->locals, tri_ast_text(node));
        if (v)
            return v;
    }
    tri_global g = {0};
    switch (tri_scope_find(f->scope, tri_ast_text(node), f->limit, &g, h->failure)) {
    case TRI_LOOKUP_FOUND: return g.value;
    case TRI_LOOKUP_FAILED:
        return tri_host_fail(h, node->span, "'%.*s' cannot be evaluated", TRI_STR_ARG(tri_ast_text(node)));
    default: break;
    }
    if (tri_library_is_host_builtin(tri_ast_text(node)))
        return tri_value_builtin(h->arena, tri_ast_text(node));
    if (tri_str_is(tri_ast_text(node), "__name__"))
        return tri_value_str(h->arena, f->scope->module->name);
    if (tri_str_is(tri_ast_text(node), "__file__"))
        return tri_value_str(h->arena, f->scope->module->path);
    return tri_host_fail(h, node->span, "'%.*s' is not defined", TRI_STR_ARG(tri_ast_text(node)));
}

static const tri_value *eval_attribute(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    const tri_value *v = tri_host_expr(h, f, node->attribute.value);
    return v ? tri_host_call_attribute(h, v, node->attribute.name, tri_ast_name_span(node)) : NULL;
}

/* ---- operators ---- */

/* `args["bias"] is not None`, the one question that a run-time argument answers: true. */
static bool is_test_of_argument(tri_ast_op op, const tri_value *left, const tri_value *right)
{
    return (op == TRI_AST_IS_OP || op == TRI_AST_IS_NOT_OP) && tri_value_is_argument(left) &&
           tri_value_unwrap(right)->kind == TRI_VALUE_NONE;
}

static const tri_value *eval_compare(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    const tri_value *left = tri_host_expr(h, f, node->compare.left), *result = NULL;
    for (uint32_t i = 0; left && i < node->compare.rights.len; i++) {
        const tri_value *right = tri_host_expr(h, f, node->compare.rights.at[i]);
        if (!right)
            return NULL;
        if (!is_test_of_argument(node->compare.ops[i], left, right) &&
            (left->kind == TRI_VALUE_EXTERNAL || right->kind == TRI_VALUE_EXTERNAL)) {
            const tri_value *unknown = left->kind == TRI_VALUE_EXTERNAL ? left : right;
            return tri_host_fail(h, node->span, "'%.*s' has no value while compiling", TRI_STR_ARG(unknown->string));
        }
        tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
        result = tri_host_check(h, &ops, tri_value_compare(&ops, node->compare.ops[i], left, right), node->span);
        if (!result || !tri_value_truth(result))
            return result;
        left = right;
    }
    return result;
}

static const tri_value *eval_boolean(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    const tri_value *v = NULL;
    for (uint32_t i = 0; i < node->boolean.values.len; i++) {
        v = tri_host_expr(h, f, node->boolean.values.at[i]);
        if (!v)
            return NULL;
        if (v->kind == TRI_VALUE_EXTERNAL)
            return tri_host_fail(h, node->boolean.values.at[i]->span, "'%.*s' has no value while compiling",
                                 TRI_STR_ARG(v->string));
        if (tri_value_truth(v) == (node->boolean.op == TRI_AST_OR_OP))
            return v;
    }
    return v;
}

static bool eval_truth(tri_host *h, tri_host_frame *f, const tri_ast_node *node, bool *out_truth)
{
    const tri_value *v = tri_host_expr(h, f, node);
    if (v && v->kind == TRI_VALUE_EXTERNAL)
        v = tri_host_fail(h, node->span, "'%.*s' has no value while compiling", TRI_STR_ARG(v->string));
    *out_truth = v && tri_value_truth(v);
    return v != NULL;
}

/* ---- displays ---- */

/* Values of a list of expressions, stars spread out. */
static bool eval_list(tri_host *h, tri_host_frame *f, tri_ast_list nodes, tri_value_list *out)
{
    for (uint32_t i = 0; i < nodes.len; i++) {
        const tri_ast_node *node = nodes.at[i];
        const tri_value *v = tri_host_expr(h, f, node->kind == TRI_AST_STARRED ? node->value : node);
        if (!v)
            return false;
        if (node->kind != TRI_AST_STARRED)
            tri_value_push(h->arena, out, v);
        else if (!tri_host_items(h, v, node->span, out))
            return false;
    }
    return true;
}

static const tri_value *make_set(tri_host *h, const tri_value_list *items, tri_span at)
{
    tri_value *set = (tri_value *)(uintptr_t)tri_value_sequence(h->arena, TRI_VALUE_SET, 0, NULL);
    for (uint32_t i = 0; i < items->len; i++) {
        bool is_new = true;
        if (!tri_host_step(h, at, set->sequence.items.len / 16))
            return NULL;
        for (uint32_t k = 0; k < set->sequence.items.len && is_new; k++)
            is_new = !tri_value_equal(set->sequence.items.at[k], items->at[i]);
        if (is_new)
            tri_value_push(h->arena, &set->sequence.items, items->at[i]);
    }
    return set;
}

static const tri_value *eval_sequence(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    tri_value_list items = {0};
    if (!eval_list(h, f, node->list, &items))
        return NULL;
    if (node->kind == TRI_AST_SET)
        return make_set(h, &items, node->span);
    return tri_value_sequence(h->arena, node->kind == TRI_AST_TUPLE ? TRI_VALUE_TUPLE : TRI_VALUE_LIST, items.len,
                              items.at);
}

static bool add_entry(tri_host *h, tri_host_frame *f, const tri_ast_node *entry, tri_value *dict)
{
    const tri_value *value = tri_host_expr(h, f, entry->key_value.value);
    if (!value)
        return false;
    if (entry->key_value.key) {
        const tri_value *key = tri_host_expr(h, f, entry->key_value.key);
        return key && tri_host_set_item(h, dict->dict, key, value, entry->span);
    }
    if (value->kind != TRI_VALUE_DICT) {
        tri_host_fail(h, entry->span, "'**' needs a dictionary, not a '%s'", tri_value_type_name(value));
        return false;
    }
    bool is_ok = true;
    for (uint32_t i = 0; i < value->dict->keys.len && is_ok; i++)
        is_ok = tri_host_set_item(h, dict->dict, value->dict->keys.at[i], value->dict->values.at[i], entry->span);
    return is_ok;
}

static const tri_value *eval_dict(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    tri_value *dict = tri_value_dict_create(h->arena);
    for (uint32_t i = 0; i < node->list.len; i++)
        if (!add_entry(h, f, node->list.at[i], dict))
            return NULL;
    return dict;
}

/* ---- comprehensions ---- */

typedef struct {
    const tri_ast_node *node;
    tri_value_list items;
    tri_value *dict;
} comprehension;

static bool run_clauses(tri_host *h, tri_host_frame *f, comprehension *c, uint32_t clause)
{
    const tri_ast_node *node = c->node;
    if (clause == node->comp.clauses.len) {
        if (c->dict)
            return add_entry(h, f, node->comp.element, c->dict);
        const tri_value *v = tri_host_expr(h, f, node->comp.element);
        if (v)
            tri_value_push(h->arena, &c->items, v);
        return v != NULL;
    }
    const tri_ast_node *at = node->comp.clauses.at[clause];
    const tri_value *iter = tri_host_expr(h, f, at->for_clause.iter);
    tri_value_list items = {0};
    if (!iter || !tri_host_items(h, iter, at->for_clause.iter->span, &items))
        return false;
    for (uint32_t i = 0; i < items.len; i++) {
        bool is_wanted = true;
        if (!tri_host_assign(h, f, at->for_clause.target, items.at[i]))
            return false;
        for (uint32_t k = 0; k < at->for_clause.ifs.len && is_wanted; k++)
            if (!eval_truth(h, f, at->for_clause.ifs.at[k], &is_wanted))
                return false;
        if (is_wanted && !run_clauses(h, f, c, clause + 1))
            return false;
    }
    return true;
}

static const tri_value *eval_comprehension(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    tri_host_frame *inner = tri_host_frame_create(h, f->scope, f, f->limit);
    comprehension c = {.node = node, .dict = node->kind == TRI_AST_DICT_COMP ? tri_value_dict_create(h->arena) : NULL};
    inner->is_open = true;
    if (!run_clauses(h, inner, &c, 0))
        return NULL;
    if (c.dict)
        return c.dict;
    if (node->kind == TRI_AST_SET_COMP)
        return make_set(h, &c.items, node->span);
    return tri_value_sequence(h->arena, TRI_VALUE_LIST, c.items.len, c.items.at);
}

/* ---- strings and subscripts ---- */

static const tri_value *eval_fstring(tri_host *h, tri_host_frame *f, const tri_ast_node *node);

static bool add_field(tri_host *h, tri_host_frame *f, const tri_ast_node *field, tri_buf *out)
{
    const tri_value *v = tri_host_expr(h, f, field->formatted.value);
    if (!v)
        return false;
    if (tri_host_exception_is_wordless(v))
        return tri_host_fail(h, field->span, "what this exception says is not known while compiling");
    if (!tri_host_has_room_for_text(h, field->span, v) || !tri_host_has_room(h, field->span, 2 * out->len))
        return false;
    if (field->formatted.conversion == 'r' || field->formatted.conversion == 'a')
        v = tri_value_str(h->arena, tri_value_repr_str(h->arena, v));
    if (!field->formatted.spec) {
        tri_value_print(v, out);
        return true;
    }
    const tri_value *spec = eval_fstring(h, f, field->formatted.spec);
    tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
    v = spec ? tri_host_check(h, &ops, tri_value_format(&ops, v, spec->string), field->span) : NULL;
    if (v)
        tri_buf_add_str(out, v->string);
    return v != NULL;
}

static const tri_value *eval_fstring(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    tri_buf out = {0};
    bool is_ok = true;
    for (uint32_t i = 0; i < node->list.len && is_ok; i++) {
        const tri_ast_node *item = node->list.at[i];
        if (item->kind == TRI_AST_STRING)
            tri_buf_add_str(&out, item->string);
        else
            is_ok = add_field(h, f, item, &out);
    }
    const tri_value *v = is_ok ? tri_value_str(h->arena, tri_str_copy(h->arena, tri_buf_str(&out))) : NULL;
    tri_buf_fini(&out);
    return v;
}

static const tri_value *slice_part(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    return node ? tri_host_expr(h, f, node) : &tri_value_none;
}

static const tri_value *eval_slice(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    const tri_value *start = slice_part(h, f, node->slice.lower), *stop = slice_part(h, f, node->slice.upper);
    const tri_value *step = slice_part(h, f, node->slice.step);
    if (!start || !stop || !step)
        return NULL;
    tri_value *v = TRI_NEW(h->arena, tri_value);
    v->kind = TRI_VALUE_SLICE;
    v->slice.start = start;
    v->slice.stop = stop;
    v->slice.step = step;
    return v;
}

static const tri_value *eval_subscript(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    const tri_value *x = tri_host_expr(h, f, node->subscript.value);
    const tri_value *index = x ? tri_host_expr(h, f, node->subscript.index) : NULL;
    if (!index)
        return NULL;
    if (x->kind == TRI_VALUE_BUILTIN && tri_str_is(x->string, "os.environ"))
        return tri_host_fail(h, node->span, "environment variables are not read while compiling");
    if (x->kind == TRI_VALUE_EXTERNAL || x->kind == TRI_VALUE_BUILTIN) /* typing.List[int] */
        return tri_value_external(h->arena, x->string);
    if (x->kind == TRI_VALUE_OBJECT && tri_host_method_exists(x, TRI_STR("__getitem__"))) { /* a match's groups */
        tri_host_args args = {0};
        tri_vec_push(h->arena, &args.at, (tri_host_arg){{0}, index});
        return tri_host_method_call(h, x, TRI_STR("__getitem__"), &args, node->span);
    }
    tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
    return tri_host_check(h, &ops, tri_value_subscript(&ops, x, index), node->span);
}

/* ---- the switch ---- */

static const tri_value *eval_operator(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
    if (node->kind == TRI_AST_UNARY) {
        const tri_value *x = tri_host_expr(h, f, node->unary.operand);
        if (x && x->kind == TRI_VALUE_EXTERNAL)
            return tri_host_fail(h, node->span, "'%.*s' has no value while compiling", TRI_STR_ARG(x->string));
        return x ? tri_host_check(h, &ops, tri_value_unary(&ops, node->unary.op, x), node->span) : NULL;
    }
    const tri_value *a = tri_host_expr(h, f, node->binary.left);
    const tri_value *b = a ? tri_host_expr(h, f, node->binary.right) : NULL;
    return b ? tri_host_check(h, &ops, tri_value_binary(&ops, node->binary.op, a, b), node->span) : NULL;
}

static const tri_value *eval(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    bool is_true;
    const tri_value *v;
    switch (node->kind) {
    case TRI_AST_NAME: return eval_name(h, f, node);
    case TRI_AST_NONE:
    case TRI_AST_TRUE:
    case TRI_AST_FALSE:
    case TRI_AST_ELLIPSIS:
    case TRI_AST_INT:
    case TRI_AST_FLOAT:
    case TRI_AST_STRING: case TRI_AST_BYTES:
        v = tri_value_from_literal(h->arena, node);
        return v ? v : tri_host_fail(h, node->span, "the integer needs more than 128 bits");
    case TRI_AST_FSTRING: return eval_fstring(h, f, node);
    case TRI_AST_TUPLE: case TRI_AST_LIST: case TRI_AST_SET: return eval_sequence(h, f, node);
    case TRI_AST_DICT: return eval_dict(h, f, node);
    case TRI_AST_LIST_COMP: case TRI_AST_SET_COMP: case TRI_AST_GENERATOR: case TRI_AST_DICT_COMP:
        return eval_comprehension(h, f, node);
    case TRI_AST_UNARY: case TRI_AST_BINARY: return eval_operator(h, f, node);
    case TRI_AST_BOOL: return eval_boolean(h, f, node);
    case TRI_AST_COMPARE: return eval_compare(h, f, node);
    case TRI_AST_CONDITIONAL:
        if (!eval_truth(h, f, node->conditional.test, &is_true))
            return NULL;
        return tri_host_expr(h, f, is_true ? node->conditional.then : node->conditional.orelse);
    case TRI_AST_LAMBDA: return tri_host_close(h, f, node);
    case TRI_AST_CALL: return tri_host_call_node(h, f, node);
    case TRI_AST_ATTRIBUTE: return eval_attribute(h, f, node);
    case TRI_AST_SUBSCRIPT: return eval_subscript(h, f, node);
    case TRI_AST_SLICE: return eval_slice(h, f, node);
    case TRI_AST_WALRUS:
        v = tri_host_expr(h, f, node->assign_to.value);
        while (f->is_open && f->outer)
            f = f->outer;
        if (v)
            set_local(f, tri_ast_text(node->assign_to.target), v);
        return v;
    default:
        return tri_host_fail(h, node->span, "a %s expression is not evaluated while compiling",
                             tri_ast_kind_text(node->kind));
    }
}

const tri_value *tri_host_expr(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    if (!tri_host_step(h, node->span, 1))
        return NULL;
    if (h->all->level >= TRI_HOST_MAX_LEVEL)
        return tri_host_fail(h, node->span, "this is nested too deep to be computed while compiling");
    h->all->level++;
    const tri_value *v = eval(h, f, node);
    h->all->level--;
    return v;
}

/* ---- assignment ---- */

static bool assign_items(tri_host *h, tri_host_frame *f, const tri_ast_node *target, const tri_value *value)
{
    tri_value_list items = {0};
    if (!tri_host_items(h, value, target->span, &items))
        return false;
    uint32_t n = target->list.len, star = n;
    for (uint32_t i = 0; i < n; i++)
        if (target->list.at[i]->kind == TRI_AST_STARRED)
            star = i;
    if (star == n ? items.len != n : items.len + 1 < n) {
        tri_host_fail(h, target->span, "%u values do not fit %u targets", items.len, n);
        return false;
    }
    for (uint32_t i = 0, from = 0; i < n; i++) {
        const tri_value *part = from < items.len ? items.at[from] : NULL;
        const tri_ast_node *t = target->list.at[i];
        if (i == star) {
            uint32_t count = items.len - (n - 1);
            part = tri_value_sequence(h->arena, TRI_VALUE_LIST, count, items.at + from);
            from += count;
            t = t->value;
        } else {
            from++;
        }
        if (!tri_host_assign(h, f, t, part))
            return false;
    }
    return true;
}

static bool assign_item(tri_host *h, tri_host_frame *f, const tri_ast_node *target, const tri_value *value)
{
    const tri_value *x = tri_host_expr(h, f, target->subscript.value);
    const tri_value *index = x ? tri_host_expr(h, f, target->subscript.index) : NULL;
    int64_t i;
    if (!index)
        return false;
    if (x->kind == TRI_VALUE_DICT)
        return tri_host_set_item(h, x->dict, index, value, target->span);
    if (x->kind == TRI_VALUE_LIST && tri_value_get_i64(index, &i)) {
        int64_t n = x->sequence.items.len;
        if (i >= -n && i < n) {
            x->sequence.items.at[i < 0 ? i + n : i] = value;
            return true;
        }
    }
    tri_host_fail(h, target->span, "this item of a '%s' cannot be assigned", tri_value_type_name(x));
    return false;
}

bool tri_host_assign(tri_host *h, tri_host_frame *f, const tri_ast_node *target, const tri_value *value)
{
    switch (target->kind) {
    case TRI_AST_NAME: set_local(f, tri_ast_text(target), value); return true;
    case TRI_AST_TUPLE: case TRI_AST_LIST: return assign_items(h, f, target, value);
    case TRI_AST_SUBSCRIPT: return assign_item(h, f, target, value);
    case TRI_AST_ATTRIBUTE: {
        const tri_value *x = tri_host_expr(h, f, target->attribute.value);
        if (x && x->kind == TRI_VALUE_OBJECT) {
            tri_value_dict_set(h->arena, x->object.fields, tri_value_str(h->arena, target->attribute.name), value);
            return true;
        }
        break;
    }
    default: break;
    }
    tri_host_fail(h, target->span, "this target cannot be assigned while compiling");
    return false;
}

/* ---- entry points ---- */

static tri_host start(tri_modules *all, tri_failure *failure)
{
    return (tri_host){.all = all, .arena = all->arena, .failure = failure};
}

const tri_value *tri_host_eval_at(tri_scope *scope, const tri_ast_node *expr, uint32_t limit, tri_failure *failure)
{
    tri_modules *all = scope->module->all;
    tri_host h = start(all, failure);
    if (all->depth >= TRI_HOST_MAX_DEPTH)
        return tri_host_fail(&h, expr->span, "constants depend on each other too deeply");
    all->depth++;
    tri_budget_open(&all->budget);
    const tri_value *v = tri_host_expr(&h, tri_host_frame_create(&h, scope, NULL, limit), expr);
    tri_budget_close(&all->budget);
    all->depth--;
    return v;
}

const tri_value *tri_host_apply_changes(tri_scope *scope, tri_str name, const tri_value *value, size_t count,
                                        const tri_ast_node *const *statements, tri_failure *failure)
{
    tri_host h = start(scope->module->all, failure);
    tri_budget_open(&h.all->budget);
    for (size_t i = 0; i < count && value; i++) {
        tri_host_frame *f = tri_host_frame_create(&h, scope, NULL, statements[i]->span.begin);
        set_local(f, name, value);
        tri_ast_node *one = (tri_ast_node *)(uintptr_t)statements[i];
        if (tri_host_stmt_run(&h, f, (tri_ast_list){&one, 1}) == TRI_HOST_NEXT)
            value = tri_map_find(&f->locals, name);
        else
            value = tri_host_fail(&h, one->span, "this statement is not evaluated while compiling");
    }
    tri_budget_close(&h.all->budget);
    return value;
}

const tri_value *tri_host_select(tri_arena *arena, const tri_ast_node *target, const tri_ast_node *part,
                                 const tri_value *value)
{
    if (target == part)
        return value;
    tri_value_ops ops = {.arena = arena};
    tri_value_list items = {0};
    if ((target->kind != TRI_AST_TUPLE && target->kind != TRI_AST_LIST) || !tri_value_items(&ops, value, &items))
        return NULL;
    uint32_t n = target->list.len, star = n;
    for (uint32_t i = 0; i < n; i++)
        if (target->list.at[i]->kind == TRI_AST_STARRED)
            star = i;
    if (star == n ? items.len != n : items.len + 1 < n)
        return NULL;
    for (uint32_t i = 0; i < n; i++) {
        const tri_ast_node *item = target->list.at[i];
        uint32_t extra = items.len - n; /* wraps when the star takes nothing, and back below */
        if (part->span.begin < item->span.begin || part->span.end > item->span.end)
            continue;
        if (i == star)
            return tri_host_select(arena, item->value, part,
                                   tri_value_sequence(arena, TRI_VALUE_LIST, extra + 1, items.at + star));
        return tri_host_select(arena, item, part, items.at[i < star ? i : i + extra]);
    }
    return NULL;
}

const tri_value *tri_host_try(tri_scope *scope, const tri_ast_node *expr, tri_str *out_why, tri_span *out_at)
{
    tri_failure failure = {0};
    const tri_value *v = tri_host_eval_at(scope, expr, UINT32_MAX, &failure);
    *out_why = failure.why;
    *out_at = failure.at;
    return v;
}

const tri_value *tri_host_try_with(tri_scope *scope, const tri_ast_node *expr, size_t count, const tri_host_arg *names,
                                   tri_str *out_why, tri_span *out_at)
{
    tri_failure failure = {0};
    tri_host h = start(scope->module->all, &failure);
    tri_host_frame *f = tri_host_frame_create(&h, scope, NULL, UINT32_MAX);
    for (size_t i = 0; i < count; i++)
        set_local(f, names[i].name, names[i].value);
    tri_budget_open(&h.all->budget);
    const tri_value *v = tri_host_expr(&h, f, expr);
    tri_budget_close(&h.all->budget);
    *out_why = failure.why;
    *out_at = failure.at;
    return v;
}

static void report_host(tri_modules *all, tri_span at, const char *what, const tri_failure *failure)
{
    tri_diag_error(all->diag, at, 3034, "%s cannot be computed while compiling", what);
    if (failure->why.len)
        tri_diag_note(all->diag, failure->at, "%.*s", TRI_STR_ARG(failure->why));
}

const tri_value *tri_host_call(tri_modules *all, const tri_value *callee, size_t count, const tri_host_arg *args,
                               tri_span call)
{
    tri_failure failure = {0};
    tri_host h = start(all, &failure);
    tri_host_args list = {0};
    for (size_t i = 0; i < count; i++)
        tri_vec_push(all->arena, &list.at, args[i]);
    tri_budget_open(&all->budget);
    const tri_value *v = tri_host_call_value(&h, callee, &list, call);
    tri_budget_close(&all->budget);
    if (!v)
        report_host(all, call, "this call", &failure);
    return v;
}

bool tri_host_can_call(const tri_value *builtin)
{
    return builtin->kind == TRI_VALUE_BUILTIN && tri_host_builtin_find(builtin->string) != NULL;
}

const tri_value *tri_host_default(const tri_function *function, int param, bool *out_failed)
{
    tri_ast_list params =
        function->node->kind == TRI_AST_LAMBDA ? function->node->lambda.params : function->node->function.params;
    const tri_ast_node *value = params.at[param]->param.default_value;
    *out_failed = false;
    if (!value)
        return NULL;
    tri_failure failure = {0};
    const tri_value *v = tri_host_eval_at(function->scope, value, value->span.begin, &failure);
    if (!v) {
        *out_failed = true;
        report_host(function->module->all, value->span, "this default", &failure);
    }
    return v;
}
