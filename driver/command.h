/* A whole command line: modes that print, and the compilation of every input. */
#ifndef TRI_DRIVER_COMMAND_H
#define TRI_DRIVER_COMMAND_H

#include "driver/session.h"

/* The exit status: 0, 1 (an input or a tool failed) or 2 (wrong usage). */
int tri_command_run(tri_session *session);

#endif
