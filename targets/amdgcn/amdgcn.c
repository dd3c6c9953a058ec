/* AMD GPUs: assembly from LLVM's AMDGPU back end, code objects by LLVM's assembler and lld. */
#include "targets/target.h"

#include "runtime/sim/amdgcn/family.h"
#include "targets/amdgcn/amdgcn.h"
#include "targets/gpu/gpu.h"

static bool lower_for_amd(tri_unit *unit) { return tri_gpu_lower(unit, &tri_amdgcn_machine); }

/* What the directive .amdgcn_target says: "amdgcn-amd-amdhsa--gfx942". */
static tri_str arch_of_code(tri_str code)
{
    static const char word[] = "amdhsa--";
    const char *at = memmem(code.data, code.len, word, sizeof word - 1);
    if (!at)
        return TRI_STR("");
    tri_str rest = tri_str_sub(code, (size_t)(at - code.data) + sizeof word - 1, code.len);
    return tri_str_sub(rest, 0, strcspn(rest.data, "\":+-\n"));
}

static tri_resources resources(const tri_unit *unit, const tri_kernel *kernel, tri_str code)
{
    (void)kernel;
    return (tri_resources){.barriers = memmem(code.data, code.len, "s_barrier", strlen("s_barrier")) != NULL,
                           .lanes = unit->arch->lanes};
}

const tri_target tri_target_amdgcn = {
    .family = "amdgcn",
    .help = "AMD GPUs",
    .default_warps = 4,
    .default_stages = 2,
    .has_no_asserts = true,
    .ttir_pipeline = tri_gpu_ttir_pipeline,
    .ttgir_pipeline = tri_gpu_ttgir_pipeline,
    .lower = lower_for_amd,
    .optimize = tri_amdgcn_optimize,
    .code_kind = "amdgcn",
    .code_help = "AMD's assembly from LLVM IR",
    .emit = tri_amdgcn_emit,
    .triple = "amdgcn",
    .arch_of_code = arch_of_code,
    .binary_kind = "hsaco",
    .binary_help = "code object for one GPU",
    .assemble = tri_amdgcn_assemble,
    .measure = tri_amdgcn_measure,
    .resources = resources,
    .simulator = &tri_sim_amdgcn,
};
