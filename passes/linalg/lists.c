#include "passes/linalg/lists.h"

#include "ir/op.h"
#include "ir/type.h"

static MlirType list_of(MlirType element, int64_t size)
{
    return tri_type_tensor(1, &size, element, (MlirAttribute){NULL});
}

MlirValue tri_lists_range(tri_builder *b, int64_t size)
{
    MlirType i32 = list_of(mlirIntegerTypeGet(b->context, 32), size);
    MlirType i64 = list_of(mlirIntegerTypeGet(b->context, 64), size);
    tri_attr attrs[] = {{"start", tri_attr_i32(b->context, 0)}, {"end", tri_attr_i32(b->context, (int32_t)size)}};
    MlirValue range = tri_builder_value(
        b, &(tri_op){.name = "tt.make_range", .num_results = 1, .results = &i32, .num_attrs = 2, .attrs = attrs});
    return tri_builder_unary(b, "arith.extsi", i64, range);
}

MlirValue tri_lists_splat_to(tri_builder *b, MlirType block, MlirValue scalar)
{
    return tri_builder_unary(b, "tt.splat", tri_type_with_element(block, mlirValueGetType(scalar)), scalar);
}

MlirValue tri_lists_splat(tri_builder *b, int64_t size, MlirValue number)
{
    return tri_lists_splat_to(b, list_of(mlirValueGetType(number), size), number);
}

MlirValue tri_lists_spread(tri_builder *b, MlirValue list, int d, MlirType block)
{
    MlirType element = tri_type_element(mlirValueGetType(list));
    int64_t shape[TRI_MAX_RANK] = {tri_type_dim(block, d)};
    int rank = 1;
    for (int other = 0; other < tri_type_rank(block); other++) {
        if (other == d)
            continue;
        int axis = other < d ? 0 : rank;
        for (int i = rank; i > axis; i--)
            shape[i] = shape[i - 1];
        shape[axis] = 1;
        MlirType type = tri_type_tensor(++rank, shape, element, (MlirAttribute){NULL});
        tri_attr attr = {"axis", tri_attr_i32(b->context, axis)};
        list = tri_builder_value(b, &(tri_op){.name = "tt.expand_dims", .num_operands = 1, .operands = &list,
                                              .num_results = 1, .results = &type, .num_attrs = 1, .attrs = &attr});
    }
    MlirType whole = tri_type_with_element(block, element);
    return mlirTypeEqual(whole, mlirValueGetType(list)) ? list : tri_builder_unary(b, "tt.broadcast", whole, list);
}

MlirValue tri_lists_emit(tri_builder *b, tri_pointers *pointers, const tri_sum *sum)
{
    return tri_sum_emit(tri_pointers_sums(pointers), b, sum, mlirIntegerTypeGet(b->context, 64));
}

static bool is_plain_block(MlirOperation op)
{
    MlirType type = tri_pointers_is_access(op) ? mlirValueGetType(tri_op_operand(op, 0)) : (MlirType){NULL};
    return type.ptr && tri_type_is_tensor(type) && tri_type_is_ptr(tri_type_element(type)) &&
           mlirAttributeIsNull(tri_type_encoding(type));
}

void tri_lists_each_access(tri_arena *arena, MlirModule module, tri_lists_fn rewrite)
{
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(module), "tt.func", arena, &funcs);
    for (size_t f = 0; f < funcs.len; f++) {
        tri_op_list ops = {0};
        TRI_VEC(tri_access) accesses = {0};
        tri_pointers *pointers = tri_pointers_create(arena);
        tri_op_collect(funcs.at[f], arena, &ops);
        for (size_t i = 0; i < ops.len; i++) {
            tri_access access = {0};
            if (is_plain_block(ops.at[i]))
                tri_pointers_access(pointers, ops.at[i], &access);
            tri_vec_push(arena, &accesses, access);
        }
        for (size_t i = 0; i < ops.len; i++)
            if (is_plain_block(ops.at[i]))
                rewrite(pointers, ops.at[i], &accesses.at[i]);
    }
}
