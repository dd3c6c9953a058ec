/* What all inputs of a run share: the command line, the sink, the contexts, the clocks. */
#ifndef TRI_DRIVER_SESSION_H
#define TRI_DRIVER_SESSION_H

#include "driver/opt.h"
#include "driver/report.h"

typedef struct {
    tri_arena *arena;
    tri_diag *diag;
    tri_opt *opt;
    MlirContext mlir;    /* null until asked for */
    LLVMContextRef llvm; /* null until asked for */
    tri_report report;
    int64_t expected_ns; /* of all kernels that were estimated since somebody set it to 0 */
} tri_session;

void tri_session_init(tri_session *session, tri_arena *arena, tri_diag *diag, tri_opt *opt);
void tri_session_fini(tri_session *session);

/* The module as -g and the options of opt mode want it printed, and as a release of Triton spells it (306: 3.6;
 * 0: as we do). False after a report: the release cannot say it. */
bool tri_session_print(const tri_session *session, MlirModule module, unsigned release, tri_buf *out);

/* Sets the unit's contexts, made at first use; `contexts` is of TRI_PHASE_*. */
void tri_session_provide(tri_session *session, tri_unit *unit, unsigned contexts);

/* The target and architecture of a unit: -arch, else what the input was made for (`arch_of_input`,
 * or empty), else the default for the outputs that are asked for. False after a report. */
bool tri_session_choose_target(tri_session *session, tri_unit *unit, tri_str arch_of_input);

#endif
