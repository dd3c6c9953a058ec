/* Places of ops in a schedule, and the small things that every part of the pipeliner's lowering makes. */
#include "passes/ttgir/pipeline/lower.h"

#include "ir/compare.h"
#include "ir/encoding.h"
#include "ir/type.h"

#include <limits.h>

bool tri_pipeline_has_place(MlirOperation op) { return !mlirAttributeIsNull(tri_op_attr(op, "loop.stage")); }

tri_place tri_pipeline_place_of(MlirOperation op)
{
    return (tri_place){(int)tri_op_int(op, "loop.stage", 0), (int)tri_op_int(op, "loop.cluster", 0)};
}

bool tri_pipeline_is_before(tri_place a, tri_place b)
{
    return a.stage != b.stage ? a.stage < b.stage : a.cluster < b.cluster;
}

MlirOperation tri_pipeline_placed_op(MlirOperation op, tri_place place)
{
    if (place.stage >= 0)
        tri_pipeline_set_place(op, place.stage, place.cluster);
    return op;
}

MlirValue tri_pipeline_placed(MlirValue value, tri_place place)
{
    tri_pipeline_placed_op(tri_op_def(value), place);
    return value;
}

static void shift_clusters(MlirOperation loop, int from, int by)
{
    MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(loop, 0));
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        tri_place place = tri_pipeline_place_of(op);
        if (tri_pipeline_has_place(op) && place.cluster >= from)
            tri_pipeline_set_place(op, place.stage, place.cluster + by);
    }
}

void tri_pipeline_normalize(MlirOperation loop)
{
    int first = INT_MAX;
    MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(loop, 0));
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        int cluster = tri_pipeline_place_of(op).cluster;
        if (tri_pipeline_has_place(op) && cluster < first)
            first = cluster;
    }
    if (first != 0 && first != INT_MAX)
        shift_clusters(loop, first, -first);
}

void tri_pipeline_place_rest(MlirOperation loop)
{
    MlirBlock body = tri_op_body(loop, 0);
    MlirOperation op = tri_op_previous(mlirBlockGetTerminator(body));
    for (; !mlirOperationIsNull(op); op = tri_op_previous(op)) {
        bool is_found = false;
        tri_place first = {0};
        if (tri_pipeline_has_place(op))
            continue;
        for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++) {
            MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(op, r));
            for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
                MlirOperation user = tri_op_ancestor_in(body, mlirOpOperandGetOwner(use));
                if (mlirOperationIsNull(user) || !tri_pipeline_has_place(user))
                    continue;
                tri_place place = tri_pipeline_place_of(user);
                first = is_found && !tri_pipeline_is_before(place, first) ? first : place;
                is_found = true;
            }
        }
        if (is_found)
            tri_pipeline_placed_op(op, first);
    }
}

/* ---- counters ---- */

MlirValue tri_pipeline_constant(tri_lowering *l, int64_t value)
{
    tri_builder b = tri_builder_before(l->loop);
    return tri_builder_int(&b, mlirIntegerTypeGet(b.context, 32), value);
}

MlirValue tri_pipeline_true(tri_builder *b, tri_place place)
{
    return tri_pipeline_placed(tri_builder_int(b, mlirIntegerTypeGet(b->context, 1), 1), place);
}

MlirValue tri_pipeline_limit(tri_builder *b, tri_place place, int n)
{
    return tri_pipeline_placed(tri_builder_int(b, mlirIntegerTypeGet(b->context, 32), n), place);
}

MlirValue tri_pipeline_next_index(tri_lowering *l, tri_builder *b, tri_place place, MlirValue index, MlirValue limit,
                               MlirValue *out_wraps)
{
    MlirType i32 = mlirIntegerTypeGet(b->context, 32);
    MlirValue more = tri_pipeline_placed(tri_builder_binary(b, "arith.addi", i32, index, l->one), place);
    MlirValue wraps = tri_compare_make(b, TRI_CMP_SGE, more, limit);
    tri_pipeline_placed(wraps, place);
    if (out_wraps)
        *out_wraps = wraps;
    return tri_pipeline_placed(tri_builder_value(b, &(tri_op){.name = "arith.select", .num_operands = 3,
                                                           .operands = (MlirValue[]){wraps, l->zero, more},
                                                           .num_results = 1, .results = &i32}), place);
}

/* ---- buffers ---- */

MlirType tri_pipeline_ring_type(MlirType buffer, int copies)
{
    tri_memdesc desc;
    tri_type_get_memdesc(buffer, &desc);
    desc.is_mutable = true;
    if (copies) {
        for (int d = desc.rank; d > 0; d--)
            desc.shape[d] = desc.shape[d - 1];
        desc.shape[0] = copies;
        desc.rank++;
    }
    desc.alloc_rank = desc.rank;
    memcpy(desc.alloc_shape, desc.shape, sizeof desc.shape);
    return tri_type_memdesc(&desc);
}

MlirType tri_pipeline_slot_type(MlirType ring)
{
    tri_memdesc desc;
    tri_type_get_memdesc(ring, &desc);
    for (int d = 1; d < desc.rank; d++)
        desc.shape[d - 1] = desc.shape[d];
    desc.alloc_rank = --desc.rank;
    memcpy(desc.alloc_shape, desc.shape, sizeof desc.shape);
    return tri_type_memdesc(&desc);
}

MlirValue tri_pipeline_slot(tri_builder *b, MlirValue ring, MlirValue index)
{
    return tri_builder_binary(b, "ttg.memdesc_index", tri_pipeline_slot_type(mlirValueGetType(ring)), ring, index);
}

MlirValue tri_pipeline_barriers(tri_lowering *l, int n, int count)
{
    tri_builder b = tri_builder_before(l->loop);
    MlirType i32 = mlirIntegerTypeGet(b.context, 32);
    tri_encoding e = {.kind = TRI_ENC_SWIZZLED_SHARED, .rank = 1};
    e.swizzled.vec = e.swizzled.per_phase = e.swizzled.max_phase = 1;
    tri_memdesc desc = {.rank = 2, .alloc_rank = 2, .shape = {n, 1}, .alloc_shape = {n, 1}, .is_mutable = true,
                        .element = mlirIntegerTypeGet(b.context, 64), .encoding = tri_encoding_make(b.context, &e),
                        .space = tri_encoding_shared_space(b.context)};
    MlirType type = tri_type_memdesc(&desc);
    MlirValue ring = tri_builder_value(&b, &(tri_op){.name = "ttg.local_alloc", .num_results = 1, .results = &type});
    tri_attr attr = {"count", tri_attr_i32(b.context, count)};
    for (int i = 0; i < n; i++) {
        MlirValue slot = tri_pipeline_slot(&b, ring, tri_builder_int(&b, i32, i));
        tri_builder_create(&b, &(tri_op){.name = "ttng.init_barrier", .num_operands = 1, .operands = &slot,
                                         .num_attrs = 1, .attrs = &attr});
    }
    return ring;
}

void tri_pipeline_end_barriers(tri_lowering *l, tri_builder *b, MlirValue barriers)
{
    (void)l;
    tri_memdesc desc;
    tri_type_get_memdesc(mlirValueGetType(barriers), &desc);
    for (int i = 0; i < desc.shape[0]; i++) {
        MlirValue slot = tri_pipeline_slot(b, barriers, tri_builder_int(b, mlirIntegerTypeGet(b->context, 32), i));
        tri_builder_create(b, &(tri_op){.name = "ttng.inval_barrier", .num_operands = 1, .operands = &slot});
    }
    tri_builder_create(b, &(tri_op){.name = "ttg.local_dealloc", .num_operands = 1, .operands = &barriers});
}

static void make_views_mutable(MlirValue slot);

static void make_view_mutable(MlirValue view)
{
    tri_memdesc desc;
    if (!tri_type_get_memdesc(mlirValueGetType(view), &desc) || desc.is_mutable)
        return;
    desc.is_mutable = true;
    tri_op_set_type(view, tri_type_memdesc(&desc));
    make_views_mutable(view);
}

/* Views of a slot of a ring are mutable as the ring is; a wait for products hands its operands on. */
static void make_views_mutable(MlirValue slot)
{
    MlirOpOperand use = mlirValueGetFirstUse(slot);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (tri_op_is(user, "ttng.warp_group_dot_wait"))
            make_view_mutable(tri_op_result(user, (intptr_t)mlirOpOperandGetOperandNumber(use)));
        else if (mlirOperationGetNumResults(user) == 1)
            make_view_mutable(tri_op_result(user, 0));
    }
}

bool tri_pipeline_is_alloc_as(MlirOperation user, MlirType slot)
{
    tri_memdesc x, y;
    return tri_op_is(user, "ttg.local_alloc") && tri_type_get_memdesc(mlirValueGetType(tri_op_result(user, 0)), &x) &&
           tri_type_get_memdesc(slot, &y) && mlirAttributeEqual(x.encoding, y.encoding) &&
           mlirAttributeEqual(x.space, y.space);
}

bool tri_pipeline_replace_allocs(MlirValue value, MlirValue slot)
{
    MlirOpOperand use = mlirValueGetFirstUse(value), next;
    for (; !mlirOpOperandIsNull(use); use = next) {
        next = mlirOpOperandGetNextUse(use);
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (!tri_pipeline_is_alloc_as(user, mlirValueGetType(slot)))
            continue;
        mlirValueReplaceAllUsesOfWith(tri_op_result(user, 0), slot);
        mlirOperationDestroy(user);
    }
    make_views_mutable(slot);
    return !mlirOpOperandIsNull(mlirValueGetFirstUse(value));
}

int tri_pipeline_latest_wait(MlirBlock body, MlirValue value)
{
    int latest = -1;
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use), top = tri_op_ancestor_in(body, user);
        int stage = -1;
        tri_memdesc desc;
        if (mlirOperationIsNull(top))
            continue;
        if (tri_op_is(user, "ttng.wait_barrier"))
            stage = tri_pipeline_place_of(top).stage;
        else if (mlirOperationGetNumResults(user) == 1 &&
                 tri_type_get_memdesc(mlirValueGetType(tri_op_result(user, 0)), &desc))
            stage = tri_pipeline_latest_wait(body, tri_op_result(user, 0));
        latest = stage > latest ? stage : latest;
    }
    return latest;
}
