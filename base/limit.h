/* Numbers of a message about a limit, for programs that read messages as JSON. */
#ifndef TRI_BASE_LIMIT_H
#define TRI_BASE_LIMIT_H

#include "base/diag.h"

/* The next report is about so much of `resource` (a constant: "shared memory") where there is only `limit`. */
void tri_diag_set_limit(tri_diag *diag, const char *resource, int64_t needed, int64_t limit);

#endif
