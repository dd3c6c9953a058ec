/* Which operations the blocks of a cluster can do that runs one program. Each has its own shared memory and its own
 * part of what a layout splits; nothing travels between them, which plan-cta sees to. What others wrote may want
 * that. */
#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "targets/gpu/gpu.h"

enum { LOCAL = 1 }; /* of a barrier's memories */

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
    if (tri_op_is(op, "gpu.barrier") || (tri_op_is(op, "ttg.barrier") && tri_op_int(op, "addrSpace", 0) != LOCAL))
        return "the blocks of a cluster do not wait for each other";
    const char *why = look_along_axis(g, op);
    return why ? why : compare_buffers(g, op);
}

bool tri_gpu_check_cluster(tri_gpu *g)
{
    tri_op_list ops = {0};
    tri_op_collect(mlirModuleGetOperation(g->unit->module), g->arena, &ops);
    for (size_t i = 0; g->num_ctas > 1 && i < ops.len; i++) {
        const char *why = why_alone(g, ops.at[i]);
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
