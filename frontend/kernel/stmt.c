#include "frontend/kernel/function.h"
#include "frontend/kernel/masks.h"

#include "ir/context.h"
#include "ir/location.h"
#include "ir/op.h"

/* ---- assignment ---- */

tri_ev tri_stmt_decay(tri_eval *e, tri_ev v)
{
    tri_num n;
    if (v.kind == TRI_EV_TUPLE) {
        tri_ev *at = TRI_NEW_ARRAY(e->arena, tri_ev, v.tuple->count + 1);
        for (int i = 0; i < v.tuple->count; i++)
            at[i] = tri_stmt_decay(e, v.tuple->at[i]);
        return tri_ev_make_named(e, v.tuple->count, at, v.tuple->cls);
    }
    if (v.kind != TRI_EV_CE)
        return v;
    if (tri_ev_get_num(v, &n))
        return tri_semantic_to_tensor(e, v);
    switch (v.ce->kind) {
    case TRI_VALUE_STR:
    case TRI_VALUE_BYTES:
    case TRI_VALUE_DICT:
    case TRI_VALUE_SET:
    case TRI_VALUE_ELLIPSIS: {
        tri_ev r = tri_eval_error(e, 3008, "%s can not be stored in a variable: it is no tensor",
                                  tri_eval_describe(e, v));
        tri_eval_note(e, "keep it as a compile-time constant: 'name: tl.constexpr = ...'");
        return r;
    }
    default:
        return v;
    }
}

/* Was the value made for the statement at `here` alone: by an operation of its place, and for no other name? */
static bool is_fresh(const tri_eval *e, tri_ev v, MlirLocation here)
{
    if (mlirValueIsABlockArgument(v.value))
        return false;
    MlirOperation op = mlirOpResultGetOwner(v.value);
    MlirLocation loc = mlirOperationGetLocation(op);
    tri_position made, wanted;
    if (mlirLocationIsAName(loc) || tri_op_is(op, "tt.call") || mlirOperationGetNumResults(op) != 1)
        return false;
    return mlirBlockEqual(mlirOperationGetBlock(op), e->b.block) && tri_location_position(loc, &made) &&
           tri_location_position(here, &wanted) && made.line >= wanted.line && tri_str_equal(made.file, wanted.file);
}

/* Keeps the variable's name in the location of what was computed for it. For a debugger, a value that was there
 * before becomes one of its own. */
static tri_ev name_value(tri_eval *e, tri_ev v, const tri_ast_node *target)
{
    if (v.kind != TRI_EV_TENSOR)
        return v;
    MlirLocation here = tri_context_location(e->mlir, e->diag, target->span);
    bool is_copied = tri_function_keeps_variables(e) && !is_fresh(e, v, here);
    if (is_copied)
        v = tri_emit_unary(e, "tt.bitcast", v.type, v);
    if (mlirValueIsABlockArgument(v.value))
        return v;
    MlirOperation op = mlirOpResultGetOwner(v.value);
    MlirLocation loc = is_copied ? here : mlirOperationGetLocation(op);
    if (!mlirLocationIsAName(loc))
        mlirOperationSetLocation(op, tri_context_named_location(loc, tri_ast_text(target)));
    return v;
}

static bool is_constexpr_name(tri_frame *frame, tri_str name)
{
    for (size_t i = 0; i < frame->constexpr_names.len; i++)
        if (tri_str_equal(frame->constexpr_names.at[i], name))
            return true;
    return false;
}

static void assign_constexpr(tri_eval *e, tri_str name, tri_ev value, tri_span at)
{
    tri_local *old = tri_frame_find(e, name);
    if (old) {
        tri_eval_error_at(e, at, 4003, "'%.*s' is already defined: a constexpr can not be assigned again",
                          TRI_STR_ARG(name));
        tri_diag_note(e->diag, old->at, "it was defined here");
        return;
    }
    tri_frame_set(e, name, value, at);
}

static bool has_starred(const tri_ast_list *targets)
{
    for (uint32_t i = 0; i < targets->len; i++)
        if (targets->at[i]->kind == TRI_AST_STARRED)
            return true;
    return false;
}

/* Has `value` one for each of the targets? More are as good in Triton, which drops them, and kernels do so. */
static bool is_enough(tri_eval *e, const tri_ast_node *target, tri_ev value)
{
    uint32_t names = target->list.len, count = value.kind == TRI_EV_TUPLE ? (uint32_t)value.tuple->count : 0;
    bool has_surplus = count > names && !has_starred(&target->list);
    if (value.kind != TRI_EV_TUPLE)
        tri_eval_error_at(e, target->span, 4009, "%s can not be unpacked into %u names", tri_eval_describe(e, value),
                          names);
    else if (has_surplus)
        tri_diag_warning(e->diag, target->span, "surplus-value", "%u names for a tuple of %u elements", names, count);
    else if (count != names)
        tri_eval_error_at(e, target->span, 4009, "%u names for a tuple of %u elements", names, count);
    return value.kind == TRI_EV_TUPLE && (has_surplus || count == names);
}

static void unpack(tri_eval *e, const tri_ast_node *target, tri_ev value)
{
    const tri_ast_list *targets = &target->list;
    bool is_known = !tri_ev_is_error(value) && is_enough(e, target, value);
    for (uint32_t i = 0; i < targets->len; i++)
        tri_stmt_assign(e, targets->at[i], is_known ? value.tuple->at[i] : (tri_ev){0});
}

/* `value` has decayed already. */
void tri_stmt_assign(tri_eval *e, const tri_ast_node *target, tri_ev value)
{
    switch (target->kind) {
    case TRI_AST_NAME:
        value = name_value(e, value, target);
        tri_masks_check_assigned(e, target, value);
        tri_frame_set(e, tri_ast_text(target), value, target->span);
        return;
    case TRI_AST_TUPLE:
    case TRI_AST_LIST:
        unpack(e, target, value);
        return;
    case TRI_AST_STARRED:
        tri_eval_error_at(e, target->span, 4001, "a starred target is not supported in a kernel");
        tri_stmt_assign(e, target->value, (tri_ev){0});
        return;
    case TRI_AST_ATTRIBUTE:
        tri_eval_error_at(e, target->span, 4001, "attributes can not be assigned in a kernel: values never change");
        tri_eval_note(e, "make a changed copy: tl.aggregate_replace(obj, %.*s=...)",
                      TRI_STR_ARG(target->attribute.name));
        return;
    case TRI_AST_SUBSCRIPT:
        tri_eval_error_at(e, target->span, 4001, "items can not be assigned in a kernel: blocks never change");
        tri_eval_note(e, "select with tl.where, or store to memory with tl.store");
        return;
    default:
        tri_eval_error_at(e, target->span, 4001, "this can not be assigned to");
    }
}

static void poison_target(tri_eval *e, const tri_ast_node *t)
{
    if (t->kind == TRI_AST_NAME)
        tri_frame_set(e, tri_ast_text(t), (tri_ev){0}, t->span);
    else if (t->kind == TRI_AST_TUPLE || t->kind == TRI_AST_LIST)
        for (uint32_t i = 0; i < t->list.len; i++)
            poison_target(e, t->list.at[i]);
}

static bool poison_visit(const tri_ast_node *n, void *data)
{
    tri_eval *e = data;
    if (n->kind == TRI_AST_ASSIGN)
        for (uint32_t i = 0; i < n->assign.targets.len; i++)
            poison_target(e, n->assign.targets.at[i]);
    else if (n->kind == TRI_AST_AUG_ASSIGN)
        poison_target(e, n->aug_assign.target);
    else if (n->kind == TRI_AST_ANN_ASSIGN)
        poison_target(e, n->ann_assign.target);
    else if (n->kind == TRI_AST_FOR)
        poison_target(e, n->for_.target);
    else if (n->kind == TRI_AST_WALRUS)
        poison_target(e, n->assign_to.target);
    return true;
}

void tri_stmt_poison_targets(tri_eval *e, const tri_ast_node *node) { tri_ast_walk(node, poison_visit, e); }

static bool has_constexpr_name(tri_eval *e, const tri_ast_node *target)
{
    return target->kind == TRI_AST_NAME && e->frame->constexpr_names.len &&
           is_constexpr_name(e->frame, tri_ast_text(target));
}

static void assign_statement(tri_eval *e, const tri_ast_node *node)
{
    if (node->assign.targets.len != 1) {
        tri_eval_error(e, 4001, "an assignment to several targets at once is not supported; write one line for each");
        tri_stmt_poison_targets(e, node);
        return;
    }
    const tri_ast_node *target = node->assign.targets.at[0];
    tri_ev value = tri_expr_eval(e, node->assign.value);
    if (has_constexpr_name(e, target)) {
        assign_constexpr(e, tri_ast_text(target), value, target->span);
        return;
    }
    tri_span at = e->at;
    e->at = node->assign.value->span;
    value = tri_stmt_decay(e, value);
    e->at = at;
    tri_stmt_assign(e, target, value);
}

static void augmented_assign(tri_eval *e, const tri_ast_node *node)
{
    tri_ev x = tri_expr_eval(e, node->aug_assign.target);
    tri_ev y = tri_expr_eval(e, node->aug_assign.value);
    tri_ev r = tri_expr_binary(e, node->aug_assign.op, x, y);
    tri_stmt_assign(e, node->aug_assign.target, tri_stmt_decay(e, r));
}

/* The annotation is looked at as text and, for an alias of constexpr, by value. */
static bool is_constexpr_annotation(tri_eval *e, const tri_ast_node *a)
{
    if (a->kind == TRI_AST_STRING)
        return tri_str_has_suffix(a->string, "constexpr");
    if (a->kind != TRI_AST_NAME && a->kind != TRI_AST_ATTRIBUTE)
        return false;
    if (tri_str_has_suffix(tri_ast_text(a), "constexpr"))
        return true;
    tri_global g;
    return a->kind == TRI_AST_NAME && !tri_frame_find(e, tri_ast_text(a)) &&
           tri_module_find(e->frame->function->scope, tri_ast_text(a), a->span, &g) == TRI_LOOKUP_FOUND &&
           g.value->kind == TRI_VALUE_BUILTIN && tri_str_is(g.value->string, "triton.language.constexpr");
}

static void annotated_assign(tri_eval *e, const tri_ast_node *node)
{
    const tri_ast_node *target = node->ann_assign.target;
    bool constant = is_constexpr_annotation(e, node->ann_assign.annotation);
    if (!node->ann_assign.value) {
        if (constant && target->kind == TRI_AST_NAME)
            tri_vec_push(e->arena, &e->frame->constexpr_names, tri_ast_text(target));
        return;
    }
    tri_ev value = tri_expr_eval(e, node->ann_assign.value);
    if (constant && target->kind == TRI_AST_NAME) {
        assign_constexpr(e, tri_ast_text(target), value, target->span);
        return;
    }
    tri_stmt_assign(e, target, tri_stmt_decay(e, value));
}

/* ---- the others ---- */

void tri_stmt_return(tri_eval *e, tri_ev value, tri_span at)
{
    tri_frame *f = e->frame;
    tri_vec_push(e->arena, &f->returns, (tri_return){.block = e->b.block, .loc = e->b.loc, .value = value, .at = at});
    /* What follows, if anything, is dead, but is still checked. */
    MlirBlock dead = mlirBlockCreate(0, NULL, NULL);
    mlirRegionAppendOwnedBlock(f->region, dead);
    e->b.block = dead;
    f->is_done = true;
}

static void return_statement(tri_eval *e, const tri_ast_node *node)
{
    tri_frame *f = e->frame;
    tri_ev value = node->value ? tri_expr_eval(e, node->value) : tri_ev_none(e);
    if (f->loop_depth) {
        tri_eval_error(e, 4004, "'return' inside a loop is not supported");
        tri_eval_note(e, "keep a flag and guard the rest of the body with 'if', or use a while loop on the flag");
        return;
    }
    if (f->is_kernel && !tri_ev_is_none(value) && !tri_ev_is_error(value)) {
        tri_eval_error(e, 4005, "a kernel can not return a value; store it with tl.store");
        value = tri_ev_none(e);
    }
    tri_stmt_return(e, value, node->span);
}

static void assert_statement(tri_eval *e, const tri_ast_node *node)
{
    tri_ev test = tri_expr_eval(e, node->assert_.test);
    tri_ev message = node->assert_.message ? tri_expr_eval(e, node->assert_.message) : tri_ev_str(e, TRI_STR(""));
    tri_ev callee = {.kind = TRI_EV_CE, .ce = tri_value_builtin(e->arena, TRI_STR("triton.language.device_assert"))};
    tri_call_simple(e, callee, 2, (tri_ev[]){test, message});
}

static void expression_statement(tri_eval *e, const tri_ast_node *node)
{
    if (node->value->kind == TRI_AST_STRING)
        return;
    if (node->value->kind == TRI_AST_CALL)
        tri_call_node(e, node->value, true);
    else
        tri_expr_eval(e, node->value);
}

static void unsupported(tri_eval *e, const tri_ast_node *node)
{
    const char *text = tri_ast_kind_text(node->kind);
    switch (node->kind) {
    case TRI_AST_BREAK:
    case TRI_AST_CONTINUE:
        tri_eval_error(e, 4001, "'%s' is not supported in a kernel", text);
        tri_eval_note(e, "use a while loop whose condition tests a flag, or guard the rest of the body with 'if'");
        return;
    case TRI_AST_FUNCTION:
        tri_eval_error_at(e, tri_ast_name_span(node), 4001,
                          "a function inside a kernel is not supported; move '%.*s' to module level and decorate it "
                          "with @triton.jit",
                          TRI_STR_ARG(node->function.name));
        return;
    case TRI_AST_RAISE:
        tri_eval_error(e, 4001, "'raise' was reached while compiling the kernel");
        return;
    default:
        tri_eval_error(e, 4001, "a '%s' statement is not supported in a kernel", text);
        tri_stmt_poison_targets(e, node);
    }
}

static void statement(tri_eval *e, const tri_ast_node *node)
{
    switch (node->kind) {
    case TRI_AST_EXPR:
        expression_statement(e, node);
        return;
    case TRI_AST_ASSIGN:
        assign_statement(e, node);
        return;
    case TRI_AST_AUG_ASSIGN:
        augmented_assign(e, node);
        return;
    case TRI_AST_ANN_ASSIGN:
        annotated_assign(e, node);
        return;
    case TRI_AST_PASS:
        return;
    case TRI_AST_RETURN:
        return_statement(e, node);
        return;
    case TRI_AST_IF:
        tri_branch_if(e, node);
        return;
    case TRI_AST_FOR:
        tri_loop_for(e, node);
        return;
    case TRI_AST_WHILE:
        tri_loop_while(e, node);
        return;
    case TRI_AST_ASSERT:
        assert_statement(e, node);
        return;
    default:
        unsupported(e, node);
    }
}

enum { max_errors = 1000 };

/* Unrolling makes kernels of any size out of short sources; a file can be nothing but mistakes. */
static bool is_exhausted(tri_eval *e)
{
    if (++e->statements > e->max_ops)
        tri_eval_exhaust(e, "statements");
    if (e->ops > e->max_ops)
        tri_eval_exhaust(e, "operations");
    if (!e->is_exhausted && !e->dry && tri_diag_error_count(e->diag) >= max_errors) {
        e->is_exhausted = true;
        tri_diag_note(e->diag, TRI_NO_SPAN, "more errors may follow; only %d are told", max_errors);
    }
    return e->is_exhausted;
}

void tri_stmt_from(tri_eval *e, const tri_ast_list *body, uint32_t first)
{
    tri_frame *f = e->frame;
    tri_continuation here = {body, first, f->rest};
    f->rest = &here;
    for (uint32_t i = first; i < body->len && !f->is_consumed && !f->is_abandoned && !is_exhausted(e); i++) {
        here.next = i + 1;
        tri_place saved = tri_expr_enter(e, body->at[i]);
        statement(e, body->at[i]);
        tri_expr_leave(e, saved);
        if (body->at[i]->kind == TRI_AST_RETURN)
            break;
    }
    f->rest = here.outer;
}

void tri_stmt_list(tri_eval *e, const tri_ast_list *body) { tri_stmt_from(e, body, 0); }

static bool find_return(const tri_ast_node *n, void *data)
{
    if (n->kind == TRI_AST_RETURN)
        *(bool *)data = true;
    return n->kind != TRI_AST_FUNCTION && n->kind != TRI_AST_LAMBDA && n->kind != TRI_AST_CLASS;
}

bool tri_stmt_contains_return(const tri_ast_list *body)
{
    bool found = false;
    for (uint32_t i = 0; i < body->len && !found; i++)
        tri_ast_walk(body->at[i], find_return, &found);
    return found;
}
