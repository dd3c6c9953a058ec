#include "passes/ttgir/accelerate_matmul/missed.h"

#include "ir/location.h"
#include "ir/op.h"
#include "ir/type.h"

static const char *element_name(tri_arena *arena, MlirType element)
{
    if (tri_type_bits(element) == 8 && tri_type_is_float(element))
        return "float8";
    if (tri_type_is_float(element))
        return mlirTypeIsABF16(element) ? "bfloat16"
               : mlirTypeIsAF16(element) ? "float16"
               : mlirTypeIsAF32(element) ? "float32"
                                         : "float64";
    return tri_str_format(arena, "int%u", tri_type_bits(element)).data;
}

static const char *what_has_one(MlirType element, const char *tf32)
{
    if (mlirTypeIsAF64(element) && tf32)
        return "float32 with input_precision='tf32x3' has one, where that is exact enough";
    if (mlirTypeIsAF64(element) || mlirTypeIsAF32(element))
        return "float16 and bfloat16 with sums in float32 have one, where that is exact enough";
    return tri_type_is_float(element) ? "sums of such numbers are in float32 (out_dtype, acc)"
                                      : "int8 with sums in int32 has one, and float16, where the numbers fit";
}

void tri_missed_product(tri_pass_run *run, MlirOperation dot, int64_t least_depth, const char *tf32)
{
    static const char none[] = "no matrix instruction";
    MlirType a = tri_type_element(mlirValueGetType(tri_op_operand(dot, 0)));
    MlirType b = tri_type_element(mlirValueGetType(tri_op_operand(dot, 1)));
    MlirType d = tri_type_element(mlirValueGetType(tri_op_result(dot, 0)));
    tri_diag *diag = run->unit->diag;
    tri_span at = tri_op_span(diag, dot);
    const char *names[] = {element_name(run->arena, a), element_name(run->arena, b), element_name(run->arena, d)};
    if (least_depth)
        tri_diag_missed(diag, at, "dot",
                        "%s: K is less than %lld; a block of so many along K, zeros where it ends, has one", none,
                        (long long)least_depth);
    else if (mlirTypeIsAF32(a) && mlirTypeIsAF32(d) && tf32)
        tri_diag_missed(diag, at, "dot", "%s: input_precision 'ieee' of float32; %s", none, tf32);
    else if (!mlirTypeEqual(a, b))
        tri_diag_missed(diag, at, "dot", "%s: none multiplies %s by %s; cast one to the other's type", none, names[0],
                        names[1]);
    else
        tri_diag_missed(diag, at, "dot", "%s: none here multiplies %s with sums in %s; %s", none, names[0], names[2],
                        what_has_one(a, tf32));
}
