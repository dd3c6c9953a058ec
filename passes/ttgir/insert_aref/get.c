/* How groups that do not have a value take it out of its buffer. */
#include "passes/ttgir/insert_aref/aref.h"

#include "base/map.h"
#include "ir/op_classes.h"
#include "ir/type.h"

typedef struct {
    const aref_value *v;
    uint64_t partitions;
    tri_map seen;
    tri_op_list ops; /* that read the value, through views of its buffer, in no order */
} readers;

static bool makes_view(MlirOperation op)
{
    tri_memdesc desc;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (tri_type_get_memdesc(mlirValueGetType(tri_op_result(op, i)), &desc))
            return true;
    return false;
}

static void find_readers(readers *r, MlirOperation op, intptr_t operand)
{
    if (!makes_view(op)) {
        if (tri_partitions_of_use(op, operand) == r->partitions && !tri_map_find_ptr(&r->seen, op.ptr)) {
            tri_map_set_ptr(&r->seen, op.ptr, op.ptr);
            tri_vec_push(r->v->arena, &r->ops, op);
        }
        return;
    }
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(op, i));
        for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
            find_readers(r, mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use));
    }
}

static readers readers_of(const aref_value *v, const aref_consumers *consumers)
{
    readers r = {.v = v, .partitions = consumers->partitions};
    tri_map_init(&r.seen, v->arena);
    for (size_t i = 0; i < consumers->uses.len; i++)
        find_readers(&r, consumers->uses.at[i].op, consumers->uses.at[i].operand);
    return r;
}

/* ---- where ---- */

static MlirOperation first_user(const aref_value *v, const aref_consumers *consumers)
{
    MlirOperation first = {NULL};
    for (size_t i = 0; i < consumers->uses.len; i++) {
        MlirOperation top = tri_op_ancestor_in(v->block, consumers->uses.at[i].op);
        if (mlirOperationIsNull(first) || mlirOperationIsBeforeInBlock(top, first))
            first = top;
    }
    return first;
}

static MlirOperation last_reader(const readers *r, MlirOperation first)
{
    MlirOperation last = first;
    for (size_t i = 0; i < r->ops.len; i++) {
        MlirOperation top = tri_op_ancestor_in(r->v->block, r->ops.at[i]);
        if (!mlirOperationIsNull(top) && mlirOperationIsBeforeInBlock(last, top))
            last = top;
    }
    return last;
}

/* ---- when, in the loop's schedule ---- */

static bool comes_before(MlirOperation a, MlirOperation b)
{
    int64_t stage_a = tri_op_int(a, "loop.stage", 0), stage_b = tri_op_int(b, "loop.stage", 0);
    int64_t cluster_a = tri_op_int(a, "loop.cluster", 0), cluster_b = tri_op_int(b, "loop.cluster", 0);
    return stage_a < stage_b || (stage_a == stage_b && cluster_a < cluster_b);
}

/* Which use is the first of a schedule, and which the last, of a value that is made in a loop with one. */
static void find_schedule(const aref_value *v, const aref_consumers *consumers, const readers *r,
                          MlirOperation *out_first, MlirOperation *out_last)
{
    MlirOperation loop = mlirBlockGetParentOperation(v->block);
    MlirBlock block;
    intptr_t arg;
    *out_first = *out_last = (MlirOperation){NULL};
    if (mlirAttributeIsNull(tri_op_attr(loop, "tt.scheduled_max_stage")) ||
        tri_op_is_block_argument(v->value, &block, &arg))
        return;
    for (size_t i = 0; i < consumers->uses.len + r->ops.len; i++) {
        bool is_use = i < consumers->uses.len;
        MlirOperation at = is_use ? consumers->uses.at[i].op : r->ops.at[i - consumers->uses.len];
        MlirOperation op = tri_op_ancestor_in(v->block, at);
        if (mlirOperationIsNull(op) || mlirAttributeIsNull(tri_op_attr(op, "loop.stage")))
            continue;
        if (mlirOperationIsNull(*out_first) || comes_before(op, *out_first))
            *out_first = op;
        if (mlirOperationIsNull(*out_last) || comes_before(*out_last, op))
            *out_last = op;
    }
}

/* What may still read when the buffer is given back: products on warp groups and of Blackwell do; loads are done. */
static const char *still_reading(const readers *r, bool by_loads)
{
    for (size_t i = 0; !by_loads && i < r->ops.len; i++) {
        if (tri_op_is(r->ops.at[i], "ttng.warp_group_dot"))
            return "wgmma";
        if (tri_str_has_prefix(tri_op_name(r->ops.at[i]), "ttng.tc_gen5_mma"))
            return "tc5mma";
    }
    return "none";
}

/* ---- taking it ---- */

/* The value in registers of groups that do not have it. */
static MlirValue load_value(const aref_value *v, aref_place place, MlirValue buffer, MlirValue value,
                            MlirOperation *out_load)
{
    MlirType tensor = tri_insert_aref_tensor_type(v), type = mlirValueGetType(value);
    if (tri_type_is_tensor(type))
        tensor = type;
    *out_load = tri_insert_aref_make(&place, &(tri_op){.name = "ttg.local_load", .num_operands = 1, .operands = &buffer,
                                            .num_results = 1, .results = &tensor});
    MlirValue loaded = tri_op_result(*out_load, 0);
    if (mlirTypeEqual(tensor, type))
        return loaded;
    return tri_insert_aref_value(&place, "tt.unsplat", 1, &loaded, type);
}

/* What consumers use: where some of them have the value themselves, each its own. */
static MlirValue chosen(const aref_value *v, aref_place place, uint64_t partitions, MlirValue own, MlirValue remote)
{
    if (!(partitions & v->partitions))
        return remote;
    MlirValue both[] = {own, remote};
    place.partitions = partitions;
    return tri_insert_aref_value(&place, "nvws.aref.phi", 2, both, mlirValueGetType(own));
}

/* Replaces the uses; returns whether some read the buffer itself. */
static bool replace_uses(const aref_value *v, const aref_consumers *consumers, aref_place place, MlirValue buffer,
                         MlirOperation *out_load)
{
    MlirValue loaded = {NULL};
    bool reads_buffer = false;
    place.partitions = consumers->partitions & ~v->partitions;
    for (size_t i = 0; i < consumers->uses.len; i++) {
        aref_use use = consumers->uses.at[i];
        MlirValue value = tri_op_operand(use.op, use.operand);
        tri_memdesc desc;
        if (tri_type_get_memdesc(mlirValueGetType(value), &desc)) {
            mlirOperationSetOperand(use.op, use.operand, buffer);
            reads_buffer = true;
            continue;
        }
        if (mlirValueIsNull(loaded))
            loaded = chosen(v, place, consumers->partitions, value, load_value(v, place, buffer, value, out_load));
        mlirOperationSetOperand(use.op, use.operand, loaded);
    }
    return reads_buffer;
}

void tri_insert_aref_get(aref_value *v, const aref_consumers *consumers)
{
    readers r = readers_of(v, consumers);
    MlirOperation first = first_user(v, consumers), begin, end, load = {NULL};
    MlirOperation last = last_reader(&r, first);
    find_schedule(v, consumers, &r, &begin, &end);
    if (!mlirOperationIsNull(v->request))
        begin = end = consumers->uses.at[0].op;
    bool all = !mlirOperationIsNull(v->alloc);
    aref_place place = {.b = tri_builder_before(first), .like = begin,
                        .partitions = all ? consumers->partitions : consumers->partitions & ~v->partitions};
    MlirOperation enter = tri_insert_aref_enter(v->aref, &place, "nvws.aref.get.enter", v->one);
    bool reads_buffer = replace_uses(v, consumers, place, tri_op_result(enter, 0), &load);
    place.b = tri_builder_after(reads_buffer ? last : load);
    place.like = end;
    tri_insert_aref_exit(v->aref, tri_op_result(enter, 1), &place, "nvws.aref.get.exit",
                         still_reading(&r, !reads_buffer));
}
