/* insert-tmem-aref: conditionals in which one group of warps gives a buffer and takes it again. */
#ifndef TRI_PASSES_INSERT_TMEM_AREF_SPLIT_IF_H
#define TRI_PASSES_INSERT_TMEM_AREF_SPLIT_IF_H

#include "ir/op.h"

/* Makes three of one: what gives the buffer, what the other groups do, what takes it again. */
void tri_split_ifs(tri_arena *arena, MlirOperation func);

#endif
