/* Parameters of kernels that came as IR without facts. */
#include "ir/kernel.h"

#include "ir/op.h"
#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"

static const char *scalar_name(MlirType type)
{
    static const char *const ints[] = {"i1", "i8", "i16", "i32", "i64"};
    if (mlirTypeIsAF32(type))
        return "fp32";
    if (mlirTypeIsAF64(type))
        return "fp64";
    if (mlirTypeIsAF16(type))
        return "fp16";
    if (mlirTypeIsABF16(type))
        return "bf16";
    if (mlirTypeIsAFloat8E4M3FN(type))
        return "fp8e4nv";
    if (mlirTypeIsAFloat8E5M2(type))
        return "fp8e5";
    if (mlirTypeIsAFloat8E4M3FNUZ(type))
        return "fp8e4b8";
    if (mlirTypeIsAFloat8E5M2FNUZ(type))
        return "fp8e5b16";
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        if (tri_type_is_int_of(type, i ? 4u << i : 1u))
            return ints[i];
    return "unknown";
}

static tri_str type_name(tri_arena *arena, MlirType type)
{
    if (!tri_type_is_ptr(type))
        return tri_str_from(scalar_name(type));
    return tri_str_format(arena, "*%s", scalar_name(tri_type_ptr_pointee(type)));
}

static tri_str name_of(tri_arena *arena, MlirValue arg, intptr_t index)
{
    MlirLocation loc = mlirValueGetLocation(arg);
    if (mlirLocationIsAName(loc)) {
        MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(loc));
        return tri_str_copy(arena, (tri_str){name.data, name.length});
    }
    return tri_str_format(arena, "arg%d", (int)index);
}

static int32_t number_of(MlirOperation func, intptr_t index, const char *name)
{
    MlirAttribute all = tri_op_attr(func, "arg_attrs");
    if (mlirAttributeIsNull(all) || index >= mlirArrayAttrGetNumElements(all))
        return 0;
    MlirAttribute own = mlirArrayAttrGetElement(all, index);
    MlirAttribute d = mlirDictionaryAttrGetElementByName(own, mlirStringRefCreateFromCString(name));
    return mlirAttributeIsNull(d) || !mlirAttributeIsAInteger(d) ? 0 : (int32_t)mlirIntegerAttrGetValueInt(d);
}

void tri_kernel_params_from_func(tri_arena *arena, MlirOperation func, tri_kernel *kernel)
{
    MlirBlock body = tri_op_body(func, 0);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
        MlirValue arg = mlirBlockGetArgument(body, i);
        tri_kernel_param p = {.name = name_of(arena, arg, i), .type = type_name(arena, mlirValueGetType(arg))};
        p.divisibility = number_of(func, i, "tt.divisibility");
        p.is_small = number_of(func, i, "tt.pointer_range") == 32;
        tri_vec_push(arena, &kernel->params, p);
    }
}
