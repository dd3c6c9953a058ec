/* tritcc called as `triton-compile`: the command line of Triton's own tool (triton/tools/compile.py) and the files that
 * it writes. */
#ifndef TRI_DRIVER_TRITON_COMPILE_H
#define TRI_DRIVER_TRITON_COMPILE_H

#include "driver/session.h"
#include "targets/object/stub.h"

typedef struct {
    tri_stub stub;
    tri_str stem;          /* of the files: "folder/name.0123abcd_0d1d2" */
    tri_str help;          /* not empty: this is to be printed, and nothing else is done */
    TRI_VEC(char *) words; /* the same for tritcc, with a null behind the last */
} tri_triton_compile;

/* Is this the program's name? */
bool tri_triton_compile_is(const char *program);
/* Reads the command line. False after a report: wrong usage. */
bool tri_triton_compile_parse(tri_arena *arena, tri_diag *diag, int argc, char **argv, tri_triton_compile *out);
/* Compiles for a session with the options of `words`, and writes the two files; exit status. */
int tri_triton_compile_run(tri_session *session, const tri_triton_compile *command);

#endif
