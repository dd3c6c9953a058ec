/* Opt mode: a module in, exactly these passes, the module out. */
#ifndef TRI_DRIVER_TRANSFORM_H
#define TRI_DRIVER_TRANSFORM_H

#include "driver/session.h"

/* Runs on the unit's source, which is of `kind`. The exit status. */
int tri_transform_run(tri_session *session, tri_unit *unit, tri_kind kind);

#endif
