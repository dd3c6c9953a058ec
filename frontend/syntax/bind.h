/* How arguments meet parameters: Python's rule (reference, section 6.3.4), for functions, classes and builtins, in
 * kernels and in host code. What a value is, and the words of a message, are the caller's. */
#ifndef TRI_FRONTEND_SYNTAX_BIND_H
#define TRI_FRONTEND_SYNTAX_BIND_H

#include "frontend/syntax/ast.h"

typedef struct {
    tri_str name;
    tri_ast_param_kind kind;
    bool is_optional; /* has a default; *args and **kwargs need none */
} tri_bind_param;

typedef enum {
    TRI_BIND_OK,
    TRI_BIND_SURPLUS, /* `at`: the first positional argument that no parameter takes */
    TRI_BIND_UNKNOWN, /* `at`: an argument whose name no parameter has */
    TRI_BIND_TWICE,   /* `at`: an argument by name for a parameter that has one */
    TRI_BIND_MISSING, /* `at`: a parameter with neither argument nor default */
} tri_bind_status;

typedef struct {
    tri_bind_status status;
    size_t at;
} tri_bind_result;

/* Parameters of a function or lambda, from number `first` on, in the arena. */
tri_bind_param *tri_bind_params(tri_arena *arena, const tri_ast_list *params, size_t first);

/* names: of the arguments in their order, empty for a positional one. out_param[i] becomes the number of the parameter
 * that argument i belongs to (of several for *args and **kwargs), out_given[p] whether parameter p has an argument. */
tri_bind_result tri_bind_arguments(const tri_bind_param *params, size_t param_count, const tri_str *names, size_t count,
                                   size_t *out_param, bool *out_given);

#endif
