/* Who has the buffer in tensor memory gives it back behind its last access, who has it next takes it in front of its
 * first one; who has it first puts, the other one gets. */
#include "passes/ttgir/insert_tmem_aref/turns.h"

#include "ir/type.h"
#include "passes/ttgir/insert_aref/aref.h"
#include "passes/ttgir/pipeline/lower.h"

enum { MAX_OWNERS = 3 };

/* What an owner did last. */
typedef struct {
    tmem_owner owner;
    const char *kind;   /* what may still be under way, as nvws.aref.*.exit says it */
    MlirOperation like; /* whose place in the schedule its operations have; null: none */
} owner_record;

typedef struct {
    owner_record records[MAX_OWNERS];
    int count;
} owner_records;

typedef struct {
    MlirValue aref, original;
    MlirType slot;
    owner_records *records;
    /* Along the path: */
    tmem_owner owner; /* who has the buffer */
    bool gets;        /* it got it, it does not put it */
    MlirValue token;
    MlirValue buffer; /* null: not asked for yet */
} turns;

static void collect_owners(tmem_owners *o, tmem_owner owner)
{
    if (!owner.partition) {
        o->all_too = o->all_too || o->count;
        return;
    }
    for (int i = 0; i < o->count; i++)
        if (tmem_owner_equal(o->owners[i], owner))
            return;
    if (o->count == 2)
        o->too_many = true;
    else
        o->owners[o->count++] = owner;
}

static void collect_path(tmem_owners *o, const tmem_path *path)
{
    for (size_t i = 0; i < path->len; i++) {
        collect_owners(o, path->at[i].owner);
        collect_path(o, &path->at[i].inner[0]);
        collect_path(o, &path->at[i].inner[1]);
    }
}

tmem_owners tri_turns_owners(tmem_owner maker, const tmem_path *path)
{
    tmem_owners o = {0};
    collect_owners(&o, maker);
    collect_path(&o, path);
    return o;
}

/* ---- what owners did last ---- */

static owner_record *record_of(owner_records *r, tmem_owner owner)
{
    int i = 0;
    while (i < r->count && !tmem_owner_equal(r->records[i].owner, owner))
        i++;
    if (i == r->count)
        r->records[r->count++] = (owner_record){.owner = owner, .kind = "none"};
    return &r->records[i];
}

static bool is_scheduled(MlirOperation op) { return !mlirAttributeIsNull(tri_op_attr(op, "loop.stage")); }

/* ---- taking and giving ---- */

static aref_place place_for(const turns *t, tri_builder b, tmem_owner owner)
{
    aref_place place = {.b = b, .partitions = owner.partition};
    if (!owner.partition)
        return place;
    if (mlirAttributeIsNull(tri_path_tag_of(b.block)))
        place.tag = owner.tag;
    else
        place.like = record_of(t->records, owner)->like;
    return place;
}

static void take_buffer(turns *t, tri_builder b, tmem_owner owner)
{
    aref_place place = place_for(t, b, owner);
    t->owner = owner;
    t->buffer = (MlirValue){NULL};
    const char *name = t->gets ? "nvws.aref.get.enter" : "nvws.aref.put.enter";
    t->token = tri_op_result(tri_insert_aref_enter(t->aref, &place, name, t->slot), 1);
}

static void give_buffer(turns *t, tri_builder b)
{
    aref_place place = place_for(t, b, t->owner);
    tri_insert_aref_exit(t->aref, t->token, &place, t->gets ? "nvws.aref.get.exit" : "nvws.aref.put.exit",
                         record_of(t->records, t->owner)->kind);
    t->gets = !t->gets;
}

/* `prev` had the buffer, null: the block is given it; the path of the step begins with `first`. */
static void hand_over(turns *t, const tmem_step *step, MlirOperation prev, MlirOperation first)
{
    MlirBlock block = mlirOperationGetBlock(step->op);
    MlirOperation like = tri_op_is(step->op, "scf.yield") ? first : step->op;
    give_buffer(t, mlirOperationIsNull(prev) ? tri_builder_at_start(block, mlirOperationGetLocation(step->op))
                                      : tri_builder_after(prev));
    if (is_scheduled(like))
        record_of(t->records, step->owner)->like = like;
    take_buffer(t, tri_builder_before(step->op), step->owner);
}

/* ---- accesses ---- */

static MlirValue buffer_at(turns *t, MlirOperation op, tmem_owner owner)
{
    MlirValue operands[] = {t->aref, t->token};
    aref_place place = {.b = tri_builder_before(op), .partitions = owner.partition, .like = op};
    if (mlirValueIsNull(t->buffer))
        t->buffer = tri_insert_aref_value(&place, "nvws.aref.buffer", 2, operands, t->slot);
    return t->buffer;
}

static void drop_token(MlirOperation op, intptr_t token)
{
    enum { ACC_DEP = 3, MAX_GROUPS = 10, MAX_OPERANDS = 64 };
    MlirValue operands[MAX_OPERANDS];
    int32_t sizes[MAX_GROUPS];
    intptr_t n = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && n < MAX_OPERANDS; i++)
        if (i != token)
            operands[n++] = tri_op_operand(op, i);
    int groups = tri_op_i32s(op, "operandSegmentSizes", sizes, MAX_GROUPS);
    mlirOperationSetOperands(op, n, operands);
    if (groups <= ACC_DEP)
        return;
    sizes[ACC_DEP] = 0;
    tri_builder_set_attr(op, "operandSegmentSizes", tri_attr_i32s(mlirOperationGetContext(op), groups, sizes));
}

static void access_buffer(turns *t, const tmem_step *step)
{
    MlirOperation op = step->op;
    owner_record *record = record_of(t->records, step->owner);
    record->kind = tri_str_has_prefix(tri_op_name(op), "ttng.tc_gen5_mma") ? "tc5mma" : "none";
    record->like = is_scheduled(op) ? op : (MlirOperation){NULL};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (mlirValueEqual(tri_op_operand(op, i), t->original))
            mlirOperationSetOperand(op, i, buffer_at(t, op, step->owner));
    if (step->operand >= 0)
        drop_token(op, step->operand);
}

/* A buffer of a tensor: it is put there. */
static void store_source(turns *t, MlirOperation alloc, tmem_owner owner)
{
    MlirValue buffer = buffer_at(t, alloc, owner);
    aref_place place = {.b = tri_builder_before(alloc), .partitions = owner.partition, .like = alloc};
    MlirType i1 = mlirIntegerTypeGet(place.b.context, 1);
    tri_attr yes = {"value", tri_attr_bool(place.b.context, true)};
    MlirOperation always = tri_insert_aref_make(&place, &(tri_op){.name = "arith.constant", .num_results = 1,
                                                                  .results = &i1, .num_attrs = 1, .attrs = &yes});
    MlirValue operands[] = {buffer, tri_op_operand(alloc, 0), tri_op_result(always, 0)};
    tri_insert_aref_make(&place, &(tri_op){.name = "ttng.tmem_store", .num_operands = 3, .operands = operands});
    record_of(t->records, owner)->kind = "none";
}

/* ---- the path ---- */

static void walk(turns *t, const tmem_path *path, MlirOperation prev, tmem_owner before);

/* The blocks of a loop or a conditional. Places in a schedule are those of one block: none go in or out. */
static void walk_inside(turns *t, const tmem_step *step)
{
    bool is_if = tri_op_is(step->op, "scf.if"), is_for = tri_op_is(step->op, "scf.for");
    owner_records outside = *t->records;
    if (!is_if) {
        mlirOperationSetOperand(step->op, step->operand, t->token);
        for (int i = 0; i < t->records->count; i++)
            t->records->records[i].like = (MlirOperation){NULL};
    }
    for (int k = 0; k < 2 && step->inner[k].len; k++) {
        turns in = *t;
        if (!is_if) {
            in.token = mlirBlockGetArgument(tri_op_body(step->op, is_for ? 0 : 1), step->result + is_for);
            in.buffer = (MlirValue){NULL};
        }
        walk(&in, &step->inner[k], (MlirOperation){NULL}, step->owner);
        t->owner = in.owner;
    }
    for (int i = 0; i < t->records->count; i++)
        t->records->records[i].like = record_of(&outside, t->records->records[i].owner)->like;
    t->token = tri_op_result(step->op, step->result);
    t->buffer = (MlirValue){NULL};
}

static void walk(turns *t, const tmem_path *path, MlirOperation prev, tmem_owner before)
{
    for (size_t i = 0; i < path->len; i++) {
        const tmem_step *step = &path->at[i];
        if (before.partition && !tmem_owner_equal(before, step->owner))
            hand_over(t, step, prev, path->at[0].op);
        else if (!before.partition && step->owner.partition)
            t->owner = step->owner; /* all warps wait where a shared loop begins: nothing needs to be handed over */
        if (tri_op_is(step->op, "scf.yield"))
            mlirOperationSetOperand(step->op, step->operand, t->token);
        else if (step->result >= 0)
            walk_inside(t, step);
        else
            access_buffer(t, step);
        prev = step->op;
        before = step->owner;
    }
}

static MlirValue make_ring(MlirOperation alloc, int buffers)
{
    MlirOperation shared = tri_path_shared_loop(alloc);
    tri_builder b = tri_builder_before(mlirOperationIsNull(shared) ? alloc : shared);
    MlirType one = mlirValueGetType(tri_op_result(alloc, 0));
    MlirType ring = tri_pipeline_ring_type(one, tri_partitions_is_scales(one) ? 0 : buffers);
    MlirValue all = tri_builder_value(&b, &(tri_op){.name = "ttng.tmem_alloc", .num_results = 1, .results = &ring});
    return tri_builder_unary(&b, "nvws.aref.create", tri_partitions_reference(1, &ring), all);
}

void tri_turns_take(MlirOperation alloc, const tmem_path *path, const tmem_owners *owners, int buffers)
{
    owner_records records = {0};
    turns t = {.aref = make_ring(alloc, buffers), .original = tri_op_result(alloc, 0), .records = &records};
    MlirType ring = mlirValueGetType(tri_op_operand(tri_op_def(t.aref), 0));
    bool has_source = mlirOperationGetNumOperands(alloc) > 0;
    tmem_owner first = {0};
    t.slot = tri_partitions_is_scales(ring) ? ring : tri_partitions_slot(ring);
    if (!mlirOperationIsNull(tri_path_shared_loop(alloc)))
        first = has_source ? owners->owners[0] : path->at[0].owner;
    if (is_scheduled(alloc))
        record_of(&records, first)->like = alloc;
    take_buffer(&t, tri_builder_before(alloc), first);
    if (has_source)
        store_source(&t, alloc, first);
    walk(&t, path, alloc, first);
    tri_builder end = tri_builder_after(tri_vec_last(path).op);
    end.loc = mlirOperationGetLocation(tri_vec_last(path).op);
    give_buffer(&t, end);
    if (t.gets) { /* the next to put waits until it is got, also where nobody reads it any more */
        tmem_owner other = {0};
        for (int i = 0; i < owners->count; i++)
            other = tmem_owner_equal(owners->owners[i], t.owner) ? other : owners->owners[i];
        end = tri_builder_after(mlirOperationGetNextInBlock(tri_vec_last(path).op));
        take_buffer(&t, end, other);
        give_buffer(&t, tri_builder_after(tri_op_def(t.token)));
    }
    mlirOperationDestroy(alloc);
}
