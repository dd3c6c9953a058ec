/* Which jit functions are helpers and no kernels. */
#include "frontend/kernel/signature_text.h"

static bool returns_value(const tri_ast_node *node, void *data)
{
    bool *found = data;
    if (node->kind == TRI_AST_RETURN && node->value)
        *found = true;
    return node->kind != TRI_AST_LAMBDA && !*found;
}

bool tri_signature_guess_helper(const tri_function *function)
{
    bool found = false;
    for (uint32_t i = 0; i < function->node->function.body.len; i++)
        tri_ast_walk(function->node->function.body.at[i], returns_value, &found);
    return found;
}
