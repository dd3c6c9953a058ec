#include "passes/ttgir/remove_layout_conversions/remat.h"

#include "ir/analysis/infer.h"
#include "ir/op_classes.h"
#include "ir/type.h"

#include <stdlib.h>

static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t bytes_of(MlirType type)
{
    return tri_type_num_elements(type) * tri_type_bits(tri_type_element(type)) / 8;
}

int64_t tri_remat_convert_cost(MlirType to)
{
    return 32 * max64(tri_type_num_elements(to), 32) * max64(tri_type_bits(tri_type_element(to)), 32) / 8;
}

static int64_t unique_elements(tri_remat *r, MlirType type)
{
    const tri_linear *l = tri_layouts_linear(r->layouts, type);
    if (!l)
        return 1;
    int bits = tri_linear_in_bits(l, TRI_DIM_REGISTER);
    return (int64_t)1 << (bits - __builtin_popcountll(tri_linear_free_mask(l, TRI_DIM_REGISTER)));
}

/* Sums and products of more than two floats (of a reduction or scan) depend on the order they are taken in. */
static bool is_order_dependent(MlirOperation reduce)
{
    MlirType type = mlirValueGetType(tri_op_operand(reduce, 0));
    if (tri_type_dim(type, (int)tri_op_int(reduce, "axis", 0)) <= 2)
        return false;
    for (MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(reduce, 0)); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (tri_op_is(op, "arith.addf") || tri_op_is(op, "arith.mulf"))
            return true;
    return false;
}

/* Threads and warps that must exchange values along the axis for a result of this layout. */
static int64_t reduce_cost(tri_remat *r, MlirOperation op, MlirAttribute encoding)
{
    MlirAttribute from = tri_infer_operand(r->arena, op, encoding);
    MlirType type = tri_type_with_encoding(mlirValueGetType(tri_op_operand(op, 0)), from);
    tri_dim axis = TRI_DIM_0 + (tri_dim)tri_op_int(op, "axis", 0);
    const tri_linear *l = tri_layouts_linear(r->layouts, type);
    int64_t lanes = 1, warps = 1;
    if (!l)
        return 0;
    for (int b = 0; b < tri_linear_in_bits(l, TRI_DIM_LANE); b++)
        lanes *= tri_linear_basis_at(l, TRI_DIM_LANE, b, axis) ? 2 : 1;
    for (int b = 0; b < tri_linear_in_bits(l, TRI_DIM_WARP); b++)
        warps *= tri_linear_basis_at(l, TRI_DIM_WARP, b, axis) ? 2 : 1;
    return lanes + 8 * warps;
}

/* What a scan does in this layout, in the measure of tri_remat_convert_cost: a step between lanes shuffles a value for
 * the registers below it, which costs about what a conversion of it does, and combines all. */
static int64_t scan_work(tri_remat *r, MlirOperation op, MlirAttribute encoding)
{
    enum { SHUFFLE = 32, COMBINE = 8 };
    MlirType type = tri_type_with_encoding(mlirValueGetType(tri_op_operand(op, 0)), encoding);
    tri_dim axis = TRI_DIM_0 + (tri_dim)tri_op_int(op, "axis", 0);
    const tri_linear *l = tri_layouts_linear(r->layouts, type);
    if (!l)
        return 0;
    int64_t lowest = tri_linear_out_size(l, axis), below = 1, steps = 0;
    for (int b = 0; b < tri_linear_in_bits(l, TRI_DIM_LANE); b++) {
        int64_t at = tri_linear_basis_at(l, TRI_DIM_LANE, b, axis);
        steps += at != 0;
        lowest = at && at < lowest ? at : lowest;
    }
    for (int b = 0; b < tri_linear_in_bits(l, TRI_DIM_REGISTER); b++) {
        int64_t at = tri_linear_basis_at(l, TRI_DIM_REGISTER, b, axis);
        below *= at && at < lowest ? 2 : 1;
    }
    return bytes_of(type) * steps * SHUFFLE / below + bytes_of(type) * steps * COMBINE;
}

/* Cost of a scan in another layout, beside the one that stays (is_live) or that it replaces. */
static int64_t scan_cost(tri_remat *r, MlirOperation op, MlirAttribute encoding, bool is_live)
{
    MlirAttribute now = tri_type_encoding(mlirValueGetType(tri_op_operand(op, 0)));
    if (is_live)
        return is_order_dependent(op) ? -1 : scan_work(r, op, encoding);
    return max64(0, scan_work(r, op, encoding) - scan_work(r, op, now));
}

/* ---- what stays alive outside the slice ---- */

typedef struct {
    tri_remat *r;
    const tri_slice *slice;
    MlirOperation convert;
    bool is_free; /* every thread has its elements already: repeated arithmetic is the same arithmetic */
    tri_map live; /* MlirValue.ptr of values still used by others */
    TRI_VEC(MlirValue) todo;
} liveness;

static void mark(liveness *l, MlirValue value)
{
    if (!tri_remat_find(l->slice, value) || tri_map_find_ptr(&l->live, value.ptr))
        return;
    tri_map_set_ptr(&l->live, value.ptr, (void *)value.ptr);
    tri_vec_push(l->r->arena, &l->todo, value);
}

/* Whether a use only serves values of the slice, which the rewrite replaces. */
static bool is_inside(const liveness *l, MlirOpOperand use)
{
    MlirOperation user = mlirOpOperandGetOwner(use);
    intptr_t i = (intptr_t)mlirOpOperandGetOperandNumber(use);
    if (mlirOperationEqual(user, l->convert))
        return true;
    if (tri_op_is(user, "scf.yield")) {
        MlirOperation parent = mlirOperationGetParentOperation(user);
        if (tri_op_is(parent, "scf.for"))
            return tri_remat_find(l->slice, mlirBlockGetArgument(tri_op_body(parent, 0), i + 1)) &&
                   mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(parent, i)));
        return tri_op_is(parent, "scf.if") && tri_remat_find(l->slice, tri_op_result(parent, i));
    }
    if (tri_op_is(user, "scf.for") && i >= 3)
        return tri_remat_find(l->slice, mlirBlockGetArgument(tri_op_body(user, 0), i - 2)) &&
               mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(user, i - 3)));
    for (intptr_t k = 0; k < mlirOperationGetNumResults(user); k++)
        if (tri_remat_find(l->slice, tri_op_result(user, k)))
            return true;
    return false;
}

static void spread_remat_cost(liveness *l, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(value, &block, &index)) {
        MlirOperation loop = mlirBlockGetParentOperation(block);
        mark(l, tri_op_operand(loop, index + 2));
        mark(l, tri_op_operand(mlirBlockGetTerminator(block), index - 1));
        return;
    }
    MlirOperation def = tri_op_def(value);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
        mark(l, tri_op_operand(def, i));
    if (tri_op_is(def, "scf.if"))
        for (int r = 0; r < 2; r++) {
            MlirOperation yield = mlirBlockGetTerminator(tri_op_body(def, r));
            for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); i++)
                if (mlirValueEqual(tri_op_result(def, i), value))
                    mark(l, tri_op_operand(yield, i));
        }
}

static void find_live(liveness *l)
{
    tri_map_init(&l->live, l->r->arena);
    for (size_t i = 0; i < l->slice->values.len; i++) {
        MlirValue value = l->slice->values.at[i].value;
        for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
             use = mlirOpOperandGetNextUse(use))
            if (!is_inside(l, use)) {
                mark(l, value);
                break;
            }
    }
    while (l->todo.len)
        spread_remat_cost(l, l->todo.at[--l->todo.len]);
}

static int64_t real_cost(tri_remat *r, MlirType from, MlirType to)
{
    return tri_layouts_is_free_convert(r->layouts, from, to) ? 0 : tri_remat_convert_cost(to);
}

/* A conversion at the end of the slice goes to another layout now; what it was goes away if nobody
 * else needs it. */
static int64_t end_cost(tri_remat *r, MlirOperation convert, MlirAttribute encoding, bool is_live)
{
    MlirType from = mlirValueGetType(tri_op_operand(convert, 0)), to = mlirValueGetType(tri_op_result(convert, 0));
    int64_t now = real_cost(r, from, tri_type_with_encoding(to, encoding));
    return is_live ? now : max64(0, now - real_cost(r, from, to));
}

/* Cost of one op of the slice; negative when it must not be repeated. */
static int64_t op_cost(liveness *l, MlirOperation op, const tri_slice_value *v)
{
    tri_str name = tri_op_name(op);
    MlirType old = mlirValueGetType(v->value);
    bool is_live = tri_map_find_ptr(&l->live, v->value.ptr) != NULL;
    if (tri_str_is(name, "arith.constant"))
        return 0;
    if (tri_str_is(name, "ttg.convert_layout"))
        return end_cost(l->r, op, v->encoding, is_live);
    if (l->is_free && !tri_str_is(name, "tt.reduce") && !tri_str_is(name, "tt.scan") && !tri_str_is(name, "tt.load"))
        return 0;
    if (tri_str_has_prefix(name, "arith.") || tri_str_has_prefix(name, "math.") || tri_op_in(op, TRI_OPS_COSTLY)) {
        int64_t now = unique_elements(l->r, old);
        int64_t then = unique_elements(l->r, tri_type_with_encoding(old, v->encoding));
        int64_t factor = max64(1, then / max64(now, 1)) - !is_live;
        return (tri_op_in(op, TRI_OPS_COSTLY) ? 8 : 1) * bytes_of(old) * factor;
    }
    if (is_live && tri_str_is(name, "tt.reduce"))
        return is_order_dependent(op) ? -1 : reduce_cost(l->r, op, v->encoding);
    if (tri_str_is(name, "tt.scan"))
        return scan_cost(l->r, op, v->encoding, is_live);
    if (is_live && (tri_str_is(name, "tt.load") || tri_str_is(name, "ttg.local_load")))
        return 8 * bytes_of(old);
    return 0;
}

bool tri_remat_is_worth(tri_remat *r, const tri_slice *slice, MlirOperation convert, int64_t extra)
{
    liveness l = {.r = r, .slice = slice, .convert = convert};
    MlirType from = mlirValueGetType(tri_op_operand(convert, 0)), to = mlirValueGetType(tri_op_result(convert, 0));
    int64_t budget = tri_remat_convert_cost(to), cost = extra;
    l.is_free = tri_layouts_is_free_convert(r->layouts, from, to);
    find_live(&l);
    for (size_t i = 0; i < slice->values.len; i++) {
        const tri_slice_value *v = &slice->values.at[i];
        MlirOperation def = tri_op_def(v->value);
        if (mlirOperationIsNull(def) || !mlirValueIsNull(v->existing) || mlirOperationGetNumRegions(def) > 1)
            continue;
        if (mlirOperationGetNumResults(def) > 1 && !mlirValueEqual(tri_op_result(def, 0), v->value))
            continue;
        int64_t one = op_cost(&l, def, v);
        if (one < 0)
            return false;
        cost += one;
        if (cost > budget)
            return false;
    }
    return true;
}
