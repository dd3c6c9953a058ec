/* Grids that a launcher computes: from -grid=EXPR, or from how the file itself launches the kernel. */
#ifndef TRI_FRONTEND_GRID_H
#define TRI_FRONTEND_GRID_H

#include "frontend/kernel/signature.h"

/* The grid of a kernel as tri_kernel.grid spells it, empty when there is none. False after a report: -grid is wrong. */
bool tri_grid_find(tri_unit *unit, tri_modules *modules, const tri_signature *kernel, tri_str *out);

#endif
