#include "passes/linalg/build.h"

#include "ir/op.h"
#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/Linalg.h"

MlirAttribute tri_build_i64s(MlirContext context, int n, const int64_t *values)
{
    return mlirDenseI64ArrayGet(context, n, values);
}

MlirType tri_build_index_type(MlirContext context) { return mlirIndexTypeGet(context); }

MlirValue tri_build_index(tri_builder *b, tri_build_size size)
{
    return size.value.ptr ? size.value : tri_builder_int(b, mlirIndexTypeGet(b->context), size.number);
}

MlirValue tri_build_to_index(tri_builder *b, MlirValue integer)
{
    if (mlirTypeIsAIndex(mlirValueGetType(integer)))
        return integer;
    return tri_builder_unary(b, "arith.index_cast", mlirIndexTypeGet(b->context), integer);
}

static tri_build_size binary(tri_builder *b, const char *name, tri_build_size x, tri_build_size y)
{
    MlirValue second = tri_build_index(b, y), first = tri_build_index(b, x);
    return tri_build_of(tri_builder_binary(b, name, mlirIndexTypeGet(b->context), first, second));
}

static bool is_number(tri_build_size x, int64_t number) { return !x.value.ptr && x.number == number; }

tri_build_size tri_build_max(tri_builder *b, tri_build_size x, tri_build_size y)
{
    if (!x.value.ptr && !y.value.ptr)
        return x.number > y.number ? x : y;
    return binary(b, "arith.maxsi", x, y);
}

tri_build_size tri_build_min(tri_builder *b, tri_build_size x, tri_build_size y)
{
    if (!x.value.ptr && !y.value.ptr)
        return x.number < y.number ? x : y;
    return binary(b, "arith.minsi", x, y);
}

tri_build_size tri_build_sub(tri_builder *b, tri_build_size x, tri_build_size y)
{
    if (!x.value.ptr && !y.value.ptr)
        return tri_build_number(x.number - y.number);
    return is_number(y, 0) ? x : binary(b, "arith.subi", x, y);
}

tri_build_size tri_build_add(tri_builder *b, tri_build_size x, tri_build_size y)
{
    if (!x.value.ptr && !y.value.ptr)
        return tri_build_number(x.number + y.number);
    return is_number(y, 0) ? x : is_number(x, 0) ? y : binary(b, "arith.addi", x, y);
}

tri_build_size tri_build_mul(tri_builder *b, tri_build_size x, tri_build_size y)
{
    if (!x.value.ptr && !y.value.ptr)
        return tri_build_number(x.number * y.number);
    return is_number(y, 1) ? x : is_number(x, 1) ? y : binary(b, "arith.muli", x, y);
}

/* --- memory --- */

MlirType tri_build_element_in_memory(MlirType pointee)
{
    return tri_type_is_int_of(pointee, 1) ? mlirIntegerTypeGet(mlirTypeGetContext(pointee), 8) : pointee;
}

static MlirType memref_type(int rank, const int64_t *shape, MlirType element, MlirAttribute layout)
{
    return mlirMemRefTypeGet(element, rank, shape, layout, (MlirAttribute){NULL});
}

MlirType tri_build_memory_type(MlirType pointee)
{
    int64_t any = mlirShapedTypeGetDynamicSize();
    return memref_type(1, &any, tri_build_element_in_memory(pointee), (MlirAttribute){NULL});
}

/* The values among sizes go to the operands, `dynamic` to their places in the list of numbers. */
static MlirAttribute split(tri_builder *b, int n, const tri_build_size *sizes, int64_t dynamic, MlirValue *operands,
                           intptr_t *io_count, int32_t *out_segment)
{
    int64_t numbers[TRI_MAX_RANK];
    *out_segment = 0;
    for (int i = 0; i < n; i++) {
        numbers[i] = sizes[i].value.ptr ? dynamic : sizes[i].number;
        if (!sizes[i].value.ptr)
            continue;
        operands[(*io_count)++] = sizes[i].value;
        *out_segment += 1;
    }
    return tri_build_i64s(b->context, n, numbers);
}

enum { max_operands = 2 + 3 * TRI_MAX_RANK };

/* Operation NAME(fixed..., offsets, sizes, strides). */
static MlirValue box_op(tri_builder *b, const char *name, int num_fixed, const MlirValue *fixed,
                        const tri_build_box *box, int num_offsets, MlirType result)
{
    MlirValue operands[max_operands];
    int32_t segments[5] = {1, 1};
    intptr_t count = 0;
    int64_t dynamic_size = mlirShapedTypeGetDynamicSize(), dynamic_stride = mlirShapedTypeGetDynamicStrideOrOffset();
    for (int i = 0; i < num_fixed; i++)
        operands[count++] = fixed[i];
    MlirAttribute offsets = split(b, num_offsets, box->offset, dynamic_stride, operands, &count, &segments[num_fixed]);
    MlirAttribute sizes = split(b, box->rank, box->size, dynamic_size, operands, &count, &segments[num_fixed + 1]);
    MlirAttribute strides =
        split(b, box->rank, box->stride, dynamic_stride, operands, &count, &segments[num_fixed + 2]);
    tri_attr attrs[] = {{"operandSegmentSizes", tri_attr_i32s(b->context, num_fixed + 3, segments)},
                        {"static_offsets", offsets}, {"static_sizes", sizes}, {"static_strides", strides}};
    return tri_builder_value(b, &(tri_op){.name = name, .num_operands = count, .operands = operands, .num_results = 1,
                                          .results = &result, .num_attrs = 4, .attrs = attrs});
}

static void shape_of_box(const tri_build_box *box, int64_t *out)
{
    for (int d = 0; d < box->rank; d++)
        out[d] = box->size[d].value.ptr ? mlirShapedTypeGetDynamicSize() : box->size[d].number;
}

static int64_t known(tri_build_size size)
{
    return size.value.ptr ? mlirShapedTypeGetDynamicStrideOrOffset() : size.number;
}

MlirValue tri_build_reinterpret(tri_builder *b, MlirValue memref, const tri_build_box *box)
{
    int64_t shape[TRI_MAX_RANK], strides[TRI_MAX_RANK];
    shape_of_box(box, shape);
    for (int d = 0; d < box->rank; d++)
        strides[d] = known(box->stride[d]);
    MlirAttribute layout = mlirStridedLayoutAttrGet(b->context, known(box->offset[0]), box->rank, strides);
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memref));
    return box_op(b, "memref.reinterpret_cast", 1, &memref, box, 1, memref_type(box->rank, shape, element, layout));
}

MlirValue tri_build_subview(tri_builder *b, MlirValue memref, const tri_build_box *box)
{
    MlirType type = mlirValueGetType(memref);
    int64_t shape[TRI_MAX_RANK], strides[TRI_MAX_RANK], offset, unknown = mlirShapedTypeGetDynamicStrideOrOffset();
    mlirMemRefTypeGetStridesAndOffset(type, strides, &offset);
    shape_of_box(box, shape);
    tri_build_box plain = *box;
    for (int d = 0; d < box->rank; d++) {
        bool is_known =
            offset != unknown && !box->offset[d].value.ptr && (strides[d] != unknown || !box->offset[d].number);
        offset = is_known ? offset + box->offset[d].number * (box->offset[d].number ? strides[d] : 0) : unknown;
        plain.stride[d] = tri_build_number(1);
    }
    MlirAttribute layout = mlirStridedLayoutAttrGet(b->context, offset, box->rank, strides);
    return box_op(b, "memref.subview", 1, &memref, &plain, box->rank,
                  memref_type(box->rank, shape, mlirShapedTypeGetElementType(type), layout));
}

MlirValue tri_build_extract_slice(tri_builder *b, MlirValue tensor, const tri_build_box *box, int rank,
                                  const int64_t *shape)
{
    int64_t whole[TRI_MAX_RANK];
    shape_of_box(box, whole);
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(tensor));
    MlirType result =
        tri_type_tensor(rank < 0 ? box->rank : rank, rank < 0 ? whole : shape, element, (MlirAttribute){NULL});
    return box_op(b, "tensor.extract_slice", 1, &tensor, box, box->rank, result);
}

MlirValue tri_build_insert_slice(tri_builder *b, MlirValue source, MlirValue dest, const tri_build_box *box)
{
    MlirValue fixed[2] = {source, dest};
    return box_op(b, "tensor.insert_slice", 2, fixed, box, box->rank, mlirValueGetType(dest));
}

tri_build_box tri_build_whole(MlirType shaped)
{
    tri_build_box box = {.rank = (int)mlirShapedTypeGetRank(shaped)};
    for (int d = 0; d < box.rank; d++) {
        box.size[d] = tri_build_number(mlirShapedTypeGetDimSize(shaped, d));
        box.stride[d] = tri_build_number(1);
    }
    return box;
}

MlirValue tri_build_alloc(tri_builder *b, int rank, const int64_t *shape, MlirType element)
{
    MlirType type = memref_type(rank, shape, element, (MlirAttribute){NULL});
    tri_attr segments = {"operandSegmentSizes", tri_attr_i32s(b->context, 2, (int32_t[]){0, 0})};
    return tri_builder_value(
        b, &(tri_op){.name = "memref.alloc", .num_results = 1, .results = &type, .num_attrs = 1, .attrs = &segments});
}

MlirValue tri_build_to_tensor(tri_builder *b, MlirValue memref)
{
    MlirType type = mlirValueGetType(memref);
    int64_t shape[TRI_MAX_RANK];
    int rank = (int)mlirShapedTypeGetRank(type);
    for (int d = 0; d < rank; d++)
        shape[d] = mlirShapedTypeGetDimSize(type, d);
    MlirType tensor = tri_type_tensor(rank, shape, mlirShapedTypeGetElementType(type), (MlirAttribute){NULL});
    tri_attr attrs[] = {{"restrict", mlirUnitAttrGet(b->context)}, {"writable", mlirUnitAttrGet(b->context)}};
    return tri_builder_value(b, &(tri_op){.name = "bufferization.to_tensor", .num_operands = 1, .operands = &memref,
                                          .num_results = 1, .results = &tensor, .num_attrs = 2, .attrs = attrs});
}

MlirValue tri_build_to_buffer(tri_builder *b, MlirValue tensor)
{
    MlirType type = mlirValueGetType(tensor);
    int64_t shape[TRI_MAX_RANK];
    int rank = tri_type_rank(type);
    for (int d = 0; d < rank; d++)
        shape[d] = tri_type_dim(type, d);
    MlirType memory = memref_type(rank, shape, tri_type_element(type), (MlirAttribute){NULL});
    return tri_builder_unary(b, "bufferization.to_buffer", memory, tensor);
}

void tri_build_materialize(tri_builder *b, MlirValue tensor, MlirValue memref)
{
    MlirValue operands[] = {tensor, memref};
    tri_attr attr = {"writable", mlirUnitAttrGet(b->context)};
    tri_builder_create(b, &(tri_op){.name = "bufferization.materialize_in_destination", .num_operands = 2,
                                    .operands = operands, .num_attrs = 1, .attrs = &attr});
}

void tri_build_copy(tri_builder *b, MlirValue from, MlirValue to)
{
    MlirValue operands[] = {from, to};
    tri_builder_create(b, &(tri_op){.name = "memref.copy", .num_operands = 2, .operands = operands});
}

static MlirOperation indexed(tri_builder *b, const char *name, int fixed, const MlirValue *operands, int rank,
                             const MlirValue *indices, int results, MlirType result)
{
    MlirValue all[2 + TRI_MAX_RANK];
    for (int i = 0; i < fixed; i++)
        all[i] = operands[i];
    for (int i = 0; i < rank; i++)
        all[fixed + i] = indices[i];
    return tri_builder_create(b, &(tri_op){.name = name, .num_operands = fixed + rank, .operands = all,
                                           .num_results = results, .results = &result});
}

MlirValue tri_build_load(tri_builder *b, MlirValue memref, int rank, const MlirValue *indices)
{
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memref));
    return tri_op_result(indexed(b, "memref.load", 1, &memref, rank, indices, 1, element), 0);
}

void tri_build_store(tri_builder *b, MlirValue value, MlirValue memref, int rank, const MlirValue *indices)
{
    indexed(b, "memref.store", 2, (MlirValue[]){value, memref}, rank, indices, 0, (MlirType){NULL});
}

MlirValue tri_build_extract(tri_builder *b, MlirValue tensor, int rank, const MlirValue *indices)
{
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(tensor));
    return tri_op_result(indexed(b, "tensor.extract", 1, &tensor, rank, indices, 1, element), 0);
}

MlirValue tri_build_insert(tri_builder *b, MlirValue value, MlirValue tensor, int rank, const MlirValue *indices)
{
    return tri_op_result(
        indexed(b, "tensor.insert", 2, (MlirValue[]){value, tensor}, rank, indices, 1, mlirValueGetType(tensor)), 0);
}

/* --- tensors --- */

MlirValue tri_build_empty(tri_builder *b, MlirType tensor)
{
    return tri_builder_value(b, &(tri_op){.name = "tensor.empty", .num_results = 1, .results = &tensor});
}

MlirValue tri_build_zero(tri_builder *b, MlirType scalar)
{
    return tri_type_is_float(scalar) ? tri_builder_float(b, scalar, 0) : tri_builder_int(b, scalar, 0);
}

MlirValue tri_build_filled(tri_builder *b, MlirType tensor, MlirValue scalar)
{
    return tri_op_result(tri_build_named(b, "linalg.fill", 1, &scalar, tri_build_empty(b, tensor)), 0);
}

void tri_build_fill_memory(tri_builder *b, MlirValue scalar, MlirValue memref)
{
    tri_build_named(b, "linalg.fill", 1, &scalar, memref);
}

/* [[0, 1, ..., n - 1]], or [] for rank 0 */
static MlirAttribute one_group(MlirContext context, int n)
{
    MlirAttribute numbers[TRI_MAX_RANK], group;
    for (int i = 0; i < n; i++)
        numbers[i] = mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), i);
    group = mlirArrayAttrGet(context, n, numbers);
    return mlirArrayAttrGet(context, n ? 1 : 0, &group);
}

MlirValue tri_build_reshape(tri_builder *b, MlirValue tensor, MlirType to)
{
    MlirType from = mlirValueGetType(tensor);
    int64_t count = tri_type_num_elements(from), shape[TRI_MAX_RANK];
    int rank_from = (int)mlirShapedTypeGetRank(from), rank_to = (int)mlirShapedTypeGetRank(to);
    MlirType flat = tri_type_tensor(1, &count, mlirShapedTypeGetElementType(from), (MlirAttribute){NULL});
    if (mlirTypeEqual(from, to))
        return tensor;
    if (rank_from > 1) {
        tri_attr groups = {"reassociation", one_group(b->context, rank_from)};
        tensor = tri_builder_value(b, &(tri_op){.name = "tensor.collapse_shape", .num_operands = 1, .operands = &tensor,
                                                .num_results = 1, .results = &flat, .num_attrs = 1, .attrs = &groups});
    }
    if (rank_to == 1 && rank_from)
        return tensor;
    for (int d = 0; d < rank_to; d++)
        shape[d] = mlirShapedTypeGetDimSize(to, d);
    bool is_smaller = !rank_to;
    tri_attr attrs[] = {
        {"reassociation",
         is_smaller || !rank_from ? mlirArrayAttrGet(b->context, 0, NULL) : one_group(b->context, rank_to)},
        {"static_output_shape", is_smaller ? (MlirAttribute){NULL} : tri_build_i64s(b->context, rank_to, shape)}};
    return tri_builder_value(b, &(tri_op){.name = is_smaller ? "tensor.collapse_shape" : "tensor.expand_shape",
                                          .num_operands = 1,
                                          .operands = &tensor,
                                          .num_results = 1,
                                          .results = &to,
                                          .num_attrs = 2,
                                          .attrs = attrs});
}

/* --- control flow --- */

void tri_build_yield(tri_builder *b, const char *name, intptr_t n, const MlirValue *values)
{
    tri_builder_create(b, &(tri_op){.name = name, .num_operands = n, .operands = values});
}

static MlirRegion region_with(tri_builder *b, intptr_t n, const MlirType *types, tri_builder *inner)
{
    enum { max_arguments = 64 };
    MlirLocation locs[max_arguments];
    for (intptr_t i = 0; i < n && i < max_arguments; i++)
        locs[i] = b->loc;
    MlirRegion region = mlirRegionCreate();
    MlirBlock block = mlirBlockCreate(n, types, locs);
    mlirRegionAppendOwnedBlock(region, block);
    *inner = tri_builder_at_end(block, b->loc);
    return region;
}

MlirOperation tri_build_for(tri_builder *b, tri_build_size from, tri_build_size to, tri_build_size step, intptr_t n,
                            const MlirValue *carried, tri_builder *inner)
{
    enum { max_carried = 16 };
    MlirValue operands[3 + max_carried] = {tri_build_index(b, from), tri_build_index(b, to), tri_build_index(b, step)};
    MlirType types[1 + max_carried] = {mlirIndexTypeGet(b->context)};
    for (intptr_t i = 0; i < n; i++) {
        operands[3 + i] = carried[i];
        types[1 + i] = mlirValueGetType(carried[i]);
    }
    MlirRegion region = region_with(b, 1 + n, types, inner);
    return tri_builder_create(b, &(tri_op){.name = "scf.for",
                                           .num_operands = 3 + n,
                                           .operands = operands,
                                           .num_results = n,
                                           .results = types + 1,
                                           .num_regions = 1,
                                           .regions = &region});
}

MlirOperation tri_build_if(tri_builder *b, MlirValue condition, intptr_t n, const MlirType *results, tri_builder *then_,
                           tri_builder *else_)
{
    MlirRegion regions[2] = {region_with(b, 0, NULL, then_), {NULL}};
    if (else_)
        regions[1] = region_with(b, 0, NULL, else_);
    else
        regions[1] = mlirRegionCreate();
    return tri_builder_create(b, &(tri_op){.name = "scf.if",
                                           .num_operands = 1,
                                           .operands = &condition,
                                           .num_results = n,
                                           .results = results,
                                           .num_regions = 2,
                                           .regions = regions});
}

/* --- linalg --- */

enum { max_linalg = 32 };

static MlirOperation linalg_op(tri_builder *b, const char *name, int num_ins, const MlirValue *ins, int num_outs,
                               const MlirValue *outs, int num_attrs, const tri_attr *more, MlirRegion region,
                               bool has_segments)
{
    MlirValue operands[max_linalg];
    MlirType results[max_linalg];
    tri_attr attrs[4];
    int n = 0, num_results = 0;
    for (int i = 0; i < num_ins; i++)
        operands[n++] = ins[i];
    for (int i = 0; i < num_outs; i++) {
        operands[n++] = outs[i];
        if (tri_type_is_tensor(mlirValueGetType(outs[i])))
            results[num_results++] = mlirValueGetType(outs[i]);
    }
    for (int i = 0; i < num_attrs; i++)
        attrs[i] = more[i];
    if (has_segments)
        attrs[num_attrs++] =
            (tri_attr){"operandSegmentSizes", tri_attr_i32s(b->context, 2, (int32_t[]){num_ins, num_outs})};
    return tri_builder_create(b, &(tri_op){.name = name,
                                           .num_operands = n,
                                           .operands = operands,
                                           .num_results = num_results,
                                           .results = results,
                                           .num_attrs = num_attrs,
                                           .attrs = attrs,
                                           .num_regions = 1,
                                           .regions = &region});
}

static MlirType element_of(MlirType type)
{
    return mlirTypeIsAMemRef(type) ? mlirShapedTypeGetElementType(type) : tri_type_element(type);
}

static MlirRegion elements_region(tri_builder *b, int num_ins, const MlirValue *ins, int num_outs,
                                  const MlirValue *outs, tri_builder *inner)
{
    MlirType types[max_linalg];
    int n = 0;
    for (int i = 0; i < num_ins; i++)
        types[n++] = element_of(mlirValueGetType(ins[i]));
    for (int i = 0; i < num_outs; i++)
        types[n++] = element_of(mlirValueGetType(outs[i]));
    return region_with(b, n, types, inner);
}

MlirOperation tri_build_linalg(tri_builder *b, const char *name, int num_ins, const MlirValue *ins, int num_outs,
                               const MlirValue *outs, tri_attr attr, tri_builder *inner)
{
    MlirRegion region = elements_region(b, num_ins, ins, num_outs, outs, inner);
    return linalg_op(b, name, num_ins, ins, num_outs, outs, 1, &attr, region, false);
}

MlirOperation tri_build_named(tri_builder *b, const char *name, int num_ins, const MlirValue *ins, MlirValue out)
{
    MlirOperation op = linalg_op(b, name, num_ins, ins, 1, &out, 0, NULL, mlirRegionCreate(), true);
    mlirLinalgFillBuiltinNamedOpRegion(op);
    return op;
}

MlirOperation tri_build_generic(tri_builder *b, int num_ins, const MlirValue *ins, const MlirAffineMap *maps,
                                int num_outs, const MlirValue *outs, tri_builder *inner)
{
    int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(outs[0]));
    MlirAttribute all[max_linalg], kinds[TRI_MAX_RANK];
    MlirAffineMap identity = mlirAffineMapMultiDimIdentityGet(b->context, rank);
    for (int i = 0; i < num_ins + num_outs; i++)
        all[i] = mlirAffineMapAttrGet(maps && i < num_ins ? maps[i] : identity);
    for (int d = 0; d < rank; d++)
        kinds[d] = mlirAttributeParseGet(b->context, mlirStringRefCreateFromCString("#linalg.iterator_type<parallel>"));
    tri_attr attrs[] = {{"indexing_maps", mlirArrayAttrGet(b->context, num_ins + num_outs, all)},
                        {"iterator_types", mlirArrayAttrGet(b->context, rank, kinds)}};
    MlirRegion region = elements_region(b, num_ins, ins, num_outs, outs, inner);
    return linalg_op(b, "linalg.generic", num_ins, ins, num_outs, outs, 2, attrs, region, true);
}

MlirValue tri_build_linalg_index(tri_builder *b, int dim)
{
    MlirType index = mlirIndexTypeGet(b->context);
    tri_attr attr = {"dim", tri_attr_i64(b->context, dim)};
    return tri_builder_value(
        b, &(tri_op){.name = "linalg.index", .num_results = 1, .results = &index, .num_attrs = 1, .attrs = &attr});
}
