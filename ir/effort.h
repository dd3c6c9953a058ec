/* How long LLVM may look for something better: what it does by the square of a function's size is bounded by these
 * counts, of the thread that makes code. */
#ifndef TRI_IR_EFFORT_H
#define TRI_IR_EFFORT_H

#include <stdbool.h>

/* Before the code of a module is made. */
void tri_effort_start(void);
/* One more time? */
bool tri_effort_take(void);

#endif
