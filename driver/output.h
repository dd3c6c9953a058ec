/* The files of one input: named, kept back until all is well, written whole. */
#ifndef TRI_DRIVER_OUTPUT_H
#define TRI_DRIVER_OUTPUT_H

#include "driver/opt.h"

typedef struct {
    tri_kind kind;
    tri_str path;
    bool is_temp; /* of -save-temps: written at once, and kept when a later phase fails */
    bool is_done;
    tri_str data; /* in the arena, once done */
} tri_output;

typedef TRI_VEC(tri_output) tri_output_list;

/* Names the outputs of an input for a target. `kinds` of the list are filled from -emit, -c, -S; none
 * given means an object. False after a report (two outputs of one name, an output that is the input). */
bool tri_output_plan(tri_arena *arena, tri_diag *diag, const tri_opt *opt, tri_str input, const tri_target *target,
                     tri_output_list *out);

/* The name of a file that -save-temps keeps, or of a depfile: FOLDER/stem + suffix. */
tri_str tri_output_beside(tri_arena *arena, const tri_opt *opt, tri_str input, const tri_output_list *outputs,
                          const char *suffix);

/* Writes one file; false after a report. */
bool tri_output_write(tri_diag *diag, tri_str path, tri_str data);
/* Writes every output that is not a temp; on failure those already written are removed again. */
bool tri_output_commit(tri_diag *diag, const tri_output_list *outputs);
/* After a failure: removes what an earlier run left under the outputs' names, so that nobody takes it
 * for the result of this one. */
void tri_output_discard(const tri_output_list *outputs);

#endif
