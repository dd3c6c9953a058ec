/* The table of primitives of NVIDIA GPUs, and their kernel attributes. */
#include "targets/gpu/gpu.h"
#include "targets/nvptx/nvptx.h"

#define PURE TRI_MACHINE_PURE
#define CONVERGENT TRI_MACHINE_CONVERGENT
#define MEMORY TRI_MACHINE_MEMORY
#define NORETURN TRI_MACHINE_NORETURN
#define ROW(name, how, text, operands, flags, min_arch, sim) \
    [TRI_MACHINE_##name] = {TRI_MACHINE_##how, text, operands, flags, min_arch, sim},

static const tri_machine_row rows[TRI_MACHINE_COUNT] = {
#include "targets/nvptx/machine.def"
};

static void set_attribute(tri_gpu *g, LLVMValueRef function, const char *name, tri_str value)
{
    LLVMAttributeRef attr =
        LLVMCreateStringAttribute(g->llvm, name, (unsigned)strlen(name), value.data, (unsigned)value.len);
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attr);
}

static void kernel_attributes(tri_gpu *g, LLVMValueRef function)
{
    set_attribute(g, function, "nvvm.reqntid", tri_str_format(g->arena, "%d", g->num_warps * g->warp_size));
    size_t len = 0;
    const char *name = LLVMGetValueName2(function, &len);
    int maxnreg = tri_gpu_maxnreg(g, (tri_str){name, len});
    if (maxnreg > 0)
        set_attribute(g, function, "nvvm.maxnreg", tri_str_format(g->arena, "%d", maxnreg));
}

const tri_machine tri_nvptx_machine = {
    .rows = rows,
    .kernel_convention = 71, /* ptx_kernel */
    .function_convention = 0,
    .triple = "nvptx64-nvidia-cuda",
    .data_layout = "e-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64",
    .load_cache = {[2] = ".ca", [3] = ".cg", [5] = ".cs", [7] = ".cv"},
    .store_cache = {[3] = ".cg", [4] = ".wb", [5] = ".cs", [6] = ".wt"},
    .evict = {[2] = ".L1::evict_first", [3] = ".L1::evict_last"},
    .volatile_modifier = ".volatile",
    .global_suffix = ".global",
    .shared_suffix = ".shared",
    .library_prefix = "__nv_",
    .link = tri_nvptx_link,
    .scopes = {"", "device", "block", ""},
    .shared_is_dynamic = true,
    .kernel_attributes = kernel_attributes,
};
