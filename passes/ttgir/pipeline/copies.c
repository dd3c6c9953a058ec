/* A load through a ring of buffers by cp.async: the copy where the load is in the schedule, the wait and the
 * read where its data is needed first.
 *
 *     %a = tt.load %p, %m
 *   becomes
 *     %t = ttg.async_copy_global_to_local %p, %ring[%in] mask %m ; %g = ttg.async_commit_group %t
 *     %w = ttg.async_wait %g ; %a = ttg.local_load %ring[%out] token %w
 *
 * All of it stands where the load stood: an op's place in the schedule, not its place in the text, says when it
 * runs. A scalar goes as a tensor of one element. */
#include "passes/ttgir/pipeline/lower.h"

#include "ir/encoding.h"
#include "ir/type.h"

bool tri_pipeline_needs_fill(MlirOperation load)
{
    MlirValue other = tri_op_is(load, "tt.load") ? tri_op_segment_value(load, 2) : (MlirValue){NULL};
    return !mlirValueIsNull(other) && !tri_op_const_zero(other);
}

/* The operand as a tensor of one element when the load is scalar. */
static MlirValue spread_copies(tri_builder *b, const tri_async_load *load, MlirValue value)
{
    if (mlirValueIsNull(value) || tri_type_is_tensor(mlirValueGetType(value)))
        return value;
    tri_memdesc desc;
    tri_type_get_memdesc(load->buffer, &desc);
    MlirType type = tri_type_tensor(1, desc.shape, mlirValueGetType(value), tri_pipeline_scalar_encoding(load->load));
    return tri_pipeline_placed(tri_builder_unary(b, "tt.splat", type, value), load->start);
}

/* An operand of the load as the copy takes it: as a tensor, in the layout of its own that it has (spread.c). */
static MlirValue operand_of_copy(tri_builder *b, const tri_async_load *load, MlirAttribute encoding, MlirValue value)
{
    MlirValue spread = spread_copies(b, load, value);
    if (mlirValueIsNull(spread) || mlirAttributeIsNull(encoding))
        return spread;
    MlirType type = tri_type_with_encoding(mlirValueGetType(spread), encoding);
    return tri_pipeline_placed(tri_builder_unary(b, "ttg.convert_layout", type, spread), load->start);
}

MlirValue tri_pipeline_commit_copy(tri_builder *b, MlirOperation load, MlirValue pointer, MlirValue slot,
                                   MlirValue mask, MlirValue other, int contiguity, tri_place place)
{
    MlirValue operands[4] = {pointer, slot};
    const int32_t sizes[] = {1, 1, !mlirValueIsNull(mask), !mlirValueIsNull(other)};
    intptr_t n = 2;
    if (sizes[2])
        operands[n++] = mask;
    if (sizes[3])
        operands[n++] = other;
    MlirType token = tri_type_async_token(b->context);
    tri_attr attrs[] = {
        {"operandSegmentSizes", tri_attr_i32s(b->context, 4, sizes)},
        {"cache", tri_op_attr(load, "cache")},
        {"evict", tri_op_attr(load, "evict")},
        {"isVolatile", tri_op_attr(load, "isVolatile")},
        {"contiguity", tri_attr_i32(b->context, contiguity)},
    };
    MlirValue copy = tri_pipeline_placed(tri_builder_value(b, &(tri_op){.name = "ttg.async_copy_global_to_local",
                                                                        .num_operands = n,
                                                                        .operands = operands,
                                                                        .num_results = 1,
                                                                        .results = &token,
                                                                        .num_attrs = 5,
                                                                        .attrs = attrs}),
                                         place);
    return tri_pipeline_placed(tri_builder_unary(b, "ttg.async_commit_group", token, copy), place);
}

/* Copy and commit; the group's token. */
static MlirValue start_copy(const tri_pipeline *p, tri_async_load *load)
{
    MlirOperation op = load->load;
    tri_builder b = tri_builder_before(op);
    MlirAttribute encoding = load->is_row_copy ? tri_encoding_make(b.context, &load->rows)
                                               : tri_pipeline_spread_encoding(p, load);
    MlirValue pointer = operand_of_copy(&b, load, encoding, tri_op_operand(op, 0)),
              mask = operand_of_copy(&b, load, encoding, tri_op_segment_value(op, 1));
    MlirValue other = tri_op_segment_value(op, 2);
    if (!mlirValueIsNull(other)) /* what is not zero is put in after the read */
        other = tri_op_const_zero(other) ? operand_of_copy(&b, load, encoding, other) : (MlirValue){NULL};
    MlirValue slot = tri_pipeline_placed(tri_pipeline_slot(&b, load->ring, load->in), load->start);
    return tri_pipeline_commit_copy(&b, op, pointer, slot, mask, other, load->contiguity, load->start);
}

/* The type that all users convert the value to, as dot operands; null when they want something else. */
static MlirType wanted_type(MlirValue value)
{
    MlirType wanted = {NULL};
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (!tri_op_is(user, "ttg.convert_layout"))
            return (MlirType){NULL};
        MlirType type = mlirValueGetType(tri_op_result(user, 0));
        if (!mlirTypeIsNull(wanted) && !mlirTypeEqual(type, wanted))
            return (MlirType){NULL};
        wanted = type;
    }
    return wanted;
}

static void replace_converts(MlirValue value, MlirValue by)
{
    MlirOpOperand use = mlirValueGetFirstUse(value), next;
    for (; !mlirOpOperandIsNull(use); use = next) {
        next = mlirOpOperandGetNextUse(use);
        tri_op_replace(mlirOpOperandGetOwner(use), 1, &by);
    }
}

static MlirValue read_slot(tri_builder *b, const tri_async_load *load, MlirType type, MlirValue slot, MlirValue ready)
{
    MlirType read = type;
    bool is_scalar = !tri_type_is_tensor(type);
    if (is_scalar) {
        tri_memdesc desc;
        tri_type_get_memdesc(load->buffer, &desc);
        read = tri_type_tensor(1, desc.shape, type, tri_pipeline_scalar_encoding(load->load));
    }
    MlirValue value = tri_builder_value(b, &(tri_op){.name = "ttg.local_load", .num_operands = 2,
                                                     .operands = (MlirValue[]){slot, ready}, .num_results = 1,
                                                     .results = &read});
    tri_pipeline_placed(value, load->use);
    return is_scalar ? tri_pipeline_placed(tri_builder_unary(b, "tt.unsplat", type, value), load->use) : value;
}

/* Rows are waited for in front of everything else of the body: what is loaded to registers for the next iteration
 * counts where copies do, and would be waited for with them. */
static tri_place wait_place(const tri_async_load *load)
{
    return load->is_row_copy ? (tri_place){load->use.stage, -1} : load->use;
}

void tri_pipeline_copy(tri_lowering *l, tri_async_load *load)
{
    MlirOperation op = load->load;
    MlirValue group = start_copy(l->p, load), result = tri_op_result(op, 0);
    MlirValue mask = tri_op_segment_value(op, 1), other = tri_op_segment_value(op, 2);
    tri_builder b = tri_builder_before(op);
    MlirType token = tri_type_async_token(b.context), type = mlirValueGetType(result);
    tri_attr num = {"num", tri_attr_i32(b.context, 0)};
    MlirValue ready = tri_builder_value(&b, &(tri_op){.name = "ttg.async_wait",
                                                      .num_operands = 1,
                                                      .operands = &group,
                                                      .num_results = 1,
                                                      .results = &token,
                                                      .num_attrs = 1,
                                                      .attrs = &num});
    tri_pipeline_placed(ready, wait_place(load));
    MlirValue slot = tri_pipeline_placed(tri_pipeline_slot(&b, load->ring, load->out), load->use);
    bool needs_select = tri_pipeline_needs_fill(op);
    if (!needs_select && !tri_pipeline_replace_allocs(result, slot)) {
        mlirOperationDestroy(op);
        return;
    }
    MlirType wanted = needs_select ? (MlirType){NULL} : wanted_type(result);
    if (!mlirTypeIsNull(wanted)) {
        replace_converts(result, read_slot(&b, load, wanted, slot, ready));
        mlirOperationDestroy(op);
        return;
    }
    MlirValue loaded = read_slot(&b, load, type, slot, ready);
    if (needs_select)
        loaded = tri_pipeline_placed(tri_builder_value(&b, &(tri_op){.name = "arith.select", .num_operands = 3,
                                                                  .operands = (MlirValue[]){mask, loaded, other},
                                                                  .num_results = 1, .results = &type}), load->use);
    tri_op_replace(op, 1, &loaded);
}
