/* Shared memory an operation needs for itself while it runs. The allocation pass reserves it (the
 * op's allocation.offset); the lowering lays its data out in it. Both compute the size here, from
 * the same layout plans, so the two cannot disagree. */
#ifndef TRI_IR_ANALYSIS_SCRATCH_H
#define TRI_IR_ANALYSIS_SCRATCH_H

#include "base/arena.h"
#include "layout/gather.h"
#include "layout/plan.h"

#include "mlir-c/IR.h"

/* The machine as layout plans see it: the facts of the module's ttg.target, with its ttg.threads-per-warp. */
tri_plan_machine tri_scratch_machine(MlirOperation module);

/* Bytes, 0 for most ops:
 *   ttg.convert_layout   tri_plan_convert_scratch_bytes of its two layouts
 *   tt.reduce            the largest of its rounds (tri_plan_reduce: `reduced` to `next`, then the
 *                        final conversion to the result's layout); a round holds its operands one
 *                        behind the other, each rounded up to 16 bytes
 *   tt.scan              when warps move along the axis: per operand, rounded up to 16 bytes, one
 *                        element per run of tri_scratch_scan_run elements along the axis
 *   tt.gather            none where tri_scratch_gather finds lanes to exchange with, else the whole
 *                        source, row major
 *   tt.histogram         a counter of the result's type per bin, 32 at least
 *   tt.atomic_rmw/cas    one element for a scalar result that is used, the whole tensor when the
 *                        result is used and several threads hold the same element */
int64_t tri_scratch_bytes(tri_arena *arena, MlirOperation op, const tri_plan_machine *machine);

/* Whether a tt.gather stays within its warps, and how. */
bool tri_scratch_gather(tri_arena *arena, MlirOperation op, const tri_plan_machine *machine, tri_gather *out_plan);

/* Elements along the axis that one warp scans without help of others: the part of the axis that
 * registers and lanes below its first warp bit cover. */
int64_t tri_scratch_scan_run(const tri_linear *layout, tri_dim axis);

/* Bits an element of this type takes in shared memory: i1 takes 8, pointers 64. */
int tri_scratch_element_bits(MlirType type);
/* The linear layout of a tensor type with an encoding; false when it has none. */
bool tri_scratch_linear(tri_arena *arena, MlirType tensor, tri_linear *out_layout);

#endif
