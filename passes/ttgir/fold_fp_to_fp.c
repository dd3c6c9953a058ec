/* One conversion of floating point for two, where the type in the middle adds nothing.
 *
 *     %y = tt.fp_to_fp %x : f8E5M2 -> f16
 *     %z = tt.fp_to_fp %y : f16 -> f32          ->   %z = tt.fp_to_fp %x : f8E5M2 -> f32
 *
 * The second must keep all values. Where the first rounds, its rounding is dropped only in a module that allows it
 * (ttig.fast_math); what is left over rounds as the second says, else as the first. Needs: nothing. Answers to
 * tritonintelgpu-fold-fp-to-fp. Test: tests/passes/fold-fp-to-fp.mlir */
#include "passes/passes.h"

#include "ir/builder.h"
#include "ir/op.h"
#include "ir/type.h"

#include "mlir-c/BuiltinTypes.h"

/* IEEE 754's p, emax and emin of a format; all values of one are in another that has as much of each. */
typedef struct {
    bool (*is_type)(MlirType type);
    int precision, most, least;
} format;

static const format formats[] = {
    {mlirTypeIsAFloat8E4M3FN, 4, 8, -6},   {mlirTypeIsAFloat8E5M2, 3, 15, -14}, {mlirTypeIsAFloat8E4M3FNUZ, 4, 7, -7},
    {mlirTypeIsAFloat8E5M2FNUZ, 3, 15, -15}, {mlirTypeIsAFloat8E4M3B11FNUZ, 4, 4, -10},
    {mlirTypeIsAF16, 11, 15, -14},         {mlirTypeIsABF16, 8, 127, -126},     {mlirTypeIsAF32, 24, 127, -126},
    {mlirTypeIsAF64, 53, 1023, -1022},
};

static const format *float_format(MlirValue value)
{
    MlirType element = tri_type_element(mlirValueGetType(value));
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].is_type(element))
            return &formats[i];
    return NULL;
}

static bool keeps_values(MlirValue from, MlirValue to)
{
    const format *a = float_format(from), *b = float_format(to);
    return a && b && a->precision <= b->precision && a->most <= b->most && a->least >= b->least;
}

static void fold_conversion(MlirOperation outer, bool may_drop)
{
    MlirOperation inner = tri_op_def(tri_op_operand(outer, 0));
    if (mlirOperationIsNull(inner) || !tri_op_is(inner, "tt.fp_to_fp"))
        return;
    MlirValue x = tri_op_operand(inner, 0), y = tri_op_result(inner, 0), z = tri_op_result(outer, 0);
    MlirAttribute rounding = tri_op_attr(outer, "rounding");
    if (mlirAttributeIsNull(rounding))
        rounding = tri_op_attr(inner, "rounding");
    bool rounds = !keeps_values(x, z);
    if (!keeps_values(y, z) || !(keeps_values(x, y) || may_drop) || (rounds && mlirAttributeIsNull(rounding)))
        return;
    MlirType type = mlirValueGetType(z);
    tri_attr attr = {"rounding", rounding};
    tri_builder b = tri_builder_before(outer);
    MlirValue made = tri_builder_value(&b, &(tri_op){.name = "tt.fp_to_fp", .num_operands = 1, .operands = &x,
                                                     .num_results = 1, .results = &type, .num_attrs = rounds,
                                                     .attrs = &attr});
    tri_op_replace(outer, 1, &made);
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(y)))
        mlirOperationDestroy(inner);
}

static bool run_fold_fp_to_fp(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_list conversions = {0};
    tri_op_collect_named(module, "tt.fp_to_fp", run->arena, &conversions);
    for (size_t i = 0; i < conversions.len; i++) /* in their order: what goes away has had its turn */
        fold_conversion(conversions.at[i], !mlirAttributeIsNull(tri_op_attr(module, "ttig.fast_math")));
    return true;
}

const tri_pass tri_pass_fold_fp_to_fp = {
    .name = "fold-fp-to-fp",
    .help = "one conversion of floating point for two",
    .alias = "tritonintelgpu-fold-fp-to-fp",
    .run = run_fold_fp_to_fp,
};
