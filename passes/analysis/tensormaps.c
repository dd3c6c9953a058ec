#include "passes/analysis/tensormaps.h"

#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"

#include <string.h>

enum { PADDING_NAN = 2 };

/* ---- facts ---- */

int tri_tensormaps_element(MlirType element)
{
    if (mlirTypeIsAF16(element))
        return 6;
    if (mlirTypeIsAF32(element))
        return 7;
    if (mlirTypeIsAF64(element))
        return 9;
    if (mlirTypeIsABF16(element))
        return 10;
    bool is_signed = mlirTypeIsAInteger(element) && mlirIntegerTypeIsSigned(element);
    switch (tri_type_bits(element)) {
    case 8:
        return 0;
    case 16:
        return 1;
    case 32:
        return is_signed ? 3 : 2;
    case 64:
        return is_signed ? 5 : 4;
    default:
        return -1;
    }
}

static int swizzle_code(int bytes) { return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0; }

MlirAttribute tri_tensormaps_encoding(MlirType block)
{
    int rank = tri_type_rank(block);
    int64_t row = tri_type_dim(block, rank - 1) * tri_type_bits(tri_type_element(block)) / 8;
    tri_encoding e = {.kind = TRI_ENC_NVMMA_SHARED, .rank = rank};
    e.nvmma.swizzle_bytes = rank < 2 ? 0 : row % 128 == 0 ? 128 : row % 64 == 0 ? 64 : row % 32 == 0 ? 32 : 0;
    e.nvmma.element_bits = (int32_t)tri_type_bits(tri_type_element(block));
    return tri_encoding_make(mlirTypeGetContext(block), &e);
}

bool tri_tensormaps_can_hold(tri_arena *arena, MlirType desc)
{
    MlirType block = tri_type_desc_block(desc);
    MlirAttribute attr = tri_type_encoding(block);
    if (mlirAttributeIsNull(attr) || tri_tensormaps_element(tri_type_element(block)) < 0)
        return false;
    const tri_encoding *e = tri_encoding_get(arena, attr);
    return e->kind == TRI_ENC_NVMMA_SHARED && !e->nvmma.is_fp4_padded && !e->nvmma.is_transposed &&
           tri_type_rank(block) <= TRI_TENSORMAP_MAX_RANK;
}

int tri_tensormaps_dropped(MlirType block, MlirType tensor)
{
    int dropped = tri_type_rank(block) - tri_type_rank(tensor);
    for (int d = 0; d < tri_type_rank(block); d++)
        if (d < dropped ? tri_type_dim(block, d) != 1
                        : dropped < 0 || tri_type_dim(block, d) != tri_type_dim(tensor, d - dropped))
            return -1;
    return dropped && tri_type_rank(tensor) < 2 ? -1 : dropped;
}

MlirAttribute tri_tensormaps_with_rank(MlirAttribute encoding, int rank)
{
    tri_arena *arena = tri_arena_create();
    tri_encoding e = *tri_encoding_get(arena, encoding);
    bool is_plain = e.kind == TRI_ENC_NVMMA_SHARED && !e.cga.count;
    MlirAttribute result = e.rank == rank ? encoding : (MlirAttribute){NULL};
    e.rank = rank;
    if (mlirAttributeIsNull(result) && is_plain)
        result = tri_encoding_make(mlirAttributeGetContext(encoding), &e);
    tri_arena_destroy(arena);
    return result;
}

MlirType tri_tensormaps_buffer(MlirType desc, MlirType tensor)
{
    MlirContext context = mlirTypeGetContext(tensor);
    if (!tri_type_is_desc(desc))
        return (MlirType){NULL};
    MlirType block = tri_type_desc_block(desc);
    MlirAttribute encoding = tri_type_encoding(block);
    if (!mlirAttributeIsNull(encoding) && tri_type_rank(block) != tri_type_rank(tensor))
        encoding = tri_tensormaps_dropped(block, tensor) < 0 ? (MlirAttribute){NULL}
                                                            : tri_tensormaps_with_rank(encoding, tri_type_rank(tensor));
    if (mlirAttributeIsNull(encoding))
        return (MlirType){NULL};
    tri_memdesc buffer = {.rank = tri_type_rank(tensor), .element = tri_type_element(tensor), .encoding = encoding,
                          .space = tri_encoding_shared_space(context), .is_mutable = true};
    buffer.alloc_rank = tri_dots_shape(tensor, buffer.shape);
    memcpy(buffer.alloc_shape, buffer.shape, sizeof buffer.shape);
    return tri_type_memdesc(&buffer);
}

/* ---- making a map ---- */

typedef struct {
    tri_arena *arena;
    tri_builder *b;
    void (*placed)(void *data, MlirOperation made);
    void *data;
} maker;

static MlirValue made(const maker *m, MlirValue value)
{
    if (m->placed)
        m->placed(m->data, tri_op_def(value));
    return value;
}

static MlirValue i32_const(const maker *m, int64_t value)
{
    return made(m, tri_builder_int(m->b, mlirIntegerTypeGet(m->b->context, 32), value));
}

/* The operands behind the two pointers: box, sizes and strides, fastest dimension first. */
static intptr_t map_operands(const maker *m, MlirOperation op, int32_t *sizes, MlirValue *operands)
{
    MlirType block = tri_type_desc_block(mlirValueGetType(tri_op_result(op, 0)));
    const tri_encoding *e = tri_encoding_get(m->arena, tri_type_encoding(block));
    int rank = tri_type_rank(block), bits = (int)tri_type_bits(tri_type_element(block));
    int64_t shape[TRI_MAX_RANK];
    intptr_t n = 0;
    tri_dots_shape(block, shape);
    tri_convert_copy_box(e, rank, shape, shape);
    MlirType i64 = mlirIntegerTypeGet(m->b->context, 64);
    MlirValue bytes = made(m, tri_builder_int(m->b, i64, bits / 8)), one = i32_const(m, 1);
    for (int d = rank; d-- > 0;)
        operands[n++] = i32_const(m, shape[d]);
    for (int d = rank; d-- > 0;)
        operands[n++] = tri_op_operand(op, 1 + d);
    for (int d = rank - 1; d-- > 0;)
        operands[n++] = made(m, tri_builder_binary(m->b, "arith.muli", i64, tri_op_operand(op, 1 + rank + d), bytes));
    for (int d = 0; d < rank; d++)
        operands[n++] = one;
    const int32_t all[] = {1, 1, rank, rank, rank - 1, rank};
    memcpy(sizes, all, sizeof all);
    return n;
}

MlirValue tri_tensormaps_make(tri_arena *arena, tri_builder *b, MlirOperation op, MlirValue at,
                              void (*placed)(void *data, MlirOperation made), void *data)
{
    enum { TFLOAT32 = 11 };
    maker m = {arena, b, placed, data};
    MlirType type = mlirValueGetType(tri_op_result(op, 0)), block = tri_type_desc_block(type);
    int element = mlirAttributeIsNull(tri_op_attr(op, TRI_TENSORMAP_TF32))
                      ? tri_tensormaps_element(tri_type_element(block)) : TFLOAT32;
    const tri_encoding *e = tri_encoding_get(arena, tri_type_encoding(block));
    MlirValue operands[2 + 4 * TRI_MAX_RANK] = {at, tri_op_operand(op, 0)};
    int32_t sizes[6];
    intptr_t n = 2 + map_operands(&m, op, sizes, operands + 2);
    tri_attr attrs[] = {
        {"operandSegmentSizes", tri_attr_i32s(b->context, 6, sizes)},
        {"elem_type", tri_attr_i32(b->context, element)},
        {"fill_mode", tri_attr_i32(b->context, tri_op_int(op, "padding", 1) == PADDING_NAN)},
        {"interleave_layout", tri_attr_i32(b->context, 0)},
        {"swizzle_mode", tri_attr_i32(b->context, swizzle_code(e->nvmma.swizzle_bytes))},
    };
    MlirOperation map = tri_builder_create(b, &(tri_op){.name = "ttng.tensormap_create", .num_operands = n,
                                                        .operands = operands, .num_attrs = 5, .attrs = attrs});
    MlirOperation fence = tri_builder_create(
        b, &(tri_op){.name = "ttng.tensormap_fenceproxy_acquire", .num_operands = 1, .operands = &at});
    if (placed) {
        placed(data, map);
        placed(data, fence);
    }
    return made(&m, tri_builder_unary(b, "ttng.reinterpret_tensor_descriptor", type, at));
}

static bool are_rows(const tri_encoding *layout, const int64_t *shape)
{
    tri_linear l;
    if (!tri_convert_to_linear(layout, 1, shape, &l, NULL))
        return true; /* nothing is known of it */
    for (int i = 0; i < 2; i++)
        if (tri_linear_in_bits(&l, TRI_DIM_REGISTER) <= i ||
            tri_linear_basis_at(&l, TRI_DIM_REGISTER, i, TRI_DIM_0) != 1 << i)
            return false;
    return tri_linear_is_zero_between(&l, TRI_DIM_LANE, TRI_DIM_0);
}

void tri_tensormaps_convert_rows(tri_arena *arena, MlirOperation op, int warps)
{
    static const char *const placing[] = {"ttg.partition", "ttg.warp_specialize.tag", "loop.stage", "loop.cluster"};
    MlirValue rows = tri_op_operand(op, 1);
    MlirType type = mlirValueGetType(rows);
    MlirAttribute attr = tri_type_encoding(type);
    const tri_encoding *e = mlirAttributeIsNull(attr) ? NULL : tri_encoding_get(arena, attr);
    const int64_t shape[] = {tri_type_dim(type, 0)};
    bool is_shared = e && (e->cga.count || (e->parent && e->parent->cga.count)); /* by the blocks of a cluster */
    if (!e || is_shared || are_rows(e, shape) || shape[0] < 4)
        return;
    tri_encoding parent = {.kind = TRI_ENC_BLOCKED, .rank = 2, .order = {1, 0}, .warps_per_cta = {1, warps}};
    parent.blocked.size_per_thread[0] = parent.blocked.threads_per_warp[1] = 1;
    parent.blocked.size_per_thread[1] = 4;
    parent.blocked.threads_per_warp[0] = tri_convert_num_threads_per_warp(e);
    tri_encoding slice = {.kind = TRI_ENC_SLICE, .rank = 1, .parent = &parent};
    tri_builder b = tri_builder_before(op);
    MlirValue made = tri_builder_unary(&b, "ttg.convert_layout",
                                       tri_type_with_encoding(type, tri_encoding_make(b.context, &slice)), rows);
    for (size_t i = 0; i < sizeof placing / sizeof *placing; i++)
        if (!mlirAttributeIsNull(tri_op_attr(op, placing[i])))
            tri_builder_set_attr(tri_op_def(made), placing[i], tri_op_attr(op, placing[i]));
    mlirOperationSetOperand(op, 1, made);
}

MlirOperation tri_tensormaps_start_load(tri_builder *b, MlirOperation load, MlirValue buffer, MlirValue mbarrier,
                                        MlirValue pred)
{
    bool is_gather = tri_op_is(load, "tt.descriptor_gather"); /* has neither segments nor modifiers */
    intptr_t n = mlirOperationGetNumOperands(load);
    MlirValue operands[TRI_MAX_RANK + 4];
    const int32_t sizes[] = {1, (int32_t)n - 1, 0, 1, 1, 1};
    for (intptr_t i = 0; i < n; i++)
        operands[i] = tri_op_operand(load, i);
    operands[n] = mbarrier;
    operands[n + 1] = buffer;
    operands[n + 2] = pred;
    MlirAttribute none = {NULL};
    tri_attr attrs[] = {{"operandSegmentSizes", is_gather ? none : tri_attr_i32s(b->context, 6, sizes)},
                        {"cache", is_gather ? none : tri_op_attr(load, "cache")},
                        {"evict", is_gather ? none : tri_op_attr(load, "evict")}};
    const char *name = is_gather ? "ttng.async_tma_gather" : "ttng.async_tma_copy_global_to_local";
    return tri_builder_create(b, &(tri_op){.name = name, .num_operands = n + 3, .operands = operands, .num_attrs = 3,
                                           .attrs = attrs});
}
