/* OpenCL devices: SPIR-V from LLVM's SPIR-V back end. The generic architecture has no sub-groups, so
 * lanes exchange values through local memory. */
#include "targets/target.h"

#include "targets/gpu/gpu.h"
#include "targets/spirv/spirv.h"

static const tri_arch archs[] = {
    {"spirv64", 0, "", "", "opencl:generic", 0, 1024, "any OpenCL 2.x device with 64-bit addresses", false},
    {0},
};

static bool lower(tri_unit *unit) { return tri_gpu_lower(unit, &tri_spirv_machine); }

const tri_target tri_target_spirv = {
    .family = "spirv",
    .help = "OpenCL devices through SPIR-V",
    .archs = archs,
    .default_arch = &archs[0],
    .warp_size = 32,
    .default_warps = 4,
    .default_stages = 3,
    .ttir_pipeline = tri_gpu_ttir_pipeline,
    .ttgir_pipeline = tri_gpu_ttgir_pipeline,
    .lower = lower,
    .optimize = tri_spirv_optimize,
    .code_kind = "spirv",
    .emit = tri_spirv_emit,
};
