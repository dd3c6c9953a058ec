/* The tables of phases.def: kinds of files and the steps between them. */
#ifndef TRI_DRIVER_PHASE_H
#define TRI_DRIVER_PHASE_H

#include "passes/passes.h"
#include "targets/target.h"

typedef enum {
    TRI_KIND_NONE,
#define KIND(id, name, suffix, form, help) TRI_KIND_##id,
#include "driver/phases.def"
    TRI_KIND_COUNT,
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

typedef struct tri_phase {
    const char *name; /* "ttgir" */
    tri_kind from, to;
    const char *help;
    unsigned contexts; /* of TRI_PHASE_MLIR, TRI_PHASE_LLVM */
    bool (*is_for)(const tri_target *target, const struct tri_phase *phase);
    /* One of the two. `run` consumes the payload; false after a report. `view` writes to `out`. */
    bool (*run)(tri_unit *unit, const tri_pass_hooks *hooks);
    bool (*view)(tri_unit *unit, tri_buf *out);
} tri_phase;

size_t tri_phase_count(void);
const tri_phase *tri_phase_at(size_t i);

/* The pass pipeline of a phase that is one ("ttir", "ttgir"), as text; false for others. */
bool tri_phase_pipeline(const tri_phase *phase, const tri_unit *unit, tri_buf *out);

#endif
