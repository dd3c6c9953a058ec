/* Private to targets/spirv. */
#ifndef TRI_TARGETS_SPIRV_SPIRV_H
#define TRI_TARGETS_SPIRV_SPIRV_H

#include "base/vec.h"
#include "ir/unit.h"
#include "targets/gpu/machine.h"

extern const tri_machine tri_spirv_machine;

bool tri_spirv_optimize(tri_unit *unit);
/* SPIR-V of the version that the triple says. */
bool tri_spirv_emit_as(tri_unit *unit, const char *triple);
bool tri_spirv_to_text(tri_unit *unit, tri_buf *out);
bool tri_spirv_from_text(tri_unit *unit);
/* SPIR-V -> SPIR, by llvm-spirv. False after a report. */
bool tri_spirv_assemble(tri_unit *unit);
/* SPIR-V -> LLVM IR, by llvm-spirv. False after a report. */
bool tri_spirv_read_as(tri_unit *unit, const char *triple, const char *data_layout);
/* Does a module hold a barrier of work-groups? */
bool tri_spirv_has_barrier(tri_str binary);

/* Replaces what LLVM's SPIR-V back end gets wrong. False after a report: the module has what SPIR-V lacks. */
bool tri_spirv_legalize(tri_unit *unit);

/* tri_machine's hooks of this family. */
bool tri_spirv_link(const struct tri_library_job *job);
bool tri_spirv_update(struct tri_gpu *g, const tri_machine_update *u, LLVMValueRef *out_old);
void tri_spirv_print_as_is(struct tri_gpu *g, tri_str format, LLVMValueRef *args, unsigned n);

/* Source lines. Marks stand in the LLVM module while the back end runs; `lines` keeps what they name. */
typedef struct {
    tri_arena *arena;
    TRI_VEC(tri_str) files; /* empty: the module has no lines */
} tri_spirv_lines;
void tri_spirv_mark_lines(tri_unit *unit, tri_spirv_lines *out);
/* Appends `binary` with OpLine in place of the marks. */
void tri_spirv_place_lines(const tri_spirv_lines *lines, tri_str binary, tri_buf *out);

/* Appends `binary` with scalar OpConstantNull written as OpConstant. */
void tri_spirv_expand_nulls(tri_arena *arena, tri_str binary, tri_buf *out);

#endif
