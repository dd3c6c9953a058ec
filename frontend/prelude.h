/* The library functions that are written in the kernel language: frontend/prelude/prelude.tri, in the binary. */
#ifndef TRI_FRONTEND_PRELUDE_H
#define TRI_FRONTEND_PRELUDE_H

#include "base/str.h"

extern const char tri_prelude_text[];
extern const size_t tri_prelude_size;

#endif
