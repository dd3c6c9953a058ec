#include "passes/linalg/calls.h"

#include "ir/op.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

static MlirBlock body_of_module(MlirOperation inside)
{
    while (!mlirOperationIsNull(mlirOperationGetParentOperation(inside)))
        inside = mlirOperationGetParentOperation(inside);
    return tri_op_body(inside, 0);
}

static bool has_function(MlirBlock body, tri_str symbol)
{
    for (MlirOperation o = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(o);
         o = mlirOperationGetNextInBlock(o))
        if (tri_op_is(o, "func.func") && tri_str_equal(tri_op_symbol(o), symbol))
            return true;
    return false;
}

void tri_calls_declare(tri_builder *b, MlirOperation inside, tri_str symbol, MlirType function, int num_attrs,
                       const tri_attr *attrs)
{
    enum { fixed = 3, most = 8 };
    MlirBlock body = body_of_module(inside);
    if (has_function(body, symbol))
        return;
    tri_builder start = tri_builder_at_start(body, b->loc);
    MlirRegion region = mlirRegionCreate();
    tri_attr all[fixed + most] = {{"sym_name", tri_attr_str(b->context, symbol.data, symbol.len)},
                                  {"function_type", mlirTypeAttrGet(function)},
                                  {"sym_visibility", tri_attr_str(b->context, "private", 7)}};
    for (int i = 0; i < num_attrs && i < most; i++)
        all[fixed + i] = attrs[i];
    tri_builder_create(&start, &(tri_op){.name = "func.func", .num_attrs = fixed + num_attrs, .attrs = all,
                                         .num_regions = 1, .regions = &region});
}

tri_str tri_calls_unique(tri_arena *arena, MlirOperation inside, const char *name)
{
    for (int i = 0;; i++) {
        tri_str symbol = tri_str_format(arena, "%s_%d", name, i);
        if (!has_function(body_of_module(inside), symbol))
            return symbol;
    }
}

MlirValue tri_calls_call(tri_builder *b, tri_str symbol, MlirType result, intptr_t n, const MlirValue *operands)
{
    tri_attr callee = {"callee", mlirFlatSymbolRefAttrGet(b->context, mlirStringRefCreate(symbol.data, symbol.len))};
    MlirOperation made = tri_builder_create(b, &(tri_op){.name = "func.call",
                                                         .num_operands = n,
                                                         .operands = operands,
                                                         .num_results = result.ptr ? 1 : 0,
                                                         .results = &result,
                                                         .num_attrs = 1,
                                                         .attrs = &callee});
    return result.ptr ? tri_op_result(made, 0) : (MlirValue){NULL};
}
