/* The library functions that are written in the kernel language: the files of frontend/prelude, in the binary. */
#ifndef TRI_FRONTEND_PRELUDE_H
#define TRI_FRONTEND_PRELUDE_H

#include "base/str.h"

/* Made by the makefile from the files, sorted by name. The last one has a null text. */
typedef struct {
    const char *name; /* "<triton.language/reduce>" */
    const char *text;
} tri_prelude_file;

extern const tri_prelude_file tri_prelude_files[];

#endif
