/* What --explain says of a code: its meaning, and code that gives it beside the same made right. */
#ifndef TRI_DRIVER_EXPLAIN_H
#define TRI_DRIVER_EXPLAIN_H

#include "base/diag.h"

/* "TRI-3001" or "3001". False after a report: there is no such code. */
bool tri_explain_print(tri_diag *diag, tri_str code, tri_buf *out);
/* All codes as sections of mdoc, for tritcc-errors(7). */
void tri_explain_manual(tri_buf *out);

#endif
