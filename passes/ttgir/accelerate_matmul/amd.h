/* Products for AMD's matrix cores. Part of accelerate-matmul. */
#ifndef TRI_PASSES_TTGIR_ACCELERATE_AMD_H
#define TRI_PASSES_TTGIR_ACCELERATE_AMD_H

#include "ir/machines.h"
#include "passes/passes.h"

/* Rewrites every tt.dot of the module that has an instruction, and says of the others why not. */
void tri_amd_accelerate(tri_pass_run *run, const tri_machine_facts *facts, int warps);

#endif
