/* Two rings of barriers for a ring of buffers: empty ones, by which those who put wait for those who got, and full
 * ones. */
#include "passes/ttgir/lower_aref/barriers.h"

#include "ir/encoding.h"
#include "ir/type.h"
#include "passes/analysis/partitions.h"
#include "passes/analysis/tensormaps.h"
#include "passes/ttgir/pipeline/lower.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdio.h>

enum { RESPONSE_BYTES = 16 };

typedef struct {
    tri_arena *arena;
    MlirOperation create;
    tri_op_list users;
    int64_t depth;
    MlirValue empty, full; /* rings of barriers */
    MlirValue no_token;    /* null until it is needed */
} lowering;

/* Where an access is replaced: behind it or a copy, with its groups and its place in the schedule. */
typedef struct {
    tri_builder b;
    MlirOperation like;
} access_place;

/* ---- making operations ---- */

static MlirOperation make_like(access_place *p, const tri_op *op)
{
    static const char *const names[] = {TRI_PARTITIONS_OF, TRI_PARTITIONS_TAG, "loop.stage", "loop.cluster"};
    MlirOperation made = tri_builder_create(&p->b, op);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        MlirAttribute attr = tri_op_attr(p->like, names[i]);
        if (!mlirAttributeIsNull(attr) && !mlirAttributeIsNull(tri_op_attr(p->like, TRI_PARTITIONS_OF)))
            tri_builder_set_attr(made, names[i], attr);
    }
    return made;
}

static MlirValue view_like(access_place *p, MlirValue ring, MlirValue stage)
{
    MlirType type = tri_pipeline_ring_type(tri_pipeline_slot_type(mlirValueGetType(ring)), 0);
    MlirValue operands[] = {ring, stage};
    return tri_op_result(make_like(p, &(tri_op){.name = "ttg.memdesc_index", .num_operands = 2, .operands = operands,
                                                .num_results = 1, .results = &type}), 0);
}

static bool is_scales(MlirValue buffer) { return tri_partitions_is_scales(mlirValueGetType(buffer)); }

/* ---- barriers ---- */

/* Is this word in the attribute async_ops of an exit? */
static bool has_kind(MlirOperation exit, const char *kind)
{
    char text[64];
    MlirAttribute kinds = tri_op_attr(exit, "async_ops");
    snprintf(text, sizeof text, "#nvws.async_op<%s>", kind);
    MlirAttribute wanted =
        mlirAttributeParseGet(mlirOperationGetContext(exit), mlirStringRefCreateFromCString(text));
    for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(kinds); i++)
        if (mlirAttributeEqual(mlirArrayAttrGetElement(kinds, i), wanted))
            return true;
    return false;
}

/* How many arrivals end a phase: one for each kind of work of each group that leaves a buffer so; at least one. */
static int32_t count_arrivals(const lowering *l, const char *exit)
{
    uint64_t seen = 0;
    int32_t count = 0;
    for (size_t i = 0; i < l->users.len; i++) {
        MlirOperation op = l->users.at[i];
        if (!tri_op_is(op, exit) || mlirAttributeIsNull(tri_op_attr(op, TRI_PARTITIONS_OF)))
            continue;
        uint64_t fresh = tri_partitions_of(op) & ~seen;
        seen |= fresh;
        count += (int32_t)(__builtin_popcountll(fresh) * mlirArrayAttrGetNumElements(tri_op_attr(op, "async_ops")));
    }
    return count ? count : 1;
}

/* A ring of barriers in front of the reference, which ends with its block. */
static MlirValue make_barriers(const lowering *l, int32_t arrivals)
{
    tri_lowering at = {.loop = l->create};
    tri_builder end = tri_builder_before(mlirBlockGetTerminator(mlirOperationGetBlock(l->create)));
    MlirValue barriers = tri_pipeline_barriers(&at, (int)l->depth, arrivals);
    tri_pipeline_end_barriers(NULL, &end, barriers);
    return barriers;
}

static void wait_for(access_place *p, MlirValue barrier, MlirValue phase)
{
    MlirValue operands[] = {barrier, phase};
    const int32_t segments[] = {1, 1, 0, 0};
    tri_attr attr = {"operandSegmentSizes", tri_attr_i32s(p->b.context, 4, segments)};
    make_like(p, &(tri_op){.name = "ttng.wait_barrier", .num_operands = 2, .operands = operands, .num_attrs = 1,
                           .attrs = &attr});
}

/* Work of other units arrives by itself, or when it is committed; the rest of the group's does here. */
static void arrive(access_place *p, MlirOperation exit, MlirValue barrier)
{
    tri_attr one = {"count", tri_attr_i32(p->b.context, 1)};
    const int32_t segments[] = {1, 0, 0};
    tri_attr alone = {"operandSegmentSizes", tri_attr_i32s(p->b.context, 3, segments)};
    if (has_kind(exit, "none"))
        make_like(p, &(tri_op){.name = "ttng.arrive_barrier", .num_operands = 1, .operands = &barrier, .num_attrs = 1,
                               .attrs = &one});
    if (has_kind(exit, "wgmma"))
        make_like(p, &(tri_op){.name = "ttng.arrive_barrier", .num_operands = 1, .operands = &barrier, .num_attrs = 1,
                               .attrs = &one});
    if (has_kind(exit, "tc5mma") || has_kind(exit, "tmem_copy"))
        make_like(p, &(tri_op){.name = "ttng.tc_gen5_commit", .num_operands = 1, .operands = &barrier,
                               .num_attrs = 1, .attrs = &alone});
}

/* ---- copies ---- */

static MlirValue expect(access_place *p, MlirValue barrier, int32_t bytes)
{
    tri_attr yes = {"value", tri_attr_bool(p->b.context, true)}, size = {"size", tri_attr_i32(p->b.context, bytes)};
    MlirType i1 = mlirIntegerTypeGet(p->b.context, 1);
    MlirOperation constant = make_like(p, &(tri_op){.name = "arith.constant", .num_results = 1, .results = &i1,
                                                    .num_attrs = 1, .attrs = &yes});
    MlirValue operands[] = {barrier, tri_op_result(constant, 0)};
    make_like(p, &(tri_op){.name = "ttng.barrier_expect", .num_operands = 2, .operands = operands, .num_attrs = 1,
                           .attrs = &size});
    return operands[1];
}

static bool is_gather(MlirOperation op) { return tri_op_is(op, "nvws.descriptor_gather"); }

static bool is_copy(MlirOperation op) { return is_gather(op) || tri_op_is(op, "nvws.descriptor_load"); }

/* desc, indices..., buffer becomes desc, indices..., barrier, buffer, whether. */
static void lower_copy(const lowering *l, MlirOperation op, MlirValue barrier, MlirValue whether)
{
    if (is_gather(op))
        tri_tensormaps_convert_rows(l->arena, op, tri_partitions_warps_at(op));
    intptr_t n = mlirOperationGetNumOperands(op);
    MlirValue *operands = TRI_NEW_ARRAY(l->arena, MlirValue, n + 2);
    for (intptr_t i = 0; i + 1 < n; i++)
        operands[i] = tri_op_operand(op, i);
    operands[n - 1] = barrier;
    operands[n] = tri_op_operand(op, n - 1);
    operands[n + 1] = whether;
    access_place p = {.b = tri_builder_before(op), .like = op};
    const int32_t segments[] = {1, (int32_t)n - 2, 0, 1, 1, 1};
    tri_attr attrs[] = {{"cache", tri_op_attr(op, "cache")},
                        {"evict", tri_op_attr(op, "evict")},
                        {"operandSegmentSizes", tri_attr_i32s(p.b.context, 6, segments)}};
    make_like(&p, &(tri_op){.name = is_gather(op) ? "ttng.async_tma_gather" : "ttng.async_tma_copy_global_to_local",
                            .num_operands = n + 2, .operands = operands,
                            .num_attrs = is_gather(op) ? 0 : 3, .attrs = attrs});
    mlirOperationDestroy(op);
}

static tri_op_list fillers(const lowering *l, MlirOperation enter)
{
    tri_op_list ops = {0};
    for (intptr_t i = 0; i + 1 < mlirOperationGetNumResults(enter); i++) {
        MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(enter, i));
        for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
            if (is_copy(mlirOpOperandGetOwner(use)) || tri_op_is(mlirOpOperandGetOwner(use), "nvws.clc_try_cancel"))
                tri_vec_push(l->arena, &ops, mlirOpOperandGetOwner(use));
    }
    return ops;
}

/* What fills the buffers on its own arrives at the full barrier, which is told how many bytes come. */
static void lower_fillers(const lowering *l, access_place *p, MlirOperation enter)
{
    tri_op_list ops = fillers(l, enter);
    int32_t bytes = 0;
    if (!ops.len)
        return;
    MlirValue barrier = view_like(p, l->full, tri_op_operand(enter, 1));
    for (size_t i = 0; i < ops.len; i++)
        bytes += is_copy(ops.at[i]) ? (int32_t)tri_op_int(ops.at[i], "txCount", 0) : RESPONSE_BYTES;
    MlirValue whether = expect(p, barrier, bytes);
    for (size_t i = 0; i < ops.len; i++) {
        if (is_copy(ops.at[i])) {
            lower_copy(l, ops.at[i], barrier, whether);
            continue;
        }
        access_place at = {.b = tri_builder_before(ops.at[i]), .like = ops.at[i]};
        MlirValue operands[] = {tri_op_operand(ops.at[i], 0), barrier};
        make_like(&at, &(tri_op){.name = "ttng.clc_try_cancel", .num_operands = 2, .operands = operands});
        mlirOperationDestroy(ops.at[i]);
    }
}

/* ---- accesses ---- */

/* Views of a buffer that could only be read can be written, as the buffer can. */
static void make_writable(MlirValue value)
{
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use);
        tri_memdesc desc;
        if (!tri_str_has_prefix(tri_op_name(op), "ttg.memdesc_") ||
            !tri_type_get_memdesc(mlirValueGetType(tri_op_result(op, 0)), &desc))
            continue;
        desc.is_mutable = true;
        tri_op_set_type(tri_op_result(op, 0), tri_type_memdesc(&desc));
        make_writable(tri_op_result(op, 0));
    }
}

static void replace_buffers(const lowering *l, access_place *p, MlirOperation op, MlirValue stage, intptr_t n)
{
    MlirValue *views = TRI_NEW_ARRAY(l->arena, MlirValue, n + 1);
    for (intptr_t i = 0; i < n; i++) {
        MlirValue ring = tri_op_operand(l->create, i);
        bool is_used = !mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(op, i)));
        views[i] = is_scales(ring) || !is_used ? ring : view_like(p, ring, stage);
    }
    if (tri_op_is(op, "nvws.aref.put.enter"))
        lower_fillers(l, p, op);
    for (intptr_t i = 0; i < n; i++) {
        mlirValueReplaceAllUsesOfWith(tri_op_result(op, i), views[i]);
        if (!mlirValueEqual(views[i], tri_op_operand(l->create, i)))
            make_writable(views[i]);
    }
}

static bool any_exit(const lowering *l, const char *name, const char *kind)
{
    for (size_t i = 0; i < l->users.len; i++)
        if (tri_op_is(l->users.at[i], name) && has_kind(l->users.at[i], kind))
            return true;
    return false;
}

/* Accesses of threads and of the units that copy and multiply see each other by a fence: what is stored before products
 * read it, and what is read before a copy overwrites it. */
static bool needs_fence(const lowering *l, MlirOperation exit, bool puts)
{
    tri_memdesc desc;
    tri_type_get_memdesc(mlirValueGetType(tri_op_operand(l->create, 0)), &desc);
    bool is_shared = mlirAttributeEqual(desc.space, tri_encoding_shared_space(mlirOperationGetContext(exit)));
    if (!has_kind(exit, "none") || !is_shared)
        return false;
    return puts ? any_exit(l, "nvws.aref.get.exit", "tc5mma") || any_exit(l, "nvws.aref.get.exit", "wgmma")
                : any_exit(l, "nvws.aref.put.exit", "tma_load");
}

static void lower_exit(const lowering *l, access_place *p, MlirOperation op)
{
    bool puts = tri_op_is(op, "nvws.aref.put.exit");
    tri_attr local = {"bCluster", tri_attr_bool(p->b.context, false)};
    if (needs_fence(l, op, puts))
        make_like(p, &(tri_op){.name = "ttng.fence_async_shared", .num_attrs = 1, .attrs = &local});
    arrive(p, op, view_like(p, puts ? l->full : l->empty, tri_op_operand(op, 2)));
}

/* A token that loops still carry is none. */
static MlirValue no_token(lowering *l)
{
    if (!mlirValueIsNull(l->no_token))
        return l->no_token;
    MlirOperation func = l->create;
    while (!tri_op_is(func, "tt.func"))
        func = mlirOperationGetParentOperation(func);
    tri_builder b = tri_builder_at_start(tri_op_body(func, 0), mlirOperationGetLocation(l->create));
    MlirType type = tri_type_async_token(b.context);
    l->no_token = tri_builder_value(&b, &(tri_op){.name = "ub.poison", .num_results = 1, .results = &type});
    return l->no_token;
}

static void lower_access(lowering *l, MlirOperation op)
{
    access_place p = {.b = tri_builder_after(op), .like = op};
    intptr_t results = mlirOperationGetNumResults(op);
    if (tri_op_is(op, "nvws.aref.buffer")) {
        replace_buffers(l, &p, op, tri_op_operand(op, 2), results);
    } else if (results) {
        MlirValue ring = tri_op_is(op, "nvws.aref.put.enter") ? l->empty : l->full;
        wait_for(&p, view_like(&p, ring, tri_op_operand(op, 1)), tri_op_operand(op, 2));
        replace_buffers(l, &p, op, tri_op_operand(op, 1), results - 1);
    } else {
        lower_exit(l, &p, op);
    }
}

void tri_barriers_lower(tri_arena *arena, MlirOperation create)
{
    lowering l = {.arena = arena, .create = create};
    tri_memdesc ring;
    tri_type_get_memdesc(mlirValueGetType(tri_op_operand(create, 0)), &ring);
    l.depth = is_scales(tri_op_operand(create, 0)) ? 1 : ring.shape[0];
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(create, 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        tri_vec_push(arena, &l.users, mlirOpOperandGetOwner(use));
    l.empty = make_barriers(&l, count_arrivals(&l, "nvws.aref.get.exit"));
    l.full = make_barriers(&l, count_arrivals(&l, "nvws.aref.put.exit"));
    for (size_t i = 0; i < l.users.len; i++)
        lower_access(&l, l.users.at[i]);
    for (size_t i = 0; i < l.users.len; i++) {
        intptr_t results = mlirOperationGetNumResults(l.users.at[i]);
        bool is_enter = results && !tri_op_is(l.users.at[i], "nvws.aref.buffer");
        if (is_enter && !mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(l.users.at[i], results - 1))))
            mlirValueReplaceAllUsesOfWith(tri_op_result(l.users.at[i], results - 1), no_token(&l));
    }
    for (size_t i = 0; i < l.users.len; i++)
        mlirOperationDestroy(l.users.at[i]);
    if (!mlirValueIsNull(l.no_token) && mlirOpOperandIsNull(mlirValueGetFirstUse(l.no_token)))
        mlirOperationDestroy(tri_op_def(l.no_token));
    mlirOperationDestroy(create);
}
