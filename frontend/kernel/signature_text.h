/* The text of -sig: split into items, items into arguments. Private to signature.c. */
#ifndef TRI_FRONTEND_SIGNATURE_TEXT_H
#define TRI_FRONTEND_SIGNATURE_TEXT_H

#include "frontend/kernel/signature.h"

/* One item of a -sig: "x=*fp32:16" or "*fp32:16". */
typedef struct {
    tri_str name; /* empty: positional */
    tri_str text;
    tri_span name_at, at;
    bool is_used;
} tri_signature_item;

typedef struct {
    const tri_source *source; /* the option's text, so that carets can point into it */
    tri_str kernel;           /* empty: not named */
    tri_str instance;         /* of "INSTANCE = KERNEL(...)"; empty: none */
    tri_span kernel_at, instance_at;
    TRI_VEC(tri_signature_item) items;
} tri_signature_text;

/* Splits a whole -sig of a file; false after a report. */
bool tri_signature_text_parse(tri_module *main, tri_str text, tri_signature_text *out);

/* The argument that an item, or the value of a -D, stands for. `is_constexpr`: the parameter takes a value
 * and not a type. `what` names the option in messages. False after a report. */
bool tri_signature_text_argument(tri_modules *all, tri_scope *scope, tri_str what, tri_str text, tri_span at,
                                 bool is_constexpr, tri_arg *out_arg);
/* A plain tuple for a parameter whose annotation is a named tuple of as many fields becomes one. */
void tri_signature_text_name_fields(tri_scope *scope, const tri_ast_node *param, tri_arg *arg);

/* signature_guess.c: does the function return a value? Such a jit function can only be a helper. */
bool tri_signature_guess_helper(const tri_function *function);

#endif
