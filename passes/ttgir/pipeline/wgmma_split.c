/* A product whose first operand comes from registers becomes two, each over half of K.
 *
 *     %d = ttng.warp_group_dot %a, %b, %c : tensor<128x64xf16, #dot_op> * !ttg.memdesc<64x32xf16>
 *   becomes
 *     %v = tt.reshape %a -> 128x2x32 ; %t = tt.trans %v -> 128x32x2 ; %a0, %a1 = tt.split %t     // no data moves
 *     %d0 = ttng.warp_group_dot %a0, (ttg.memdesc_subslice %b[0, 0]), %c
 *     %d  = ttng.warp_group_dot %a1, (ttg.memdesc_subslice %b[32, 0]), %d0
 *
 * What makes the second half of the registers then runs while the first product does, and the second product may
 * stay under way in the next iteration until its own registers are written again. */
#include "passes/ttgir/pipeline/pipeline.h"

#include "ir/analysis/infer.h"
#include "ir/encoding.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"
#include "passes/ttgir/remove_layout_conversions/layouts.h"

/* Whether each half still fills an instruction. */
static bool can_split(tri_arena *arena, MlirOperation dot)
{
    const tri_encoding *e = tri_dots_encoding(arena, tri_op_result(dot, 0));
    MlirType a = mlirValueGetType(tri_op_operand(dot, 0));
    int64_t depth = tri_type_dim(a, 1);
    return e && e->kind == TRI_ENC_NVIDIA_MMA && e->instr_rank == 3 && depth >= 2 * e->instr_shape[2] &&
           depth % (2 * e->instr_shape[2]) == 0;
}

static void split_registers(tri_arena *arena, tri_builder *b, MlirValue a, MlirValue out_halves[2])
{
    MlirType type = mlirValueGetType(a);
    int64_t rows = tri_type_dim(type, 0), half = tri_type_dim(type, 1) / 2;
    tri_attr order = {"order", tri_attr_i32s(b->context, 3, (int32_t[]){0, 2, 1})};
    MlirValue pairs = tri_layouts_view(arena, b, "tt.reshape", a, 3, (int64_t[]){rows, 2, half}, NULL);
    MlirValue turned = tri_layouts_view(arena, b, "tt.trans", pairs, 3, (int64_t[]){rows, half, 2}, &order);
    MlirAttribute apart = tri_infer_split(arena, tri_layouts_of(turned), 3, (int64_t[]){rows, half, 2});
    MlirType part = tri_type_tensor(2, (int64_t[]){rows, half}, tri_type_element(type), apart);
    MlirOperation split = tri_builder_create(b, &(tri_op){.name = "tt.split", .num_operands = 1, .operands = &turned,
                                                          .num_results = 2, .results = (MlirType[]){part, part}});
    for (int i = 0; i < 2; i++)
        out_halves[i] = tri_dots_convert(b, tri_op_result(split, i), tri_type_encoding(type));
}

static MlirValue cut_buffer(tri_builder *b, MlirValue buffer, int32_t first)
{
    tri_memdesc desc;
    tri_type_get_memdesc(mlirValueGetType(buffer), &desc);
    return tri_dots_buffer_part(b, buffer, 0, first, desc.shape[0] / 2);
}

bool tri_pipeline_wgmma_split(tri_arena *arena, MlirOperation dot, MlirOperation out_halves[2])
{
    MlirValue a = tri_op_operand(dot, 0), halves[2], sum = tri_op_operand(dot, 2);
    if (!tri_type_is_tensor(mlirValueGetType(a)) || !can_split(arena, dot))
        return false;
    MlirType type = mlirValueGetType(sum);
    int32_t half = (int32_t)(tri_type_dim(mlirValueGetType(a), 1) / 2);
    tri_builder b = tri_builder_before(dot);
    split_registers(arena, &b, a, halves);
    tri_attr attrs[] = {{"inputPrecision", tri_op_attr(dot, "inputPrecision")},
                        {"maxNumImpreciseAcc", tri_op_attr(dot, "maxNumImpreciseAcc")},
                        {"isAsync", tri_op_attr(dot, "isAsync")}};
    for (int i = 0; i < 2; i++) {
        MlirValue operands[4] = {halves[i], cut_buffer(&b, tri_op_operand(dot, 1), i * half), sum};
        bool may_clear = i == 0 && mlirOperationGetNumOperands(dot) > 3; /* the second half always adds */
        if (may_clear)
            operands[3] = tri_op_operand(dot, 3);
        out_halves[i] = tri_builder_create(&b, &(tri_op){.name = "ttng.warp_group_dot",
                                                         .num_operands = may_clear ? 4 : 3,
                                                         .operands = operands,
                                                         .num_results = 1,
                                                         .results = &type,
                                                         .num_attrs = 3,
                                                         .attrs = attrs});
        sum = tri_op_result(out_halves[i], 0);
    }
    tri_op_replace(dot, 1, &sum);
    return true;
}
