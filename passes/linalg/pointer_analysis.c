/* Pointer analysis as a step: the pointers of an access that have a form (ir/analysis/pointers.h) are spelled in its
 * terms right before it, as base, offset and one list of numbers for each dimension, however they were made and
 * carried.
 *
 *     %l = scf.for ... iter_args(%q = %p) {                      // tensor<64x!tt.ptr<f32>>
 *       %v = tt.load %q
 *       scf.yield (tt.addptr %q, dense<64>)
 *   becomes
 *       %i = arith.addi (make_range 0..64), (splat 64 * %iteration)
 *       %v = tt.load (tt.addptr (splat %base), %i)
 *
 * Offsets are i64. Pointers without a form stay as they are. Every pass after this one finds plain sums, and
 * pointers that loops carried only for accesses are dead. Needs: ttir. Answers to PtrAnalysis
 * (triton-shared), which is no pass there. Test: tests/passes/pointer-analysis.mlir */
#include "passes/passes.h"

#include "ir/op.h"
#include "ir/type.h"
#include "ir/upstream.h"
#include "passes/linalg/lists.h"

/* The list of integers that an INDEXED dimension goes by, as tensor<SIZExi64>. */
static MlirValue emit_listed(tri_builder *b, const tri_block_dim *x)
{
    MlirType i64 = mlirIntegerTypeGet(b->context, 64), type = mlirValueGetType(x->index);
    MlirType flat = tri_type_tensor(1, &x->size, tri_type_element(type), (MlirAttribute){NULL});
    MlirValue list = x->index;
    if (!mlirTypeEqual(type, flat))
        list = tri_builder_unary(b, "tt.reshape", flat, list);
    return tri_type_bits(tri_type_element(type)) < 64
               ? tri_builder_unary(b, "arith.extsi", tri_type_with_element(flat, i64), list)
               : list;
}

/* index_d * stride_d for all elements of a dimension. */
static MlirValue emit_list(tri_pointers *pointers, tri_builder *b, const tri_block_dim *x)
{
    MlirValue list = x->kind == TRI_DIM_INDEXED ? emit_listed(b, x) : tri_lists_range(b, x->size);
    MlirType type = mlirValueGetType(list);
    if (x->kind != TRI_DIM_INDEXED && !tri_sum_is(x->start, 0)) {
        MlirValue start = tri_lists_emit(b, pointers, x->start);
        list = tri_builder_binary(b, "arith.addi", type, list, tri_lists_splat(b, x->size, start));
    }
    if (x->kind == TRI_DIM_WRAP) {
        MlirValue wrap = tri_lists_emit(b, pointers, x->wrap);
        list = tri_builder_binary(b, "arith.remsi", type, list, tri_lists_splat(b, x->size, wrap));
    }
    if (!tri_sum_is(x->stride, 1)) {
        MlirValue stride = tri_lists_emit(b, pointers, x->stride);
        list = tri_builder_binary(b, "arith.muli", type, list, tri_lists_splat(b, x->size, stride));
    }
    return list;
}

static void spell_pointer(tri_pointers *pointers, MlirOperation op, const tri_access *access)
{
    const tri_block_form *form = &access->form;
    MlirType type = mlirValueGetType(tri_op_operand(op, 0)), pointer = tri_type_element(type);
    if (form->reason || !mlirTypeEqual(mlirValueGetType(form->base), pointer))
        return;
    tri_builder b = tri_builder_before(op);
    MlirValue base = form->base;
    b.loc = mlirValueGetLocation(tri_op_operand(op, 0)); /* errors name it */
    if (!tri_sum_is(form->offset, 0))
        base = tri_builder_binary(&b, "tt.addptr", pointer, base, tri_lists_emit(&b, pointers, form->offset));
    MlirValue block = tri_lists_splat_to(&b, type, base);
    for (int d = 0; d < form->rank; d++) {
        if (form->dim[d].kind == TRI_DIM_NONE)
            continue;
        MlirValue list = tri_lists_spread(&b, emit_list(pointers, &b, &form->dim[d]), d, type);
        block = tri_builder_binary(&b, "tt.addptr", type, block, list);
    }
    mlirOperationSetOperand(op, 0, block);
}

static bool run_pointer_analysis(tri_pass_run *run)
{
    tri_lists_each_access(run->arena, run->module, spell_pointer);
    return tri_upstream_run(run->module, "remove-dead-values", run->unit->diag);
}

const tri_pass tri_pass_pointer_analysis = {
    .name = "pointer-analysis",
    .help = "spell pointers of accesses as base, offset and a list for each dimension",
    .alias = "ptr-analysis",
    .run = run_pointer_analysis,
};
