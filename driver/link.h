/* -shared and -r: the objects of all inputs as one file, by the host's C compiler. */
#ifndef TRI_DRIVER_LINK_H
#define TRI_DRIVER_LINK_H

#include "driver/session.h"

/* Compiles every input and links; exit status. */
int tri_link_run(tri_session *session);

#endif
