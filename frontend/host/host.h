/* Python expressions and simple pure functions, evaluated while compiling: constants, default
 * arguments, autotune configs, heuristics, constexpr functions. Nothing outside the file's own text
 * is executed: no import, no file, no device, no environment (os.environ.get gives its default). */
#ifndef TRI_FRONTEND_HOST_H
#define TRI_FRONTEND_HOST_H

#include "frontend/host/module.h"

/* Local names of one evaluation, over a scope. */
typedef struct tri_host_locals tri_host_locals;

/* The same without a report: null, and *out_why / *out_at say what could not be evaluated. */
const tri_value *tri_host_try(tri_scope *scope, const tri_ast_node *expr, tri_str *out_why, tri_span *out_at);

typedef struct {
    tri_str name; /* empty: positional */
    const tri_value *value;
} tri_host_arg;

/* As tri_host_try, with `count` names that hide those of the scope. */
const tri_value *tri_host_try_with(tri_scope *scope, const tri_ast_node *expr, size_t count, const tri_host_arg *names,
                                   tri_str *out_why, tri_span *out_at);

/* Calls a host or constexpr function, a lambda, or a builtin such as math.sqrt, with values; `call` is
 * where, for messages. Null when it fails (reported). */
const tri_value *tri_host_call(tri_modules *all, const tri_value *callee, size_t count, const tri_host_arg *args,
                               tri_span call);
/* Can a BUILTIN be called by tri_host_call (math.*, triton.cdiv, len, min ...)? */
bool tri_host_can_call(const tri_value *builtin);

/* The value of a piece of text such as `-DBLOCK=(64, 32)` or a constexpr in `-sig`: a Python literal,
 * an arithmetic expression of literals, a dtype ("tl.float16", "fp16"), or the name of a function of
 * the file. `what` ("-DBLOCK=...") names it in messages. Null when it is none of those (reported). */
const tri_value *tri_host_eval_text(tri_scope *scope, tri_str what, tri_str text);

/* Default value of a parameter, evaluated where the function was defined; null when it has none, or
 * when it fails (*out_failed; reported). */
const tri_value *tri_host_default(const tri_function *function, int param, bool *out_failed);

#endif
