/* What only AMD's GPUs have. */
#ifndef TRI_RUNTIME_SIM_AMDGCN_FAMILY_H
#define TRI_RUNTIME_SIM_AMDGCN_FAMILY_H

#include "runtime/sim/sim.h"

extern const tri_sim_family tri_sim_amdgcn;

#endif
