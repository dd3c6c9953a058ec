/* One input and all that is made of it: one parse, then a unit for each variant, then what is written of all. */
#ifndef TRI_DRIVER_PROGRAM_H
#define TRI_DRIVER_PROGRAM_H

#include "driver/output.h"
#include "driver/session.h"

/* What is done with all units of a program, once they have come as far as the options say; false after a report. */
typedef struct {
    bool (*run)(const void *data, const tri_bundle *bundle);
    const void *data;
} tri_program_end;

typedef struct {
    tri_session *session;
    tri_kind kind;
    const tri_source *source;
    tri_str path; /* of the input, "-": standard input */
    bool is_kept; /* outputs stay in memory; nothing is written */
    const tri_program_end *end; /* null: nothing */
} tri_program;

/* Compiles for what the session's options say; exit status. `out_outputs` (or null) gets the outputs, whose data
 * lives in the session's arena. */
int tri_program_run(const tri_program *program, tri_output_list *out_outputs);

#endif
