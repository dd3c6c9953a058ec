/* What the targets that build IR keep between runs. */
#ifndef TRI_TESTS_FUZZ_SESSION_H
#define TRI_TESTS_FUZZ_SESSION_H

#include "ir/context.h"

/* A context keeps every type and attribute that it ever saw, so it is renewed now and then. */
enum { runs_per_context = 64 };

static struct {
    tri_diag *diag;
    MlirContext mlir;
    unsigned runs;
} session;

static inline void renew_session(void)
{
    if (session.diag && session.runs % runs_per_context == 0) {
        tri_context_destroy_mlir(session.mlir);
        tri_diag_destroy(session.diag);
        session.diag = NULL;
    }
    if (!session.diag) {
        session.diag = tri_diag_create();
        session.mlir = tri_context_create_mlir(session.diag);
    }
    session.runs++;
}

#endif
