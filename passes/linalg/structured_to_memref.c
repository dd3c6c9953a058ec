/* Functions as other compilers take them: arrays in the place of pointers, the program's place in the grid as
 * arguments.
 *
 *     tt.func public @k(%x: !tt.ptr<f32>, %n: i32)
 *   becomes
 *     func.func @k(%x: memref<?xf32>, %n: i32, %nx: i32, %ny: i32, %nz: i32, %px: i32, %py: i32, %pz: i32)
 *
 * The last six are the numbers of programs and the program's number. Needs: no pointer but arguments
 * (triton-to-unstructured); other operations stay as they are. Answers to the end of triton-to-linalg
 * (triton-shared). With `vendor` there are two more arrays in front, for locks and as workspace, and the attributes
 * that Ascend's compiler asks for. Test: tests/passes/structured-to-memref.mlir */
#include "passes/passes.h"

#include "ir/kernel.h"
#include "ir/linalg.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/linalg/memory.h"
#include "passes/linalg/refuse.h"

#include "mlir-c/BuiltinAttributes.h"

enum { num_grid = 6, num_vendor = 2 };

typedef struct {
    tri_pass_run *run;
    MlirOperation func;
    bool is_vendor, has_product, has_threads;
    MlirAttribute facts; /* of the kernel; null for others */
} signature;

static MlirType argument_type(MlirType type)
{
    return tri_type_is_ptr(type) ? tri_build_memory_type(tri_type_ptr_pointee(type)) : type;
}

/* Casts of the argument to the array that it is now. */
static bool resolve_casts(tri_pass_run *run, MlirBlock body, tri_op_list *casts)
{
    for (size_t i = 0; i < casts->len; i++) {
        MlirValue source = tri_op_operand(casts->at[i], 0);
        if (!mlirTypeEqual(mlirValueGetType(source), mlirValueGetType(tri_op_result(casts->at[i], 0)))) {
            tri_refuse_pointer(run, casts->at[i], source, source, "it is no array of the type that is accessed");
            return false;
        }
        tri_op_replace(casts->at[i], 1, &source);
    }
    (void)body;
    return true;
}

static void rewrite_queries(signature *s, MlirBlock body, tri_op_list *ops)
{
    intptr_t first = mlirBlockGetNumArguments(body) - num_grid;
    for (size_t i = 0; i < ops->len; i++) {
        bool is_id = tri_op_is(ops->at[i], "tt.get_program_id");
        if (!is_id && !tri_op_is(ops->at[i], "tt.get_num_programs"))
            continue;
        MlirValue value = mlirBlockGetArgument(body, first + (is_id ? 3 : 0) + tri_op_int(ops->at[i], "axis", 0));
        tri_op_replace(ops->at[i], 1, &value);
    }
    (void)s;
}

static MlirAttribute parse(MlirContext context, const char *text)
{
    return mlirAttributeParseGet(context, mlirStringRefCreateFromCString(text));
}

static intptr_t vendor_attributes(const signature *s, MlirContext context, tri_attr *attrs)
{
    intptr_t n = 0;
    if (!s->is_vendor)
        return 0;
    attrs[n++] = (tri_attr){"SyncBlockLockArgIdx", parse(context, "0 : i64")};
    attrs[n++] = (tri_attr){"WorkspaceArgIdx", parse(context, "1 : i64")};
    attrs[n++] = (tri_attr){"global_kernel", parse(context, "\"local\"")};
    attrs[n++] = (tri_attr){"mix_mode", parse(context, s->has_product ? "\"mix\"" : "\"aiv\"")};
    attrs[n++] = (tri_attr){"parallel_mode", parse(context, s->has_threads ? "\"mix_simd_simt\"" : "\"simd\"")};
    return n;
}

/* A call of what the vendor's compiler has threads for. */
static bool is_by_threads(MlirOperation op)
{
    MlirAttribute callee = tri_op_is(op, "func.call") ? tri_op_attr(op, "callee") : (MlirAttribute){NULL};
    if (mlirAttributeIsNull(callee))
        return false;
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(callee);
    return tri_str_has_prefix((tri_str){name.data, name.length}, "triton_indirect_");
}

enum { kind_read = 1, kind_written = 2 };

/* What becomes of an array: read, written, or both; of its views, too. */
static int uses_of(MlirValue array)
{
    int kinds = 0;
    for (MlirOpOperand use = mlirValueGetFirstUse(array); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use);
        unsigned number = mlirOpOperandGetOperandNumber(use);
        if (tri_op_is(op, "memref.reinterpret_cast") || tri_op_is(op, "memref.subview") ||
            tri_op_is(op, "memref.cast"))
            kinds |= uses_of(tri_op_result(op, 0));
        else if (tri_op_is(op, "memref.load") || (tri_op_is(op, "memref.copy") && number == 0))
            kinds |= kind_read;
        else if (tri_op_is(op, "memref.store") || tri_op_is(op, "memref.copy") ||
                 tri_op_is(op, "bufferization.materialize_in_destination"))
            kinds |= kind_written;
        else if (is_by_threads(op) && number == 0)
            kinds |= mlirOperationGetNumResults(op) ? kind_read : kind_written;
        else /* atomic operations, addresses */
            kinds |= kind_read | kind_written;
    }
    return kinds;
}

/* {tt.tensor_kind = 0 (read), 1 (written) or 2 (both)} of each array: for the vendor's profiler. */
static MlirAttribute argument_attributes(MlirContext context, MlirOperation func, MlirBlock body, intptr_t own)
{
    enum { most = 512 };
    MlirAttribute attrs[most], known = tri_op_attr(func, "arg_attrs");
    MlirIdentifier names[2] = {mlirIdentifierGet(context, mlirStringRefCreateFromCString("tt.divisibility")),
                               mlirIdentifierGet(context, mlirStringRefCreateFromCString("tt.tensor_kind"))};
    intptr_t n = mlirBlockGetNumArguments(body);
    for (intptr_t i = 0; i < n && i < most; i++) {
        MlirValue argument = mlirBlockGetArgument(body, i);
        int kinds = i >= own && mlirTypeIsAMemRef(mlirValueGetType(argument)) ? uses_of(argument) : 0;
        MlirType i32 = mlirIntegerTypeGet(context, 32);
        MlirNamedAttribute named[2];
        intptr_t count = 0;
        MlirAttribute own_attrs = {NULL}, divisibility = {NULL};
        if (known.ptr && i >= own && i - own < mlirArrayAttrGetNumElements(known))
            own_attrs = mlirArrayAttrGetElement(known, i - own);
        if (own_attrs.ptr)
            divisibility = mlirDictionaryAttrGetElementByName(own_attrs, mlirIdentifierStr(names[0]));
        if (divisibility.ptr)
            named[count++] = (MlirNamedAttribute){names[0], divisibility};
        if (kinds)
            named[count++] = (MlirNamedAttribute){
                names[1], mlirIntegerAttrGet(i32, kinds == (kind_read | kind_written) ? 2 : kinds == kind_written)};
        attrs[i] = mlirDictionaryAttrGet(context, count, named);
    }
    return mlirArrayAttrGet(context, n, attrs);
}

static MlirOperation make_function(signature *s, MlirBlock body)
{
    enum { max_arguments = 512 };
    MlirContext context = mlirModuleGetContext(s->run->module);
    MlirType inputs[max_arguments];
    tri_attr attrs[9];
    tri_str name = tri_op_symbol(s->func);
    intptr_t n = mlirBlockGetNumArguments(body), count = vendor_attributes(s, context, attrs);
    for (intptr_t i = 0; i < n && i < max_arguments; i++)
        inputs[i] = mlirValueGetType(mlirBlockGetArgument(body, i));
    attrs[count++] = (tri_attr){"sym_name", tri_attr_str(context, name.data, name.len)};
    attrs[count++] = (tri_attr){"function_type", mlirTypeAttrGet(mlirFunctionTypeGet(context, n, inputs, 0, NULL))};
    attrs[count++] = (tri_attr){"tritcc.kernel", s->facts};
    if (s->is_vendor)
        attrs[count++] = (tri_attr){"arg_attrs", argument_attributes(context, s->func, body, num_vendor)};
    tri_builder b = tri_builder_before(s->func);
    MlirRegion region = mlirRegionCreate();
    mlirRegionTakeBody(region, mlirOperationGetRegion(s->func, 0));
    return tri_builder_create(
        &b, &(tri_op){.name = "func.func", .num_attrs = count, .attrs = attrs, .num_regions = 1, .regions = &region});
}

static void add_arguments(signature *s, MlirBlock body)
{
    MlirContext context = mlirModuleGetContext(s->run->module);
    MlirLocation loc = mlirOperationGetLocation(s->func);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
        MlirValue argument = mlirBlockGetArgument(body, i);
        tri_op_set_type(argument, argument_type(mlirValueGetType(argument)));
    }
    static const char *const names[num_grid] = {"nx", "ny", "nz", "px", "py", "pz"};
    for (int i = 0; i < num_grid; i++)
        mlirBlockAddArgument(body, mlirIntegerTypeGet(context, 32),
                             mlirLocationNameGet(context, mlirStringRefCreateFromCString(names[i]), loc));
    MlirType bytes = tri_build_memory_type(mlirIntegerTypeGet(context, 8));
    for (int i = 0; s->is_vendor && i < num_vendor; i++)
        mlirBlockInsertArgument(
            body, i, bytes,
            mlirLocationNameGet(context, mlirStringRefCreateFromCString(i ? "workspace" : "lock"), loc));
}

/* Before the types of arguments change. */
static MlirAttribute facts_of(tri_arena *arena, MlirOperation func)
{
    MlirAttribute attr = tri_op_attr(func, "tritcc.kernel");
    if (!mlirAttributeIsNull(attr) || !tri_op_is_kernel(func))
        return attr;
    tri_kernel kernel = {.registers = -1, .spill_bytes = -1, .num_ctas = 1};
    kernel.name = kernel.symbol = tri_str_copy(arena, tri_op_symbol(func));
    tri_kernel_params_from_func(arena, func, &kernel);
    return tri_kernel_to_attr(mlirOperationGetContext(func), &kernel);
}

/* An operand or a result that is a pointer; null: none. Arrays of arguments are casts of them, and of what loops
 * carried for nobody a ub.poison may be left. */
static MlirValue pointer_of(MlirOperation op)
{
    if (tri_op_is(op, "ub.poison"))
        return (MlirValue){NULL};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (!tri_op_is(op, "builtin.unrealized_conversion_cast") &&
            tri_type_is_ptr(tri_type_element(mlirValueGetType(tri_op_operand(op, i)))))
            return tri_op_operand(op, i);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (tri_type_is_ptr(tri_type_element(mlirValueGetType(tri_op_result(op, i)))))
            return tri_op_result(op, i);
    return (MlirValue){NULL};
}

static bool rewrite_function(signature *s)
{
    tri_op_list ops = {0}, casts = {0}, returns = {0}, products = {0};
    MlirBlock body = tri_op_body(s->func, 0);
    tri_op_collect(s->func, s->run->arena, &ops);
    tri_op_collect_named(s->func, "builtin.unrealized_conversion_cast", s->run->arena, &casts);
    tri_op_collect_named(s->func, "tt.return", s->run->arena, &returns);
    tri_op_collect_named(s->func, "linalg.matmul", s->run->arena, &products);
    tri_op_collect_named(s->func, "linalg.batch_matmul", s->run->arena, &products);
    s->has_product = products.len > 0;
    for (size_t i = 0; i < ops.len; i++) {
        s->has_threads |= is_by_threads(ops.at[i]);
        MlirValue pointer = pointer_of(ops.at[i]);
        if (!pointer.ptr)
            continue;
        tri_str name = tri_op_name(ops.at[i]);
        tri_refuse_value(s->run, ops.at[i], NULL, "'%.*s' has no structured form", TRI_STR_ARG(name));
        return false;
    }
    s->facts = facts_of(s->run->arena, s->func);
    add_arguments(s, body);
    if (!resolve_casts(s->run, body, &casts))
        return false;
    rewrite_queries(s, body, &ops);
    for (size_t i = 0; i < returns.len; i++) {
        tri_builder b = tri_builder_before(returns.at[i]);
        tri_build_yield(&b, "func.return", 0, NULL);
        mlirOperationDestroy(returns.at[i]);
    }
    make_function(s, body);
    mlirOperationDestroy(s->func);
    return true;
}

static bool run_structured_to_memref(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    tri_linalg_load(mlirModuleGetContext(run->module));
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        signature s = {.run = run, .func = funcs.at[i], .is_vendor = tri_passes_option_int(run, "vendor", 0) != 0};
        if (!rewrite_function(&s))
            return false;
    }
    return true;
}

const tri_pass tri_pass_structured_to_memref = {
    .name = "structured-to-memref",
    .help = "functions of arrays, with the place in the grid as arguments",
    .alias = "triton-to-ptr,triton-ptr-to-memref,reconcile-ptr-casts",
    .options = (const char *const[]){"vendor=N: with the arguments and attributes of Ascend's compiler (0)", NULL},
    .run = run_structured_to_memref,
};
