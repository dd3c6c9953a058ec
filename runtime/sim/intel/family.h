/* What only Intel's GPUs have. */
#ifndef TRI_RUNTIME_SIM_INTEL_FAMILY_H
#define TRI_RUNTIME_SIM_INTEL_FAMILY_H

#include "runtime/sim/sim.h"

extern const tri_sim_family tri_sim_intel;

/* Rows of ir/block_io.def, whose numbers are behind those of ir/dpas.def. */
void tri_sim_intel_load_block(tri_sim *sim, uint32_t id, const uint64_t *args, uint64_t *results);

#endif
