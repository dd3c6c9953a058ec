#include "frontend/kernel/heuristic.h"

#include "frontend/kernel/computed.h"

bool tri_heuristic_read(tri_arena *arena, const tri_signature *signature, const bool *is_known, const tri_value *callee,
                        tri_heuristic *out, tri_str *out_why, tri_span *out_at)
{
    tri_computed_reader r = {.arena = arena, .signature = signature, .is_known = is_known, .part = -1};
    const tri_function *f = callee->kind == TRI_VALUE_FUNCTION ? callee->function : NULL;
    bool is_lambda = f && f->node->kind == TRI_AST_LAMBDA;
    tri_ast_list params = is_lambda ? f->node->lambda.params : f ? f->node->function.params : (tri_ast_list){0};
    const tri_computed *result = NULL;
    if (f)
        r.at = f->node->span;
    if (params.len == 1) {
        tri_computed_name arguments = {.name = params.at[0]->param.name};
        result = tri_computed_function(&r, f, &arguments, f->node);
    }
    *out_why = r.why.len ? r.why : TRI_STR("a launcher cannot compute this: it is no function of one parameter");
    *out_at = r.at;
    if (!result)
        return false;
    out->words = result->words;
    out->is_bool = result->is_bool;
    for (int i = 0; result->range == TRI_COMPUTED_LIST && i < result->count; i++)
        tri_vec_push(arena, &out->values, result->values[i]);
    return true;
}
