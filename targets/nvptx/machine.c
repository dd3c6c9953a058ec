/* The table of primitives of NVIDIA GPUs, and their kernel attributes. */
#include "ir/llvm.h"
#include "targets/gpu/gpu.h"
#include "targets/nvptx/nvptx.h"

#define ALWAYS TRI_MACHINE_ALWAYS
#define NEEDS TRI_MACHINE_NEEDS
#define PURE TRI_MACHINE_PURE
#define CONVERGENT TRI_MACHINE_CONVERGENT
#define MEMORY TRI_MACHINE_MEMORY
#define NORETURN TRI_MACHINE_NORETURN
/* No branch: products of warp groups may be under way, which ptxas would end in front of one. */
static LLVMValueRef copy_if(tri_gpu *g, const char *text, LLVMValueRef *args)
{
    LLVMValueRef operands[] = {LLVMBuildPtrToInt(g->b, args[0], g->i32, ""), args[1], args[2], args[3]};
    return tri_machine_call_asm(g, text, "r,l,r,b", LLVMVoidTypeInContext(g->llvm), operands, 4, MEMORY);
}

static LLVMValueRef copy_if_4(tri_gpu *g, LLVMValueRef *args)
{
    return copy_if(g, "@$3 cp.async.ca.shared.global [$0], [$1], 4, $2;", args);
}

static LLVMValueRef copy_if_8(tri_gpu *g, LLVMValueRef *args)
{
    return copy_if(g, "@$3 cp.async.ca.shared.global [$0], [$1], 8, $2;", args);
}

static LLVMValueRef copy_if_16(tri_gpu *g, LLVMValueRef *args)
{
    return copy_if(g, "@$3 cp.async.cg.shared.global [$0], [$1], 16, $2;", args);
}

/* No branch either: in a loop around such a loop ptxas would take warps to run apart behind it, and keep what is the
 * same for a warp in registers of its threads, which products' descriptors have to leave again. */
static LLVMValueRef arrive_if(tri_gpu *g, LLVMValueRef *args)
{
    LLVMValueRef operands[] = {LLVMBuildPtrToInt(g->b, args[0], g->i32, ""), args[1], args[2]};
    return tri_machine_call_asm(g, "@$2 mbarrier.arrive.shared.b64 _, [$0], $1;", "r,r,b",
                                LLVMVoidTypeInContext(g->llvm), operands, 3, MEMORY);
}

static const tri_machine_row rows[TRI_NVPTX_END] = {
#define ROW(name, how, ...) [TRI_MACHINE_##name] = TRI_MACHINE_ROW_##how(__VA_ARGS__),
#define OWN(name, signature, how, ...) [TRI_NVPTX_##name] = TRI_MACHINE_ROW_##how(__VA_ARGS__),
#include "targets/nvptx/primitives.def"
};

static const tri_machine_primitive own[] = {
#define OWN(name, signature, ...) {#name, signature},
#include "targets/nvptx/primitives.def"
};

static const tri_gpu_op *const ops[] = {tri_nvptx_ops_mma, tri_nvptx_ops_wgmma, tri_nvptx_ops_tma,
                                        tri_nvptx_ops_halves, NULL};

static void kernel_attributes(tri_gpu *g, LLVMValueRef function)
{
    tri_llvm_set_attribute(function, "nvvm.reqntid", tri_str_format(g->arena, "%d", g->num_warps * g->warp_size).data);
    if (g->num_ctas > 1)
        tri_llvm_set_attribute(function, "nvvm.cluster_dim", tri_str_format(g->arena, "%d,1,1", g->num_ctas).data);
    size_t len = 0;
    const char *name = LLVMGetValueName2(function, &len);
    int maxnreg = tri_gpu_maxnreg(g, (tri_str){name, len});
    if (maxnreg <= 0 && g->num_warps > g->default_warps) /* what setmaxnreg counts from */
        maxnreg = (int)tri_op_int(mlirModuleGetOperation(g->unit->module), "ttg.maxnreg", 0);
    if (maxnreg > 0)
        tri_llvm_set_attribute(function, "nvvm.maxnreg", tri_str_format(g->arena, "%d", maxnreg).data);
}

/* The kernel has the maps in its parameters' memory. */
static void set_maps_attributes(tri_gpu *g, LLVMValueRef function, unsigned param, int count)
{
    enum { BYTES = 128, ALIGNMENT = 64 };
    static const char constant[] = "nvvm.grid_constant";
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5), align = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMTypeRef type = LLVMArrayType2(g->i8, (uint64_t)count * BYTES);
    LLVMAddAttributeAtIndex(function, param + 1, LLVMCreateTypeAttribute(g->llvm, byval, type));
    LLVMAddAttributeAtIndex(function, param + 1, LLVMCreateEnumAttribute(g->llvm, align, ALIGNMENT));
    LLVMAddAttributeAtIndex(function, param + 1,
                            LLVMCreateStringAttribute(g->llvm, constant, sizeof constant - 1, "", 0));
}

const tri_machine tri_nvptx_machine = {
    .rows = rows,
    .own = own,
    .num_own = sizeof own / sizeof *own,
    .ops = ops,
    .kernel_convention = 71, /* ptx_kernel */
    .function_convention = 0,
    .triple = "nvptx64-nvidia-cuda",
    .data_layout = "e-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64",
    .library_prefix = "__nv_",
    .link = tri_nvptx_link,
    .scopes = {"", "device", "block", ""},
    .shared_is_dynamic = true,
    .packed_bits = 8,
    .shared_reader = "ttng.warp_group_dot",
    .shared_reader_layout = TRI_ENC_NVMMA_SHARED,
    .kernel_attributes = kernel_attributes,
    .maps_attributes = set_maps_attributes,
    .load = tri_nvptx_load,
    .store = tri_nvptx_store,
    .update = tri_nvptx_update,
    .load_rows = tri_nvptx_load_rows,
    .store_rows = tri_nvptx_store_rows,
    .assemble = tri_nvptx_assemble_source,
};
