/* The shared memory a conversion goes through (internal to layout/). */
#ifndef TRI_LAYOUT_SWIZZLE_H
#define TRI_LAYOUT_SWIZZLE_H

#include "layout/plan.h"

/* Fills the shared-memory part of the plan, whose kind, map and element_bits are set. False when no
 * number of rounds fits max_scratch_bytes. */
bool tri_swizzle_choose(const tri_linear *src, const tri_linear *dst, const tri_plan_machine *machine,
                        int64_t max_scratch_bytes, tri_plan_convert *plan);

#endif
