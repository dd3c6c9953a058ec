/* -fix: the fixes of messages, made in the source. */
#ifndef TRI_DRIVER_FIX_H
#define TRI_DRIVER_FIX_H

#include "driver/session.h"

/* Checks one source, makes its fixes, and writes the files that changed. What is left is reported, unless there is no
 * error and `is_told` is false: then a compilation that follows says it. Exit status. */
int tri_fix_run(tri_session *session, const tri_opt_input *input, bool is_told);

#endif
