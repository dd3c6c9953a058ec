/* Deep recursion: expressions, chains of operations and LLVM's own walks are as deep as a kernel is long. */
#ifndef TRI_BASE_STACK_H
#define TRI_BASE_STACK_H

/* Calls function(data) on a stack of its own, of which only what is used takes memory, and waits. Where there is no
 * room to reserve it, or address space is limited, the call is made on the stack at hand. */
void tri_stack_call(void (*function)(void *data), void *data);

#endif
