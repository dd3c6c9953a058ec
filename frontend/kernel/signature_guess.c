/* Which parameters of a kernel hold pointers, for the signature that a message suggests: those that
 * stand leftmost in what is loaded from or stored to. */
#include "frontend/kernel/signature_text.h"

enum { MAX_NAMES = 64, ROUNDS = 4 };

typedef struct {
    tri_str names[MAX_NAMES];
    unsigned count;
    bool has_grown;
} pointer_names;

static bool is_known(const pointer_names *p, tri_str name)
{
    for (unsigned i = 0; i < p->count; i++)
        if (tri_str_equal(p->names[i], name))
            return true;
    return false;
}

static void add(pointer_names *p, const tri_ast_node *node)
{
    while (node->kind == TRI_AST_BINARY)
        node = node->binary.left;
    if (node->kind != TRI_AST_NAME || is_known(p, node->name) || p->count == MAX_NAMES)
        return;
    p->names[p->count++] = node->name;
    p->has_grown = true;
}

static bool takes_pointer(tri_str function)
{
    return tri_str_is(function, "load") || tri_str_is(function, "store") || tri_str_has_prefix(function, "atomic_") ||
           tri_str_is(function, "make_block_ptr") || tri_str_is(function, "make_tensor_descriptor");
}

static const tri_ast_node *first_argument(const tri_ast_node *call)
{
    for (uint32_t i = 0; i < call->call.keywords.len; i++)
        if (tri_str_is(call->call.keywords.at[i]->keyword.name, "base"))
            return call->call.keywords.at[i]->keyword.value;
    return call->call.args.len ? call->call.args.at[0] : NULL;
}

static bool visit_guess(const tri_ast_node *node, void *data)
{
    pointer_names *p = data;
    if (node->kind == TRI_AST_CALL && node->call.func->kind == TRI_AST_ATTRIBUTE && takes_pointer(node->call.func->attribute.name)) {
        const tri_ast_node *pointer = first_argument(node);
        if (pointer)
            add(p, pointer);
    } else if (node->kind == TRI_AST_ASSIGN && node->assign.targets.at[0]->kind == TRI_AST_NAME &&
               is_known(p, node->assign.targets.at[0]->name)) {
        add(p, node->assign.value);
    }
    return true;
}

bool tri_signature_guess_pointer(const tri_function *function, tri_str param)
{
    pointer_names p = {.has_grown = true};
    for (int round = 0; round < ROUNDS && p.has_grown; round++) {
        p.has_grown = false; /* each round goes one assignment further back */
        tri_ast_walk(function->node, visit_guess, &p);
    }
    return is_known(&p, param);
}

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
