/* The parts of the manual that are made from the compiler's tables, as mdoc. */
#ifndef TRI_DRIVER_MANUAL_H
#define TRI_DRIVER_MANUAL_H

#include "base/diag.h"
#include "driver/option_table.h"

/* What --print-option-table= writes: "man-NAME" for the line @NAME@ of a page, or a shell's completion. False after a
 * report: there is no such table. */
bool tri_manual_table(tri_diag *diag, tri_str format, tri_buf *out);
/* Literal text as mdoc reads it: no escapes, no line that looks like a request. */
void tri_manual_add(tri_buf *out, tri_str text);
/* The same for prose: each sentence on a line of its own. */
void tri_manual_add_prose(tri_buf *out, tri_str text);

/* The options of a table, in groups. */
void tri_manual_options(const tri_option_table *table, tri_buf *out);

#endif
