/* The tables of phases.def: kinds of files and the steps between them. */
#ifndef TRI_DRIVER_PHASE_H
#define TRI_DRIVER_PHASE_H

#include "frontend/frontend.h"
#include "passes/passes.h"
#include "targets/object/object.h"

typedef enum {
    TRI_KIND_NONE,
#define KIND(id, name, suffix, form, help) TRI_KIND_##id,
#include "driver/phases.def"
    TRI_KIND_COUNT,
    /* in phases.def only: what a family names */
    TRI_KIND_CODE = TRI_KIND_COUNT,
    TRI_KIND_BINARY,
    TRI_KIND_TEXT,
    TRI_KIND_LISTING,
} tri_kind;

typedef struct {
    const char *name, *suffix; /* null: only in memory */
    tri_payload form;
    const char *help;
} tri_kind_row;

const tri_kind_row *tri_phase_kind(tri_kind kind);
/* By the name that -emit= takes; TRI_KIND_NONE when there is none. */
tri_kind tri_phase_find_kind(tri_str name);
/* By a file's suffix; TRI_KIND_NONE when it is not one of ours. */
tri_kind tri_phase_kind_of_file(tri_str path);
/* Can a file of this kind be an input? */
bool tri_phase_is_input(tri_kind kind);
/* Names of the kinds as "tri ttir ...", for messages. */
tri_str tri_phase_kind_names(tri_arena *arena, bool inputs_only);
/* Of the same kinds, the one nearest in spelling, or null. */
const char *tri_phase_nearest_kind(tri_str name, bool inputs_only);

enum { TRI_PHASE_NONE = 0, TRI_PHASE_MLIR = 1, TRI_PHASE_LLVM = 2, TRI_PHASE_BOTH = 3 };

typedef struct {
    const char *name; /* "ttgir" */
    tri_kind from, to;
    const char *help;
    unsigned contexts; /* of TRI_PHASE_MLIR, TRI_PHASE_LLVM */
    /* `run` consumes the payload; false after a report. `view` writes to `out`. Neither: `bundle` writes what is made
     * of all units of a program. */
    bool (*run)(tri_unit *unit, const tri_pass_hooks *hooks);
    bool (*view)(tri_unit *unit, tri_buf *out);
    bool (*bundle)(const tri_bundle *bundle, tri_buf *out);
} tri_phase;

typedef TRI_VEC(tri_phase) tri_phase_list;

/* The phases that a target has, in order; they live in the arena. */
tri_phase_list tri_phase_list_for(tri_arena *arena, const tri_target *target);
/* The kind that a family names ("ptx"); TRI_KIND_NONE for null. */
tri_kind tri_phase_kind_named(const char *name);
/* Is it what some family writes as its binary, so that it need not be text? */
bool tri_phase_is_binary(tri_kind kind);

/* What the front end is told of the unit's target. */
tri_frontend_target tri_phase_facts(const tri_unit *unit);

/* The pass pipeline of a phase that is one ("ttir", "ttgir"), as text; false for others. */
bool tri_phase_pipeline(const tri_phase *phase, const tri_unit *unit, tri_buf *out);

/* Runs a phase, of which LLVM's fatal errors are failures as any other. `hooks`: of its passes, or null. */
bool tri_phase_run(const tri_phase *phase, tri_unit *unit, const tri_pass_hooks *hooks);

#endif
