/* Private to targets/spirv. */
#ifndef TRI_TARGETS_SPIRV_SPIRV_H
#define TRI_TARGETS_SPIRV_SPIRV_H

#include "ir/unit.h"
#include "targets/gpu/machine.h"

extern const tri_machine tri_spirv_machine;

bool tri_spirv_optimize(tri_unit *unit);
bool tri_spirv_emit(tri_unit *unit);

/* Appends `binary` with scalar OpConstantNull written as OpConstant. */
void tri_spirv_expand_nulls(tri_arena *arena, tri_str binary, tri_buf *out);

#endif
