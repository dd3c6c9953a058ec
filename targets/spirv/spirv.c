/* OpenCL devices: SPIR-V from LLVM's SPIR-V back end. The generic architecture has no sub-groups, so
 * lanes exchange values through local memory. */
#include "targets/target.h"

#include "include/tritcc/launch.h"
#include "targets/gpu/gpu.h"
#include "targets/spirv/spirv.h"
#include "targets/spirv/text.h"

static bool lower_for_opencl(tri_unit *unit) { return tri_gpu_lower(unit, &tri_spirv_machine); }

static bool emit_spirv(tri_unit *unit) { return tri_spirv_emit_as(unit, tri_spirv_machine.triple); }

static bool read_spirv(tri_unit *unit)
{
    return tri_spirv_read_as(unit, tri_spirv_machine.triple, tri_spirv_machine.data_layout);
}

bool tri_spirv_to_text(tri_unit *unit, tri_buf *out)
{
    return tri_text_from_spirv(unit->diag, unit->source, tri_buf_str(&unit->bytes), out);
}

bool tri_spirv_from_text(tri_unit *unit)
{
    tri_buf binary = {0};
    if (!tri_text_to_spirv(unit->diag, unit->source, tri_buf_str(&unit->bytes), &binary)) {
        tri_buf_fini(&binary);
        return false;
    }
    tri_unit_replace(unit, TRI_PAYLOAD_BYTES);
    unit->bytes = binary;
    return true;
}

const tri_target tri_target_spirv = {
    .family = "spirv",
    .help = "OpenCL devices through SPIR-V",
    .default_warps = 4,
    .default_stages = 3,
    .has_no_asserts = true,
    .ttir_pipeline = tri_gpu_ttir_pipeline,
    .ttgir_pipeline = tri_gpu_ttgir_pipeline,
    .lower = lower_for_opencl,
    .optimize = tri_spirv_optimize,
    .code_kind = "spirv",
    .code_help = "SPIR-V from LLVM IR",
    .emit = emit_spirv,
    .triple = "spirv",
    .read_code = read_spirv,
    .binary_kind = "spir",
    .binary_tool = "llvm-spirv",
    .binary_help = "LLVM bitcode for OpenCL devices that read no SPIR-V, by llvm-spirv",
    .assemble = tri_spirv_assemble,
    .arch_prefix = "spirv",
    .code_prefix = "spirv",
    .text_kind = "spvasm",
    .to_text_help = "disassemble SPIR-V",
    .from_text_help = "assemble SPIR-V",
    .to_text = tri_spirv_to_text,
    .from_text = tri_spirv_from_text,
    .object_form = TRI_OBJECT_IMAGES,
    .launchers = {"tri_rt_level_zero_backend", "tri_rt_opencl_backend"},
    .device_kind = TRI_OPENCL,
    .tells_sizes = true,
};
