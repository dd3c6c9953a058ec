/* Stackful coroutines with a switch that costs a few nanoseconds. */
#ifndef TRI_RUNTIME_SIM_FIBER_H
#define TRI_RUNTIME_SIM_FIBER_H

#include <stddef.h>

typedef struct {
    void *stack_pointer; /* of a fiber that is not running */
    void *stack;         /* null for the fiber of the caller's own stack */
    size_t stack_size;
} tri_fiber;

/* Maps a stack with a guard page below it; the fiber starts in run(argument) at its first switch
 * and must never return from it. False when memory is short. */
_Bool tri_fiber_init(tri_fiber *fiber, size_t stack_size);
void tri_fiber_fini(tri_fiber *fiber);
/* Makes the next switch start run(argument) on an empty stack. */
void tri_fiber_start(tri_fiber *fiber, void (*run)(void *argument), void *argument);
/* Leaves `from`, goes on in `to`; returns when something switches back to `from`. */
void tri_fiber_switch(tri_fiber *from, tri_fiber *to);

#endif
