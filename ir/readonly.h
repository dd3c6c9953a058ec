/* Which pointer parameters of a kernel are only read through. */
#ifndef TRI_IR_READONLY_H
#define TRI_IR_READONLY_H

#include "ir/kernel.h"
#include "ir/unit.h"

/* Sets is_read_only of the kernel's pointer parameters. `func` is its tt.func, whose arguments are the
 * parameters that are not constexpr, in order. Any use that is not understood counts as a write. */
void tri_readonly_mark(tri_arena *arena, MlirOperation func, tri_kernel *kernel);

#endif
