/* -Wunused-mask. */
#ifndef TRI_FRONTEND_MASKS_H
#define TRI_FRONTEND_MASKS_H

#include "frontend/kernel/eval.h"

/* At an assignment: a block of int1 that nothing in the function reads. */
void tri_masks_check_assigned(tri_eval *e, const tri_ast_node *target, tri_ev value);

/* Stores without a mask, of a finished function, at offsets that other accesses compare with a bound. */
void tri_masks_check(tri_eval *e, MlirOperation func);

#endif
