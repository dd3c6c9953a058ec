/* What a table of options says, for people and for shells. */
#ifndef TRI_DRIVER_HELP_H
#define TRI_DRIVER_HELP_H

#include "driver/option_table.h"

/* --help, or one topic of it. False after a report: no such topic. */
bool tri_help_print(const tri_option_table *table, tri_diag *diag, tri_str topic, tri_buf *out);

/* tritcc's own, of its table: words behind an option, and what help says of stages and warnings. */
void tri_help_values(const tri_option_row *row, tri_buf *out);
void tri_help_more(tri_str topic, tri_buf *out);

#endif
