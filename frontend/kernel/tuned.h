/* What @triton.autotune says beside its configurations: their key, and which of them are left out. */
#ifndef TRI_FRONTEND_KERNEL_TUNED_H
#define TRI_FRONTEND_KERNEL_TUNED_H

#include "frontend/host/host.h"

/* The names of key=[...], "M,N"; what cannot be computed is no key. */
tri_str tri_tuned_key(tri_arena *arena, tri_scope *scope, const tri_ast_node *call);

/* A field of a triton.Config, without tl.constexpr; null when it has none of this name. */
const tri_value *tri_tuned_field(const tri_value *config, const char *name);

/* Leaves of the configurations those that prune_configs_by=... keeps, in its order, as far as it can be computed from
 * `known`, a dict of the arguments that are known: else all stay. Reports nothing. */
void tri_tuned_prune(tri_modules *all, tri_arena *arena, tri_diag *diag, tri_scope *scope, const tri_ast_node *call,
                     const tri_value *known, tri_value_list *configs);

#endif
