/* Private to targets/spirv. */
#ifndef TRI_TARGETS_SPIRV_SPIRV_H
#define TRI_TARGETS_SPIRV_SPIRV_H

#include "ir/unit.h"
#include "targets/gpu/machine.h"

extern const tri_machine tri_spirv_machine;

bool tri_spirv_optimize(tri_unit *unit);
bool tri_spirv_emit(tri_unit *unit);

#endif
