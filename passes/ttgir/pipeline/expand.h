/* What the two halves of the modulo expansion share (expand.c, expand_end.c). */
#ifndef TRI_PASSES_TTGIR_PIPELINE_EXPAND_H
#define TRI_PASSES_TTGIR_PIPELINE_EXPAND_H

#include "passes/ttgir/pipeline/pipeline.h"

#include "base/map.h"

#include "mlir-c/BuiltinTypes.h"

enum { TRI_EXPAND_STAGES = 64 };

typedef struct {
    MlirOperation op;
    int stage, cluster;
} tri_placed_op;

/* A value carried around the new loop. Either a result of a body op, or what loop argument `arg` of the old
 * loop will be in the next iteration (a yielded value, with the initial one before the first iteration). */
typedef struct {
    intptr_t arg;      /* -1: a plain value */
    MlirValue value;
    int stage;         /* of the op that makes it */
    int age;           /* longest use: how many new iterations ago */
    int turn;          /* among those that are kept longer than the old loop does, from 1 on; 0: it is not */
    intptr_t at[TRI_EXPAND_STAGES + 2]; /* [age]: index among the new loop's iter args */
    MlirValue current; /* made in this iteration of the new loop */
    MlirValue *ends;   /* [step of the end]: made there; null: it is not (peeled) */
} tri_carried;

typedef struct {
    tri_carried *what;
    int age;
} tri_slot;

typedef struct {
    tri_arena *arena;
    MlirOperation loop, yield;
    MlirBlock body;
    TRI_VEC(tri_placed_op) ops; /* in the order of the new body */
    tri_map stages;         /* MlirOperation.ptr -> 1 + stage */
    int last;               /* S */
    TRI_VEC(tri_carried) carried;
    int kept;               /* how many of those have a turn */
    TRI_VEC(tri_slot) slots;    /* the new loop's iter args */
    tri_map *made;          /* [prologue iteration]: body value -> value */
    tri_map *next_args;     /* [prologue iteration]: body argument -> what it becomes after it */
    MlirValue lb, ub, step;
    MlirType index;
    bool peels;    /* the last S iterations of the new loop are apart */
    bool is_long;  /* it is known to have S iterations or more (peeled) */
    MlirValue *in_range; /* [k]: the old loop has more than k iterations; null: it is known (peeled) */
    /* the new loop */
    MlirBlock kernel;
    MlirValue *ivs, *preds; /* [stage] */
    tri_map kernel_made;
} tri_expander;

/* A yielded value from outside of the loop is there from the start. */
int tri_expand_stage(tri_expander *x, MlirValue value);
/* The number of the loop argument a value is (without the induction variable), -1 for others; *out_is_iv. */
intptr_t tri_expand_argument(tri_expander *x, MlirValue value, bool *out_is_iv);
bool tri_expand_is_inside(tri_expander *x, MlirValue value);
/* Whether a result of the old loop is used. */
bool tri_expand_is_used(tri_expander *x, intptr_t arg);
MlirValue tri_expand_select(tri_builder *b, MlirValue pred, MlirValue yes, MlirValue no);
/* base + k * step */
MlirValue tri_expand_advanced(tri_builder *b, tri_expander *x, MlirValue base, int k);
tri_carried *tri_expand_find(tri_expander *x, intptr_t arg, MlirValue value);
/* The op once more with other operands, without its place; it does nothing where `pred`, which may be null, is
 * false. */
MlirOperation tri_expand_copy(tri_expander *x, tri_builder *b, const tri_placed_op *p, size_t n, const MlirValue *from,
                              const MlirValue *to, MlirValue pred);
/* The last S iterations, behind the new loop; its results take the place of the old one's. */
void tri_expand_end(tri_expander *x, MlirOperation made);

#endif
