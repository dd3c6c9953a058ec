/* How many statements unrolling makes at least, read off the source: what is too much is refused before the work. */
#include "frontend/kernel/frame.h"

/* More than any limit, and far from overflow. */
enum { UNROLLED_ENOUGH = 1 << 30 };

typedef struct {
    tri_str name;
    bool found;
} target_search;

static void find_in_target(const tri_ast_node *target, void *data)
{
    target_search *s = data;
    if (target->kind == TRI_AST_NAME)
        s->found = s->found || tri_str_equal(tri_ast_text(target), s->name);
    else if (target->kind == TRI_AST_TUPLE || target->kind == TRI_AST_LIST || target->kind == TRI_AST_STARRED)
        tri_ast_each_child(target, find_in_target, s);
}

static bool find_target(const tri_ast_node *node, void *data)
{
    target_search *s = data;
    for (uint32_t i = 0; node->kind == TRI_AST_ASSIGN && i < node->assign.targets.len; i++)
        find_in_target(node->assign.targets.at[i], s);
    if (node->kind == TRI_AST_FOR)
        find_in_target(node->for_.target, s);
    else if (node->kind == TRI_AST_AUG_ASSIGN)
        find_in_target(node->aug_assign.target, s);
    else if (node->kind == TRI_AST_ANN_ASSIGN)
        find_in_target(node->ann_assign.target, s);
    else if (node->kind == TRI_AST_WALRUS)
        find_in_target(node->assign_to.target, s);
    return !s->found;
}

/* A bound that is the same in every turn of `loop`: a literal, or a name that nothing in the loop changes. */
static bool same_each_turn(tri_eval *e, const tri_ast_node *loop, const tri_ast_node *bound, int64_t *out)
{
    if (bound->kind == TRI_AST_INT) {
        *out = (int64_t)bound->integer.value;
        return !bound->integer.big && bound->integer.value < INT32_MAX;
    }
    if (bound->kind != TRI_AST_NAME)
        return false;
    target_search s = {.name = tri_ast_text(bound)};
    tri_ast_walk(loop, find_target, &s);
    const tri_local *local = s.found ? NULL : tri_frame_find(e, s.name);
    return local && tri_ev_get_int(local->value, out);
}

/* Turns of a static_range of one or two such bounds; 0 where it is anything else. */
static int64_t turns_of(tri_eval *e, const tri_ast_node *outer, const tri_ast_node *loop)
{
    const tri_ast_node *iter = loop->for_.iter, *callee = iter->kind == TRI_AST_CALL ? iter->call.func : NULL;
    int64_t bounds[2] = {0, 0};
    if (!callee || callee->kind != TRI_AST_ATTRIBUTE || !tri_str_is(callee->attribute.name, "static_range") ||
        iter->call.keywords.len || iter->call.args.len < 1 || iter->call.args.len > 2)
        return 0;
    uint32_t first = 2 - iter->call.args.len;
    for (uint32_t i = 0; i < iter->call.args.len; i++)
        if (!same_each_turn(e, outer, iter->call.args.at[i], &bounds[first + i]))
            return 0;
    return bounds[1] > bounds[0] && bounds[1] - bounds[0] < UNROLLED_ENOUGH ? bounds[1] - bounds[0] : 0;
}

int64_t tri_least_statements(tri_eval *e, const tri_ast_node *outer, const tri_ast_list *body)
{
    int64_t sum = 0;
    if (tri_stmt_contains_return(body))
        return 1;
    for (uint32_t i = 0; i < body->len && sum < UNROLLED_ENOUGH; i++) {
        const tri_ast_node *stmt = body->at[i];
        sum++;
        if (stmt->kind == TRI_AST_FOR)
            sum += turns_of(e, outer, stmt) * tri_least_statements(e, outer, &stmt->for_.body);
    }
    return sum < UNROLLED_ENOUGH ? sum : UNROLLED_ENOUGH;
}
