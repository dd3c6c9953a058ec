/* Private to targets/intel. */
#ifndef TRI_TARGETS_INTEL_INTEL_H
#define TRI_TARGETS_INTEL_INTEL_H

#include "ir/unit.h"
#include "targets/gpu/machine.h"

extern const tri_machine tri_intel_machine;

/* SPIR-V -> zebin, by ocloc; takes its figures. False after a report. */
bool tri_intel_assemble(tri_unit *unit);
/* The figures alone; without ocloc they stay unknown. */
bool tri_intel_measure(tri_unit *unit, tri_str code);

#endif
