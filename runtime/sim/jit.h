/* Compiles a module that the GPU lowering made for the simulator, and runs one of its kernels. */
#ifndef TRI_RUNTIME_SIM_JIT_H
#define TRI_RUNTIME_SIM_JIT_H

#include "runtime/sim/sim.h"

#include "llvm-c/Types.h"

typedef struct tri_sim_jit tri_sim_jit;

/* Takes `module` (also on failure) and compiles it for this host; its shared memory becomes that of
 * `sim`, which must live as long. Null after a report. */
tri_sim_jit *tri_sim_jit_create(tri_diag *diag, LLVMModuleRef module, const char *kernel, tri_sim *sim);
void tri_sim_jit_destroy(tri_sim_jit *jit);

/* Runs the kernel over the grid; `args` holds one parameter per 8 bytes. False after reports. */
bool tri_sim_jit_run(tri_sim_jit *jit, const uint64_t *args, tri_sim_grid grid);

#endif
