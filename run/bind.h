/* Which argument of the command line each parameter gets, and what the code is called with. */
#ifndef TRI_DRIVER_RUN_BIND_H
#define TRI_DRIVER_RUN_BIND_H

#include "run/kernel.h"

/* Walks the parameters in order and hands out arguments: one given by name, else the next of those
 * without a name, as a call in Python would when the named ones stood last. */
typedef struct {
    tri_argument_list *arguments;
    size_t next;
} tri_run_binder;

/* Null: there is none for the parameter. */
tri_argument *tri_run_binder_next(tri_run_binder *binder, tri_str param);

/* Fills what the compiled kernel is called with. `is_made`: it was compiled before it was given arguments; then its
 * constants are compared with them, and every argument must have a parameter. False after a report. */
bool tri_run_bind(tri_run_kernel *k, tri_argument_list *arguments, bool is_made);

#endif
