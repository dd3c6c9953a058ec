/* What the table of options says, for people, for the manual and for shells. */
#ifndef TRI_DRIVER_HELP_H
#define TRI_DRIVER_HELP_H

#include "driver/opt.h"

/* --help, or one topic of it. False after a report: no such topic. */
bool tri_help_print(tri_diag *diag, tri_str topic, tri_buf *out);

/* The same table as mdoc sections, or as a completion script of bash or zsh. False after a report. */
bool tri_help_table(tri_diag *diag, tri_str format, tri_buf *out);

#endif
