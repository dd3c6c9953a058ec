#include "frontend/syntax/bind.h"

tri_bind_param *tri_bind_params(tri_arena *arena, const tri_ast_list *params, size_t first)
{
    tri_bind_param *out = TRI_NEW_ARRAY(arena, tri_bind_param, params->len + 1);
    for (size_t p = first; p < params->len; p++) {
        const tri_ast_node *param = params->at[p];
        out[p - first] = (tri_bind_param){param->param.name, param->param.kind, param->param.default_value != NULL};
    }
    return out;
}

/* The parameter of that name, else **kwargs, else param_count. Those before '/' have no name for callers. */
static size_t find_named(const tri_bind_param *params, size_t param_count, tri_str name)
{
    size_t rest = param_count;
    for (size_t p = 0; p < param_count; p++) {
        if (params[p].kind == TRI_AST_PARAM_KWARGS)
            rest = p;
        else if ((params[p].kind == TRI_AST_PARAM_NORMAL || params[p].kind == TRI_AST_PARAM_KEYWORD) &&
                 tri_str_equal(params[p].name, name))
            return p;
    }
    return rest;
}

/* The parameter that takes positional arguments at `p` or later, else param_count. */
static size_t find_positional(const tri_bind_param *params, size_t param_count, size_t p)
{
    while (p < param_count && (params[p].kind == TRI_AST_PARAM_KEYWORD || params[p].kind == TRI_AST_PARAM_KWARGS))
        p++;
    return p;
}

tri_bind_result tri_bind_arguments(const tri_bind_param *params, size_t param_count, const tri_str *names, size_t count,
                                   size_t *out_param, bool *out_given)
{
    size_t next = 0;
    for (size_t p = 0; p < param_count; p++)
        out_given[p] = false;
    for (size_t i = 0; i < count; i++) {
        if (!tri_str_is_empty(names[i]))
            continue;
        size_t p = next = find_positional(params, param_count, next);
        if (p == param_count)
            return (tri_bind_result){TRI_BIND_SURPLUS, i};
        out_param[i] = p;
        out_given[p] = true;
        next += params[p].kind != TRI_AST_PARAM_VARARGS;
    }
    for (size_t i = 0; i < count; i++) {
        if (tri_str_is_empty(names[i]))
            continue;
        size_t p = find_named(params, param_count, names[i]);
        if (p == param_count)
            return (tri_bind_result){TRI_BIND_UNKNOWN, i};
        if (out_given[p] && params[p].kind != TRI_AST_PARAM_KWARGS)
            return (tri_bind_result){TRI_BIND_TWICE, i};
        out_param[i] = p;
        out_given[p] = true;
    }
    for (size_t p = 0; p < param_count; p++)
        if (!out_given[p] && !params[p].is_optional && params[p].kind <= TRI_AST_PARAM_KEYWORD)
            return (tri_bind_result){TRI_BIND_MISSING, p};
    return (tri_bind_result){TRI_BIND_OK, 0};
}
