/* Gives every tensor a layout: ttir becomes ttgir.
 *
 *     module {                                    module attributes {"ttg.num-warps" = 4 : i32, ...} {
 *       %r = tt.make_range ... : tensor<128xi32>    %r = tt.make_range ... : tensor<128xi32, #blocked>
 *       %c = tt.expand_dims %r {axis = 1 : i32}     %s = ttg.convert_layout %r : ... -> #slice<dim 1 of #c>
 *                                                   %c = tt.expand_dims %s ... -> tensor<128x1xi32, #c>
 *
 * Needs: ttir as the front end writes it (tensors without encodings; those that have one keep it).
 * Afterwards: every tensor type carries an encoding, operands have the layouts their ops demand
 * (by ttg.convert_layout), and the module says num-warps, threads-per-warp, num-ctas and target.
 * Answers to Triton's pass of the same name. Test: tests/passes/convert-triton-to-tritongpu.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/analysis/blocked.h"
#include "ir/analysis/infer.h"
#include "ir/analysis/scratch.h"
#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/op.h"
#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"

typedef struct {
    tri_pass_run *run;
    tri_launch launch;
    tri_map types;    /* MlirType.ptr -> the same type with the default encoding */
    tri_map converts; /* MlirValue.ptr -> the value in the default layout of its shape */
} converter;

static bool is_bare_tensor(MlirType type)
{
    return tri_type_is_tensor(type) && mlirAttributeIsNull(tri_type_encoding(type));
}

/* The type with the default layout; types that need none come back as they are. */
static MlirType default_type(converter *c, MlirType type)
{
    if (!is_bare_tensor(type))
        return type;
    void *known = tri_map_find_ptr(&c->types, type.ptr);
    if (known)
        return (MlirType){known};
    MlirType made = tri_type_with_encoding(type, tri_blocked_default_attr(type, c->launch));
    tri_map_set_ptr(&c->types, type.ptr, (void *)made.ptr);
    return made;
}

static MlirValue make_convert(tri_builder *b, MlirValue value, MlirAttribute encoding)
{
    MlirType type = tri_type_with_encoding(mlirValueGetType(value), encoding);
    return tri_builder_unary(b, "ttg.convert_layout", type, value);
}

/* The value in the default layout; one convert right behind its definition serves every user. */
static MlirValue in_default(converter *c, MlirValue value)
{
    MlirType type = mlirValueGetType(value);
    MlirType bare = tri_type_with_encoding(type, (MlirAttribute){NULL});
    MlirAttribute encoding = tri_type_encoding(default_type(c, bare));
    if (mlirAttributeEqual(encoding, tri_type_encoding(type)))
        return value;
    void *known = tri_map_find_ptr(&c->converts, value.ptr);
    if (known)
        return (MlirValue){known};
    MlirBlock block;
    intptr_t index;
    tri_builder b = tri_op_is_block_argument(value, &block, &index)
                        ? tri_builder_at_start(block, mlirOperationGetLocation(mlirBlockGetParentOperation(block)))
                        : tri_builder_after(tri_op_def(value));
    MlirValue converted = make_convert(&b, value, encoding);
    tri_map_set_ptr(&c->converts, value.ptr, (void *)converted.ptr);
    return converted;
}

static void set_operand_encoding(MlirOperation op, intptr_t i, MlirAttribute encoding)
{
    MlirValue value = tri_op_operand(op, i);
    if (mlirAttributeEqual(tri_type_encoding(mlirValueGetType(value)), encoding))
        return;
    tri_builder b = tri_builder_before(op);
    mlirOperationSetOperand(op, i, make_convert(&b, value, encoding));
}

static void set_result_encoding(MlirOperation op, intptr_t i, MlirAttribute encoding)
{
    MlirValue result = tri_op_result(op, i);
    if (is_bare_tensor(mlirValueGetType(result)))
        tri_op_set_type(result, tri_type_with_encoding(mlirValueGetType(result), encoding));
}

static void set_default_results(converter *c, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        tri_op_set_type(tri_op_result(op, i), default_type(c, mlirValueGetType(tri_op_result(op, i))));
}

/* Dense constants carry their type in the attribute as well. */
static void convert_constant(converter *c, MlirOperation op)
{
    MlirAttribute value = tri_op_attr(op, "value");
    MlirType type = default_type(c, mlirValueGetType(tri_op_result(op, 0)));
    if (mlirAttributeIsADenseElements(value) && tri_type_is_tensor(type)) {
        tri_builder_set_attr(op, "value", mlirDenseElementsAttrReshapeGet(value, type));
        tri_op_set_type(tri_op_result(op, 0), type);
    }
}

/* The result has the source's layout with a new dimension of size 1 in it; dimension 0 is fastest. */
static void convert_expand_dims(converter *c, MlirOperation op)
{
    MlirValue result = tri_op_result(op, 0);
    if (!is_bare_tensor(mlirValueGetType(result)))
        return;
    tri_arena *arena = c->run->arena;
    const tri_encoding *from = tri_encoding_get(arena, tri_type_encoding(mlirValueGetType(tri_op_operand(op, 0))));
    int axis = (int)tri_op_int(op, "axis", 0);
    tri_encoding e = {.kind = TRI_ENC_BLOCKED, .rank = from->rank + 1, .cga = from->cga};
    for (int d = 0, s = 0; d < e.rank; d++) {
        bool is_new = d == axis;
        e.blocked.size_per_thread[d] = is_new ? 1 : from->blocked.size_per_thread[s];
        e.blocked.threads_per_warp[d] = is_new ? 1 : from->blocked.threads_per_warp[s];
        e.warps_per_cta[d] = is_new ? 1 : from->warps_per_cta[s];
        e.order[d] = d;
        for (int b = 0; b < e.cga.count; b++)
            e.cga.at[b][d] = is_new ? 0 : from->cga.at[b][s];
        s += !is_new;
    }
    MlirAttribute encoding = tri_encoding_make(c->run->unit->mlir, &e);
    set_operand_encoding(op, 0, tri_infer_slice(arena, encoding, axis));
    set_result_encoding(op, 0, encoding);
}

/* Results follow from the operand. */
static bool convert_inferred(converter *c, MlirOperation op)
{
    MlirAttribute from = tri_type_encoding(mlirValueGetType(tri_op_operand(op, 0)));
    MlirAttribute to = tri_infer_result(c->run->arena, op, from);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        if (!is_bare_tensor(mlirValueGetType(tri_op_result(op, i))))
            continue;
        if (mlirAttributeIsNull(to)) {
            tri_op_error(c->run->unit->diag, op, 5014,
                         "the layout of this operation's result cannot be told from its operand's");
            return false;
        }
        set_result_encoding(op, i, to);
    }
    return true;
}

/* The two halves must lie in one thread. */
static bool convert_split(converter *c, MlirOperation op)
{
    MlirAttribute from = tri_type_encoding(mlirValueGetType(tri_op_operand(op, 0)));
    if (mlirAttributeIsNull(tri_infer_result(c->run->arena, op, from))) {
        MlirType half = default_type(c, mlirValueGetType(tri_op_result(op, 0)));
        if (!tri_type_is_tensor(half))
            return true;
        tri_op_set_type(tri_op_result(op, 0), half);
        set_operand_encoding(op, 0, tri_infer_operand(c->run->arena, op, tri_type_encoding(half)));
    }
    return convert_inferred(c, op);
}

/* Square tiles of 4x4 or 2x2 accumulators per thread where the matrix is large enough. */
static void convert_dot(converter *c, MlirOperation op)
{
    MlirValue result = tri_op_result(op, 0);
    MlirType type = mlirValueGetType(result);
    if (!is_bare_tensor(type))
        return;
    int rank = tri_type_rank(type);
    int64_t shape[TRI_MAX_RANK];
    int32_t size[TRI_MAX_RANK], order[TRI_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        shape[d] = tri_type_dim(type, d);
        size[d] = 1;
        order[d] = rank - 1 - d;
    }
    int64_t each = shape[rank - 1] * shape[rank - 2] / ((int64_t)c->launch.warps * c->launch.lanes);
    int32_t side = each >= 16 ? 4 : each >= 4 ? 2 : 1;
    for (int d = rank - 2; d < rank; d++)
        size[d] = shape[d] < side ? (int32_t)shape[d] : side;
    tri_encoding e = tri_blocked_make(rank, shape, size, order, c->launch);
    MlirAttribute encoding = tri_encoding_make(c->run->unit->mlir, &e);
    for (int i = 0; i < 2; i++) {
        tri_encoding operand = {.kind = TRI_ENC_DOT_OP, .rank = rank, .parent = &e, .dot_op.op_idx = i};
        MlirAttribute now = tri_type_encoding(mlirValueGetType(tri_op_operand(op, i)));
        if (tri_encoding_kind_of(now) != TRI_ENC_DOT_OP)
            set_operand_encoding(op, i, tri_encoding_make(c->run->unit->mlir, &operand));
    }
    set_operand_encoding(op, 2, encoding);
    set_result_encoding(op, 0, encoding);
}

static int64_t registers_of(converter *c, MlirType type)
{
    tri_linear linear;
    return tri_scratch_linear(c->run->arena, type, &linear) ? tri_linear_in_size(&linear, TRI_DIM_REGISTER) : 0;
}

/* A thread keeps what it has of both operands, also where there are more threads than elements and several hold the
 * same: its part of the result is then wider along the dimension that grows. */
static void convert_cat(converter *c, MlirOperation op)
{
    MlirValue result = tri_op_result(op, 0);
    if (!is_bare_tensor(mlirValueGetType(result)))
        return;
    set_default_results(c, op);
    tri_encoding e = *tri_encoding_get(c->run->arena, tri_type_encoding(mlirValueGetType(result)));
    int64_t wanted = 2 * registers_of(c, mlirValueGetType(tri_op_operand(op, 0)));
    while (registers_of(c, mlirValueGetType(result)) < wanted) {
        e.blocked.size_per_thread[0] *= 2;
        MlirAttribute encoding = tri_encoding_make(c->run->unit->mlir, &e);
        tri_op_set_type(result, tri_type_with_encoding(mlirValueGetType(result), encoding));
    }
}

/* The blocks of a cluster share out the indices as they do the rows that are gathered or scattered. */
static void share_rows(converter *c, MlirOperation op, tri_encoding *parent)
{
    MlirType rows = mlirValueGetType(mlirOperationGetNumResults(op) ? tri_op_result(op, 0) : tri_op_operand(op, 3));
    int64_t shape[TRI_MAX_RANK];
    int rank = tri_type_rank(rows);
    for (int d = 0; d < rank; d++)
        shape[d] = tri_type_dim(rows, d);
    tri_encoding whole = tri_blocked_default(rank, shape, c->launch);
    parent->cga.count = whole.cga.count;
    for (int b = 0; b < whole.cga.count; b++)
        parent->cga.at[b][1] = whole.cga.at[b][0];
}

/* Row indices of a descriptor gather or scatter: four per thread, the same in every warp row. */
static void convert_row_offsets(converter *c, MlirOperation op)
{
    tri_encoding parent = {.kind = TRI_ENC_BLOCKED, .rank = 2, .order = {1, 0}};
    parent.blocked.size_per_thread[0] = 1;
    parent.blocked.size_per_thread[1] = 4;
    parent.blocked.threads_per_warp[0] = c->launch.lanes;
    parent.blocked.threads_per_warp[1] = parent.warps_per_cta[0] = 1;
    parent.warps_per_cta[1] = c->launch.warps;
    share_rows(c, op, &parent);
    tri_encoding slice = {.kind = TRI_ENC_SLICE, .rank = 1, .parent = &parent};
    set_operand_encoding(op, 1, tri_encoding_make(c->run->unit->mlir, &slice));
    set_default_results(c, op);
}

static bool is_one_of(MlirOperation op, const char *const *names)
{
    for (; *names; names++)
        if (tri_op_is(op, *names))
            return true;
    return false;
}

static bool convert_results(converter *c, MlirOperation op)
{
    static const char *const inferred[] = {"tt.broadcast", "tt.reduce", "tt.scan", "tt.trans", "tt.join", "tt.reshape",
                                           "ttg.fp4_to_fp", NULL};
    static const char *const row_indexed[] = {"tt.descriptor_gather", "tt.descriptor_scatter", NULL};
    if (tri_op_is(op, "arith.constant"))
        convert_constant(c, op);
    else if (tri_op_is(op, "tt.expand_dims"))
        convert_expand_dims(c, op);
    else if (tri_op_is(op, "tt.dot"))
        convert_dot(c, op);
    else if (tri_op_is(op, "tt.split"))
        return convert_split(c, op);
    else if (tri_op_is(op, "tt.cat"))
        convert_cat(c, op);
    else if (is_one_of(op, inferred))
        return convert_inferred(c, op);
    else if (is_one_of(op, row_indexed))
        convert_row_offsets(c, op);
    else
        set_default_results(c, op);
    return true;
}

static void convert_regions(converter *c, MlirOperation op)
{
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(b);
             b = mlirBlockGetNextInRegion(b))
            for (intptr_t i = 0; i < mlirBlockGetNumArguments(b); i++) {
                MlirValue argument = mlirBlockGetArgument(b, i);
                tri_op_set_type(argument, default_type(c, mlirValueGetType(argument)));
            }
}

static void convert_signature(converter *c, MlirOperation func)
{
    MlirType type = mlirTypeAttrGetValue(tri_op_attr(func, "function_type"));
    intptr_t n = mlirFunctionTypeGetNumInputs(type), m = mlirFunctionTypeGetNumResults(type);
    MlirType *types = TRI_NEW_ARRAY(c->run->arena, MlirType, n + m + 1);
    for (intptr_t i = 0; i < n; i++)
        types[i] = default_type(c, mlirFunctionTypeGetInput(type, i));
    for (intptr_t i = 0; i < m; i++)
        types[n + i] = default_type(c, mlirFunctionTypeGetResult(type, i));
    MlirType made = mlirFunctionTypeGet(c->run->unit->mlir, n, types, m, types + n);
    tri_builder_set_attr(func, "function_type", tri_attr_type(made));
}

static bool convert_op(converter *c, MlirOperation op)
{
    if (tri_op_is(op, "tt.func"))
        convert_signature(c, op);
    convert_regions(c, op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue value = tri_op_operand(op, i), wanted;
        if (!tri_type_is_tensor(mlirValueGetType(value)) || tri_op_is(op, "ttg.convert_layout"))
            continue;
        wanted = in_default(c, value);
        if (!mlirValueEqual(wanted, value))
            mlirOperationSetOperand(op, i, wanted);
    }
    return convert_results(c, op);
}

static bool has_layouts(const tri_op_list *ops)
{
    for (size_t i = 0; i < ops->len; i++)
        for (intptr_t r = 0; r < mlirOperationGetNumResults(ops->at[i]); r++) {
            MlirType type = mlirValueGetType(tri_op_result(ops->at[i], r));
            if (tri_type_is_tensor(type) && !is_bare_tensor(type))
                return true;
        }
    return false;
}

static bool is_power_of_two(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static bool run_convert_triton_to_tritongpu(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    MlirContext context = run->unit->mlir;
    converter c = {.run = run};
    c.launch.warps = (int)tri_passes_option_int(run, "num-warps", 4);
    c.launch.lanes = (int)tri_passes_option_int(run, "threads-per-warp", 32);
    c.launch.ctas = (int)tri_passes_option_int(run, "num-ctas", 1);
    tri_str target = tri_passes_option_str(run, "target", "");
    if (!tri_machines_for(target)) {
        tri_op_error(run->unit->diag, module, 5012,
                     "no machine is known for target=%.*s; --print-targets lists what code is made for",
                     TRI_STR_ARG(target));
        return false;
    }
    tri_map_init(&c.types, run->arena);
    tri_map_init(&c.converts, run->arena);

    if (!is_power_of_two(c.launch.warps) || !is_power_of_two(c.launch.lanes) || !is_power_of_two(c.launch.ctas)) {
        tri_op_error(run->unit->diag, module, 5014, "num-warps, threads-per-warp and num-ctas must be powers of two");
        return false;
    }
    tri_op_list ops = {0};
    tri_op_collect(module, run->arena, &ops);
    if (has_layouts(&ops)) {
        tri_op_error(run->unit->diag, module, 5014, "the module has layouts already");
        return false;
    }
    tri_builder_set_attr(module, "ttg.num-warps", tri_attr_i32(context, c.launch.warps));
    tri_builder_set_attr(module, "ttg.threads-per-warp", tri_attr_i32(context, c.launch.lanes));
    tri_builder_set_attr(module, "ttg.num-ctas", tri_attr_i32(context, c.launch.ctas));
    if (target.len)
        tri_builder_set_attr(module, "ttg.target", tri_attr_str(context, target.data, target.len));
    for (size_t i = 0; i < ops.len; i++)
        if (!convert_op(&c, ops.at[i]))
            return false;
    return true;
}

static const char *const options[] = {
    "num-warps=N: warps per block (4)",
    "threads-per-warp=N: lanes of a warp (32)",
    "num-ctas=N: blocks per cluster (1)",
    "target: value of ttg.target, such as cuda:90",
    "enable-source-remat=N: accepted for compatibility, has no effect",
    NULL,
};

const tri_pass tri_pass_convert_triton_to_tritongpu = {
    .name = "convert-triton-to-tritongpu",
    .help = "give every tensor a layout (ttir to ttgir)",
    .options = options,
    .run = run_convert_triton_to_tritongpu,
};
