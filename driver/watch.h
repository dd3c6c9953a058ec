/* Looking at a pipeline of passes while it runs: -print-before, -print-after, -print-changed, times. */
#ifndef TRI_DRIVER_WATCH_H
#define TRI_DRIVER_WATCH_H

#include "driver/session.h"

typedef struct {
    tri_session *session;
    tri_unit *unit;
    const char *stage;
    tri_buf before; /* text before the pass, for -print-changed */
    tri_pass_hooks hooks;
} tri_watch;

void tri_watch_init(tri_watch *watch, tri_session *session, tri_unit *unit, const char *stage);
void tri_watch_fini(tri_watch *watch);

#endif
