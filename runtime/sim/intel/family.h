/* What only Intel's GPUs have. */
#ifndef TRI_RUNTIME_SIM_INTEL_FAMILY_H
#define TRI_RUNTIME_SIM_INTEL_FAMILY_H

#include "runtime/sim/sim.h"

extern const tri_sim_family tri_sim_intel;

#endif
