/* Fixes of what people write out of habit: each belongs to the report that was made just before. */
#ifndef TRI_FRONTEND_FIXES_H
#define TRI_FRONTEND_FIXES_H

#include "frontend/kernel/eval.h"

/* a and b, a < b < c: with & or | between parts in parentheses. */
void tri_fixes_logical(tri_eval *e, const tri_ast_node *node);
void tri_fixes_comparison(tri_eval *e, const tri_ast_node *node);
/* a @ b */
void tri_fixes_product(tri_eval *e, const tri_ast_node *node);
/* A name that nothing defines: other languages' constants, an import that is missing, another library's functions. */
bool tri_fixes_unknown_name(tri_eval *e, const tri_ast_node *node);
/* math.exp(x), torch.exp(x) at `at`: the language has the function, too. */
void tri_fixes_library_call(tri_eval *e, tri_span at);
/* The argument at `at` is a parameter that should be a constexpr. */
void tri_fixes_constexpr(tri_eval *e, tri_span at);
/* Code behind the expression at `at`: ".to(tl.float32)". */
void tri_fixes_append(tri_eval *e, tri_span at, const char *code);

#endif
