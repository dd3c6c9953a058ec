/* What host code may cost: a source of a few lines must not take minutes or gigabytes. One budget holds for all that a
 * file evaluates; when it is spent, further ones get little more than it takes to look up a name. */
#ifndef TRI_FRONTEND_BUDGET_H
#define TRI_FRONTEND_BUDGET_H

#include "base/arena.h"

#include <stdbool.h>

enum { TRI_BUDGET_STEPS = 10000000, TRI_BUDGET_BYTES = 256 << 20 };

typedef struct tri_budget {
    const tri_arena *arena; /* where values live */
    uint64_t steps, max_steps;
    size_t bytes;   /* taken by evaluations that have ended */
    size_t opened;  /* what the arena held when the one that runs began */
    unsigned depth; /* of evaluations inside one another */
    bool is_spent;
} tri_budget;

#define TRI_BUDGET_NO_STEPS "this takes more steps to be computed while compiling than -fmax-eval-steps=N allows"
#define TRI_BUDGET_NO_ROOM "this takes more than 256 MB to be computed while compiling"

/* Which of the two a budget that is spent has none left of. */
const char *tri_budget_why(const tri_budget *b);

/* Around an evaluation; what the arena gives in between counts. */
void tri_budget_open(tri_budget *b);
void tri_budget_close(tri_budget *b);
/* What the arena gives between the two calls does not count: files that are read meanwhile. */
size_t tri_budget_pause(const tri_budget *b);
void tri_budget_resume(tri_budget *b, size_t paused);

/* Is there room for so many bytes more? Outside of evaluations they are taken at once. Null: always. */
bool tri_budget_has_room(tri_budget *b, uint64_t bytes);
/* Takes steps; false when there are no more, and from then on. Null: never. */
bool tri_budget_step(tri_budget *b, uint64_t steps);

#endif
