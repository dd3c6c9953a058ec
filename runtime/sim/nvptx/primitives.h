/* The primitives that only NVIDIA's operations use; the table is in family.c. */
#ifndef TRI_RUNTIME_SIM_NVPTX_PRIMITIVES_H
#define TRI_RUNTIME_SIM_NVPTX_PRIMITIVES_H

#include "runtime/sim/primitives.h"

enum { warp_size = 32 }; /* of all NVIDIA GPUs */

enum {
    TRI_SIM_NVPTX_BEFORE = TRI_SIM_COUNT - 1,
#define OWN(name, ...) TRI_SIM_NVPTX_##name,
#include "targets/nvptx/primitives.def"
    TRI_SIM_NVPTX_END
};

#define OWN(name, ...) TRI_SIM_FUNCTION(name);
#include "targets/nvptx/primitives.def"

extern const tri_sim_family tri_sim_nvptx;

#endif
