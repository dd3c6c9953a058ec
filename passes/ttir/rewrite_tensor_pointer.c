/* Spells pointers to blocks, which text up to Triton 3.6 has, with plain pointers.
 *
 *     %b = tt.make_tensor_ptr %p, [%m, %n], [%s, %one], [%i, %j] {order = array<i32: 1, 0>} : <tensor<16x64xf16>>
 *     %v = tt.load %b {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<16x64xf16>>
 *     %c = tt.advance %b, [%zero, %step] : <tensor<16x64xf16>>
 *   becomes
 *     %q = addptr(addptr(splat %p, (%i + range 16) * %s), (%j + range 64) * %one)
 *     %v = tt.load %q, (0 <= row < %m), 0
 *     %j2 = %j + %step
 *
 * A block pointer becomes 3 * rank + 1 values: pointer, shape, strides and offsets (i64). They pass
 * through the control flow that passes/ttir/expand.h knows; others are refused.
 * Answers to triton-rewrite-tensor-pointer. Test: tests/passes/rewrite-tensor-pointer.mlir */
#include "passes/ttir/descriptor.h"
#include "passes/ttir/expand.h"

static bool is_block_ptr(const tri_expand *x, MlirType type)
{
    (void)x;
    return !mlirTypeIsNull(tri_type_block_ptr_block(type));
}

static MlirType block_of(MlirValue value) { return tri_type_block_ptr_block(mlirValueGetType(value)); }

static intptr_t list(const tri_expand *x, MlirType ptr, MlirType *types, tri_str *names, tri_arena *arena)
{
    (void)x;
    static const char *const words[] = {"shape", "stride", "offset"};
    MlirType block = tri_type_block_ptr_block(ptr);
    int rank = tri_type_rank(block);
    intptr_t n = 0;
    names[n] = (tri_str){0};
    types[n++] = tri_type_ptr(tri_type_element(block), tri_type_ptr_space(ptr));
    for (int i = 0; i < 3 * rank; i++) {
        names[n] = tri_str_format(arena, "%s.%d", words[i / rank], i % rank);
        types[n++] = mlirIntegerTypeGet(mlirTypeGetContext(ptr), 64);
    }
    return n;
}

static bool expand_make(tri_expand *x, MlirOperation op)
{
    tri_builder b = tri_builder_before(op);
    MlirType i64 = mlirIntegerTypeGet(b.context, 64);
    MlirValue parts[TRI_EXPAND_MAX];
    int rank = tri_type_rank(block_of(tri_op_result(op, 0)));
    for (int i = 0; i < 1 + 3 * rank; i++)
        parts[i] = tri_op_operand(op, i);
    for (int i = 1 + 2 * rank; i < 1 + 3 * rank; i++)
        parts[i] = tri_builder_unary(&b, "arith.extsi", i64, parts[i]);
    tri_expand_set(x, tri_op_result(op, 0), 1 + 3 * rank, parts);
    return true;
}

static bool expand_advance(tri_expand *x, MlirOperation op, const MlirValue *old)
{
    tri_builder b = tri_builder_before(op);
    MlirType i64 = mlirIntegerTypeGet(b.context, 64);
    MlirValue parts[TRI_EXPAND_MAX];
    int rank = tri_type_rank(block_of(tri_op_result(op, 0)));
    for (int i = 0; i < 1 + 3 * rank; i++)
        parts[i] = old[i];
    for (int i = 0; i < rank; i++) {
        MlirValue step = tri_builder_unary(&b, "arith.extsi", i64, tri_op_operand(op, 1 + i)),
                  *at = &parts[1 + 2 * rank + i];
        *at = tri_builder_binary(&b, "arith.addi", i64, *at, step);
    }
    tri_expand_set(x, tri_op_result(op, 0), 1 + 3 * rank, parts);
    return true;
}

/* A tt.load or tt.store. What is outside of the tensor and has no padding reads as anything. */
static bool expand_access(tri_expand *x, MlirOperation op, const MlirValue *parts)
{
    tri_builder b = tri_builder_before(op);
    tri_descriptor d = {.block = block_of(tri_op_operand(op, 0)), .pointer = parts[0]};
    int32_t dims[TRI_MAX_RANK];
    int count = tri_op_i32s(op, "boundaryCheck", dims, TRI_MAX_RANK);
    unsigned checked = 0;
    d.rank = tri_type_rank(d.block);
    for (int i = 0; i < count; i++)
        checked |= 1u << dims[i];
    for (int i = 0; i < d.rank; i++) {
        d.shape[i] = parts[1 + i];
        d.stride[i] = parts[1 + d.rank + i];
    }
    enum { padding_nan = 2 };
    int64_t padding = tri_op_int(op, "padding", 0);
    if (padding)
        d.is_nan = tri_builder_int(&b, mlirIntegerTypeGet(b.context, 1), padding == padding_nan);
    tri_descriptor_rewrite_block(x->run, op, &d, parts + 1 + 2 * d.rank, checked);
    return true;
}

static bool rewrite_tensor_pointers(tri_expand *x, MlirOperation op, bool *is_known)
{
    if (tri_op_is(op, "tt.make_tensor_ptr"))
        return expand_make(x, op);
    bool is_access = tri_op_is(op, "tt.load") || tri_op_is(op, "tt.store");
    const MlirValue *parts = NULL;
    if (is_access || tri_op_is(op, "tt.advance"))
        parts = tri_expand_parts(x, tri_op_operand(op, 0));
    *is_known = parts != NULL;
    if (!parts)
        return false;
    return is_access ? expand_access(x, op, parts) : expand_advance(x, op, parts);
}

static const tri_expand_rules rules = {
    .noun = "a pointer to a block", .is_whole = is_block_ptr, .list = list, .rewrite = rewrite_tensor_pointers};

static bool run_rewrite_tensor_pointer(tri_pass_run *run) { return tri_expand_run(run, &rules, NULL); }

const tri_pass tri_pass_rewrite_tensor_pointer = {
    .name = "rewrite-tensor-pointer",
    .help = "spell pointers to blocks with plain pointers",
    .alias = "triton-rewrite-tensor-pointer",
    .run = run_rewrite_tensor_pointer,
};
