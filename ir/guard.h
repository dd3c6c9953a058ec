/* What LLVM does not go on from: its fatal errors, and no memory. */
#ifndef TRI_IR_GUARD_H
#define TRI_IR_GUARD_H

#include "ir/unit.h"

/* Runs `body`. A fatal error of LLVM in it is reported at the kernel and ends it: then the result is false, and the
 * unit's LLVM module and context are left as they are for the rest of the process, since LLVM was in the middle of
 * them. */
bool tri_guard_run(tri_unit *unit, bool (*body)(tri_unit *unit, void *data), void *data);

/* Where a message of LLVM belongs: at the inline assembly that it quotes, the function that it names, or the unit's
 * first kernel; TRI_NO_SPAN outside of tri_guard_run. */
tri_span tri_guard_span(tri_str message);

/* Ends a context, unless LLVM was stopped in it; on the thread that used it last. */
void tri_guard_dispose(LLVMContextRef context);

/* After a tri_trap_run around tri_guard_run that did not come to its end. */
void tri_guard_reset(void);

/* From now on, where C++ and LLVM find no memory, the process ends as tri_fatal_out_of_memory does. For main. */
void tri_guard_memory(void);

#endif
