/* Early returns of functions that are inlined, without blocks: see frame.h. */
#include "frontend/kernel/frame.h"

enum { max_early = 256 }; /* each nests the rest of the function one level deeper */

typedef struct {
    MlirBlock first, last; /* of the branch; `last` ends where it returns */
    tri_ev value;
    tri_span at;    /* the return */
    tri_ev like;    /* its type, joined with that of returns behind it */
    bool falls_off; /* reaches the end of the function without a return */
    bool is_bad;
} early_arm;

static early_arm run_arm(tri_eval *e, const tri_locals *live, const tri_ast_list *body)
{
    tri_frame *f = e->frame;
    early_arm a = {.first = mlirBlockCreate(0, NULL, NULL)};
    tri_continuation *rest = f->rest;
    f->locals = tri_frame_copy_locals(e, live);
    f->returns = (tri_return_list){0};
    f->is_done = f->is_consumed = false;
    e->b.block = a.first;
    e->b.before = (MlirOperation){0};
    tri_stmt_list(e, body);
    for (tri_continuation *c = rest; c && !f->is_done; c = c->outer) {
        f->rest = c->outer;
        tri_stmt_from(e, c->body, c->next);
    }
    f->rest = rest;
    a.falls_off = f->returns.len == 0;
    a.last = a.falls_off ? e->b.block : f->returns.at[0].block;
    a.at = a.falls_off ? TRI_NO_SPAN : f->returns.at[0].at;
    a.like = a.value = a.falls_off ? tri_ev_none(e) : f->returns.at[0].value;
    for (size_t i = 0; i < f->returns.len; i++) {
        a.is_bad = a.is_bad || tri_ev_holds_error(f->returns.at[i].value);
        if (!a.is_bad && !tri_function_join(e, a.like, f->returns.at[i].value, &a.like)) {
            tri_eval_error_at(e, f->returns.at[i].at, 3023, "this returns %s, but another return gives %s",
                              tri_eval_describe(e, f->returns.at[i].value), tri_eval_describe(e, a.value));
            a.is_bad = true;
        }
    }
    return a;
}

static void emit_yield(tri_eval *e, const early_arm *a, tri_ev like)
{
    tri_value_refs values = {0};
    e->b.block = a->last;
    e->b.before = (MlirOperation){0};
    if (a->falls_off) {
        tri_type_refs types = {0};
        tri_ev_flatten_types(e, like, &types);
        for (size_t i = 0; i < types.len; i++) {
            MlirOperation op =
                tri_builder_create(&e->b, &(tri_op){.name = "ub.poison", .num_results = 1, .results = &types.at[i]});
            tri_vec_push(e->arena, &values, mlirOperationGetResult(op, 0));
        }
    } else {
        tri_ev_flatten(e, tri_function_conform(e, a->value, like), &values);
    }
    tri_builder_create(&e->b,
                       &(tri_op){.name = "scf.yield", .num_operands = (intptr_t)values.len, .operands = values.at});
}

static MlirRegion region_of(MlirBlock block)
{
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, block);
    return region;
}

void tri_early_if(tri_eval *e, const tri_ast_node *node, MlirValue condition)
{
    tri_frame *f = e->frame;
    if (f->early_depth >= max_early) {
        tri_eval_error(e, 4010, "more than %d early returns in a function", max_early);
        f->is_consumed = true;
        return;
    }
    tri_builder outer = e->b;
    tri_locals live = tri_frame_copy_locals(e, &f->locals);
    tri_return_list returns = f->returns;
    f->early_depth++;
    early_arm then = run_arm(e, &live, &node->conditional_stmt.body);
    early_arm orelse = run_arm(e, &live, &node->conditional_stmt.orelse);
    f->early_depth--;
    f->locals = live;
    f->returns = returns;
    tri_ev like = then.falls_off ? orelse.like : then.like;
    bool bad = then.is_bad || orelse.is_bad;
    if (!bad && !then.falls_off && !orelse.falls_off && !tri_function_join(e, then.like, orelse.like, &like)) {
        tri_eval_error_at(e, orelse.at, 3023, "this returns %s, but another return gives %s",
                          tri_eval_describe(e, orelse.value), tri_eval_describe(e, then.value));
        tri_diag_note(e->diag, then.at, "this one returns %s", tri_eval_describe(e, then.value));
        tri_eval_note(e, "cast the values to one type; for compile-time conditions use 'else'");
        bad = true;
    }
    if (bad)
        like = tri_ev_none(e);
    emit_yield(e, &then, like);
    emit_yield(e, &orelse, like);
    e->b = outer;
    tri_type_refs types = {0};
    tri_ev_flatten_types(e, like, &types);
    MlirOperation op =
        tri_builder_create(&e->b, &(tri_op){.name = "scf.if",
                                            .num_operands = 1,
                                            .operands = &condition,
                                            .num_results = (intptr_t)types.len,
                                            .results = types.at,
                                            .num_regions = 2,
                                            .regions = (MlirRegion[]){region_of(then.first), region_of(orelse.first)}});
    MlirValue *results = TRI_NEW_ARRAY(e->arena, MlirValue, types.len + 1);
    for (size_t i = 0; i < types.len; i++)
        results[i] = mlirOperationGetResult(op, (intptr_t)i);
    const MlirValue *cursor = results;
    tri_stmt_return(e, bad ? (tri_ev){0} : tri_ev_unflatten(e, like, &cursor), node->span);
    f->is_consumed = true;
}
