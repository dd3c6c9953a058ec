/* What the table of options says, for people, for the manual and for shells. */
#ifndef TRI_DRIVER_HELP_H
#define TRI_DRIVER_HELP_H

#include "driver/opt.h"

/* --help, or one topic of it. False after a report: no such topic. */
bool tri_help_print(tri_diag *diag, tri_str topic, tri_buf *out);

/* The same table as a completion script; false for a shell other than bash and zsh. */
bool tri_help_completion(tri_str shell, tri_buf *out);

#endif
