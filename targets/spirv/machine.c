/* The table of primitives of generic OpenCL devices, and their kernel attributes. */
#include "targets/gpu/gpu.h"
#include "targets/spirv/spirv.h"

#define ALWAYS TRI_MACHINE_ALWAYS
#define PURE TRI_MACHINE_PURE
#define CONVERGENT TRI_MACHINE_CONVERGENT
static const tri_machine_row rows[TRI_MACHINE_COUNT] = {
#define ROW(name, how, ...) [TRI_MACHINE_##name] = TRI_MACHINE_ROW_##how(__VA_ARGS__),
#include "targets/spirv/primitives.def"
};

static void kernel_attributes(tri_gpu *g, LLVMValueRef function)
{
    static const char name[] = "reqd_work_group_size";
    LLVMMetadataRef sizes[3];
    for (int d = 0; d < 3; d++)
        sizes[d] = LLVMValueAsMetadata(tri_gpu_i32(g, d ? 1 : g->num_warps * g->warp_size));
    LLVMGlobalSetMetadata(function, LLVMGetMDKindIDInContext(g->llvm, name, sizeof name - 1),
                          LLVMMDNodeInContext2(g->llvm, sizes, 3));
}

const tri_machine tri_spirv_machine = {
    .rows = rows,
    .kernel_convention = 76, /* spir_kernel */
    .function_convention = 75, /* spir_func */
    .triple = "spirv64v1.2-unknown-unknown",
    .data_layout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1",
    .scopes = {"", "device", "workgroup", ""},
    .library_prefix = "__nv_",
    .link = tri_spirv_link,
    .bf16_is_bits = true,
    .inlines_all = true,
    .first_by_lane = true,
    .orders_updates = true,
    .shared_is_dynamic = false,
    .update = tri_spirv_update,
    .kernel_attributes = kernel_attributes,
};
