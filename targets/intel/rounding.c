/* Division and square root that are rounded correctly. OpenCL's own are so only where the whole module is compiled to
 * be, which makes a hundred instructions of every division; Intel's compilers have functions of their own for one. */
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
    LLVMValueRef y = tri_intel_call(g, name, g->f32, wide, count);
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

const tri_gpu_op tri_intel_ops_rounding[] = {
    {"tt.precise_divf", NULL, divide_rounded},
    {"tt.precise_sqrt", NULL, root_rounded},
    {0},
};
