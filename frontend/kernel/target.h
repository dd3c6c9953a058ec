/* What the language asks about the target (the driver says it; a target's own header is never seen here). */
#ifndef TRI_FRONTEND_TARGET_H
#define TRI_FRONTEND_TARGET_H

#include "frontend/kernel/eval.h"

/* Never null. */
const tri_machine_facts *tri_target_facts(const tri_eval *e);
/* Is Triton's name of the back end "cuda", ...? */
/* Triton's is_cuda, is_hip, is_xpu, is_hip_cdna3, is_hip_cdna4, is_hip_gfx1250, by their number. */
bool tri_target_answers(const tri_machine_facts *facts, int question);
bool tri_target_has_capability(const tri_machine_facts *facts, int64_t major, int64_t minor);
bool tri_target_is(const tri_eval *e, const char *backend);
/* Why an element type can not be used there, or null. */
const char *tri_target_rejects(const tri_eval *e, tri_dtype d);

#endif
