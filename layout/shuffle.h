/* Conversions inside a warp (internal to layout/; see tri_plan_shuffle). */
#ifndef TRI_LAYOUT_SHUFFLE_H
#define TRI_LAYOUT_SHUFFLE_H

#include "layout/plan.h"

/* dst -> src index of the same element. Where the source holds replicas, each thread reads from its
 * own copy if it has one. False when src lacks an element. */
bool tri_shuffle_map(const tri_linear *src, const tri_linear *dst, tri_linear *out_map);
/* The exchange for a map that stays in the warp; false when it would cost more than shared memory. */
bool tri_shuffle_make(const tri_linear *src, const tri_linear *dst, const tri_linear *map, tri_plan_shuffle *out_plan);

#endif
