/* The loads of a scheduled loop become asynchronous copies into rings of buffers.
 *
 *     %a = tt.load %p, %m                        // stage 0
 *     use(%a)                                    // stage 2
 *   becomes, with a ring of two buffers and two counters that run through it,
 *     %t = ttg.async_copy_global_to_local %p, %ring[%in] mask %m ; %g = ttg.async_commit_group %t   // stage 0
 *     %w = ttg.async_wait %g ; %a = ttg.local_load %ring[%out] token %w                             // stage 2
 *
 * Both counters have equal values; they are two so that each can be computed in its own stage. */
#include "passes/ttgir/pipeline.h"

#include "ir/encoding.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loads.h"
#include "passes/analysis/loops.h"

typedef struct {
    MlirOperation load;
    MlirOperation first_user; /* in the body, earliest in the schedule */
    MlirType buffer;
    MlirValue ring;
    int distance; /* iterations a copy is in flight = buffers */
} pipelined;

typedef TRI_VEC(pipelined) pipelined_list;

typedef struct {
    const tri_pipeline *p;
    MlirOperation loop;
    MlirBlock body;
    pipelined_list loads;
} lowering;

static int stage_of(MlirOperation op) { return (int)tri_op_int(op, "loop.stage", 0); }
static int cluster_of(MlirOperation op) { return (int)tri_op_int(op, "loop.cluster", 0); }

/* Earlier in the pipelined body: runs in an earlier stage, or before it in the same one. */
static bool comes_before(MlirOperation a, MlirOperation b)
{
    if (stage_of(a) != stage_of(b))
        return stage_of(a) < stage_of(b);
    return cluster_of(a) < cluster_of(b);
}

/* ---- matchers ---- */

/* The user that needs the data first. Users in the terminator carry the value to the next iteration: not
 * supported here. */
static bool find_first_user(lowering *l, MlirOperation load, MlirOperation *out_first, int *out_distance)
{
    MlirOperation yield = mlirBlockGetTerminator(l->body), first = {NULL};
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(load, 0));
    int distance = 0;
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = tri_pipeline_in_body(l->body, mlirOpOperandGetOwner(use));
        if (mlirOperationIsNull(user) || mlirOperationEqual(user, yield))
            return false;
        int d = stage_of(user) + (cluster_of(user) > cluster_of(load)) - stage_of(load);
        distance = mlirOperationIsNull(first) || d < distance ? d : distance;
        if (mlirOperationIsNull(first) || comes_before(user, first) ||
            (!comes_before(first, user) && tri_op_dominates(user, first)))
            first = user;
    }
    *out_first = first;
    *out_distance = distance;
    return !mlirOperationIsNull(first) && distance > 0;
}

static void collect(lowering *l)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(l->body); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        pipelined load = {.load = op};
        if (!tri_op_is(op, "tt.load") || !tri_type_is_tensor(mlirValueGetType(tri_op_result(op, 0))) ||
            !find_first_user(l, op, &load.first_user, &load.distance))
            continue;
        load.buffer = tri_pipeline_buffer_type(l->p, op);
        if (mlirTypeIsNull(load.buffer) || tri_pipeline_copy_bytes(l->p, op, load.buffer) < 4)
            continue;
        tri_vec_push(l->p->arena, &l->loads, load);
    }
}

static bool is_zero(MlirValue value)
{
    int64_t i;
    double f;
    return (tri_op_const_int(value, &i) && i == 0) || (tri_op_const_float(value, &f) && f == 0.0);
}

/* ---- rewriters ---- */

static MlirType mutable_type(MlirType buffer, int copies)
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

static MlirValue placed(MlirValue value, MlirOperation like)
{
    tri_pipeline_set_place(tri_op_def(value), stage_of(like), cluster_of(like));
    return value;
}

/* next = i + 1 < n ? i + 1 : 0, at the place of `like`, in front of `before`. */
static MlirValue next_index(MlirOperation before, MlirOperation like, MlirValue index, int n)
{
    tri_builder b = tri_builder_before(before);
    MlirType i32 = mlirIntegerTypeGet(b.context, 32), i1 = mlirIntegerTypeGet(b.context, 1);
    MlirValue one = placed(tri_builder_int(&b, i32, 1), like), limit = placed(tri_builder_int(&b, i32, n), like);
    MlirValue zero = placed(tri_builder_int(&b, i32, 0), like);
    MlirValue more = placed(tri_builder_binary(&b, "arith.addi", i32, index, one), like);
    tri_attr less = {"predicate", tri_attr_i64(b.context, 2)};
    MlirValue fits = placed(tri_builder_value(&b, &(tri_op){.name = "arith.cmpi", .num_operands = 2,
                                                            .operands = (MlirValue[]){more, limit}, .num_results = 1,
                                                            .results = &i1, .num_attrs = 1, .attrs = &less}), like);
    return placed(tri_builder_value(&b, &(tri_op){.name = "arith.select", .num_operands = 3,
                                                  .operands = (MlirValue[]){fits, more, zero}, .num_results = 1,
                                                  .results = &i32}), like);
}

static MlirValue buffer_at(tri_builder *b, const pipelined *load, MlirValue index)
{
    return tri_builder_binary(b, "ttg.memdesc_index", mutable_type(load->buffer, 0), load->ring, index);
}

/* Copy and commit where the load is. */
static MlirValue start_copy(lowering *l, const pipelined *load, MlirValue index)
{
    MlirOperation op = load->load;
    tri_builder b = tri_builder_before(op);
    MlirValue slot = placed(buffer_at(&b, load, index), op), mask = tri_op_segment_value(op, 1);
    const int32_t sizes[] = {1, 1, !mlirValueIsNull(mask), 0};
    MlirType token = tri_type_async_token(b.context), element = tri_type_element(mlirValueGetType(tri_op_result(op, 0)));
    int bytes = tri_pipeline_copy_bytes(l->p, op, load->buffer);
    tri_attr attrs[] = {
        {"operandSegmentSizes", tri_attr_i32s(b.context, 4, sizes)},
        {"cache", tri_op_attr(op, "cache")},
        {"evict", tri_op_attr(op, "evict")},
        {"isVolatile", tri_op_attr(op, "isVolatile")},
        {"contiguity", tri_attr_i32(b.context, bytes * 8 / (int32_t)tri_type_bits(element))},
    };
    MlirValue copy = placed(tri_builder_value(&b, &(tri_op){.name = "ttg.async_copy_global_to_local",
                                                            .num_operands = 2 + sizes[2],
                                                            .operands = (MlirValue[]){tri_op_operand(op, 0), slot, mask},
                                                            .num_results = 1, .results = &token, .num_attrs = 5,
                                                            .attrs = attrs}), op);
    return placed(tri_builder_unary(&b, "ttg.async_commit_group", token, copy), op);
}

/* Views of a slot of a ring are mutable as the ring is. */
static void make_views_mutable(MlirValue slot)
{
    MlirOpOperand use = mlirValueGetFirstUse(slot);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation view = mlirOpOperandGetOwner(use);
        tri_memdesc desc;
        if (mlirOperationGetNumResults(view) != 1 ||
            !tri_type_get_memdesc(mlirValueGetType(tri_op_result(view, 0)), &desc) || desc.is_mutable)
            continue;
        desc.is_mutable = true;
        tri_op_set_type(tri_op_result(view, 0), tri_type_memdesc(&desc));
        make_views_mutable(tri_op_result(view, 0));
    }
}

/* Uses of `value` by local_allocs of the same buffer layout read the slot itself. */
static void replace_allocs(const pipelined *load, MlirValue value, MlirValue slot)
{
    MlirOpOperand use = mlirValueGetFirstUse(value), next;
    for (; !mlirOpOperandIsNull(use); use = next) {
        next = mlirOpOperandGetNextUse(use);
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (!tri_op_is(user, "ttg.local_alloc") || !mlirTypeEqual(mlirValueGetType(tri_op_result(user, 0)), load->buffer))
            continue;
        mlirValueReplaceAllUsesOfWith(tri_op_result(user, 0), slot);
        mlirOperationDestroy(user);
    }
    make_views_mutable(slot);
}

/* Wait and read where the data is first needed. */
static void finish_copy(const pipelined *load, MlirValue group, MlirValue index)
{
    MlirOperation op = load->load, user = load->first_user;
    MlirValue result = tri_op_result(op, 0), mask = tri_op_segment_value(op, 1), other = tri_op_segment_value(op, 2);
    tri_builder b = tri_builder_before(user);
    MlirType token = tri_type_async_token(b.context), type = mlirValueGetType(result);
    tri_attr num = {"num", tri_attr_i32(b.context, 0)};
    MlirValue ready = placed(tri_builder_value(&b, &(tri_op){.name = "ttg.async_wait", .num_operands = 1, .operands = &group,
                                                             .num_results = 1, .results = &token, .num_attrs = 1,
                                                             .attrs = &num}), user);
    MlirValue slot = placed(buffer_at(&b, load, index), user);
    replace_allocs(load, result, slot);
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(result))) {
        mlirOperationDestroy(op);
        return;
    }
    MlirValue loaded = placed(tri_builder_value(&b, &(tri_op){.name = "ttg.local_load", .num_operands = 2,
                                                              .operands = (MlirValue[]){slot, ready}, .num_results = 1,
                                                              .results = &type}), user);
    if (!mlirValueIsNull(mask) && !mlirValueIsNull(other) && !is_zero(other))
        loaded = placed(tri_builder_value(&b, &(tri_op){.name = "arith.select", .num_operands = 3,
                                                        .operands = (MlirValue[]){mask, loaded, other}, .num_results = 1,
                                                        .results = &type}), user);
    tri_op_replace(op, 1, &loaded);
}

static void allocate_rings(lowering *l)
{
    for (size_t i = 0; i < l->loads.len; i++) {
        pipelined *load = &l->loads.at[i];
        tri_builder b = tri_builder_before(l->loop);
        MlirType ring = mutable_type(load->buffer, load->distance);
        load->ring = tri_builder_value(&b, &(tri_op){.name = "ttg.local_alloc", .num_results = 1, .results = &ring});
    }
}

static void free_rings(lowering *l)
{
    tri_builder b = tri_builder_after(l->loop);
    tri_attr num = {"num", tri_attr_i32(b.context, 0)};
    MlirType token = tri_type_async_token(b.context);
    /* copies for iterations past the end may still be on their way */
    tri_builder_create(&b, &(tri_op){.name = "ttg.async_wait", .num_results = 1, .results = &token, .num_attrs = 1, .attrs = &num});
    for (size_t i = 0; i < l->loads.len; i++)
        tri_builder_create(&b, &(tri_op){.name = "ttg.local_dealloc", .num_operands = 1, .operands = &l->loads.at[i].ring});
}

/* The loads with rings of n buffers share two counters. */
static void lower_group(lowering *l, int n)
{
    pipelined *first = NULL, *early_copy = NULL, *early_use = NULL;
    tri_arena *arena = l->p->arena;
    for (size_t i = 0; i < l->loads.len; i++) {
        pipelined *load = &l->loads.at[i];
        if (load->distance != n)
            continue;
        first = first ? first : load;
        early_copy = early_copy && !comes_before(load->load, early_copy->load) ? early_copy : load;
        early_use = early_use && !comes_before(load->first_user, early_use->first_user) ? early_use : load;
    }
    if (!first)
        return;
    tri_builder b = tri_builder_before(l->loop);
    MlirValue minus_one = tri_builder_int(&b, mlirIntegerTypeGet(b.context, 32), -1), inits[2] = {minus_one, minus_one};
    l->loop = tri_loops_add_iter_args(arena, l->loop, 2, inits);
    l->body = tri_op_body(l->loop, 0);
    intptr_t args = mlirBlockGetNumArguments(l->body);
    MlirOperation top = mlirBlockGetFirstOperation(l->body);
    MlirValue in = next_index(top, early_copy->load, mlirBlockGetArgument(l->body, args - 2), n);
    MlirValue out = next_index(top, early_use->first_user, mlirBlockGetArgument(l->body, args - 1), n);
    MlirValue yielded[2] = {in, out};
    tri_loops_append_yield(arena, mlirBlockGetTerminator(l->body), 2, yielded);
    for (size_t i = 0; i < l->loads.len; i++) {
        if (l->loads.at[i].distance != n)
            continue;
        MlirValue group = start_copy(l, &l->loads.at[i], in);
        /* a first user that is itself a pipelined load is still there: loads go in program order */
        finish_copy(&l->loads.at[i], group, out);
    }
}

MlirOperation tri_pipeline_loads_run(const tri_pipeline *p, MlirOperation loop)
{
    lowering l = {.p = p, .loop = loop, .body = tri_op_body(loop, 0)};
    int deepest = 0;
    collect(&l);
    if (l.loads.len == 0)
        return loop;
    for (size_t i = 0; i < l.loads.len; i++)
        deepest = l.loads.at[i].distance > deepest ? l.loads.at[i].distance : deepest;
    allocate_rings(&l);
    for (int n = 1; n <= deepest; n++)
        lower_group(&l, n);
    free_rings(&l);
    return l.loop;
}
