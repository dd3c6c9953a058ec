/* Expressions of the command line over the names of a kernel's parameters: -grid, -bytes, -flops. */
#ifndef TRI_DRIVER_RUN_GRID_H
#define TRI_DRIVER_RUN_GRID_H

#include "run/kernel.h"

/* Sets kernel->grid from the text (empty: 1): up to three integers, or what Python takes for a grid: a tuple, or a
 * lambda of the constants. Numbers are called by the names of their parameters; the name of an array stands for its
 * element count. cdiv, triton and math are known. False after a report. */
bool tri_run_grid_evaluate(tri_run_kernel *kernel, tri_str text);
/* What the file's own launch of the kernel has for a grid, as such a text; empty: nothing. */
tri_str tri_run_grid_of_launch(const tri_run_kernel *kernel);
/* The number that the text of the option `what` ("-bytes") stands for, likewise. False after a report. */
bool tri_run_grid_number(tri_run_kernel *kernel, const char *what, tri_str text, double *out_number);

#endif
