/* tritrun -tune: every configuration of a kernel, measured over shapes; the table that `tritcc -ftune` reads. */
#ifndef TRI_RUN_TUNE_H
#define TRI_RUN_TUNE_H

#include "run/opt.h"

/* Measures and writes opt->tune, and shows what was found; exit status. */
int tri_run_tune(tri_arena *arena, tri_diag *diag, const tri_run_opt *opt);

#endif
