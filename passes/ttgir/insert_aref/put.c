/* The ring of buffers, and how the group that makes a value fills one. */
#include "passes/ttgir/insert_aref/aref.h"

#include "ir/analysis/blocked.h"
#include "ir/type.h"
#include "passes/ttgir/pipeline/lower.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdio.h>

enum { ANSWER_ALIGNMENT = 16 };

MlirOperation tri_insert_aref_make(const aref_place *place, const tri_op *op)
{
    tri_builder b = place->b;
    MlirOperation made = tri_builder_create(&b, op);
    static const char *const schedule[] = {"loop.stage", "loop.cluster"};
    if (place->partitions)
        tri_partitions_set(made, place->partitions);
    if (!mlirAttributeIsNull(place->tag))
        tri_builder_set_attr(made, TRI_PARTITIONS_TAG, place->tag);
    for (size_t i = 0; !mlirOperationIsNull(place->like) && i < sizeof schedule / sizeof *schedule; i++) {
        MlirAttribute attr = tri_op_attr(place->like, schedule[i]);
        if (!mlirAttributeIsNull(attr))
            tri_builder_set_attr(made, schedule[i], attr);
    }
    return made;
}

MlirValue tri_insert_aref_value(const aref_place *place, const char *name, intptr_t n, const MlirValue *operands,
                                MlirType type)
{
    return tri_op_result(tri_insert_aref_make(place, &(tri_op){.name = name, .num_operands = n, .operands = operands,
                                                               .num_results = 1, .results = &type}), 0);
}

MlirOperation tri_insert_aref_enter(MlirValue aref, const aref_place *place, const char *name, MlirType buffer)
{
    MlirContext context = place->b.context;
    MlirType types[] = {buffer, tri_type_async_token(context)};
    const int32_t segments[] = {1, 0, 0}; /* no stage or phase yet */
    tri_attr attr = {"operandSegmentSizes", tri_attr_i32s(context, 3, segments)};
    return tri_insert_aref_make(place, &(tri_op){.name = name, .num_operands = 1, .operands = &aref,
                                                 .num_results = 2, .results = types, .num_attrs = 1, .attrs = &attr});
}

void tri_insert_aref_exit(MlirValue aref, MlirValue token, const aref_place *place, const char *name,
                          const char *kind)
{
    char text[64];
    snprintf(text, sizeof text, "[#nvws.async_op<%s>]", kind);
    MlirValue operands[] = {aref, token};
    tri_attr attr = {"async_ops",
                     mlirAttributeParseGet(place->b.context, mlirStringRefCreateFromCString(text))};
    tri_insert_aref_make(place, &(tri_op){.name = name, .num_operands = 2, .operands = operands, .num_attrs = 1,
                                          .attrs = &attr});
}

MlirType tri_insert_aref_tensor_type(const aref_value *v)
{
    MlirType type = mlirValueGetType(v->value);
    if (tri_type_is_tensor(type))
        return type;
    MlirOperation module = v->loop;
    int64_t shape[] = {1};
    while (!mlirOperationIsNull(mlirOperationGetParentOperation(module)))
        module = mlirOperationGetParentOperation(module);
    MlirType plain = tri_type_tensor(1, shape, type, (MlirAttribute){NULL});
    return tri_type_with_encoding(plain, tri_blocked_default_attr(plain, tri_blocked_launch(module)));
}

/* One buffer as its readers see it: that of the alloc which it replaces, else of the tensor; laid out as its descriptor
 * says where that fills it. */
static MlirType one_buffer(const aref_value *v)
{
    tri_memdesc desc;
    bool is_block = !mlirOperationIsNull(v->alloc);
    tri_type_get_memdesc(
        is_block ? mlirValueGetType(v->value) : tri_partitions_buffer(tri_insert_aref_tensor_type(v), false), &desc);
    if (!mlirOperationIsNull(v->load))
        desc.encoding = tri_type_encoding(tri_type_desc_block(mlirValueGetType(tri_op_operand(v->load, 0))));
    return tri_type_memdesc(&desc);
}

void tri_insert_aref_create(aref_value *v)
{
    v->one = one_buffer(v);
    bool is_request = !mlirOperationIsNull(v->request); /* the next is under way while one is read */
    v->ring = tri_pipeline_ring_type(v->one, is_request ? 2 : 1);
    tri_builder b = tri_builder_before(v->loop);
    tri_attr alignment = {"alignment", tri_attr_i32(b.context, ANSWER_ALIGNMENT)};
    MlirValue buffers =
        tri_builder_value(&b, &(tri_op){.name = "ttg.local_alloc", .num_results = 1, .results = &v->ring,
                                        .num_attrs = is_request, .attrs = &alignment});
    v->aref = tri_builder_unary(&b, "nvws.aref.create", tri_partitions_reference(1, &v->ring), buffers);
}

/* The operation that has made the value, at the end of a chain of what loops carry. */
static MlirOperation maker_of(const aref_value *v)
{
    MlirBlock block;
    intptr_t i;
    MlirValue value = v->value;
    for (int depth = 0; tri_op_is_block_argument(value, &block, &i) && depth < 64; depth++) {
        MlirOperation loop = mlirBlockGetParentOperation(block);
        bool is_for = tri_op_is(loop, "scf.for");
        if (!is_for && !tri_op_is(loop, "scf.while"))
            return (MlirOperation){NULL};
        value = tri_op_operand(mlirBlockGetTerminator(tri_op_body(loop, is_for ? 0 : 1)), i - is_for);
    }
    return !mlirOperationIsNull(v->load) ? v->load : tri_op_def(value);
}

static int32_t tensor_bytes(MlirType tensor)
{
    return (int32_t)(tri_type_num_elements(tensor) * tri_type_bits(tri_type_element(tensor)) / 8);
}

/* The descriptor's copy goes to the buffer instead of registers. */
static void put_load(const aref_value *v, const aref_place *place, MlirValue buffer)
{
    bool is_gather = tri_op_is(v->load, "tt.descriptor_gather");
    intptr_t n = mlirOperationGetNumOperands(v->load);
    MlirValue operands[TRI_MAX_RANK + 4];
    for (intptr_t i = 0; i < n; i++)
        operands[i] = tri_op_operand(v->load, i);
    operands[n] = buffer;
    MlirType tensor = mlirValueGetType(tri_op_result(v->load, 0));
    tri_attr attrs[] = {{"txCount", tri_attr_i32(mlirOperationGetContext(v->load), tensor_bytes(tensor))},
                        {"cache", tri_op_attr(v->load, "cache")},
                        {"evict", tri_op_attr(v->load, "evict")}};
    tri_insert_aref_make(place, &(tri_op){.name = is_gather ? "nvws.descriptor_gather" : "nvws.descriptor_load",
                               .num_operands = n + 1, .operands = operands,
                               .num_attrs = is_gather ? 1 : 3, .attrs = attrs});
}

static void put_value(const aref_value *v, const aref_place *place, MlirValue buffer)
{
    MlirValue value = mlirOperationIsNull(v->alloc) ? v->value : tri_op_operand(v->alloc, 0);
    MlirType tensor = mlirOperationIsNull(v->alloc) ? tri_insert_aref_tensor_type(v) : mlirValueGetType(value);
    if (!mlirTypeEqual(mlirValueGetType(value), tensor))
        value = tri_insert_aref_value(place, "tt.splat", 1, &value, tensor);
    MlirValue operands[] = {value, buffer};
    tri_insert_aref_make(place, &(tri_op){.name = "ttg.local_store", .num_operands = 2, .operands = operands});
}

void tri_insert_aref_put(aref_value *v, tri_builder at)
{
    aref_place place = {.b = at, .partitions = v->partitions & -v->partitions, .like = maker_of(v)};
    MlirOperation enter = tri_insert_aref_enter(v->aref, &place, "nvws.aref.put.enter", tri_partitions_slot(v->ring));
    bool is_load = !mlirOperationIsNull(v->load), is_request = !mlirOperationIsNull(v->request);
    MlirValue buffer = tri_op_result(enter, 0);
    if (is_load)
        put_load(v, &place, buffer);
    else if (is_request)
        tri_insert_aref_make(&place, &(tri_op){.name = "nvws.clc_try_cancel", .num_operands = 1, .operands = &buffer});
    else
        put_value(v, &place, buffer);
    tri_insert_aref_exit(v->aref, tri_op_result(enter, 1), &place, "nvws.aref.put.exit",
                         is_load ? "tma_load" : is_request ? "clc" : "none");
}
