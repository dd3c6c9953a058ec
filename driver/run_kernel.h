/* One kernel compiled in memory for the arguments of a command line, and its launches. */
#ifndef TRI_DRIVER_RUN_KERNEL_H
#define TRI_DRIVER_RUN_KERNEL_H

#include "driver/run_opt.h"
#include "ir/unit.h"
#include "runtime/run/argument.h"
#include "runtime/run/jit.h"
#include "runtime/sim/sim.h"

typedef struct {
    tri_unit unit;
    tri_jit *jit;
    tri_sim *sim;             /* null on the host */
    tri_sim_site *sites;
    tri_argument **passed;    /* per parameter of the source; null for what is not passed */
    uint64_t *values;         /* what is passed, 8 bytes each */
    const void **pointers;    /* to those */
    tri_sim_grid grid;
} tri_run_kernel;

/* Compiles the file of `opt` with the arguments' types and evaluates the grid. False after a report;
 * end it in any case. */
bool tri_run_kernel_create(tri_arena *arena, tri_diag *diag, tri_run_opt *opt, tri_argument_list *arguments,
                           tri_run_kernel *out_kernel);
void tri_run_kernel_fini(tri_run_kernel *kernel);

/* Runs the whole grid once. False after a report. */
bool tri_run_kernel_launch(tri_run_kernel *kernel);

/* The argument that was given for a parameter, or the buffer of that name; null when there is none. */
tri_argument *tri_run_kernel_find(tri_run_kernel *kernel, tri_argument_list *arguments, tri_str name);

#endif
