/* What the launches of a kernel in its own file say of its parameters: literals, annotated names, shapes and
 * strides, arrays made with a dtype. Read, never evaluated. Private to signature*.c. */
#ifndef TRI_FRONTEND_SIGNATURE_LAUNCH_H
#define TRI_FRONTEND_SIGNATURE_LAUNCH_H

#include "frontend/host/host.h"

/* The launches of a file by the names of their kernels; in the arena. */
typedef struct tri_signature_launches tri_signature_launches;
tri_signature_launches *tri_signature_launch_collect(tri_arena *arena, const tri_ast_module *ast);

/* For each parameter the text of a -sig item, in the arena; empty: no launch says. */
tri_str *tri_signature_launch_read(const tri_signature_launches *all, const tri_function *function,
                                   bool (*is_constexpr)(const tri_ast_node *param));

/* The sides of a descriptor's block where the file sets them, in a hook of a configuration or where the descriptor is
 * made: a list whose elements name other parameters or are numbers; null: nowhere. */
const tri_ast_node *tri_signature_launch_block(const tri_ast_module *ast, tri_str param);

#endif
