/* Moves a conversion in front of the operation that made its source large.
 *
 *     %b = arith.extf %a : f16 to f32, #a            %c = ttg.convert_layout %a : f16, #a -> #b
 *     %c = ttg.convert_layout %b : f32, #a -> #b     %b = arith.extf %c : f16 to f32, #b
 *
 * Part of remove-layout-conversions: half the bytes are moved, or fewer when it is a broadcast.
 * Likewise, what the operand of a tensor core is made of is converted directly behind its load, so that the load
 * can be made ahead of time through shared memory and its elements are widened in registers:
 *
 *     %a = tt.load %p : i8, #b                       %a = tt.load %p : i8, #b
 *     %f = arith.sitofp %a : i8 to f16, #b           %c = ttg.convert_layout %a : i8, #b -> #dot
 *     %c = ttg.convert_layout %f : f16, #b -> #dot   %f = arith.sitofp %c : i8 to f16, #dot
 *
 * The result of a conditional that adds what it loads to a value from before is converted in front, and of what
 * stands there to wait for others, such as a lock: less is done while it is held.
 *
 *     scf.while { tt.atomic_cas ... }                %e = ttg.convert_layout %v : #a -> #b
 *     %r = scf.if ... { yield %v } else {            scf.while { tt.atomic_cas ... }
 *       %l = tt.load %p : #a                         %c = scf.if ... { yield %e } else {
 *       yield (arith.addf %v, %l) }                    %l = tt.load %q : #b
 *     %c = ttg.convert_layout %r : #a -> #b            yield (arith.addf %e, %l) } */
#include "passes/ttgir/remove_layout_conversions/remat.h"

#include "ir/analysis/infer.h"
#include "ir/encoding.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"

static bool makes_larger(MlirOperation op)
{
    if (tri_op_is(op, "arith.extsi") || tri_op_is(op, "arith.extui") || tri_op_is(op, "arith.extf") ||
        tri_op_is(op, "tt.broadcast") || tri_op_is(op, "tt.expand_dims"))
        return true;
    return tri_op_is(op, "tt.fp_to_fp") &&
           tri_type_bits(tri_type_element(mlirValueGetType(tri_op_result(op, 0)))) >
               tri_type_bits(tri_type_element(mlirValueGetType(tri_op_operand(op, 0))));
}

static tri_builder behind(MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(value, &block, &index))
        return tri_builder_at_start(block, mlirOperationGetLocation(mlirBlockGetParentOperation(block)));
    return tri_builder_after(tri_op_def(value));
}

/* Takes what the ends of the slice depend on into it. Of those that cannot be, which must all read one value in one
 * layout, `out_rest` is the first; null when all can (as conversions made for others are there by now). */
static bool absorb(tri_remat *r, tri_slice *slice, const tri_op_list *ends, MlirOperation *out_rest)
{
    MlirAttribute rest_from = {NULL};
    *out_rest = (MlirOperation){NULL};
    for (size_t i = 0; i < ends->len; i++) {
        MlirOperation end = ends->at[i];
        tri_slice_value *v = tri_remat_find(slice, tri_op_result(end, 0));
        MlirAttribute from = tri_infer_operand(r->arena, end, v->encoding);
        if (mlirAttributeIsNull(from))
            return false;
        tri_slice_mark mark = tri_remat_mark(slice);
        if (tri_remat_grow(r, slice, end, tri_op_operand(end, 0), from, NULL, NULL))
            continue;
        tri_remat_go_back(slice, mark);
        if (mlirOperationIsNull(*out_rest)) {
            *out_rest = end;
            rest_from = from;
        } else if (!mlirValueEqual(tri_op_operand(*out_rest, 0), tri_op_operand(end, 0)) ||
                   !mlirAttributeEqual(rest_from, from)) {
            return false;
        }
    }
    return true;
}

static bool rewrite_if_worth(tri_remat *r, tri_slice *slice, MlirOperation convert)
{
    if (!tri_remat_is_worth(r, slice, convert, 0))
        return false;
    tri_rematerialization_rewrite(r, slice, convert);
    return true;
}

bool tri_hoisting_try(tri_remat *r, MlirOperation convert)
{
    tri_slice slice = {0};
    tri_op_list ends = {0};
    MlirOperation rest;
    if (!tri_remat_grow(r, &slice, convert, tri_op_operand(convert, 0), tri_layouts_of(tri_op_result(convert, 0)),
                        makes_larger, &ends) ||
        !absorb(r, &slice, &ends, &rest))
        return false;
    if (mlirOperationIsNull(rest))
        return rewrite_if_worth(r, &slice, convert);
    MlirValue source = tri_op_operand(rest, 0);
    MlirAttribute from = tri_infer_operand(r->arena, rest, tri_remat_find(&slice, tri_op_result(rest, 0))->encoding);
    MlirType type = tri_type_with_encoding(mlirValueGetType(source), from);
    if (tri_remat_find(&slice, source) || mlirTypeEqual(type, mlirValueGetType(source)) ||
        !tri_remat_is_worth(r, &slice, convert, tri_remat_convert_cost(type)))
        return false;
    tri_builder b = behind(source);
    MlirValue made = tri_builder_unary(&b, "ttg.convert_layout", type, source);
    tri_remat_add_existing(r, &slice, source, from, made);
    tri_rematerialization_rewrite(r, &slice, convert);
    return true;
}

static bool is_load(MlirOperation op) { return tri_op_is(op, "tt.load") || tri_op_is(op, "tt.descriptor_load"); }

static bool keeps_elements(MlirOperation op)
{
    return tri_op_in(op, TRI_OPS_VIEW | TRI_OPS_ELEMENTWISE) || is_load(op) || tri_op_is(op, "arith.constant") ||
           tri_op_is(op, "tt.splat") || tri_op_is(op, "tt.join") || tri_op_is(op, "ttg.fp4_to_fp");
}

/* Each thread works on its own elements, and nothing but loads and constants comes in. */
static bool stays_in_place(const tri_slice *slice)
{
    for (size_t i = 0; i < slice->values.len; i++) {
        MlirOperation def = tri_op_def(slice->values.at[i].value);
        if (mlirOperationIsNull(def))
            return false;
        if (!keeps_elements(def))
            return false;
    }
    return true;
}

/* Whether a product on tensor cores reads the value as its first or second operand. */
static bool is_operand(tri_arena *arena, MlirOpOperand use)
{
    MlirOperation user = mlirOpOperandGetOwner(use);
    intptr_t operand = (intptr_t)mlirOpOperandGetOperandNumber(use);
    if (operand > 1 || !(tri_op_is(user, "tt.dot") || tri_op_is(user, "ttng.warp_group_dot")))
        return false;
    const tri_encoding *e = tri_dots_encoding(arena, tri_op_operand(user, operand));
    return e && e->kind == TRI_ENC_DOT_OP && e->parent->kind != TRI_ENC_BLOCKED;
}

/* Whether it becomes, in the block of the conversion, an operand of a product on tensor cores, by way of operations
 * that leave each element in its thread: then nothing is computed in vain. */
static bool feeds_dot(tri_arena *arena, MlirOperation convert)
{
    tri_op_list todo = {0};
    tri_map seen;
    tri_map_init(&seen, arena);
    tri_vec_push(arena, &todo, convert);
    for (size_t i = 0; i < todo.len; i++) {
        MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(todo.at[i], 0));
        for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
            MlirOperation user = mlirOpOperandGetOwner(use);
            if (!mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(convert)))
                continue;
            if (is_operand(arena, use))
                return true;
            if (tri_map_find_ptr(&seen, user.ptr) || mlirOperationGetNumResults(user) == 0 || !keeps_elements(user))
                continue;
            tri_map_set_ptr(&seen, user.ptr, user.ptr);
            tri_vec_push(arena, &todo, user);
        }
    }
    return false;
}

bool tri_hoisting_try_dot(tri_remat *r, MlirOperation convert)
{
    tri_slice slice = {0};
    tri_op_list loads = {0};
    MlirValue source = tri_op_operand(convert, 0);
    MlirAttribute wanted = tri_layouts_of(tri_op_result(convert, 0));
    MlirOperation def = tri_op_def(source);
    if (mlirOperationIsNull(def) || is_load(def) || !feeds_dot(r->arena, convert) ||
        !tri_remat_grow(r, &slice, convert, source, wanted, is_load, &loads) || !stays_in_place(&slice))
        return false;
    for (size_t i = 0; i < loads.len; i++) {
        MlirValue loaded = tri_op_result(loads.at[i], 0);
        tri_slice_value *v = tri_remat_find(&slice, loaded);
        tri_builder b = tri_builder_after(loads.at[i]);
        MlirType type = tri_type_with_encoding(mlirValueGetType(loaded), v->encoding);
        v->existing = tri_builder_unary(&b, "ttg.convert_layout", type, loaded);
    }
    tri_rematerialization_rewrite(r, &slice, convert);
    return true;
}

/* ---- results of conditionals ---- */

/* What one result of a conditional is made of. */
typedef struct {
    tri_remat *r;
    MlirOperation branch;
    MlirAttribute wanted;
    MlirValue before;  /* the value from in front of it, or null */
    tri_op_list loads; /* inside */
} branch_source;

static bool is_inside(MlirOperation op, MlirOperation parent)
{
    while (!mlirOperationIsNull(op) && !mlirOperationEqual(op, parent))
        op = mlirOperationGetParentOperation(op);
    return !mlirOperationIsNull(op);
}

/* Loads that the wanted layout makes no narrower, and that nothing else needs. */
static bool can_load_as(branch_source *s, MlirOperation load)
{
    MlirValue value = tri_op_result(load, 0);
    const tri_encoding *from = tri_encoding_get(s->r->arena, tri_layouts_of(value)),
                       *to = tri_encoding_get(s->r->arena, s->wanted);
    MlirOpOperand use = mlirValueGetFirstUse(value);
    if (tri_op_flag(load, "isVolatile") || mlirOpOperandIsNull(use) ||
        !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)) || from->kind != TRI_ENC_BLOCKED ||
        to->kind != TRI_ENC_BLOCKED || from->order[0] != to->order[0])
        return false;
    int fastest = to->order[0], bits = (int)tri_type_bits(tri_type_element(mlirValueGetType(value)));
    int now = from->blocked.size_per_thread[fastest], then = to->blocked.size_per_thread[fastest];
    return then >= now || then * bits >= 128;
}

/* Whether a value can be had in the wanted layout for one conversion in front of the conditional. */
static bool find_sources(branch_source *s, MlirValue value)
{
    MlirAttribute now = tri_layouts_of(value);
    if (mlirAttributeIsNull(now) || mlirAttributeEqual(now, s->wanted))
        return true;
    MlirOperation def = tri_op_def(value);
    if (!mlirOperationIsNull(def) && tri_layouts_is_free(s->r->layouts, def))
        return true;
    if (mlirOperationIsNull(def) || !is_inside(def, s->branch)) {
        if (mlirValueIsNull(s->before))
            s->before = value;
        return mlirValueEqual(s->before, value);
    }
    if (tri_op_is(def, "tt.load")) {
        tri_vec_push(s->r->arena, &s->loads, def);
        return can_load_as(s, def);
    }
    if (!tri_op_in(def, TRI_OPS_ELEMENTWISE))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
        if (!find_sources(s, tri_op_operand(def, i)))
            return false;
    return true;
}

/* In front of the conditional and of what waits for other programs there. */
static MlirOperation place_in_front(MlirOperation branch, MlirValue value)
{
    MlirOperation def = tri_op_def(value), place = branch;
    for (MlirOperation op = tri_op_previous(branch); !mlirOperationIsNull(op); op = tri_op_previous(op)) {
        if (mlirOperationEqual(op, def))
            break;
        if (tri_op_is(op, "scf.while") || tri_op_is(op, "tt.atomic_cas") || tri_op_is(op, "tt.atomic_rmw"))
            place = op;
    }
    return place;
}

static MlirValue converted(tri_builder *b, MlirValue value, MlirAttribute wanted)
{
    MlirType type = mlirValueGetType(value);
    if (!tri_type_is_tensor(type) || mlirAttributeEqual(tri_layouts_of(value), wanted))
        return value;
    return tri_builder_unary(b, "ttg.convert_layout", tri_type_with_encoding(type, wanted), value);
}

/* The load once more; its pointers and its mask are computed in the wanted layout in the next round. */
static MlirValue load_as(branch_source *s, MlirOperation load)
{
    tri_builder b = tri_builder_before(load);
    MlirOperation made = tri_op_clone(&b, load, 0, NULL, NULL);
    b = tri_builder_before(made);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(load); i++)
        mlirOperationSetOperand(made, i, converted(&b, tri_op_operand(load, i), s->wanted));
    MlirValue value = tri_op_result(made, 0);
    tri_layouts_retype(made, 0, tri_type_with_encoding(mlirValueGetType(value), s->wanted));
    return value;
}

bool tri_hoisting_try_branch(tri_remat *r, MlirOperation convert)
{
    MlirValue source = tri_op_operand(convert, 0);
    branch_source s = {.r = r, .branch = tri_op_def(source), .wanted = tri_layouts_of(tri_op_result(convert, 0))};
    MlirOpOperand use = mlirValueGetFirstUse(source);
    if (mlirOperationIsNull(s.branch) || !tri_op_is(s.branch, "scf.if") ||
        !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)) ||
        !mlirBlockEqual(mlirOperationGetBlock(convert), mlirOperationGetBlock(s.branch)))
        return false;
    intptr_t n = 0;
    while (!mlirValueEqual(tri_op_result(s.branch, n), source))
        n++;
    for (int i = 0; i < 2; i++)
        if (!find_sources(&s, tri_op_operand(mlirBlockGetTerminator(tri_op_body(s.branch, i)), n)))
            return false;
    if (s.loads.len == 0)
        return false;
    tri_slice slice = {0};
    tri_map_init(&slice.index, r->arena);
    if (!mlirValueIsNull(s.before)) {
        tri_builder b = tri_builder_before(place_in_front(s.branch, s.before));
        tri_remat_add_existing(r, &slice, s.before, s.wanted, converted(&b, s.before, s.wanted));
    }
    for (size_t i = 0; i < s.loads.len; i++)
        tri_remat_add_existing(r, &slice, tri_op_result(s.loads.at[i], 0), s.wanted, load_as(&s, s.loads.at[i]));
    if (tri_remat_grow(r, &slice, convert, source, s.wanted, NULL, NULL))
        tri_rematerialization_rewrite(r, &slice, convert);
    return true; /* else what was made for it is dead, and erased as such */
}
