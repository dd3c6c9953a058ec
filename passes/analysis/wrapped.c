/* Rows and columns that a kernel takes modulo the matrix' size, as tutorials do to stay inside of it: what copies boxes
 * gives zeros past the end where the source loads the first ones again. That is the same where whatever comes of them
 * is masked off when it is stored or added to memory: rows of the first factor give rows of a product, columns of the
 * second one columns, and arithmetic on elements keeps them in their places. */
#include "passes/analysis/wrapped.h"

#include "base/map.h"

typedef struct {
    tri_pointers *pointers;
    const tri_sum *rest; /* elements from the block's start to the end */
    tri_map seen[2];     /* values that hold such elements, by the dimension that they are past the end of */
    struct {
        MlirValue value;
        int dim;
    } todo[256];
    int count;
} walk;

static bool add_wrapped(walk *w, MlirValue value, int dim)
{
    if (dim > 1 || w->count == (int)(sizeof w->todo / sizeof *w->todo))
        return false;
    if (tri_map_find_ptr(&w->seen[dim], value.ptr))
        return true;
    tri_map_set_ptr(&w->seen[dim], value.ptr, w);
    w->todo[w->count].value = value;
    w->todo[w->count++].dim = dim;
    return true;
}

static bool is_elementwise(MlirOperation op)
{
    tri_str name = tri_op_name(op);
    bool is_math = tri_str_has_prefix(name, "arith.") || tri_str_has_prefix(name, "math.") ||
                   tri_op_is(op, "tt.fp_to_fp") || tri_op_is(op, "tt.bitcast") || tri_op_is(op, "tt.clampf") ||
                   tri_op_is(op, "ttg.convert_layout");
    return is_math && mlirOperationGetNumResults(op) == 1;
}

/* A store, or an update, masks off everything from the end on; what an update found there is not this load's. */
static bool is_masked(const walk *w, MlirOperation store, int dim)
{
    tri_access access;
    tri_pointers_access(w->pointers, store, &access);
    return access.high[dim] && tri_sum_is_equal(access.high[dim], w->rest);
}

static bool follow_yield(walk *w, MlirOperation op, intptr_t operand, int dim)
{
    MlirOperation parent = mlirBlockGetParentOperation(mlirOperationGetBlock(op));
    if (tri_op_is(parent, "scf.for"))
        return add_wrapped(w, mlirBlockGetArgument(tri_op_body(parent, 0), operand + 1), dim) &&
               add_wrapped(w, tri_op_result(parent, operand), dim);
    return tri_op_is(parent, "scf.if") && add_wrapped(w, tri_op_result(parent, operand), dim);
}

static bool follow_wrapped(walk *w, MlirOperation op, intptr_t operand, int dim)
{
    if (tri_op_is(op, "tt.dot")) /* the other dimension is summed over */
        return (operand == 2 || operand == dim) && add_wrapped(w, tri_op_result(op, 0), dim);
    if (tri_op_is(op, "tt.trans"))
        return add_wrapped(w, tri_op_result(op, 0), 1 - dim);
    if (tri_op_is(op, "scf.for"))
        return operand >= 3 && add_wrapped(w, mlirBlockGetArgument(tri_op_body(op, 0), operand - 2), dim) &&
               add_wrapped(w, tri_op_result(op, operand - 3), dim);
    if (tri_op_is(op, "scf.yield"))
        return follow_yield(w, op, operand, dim);
    if (tri_op_is(op, "tt.store") || tri_op_is(op, "tt.atomic_rmw"))
        return operand == 1 && is_masked(w, op, dim);
    return is_elementwise(op) && add_wrapped(w, tri_op_result(op, 0), dim);
}

bool tri_wrapped_is_unseen(tri_arena *arena, tri_pointers *pointers, MlirOperation op, const tri_access *access,
                           int dim)
{
    const tri_block_dim *d = &access->form.dim[dim];
    walk w = {.pointers = pointers, .rest = tri_sum_sub(tri_pointers_sums(pointers), d->wrap, d->start)};
    if (!tri_op_is(op, "tt.load") || access->form.rank != 2)
        return false;
    tri_map_init(&w.seen[0], arena);
    tri_map_init(&w.seen[1], arena);
    add_wrapped(&w, tri_op_result(op, 0), dim);
    for (int i = 0; i < w.count; i++) {
        MlirValue value = w.todo[i].value;
        for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
             use = mlirOpOperandGetNextUse(use))
            if (!follow_wrapped(&w, mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use), w.todo[i].dim))
                return false;
    }
    return true;
}
