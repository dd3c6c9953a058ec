/* Constants, splat, make_range, program ids. */
#include "ir/type.h"
#include "targets/gpu/fp8.h"
#include "targets/gpu/gpu.h"

#include "mlir-c/BuiltinAttributes.h"

/* A scalar attribute as an LLVM constant; null when it is none. */
static LLVMValueRef constant(tri_gpu *g, MlirAttribute attr, MlirType scalar)
{
    LLVMTypeRef type = tri_gpu_type(g, scalar);
    if (mlirAttributeIsAInteger(attr)) {
        if (mlirTypeIsAIndex(scalar) || tri_type_bits(scalar) > 1)
            return LLVMConstInt(type, (uint64_t)mlirIntegerAttrGetValueInt(attr), true);
        return LLVMConstInt(type, mlirIntegerAttrGetValueInt(attr) != 0, false);
    }
    if (mlirAttributeIsABool(attr))
        return LLVMConstInt(type, mlirBoolAttrGetValue(attr), false);
    if (!mlirAttributeIsAFloat(attr))
        return NULL;
    double value = mlirFloatAttrGetValueDouble(attr);
    if (tri_gpu_is_narrow(g, scalar)) /* exact: the value is one of the type's */
        return tri_gpu_to_narrow(g, scalar, LLVMConstReal(g->f32, value), false);
    return LLVMConstReal(type, value);
}

/* The raw little-endian element i of a dense constant. */
static LLVMValueRef dense_element(tri_gpu *g, MlirAttribute attr, MlirType scalar, int64_t i)
{
    unsigned bits = tri_type_bits(scalar);
    LLVMTypeRef type = tri_gpu_type(g, scalar);
    bool is_splat = mlirDenseElementsAttrIsSplat(attr);
    uint64_t value = 0;
    if (bits == 1) {
        value = is_splat ? mlirDenseElementsAttrGetBoolSplatValue(attr) != 0
                         : mlirDenseElementsAttrGetBoolValue(attr, (intptr_t)i);
    } else {
        size_t bytes = bits / 8;
        memcpy(&value, (const char *)mlirDenseElementsAttrGetRawData(attr) + (is_splat ? 0 : (size_t)i * bytes), bytes);
    }
    LLVMValueRef as_int = LLVMConstInt(LLVMIntTypeInContext(g->llvm, bits), value, false);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? as_int : LLVMConstBitCast(as_int, type);
}

/* Element number (row-major) that register r holds when every thread holds the same; -1 otherwise. */
static int64_t uniform_element(tri_gpu_layout *layout, int r, MlirType tensor)
{
    const tri_linear *l = &layout->linear;
    for (int in = 0; in < l->in.count; in++) {
        if (l->in.dim[in] == TRI_DIM_REGISTER)
            continue;
        for (int bit = 0; bit < l->in.bits[in]; bit++)
            if (l->basis[in][bit])
                return -1;
    }
    uint64_t packed = tri_linear_apply_one(l, TRI_DIM_REGISTER, (uint64_t)r);
    int64_t element = 0;
    for (int d = 0; d < tri_type_rank(tensor); d++)
        element = element * tri_type_dim(tensor, d) + tri_linear_coord(l, packed, (tri_dim)(TRI_DIM_0 + d));
    return element;
}

static bool run_constant(tri_gpu *g, MlirOperation op)
{
    MlirValue result = mlirOperationGetResult(op, 0);
    MlirType type = mlirValueGetType(result), scalar = tri_type_element(type);
    MlirAttribute attr = tri_op_attr(op, "value");
    if (!tri_type_is_tensor(type)) {
        LLVMValueRef value = constant(g, attr, scalar);
        if (!value)
            return tri_gpu_unsupported(g, op, "only numbers and tensors of numbers can be constants");
        tri_gpu_set(g, result, tri_gpu_single(g, value));
        return true;
    }
    tri_gpu_layout *layout = tri_gpu_layout_of(g, op, type);
    if (!layout)
        return false;
    if (!mlirAttributeIsADenseElements(attr))
        return tri_gpu_unsupported(g, op, "only numbers and tensors of numbers can be constants");
    bool is_splat = mlirDenseElementsAttrIsSplat(attr);
    tri_gpu_value out = tri_gpu_new(g, layout->registers);
    for (int r = 0; r < out.count; r++) {
        int64_t element = is_splat ? 0 : uniform_element(layout, r, type);
        if (element < 0)
            return tri_gpu_unsupported(
                g, op,
                "its elements differ between threads; load them from memory, or compute them from tt.make_range");
        out.at[r] = dense_element(g, attr, scalar, element);
    }
    tri_gpu_set(g, result, out);
    return true;
}

static bool run_splat(tri_gpu *g, MlirOperation op)
{
    MlirValue result = mlirOperationGetResult(op, 0);
    LLVMValueRef value = tri_gpu_operand(g, op, 0).at[0];
    tri_gpu_layout *layout = tri_gpu_layout_of(g, op, mlirValueGetType(result));
    if (!layout)
        return false;
    tri_gpu_value out = tri_gpu_new(g, layout->registers);
    for (int r = 0; r < out.count; r++)
        out.at[r] = value;
    tri_gpu_set(g, result, out);
    return true;
}

static bool run_make_range(tri_gpu *g, MlirOperation op)
{
    MlirValue result = mlirOperationGetResult(op, 0);
    tri_gpu_layout *layout = tri_gpu_layout_of(g, op, mlirValueGetType(result));
    if (!layout)
        return false;
    int64_t start = tri_op_int(op, "start", 0);
    tri_gpu_value out = tri_gpu_new(g, layout->registers);
    for (int r = 0; r < out.count; r++) {
        out.at[r] = tri_gpu_coordinate(g, layout, r, 0);
        if (start)
            out.at[r] = LLVMBuildNSWAdd(g->b, out.at[r], tri_gpu_i32(g, start), "");
    }
    tri_gpu_set(g, result, out);
    return true;
}

static LLVMValueRef program_id(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)a;
    return tri_gpu_program_id(g, (int)tri_op_int(op, "axis", 0));
}

static LLVMValueRef num_programs(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    (void)a;
    return tri_gpu_num_programs(g, (int)tri_op_int(op, "axis", 0));
}

static bool run_poison(tri_gpu *g, MlirOperation op)
{
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    tri_gpu_value out = tri_gpu_new(g, tri_gpu_count(g, type));
    for (int i = 0; i < out.count; i++)
        out.at[i] = LLVMGetPoison(tri_gpu_part_type(g, type, i));
    tri_gpu_set_result(g, op, 0, out);
    return true;
}

const tri_gpu_op tri_gpu_ops_creation[] = {
    {"arith.constant", run_constant, NULL},
    {"tt.splat", run_splat, NULL},
    {"tt.make_range", run_make_range, NULL},
    {"tt.get_program_id", NULL, program_id},
    {"tt.get_num_programs", NULL, num_programs},
    {"ub.poison", run_poison, NULL},
    {0},
};
