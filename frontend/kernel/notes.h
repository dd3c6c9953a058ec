/* The evaluator's side of frontend/notes.h. Without unit->notes nothing is done. */
#ifndef TRI_FRONTEND_KERNEL_NOTES_H
#define TRI_FRONTEND_KERNEL_NOTES_H

#include "frontend/kernel/frame.h"
#include "frontend/notes.h"

/* A name or attribute was evaluated; a name was bound. */
void tri_notes_add_use(tri_eval *e, const tri_ast_node *node, tri_ev v);
void tri_notes_add_binding(tri_eval *e, tri_span at, tri_ev v);

#endif
