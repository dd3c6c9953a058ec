/* Kernel facts as they travel behind llir. */
#ifndef TRI_TARGETS_FACTS_H
#define TRI_TARGETS_FACTS_H

#include "ir/unit.h"

#include "llvm-c/TargetMachine.h"

/* The unit's record of a kernel, made from the function's own attribute when there is none yet.
 * `func` may be null. Never null. */
tri_kernel *tri_facts_find_kernel(tri_unit *unit, tri_str symbol, MlirOperation func);
/* Every record as a comment line of assembly: `// tritcc.kernel {...}`. */
void tri_facts_append(tri_unit *unit, tri_buf *text);
/* Emits the unit's LLVM module as the target's text, with the facts behind it, and installs that as the
 * payload. Disposes `machine`; null means that its maker failed and reported. False after a report. */
bool tri_facts_emit_text(tri_unit *unit, LLVMTargetMachineRef machine);
/* Reads them back into a unit that has none (it started from the text). False after a report. */
bool tri_facts_parse(tri_unit *unit, tri_str text);

#endif
