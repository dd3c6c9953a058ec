/* Kernel facts as they travel behind llir. */
#ifndef TRI_TARGETS_FACTS_H
#define TRI_TARGETS_FACTS_H

#include "ir/unit.h"

#include "llvm-c/TargetMachine.h"

/* The kernel of that symbol; null: there is none. */
tri_kernel *tri_facts_known_kernel(tri_unit *unit, tri_str symbol);
/* The unit's record of a kernel, made from the function's own attribute when there is none yet.
 * `func` may be null. Never null. */
tri_kernel *tri_facts_find_kernel(tri_unit *unit, tri_str symbol, MlirOperation func);
/* Emits the unit's LLVM module as the target's text, with the facts behind it, and installs that as the
 * payload. Disposes `machine`; null means that its maker failed and reported. `left_out`: as tri_llvm_emit_without,
 * or null. False after a report. */
bool tri_facts_emit_text(tri_unit *unit, LLVMTargetMachineRef machine, const char *const *left_out);
/* What of the code generator's passes finds nothing in a GPU's code, which has no strings, calls of a C library,
 * objects of other languages or instrumentation, but is to be made, scheduled and asked for each kernel. */
#define TRI_FACTS_IDLE \
    "Merge contiguous icmps into a memcmp", "Expand memcmp() to load/stores", \
        "Replace intrinsics with calls to vector library", "Partially inline calls to library functions", \
        "Instrument function entry/exit with calls to e.g. mcount() (post inlining)", "ObjC ARC contraction", \
        "Safe Stack instrumentation pass", "Fixup Statepoint Caller Saved", "Insert fentry calls", \
        "Insert XRay ops", "Machine Sanitizer Binary Metadata", "Stack Frame Layout Analysis"
/* And where no variables have places. */
#define TRI_FACTS_OF_VARIABLES "Live DEBUG_VALUE analysis", "Remove Redundant DEBUG_VALUE analysis"
/* Reads them back into a unit that has none (it started from the text). False after a report. */
bool tri_facts_parse(tri_unit *unit, tri_str text);

/* The numbers of warps, pipeline stages and blocks in a cluster, one for all kernels of the unit: from the options,
 * else the first kernel that gives one, else the target's own. */
int tri_facts_warps(const tri_unit *unit);
int tri_facts_stages(const tri_unit *unit);
int tri_facts_ctas(const tri_unit *unit);
/* Likewise for mfma: rows of an instruction, 0: whichever fits, and instructions that one access feeds. */
int tri_facts_matrix_size(const tri_unit *unit);
int tri_facts_k_pack(const tri_unit *unit);
/* Threads of a warp of the unit's code: what its module says, if it has one; before there is ttgir what its products
 * want, where the machine has a choice; else the machine's own number. */
int tri_facts_lanes(const tri_unit *unit);
/* Does a block of so many warps fit the machine? Reports at the unit's first kernel. */
bool tri_facts_check_threads(tri_unit *unit, int warps, int lanes);
/* Do no two kernels of the unit (payload: MLIR) give different ones, where the options give none? Reports at the
 * second. */
bool tri_facts_agree(tri_unit *unit);

#endif
