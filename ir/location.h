/* MLIR locations <-> source positions. */
#ifndef TRI_IR_LOCATION_H
#define TRI_IR_LOCATION_H

#include "base/diag.h"

#include "mlir-c/IR.h"

/* A place in a text. `file` is borrowed from the context; line and column count from 1. */
typedef struct {
    tri_str file;
    uint32_t line, column;
} tri_position;

/* The innermost place of a location: through names, the first of fused ones, the callee of call
 * sites. False for an unknown location. */
bool tri_location_position(MlirLocation loc, tri_position *out_position);
/* The location of the call that `loc` was inlined through, or a null location. */
MlirLocation tri_location_caller(MlirLocation loc);
/* The name a value was given in the source, if the location carries one ("" when not). */
tri_str tri_location_name(MlirLocation loc);

/* The span of a position in a text known to `diag`; without a source when it is not known. */
tri_span tri_location_span(tri_diag *diag, MlirLocation loc);

/* The function of a source that a line lies in, by its text: the last `def` before it. The file's name without
 * folder and suffix, and the line itself, when its text is not there. `out_line` is that of the `def`. */
tri_str tri_location_function(const tri_diag *diag, tri_str file, unsigned line, unsigned *out_line);

/* Reports an error at a location, with a note for every call site it was inlined through. */
void tri_location_error(tri_diag *diag, MlirLocation loc, int code, tri_str text);

#endif
