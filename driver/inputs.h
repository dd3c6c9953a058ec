/* The inputs of a command line that has several: a -sig and a -k are for those that have the kernel which they name. */
#ifndef TRI_DRIVER_INPUTS_H
#define TRI_DRIVER_INPUTS_H

#include "base/map.h"
#include "driver/session.h"

typedef struct {
    tri_session *session;
    TRI_VEC(tri_map *) names; /* that each input defines; null: not known. Empty: nothing is chosen */
    tri_opt_words signatures, kernels, counted; /* as given */
} tri_inputs;

/* Reads the sources as far as that takes; silent, as what is wrong with one is told when it is compiled. */
void tri_inputs_open(tri_session *session, tri_inputs *out);
/* tri_job_run of one with the options that are for it. A kernel that no input has stays, to be told. */
int tri_inputs_run(tri_inputs *inputs, size_t index);

#endif
