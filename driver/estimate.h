/* Estimates of how long kernels take (passes/analysis/cost.h): --estimate tells them,
 * -config=best, -fcost-model (driver/choose.h) and objects of several configurations choose by them. */
#ifndef TRI_DRIVER_ESTIMATE_H
#define TRI_DRIVER_ESTIMATE_H

#include "driver/session.h"

/* "M=8192,N=4096"; a number alone stands for the integer arguments that are not named. False: it is none of that. */
bool tri_estimate_check(tri_str text);
/* Of the unit, whose payload is ttgir: the sum of its kernels' times, in nanoseconds; 0: nothing is known. */
int64_t tri_estimate_sum(tri_unit *unit, tri_str values);
/* Keeps the times in the kernels' facts, adds them to the session's, and prints a line for each kernel where --estimate
 * asks for it. */
void tri_estimate_note(tri_session *session, tri_unit *unit);

#endif
