/* Prefetches of what a tensor of pointers reads: each lane asks for what its accesses begin at, by a function of
 * Intel's compilers. OpenCL's own is dropped by those of 2022 without a word. The simulator has no cache. */
#include "ir/type.h"
#include "targets/gpu/access.h"
#include "targets/gpu/gpu.h"
#include "targets/intel/intel.h"

enum { EVERY_CACHE = 4, WIDEST = 128 }; /* how the compilers' own function spells it; bits of an access */

static void ask_for(tri_gpu *g, LLVMValueRef pointer)
{
    LLVMValueRef args[] = {pointer, tri_gpu_i32(g, 0), tri_gpu_i32(g, EVERY_CACHE)};
    tri_intel_call(g, "__builtin_IB_lsc_prefetch_global_uint", LLVMVoidTypeInContext(g->llvm), args, 3);
}

static bool run_prefetch(tri_gpu *g, MlirOperation op)
{
    MlirValue pointer = tri_op_operand(op, 0);
    bool is_masked = mlirOperationGetNumOperands(op) > 1;
    MlirValue mask = is_masked ? tri_op_operand(op, 1) : (MlirValue){NULL};
    int bits = (int)tri_type_bits(tri_type_ptr_pointee(tri_type_element(mlirValueGetType(pointer))));
    tri_gpu_groups groups;
    if (!tri_gpu_group_pointers(g, op, pointer, mask, bits, WIDEST, &groups))
        return false;
    if (g->simulate)
        return true;
    tri_gpu_value pointers = tri_gpu_operand(g, op, 0), masks = {0};
    if (is_masked)
        masks = tri_gpu_operand(g, op, 1);
    for (int i = 0; i < groups.count; i++) {
        int first = groups.reg[i * groups.vec];
        tri_gpu_if inside;
        if (is_masked)
            inside = tri_gpu_begin_if(g, masks.at[first]);
        ask_for(g, pointers.at[first]);
        if (is_masked)
            tri_gpu_end_if(g, inside);
    }
    return true;
}

const tri_gpu_op tri_intel_ops_prefetch[] = {
    {"ttig.prefetch", run_prefetch, NULL},
    {0},
};
