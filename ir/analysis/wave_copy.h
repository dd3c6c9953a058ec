/* Copies from global to shared memory for which a warp names one place: lane i of it writes behind that, at
 * i times the bytes that a lane copies (machines.h, direct_to_shared). */
#ifndef TRI_IR_ANALYSIS_WAVE_COPY_H
#define TRI_IR_ANALYSIS_WAVE_COPY_H

#include "ir/analysis/axis_info.h"
#include "layout/linear.h"

typedef struct {
    tri_linear map; /* register, lane, warp -> offset in elements, before padding */
    int vec, bytes; /* elements and bytes that a lane copies at a time */
    int count;      /* instructions: one for each vec registers */
} tri_wave_copy;

/* Whether the machine of `module` makes a ttg.async_copy_global_to_local of such copies: in the buffer the lanes of a
 * warp lie side by side, padding is due between warps only, each thread has elements of its own, and elements that the
 * mask hides become zero. */
bool tri_wave_copy_find(tri_arena *arena, const tri_axis_info *axis, MlirOperation module, MlirOperation op,
                        tri_wave_copy *out_copy);

#endif
