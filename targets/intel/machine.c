/* The table of primitives of OpenCL devices with sub-groups, and their kernel attributes. */
#include "ir/dpas.h"
#include "targets/gpu/gpu.h"
#include "targets/intel/intel.h"
#include "targets/spirv/spirv.h"

#define ALWAYS TRI_MACHINE_ALWAYS
#define PURE TRI_MACHINE_PURE
#define CONVERGENT TRI_MACHINE_CONVERGENT
#define ROW(name, how, ...) [TRI_MACHINE_##name] = TRI_MACHINE_ROW_##how(__VA_ARGS__),
static const tri_machine_row rows[TRI_INTEL_END] = {
#include "targets/spirv/primitives.def"
#define ROW(name, how, ...) [TRI_MACHINE_##name] = TRI_MACHINE_ROW_##how(__VA_ARGS__),
#include "targets/intel/primitives.def"
#define X(name, ...) [TRI_INTEL_##name] = TRI_MACHINE_ROW_TEXT("dpas.c", "", CONVERGENT, ALWAYS),
#include "ir/dpas.def"
#undef X
#define X(name, ...) [TRI_INTEL_##name] = TRI_MACHINE_ROW_TEXT("block.c", "", CONVERGENT, ALWAYS),
#include "ir/block_io.def"
};

static const tri_machine_primitive own[] = {
#define X(name, ...) {#name, "*"},
#include "ir/dpas.def"
#undef X
#define X(name, ...) {#name, "*"},
#include "ir/block_io.def"
};

static const tri_gpu_op *const ops[] = {tri_intel_ops_dpas, tri_intel_ops_block, tri_intel_ops_prefetch,
                                        tri_intel_ops_rounding, tri_intel_ops_barrier, NULL};

LLVMValueRef tri_intel_call(tri_gpu *g, const char *name, LLVMTypeRef result, LLVMValueRef *args, int num_args)
{
    return tri_machine_call_named(g, name, result, args, num_args, TRI_MACHINE_CONVERGENT);
}

/* Without the size of sub-groups the device's compiler picks one by itself. */
static void kernel_attributes(tri_gpu *g, LLVMValueRef function)
{
    static const char name[] = "intel_reqd_sub_group_size";
    LLVMMetadataRef size = LLVMValueAsMetadata(tri_gpu_i32(g, g->warp_size));
    tri_spirv_machine.kernel_attributes(g, function);
    LLVMGlobalSetMetadata(function, LLVMGetMDKindIDInContext(g->llvm, name, sizeof name - 1),
                          LLVMMDNodeInContext2(g->llvm, &size, 1));
}

const tri_machine tri_intel_machine = {
    .rows = rows,
    .own = own,
    .num_own = sizeof own / sizeof *own,
    .ops = ops,
    .kernel_convention = 76, /* spir_kernel */
    .function_convention = 75, /* spir_func */
    .triple = "spirv64v1.4-unknown-unknown",
    .data_layout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1",
    .scopes = {"", "device", "workgroup", ""},
    .library_prefix = "__nv_",
    .link = tri_spirv_link,
    .bf16_is_bits = true,
    .first_by_lane = true,
    .joined_sums = TRI_DPAS_ROWS,
    .renews_threads = true,
    .orders_updates = true,
    .shared_is_dynamic = false,
    .kernel_attributes = kernel_attributes,
    .convert_bf16 = tri_intel_convert_bf16,
    .load_cached = tri_intel_load_cached,
    .store_cached = tri_intel_store_cached,
    .update = tri_spirv_update,
    .print = tri_spirv_print_as_is,
};
