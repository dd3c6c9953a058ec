/* What the annotation of a parameter says about the argument that it takes. */
#ifndef TRI_FRONTEND_ANNOTATION_H
#define TRI_FRONTEND_ANNOTATION_H

#include "frontend/syntax/ast.h"

struct tri_type;

/* Does the parameter (a PARAM node) take a constant rather than an argument? */
bool tri_annotation_is_constexpr(const tri_ast_node *param);
/* `x: tl.const`: a pointer through which nothing is written. */
bool tri_annotation_is_const_pointer(const tri_ast_node *param);
/* The type that it names, by the names of Python (int, float, bool) or of signatures; null where it names none. */
const struct tri_type *tri_annotation_type(tri_arena *arena, const tri_ast_node *param);

#endif
