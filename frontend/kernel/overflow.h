/* -Wint-overflow and -Woffset-overflow: offsets of pointers that are computed in 32 bits. */
#ifndef TRI_FRONTEND_OVERFLOW_H
#define TRI_FRONTEND_OVERFLOW_H

#include "frontend/kernel/eval.h"

/* Warns of additions, products and shifts that become part of a pointer's offset and
 *   int-overflow: pass what their type holds by the ranges that the kernel declares (constants,
 *     tl.arange, loops between constants, tl.assume);
 *   offset-overflow: multiply two values of which nothing is declared.
 * Looks through the calls of helpers. `kernel` is a tt.func of e's module. */
void tri_overflow_check(tri_eval *e, MlirOperation kernel);

#endif
