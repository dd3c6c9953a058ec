/* Functions without body that somebody else has: libraries, and what an NPU's compiler knows by its name. */
#ifndef TRI_PASSES_LINALG_CALLS_H
#define TRI_PASSES_LINALG_CALLS_H

#include "base/str.h"
#include "passes/linalg/build.h"

/* func.func private @symbol in the module that `inside` is in; an old one of the same name stays. */
void tri_calls_declare(tri_builder *b, MlirOperation inside, tri_str symbol, MlirType function, int num_attrs,
                       const tri_attr *attrs);
/* The name with the first number behind it that no function of the module has: "triton_print_0". */
tri_str tri_calls_unique(tri_arena *arena, MlirOperation inside, const char *name);
/* func.call; `result` null: none. */
MlirValue tri_calls_call(tri_builder *b, tri_str symbol, MlirType result, intptr_t n, const MlirValue *operands);

#endif
