/* The -grid expression. */
#ifndef TRI_DRIVER_RUN_GRID_H
#define TRI_DRIVER_RUN_GRID_H

#include "driver/run_kernel.h"

/* Evaluates "X[,Y[,Z]]" into kernel->grid: Python expressions over the arguments' names (numbers and
 * constants as they are, arrays as their element count) and `cdiv`. False after a report. */
bool tri_run_grid_evaluate(tri_run_kernel *kernel, tri_str text, tri_argument_list *arguments);

#endif
