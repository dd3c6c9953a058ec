/* What the parts of remove-masks share: numbers that are affine in a loop's index, and what masks made of them ask of
 * it. */
#ifndef TRI_PASSES_TTIR_REMOVE_MASKS_REMOVE_MASKS_H
#define TRI_PASSES_TTIR_REMOVE_MASKS_REMOVE_MASKS_H

#include "ir/op.h"
#include "passes/analysis/loops.h"
#include "passes/passes.h"

enum { TRI_MASKS_TERMS = 6 };

/* index * step + sum(term * factor) + something in [low, high]; true numbers, not modulo 2^32. */
typedef struct {
    int64_t step, low, high;
    int count;
    MlirValue terms[TRI_MASKS_TERMS];
    int64_t factors[TRI_MASKS_TERMS];
} tri_masks_number;

/* A loop, and from where to where it can run without masks. */
typedef struct {
    tri_pass_run *run;
    MlirOperation loop;
    MlirValue index;
    bool estimates;                /* scalars are taken apart as if they could not wrap */
    tri_builder b;                 /* in front of the loop */
    MlirType i1, i64;
    MlirValue begin, end;          /* i64: of the part without masks; null: nothing says so */
    MlirValue guard;               /* i1: whether there is such a part; null: always */
    TRI_VEC(MlirValue) conditions; /* that hold in all of it */
} tri_masks;

/* A choice among scaled elements, `raw` times a number, or one that is scaled behind it. */
typedef struct {
    MlirOperation scale;
    bool is_behind;
    MlirValue scaled;      /* what of both is used */
    MlirValue raw, factor; /* factor: null where it is constant */
    double constant;
} tri_masks_scale;

/* masks_numbers.c: adds factor * value, of 32 or 64 bits; false when that is not affine. */
bool tri_masks_add(const tri_masks *s, tri_masks_number *a, MlirValue value, int64_t factor);
/* A number that the source computes without any arithmetic cannot wrap. */
bool tri_masks_is_plain(const tri_masks_number *a);
/* As operations of 64 bits in front of the loop: the terms and a constant; the number itself for this index. */
MlirValue tri_masks_emit_terms(tri_masks *s, const tri_masks_number *a, int64_t constant);
MlirValue tri_masks_emit_at(tri_masks *s, const tri_masks_number *a, int64_t constant, MlirValue index);
MlirValue tri_masks_binary(tri_masks *s, const char *name, MlirValue x, MlirValue y);
MlirValue tri_masks_constant(tri_masks *s, int64_t value);
MlirValue tri_masks_widen(tri_masks *s, MlirValue value);
/* x ? y : z of 64 bits. */
MlirValue tri_masks_choose(tri_masks *s, MlirValue x, MlirValue y, MlirValue z);

/* masks_conditions.c: collects what of a mask becomes true in a part of the loop; with `uses`, it is required of the
 * part, too. True when something depends on the index. */
bool tri_masks_visit(tri_masks *s, MlirValue mask, bool uses);
/* Where a condition in front of the loop does not hold, the part is empty. */
void tri_masks_require(tri_masks *s, MlirValue condition);
/* Whether all of a mask becomes true there. */
bool tri_masks_is_whole(const tri_masks *s, MlirValue mask);
/* Whether some of it is false from the first index on: there is no part without masks, as in the second loop of an
 * attention that its source has split already. */
bool tri_masks_is_never(const tri_masks *s, MlirValue mask);
/* Whether the trips behind the part that a mask allows are few, as under a causal mask's diagonal; an estimate. */
bool tri_masks_is_soon_over(const tri_masks *s, MlirValue mask);
/* The same of the whole loop. */
bool tri_masks_has_few_trips(const tri_masks *s);

/* What chooses among elements of blocks; null: the op is no such choice. */
MlirValue tri_masks_choice_of(MlirOperation op);

/* masks_scale.c: whether a choice is among elements that can be scaled behind it. */
bool tri_masks_find_scale(const tri_masks *s, MlirOperation choice, tri_masks_scale *out);
/* The number that they are scaled by. */
MlirValue tri_masks_factor(tri_builder *b, const tri_masks_scale *scale);
MlirValue tri_masks_scaled(tri_builder *b, MlirValue block, MlirValue factor);
/* The search for the largest of each row of a value; null: there is none, or several. */
MlirOperation tri_masks_search_of(MlirValue value);
/* What must hold for that. */
void tri_masks_require_scale(tri_masks *s, const tri_masks_scale *scale);
/* Users of what is scaled take `raw`, and scale it themselves. */
void tri_masks_scale_late(tri_masks *s, MlirValue scaled, MlirValue raw, MlirValue factor);

/* masks_guard.c: whether a choice is none in the part without masks. */
bool tri_masks_is_guarded(const tri_masks *s, MlirOperation op);
/* Whether a loop's choices are so large that a branch costs less than a second body. */
bool tri_masks_wants_guards(const tri_masks *s, const tri_op_list *inside);
/* Registers of a thread that hold the blocks which the loop hands from one trip to the next. */
int64_t tri_masks_carried(MlirOperation loop, int64_t threads);
/* Choices that hold in all trips of [start, end), of 32 bits, are made only in others; null: without that bound. */
void tri_masks_guard(tri_masks *s, const tri_op_list *inside, MlirValue start, MlirValue end);

#endif
