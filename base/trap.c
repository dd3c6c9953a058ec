#include "base/trap.h"

#include <stdio.h>

static _Thread_local tri_trap *innermost;

tri_trap_end tri_trap_run(tri_trap *trap, void (*body)(void *data), void *data)
{
    trap->outer = innermost;
    trap->used = 0;
    trap->is_short = false;
    trap->end = TRI_TRAP_NONE;
    trap->text[0] = 0;
    innermost = trap;
    if (setjmp(trap->back) == 0)
        body(data);
    if (!trap->end && trap->is_short)
        trap->end = TRI_TRAP_NO_MEMORY;
    innermost = trap->outer;
    return trap->end;
}

void tri_trap_leave(tri_trap_end end, const char *text)
{
    if (!innermost)
        return;
    innermost->end = end;
    if (text)
        snprintf(innermost->text, sizeof innermost->text, "%s", text);
    longjmp(innermost->back, 1);
}

bool tri_trap_fall_short(void)
{
    if (innermost)
        innermost->is_short = true;
    return innermost != NULL;
}

tri_trap_end tri_trap_asked(void)
{
    const tri_trap *trap = innermost;
    if (!trap)
        return TRI_TRAP_NONE;
    if (trap->is_short)
        return TRI_TRAP_NO_MEMORY;
    if (trap->cancelled && __atomic_load_n(trap->cancelled, __ATOMIC_RELAXED))
        return TRI_TRAP_CANCELLED;
    return trap->limit && trap->used > trap->limit ? TRI_TRAP_LIMIT : TRI_TRAP_NONE;
}

void tri_trap_check(void)
{
    tri_trap_end end = tri_trap_asked();
    if (end)
        tri_trap_leave(end, NULL);
}

void tri_trap_count(ptrdiff_t bytes)
{
    if (!innermost)
        return;
    /* what was taken before this work may be given back in it */
    innermost->used = bytes < 0 && (size_t)-bytes > innermost->used ? 0 : innermost->used + (size_t)bytes;
    if (bytes > 0)
        tri_trap_check();
}
