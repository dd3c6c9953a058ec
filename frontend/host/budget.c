#include "frontend/host/budget.h"

/* Names and decorators are still looked up when a constant has spent everything; what is tried again ends for the same
 * reason. */
static void leave_a_rest(tri_budget *b)
{
    enum { rest_steps = 10000, rest_bytes = 1 << 20 };
    b->is_spent = false;
    if (b->steps > b->max_steps)
        b->steps = b->max_steps > rest_steps ? b->max_steps - rest_steps : 0;
    b->bytes = b->bytes < TRI_BUDGET_BYTES - rest_bytes ? b->bytes : TRI_BUDGET_BYTES - rest_bytes;
}

const char *tri_budget_why(const tri_budget *b)
{
    return b->steps > b->max_steps ? TRI_BUDGET_NO_STEPS : TRI_BUDGET_NO_ROOM;
}

void tri_budget_open(tri_budget *b)
{
    if (b->depth++ == 0)
        b->opened = tri_arena_used(b->arena);
    if (b->depth == 1 && b->is_spent)
        leave_a_rest(b);
}

void tri_budget_close(tri_budget *b)
{
    if (--b->depth == 0)
        b->bytes += tri_arena_used(b->arena) - b->opened;
}

size_t tri_budget_pause(const tri_budget *b) { return tri_arena_used(b->arena); }

void tri_budget_resume(tri_budget *b, size_t paused) { b->opened += tri_arena_used(b->arena) - paused; }

bool tri_budget_has_room(tri_budget *b, uint64_t bytes)
{
    if (!b)
        return true;
    uint64_t taken = b->bytes + (b->depth ? tri_arena_used(b->arena) - b->opened : 0);
    if (bytes > TRI_BUDGET_BYTES || taken + bytes > TRI_BUDGET_BYTES)
        b->is_spent = true;
    if (!b->depth && !b->is_spent)
        b->bytes += bytes;
    return !b->is_spent;
}

bool tri_budget_step(tri_budget *b, uint64_t steps)
{
    if (!b)
        return true;
    b->steps += steps < b->max_steps ? steps : b->max_steps;
    b->is_spent |= b->steps > b->max_steps;
    return !b->is_spent;
}
