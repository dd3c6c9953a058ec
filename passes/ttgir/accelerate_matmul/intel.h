#ifndef TRI_PASSES_ACCELERATE_MATMUL_INTEL_H
#define TRI_PASSES_ACCELERATE_MATMUL_INTEL_H

#include "ir/machines.h"
#include "passes/passes.h"

/* Lays out every tt.dot that dpas can do. `warps`, `lanes`: of the module. */
void tri_intel_accelerate(tri_pass_run *run, const tri_machine_facts *facts, int warps, int lanes);

#endif
