/* One input file of the command line, from opening it to its outputs. */
#ifndef TRI_DRIVER_JOB_H
#define TRI_DRIVER_JOB_H

#include "driver/output.h"
#include "driver/program.h"
#include "driver/session.h"

/* The exit status: 0, 1 (the input or a tool failed) or 2 (the options do not fit the input). */
int tri_job_run(tri_session *session, const tri_opt_input *input);

/* The same for a text in memory (null: the file): the outputs' data, in the session's arena, is filled and nothing is
 * written. `end` may be null. */
int tri_job_make(tri_session *session, const tri_opt_input *input, const tri_str *text, const tri_program_end *end,
                 tri_output_list *out_outputs);

/* Checks a source, or a text in its place (or null: the file), with the session's options; exit status. */
int tri_job_check(tri_session *session, const tri_opt_input *input, const tri_str *text);

#endif
