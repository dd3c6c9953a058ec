/* What the language asks about the target (the driver says it; a target's own header is never seen here). */
#ifndef TRI_FRONTEND_TARGET_H
#define TRI_FRONTEND_TARGET_H

#include "frontend/eval.h"

/* Never null. */
const tri_machine_facts *tri_target_facts(const tri_eval *e);
/* Is Triton's name of the back end "cuda", ...? */
bool tri_target_is(const tri_eval *e, const char *backend);
/* Why an element type can not be used there, or null. */
const char *tri_target_rejects(const tri_eval *e, tri_dtype d);

#endif
