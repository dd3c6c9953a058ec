/* What is computed, on tensors: tt's operations as linalg, tensor, arith and math.
 *
 *     %r = tt.make_range {end = 64, start = 0}              linalg.generic { linalg.index, arith.index_cast }
 *     %s = tt.splat %x                                      linalg.fill ins(%x) outs(tensor.empty)
 *     %d = tt.dot %a, %b, %c                                linalg.matmul ins(%a, %b) outs(%c)
 *     %m = tt.reduce(%v) {axis}, ...                        linalg.reduce ... dimensions = [axis]
 *
 * Elementwise arith and math on tensors stays. Reductions, scans and what loops over elements are in arith_reduce.c,
 * views and tables in arith_shape.c, functions that others have in arith_calls.c. Answers to
 * triton-arith-to-linalg (triton-shared). Test: tests/passes/triton-arith-to-linalg.mlir */
#include "passes/linalg/arith.h"

#include "ir/compare.h"
#include "passes/passes.h"

#include "ir/linalg.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/linalg/memory.h"
#include "passes/linalg/refuse.h"

#include "mlir-c/BuiltinAttributes.h"

static void replace(MlirOperation op, MlirValue value) { tri_op_replace(op, 1, &value); }

static MlirValue operand(MlirOperation op, intptr_t i) { return tri_op_operand(op, i); }
static MlirType type_of(MlirOperation op) { return mlirValueGetType(tri_op_result(op, 0)); }

static bool rewrite_constant(tri_builder *b, MlirOperation op)
{
    MlirValue result = tri_op_result(op, 0);
    if (!tri_type_is_tensor(mlirValueGetType(result)) || !tri_memory_is_splat(result))
        return true;
    replace(op, tri_build_filled(b, mlirValueGetType(result), tri_memory_splat_scalar(b, result)));
    return true;
}

static bool rewrite_splat(tri_builder *b, MlirOperation op)
{
    replace(op, tri_build_filled(b, type_of(op), operand(op, 0)));
    return true;
}

static bool rewrite_range(tri_builder *b, MlirOperation op)
{
    tri_builder inner;
    MlirType type = type_of(op), element = tri_type_element(type);
    MlirValue empty = tri_build_empty(b, type);
    MlirOperation generic = tri_build_generic(b, 0, NULL, NULL, 1, &empty, &inner);
    MlirValue i = tri_builder_unary(&inner, "arith.index_cast", element, tri_build_linalg_index(&inner, 0));
    int64_t start = tri_op_int(op, "start", 0);
    if (start)
        i = tri_builder_binary(&inner, "arith.addi", element, i, tri_builder_int(&inner, element, start));
    tri_build_yield(&inner, "linalg.yield", 1, &i);
    replace(op, tri_op_result(generic, 0));
    return true;
}

/* --- elementwise --- */

static bool rewrite_clamp(tri_builder *b, MlirOperation op)
{
    bool has_nan = tri_op_int(op, "propagateNan", 0) != 0;
    MlirType type = type_of(op);
    MlirValue x =
        tri_builder_binary(b, has_nan ? "arith.maximumf" : "arith.maxnumf", type, operand(op, 0), operand(op, 1));
    replace(op, tri_builder_binary(b, has_nan ? "arith.minimumf" : "arith.minnumf", type, x, operand(op, 2)));
    return true;
}

static bool rewrite_sqrt(tri_builder *b, MlirOperation op)
{
    replace(op, tri_builder_unary(b, "math.sqrt", type_of(op), operand(op, 0)));
    return true;
}

static bool rewrite_division(tri_builder *b, MlirOperation op)
{
    replace(op, tri_builder_binary(b, "arith.divf", type_of(op), operand(op, 0), operand(op, 1)));
    return true;
}

static bool rewrite_high_product(tri_builder *b, MlirOperation op)
{
    MlirType type = type_of(op), types[2] = {type, type};
    MlirValue operands[] = {operand(op, 0), operand(op, 1)};
    MlirOperation both = tri_builder_create(b, &(tri_op){.name = "arith.mului_extended",
                                                         .num_operands = 2,
                                                         .operands = operands,
                                                         .num_results = 2,
                                                         .results = types});
    replace(op, tri_op_result(both, 1));
    return true;
}

static bool rewrite_bitcast(tri_builder *b, MlirOperation op)
{
    replace(op, tri_builder_unary(b, "arith.bitcast", type_of(op), operand(op, 0)));
    return true;
}

/* What lies outside of a mask is 0 here, and a division by it must not end the program: by 1 instead. */
static bool rewrite_integer_division(tri_builder *b, MlirOperation op)
{
    int64_t constant;
    MlirValue by = operand(op, 1);
    MlirType type = mlirValueGetType(by);
    if (tri_op_const_int(by, &constant) && constant)
        return true;
    MlirValue numbers[2];
    for (int i = 0; i < 2; i++) {
        MlirValue scalar = tri_builder_int(b, tri_type_element(type), i);
        numbers[i] = tri_type_is_tensor(type) ? tri_build_filled(b, type, scalar) : scalar;
    }
    MlirValue select[3] = {tri_compare_make(b, TRI_CMP_EQ, by, numbers[0]), numbers[1], by};
    mlirOperationSetOperand(
        op, 1,
        tri_builder_value(
            b, &(tri_op){
                   .name = "arith.select", .num_operands = 3, .operands = select, .num_results = 1, .results = &type}));
    return true;
}

/* arith.fptosi and the like stay; conversions that tt spells itself are tt.fp_to_fp's. */
static bool rewrite_conversion(tri_builder *b, MlirOperation op)
{
    replace(op, tri_arith_convert(b, operand(op, 0), type_of(op), tri_op_int(op, "rounding", 1) == 0));
    return true;
}

/* arith.extf and arith.truncf of elements of 8 bits, which no later step knows. */
static bool rewrite_float_width(tri_builder *b, MlirOperation op)
{
    MlirType to = type_of(op), from = mlirValueGetType(operand(op, 0));
    unsigned bits = tri_type_bits(tri_type_element(from));
    bool is_twofold = bits == 64 && mlirTypeIsABF16(tri_type_element(to)); /* no machine rounds so at once */
    if (tri_type_bits(tri_type_element(to)) == 8 || bits == 8 || is_twofold)
        replace(op, tri_arith_convert(b, operand(op, 0), to, false));
    return true;
}

/* To bf16 through a type that has all the bits, or half of them as on the NPU, which has no f64. */
static bool int_to_float(tri_builder *b, MlirOperation op, bool has_f64)
{
    enum { exact = 24 }; /* bits of an f32 */
    MlirType to = type_of(op), f32 = mlirF32TypeGet(b->context);
    bool is_small = tri_type_bits(tri_type_element(mlirValueGetType(operand(op, 0)))) <= exact;
    MlirType wide = tri_type_with_element(to, has_f64 && !is_small ? mlirF64TypeGet(b->context) : f32);
    if (mlirTypeIsABF16(tri_type_element(to)))
        replace(op, tri_arith_convert(b, tri_builder_unary(b, tri_op_name(op).data, wide, operand(op, 0)), to, false));
    return true;
}

static bool rewrite_int_to_float(tri_builder *b, MlirOperation op) { return int_to_float(b, op, true); }

static bool rewrite_compare(tri_builder *b, MlirOperation op)
{
    MlirType type = mlirValueGetType(operand(op, 0)), wide = tri_type_with_element(type, mlirF32TypeGet(b->context));
    for (int i = 0; i < 2 && tri_type_bits(tri_type_element(type)) == 8; i++)
        mlirOperationSetOperand(op, i, tri_arith_convert(b, operand(op, i), wide, false));
    return true;
}

/* Arithmetic on floats of 8 bits is made in f32. */
static bool rewrite_float_binary(tri_builder *b, MlirOperation op)
{
    MlirType type = type_of(op), wide = tri_type_with_element(type, mlirF32TypeGet(b->context));
    if (!tri_type_is_float(tri_type_element(type)) || tri_type_bits(tri_type_element(type)) != 8)
        return true;
    MlirValue x = tri_arith_convert(b, operand(op, 0), wide, false);
    MlirValue y = tri_arith_convert(b, operand(op, 1), wide, false);
    replace(op, tri_arith_convert(b, tri_builder_binary(b, tri_op_name(op).data, wide, x, y), type, false));
    return true;
}

/* --- products --- */

static bool is_wide(MlirType element) { return !tri_type_is_float(element) || tri_type_bits(element) >= 32; }

/* Products of 8-bit floats and sums of 16 bits are made in f32, as the machines do. */
static bool rewrite_dot(tri_builder *b, MlirOperation op)
{
    MlirType type = type_of(op), f32 = mlirF32TypeGet(b->context);
    MlirValue ins[2] = {operand(op, 0), operand(op, 1)}, sum = operand(op, 2);
    for (int i = 0; i < 2; i++)
        if (tri_type_is_float(tri_type_element(mlirValueGetType(ins[i]))) &&
            tri_type_bits(tri_type_element(mlirValueGetType(ins[i]))) == 8)
            ins[i] = tri_arith_convert(b, ins[i], tri_type_with_element(mlirValueGetType(ins[i]), f32), false);
    bool is_narrow = !is_wide(tri_type_element(type));
    if (is_narrow)
        sum = tri_builder_unary(b, "arith.extf", tri_type_with_element(type, f32), sum);
    MlirOperation product =
        tri_build_named(b, tri_type_rank(type) == 3 ? "linalg.batch_matmul" : "linalg.matmul", 2, ins, sum);
    static const char *const precisions[] = {"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"};
    int64_t precision = tri_op_int(op, "inputPrecision", 2);
    if (precision >= 0 && precision < 5)
        mlirOperationSetAttributeByName(product, mlirStringRefCreateFromCString("input_precision"),
                                        tri_attr_str(b->context, precisions[precision], strlen(precisions[precision])));
    MlirValue result = tri_op_result(product, 0);
    replace(op, is_narrow ? tri_builder_unary(b, "arith.truncf", type, result) : result);
    return true;
}

/* --- messages --- */

static bool rewrite_message(tri_builder *b, MlirOperation op)
{
    (void)b;
    mlirOperationDestroy(op);
    return true;
}

typedef struct {
    const char *name;
    bool (*rewrite)(tri_builder *b, MlirOperation op);
} rule;

static const rule rules[] = {
    {"arith.constant", rewrite_constant}, {"tt.splat", rewrite_splat}, {"tt.make_range", rewrite_range},
    {"tt.clampf", rewrite_clamp}, {"tt.precise_sqrt", rewrite_sqrt}, {"tt.precise_divf", rewrite_division},
    {"tt.approx_divf", rewrite_division}, {"tt.mulhiui", rewrite_high_product}, {"tt.bitcast", rewrite_bitcast},
    {"tt.fp_to_fp", rewrite_conversion}, {"arith.divsi", rewrite_integer_division},
    {"arith.divui", rewrite_integer_division}, {"arith.remsi", rewrite_integer_division},
    {"arith.remui", rewrite_integer_division}, {"arith.ceildivsi", rewrite_integer_division},
    {"arith.extf", rewrite_float_width}, {"arith.truncf", rewrite_float_width}, {"arith.cmpf", rewrite_compare},
    {"arith.addf", rewrite_float_binary}, {"arith.subf", rewrite_float_binary}, {"arith.mulf", rewrite_float_binary},
    {"arith.divf", rewrite_float_binary}, {"arith.remf", rewrite_float_binary},
    {"arith.maxnumf", rewrite_float_binary}, {"arith.minnumf", rewrite_float_binary},
    {"arith.maximumf", rewrite_float_binary}, {"arith.minimumf", rewrite_float_binary},
    {"arith.sitofp", rewrite_int_to_float}, {"arith.uitofp", rewrite_int_to_float},
    {"tt.dot", rewrite_dot}, {"tt.reduce", tri_arith_reduce}, {"tt.scan", tri_arith_scan},
    {"tt.histogram", tri_arith_histogram}, {"tt.map_elementwise", tri_arith_map}, {"tt.expand_dims", tri_arith_reshape},
    {"tt.reshape", tri_arith_reshape}, {"tt.broadcast", tri_arith_broadcast}, {"tt.trans", tri_arith_transpose},
    {"tt.join", tri_arith_join}, {"tt.split", tri_arith_split}, {"tt.cat", tri_arith_cat},
    {"tt.gather", tri_arith_gather}, {"tt.unsplat", tri_arith_unsplat}, {"gpu.barrier", rewrite_message},
    {"ttg.barrier", rewrite_message}, {"tt.grid_dependency_wait", rewrite_message},
    {"tt.grid_dependency_launch_dependents", rewrite_message}, {"llvm.intr.assume", rewrite_message},
};

/* What an NPU's compiler has functions for, and what is said to people. */
static bool rewrite_marked(tri_pass_run *run, tri_builder *b, MlirOperation op)
{
    bool is_vendor = tri_passes_option_int(run, "vendor", 0) != 0;
    if (tri_op_is(op, "tt.print") || tri_op_is(op, "tt.assert"))
        return tri_arith_message(run->arena, b, op, is_vendor);
    if (is_vendor && tri_op_is(op, "tt.reduce"))
        tri_arith_mark_reduction(op);
    if (is_vendor && (tri_op_is(op, "arith.sitofp") || tri_op_is(op, "arith.uitofp")))
        return int_to_float(b, op, false);
    return is_vendor && tri_arith_marker(run->arena, b, op);
}

static bool rewrite_arith(tri_pass_run *run, MlirOperation op)
{
    tri_builder b = tri_builder_before(op);
    if (rewrite_marked(run, &b, op))
        return true;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (tri_op_is(op, rules[i].name)) {
            if (rules[i].rewrite(&b, op))
                return true;
            tri_refuse_value(run, op, NULL, "'%.*s' of this form has no structured form", TRI_STR_ARG(tri_op_name(op)));
            return false;
        }
    if (tri_op_is(op, "tt.extern_elementwise"))
        return tri_arith_library(run, &b, op);
    if (tri_op_is(op, "tt.elementwise_inline_asm")) {
        tri_refuse_value(run, op,
                         "write it with functions of the language, or compile for the machine whose instructions "
                         "they are",
                         "%sinline assembly has no structured form",
                         tri_op_flag(op, "pure") ? "" : "volatile ");
        return false;
    }
    return true;
}

static bool is_inside_linalg(MlirOperation op)
{
    MlirOperation parent = mlirOperationGetParentOperation(op);
    return tri_str_has_prefix(tri_op_name(parent), "linalg.") || tri_op_is(parent, "memref.generic_atomic_rmw");
}

static bool has_body(MlirOperation op)
{
    return tri_op_is(op, "tt.reduce") || tri_op_is(op, "tt.scan") || tri_op_is(op, "tt.map_elementwise");
}

static bool run_triton_arith_to_linalg(tri_pass_run *run)
{
    tri_op_list ops = {0}, late = {0};
    tri_linalg_load(mlirModuleGetContext(run->module));
    tri_op_collect(mlirModuleGetOperation(run->module), run->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        if (is_inside_linalg(ops.at[i]))
            continue;
        if (has_body(ops.at[i]))
            tri_vec_push(run->arena, &late, ops.at[i]); /* their bodies come first, and go with them */
        else if (!rewrite_arith(run, ops.at[i]))
            return false;
    }
    for (size_t i = 0; i < late.len; i++)
        if (!rewrite_arith(run, late.at[i]))
            return false;
    tri_op_erase_dead(mlirModuleGetOperation(run->module));
    return true;
}

const tri_pass tri_pass_triton_arith_to_linalg = {
    .name = "triton-arith-to-linalg",
    .help = "compute on tensors with linalg, tensor, arith and math",
    .alias = "arith-to-linalg",
    .options = (const char *const[]){"vendor=N: for Ascend's compiler, which has no other libraries (0)", NULL},
    .run = run_triton_arith_to_linalg,
};
