/* One function per primitive of the shared lowering; the table is in table.c. */
#ifndef TRI_RUNTIME_SIM_PRIMITIVES_H
#define TRI_RUNTIME_SIM_PRIMITIVES_H

#include "runtime/sim/state.h"

enum {
#define X(name, signature, meaning) TRI_SIM_##name,
#include "targets/gpu/primitives.def"
#undef X
    TRI_SIM_COUNT
};

#define X(name, signature, meaning) TRI_SIM_FUNCTION(name);
#include "targets/gpu/primitives.def"
#undef X

#endif
