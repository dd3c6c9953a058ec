#include "targets/values.h"

#include "ir/machines.h"
#include "ir/op.h"
#include "ir/type.h"

#include "mlir-c/BuiltinTypes.h"

enum { max_bits = 128, max_float_bits = 64 };
static const int64_t max_elements = 1 << 20; /* of a block, as in the language */

static bool is_ours(MlirType type)
{
    static const char *const dialects[] = {"tt", "ttg", "ttng", "amdg", "ttig"};
    MlirStringRef name = mlirDialectGetNamespace(mlirTypeGetDialect(type));
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
        if (tri_str_is((tri_str){name.data, name.length}, dialects[i]))
            return true;
    return false;
}

static const char *mistake_in_element(MlirType type, bool in_block)
{
    if (in_block && !tri_type_is_ptr(type) && is_ours(type))
        return "blocks are of numbers and pointers";
    if (tri_type_is_ptr(type))
        type = tri_type_ptr_pointee(type);
    if (tri_type_is_int(type))
        return tri_type_bits(type) < 1 || tri_type_bits(type) > max_bits ? "integers have 1 to 128 bits" : NULL;
    if (tri_type_is_float(type))
        return tri_type_bits(type) > max_float_bits ? "floats have at most 64 bits" : NULL;
    return mlirTypeIsAIndex(type) || is_ours(type) ? NULL : "no value has a type like this";
}

static const char *mistake_in_shape(tri_unit *unit, MlirType type)
{
    int64_t count = 1;
    if (tri_type_rank(type) > TRI_MAX_RANK)
        return tri_str_format(unit->arena, "a block of more than %d dimensions; this one has %d", TRI_MAX_RANK,
                              tri_type_rank(type)).data;
    for (int d = 0; d < tri_type_rank(type); d++) {
        int64_t size = tri_type_dim(type, d);
        if (size < 1 || (size & (size - 1)))
            return "each dimension of a block is a power of two";
        if (size > max_elements || (count *= size) > max_elements)
            return "a block has at most 1048576 elements";
    }
    return NULL;
}

static const char *mistake_in(tri_unit *unit, MlirType type)
{
    const char *mistake = tri_type_is_tensor(type) ? mistake_in_shape(unit, type) : NULL;
    return mistake ? mistake : mistake_in_element(tri_type_element(type), tri_type_is_tensor(type));
}

static const char *mistake_of(tri_unit *unit, MlirOperation op)
{
    const char *mistake = NULL;
    if (tri_op_is(op, "triton_gen.split_barrier_arrive")) /* its result stands for the barrier, and is in no register */
        return NULL;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && !mistake; i++)
        mistake = mistake_in(unit, mlirValueGetType(mlirOperationGetResult(op, i)));
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
             !mlirBlockIsNull(block) && !mistake; block = mlirBlockGetNextInRegion(block))
            for (intptr_t i = 0; i < mlirBlockGetNumArguments(block) && !mistake; i++)
                mistake = mistake_in(unit, mlirValueGetType(mlirBlockGetArgument(block, i)));
    return mistake;
}

bool tri_values_check(tri_unit *unit)
{
    tri_op_list ops = {0};
    tri_op_collect(mlirModuleGetOperation(unit->module), unit->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        const char *mistake = mistake_of(unit, ops.at[i]);
        if (mistake) {
            tri_op_error(unit->diag, ops.at[i], 6002, "'%.*s' cannot be lowered for '%s': %s",
                         TRI_STR_ARG(tri_op_name(ops.at[i])), unit->arch->name, mistake);
            return false;
        }
    }
    return true;
}
