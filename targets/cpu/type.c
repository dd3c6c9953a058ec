/* Element types, vectors and constants. */
#include "targets/cpu/cpu.h"

tri_cpu_type tri_cpu_type_of(tri_cpu_gen *g, MlirType type)
{
    (void)g;
    MlirType e = tri_type_element(type);
    if (tri_type_is_ptr(e))
        return (tri_cpu_type){TRI_CPU_PTR, 64};
    if (tri_type_is_desc(e))
        return (tri_cpu_type){TRI_CPU_DESC, 64};
    if (mlirTypeIsAF64(e))
        return (tri_cpu_type){TRI_CPU_F64, 64};
    if (mlirTypeIsAF32(e))
        return (tri_cpu_type){TRI_CPU_F32, 32};
    if (mlirTypeIsAF16(e))
        return (tri_cpu_type){TRI_CPU_F16, 16};
    if (mlirTypeIsABF16(e))
        return (tri_cpu_type){TRI_CPU_BF16, 16};
    if (mlirTypeIsAFloat8E4M3FN(e))
        return (tri_cpu_type){TRI_CPU_E4M3FN, 8};
    if (mlirTypeIsAFloat8E5M2(e))
        return (tri_cpu_type){TRI_CPU_E5M2, 8};
    if (mlirTypeIsAFloat8E4M3FNUZ(e))
        return (tri_cpu_type){TRI_CPU_E4M3FNUZ, 8};
    if (mlirTypeIsAFloat8E5M2FNUZ(e))
        return (tri_cpu_type){TRI_CPU_E5M2FNUZ, 8};
    if (mlirTypeIsAIndex(e))
        return (tri_cpu_type){TRI_CPU_INT, 64};
    return (tri_cpu_type){TRI_CPU_INT, tri_type_bits(e)};
}

LLVMTypeRef tri_cpu_llvm_type(tri_cpu_gen *g, tri_cpu_type type)
{
    switch (type.kind) {
    case TRI_CPU_PTR:
        return g->ptr;
    case TRI_CPU_DESC:
        return tri_cpu_desc_type(g);
    case TRI_CPU_F64:
        return g->f64;
    case TRI_CPU_F32:
        return g->f32;
    default:
        return LLVMIntTypeInContext(g->llvm, type.bits);
    }
}

LLVMTypeRef tri_cpu_memory_type(tri_cpu_gen *g, tri_cpu_type type)
{
    if (type.kind == TRI_CPU_INT && type.bits < 8)
        return g->i8;
    return tri_cpu_llvm_type(g, type);
}

LLVMTypeRef tri_cpu_vector(LLVMTypeRef element, int lanes)
{
    return lanes > 0 ? LLVMVectorType(element, (unsigned)lanes) : element;
}

LLVMValueRef tri_cpu_i64(tri_cpu_gen *g, int64_t value) { return LLVMConstInt(g->i64, (uint64_t)value, true); }

int tri_cpu_lanes_of(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? (int)LLVMGetVectorSize(type) : 0;
}

LLVMTypeRef tri_cpu_like(LLVMTypeRef element, LLVMValueRef shape)
{
    return tri_cpu_vector(element, tri_cpu_lanes_of(shape));
}

static LLVMTypeRef scalar_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static LLVMValueRef const_splat(LLVMTypeRef like, LLVMValueRef scalar)
{
    if (LLVMGetTypeKind(like) != LLVMVectorTypeKind)
        return scalar;
    LLVMValueRef lanes[TRI_CPU_MAX_LANES];
    unsigned n = LLVMGetVectorSize(like);
    TRI_ASSERT(n <= TRI_CPU_MAX_LANES);
    for (unsigned i = 0; i < n; i++)
        lanes[i] = scalar;
    return LLVMConstVector(lanes, n);
}

LLVMValueRef tri_cpu_const_like(LLVMTypeRef like, int64_t value)
{
    return const_splat(like, LLVMConstInt(scalar_of(like), (uint64_t)value, true));
}

LLVMValueRef tri_cpu_constf_like(LLVMTypeRef like, double value)
{
    return const_splat(like, LLVMConstReal(scalar_of(like), value));
}

LLVMValueRef tri_cpu_splat(tri_cpu_gen *g, LLVMValueRef scalar, int lanes)
{
    if (lanes <= 0)
        return scalar;
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), (unsigned)lanes);
    if (LLVMIsConstant(scalar))
        return const_splat(type, scalar);
    LLVMValueRef one = LLVMBuildInsertElement(g->b, LLVMGetPoison(type), scalar, tri_cpu_i64(g, 0), "");
    LLVMValueRef mask = LLVMConstNull(LLVMVectorType(g->i32, (unsigned)lanes));
    return LLVMBuildShuffleVector(g->b, one, LLVMGetPoison(type), mask, "");
}

LLVMValueRef tri_cpu_part(tri_cpu_gen *g, LLVMValueRef v, LLVMValueRef w, int from, int count)
{
    LLVMValueRef order[TRI_CPU_MAX_LANES];
    for (int i = 0; i < count; i++)
        order[i] = LLVMConstInt(g->i32, (uint64_t)(from + i), false);
    return LLVMBuildShuffleVector(g->b, v, w ? w : LLVMGetPoison(LLVMTypeOf(v)),
                                  LLVMConstVector(order, (unsigned)count), "");
}

LLVMValueRef tri_cpu_intrinsic(tri_cpu_gen *g, const char *name, LLVMTypeRef *overloads, int overload_count,
                               LLVMValueRef *args, int count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    TRI_ASSERT(id != 0);
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->module, id, overloads, (size_t)overload_count);
    LLVMTypeRef type = LLVMIntrinsicGetType(g->llvm, id, overloads, (size_t)overload_count);
    bool is_void = LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind;
    (void)is_void;
    return LLVMBuildCall2(g->b, type, fn, args, (unsigned)count, "");
}

LLVMValueRef tri_cpu_branch(tri_cpu_gen *g, LLVMValueRef cond, LLVMBasicBlockRef likely, LLVMBasicBlockRef rare)
{
    static const char name[] = "branch_weights";
    enum { often = 2000 };
    LLVMValueRef branch = LLVMBuildCondBr(g->b, cond, likely, rare);
    LLVMMetadataRef parts[3] = {LLVMMDStringInContext2(g->llvm, name, sizeof name - 1),
                                LLVMValueAsMetadata(LLVMConstInt(g->i32, often, false)),
                                LLVMValueAsMetadata(LLVMConstInt(g->i32, 1, false))};
    LLVMMetadataRef weights = LLVMMDNodeInContext2(g->llvm, parts, 3);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(g->llvm, "prof", 4), LLVMMetadataAsValue(g->llvm, weights));
    return branch;
}
