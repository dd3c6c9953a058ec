/* Functions that are called: of libraries, of an NPU's compiler, and those that say something to people.
 *
 *     tt.print " x: " %v                    func.call @triton_print_0(%v) : (tensor<64xf32>) -> ()            (vendor)
 *     tt.assert %c, "positive"              scf.for %i { func.call @triton_assert_0(%px, %py, %pz, %c[%i]) }
 *     tt.scan of a sum                      func.call @triton_cumsum_0(%v, %axis, %reverse)                   (vendor)
 *     tt.gather %v[%i]                      func.call @triton_gather_0(%v, %i, %axis)                         (vendor)
 *
 * The names and attributes (prefix, hex, msg) are those that AscendNPU-IR knows. For everybody else a message is one
 * call for an element, with the program and the element's place: (px, py, pz, i0, ..., element). */
#include "passes/linalg/arith.h"

#include "ir/op.h"
#include "ir/type.h"
#include "passes/linalg/calls.h"
#include "passes/linalg/refuse.h"

#include "mlir-c/BuiltinAttributes.h"

static void replace(MlirOperation op, MlirValue value) { tri_op_replace(op, 1, &value); }
static MlirValue operand(MlirOperation op, intptr_t i) { return tri_op_operand(op, i); }
static MlirType type_of(MlirOperation op) { return mlirValueGetType(tri_op_result(op, 0)); }

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

enum { max_parameters = 16 };

/* Where the source says which library has the function, so does the declaration. */
static void declare_library(tri_builder *b, MlirOperation op, MlirType function)
{
    static const char *const places[] = {"libname", "libpath"}, *const names[] = {"tritcc.libname", "tritcc.libpath"};
    tri_attr attrs[2];
    int n = 0;
    for (int i = 0; i < 2; i++) {
        tri_str text = tri_op_string(op, places[i]);
        if (text.len)
            attrs[n++] = (tri_attr){names[i], tri_attr_str(b->context, text.data, text.len)};
    }
    tri_calls_declare(b, op, tri_op_string(op, "symbol"), function, n, attrs);
}

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
    declare_library(b, op, mlirFunctionTypeGet(b->context, n, inputs, 1, &element));
    if (!tri_type_is_tensor(type)) {
        replace(op, tri_calls_call(b, symbol, element, n, operands));
        return true;
    }
    tri_builder inner;
    empty = tri_build_empty(b, type);
    MlirOperation generic = tri_build_generic(b, (int)n, operands, NULL, 1, &empty, &inner);
    for (intptr_t i = 0; i < n; i++)
        operands[i] = mlirBlockGetArgument(inner.block, i);
    MlirValue made = tri_calls_call(&inner, symbol, element, n, operands);
    tri_build_yield(&inner, "linalg.yield", 1, &made);
    replace(op, tri_op_result(generic, 0));
    return true;
}

bool tri_arith_library(tri_pass_run *run, tri_builder *b, MlirOperation op)
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
    tri_buf known = {0};
    tri_buf_add_z(&known, "these are:");
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        tri_buf_format(&known, " %s", library[i].symbol);
    tri_refuse_value(run, op, known.data, "'%.*s' has no operation in the structured dialects", TRI_STR_ARG(symbol));
    tri_buf_fini(&known);
    return false;
}

/* --- messages --- */

static MlirAttribute bool_attr(MlirContext context, bool value) { return mlirBoolAttrGet(context, value); }

static int message_attributes(tri_builder *b, MlirOperation op, bool is_signed, tri_attr *out)
{
    bool is_print = tri_op_is(op, "tt.print");
    tri_str text = tri_op_string(op, is_print ? "prefix" : "message");
    MlirAttribute said = tri_attr_str(b->context, text.data, text.len);
    if (!is_print) {
        out[0] = (tri_attr){"msg", said};
        return 1;
    }
    out[0] = (tri_attr){"prefix", said};
    out[1] = (tri_attr){"hex", bool_attr(b->context, tri_op_flag(op, "hex"))};
    out[2] = (tri_attr){"tritcc.is_signed", bool_attr(b->context, is_signed)};
    return 3;
}

static MlirValue program_id(tri_builder *b, int axis)
{
    MlirType i32 = mlirIntegerTypeGet(b->context, 32);
    tri_attr attr = {"axis", mlirIntegerAttrGet(i32, axis)};
    return tri_builder_value(b, &(tri_op){.name = "tt.get_program_id", .num_results = 1, .results = &i32,
                                          .num_attrs = 1, .attrs = &attr});
}

/* The call for one element; `at` has the program's number, and then the loops' counters. */
static void say_element(tri_builder *b, MlirOperation op, tri_str symbol, MlirValue value, int d, MlirValue *at,
                        bool is_signed)
{
    enum { program = 3 };
    int rank = value.ptr && tri_type_is_tensor(mlirValueGetType(value)) ? tri_type_rank(mlirValueGetType(value)) : 0;
    if (d < rank) {
        tri_builder inner;
        tri_build_size size = tri_build_number(tri_type_dim(mlirValueGetType(value), d));
        MlirOperation loop = tri_build_for(b, tri_build_number(0), size, tri_build_number(1), 0, NULL, &inner);
        at[program + d] = mlirBlockGetArgument(tri_op_body(loop, 0), 0);
        say_element(&inner, op, symbol, value, d + 1, at, is_signed);
        tri_build_yield(&inner, "scf.yield", 0, NULL);
        return;
    }
    int n = program + rank;
    if (value.ptr)
        at[n++] = rank ? tri_build_extract(b, value, rank, at + program) : value;
    MlirType types[program + TRI_MAX_RANK + 1];
    for (int i = 0; i < n; i++)
        types[i] = mlirValueGetType(at[i]);
    tri_attr attrs[3];
    int num_attrs = message_attributes(b, op, is_signed, attrs);
    tri_calls_declare(b, op, symbol, mlirFunctionTypeGet(b->context, n, types, 0, NULL), num_attrs, attrs);
    tri_calls_call(b, symbol, (MlirType){NULL}, n, at);
}

/* One call with everything that is said. */
static void say_blocks(tri_arena *arena, tri_builder *b, MlirOperation op, const char *name)
{
    MlirValue values[max_parameters];
    MlirType types[max_parameters];
    tri_attr attrs[3];
    intptr_t n = mlirOperationGetNumOperands(op);
    for (intptr_t i = 0; i < n; i++) {
        values[i] = operand(op, i);
        types[i] = mlirValueGetType(values[i]);
    }
    tri_str symbol = tri_calls_unique(arena, op, name);
    int num_attrs = message_attributes(b, op, true, attrs); /* the vendor knows no signs */
    tri_calls_declare(b, op, symbol, mlirFunctionTypeGet(b->context, n, types, 0, NULL),
                      num_attrs > 2 ? 2 : num_attrs, attrs);
    tri_calls_call(b, symbol, (MlirType){NULL}, n, values);
}

bool tri_arith_message(tri_arena *arena, tri_builder *b, MlirOperation op, bool is_vendor)
{
    int32_t is_signed[max_parameters] = {0};
    MlirValue at[3 + TRI_MAX_RANK + 1];
    intptr_t n = mlirOperationGetNumOperands(op);
    const char *name = tri_op_is(op, "tt.print") ? "triton_print" : "triton_assert";
    if (n > max_parameters)
        return false;
    tri_op_i32s(op, "isSigned", is_signed, max_parameters);
    if (is_vendor)
        say_blocks(arena, b, op, name);
    for (int d = 0; d < 3 && !is_vendor; d++)
        at[d] = program_id(b, d);
    for (intptr_t i = 0; (i < n || i == 0) && !is_vendor; i++)
        say_element(b, op, tri_calls_unique(arena, op, name), n ? operand(op, i) : (MlirValue){NULL}, 0, at,
                    is_signed[i] != 0);
    mlirOperationDestroy(op);
    return true;
}

/* --- what AscendNPU-IR has functions for --- */

static MlirValue constant_i32(tri_builder *b, int64_t number)
{
    return tri_builder_int(b, mlirIntegerTypeGet(b->context, 32), number);
}

/* "triton_cumsum" of a scan by a sum or a product of one value; null: another one. */
static const char *scan_marker(MlirOperation op)
{
    if (mlirOperationGetNumOperands(op) != 1)
        return NULL;
    MlirBlock body = tri_op_body(op, 0);
    MlirOperation first = mlirBlockGetFirstOperation(body), last = mlirBlockGetTerminator(body);
    if (!mlirOperationEqual(mlirOperationGetNextInBlock(first), last) || mlirOperationGetNumOperands(first) != 2)
        return NULL;
    for (int i = 0; i < 2; i++)
        if (!mlirValueIsABlockArgument(tri_op_operand(first, i)))
            return NULL;
    if (tri_op_is(first, "arith.addf") || tri_op_is(first, "arith.addi"))
        return "triton_cumsum";
    return tri_op_is(first, "arith.mulf") || tri_op_is(first, "arith.muli") ? "triton_cumprod" : NULL;
}

bool tri_arith_marker(tri_arena *arena, tri_builder *b, MlirOperation op)
{
    bool is_gather = tri_op_is(op, "tt.gather");
    const char *name = is_gather ? "triton_gather" : tri_op_is(op, "tt.scan") ? scan_marker(op) : NULL;
    if (!name)
        return false;
    MlirValue values[3] = {operand(op, 0), constant_i32(b, tri_op_int(op, "axis", 0))};
    if (is_gather) {
        values[2] = values[1];
        values[1] = operand(op, 1);
    } else {
        values[2] = tri_builder_int(b, mlirIntegerTypeGet(b->context, 1), tri_op_flag(op, "reverse"));
    }
    MlirType types[3], result = type_of(op);
    for (int i = 0; i < 3; i++)
        types[i] = mlirValueGetType(values[i]);
    tri_str symbol = tri_calls_unique(arena, op, name);
    tri_calls_declare(b, op, symbol, mlirFunctionTypeGet(b->context, 3, types, 1, &result), 0, NULL);
    replace(op, tri_calls_call(b, symbol, result, 3, values));
    return true;
}
