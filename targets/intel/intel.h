/* Private to targets/intel. */
#ifndef TRI_TARGETS_INTEL_INTEL_H
#define TRI_TARGETS_INTEL_INTEL_H

#include "ir/unit.h"
#include "targets/gpu/gpu.h"

/* Its own primitives, numbered behind the shared ones: the rows of ir/dpas.def, in that order. */
enum {
    TRI_INTEL_BEFORE = TRI_MACHINE_COUNT - 1,
#define X(name, ...) TRI_INTEL_##name,
#include "ir/dpas.def"
#undef X
    TRI_INTEL_END
};

extern const tri_gpu_op tri_intel_ops_dpas[];
extern const tri_machine tri_intel_machine;

/* SPIR-V -> zebin, by ocloc; takes its figures. False after a report. */
bool tri_intel_assemble(tri_unit *unit);
/* The figures alone; without ocloc they stay unknown. */
bool tri_intel_measure(tri_unit *unit, tri_str code);

#endif
