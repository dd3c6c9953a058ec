/* Ascend NPUs: structured code in the form that the vendor's compiler (bishengir-compile) takes. */
#include "targets/ascend/ascend.h"

#include "include/tritcc/launch.h"
#include "ir/options.h"
#include "targets/linalg/structured.h"

/* As the machine does, unless -Xbishengir= says otherwise. */
static bool has_multi_buffer(const tri_unit *unit)
{
    static const char option[] = "--enable-auto-multi-buffer=";
    bool has = unit->arch->has_multi_buffer;
    for (size_t i = 0; unit->options && i < unit->options->bishengir_options.len; i++)
        if (tri_str_has_prefix(unit->options->bishengir_options.at[i], option))
            has = tri_str_has_suffix(unit->options->bishengir_options.at[i], "=true");
    return has;
}

static void linalg_pipeline(const tri_unit *unit, tri_buf *out)
{
    tri_buf_format(out,
                   "triton-to-linalg{vendor=%d},canonicalize,cse,"
                   "check-buffers{max-bytes=%u operand-bytes=%u sum-bytes=%u copies=%d}",
                   unit->arch->has_threads_beside ? 2 : 1, unit->arch->unified_buffer,
                   unit->arch->cube_operands, unit->arch->cube_sums,
                   has_multi_buffer(unit) ? 2 : 1);
}

const tri_target tri_target_ascend = {
    .family = "ascend",
    .help = "Huawei's NPUs: structured code for the vendor's compiler",
    .default_warps = 1,
    .default_stages = 1,
    .ttir_pipeline = tri_linalg_ttir_pipeline,
    .linalg_pipeline = linalg_pipeline,
    .prints_mlir19 = true,
    .binary_kind = "npubin",
    .binary_tool = "bishengir-compile",
    .binary_help = "machine code for an NPU, by bishengir-compile",
    .assemble = tri_ascend_compile,
    .object_form = TRI_OBJECT_IMAGES,
    .launchers = {"tri_rt_ascend_backend"},
    .device_kind = TRI_ASCEND,
    .tells_sizes = true,
    .is_npu = true,
};
