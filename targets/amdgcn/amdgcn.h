/* Private to targets/amdgcn. */
#ifndef TRI_TARGETS_AMDGCN_AMDGCN_H
#define TRI_TARGETS_AMDGCN_AMDGCN_H

#include "ir/unit.h"
#include "targets/gpu/machine.h"
#include "targets/library.h"

extern const tri_machine tri_amdgcn_machine;

bool tri_amdgcn_optimize(tri_unit *unit);
bool tri_amdgcn_emit(tri_unit *unit);
/* Assembly -> code object (hsaco), in this process. False after a report. */
bool tri_amdgcn_assemble(tri_unit *unit);
/* Registers and spills of the kernels, from the metadata that stands in the assembly. */
bool tri_amdgcn_measure(tri_unit *unit, tri_str code);
bool tri_amdgcn_link(const tri_library_job *job);

#endif
