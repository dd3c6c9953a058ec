#include "passes/analysis/dots.h"

#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "layout/plan.h"
#include "layout/plan.h"

int tri_dots_shape(MlirType type, int64_t *out_shape)
{
    tri_memdesc desc;
    if (tri_type_get_memdesc(type, &desc)) {
        memcpy(out_shape, desc.shape, sizeof desc.shape);
        return desc.rank;
    }
    int rank = tri_type_rank(type);
    for (int d = 0; d < rank; d++)
        out_shape[d] = tri_type_dim(type, d);
    return rank;
}

const tri_encoding *tri_dots_encoding(tri_arena *arena, MlirValue value)
{
    MlirType type = mlirValueGetType(value);
    MlirAttribute attr = tri_type_is_tensor(type) ? tri_type_encoding(type) : (MlirAttribute){NULL};
    return mlirAttributeIsNull(attr) ? NULL : tri_encoding_get(arena, attr);
}

bool tri_dots_linear(tri_arena *arena, MlirType tensor, tri_linear *out_layout)
{
    int64_t shape[TRI_MAX_RANK];
    MlirAttribute attr = tri_type_encoding(tensor);
    const tri_encoding *e = mlirAttributeIsNull(attr) ? NULL : tri_encoding_get(arena, attr);
    int rank = tri_dots_shape(tensor, shape);
    return e && tri_convert_to_linear(e, rank, shape, out_layout, NULL);
}

int64_t tri_dots_registers(tri_arena *arena, MlirType type)
{
    tri_linear layout;
    if (!tri_type_is_tensor(type) || tri_type_is_ptr(tri_type_element(type)) || !tri_dots_linear(arena, type, &layout))
        return 0;
    return (int64_t)tri_linear_in_size(&layout, TRI_DIM_REGISTER) * tri_type_bits(tri_type_element(type)) / 32;
}

MlirValue tri_dots_convert(tri_builder *b, MlirValue value, MlirAttribute encoding)
{
    MlirType type = mlirValueGetType(value);
    if (mlirAttributeEqual(tri_type_encoding(type), encoding))
        return value;
    return tri_builder_unary(b, "ttg.convert_layout", tri_type_with_encoding(type, encoding), value);
}

MlirValue tri_dots_cast(tri_builder *b, MlirValue value, MlirType element)
{
    MlirType from = mlirValueGetType(value), to = tri_type_with_element(from, element);
    if (mlirTypeEqual(from, to))
        return value;
    unsigned have = tri_type_bits(tri_type_element(from)), want = tri_type_bits(element);
    return tri_builder_unary(b, have == 8 ? "tt.fp_to_fp" : have < want ? "arith.extf" : "arith.truncf", to, value);
}

MlirValue tri_dots_make(tri_builder *b, const char *name, MlirOperation dot, const MlirValue operands[3], MlirType type)
{
    tri_attr attrs[] = {{"inputPrecision", tri_op_attr(dot, "inputPrecision")},
                        {"maxNumImpreciseAcc", tri_op_attr(dot, "maxNumImpreciseAcc")}};
    return tri_builder_value(b, &(tri_op){.name = name,
                                          .num_operands = 3,
                                          .operands = operands,
                                          .num_results = 1,
                                          .results = &type,
                                          .num_attrs = 2,
                                          .attrs = attrs});
}

MlirValue tri_dots_strip_converts(MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    while (!mlirOperationIsNull(def) && tri_op_is(def, "ttg.convert_layout")) {
        value = tri_op_operand(def, 0);
        def = tri_op_def(value);
    }
    return value;
}

bool tri_dots_needs_shared(tri_arena *arena, MlirType from, MlirType to)
{
    tri_linear a, b;
    return !tri_dots_linear(arena, from, &a) || !tri_dots_linear(arena, to, &b) ||
           tri_plan_convert_kind(&a, &b) >= TRI_CVT_SHARED;
}

MlirType tri_dots_buffer_type(tri_arena *arena, MlirType dot_tensor, const int64_t *shape, const int32_t *order,
                              bool need_trans)
{
    int rank = tri_type_rank(dot_tensor);
    MlirContext context = mlirTypeGetContext(dot_tensor);
    const tri_encoding *dot = tri_encoding_get(arena, tri_type_encoding(dot_tensor));
    int bits = (int)tri_type_bits(tri_type_element(dot_tensor));
    tri_encoding e = tri_convert_swizzle_for_dot(dot, rank, shape, order, bits, need_trans);
    tri_memdesc desc = {.rank = rank, .alloc_rank = rank, .element = tri_type_element(dot_tensor),
                        .encoding = tri_encoding_make(context, &e), .space = tri_encoding_shared_space(context)};
    for (int d = 0; d < rank; d++)
        desc.shape[d] = desc.alloc_shape[d] = shape[d];
    return tri_type_memdesc(&desc);
}

/* An operand as the product itself lays it out, `number` among those of the op: scales come behind A, B and the sum. */
static const tri_encoding *operand_of_product(tri_arena *arena, MlirOperation dot, MlirValue value, unsigned number)
{
    const tri_encoding *result = tri_dots_encoding(arena, tri_op_result(dot, 0));
    tri_linear linear;
    bool is_matrix = result && (result->kind == TRI_ENC_AMD_MFMA || result->kind == TRI_ENC_AMD_WMMA);
    if (!is_matrix || number == 2 || !tri_dots_linear(arena, mlirValueGetType(value), &linear))
        return NULL;
    tri_encoding *e = TRI_NEW(arena, tri_encoding);
    *e = (tri_encoding){.kind = TRI_ENC_DOT_OP, .rank = result->rank, .parent = result};
    e->dot_op.op_idx = number == 1 || number == 4;
    int bits = (int)tri_type_bits(tri_type_element(mlirValueGetType(value)));
    tri_plan_access access = tri_plan_access_plain(&linear, bits, 128, 16);
    e->dot_op.k_width = access.vec;
    return e;
}

const tri_encoding *tri_dots_operand_below(tri_arena *arena, MlirOperation op)
{
    bool moves = tri_op_is(op, "tt.trans") || tri_op_is(op, "tt.reshape") || tri_op_is(op, "ttg.convert_layout");
    if (!moves)
        return NULL;
    MlirValue value = tri_op_result(op, 0);
    MlirOpOperand use = mlirValueGetFirstUse(value);
    const tri_encoding *e = tri_dots_encoding(arena, value);
    if (e && e->kind == TRI_ENC_DOT_OP)
        return e;
    if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
        return NULL;
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tri_op_is(user, "tt.dot") || tri_op_is(user, "tt.dot_scaled"))
        return operand_of_product(arena, user, value, mlirOpOperandGetOperandNumber(use));
    return tri_dots_operand_below(arena, user);
}

MlirType tri_dots_transposed_buffer(tri_arena *arena, MlirType buffer)
{
    tri_memdesc from, to;
    tri_type_get_memdesc(buffer, &from);
    tri_encoding e = *tri_encoding_get(arena, from.encoding);
    to = from;
    for (int d = 0; d < 2; d++) {
        to.shape[d] = to.alloc_shape[d] = from.shape[1 - d];
        e.order[d] = 1 - e.order[d];
    }
    for (int i = 0; i < e.cga.count; i++) {
        int32_t swap = e.cga.at[i][0];
        e.cga.at[i][0] = e.cga.at[i][1];
        e.cga.at[i][1] = swap;
    }
    if (e.kind == TRI_ENC_NVMMA_SHARED)
        e.nvmma.is_transposed = !e.nvmma.is_transposed;
    to.encoding = tri_encoding_make(mlirTypeGetContext(buffer), &e);
    return tri_type_memdesc(&to);
}

bool tri_dots_has_one_use(MlirValue value) { return !mlirOperationIsNull(tri_dots_only_user(value)); }

MlirOperation tri_dots_only_user(MlirValue value)
{
    MlirOpOperand use = mlirValueGetFirstUse(value);
    if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
        return (MlirOperation){NULL};
    return mlirOpOperandGetOwner(use);
}

MlirOperation tri_dots_load_of_registers(MlirOperation dot)
{
    MlirOperation def = tri_op_def(tri_op_operand(dot, 0));
    while (!mlirOperationIsNull(def) && (tri_op_is(def, "ttg.convert_layout") || tri_op_is(def, "tt.trans") ||
                                         tri_op_is(def, "tt.reshape")))
        def = tri_op_def(tri_op_operand(def, 0));
    bool is_load = !mlirOperationIsNull(def) && tri_op_is(def, "ttg.local_load") &&
                   mlirBlockEqual(mlirOperationGetBlock(def), mlirOperationGetBlock(dot));
    return is_load ? def : (MlirOperation){NULL};
}

MlirValue tri_dots_buffer_part(tri_builder *b, MlirValue buffer, int dim, int64_t first, int64_t size)
{
    tri_memdesc desc;
    int32_t offsets[TRI_MAX_RANK] = {0};
    tri_type_get_memdesc(mlirValueGetType(buffer), &desc);
    desc.shape[dim] = size;
    offsets[dim] = (int32_t)first;
    MlirType type = tri_type_memdesc(&desc);
    tri_attr attr = {"offsets", tri_attr_i32s(b->context, desc.rank, offsets)};
    return tri_builder_value(b, &(tri_op){.name = "ttg.memdesc_subslice", .num_operands = 1, .operands = &buffer,
                                          .num_results = 1, .results = &type, .num_attrs = 1, .attrs = &attr});
}
