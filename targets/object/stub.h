/* A kernel's machine code as C source with functions that load, launch and unload it: what Triton's own tool
 * (triton/tools/compile.py) writes, and its tools/link.py reads. */
#ifndef TRI_TARGETS_OBJECT_STUB_H
#define TRI_TARGETS_OBJECT_STUB_H

#include "targets/object/object.h"

/* What its command line says of one kernel. */
typedef struct {
    tri_str kernel;   /* name in the source */
    tri_str function; /* the C function that launches it */
    tri_str grid[3];  /* C expressions of the arguments */
    tri_str algo;     /* constants and meta-parameters: forms with the same are one algorithm to the linker */
    tri_str values;   /* a line for people: the same with names */
    TRI_VEC(bool) is_one; /* by parameter: an integer argument whose value is 1, so that the code does not take it */
} tri_stub;

/* Appends the source (C for NVIDIA, C++ for AMD) and the header. The bundle has one part with its binary or, where that
 * is empty, code that the driver compiles. False after a report. */
bool tri_stub_write(const tri_stub *stub, const tri_bundle *bundle, tri_buf *source, tri_buf *header);

#endif
