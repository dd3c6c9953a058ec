/* Builds f32 products out of several smaller ones that the tensor cores can do.
 *
 *     %d = tt.dot %a, %b, %c, inputPrecision = tf32x3
 *   becomes, with big(x) = x rounded to tf32 and small(x) = x - big(x),
 *     %1 = tt.dot small(%a), big(%b), 0 ; %2 = tt.dot big(%a), small(%b), %1
 *     %3 = select(%2 is NaN, 0, %2)     ; %4 = tt.dot big(%a), big(%b), %3, inputPrecision = tf32
 *     %d = arith.addf %4, %c
 *
 * bf16x3 and bf16x6 split into two and three bf16 parts and add the products up from the smallest.
 * A part of an infinite number is NaN; the leading product alone then decides, hence the select.
 * Needs: ttir or ttgir with a CUDA target of capability 80 or more for tf32x3. Answers to
 * tritongpu-F32DotTC. Test: tests/passes/f32-dot-tc.mlir */
#include "passes/passes.h"

#include "ir/machines.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"

/* ---- splitting ---- */

/* Nearest tf32, ties away from zero; NaN stays. */
static MlirValue round_tf32(tri_builder *b, MlirValue x)
{
    MlirType f32 = mlirValueGetType(x), i32 = tri_type_with_element(f32, mlirIntegerTypeGet(b->context, 32));
    MlirType i1 = tri_type_with_element(f32, mlirIntegerTypeGet(b->context, 1));
    MlirValue bits = tri_builder_unary(b, "arith.bitcast", i32, x);
    bits = tri_builder_binary(b, "arith.addi", i32, bits, tri_builder_int(b, i32, 0x1000));
    bits = tri_builder_binary(b, "arith.andi", i32, bits, tri_builder_int(b, i32, -0x2000));
    MlirValue rounded = tri_builder_unary(b, "arith.bitcast", f32, bits);
    tri_attr ordered = {"predicate", tri_attr_i64(b->context, 7)};
    MlirValue is_number = tri_builder_value(b, &(tri_op){.name = "arith.cmpf", .num_operands = 2,
                                                         .operands = (MlirValue[]){x, x}, .num_results = 1,
                                                         .results = &i1, .num_attrs = 1, .attrs = &ordered});
    return tri_builder_value(b, &(tri_op){.name = "arith.select", .num_operands = 3,
                                          .operands = (MlirValue[]){is_number, rounded, x}, .num_results = 1,
                                          .results = &f32});
}

static void split_bf16(tri_builder *b, MlirValue x, int parts, MlirValue *out)
{
    MlirType f32 = mlirValueGetType(x), bf16 = tri_type_with_element(f32, mlirBF16TypeGet(b->context));
    for (int i = 0; i < parts; i++) {
        out[i] = tri_builder_unary(b, "arith.truncf", bf16, x);
        if (i + 1 < parts)
            x = tri_builder_binary(b, "arith.subf", f32, x, tri_builder_unary(b, "arith.extf", f32, out[i]));
    }
}

/* ---- products ---- */

static MlirValue product(tri_builder *b, MlirValue x, MlirValue y, MlirValue acc, int precision, int64_t imprecise)
{
    MlirType type = mlirValueGetType(acc);
    tri_attr attrs[] = {{"inputPrecision", tri_attr_i32(b->context, precision)},
                        {"maxNumImpreciseAcc", tri_attr_i32(b->context, (int32_t)imprecise)}};
    return tri_builder_value(b, &(tri_op){.name = "tt.dot", .num_operands = 3, .operands = (MlirValue[]){x, y, acc},
                                          .num_results = 1, .results = &type, .num_attrs = 2, .attrs = attrs});
}

static MlirValue zero_if_nan(tri_builder *b, MlirValue x)
{
    MlirType type = mlirValueGetType(x), i1 = tri_type_with_element(type, mlirIntegerTypeGet(b->context, 1));
    tri_attr unordered = {"predicate", tri_attr_i64(b->context, 14)};
    MlirValue is_nan = tri_builder_value(b, &(tri_op){.name = "arith.cmpf", .num_operands = 2,
                                                      .operands = (MlirValue[]){x, x}, .num_results = 1,
                                                      .results = &i1, .num_attrs = 1, .attrs = &unordered});
    MlirValue zero = tri_builder_float(b, type, 0.0);
    return tri_builder_value(b, &(tri_op){.name = "arith.select",
                                          .num_operands = 3,
                                          .operands = (MlirValue[]){is_nan, zero, x},
                                          .num_results = 1,
                                          .results = &type});
}

static MlirValue by_tf32(tri_builder *b, MlirOperation dot)
{
    MlirValue big[2], small[2];
    int64_t imprecise = tri_op_int(dot, "maxNumImpreciseAcc", 0);
    for (intptr_t i = 0; i < 2; i++) {
        MlirValue x = tri_op_operand(dot, i);
        big[i] = round_tf32(b, x);
        small[i] = tri_builder_binary(b, "arith.subf", mlirValueGetType(x), x, big[i]);
    }
    MlirValue acc = tri_builder_float(b, mlirValueGetType(tri_op_result(dot, 0)), 0.0);
    acc = product(b, small[0], big[1], acc, TRI_PRECISION_TF32, imprecise);
    acc = product(b, big[0], small[1], acc, TRI_PRECISION_TF32, imprecise);
    return product(b, big[0], big[1], zero_if_nan(b, acc), TRI_PRECISION_TF32, imprecise);
}

static MlirValue by_bf16(tri_builder *b, MlirOperation dot, int parts)
{
    /* which parts are multiplied, smallest product first; 0 is the leading part */
    static const int pairs[][2] = {{1, 1}, {2, 0}, {0, 2}, {1, 0}, {0, 1}};
    MlirValue x[3], y[3];
    split_bf16(b, tri_op_operand(dot, 0), parts, x);
    split_bf16(b, tri_op_operand(dot, 1), parts, y);
    MlirValue acc = tri_builder_float(b, mlirValueGetType(tri_op_result(dot, 0)), 0.0);
    for (size_t i = parts == 3 ? 0 : 3; i < sizeof pairs / sizeof *pairs; i++)
        acc = product(b, x[pairs[i][0]], y[pairs[i][1]], acc, TRI_PRECISION_IEEE, 0);
    return product(b, x[0], y[0], zero_if_nan(b, acc), TRI_PRECISION_IEEE, 0);
}

static bool run_f32_dot_tc(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    bool has_tf32 = tri_passes_option_int(run, "emu-tf32", tri_machines_of(module)->has_tf32);
    tri_op_list dots = {0};
    tri_op_collect_named(module, "tt.dot", run->arena, &dots);
    for (size_t i = 0; i < dots.len; i++) {
        MlirOperation dot = dots.at[i];
        int64_t precision = tri_op_int(dot, "inputPrecision", TRI_PRECISION_IEEE);
        MlirType type = mlirValueGetType(tri_op_operand(dot, 0)), result = mlirValueGetType(tri_op_result(dot, 0));
        if (!mlirTypeIsAF32(tri_type_element(type)) || !mlirTypeIsAF32(tri_type_element(result)))
            continue;
        tri_builder b = tri_builder_before(dot);
        MlirValue made;
        if (precision == TRI_PRECISION_TF32X3 && has_tf32)
            made = by_tf32(&b, dot);
        else if (precision == TRI_PRECISION_BF16X3 || precision == TRI_PRECISION_BF16X6)
            made = by_bf16(&b, dot, precision == TRI_PRECISION_BF16X3 ? 2 : 3);
        else
            continue;
        made = tri_builder_binary(&b, "arith.addf", result, made, tri_op_operand(dot, 2));
        tri_op_replace(dot, 1, &made);
    }
    return true;
}

static const char *const options[] = {"emu-tf32: whether tf32x3 is built from tf32 (by the target's capability)", NULL};

const tri_pass tri_pass_f32_dot_tc = {
    .name = "f32-dot-tc",
    .help = "build f32 products of tf32x3, bf16x3 and bf16x6 precision from tensor core products",
    .alias = "tritongpu-F32DotTC,tritongpu-f32-dot-tc",
    .options = options,
    .run = run_f32_dot_tc,
};
