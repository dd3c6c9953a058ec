/* SPIR-V's binary and text forms. */
#ifndef TRI_TARGETS_SPIRV_TEXT_H
#define TRI_TARGETS_SPIRV_TEXT_H

#include "base/diag.h"

/* Appends the disassembly. False after a report, which names `source` (or null) where the binary is its text. */
bool tri_text_from_spirv(tri_diag *diag, const tri_source *source, tri_str binary, tri_buf *out);
/* Is it a module? False after a report, likewise. */
bool tri_text_is_module(tri_diag *diag, const tri_source *source, tri_str binary);
/* Do its instructions, known or not, fill it? False after a report, likewise. */
bool tri_text_is_whole(tri_diag *diag, const tri_source *source, tri_str binary);
/* Does it keep the rules that this SPIRV-Tools knows, too? False after a report, likewise; the line is that of
 * -emit=spvasm. Capabilities newer than SPIRV-Tools are refused as well: to be asked where
 * another tool refused the module. */
bool tri_text_is_valid(tri_diag *diag, const tri_source *source, tri_str binary);
/* Appends the module; `source` (or null) is where messages point to. False after a report. */
bool tri_text_to_spirv(tri_diag *diag, const tri_source *source, tri_str text, tri_buf *out);

#endif
