#include "passes/linalg/memory.h"

#include "ir/compare.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/linalg/calls.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdio.h>

bool tri_memory_is_address(MlirValue pointer)
{
    MlirOperation op = tri_op_def(pointer);
    return !mlirOperationIsNull(op) && tri_op_is(op, "tt.int_to_ptr") && tri_type_is_ptr(mlirValueGetType(pointer));
}

MlirValue tri_memory_at(tri_builder *b, MlirValue address, tri_build_size elements, MlirType pointee)
{
    MlirType memory = tri_build_memory_type(pointee);
    MlirType types[2] = {mlirValueGetType(address), tri_build_index_type(b->context)};
    MlirValue operands[2] = {address};
    intptr_t n = elements.value.ptr || elements.number ? 2 : 1;
    MlirType element = mlirShapedTypeGetElementType(memory);
    const char *kind = tri_type_is_float(element) ? mlirTypeIsABF16(element) ? "bf" : "f" : "i";
    char name[64];
    snprintf(name, sizeof name, "tritcc_memory_%s%u%s", kind, tri_type_bits(element),
             mlirTypeIsAFloat8E5M2(element) ? "e5m2" : mlirTypeIsAFloat8E4M3FN(element) ? "e4m3fn" : "");
    tri_str symbol = tri_str_from(name);
    MlirOperation inside = mlirBlockGetParentOperation(b->block);
    tri_calls_declare(b, inside, symbol, mlirFunctionTypeGet(b->context, n, types, 1, &memory), 0, NULL);
    if (n == 2)
        operands[1] = tri_build_index(b, elements);
    return tri_calls_call(b, symbol, memory, n, operands);
}

MlirValue tri_memory_address(tri_builder *b, MlirValue pointer)
{
    MlirType index = tri_build_index_type(b->context), i64 = mlirIntegerTypeGet(b->context, 64);
    MlirValue start =
        tri_builder_unary(b, "memref.extract_aligned_pointer_as_index", index, tri_memory_base(b, pointer));
    return tri_builder_unary(b, "arith.index_cast", i64, start);
}

MlirValue tri_memory_base(tri_builder *b, MlirValue pointer)
{
    MlirType pointee = tri_type_ptr_pointee(mlirValueGetType(pointer)), memory = tri_build_memory_type(pointee);
    if (tri_memory_is_address(pointer))
        return tri_memory_at(b, tri_op_operand(tri_op_def(pointer), 0), tri_build_number(0), pointee);
    return tri_builder_unary(b, "builtin.unrealized_conversion_cast", memory, pointer);
}

static unsigned bits_behind(MlirValue pointer)
{
    MlirType type = tri_type_element(mlirValueGetType(pointer));
    return tri_type_is_ptr(type) ? tri_type_bits(tri_build_element_in_memory(tri_type_ptr_pointee(type))) : 0;
}

void tri_memory_split_casts(tri_arena *arena, MlirOperation func)
{
    tri_op_list casts = {0};
    tri_op_collect_named(func, "tt.bitcast", arena, &casts);
    for (size_t i = 0; i < casts.len; i++) {
        MlirValue from = tri_op_operand(casts.at[i], 0), to = tri_op_result(casts.at[i], 0);
        if (bits_behind(from) == bits_behind(to))
            continue;
        tri_builder b = tri_builder_before(casts.at[i]);
        MlirType number = tri_type_with_element(mlirValueGetType(from), mlirIntegerTypeGet(b.context, 64));
        MlirValue address = tri_builder_unary(&b, "tt.ptr_to_int", number, from);
        MlirValue pointer = tri_builder_unary(&b, "tt.int_to_ptr", mlirValueGetType(to), address);
        tri_op_replace(casts.at[i], 1, &pointer);
    }
}

MlirValue tri_memory_to_memory(tri_builder *b, MlirValue value, MlirType element)
{
    MlirType from = tri_type_element(mlirValueGetType(value)),
             to = tri_type_with_element(mlirValueGetType(value), element);
    if (mlirTypeEqual(from, element))
        return value;
    if (!tri_type_is_int_of(from, 1))
        return tri_builder_unary(b, "arith.bitcast", to, value);
    MlirType byte = mlirIntegerTypeGet(b->context, 8);
    value = tri_builder_unary(b, "arith.extui", tri_type_with_element(to, byte), value);
    return mlirTypeEqual(byte, element) ? value : tri_builder_unary(b, "arith.bitcast", to, value);
}

MlirValue tri_memory_from_memory(tri_builder *b, MlirValue value, MlirType element)
{
    MlirType type = mlirValueGetType(value), from = tri_type_element(type);
    if (mlirTypeEqual(from, element))
        return value;
    if (!tri_type_is_int_of(element, 1))
        return tri_builder_unary(b, "arith.bitcast", tri_type_with_element(type, element), value);
    return tri_compare_make(b, TRI_CMP_NE, value, tri_builder_int(b, type, 0));
}

bool tri_memory_is_splat(MlirValue tensor)
{
    MlirOperation op = tri_op_def(tensor);
    if (mlirOperationIsNull(op))
        return false;
    if (tri_op_is(op, "tt.splat"))
        return true;
    MlirAttribute value = tri_op_is(op, "arith.constant") ? tri_op_attr(op, "value") : (MlirAttribute){NULL};
    return value.ptr && mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value);
}

MlirValue tri_memory_splat_scalar(tri_builder *b, MlirValue tensor)
{
    MlirOperation op = tri_op_def(tensor);
    if (!tri_memory_is_splat(tensor))
        return (MlirValue){NULL};
    if (tri_op_is(op, "tt.splat"))
        return tri_op_operand(op, 0);
    MlirType element = tri_type_element(mlirValueGetType(tensor));
    tri_attr attr = {"value", mlirDenseElementsAttrGetSplatValue(tri_op_attr(op, "value"))};
    return tri_builder_value(
        b, &(tri_op){.name = "arith.constant", .num_results = 1, .results = &element, .num_attrs = 1, .attrs = &attr});
}

void tri_memory_while(tri_builder *b, MlirValue first, tri_builder *before, tri_builder *inner)
{
    MlirType type = mlirValueGetType(first);
    MlirRegion regions[2];
    tri_builder *builders[2] = {before, inner};
    for (int r = 0; r < 2; r++) {
        MlirBlock block = mlirBlockCreate(1, &type, &b->loc);
        regions[r] = mlirRegionCreate();
        mlirRegionAppendOwnedBlock(regions[r], block);
        *builders[r] = tri_builder_at_end(block, b->loc);
    }
    tri_builder_create(b, &(tri_op){.name = "scf.while", .num_operands = 1, .operands = &first, .num_results = 1,
                                    .results = &type, .num_regions = 2, .regions = regions});
}
