/* if statements and conditional expressions. */
#include "frontend/kernel/frame.h"

#include <stdlib.h>

/* One arm after it was compiled: where it ended and what its names are. */
typedef struct {
    MlirBlock first, last;
    tri_locals locals;
} arm;

/* A name that both arms give a value. */
typedef struct {
    tri_str name;
    tri_ev then, orelse;
    tri_span at;
} merged;

typedef struct {
    merged *at;
    size_t len, cap;
} merged_list;

static const tri_local *find_in(tri_eval *e, tri_locals *locals, const tri_local *like)
{
    const tri_local *l = tri_frame_find_in(e, locals, like->name, like->hash);
    return l && !l->is_gone ? l : NULL;
}

static void report_redefinition(tri_eval *e, const tri_local *before, const tri_local *now, const char *where)
{
    tri_eval_error_at(e, now->at, 3017, "'%.*s' is %s before the 'if' but %s in the %s branch: a runtime 'if' can not "
                      "change a variable's type",
                      TRI_STR_ARG(before->name), tri_eval_describe(e, before->value), tri_eval_describe(e, now->value),
                      where);
    tri_diag_note(e->diag, before->at, "the value before is bound here");
    if (tri_ev_is_tensor(before->value) && tri_ev_is_tensor(now->value))
        tri_eval_note(e, "cast one of them with .to(), or make the condition a compile-time constant");
}

/* Changed names that were visible before, in the order of their first binding. */
static void merge_live(tri_eval *e, const tri_locals *live, arm *then, arm *orelse, merged_list *out)
{
    for (int i = 0; i < live->len; i++) {
        const tri_local *before = &live->at[i], *t, *o;
        if (before->is_gone || !(t = find_in(e, &then->locals, before)) || !(o = find_in(e, &orelse->locals, before)))
            continue;
        if (tri_ev_is_error(before->value))
            continue;
        bool error = tri_ev_is_error(t->value) || tri_ev_is_error(o->value);
        bool same_type = tri_ev_same_type(t->value, o->value);
        if (!error && same_type && tri_ev_same_type(before->value, t->value) &&
            tri_ev_same_value(e, before->value, t->value) && tri_ev_same_value(e, before->value, o->value))
            continue;
        if (!error && !tri_ev_is_ce(before->value) && !tri_ev_same_type(before->value, t->value)) {
            report_redefinition(e, before, t, "then");
            error = true;
        } else if (!error && !tri_ev_is_ce(before->value) && !tri_ev_same_type(before->value, o->value)) {
            report_redefinition(e, before, o, "else");
            error = true;
        } else if (!error && !same_type) {
            bool in_then = !tri_ev_same_type(before->value, t->value);
            report_redefinition(e, before, in_then ? t : o, in_then ? "then" : "else");
            error = true;
        }
        merged m = {before->name, error ? (tri_ev){0} : t->value, error ? (tri_ev){0} : o->value, t->at};
        tri_vec_push(e->arena, out, m);
    }
}

static int compare_names(const void *a, const void *b)
{
    return tri_str_compare(((const merged *)a)->name, ((const merged *)b)->name);
}

/* Names that are new in both arms, sorted. */
static void merge_new(tri_eval *e, tri_locals *live, arm *then, arm *orelse, merged_list *out)
{
    size_t first = out->len;
    for (int i = 0; i < then->locals.len; i++) {
        const tri_local *t = &then->locals.at[i], *o;
        if (t->is_gone || find_in(e, live, t) || !(o = find_in(e, &orelse->locals, t)))
            continue;
        merged m = {t->name, t->value, o->value, t->at};
        if (!tri_ev_is_error(t->value) && !tri_ev_is_error(o->value) && !tri_ev_same_type(t->value, o->value)) {
            tri_eval_error_at(e, o->at, 3017, "'%.*s' is %s in the else branch but %s in the then branch",
                              TRI_STR_ARG(t->name), tri_eval_describe(e, o->value), tri_eval_describe(e, t->value));
            tri_diag_note(e->diag, t->at, "the then branch binds it here");
            m.then = (tri_ev){0};
        }
        if (tri_ev_is_error(m.then) || tri_ev_is_error(m.orelse))
            m.then = m.orelse = (tri_ev){0};
        tri_vec_push(e->arena, out, m);
    }
    if (out->len > first + 1)
        qsort(out->at + first, out->len - first, sizeof *out->at, compare_names);
}

static arm visit_arm(tri_eval *e, const tri_locals *live, MlirBlock block, const tri_ast_list *body)
{
    arm a = {.first = block};
    e->frame->locals = tri_frame_copy_locals(e, live);
    e->b.block = block;
    e->b.before = (MlirOperation){0};
    tri_stmt_list(e, body);
    a.last = e->b.block;
    a.locals = e->frame->locals;
    return a;
}

static void flatten_side(tri_eval *e, const merged_list *names, bool then, tri_value_refs *out)
{
    for (size_t i = 0; i < names->len; i++)
        tri_ev_flatten(e, then ? names->at[i].then : names->at[i].orelse, out);
}

/* Names of both arms but not kept by the merge are remembered as gone, for messages. */
static void bind_merged(tri_eval *e, const tri_locals *live, const arm *then, const arm *orelse,
                        const merged_list *names, const MlirValue *results)
{
    e->frame->locals = orelse->locals;
    tri_frame_restore(e, live);
    for (int i = live->len; i < then->locals.len; i++) {
        const tri_local *l = &then->locals.at[i];
        if (!tri_frame_find(e, l->name)) {
            tri_frame_set(e, l->name, (tri_ev){0}, l->at);
            tri_frame_find(e, l->name)->is_gone = true;
        }
    }
    const MlirValue *cursor = results;
    for (size_t i = 0; i < names->len; i++)
        tri_frame_set(e, names->at[i].name, tri_ev_unflatten(e, names->at[i].then, &cursor), names->at[i].at);
}

static void emit_terminator(tri_eval *e, MlirBlock block, const char *name, const tri_value_refs *values,
                            MlirBlock successor)
{
    tri_builder b = e->b;
    b.block = block;
    b.before = (MlirOperation){0};
    tri_builder_create(&b, &(tri_op){.name = name,
                                     .num_operands = (intptr_t)values->len,
                                     .operands = values->at,
                                     .num_successors = successor.ptr ? 1 : 0,
                                     .successors = &successor});
}

static MlirRegion region_of(MlirBlock block)
{
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, block);
    return region;
}

/* scf.if from two compiled blocks; returns its results. */
static MlirValue *emit_if(tri_eval *e, MlirValue condition, const arm *then, const arm *orelse,
                          const tri_value_refs *tv, const tri_value_refs *ov)
{
    emit_terminator(e, then->last, "scf.yield", tv, (MlirBlock){0});
    emit_terminator(e, orelse->last, "scf.yield", ov, (MlirBlock){0});
    MlirType *types = TRI_NEW_ARRAY(e->arena, MlirType, tv->len + 1);
    for (size_t i = 0; i < tv->len; i++)
        types[i] = mlirValueGetType(tv->at[i]);
    MlirOperation op = tri_builder_create(
        &e->b, &(tri_op){.name = "scf.if",
                         .num_operands = 1,
                         .operands = &condition,
                         .num_results = (intptr_t)tv->len,
                         .results = types,
                         .num_regions = 2,
                         .regions = (MlirRegion[]){region_of(then->first), region_of(orelse->first)}});
    MlirValue *results = TRI_NEW_ARRAY(e->arena, MlirValue, tv->len + 1);
    for (size_t i = 0; i < tv->len; i++)
        results[i] = mlirOperationGetResult(op, (intptr_t)i);
    return results;
}

static void if_structured(tri_eval *e, const tri_ast_node *node, MlirValue condition)
{
    tri_builder outer = e->b;
    tri_locals live = tri_frame_copy_locals(e, &e->frame->locals);
    arm then = visit_arm(e, &live, mlirBlockCreate(0, NULL, NULL), &node->conditional_stmt.body);
    arm orelse = visit_arm(e, &live, mlirBlockCreate(0, NULL, NULL), &node->conditional_stmt.orelse);
    merged_list names = {0};
    e->b = outer;
    merge_live(e, &live, &then, &orelse, &names);
    merge_new(e, &live, &then, &orelse, &names);
    tri_value_refs tv = {0}, ov = {0};
    flatten_side(e, &names, true, &tv);
    flatten_side(e, &names, false, &ov);
    MlirValue *results = emit_if(e, condition, &then, &orelse, &tv, &ov);
    bind_merged(e, &live, &then, &orelse, &names, results);
}

/* With a return inside: blocks of the function itself. */
static void if_with_return(tri_eval *e, const tri_ast_node *node, MlirValue condition)
{
    tri_frame *f = e->frame;
    tri_builder outer = e->b;
    tri_locals live = tri_frame_copy_locals(e, &f->locals);
    MlirBlock blocks[2] = {mlirBlockCreate(0, NULL, NULL), mlirBlockCreate(0, NULL, NULL)};
    mlirRegionAppendOwnedBlock(f->region, blocks[0]);
    mlirRegionAppendOwnedBlock(f->region, blocks[1]);
    tri_builder_create(&e->b, &(tri_op){.name = "cf.cond_br",
                                        .num_operands = 1,
                                        .operands = &condition,
                                        .num_attrs = 1,
                                        .attrs = (tri_attr[]){{"operandSegmentSizes",
                                                               tri_attr_i32s(e->mlir, 3, (int32_t[]){1, 0, 0})}},
                                        .num_successors = 2,
                                        .successors = blocks});
    arm then = visit_arm(e, &live, blocks[0], &node->conditional_stmt.body);
    arm orelse = visit_arm(e, &live, blocks[1], &node->conditional_stmt.orelse);
    merged_list names = {0};
    e->b = outer;
    merge_live(e, &live, &then, &orelse, &names);
    merge_new(e, &live, &then, &orelse, &names);
    tri_value_refs tv = {0}, ov = {0};
    flatten_side(e, &names, true, &tv);
    flatten_side(e, &names, false, &ov);
    MlirBlock join = mlirBlockCreate(0, NULL, NULL);
    mlirRegionAppendOwnedBlock(f->region, join);
    MlirValue *results = TRI_NEW_ARRAY(e->arena, MlirValue, tv.len + 1);
    for (size_t i = 0; i < tv.len; i++)
        results[i] = mlirBlockAddArgument(join, mlirValueGetType(tv.at[i]), e->b.loc);
    emit_terminator(e, then.last, "cf.br", &tv, join);
    emit_terminator(e, orelse.last, "cf.br", &ov, join);
    e->b.block = join;
    e->b.before = (MlirOperation){0};
    bind_merged(e, &live, &then, &orelse, &names, results);
}

void tri_branch_if(tri_eval *e, const tri_ast_node *node)
{
    const tri_ast_node *test = node->conditional_stmt.test;
    tri_ev condition = tri_expr_eval(e, test);
    tri_span at = e->at;
    e->at = test->span;
    tri_truth truth = tri_expr_truth(e, condition);
    if (truth == TRI_TRUTH_RUNTIME)
        condition = tri_semantic_condition(e, condition);
    e->at = at;
    if (truth == TRI_TRUTH_ERROR || tri_ev_is_error(condition)) {
        tri_stmt_poison_targets(e, node);
        return;
    }
    if (truth != TRI_TRUTH_RUNTIME) {
        tri_stmt_list(e, truth == TRI_TRUTH_TRUE ? &node->conditional_stmt.body : &node->conditional_stmt.orelse);
        return;
    }
    bool returns = tri_stmt_contains_return(&node->conditional_stmt.body) ||
                   tri_stmt_contains_return(&node->conditional_stmt.orelse);
    if (!returns || e->frame->loop_depth) /* inside a loop the return itself is reported */
        if_structured(e, node, condition.value);
    else if (!e->frame->is_kernel && !e->frame->static_depth)
        tri_early_if(e, node, condition.value);
    else
        if_with_return(e, node, condition.value);
}

tri_ev tri_branch_conditional(tri_eval *e, const tri_ast_node *node)
{
    tri_ev condition = tri_expr_eval(e, node->conditional.test);
    tri_span at = e->at;
    e->at = node->conditional.test->span;
    tri_truth truth = tri_expr_truth(e, condition);
    if (truth == TRI_TRUTH_RUNTIME)
        condition = tri_semantic_condition(e, condition);
    e->at = at;
    if (truth == TRI_TRUTH_ERROR || tri_ev_is_error(condition))
        return (tri_ev){0};
    if (truth != TRI_TRUTH_RUNTIME)
        return tri_expr_eval(e, truth == TRI_TRUTH_TRUE ? node->conditional.then : node->conditional.orelse);
    tri_builder outer = e->b;
    tri_locals live = tri_frame_copy_locals(e, &e->frame->locals);
    arm arms[2];
    tri_ev values[2];
    for (int i = 0; i < 2; i++) {
        arms[i].first = e->b.block = mlirBlockCreate(0, NULL, NULL);
        values[i] = tri_expr_eval(e, i ? node->conditional.orelse : node->conditional.then);
        if (!tri_ev_is_none(values[i]))
            values[i] = tri_semantic_to_tensor(e, values[i]);
        arms[i].last = e->b.block;
        e->frame->locals = tri_frame_copy_locals(e, &live);
    }
    e->b = outer;
    bool error = tri_ev_is_error(values[0]) || tri_ev_is_error(values[1]);
    if (!error && !tri_ev_same_type(values[0], values[1])) {
        tri_eval_error(e, 3017,
                       "the sides of a conditional expression on a runtime value have different types: %s and %s",
                       tri_eval_describe(e, values[0]), tri_eval_describe(e, values[1]));
        error = true;
    }
    tri_value_refs tv = {0}, ov = {0};
    if (!error) {
        tri_ev_flatten(e, values[0], &tv);
        tri_ev_flatten(e, values[1], &ov);
    }
    const MlirValue *results = emit_if(e, condition.value, &arms[0], &arms[1], &tv, &ov);
    return error ? (tri_ev){0} : tri_ev_unflatten(e, values[0], &results);
}
