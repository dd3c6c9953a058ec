/* Two operands of a product that are loaded together need one barrier, not two. */
#include "passes/ttgir/lower_aref/combine.h"

#include "base/map.h"
#include "ir/type.h"
#include "passes/analysis/partitions.h"

#include "mlir-c/BuiltinAttributes.h"

/* A reference with one buffer, which is put and got at one place each. */
typedef struct {
    MlirOperation create, put, put_end, get, get_end;
    MlirOperation reader; /* of the loop's body, the first that reads it */
} reference;

typedef TRI_VEC(reference) reference_list;

/* The first operation of a block that reads a buffer, through views. */
static MlirOperation first_reader(MlirValue buffer, MlirBlock block)
{
    MlirOperation first = {NULL};
    MlirOpOperand use = mlirValueGetFirstUse(buffer);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use), top = tri_op_ancestor_in(block, op);
        if (tri_str_has_prefix(tri_op_name(op), "ttg.memdesc_"))
            top = first_reader(tri_op_result(op, 0), block);
        if (!mlirOperationIsNull(top) && (mlirOperationIsNull(first) || mlirOperationIsBeforeInBlock(top, first)))
            first = top;
    }
    return first;
}

static MlirOperation *slot_of(reference *r, MlirOperation op)
{
    return tri_op_is(op, "nvws.aref.put.enter")  ? &r->put
           : tri_op_is(op, "nvws.aref.put.exit") ? &r->put_end
           : tri_op_is(op, "nvws.aref.get.enter") ? &r->get
           : tri_op_is(op, "nvws.aref.get.exit")  ? &r->get_end
                                                  : NULL;
}

/* Fills in what accesses a reference; false where that is not one of each in the same blocks. */
static bool read_reference(MlirOperation get, MlirBlock body, reference *r)
{
    *r = (reference){.create = tri_op_def(tri_op_operand(get, 0))};
    if (mlirOperationIsNull(r->create) || mlirOperationGetNumOperands(r->create) != 1)
        return false;
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(r->create, 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation *slot = slot_of(r, mlirOpOperandGetOwner(use));
        if (!slot || !mlirOperationIsNull(*slot))
            return false;
        *slot = mlirOpOperandGetOwner(use);
    }
    if (mlirOperationIsNull(r->put) || mlirOperationIsNull(r->put_end) || mlirOperationIsNull(r->get_end))
        return false;
    r->reader = first_reader(tri_op_result(get, 0), body);
    return !mlirOperationIsNull(r->reader) &&
           mlirBlockEqual(mlirOperationGetBlock(r->put), mlirOperationGetBlock(r->put_end)) &&
           mlirBlockEqual(mlirOperationGetBlock(r->get), mlirOperationGetBlock(r->get_end));
}

static bool go_together(const reference *a, const reference *b)
{
    return mlirOperationEqual(a->reader, b->reader) &&
           tri_partitions_of(a->get) == tri_partitions_of(b->get) &&
           tri_partitions_of(a->put) == tri_partitions_of(b->put) &&
           mlirBlockEqual(mlirOperationGetBlock(a->put), mlirOperationGetBlock(b->put)) &&
           mlirBlockEqual(mlirOperationGetBlock(a->create), mlirOperationGetBlock(b->create));
}

/* ---- making one ---- */

typedef struct {
    tri_arena *arena;
    reference_list parts;
    MlirValue aref;
} combined;

static MlirOperation first_or_last(const combined *c, bool puts, bool end)
{
    MlirOperation found = {NULL};
    for (size_t i = 0; i < c->parts.len; i++) {
        const reference *r = &c->parts.at[i];
        MlirOperation op = puts ? (end ? r->put_end : r->put) : end ? r->get_end : r->get;
        if (mlirOperationIsNull(found) || mlirOperationIsBeforeInBlock(end ? found : op, end ? op : found))
            found = op;
    }
    return found;
}

static void copy_place(MlirOperation from, MlirOperation to)
{
    static const char *const names[] = {TRI_PARTITIONS_OF, TRI_PARTITIONS_TAG, "loop.stage", "loop.cluster"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!mlirAttributeIsNull(tri_op_attr(from, names[i])))
            tri_builder_set_attr(to, names[i], tri_op_attr(from, names[i]));
}

static MlirOperation enter_all(const combined *c, bool puts, tri_builder b)
{
    size_t n = c->parts.len;
    MlirType *types = TRI_NEW_ARRAY(c->arena, MlirType, n + 1);
    for (size_t i = 0; i < n; i++)
        types[i] = mlirValueGetType(tri_op_result(puts ? c->parts.at[i].put : c->parts.at[i].get, 0));
    types[n] = tri_type_async_token(b.context);
    const int32_t segments[] = {1, 0, 0};
    tri_attr attr = {"operandSegmentSizes", tri_attr_i32s(b.context, 3, segments)};
    MlirOperation made = tri_builder_create(
        &b, &(tri_op){.name = puts ? "nvws.aref.put.enter" : "nvws.aref.get.enter", .num_operands = 1,
                      .operands = &c->aref, .num_results = (intptr_t)n + 1, .results = types, .num_attrs = 1,
                      .attrs = &attr});
    copy_place(first_or_last(c, puts, false), made);
    return made;
}

/* Every kind of work that may be under way when one of them is left. */
static MlirAttribute all_kinds(const combined *c, bool puts)
{
    TRI_VEC(MlirAttribute) kinds = {0};
    for (size_t i = 0; i < c->parts.len; i++) {
        MlirAttribute own = tri_op_attr(puts ? c->parts.at[i].put_end : c->parts.at[i].get_end, "async_ops");
        for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(own); k++) {
            size_t seen = 0;
            while (seen < kinds.len && !mlirAttributeEqual(kinds.at[seen], mlirArrayAttrGetElement(own, k)))
                seen++;
            if (seen == kinds.len)
                tri_vec_push(c->arena, &kinds, mlirArrayAttrGetElement(own, k));
        }
    }
    return mlirArrayAttrGet(mlirOperationGetContext(c->parts.at[0].get), (intptr_t)kinds.len, kinds.at);
}

static MlirOperation leave_all(const combined *c, bool puts, MlirOperation enter)
{
    MlirOperation last = first_or_last(c, puts, true);
    tri_builder b = tri_builder_before(last);
    MlirValue operands[] = {c->aref, tri_op_result(enter, (intptr_t)c->parts.len)};
    tri_attr kinds = {"async_ops", all_kinds(c, puts)};
    MlirOperation made = tri_builder_create(
        &b, &(tri_op){.name = puts ? "nvws.aref.put.exit" : "nvws.aref.get.exit", .num_operands = 2,
                      .operands = operands, .num_attrs = 1, .attrs = &kinds});
    copy_place(last, made);
    return made;
}

/* What uses the buffers in front of where all are there moves behind it. */
static void move_users(const combined *c, MlirOperation first, MlirOperation enter)
{
    tri_map moved;
    MlirOperation anchor = mlirOperationGetNextInBlock(enter);
    tri_map_init(&moved, c->arena);
    for (size_t i = 0; i < c->parts.len; i++)
        tri_map_set_ptr(&moved, c->parts.at[i].get.ptr, &moved);
    while (!mlirOperationEqual(first, enter)) {
        MlirOperation next = mlirOperationGetNextInBlock(first);
        bool uses = false;
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(first) && !tri_map_find_ptr(&moved, first.ptr); i++) {
            MlirOperation def = tri_op_def(tri_op_operand(first, i));
            uses = uses || (!mlirOperationIsNull(def) && tri_map_find_ptr(&moved, def.ptr));
        }
        if (uses) {
            tri_map_set_ptr(&moved, first.ptr, &moved);
            mlirOperationMoveBefore(first, anchor);
        }
        first = next;
    }
}

static void combine(combined *c)
{
    size_t n = c->parts.len;
    MlirOperation last = c->parts.at[0].create;
    MlirType *rings = TRI_NEW_ARRAY(c->arena, MlirType, n);
    MlirValue *buffers = TRI_NEW_ARRAY(c->arena, MlirValue, n);
    for (size_t i = 0; i < n; i++) {
        buffers[i] = tri_op_operand(c->parts.at[i].create, 0);
        rings[i] = mlirValueGetType(buffers[i]);
        last = mlirOperationIsBeforeInBlock(last, c->parts.at[i].create) ? c->parts.at[i].create : last;
    }
    tri_builder b = tri_builder_before(last);
    MlirType type = tri_partitions_reference(n, rings);
    c->aref = tri_builder_value(&b, &(tri_op){.name = "nvws.aref.create", .num_operands = (intptr_t)n,
                                              .operands = buffers, .num_results = 1, .results = &type});
    MlirOperation put = enter_all(c, true, tri_builder_before(first_or_last(c, true, false)));
    MlirOperation put_end = leave_all(c, true, put), get_first = first_or_last(c, false, false);
    bool waits = mlirBlockEqual(mlirOperationGetBlock(put_end), mlirOperationGetBlock(get_first)) &&
                 mlirOperationIsBeforeInBlock(get_first, put_end);
    MlirOperation get = enter_all(c, false, waits ? tri_builder_after(put_end) : tri_builder_before(get_first));
    if (waits)
        move_users(c, get_first, get);
    leave_all(c, false, get);
    for (size_t i = 0; i < n; i++) {
        const reference *r = &c->parts.at[i];
        mlirValueReplaceAllUsesOfWith(tri_op_result(r->put, 0), tri_op_result(put, (intptr_t)i));
        mlirValueReplaceAllUsesOfWith(tri_op_result(r->get, 0), tri_op_result(get, (intptr_t)i));
        mlirOperationDestroy(r->put_end);
        mlirOperationDestroy(r->get_end);
        mlirOperationDestroy(r->put);
        mlirOperationDestroy(r->get);
        mlirOperationDestroy(r->create);
    }
}

void tri_combine_references(tri_arena *arena, MlirOperation loop)
{
    reference_list found = {0};
    MlirBlock body = tri_op_body(loop, 0);
    MlirOperation op = mlirBlockGetFirstOperation(body);
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        reference r;
        if (tri_op_is(op, "nvws.aref.get.enter") && read_reference(op, body, &r))
            tri_vec_push(arena, &found, r);
    }
    for (size_t i = 0; i < found.len; i++) {
        combined c = {.arena = arena};
        reference first = found.at[i];
        size_t kept = i + 1;
        tri_vec_push(arena, &c.parts, first);
        for (size_t j = i + 1; j < found.len; j++) {
            if (go_together(&first, &found.at[j]))
                tri_vec_push(arena, &c.parts, found.at[j]);
            else
                found.at[kept++] = found.at[j];
        }
        found.len = kept;
        if (c.parts.len > 1)
            combine(&c);
    }
}
