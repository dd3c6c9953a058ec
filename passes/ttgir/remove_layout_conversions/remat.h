/* Backward slices (remat_slice.c, remat_cost.c): everything that must be computed again so that a value appears in
 * another layout. Shared by rematerialization.c (which chooses and rewrites), hoisting.c, hoist_conditionals.c and the
 * cost model. */
#ifndef TRI_PASSES_TTGIR_REMAT_H
#define TRI_PASSES_TTGIR_REMAT_H

#include "base/map.h"
#include "passes/analysis/uses.h"
#include "passes/ttgir/remove_layout_conversions/layouts.h"

/* A value that is there already, one of those that are the same but for their layouts. */
typedef struct {
    MlirAttribute encoding;
    MlirValue value;
} tri_remat_copy;

typedef TRI_VEC(tri_remat_copy) tri_remat_copy_list;

typedef struct {
    tri_layouts *layouts;
    tri_arena *arena;
    MlirOperation func;
    tri_map copies; /* MlirValue.ptr -> tri_remat_copy_list of its copies and itself, which they share */
} tri_remat;

typedef struct {
    MlirValue value;
    MlirAttribute encoding; /* wanted */
    MlirValue existing;     /* a copy to use instead of a new one, or null */
    MlirValue arms[2];      /* result of a conditional: what that branch yields instead of a copy, or null */
} tri_slice_value;

typedef struct {
    TRI_VEC(tri_slice_value) values; /* in the order they were found */
    tri_map index;                   /* MlirValue.ptr -> 1 + index */
    TRI_VEC(tri_slice_value) unfit;  /* values as they were before a use that their `existing` does not reach */
} tri_slice;

/* A point to which a slice can go back. */
typedef struct {
    size_t values, unfit;
} tri_slice_mark;

/* Ops at which a slice ends: their results are taken as they are (and converted by the caller). */
typedef bool (*tri_remat_stop)(MlirOperation op);

/* Grows `slice` by all that `value` in `encoding` needs; `user` is where it will be used. False when
 * that is not possible: the slice is then useless, unless it goes back to a mark. */
bool tri_remat_grow(tri_remat *r, tri_slice *slice, MlirOperation user, MlirValue value, MlirAttribute encoding,
                    tri_remat_stop stop, tri_op_list *out_stops);
tri_slice_value *tri_remat_find(const tri_slice *slice, MlirValue value);

/* Whether computing the slice again costs no more than the conversion. `extra` is the cost of
 * conversions that the rewrite adds elsewhere. */
bool tri_remat_is_worth(tri_remat *r, const tri_slice *slice, MlirOperation convert, int64_t extra);
/* Of a conversion to this type that goes through shared memory. */
int64_t tri_remat_convert_cost(MlirType to);

/* Marks a value of the slice as being there already, as `existing`. */
void tri_remat_add_existing(tri_remat *r, tri_slice *slice, MlirValue value, MlirAttribute encoding,
                            MlirValue existing);
tri_slice_mark tri_remat_mark(const tri_slice *slice);
/* Forgets what came in since `mark` was taken. */
void tri_remat_go_back(tri_slice *slice, tri_slice_mark mark);

/* Repeats the slice and puts its value in the place of the conversion (rematerialization.c). */
void tri_rematerialization_rewrite(tri_remat *r, tri_slice *slice, MlirOperation convert);
/* Moves conversions in front of what makes their source larger (hoisting.c). */
bool tri_hoisting_try(tri_remat *r, MlirOperation convert);
/* Moves conversions on the way to the operands of a tensor core behind the loads they come from. */
bool tri_hoisting_try_dot(tri_remat *r, MlirOperation convert);
/* Moves conversions into the branches of conditionals that need them (hoist_conditionals.c). */
bool tri_hoist_conditionals_try(tri_remat *r, MlirOperation convert);
/* Moves the conversion of what a conditional gives in front of it. */
bool tri_hoisting_try_branch(tri_remat *r, MlirOperation convert);

void tri_rematerialization_run(tri_layouts *l, MlirOperation func);

#endif
