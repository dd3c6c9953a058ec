/* lower-aref: a reference whose accesses say their buffers, in terms of barriers. */
#ifndef TRI_PASSES_LOWER_AREF_BARRIERS_H
#define TRI_PASSES_LOWER_AREF_BARRIERS_H

#include "ir/op.h"

/* Replaces an nvws.aref.create and all its accesses, which must have stages and phases. */
void tri_barriers_lower(tri_arena *arena, MlirOperation create);

#endif
