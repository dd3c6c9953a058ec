#include "frontend/kernel/fixes.h"
#include "frontend/kernel/frame.h"
#include "frontend/kernel/notes.h"
#include "frontend/host/host.h"
#include "frontend/host/scope.h"

#include "ir/context.h"

tri_place tri_expr_enter(tri_eval *e, const tri_ast_node *node)
{
    tri_place saved = {e->at, e->b.loc};
    e->at = node->span;
    e->b.loc = tri_context_location(e->mlir, e->diag, node->span);
    return saved;
}

void tri_expr_leave(tri_eval *e, tri_place saved)
{
    e->at = saved.at;
    e->b.loc = saved.loc;
}

static tri_ev unsupported(tri_eval *e, const char *what, const char *instead)
{
    tri_ev r = tri_eval_error(e, 4001, "%s is not supported in a kernel", what);
    if (instead)
        tri_eval_note(e, "%s", instead);
    return r;
}

/* ---- names ---- */

static tri_ev not_defined(tri_eval *e, const tri_ast_node *node)
{
    tri_local *gone = tri_frame_find_gone(e, tri_ast_text(node));
    tri_ev r;
    if (gone) {
        r = tri_eval_error(e, 3001, "'%.*s' is not defined here", TRI_STR_ARG(tri_ast_text(node)));
        if (gone->at.source)
            tri_diag_note(e->diag, gone->at, "it is bound only in a branch or loop body that ends before; give it a "
                          "value before that");
        return r;
    }
    static const char *const renamed[] = {"abs", "sum", "sorted", "round", "pow", "zip", "enumerate", "any", "all"};
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (tri_str_is(tri_ast_text(node), renamed[i])) {
            r = tri_eval_error(e, 3001, "Python's '%s' is not available in a kernel", renamed[i]);
            if (i < 2)
                tri_diag_fix(e->diag, node->span, "tl.%s", renamed[i]);
            return r;
        }
    const char *words[64];
    size_t n = 0;
    for (int i = 0; i < e->frame->locals.len && n < 64; i++)
        if (!e->frame->locals.at[i].is_gone)
            words[n++] = tri_str_copy(e->arena, e->frame->locals.at[i].name).data;
    const tri_ast_list *file = &tri_module_ast(e->frame->function->module)->body;
    for (uint32_t i = 0; i < file->len && n < sizeof words / sizeof *words; i++)
        if (file->at[i]->kind == TRI_AST_FUNCTION)
            words[n++] = tri_str_copy(e->arena, file->at[i]->function.name).data;
    const char *near = tri_str_nearest(tri_ast_text(node), words, n);
    r = tri_eval_error(e, 3001, "'%.*s' is not defined", TRI_STR_ARG(tri_ast_text(node)));
    if (!tri_fixes_unknown_name(e, node) && near)
        tri_diag_fix(e->diag, node->span, "%s", near);
    return r;
}

static tri_ev global_name(tri_eval *e, const tri_ast_node *node)
{
    tri_global g = {0};
    switch (tri_module_find(e->frame->function->scope, tri_ast_text(node), node->span, &g)) {
    case TRI_LOOKUP_FAILED:
        return (tri_ev){0};
    case TRI_LOOKUP_ABSENT:
        return not_defined(e, node);
    case TRI_LOOKUP_FOUND:
        break;
    }
    if (g.is_default_scope && !tri_library_is_kernel_builtin(tri_ast_text(node)))
        return not_defined(e, node);
    if (!g.is_default_scope && !tri_module_can_kernel_read(g.value)) {
        tri_module_report_unreadable(e->modules, tri_ast_text(node), &g, node->span);
        return (tri_ev){0};
    }
    return tri_ev_from_value(e, g.value);
}

static tri_ev eval_name(tri_eval *e, const tri_ast_node *node)
{
    tri_local *l = tri_frame_find(e, tri_ast_text(node));
    return l ? l->value : global_name(e, node);
}

/* ---- operators ---- */

static const char *method_of(tri_ast_op op, bool reflected)
{
    static const char *const forward[] = {
        [TRI_AST_ADD_OP] = "__add__",       [TRI_AST_SUB_OP] = "__sub__",         [TRI_AST_MUL_OP] = "__mul__",
        [TRI_AST_DIV_OP] = "__truediv__",   [TRI_AST_FLOOR_DIV_OP] = "__floordiv__", [TRI_AST_MOD_OP] = "__mod__",
        [TRI_AST_POW_OP] = "__pow__",       [TRI_AST_MATMUL_OP] = "__matmul__",   [TRI_AST_SHL_OP] = "__lshift__",
        [TRI_AST_SHR_OP] = "__rshift__",    [TRI_AST_BIT_AND_OP] = "__and__",     [TRI_AST_BIT_OR_OP] = "__or__",
        [TRI_AST_BIT_XOR_OP] = "__xor__",   [TRI_AST_EQ_OP] = "__eq__",           [TRI_AST_NE_OP] = "__ne__",
        [TRI_AST_LT_OP] = "__lt__",         [TRI_AST_LE_OP] = "__le__",           [TRI_AST_GT_OP] = "__gt__",
        [TRI_AST_GE_OP] = "__ge__",         [TRI_AST_NEG_OP] = "__neg__",         [TRI_AST_INVERT_OP] = "__invert__",
        [TRI_AST_POS_OP] = "__pos__",
    };
    static const char *const backward[] = {
        [TRI_AST_ADD_OP] = "__radd__",      [TRI_AST_SUB_OP] = "__rsub__",         [TRI_AST_MUL_OP] = "__rmul__",
        [TRI_AST_DIV_OP] = "__rtruediv__",  [TRI_AST_FLOOR_DIV_OP] = "__rfloordiv__", [TRI_AST_MOD_OP] = "__rmod__",
        [TRI_AST_POW_OP] = "__rpow__",      [TRI_AST_MATMUL_OP] = "__rmatmul__",   [TRI_AST_SHL_OP] = "__rlshift__",
        [TRI_AST_SHR_OP] = "__rrshift__",   [TRI_AST_BIT_AND_OP] = "__rand__",     [TRI_AST_BIT_OR_OP] = "__ror__",
        [TRI_AST_BIT_XOR_OP] = "__rxor__",  [TRI_AST_EQ_OP] = "__eq__",            [TRI_AST_NE_OP] = "__ne__",
        [TRI_AST_LT_OP] = "__gt__",         [TRI_AST_LE_OP] = "__ge__",            [TRI_AST_GT_OP] = "__lt__",
        [TRI_AST_GE_OP] = "__le__",
    };
    size_t n = reflected ? sizeof backward / sizeof *backward : sizeof forward / sizeof *forward;
    return (size_t)op < n ? (reflected ? backward : forward)[op] : NULL;
}

/* Operator methods of aggregates come first. */
static bool object_operator(tri_eval *e, tri_ast_op op, tri_ev x, tri_ev y, tri_ev *out)
{
    tri_ev method;
    const char *name = method_of(op, false);
    if (x.kind == TRI_EV_OBJECT && name && tri_object_find_method(e, x, tri_str_from(name), &method)) {
        *out = tri_call_simple(e, method, 1, &y);
        return true;
    }
    name = method_of(op, true);
    if (y.kind == TRI_EV_OBJECT && name && tri_object_find_method(e, y, tri_str_from(name), &method)) {
        *out = tri_call_simple(e, method, 1, &x);
        return true;
    }
    return false;
}

static tri_ev ce_result(tri_eval *e, const tri_value *v, const tri_value_ops *ops)
{
    if (v)
        return tri_ev_from_value(e, v);
    return tri_eval_error(e, 3005, "%.*s", TRI_STR_ARG(ops->error));
}

static tri_ev concatenate(tri_eval *e, tri_ev x, tri_ev y)
{
    int n = x.tuple->count + y.tuple->count;
    tri_ev *at = TRI_NEW_ARRAY(e->arena, tri_ev, n + 1);
    memcpy(at, x.tuple->at, sizeof *at * (size_t)x.tuple->count);
    memcpy(at + x.tuple->count, y.tuple->at, sizeof *at * (size_t)y.tuple->count);
    return tri_ev_make_tuple(e, n, at);
}

static tri_ev repeat(tri_eval *e, tri_ev x, int64_t times)
{
    if (times < 0)
        times = 0;
    if (x.tuple->count && times > 65536 / x.tuple->count)
        return tri_eval_error(e, 4010, "a tuple of more than 65536 elements");
    int n = x.tuple->count * (int)times;
    tri_ev *at = TRI_NEW_ARRAY(e->arena, tri_ev, n + 1);
    for (int i = 0; i < n; i++)
        at[i] = x.tuple->at[i % x.tuple->count];
    return tri_ev_make_tuple(e, n, at);
}

tri_ev tri_expr_binary(tri_eval *e, tri_ast_op op, tri_ev x, tri_ev y)
{
    tri_ev r;
    int64_t n;
    if (tri_ev_is_error(x) || tri_ev_is_error(y))
        return (tri_ev){0};
    if (object_operator(e, op, x, y, &r))
        return r;
    if (tri_ev_is_tensor(x) || tri_ev_is_tensor(y))
        return tri_arith_binary(e, op, x, y);
    if (x.kind == TRI_EV_TUPLE && y.kind == TRI_EV_TUPLE && op == TRI_AST_ADD_OP)
        return concatenate(e, x, y);
    if (x.kind == TRI_EV_TUPLE && op == TRI_AST_MUL_OP && tri_ev_get_int(y, &n))
        return repeat(e, x, n);
    if (y.kind == TRI_EV_TUPLE && op == TRI_AST_MUL_OP && tri_ev_get_int(x, &n))
        return repeat(e, y, n);
    const tri_value *vx = tri_ev_to_value(e, x), *vy = tri_ev_to_value(e, y);
    if (!vx || !vy)
        return tri_eval_error(e, 3005, "operator '%s' does not take %s and %s", tri_ast_op_text(op),
                              tri_eval_describe(e, x), tri_eval_describe(e, y));
    tri_value_ops ops = {.arena = e->arena, .budget = tri_module_budget(e->modules)};
    return ce_result(e, tri_value_binary(&ops, op, vx, vy), &ops);
}

static tri_ev compare_identity(tri_eval *e, tri_ast_op op, tri_ev x, tri_ev y)
{
    bool same = x.kind == TRI_EV_CE && y.kind == TRI_EV_CE ? tri_value_is(x.ce, y.ce)
                : x.kind == TRI_EV_TENSOR && y.kind == TRI_EV_TENSOR ? mlirValueEqual(x.value, y.value)
                : x.kind == TRI_EV_TUPLE && y.kind == TRI_EV_TUPLE   ? x.tuple == y.tuple
                                                                     : false;
    return tri_ev_bool(e, same == (op == TRI_AST_IS_OP));
}

/* Equality of tuples that hold tensors: lengths and constants decide, tensors compare by identity. */
static bool tuples_equal(tri_eval *e, tri_ev x, tri_ev y)
{
    if (x.kind == TRI_EV_TUPLE && y.kind == TRI_EV_TUPLE) {
        if (x.tuple->count != y.tuple->count)
            return false;
        for (int i = 0; i < x.tuple->count; i++)
            if (!tuples_equal(e, x.tuple->at[i], y.tuple->at[i]))
                return false;
        return true;
    }
    return tri_ev_same_type(x, y) && tri_ev_same_value(e, x, y);
}

tri_ev tri_expr_compare(tri_eval *e, tri_ast_op op, tri_ev x, tri_ev y)
{
    tri_ev r;
    if (tri_ev_is_error(x) || tri_ev_is_error(y))
        return (tri_ev){0};
    if (op == TRI_AST_IS_OP || op == TRI_AST_IS_NOT_OP)
        return compare_identity(e, op, x, y);
    if (op == TRI_AST_IN_OP || op == TRI_AST_NOT_IN_OP)
        return unsupported(e, op == TRI_AST_IN_OP ? "'in'" : "'not in'", "compare with '==' and join with 'or'");
    if (object_operator(e, op, x, y, &r))
        return r;
    if (tri_ev_is_tensor(x) || tri_ev_is_tensor(y))
        return tri_arith_compare(e, op, x, y);
    const tri_value *vx = tri_ev_to_value(e, x), *vy = tri_ev_to_value(e, y);
    if (!vx || !vy) {
        if (x.kind == TRI_EV_TUPLE && y.kind == TRI_EV_TUPLE && (op == TRI_AST_EQ_OP || op == TRI_AST_NE_OP))
            return tri_ev_bool(e, tuples_equal(e, x, y) == (op == TRI_AST_EQ_OP));
        return tri_eval_error(e, 3005, "operator '%s' does not take %s and %s", tri_ast_op_text(op),
                              tri_eval_describe(e, x), tri_eval_describe(e, y));
    }
    tri_value_ops ops = {.arena = e->arena, .budget = tri_module_budget(e->modules)};
    return ce_result(e, tri_value_compare(&ops, op, vx, vy), &ops);
}

tri_truth tri_expr_truth(tri_eval *e, tri_ev c)
{
    if (tri_ev_is_error(c))
        return TRI_TRUTH_ERROR;
    if (tri_ev_is_tensor(c))
        return TRI_TRUTH_RUNTIME;
    if (c.kind == TRI_EV_CE &&
        (c.ce->kind == TRI_VALUE_BOOL || c.ce->kind == TRI_VALUE_INT || c.ce->kind == TRI_VALUE_NONE))
        return tri_value_truth(c.ce) ? TRI_TRUTH_TRUE : TRI_TRUTH_FALSE;
    tri_eval_error(e, 3016, "a condition must be a bool, an int, None or a scalar tensor, but this is %s",
                   tri_eval_describe(e, c));
    if (c.kind == TRI_EV_CE && c.ce->kind == TRI_VALUE_STR)
        tri_eval_note(e, "compare it: x != \"\"");
    return TRI_TRUTH_ERROR;
}

static tri_ev eval_unary(tri_eval *e, const tri_ast_node *node)
{
    tri_ast_op op = node->unary.op;
    tri_ev x = tri_expr_eval(e, node->unary.operand), method;
    if (tri_ev_is_error(x))
        return x;
    if (x.kind == TRI_EV_OBJECT && method_of(op, false) &&
        tri_object_find_method(e, x, tri_str_from(method_of(op, false)), &method))
        return tri_call_simple(e, method, 0, NULL);
    if (tri_ev_is_tensor(x)) {
        switch (op) {
        case TRI_AST_NEG_OP:
            return tri_arith_negate(e, x);
        case TRI_AST_INVERT_OP:
            return tri_arith_invert(e, x);
        case TRI_AST_NOT_OP:
            return tri_arith_not(e, x);
        default:
            return unsupported(e, "unary '+' on a tensor", NULL);
        }
    }
    const tri_value *v = tri_ev_to_value(e, x);
    if (!v && op == TRI_AST_NOT_OP)
        return tri_ev_bool(e, x.kind == TRI_EV_TUPLE && x.tuple->count == 0);
    if (!v)
        return tri_eval_error(e, 3005, "unary '%s' does not take %s", tri_ast_op_text(op), tri_eval_describe(e, x));
    tri_value_ops ops = {.arena = e->arena, .budget = tri_module_budget(e->modules)};
    return ce_result(e, tri_value_unary(&ops, op, v), &ops);
}

/* Constants end or leave the chain at compile time; the tensors that remain are folded from the right. */
static tri_ev eval_bool(tri_eval *e, const tri_ast_node *node)
{
    bool is_and = node->boolean.op == TRI_AST_AND_OP;
    uint32_t n = 0;
    tri_ev *tensors = TRI_NEW_ARRAY(e->arena, tri_ev, node->boolean.values.len);
    tri_ev last = {0};
    bool error = false, is_told = false;
    for (uint32_t i = 0; i < node->boolean.values.len; i++) {
        tri_ev v = last = tri_expr_eval(e, node->boolean.values.at[i]);
        if (tri_ev_is_error(v)) {
            error = true;
        } else if (tri_ev_is_tensor(v)) {
            if (tri_ev_is_block(v) && !is_told) {
                tri_eval_warning(e, "deprecated", "'%s' of blocks; use '%s'", is_and ? "and" : "or",
                                 is_and ? "&" : "|");
                tri_fixes_logical(e, node);
            }
            is_told |= tri_ev_is_block(v);
            tensors[n++] = v;
        } else {
            const tri_value *c = tri_ev_to_value(e, v);
            bool truth = c ? tri_value_truth(c) : !(v.kind == TRI_EV_TUPLE && v.tuple->count == 0);
            if (truth != is_and)
                return v;
        }
    }
    if (error)
        return (tri_ev){0};
    if (n == 0)
        return last;
    for (; n > 1; n--)
        tensors[n - 2] = tri_arith_logical(e, is_and, tensors[n - 2], tensors[n - 1]);
    return tensors[0];
}

static tri_ev eval_compare(tri_eval *e, const tri_ast_node *node)
{
    if (node->compare.rights.len != 1) {
        tri_ev r = tri_eval_error(e, 4001, "several comparisons at once are not supported");
        tri_eval_note(e, "write them one by one and join them: (a < b) & (b < c)");
        tri_fixes_comparison(e, node);
        return r;
    }
    tri_ev x = tri_expr_eval(e, node->compare.left), y = tri_expr_eval(e, node->compare.rights.at[0]);
    return tri_expr_compare(e, node->compare.ops[0], x, y);
}

/* ---- the other forms ---- */

static tri_ev eval_items(tri_eval *e, const tri_ast_list *items)
{
    TRI_VEC(tri_ev) at = {0};
    bool error = false;
    for (uint32_t i = 0; i < items->len; i++) {
        const tri_ast_node *item = items->at[i];
        bool starred = item->kind == TRI_AST_STARRED;
        tri_ev v = tri_expr_eval(e, starred ? item->value : item);
        error = error || tri_ev_is_error(v);
        if (starred && v.kind == TRI_EV_TUPLE)
            for (int k = 0; k < v.tuple->count; k++)
                tri_vec_push(e->arena, &at, v.tuple->at[k]);
        else if (starred && !tri_ev_is_error(v))
            v = tri_eval_error_at(e, item->span, 4001, "only a tuple can be spliced with '*', not %s",
                                  tri_eval_describe(e, v)),
            error = true;
        else
            tri_vec_push(e->arena, &at, v);
    }
    (void)error;
    return tri_ev_make_tuple(e, (int)at.len, at.at);
}

/* An f-string: pieces must be known at compile time. */
static tri_ev eval_fstring(tri_eval *e, const tri_ast_node *node)
{
    tri_buf buf = {0};
    bool error = false;
    for (uint32_t i = 0; i < node->list.len; i++) {
        const tri_ast_node *piece = node->list.at[i];
        if (piece->kind == TRI_AST_STRING) {
            tri_buf_add_str(&buf, piece->string);
            continue;
        }
        tri_ev v = tri_expr_eval(e, piece->formatted.value);
        const tri_value *c = tri_ev_to_value(e, v);
        if (!c) {
            if (!tri_ev_is_error(v))
                tri_eval_error_at(e, piece->span, 3013, "an f-string in a kernel takes only compile-time values, but "
                                  "this is %s", tri_eval_describe(e, v));
            error = true;
            continue;
        }
        tri_ev spec = piece->formatted.spec ? eval_fstring(e, piece->formatted.spec) : tri_ev_str(e, TRI_STR(""));
        tri_value_ops ops = {.arena = e->arena, .budget = tri_module_budget(e->modules)};
        tri_str text = TRI_STR("");
        tri_ev_get_str(spec, &text);
        if (piece->formatted.conversion == 'r' || piece->formatted.conversion == 'a')
            c = tri_value_str(e->arena, tri_value_repr_str(e->arena, c));
        const tri_value *formatted = text.len ? tri_value_format(&ops, c, text) : NULL;
        if (formatted)
            tri_value_print(formatted, &buf);
        else if (!text.len)
            tri_value_print(c, &buf);
        else
            error = true, tri_eval_error_at(e, piece->span, 3013, "%.*s", TRI_STR_ARG(ops.error));
    }
    tri_ev r = error ? (tri_ev){0} : tri_ev_str(e, tri_str_copy(e->arena, tri_buf_str(&buf)));
    tri_buf_fini(&buf);
    return r;
}

static tri_ev eval_comprehension(tri_eval *e, const tri_ast_node *node)
{
    if (node->comp.clauses.len != 1)
        return unsupported(e, "a comprehension with several 'for' clauses", NULL);
    const tri_ast_node *clause = node->comp.clauses.at[0];
    tri_ev items = tri_expr_eval(e, clause->for_clause.iter);
    if (tri_ev_is_error(items))
        return items;
    if (items.kind != TRI_EV_TUPLE)
        return tri_eval_error_at(e, clause->for_clause.iter->span, 4001,
                                 "a comprehension in a kernel goes over a tuple, not %s", tri_eval_describe(e, items));
    TRI_VEC(tri_ev) out = {0};
    for (int i = 0; i < items.tuple->count; i++) {
        bool keep = true;
        tri_stmt_assign(e, clause->for_clause.target, items.tuple->at[i]);
        for (uint32_t k = 0; k < clause->for_clause.ifs.len && keep; k++) {
            tri_truth t = tri_expr_truth(e, tri_expr_eval(e, clause->for_clause.ifs.at[k]));
            if (t == TRI_TRUTH_RUNTIME)
                return tri_eval_error_at(e, clause->for_clause.ifs.at[k]->span, 3013,
                                         "the condition of a comprehension must be known at compile time");
            keep = t == TRI_TRUTH_TRUE;
        }
        if (keep)
            tri_vec_push(e->arena, &out, tri_expr_eval(e, node->comp.element));
    }
    return tri_ev_make_tuple(e, (int)out.len, out.at);
}

static tri_ev eval_slice(tri_eval *e, const tri_ast_node *node)
{
    tri_ev_slice *s = TRI_NEW(e->arena, tri_ev_slice);
    s->start = node->slice.lower ? tri_expr_eval(e, node->slice.lower) : tri_ev_none(e);
    s->stop = node->slice.upper ? tri_expr_eval(e, node->slice.upper) : tri_ev_none(e);
    s->step = node->slice.step ? tri_expr_eval(e, node->slice.step) : tri_ev_none(e);
    return (tri_ev){.kind = TRI_EV_SLICE, .slice = s};
}

/* A table of constants, in an extern function. */
static tri_ev eval_dict(tri_eval *e, const tri_ast_node *node)
{
    tri_value *dict = tri_value_dict_create(e->arena);
    for (uint32_t i = 0; i < node->list.len; i++) {
        const tri_ast_node *item = node->list.at[i];
        if (!item->key_value.key)
            return unsupported(e, "'**' in a dict", "write its entries");
        tri_ev key = tri_expr_eval(e, item->key_value.key), value = tri_expr_eval(e, item->key_value.value);
        const tri_value *k = tri_ev_to_value(e, key), *v = tri_ev_to_value(e, value);
        if (tri_ev_is_error(key) || tri_ev_is_error(value))
            return (tri_ev){0};
        if (!k || !v)
            return tri_eval_error_at(e, item->span, 3013, "the entries of a dict must be compile-time constants");
        tri_value_dict_set(e->arena, dict->dict, k, v);
    }
    return tri_ev_from_value(e, dict);
}

static tri_ev eval_walrus(tri_eval *e, const tri_ast_node *node)
{
    tri_ev v = tri_stmt_decay(e, tri_expr_eval(e, node->assign_to.value));
    tri_stmt_assign(e, node->assign_to.target, v);
    return v;
}

static tri_ev dispatch(tri_eval *e, const tri_ast_node *node)
{
    switch (node->kind) {
    case TRI_AST_NAME:
        return eval_name(e, node);
    case TRI_AST_NONE:
    case TRI_AST_TRUE:
    case TRI_AST_FALSE:
    case TRI_AST_ELLIPSIS:
    case TRI_AST_INT:
    case TRI_AST_FLOAT:
    case TRI_AST_STRING:
    case TRI_AST_BYTES: {
        const tri_value *v = tri_value_from_literal(e->arena, node);
        return v ? tri_ev_from_value(e, v)
                 : tri_eval_error(e, 3011, "the integer %.*s is too large", TRI_STR_ARG(tri_ast_text(node)));
    }
    case TRI_AST_FSTRING:
        return eval_fstring(e, node);
    case TRI_AST_TUPLE:
    case TRI_AST_LIST:
        return eval_items(e, &node->list);
    case TRI_AST_LIST_COMP:
        return eval_comprehension(e, node);
    case TRI_AST_UNARY:
        return eval_unary(e, node);
    case TRI_AST_BINARY: {
        tri_ev x = tri_expr_eval(e, node->binary.left), y = tri_expr_eval(e, node->binary.right);
        tri_ev r = tri_expr_binary(e, node->binary.op, x, y);
        bool is_product = node->binary.op == TRI_AST_MATMUL_OP && tri_ev_is_block(x) && tri_ev_is_block(y);
        if (is_product && tri_ev_is_error(r))
            tri_fixes_product(e, node);
        return r;
    }
    case TRI_AST_BOOL:
        return eval_bool(e, node);
    case TRI_AST_COMPARE:
        return eval_compare(e, node);
    case TRI_AST_CONDITIONAL:
        return tri_branch_conditional(e, node);
    case TRI_AST_CALL:
        return tri_call_node(e, node, false);
    case TRI_AST_ATTRIBUTE: {
        tri_ev base = tri_expr_eval(e, node->attribute.value);
        return tri_attr_get(e, base, node->attribute.name, node);
    }
    case TRI_AST_SUBSCRIPT: {
        tri_ev base = tri_expr_eval(e, node->subscript.value);
        return tri_attr_subscript(e, base, node->subscript.index);
    }
    case TRI_AST_SLICE:
        return eval_slice(e, node);
    case TRI_AST_WALRUS:
        return eval_walrus(e, node);
    case TRI_AST_LAMBDA:
        return unsupported(e, "a lambda", "write a function decorated with @triton.jit at module level");
    case TRI_AST_DICT:
        if (e->frame->function->is_extern)
            return eval_dict(e, node);
        return unsupported(e, "a dict", "use a tuple");
    case TRI_AST_SET:
        return unsupported(e, "a set", "use a tuple");
    default:
        return unsupported(e, tri_ast_kind_text(node->kind), NULL);
    }
}

tri_ev tri_expr_eval(tri_eval *e, const tri_ast_node *node)
{
    tri_place saved = tri_expr_enter(e, node);
    tri_ev v = dispatch(e, node);
    /* Nothing may go missing in silence: an error value without a report would be wrong code. */
    if (tri_ev_is_error(v) && !tri_diag_error_count(e->diag))
        tri_eval_error(e, 4001, "this can not be compiled");
    tri_notes_add_use(e, node, v);
    tri_expr_leave(e, saved);
    return v;
}
