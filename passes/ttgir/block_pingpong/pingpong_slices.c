/* Parts of a product along K, each with reads of its own. */
#include "passes/ttgir/block_pingpong/pingpong.h"

#include "ir/type.h"
#include "passes/analysis/dots.h"

enum { LEAST = 16 /* of K, in one part: fewer would not fill an instruction */ };

/* The read that an operand is, as it is. */
static MlirOperation read_of(MlirOperation dot, int operand)
{
    MlirOperation read = tri_op_def(tri_op_operand(dot, operand));
    bool is_plain = !mlirOperationIsNull(read) && tri_op_is(read, "ttg.local_load") &&
                    mlirOperationGetNumOperands(read) == 1 && tri_dots_has_one_use(tri_op_result(read, 0));
    return is_plain ? read : (MlirOperation){NULL};
}

static MlirOperation read_part(tri_builder *b, MlirOperation read, int k_dim, int64_t first, int64_t count)
{
    MlirType whole = mlirValueGetType(tri_op_result(read, 0));
    int64_t shape[TRI_MAX_RANK];
    int rank = tri_dots_shape(whole, shape);
    shape[k_dim] = count;
    MlirValue part = tri_dots_buffer_part(b, tri_op_operand(read, 0), k_dim, first, count);
    MlirType type = tri_type_tensor(rank, shape, tri_type_element(whole), tri_type_encoding(whole));
    MlirValue made = tri_builder_unary(b, "ttg.local_load", type, part);
    return tri_op_def(made);
}

bool tri_pingpong_slice(tri_pingpong *p, MlirOperation dot, int count)
{
    MlirOperation read[2] = {read_of(dot, 0), read_of(dot, 1)};
    int64_t shape[TRI_MAX_RANK];
    int rank = tri_dots_shape(mlirValueGetType(tri_op_operand(dot, 0)), shape);
    int64_t depth = shape[rank - 1];
    if (mlirOperationIsNull(read[0]) || mlirOperationIsNull(read[1]) || rank != 2 || depth % count ||
        depth / count < LEAST)
        return false;
    tri_builder b = tri_builder_before(dot);
    MlirValue sum = tri_op_operand(dot, 2);
    for (int i = 0; i < count; i++) {
        MlirValue from[3], to[3];
        for (int k = 0; k < 2; k++) {
            MlirOperation part = read_part(&b, read[k], 1 - k, i * (depth / count), depth / count);
            tri_vec_push(p->arena, &p->sliced_reads[k], part);
            from[k] = tri_op_operand(dot, k);
            to[k] = tri_op_result(part, 0);
        }
        from[2] = tri_op_operand(dot, 2);
        to[2] = sum;
        MlirOperation made = tri_op_clone(&b, dot, 3, from, to);
        tri_vec_push(p->arena, &p->sliced_dots, made);
        sum = tri_op_result(made, 0);
    }
    tri_op_replace(dot, 1, &sum);
    for (int k = 0; k < 2; k++)
        mlirOperationDestroy(read[k]);
    return true;
}
