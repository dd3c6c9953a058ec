/* What a producer computes again of a loop that it walks, too: scalars, and what it takes from outside for them. */
#include "passes/ttgir/automatic_warp_specialization/split.h"

#include "ir/type.h"

void tri_slice_init(tri_arena *arena, tri_slice *s, MlirOperation loop)
{
    *s = (tri_slice){.loop = loop, .body = tri_op_body(loop, 0)};
    tri_map_init(&s->needed, arena);
}

/* ---- inside ---- */

static bool needs_argument(tri_arena *arena, tri_slice *s, intptr_t index)
{
    for (size_t i = 0; i < s->carried.len; i++)
        if (s->carried.at[i] == index)
            return true;
    tri_vec_push(arena, &s->carried, index);
    for (size_t i = s->carried.len - 1; i > 0 && s->carried.at[i - 1] > index; i--) {
        s->carried.at[i] = s->carried.at[i - 1];
        s->carried.at[i - 1] = index;
    }
    return tri_slice_needs(arena, s, tri_op_operand(mlirBlockGetTerminator(s->body), index));
}

bool tri_slice_needs(tri_arena *arena, tri_slice *s, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    tri_memdesc desc;
    MlirType type = mlirValueGetType(value);
    if (tri_type_is_tensor(type) || tri_type_get_memdesc(type, &desc))
        return false;
    if (tri_op_is_block_argument(value, &block, &index))
        return !mlirBlockEqual(block, s->body) || index == 0 || needs_argument(arena, s, index - 1);
    MlirOperation def = tri_op_def(value);
    if (mlirOperationIsNull(tri_op_ancestor_in(s->body, def)))
        return true;
    if (!mlirBlockEqual(mlirOperationGetBlock(def), s->body) || mlirOperationGetNumRegions(def) ||
        tri_op_has_effects(def) || tri_op_is(def, "tt.make_tensor_descriptor"))
        return false;
    if (tri_map_find_ptr(&s->needed, def.ptr))
        return true;
    tri_map_set_ptr(&s->needed, def.ptr, def.ptr);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
        if (!tri_slice_needs(arena, s, tri_op_operand(def, i)))
            return false;
    return true;
}

/* ---- outside ---- */

static bool is_of_loop(const tri_slice *s, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    return tri_op_is_block_argument(value, &block, &index)
               ? mlirBlockEqual(block, s->body)
               : !mlirOperationIsNull(tri_op_ancestor_in(s->body, tri_op_def(value)));
}

void tri_slice_outside(tri_arena *arena, const tri_slice *s, tri_value_list *out)
{
    for (intptr_t i = 0; i < 3; i++)
        tri_vec_push(arena, out, tri_op_operand(s->loop, i));
    for (size_t i = 0; i < s->carried.len; i++)
        tri_vec_push(arena, out, tri_op_operand(s->loop, 3 + s->carried.at[i]));
    for (MlirOperation op = mlirBlockGetFirstOperation(s->body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        bool is_yield = tri_op_is(op, "scf.yield"), is_copied = s->has_loads && tri_op_is(op, "tt.descriptor_load");
        if (!is_yield && !is_copied && !tri_map_find_ptr(&s->needed, op.ptr))
            continue;
        for (intptr_t k = 0, n = is_yield ? (intptr_t)s->carried.len : mlirOperationGetNumOperands(op); k < n; k++) {
            MlirValue value = tri_op_operand(op, is_yield ? s->carried.at[k] : k);
            if (!is_of_loop(s, value))
                tri_vec_push(arena, out, value);
        }
    }
}

/* ---- names ---- */

static bool is_bound(const tri_split_names *n, MlirValue value)
{
    for (size_t i = 0; i < n->from.len; i++)
        if (mlirValueEqual(n->from.at[i], value))
            return true;
    return false;
}

/* Scalars are computed again, and descriptors written again, by who needs them. */
static bool can_repeat(MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    if (mlirOperationIsNull(def) || mlirOperationGetNumRegions(def) || !tri_op_is_pure(def))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
        if (tri_type_is_tensor(mlirValueGetType(tri_op_operand(def, i))))
            return false;
    return true;
}

void tri_slice_take(tri_arena *arena, tri_builder *b, tri_split_names *n, MlirValue value, tri_value_list *captures)
{
    if (is_bound(n, value))
        return;
    if (!can_repeat(value)) {
        TRI_ASSERT(!b);
        tri_vec_push(arena, captures, value);
        tri_split_bind(arena, n, value, value);
        return;
    }
    MlirOperation def = tri_op_def(value);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
        tri_slice_take(arena, b, n, tri_op_operand(def, i), captures);
    MlirOperation copy = b ? tri_op_clone(b, def, (intptr_t)n->from.len, n->from.at, n->to.at) : def;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(def); i++)
        tri_split_bind(arena, n, tri_op_result(def, i), tri_op_result(copy, i));
}

/* ---- the producer's loop ---- */

void tri_slice_open(tri_arena *arena, tri_builder *b, const tri_slice *s, tri_split_names *n, const MlirValue *ring,
                    intptr_t count, MlirOperation *out_loop)
{
    tri_value_list operands = {0};
    for (intptr_t i = 0; i < 3; i++)
        tri_vec_push(arena, &operands, tri_split_name(n, tri_op_operand(s->loop, i)));
    for (size_t i = 0; i < s->carried.len; i++)
        tri_vec_push(arena, &operands, tri_split_name(n, tri_op_operand(s->loop, 3 + s->carried.at[i])));
    for (intptr_t i = 0; i < count; i++)
        tri_vec_push(arena, &operands, ring[i]);
    *out_loop = tri_split_make_loop(arena, b, s->loop, &operands);
    MlirBlock body = tri_op_body(*out_loop, 0);
    tri_split_bind(arena, n, mlirBlockGetArgument(s->body, 0), mlirBlockGetArgument(body, 0));
    for (size_t i = 0; i < s->carried.len; i++)
        tri_split_bind(arena, n, mlirBlockGetArgument(s->body, 1 + s->carried.at[i]),
                       mlirBlockGetArgument(body, 1 + (intptr_t)i));
}

void tri_slice_close(tri_arena *arena, tri_builder *b, const tri_slice *s, const tri_split_names *n,
                     const MlirValue *ring, intptr_t count)
{
    tri_value_list all = {0};
    for (size_t i = 0; i < s->carried.len; i++)
        tri_vec_push(arena, &all, tri_split_name(n, tri_op_operand(mlirBlockGetTerminator(s->body), s->carried.at[i])));
    for (intptr_t i = 0; i < count; i++)
        tri_vec_push(arena, &all, ring[i]);
    tri_builder_create(b, &(tri_op){.name = "scf.yield", .num_operands = (intptr_t)all.len, .operands = all.at});
}
