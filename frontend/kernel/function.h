/* Compiling one jit function. */
#ifndef TRI_FRONTEND_FUNCTION_H
#define TRI_FRONTEND_FUNCTION_H

#include "frontend/kernel/frame.h"

/* Compiles `f` for parameters that have these types and constants (`params` is changed to the values
 * inside) and appends a tt.func to the module. Null after a report. *out_result: what it returns. */
MlirOperation tri_function_compile(tri_eval *e, const tri_function *f, tri_str symbol, bool is_kernel, tri_span call_at,
                                   int count, tri_ev *params, tri_ev *out_result);

/* Are variables of the function that is being compiled kept for a debugger? */
bool tri_function_keeps_variables(const tri_eval *e);

#endif
