/* tt.dot by multiply-add in each thread: operands hold the whole K extent of their rows and columns. */
#include "targets/gpu/dot.h"

#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "targets/gpu/fp8.h"

tri_map tri_gpu_index_registers(tri_gpu *g, const tri_gpu_layout *layout)
{
    tri_map map;
    tri_map_init(&map, g->arena);
    for (int r = layout->registers; r-- > 0;) {
        uint64_t packed = tri_linear_apply_one(&layout->linear, TRI_DIM_REGISTER, (uint64_t)r);
        int *slot = TRI_NEW(g->arena, int);
        *slot = r;
        tri_map_set_ptr(&map, (const void *)(uintptr_t)(packed + 1), slot);
    }
    return map;
}

int tri_gpu_find_register(const tri_map *map, const tri_linear *l, int rank, const uint64_t *coords)
{
    uint64_t packed = 0;
    for (int d = 0; d < rank; d++) {
        tri_dim dim = (tri_dim)(TRI_DIM_0 + d);
        if (tri_linear_find_out(l, dim) >= 0)
            packed |= coords[d] << tri_linear_out_shift(l, dim);
    }
    int *slot = tri_map_find_ptr(map, (const void *)(uintptr_t)(packed + 1));
    return slot ? *slot : -1;
}

/* acc + a * b in the accumulator's type. */
static LLVMValueRef multiply_add(tri_gpu *g, LLVMValueRef a, LLVMValueRef b, LLVMValueRef acc)
{
    LLVMTypeRef type = LLVMTypeOf(acc);
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind) {
        if (LLVMTypeOf(a) != type) {
            a = LLVMBuildSExt(g->b, a, type, "");
            b = LLVMBuildSExt(g->b, b, type, "");
        }
        return LLVMBuildAdd(g->b, acc, LLVMBuildMul(g->b, a, b, ""), "");
    }
    if (LLVMTypeOf(a) != type) {
        a = LLVMBuildFPCast(g->b, a, type, "");
        b = LLVMBuildFPCast(g->b, b, type, "");
    }
    LLVMValueRef args[] = {a, b, acc};
    return tri_gpu_intrinsic_same(g, "llvm.fma", args, 3);
}

/* Threads must hold the rows and columns of their results: lane and warp bases agree outside K. */
static bool threads_agree(const tri_linear *d, const tri_linear *operand, int rank, int k_dim)
{
    static const tri_dim ins[] = {TRI_DIM_LANE, TRI_DIM_WARP};
    for (int i = 0; i < 2; i++)
        for (int bit = 0; bit < tri_linear_in_bits(d, ins[i]); bit++)
            for (int dim = 0; dim < rank; dim++) {
                tri_dim out = (tri_dim)(TRI_DIM_0 + dim);
                int shared_dim = k_dim == rank - 1 ? rank - 2 : rank - 1; /* M for A, N for B */
                if (dim != k_dim && dim != shared_dim && dim >= rank - 2)
                    continue;
                int64_t want = dim == k_dim ? 0 : tri_linear_basis_at(d, ins[i], bit, out);
                int64_t have =
                    tri_linear_find_out(operand, out) >= 0 ? tri_linear_basis_at(operand, ins[i], bit, out) : 0;
                if (want != have)
                    return false;
            }
    return true;
}

/* Narrow floats as numbers that can be multiplied. */
static tri_gpu_value widen(tri_gpu *g, tri_gpu_value value, MlirType type)
{
    if (!tri_gpu_is_narrow(g, type))
        return value;
    tri_gpu_value out = tri_gpu_new(g, value.count);
    for (int r = 0; r < value.count; r++)
        out.at[r] = tri_gpu_from_narrow(g, type, value.at[r]);
    return out;
}

/* Says how many they are; false after a report that they are too many. */
static bool check_count(tri_gpu *g, MlirOperation op, int64_t count)
{
    if (!g->machine->product_cost || count <= g->max_made / g->machine->product_cost) {
        tri_diag_remark(g->unit->diag, tri_op_span(g->unit->diag, op), "dot", "%lld multiply-adds per thread",
                        (long long)count);
        return true;
    }
    tri_op_error(g->unit->diag, op, 4010, "%lld multiply-adds of a thread: the kernel becomes too much code",
                 (long long)count);
    tri_diag_note(g->unit->diag, TRI_NO_SPAN,
                  "smaller blocks, more warps or types that the matrix unit takes give a thread less to do; "
                  "-fmax-ops=N allows more");
    return false;
}

bool tri_gpu_dot_fma(tri_gpu *g, MlirOperation op)
{
    MlirType types[3];
    tri_gpu_layout *layouts[3];
    for (int i = 0; i < 3; i++) {
        types[i] = mlirValueGetType(mlirOperationGetOperand(op, i));
        layouts[i] = tri_gpu_layout_of(g, op, types[i]);
        if (!layouts[i])
            return false;
    }
    int rank = tri_type_rank(types[2]);
    const tri_linear *d = &layouts[2]->linear;
    if (!threads_agree(d, &layouts[0]->linear, rank, rank - 1) ||
        !threads_agree(d, &layouts[1]->linear, rank, rank - 2))
        return tri_gpu_unsupported(g, op,
                                   "the operands are not laid out as operands of this result; their layouts are "
                                   "#ttg.dot_op with the result's as parent");
    tri_map a_map = tri_gpu_index_registers(g, layouts[0]), b_map = tri_gpu_index_registers(g, layouts[1]);
    tri_gpu_value a = tri_gpu_operand(g, op, 0), b = tri_gpu_operand(g, op, 1), c = tri_gpu_operand(g, op, 2);
    a = widen(g, a, tri_type_element(types[0]));
    b = widen(g, b, tri_type_element(types[1]));
    tri_gpu_value out = tri_gpu_new(g, c.count);
    uint64_t depth = (uint64_t)tri_type_dim(types[0], rank - 1);
    if (!check_count(g, op, (int64_t)depth * c.count))
        return false;
    if (!g->machine->ops) /* else accelerate-matmul, which sees the source's types, says why */
        tri_diag_missed(g->unit->diag, tri_op_span(g->unit->diag, op), "dot",
                        "no matrix instruction: the device has none");
    /* One step of k for all results before the next: of the operands only that step's registers live at once. Each
     * result adds its products in the same order either way. */
    memcpy(out.at, c.at, (size_t)c.count * sizeof *c.at);
    for (uint64_t k = 0; k < depth; k++) {
        for (int r = 0; r < c.count; r++) {
            uint64_t packed = tri_linear_apply_one(d, TRI_DIM_REGISTER, (uint64_t)r), ac[TRI_MAX_RANK],
                     bc[TRI_MAX_RANK];
            for (int dim = 0; dim < rank; dim++)
                ac[dim] = bc[dim] = (uint64_t)tri_linear_coord(d, packed, (tri_dim)(TRI_DIM_0 + dim));
            ac[rank - 1] = bc[rank - 2] = k;
            int ra = tri_gpu_find_register(&a_map, &layouts[0]->linear, rank, ac);
            int rb = tri_gpu_find_register(&b_map, &layouts[1]->linear, rank, bc);
            if (ra < 0 || rb < 0)
                return tri_gpu_unsupported(g, op,
                                           "the operands are not laid out as operands of this result; their layouts "
                                           "are #ttg.dot_op with the result's as parent");
            out.at[r] = multiply_add(g, a.at[ra], b.at[rb], out.at[r]);
        }
    }
    tri_gpu_set_result(g, op, 0, out);
    return true;
}

void tri_gpu_remark_dot(tri_gpu *g, MlirOperation op, int64_t count, const char *name, const char *whose)
{
    tri_diag_remark(g->unit->diag, tri_op_span(g->unit->diag, op), "dot", "%lld instruction%s %s %s",
                    (long long)count, count == 1 ? "" : "s", name, whose);
}

static bool run_dot(tri_gpu *g, MlirOperation op)
{
    MlirAttribute encoding = tri_type_encoding(mlirValueGetType(mlirOperationGetResult(op, 0)));
    const tri_encoding *e = mlirAttributeIsNull(encoding) ? NULL : tri_encoding_get(g->arena, encoding);
    if (e && tri_convert_is_matrix(e))
        return tri_gpu_unsupported(g, op, "its layout is one of matrix instructions, which the device does not have");
    return tri_gpu_dot_fma(g, op);
}

const tri_gpu_op tri_gpu_ops_dot[] = {
    {"tt.dot", run_dot, NULL},
    {0},
};
