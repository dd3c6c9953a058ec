/* Which operations the blocks of a cluster can do that runs one program. Each has its own shared memory and its own
 * part of what a layout splits; nothing travels between them, which plan-cta sees to. What others wrote may want
 * that. */
#include "ir/analysis/pointers.h"
#include "ir/analysis/pointers_forms.h"
#include "ir/encoding.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "targets/gpu/gpu.h"

enum { ALL = 31 }; /* of the memories that a barrier orders */

/* Whether the blocks hold different parts along the axis; along any when that is negative. */
static bool is_apart(const tri_linear *l, int axis)
{
    for (int bit = 0; bit < tri_linear_in_bits(l, TRI_DIM_BLOCK); bit++)
        if (axis < 0 ? tri_linear_basis(l, TRI_DIM_BLOCK, bit) != 0
                     : tri_linear_basis_at(l, TRI_DIM_BLOCK, bit, (tri_dim)(TRI_DIM_0 + axis)) != 0)
            return true;
    return false;
}

static const char *look_along_axis(tri_gpu *g, MlirOperation op)
{
    bool has_axis = tri_op_is(op, "tt.reduce") || tri_op_is(op, "tt.scan");
    if (!has_axis && !tri_op_is(op, "tt.gather") && !tri_op_is(op, "tt.histogram"))
        return NULL;
    tri_gpu_layout *layout = tri_gpu_layout_of(g, op, mlirValueGetType(tri_op_operand(op, 0)));
    return layout && is_apart(&layout->linear, has_axis ? (int)tri_op_int(op, "axis", 0) : -1)
               ? "it combines what the blocks of a cluster have apart"
               : NULL;
}

/* A block's part of a tensor and of its buffer are the same. */
static const char *compare_parts(tri_gpu *g, MlirOperation op, MlirType tensor, MlirType buffer)
{
    tri_memdesc desc;
    tri_linear memory;
    const char *why;
    tri_gpu_layout *layout = tri_gpu_layout_of(g, op, tensor);
    if (!layout || !tri_type_get_memdesc(buffer, &desc) ||
        !tri_convert_to_linear(tri_encoding_get(g->arena, desc.encoding), desc.rank, desc.shape, &memory, &why))
        return NULL;
    int bits = tri_linear_in_bits(&layout->linear, TRI_DIM_BLOCK);
    bool is_same = bits == tri_linear_in_bits(&memory, TRI_DIM_BLOCK);
    for (int bit = 0; is_same && bit < bits; bit++)
        for (int d = 0; d < desc.rank; d++)
            is_same = is_same && tri_linear_basis_at(&layout->linear, TRI_DIM_BLOCK, bit, (tri_dim)(TRI_DIM_0 + d)) ==
                                     tri_linear_basis_at(&memory, TRI_DIM_BLOCK, bit, (tri_dim)(TRI_DIM_0 + d));
    return is_same ? NULL : "it moves data between the blocks of a cluster";
}

/* Of operations with a tensor and a buffer. */
static const char *compare_buffers(tri_gpu *g, MlirOperation op)
{
    MlirType tensor = {NULL}, buffer = {NULL};
    tri_memdesc desc;
    intptr_t operands = mlirOperationGetNumOperands(op), n = operands + mlirOperationGetNumResults(op);
    for (intptr_t i = 0; i < n; i++) {
        MlirType type = mlirValueGetType(i < operands ? tri_op_operand(op, i) : tri_op_result(op, i - operands));
        if (tri_type_get_memdesc(type, &desc))
            buffer = type;
        else if (tri_type_is_tensor(type) && mlirTypeIsNull(tensor))
            tensor = type;
    }
    bool is_product = tri_op_is(op, "ttng.warp_group_dot") || tri_op_is(op, "ttng.warp_group_dot_wait");
    return tensor.ptr && buffer.ptr && !is_product ? compare_parts(g, op, tensor, buffer) : NULL;
}

static const char *why_alone(tri_gpu *g, MlirOperation op)
{
    static const char *const known[] = {"ttng.warp_group_dot", "ttng.warp_group_dot_wait", "ttng.fence_async_shared"};
    bool is_known = !tri_str_has_prefix(tri_op_name(op), "ttng.");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        is_known = is_known || tri_op_is(op, known[i]);
    if (!is_known || tri_op_is(op, "ttg.warp_specialize"))
        return "it is not made for clusters yet";
    const char *why = look_along_axis(g, op);
    return why ? why : compare_buffers(g, op);
}

/* ---- global memory ---- */

/* The bases of the blocks in the layout of an access' pointers, one behind the other; false when several blocks have
 * the same element. */
static bool has_own_part(tri_gpu *g, MlirOperation op, uint64_t *out_bases)
{
    MlirType type = mlirValueGetType(tri_op_operand(op, 0));
    tri_gpu_layout *layout = tri_type_is_tensor(type) ? tri_gpu_layout_of(g, op, type) : NULL;
    if (!layout || layout->replicas.block & ((uint64_t)g->num_ctas - 1))
        return false;
    for (int bit = 0; bit < tri_linear_in_bits(&layout->linear, TRI_DIM_BLOCK); bit++)
        out_bases[bit] = tri_linear_basis(&layout->linear, TRI_DIM_BLOCK, bit);
    return true;
}

static bool is_same_place(tri_pointers *pointers, MlirValue x, MlirValue y)
{
    const tri_block_form *a = tri_pointers_form(pointers, x), *b = tri_pointers_form(pointers, y);
    return mlirValueEqual(x, y) ||
           (!a->reason && !b->reason && a->base.ptr && a->base.ptr == b->base.ptr &&
            tri_sum_is_equal(a->offset, b->offset) && tri_pointers_forms_has_same_dims(a, b, true));
}

/* Whether each block has its own part of what both access: the same places, once, split alike. */
static bool is_own_place(tri_gpu *g, tri_pointers *pointers, MlirOperation read, MlirOperation write)
{
    enum { MOST_BITS = 8 };
    uint64_t a[MOST_BITS] = {0}, b[MOST_BITS] = {0};
    return tri_op_is(mlirOperationGetParentOperation(read), "tt.func") &&
           tri_op_is(mlirOperationGetParentOperation(write), "tt.func") &&
           is_same_place(pointers, tri_op_operand(read, 0), tri_op_operand(write, 0)) && has_own_part(g, read, a) &&
           has_own_part(g, write, b) && !memcmp(a, b, sizeof a);
}

static bool may_meet(tri_pointers *pointers, MlirOperation read, MlirOperation write)
{
    const char *why;
    MlirValue culprit, x = tri_pointers_root(pointers, tri_op_operand(read, 0), &why, &culprit),
                       y = tri_pointers_root(pointers, tri_op_operand(write, 0), &why, &culprit);
    return mlirValueIsNull(x) || mlirValueIsNull(y) || mlirValueEqual(x, y);
}

/* Whether what two accesses do depends on which comes first. Stores that nothing orders in the source do not. */
static bool has_order(MlirOperation x, MlirOperation y, bool has_barriers)
{
    bool stores = tri_op_is(x, "tt.store") && tri_op_is(y, "tt.store");
    bool writes = tri_op_in(x, TRI_OPS_WRITE) || tri_op_in(y, TRI_OPS_WRITE);
    return writes && !(stores && !has_barriers) && !(tri_op_in(x, TRI_OPS_ATOMIC) && tri_op_in(y, TRI_OPS_ATOMIC));
}

/* An access to what another block of the cluster writes, before it or behind it: they would have to wait. */
static const char *look_at_memory(tri_gpu *g, tri_pointers *pointers, const tri_op_list *ops, MlirOperation op)
{
    bool has_barriers = false;
    for (size_t i = 0; i < ops->len; i++) /* those of the source order everything */
        has_barriers |= tri_op_is(ops->at[i], "gpu.barrier") ||
                        (tri_op_is(ops->at[i], "ttg.barrier") && tri_op_int(ops->at[i], "addrSpace", 0) == ALL);
    for (size_t i = 0; tri_op_in(op, TRI_OPS_ACCESS) && i < ops->len; i++) {
        MlirOperation other = ops->at[i];
        if (tri_op_in(other, TRI_OPS_ACCESS) && !mlirOperationEqual(op, other) && has_order(op, other, has_barriers) &&
            may_meet(pointers, op, other) && !is_own_place(g, pointers, op, other))
            return "one block of a cluster may write what another one accesses";
    }
    return NULL;
}

bool tri_gpu_check_cluster(tri_gpu *g)
{
    tri_op_list ops = {0};
    if (g->num_ctas == 1)
        return true;
    tri_pointers *pointers = tri_pointers_create(g->arena);
    tri_op_collect(mlirModuleGetOperation(g->unit->module), g->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        const char *why = why_alone(g, ops.at[i]);
        why = why ? why : look_at_memory(g, pointers, &ops, ops.at[i]);
        if (why) {
            tri_buf text = {0};
            tri_buf_format(&text, "%s; use -num-ctas=1", why);
            tri_gpu_unsupported(g, ops.at[i], tri_str_copy(g->arena, tri_buf_str(&text)).data);
            tri_buf_fini(&text);
            return false;
        }
    }
    return true;
}
