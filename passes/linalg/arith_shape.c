/* Views and tables: shapes, slices, transposition, gather. */
#include "passes/linalg/arith.h"

#include "ir/op.h"
#include "ir/type.h"

static MlirType type_of(MlirOperation op) { return mlirValueGetType(tri_op_result(op, 0)); }

bool tri_arith_reshape(tri_builder *b, MlirOperation op)
{
    MlirValue value = tri_build_reshape(b, tri_op_operand(op, 0), type_of(op));
    tri_op_replace(op, 1, &value);
    return true;
}

static void yield_first(tri_builder *inner)
{
    MlirValue element = mlirBlockGetArgument(inner->block, 0);
    tri_build_yield(inner, "linalg.yield", 1, &element);
}

/* The dimensions that grow are dropped first, and then inserted. */
bool tri_arith_broadcast(tri_builder *b, MlirOperation op)
{
    MlirType to = type_of(op), from = mlirValueGetType(tri_op_operand(op, 0));
    int64_t kept[TRI_MAX_RANK], grown[TRI_MAX_RANK];
    int num_kept = 0, num_grown = 0;
    for (int d = 0; d < tri_type_rank(to); d++) {
        if (tri_type_dim(from, d) == tri_type_dim(to, d))
            kept[num_kept++] = tri_type_dim(to, d);
        else
            grown[num_grown++] = d;
    }
    tri_builder inner;
    MlirType small = tri_type_tensor(num_kept, kept, tri_type_element(to), (MlirAttribute){NULL});
    MlirValue source = tri_build_reshape(b, tri_op_operand(op, 0), small), empty = tri_build_empty(b, to);
    tri_attr dims = {"dimensions", tri_build_i64s(b->context, num_grown, grown)};
    MlirOperation made = tri_build_linalg(b, "linalg.broadcast", 1, &source, 1, &empty, dims, &inner);
    yield_first(&inner);
    MlirValue value = tri_op_result(made, 0);
    tri_op_replace(op, 1, &value);
    return true;
}

bool tri_arith_transpose(tri_builder *b, MlirOperation op)
{
    int32_t order[TRI_MAX_RANK];
    int64_t permutation[TRI_MAX_RANK];
    int n = tri_op_i32s(op, "order", order, TRI_MAX_RANK);
    for (int d = 0; d < n; d++)
        permutation[d] = order[d];
    tri_builder inner;
    MlirValue source = tri_op_operand(op, 0), empty = tri_build_empty(b, type_of(op));
    tri_attr attr = {"permutation", tri_build_i64s(b->context, n, permutation)};
    MlirOperation made = tri_build_linalg(b, "linalg.transpose", 1, &source, 1, &empty, attr, &inner);
    yield_first(&inner);
    MlirValue value = tri_op_result(made, 0);
    tri_op_replace(op, 1, &value);
    return true;
}

/* The slice of `whole` at position i of its last dimension, of size 2. */
static tri_build_box half(MlirType whole, int i)
{
    tri_build_box box = tri_build_whole(whole);
    box.offset[box.rank - 1] = tri_build_number(i);
    box.size[box.rank - 1] = tri_build_number(1);
    return box;
}

bool tri_arith_join(tri_builder *b, MlirOperation op)
{
    MlirType type = type_of(op);
    MlirValue value = tri_build_empty(b, type);
    for (int i = 0; i < 2; i++) {
        tri_build_box box = half(type, i);
        value = tri_build_insert_slice(b, tri_op_operand(op, i), value, &box);
    }
    tri_op_replace(op, 1, &value);
    return true;
}

bool tri_arith_split(tri_builder *b, MlirOperation op)
{
    MlirValue source = tri_op_operand(op, 0), values[2];
    MlirType from = mlirValueGetType(source);
    int64_t shape[TRI_MAX_RANK];
    int rank = tri_type_rank(from) - 1;
    for (int d = 0; d < rank; d++)
        shape[d] = tri_type_dim(from, d);
    for (int i = 0; i < 2; i++) {
        tri_build_box box = half(from, i);
        values[i] = tri_build_extract_slice(b, source, &box, rank, shape);
    }
    if (!rank)
        for (int i = 0; i < 2; i++)
            values[i] = tri_build_extract(b, values[i], 0, NULL);
    tri_op_replace(op, 2, values);
    return true;
}

bool tri_arith_cat(tri_builder *b, MlirOperation op)
{
    MlirType type = type_of(op);
    MlirValue value = tri_build_empty(b, type);
    for (int i = 0; i < 2; i++) {
        tri_build_box box = tri_build_whole(mlirValueGetType(tri_op_operand(op, i)));
        box.offset[0] = tri_build_number(i * tri_type_dim(type, 0) / 2);
        value = tri_build_insert_slice(b, tri_op_operand(op, i), value, &box);
    }
    tri_op_replace(op, 1, &value);
    return true;
}

bool tri_arith_gather(tri_builder *b, MlirOperation op)
{
    tri_builder inner;
    MlirValue source = tri_op_operand(op, 0), indices = tri_op_operand(op, 1), at[TRI_MAX_RANK];
    MlirType type = type_of(op);
    MlirValue empty = tri_build_empty(b, type);
    MlirOperation generic = tri_build_generic(b, 1, &indices, NULL, 1, &empty, &inner);
    int axis = (int)tri_op_int(op, "axis", 0), rank = tri_type_rank(type);
    for (int d = 0; d < rank; d++)
        at[d] = d == axis ? tri_build_to_index(&inner, mlirBlockGetArgument(inner.block, 0))
                          : tri_build_linalg_index(&inner, d);
    MlirValue element = tri_build_extract(&inner, source, rank, at);
    tri_build_yield(&inner, "linalg.yield", 1, &element);
    MlirValue value = tri_op_result(generic, 0);
    tri_op_replace(op, 1, &value);
    return true;
}

bool tri_arith_unsplat(tri_builder *b, MlirOperation op)
{
    MlirValue source = tri_op_operand(op, 0), at[TRI_MAX_RANK];
    int rank = tri_type_rank(mlirValueGetType(source));
    for (int d = 0; d < rank; d++)
        at[d] = tri_build_index(b, tri_build_number(0));
    MlirValue value = tri_build_extract(b, source, rank, at);
    tri_op_replace(op, 1, &value);
    return true;
}
