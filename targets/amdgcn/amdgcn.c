/* AMD GPUs: assembly from LLVM's AMDGPU back end, code objects by LLVM's assembler and lld. */
#include "targets/target.h"

#include "include/tritcc/launch.h"
#include "ir/kernel.h"
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

static void lower_to(tri_resources *r, int64_t blocks, const char *what)
{
    if (!r->limit || blocks < r->blocks) {
        r->blocks = (int)blocks;
        r->limit = what;
    }
}

/* Waves go to four SIMD units, each of which hands out its registers in 64 units. */
tri_resources tri_amdgcn_resources(const tri_unit *unit, const tri_kernel *kernel, tri_str code)
{
    enum { simds = 4, units = 64 };
    const tri_machine_facts *arch = unit->arch;
    bool has_barriers = memmem(code.data, code.len, "s_barrier", strlen("s_barrier")) != NULL;
    tri_resources r = {.barriers = has_barriers, .lanes = arch->lanes};
    int warps = kernel->num_warps > 0 ? kernel->num_warps : 1;
    if (!arch->resident_warps)
        return r;
    lower_to(&r, arch->resident_warps / warps, "warps");
    if (warps > 1)
        lower_to(&r, arch->resident_blocks, "blocks");
    if (kernel->registers > 0) {
        int all = arch->block_registers / simds / arch->lanes, unit_of_registers = all / units;
        int per_lane = (kernel->registers + unit_of_registers - 1) / unit_of_registers * unit_of_registers;
        lower_to(&r, all / per_lane * simds / warps, "registers");
    }
    if (kernel->shared_bytes > 0)
        lower_to(&r, arch->resident_shared / kernel->shared_bytes, "shared memory");
    r.percent = r.blocks * warps * 100 / arch->resident_warps;
    return r;
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
    .object_form = TRI_OBJECT_IMAGES,
    .launchers = {"tri_rt_hip_backend"},
    .device_kind = TRI_HIP,
    .resources = tri_amdgcn_resources,
    .simulator = &tri_sim_amdgcn,
    .optimize_simulated = tri_amdgcn_optimize_simulated,
};
