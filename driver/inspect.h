/* --inspect: what an object or a library says of its kernels. */
#ifndef TRI_DRIVER_INSPECT_H
#define TRI_DRIVER_INSPECT_H

#include "driver/session.h"

/* False after a report. */
bool tri_inspect_print(tri_session *session, tri_str path, tri_buf *out);

#endif
