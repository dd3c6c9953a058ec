#include "passes/ttgir/remove_layout_conversions/remat.h"

#include "ir/analysis/infer.h"
#include "ir/encoding.h"
#include "ir/op_classes.h"
#include "ir/type.h"

typedef struct {
    MlirOperation user;
    MlirValue value;
    MlirAttribute encoding;
} item;

typedef struct {
    tri_remat *r;
    tri_slice *slice;
    tri_remat_stop stop;
    tri_op_list *stops;
    TRI_VEC(item) todo;
} growth;

tri_slice_value *tri_remat_find(const tri_slice *slice, MlirValue value)
{
    uintptr_t i = (uintptr_t)tri_map_find_ptr(&slice->index, value.ptr);
    return i ? &slice->values.at[i - 1] : NULL;
}

static void queue(growth *g, MlirOperation user, MlirValue value, MlirAttribute encoding)
{
    tri_vec_push(g->r->arena, &g->todo, (item){user, value, encoding});
}

static void record(growth *g, MlirValue value, MlirAttribute encoding, MlirValue existing)
{
    tri_vec_push(g->r->arena, &g->slice->values,
                 (tri_slice_value){.value = value, .encoding = encoding, .existing = existing});
    tri_map_set_ptr(&g->slice->index, value.ptr, (void *)(uintptr_t)g->slice->values.len);
}

static bool is_within(MlirOperation op, MlirBlock block)
{
    while (!mlirOperationIsNull(op)) {
        MlirBlock at = mlirOperationGetBlock(op);
        if (mlirBlockEqual(at, block))
            return true;
        op = mlirBlockIsNull(at) ? (MlirOperation){NULL} : mlirBlockGetParentOperation(at);
    }
    return false;
}

/* Whether a value can be used at `user`. */
static bool reaches(MlirValue value, MlirOperation user)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(value, &block, &index))
        return is_within(user, block);
    return tri_op_dominates(tri_op_def(value), user);
}

static MlirValue find_copy(const growth *g, const item *i)
{
    const tri_remat_copy_list *list = tri_map_find_ptr(&g->r->copies, i->value.ptr);
    for (size_t k = 0; list && k < list->len; k++)
        if (mlirAttributeEqual(list->at[k].encoding, i->encoding) && reaches(list->at[k].value, i->user) &&
            !mlirOperationEqual(tri_op_def(list->at[k].value), i->user))
            return list->at[k].value;
    return (MlirValue){NULL};
}

/* What may not be done a second time, or costs too much to. */
static bool is_pinned(growth *g, MlirOperation op)
{
    if (tri_op_in(op, TRI_OPS_ATOMIC | TRI_OPS_PRODUCT | TRI_OPS_CALL) || tri_op_is(op, "tt.histogram") ||
        tri_op_is(op, "scf.while") || tri_op_is(op, "scf.condition"))
        return true;
    if (tri_op_is(op, "tt.gather") || tri_op_is(op, "tt.reshape"))
        if (tri_op_flag(op, "efficient_layout"))
            return true;
    if (tri_op_is(op, "tt.load"))
        return tri_layouts_is_expensive_access(g->r->layouts, op) || tri_op_flag(op, "isVolatile");
    return tri_op_has_effects(op) && !tri_op_is(op, "ttg.local_load");
}

/* Ops that produce the new layout from what they have. */
static bool is_leaf(growth *g, MlirOperation op, MlirAttribute encoding)
{
    if (tri_op_is(op, "tt.reshape") &&
        tri_layouts_is_expensive_view(g->r->layouts, mlirValueGetType(tri_op_operand(op, 0)),
                                      tri_type_with_encoding(mlirValueGetType(tri_op_result(op, 0)), encoding)))
        return false;
    return tri_layouts_is_free(g->r->layouts, op) || tri_op_is(op, "ttg.convert_layout") ||
           tri_op_is(op, "ttg.local_load");
}

static bool grow_argument(growth *g, const item *i, MlirBlock block, intptr_t index)
{
    MlirOperation loop = mlirBlockGetParentOperation(block);
    if (!tri_op_is(loop, "scf.for") || index == 0)
        return false;
    queue(g, loop, tri_op_operand(loop, index + 2), i->encoding);
    MlirOperation yield = mlirBlockGetTerminator(block);
    queue(g, yield, tri_op_operand(yield, index - 1), i->encoding);
    return true;
}

static bool grow_if(growth *g, const item *i, MlirOperation op)
{
    intptr_t n = 0;
    while (!mlirValueEqual(tri_op_result(op, n), i->value))
        n++;
    for (int r = 0; r < 2; r++) {
        MlirOperation yield = mlirBlockGetTerminator(tri_op_body(op, r));
        queue(g, yield, tri_op_operand(yield, n), i->encoding);
    }
    return true;
}

static bool grow_op(growth *g, const item *i, MlirOperation op)
{
    for (intptr_t k = 0; k < mlirOperationGetNumResults(op); k++) {
        MlirValue other = tri_op_result(op, k);
        tri_slice_value *known = tri_remat_find(g->slice, other);
        if (mlirAttributeIsNull(tri_layouts_of(other)) || mlirValueEqual(other, i->value))
            continue;
        if (known && !mlirAttributeEqual(known->encoding, i->encoding))
            return false;
        if (!known)
            record(g, other, i->encoding, (MlirValue){NULL});
    }
    MlirAttribute from = tri_op_is(op, "tt.load") ? i->encoding
                                                  : tri_infer_operand(g->r->arena, op, i->encoding);
    if (mlirAttributeIsNull(from))
        return false;
    for (intptr_t k = tri_op_is(op, "tt.gather"); k < mlirOperationGetNumOperands(op); k++)
        queue(g, op, tri_op_operand(op, k), from);
    return true;
}

/* What the definition of a recorded value needs. */
static bool grow_def(growth *g, const item *i)
{
    MlirBlock block;
    intptr_t index;
    MlirOperation def = tri_op_def(i->value);
    if (tri_op_is_block_argument(i->value, &block, &index))
        return grow_argument(g, i, block, index);
    if (g->stop && g->stop(def)) {
        if (g->stops)
            tri_vec_push(g->r->arena, g->stops, def);
        return true;
    }
    if (tri_op_is(def, "scf.if"))
        return grow_if(g, i, def);
    if (is_pinned(g, def) || tri_op_is(def, "scf.for"))
        return false;
    return is_leaf(g, def, i->encoding) || grow_op(g, i, def);
}

static bool grow_one(growth *g, const item *i)
{
    MlirAttribute now = tri_layouts_of(i->value);
    if (mlirAttributeIsNull(now))
        return true;
    tri_slice_value *known = tri_remat_find(g->slice, i->value);
    if (known) {
        if (!mlirAttributeEqual(known->encoding, i->encoding))
            return false;
        if (mlirValueIsNull(known->existing) || reaches(known->existing, i->user))
            return true;
        /* another use needs a copy of its own, and then that serves both */
        tri_vec_push(g->r->arena, &g->slice->unfit, *known);
        known->existing = (MlirValue){NULL};
        return grow_def(g, i);
    }
    if (mlirAttributeEqual(now, i->encoding))
        return true;
    MlirValue copy = find_copy(g, i);
    record(g, i->value, i->encoding, copy);
    return !mlirValueIsNull(copy) || grow_def(g, i);
}

bool tri_remat_grow(tri_remat *r, tri_slice *slice, MlirOperation user, MlirValue value, MlirAttribute encoding,
                    tri_remat_stop stop, tri_op_list *out_stops)
{
    growth g = {.r = r, .slice = slice, .stop = stop, .stops = out_stops};
    if (!slice->index.arena)
        tri_map_init(&slice->index, r->arena);
    queue(&g, user, value, encoding);
    while (g.todo.len) {
        item i = g.todo.at[--g.todo.len];
        if (!grow_one(&g, &i))
            return false;
    }
    return true;
}

void tri_remat_add_existing(tri_remat *r, tri_slice *slice, MlirValue value, MlirAttribute encoding,
                            MlirValue existing)
{
    growth g = {.r = r, .slice = slice};
    record(&g, value, encoding, existing);
}

tri_slice_mark tri_remat_mark(const tri_slice *slice)
{
    return (tri_slice_mark){slice->values.len, slice->unfit.len};
}

void tri_remat_go_back(tri_slice *slice, tri_slice_mark mark)
{
    while (slice->values.len > mark.values)
        tri_map_set_ptr(&slice->index, slice->values.at[--slice->values.len].value.ptr, NULL);
    while (slice->unfit.len > mark.unfit) {
        const tri_slice_value *old = &slice->unfit.at[--slice->unfit.len];
        tri_slice_value *now = tri_remat_find(slice, old->value);
        if (now)
            now->existing = old->existing;
    }
}
