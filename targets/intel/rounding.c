/* What is rounded by functions that Intel's compilers have of their own: division and square root that are rounded
 * correctly, of which OpenCL's are so only where the whole module is compiled to be, with a hundred instructions for
 * every division; and conversions of bf16, which are moves of the machine, or read by the operation behind them.
 * OpenCL's own names for these become instructions of SPIR-V that compilers of 2022 do not read. */
#include "targets/intel/intel.h"

#include "ir/machines.h"

/* Other devices have no such functions; the host rounds correctly. */
static bool has_functions_rounding(const tri_gpu *g) { return !g->unit->arch->is_any_device && !g->simulate; }

static LLVMValueRef call_rounded(tri_gpu *g, const char *name, LLVMValueRef *a, int count)
{
    LLVMTypeRef type = LLVMTypeOf(a[0]);
    LLVMValueRef wide[2];
    for (int i = 0; i < count; i++)
        wide[i] = type == g->f32 ? a[i] : LLVMBuildFPExt(g->b, a[i], g->f32, "");
    LLVMValueRef y = tri_machine_call_named(g, name, g->f32, wide, count, TRI_MACHINE_PURE);
    return type == g->f32 ? y : LLVMBuildFPTrunc(g->b, y, type, "");
}

static bool is_wide_float(LLVMValueRef x) { return LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMDoubleTypeKind; }

static LLVMValueRef divide_rounded(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)op;
    return has_functions_rounding(g) && !is_wide_float(a[0]) ? call_rounded(g, "__builtin_IB_ieee_divide", a, 2)
                                                             : LLVMBuildFDiv(g->b, a[0], a[1], "");
}

static LLVMValueRef root_rounded(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)op;
    return has_functions_rounding(g) && !is_wide_float(a[0]) ? call_rounded(g, "__builtin_IB_ieee_sqrt", a, 1)
                                                             : tri_gpu_intrinsic_same(g, "llvm.sqrt", a, 1);
}

/* What one product hands another is narrowed by integers: IGC of 2022 keeps more of these chains in registers then. */
LLVMValueRef tri_intel_convert_bf16(tri_gpu *g, LLVMValueRef x)
{
    bool widens = LLVMTypeOf(x) == g->i16, is_chain = g->products > 1 && !widens;
    if (!has_functions_rounding(g) || is_chain || LLVMIsConstant(x))
        return NULL;
    return tri_machine_call_named(g, widens ? "__builtin_IB_bftof_1" : "__builtin_IB_ftobf_1", widens ? g->f32 : g->i16,
                                  &x, 1, TRI_MACHINE_PURE);
}

const tri_gpu_op tri_intel_ops_rounding[] = {
    {"tt.precise_divf", NULL, divide_rounded},
    {"tt.precise_sqrt", NULL, root_rounded},
    {0},
};
