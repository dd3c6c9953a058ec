/* -fcost-model: what the source and the options leave open is chosen by estimates of other forms of the kernels. */
#ifndef TRI_DRIVER_CHOOSE_H
#define TRI_DRIVER_CHOOSE_H

#include "driver/phase.h"
#include "driver/session.h"

/* Of a unit whose payload is ttir: gives it other options where those are expected to gain. `ttgir` is the phase that
 * makes ttgir of it. */
void tri_choose(tri_session *session, tri_unit *unit, const tri_phase *ttgir);

#endif
