/* tritrun: compiles one kernel and runs it with arguments from the command line. */
#ifndef TRI_RUN_TRITRUN_H
#define TRI_RUN_TRITRUN_H

#include "base/diag.h"

/* Is this the program's name? */
bool tri_tritrun_is(const char *program);
/* Does what the command line says; exit status. Reports and prints through `diag`. */
int tri_tritrun_run(tri_arena *arena, tri_diag *diag, int argc, char **argv);

#endif
