/* Puts values that become dot operands through shared memory into a buffer of their own.
 *
 *     %o = ttg.convert_layout %x : tensor<..., #blocked> -> tensor<..., #ttg.dot_op<...>>
 *   becomes
 *     %m = ttg.local_alloc %x : (tensor<..., #blocked>) -> !ttg.memdesc<..., #ttg.swizzled_shared<...>, #smem>
 *     %o = ttg.local_load %m
 *
 * so that the value is stored once, swizzled for the operand, and loads may be moved away from the store.
 * Conversions that stay within a warp (an accumulator that is the next operand) are left alone, unless each thread
 * then holds more values than before (an operand of multiply-adds has all of K): as shuffles these would be made one
 * by one and all be live at once, from a buffer they are read four at a time where they are used. Needs:
 * the last pass that makes such conversions has run. Answers to tritongpu-reduce-data-duplication.
 * Test: tests/passes/reduce-data-duplication.mlir */
#include "passes/passes.h"

#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"

static bool has_more_registers(tri_arena *arena, MlirType to, MlirType from)
{
    tri_linear a, b;
    return tri_dots_linear(arena, to, &a) && tri_dots_linear(arena, from, &b) &&
           tri_linear_in_bits(&a, TRI_DIM_REGISTER) > tri_linear_in_bits(&b, TRI_DIM_REGISTER);
}

static bool is_candidate(tri_arena *arena, MlirOperation convert)
{
    const tri_encoding *to = tri_dots_encoding(arena, tri_op_result(convert, 0));
    MlirType from = mlirValueGetType(tri_op_operand(convert, 0)), type = mlirValueGetType(tri_op_result(convert, 0));
    return to && to->kind == TRI_ENC_DOT_OP && tri_type_bits(tri_type_element(type)) >= 8 &&
           (tri_dots_needs_shared(arena, from, type) || has_more_registers(arena, type, from));
}

static void rewrite_duplicates(tri_pass_run *run, MlirOperation convert)
{
    MlirValue x = tri_op_operand(convert, 0);
    MlirType from = mlirValueGetType(x), type = mlirValueGetType(tri_op_result(convert, 0));
    int64_t shape[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK];
    int rank = tri_dots_shape(from, shape);
    tri_convert_order_for_memory(tri_dots_encoding(run->arena, x), rank, shape, order);
    tri_builder b = tri_builder_before(convert);
    MlirType buffer = tri_dots_buffer_type(run->arena, type, shape, order, false);
    MlirValue memory = tri_builder_unary(&b, "ttg.local_alloc", buffer, x);
    MlirValue loaded = tri_builder_unary(&b, "ttg.local_load", type, memory);
    tri_op_replace(convert, 1, &loaded);
}

static bool run_reduce_data_duplication(tri_pass_run *run)
{
    tri_op_list converts = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "ttg.convert_layout", run->arena, &converts);
    for (size_t i = 0; i < converts.len; i++)
        if (is_candidate(run->arena, converts.at[i]))
            rewrite_duplicates(run, converts.at[i]);
    return true;
}

const tri_pass tri_pass_reduce_data_duplication = {
    .name = "reduce-data-duplication",
    .help = "keep dot operands that go through shared memory in swizzled buffers",
    .alias = "tritongpu-reduce-data-duplication,tritonintelgpu-reduce-data-duplication",
    .run = run_reduce_data_duplication,
};
