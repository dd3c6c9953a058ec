/* Descriptors that a loop makes are written to rotating places in memory, as those of earlier iterations may still be
 * in use.
 *
 *     %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one]
 *   becomes, with room for several in front of the loop and a counter through it,
 *     %q = tt.addptr %room, %i * 128
 *     ttng.tensormap_create %q, %p, [box], [%n, %m], [%s * bytes], [1, 1] ; ttng.tensormap_fenceproxy_acquire %q
 *     %d = ttng.reinterpret_tensor_descriptor %q ; %i = next(%i)
 *
 * The numbers of ttng.tensormap_create are those of CUDA's cuTensorMapEncodeTiled. */
#include "passes/ttgir/pipeline_lower.h"

#include "ir/encoding.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loops.h"

enum { MAP_BYTES = 128, MAX_BOX = 256 };

/* ---- facts ---- */

/* CUtensorMapDataType of an element; -1: none. */
static int element_code(MlirType element)
{
    if (mlirTypeIsAF16(element))
        return 6;
    if (mlirTypeIsAF32(element))
        return 7;
    if (mlirTypeIsAF64(element))
        return 9;
    if (mlirTypeIsABF16(element))
        return 10;
    bool is_signed = mlirTypeIsAInteger(element) && !mlirIntegerTypeIsUnsigned(element);
    switch (mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element) : tri_type_bits(element)) {
    case 8:
        return 0;
    case 16:
        return 1;
    case 32:
        return is_signed && mlirIntegerTypeIsSigned(element) ? 3 : 2;
    case 64:
        return is_signed && mlirIntegerTypeIsSigned(element) ? 5 : 4;
    default:
        return -1;
    }
}

static int swizzle_code(int bytes) { return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0; }

static bool can_lower(tri_arena *arena, MlirOperation loop, MlirOperation op)
{
    MlirType block = tri_type_desc_block(mlirValueGetType(tri_op_result(op, 0)));
    MlirAttribute attr = tri_type_encoding(block);
    if (mlirAttributeIsNull(attr) || element_code(tri_type_element(block)) < 0)
        return false;
    const tri_encoding *e = tri_encoding_get(arena, attr);
    if (e->kind != TRI_ENC_NVMMA_SHARED || e->nvmma.is_fp4_padded)
        return false;
    /* the counter comes out of conditionals, which need both branches; other regions are not looked into */
    for (op = mlirOperationGetParentOperation(op); !mlirOperationEqual(op, loop); op = mlirOperationGetParentOperation(op))
        if (!tri_op_is(op, "scf.if") || mlirBlockIsNull(tri_op_body(op, 1)))
            return false;
    return true;
}

/* ---- rewriters ---- */

static MlirValue placed(MlirValue value, const tri_place *place)
{
    return place ? tri_pipeline_placed(value, *place) : value;
}

static MlirValue i32_const(tri_builder *b, const tri_place *place, int64_t value)
{
    return placed(tri_builder_int(b, mlirIntegerTypeGet(b->context, 32), value), place);
}

/* The operands behind the two pointers: box, sizes and strides, fastest dimension first. */
static intptr_t map_operands(tri_arena *arena, tri_builder *b, const tri_place *place, MlirOperation op, int32_t *sizes,
                             MlirValue *operands)
{
    MlirType block = tri_type_desc_block(mlirValueGetType(tri_op_result(op, 0)));
    const tri_encoding *e = tri_encoding_get(arena, tri_type_encoding(block));
    int rank = tri_type_rank(block), bits = (int)tri_type_bits(tri_type_element(block));
    int64_t shape[TRI_MAX_RANK];
    intptr_t n = 0;
    tri_dots_shape(block, shape);
    for (int d = 0; d < rank; d++)
        shape[d] = shape[d] > MAX_BOX ? MAX_BOX : shape[d];
    if (e->nvmma.swizzle_bytes)
        shape[rank - 1] = e->nvmma.swizzle_bytes * 8 / bits;
    MlirType i64 = mlirIntegerTypeGet(b->context, 64);
    MlirValue bytes = placed(tri_builder_int(b, i64, bits / 8), place), one = i32_const(b, place, 1);
    for (int d = rank; d-- > 0;)
        operands[n++] = i32_const(b, place, shape[d]);
    for (int d = rank; d-- > 0;)
        operands[n++] = tri_op_operand(op, 1 + d);
    for (int d = rank - 1; d-- > 0;)
        operands[n++] = placed(tri_builder_binary(b, "arith.muli", i64, tri_op_operand(op, 1 + rank + d), bytes), place);
    for (int d = 0; d < rank; d++)
        operands[n++] = one;
    const int32_t all[] = {1, 1, rank, rank, rank - 1, rank};
    memcpy(sizes, all, sizeof all);
    return n;
}

static MlirValue make_map(tri_arena *arena, tri_builder *b, const tri_place *place, MlirOperation op, MlirValue at)
{
    MlirType type = mlirValueGetType(tri_op_result(op, 0)), block = tri_type_desc_block(type);
    const tri_encoding *e = tri_encoding_get(arena, tri_type_encoding(block));
    MlirValue operands[2 + 4 * TRI_MAX_RANK] = {at, tri_op_operand(op, 0)};
    int32_t sizes[6];
    enum { PADDING_NAN = 2 };
    intptr_t n = 2 + map_operands(arena, b, place, op, sizes, operands + 2);
    tri_attr attrs[] = {
        {"operandSegmentSizes", tri_attr_i32s(b->context, 6, sizes)},
        {"elem_type", tri_attr_i32(b->context, element_code(tri_type_element(block)))},
        {"fill_mode", tri_attr_i32(b->context, tri_op_int(op, "padding", 1) == PADDING_NAN)},
        {"interleave_layout", tri_attr_i32(b->context, 0)},
        {"swizzle_mode", tri_attr_i32(b->context, swizzle_code(e->nvmma.swizzle_bytes))},
    };
    MlirOperation map = tri_builder_create(b, &(tri_op){.name = "ttng.tensormap_create", .num_operands = n,
                                                        .operands = operands, .num_attrs = 5, .attrs = attrs});
    MlirOperation fence = tri_builder_create(b, &(tri_op){.name = "ttng.tensormap_fenceproxy_acquire", .num_operands = 1,
                                                          .operands = &at});
    if (place) {
        tri_pipeline_placed_op(map, *place);
        tri_pipeline_placed_op(fence, *place);
    }
    return placed(tri_builder_unary(b, "ttng.reinterpret_tensor_descriptor", type, at), place);
}

/* Lets the new value of a counter reach the end of the loop body, out of the conditionals around it. */
static MlirValue lift(tri_arena *arena, MlirBlock body, MlirValue counter, MlirValue next)
{
    MlirBlock block = mlirOperationGetBlock(tri_op_def(next));
    while (!mlirBlockEqual(block, body)) {
        MlirOperation branch = mlirBlockGetParentOperation(block);
        int region = mlirBlockEqual(tri_op_body(branch, 0), block) ? 0 : 1;
        MlirType type = mlirValueGetType(next);
        branch = tri_loops_add_if_results(arena, branch, 1, &type);
        for (int r = 0; r < 2; r++)
            tri_loops_append_yield(arena, tri_loops_yield(branch, r), 1, r == region ? &next : &counter);
        next = tri_op_result(branch, mlirOperationGetNumResults(branch) - 1);
        block = mlirOperationGetBlock(branch);
    }
    return next;
}

static MlirOperation rewrite(tri_arena *arena, MlirOperation loop, MlirOperation op, int copies)
{
    tri_builder b = tri_builder_before(loop);
    MlirType i32 = mlirIntegerTypeGet(b.context, 32), byte_ptr = tri_type_ptr(mlirIntegerTypeGet(b.context, 8), 1);
    tri_attr attrs[] = {{"alignment", tri_attr_i32(b.context, MAP_BYTES)},
                        {"nbytes", tri_attr_i32(b.context, copies * MAP_BYTES)}};
    MlirValue room = tri_builder_value(&b, &(tri_op){.name = "ttg.global_scratch_alloc", .num_results = 1,
                                                     .results = &byte_ptr, .num_attrs = 2, .attrs = attrs});
    MlirValue zero = tri_builder_int(&b, i32, 0), one = tri_builder_int(&b, i32, 1);
    MlirValue limit = tri_builder_int(&b, i32, copies);
    loop = tri_loops_add_iter_args(arena, loop, 1, &zero);
    MlirBlock body = tri_op_body(loop, 0);
    MlirValue counter = mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - 1);
    tri_place at = tri_pipeline_place_of(op);
    const tri_place *place = tri_pipeline_has_place(op) ? &at : NULL;
    b = tri_builder_before(op);
    MlirValue size = i32_const(&b, place, MAP_BYTES);
    MlirValue offset = placed(tri_builder_binary(&b, "arith.muli", i32, counter, size), place);
    MlirValue ptr = placed(tri_builder_binary(&b, "tt.addptr", byte_ptr, room, offset), place);
    MlirValue desc = make_map(arena, &b, place, op, ptr);
    tri_lowering l = {.loop = loop, .body = body, .zero = zero, .one = one};
    tri_place none = {-1, -1};
    MlirValue next = tri_pipeline_next_index(&l, &b, place ? *place : none, counter, limit, NULL);
    tri_op_replace(op, 1, &desc);
    next = lift(arena, body, counter, next);
    tri_loops_append_yield(arena, mlirBlockGetTerminator(body), 1, &next);
    return loop;
}

MlirOperation tri_pipeline_descriptors_run(tri_arena *arena, MlirOperation loop, int copies)
{
    tri_op_list made = {0}, dots = {0};
    tri_op_collect_named(loop, "tt.make_tensor_descriptor", arena, &made);
    if (made.len == 0)
        return loop;
    tri_op_collect_named(loop, "ttng.warp_group_dot", arena, &dots);
    for (size_t i = 0; i < made.len; i++)
        if (can_lower(arena, loop, made.at[i]))
            loop = rewrite(arena, loop, made.at[i], copies + (dots.len > 0));
    return loop;
}
