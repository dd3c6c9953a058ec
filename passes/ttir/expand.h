/* Values taken apart into several, through all control flow: arguments of functions and blocks,
 * loops, conditionals, branches, selects, calls and returns. */
#ifndef TRI_PASSES_TTIR_EXPAND_H
#define TRI_PASSES_TTIR_EXPAND_H

#include "base/map.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/passes.h"

enum { TRI_EXPAND_MAX = 3 * TRI_MAX_RANK + 3 };

typedef struct tri_expand tri_expand;

/* Which values, and into what. */
typedef struct {
    const char *noun; /* "a tensor descriptor", for messages */
    bool (*is_whole)(const tri_expand *x, MlirType type);
    /* The parts of a whole in their order, and how they are called; at most TRI_EXPAND_MAX. */
    intptr_t (*list)(const tri_expand *x, MlirType whole, MlirType *out_types, tri_str *out_names, tri_arena *arena);
    /* An op with such operands or results that is not control flow. Calls tri_expand_set for its
     * results and replaces the op, or leaves it for removal (returning true) when only its results
     * are wholes. *is_known is set to false for an op that it does not know. False after a report. */
    bool (*rewrite)(tri_expand *x, MlirOperation op, bool *is_known);
} tri_expand_rules;

struct tri_expand {
    tri_pass_run *run;
    const tri_expand_rules *rules;
    tri_map parts;    /* MlirValue.ptr -> MlirValue[TRI_EXPAND_MAX] */
    tri_op_list dead; /* in the order of the text */
    const void *data; /* of the rules */
};

/* Rewrites every function of the module; the rules find `data` in tri_expand. False after a report. */
bool tri_expand_run(tri_pass_run *run, const tri_expand_rules *rules, const void *data);

/* The parts of a whole; null when they are not known. */
const MlirValue *tri_expand_parts(const tri_expand *x, MlirValue whole);
void tri_expand_set(tri_expand *x, MlirValue whole, intptr_t n, const MlirValue *parts);

#endif
