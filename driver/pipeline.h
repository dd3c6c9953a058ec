/* The way of one input through the phases. */
#ifndef TRI_DRIVER_PIPELINE_H
#define TRI_DRIVER_PIPELINE_H

#include "driver/output.h"
#include "driver/session.h"
#include "targets/object/object.h"

typedef struct {
    tri_phase_list phases; /* all that the target has */
    const tri_phase *via[TRI_KIND_COUNT]; /* the phase that makes a kind; null: it is not needed */
    tri_kind from;
    bool has_bundle; /* some output is made of all units */
} tri_pipeline;

/* Finds the phases of the share's target that lead from `from` to every output. False after a report. */
bool tri_pipeline_plan(tri_arena *arena, tri_diag *diag, const tri_target_share *share, tri_kind from, tri_str input,
                       const tri_output_list *outputs, tri_pipeline *out);

/* Runs the one phase that makes `kind` of what stands before it. False after a report. */
bool tri_pipeline_step(tri_session *session, tri_unit *unit, const tri_pipeline *pipeline, tri_kind kind);

/* Runs all that follow from `kind`, which is the unit's payload now; the data of each output that is of a unit is
 * filled, and the part with what bundles are made from. False after a report. */
bool tri_pipeline_run(tri_session *session, const tri_pipeline *pipeline, tri_kind kind, tri_part *part,
                      tri_output_list *outputs);

/* Fills the outputs that are made of all units. False after a report. */
bool tri_pipeline_bundle(tri_session *session, const tri_pipeline *pipeline, const tri_bundle *bundle,
                         tri_output_list *outputs);

/* -###: the phases in order, a line each, with the commands of other programs; those that take the units of all
 * architectures only with `has_bundle`. */
void tri_pipeline_print(const tri_pipeline *pipeline, tri_unit *unit, tri_str input,
                        const tri_output_list *outputs, bool has_bundle, tri_buf *out);

/* Runs the passes of -passes on the unit's module, with the hooks that the options ask for. */
bool tri_pipeline_run_passes(tri_session *session, tri_unit *unit, const char *passes);

#endif
