/* OpenCL devices: SPIR-V from LLVM's SPIR-V back end. The generic architecture has no sub-groups, so
 * lanes exchange values through local memory. */
#include "targets/target.h"

#include "targets/gpu/gpu.h"
#include "targets/spirv/spirv.h"

static const tri_arch archs[] = {
    {"spirv64", 0, "", "", "opencl:generic", 0, 1024, "any OpenCL 2.x device with 64-bit addresses"},
    {0},
};

static void ttir_pipeline(const tri_unit *unit, tri_buf *out)
{
    (void)unit;
    tri_buf_add_z(out, "inline,canonicalize,cse,symbol-dce");
}

static void ttgir_pipeline(const tri_unit *unit, tri_buf *out)
{
    tri_gpu_conversion_pass(unit, out);
    tri_buf_add_z(out, ",coalesce,remove-layout-conversions,canonicalize,cse,allocate-shared-memory,membar");
}

static bool lower(tri_unit *unit) { return tri_gpu_lower(unit, &tri_spirv_machine); }

const tri_target tri_target_spirv = {
    .family = "spirv",
    .help = "OpenCL devices through SPIR-V",
    .archs = archs,
    .default_arch = &archs[0],
    .warp_size = 32,
    .default_warps = 4,
    .default_stages = 3,
    .ttir_pipeline = ttir_pipeline,
    .ttgir_pipeline = ttgir_pipeline,
    .lower = lower,
    .optimize = tri_spirv_optimize,
    .code_kind = "spirv",
    .emit = tri_spirv_emit,
};
