#include "passes/ttir/descriptor.h"

#include "ir/compare.h"

#include "mlir-c/BuiltinTypes.h"

#include <math.h>

/* One access: where, and what of it is inside. */
typedef struct {
    tri_pass_run *run;
    MlirOperation op;
    const tri_descriptor *desc;
    tri_builder b;
    int rank;
    int64_t shape[TRI_MAX_RANK]; /* of the tensor of pointers */
    unsigned checked; /* bit d: dimension d takes part in the mask */
    MlirValue pointers, mask;
    MlirType i1, i32, i64, element;
} access;

MlirType tri_descriptor_element(MlirType block)
{
    MlirType element = tri_type_element(block);
    if (!mlirTypeIsAInteger(element))
        return element;
    return mlirIntegerTypeGet(mlirTypeGetContext(element), mlirIntegerTypeGetWidth(element));
}

static MlirType tensor_of(const access *a, const int64_t *shape, MlirType element)
{
    return tri_type_tensor(a->rank, shape, element, (MlirAttribute){NULL});
}

static MlirValue unary(access *a, const char *name, MlirType type, MlirValue x)
{
    return tri_builder_unary(&a->b, name, type, x);
}

static MlirValue binary(access *a, const char *name, MlirType type, MlirValue x, MlirValue y)
{
    return tri_builder_binary(&a->b, name, type, x, y);
}

static MlirValue range(access *a, int64_t n)
{
    MlirType type = tri_type_tensor(1, &n, a->i32, (MlirAttribute){NULL});
    tri_attr attrs[] = {{"start", tri_attr_i32(a->b.context, 0)}, {"end", tri_attr_i32(a->b.context, (int32_t)n)}};
    return tri_builder_value(&a->b, &(tri_op){.name = "tt.make_range", .num_results = 1, .results = &type,
                                              .num_attrs = 2, .attrs = attrs});
}

/* A 1-D tensor as [1, .., n, .., 1] with n at dimension d. */
static MlirValue along(access *a, MlirValue value, int d)
{
    MlirType element = tri_type_element(mlirValueGetType(value));
    int64_t n = tri_type_dim(mlirValueGetType(value), 0), shape[TRI_MAX_RANK] = {n};
    int rank = 1;
    for (int axis = 0; axis < a->rank; axis++) {
        if (axis == d)
            continue;
        for (int i = rank; i > axis; i--)
            shape[i] = shape[i - 1];
        shape[axis] = 1;
        rank++;
        MlirType type = tri_type_tensor(rank, shape, element, (MlirAttribute){NULL});
        tri_attr attr = {"axis", tri_attr_i32(a->b.context, axis)};
        value = tri_builder_value(&a->b, &(tri_op){.name = "tt.expand_dims", .num_operands = 1, .operands = &value,
                                                   .num_results = 1, .results = &type, .num_attrs = 1,
                                                   .attrs = &attr});
    }
    return value;
}

static MlirValue spread_descriptor(access *a, MlirValue value, MlirType element)
{
    MlirType type = tensor_of(a, a->shape, element);
    return mlirTypeEqual(mlirValueGetType(value), type) ? value : unary(a, "tt.broadcast", type, value);
}

/* Adds dimension d: `index` are its coordinates, a 1-D i64 tensor. */
static void add_dimension(access *a, int d, MlirValue index)
{
    int64_t line[TRI_MAX_RANK];
    for (int i = 0; i < a->rank; i++)
        line[i] = i == d ? a->shape[d] : 1;
    MlirType wide = tensor_of(a, line, a->i64), flags = tensor_of(a, line, a->i1);
    index = along(a, index, d);
    MlirValue offset = binary(a, "arith.muli", wide, index, unary(a, "tt.splat", wide, a->desc->stride[d]));
    a->pointers =
        binary(a, "tt.addptr", mlirValueGetType(a->pointers), a->pointers, spread_descriptor(a, offset, a->i64));
    if (!(a->checked >> d & 1))
        return;
    MlirValue low = tri_compare_make(&a->b, TRI_CMP_SGE, index, tri_builder_int(&a->b, wide, 0));
    MlirValue high = tri_compare_make(&a->b, TRI_CMP_SLT, index, unary(a, "tt.splat", wide, a->desc->shape[d]));
    MlirValue inside = spread_descriptor(a, binary(a, "arith.andi", flags, low, high), a->i1);
    a->mask = mlirValueIsNull(a->mask) ? inside
                                       : binary(a, "arith.andi", mlirValueGetType(inside), a->mask, inside);
}

/* offset + 0, 1, 2, ... */
static MlirValue run_from(access *a, MlirValue offset, int64_t n)
{
    MlirType type = tri_type_tensor(1, &n, a->i64, (MlirAttribute){NULL});
    MlirValue steps = unary(a, "arith.extsi", type, range(a, n));
    if (mlirTypeEqual(mlirValueGetType(offset), a->i32))
        offset = unary(a, "arith.extsi", a->i64, offset);
    MlirValue start = unary(a, "tt.splat", type, offset);
    return binary(a, "arith.addi", type, start, steps);
}

static void begin(access *a, tri_pass_run *run, MlirOperation op, const tri_descriptor *desc)
{
    MlirContext context = run->unit->mlir;
    *a = (access){.run = run, .op = op, .desc = desc, .b = tri_builder_before(op), .rank = desc->rank};
    a->checked = ~0u;
    a->i1 = mlirIntegerTypeGet(context, 1);
    a->i32 = mlirIntegerTypeGet(context, 32);
    a->i64 = mlirIntegerTypeGet(context, 64);
    a->element = tri_descriptor_element(desc->block);
}

static void start_pointers(access *a)
{
    MlirType type = tensor_of(a, a->shape, mlirValueGetType(a->desc->pointer));
    a->pointers = unary(a, "tt.splat", type, a->desc->pointer);
}

static void address_block(access *a, const MlirValue *offsets)
{
    for (int d = 0; d < a->rank; d++)
        a->shape[d] = tri_type_dim(a->desc->block, d);
    start_pointers(a);
    for (int d = 0; d < a->rank; d++)
        add_dimension(a, d, run_from(a, offsets[d], a->shape[d]));
}

static void address_indices(access *a, intptr_t first)
{
    MlirValue offsets[TRI_MAX_RANK];
    for (int d = 0; d < a->rank; d++)
        offsets[d] = tri_op_operand(a->op, first + d);
    address_block(a, offsets);
}

/* Rows picked by a tensor of indices, columns from one offset on. */
static void address_rows(access *a)
{
    MlirValue rows = tri_op_operand(a->op, 1);
    int64_t n = tri_type_dim(mlirValueGetType(rows), 0);
    a->shape[0] = n;
    a->shape[1] = tri_type_dim(a->desc->block, 1);
    start_pointers(a);
    MlirType wide = tri_type_tensor(1, &n, a->i64, (MlirAttribute){NULL});
    add_dimension(a, 0, unary(a, "arith.extsi", wide, rows));
    add_dimension(a, 1, run_from(a, tri_op_operand(a->op, 2), a->shape[1]));
}

/* Rounds f32 to the nearest tf32, ties to even; infinities and NaN stay. */
static MlirValue rounded(access *a, MlirValue value)
{
    MlirType type = mlirValueGetType(value), bits = tensor_of(a, a->shape, a->i32);
    MlirValue x = unary(a, "tt.bitcast", bits, value);
    MlirValue odd = binary(a, "arith.shrui", bits, x, tri_builder_int(&a->b, bits, 13));
    odd = binary(a, "arith.andi", bits, odd, tri_builder_int(&a->b, bits, 1));
    MlirValue half = binary(a, "arith.addi", bits, odd, tri_builder_int(&a->b, bits, 0xFFF));
    MlirValue y = binary(a, "arith.addi", bits, x, half);
    y = binary(a, "arith.andi", bits, y, tri_builder_int(&a->b, bits, (int32_t)0xFFFFE000));
    MlirValue exponent = tri_builder_int(&a->b, bits, 0x7F800000);
    MlirType flags = tensor_of(a, a->shape, a->i1);
    MlirValue is_special = tri_compare_make(&a->b, TRI_CMP_EQ, binary(a, "arith.andi", bits, x, exponent), exponent);
    MlirValue keep =
        binary(a, "arith.ori", flags, is_special,
               unary(a, "tt.splat", flags,
                     binary(a, "arith.xori", a->i1, a->desc->is_rounded, tri_builder_int(&a->b, a->i1, 1))));
    MlirValue choice[] = {keep, x, y};
    MlirValue chosen = tri_builder_value(&a->b, &(tri_op){.name = "arith.select", .num_operands = 3,
                                                          .operands = choice, .num_results = 1, .results = &bits});
    return unary(a, "tt.bitcast", type, chosen);
}

static MlirValue filler(access *a, MlirType type)
{
    if (!tri_type_is_float(a->element))
        return tri_builder_int(&a->b, type, 0);
    MlirValue choice[] = {a->desc->is_nan, tri_builder_float(&a->b, type, NAN), tri_builder_float(&a->b, type, 0)};
    return tri_builder_value(&a->b, &(tri_op){.name = "arith.select", .num_operands = 3, .operands = choice,
                                              .num_results = 1, .results = &type});
}

/* Text of Intel's passes has loads whose tensor is the block turned. */
static bool is_turned(const access *a)
{
    return tri_str_is(tri_op_string(a->op, "ttig.block_io"), "column_major");
}

static MlirValue turned(access *a, MlirValue value)
{
    int rank = a->desc->rank;
    int64_t shape[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        order[d] = d < rank - 2 ? d : 2 * rank - 3 - d;
        shape[d] = tri_type_dim(mlirValueGetType(value), order[d]);
    }
    MlirType type = tensor_of(a, shape, a->element);
    return tri_builder_value(&a->b, &(tri_op){.name = "tt.trans", .num_operands = 1, .operands = &value,
                                              .num_results = 1, .results = &type, .num_attrs = 1,
                                              .attrs = &(tri_attr){"order", tri_attr_i32s(a->b.context, rank, order)}});
}

static void rewrite_load(access *a)
{
    MlirType type = tensor_of(a, a->shape, a->element);
    bool has_mask = !mlirValueIsNull(a->mask), has_other = has_mask && !mlirValueIsNull(a->desc->is_nan);
    const int32_t sizes[] = {1, has_mask, has_other};
    MlirValue operands[] = {a->pointers, a->mask, has_other ? filler(a, type) : a->mask};
    tri_attr attrs[] = {{"operandSegmentSizes", tri_attr_i32s(a->b.context, 3, sizes)},
                        {"cache", tri_op_attr(a->op, "cache")},
                        {"evict", tri_op_attr(a->op, "evict")},
                        {"isVolatile", tri_op_attr(a->op, "isVolatile")}};
    MlirValue value = tri_builder_value(&a->b, &(tri_op){.name = "tt.load", .num_operands = 1 + has_mask + has_other,
                                                         .operands = operands, .num_results = 1, .results = &type,
                                                         .num_attrs = 4, .attrs = attrs});
    if (mlirTypeIsAF32(a->element) && !mlirValueIsNull(a->desc->is_rounded))
        value = rounded(a, value);
    MlirType wanted = mlirValueGetType(tri_op_result(a->op, 0));
    if (is_turned(a))
        value = turned(a, value);
    if (!mlirTypeEqual(wanted, mlirValueGetType(value)))
        value = unary(a, "tt.reshape", wanted, value);
    tri_op_replace(a->op, 1, &value);
}

/* The tensor that is written, in the shape of the block. */
static MlirValue source_of(access *a)
{
    MlirValue value = tri_op_operand(a->op, tri_op_is(a->op, "tt.descriptor_scatter") ? 3 : 1);
    MlirType type = tensor_of(a, a->shape, a->element);
    return mlirTypeEqual(mlirValueGetType(value), type) ? value : unary(a, "tt.reshape", type, value);
}

static void rewrite_store(access *a)
{
    MlirValue operands[] = {a->pointers, source_of(a), a->mask};
    tri_attr attrs[] = {{"cache", tri_op_attr(a->op, "cache")}, {"evict", tri_op_attr(a->op, "evict")}};
    tri_builder_create(&a->b, &(tri_op){.name = "tt.store", .num_operands = mlirValueIsNull(a->mask) ? 2 : 3,
                                        .operands = operands, .num_attrs = 2, .attrs = attrs});
    tri_op_replace(a->op, 0, NULL);
}

/* DescriptorReduceKind to RMWOp; 0 when there is none. */
static int rmw_of(const access *a, int64_t kind)
{
    enum { add = 1, min, max, inc, dec, and_, or_, xor_ };
    bool is_float = tri_type_is_float(a->element);
    bool is_ordered = !is_float || tri_type_bits(a->element) == 16;
    bool is_unsigned = mlirTypeIsAInteger(tri_type_element(a->desc->block)) &&
                       mlirIntegerTypeIsUnsigned(tri_type_element(a->desc->block));
    switch (kind) {
    case add: return is_float ? 5 : 4;
    case min: return !is_ordered ? 0 : is_unsigned ? 9 : 7;
    case max: return !is_ordered ? 0 : is_unsigned ? 8 : 6;
    case and_: return is_float ? 0 : 1;
    case or_: return is_float ? 0 : 2;
    case xor_: return is_float ? 0 : 3;
    default: return 0;
    }
}

static bool rewrite_reduce(access *a)
{
    static const char *const names[] = {"?", "add", "min", "max", "inc", "dec", "and", "or", "xor"};
    int64_t kind = tri_op_int(a->op, "kind", 0);
    int rmw = rmw_of(a, kind);
    if (!rmw) {
        tri_op_error(a->run->unit->diag, a->op, 6002,
                     "a descriptor's atomic '%s' of %s elements is not supported on this target; "
                     "load, combine and store the block where one program at a time does so, or use another type",
                     names[kind > 0 && kind <= 8 ? kind : 0],
                     tri_type_is_float(a->element) ? "floating-point" : "integer");
        return false;
    }
    enum { release = 3, gpu = 1 };
    MlirValue operands[] = {a->pointers, source_of(a), a->mask};
    MlirType type = mlirValueGetType(operands[1]);
    tri_attr attrs[] = {{"atomic_rmw_op", tri_attr_i32(a->b.context, rmw)},
                        {"sem", tri_attr_i32(a->b.context, release)},
                        {"scope", tri_attr_i32(a->b.context, gpu)}};
    tri_builder_create(&a->b, &(tri_op){.name = "tt.atomic_rmw", .num_operands = 3, .operands = operands,
                                        .num_results = 1, .results = &type, .num_attrs = 3, .attrs = attrs});
    tri_op_replace(a->op, 0, NULL);
    return true;
}

/* The tensor that it loads or stores. */
static bool has_layout(MlirOperation op)
{
    bool is_load = mlirOperationGetNumResults(op) > 0;
    MlirValue value = is_load ? tri_op_result(op, 0)
                              : tri_op_operand(op, tri_op_is(op, "tt.descriptor_scatter") ? 3 : 1);
    return !mlirAttributeIsNull(tri_type_encoding(mlirValueGetType(value)));
}

bool tri_descriptor_rewrite(tri_pass_run *run, MlirOperation op, const tri_descriptor *desc)
{
    access a;
    if (has_layout(op)) {
        tri_op_error(run->unit->diag, op, 5014,
                     "tensors already have layouts; rewrite descriptors before convert-triton-to-tritongpu");
        return false;
    }
    begin(&a, run, op, desc);
    bool is_rows = tri_op_is(op, "tt.descriptor_gather") || tri_op_is(op, "tt.descriptor_scatter");
    if (is_rows)
        address_rows(&a);
    else
        address_indices(&a, tri_op_is(op, "tt.descriptor_load") ? 1 : 2);
    if (tri_op_is(op, "tt.descriptor_load") || tri_op_is(op, "tt.descriptor_gather")) {
        rewrite_load(&a);
        return true;
    }
    if (tri_op_is(op, "tt.descriptor_reduce"))
        return rewrite_reduce(&a);
    rewrite_store(&a);
    return true;
}

void tri_descriptor_rewrite_block(tri_pass_run *run, MlirOperation op, const tri_descriptor *desc,
                                  const MlirValue *offsets, unsigned checked)
{
    access a;
    begin(&a, run, op, desc);
    a.checked = checked;
    address_block(&a, offsets);
    if (tri_op_is(op, "tt.load"))
        rewrite_load(&a);
    else
        rewrite_store(&a);
}
