/* Spells accesses through tensor descriptors with pointers, for machines without a descriptor unit.
 *
 *     %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : <f16>, <16x64xf16>
 *     %v = tt.descriptor_load %d[%i, %j]
 *   becomes
 *     %q = addptr(addptr(splat %p, (%i + range 16) * %s), (%j + range 64) * %one)
 *     %k = (0 <= row < %m) & (0 <= column < %n)
 *     %v = tt.load %q, %k, 0
 *
 * A descriptor becomes 2 * rank + 3 values: pointer, shape and strides (i64), whether padding is
 * NaN, whether f32 is rounded to tf32; a parameter of a function becomes as many parameters. They
 * pass through the control flow that passes/ttir/expand.h knows; others are refused. With the option tma=1, descriptors
 * that are worth a tensor map stay as they are (tensormap_choice.h).
 * Answers to triton-rewrite-tensor-descriptor-to-pointer.
 * Test: tests/passes/rewrite-tensor-descriptor-to-pointer.mlir */
#include "passes/ttir/descriptor.h"
#include "passes/ttir/expand.h"
#include "passes/ttir/tensormap_choice.h"

typedef struct {
    tri_tensormap_choice *choice; /* null: none stay */
    bool has_rounding;            /* descriptors say whether f32 values are rounded: launchers of 3.7 and later do */
} descriptor_options;

static bool has_rounding(const tri_expand *x) { return ((const descriptor_options *)x->data)->has_rounding; }

/* With `tma`, those that become tensor maps stay. */
static bool is_desc(const tri_expand *x, MlirType type)
{
    const tri_tensormap_choice *choice = ((const descriptor_options *)x->data)->choice;
    return tri_type_is_desc(type) && !(choice && tri_tensormap_choice_takes(choice, type));
}

static intptr_t list(const tri_expand *x, MlirType desc, MlirType *types, tri_str *names, tri_arena *arena)
{
    MlirType block = tri_type_desc_block(desc);
    MlirContext context = mlirTypeGetContext(block);
    int rank = tri_type_rank(block);
    intptr_t n = 0;
    names[n] = (tri_str){0};
    types[n++] = tri_type_ptr(tri_descriptor_element(block), 1);
    for (int i = 0; i < 2 * rank; i++) {
        names[n] = tri_str_format(arena, "%s.%d", i < rank ? "shape" : "stride", i % rank);
        types[n++] = mlirIntegerTypeGet(context, 64);
    }
    names[n] = TRI_STR("padding");
    types[n++] = mlirIntegerTypeGet(context, 1);
    if (!has_rounding(x))
        return n;
    names[n] = TRI_STR("roundF32ToTF32");
    types[n++] = mlirIntegerTypeGet(context, 1);
    return n;
}

static bool expand_make(tri_expand *x, MlirOperation op)
{
    tri_builder b = tri_builder_before(op);
    MlirType i64 = mlirIntegerTypeGet(b.context, 64), i1 = mlirIntegerTypeGet(b.context, 1);
    int rank = tri_type_rank(tri_type_desc_block(mlirValueGetType(tri_op_result(op, 0))));
    MlirValue parts[TRI_EXPAND_MAX] = {tri_op_operand(op, 0)};
    for (int i = 0; i < rank; i++) {
        MlirValue shape = tri_op_operand(op, 1 + i);
        bool is_wide = mlirTypeEqual(mlirValueGetType(shape), i64);
        parts[1 + i] = is_wide ? shape : tri_builder_unary(&b, "arith.extsi", i64, shape);
        parts[1 + rank + i] = tri_op_operand(op, 1 + rank + i);
    }
    enum { padding_nan = 2 };
    parts[1 + 2 * rank] = tri_builder_int(&b, i1, tri_op_int(op, "padding", 1) == padding_nan);
    parts[2 + 2 * rank] = tri_builder_int(&b, i1, 0);
    tri_expand_set(x, tri_op_result(op, 0), 2 * rank + 2 + has_rounding(x), parts);
    return true;
}

static void assemble(const tri_expand *x, tri_descriptor *d, MlirType desc, const MlirValue *parts)
{
    *d = (tri_descriptor){.block = tri_type_desc_block(desc), .pointer = *parts++};
    d->rank = tri_type_rank(d->block);
    for (int i = 0; i < d->rank; i++) {
        d->shape[i] = parts[i];
        d->stride[i] = parts[d->rank + i];
    }
    d->is_nan = parts[2 * d->rank];
    d->is_rounded = has_rounding(x) ? parts[2 * d->rank + 1] : (MlirValue){NULL};
}

static bool rewrite_descriptors(tri_expand *x, MlirOperation op, bool *is_known)
{
    if (tri_op_is(op, "tt.make_tensor_descriptor"))
        return expand_make(x, op);
    *is_known = tri_str_has_prefix(tri_op_name(op), "tt.descriptor_");
    const MlirValue *parts = *is_known ? tri_expand_parts(x, tri_op_operand(op, 0)) : NULL;
    if (!parts) {
        *is_known = false;
        return false;
    }
    tri_descriptor d;
    assemble(x, &d, mlirValueGetType(tri_op_operand(op, 0)), parts);
    return tri_descriptor_rewrite(x->run, op, &d);
}

static const tri_expand_rules rules = {
    .noun = "a tensor descriptor", .is_whole = is_desc, .list = list, .rewrite = rewrite_descriptors};

static bool run_rewrite_tensor_descriptor_to_pointer(tri_pass_run *run)
{
    enum { first_with_rounding = 307 };
    tri_tensormap_choice choice;
    descriptor_options o = {
        .has_rounding = tri_passes_option_int(run, "release", first_with_rounding) >= first_with_rounding};
    if (tri_passes_option_int(run, "tma", 0) != 0) {
        choice = tri_tensormap_choice_make(run);
        o.choice = &choice;
    }
    return tri_expand_run(run, &rules, &o);
}

static const char *const options[] = {
    "tma=N: 1 keeps descriptors that are worth a tensor map",
    "release=N: 306 leaves out whether f32 values are rounded, as launchers of Triton 3.6 do", NULL};

const tri_pass tri_pass_rewrite_tensor_descriptor_to_pointer = {
    .name = "rewrite-tensor-descriptor-to-pointer",
    .help = "spell accesses through tensor descriptors with pointers",
    .alias = "triton-rewrite-tensor-descriptor-to-pointer",
    .options = options,
    .run = run_rewrite_tensor_descriptor_to_pointer,
};
