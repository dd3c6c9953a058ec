/* lower-aref: references that the same operation waits for become one. */
#ifndef TRI_PASSES_LOWER_AREF_COMBINE_H
#define TRI_PASSES_LOWER_AREF_COMBINE_H

#include "ir/op.h"

/* In a loop, whose body takes the buffers. */
void tri_combine_references(tri_arena *arena, MlirOperation loop);

#endif
