/* Shape changes that move no data between threads: the result's layout says which register of the
 * operand each element is in. */
#include "ir/type.h"
#include "targets/gpu/gpu.h"

/* Renames registers: out register r takes in register `map`(r), where the linear maps give the same
 * element coordinates; `project` turns the packed element of the result into that of the operand. */
typedef uint64_t (*project_element)(tri_gpu *g, MlirOperation op, const tri_linear *to, uint64_t packed,
                                    const tri_linear *from);

/* Registers of `from` by packed element of thread 0. */
static tri_map elements_of(tri_gpu *g, const tri_gpu_layout *layout)
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

/* The linear map keeps thread bits alike when the encodings were inferred right, so matching the
 * registers of thread 0 matches those of every thread; this checks that they are. */
static bool same_threads(tri_gpu *g, MlirOperation op, const tri_linear *to, const tri_linear *from,
                         project_element project)
{
    static const tri_dim ins[] = {TRI_DIM_LANE, TRI_DIM_WARP, TRI_DIM_BLOCK};
    for (size_t i = 0; i < sizeof ins / sizeof *ins; i++)
        for (int bit = 0; bit < tri_linear_in_bits(to, ins[i]); bit++) {
            uint64_t want = project(g, op, to, tri_linear_basis(to, ins[i], bit), from);
            uint64_t have = bit < tri_linear_in_bits(from, ins[i]) ? tri_linear_basis(from, ins[i], bit) : 0;
            if (want != have)
                return false;
        }
    return true;
}

static bool rename_registers(tri_gpu *g, MlirOperation op, project_element project)
{
    MlirValue result = mlirOperationGetResult(op, 0), operand = mlirOperationGetOperand(op, 0);
    tri_gpu_layout *to = tri_gpu_layout_of(g, op, mlirValueGetType(result));
    tri_gpu_layout *from = tri_gpu_layout_of(g, op, mlirValueGetType(operand));
    if (!to || !from)
        return false;
    if (!same_threads(g, op, &to->linear, &from->linear, project))
        return tri_gpu_unsupported(g, op, "the layouts of operand and result do not keep elements in their threads");
    tri_gpu_value in = tri_gpu_get(g, operand), out = tri_gpu_new(g, to->registers);
    tri_map map = elements_of(g, from);
    for (int r = 0; r < out.count; r++) {
        uint64_t element = tri_linear_apply_one(&to->linear, TRI_DIM_REGISTER, (uint64_t)r);
        uint64_t source = project(g, op, &to->linear, element, &from->linear);
        int *slot = tri_map_find_ptr(&map, (const void *)(uintptr_t)(source + 1));
        if (!slot)
            return tri_gpu_unsupported(g, op,
                                       "the layouts of operand and result do not keep elements in their threads");
        out.at[r] = in.at[*slot];
    }
    tri_gpu_set(g, result, out);
    return true;
}

/* Packs coordinates for a layout. */
static uint64_t pack(const tri_linear *l, int rank, const uint64_t *coords)
{
    uint64_t packed = 0;
    for (int d = 0; d < rank; d++) {
        tri_dim dim = (tri_dim)(TRI_DIM_0 + d);
        if (tri_linear_find_out(l, dim) >= 0)
            packed |= coords[d] << tri_linear_out_shift(l, dim);
    }
    return packed;
}

static uint64_t coord(const tri_linear *l, uint64_t packed, int d)
{
    tri_dim dim = (tri_dim)(TRI_DIM_0 + d);
    return tri_linear_find_out(l, dim) >= 0 ? (uint64_t)tri_linear_coord(l, packed, dim) : 0;
}

static int result_rank(MlirOperation op) { return tri_type_rank(mlirValueGetType(mlirOperationGetResult(op, 0))); }

static uint64_t project_expand(tri_gpu *g, MlirOperation op, const tri_linear *to, uint64_t packed,
                               const tri_linear *from)
{
    (void)g;
    int axis = (int)tri_op_int(op, "axis", 0), rank = result_rank(op), n = 0;
    uint64_t coords[TRI_MAX_RANK];
    for (int d = 0; d < rank; d++)
        if (d != axis)
            coords[n++] = coord(to, packed, d);
    return pack(from, n, coords);
}

static uint64_t project_broadcast(tri_gpu *g, MlirOperation op, const tri_linear *to, uint64_t packed,
                                  const tri_linear *from)
{
    (void)g;
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
    int rank = result_rank(op);
    uint64_t coords[TRI_MAX_RANK];
    for (int d = 0; d < rank; d++)
        coords[d] = tri_type_dim(type, d) == 1 ? 0 : coord(to, packed, d);
    return pack(from, rank, coords);
}

static uint64_t project_trans(tri_gpu *g, MlirOperation op, const tri_linear *to, uint64_t packed,
                              const tri_linear *from)
{
    (void)g;
    int32_t order[TRI_MAX_RANK];
    int rank = tri_op_i32s(op, "order", order, TRI_MAX_RANK);
    uint64_t coords[TRI_MAX_RANK] = {0};
    for (int d = 0; d < rank; d++)
        coords[order[d]] = coord(to, packed, d);
    return pack(from, rank, coords);
}

static uint64_t project_reshape(tri_gpu *g, MlirOperation op, const tri_linear *to, uint64_t packed,
                                const tri_linear *from)
{
    (void)g;
    MlirType in = mlirValueGetType(mlirOperationGetOperand(op, 0)),
             out = mlirValueGetType(mlirOperationGetResult(op, 0));
    uint64_t element = 0, coords[TRI_MAX_RANK];
    for (int d = 0; d < tri_type_rank(out); d++)
        element = element * (uint64_t)tri_type_dim(out, d) + coord(to, packed, d);
    for (int d = tri_type_rank(in); d-- > 0;) {
        coords[d] = element % (uint64_t)tri_type_dim(in, d);
        element /= (uint64_t)tri_type_dim(in, d);
    }
    return pack(from, tri_type_rank(in), coords);
}

static bool run_expand_dims(tri_gpu *g, MlirOperation op) { return rename_registers(g, op, project_expand); }
static bool run_broadcast(tri_gpu *g, MlirOperation op) { return rename_registers(g, op, project_broadcast); }
static bool run_trans(tri_gpu *g, MlirOperation op) { return rename_registers(g, op, project_trans); }

/* Whether the bits of register, lane and warp that hold copies have none but zero bases. */
static bool has_plain_copies(const tri_gpu_layout *layout)
{
    const tri_dim ins[] = {TRI_DIM_REGISTER, TRI_DIM_LANE, TRI_DIM_WARP};
    const uint64_t masks[] = {layout->replicas.reg, layout->replicas.lane, layout->replicas.warp};
    for (int i = 0; i < 3; i++)
        for (int bit = 0; bit < tri_linear_in_bits(&layout->linear, ins[i]); bit++)
            if (masks[i] >> bit & 1 && tri_linear_basis(&layout->linear, ins[i], bit))
                return false;
    return true;
}

static bool has_same_copies(const tri_gpu_layout *a, const tri_gpu_layout *b)
{
    return a->replicas.reg == b->replicas.reg && a->replicas.lane == b->replicas.lane &&
           a->replicas.warp == b->replicas.warp && has_plain_copies(a) && has_plain_copies(b);
}

static bool run_reshape(tri_gpu *g, MlirOperation op)
{
    if (!tri_op_flag(op, "allow_reorder"))
        return rename_registers(g, op, project_reshape);
    /* any order will do: registers as they come, when both sides hold equally many */
    MlirType in = mlirValueGetType(mlirOperationGetOperand(op, 0)),
             out = mlirValueGetType(mlirOperationGetResult(op, 0));
    tri_gpu_layout *from = tri_gpu_layout_of(g, op, in), *to = tri_gpu_layout_of(g, op, out);
    if (!from || !to)
        return false;
    if (same_threads(g, op, &to->linear, &from->linear, project_reshape))
        return rename_registers(g, op, project_reshape);
    if (from->registers != to->registers || !has_same_copies(from, to))
        return tri_gpu_unsupported(g, op, "the layouts of operand and result hold different numbers of elements");
    tri_gpu_set_result(g, op, 0, tri_gpu_operand(g, op, 0));
    return true;
}

/* Elements of the last dimension of size 2 are two registers of one thread. */
static bool run_join(tri_gpu *g, MlirOperation op)
{
    MlirValue result = mlirOperationGetResult(op, 0), operand = mlirOperationGetOperand(op, 0);
    tri_gpu_layout *to = tri_gpu_layout_of(g, op, mlirValueGetType(result));
    tri_gpu_value lhs = tri_gpu_operand(g, op, 0), rhs = tri_gpu_operand(g, op, 1);
    if (!to)
        return false;
    int rank = result_rank(op), last = rank - 1;
    bool has_from = tri_type_is_tensor(mlirValueGetType(operand));
    tri_gpu_layout *from = has_from ? tri_gpu_layout_of(g, op, mlirValueGetType(operand)) : NULL;
    if (has_from && !from)
        return false;
    tri_map map = {0};
    if (from)
        map = elements_of(g, from);
    tri_gpu_value out = tri_gpu_new(g, to->registers);
    for (int r = 0; r < out.count; r++) {
        uint64_t packed = tri_linear_apply_one(&to->linear, TRI_DIM_REGISTER, (uint64_t)r), coords[TRI_MAX_RANK];
        for (int d = 0; d < last; d++)
            coords[d] = coord(&to->linear, packed, d);
        int *slot = NULL;
        if (from) {
            slot = tri_map_find_ptr(&map, (const void *)(uintptr_t)(pack(&from->linear, last, coords) + 1));
            if (!slot)
                return tri_gpu_unsupported(g, op, "the joined halves are not in one thread");
        }
        out.at[r] = (coord(&to->linear, packed, last) ? rhs : lhs).at[slot ? *slot : 0];
    }
    tri_gpu_set(g, result, out);
    return true;
}

static bool run_split(tri_gpu *g, MlirOperation op)
{
    MlirType in = mlirValueGetType(mlirOperationGetOperand(op, 0)),
             half = mlirValueGetType(mlirOperationGetResult(op, 0));
    tri_gpu_layout *from = tri_gpu_layout_of(g, op, in), *to = tri_gpu_layout_of(g, op, half);
    if (!from || !to)
        return false;
    tri_gpu_value source = tri_gpu_operand(g, op, 0);
    tri_map map = elements_of(g, from);
    int last = tri_type_rank(in) - 1;
    for (int side = 0; side < 2; side++) {
        tri_gpu_value out = tri_gpu_new(g, to->registers);
        for (int r = 0; r < out.count; r++) {
            uint64_t packed = tri_linear_apply_one(&to->linear, TRI_DIM_REGISTER, (uint64_t)r), coords[TRI_MAX_RANK];
            for (int d = 0; d < last; d++)
                coords[d] = coord(&to->linear, packed, d);
            coords[last] = (uint64_t)side;
            int *slot = tri_map_find_ptr(&map, (const void *)(uintptr_t)(pack(&from->linear, last + 1, coords) + 1));
            if (!slot)
                return tri_gpu_unsupported(g, op, "the two halves are not in one thread");
            out.at[r] = source.at[*slot];
        }
        tri_gpu_set_result(g, op, side, out);
    }
    return true;
}

/* ---- fp4 ---- */

/* The byte that two neighbours along the axis lie in. */
static uint64_t project_pair(tri_gpu *g, MlirOperation op, const tri_linear *to, uint64_t packed,
                             const tri_linear *from)
{
    (void)g;
    int axis = (int)tri_op_int(op, "axis", 0), rank = result_rank(op);
    uint64_t coords[TRI_MAX_RANK];
    for (int d = 0; d < rank; d++)
        coords[d] = coord(to, packed, d) >> (d == axis);
    return pack(from, rank, coords);
}

/* Both of a byte's elements must be in the thread that has it. */
static bool keeps_pairs(const tri_linear *to, int axis)
{
    static const tri_dim ins[] = {TRI_DIM_LANE, TRI_DIM_WARP, TRI_DIM_BLOCK};
    for (size_t i = 0; i < sizeof ins / sizeof *ins; i++)
        for (int bit = 0; bit < tri_linear_in_bits(to, ins[i]); bit++)
            if (coord(to, tri_linear_basis(to, ins[i], bit), axis) & 1)
                return false;
    return true;
}

/* An element is a sign, two bits of exponent and one of mantissa. From 1 on, the last three are the top of the wider
 * format's bits, counted from those of 0.5; 0 and 0.5 itself are not in that row. */
static LLVMValueRef widen_fp4(tri_gpu *g, LLVMValueRef byte, bool is_high, LLVMTypeRef type)
{
    bool is_half = LLVMGetTypeKind(type) == LLVMHalfTypeKind;
    LLVMValueRef c[] = {LLVMConstInt(g->i16, is_half ? 0x3800 : 0x3f00, false),
                        LLVMConstInt(g->i16, is_half ? 9 : 6, false)};
    LLVMValueRef x = LLVMBuildZExt(g->b, byte, g->i16, "");
    if (is_high)
        x = LLVMBuildLShr(g->b, x, LLVMConstInt(g->i16, 4, false), "");
    LLVMValueRef size = LLVMBuildAnd(g->b, x, LLVMConstInt(g->i16, 7, false), "");
    LLVMValueRef sign = LLVMBuildAnd(g->b, LLVMBuildShl(g->b, x, LLVMConstInt(g->i16, 12, false), ""),
                                     LLVMConstInt(g->i16, 0x8000, false), "");
    LLVMValueRef in_row = LLVMBuildAdd(g->b, LLVMBuildShl(g->b, size, c[1], ""), c[0], "");
    LLVMValueRef zero = LLVMConstNull(g->i16);
    LLVMValueRef low = LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntEQ, size, zero, ""), zero, c[0], "");
    LLVMValueRef is_in_row = LLVMBuildICmp(g->b, LLVMIntUGT, size, LLVMConstInt(g->i16, 1, false), "");
    return LLVMBuildBitCast(g->b, LLVMBuildOr(g->b, sign, LLVMBuildSelect(g->b, is_in_row, in_row, low, ""), ""), type,
                            "");
}

static bool run_fp4_to_fp(tri_gpu *g, MlirOperation op)
{
    MlirValue result = mlirOperationGetResult(op, 0), operand = mlirOperationGetOperand(op, 0);
    tri_gpu_layout *to = tri_gpu_layout_of(g, op, mlirValueGetType(result));
    tri_gpu_layout *from = tri_gpu_layout_of(g, op, mlirValueGetType(operand));
    int axis = (int)tri_op_int(op, "axis", 0);
    if (!to || !from)
        return false;
    bool fits = keeps_pairs(&to->linear, axis) && same_threads(g, op, &to->linear, &from->linear, project_pair);
    tri_gpu_value in = tri_gpu_get(g, operand), out = tri_gpu_new(g, to->registers);
    LLVMTypeRef type = tri_gpu_part_type(g, mlirValueGetType(result), 0);
    tri_map map = elements_of(g, from);
    for (int r = 0; r < out.count; r++) {
        uint64_t element = tri_linear_apply_one(&to->linear, TRI_DIM_REGISTER, (uint64_t)r);
        uint64_t source = project_pair(g, op, &to->linear, element, &from->linear);
        int *slot = fits ? tri_map_find_ptr(&map, (const void *)(uintptr_t)(source + 1)) : NULL;
        if (!slot)
            return tri_gpu_unsupported(
                g, op, "the layouts of operand and result do not keep pairs of elements in their threads");
        out.at[r] = widen_fp4(g, in.at[*slot], coord(&to->linear, element, axis) & 1, type);
    }
    tri_gpu_set(g, result, out);
    return true;
}

/* tt.cat promises no order: the registers of both operands, one after the other. */
static bool run_cat(tri_gpu *g, MlirOperation op)
{
    MlirValue result = mlirOperationGetResult(op, 0);
    tri_gpu_layout *to = tri_gpu_layout_of(g, op, mlirValueGetType(result));
    tri_gpu_value lhs = tri_gpu_operand(g, op, 0), rhs = tri_gpu_operand(g, op, 1);
    if (!to)
        return false;
    if (lhs.count + rhs.count != to->registers)
        return tri_gpu_unsupported(g, op, "the operands hold %d registers, the result %d", lhs.count + rhs.count,
                                   to->registers);
    tri_gpu_value out = tri_gpu_new(g, to->registers);
    for (int r = 0; r < out.count; r++)
        out.at[r] = r < lhs.count ? lhs.at[r] : rhs.at[r - lhs.count];
    tri_gpu_set(g, result, out);
    return true;
}

static bool run_unsplat(tri_gpu *g, MlirOperation op)
{
    tri_gpu_set_result(g, op, 0, tri_gpu_single(g, tri_gpu_operand(g, op, 0).at[0]));
    return true;
}

const tri_gpu_op tri_gpu_ops_shape[] = {
    {"tt.expand_dims", run_expand_dims, NULL},
    {"tt.broadcast", run_broadcast, NULL},
    {"tt.reshape", run_reshape, NULL},
    {"tt.trans", run_trans, NULL},
    {"tt.join", run_join, NULL},
    {"tt.split", run_split, NULL},
    {"tt.cat", run_cat, NULL},
    {"tt.unsplat", run_unsplat, NULL},
    {"ttg.fp4_to_fp", run_fp4_to_fp, NULL},
    {0},
};
