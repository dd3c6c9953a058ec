/* What is computed, on tensors: tt's operations as linalg, tensor, arith and math.
 *
 *     %r = tt.make_range {end = 64, start = 0}              linalg.generic { linalg.index, arith.index_cast }
 *     %s = tt.splat %x                                      linalg.fill ins(%x) outs(tensor.empty)
 *     %d = tt.dot %a, %b, %c                                linalg.matmul ins(%a, %b) outs(%c)
 *     %m = tt.reduce(%v) {axis}, ...                        linalg.reduce ... dimensions = [axis]
 *
 * Elementwise arith and math on tensors stays. Reductions, scans and what loops over elements are in reduce.c, views
 * and tables in shape.c. Answers to triton-arith-to-linalg (triton-shared). Test:
 * tests/passes/triton-arith-to-linalg.mlir */
#include "passes/linalg/arith.h"

#include "passes/passes.h"

#include "ir/linalg.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/linalg/memory.h"

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
    MlirValue select[3] = {tri_memory_compare(b, TRI_MEMORY_EQUAL, by, numbers[0]), numbers[1], by};
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
    if (tri_type_bits(tri_type_element(to)) == 8 || tri_type_bits(tri_type_element(from)) == 8)
        replace(op, tri_arith_convert(b, operand(op, 0), to, false));
    return true;
}

/* To bf16 through f32, as on every target. */
static bool rewrite_int_to_float(tri_builder *b, MlirOperation op)
{
    MlirType to = type_of(op), wide = tri_type_with_element(to, mlirF32TypeGet(b->context));
    if (mlirTypeIsABF16(tri_type_element(to)))
        replace(op, tri_builder_unary(b, "arith.truncf", to,
                                      tri_builder_unary(b, tri_op_name(op).data, wide, operand(op, 0))));
    return true;
}

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

/* --- libraries --- */

typedef struct {
    const char *symbol, *op; /* __nv_<symbol> or __nv_<symbol>f */
    int operands;
} library_row;

static const library_row library[] = {
    {"sin", "math.sin", 1}, {"cos", "math.cos", 1}, {"tan", "math.tan", 1}, {"asin", "math.asin", 1},
    {"acos", "math.acos", 1}, {"atan", "math.atan", 1}, {"atan2", "math.atan2", 2}, {"sinh", "math.sinh", 1},
    {"cosh", "math.cosh", 1}, {"tanh", "math.tanh", 1}, {"asinh", "math.asinh", 1}, {"acosh", "math.acosh", 1},
    {"atanh", "math.atanh", 1}, {"exp", "math.exp", 1}, {"exp2", "math.exp2", 1}, {"expm1", "math.expm1", 1},
    {"log", "math.log", 1}, {"log2", "math.log2", 1}, {"log10", "math.log10", 1}, {"log1p", "math.log1p", 1},
    {"pow", "math.powf", 2}, {"sqrt", "math.sqrt", 1}, {"rsqrt", "math.rsqrt", 1}, {"cbrt", "math.cbrt", 1},
    {"erf", "math.erf", 1}, {"erfc", "math.erfc", 1}, {"floor", "math.floor", 1}, {"ceil", "math.ceil", 1},
    {"trunc", "math.trunc", 1}, {"round", "math.round", 1}, {"rint", "math.roundeven", 1},
    {"nearbyint", "math.roundeven", 1}, {"fabs", "math.absf", 1}, {"copysign", "math.copysign", 2},
    {"fma", "math.fma", 3}, {"fmod", "arith.remf", 2}, {"fmax", "arith.maxnumf", 2}, {"fmin", "arith.minnumf", 2},
    {"fdiv_rn", "arith.divf", 2}, {"fmaf_rn", "math.fma", 3}, {"fast_exp", "math.exp", 1}, {"fast_log", "math.log", 1},
    {"fast_sin", "math.sin", 1}, {"fast_cos", "math.cos", 1}, {"fast_pow", "math.powf", 2},
    {"fsqrt_rn", "math.sqrt", 1},
};

static bool is_symbol(tri_str symbol, const char *name)
{
    size_t n = strlen(name);
    if (symbol.len < 5 + n || strncmp(symbol.data, "__nv_", 5) != 0 || strncmp(symbol.data + 5, name, n) != 0)
        return false;
    return symbol.len == 5 + n || (symbol.len == 6 + n && symbol.data[5 + n] == 'f');
}

/* func.func private @symbol of scalars, in the module of `op`: made when it is not there. Where the source says which
 * library has it, so does the function. */
static void declare(tri_builder *b, MlirOperation op, MlirType function)
{
    MlirOperation module = op;
    while (!mlirOperationIsNull(mlirOperationGetParentOperation(module)))
        module = mlirOperationGetParentOperation(module);
    tri_str symbol = tri_op_string(op, "symbol");
    MlirBlock body = tri_op_body(module, 0);
    MlirOperation first = mlirBlockGetFirstOperation(body);
    for (MlirOperation o = first; !mlirOperationIsNull(o); o = mlirOperationGetNextInBlock(o))
        if (tri_op_is(o, "func.func") && tri_str_equal(tri_op_symbol(o), symbol))
            return;
    tri_builder start = tri_builder_at_start(body, b->loc);
    MlirRegion region = mlirRegionCreate();
    tri_attr attrs[5] = {{"sym_name", tri_attr_str(b->context, symbol.data, symbol.len)},
                         {"function_type", mlirTypeAttrGet(function)},
                         {"sym_visibility", tri_attr_str(b->context, "private", 7)}};
    int n = 3;
    static const char *const places[] = {"libname", "libpath"}, *const names[] = {"tritcc.libname", "tritcc.libpath"};
    for (int i = 0; i < 2; i++) {
        tri_str text = tri_op_string(op, places[i]);
        if (text.len)
            attrs[n++] = (tri_attr){names[i], tri_attr_str(b->context, text.data, text.len)};
    }
    tri_builder_create(
        &start, &(tri_op){.name = "func.func", .num_attrs = n, .attrs = attrs, .num_regions = 1, .regions = &region});
}

static MlirValue call(tri_builder *b, tri_str symbol, MlirType result, intptr_t n, const MlirValue *operands)
{
    tri_attr callee = {"callee", mlirFlatSymbolRefAttrGet(b->context, mlirStringRefCreate(symbol.data, symbol.len))};
    return tri_builder_value(b, &(tri_op){.name = "func.call",
                                          .num_operands = n,
                                          .operands = operands,
                                          .num_results = 1,
                                          .results = &result,
                                          .num_attrs = 1,
                                          .attrs = &callee});
}

enum { max_parameters = 16 };

/* A function that has no operation here is called for each element. */
static bool rewrite_call(tri_builder *b, MlirOperation op)
{
    MlirType type = type_of(op), inputs[max_parameters], element = tri_type_element(type);
    MlirValue operands[max_parameters], empty;
    intptr_t n = mlirOperationGetNumOperands(op);
    tri_str symbol = tri_op_string(op, "symbol");
    if (n > max_parameters)
        return false;
    for (intptr_t i = 0; i < n; i++) {
        operands[i] = operand(op, i);
        inputs[i] = tri_type_element(mlirValueGetType(operands[i]));
    }
    declare(b, op, mlirFunctionTypeGet(b->context, n, inputs, 1, &element));
    if (!tri_type_is_tensor(type)) {
        replace(op, call(b, symbol, element, n, operands));
        return true;
    }
    tri_builder inner;
    empty = tri_build_empty(b, type);
    MlirOperation generic = tri_build_generic(b, (int)n, operands, NULL, 1, &empty, &inner);
    for (intptr_t i = 0; i < n; i++)
        operands[i] = mlirBlockGetArgument(inner.block, i);
    MlirValue made = call(&inner, symbol, element, n, operands);
    tri_build_yield(&inner, "linalg.yield", 1, &made);
    replace(op, tri_op_result(generic, 0));
    return true;
}

static bool rewrite_library(tri_pass_run *run, tri_builder *b, MlirOperation op)
{
    tri_str symbol = tri_op_string(op, "symbol");
    MlirType type = type_of(op);
    MlirValue operands[3];
    for (size_t i = 0; i < sizeof library / sizeof *library; i++) {
        if (!is_symbol(symbol, library[i].symbol) || mlirOperationGetNumOperands(op) != library[i].operands)
            continue;
        for (int k = 0; k < library[i].operands; k++)
            operands[k] = operand(op, k);
        replace(op, tri_builder_value(b, &(tri_op){.name = library[i].op,
                                                   .num_operands = library[i].operands,
                                                   .operands = operands,
                                                   .num_results = 1,
                                                   .results = &type}));
        return true;
    }
    if (!tri_passes_option_int(run, "vendor", 0) && rewrite_call(b, op))
        return true;
    tri_op_error(run->unit->diag, op, 6002, "'%.*s' has no operation in the structured dialects", TRI_STR_ARG(symbol));
    return false;
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

static bool rewrite_arith(tri_pass_run *run, MlirOperation op)
{
    tri_builder b = tri_builder_before(op);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (tri_op_is(op, rules[i].name)) {
            if (rules[i].rewrite(&b, op))
                return true;
            tri_op_error(run->unit->diag, op, 6002, "'%.*s' of this form has no structured form",
                         TRI_STR_ARG(tri_op_name(op)));
            return false;
        }
    if (tri_op_is(op, "tt.extern_elementwise"))
        return rewrite_library(run, &b, op);
    if (tri_op_is(op, "tt.elementwise_inline_asm")) {
        tri_op_error(run->unit->diag, op, 6002, "inline assembly has no structured form");
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
    .options = (const char *const[]){"vendor=N: for Ascend's compiler, which has no other libraries (0)", NULL},
    .run = run_triton_arith_to_linalg,
};
