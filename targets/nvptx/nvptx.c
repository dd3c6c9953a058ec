/* NVIDIA GPUs: PTX from LLVM's NVPTX back end, cubin from ptxas. */
#include "targets/target.h"

#include "include/tritcc/launch.h"

#include "targets/gpu/gpu.h"
#include "targets/nvptx/nvptx.h"
#include "runtime/sim/nvptx/primitives.h"

static bool lower(tri_unit *unit) { return tri_gpu_lower(unit, &tri_nvptx_machine); }

/* What the .target directive says. */
static tri_str arch_of_ptx(tri_str code)
{
    static const char directive[] = ".target ";
    while (code.len && !tri_str_has_prefix(code, directive))
        code = tri_str_sub(code, tri_str_find(code, '\n') + 1, code.len);
    tri_str words = tri_str_sub(code, code.len ? sizeof directive - 1 : 0, tri_str_find(code, '\n'));
    return tri_str_trim(tri_str_sub(words, 0, tri_str_find(words, ',')));
}

const tri_target tri_target_nvptx = {
    .family = "nvptx",
    .help = "NVIDIA GPUs through PTX; cubin needs ptxas",
    .default_warps = 4,
    .default_stages = 3,
    .ttir_pipeline = tri_gpu_ttir_pipeline,
    .ttgir_pipeline = tri_gpu_ttgir_pipeline,
    .lower = lower,
    .optimize = tri_nvptx_optimize,
    .code_kind = "ptx",
    .code_help = "NVIDIA's virtual assembly from LLVM IR",
    .emit = tri_nvptx_emit,
    .triple = "nvptx",
    .arch_of_code = arch_of_ptx,
    .binary_kind = "cubin",
    .binary_tool = "ptxas",
    .binary_help = "machine code for one GPU, by ptxas",
    .assemble = tri_nvptx_assemble,
    .assemble_command = tri_nvptx_assemble_command,
    .listing_kind = "sass",
    .listing_help = "disassemble machine code, by nvdisasm",
    .list = tri_nvptx_list,
    .arch_prefix = "sm_",
    .code_prefix = "compute_",
    .wrap_image = tri_nvptx_wrap_image,
    .image_section = ".nv_fatbin",
    .measure = tri_nvptx_measure,
    .resources = tri_nvptx_resources,
    .object_form = TRI_OBJECT_IMAGES,
    .launchers = {"tri_rt_cuda_backend"},
    .device_kind = TRI_CUDA,
    .simulator = &tri_sim_nvptx,
};
