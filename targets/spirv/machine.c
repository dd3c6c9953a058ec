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

/* The format in constant memory; legalize.c makes a pointer to its first character of it. */
void tri_spirv_print_as_is(tri_gpu *g, tri_str format, LLVMValueRef *args, unsigned n)
{
    enum { constant = 2, max_args = 32 };
    LLVMTypeRef pointer = LLVMPointerTypeInContext(g->llvm, constant);
    LLVMTypeRef type = LLVMFunctionType(g->i32, &pointer, 1, true);
    LLVMValueRef callee = LLVMGetNamedFunction(g->module, "printf"), all[1 + max_args];
    if (!callee) {
        callee = LLVMAddFunction(g->module, "printf", type);
        LLVMSetFunctionCallConv(callee, g->machine->function_convention);
    }
    LLVMValueRef text = LLVMConstStringInContext2(g->llvm, format.data, format.len, false);
    all[0] = LLVMAddGlobalInAddressSpace(g->module, LLVMTypeOf(text), "", constant);
    LLVMSetInitializer(all[0], text);
    LLVMSetGlobalConstant(all[0], true);
    LLVMSetLinkage(all[0], LLVMPrivateLinkage);
    TRI_ASSERT(n <= max_args);
    memcpy(all + 1, args, n * sizeof *args);
    LLVMSetInstructionCallConv(LLVMBuildCall2(g->b, type, callee, all, n + 1, ""), g->machine->function_convention);
}

/* Floats as doubles: PoCL's printf reads nothing else. */
static void print(tri_gpu *g, tri_str format, LLVMValueRef *args, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (LLVMTypeOf(args[i]) == g->f32)
            args[i] = LLVMBuildFPExt(g->b, args[i], LLVMDoubleTypeInContext(g->llvm), "");
    tri_spirv_print_as_is(g, format, args, n);
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
    .print = print,
    .kernel_attributes = kernel_attributes,
};
