/* Marks the accesses that messages of two dimensions can do (ttig.block_io), for what comes behind it.
 *
 *     %x = tt.load %p : tensor<64x32x!tt.ptr<f16>>              tt.load %p {ttig.block_io = "row_major"}
 *     %y = tt.descriptor_load %d[%i, %j]                 ->     tt.descriptor_load %d[%i, %j]
 *                                                                 {ttig.block_io = "row_major", ttig.desc_padding = 1}
 *
 * Of two dimensions or more the last two count. Pointers: along one of them all elements lie side by side, the other
 * one moves by multiples of 16 bytes, and runs begin at multiples of 4 bytes; "column_major" where it is the last
 * dimension that moves by rows. Descriptors: a base of 4 bytes' alignment, a length of the last dimension and an index
 * along it of whole 4 bytes, and two elements at least, rows multiples of 16 bytes apart. Of a base and of strides
 * that nothing is known of, the contract of tt.make_tensor_descriptor says that they are. All descriptors that control
 * flow may hand over must say the same. ttig.desc_padding: what their padding is, a number of
 * tt.make_tensor_descriptor.
 *
 * Needs: a machine with such messages, or a module with ttig.support_2d_block_io. Answers to
 * tritonintelgpu-materialize-block-pointer. Test: tests/passes/materialize-block-pointer.mlir */
#include "passes/passes.h"

#include "ir/analysis/axis_info.h"
#include "ir/analysis/pointers.h"
#include "ir/block_io.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/loops.h"

#include <string.h>

typedef struct {
    tri_arena *arena;
    const tri_axis_info *info;
    tri_pointers *pointers;
} marker;

static void mark_block(MlirOperation op, const char *layout)
{
    MlirContext context = mlirOperationGetContext(op);
    tri_builder_set_attr(op, "ttig.block_io", tri_attr_str(context, layout, strlen(layout)));
}

/* ---- pointers ---- */

/* Whether the elements along a dimension are known to be multiples of 16 bytes from one another. */
static bool is_apart(const marker *m, MlirValue pointer, int dim, int64_t bytes)
{
    const tri_block_form *form = tri_pointers_form(m->pointers, pointer);
    if (form->reason)
        return false;
    const tri_block_dim *d = &form->dim[dim];
    if (d->kind == TRI_DIM_NONE)
        return true;
    return d->kind != TRI_DIM_INDEXED && (d->kind != TRI_DIM_WRAP || d->is_contiguous) &&
           (tri_sum_is(d->stride, 0) || tri_sum_divisor(d->stride) * bytes % TRI_BLOCK_PITCH == 0);
}

/* Whether rows along dimension `fast` are what a message can read, from row to row along `other`. */
static bool is_block(const marker *m, MlirValue pointer, int fast, int other)
{
    MlirType type = mlirValueGetType(pointer);
    const tri_axis *axis = tri_axis_info_get(m->info, pointer);
    int64_t bytes = tri_type_bits(tri_type_ptr_pointee(tri_type_element(type))) / 8;
    return axis->contiguity[fast] == tri_type_dim(type, fast) && axis->divisibility[fast] % TRI_BLOCK_GRAIN == 0 &&
           is_apart(m, pointer, other, bytes);
}

static void visit_pointers(const marker *m, MlirOperation op)
{
    MlirValue pointer = tri_op_operand(op, 0);
    MlirType type = mlirValueGetType(pointer);
    int rank = tri_type_is_tensor(type) ? tri_type_rank(type) : 0;
    if (rank < 2)
        return;
    if (is_block(m, pointer, rank - 2, rank - 1))
        mark_block(op, "column_major");
    else if (is_block(m, pointer, rank - 1, rank - 2))
        mark_block(op, "row_major");
}

/* ---- descriptors ---- */

/* All that make what a value may be; false: something else may, too. */
static bool find_makers(const marker *m, MlirValue value, int depth, tri_op_list *out)
{
    MlirBlock block;
    intptr_t index;
    if (depth > 16)
        return false;
    if (tri_op_is_block_argument(value, &block, &index)) {
        MlirOperation loop = mlirBlockGetParentOperation(block);
        if (!tri_op_is(loop, "scf.for") || index == 0)
            return false;
        MlirValue next = tri_op_operand(tri_loops_yield(loop, 0), index - 1);
        return find_makers(m, tri_op_operand(loop, 2 + index), depth + 1, out) &&
               (mlirValueEqual(next, value) || find_makers(m, next, depth + 1, out));
    }
    MlirOperation op = tri_op_def(value);
    if (tri_op_is(op, "tt.make_tensor_descriptor")) {
        tri_vec_push(m->arena, out, op);
        return true;
    }
    index = mlirOpResultGetResultNumber(value);
    if (tri_op_is(op, "arith.select"))
        return find_makers(m, tri_op_operand(op, 1), depth + 1, out) &&
               find_makers(m, tri_op_operand(op, 2), depth + 1, out);
    if (tri_op_is(op, "scf.if"))
        return find_makers(m, tri_op_operand(tri_loops_yield(op, 0), index), depth + 1, out) &&
               find_makers(m, tri_op_operand(tri_loops_yield(op, 1), index), depth + 1, out);
    if (tri_op_is(op, "scf.for"))
        return find_makers(m, mlirBlockGetArgument(tri_op_body(op, 0), index + 1), depth + 1, out);
    return false;
}

static bool is_divisible(const marker *m, MlirValue value, int64_t by)
{
    return tri_axis_info_get(m->info, value)->divisibility[0] % by == 0;
}

/* The same of what descriptors promise: only what is known to be otherwise is not. */
static bool is_promised(const marker *m, MlirValue value, int64_t by)
{
    const tri_axis *axis = tri_axis_info_get(m->info, value);
    return is_divisible(m, value, by) || (!axis->has_constant && axis->divisibility[0] == 1);
}

/* Elements of which lengths and columns are multiples. */
static int64_t grain_of(int64_t bits)
{
    int64_t grain = (8 * TRI_BLOCK_GRAIN + bits - 1) / bits;
    return grain < 2 ? 2 : grain;
}

/* Operands of tt.make_tensor_descriptor: the base, then lengths, then strides. */
static bool is_matrix(const marker *m, MlirOperation make, int rank, int64_t bits)
{
    int64_t pitch = (8 * TRI_BLOCK_PITCH + bits - 1) / bits;
    return is_promised(m, tri_op_operand(make, 0), TRI_BLOCK_GRAIN) &&
           is_divisible(m, tri_op_operand(make, rank), grain_of(bits)) &&
           is_promised(m, tri_op_operand(make, 2 * rank - 1), pitch);
}

static bool is_alike(MlirOperation a, MlirOperation b, int rank)
{
    if (tri_op_int(a, "padding", 0) != tri_op_int(b, "padding", 0) ||
        mlirOperationGetNumOperands(a) != mlirOperationGetNumOperands(b))
        return false;
    for (int d = 1; d <= rank; d++)
        if (!mlirValueEqual(tri_op_operand(a, d), tri_op_operand(b, d)))
            return false;
    return true;
}

static void visit_descriptor(const marker *m, MlirOperation op)
{
    tri_op_list makers = {0};
    MlirValue descriptor = tri_op_operand(op, 0);
    if (!find_makers(m, descriptor, 0, &makers))
        return;
    MlirType block = tri_type_desc_block(mlirValueGetType(descriptor));
    int rank = tri_type_rank(block);
    int64_t bits = tri_type_bits(tri_type_element(block));
    bool fits = rank > 1;
    for (size_t i = 0; i < makers.len; i++) {
        if (!is_alike(makers.at[0], makers.at[i], rank))
            return;
        fits = fits && is_matrix(m, makers.at[i], rank, bits);
    }
    int32_t padding = (int32_t)tri_op_int(makers.at[0], "padding", 1);
    tri_builder_set_attr(op, "ttig.desc_padding", tri_attr_i32(mlirOperationGetContext(op), padding));
    MlirValue column = tri_op_operand(op, mlirOperationGetNumOperands(op) - 1);
    if (fits && is_divisible(m, column, grain_of(bits)))
        mark_block(op, "row_major");
}

/* ---- the pass ---- */

static bool run_materialize_block_pointer(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_list funcs = {0};
    if (!tri_block_is_available(module))
        return true;
    marker m = {.arena = run->arena, .info = tri_axis_info_create(run->arena, module)};
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t f = 0; f < funcs.len; f++) {
        tri_op_list ops = {0};
        m.pointers = tri_pointers_create(run->arena);
        tri_op_collect(funcs.at[f], run->arena, &ops);
        for (size_t i = 0; i < ops.len; i++) {
            if (tri_op_is(ops.at[i], "tt.load") || tri_op_is(ops.at[i], "tt.store"))
                visit_pointers(&m, ops.at[i]);
            else if (tri_op_is(ops.at[i], "tt.descriptor_load") || tri_op_is(ops.at[i], "tt.descriptor_store"))
                visit_descriptor(&m, ops.at[i]);
        }
    }
    return true;
}

const tri_pass tri_pass_materialize_block_pointer = {
    .name = "materialize-block-pointer",
    .help = "mark accesses that messages of two dimensions can do",
    .alias = "tritonintelgpu-materialize-block-pointer",
    .run = run_materialize_block_pointer,
};
